"""Formulas of the loss as they are sometimes written, with the number each gives on a real window.

`right` is the mean of -log p of the gold start and end, p = softmax over all positions of the
unpadded window. Each other formula changes one thing; a value of None means that it has no
logarithm. Statements (f) to (j) of the algorithm notes.
"""

from dataclasses import dataclass

import numpy as np

from qa_demo.core.arrays import Floats, log_softmax, logsumexp
from qa_demo.core.learning.losses import Golds
from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.spans import top_spans
from qa_demo.core.types import Window

FORMULAS = ("gold_only", "no_minus", "predicted", "searched", "no_exp", "shared_z", "no_bias")


@dataclass(frozen=True)
class Misread:
    """One formula on one window: its value, the loss itself, and two numbers that show what is
    wrong with it.

    gold_only: p of the gold start and end after it. no_minus: p of the gold start and end.
    predicted, searched: the positions that took
    the label's place. no_exp: smallest "probability" of start and end. shared_z: what the start's
    and the end's "probabilities" sum to, infinite where a float cannot hold it.
    no_bias: log Z of start and end after the same constant was added to every logit.
    """

    key: str
    value: float | None
    right: float
    first: float
    second: float

    @property
    def differs(self) -> float:
        """How far the formula is off; infinite where it has no value."""
        return float("inf") if self.value is None else abs(self.value - self.right)


def measured(window: Window, golds: Golds) -> int | None:
    """Whose gold span is measured: the first that the window holds whole; None: nobody's."""
    held = (k for k, gold in enumerate(golds) if gold is not None and window.holds(gold))
    return next(held, None)


def gold_pair(window: Window, golds: Golds) -> tuple[int, int]:
    """Positions of the measured gold span, else [CLS] twice."""
    found = measured(window, golds)
    gold = None if found is None else golds[found]
    if gold is None:
        return window.cls_at, window.cls_at
    return window.to_pos(gold.start), window.to_pos(gold.end)


def misread(
    key: str,
    window: Window,
    start: Floats,
    end: Floats,
    gold: tuple[int, int],
    decode: DecodeOptions,
    constant: float = 2.0,
) -> Misread:
    """One of `FORMULAS` on start and end logits [n] with the gold pair (i, j) in `pos`."""
    s, e = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    i, j = gold
    right = _mean(s, e, i, j)
    if key == "gold_only":
        return Misread(key, 0.0, right, 1.0, 1.0)
    if key == "no_minus":
        p, q = np.exp(log_softmax(s)[i]), np.exp(log_softmax(e)[j])
        return Misread(key, -right, right, float(p), float(q))
    if key == "predicted":
        a, b = int(np.argmax(s)), int(np.argmax(e))
        return Misread(key, _mean(s, e, a, b), right, a, b)
    if key == "searched":
        best = top_spans(s, e, window, decode, "all", 1)
        a, b = (int(best[0, 0]), int(best[0, 1])) if len(best) else (window.cls_at, window.cls_at)
        return Misread(key, _mean(s, e, a, b), right, a, b)
    if key == "no_exp":
        if not s.sum() or not e.sum():
            return Misread(key, None, right, 0.0, 0.0)
        p, q = s / s.sum(), e / e.sum()
        value = float(-(np.log(p[i]) + np.log(q[j])) / 2) if p[i] > 0 and q[j] > 0 else None
        return Misread(key, value, right, float(p.min()), float(q.min()))
    if key == "shared_z":
        z_s, z_e = float(logsumexp(s)), float(logsumexp(e))
        with np.errstate(over="ignore"):
            ends = float(np.exp(z_e - z_s))
        return Misread(key, float((z_s - s[i] + z_s - e[j]) / 2), right, 1.0, ends)
    if key == "no_bias":
        s, e = s + constant, e + constant
        return Misread(key, _mean(s, e, i, j), right, float(logsumexp(s)), float(logsumexp(e)))
    raise KeyError(key)


def _mean(s: Floats, e: Floats, i: int, j: int) -> float:
    return float(-(log_softmax(s)[i] + log_softmax(e)[j]) / 2)
