"""One table of a reader's lines, and what a no-answer threshold makes of it.

A question is left without an answer where score_diff = null - best > threshold. A threshold that is
chosen on the questions that it is scored on does better there than it will elsewhere.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qa_demo.core.base import BadInput, Bools, Floats
from qa_demo.core.calibration import log_odds, sigmoid
from qa_demo.evaluation.compare import units_of
from qa_demo.evaluation.lines import TEMPERATURES, Row

MOST_LOST = 4.0
"""Points of F1 on answerable questions that the aim answer-or-not may cost at most."""
AIMS = {
    "answer-or-not": "answering or not is the right choice most often, at a loss of at most "
    f"{MOST_LOST:g} points of F1 where there is an answer",
    "f1": "the F1 of all questions is highest",
    "exact": "most of all questions are exactly right",
}
"""What a threshold may be chosen for."""


@dataclass(frozen=True)
class ThresholdPoint:
    """What one threshold does, in percent: right best spans that it withholds; questions without an
    answer that get one; questions for which answering or not is the right choice; and F1 on the
    answerable questions, where an answer withheld counts 0.
    """

    threshold: float
    withheld_right: float
    wrongly_answered: float
    accuracy: float
    answerable_f1: float


@dataclass(frozen=True, eq=False)
class Table:
    """Questions and a reader's best spans, [n]: their articles, whether the file has an answer,
    exact and F1 of the span as given, 0 to 1, and score_diff (inf without a span). Of the span's
    claim, NaN where it makes none: its probability as it stands, its lead over no answer, and P_T
    at TEMPERATURES [n, 31].
    """

    titles: NDArray[Any]
    answerable: Bools
    exact: Floats
    f1: Floats
    diffs: Floats
    plain: Floats
    margin: Floats
    probs: Floats

    def part(self, at: Any) -> "Table":
        """Some of the questions."""
        return Table(*(getattr(self, field.name)[at] for field in fields(self)))

    @property
    def claims(self) -> "Table":
        """The questions whose span makes a claim."""
        return self.part(np.isfinite(self.probs[:, 0]))

    @property
    def both(self) -> bool:
        """Whether some questions have an answer and some have none."""
        return len(set(self.answerable.tolist())) == 2

    @property
    def right(self) -> Bools:
        """Where the file has an answer and the span is exactly right, given or withheld."""
        found: Bools = self.answerable & (self.exact == 1)
        return found

    def prob(self, temperature: float) -> Floats:
        """P_T, [n]: between TEMPERATURES straight in log-odds over log T, to 0.005."""
        at = np.interp(math.log(temperature), np.log(TEMPERATURES), np.arange(len(TEMPERATURES)))
        k = min(int(at), len(TEMPERATURES) - 2)
        return sigmoid(log_odds(self.probs[:, k : k + 2]) @ [k + 1 - at, at - k])

    def withheld(self, threshold: float | Floats | None) -> Bools:
        """Which answers a threshold takes away; one for each question may be given."""
        found: Bools = self.diffs > (np.inf if threshold is None else threshold)
        return found

    def scores(self, threshold: float | Floats | None, metric: str = "f1") -> Floats:
        """Exact or F1 of each question in percent, as `metrics.judged` scores it, [n]."""
        given = self.f1 if metric == "f1" else self.exact
        return 100.0 * np.where(self.withheld(threshold), ~self.answerable, given)

    def at(self, threshold: float) -> ThresholdPoint:
        """One point of the curve."""
        answered = ~self.withheld(threshold)

        def percent(values: ArrayLike, of: Bools) -> float:
            return 100 * float(np.sum(values, where=of)) / max(1, int(np.count_nonzero(of)))

        return ThresholdPoint(
            threshold=float(threshold),
            withheld_right=percent(~answered, self.right),
            wrongly_answered=percent(answered, ~self.answerable),
            accuracy=100 * float(np.mean(answered == self.answerable)),
            answerable_f1=percent(self.f1 * answered, self.answerable),
        )

    @property
    def cuts(self) -> Floats:
        """Every threshold that tells two questions apart, rising; the last withholds nothing."""
        return np.unique(self.diffs[np.isfinite(self.diffs)])

    def best(self, aim: str, most_lost: float = MOST_LOST) -> tuple[float, float]:
        """The threshold that serves an aim best and its value there in percent; of equals the
        highest, which withholds least. Never to answer is a threshold too.
        """
        has, order = self.answerable.astype(np.float64), np.argsort(self.diffs, kind="stable")
        cuts = np.append(np.nextafter(self.cuts[:1], -np.inf), self.cuts)
        answered = np.searchsorted(self.diffs[order], cuts, side="right")

        def sums(given: Floats, withheld: Floats) -> Floats:
            """Over all questions, at each cut."""
            found: Floats = withheld.sum() + np.cumsum([0.0, *(given - withheld)[order]])[answered]
            return found

        values = sums({"answer-or-not": has, "f1": self.f1, "exact": self.exact}[aim], 1 - has)
        if aim == "answer-or-not":
            f1 = sums(self.f1 * has, 0 * has) * (100 / has.sum())
            values[f1[-1] - f1 > most_lost + 1e-9] = -1.0
        at = len(cuts) - 1 - int(np.argmax(np.round(values[::-1], 9)))
        return float(cuts[at]), 100 * float(values[at] / len(order))

    def choose(self, most_lost: float) -> ThresholdPoint:
        """The best accuracy among thresholds that cost the answerable questions at most `most_lost`
        points of F1. Errors: BadInput without both kinds of questions, or without a span.
        """
        if not self.both or not len(self.cuts):
            has = int(np.count_nonzero(self.answerable))
            raise BadInput(
                "a threshold needs questions with and without an answer, and a span for one, got "
                f"{has} with and {len(self.answerable) - has} without, {len(self.cuts)} scores"
            )
        return self.at(self.best("answer-or-not", most_lost)[0])


def table_of(rows: Sequence[Row]) -> Table:
    """The best spans of lines, to be judged under any threshold."""

    def numbers(*found: Any) -> Floats:
        return np.array(found, dtype=np.float64)  # None as NaN

    return Table(
        np.array(units_of(rows)[0], dtype=object),
        np.array([bool(row["gold"]) for row in rows]),
        numbers(*(row["best"]["exact"] for row in rows)),
        numbers(*(row["best"]["f1"] for row in rows)),
        numbers(*(np.inf if row["score_diff"] is None else row["score_diff"] for row in rows)),
        numbers(*(row["in_window"] for row in rows)),
        numbers(*(row["margin"] for row in rows)),
        numbers(*(row["probs"] or [None] * len(TEMPERATURES) for row in rows)),
    )
