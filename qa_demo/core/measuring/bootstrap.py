"""Intervals of means over questions, by drawing whole articles with replacement.

    mean* = sum_c n_c S_c / sum_c n_c N_c,   (n_c) ~ multinomial(C, 1/C)

S_c is the sum and N_c the number of the questions of article c. Questions about one article are
alike, so an interval from questions drawn alone would promise more than the file holds. Source:
Efron and Tibshirani 1993, "An Introduction to the Bootstrap", chapter 8 (drawing by units).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qa_demo.core.arrays import Floats
from qa_demo.core.errors import BadInput

DRAWS = 2000
UNITS = ("articles", "paragraphs", "questions")


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % interval; low and high are None where all of it comes from one unit,
    which says nothing about another.
    """

    value: float
    low: float | None
    high: float | None


def units_of(titles: Sequence[str], contexts: Sequence[str]) -> tuple[list[str], str]:
    """What is drawn as one: the article of each question; in a file without titles, or of one
    article, its paragraph; in a file of one paragraph the question itself. And what it is called.
    """
    if len(set(titles)) > 1:
        return [title or text for title, text in zip(titles, contexts, strict=True)], UNITS[0]
    if len(set(contexts)) > 1:
        return list(contexts), UNITS[1]
    return [str(k) for k in range(len(contexts))], UNITS[2]


class Draws:
    """The same draws of units for every mean of one file, so that means can be compared."""

    def __init__(self, units: Sequence[str], seed: int = 0) -> None:
        if not units:
            raise BadInput("an interval needs at least one question, got none")
        names = {name: k for k, name in enumerate(dict.fromkeys(units))}
        self._unit = np.array([names[name] for name in units])
        self.count = len(names)
        rng = np.random.default_rng(seed)
        drawn = rng.multinomial(self.count, np.full(self.count, 1 / self.count), DRAWS)
        self._weights = drawn.astype(np.float32)

    def mean(self, values: ArrayLike, part: ArrayLike | None = None) -> Estimate:
        """The mean of one value for each question, over those that `part` names (a mask; all by
        default), and the 2.5th and 97.5th percentile of its draws. Errors: BadInput.
        """
        value, means = self._drawn(values, part)
        return _estimate(value, means)

    def difference(self, values: ArrayLike, a: ArrayLike, b: ArrayLike) -> Estimate:
        """The mean over the questions of `a` minus that over those of `b`, both of the same draws.
        Errors: BadInput.
        """
        (of_a, means_a), (of_b, means_b) = self._drawn(values, a), self._drawn(values, b)
        return _estimate(of_a - of_b, means_a - means_b)

    def _drawn(self, values: ArrayLike, part: ArrayLike | None) -> tuple[float, Floats]:
        """The mean, and that of each draw: NaN where a draw holds no question of the part, and
        everywhere for a part of one unit.
        """
        given: Floats = np.asarray(values, dtype=np.float64)
        mask: NDArray[np.bool_] = (
            np.ones(len(self._unit), dtype=bool) if part is None else np.asarray(part, dtype=bool)
        )
        if given.shape != self._unit.shape or mask.shape != self._unit.shape or not mask.any():
            raise BadInput(
                f"a mean needs a value for each of {len(self._unit)} questions and one that counts,"
                f" got {len(given)} values and {int(mask.sum())} that count"
            )
        at, kept = self._unit[mask], given[mask]
        value = float(kept.mean())
        if len(np.unique(at)) < 2:
            return value, np.full(len(self._weights), np.nan)
        sums = np.bincount(at, kept - value, self.count)  # off the mean: nothing is rounded away
        counts = np.bincount(at, minlength=self.count)
        total, number = self._weights @ sums, self._weights @ counts
        some = number > 0
        means = np.full(len(number), np.nan)
        means[some] = value + total[some] / number[some]
        return value, means


def _estimate(value: float, means: Floats) -> Estimate:
    known = means[np.isfinite(means)]
    if not len(known):
        return Estimate(value, None, None)
    low, high = np.percentile(known, [2.5, 97.5]).tolist()
    return Estimate(value, min(low, value), max(high, value))
