"""The button of the link panel that hands this reading over as one file."""

from typing import Any

from qa_demo.core.errors import BadInput
from qa_demo.core.files.embed import packed
from qa_demo.core.progress import IsCancelled, OnProgress
from qa_demo.views import parse
from qa_demo.views.answers import there
from qa_demo.views.background import Busy
from qa_demo.views.frame import Frame
from qa_demo.views.saved.file import html, saved
from qa_demo.views.saved.tape import record
from qa_demo.views.slow_work import Stream, telling
from qa_demo.views.state import Screen
from qa_demo.views.update import said, sent

KEY = "saved"
MOST_ADDRESS = 300
LEVEL = 6


class Saver:
    """Answers `save`: asks what pictures ask, in the queue, and sends the file compressed."""

    def __init__(self, frame: Frame, tabs: list[dict[str, Any]]) -> None:
        self.frame, self.tabs = frame, tabs

    def build(self) -> None:
        """Make the place that the file is sent to; nothing of it is to be seen."""
        self.frame.picture(KEY, elem_id="saved-file")
        self.frame.slow.wire("chosen", "save", self.save)

    @telling
    def save(self, screen: Screen | None, visitor: str, value: Any) -> Stream:
        """The file of what is on screen; {"home", "page"} from the browser: address and its own."""
        (home, page), seen = asked_for(value), there(screen)

        def work(progress: OnProgress, cancelled: IsCancelled) -> str:
            tape = record(self.frame, seen, progress, cancelled, page)
            return packed(html(saved(tape, self.tabs, home)), LEVEL)

        file = yield from self.frame.slow.result(visitor, KEY, work, Busy("saving", "%"))
        if file is not None:
            yield sent(KEY, name=seen.example or "text", file=file).then(
                said("Saved: one file with all chapters, to be opened without a network.")
            )


def asked_for(value: Any) -> tuple[str, dict[str, Any]]:
    """The address of the page and the fields of a link that the browser knows. Errors: BadInput."""
    given = parse.record(value, "what to save", "home", "page")
    home, page = parse.text(given.get("home"), "the address of the page"), given.get("page")
    if not home.startswith(("http://", "https://")) or len(home) > MOST_ADDRESS or "#" in home:
        raise BadInput(f"the address of a page is wanted, got {parse.got(home)}")
    if not isinstance(page, dict):
        raise BadInput(f"what the browser knows must be a record, got {parse.came(page)}")
    return home, {f"page.{name}": one for name, one in page.items()}
