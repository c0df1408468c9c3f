"""Tags B, I, O: spans read off them, the best legal tagging, and the exact probability of a span.

A tagging is legal when no I follows O or stands first. Arrays hold the tags in the order B, I, O,
`log_probs` [n, 3] those of the paragraph tokens of one window. Every probability of a span is
relative to the legal taggings:

    P(span s..e) = P(s is B) prod_{s < t <= e} P(t is I, when t - 1 is in a span)
                   P(e + 1 is no I, when e is in a span)
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from qa_demo.core.base import BadInput, Floats, one_of
from qa_demo.core.losses import TagGold, marked
from qa_demo.core.types import B, I, O, Span

Tags = NDArray[np.int64]
PREFERENCE = (O, B, I)
"""Ties between tags: O first, then B, then I."""
DECODINGS = ("strict", "lenient", "viterbi")


# ---- tags and spans


def annotator_tags(n: int, gold: TagGold) -> Tags:
    """The tags [n] of one annotator: B, I ... I on each marked span, O elsewhere; or all O."""
    tags = np.full(n, O)
    for span in marked(gold):
        tags[span.start], tags[span.start + 1 : span.end + 1] = B, I
    return tags


def spans_of_tags(tags: Sequence[int], lenient: bool = False) -> tuple[Span, ...]:
    """Spans of a tagging; lenient, an I after O or at the start opens a span, else it is none."""
    spans: list[Span] = []
    start: int | None = None
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
    tags: Tags = np.array(PREFERENCE)[np.argmax(np.asarray(log_probs)[:, PREFERENCE], axis=1)]
    return tags


def viterbi(log_probs: Floats) -> tuple[Tags, float]:
    """The most probable legal tagging [n] and its log-probability sum_t log p_t(tag), nats.

        d_0(k) = log p_0(k), k in {O, B};  d_t(k) = log p_t(k) + max over a -> k legal of d_{t-1}(a)

    Ties are settled from the last token backwards: O, then B, then I.
    """
    steps = np.asarray(log_probs, dtype=np.float64).tolist()
    if not steps:
        return np.empty(0, dtype=np.int64), 0.0
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


def decode_tags(log_probs: Floats, decoding: str) -> tuple[tuple[Span, ...], Tags]:
    """Spans and tags of a window: argmax read strictly or leniently, or Viterbi's tagging."""
    one_of("decoding", decoding, DECODINGS)
    tags = viterbi(log_probs)[0] if decoding == "viterbi" else argmax_tags(log_probs)
    return spans_of_tags(tags.tolist(), lenient=decoding == "lenient"), tags


# ---- all legal taggings at once


@dataclass(frozen=True, eq=False)
class Chain:
    """The legal taggings as one walk from token to token, nats, [n] each: log P(t is B), log P(t is
    I, when t - 1 is in a span) and log P(the next one is no I, when t is in a span). `none` is
    log P(every token is O).
    """

    begins: Floats
    goes_on: Floats
    ends: Floats
    none: float


def _either(a: float, b: float) -> float:
    """log(exp(a) + exp(b)); numpy's logaddexp takes ten times as long for two numbers."""
    return max(a, b) + math.log1p(math.exp(-abs(a - b)))


def chain(log_probs: Floats) -> Chain:
    """Run backward and forward once over n tokens with finite log-probabilities.

        free_{t-1} = p_O free_t + p_B open_t;   open_{t-1} = free_{t-1} + p_I open_t;   ends_t =
        free_t / open_t

    free and open sum the legal taggings of the tokens after t, without and with an I next. Only
    such ratios are kept, each the probability of one step: sums over a whole text are never
    subtracted from each other, so large logits lose no precision.
    """
    steps = np.asarray(log_probs, dtype=np.float64).tolist()
    n = len(steps)
    opens, stays, goes_on, ends = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n + 1)
    end = 0.0  # after the last token nothing is left to choose
    for t in range(n - 1, -1, -1):
        b, i, o = steps[t]
        ends[t + 1] = end
        o += end
        opens[t], stays[t] = -_either(0.0, o - b), -_either(0.0, b - o)  # B or O, when it is no I
        free = _either(b, o)
        goes_on[t], end = -_either(0.0, free - i), -_either(0.0, i - free)
    begins = np.zeros(n)
    # log P(t - 1 is O), log P(t - 1 is in a span); before the first token no I may come
    outside, inside = 0.0, -np.inf
    for t in range(n):
        no_i = _either(outside, inside + ends[t])
        begins[t] = no_i + opens[t]
        outside, inside = no_i + stays[t], _either(begins[t], inside + goes_on[t])
    return Chain(begins, goes_on, ends[1:], float(stays.sum()))


def span_marginals(log_probs: Floats, max_answer_length: int) -> Floats:
    """P(span s..s+d is an answer), [n, M] with M = min(max_answer_length, n); 0 where s + d >= n.

    Two spans that overlap exclude each other, so the marginals that hold one token sum to at most
    1.
    """
    lp = np.asarray(log_probs, dtype=np.float64)
    n = len(lp)
    if max_answer_length < 1:
        raise BadInput(f"max_answer_length must be at least 1, got {max_answer_length}")
    if not n:
        return np.zeros((0, 0))
    walk, width = chain(lp), min(max_answer_length, n)
    beyond = np.full(width - 1, -np.inf)
    inside = sliding_window_view(np.concatenate([walk.goes_on, beyond]), width).copy()
    inside[:, 0] = walk.begins
    ends = sliding_window_view(np.concatenate([walk.ends, beyond]), width)
    marginals: Floats = np.exp(np.cumsum(inside, axis=1) + ends)
    return marginals
