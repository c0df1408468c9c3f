"""The examples: texts with the reason why each is there, and their stored readings for a first
paint without a model.
"""

from dataclasses import dataclass
from pathlib import Path

from qa_demo.core import examples as core
from qa_demo.core.assets import ASSETS
from qa_demo.core.store import load_reading
from qa_demo.core.types import Answer, Reading, WindowOptions


@dataclass(frozen=True)
class PageExample:
    """One entry of the Examples menu."""

    id: str
    title: str
    reason: str
    question: str
    context: str
    answers: tuple[Answer, ...]
    windows: WindowOptions | None = None
    """Its own window options, where the example needs small windows to show what it is there
    for.
    """

    def stored(self, checksum: str | None = None) -> Reading | None:
        """The stored reading; None when there is none, its text differs, or it was made by other
        weights than `checksum`.
        """
        path = ASSETS / "readings" / f"{self.id}.npz"
        if not path.is_file():
            return None
        reading = load_reading(path)
        same_text = (reading.encoding.question, reading.encoding.context) == (
            self.question,
            self.context,
        )
        return reading if same_text and checksum in (None, reading.checksum) else None


def load_examples(path: Path | None = None) -> dict[str, PageExample]:
    """Read `assets/examples.json`; an answer that does not stand where it says is refused with the
    example's id.
    """
    found = core.load_examples(path or ASSETS / "examples.json")
    return {
        e.id: PageExample(e.id, e.title, e.reason, e.question, e.context, e.answers, e.windows)
        for e in found
    }
