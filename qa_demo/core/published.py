"""Figures printed in SpanBERT's paper, for the page to show beside its own measurements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

SPANBERT = (
    "Joshi et al., SpanBERT, TACL 2020, the ablations: large models, 1.2 M steps, development sets"
)


class Row(NamedTuple):
    """One line of the paper's tables: F1 by task."""

    squad2: float
    newsqa: float
    coreference: float


TOKENS, SPANS = Row(83.8, 72.0, 77.7), Row(85.4, 73.0, 76.4)
"""What is hidden: word pieces or geometric spans; two segments with the next sentence task."""
ONE_SEGMENT, WITH_SBO = Row(86.7, 73.4, 76.3), Row(86.8, 74.1, 79.0)
"""Geometric spans in one segment, without and with the boundary objective."""


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


class Worth(NamedTuple):
    """The rows, the gains of the paper and of the mean of our runs, and what our runs were given:
    pretrain_steps, batch_tokens, finetune_steps.
    """

    rows: list[Change]
    paper: list[Gain]
    ours: list[Gain]
    budget: Mapping[str, int]


def gains(values: Sequence[float | None]) -> list[Gain]:
    """Of the rows with a value."""
    have = [(k, v) for k, v in enumerate(values) if v is not None]
    later = (Gain(k, v, v - old) for (_, old), (k, v) in pairwise(have))
    return [Gain(*have[0], None), *later]


def worth_of(measured: Mapping[str, Any]) -> Worth:
    """What each change is worth; `measured` are the stored figures of our runs: budget, and starts,
    {name of an encoder: {"f1": one a seed}}.
    """
    own = {name: tuple(found["f1"]) for name, found in measured["starts"].items()}
    rows = [
        Change("encoder as it came", "start", None, own["plain encoder"]),
        Change("single tokens hidden (MLM)", "tokens", TOKENS.squad2, own["token masking"]),
        Change("whole spans hidden", "spans", SPANS.squad2, own["span masking"]),
        Change("one segment, no next-sentence task", "one segment", ONE_SEGMENT.squad2, ()),
        Change("boundary objective (SBO) added", "SBO", WITH_SBO.squad2, own["span masking + SBO"]),
    ]
    means = [float(np.mean(r.ours)) if r.ours else None for r in rows]
    return Worth(rows, gains([r.paper for r in rows]), gains(means), measured["budget"])
