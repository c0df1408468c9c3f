"""Train a tagging head on a frozen encoder: softmax regression of tags on hidden states, in numpy.

    minimise  (1/m) sum_i -sum_j t_ij log p_ij + (ridge/2) |W|^2,   p_i = softmax(W h_i + b)

The encoder never changes, so its states are computed once and the problem is convex: one minimum,
and nothing random.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.arrays import Floats, freeze, log_softmax, softmax
from qa_demo.core.errors import BadInput, Cancelled
from qa_demo.core.learning.losses import cross_entropy

STEPS, RATE, RIDGE = 300, 0.05, 1e-3
_FIRST, _SECOND, _TINY = 0.9, 0.999, 1e-8


@dataclass(frozen=True, eq=False)
class TagFit:
    """A trained head, and its mean loss in nats before the first and after the last step."""

    W: NDArray[np.float32]
    b: NDArray[np.float32]
    losses: tuple[float, ...]
    tokens: int


def fit_tags(
    hidden: Floats,
    targets: Floats,
    steps: int = STEPS,
    rate: float = RATE,
    ridge: float = RIDGE,
    on_progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> TagFit:
    """Fit W [3, d] and b [3] to states [m, d] and targets [m, 3] whose rows sum to 1, from zero,
    with Adam on all tokens.

    States are centred and scaled for the descent and the result is written back for plain states.
    Errors: BadInput for shapes that do not fit, Cancelled.
    """
    x, t = np.asarray(hidden, dtype=np.float64), np.asarray(targets, dtype=np.float64)
    _check_data(x, t)
    centre, scale = x.mean(axis=0), np.maximum(x.std(axis=0), 1e-6)
    z = (x - centre) / scale
    weights = np.zeros((3, x.shape[1] + 1))
    slow, fast = np.zeros_like(weights), np.zeros_like(weights)
    losses = []
    for step in range(1, steps + 1):
        if cancelled is not None and cancelled():
            raise Cancelled(f"the training was cancelled after step {step - 1} of {steps}")
        logits = z @ weights[:, :-1].T + weights[:, -1]
        losses.append(float(cross_entropy(logits, t).mean()))
        slope = gradient(z, logits, t)
        slope[:, :-1] += ridge * weights[:, :-1]
        slow, fast = _FIRST * slow + (1 - _FIRST) * slope, _SECOND * fast + (1 - _SECOND) * slope**2
        weights -= (
            rate * (slow / (1 - _FIRST**step)) / (np.sqrt(fast / (1 - _SECOND**step)) + _TINY)
        )
        if on_progress is not None:
            on_progress(step, steps)
    W, b = weights[:, :-1] / scale, weights[:, -1] - (weights[:, :-1] / scale) @ centre
    losses.append(float(cross_entropy(x @ W.T + b, t).mean()))
    return TagFit(freeze(W.astype(np.float32)), freeze(b.astype(np.float32)), tuple(losses), len(x))


def gradient(states: Floats, logits: Floats, targets: Floats) -> NDArray[np.float64]:
    """d mean loss / d [W b], [3, d + 1]: (1/m) sum_i (p_i - t_i) [h_i 1]."""
    off = (softmax(logits) - np.asarray(targets)) / len(states)
    slope: NDArray[np.float64] = np.concatenate(
        [off.T @ np.asarray(states), off.sum(axis=0)[:, None]], axis=1
    )
    return slope


@dataclass(frozen=True)
class TagAnatomy:
    """One tag's logit taken apart: sum(products) + rest + bias = logit."""

    tag: int
    products: tuple[float, ...]
    rest: float
    bias: float
    logit: float


def tag_anatomy(
    weight: Floats, bias: Floats, token: Floats, top: int = 8
) -> tuple[tuple[int, ...], tuple[TagAnatomy, ...]]:
    """W_k h_k of one token [d] for the three tags, on the dimensions that separate the two
    likeliest tags most.

    Returns the dimensions, those that separate most first (ties: the lower one), and one record for
    each of B, I, O.
    """
    W, h = np.asarray(weight, dtype=np.float64), np.asarray(token, dtype=np.float64)
    if W.ndim != 2 or len(W) != 3 or h.shape != W.shape[1:]:
        raise BadInput(f"a head [3, d] needs a token [d], got {W.shape} and {h.shape}")
    products = W * h
    logits = products.sum(axis=1) + bias
    first, second = np.argsort(-log_softmax(logits), kind="stable")[:2]
    best = np.argsort(-np.abs(products[first] - products[second]), kind="stable")[:top]
    rows = []
    for k in range(3):
        shown = products[k, best]
        rows.append(
            TagAnatomy(
                k,
                tuple(shown.tolist()),
                float(products[k].sum() - shown.sum()),
                float(bias[k]),
                float(logits[k]),
            )
        )
    return tuple(best.tolist()), tuple(rows)


def _check_data(x: Floats, t: Floats) -> None:
    if x.ndim != 2 or t.shape != (len(x), 3) or not len(x):
        raise BadInput(
            f"training needs hidden states [m, d] and targets [m, 3], got {x.shape} and {t.shape}"
        )
    if not np.allclose(t.sum(axis=1), 1.0):
        raise BadInput("every row of the targets must sum to 1")
