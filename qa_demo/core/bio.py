"""Tags B, I, O: spans read off them, the best legal tagging, the exact probability of a span, and
what the tagging head, p_i = softmax(W h_i + b), says of a whole reading.

A tagging is legal when no I follows O or stands first, and a span's probability is relative to the
legal ones. Tags stand in the order B, I, O, `log_probs` [n, 3] for the paragraph of one window:

    P(span s..e) = P(s is B) prod_{s < t <= e} P(t is I, when t - 1 is in a span)
                   P(e + 1 is no I, when e is in a span)
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, get_args

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from qa_demo.core.base import BadInput, Floats, Ints, log_softmax, one_of
from qa_demo.core.losses import TagGold, cross_entropy, entropy, tag_targets
from qa_demo.core.types import B, I, O, Reading, Span

Tags = Ints
Decoding = Literal["strict", "lenient", "viterbi"]
PREFERENCE = (O, B, I)  # of equally probable tags the first one here


def spans_of_tags(tags: Sequence[int], lenient: bool = False) -> tuple[Span, ...]:
    """Spans of a tagging; lenient, an I after O or at the start opens a span, else it is none."""
    spans, start = list[Span](), None
    for t, tag in enumerate([*tags, O]):
        if start is not None and tag != I:
            spans.append(Span(start, t - 1))
            start = None
        if tag == B or (tag == I and start is None and lenient):
            start = t
    return tuple(spans)


def illegal_at(tags: Sequence[int]) -> list[int]:
    """Tokens tagged I that stand first or after O: the two transitions no legal tagging has."""
    return [t for t, (a, b) in enumerate(pairwise([O, *tags])) if (a, b) == (O, I)]


def argmax_tags(log_probs: Floats) -> Tags:
    """The most probable tag of each token, [n]; ties as in `PREFERENCE`. It may be illegal."""
    return np.array(PREFERENCE)[np.asarray(log_probs)[:, PREFERENCE].argmax(axis=1)]


def viterbi(log_probs: Floats) -> tuple[Tags, float]:
    """The most probable legal tagging [n] and its log-probability sum_t log p_t(tag), nats.

        d_0(k) = log p_0(k), k in {O, B};  d_t(k) = log p_t(k) + max over a -> k legal of d_{t-1}(a)

    Ties are settled from the last token backwards: O, then B, then I.
    """
    steps = np.asarray(log_probs, dtype=np.float64).tolist()
    best = [steps[0][B], -np.inf, steps[0][O]]
    back: list[tuple[int, int]] = []
    for step in steps[1:]:
        any_tag = max(PREFERENCE, key=best.__getitem__)
        open_tag = B if best[B] >= best[I] else I
        back.append((any_tag, open_tag))
        best = [step[B] + best[any_tag], step[I] + best[open_tag], step[O] + best[any_tag]]
    tag = max(PREFERENCE, key=best.__getitem__)
    total, path = best[tag], [tag]
    for any_tag, open_tag in reversed(back):
        path.append(open_tag if path[-1] == I else any_tag)
    return np.array(path[::-1]), float(total)


def decode_tags(log_probs: Floats, decoding: Decoding) -> tuple[Span, ...]:
    """A window's spans by argmax, read strict or lenient, or by viterbi. Errors: BadInput."""
    one_of("decoding", decoding, get_args(Decoding))
    tags = viterbi(log_probs)[0] if decoding == "viterbi" else argmax_tags(log_probs)
    return spans_of_tags(tags.tolist(), lenient=decoding == "lenient")


def _logaddexp(a: float, b: float) -> float:
    """log(exp(a) + exp(b)); numpy's takes twice as long for two numbers."""
    return max(a, b) + math.log1p(math.exp(-abs(a - b)))


def _log_share(a: float, b: float) -> float:
    """log(exp(a) / (exp(a) + exp(b)))."""
    return -_logaddexp(0.0, b - a)


class Chain:
    """The legal taggings of n tokens with finite log-probabilities as one walk, forward and
    backward, nats, [n] each: `begins`: log P(t is B), `goes_on`: log P(t is I, when t - 1 is in a
    span), `ends`: log P(t + 1 is no I, when t is in a span); `none`: log P(every token is O).

        ends_{n-1} = 1;  free = p_B + p_O ends_t, the weight of no I at token t
        ends_{t-1} = free / (free + p_I);  goes_on_t = p_I / (free + p_I);  P(B | no I) = p_B / free

    Every number is the probability of one step: sums over a whole text are never subtracted from
    each other, so large logits lose no precision.
    """

    def __init__(self, log_probs: Floats) -> None:
        steps = np.asarray(log_probs, dtype=np.float64).tolist()
        n = len(steps)
        opens, stays, goes_on, ends, begins = np.zeros((5, n))
        end = 0.0  # after the last token nothing is left to choose
        for t in range(n - 1, -1, -1):
            b, i, o = steps[t]
            ends[t] = end
            o += end
            opens[t], stays[t] = _log_share(b, o), _log_share(o, b)  # B or O, when it is no I
            free = _logaddexp(b, o)
            goes_on[t], end = _log_share(i, free), _log_share(free, i)
        # log P(t - 1 is O), log P(t - 1 is in a span); before the first token no I may come
        outside, inside = 0.0, -np.inf
        for t in range(n):
            no_i = _logaddexp(outside, inside + ends[t - 1])
            begins[t] = no_i + opens[t]
            outside, inside = no_i + stays[t], _logaddexp(begins[t], inside + goes_on[t])
        self.begins, self.goes_on, self.ends = begins, goes_on, ends
        self.none = float(stays.sum())


