"""The menu of readers: the page's own, those used in this browser, any other by name."""

from collections.abc import Callable, Sequence
from typing import Any

from qa_demo.core.reader import Reader
from qa_demo.figures.reader_facts import facts_line, scores_line
from qa_demo.views import another, parse
from qa_demo.views.frame import Frame
from qa_demo.views.measured import measured
from qa_demo.views.slow_work import Stream, telling
from qa_demo.views.state import Screen
from qa_demo.views.update import Update, numbers, sent

KEY = "readers"
SOURCES = {
    "hub": "a Hugging Face id (with @revision if wanted)",
    "folder": "a folder on this machine",
}
Use = Callable[[Screen | None, str, str, str, str], Stream]
"""use(screen, visitor, name, question, paragraph): load a reader and read the texts with it."""


def hint(offered: Sequence[str], sources: Sequence[str]) -> str:
    """What may be typed into the box on a host that loads readers from these sources."""
    allowed = ", or ".join([*offered, *(SOURCES[one] for one in sources)])
    return f"{allowed}. As soon as it is loaded, it reads question and paragraph."


class Readers:
    """Events: `use` {reader, question, context}, `facts` of the page's own reader, and `compare`
    {reader} (views.another).
    """

    def __init__(self, frame: Frame, use: Use) -> None:
        self.frame, self.services, self._use = frame, frame.services, use

    def build(self) -> None:
        """Make the menu where the caller stands, and wire it."""
        own = {
            "own": self.services.default,
            "offered": {name: scores_line(measured(name)) for name in self.services.offered},
            "hint": hint(self.services.offered, self.services.sources),
            "n": next(numbers),
        }
        self.frame.picture(KEY, own)
        self.frame.slow.wire(KEY, "use", self.use)
        self.frame.slow.wire(KEY, "facts", self.facts)
        another.wire(self.frame, KEY)

    def known(self, source: str, reader: Reader) -> Update:
        """What is known of a reader that is loaded goes to the menu."""
        return sent(KEY, source=source, about=facts_line(reader.facts, reader.checksum))

    # Handlers

    @telling
    def use(self, screen: Screen | None, visitor: str, value: Any) -> Stream:
        """A reader was chosen, for the texts as they stand in the boxes."""
        given = value if isinstance(value, dict) else {}
        found = parse.text(given.get("reader"), "the reader", 1000)
        texts = [given.get(name) for name in ("question", "context")]
        question, context = (one if isinstance(one, str) else "" for one in texts)
        yield from self._use(screen, visitor, found, question, context)

    def facts(self, screen: Screen | None, visitor: str, value: Any) -> Stream:
        """The menu was opened: what is known of the page's own reader, once it is loaded."""
        outcome = yield from self.frame.slow.follow(
            visitor, "reader facts", lambda *_: self.services.first(), None, loads=True
        )
        if outcome.result is not None:
            yield self.known(self.services.default, outcome.result)
