"""A page's place in a room, and the moment of a quiz, as the page sends them."""

from typing import Any

from qa_demo.core.course.room_quiz import MOMENTS, Moment
from qa_demo.core.course.room_state import Seat
from qa_demo.views import parse

MOST_SECRET = 40


def seat(value: Any) -> Seat:
    """Code and key as a page sends them. Errors: BadInput."""
    given = parse.record(value, "a room", "code", "key")
    code = parse.text(given.get("code"), "the room's code", MOST_SECRET)
    return Seat(code, parse.text(given.get("key"), "the page's key", MOST_SECRET))


def moment(value: Any) -> Moment:
    """Before or after the lessons. Errors: BadInput."""
    asked = parse.choice(value, "the moment", MOMENTS)
    return MOMENTS[MOMENTS.index(asked)]
