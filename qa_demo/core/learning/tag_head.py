"""The tagging head of a frozen encoder, p_i = softmax(W h_i + b): its slope, and one token's logits
taken apart.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.arrays import Floats, log_softmax, softmax
from qa_demo.core.errors import BadInput


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
