"""A class in front of a lesson: what a page sends to its room, and what it may know of it."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from qa_demo.core.course.lessons import Lesson
from qa_demo.core.course.room_quiz import form
from qa_demo.core.course.room_state import Look, Place, Seat, Vote
from qa_demo.core.course.rooms import Rooms
from qa_demo.core.errors import BadInput
from qa_demo.figures.course.exercises import quiz
from qa_demo.figures.course.outcome import outcome_data
from qa_demo.figures.lessons.finding import Finding
from qa_demo.figures.pack import printable
from qa_demo.views import parse
from qa_demo.views.lessons import find
from qa_demo.views.lessons.course import SAID
from qa_demo.views.lessons.seats import MOST_SECRET, moment, own_text, seat
from qa_demo.views.lessons.tasks import kinds
from qa_demo.views.state import Screen

PlaceOf = Callable[[Any], tuple[Lesson, int]]


def look_data(look: Look) -> dict[str, Any]:
    """What a page may know, as it travels."""
    return asdict(look) | {
        "bars": None if look.bars is None else [[printable(t), n] for t, n in look.bars],
        "mine": None if look.mine is None else printable(look.mine),
    }


def looker(rooms: Rooms) -> Callable[[str, str], dict[str, Any]]:
    """look(code, key): what that page may know, or why it is in no room: the answer of `/room`."""

    def look(code: str, key: str) -> dict[str, Any]:
        try:
            return look_data(rooms.look(Seat(code[:MOST_SECRET], key[:MOST_SECRET])))
        except BadInput as fault:
            return {"gone": printable(str(fault))}

    return look


class Classes:
    """The quick events of rooms. `place_of` reads a step of a lesson as the strip does."""

    def __init__(self, rooms: Rooms, place_of: PlaceOf) -> None:
        self._rooms, self._place_of = rooms, place_of

    def handlers(self) -> dict[str, Callable[[Screen | None, Any], dict[str, Any] | None]]:
        """By the name of the event; each answers with what the strip learns, if anything. Errors:
        BadInput.
        """
        return {
            "room_open": lambda screen, value: self._seated(self._rooms.open(), True),
            "room_join": self._join,
            "room_leave": lambda screen, value: self._rooms.leave(seat(value)),
            "room_move": self._move,
            "room_show": lambda screen, value: self._rooms.show(
                seat(value), parse.flag(value.get("on"), "on")
            ),
            "room_reveal": lambda screen, value: self._rooms.reveal(seat(value)),
            "room_quiz": self._quiz,
            "room_pin": lambda screen, value: {"pin": self._rooms.pin(seat(value))},
            "room_results": self._results,
        }

    def _join(self, screen: Screen | None, value: Any) -> dict[str, Any]:
        code = parse.record(value, "a room", "code").get("code")
        given = self._rooms.join(parse.text(code, "the room's code", MOST_SECRET))
        return self._seated(given, self._rooms.look(given).teacher)

    @staticmethod
    def _seated(given: Seat, teacher: bool = False) -> dict[str, Any]:
        return {"seat": {**asdict(given), "teacher": teacher}}

    def _move(self, screen: Screen | None, value: Any) -> None:
        lesson, number = self._place_of(value)
        if lesson.id == SAID:
            raise BadInput("a class is led through lessons")
        options = [Vote(o.key, printable(o.text)) for o in lesson.steps[number].options]
        self._rooms.move(seat(value), Place(lesson.id, number), options, own_text(value))

    def text(self, value: Any) -> tuple[str, str] | None:
        """The own text of the class that a page is in. Errors: BadInput."""
        return self._rooms.text(seat(value))

    def _quiz(self, screen: Screen | None, value: Any) -> None:
        asked = parse.record(value, "a quiz", "code", "key", "moment").get("moment")
        self._rooms.quiz(seat(value), None if asked is None else moment(asked))

    def _results(self, screen: Screen | None, value: Any) -> dict[str, Any]:
        found = self._rooms.results(seat(value))
        items = quiz(kinds(), form(found.code, "before"))
        return {"results": outcome_data(found, items, self._named)}

    def _named(self, place: Place) -> tuple[str, str]:
        """The titles of a lesson and of its step."""
        lesson, number = self._place_of({"lesson": place.lesson, "step": place.step})
        return lesson.title, lesson.steps[number].title

    def vote(
        self, screen: Screen, lesson: Lesson, number: int, finding: Finding, value: Any
    ) -> Vote | None:
        """Commit a guess that has been judged; None where it is not counted, since the page is in
        no room, or the class elsewhere. Errors: BadInput for another text than the lesson's.
        """
        if value.get("room") is None:
            return None
        step, given = lesson.steps[number], seat(value["room"])
        own = self._rooms.text(given)
        if not (
            find.reads(screen, own) if own else find.example_of(lesson, step) == screen.example
        ):
            raise BadInput(
                "another text than the class reads stands on this page, so its guess does not "
                "count in the class"
            )
        vote = find.vote_of(screen, step, finding, value.get("guess"))
        counted = self._rooms.vote(given, Place(lesson.id, number), vote)
        return vote if counted else None
