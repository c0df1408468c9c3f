"""What ships with the page: examples with a question, passages with hidden spans, and figures, our
own and those printed in SpanBERT's paper.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from pydantic import TypeAdapter

from qa_demo.core.base import one_of
from qa_demo.core.masking import Blanks
from qa_demo.core.store import ASSETS, bundled, load_reading, shipped_json, undamaged
from qa_demo.core.types import Answer, Example, Reading, WindowOptions

T = TypeVar("T")


@dataclass(frozen=True)
class PoolExample(Example):
    """A text with a question. `promise` says what a reading must show (qa_demo.training), `options`
    are windows of its own where it needs small ones, `others` two more questions of the paragraph,
    whose answers stand elsewhere in it.
    """

    promise: tuple[str, ...] = ()
    options: WindowOptions = field(default_factory=WindowOptions)
    others: tuple[str, ...] = ()

    def stored(self) -> Reading | None:
        """The stored reading, for a first paint without a model; None where there is none, or it
        was made by another reader than the bundled one.
        """
        path = ASSETS / "readings" / f"{self.id}.npz"
        reading = load_reading(path) if path.is_file() else None
        return reading if reading and reading.checksum == bundled()[0] else None


@dataclass(frozen=True)
class Passage:
    """A text without a question; `hidden` are slices, `promise` what guesses must show."""

    id: str
    title: str
    text: str
    hidden: tuple[Answer, ...]
    promise: tuple[str, ...]


@cache
def load_menu() -> dict[str, PoolExample]:
    """All that the menu offers, by id: the examples that show a point, then texts that the reader
    gets wrong (`python -m qa_demo.training.promises examples`, of these with `--file`, tells
    whether they still are).
    """
    found = dict[str, PoolExample]()
    for path in (ASSETS / "examples.json", ASSETS / "failures.json"):
        with undamaged(path):
            found |= {e.id: e for e in load_texts(PoolExample, path)}
    return found


def load_texts(kind: type[T], path: Path) -> tuple[T, ...]:
    """The examples or passages of a file. Errors: OSError, pydantic.ValidationError."""
    return TypeAdapter(tuple[kind, ...]).validate_json(path.read_bytes())  # type: ignore[valid-type]


@cache
def passages() -> dict[str, Passage]:
    """The passages by their id."""
    path = ASSETS / "passages.json"
    with undamaged(path):
        return {p.id: p for p in load_texts(Passage, path)}


def hidden_in(name: str) -> Blanks:
    """A passage with what it hides. Errors: BadInput for an unknown name."""
    one_of("passage", name, passages())
    passage = passages()[name]
    return Blanks(passage.text, tuple((h.char_start, h.char_end) for h in passage.hidden))


@cache
def shipped(name: str) -> Any:
    """A file of figures."""
    return shipped_json(ASSETS / name)


class Gain(NamedTuple):
    """The F1 of a row, the mean of its runs, and what it adds to the row before with one."""

    runs: Sequence[float]
    f1: float
    change: float
    first: bool


def gains(rows: Mapping[str, Sequence[float]]) -> dict[str, Gain]:
    """Of the rows with a run."""
    found, last = dict[str, Gain](), None
    for short, runs in rows.items():
        if runs:
            f1 = float(np.mean(runs))
            last = found[short] = Gain(runs, f1, f1 - (last.f1 if last else f1), not last)
    return found


class Worth:
    """What each change of the pre-training is worth to a reader: the rows' names by their short
    ones, what the paper (on SQuAD 2.0) and our runs have in them, and the budget of our runs.
    """

    def __init__(self) -> None:
        rows, measured = shipped("spanbert_paper.json")["rows"], shipped("spanbert/ablation.json")
        runs, self.budget = measured["starts"], measured["budget"]
        self.names = {r["short"]: r["name"] for r in rows}
        self.paper = gains({r["short"]: [r["squad2"]] if "squad2" in r else () for r in rows})
        self.ours = gains({r["short"]: runs[r["ours"]]["f1"] if "ours" in r else () for r in rows})
