"""The start/end loss of one window, and its pull on every logit, at recorded moments of training.

L = -1/2 (sum_i y_i log P_s(i) + sum_j y_j log P_e(j)), natural logarithm, P the softmax over all n
positions of the window; -dL / d logit = 1/2 (y - P), y the share of people who marked the position.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qa_demo.core.arrays import Floats, log_softmax
from qa_demo.core.learning.losses import cross_entropy, cross_entropy_gradient
from qa_demo.core.learning.replay import ReplayRows

Two = tuple[Floats, Floats]
"""One array for the starts of a window and one for its ends."""


@dataclass(frozen=True, eq=False)
class Recorded:
    """Logits [S, n] at S moments, the last of them the reader on screen, and targets y [n]."""

    steps: tuple[int, ...]
    start: Floats
    end: Floats
    targets: Two

    @property
    def last(self) -> int:
        """The place of the last moment."""
        return len(self.steps) - 1

    def nearest(self, step: int) -> int:
        """The place of the moment that is nearest to a training step."""
        return min(range(len(self.steps)), key=lambda k: abs(self.steps[k] - step))

    def log_p(self, k: int) -> Two:
        """log P [n] of every start and every end at moment k."""
        return log_softmax(self.start[k]), log_softmax(self.end[k])

    @cached_property
    def costs(self) -> list[tuple[float, float, float]]:
        """-sum y log P of the start and of the end, and L, their mean, at every moment."""
        both = zip((self.start, self.end), self.targets, strict=True)
        start, end = (cross_entropy(x, y).tolist() for x, y in both)
        return [(a, b, (a + b) / 2) for a, b in zip(start, end, strict=True)]

    def pull(self, k: int) -> Two:
        """-dL / d logit [n] at moment k, of starts and of ends; each side sums to 0."""
        both = zip((self.start[k], self.end[k]), self.targets, strict=True)
        start, end = (-cross_entropy_gradient(x, y) / 2 for x, y in both)
        return start, end


def recorded(rows: ReplayRows | None, last: Two, targets: Two) -> Recorded:
    """The moments of `rows`, their last replaced by the logits [n] on screen, or those alone."""
    if rows is None:
        start, end = (x[None].astype(np.float64) for x in last)
        return Recorded((0,), start, end, targets)
    both = zip((rows.start, rows.end), last, strict=True)
    start, end = (np.vstack([x[:-1], now]).astype(np.float64) for x, now in both)
    return Recorded(rows.steps, start, end, targets)
