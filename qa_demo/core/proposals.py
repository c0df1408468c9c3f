"""What each window proposes on its own, and in which of them a start counts.

score      start logit + end logit of a window's best allowed span whose start counts there
null       start logit + end logit of its [CLS], for "no answer"
mean       (max P(start) + max P(end)) / 2, P the softmax over all n positions of the window
product    P(start) P(end) of its best span, P the softmax over its paragraph pieces alone
edge       min(left, right), pieces from the answer's start to the edges of the window
"""

from dataclasses import dataclass

import numpy as np

from qa_demo.core.base import softmax
from qa_demo.core.predict import Prediction, largest
from qa_demo.core.spans import Candidate, best_span
from qa_demo.core.types import DecodeOptions, Reading, Span, Window


@dataclass(frozen=True)
class Proposal:
    """What one window says. `own`: its best span; `tops`: where P(start) and P(end) are largest
    (positions), and how large; `factors`: P of `own` among paragraph pieces; `near`: pieces (left,
    right) from the answer's start to the edges, `same`: the answer's score here; None without it.
    """

    window: Window
    own: Candidate | None
    null: float
    tops: tuple[int, int, float, float]
    factors: tuple[float, float]
    near: tuple[int, int] | None
    same: float | None

    @property
    def k(self) -> int:
        """The window's number as printed, from 1."""
        return self.window.index + 1

    @property
    def mean(self) -> float:
        """(max P(start) + max P(end)) / 2."""
        return (self.tops[2] + self.tops[3]) / 2

    @property
    def product(self) -> float:
        """P(start) P(end) of its best span; 0 without one."""
        return self.factors[0] * self.factors[1]

    @property
    def edge(self) -> int:
        """min(left, right); -1 where the window does not hold the answer's start."""
        return min(self.near) if self.near is not None else -1

    @property
    def score(self) -> float:
        """Its best span's; a window without a span has none to win with."""
        return -np.inf if self.own is None else self.own.score


def propose(reading: Reading, window: Window, answer: Span, decode: DecodeOptions) -> Proposal:
    """What a window says by its logits, [n] each, and of the `answer` of all windows (doc)."""
    s, e = (x.astype(np.float64) for x in reading.logits(window.index))
    own, factors, same = best_span(reading, window, decode), (0.0, 0.0), None
    if own is not None:
        i, j = own.span.start - window.doc_start, own.span.end - window.doc_start
        factors = float(softmax(s[window.is_context])[i]), float(softmax(e[window.is_context])[j])
    if window.holds(answer):
        same = float(s[window.to_pos(answer.start)] + e[window.to_pos(answer.end)])
    left, right = answer.start - window.doc_start, window.doc_stop - 1 - answer.start
    return Proposal(
        window=window,
        own=own,
        null=float(s[0] + e[0]),
        tops=largest(reading, window.index),
        factors=factors,
        near=(left, right) if left >= 0 and right >= 0 else None,
        same=same,
    )


class Proposals:
    """Those of all windows. `best`: the best span by the sums, `prediction`; `win`: its window;
    `least`: the window with the smallest null score.
    """

    def __init__(self, reading: Reading, prediction: Prediction, decode: DecodeOptions) -> None:
        assert prediction.best is not None
        self.prediction, self.best = prediction, prediction.best.candidate
        self.rows = [propose(reading, w, self.best.span, decode) for w in reading.windows]
        self.win, self.least = self.rows[self.best.window], self.rows[prediction.null_window]
        self.lead = prediction.null_score - self.best.score
        self.silent = prediction.answer is None

    @property
    def holding(self) -> list[Proposal]:
        """Those that hold the answer's start: where it counts, then by their nearer edge."""
        held = [r for r in self.rows if r.near is not None]
        return sorted(held, key=lambda r: (r is not self.win, -r.edge))

    @property
    def higher(self) -> tuple[float, Proposal] | None:
        """The highest score of the answer elsewhere, where that exceeds its own; its window."""
        same = [(r.same, r) for r in self.rows if r.same is not None]
        higher = [(score, r) for score, r in same if score > self.best.score + 1e-9]
        return max(higher, key=lambda x: x[0], default=None)

    @property
    def silenced(self) -> list[int]:
        """Windows, from 1, with both maxima on the answer, whose start does not count there."""
        i, j = self.best.span.start, self.best.span.end
        held = [r for r in self.holding[1:] if r.same is not None]
        return sorted(r.k for r in held if r.tops[:2] == (r.window.to_pos(i), r.window.to_pos(j)))

    def highest(self, field: str) -> Proposal:
        """The one with the highest "mean" or "product"; of equals the first."""
        values = np.round([getattr(r, field) for r in self.rows], 9)
        return self.rows[int(values.argmax())]
