"""Intervals over articles, and two readers on the same questions.

    mean = sum_c S_c / sum_c N_c
    se^2 = (C - 1) / C * sum_c (mean without article c - mean)^2,   mean ± t(C - 1) se

S_c is the sum and N_c the number of the questions of article c: questions about one article are
alike, so an interval over questions would promise more than the file holds. Of alike readers some 5
in 100 are called different, of few articles too; up to 12 where one holds most of the questions.
From fewer than 6 articles nothing is said.
Sources: Efron and Tibshirani 1993, "An Introduction to the Bootstrap", chapter 11 (the jackknife);
MacKinnon, Nielsen and Webb 2023, "Cluster-robust inference", section 3 (by groups, with t).
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from qa_demo.core.base import BadInput, Floats
from qa_demo.evaluation.lines import Evaluation, Row
from qa_demo.printed import plural

LEAST = 6
"""From so many articles on there are intervals and verdicts."""


class Interval(NamedTuple):
    """Means with their 95 % intervals, [k]; low and high are NaN from fewer than LEAST articles."""

    value: Floats
    low: Floats
    high: Floats

    @property
    def clear(self) -> bool:
        """Whether the first interval, as it is printed, lies on one side of 0."""
        return bool(round(float(self.low[0]), 1) > 0 or round(float(self.high[0]), 1) < 0)


def quantile(freedom: ArrayLike) -> Floats:
    """Student's t with a tail of 2.5 %, to 0.001 from 5 degrees of freedom on; e.g. 5 gives 2.570.
    Source: Abramowitz and Stegun 1964, 26.7.5.
    """
    return np.polyval([1.5895, 2.5558, 2.8225, 2.3723, 1.9600], 1 / np.asarray(freedom))


class Units:
    """What stands or falls together in a file: its articles, or its paragraphs where it names no
    articles. `names`: of each question, [n].
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        titled = any(row["title"] for row in rows)
        self.called = "article" if titled else "paragraph"
        self.names = [(titled and row["title"]) or row["context"] for row in rows]
        places = {name: k for k, name in enumerate(dict.fromkeys(self.names))}
        self.count, self._at = len(places), [places[name] for name in self.names]

    def __str__(self) -> str:
        return plural(self.count, self.called)

    def mean(self, values: ArrayLike, least: float = -100.0) -> Interval:
        """Means of values [k, n], each over the questions where it is no NaN; an interval ends at
        `least` (of scores 0) and 100.
        """
        given = np.atleast_2d(np.asarray(values, dtype=np.float64))
        both = np.stack([np.nan_to_num(given), np.isfinite(given)])
        sums, counts = np.apply_along_axis(lambda x: np.bincount(self._at, x, self.count), -1, both)
        total, many = sums.sum(axis=1, keepdims=True), counts.sum(axis=1, keepdims=True)
        mean, units = total / many, np.count_nonzero(counts, axis=1, keepdims=True)
        with np.errstate(all="ignore"):  # of one article nothing is left without it
            apart = (total - sums) / (many - counts) - mean
            error = np.sqrt((units - 1) / units * np.sum(apart**2, axis=1, keepdims=True))
            half = np.where(units < LEAST, np.nan, quantile(units - 1) * error)
        return Interval(*np.clip(np.hstack([mean, mean - half, mean + half]), least, 100.0).T)


def more_units(value: float, low: float, high: float, count: int) -> int | None:
    """So many more articles would tell a difference apart from 0 in four cases of five, were it to
    stay as large; None for more than a hundred times as many.

        C = count * ((1.96 + 0.84) * se / value)^2,   se = (high - low) / (2 t(count - 1))
    """
    se = (high - low) / (2 * float(quantile(count - 1)))
    if abs(value) < 1e-9 or not math.isfinite(se):
        return None
    wanted = count * (2.8 * se / value) ** 2
    return max(1, math.ceil(wanted) - count) if wanted < 100 * count else None


# ---- two readers


def paired(
    first: Evaluation, second: Evaluation, names: tuple[str, str] = ("the first run", "the second")
) -> tuple[Evaluation, Evaluation, tuple[str, ...]]:
    """The lines of both runs with the same question, paragraph and gold answers, in the order of
    the first, whatever their ids, and for each thing in which the runs differ a sentence that calls
    them by their `names`. Errors: BadInput where they share no question.
    """
    left, right = _keyed(first.rows), _keyed(second.rows)
    common, said = [key for key in left if key in right], []
    for name, own, other in zip(names, (left, right), (right, left), strict=True):
        if lone := [key for key in own if key not in other]:
            what = f"{plural(len(lone), 'question')} of {name} without the same one, on "
            what += "the same paragraph with the same gold answers, in the other"
            said.append(f"{what} (first: “{lone[0][0][:60]}”)")
    if not common:
        raise BadInput(f"{' and '.join(names)} share no question: {'; '.join(said)}")
    said = [f"left out: {one}" for one in said]
    a, b = ({**x.get("options", {}), "rules": x["rules"]} for x in (first.run, second.run))
    for key in b:
        if a.get(key) != b[key]:
            said.append(f"{key} is {a.get(key)} in {names[0]} and {b[key]} in {names[1]}")
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
    a, b, differs = paired(own, other, ("this run", f"the run of {other.run['reader']}"))
    gap = 100 * np.array([x["f1"] - y["f1"] for x, y in zip(a.rows, b.rows, strict=True)])
    units = Units(a.rows)
    value, low, high = (float(x[0]) for x in units.mean(gap))
    said = f"F1 {value:+.2f} points against {other.run['reader']} on {plural(len(gap), 'question')}"
    if math.isnan(low):
        said += f"; from {units} nothing can be told of others"
    else:
        said += f" (95 % interval {low:+.2f} to {high:+.2f}, over {units})"
    return round(value, 2) >= -by, "; ".join((said, *differs))  # as it is printed
