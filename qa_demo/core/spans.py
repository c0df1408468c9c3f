"""Every pair of a start and an end in one window: its score, its probability, and the best ones
among the legal.

A pair (i, j) is written in `pos`; its score is start_logits[i] + end_logits[j], so the n x n matrix
holds no more than its two margins and the mask. Ties, of nine decimals, are broken by the lower
start, then the lower end.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike

from qa_demo.core.base import BadInput, Floats, Ints, log_softmax, one_of, softmax, tied
from qa_demo.core.text import words_inside
from qa_demo.core.types import RULES, DecodeOptions, Encoding, Reading, Span, Window

ELSEWHERE = "that start counts in another window"
REASONS = ("legal", "outside the paragraph", "end before start", "too long", ELSEWHERE)
"""What a pair's code in `reason_codes` means; the first reason that holds is the one named."""


def check_decode(options: DecodeOptions) -> None:
    """Refuse limits under which nothing could be listed, and unknown rules."""
    for name in ("max_answer_length", "n_best_size"):
        if getattr(options, name) < 1:
            raise BadInput(f"{name} must be at least 1, got {getattr(options, name)}")
    one_of("rule", options.rule, RULES)
    if not np.isfinite(options.null_score_diff_threshold):
        raise BadInput(
            f"null_score_diff_threshold must be a finite number, got "
            f"{options.null_score_diff_threshold}"
        )


def reason_codes(window: Window, i: ArrayLike, j: ArrayLike, options: DecodeOptions) -> Ints:
    """Index into `REASONS` for every pair of the broadcast positions i and j.

    Only the start must be owned (run_squad.py, `write_predictions`): a window may finish a span
    that runs into tokens its neighbour owns.
    """
    i, j, most = np.asarray(i), np.asarray(j), options.max_answer_length
    outside = ~(window.is_context[i] & window.is_context[j])
    unowned = ~window.is_max_context[i]
    return np.select([outside, j < i, j - i + 1 > most, unowned], [1, 2, 3, 4], 0)


def count_spans(window: Window, options: DecodeOptions) -> int:
    """How many pairs of a window are legal: each owned start with the ends left to it."""
    return int(np.minimum(options.max_answer_length, window.doc_stop - window.owned).sum())


def reason(window: Window, i: int, j: int, options: DecodeOptions) -> str | None:
    """Why the pair (i, j) is no legal answer, or None."""
    code = int(reason_codes(window, i, j, options))
    return REASONS[code] if code else None


@dataclass(frozen=True)
class Candidate:
    """One span of one window: the row that a table prints."""

    window: int
    span: Span  # doc
    char_start: int
    char_end: int
    text: str
    start_logit: float
    end_logit: float

    @property
    def score(self) -> float:
        """start_logit + end_logit, to nine decimals."""
        return round(self.start_logit + self.end_logit, 9)


def span_scores(start_logits: Floats, end_logits: Floats) -> Floats:
    """scores[i, j] = start_logits[i] + end_logits[j], [n, n]; e.g. [1, 2] and [0, 5] give [[1, 6],
    [2, 7]].
    """
    return tied(np.add.outer(start_logits, end_logits))


