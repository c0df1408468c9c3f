"""The examples: texts with the reason why each is there, and their stored readings for a first paint without a model."""

import json
from dataclasses import dataclass
from pathlib import Path

from qa_demo.core.errors import BadInput
from qa_demo.core.store import load_reading
from qa_demo.core.types import Answer, Reading, WindowOptions

ASSETS = Path(__file__).resolve().parents[2] / "assets"


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
    """Its own window options, where the example needs small windows to show what it is there for."""

    def stored(self, checksum: str | None = None) -> Reading | None:
        """The stored reading; None when there is none, its text differs, or it was made by other weights than `checksum`."""
        path = ASSETS / "readings" / f"{self.id}.npz"
        if not path.is_file():
            return None
        reading = load_reading(path)
        same_text = (reading.encoding.question, reading.encoding.context) == (self.question, self.context)
        return reading if same_text and checksum in (None, reading.checksum) else None


def load_examples(path: Path | None = None) -> dict[str, PageExample]:
    """Read `assets/examples.json`; an answer that does not stand where it says is refused with the example's id."""
    entries = json.loads((path or ASSETS / "examples.json").read_text(encoding="utf-8"))
    examples: dict[str, PageExample] = {}
    for entry in entries:
        answers = tuple(Answer(a["text"], a["char_start"]) for a in entry["answers"])
        for answer in answers:
            if entry["context"][answer.char_start:answer.char_end] != answer.text:
                raise BadInput(f"example '{entry['id']}': no '{answer.text}' at character {answer.char_start}")
        windows = WindowOptions(**entry["options"]) if "options" in entry else None
        examples[entry["id"]] = PageExample(**{name: entry[name] for name in ("id", "title", "reason", "question", "context")},
                                            answers=answers, windows=windows)
    return examples
