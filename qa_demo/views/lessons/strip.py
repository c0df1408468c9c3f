"""The strip beside the picture: opens a step, looks again when the text or reader changed, answers
a guess.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from qa_demo.core.course.lesson_folder import Folder
from qa_demo.core.course.lessons import Lesson, Step
from qa_demo.core.errors import BadInput
from qa_demo.core.learning.golds import Answer
from qa_demo.core.options import WindowOptions
from qa_demo.core.types import Reading
from qa_demo.figures.lessons.finding import Finding
from qa_demo.views import parse
from qa_demo.views.answers import answered, there
from qa_demo.views.ask import Ask
from qa_demo.views.background import Busy
from qa_demo.views.frame import Frame
from qa_demo.views.lessons import find, tasks
from qa_demo.views.lessons.course import contents
from qa_demo.views.lessons.rooms import Classes
from qa_demo.views.lessons.seats import own_text
from qa_demo.views.lessons.worksheet import worksheet
from qa_demo.views.measured import measured
from qa_demo.views.services import BUNDLED
from qa_demo.views.session.recent import RecentValues
from qa_demo.views.slow_work import Stream, telling
from qa_demo.views.state import Screen
from qa_demo.views.update import Update, said, sent

KEY = "lessons"
KIND = "lesson"
MOST_KEPT = 256


def _own_stands(screen: Screen, value: Any) -> bool:
    """Whether a text of one's own stands in the place of the lesson's; an example never does."""
    return value.get("own") is not None and screen.example is None


class Strip:
    """Events of the strip: `open` sets the page up for a step, `restore` with the bundled reader,
    `look` only checks, `guess` answers.
    """

    def __init__(self, frame: Frame, ask: Ask, course: Folder) -> None:
        self.frame, self.ask = frame, ask
        self.lessons = {lesson.id: lesson for lesson in course.lessons}
        rooms = frame.services.rooms
        self.classes = None if rooms is None else Classes(rooms, self.place)
        self._contents = {**contents(course), "rooms": rooms is not None}
        self._found: RecentValues[Finding] = RecentValues(MOST_KEPT)

    def build(self) -> None:
        """Make the strip where the caller stands, and wire it."""
        self.ask.links.lessons = frozenset(self.lessons)
        self.frame.picture(KEY, self._contents)
        handlers = {
            "open": partial(self.open, None),
            "restore": partial(self.open, BUNDLED),
            "look": self.look,
            "guess": self.guess,
            "worksheet": self.worksheet,
        }
        for name, handler in handlers.items():
            self.frame.slow.wire(KEY, name, handler)
        quicks = tasks.handlers(self.frame.services.rooms)
        if self.classes is not None:
            quicks |= self.classes.handlers()
        self.frame.inputs[KEY] = {
            name: partial(self._quick, quick) for name, quick in quicks.items()
        }

    # Handlers

    @telling
    def open(self, source: str | None, screen: Screen | None, visitor: str, value: Any) -> Stream:
        """A step was opened: its text is read if another one stands on the screen, then the page is
        set up.
        """
        (lesson, number), own = self.place(value), self._own(value)
        reader = source or self.ask.readings.source(screen)
        if own is None:
            example = self.ask.examples[find.example_of(lesson, lesson.steps[number])]
            if not find.shows(screen, example, source):
                yield from self.ask.show_example(None, visitor, example.id, reader)
        elif not find.reads(screen, own):
            yield from self.ask.read_own(screen, visitor, reader, *own)
        yield partial(self._opened, lesson, number, own)

    def _own(self, value: Any) -> tuple[str, str] | None:
        """The text in the place of the lesson's, from the page or its class. Errors: BadInput."""
        if self.classes is None or value.get("room") is None:
            return own_text(value)
        return self.classes.text(value["room"])

    def _opened(
        self, lesson: Lesson, number: int, own: tuple[str, str] | None, screen: Screen | None
    ) -> Update:
        if own is not None and not find.reads(screen, own):
            return Update()  # it could not be read, which has been said
        step = lesson.steps[number]
        update = self.frame.answers.step(screen, lambda seen: find.set_up(seen, step))
        now = update.screen
        if now is None:
            return update
        return update.then(self._looked(lesson, number, now, own is not None))

    @telling
    def look(self, screen: Screen | None, visitor: str, value: Any) -> Stream:
        """What the step's check finds on the screen as it is; where it needs the reader, in the
        server's queue.
        """
        (lesson, number), seen = self.place(value), there(screen)
        own = _own_stands(seen, value)
        finding = yield from self._find(seen, visitor, lesson.steps[number], own)
        if finding is not None:
            yield sent(KEY, reply=self._reply(lesson, number, seen, finding, own))

    @telling
    def guess(self, screen: Screen | None, visitor: str, value: Any) -> Stream:
        """A guess was committed, or given up (null)."""
        (lesson, number), seen = self.place(value), there(screen)
        step = lesson.steps[number]
        finding = yield from self._find(seen, visitor, step, _own_stands(seen, value))
        if finding is not None:
            yield self._judged(seen, lesson, number, finding, value)

    def _judged(
        self, screen: Screen, lesson: Lesson, number: int, finding: Finding, value: Any
    ) -> Update:
        """What is said of a guess; to one that waits with its class, only that it was counted."""
        answer = find.feedback(screen, lesson.steps[number], finding, value.get("guess"))
        if self.classes is not None:
            vote = self.classes.vote(screen, lesson, number, finding, value)
            if vote is not None:
                counted = {"lesson": lesson.id, "step": number, "label": vote.label}
                return sent(KEY, voted=counted)
        return sent(KEY, told=find.told(lesson, number, finding, answer))

    def _quick(
        self, handler: Callable[[Screen | None, Any], Any], screen: Screen | None, value: Any
    ) -> Update:
        """An event of a room or an exercise: it changes nothing but the strip."""

        def make() -> Update:
            made = handler(screen, value)
            return sent(KEY, **made) if made else Update()

        return answered(make)

    @telling
    def worksheet(self, screen: Screen | None, visitor: str, value: Any) -> Stream:
        """A lesson for paper, on its own texts or a teacher's, read by the page's own reader."""
        (lesson, _), own = self.place(value), self._own(value)
        services = self.frame.services

        def read(key: str) -> tuple[Reading, tuple[Answer, ...]]:
            example = self.ask.examples[key]
            stored = example.stored(services.checksum())
            texts = (example.question, example.context)
            reading = stored or services.read(services.default, *texts, example.options)
            return reading, example.answers

        def made(*_: Any) -> dict[str, Any]:
            text = None if own is None else services.read(services.default, *own, WindowOptions())
            known = measured(services.default)
            return worksheet(lesson, read, services.first, known, text)

        found = yield from self.frame.slow.result(
            visitor, f"{KIND} worksheet", made, Busy("making the worksheet")
        )
        if found is not None:
            yield said("")
            yield sent(KEY, worksheet=found)

    # What they share

    def place(self, value: Any) -> tuple[Lesson, int]:
        """The lesson and the number of its step. Errors: BadInput."""
        given = parse.record(value, "a step", "lesson", "step")
        lesson = self.lessons.get(str(given.get("lesson")))
        if lesson is None:
            raise BadInput(f"there is no lesson '{str(given.get('lesson'))[:40]}'")
        return lesson, parse.whole(given.get("step"), "the step", 0, len(lesson.steps) - 1)

    def _find(self, screen: Screen, visitor: str, step: Step, own: bool) -> Any:
        """The finding of a step on a screen, on the teacher's `own` text or the lesson's; None when
        the reader could not be asked, which has been said.
        """
        case = find.case_of(screen, step)
        if (own and not step.own) or not find.asks(step):
            return find.find(case, step, own)
        key = self._key(screen, step)
        if (kept := self._found.get(key)) is not None:
            return kept
        found = yield from self.frame.slow.result(
            visitor,
            KIND,
            lambda *_: find.asked(case, step, self.frame.services.reader(screen.source)),
            Busy("asking the reader"),
        )
        if found is None:
            return None
        yield said("")
        return self._found.put(key, found)

    def _looked(self, lesson: Lesson, number: int, screen: Screen, own: bool) -> Update:
        """The reply to a step that was opened: with its finding where that is at hand."""
        step = lesson.steps[number]
        if find.asks(step) and (step.own or not own):
            finding = self._found.get(self._key(screen, step))
        else:
            finding = find.find(find.case_of(screen, step), step, own)
        return sent(KEY, reply=self._reply(lesson, number, screen, finding, own))

    def _key(self, screen: Screen, step: Step) -> tuple[Any, ...]:
        return (screen.reading.key, screen.decode, screen.merge, step.check, step.question)

    def _reply(
        self, lesson: Lesson, number: int, screen: Screen, finding: Finding | None, own: bool
    ) -> dict[str, Any]:
        example = self.ask.examples[find.example_of(lesson, lesson.steps[number])]
        foreign = not own and not find.shows(screen, example)
        return find.reply(lesson, number, screen, finding, foreign)
