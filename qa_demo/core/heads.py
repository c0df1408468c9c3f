"""The heads as vectors: one start vector S and one end vector E read every token of every text.

    s_i = S . h_i + b_S,   e_i = E . h_i + b_E      h [n, d]: the last hidden states of one window

The two rows belong to one linear layer. S and E are the same for every question; what differs is h,
T in BERT's paper. They were trained on the last layer only: what they say of an earlier one is a
logit lens.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.base import Floats, Frozen, Ints
from qa_demo.core.types import Reading

Lane = Literal["start", "end"]


@dataclass(frozen=True, eq=False)
class HeadWeights(Frozen):
    """S, E [d] with their biases."""

    dtype = np.float32
    S: NDArray[np.float32]
    E: NDArray[np.float32]
    b_S: float
    b_E: float

    def vector(self, lane: Lane) -> tuple[NDArray[np.float64], float]:
        """S and b_S, or E and b_E, in double precision."""
        row, bias = (self.S, self.b_S) if lane == "start" else (self.E, self.b_E)
        return row.astype(np.float64), bias


def plane(heads: HeadWeights, hidden: Floats) -> NDArray[np.float64]:
    """Where each token stands: (S . h_i + b_S, E . h_i + b_E), [..., n, 2] for hidden states [...,
    n, d]; with those of all layers, [N + 1, n, d], row 0 is the embeddings', N the last.

    Exact: the two coordinates are the two logits, and the heads see nothing else of h.
    """
    both = np.stack([heads.S, heads.E], axis=1).astype(np.float64)
    return np.asarray(hidden, dtype=np.float64) @ both + [heads.b_S, heads.b_E]


def rank_of(logits: Floats, position: int) -> Ints:
    """1 + how many positions have a larger logit, for every row of [rows, n]."""
    return 1 + (logits > logits[..., position, None]).sum(axis=-1)


def owned_points(reading: Reading) -> NDArray[np.float64]:
    """(start_logit, end_logit) of every context token in the window that owns it, [D, 2]."""
    both = np.stack([reading.start_logits, reading.end_logits], axis=-1)
    return reading.of_owners(both).astype(np.float64)


SHOWN = 8
"""Products that are shown one by one."""


class Products:
    """One logit dimension by dimension, total = sum of all d products + bias: `vector` [d] and
    `bias` of a lane, hidden `state` [d] of one word, `values` [d]: their products; `order`: the
    dimensions by the size of their product, of equals the lower first, parted into `first` and
    `others`.
    """

    def __init__(self, heads: HeadWeights, state: Floats, lane: Lane) -> None:
        self.lane, self.state = lane, state
        self.vector, self.bias = heads.vector(lane)
        self.values = self.vector * state
        self.order: list[int] = np.argsort(-np.abs(self.values), kind="stable").tolist()
        self.first, self.others = self.order[:SHOWN], self.order[SHOWN:]
        self.total = float(self.values.sum() + self.bias)

    def sum_of(self, dimensions: Sequence[int]) -> float:
        """The products of these dimensions, added up."""
        return float(self.values[list(dimensions)].sum())
