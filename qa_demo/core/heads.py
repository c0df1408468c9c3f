"""The heads as vectors: one start vector S and one end vector E read every token of every text.

    s_i = S . T_i + b_S,   e_i = E . T_i + b_E      T [n, d]: the last hidden states of one window

The two rows belong to one linear layer. S and E are the same for every question; what differs is T.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.base import BadInput, Floats, freeze_arrays, one_of
from qa_demo.core.predict import predict
from qa_demo.core.spans import Candidate
from qa_demo.core.types import DecodeOptions, Reading, Span

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


Vector = NDArray[np.float64]
Digits = tuple[int, int]
TRIED: tuple[Digits, ...] = ((3, 2), (3, 3), (4, 3), (4, 4))
"""Digits that the two factors of a product may be printed with; the product has two."""


@dataclass(frozen=True, eq=False)
class Products:
    """`vector` [d] and `bias` of a lane, hidden states [d] of one word, the first question's first;
    `found`: the largest products with that one, `digits`: how factors are printed.
    """

    lane: Lane
    vector: Vector
    bias: float
    states: tuple[Vector, ...]
    found: Anatomy
    digits: Digits

    @cached_property
    def all(self) -> Vector:
        """Every product with the first state, [d]."""
        return self.vector * self.states[0]

    @cached_property
    def order(self) -> list[int]:
        """The numbers by the size of their product, the largest first."""
        found: list[int] = np.argsort(-np.abs(self.all), kind="stable").tolist()
        return found

    @property
    def total(self) -> float:
        """The logit."""
        return float(self.all.sum() + self.bias)


def products_of(heads: HeadWeights, states: Sequence[Vector], lane: Lane) -> Products:
    """With the fewest digits by which most of the largest products are right on a calculator."""
    vector, bias = heads.vector(lane)
    found = anatomy(heads, states[0], lane)
    pairs = [(vector[k], h[k]) for k in found.dimensions for h in states]
    right = {digits: sum(holds(x, y, digits) for x, y in pairs) for digits in TRIED}
    digits = max(TRIED, key=lambda tried: (right[tried], -sum(tried)))
    return Products(lane, vector, bias, tuple(states), found, digits)


def holds(x: float, y: float, digits: Digits) -> bool:
    """Whether the printed factors give the printed product; e.g. not 0.125 * 8 by (1, 1)."""
    printed = round(x, digits[0]) * round(y, digits[1])
    return round(float(printed), 2) == round(float(x * y), 2)


_LARGEST = float(np.finfo(np.float32).max)


def apply_what_if(reading: Reading, logits: Mapping[tuple[str, int, int], float]) -> Reading:
    """Set single logits: `logits` maps (side, window, pos), side "start" or "end", to the new
    value. The encoding and the windows are shared with the true reading, which stays as it is.
    """
    changed = {"start": reading.start_logits.copy(), "end": reading.end_logits.copy()}
    for (side, window, pos), value in logits.items():
        if (
            side not in changed
            or not 0 <= window < len(reading.windows)
            or not 0 <= pos < len(reading.windows[window])
        ):
            raise BadInput(f"there is no {side} logit at position {pos} of window {window}")
        if not abs(value) <= _LARGEST:
            raise BadInput(f"a logit must be a finite number in single precision, got {value}")
        changed[side][window, pos] = value
    return replace(reading, start_logits=changed["start"], end_logits=changed["end"])


@dataclass(frozen=True)
class Asked:
    """A reading with its best span; `silent`: whether "no answer" wins over it."""

    reading: Reading
    best: Candidate
    silent: bool

    def place(self, d: int) -> tuple[int, int]:
        """Window and position of piece d (`doc`): the best span's window where it holds d, else
        the one that owns d.
        """
        w = self.reading.windows[self.best.window]
        home = w if w.holds(Span(d, d)) else self.reading.windows[int(self.reading.owners[d])]
        return home.index, home.to_pos(d)

    def at(self, d: int) -> NDArray[np.float64]:
        """(start logit, end logit) of piece d, [2]."""
        window, pos = self.place(d)
        return np.array([row[pos] for row in self.reading.logits(window)], dtype=np.float64)


def asked_by(reading: Reading, options: DecodeOptions) -> Asked | None:
    """The best span; None where no span is allowed."""
    found = predict(reading, options)
    if found.best is None:
        return None
    return Asked(reading, found.best.candidate, found.answer is None)
