"""What ships with the page: examples with a question, passages with hidden spans, and figures, our
own and those printed in SpanBERT's paper.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from pydantic import TypeAdapter

from qa_demo.core.base import BadInput
from qa_demo.core.masking import Blanks
from qa_demo.core.store import ASSETS, READERS, load_reading, shipped_json, undamaged
from qa_demo.core.types import Answer, Reading, WindowOptions

T = TypeVar("T")


@dataclass(frozen=True)
class PoolExample:
    """A text with a question. `promise` says what a reading must show (qa_demo.training), `options`
    are windows of its own where it needs small ones, `others` two more questions of the paragraph,
    whose answers stand elsewhere in it.
    """

    id: str
    title: str
    question: str
    context: str
    answers: tuple[Answer, ...]
    promise: tuple[str, ...] = ()
    options: WindowOptions = field(default_factory=WindowOptions)
    others: tuple[str, ...] = ()

    def stored(self) -> Reading | None:
        """The stored reading, for a first paint without a model; None where there is none, or it
        was made by other weights than the bundled reader's.
        """
        path = ASSETS / "readings" / f"{self.id}.npz"
        reading = load_reading(path) if path.is_file() else None
        return reading if reading and reading.checksum == bundled() else None


@dataclass(frozen=True)
class Passage:
    """A text without a question; `hidden` are slices, `promise` what guesses must show."""

    id: str
    title: str
    text: str
    hidden: tuple[Answer, ...]
    promise: tuple[str, ...]


@cache
def bundled() -> str:
    """The checksum of the bundled reader, known before it is loaded."""
    return hashlib.sha256((READERS["bundled"] / "checksums.json").read_bytes()).hexdigest()


@cache
def load_menu() -> dict[str, PoolExample]:
    """All that the menu offers, by id: the examples that show a point, then texts that the reader
    gets wrong (`python -m qa_demo.training.promises examples` tells whether both still hold).
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
    if name not in passages():
        raise BadInput(f"there is no passage {name[:60]!r}")
    passage = passages()[name]
    return Blanks(passage.text, tuple((h.char_start, h.char_end) for h in passage.hidden))


@cache
def shipped(name: str) -> Any:
    """A file of figures."""
    return shipped_json(ASSETS / name)


def scheme_counts() -> dict[str, int]:
    """The right guesses over all example texts by the weights in use."""
    weights = shipped("spanbert/checksums.json")["model.safetensors"]
    found: dict[str, int] = shipped("schemes.json")[weights]
    return found


def pretrained() -> tuple[int, int]:
    """Steps and tokens of the bundled SpanBERT's pre-training."""
    (phase,) = shipped("spanbert/spanbert.json")["phases"]
    return phase["steps_taken"], phase["steps_taken"] * phase["batch_tokens"]


class Change(NamedTuple):
    """One row: the F1 after a change, the paper's on SQuAD 2.0 and ours of every seed; () where
    there is none.
    """

    name: str
    short: str
    paper: float | None
    ours: tuple[float, ...]


class Gain(NamedTuple):
    """The F1 of a row, and what it adds to the row before with one; None in the first."""

    row: int
    f1: float
    change: float | None


class Worth(NamedTuple):
    """The rows, the gains of the paper and of our runs' means, and the budget of our runs."""

    rows: list[Change]
    paper: list[Gain]
    ours: list[Gain]
    budget: Mapping[str, int]


def gains(values: Sequence[float | None]) -> list[Gain]:
    """Of the rows with a value."""
    have = [(k, v) for k, v in enumerate(values) if v is not None]
    later = (Gain(k, v, v - old) for (_, old), (k, v) in pairwise(have))
    return [Gain(*have[0], None), *later]


def worth() -> Worth:
    """What each change of the pre-training is worth to a reader."""
    measured, rows = shipped("spanbert/ablation.json"), list[Change]()
    for row in shipped("spanbert_paper.json")["rows"]:
        ours = tuple(measured["starts"][row["ours"]]["f1"]) if "ours" in row else ()
        rows.append(Change(row["name"], row["short"], row.get("squad2"), ours))
    means = [float(np.mean(r.ours)) if r.ours else None for r in rows]
    return Worth(rows, gains([r.paper for r in rows]), gains(means), measured["budget"])
