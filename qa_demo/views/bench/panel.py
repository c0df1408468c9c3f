"""The panel of the bench: numbers typed there are the reading on screen, so that every chapter
draws them with its own picture. Typing never runs the model.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from qa_demo.core.course.bench import FEWEST, MOST, Bench
from qa_demo.core.course.pencil import Pencil, another, pencil
from qa_demo.core.learning.golds import Answer
from qa_demo.core.types import Reading
from qa_demo.figures.bench.desk import desk
from qa_demo.figures.bench.exercise import pencil_data
from qa_demo.views import parse
from qa_demo.views.answers import answered
from qa_demo.views.ask import Ask
from qa_demo.views.bench import presets, typed
from qa_demo.views.frame import Frame
from qa_demo.views.lessons.tasks import bench_of
from qa_demo.views.link.restore import Wanted, page_of, restore
from qa_demo.views.new_reading import KIND, new_screen
from qa_demo.views.session.errors import attempt
from qa_demo.views.slow_work import Stream
from qa_demo.views.state import Screen
from qa_demo.views.update import Update, said, sent

KEY = "bench"
EXERCISES = 10_000


@dataclass(frozen=True, eq=False)
class Kept:
    """What stands on the bench, and the screen that it took the place of."""

    bench: Bench
    before: Screen | None


def kept(screen: Screen | None) -> Kept | None:
    """The bench of a visitor, on screen or put away."""
    found = None if screen is None else screen.own.get(KEY)
    return found if isinstance(found, Kept) else None


def on_bench(screen: Screen | None) -> Bench | None:
    """What stands on the bench while it is the reading on screen."""
    found = kept(screen)
    return found.bench if screen is not None and found and screen.reading.typed else None


def placed(screen: Screen | None, bench: Bench, chapter: str | None = None) -> Screen:
    """The bench's numbers as the reading on screen; what they stand in place of is kept."""
    reading = bench.reading()
    old = kept(screen)
    before = screen
    if screen is not None and screen.reading.typed:
        before = old.before if old else None
    new = new_screen(screen, reading, source=before.source if before else "bundled")
    if screen is not None and screen.reading.typed:
        new = new.change(decode=screen.decode)  # the threshold stays on the bench
    new = new.change(gold=answers(bench, reading), silent=bench.golds.count(None))
    new = new.keep(KEY, Kept(bench, None if before is None else bare(before)))
    return new if chapter is None else new.open(chapter)


def bare(screen: Screen) -> Screen:
    """A screen without an older bench in it."""
    return screen.keep(KEY, None) if kept(screen) else screen


def answers(bench: Bench, reading: Reading) -> tuple[Answer, ...]:
    """The marked tokens as answers of the bench's text."""
    found = []
    for span in bench.spans():
        if span is not None:
            start, _ = reading.encoding.chars(span)
            found.append(Answer(reading.encoding.text(span), start))
    return tuple(found)


def exercise(number: int) -> Pencil:
    """Exercise 0 is the page's own; every other number draws one that is always the same."""
    return pencil() if number == 0 else another(np.random.default_rng(number))


def exercise_number(value: Any) -> int:
    """Errors: BadInput."""
    return parse.whole(value, "the exercise", 0, EXERCISES - 1)


def of_exercise(found: Pencil) -> Bench:
    """The logits of a pencil's reader on the bench; its first token is [CLS]."""
    start, end = (tuple(map(float, found.logits[:, side])) for side in range(2))
    gold = found.gold[0] - 1, found.gold[1] - 1
    return Bench(found.tokens[1:], (start,), (end,), None, (gold,))


def linked(screen: Screen) -> dict[str, str]:
    """The bench's field of a link, while it is the reading on screen."""
    bench = on_bench(screen)
    return {} if bench is None else {KEY: typed.link_text(bench)}


def contents() -> dict[str, Any]:
    """What the panel needs before anything stands on the bench: the cases, and how many tokens."""
    cases = [asdict(preset) for preset in presets.load()]
    for case in cases:
        del case[KEY]
    return {"sizes": [FEWEST, MOST], "presets": cases}


