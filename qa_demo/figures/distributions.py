"""The two distributions of one window, and how few tokens hold most of one."""

import numpy as np

from qa_demo.core.arrays import Floats, softmax
from qa_demo.core.types import Reading
from qa_demo.figures.numbers import percent
from qa_demo.figures.prose import plural

HOLDS = 0.95
"""How much of the mass the side note's tokens hold together, at least."""


def distributions(reading: Reading, window: int, temperature: float = 1.0) -> tuple[Floats, Floats]:
    """P(start = i) and P(end = j) of one window, [n] each: exp(x_k / T) / sum_k exp(x_k / T)."""
    start, end = reading.logits(window)
    return softmax(start / np.float64(temperature)), softmax(end / np.float64(temperature))


def holders(p: Floats, mass: float = HOLDS) -> tuple[int, float]:
    """How few tokens hold at least `mass`, and what they hold; [.5, .46, .04] gives (2, .96)."""
    sums = np.cumsum(np.sort(p)[::-1])
    k = min(int(np.searchsorted(sums, mass - 1e-12)), len(p) - 1)
    return k + 1, min(1.0, float(sums[k]))


def note(p: Floats) -> str:
    """The side note of one distribution."""
    k, held = holders(p)
    return f"{plural(k, 'token')} {'holds' if k == 1 else 'hold'} {percent(held)}"
