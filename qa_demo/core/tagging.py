"""What the tagging head, p_i = softmax(W h_i + b), says of a whole reading: each token, and each
span by its first token, from the window that owns it.

W [3, d], b [3], h_i [d] the token's last hidden state. D are the paragraph's tokens.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.base import BadInput, Floats, log_softmax
from qa_demo.core.bio import Tags, chain, decode_tags, span_marginals, viterbi
from qa_demo.core.losses import TagGold, cross_entropy, entropy, tag_targets
from qa_demo.core.types import B, O, Reading, Span


class TaggedSpan(NamedTuple):
    """A span read off the tags: window, `doc` span, characters, text, exact marginal."""

    window: int
    span: Span  # doc
    char_start: int
    char_end: int
    text: str
    marginal: float


def _tagged(reading: Reading, window: int, start: int, end: int, marginal: float) -> TaggedSpan:
    span = Span(start, end)
    chars, text = reading.encoding.chars(span), reading.encoding.text(span)
    return TaggedSpan(window, span, *chars, text, float(marginal))


def tag_log_probs(reading: Reading, window: int) -> Floats:
    """log softmax over B, I, O of the window's paragraph, [tokens, 3]; BadInput without a head."""
    if reading.tag_logits is None:
        raise BadInput(
            f"the reader {reading.model_name} has no BIO head; the bundled reader has one"
        )
    w = reading.windows[window]
    return log_softmax(reading.tag_logits[window, : len(w)][w.is_context])


def owned_rows(reading: Reading) -> NDArray[np.float64]:
    """log p of B, I, O for every context token, nats, [D, 3]."""
    rows = np.full((len(reading.encoding.context_ids), 3), np.nan)
    for w, window in enumerate(reading.windows):
        rows[window.owned] = tag_log_probs(reading, w)[window.owned - window.doc_start]
    return rows


def owned_tags(reading: Reading, decoding: str = "viterbi") -> Tags:
    """One decoding's tag of every context token, [D]; each window is decoded by itself."""
    tags = np.full(len(reading.encoding.context_ids), O)
    for w, window in enumerate(reading.windows):
        found = decode_tags(tag_log_probs(reading, w), decoding)[1]
        tags[window.owned] = found[window.owned - window.doc_start]
    return tags


def decode_reading(reading: Reading, decoding: str = "viterbi") -> tuple[TaggedSpan, ...]:
    """All spans of a reading in text order, each from its first token's owner, with marginals."""
    spans: list[TaggedSpan] = []
    for w, window in enumerate(reading.windows):
        lp, first = tag_log_probs(reading, w), window.doc_start
        marginals = span_marginals(lp, len(lp))
        for s in decode_tags(lp, decoding)[0]:
            if reading.owners[first + s.start] == w:
                marginal = marginals[s.start, s.end - s.start]
                spans.append(_tagged(reading, w, first + s.start, first + s.end, marginal))
    return tuple(sorted(spans, key=lambda x: x.span))


def best_span(reading: Reading, max_answer_length: int = 30) -> TaggedSpan | None:
    """The span of the highest exact marginal over all windows, each in the window that owns its
    first token; one without characters is none. Ties: lower start, then lower end.
    """
    begin, stop = reading.encoding.offset_mapping[:, 0], reading.encoding.char_ends
    found = []
    for w, window in enumerate(reading.windows):
        marginals = span_marginals(tag_log_probs(reading, w), max_answer_length)
        at, more = np.nonzero(marginals)
        start, end = window.doc_start + at, window.doc_start + at + more
        keep = (reading.owners[start] == w) & (begin[start] < stop[end])
        found.append(np.stack([-marginals[at, more], start, end])[:, keep])
    every = np.concatenate(found, axis=1)
    if not every.size:
        return None
    p, start, end = every[:, np.lexsort(every[::-1])[0]].tolist()
    return _tagged(reading, int(reading.owners[int(start)]), int(start), int(end), -p)


def null_log_prob(reading: Reading) -> float:
    """min over windows of log P(all O), nats: every window must agree that it holds no answer."""
    return min(chain(tag_log_probs(reading, w)).none for w in range(len(reading.windows)))


class SoftTerms(NamedTuple):
    """The tag loss token by token, nats, [D]: loss = floor + divergence. `targets` [D, 3];
    unlabelled tokens carry none.
    """

    targets: Floats
    labelled: NDArray[np.bool_]
    loss: Floats
    floor: Floats

    @property
    def divergence(self) -> Floats:
        """KL(t || p) of each token, [D]."""
        return self.loss - self.floor

    @property
    def total(self) -> float:
        """L = -sum_i sum_j t_ij log p_ij over the labelled tokens."""
        return float(self.loss.sum())


def soft_terms(reading: Reading, golds: Sequence[TagGold]) -> SoftTerms:
    """-sum_j t_ij log p_ij of every token in its owner window; t: the annotators' mean tags."""
    rows, n = owned_rows(reading), len(reading.encoding.context_ids)
    targets, labelled = np.zeros((n, 3)), np.zeros(n, dtype=bool)
    for window in reading.windows:
        t, carries = tag_targets(window, golds)
        at = np.flatnonzero(window.is_max_context)
        targets[window.owned], labelled[window.owned] = t[at], carries[at]
    loss, floor = cross_entropy(rows, targets), entropy(targets)
    return SoftTerms(targets, labelled, loss * labelled, floor * labelled)


@dataclass(frozen=True, eq=False)
class Opening:
    """Why the first token of an answer read off the tags is B. `with_b` [D]: the most probable
    legal tagging, in which it is; `without` [D]: the most probable one in which it is not; `p`
    [D, 3] of each token by itself; `begins`, `goes_on` (one for each later token), `ends` (none at
    the end of the window): the chances whose product is the answer's. All within the answer's
    window, beside which `with_b`, `without` and `p` are those of each token's own window.
    """

    answer: TaggedSpan
    with_b: Tags
    without: Tags
    p: NDArray[np.float64]
    begins: float
    goes_on: tuple[float, ...]
    ends: float | None

    @property
    def differ(self) -> list[int]:
        """The tokens that the two taggings tag differently."""
        found: list[int] = np.flatnonzero(self.with_b != self.without).tolist()
        return found

    def weight(self, tags: Tags) -> float:
        """The product of p over the tokens that differ; all others count alike in both."""
        return float(np.prod([self.p[d, tags[d]] for d in self.differ]))


def opening(reading: Reading, answer: TaggedSpan) -> Opening:
    """What speaks for the B of one answer; see `Opening`. Errors: BadInput without a tag head."""
    w = reading.windows[answer.window]
    inside, first = slice(w.doc_start, w.doc_stop), answer.span.start - w.doc_start
    last = answer.span.end - w.doc_start
    log_rows = tag_log_probs(reading, w.index)
    no_b = log_rows.copy()
    no_b[first, B] = -1e9
    p, with_b = np.exp(owned_rows(reading)), owned_tags(reading)
    without = with_b.copy()
    p[inside] = np.exp(log_rows)
    with_b[inside], without[inside] = viterbi(log_rows)[0], viterbi(no_b)[0]
    walk = chain(log_rows)
    goes_on = np.exp(walk.goes_on[first + 1 : last + 1]).tolist()
    ends = float(np.exp(walk.ends[last])) if answer.span.end + 1 < w.doc_stop else None
    return Opening(answer, with_b, without, p, math.exp(walk.begins[first]), tuple(goes_on), ends)