def top_spans(start: Floats, end: Floats, window: Window, options: DecodeOptions, n: int) -> Ints:
    """The exact n best legal pairs of one window as rows (i, j), best first; [k, 2] with k <= n.

    Only a band of max_answer_length ends behind each start is formed: O(n M) and not O(n^2). A
    pair whose sum is -inf has no mass and is never returned.
    """
    first, stop = window.context_at, window.context_at + window.doc_stop - window.doc_start
    starts = np.flatnonzero(window.is_max_context)
    width = min(options.max_answer_length, stop - first)
    ends = np.concatenate([end[first:stop], np.full(width - 1, -np.inf)])
    flat = tied(start[starts, None] + sliding_window_view(ends, width)[starts - first]).ravel()
    at = np.flatnonzero(flat > -np.inf)
    if len(at) > n:
        at = at[flat[at] >= np.partition(flat[at], len(at) - n)[len(at) - n]]
    # Row-major order is lower start, then lower end, which is kept among equal scores.
    best = at[np.argsort(-flat[at], kind="stable")][:n]
    return np.stack([starts[best // width], starts[best // width] + best % width], axis=1)


def make_candidate(reading: Reading, window: int, i: int, j: int) -> Candidate:
    """A pair with start <= end in the context as a candidate: `doc` span, characters, text."""
    w, (s, e) = reading.windows[window], reading.logits(window)
    span = Span(w.to_doc(int(i)), w.to_doc(int(j)))
    chars, text = reading.encoding.chars(span), reading.encoding.text(span)
    return Candidate(window, span, *chars, text, float(s[i]), float(e[j]))


def written_spans(reading: Reading, window: Window, options: DecodeOptions, n: int) -> Ints:
    """The window's best legal pairs with a character, [k, 2], best first: so many that n of them
    differ in characters, where there are as many. Pieces without a character make copies.
    """
    wanted = n
    while True:
        pairs = top_spans(*reading.logits(window.index), window, options, n=wanted)
        doc = pairs + (window.doc_start - window.context_at)
        chars = reading.encoding.ranges(*doc.T)
        written = chars[:, 0] < chars[:, 1]
        if len(pairs) < wanted or len(np.unique(chars[written], axis=0)) >= n:
            return pairs[written]
        wanted *= 2


def best_span(reading: Reading, window: Window, options: DecodeOptions) -> Candidate | None:
    """The window's best legal span; one without a character is none."""
    pairs = written_spans(reading, window, options, n=1)
    return make_candidate(reading, window.index, *pairs[0]) if len(pairs) else None


def separate_argmaxes(
    reading: Reading, window: int, options: DecodeOptions
) -> tuple[int, int, str | None]:
    """The highest start and end of a window's context, each for itself, and why they form no legal
    pair. Of equal ones the first that form one.
    """
    w = reading.windows[window]
    at = np.flatnonzero(w.is_context)
    i, j = (at[x[at] == x[at].max()] for x in reading.logits(window))
    fits = reason_codes(w, i[:, None], j[None, :], options) == 0
    row, column = np.unravel_index(int(np.argmax(fits)), fits.shape)
    best = int(i[row]), int(j[column])
    return *best, reason(w, *best, options)


def window_prob(reading: Reading, window: int, i: int, j: int) -> float:
    """P_s(i) P_e(j) of one pair: two softmaxes over all positions of the window."""
    s, e = map(softmax, reading.logits(window))
    return float(s[i] * e[j])


class Pair(NamedTuple):
    """A pair of positions, its score, and log P(start) + log P(end)."""

    i: int
    j: int
    score: float
    log_p: float


def scored_pair(start: Floats, end: Floats, i: int, j: int) -> Pair:
    """The pair (i, j) under the logits [n] of one window."""
    return Pair(i, j, float(start[i] + end[j]), float(log_softmax(start)[i] + log_softmax(end)[j]))


def best_pairs(
    start: Floats, end: Floats, window: Window, encoding: Encoding, options: DecodeOptions
) -> list[Pair]:
    """The five pairs with the highest scores, best first, where "no answer" is a pair too. Of
    variants that differ by punctuation or by part of a word the best alone; fewer than five where
    variants fill the 200 best spans, as in a text without blanks.
    """
    best = dict[tuple[int, int], Pair]()
    for i, j in top_spans(start, end, window, options, n=200).tolist():
        span = Span(window.to_doc(i), window.to_doc(j))
        if encoding.text(span):
            best.setdefault(words_inside(encoding, span), scored_pair(start, end, i, j))
        if len(best) == 5:
            break
    return sorted([scored_pair(start, end, 0, 0), *best.values()], key=lambda p: -p.score)[:5]
