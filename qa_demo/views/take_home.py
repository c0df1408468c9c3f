"""What a visitor takes along: the code behind a chapter's numbers, and the reading as a file."""

import itertools
from collections.abc import Callable
from typing import Any

from qa_demo.core.files.report import answer_json, dumps
from qa_demo.core.reading.predict import predict
from qa_demo.figures.payload import plain
from qa_demo.views.answers import there
from qa_demo.views.session.errors import attempt
from qa_demo.views.state import Screen
from qa_demo.views.update import Update

_numbers = itertools.count(1)


def code(screen: Screen | None, make: Callable[[Screen], str]) -> Update:
    """The chapter's code, or the sentence that says why there is none."""
    text, error = attempt(lambda: make(there(screen)))
    return _given("code", text=text, error=error)


def reading_file(screen: Screen | None) -> Update:
    """The answer as the command prints it; of the reader's own logits, whatever was changed."""
    text, error = attempt(lambda: _report(there(screen)))
    return _given("json", text=text, error=error)


def _report(screen: Screen) -> str:
    reading = screen.reading
    return dumps(answer_json(reading, predict(reading, screen.decode, screen.merge)))


def _given(what: str, **said: Any) -> Update:
    """Numbered, so that the same text is news when it is asked for again."""
    return Update(controls={"given": plain({"what": what, "n": next(_numbers), **said})})
