"""The no-answer threshold as a trade: which right answers it withholds, and which questions without
an answer it lets pass.

A question is left without an answer where score_diff = null - best > threshold.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.arrays import Floats
from qa_demo.core.errors import BadInput
from qa_demo.core.learning.golds import Example
from qa_demo.core.measuring.metrics import Outcome, score

MOST_LOST = 4.0
"""Points of F1 on answerable questions that a reader's threshold may cost at most."""


@dataclass(frozen=True)
class ThresholdPoint:
    """What one threshold does, in percent."""

    threshold: float
    withheld_right: float
    """Of the answerable questions whose best span is exactly right: those left without an
    answer.
    """
    wrongly_answered: float
    """Of the questions without an answer: those that get one."""
    accuracy: float
    """Of all questions: those for which answering or not is the right choice."""
    answerable_f1: float
    """F1 on the answerable questions; an answer withheld counts 0."""


@dataclass(frozen=True, eq=False)
class Trade:
    """Outcomes in order of rising score_diff: the diffs, whether each question has an answer,
    exact and F1 of its best span.
    """

    diffs: Floats
    answerable: NDArray[np.bool_]
    exact: Floats
    f1: Floats

    def at(self, threshold: float) -> ThresholdPoint:
        """One point of the curve."""
        answered = self.diffs <= threshold
        right = self.answerable & (self.exact == 1)

        def percent(part: NDArray[np.bool_], of: NDArray[np.bool_]) -> float:
            return 100 * int(np.count_nonzero(part & of)) / max(1, int(np.count_nonzero(of)))

        return ThresholdPoint(
            threshold=float(threshold),
            withheld_right=percent(~answered, right),
            wrongly_answered=percent(answered, ~self.answerable),
            accuracy=100 * float(np.mean(answered == self.answerable)),
            answerable_f1=100 * float((self.f1 * answered)[self.answerable].mean()),
        )

    @property
    def cuts(self) -> Floats:
        """Every threshold that tells two questions apart, rising; at the last one nothing is
        withheld but questions without a span.
        """
        return np.unique(self.diffs[np.isfinite(self.diffs)])

    def curve(self, points: int = 101) -> tuple[ThresholdPoint, ...]:
        """Points at equal steps through the cuts, lowest threshold first."""
        cuts = self.cuts
        ranks = np.unique(np.linspace(0, len(cuts) - 1, points).round().astype(int))
        return tuple(self.at(float(cut)) for cut in cuts[ranks])

    def choose(self, most_lost: float) -> ThresholdPoint:
        """The best accuracy among thresholds that cost the answerable questions at most `most_lost`
        points of F1; of equals the
        highest, which withholds least. Never withholding costs nothing, so there is always one."""
        points = [self.at(float(cut)) for cut in self.cuts]
        allowed = [p for p in points if points[-1].answerable_f1 - p.answerable_f1 <= most_lost]
        return max(allowed, key=lambda p: (p.accuracy, p.threshold))


def trade(examples: Sequence[Example], said: Mapping[str, Outcome]) -> Trade:
    """Line up a head's outcomes; a question without a span is never answered. Errors: BadInput
    without both kinds of question.
    """
    has = np.array([bool(e.answers) for e in examples], dtype=bool)
    if not has.any() or has.all():
        raise BadInput(
            f"a threshold needs questions with and without an answer, got {int(has.sum())} with "
            f"and {int((~has).sum())} without"
        )
    diffs = np.array([np.inf if (d := said[e.id].score_diff) is None else d for e in examples])
    points = np.array(
        [score(e, said[e.id].text, "2.0") if e.answers else (0.0, 0.0) for e in examples]
    )
    order = np.argsort(diffs, kind="stable")
    if not np.isfinite(diffs).any():
        raise BadInput("a threshold needs a span for at least one question, got none")
    return Trade(diffs[order], has[order], points[order, 0], points[order, 1])
