"""Where the heads looked: attention of one window, its rollout, its gradient-weighted form, and
compact arrays of it.

Axes are always layer, head, query, key; a row belongs to the token that looks, and sums to 1.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.attribution import Target
from qa_demo.core.base import BadInput, Floats, freeze_arrays, one_of
from qa_demo.core.text import question_positions
from qa_demo.core.types import Encoding, Window

ROW_SUM_TOLERANCE = 1e-4
RelevanceKind = Literal["attention", "rollout", "gradient_x_attention"]
RELEVANCE: tuple[RelevanceKind, ...] = get_args(RelevanceKind)


@dataclass(frozen=True, eq=False)
class Attention:
    """Attention of every layer and head in one window, `weights` [N, A, n, n], rows = queries.

    Errors: BadInput when a row does not sum to 1: such numbers are not attention weights.
    """

    weights: NDArray[np.float32]

    def __post_init__(self) -> None:
        freeze_arrays(self, np.float32)
        if (
            self.weights.ndim != 4
            or self.weights.shape[2] != self.weights.shape[3]
            or not self.weights.size
        ):
            raise BadInput(
                "attention has the axes layer, head, query, key with as many keys as queries, "
                f"got the shape {self.weights.shape}"
            )
        off = row_sum_error(self.weights)
        if not off <= ROW_SUM_TOLERANCE:
            raise BadInput(
                f"attention rows must sum to 1, one is off by {off:.3g}; at most "
                f"{ROW_SUM_TOLERANCE:g} is rounding"
            )

    @property
    def n_layers(self) -> int:
        """N."""
        return int(self.weights.shape[0])

    @property
    def n_heads(self) -> int:
        """A."""
        return int(self.weights.shape[1])

    def row(self, layer: int, head: int, query: int) -> NDArray[np.float32]:
        """Where `query` looked, exact, [n]."""
        row: NDArray[np.float32] = self.head(layer, head)[self._at(query)]
        return row

    def head(self, layer: int, head: int) -> NDArray[np.float32]:
        """One head's matrix, exact, [n, n]."""
        if not (0 <= layer < self.n_layers and 0 <= head < self.n_heads):
            raise BadInput(
                f"there is no head {head} in layer {layer}; layers are 0 to {self.n_layers - 1}, "
                f"heads 0 to {self.n_heads - 1}"
            )
        weights: NDArray[np.float32] = self.weights[layer, head]
        return weights

    def _at(self, position: int) -> int:
        if not 0 <= position < self.weights.shape[2]:
            raise BadInput(
                f"there is no position {position} in this window; positions are 0 to "
                f"{self.weights.shape[2] - 1}"
            )
        return position


@dataclass(frozen=True, eq=False)
class Relevance:
    """How much the selected start and end attended to each position, by one method.

    `start` [n] belongs to the row of the target's start, `end` [n] to that of its end; a lane that
    the target does not have is 0. No value is negative, and none promises an effect on the logits.
    """

    start: NDArray[np.float64]
    end: NDArray[np.float64]

    def __post_init__(self) -> None:
        freeze_arrays(self, np.float64)

    @property
    def total(self) -> NDArray[np.float64]:
        """start + end, [n]."""
        return self.start + self.end


def row_sum_error(weights: Floats) -> float:
    """The largest |row sum - 1|; NaN counts as infinite."""
    error = np.abs(np.asarray(weights).sum(axis=-1, dtype=np.float64) - 1.0)
    return float(np.where(np.isfinite(error), error, np.inf).max(initial=0.0))


def rollout(weights: Floats) -> NDArray[np.float64]:
    """R = A'_N ... A'_1 with A'_l = (mean over heads of A_l + I) / 2, [n, n]; rows sum to 1.

    Row i gives the inputs that position i would be a mixture of if layers only averaged. It does
    not depend on a target: start and end at the same position have the same row. Source: Abnar &
    Zuidema 2020.
    """
    n = np.asarray(weights).shape[-1]
    mixed = np.eye(n)
    for layer in weights:
        mean = np.asarray(layer, dtype=np.float64).mean(axis=0) + np.eye(n)
        mixed = (mean / mean.sum(axis=-1, keepdims=True)) @ mixed
    return mixed


