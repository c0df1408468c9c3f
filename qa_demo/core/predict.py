"""Spans of different windows made comparable by one of three named rules, and measured against "no
answer".

logits            score = start logit + end logit over the pairs whose start the window owns; no
                  answer is the smallest of the windows' null scores (BERT's run_squad.py)
mean_of_maxima    the window with the highest (max P(start) + max P(end)) / 2 wins, P the softmax
                  over all its positions; its best pair by score is the answer
product           P_c(start) P_c(end) within a window, P_c the softmax over its paragraph pieces;
                  the highest product over all windows is the answer
"""

from dataclasses import dataclass

import numpy as np

from qa_demo.core.base import Floats, logsumexp, softmax, tied
from qa_demo.core.spans import Candidate, best_span, check_decode, make_candidate, written_spans
from qa_demo.core.types import DecodeOptions, Reading, Rule, Span, Window


@dataclass(frozen=True)
class Ranked:
    """A candidate after merging, `rank` 1 the best. `value`: its score, or its product under that
    rule; `share`: the softmax of the merged scores over the list, to which BERT adds the null.
    """

    candidate: Candidate
    rank: int
    value: float
    share: float


@dataclass(frozen=True)
class Prediction:
    """The fast half: the decoded n-best list and what it was measured against. `limit`: the
    score_diff above which there is no answer; None where the best span always answers.
    """

    n_best: tuple[Ranked, ...]
    null_score: float
    null_window: int
    score_diff: float | None
    limit: float | None

    @property
    def best(self) -> Ranked | None:
        """The best span that is not the null; None when no span is legal."""
        return self.n_best[0] if self.n_best else None

    @property
    def answer_span(self) -> Candidate | None:
        """The best span where it is the answer; None means no answer."""
        if self.best is None or self.score_diff is None:
            return None
        silent = self.limit is not None and self.score_diff > self.limit
        return None if silent else self.best.candidate

    @property
    def answer(self) -> str | None:
        """The answer's text; None means no answer."""
        return None if self.answer_span is None else self.answer_span.text


def null_scores(reading: Reading) -> Floats:
    """start_w[0] + end_w[0] of every window, [W]: the two logits of its [CLS], added."""
    both = [reading.logits(window.index) for window in reading.windows]
    return tied(np.array([s[0] + e[0] for s, e in both]))


def maxima(reading: Reading, window: int) -> tuple[int, int, float, float]:
    """Where P(start) and P(end) of a window are largest (positions), and how large each is."""
    s, e = (softmax(x) for x in reading.logits(window))
    i, j = int(s.argmax()), int(e.argmax())
    return i, j, float(s[i]), float(e[j])


def shifts(reading: Reading, rule: Rule) -> Floats:
    """What a rule adds to every score of a window, `shift_w` of `predict`, [W]; -inf for a window
    that has lost. Ties go to the earlier window.

    product: minus log Z_start and log Z_end over the window's paragraph pieces, so that the merged
    score is the product's logarithm and nothing underflows.
    """
    if rule == "product":
        inside = [(w.is_context, *reading.logits(w.index)) for w in reading.windows]
        return np.array([-float(logsumexp(s[c]) + logsumexp(e[c])) for c, s, e in inside])
    found = np.zeros(len(reading.windows))
    if rule == "mean_of_maxima":
        every = [maxima(reading, w.index) for w in reading.windows]
        means = tied(np.array([(p + q) / 2 for _, _, p, q in every]))
        found[np.arange(len(found)) != means.argmax()] = -np.inf
    return found


def limit_of(options: DecodeOptions) -> float | None:
    """The score_diff above which there is no answer: the threshold of `logits`, else None."""
    return options.null_score_diff_threshold if options.rule == "logits" else None


def predict(reading: Reading, decode: DecodeOptions | None = None) -> Prediction:
    """Search every window, merge, drop duplicates, compare with no answer.

        merged(w, i, j) = start_w[i] + end_w[j] + shift_w  over the legal pairs
        score_diff = null - best

    Ties: lower start, then lower end, then the earlier window. Without a legal span `best` is None.
    Duplicates are spans with the same characters; BERT compares texts instead, so equal words at
    two places are two spans here and one there. Without options the no-answer threshold is the
    reader's own (0 for a reader without one). Errors: BadInput for options out of range.
    """
    if decode is None:
        decode = DecodeOptions(null_score_diff_threshold=reading.threshold or 0.0)
    check_decode(decode)
    listed = _listed(reading, decode)
    merged = np.array([score for score, _ in listed])
    values = np.exp(merged) if decode.rule == "product" else merged
    share = softmax(merged) if listed else merged
    spans = enumerate(candidate for _, candidate in listed)
    n_best = [Ranked(span, k + 1, float(values[k]), float(share[k])) for k, span in spans]
    null = null_scores(reading)
    least = int(np.argmin(null))
    return Prediction(
        n_best=tuple(n_best),
        null_score=float(null[least]),
        null_window=least,
        score_diff=round(float(null[least]) - listed[0][1].score, 9) if listed else None,
        limit=limit_of(decode),
    )


def _listed(reading: Reading, decode: DecodeOptions) -> list[tuple[float, Candidate]]:
    """The n best spans with their merged scores: the first of each range of characters."""
    pairs = list[tuple[float, int, int, int, int, int]]()  # in the order of the ties
    for w, shift in zip(reading.windows, shifts(reading, decode.rule).tolist(), strict=True):
        if shift > -np.inf:
            s, e = reading.logits(w.index)
            for i, j in written_spans(reading, w, decode, decode.n_best_size).tolist():
                merged = round(float(s[i] + e[j]) + shift, 9)
                pairs.append((-merged, w.to_doc(i), w.to_doc(j), w.index, i, j))
    found = dict[tuple[int, int], tuple[float, Candidate]]()
    for minus, _, _, window, i, j in sorted(pairs):
        if len(found) == decode.n_best_size:
            break
        candidate = make_candidate(reading, window, i, j)
        found.setdefault((candidate.char_start, candidate.char_end), (-minus, candidate))
    return list(found.values())


# ---- what each window says on its own, beside the best span of all


class Proposal:
    """What one window says on its own, and of `answer`, the best span of all windows (`doc`)."""

    def __init__(
        self, reading: Reading, window: Window, answer: Span, decode: DecodeOptions
    ) -> None:
        s, e = reading.logits(window.index)
        self.k, self.window, self.null = window.index + 1, window, float(s[0] + e[0])  # k from 1
        self.maxima = maxima(reading, window.index)
        self.mean = (self.maxima[2] + self.maxima[3]) / 2
        # its best span whose start counts here, that span's score, P_c(start) and P_c(end)
        self.own, self.score, self.factors = best_span(reading, window, decode), -np.inf, (0.0, 0.0)
        if self.own is not None:
            start, end = (softmax(x[window.is_context]) for x in (s, e))
            i, j = self.own.span.start - window.doc_start, self.own.span.end - window.doc_start
            self.score, self.factors = self.own.score, (float(start[i]), float(end[j]))
        self.product = self.factors[0] * self.factors[1]
        # pieces from the answer's start to the left and the right edge; below 0: it is not here
        self.near = answer.start - window.doc_start, window.doc_stop - 1 - answer.start
        self.edge, self.answer_score = min(self.near), -np.inf  # -inf: the answer is not whole
        if window.holds(answer):
            i, j = window.positions(answer)
            self.answer_score = float(s[i] + e[j])
