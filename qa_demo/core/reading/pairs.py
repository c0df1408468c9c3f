"""Pairs of positions on two scales: score = start logit i + end logit j = log P_s(i) + log P_e(j) +
log Z_s + log Z_e, where both log Z, the log of the sum of exp, are the same for every pair.
"""

from typing import NamedTuple

from qa_demo.core.arrays import Floats, log_softmax
from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.spans import top_spans
from qa_demo.core.reading.words import words_inside
from qa_demo.core.types import Encoding, Span, Window


class Pair(NamedTuple):
    """A pair of positions, its score, and log P(start) + log P(end)."""

    i: int
    j: int
    score: float
    logs: float


def scored_pair(start: Floats, end: Floats, i: int, j: int) -> Pair:
    """The pair (i, j) under the logits [n] of one window."""
    logs = float(log_softmax(start)[i] + log_softmax(end)[j])
    return Pair(i, j, float(start[i] + end[j]), logs)


def best_pairs(
    start: Floats,
    end: Floats,
    window: Window,
    encoding: Encoding,
    options: DecodeOptions,
    right: Pair,
    most: int = 5,
) -> list[Pair]:
    """The pairs with the highest scores, "no answer" and the right pair among them. Of variants
    that differ by a mark or by part of a word the best stands alone.
    """
    best = dict[tuple[int, int], Pair]()
    for i, j in top_spans(start, end, window, options, n=200).tolist():
        inside = words_inside(encoding, Span(window.to_doc(i), window.to_doc(j)))
        best.setdefault(inside, scored_pair(start, end, i, j))
        if len(best) == most:
            break
    null = scored_pair(start, end, window.cls_at, window.cls_at)
    found = sorted([null, *best.values()], key=lambda p: -p.score)[:most]
    if right not in found:
        found = sorted([*found[: most - 1], right], key=lambda p: -p.score)
    return found