def span_marginals(log_probs: Floats, max_answer_length: int) -> Floats:
    """P(span s..s+d is an answer), [n, M] with M = min(max_answer_length, n); 0 where s + d >= n.

    Spans that overlap exclude each other: the marginals that hold one token sum to at most 1.
    """
    walk, width = Chain(log_probs), min(max_answer_length, len(log_probs))
    beyond = np.full(width - 1, -np.inf)
    inside = sliding_window_view(np.concatenate([walk.goes_on, beyond]), width).copy()
    inside[:, 0] = walk.begins
    ends = sliding_window_view(np.concatenate([walk.ends, beyond]), width)
    return np.exp(np.cumsum(inside, axis=1) + ends)


@dataclass(frozen=True)
class TaggedSpan:
    """A span read off the tags: window, `doc` span, characters, text, exact marginal."""

    window: int
    span: Span  # doc
    char_start: int
    char_end: int
    text: str
    marginal: float


def _tagged(reading: Reading, window: int, span: Span, marginal: float) -> TaggedSpan:
    chars, text = reading.encoding.chars(span), reading.encoding.text(span)
    return TaggedSpan(window, span, *chars, text, float(marginal))


def _logits(reading: Reading) -> Floats:
    if reading.tag_logits is None:
        raise BadInput(
            f"the reader {reading.model_name} has no BIO head; the bundled reader has one"
        )
    return reading.tag_logits


def tag_log_probs(reading: Reading, window: int) -> Floats:
    """log softmax over B, I, O of the window's paragraph, [tokens, 3]; BadInput without a head."""
    w = reading.windows[window]
    return log_softmax(_logits(reading)[window, : len(w)][w.is_context])


def owned_rows(reading: Reading) -> Floats:
    """log p of B, I, O for every context token, nats, [D, 3]."""
    return log_softmax(reading.of_owners(_logits(reading)))


def decode_reading(reading: Reading, decoding: Decoding = "viterbi") -> tuple[TaggedSpan, ...]:
    """All spans of a reading in text order, each from its first token's owner, with marginals."""
    spans = []
    for w, window in enumerate(reading.windows):
        lp = tag_log_probs(reading, w)
        marginals = span_marginals(lp, len(lp))
        for s in decode_tags(lp, decoding):
            found = Span(window.doc_start + s.start, window.doc_start + s.end)
            if reading.owners[found.start] == w:
                spans.append(_tagged(reading, w, found, marginals[s.start, len(s) - 1]))
    return tuple(sorted(spans, key=lambda x: x.span))


def best_tagged(reading: Reading, max_answer_length: int = 30) -> TaggedSpan | None:
    """The span of the highest exact marginal, each in the window that owns its first token; one
    without characters is none. Ties: lower start, then lower end.
    """
    best = list[tuple[float, Span]]()
    for w, window in enumerate(reading.windows):
        marginals = span_marginals(tag_log_probs(reading, w), max_answer_length)
        at, more = np.nonzero(marginals)
        start, end = window.doc_start + at, window.doc_start + at + more
        written = np.diff(reading.encoding.ranges(start, end))[:, 0] > 0
        allowed = (reading.owners[start] == w) & written
        if allowed.any():
            chances = np.where(allowed, marginals[at, more], 0.0)
            k = int(np.argmax(chances))  # of equals the first: cells stand by start, then by end
            best.append((float(chances[k]), Span(int(start[k]), int(end[k]))))
    if not best:
        return None
    p, span = min(best, key=lambda found: (-found[0], found[1]))
    return _tagged(reading, int(reading.owners[span.start]), span, p)


def null_log_prob(reading: Reading) -> float:
    """min over windows of log P(all O), nats: every window must agree that it holds no answer."""
    return min(Chain(tag_log_probs(reading, w)).none for w in range(len(reading.windows)))


class SoftTerms:
    """The tag loss token by token, nats, [D]: loss = -sum_j t_ij log p_ij of every token in its
    owner window, t: the annotators' mean tags; loss = floor + KL(t || p), 0 where unlabelled; their
    sum is `total`.
    """

    def __init__(self, reading: Reading, golds: Sequence[TagGold]) -> None:
        made = zip(*(tag_targets(window, golds) for window in reading.windows), strict=True)
        self.targets, self.labelled = map(reading.of_owners, made)
        self.loss = self.labelled * cross_entropy(owned_rows(reading), self.targets)
        self.floor = self.labelled * entropy(self.targets)
        self.total = float(self.loss.sum())


def chances(reading: Reading, answer: TaggedSpan) -> tuple[float, list[float], float | None]:
    """P(its first token is B), P(each later one is I), P(the one behind is no I; None at the end of
    the window), of the legal taggings of its window: their product is the answer's chance.
    """
    w = reading.windows[answer.window]
    first, last = answer.span.start - w.doc_start, answer.span.end - w.doc_start
    walk = Chain(tag_log_probs(reading, w.index))
    ends = math.exp(walk.ends[last]) if answer.span.end + 1 < w.doc_stop else None
    return math.exp(walk.begins[first]), np.exp(walk.goes_on[first + 1 : last + 1]).tolist(), ends
