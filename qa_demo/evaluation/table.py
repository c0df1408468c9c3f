"""One table of a reader's lines, and what a no-answer threshold makes of it.

A question is left without an answer where score_diff = null - best > threshold. A threshold that is
chosen on the questions that it is scored on does better there than it will elsewhere.
"""

import math
from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from qa_demo.core.base import BadInput, Bools, Floats
from qa_demo.core.calibration import log_odds, sigmoid
from qa_demo.core.metrics import evaluate, judged, withheld
from qa_demo.evaluation.compare import Units
from qa_demo.evaluation.lines import TEMPERATURES, Row

MOST_LOST = 4.0
"""Points of F1 on answerable questions that a chosen threshold may cost at most."""


class Table:
    """Questions and a reader's best spans, [n]: their articles, whether the file has an answer,
    exact and F1 of the span as given, 0 to 1, and score_diff (inf without a span). Of the span's
    claim, NaN where it makes none: its probability as it stands, its margin over no answer, and P_T
    at TEMPERATURES [n, 31].
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        def numbers(values: Iterable[Any]) -> Floats:
            return np.array([*values], dtype=np.float64)  # None as NaN

        self.titles = np.array(Units(rows).names, dtype=object)
        self.answerable = np.array([bool(row["gold"]) for row in rows], dtype=bool)
        self.exact = numbers(row["best"]["exact"] for row in rows)
        self.f1 = numbers(row["best"]["f1"] for row in rows)
        leads = (row["score_diff"] for row in rows)
        self.diffs = numbers(np.inf if lead is None else lead for lead in leads)
        self.plain = numbers(row["in_window"] for row in rows)
        self.margin = numbers(row["margin"] for row in rows)
        self.probs = numbers(row["probs"] or [None] * len(TEMPERATURES) for row in rows)

    def part(self, at: Any) -> "Table":
        """Some of the questions."""
        part = copy(self)
        vars(part).update({name: column[at] for name, column in vars(self).items()})
        return part

    @property
    def claims(self) -> "Table":
        """The questions whose span makes a claim."""
        return self.part(np.isfinite(self.probs[:, 0] + self.plain + self.margin))

    @property
    def both(self) -> bool:
        """Whether some questions have an answer and some have none."""
        return len(set(self.answerable.tolist())) == 2

    @property
    def right(self) -> Bools:
        """Where the file has an answer and the span is exactly right, given or withheld."""
        return self.answerable & np.equal(self.exact, 1)

    def prob(self, temperature: float) -> Floats:
        """P_T, [n]: between TEMPERATURES straight in log-odds over log T, to 0.005."""
        at = np.interp(math.log(temperature), np.log(TEMPERATURES), np.arange(len(TEMPERATURES)))
        k = min(int(at), len(TEMPERATURES) - 2)
        return sigmoid(log_odds(self.probs[:, k : k + 2]) @ [k + 1 - at, at - k])

    def answered(self, threshold: float | Floats | None) -> Bools:
        """Which questions have a span that a threshold, or one for each question, leaves."""
        return ~withheld(self.diffs, threshold) & np.isfinite(self.diffs)

    def scores(self, threshold: float | Floats | None, metric: str = "f1") -> Floats:
        """Exact or F1 of each question in percent, by version 2.0, [n]."""
        return 100.0 * judged(getattr(self, metric), self.answerable, self.diffs, threshold)

    def official(self, threshold: float | None, rules: str) -> dict[str, float | int]:
        """The official script's totals, in percent."""
        given = np.stack([self.exact, self.f1])
        return evaluate(given, self.answerable, self.diffs, threshold, rules)

    def at(self, threshold: float) -> dict[str, float]:
        """What one threshold does, in percent: right best spans that it withholds; questions
        without an answer that get one; questions for which answering or not is the right choice;
        and F1 on the answerable questions, where an answer withheld counts 0.
        """
        answered = self.answered(threshold)

        def percent(values: ArrayLike, of: Bools) -> float:
            return 100 * float(np.sum(values, where=of)) / max(1, int(np.count_nonzero(of)))

        return {
            "threshold": float(threshold),
            "withheld_right": percent(~answered, self.right),
            "wrongly_answered": percent(answered, ~self.answerable),
            "accuracy": 100 * float(np.mean(answered == self.answerable)),
            "answerable_f1": percent(self.f1 * answered, self.answerable),
        }

    @property
    def cuts(self) -> Floats:
        """Every threshold that tells two questions apart, rising: the first withholds every answer,
        the last none. Without a span there is none.
        """
        found = np.unique(self.diffs[np.isfinite(self.diffs)])
        return np.append(np.nextafter(found[:1], -np.inf), found)

    def _sums(self, given: Floats, silent: Floats) -> Floats:
        """The sum over all questions at each of the cuts, of what each is worth given or not."""
        order = np.argsort(self.diffs, kind="stable")
        answered = np.searchsorted(self.diffs[order], self.cuts, side="right")
        return silent.sum() + np.cumsum([0.0, *(given - silent)[order]])[answered]

    def _highest(self, values: Floats) -> float:
        """The cut with the highest value; of equals the lowest, as the official script's search."""
        return float(self.cuts[np.argmax(np.round(values, 9))])

    def best(self, metric: str) -> float:
        """The threshold with the highest mean of "f1" or "exact"."""
        return self._highest(self._sums(getattr(self, metric), 1.0 - self.answerable))

    def choose(self, most_lost: float = MOST_LOST) -> dict[str, float]:
        """What the threshold does that is most often right about whether to answer, among those
        that cost the answerable questions at most `most_lost` points of F1; of equals the lowest.
        Errors: BadInput without both kinds of questions, or without a span.
        """
        has = self.answerable.astype(np.float64)
        if not self.both or not len(self.cuts):
            raise BadInput(
                "a threshold needs questions with and without an answer, and a span for one, got "
                f"{has.sum():.0f} with and {(1 - has).sum():.0f} without, {len(self.cuts)} scores"
            )
        right, f1 = self._sums(has, 1 - has), self._sums(self.f1 * has, 0 * has)
        right[100 * (f1[-1] - f1) / has.sum() > most_lost + 1e-9] = -1
        return self.at(self._highest(right))
