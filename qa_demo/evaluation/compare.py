"""Intervals over articles, and two readers on the same questions.

    mean* = sum_c n_c S_c / sum_c n_c N_c,   (n_c) ~ multinomial(C, 1/C)

S_c is the sum and N_c the number of the questions of article c: questions about one article are
alike, so an interval from questions drawn alone would promise more than the file holds. From few
articles it is still too short. So a sign-flip test over the articles must agree: were the readers
alike, the signs of their differences would be chance. Below 6 articles that test never rejects
(2 / 2^5 > 0.05), so there is neither interval nor verdict.
Sources: Efron and Tibshirani 1993, "An Introduction to the Bootstrap", chapter 8 (drawing by
units); Noreen 1989, "Computer-Intensive Methods for Testing Hypotheses" (flipping signs).
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qa_demo.core.base import BadInput, Floats
from qa_demo.evaluation.lines import Evaluation, Row
from qa_demo.printed import plural

DRAWS = 2000
LEAST = 6
"""From so many articles on there are intervals and verdicts."""


class Interval(NamedTuple):
    """Means with their 95 % intervals, [k]; low and high are NaN from fewer than LEAST articles."""

    value: Floats
    low: Floats
    high: Floats


def units_of(rows: Sequence[Row]) -> tuple[list[str], str]:
    """What is drawn as one, for each question, and what it is called: its article, or its paragraph
    in a file that names no articles.
    """
    if any(row["title"] for row in rows):
        return [row["title"] or row["context"] for row in rows], "articles"
    return [row["context"] for row in rows], "paragraphs"


class Draws:
    """The same draws of units for every mean of one file, so that means can be compared."""

    def __init__(self, units: Sequence[str]) -> None:
        names = {name: k for k, name in enumerate(dict.fromkeys(units))}
        self._unit = np.array([names[name] for name in units])
        self.count = count = len(names)
        drawn = np.random.default_rng(0).multinomial(count, np.full(count, 1 / count), DRAWS)
        self._weights = drawn.astype(np.float64)

    def _sums(self, values: ArrayLike) -> Floats:
        """The sum of each unit's values, [k, C] of values [k, n]."""
        given = np.atleast_2d(np.asarray(values, dtype=np.float64))
        return np.stack([np.bincount(self._unit, one, self.count) for one in given])

    def mean(self, values: ArrayLike) -> Interval:
        """Means of values [k, n], each over the questions where it is no NaN, and the 2.5th and
        97.5th percentile of their draws.
        """
        given = np.atleast_2d(np.asarray(values, dtype=np.float64))
        sums, counts = self._sums(np.nan_to_num(given)), self._sums(np.isfinite(given))
        few = np.count_nonzero(counts, axis=1) < LEAST
        with np.errstate(invalid="ignore"):  # a draw may hold no question of a part
            drawn = (self._weights @ sums.T) / (self._weights @ counts.T)
        low, high = np.nanpercentile(drawn, [2.5, 97.5], axis=0)
        low[few], high[few] = np.nan, np.nan
        return Interval(sums.sum(axis=1) / counts.sum(axis=1), low, high)

    def told(self, values: Floats) -> bool:
        """Whether a mean difference is told apart from 0: by its interval as it is printed, and by
        the sign-flip test.
        """
        found, sums = self.mean(values), self._sums(values)[0]
        equal = abs(sums.sum()) - 1e-9 * np.abs(sums).sum()  # rounding makes nothing rarer
        rare = float(np.mean(np.abs(self._signs @ sums) >= equal)) <= 0.05
        low, high = round(float(found.low[0]), 2), round(float(found.high[0]), 2)
        return bool(rare and (low > 0 or high < 0))

    @cached_property
    def _signs(self) -> NDArray[np.float32]:
        """Each way to flip the units' signs; of too many, DRAWS by chance, the first flips none."""
        if 2**self.count <= DRAWS:
            flips = np.arange(2**self.count)[:, None] >> np.arange(self.count) & 1
        else:
            flips = np.random.default_rng(1).integers(2, size=(DRAWS, self.count), dtype=np.int8)
            flips[0] = 0
        return (1 - 2 * flips).astype(np.float32)


def more_articles(value: float, low: float, high: float, count: int) -> int | None:
    """So many more articles would tell a difference apart from 0 in four cases of five, were it to
    stay as large; None for more than a hundred times as many.

        C = count * ((1.96 + 0.84) * se / value)^2,   se = (high - low) / (2 * 1.96)
    """
    se = (high - low) / (2 * 1.96)
    if abs(value) < 1e-9 or not math.isfinite(se):
        return None
    wanted = count * (2.8 * se / value) ** 2
    return max(1, math.ceil(wanted) - count) if wanted < 100 * count else None


# ---- two readers


def paired(first: Evaluation, second: Evaluation) -> tuple[Evaluation, Evaluation, tuple[str, ...]]:
    """The lines of both files with the same question, paragraph and gold answers, in the order of
    the first, whatever their ids, and a sentence for each thing in which the files differ. Errors:
    BadInput where they share no question.
    """
    left, right = _keyed(first.rows), _keyed(second.rows)
    common, said = [key for key in left if key in right], []
    for name, own, other in (("first", left, right), ("second", right, left)):
        if lone := [key for key in own if key not in other]:
            what = f"{plural(len(lone), 'question')} of the {name} file not with the same paragraph"
            said.append(f"{what} and gold answers in the other (first: “{lone[0][0][:60]}”)")
    if not common:
        raise BadInput(f"the two files share no question: {'; '.join(said)}")
    said = [f"left out: {one}" for one in said]
    a, b = ({**x.get("options", {}), "rules": x["rules"]} for x in (first.run, second.run))
    for key in b:
        if a.get(key) != b[key]:
            said.append(f"{key} is {a.get(key)} in the first run and {b[key]} in the second")
    a_rows, b_rows = (tuple(side[key] for key in common) for side in (left, right))
    return replace(first, rows=a_rows), replace(second, rows=b_rows), tuple(said)


def _keyed(rows: Sequence[Row]) -> dict[tuple[Any, ...], Row]:
    """Lines by question, paragraph, gold answers, and which of those with all three it is."""
    seen, found = Counter[Any](), {}
    for row in rows:
        key = row["question"], row["context"], tuple(sorted({g["text"] for g in row["gold"]}))
        found[*key, seen[key]] = row
        seen[key] += 1
    return found


def not_worse(own: Evaluation, other: Evaluation, by: float) -> tuple[bool, str]:
    """Whether this F1 is at most `by` points below the other's on the questions that both have,
    each as it was run; and what is to be said of it. Errors: BadInput without such questions.
    """
    a, b, differs = paired(own, other)
    gap = 100 * np.array([x["f1"] - y["f1"] for x, y in zip(a.rows, b.rows, strict=True)])
    units, drawn = units_of(a.rows)
    draws = Draws(units)
    value, low, high = (float(x[0]) for x in draws.mean(gap))
    said = f"F1 {value:+.2f} points against {other.run['reader']} on {len(gap):,} questions"
    if math.isnan(low):
        said += f"; from {draws.count} {drawn} nothing can be told of others"
    else:
        said += f" (95 % interval {low:+.2f} to {high:+.2f}, over {draws.count} {drawn})"
    return value >= -by - 1e-9, "; ".join((said, *differs))
