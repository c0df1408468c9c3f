"""The heads as vectors: one start vector S and one end vector E read every token of every text.

    s_i = S . T_i + b_S,   e_i = E . T_i + b_E      T [n, d]: the last hidden states of one window

The two rows belong to one linear layer. S and E are the same for every question; what differs is T.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.arrays import Floats, freeze_arrays
from qa_demo.core.errors import BadInput, one_of

Lane = Literal["start", "end"]


@dataclass(frozen=True, eq=False)
class HeadWeights:
    """S, E [d] with their biases; W [3, d] and b [3] of the BIO head (rows B, I, O), or None."""

    S: NDArray[np.float32]
    E: NDArray[np.float32]
    b_S: float
    b_E: float
    W: NDArray[np.float32] | None = None
    b: NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        freeze_arrays(self, np.float32)
        if self.S.ndim != 1 or self.S.shape != self.E.shape:
            raise BadInput(
                f"S and E must be two vectors of one length, got the shapes {self.S.shape} and "
                f"{self.E.shape}"
            )
        if (self.W is None) != (self.b is None) or (
            self.W is not None and self.W.shape != (3, len(self.S))
        ):
            raise BadInput(
                f"a BIO head is W [3, {len(self.S)}] with b [3], got "
                f"{None if self.W is None else self.W.shape}"
            )

    def vector(self, lane: Lane) -> tuple[NDArray[np.float64], float]:
        """S and b_S, or E and b_E, in double precision."""
        one_of("the lane", lane, get_args(Lane))
        row, bias = (self.S, self.b_S) if lane == "start" else (self.E, self.b_E)
        return row.astype(np.float64), bias


def angle(x: Floats, y: Floats) -> float:
    """Degrees between two vectors, as S and E turn in a step. Errors: BadInput for length 0."""
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    size = float(np.linalg.norm(x) * np.linalg.norm(y))
    if size == 0.0:
        raise BadInput("a vector of length 0 has no direction, so there is no angle")
    return float(np.degrees(np.arccos(np.clip(x @ y / size, -1.0, 1.0))))


def plane(heads: HeadWeights, hidden: Floats) -> NDArray[np.float64]:
    """Where each token stands: (S . T_i + b_S, E . T_i + b_E), [..., n, 2] for hidden states [...,
    n, d].

    Exact: the two coordinates are the two logits, and the heads see nothing else of T.
    """
    both = np.stack([heads.S, heads.E], axis=1).astype(np.float64)
    points: NDArray[np.float64] = np.asarray(hidden, dtype=np.float64) @ both + np.array(
        [heads.b_S, heads.b_E]
    )
    return points


@dataclass(frozen=True)
class Anatomy:
    """One logit taken apart: the products of the largest dimensions, the rest as one number, and
    the bias.

    The logit is sum(products) + rest + bias. `rest` is the sum of the `n_rest` other products.
    """

    dimensions: tuple[int, ...]
    products: tuple[float, ...]
    rest: float
    n_rest: int
    bias: float


def anatomy(heads: HeadWeights, token: Floats, lane: Lane, top: int = 8) -> Anatomy:
    """The products S_k T_ik of one token T_i [d], largest in size first, then lower dimension."""
    vector, bias = heads.vector(lane)
    values = np.asarray(token, dtype=np.float64)
    if values.shape != vector.shape:
        raise BadInput(
            f"a token of this reader is a vector of length {len(vector)}, got the shape "
            f"{values.shape}"
        )
    if top < 0:
        raise BadInput(f"the number of dimensions shown must be at least 0, got {top}")
    products = vector * values
    best = np.argsort(-np.abs(products), kind="stable")[:top]
    chosen = products[best]
    rest = float(np.delete(products, best).sum())
    return Anatomy(
        tuple(best.tolist()), tuple(chosen.tolist()), rest, len(products) - len(best), bias
    )