def gradient_attention(weights: Floats, gradients: Floats) -> NDArray[np.float64]:
    """R <- R + B_l R from R = I, B_l = mean over heads of max(grad_l * A_l, 0); returned without
    the identity, [n, n].

    `gradients` [N, A, n, n] are dF / dA for one scalar F. Source: Chefer et al., ICCV 2021 (generic
    attention model), rule for self-attention; there row 0 is read because [CLS] classifies, here
    the row of the start or end.
    """
    n = np.asarray(weights).shape[-1]
    relevance = np.eye(n)
    for layer, gradient in zip(weights, gradients, strict=True):
        step = np.maximum(
            np.asarray(layer, dtype=np.float64) * np.asarray(gradient, dtype=np.float64), 0.0
        ).mean(axis=0)
        relevance = relevance + step @ relevance
    return relevance - np.eye(n)


def relevance_of(
    kind: RelevanceKind,
    attention: Attention,
    target: Target,
    window: Window,
    gradients: tuple[Floats | None, Floats | None] = (None, None),
) -> Relevance:
    """Read the rows of the target's start and end: `attention` averages all layers and heads,
    `rollout` and `gradient_x_attention` are the matrices of that name. `gradients` are dF / dA of
    the start part and of the end part.
    """
    one_of("relevance", kind, RELEVANCE)
    rows: list[NDArray[np.float64]] = []
    wanted = (target.kind != "end_logit", target.kind != "start_logit")
    for wants, doc, gradient in zip(
        wanted, (target.span.start, target.span.end), gradients, strict=True
    ):
        at = window.to_pos(doc)
        if not wants:
            rows.append(np.zeros(len(window)))
        elif kind == "gradient_x_attention":
            if gradient is None:
                raise BadInput(
                    "gradient_x_attention needs the gradient of each part of the target with "
                    "respect to every head"
                )
            rows.append(gradient_attention(attention.weights, gradient)[at])
        elif kind == "rollout":
            rows.append(rollout(attention.weights)[at])
        else:
            rows.append(attention.weights[:, :, at].mean(axis=(0, 1), dtype=np.float64))
    return Relevance(rows[0], rows[1])


SPREAD = 0.3
"""The head that is shown first has no weight of this size."""


class Looks:
    """`rows` [N, A, n] of one token, their share on the question `asked` [N, A], and one head,
    counted from 1, with its weights `row` [n] and what they hold in sum by kind of token, `held`.
    Without a layer or head it is that of `spread_head`; one too large is the last.
    """

    def __init__(
        self,
        rows: NDArray[np.float32],
        e: Encoding,
        window: Window,
        layer: int | None = None,
        head: int | None = None,
    ) -> None:
        inside = question_positions(e)
        self.rows, self.asked = rows, rows[:, :, inside].sum(-1)
        first = spread_head(rows, self.asked)
        self.layer = min(layer or first[0], rows.shape[0])
        self.head = min(head or first[1], rows.shape[1])
        self.row = rows[self.layer - 1, self.head - 1].astype(np.float64)
        cls, asked = float(self.row[window.cls_at]), float(self.row[inside].sum())
        read = float(self.row[window.is_context].sum())
        rest = float(self.row.sum()) - cls - asked - read
        self.held = {e.cls_token: cls, "question": asked, "paragraph": read, "separators": rest}


def spread_head(rows: NDArray[np.float32], asked: Floats) -> tuple[int, int]:
    """(layer, head), from 1, with the largest share `asked` [N, A] among the heads whose weights
    `rows` [N, A, n] are all under 0.3; among all heads where none is.
    """
    wide = np.where(rows.max(-1) < SPREAD, asked, -1)
    best = (wide if wide.max() >= 0 else asked).argmax()
    layer, head = np.unravel_index(best, asked.shape)
    return int(layer) + 1, int(head) + 1
