"""The no-answer threshold as a trade: which right answers it withholds, and which questions without
an answer it lets pass.

A question is left without an answer where score_diff = null - best > threshold.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.base import BadInput, Floats, one_of
from qa_demo.core.measuring.metrics import Outcome, score
from qa_demo.core.types import Example

MOST_LOST = 4.0
"""Points of F1 on answerable questions that a reader's threshold may cost at most."""


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


OBJECTIVES = {
    "answer-or-not": "answering or not is the right choice most often",
    "f1": "the F1 of all questions is highest",
    "exact": "most of all questions are exactly right",
    "cost": "the mean cost of a question is lowest",
}
"""What a threshold may be chosen for."""


class Costs(NamedTuple):
    """What each kind of error costs; the right thing costs 0."""

    withheld: float
    """The text answers and the reader gives none."""
    wrong: float
    """The text answers and the reader's answer is not exactly right."""
    unanswerable: float
    """The text does not answer and the reader does."""


@dataclass(frozen=True)
class Objective:
    """What a threshold is chosen for, one of OBJECTIVES. `most_lost` belongs to answer-or-not:
    points of F1 on answerable questions that it may cost; `costs` to cost. Errors: BadInput.
    """

    name: str = "answer-or-not"
    most_lost: float = MOST_LOST
    costs: Costs | None = None

    def __post_init__(self) -> None:
        one_of("the objective", self.name, OBJECTIVES)
        if not 0 <= self.most_lost <= 100:
            raise BadInput(f"most_lost must be points from 0 to 100, got {self.most_lost}")
        if (self.costs is not None) != (self.name == "cost"):
            raise BadInput("costs belong to the objective cost, and it needs them")
        costs = self.costs or (1.0,)
        if not all(0 <= cost < np.inf for cost in costs) or not any(costs):
            raise BadInput(
                f"costs must be numbers of 0 or more, one of them above 0, got "
                f"{', '.join(f'{cost:g}' for cost in costs)}"
            )

    def sentence(self) -> str:
        """What it is, for a person."""
        words = OBJECTIVES[self.name]
        if self.name == "answer-or-not":
            return (
                f"{words}, at a loss of at most {self.most_lost:g} points of F1 where there is one"
            )
        if self.costs is None:
            return words
        each = ", ".join(
            f"{kind} {cost:g}" for kind, cost in zip(Costs._fields, self.costs, strict=True)
        )
        return f"{words} ({each})"


@dataclass(frozen=True)
class Chosen:
    """The threshold that serves an objective best, and its value there: percent, or mean cost."""

    point: ThresholdPoint
    value: float


@dataclass(frozen=True, eq=False)
class Trade:
    """Outcomes by rising score_diff: diffs, answerable or not, the best span's exact and F1."""

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
        """Every threshold that tells two questions apart, rising; the last withholds nothing."""
        return np.unique(self.diffs[np.isfinite(self.diffs)])

    def curve(self, points: int = 101) -> tuple[ThresholdPoint, ...]:
        """Points at equal steps through the cuts, lowest threshold first."""
        cuts = self.cuts
        ranks = np.unique(np.linspace(0, len(cuts) - 1, points).round().astype(int))
        return tuple(self.at(float(cut)) for cut in cuts[ranks])

    def value(self, objective: Objective, threshold: float) -> float:
        """What an objective counts at a threshold: percent, or the mean cost of a question."""
        answered = self.diffs <= threshold
        if objective.name == "answer-or-not":
            return 100 * float(np.mean(answered == self.answerable))
        if objective.costs is not None:
            withheld, wrong, unanswerable = objective.costs
            given = np.where(self.exact == 1, 0.0, wrong)
            where = np.where(answered, given, withheld)
            return float(np.mean(np.where(self.answerable, where, unanswerable * answered)))
        right = self.f1 if objective.name == "f1" else self.exact
        return 100 * float(np.mean(np.where(self.answerable, right * answered, ~answered)))

    def best(self, objective: Objective) -> Chosen:
        """The threshold that serves an objective best; of equals the highest, which withholds
        least. Never answering is a threshold too, but for answer-or-not, whose limit on lost F1 it
        would break.
        """
        if objective.name == "answer-or-not":
            found = self.choose(objective.most_lost)
            return Chosen(found, found.accuracy)
        never = np.nextafter(self.cuts[:1], -np.inf)
        sign = -1 if objective.name == "cost" else 1
        value, cut = max(
            (sign * self.value(objective, float(cut)), float(cut))
            for cut in np.concatenate([never, self.cuts])
        )
        return Chosen(self.at(cut), sign * value)

    def choose(self, most_lost: float) -> ThresholdPoint:
        """The best accuracy among thresholds that cost the answerable questions at most `most_lost`
        points of F1; of equals the
        highest, which withholds least. Never withholding costs nothing, so there is always one."""
        points = [self.at(float(cut)) for cut in self.cuts]
        allowed = [
            p for p in points if points[-1].answerable_f1 - p.answerable_f1 <= most_lost + 1e-9
        ]
        return max(allowed, key=lambda p: (p.accuracy, p.threshold))


def trade(examples: Sequence[Example], said: Mapping[str, Outcome]) -> Trade:
    """Line up a head's outcomes; no span is no answer. Errors: BadInput without both kinds."""
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
