"""Intervals of means over questions, by drawing whole articles with replacement.

    mean* = sum_c n_c S_c / sum_c n_c N_c,   (n_c) ~ multinomial(C, 1/C)

S_c is the sum and N_c the number of the questions of article c. Questions about one article are
alike, so an interval from questions drawn alone would promise more than the file holds.

From few articles such an interval is too short to tell two readers apart. So a sign-flip test over
the articles must agree: were the readers alike, the signs of their differences would be chance. It
holds its 5 % for any number of articles, and below 6 of them it never rejects, as 2 / 2^5 > 0.05.
Sources: Efron and Tibshirani 1993, "An Introduction to the Bootstrap", chapter 8 (drawing by
units); Noreen 1989, "Computer-Intensive Methods for Testing Hypotheses" (flipping signs).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qa_demo.core.base import BadInput, Floats

DRAWS = 2000
LEAST = 6
"""So many units can tell a difference from 0."""
UNITS = ("articles", "paragraphs", "questions")


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % interval; low and high are None where all of it comes from one unit,
    which says nothing about another.
    """

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Difference(Estimate):
    """A difference of means; `told` where it is told apart from 0, by its interval as it is printed
    and by the sign-flip test.
    """

    told: bool


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

    def paired(self, values: ArrayLike, part: ArrayLike | None = None) -> Difference:
        """`mean` of what two readers differ by on each question. Errors: BadInput."""
        found = self.mean(values, part)
        return self._told(found, np.where(True if part is None else part, values, 0.0))

    def difference(self, values: ArrayLike, a: ArrayLike, b: ArrayLike) -> Difference:
        """The mean over the questions of `a` minus that over those of `b`, both of the same draws.
        Errors: BadInput.
        """
        (of_a, means_a), (of_b, means_b) = self._drawn(values, a), self._drawn(values, b)
        share = np.divide(a, np.sum(a)) - np.divide(b, np.sum(b))
        off = np.subtract(values, (of_a + of_b) / 2)
        return self._told(_estimate(of_a - of_b, means_a - means_b), off * share)

    def _told(self, found: Estimate, parts: Floats) -> Difference:
        """`parts` is what each question adds to the difference."""
        sums = np.bincount(self._unit, parts, self.count)
        equal = abs(sums.sum()) - 1e-9 * np.abs(sums).sum()  # rounding makes nothing rarer
        rare = np.mean(np.abs(self._signs @ sums) >= equal) <= 0.05
        ends = (found.low or 0.0, found.high or 0.0)
        outside = round(ends[0], 2) > 0 or round(ends[1], 2) < 0
        return Difference(found.value, found.low, found.high, bool(rare and outside))

    @cached_property
    def _signs(self) -> NDArray[np.float32]:
        """Each way to flip the units' signs; of too many, DRAWS by chance, the first flips none."""
        if 2**self.count <= DRAWS:
            flips = np.arange(2**self.count)[:, None] >> np.arange(self.count) & 1
        else:
            flips = np.random.default_rng(1).integers(2, size=(DRAWS, self.count), dtype=np.int8)
            flips[0] = 0
        return (1 - 2 * flips).astype(np.float32)

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
