"""The no-answer threshold: what each one does to a reader's answers, and which serves an aim best.

A question is left without an answer where score_diff = null - best > threshold. A threshold that is
chosen on the questions that it is scored on does better there than it will elsewhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qa_demo.core.base import BadInput, Floats
from qa_demo.core.metrics import Outcome, score
from qa_demo.core.types import Example

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
    """What one threshold does, in percent."""

    threshold: float
    withheld_right: float
    """Of answerable questions whose best span is exactly right: those left without an answer."""
    wrongly_answered: float
    """Of the questions without an answer: those that get one."""
    accuracy: float
    """Of all questions: those for which answering or not is the right choice."""
    answerable_f1: float
    """F1 on the answerable questions; an answer withheld counts 0."""


@dataclass(frozen=True, eq=False)
class Trade:
    """A reader's best spans, [n]: score_diff (inf without a span), whether the file has an answer,
    and exact and F1 of the span as given, 0 to 1.
    """

    diffs: Floats
    answerable: NDArray[np.bool_]
    exact: Floats
    f1: Floats

    def part(self, at: Sequence[int]) -> "Trade":
        """Some of the questions."""
        return Trade(self.diffs[at], self.answerable[at], self.exact[at], self.f1[at])

    @property
    def both(self) -> bool:
        """Whether some questions have an answer and some have none."""
        return len(set(self.answerable.tolist())) == 2

    def withheld(self, threshold: float | Floats | None) -> NDArray[np.bool_]:
        """Which answers a threshold takes away; one for each question may be given."""
        found: NDArray[np.bool_] = self.diffs > (np.inf if threshold is None else threshold)
        return found

    def scores(self, threshold: float | Floats | None, metric: str = "f1") -> Floats:
        """Exact or F1 of each question in percent, as `metrics.judged` scores it, [n]."""
        given = self.f1 if metric == "f1" else self.exact
        return 100.0 * np.where(self.withheld(threshold), ~self.answerable, given)

    def at(self, threshold: float) -> ThresholdPoint:
        """One point of the curve."""
        answered, right = ~self.withheld(threshold), self.answerable & (self.exact == 1)

        def percent(values: ArrayLike, of: NDArray[np.bool_]) -> float:
            return 100 * float(np.sum(values, where=of)) / max(1, int(np.count_nonzero(of)))

        return ThresholdPoint(
            threshold=float(threshold),
            withheld_right=percent(~answered, right),
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
        highest, which withholds least. Never to answer is a threshold too, but for answer-or-not,
        whose limit on lost F1 it would break.
        """
        cuts, silent = self.cuts, 1.0 - self.answerable
        order = np.argsort(self.diffs, kind="stable")
        answered = np.searchsorted(self.diffs[order], cuts, side="right")

        def sums(given: Floats, withheld: Floats) -> Floats:
            """Over all questions, at each cut."""
            found: Floats = withheld.sum() + np.cumsum([0.0, *(given - withheld)[order]])[answered]
            return found

        if aim == "answer-or-not":
            values, none = sums(1.0 - silent, silent), np.zeros(len(order))
            f1 = sums(self.f1 * self.answerable, none) * (100 / np.count_nonzero(self.answerable))
            values[f1[-1] - f1 > most_lost + 1e-9] = -1.0
        else:
            cuts = np.append(np.nextafter(cuts[:1], -np.inf), cuts)
            answered = np.append(0, answered)
            values = sums(self.f1 if aim == "f1" else self.exact, silent)
        at = len(cuts) - 1 - int(np.argmax(np.round(values[::-1], 9)))
        return float(cuts[at]), 100 * float(values[at] / len(order))

    def choose(self, most_lost: float) -> ThresholdPoint:
        """The best accuracy among thresholds that cost the answerable questions at most `most_lost`
        points of F1; of equals the highest. Never withholding costs nothing, so there is one.
        """
        return self.at(self.best("answer-or-not", most_lost)[0])


def trade(examples: Sequence[Example], said: Mapping[str, Outcome]) -> Trade:
    """Line up a head's outcomes; no span is no answer. Errors: BadInput without both kinds."""
    has = np.array([bool(e.answers) for e in examples], dtype=bool)
    if not has.any() or has.all():
        raise BadInput(
            f"a threshold needs questions with and without an answer, got {int(has.sum())} with "
            f"and {int((~has).sum())} without"
        )
    diffs = np.array([np.inf if (d := said[e.id].score_diff) is None else d for e in examples])
    if not np.isfinite(diffs).any():
        raise BadInput("a threshold needs a span for at least one question, got none")
    points = np.array([score(e, said[e.id].text, "2.0") for e in examples])
    return Trade(diffs, has, points[:, 0], points[:, 1])


def trade_of(rows: Sequence[Mapping[str, Any]]) -> Trade:
    """The best spans of lines, to be judged under any threshold."""
    diffs = [np.inf if row["score_diff"] is None else row["score_diff"] for row in rows]
    best = [(row["best"]["exact"], row["best"]["f1"]) for row in rows]
    exact, f1 = np.array(best, dtype=np.float64).T
    return Trade(np.array(diffs, np.float64), np.array([bool(r["gold"]) for r in rows]), exact, f1)
