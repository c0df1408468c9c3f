"""A page's place in a room, a text of one's own, the moment of a quiz, as the page sends them."""

from typing import Any

from qa_demo.core.course.room_quiz import MOMENTS, Moment
from qa_demo.core.course.room_state import Seat
from qa_demo.views import parse

MOST_SECRET = 40
MOST_TEXT = 20_000
"""Characters of a paragraph that a class reads together."""


def seat(value: Any) -> Seat:
    """Code and key as a page sends them. Errors: BadInput."""
    given = parse.record(value, "a room", "code", "key")
    code = parse.text(given.get("code"), "the room's code", MOST_SECRET)
    return Seat(code, parse.text(given.get("key"), "the page's key", MOST_SECRET))


def own_text(value: Any) -> tuple[str, str] | None:
    """Question and paragraph of a teacher's own, None where the lesson's are wanted. Errors:
    BadInput.
    """
    own = value.get("own")
    if own is None:
        return None
    given = parse.record(own, "a text of one's own", "question", "context")
    found = (
        parse.text(given.get("question"), "the question", MOST_TEXT),
        parse.text(given.get("context"), "the paragraph", MOST_TEXT),
    )
    parse.sendable(*found)
    return found


def moment(value: Any) -> Moment:
    """Before or after the lessons. Errors: BadInput."""
    asked = parse.choice(value, "the moment", MOMENTS)
    return MOMENTS[MOMENTS.index(asked)]
