"""What each window of a text says on its own, beside the best span of all windows."""

import numpy as np

from qa_demo.core.base import softmax, tied
from qa_demo.core.predict import Prediction, maxima
from qa_demo.core.spans import best_span
from qa_demo.core.types import DecodeOptions, Reading, Span, Window


class Proposal:
    """What window `k`, counted from 1, says. `own`: its best span whose start counts there, with
    its `score` (-inf for none) and the `product` of `factors`, P_c(start) and P_c(end); `maxima`:
    its largest P(start) and P(end); `null`: the score of its [CLS]. Of the answer of all windows:
    `near`, the pieces from its start to the window's left and right edge, `edge`, the fewer, below
    0 without the start, and `answer_score`, its score there, -inf where it is not whole.
    """

    def __init__(
        self, reading: Reading, window: Window, answer: Span, decode: DecodeOptions
    ) -> None:
        s, e = reading.logits(window.index)
        self.k, self.window, self.null = window.index + 1, window, float(s[0] + e[0])
        self.maxima = maxima(reading, window.index)
        self.mean = self.maxima.mean
        self.own, self.score, self.factors = best_span(reading, window, decode), -np.inf, (0.0, 0.0)
        if self.own is not None:
            start, end = (softmax(x[window.is_context]) for x in (s, e))
            i, j = self.own.span.start - window.doc_start, self.own.span.end - window.doc_start
            self.score, self.factors = self.own.score, (float(start[i]), float(end[j]))
        self.product = self.factors[0] * self.factors[1]
        self.near = answer.start - window.doc_start, window.doc_stop - 1 - answer.start
        self.edge, self.answer_score = min(self.near), -np.inf
        if window.holds(answer):
            i, j = window.ends(answer)
            self.answer_score = float(s[i] + e[j])


class Proposals:
    """Those of all windows. `best`: the best span by the sums, `prediction`; `win`: its window;
    `least`: the window with the smallest null score; `holding`: those that hold its start, where
    it counts first, then by their nearer edge.
    """

    def __init__(self, reading: Reading, prediction: Prediction, decode: DecodeOptions) -> None:
        assert prediction.best is not None
        self.prediction, self.best = prediction, prediction.best.candidate
        self.rows = [Proposal(reading, w, self.best.span, decode) for w in reading.windows]
        self.win, self.least = self.rows[self.best.window], self.rows[prediction.null_window]
        self.silent = prediction.answer is None
        held = [r for r in self.rows if r.edge >= 0]
        self.holding = sorted(held, key=lambda r: (r is not self.win, -r.edge))

    @property
    def higher(self) -> Proposal | None:
        """The window that gives the answer the highest score, where that exceeds its own."""
        higher = [r for r in self.rows if r.answer_score > self.best.score + 1e-9]
        return max(higher, key=lambda r: r.answer_score, default=None)

    def highest(self, field: str) -> Proposal:
        """The one with the highest "mean" or "product"; of equals the first."""
        values = tied(np.array([getattr(r, field) for r in self.rows]))
        return self.rows[int(values.argmax())]
