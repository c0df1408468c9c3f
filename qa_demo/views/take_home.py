"""What a visitor takes along: the code behind a chapter's numbers, and the reading as a file."""

from collections.abc import Callable

from qa_demo.core.files.report import answer_json, dumps
from qa_demo.core.reading.predict import predict
from qa_demo.figures.payload import plain
from qa_demo.views.answers import there
from qa_demo.views.session.errors import attempt
from qa_demo.views.state import Screen
from qa_demo.views.update import Update, numbers


def reading_file(screen: Screen) -> str:
    """The answer as the command prints it; of the reader's own logits, whatever was changed."""
    reading = screen.reading
    return dumps(answer_json(reading, predict(reading, screen.decode, screen.merge)))


def given(what: str, screen: Screen | None, make: Callable[[Screen], str]) -> Update:
    """A text that is taken along, or the sentence that says why there is none; numbered, so that
    the same text is news when it is asked for again.
    """
    text, error = attempt(lambda: make(there(screen)))
    sent = {"what": what, "n": next(numbers), "text": text, "error": error}
    return Update(controls={"given": plain(sent)})
