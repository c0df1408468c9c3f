"""The tagging head, p_i = softmax(W h_i + b): one token's logits taken apart."""

from dataclasses import dataclass

import numpy as np

from qa_demo.core.arrays import Floats, log_softmax
from qa_demo.core.errors import BadInput


@dataclass(frozen=True)
class TagAnatomy:
    """One tag's logit with some of its products; the others make up what is left of it."""

    tag: int
    products: tuple[float, ...]
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
        rows.append(TagAnatomy(k, tuple(shown.tolist()), float(bias[k]), float(logits[k])))
    return tuple(best.tolist()), tuple(rows)
