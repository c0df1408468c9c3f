"""The head applied to every layer (a lens), the tokens' path through the plane, and what moves when
the question changes.

The head was trained on the last layer only: what it says of an earlier layer is a reading, not a
result of training.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.arrays import Floats, freeze_arrays
from qa_demo.core.errors import BadInput
from qa_demo.core.reading.heads import HeadWeights, plane
from qa_demo.core.types import Reading


@dataclass(frozen=True, eq=False)
class Lens:
    """Logits of every layer: `start`, `end` [N + 1, n]; row 0 is the embeddings', N the last."""

    start: NDArray[np.float64]
    end: NDArray[np.float64]

    def __post_init__(self) -> None:
        freeze_arrays(self, np.float64)

    def ranks(self, start: int, end: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rank of a start and of an end position among all n positions, per layer, [N + 1]
        each; 1 is the largest logit.
        """
        return rank_of(self.start, start), rank_of(self.end, end)


def lens(heads: HeadWeights, hidden: Floats) -> Lens:
    """Apply S and E to hidden states [N + 1, n, d]: s_i of layer l is S . h_i(l) + b_S."""
    if np.ndim(hidden) != 3 or np.shape(hidden)[2] != len(heads.S):
        raise BadInput(
            f"hidden states have the shape [N + 1, n, {len(heads.S)}], got {np.shape(hidden)}"
        )
    points = plane(heads, hidden)
    return Lens(points[..., 0], points[..., 1])


def rank_of(logits: Floats, position: int) -> NDArray[np.int64]:
    """1 + how many positions have a larger logit, for every row of [rows, n]."""
    logits = np.asarray(logits, dtype=np.float64)
    if not 0 <= position < logits.shape[-1]:
        raise BadInput(
            f"there is no position {position}; positions are 0 to {logits.shape[-1] - 1}"
        )
    above: NDArray[np.int64] = (logits > logits[..., position, None]).sum(axis=-1, dtype=np.int64)
    return 1 + above


def owned_points(reading: Reading) -> NDArray[np.float64]:
    """(start_logit, end_logit) of every context token in the window that owns it, [D, 2]."""
    points = np.full((len(reading.encoding.context_ids), 2), np.nan)
    for window in reading.windows:
        s, e = reading.logits(window.index)
        owned = window.is_max_context
        points[window.owned] = np.stack([s[owned], e[owned]], axis=1)
    return points