class Panel:
    """Events: `open`, `close`, `change`, `shape`, `as`, `preset`, `exercise`, `lay`."""

    def __init__(self, frame: Frame, ask: Ask) -> None:
        self.frame, self.ask = frame, ask
        frame.answers.linked.append(linked)
        ask.links.typed = self.by_link

    def build(self) -> None:
        """Make the panel where the caller stands, and wire it."""
        self.frame.picture(KEY, contents())
        self.frame.slow.wire(KEY, "open", self.open)
        changes: dict[str, Callable[[Screen, Any], Screen]] = {
            "change": lambda screen, value: placed(screen, typed.parsed(value)),
            "shape": self.shape,
            "as": lambda screen, value: placed(
                screen, self.bench(screen).read_as(typed.as_typed(value))
            ),
            "preset": self.preset,
            "lay": lambda screen, value: placed(
                screen, of_exercise(exercise(exercise_number(value)))
            ),
            "task": lambda screen, value: placed(screen, bench_of(value)),
        }
        self.frame.inputs[KEY] = {
            **{name: partial(self.changed, change) for name, change in changes.items()},
            "close": self.close,
            "exercise": self.exercise,
        }

    # Handlers

    def open(self, screen: Screen | None, visitor: str, value: Any) -> Stream:
        """The panel was opened: what stood there last, else a first case; old waits are dropped."""
        self.ask.services.jobs.supersede(visitor, KIND)
        yield lambda now: self.shown(now, placed(now, self.bench(now))).then(said(""))

    def close(self, screen: Screen | None, value: Any) -> Update:
        """The panel was closed: the reading before comes back."""
        found = kept(screen)
        if screen is None or found is None or not screen.reading.typed or found.before is None:
            return Update()
        before = found.before.change(reading=found.before.reading).open(screen.chapter)
        return self.frame.answers.answer(screen, before.keep(KEY, Kept(found.bench, None)))

    def changed(
        self, change: Callable[[Screen, Any], Screen], screen: Screen | None, value: Any
    ) -> Update:
        """Other numbers: all that follows from them, or why they cannot be."""
        if screen is None:
            return Update()
        new, error = attempt(lambda: change(screen, value))
        if new is None:
            return sent(KEY, refused=error or "")
        return self.shown(screen, new)

    def shape(self, screen: Screen, value: Any) -> Screen:
        """More or fewer tokens, a second window, rows of tags."""
        given = parse.record(value, "a shape", "n", "step", "tagged")
        n = parse.whole(given.get("n"), "the number of tokens", FEWEST, MOST)
        step = given.get("step")
        if step is not None:
            step = parse.whole(step, "the second window's first token", 1, MOST)
        tagged = parse.flag(given.get("tagged"), "tags")
        return placed(screen, self.bench(screen).reshaped(n, step, tagged))

    def preset(self, screen: Screen, value: Any) -> Screen:
        """A case of the menu, in the chapter that shows it best."""
        found = presets.preset(value)
        return placed(screen, found.bench, found.chapter)

    def exercise(self, screen: Screen | None, value: Any) -> Update:
        """The pencil's reader: which numbers, what each cell asks, and how it is found."""

        def make() -> Update:
            number = exercise_number(value)
            return sent(KEY, pencil=pencil_data(exercise(number), number))

        return answered(make)

    def by_link(self, wanted: Wanted) -> Callable[[Screen | None], Update] | None:
        """The bench that a link asks for, as a change; None if it asks none. Errors: BadInput."""
        bench = typed.from_link(wanted.fields)
        if bench is None:
            return None

        def change(old: Screen | None) -> Update:
            screen, left = restore(placed(old, bench), None, wanted, self.frame.modules)
            page = page_of(wanted.fields, left)
            return self.shown(None, screen, page).then(said(""))

        return change

    # What they share

    def bench(self, screen: Screen | None) -> Bench:
        """What stands on the bench, else a first case for the open chapter."""
        found = kept(screen)
        if found is not None:
            return found.bench
        return presets.first("" if screen is None else screen.chapter).bench

    def shown(
        self, old: Screen | None, new: Screen, page: Mapping[str, Any] | None = None
    ) -> Update:
        """The page with the bench's numbers, and the panel beside it."""
        bench = on_bench(new)
        update = self.frame.answers.answer(old, new, page)
        if bench is None:
            return update
        # on a page that opens with a bench this is the first that the panel hears
        first = contents() if old is None else {}
        return update.then(
            sent(KEY, **first, desk=desk(bench, new.reading, new.decode), refused="")
        )
