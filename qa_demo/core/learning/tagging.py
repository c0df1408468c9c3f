"""What the tagging head says of a whole paragraph: one row B, I, O for each token, taken from the
window that owns it.

    p_i = softmax(W h_i + b),  W [3, d], b [3], h_i [d] the token's last hidden state

The page, the command line and the API print these rows; the spans come from `core.learning.bio`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.errors import BadInput
from qa_demo.core.learning.bio import (
    I,
    O,
    TaggedSpan,
    decode_reading,
    decode_tags,
    tag_log_probs,
    tags_of_spans,
)
from qa_demo.core.learning.losses import TagGold, cross_entropy, entropy, marked, tag_targets
from qa_demo.core.types import Reading


def owned_rows(reading: Reading) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """log p of B, I, O for every context token [D, 3] in nats, and the window that owns it [D]."""
    rows = np.full((len(reading.encoding.context_ids), 3), np.nan)
    for w, window in enumerate(reading.windows):
        rows[window.owned] = tag_log_probs(reading, w)[window.owned - window.doc_start]
    return rows, reading.owners


@dataclass(frozen=True, eq=False)
class Tagging:
    """One decoding of a paragraph: each token's tag [D], spans, tokens whose I may not stand."""

    tags: NDArray[np.int64]
    spans: tuple[TaggedSpan, ...]
    illegal: tuple[int, ...]


def illegal_at(tags: Sequence[int]) -> list[int]:
    """Tokens tagged I that stand first or after O: the two transitions no legal tagging has."""
    return [t for t, tag in enumerate(tags) if tag == I and (t == 0 or tags[t - 1] == O)]


def tagging(reading: Reading, decoding: str) -> Tagging:
    """Decode each window by itself; tags, and spans, are taken from the window that owns them."""
    tags = np.full(len(reading.encoding.context_ids), O)
    illegal: list[int] = []
    for w, window in enumerate(reading.windows):
        found = decode_tags(tag_log_probs(reading, w), decoding)[1]
        tags[window.owned] = found[window.owned - window.doc_start]
        illegal += [
            window.doc_start + t
            for t in illegal_at(found.tolist())
            if reading.owners[window.doc_start + t] == w
        ]
    return Tagging(tags, decode_reading(reading, decoding), tuple(illegal))


@dataclass(frozen=True, eq=False)
class SoftTerms:
    """The tag loss token by token, nats, [D]: loss = floor + divergence. `targets` [D, 3];
    unlabelled tokens carry none.
    """

    targets: NDArray[np.float64]
    labelled: NDArray[np.bool_]
    loss: NDArray[np.float64]
    floor: NDArray[np.float64]

    @property
    def divergence(self) -> NDArray[np.float64]:
        """KL(t || p) of each token, [D]."""
        return self.loss - self.floor

    @property
    def total(self) -> float:
        """L = -sum_i sum_j t_ij log p_ij over the labelled tokens."""
        return float(self.loss.sum())


def soft_terms(reading: Reading, golds: Sequence[TagGold]) -> SoftTerms:
    """-sum_j t_ij log p_ij of every token in its owner window; t: the annotators' mean tags."""
    if reading.tag_logits is None:
        raise BadInput(f"the reader {reading.model_name} has no BIO head, so it has no tag loss")
    n = len(reading.encoding.context_ids)
    targets, labelled = np.zeros((n, 3)), np.zeros(n, dtype=bool)
    loss, floor = np.zeros(n), np.zeros(n)
    for w, window in enumerate(reading.windows):
        t, carries = tag_targets(window, golds)
        at, docs = np.flatnonzero(window.is_max_context), window.owned
        targets[docs], labelled[docs] = t[at], carries[at]
        on, held = at[carries[at]], docs[carries[at]]
        loss[held] = cross_entropy(reading.tag_logits[w, on], t[on])
        floor[held] = entropy(t[on])
    return SoftTerms(targets, labelled, loss, floor)


def annotator_tags(n: int, gold: TagGold) -> NDArray[np.int64]:
    """The tags [n] of one annotator: B, I ... I on each marked span, O elsewhere; or all O."""
    return tags_of_spans(n, marked(gold))
