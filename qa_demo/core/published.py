"""Figures printed in papers, with their place, for the page and the model cards to show beside
their own measurements.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

SPANBERT = (
    "Joshi et al., SpanBERT, TACL 2020, the ablations: large models, 1.2 M steps, development sets"
)


@dataclass(frozen=True)
class Row:
    """One line of a published table: F1 by task, None where the paper has no such cell here."""

    name: str
    squad2: float
    newsqa: float
    triviaqa: float
    coreference: float | None = None


SPANBERT_MASKING = (
    Row("word pieces", 83.8, 72.0, 76.3, 77.7),
    Row("whole words", 84.3, 72.8, 77.1),
    Row("named entities", 84.8, 72.7, 78.7),
    Row("noun phrases", 85.0, 73.0, 77.7),
    Row("geometric spans", 85.4, 73.0, 78.8, 76.4),
)
"""What is masked; two segments with the next sentence task."""
SPANBERT_OBJECTIVES = (
    Row("spans, two segments and next-sentence task", 85.4, 73.0, 78.8, 76.4),
    Row("spans, one segment", 86.7, 73.4, 80.0, 76.3),
    Row("spans, one segment, SBO", 86.8, 74.1, 80.3, 79.0),
)
"""What is trained on, all with geometric spans."""


@dataclass(frozen=True)
class Change:
    """One row: the paper's F1 after a change, and ours of every seed; () where there is none."""

    name: str
    short: str
    paper: float | None
    ours: tuple[float, ...]


class Gain(NamedTuple):
    """The F1 of a row, and what it adds to the row before with one; None in the first."""

    row: int
    f1: float
    change: float | None


def changes(starts: Mapping[str, Any]) -> list[Change]:
    """The rows; `starts`: what was measured here of each encoder, {name: {"f1": one a seed}}."""
    ours = {name: tuple(found["f1"]) for name, found in starts.items()}
    tokens, spans = SPANBERT_MASKING[0].squad2, SPANBERT_MASKING[-1].squad2
    _, one, sbo = (r.squad2 for r in SPANBERT_OBJECTIVES)
    return [
        Change("encoder as it came", "start", None, ours["plain encoder"]),
        Change("single tokens hidden (MLM)", "tokens", tokens, ours["token masking"]),
        Change("whole spans hidden", "spans", spans, ours["span masking"]),
        Change("one segment, no next-sentence task", "one segment", one, ()),
        Change("boundary objective (SBO) added", "SBO", sbo, ours["span masking + SBO"]),
    ]


def gains(values: Sequence[float | None]) -> list[Gain]:
    """Of the rows with a value."""
    have = [(k, v) for k, v in enumerate(values) if v is not None]
    later = (Gain(k, v, v - old) for (_, old), (k, v) in pairwise(have))
    return [Gain(*have[0], None), *later]


class Worth(NamedTuple):
    """The rows, the gains of the paper and of the mean of our runs, and what our runs were given:
    pretrain_steps, batch_tokens, finetune_steps.
    """

    rows: list[Change]
    paper: list[Gain]
    ours: list[Gain]
    budget: Mapping[str, int]


def worth_of(measured: Mapping[str, Any]) -> Worth:
    """See `Worth`; `measured`: the stored figures of our runs, starts and budget."""
    rows = changes(measured["starts"])
    ours = gains([float(np.mean(r.ours)) if r.ours else None for r in rows])
    return Worth(rows, gains([r.paper for r in rows]), ours, measured["budget"])
