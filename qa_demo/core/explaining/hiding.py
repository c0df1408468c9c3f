"""A test of an explanation: the lead without its words, beside the lead without random others.

lead       F of a target, score of the span - score of "no answer", in logits
fall       lead of the whole window - lead with a set of words replaced by [MASK]
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qa_demo.core.arrays import Floats
from qa_demo.core.explaining.attribution import Target, parts
from qa_demo.core.explaining.word_sets import Scorer, masks_of, order_of
from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.spans import top_spans
from qa_demo.core.reading.words import Words
from qa_demo.core.types import Reading, Span, Window

HIDDEN, DRAWS = 3, 20
"""Words that the test hides, and how often it hides as many others, drawn at random."""
Set = tuple[int, ...]
"""Words by their numbers."""
Draw = tuple[float, Set]
"""The lead without a set of words, and the set."""


@dataclass(frozen=True, eq=False)
class Hidden:
    """What the lead is without `first`, the words that raise it most, and without each random set:
    `draws` (lead, words), the lowest lead first; `start`, `end` [n] are the logits without `first`.
    """

    first: Set
    lead: float
    draws: tuple[Draw, ...]
    start: Floats
    end: Floats

    def best(self, window: Window, decode: DecodeOptions) -> tuple[Span, float]:
        """The best allowed span (doc) without `first`, and its lead."""
        i, j = top_spans(self.start, self.end, window, decode, "max_context", 1)[0].tolist()
        pairs = (self.start, i), (self.end, j)
        lead = sum(float(logits[at] - logits[window.cls_at]) for logits, at in pairs)
        return Span(window.to_doc(i), window.to_doc(j)), lead


def seed_of(reading: Reading, window: Window) -> int:
    """The seed of the draws: it follows from question, paragraph and window, so that everyone draws
    the same sets, whatever the reader, target or method.
    """
    text = "\0".join(
        (
            reading.encoding.question,
            reading.encoding.context,
            f"{window.doc_start} {window.doc_stop}",
        )
    )
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big")


def sets_to_hide(values: Floats, free: Set, seed: int) -> list[Set]:
    """The words of `free` with the largest positive values [U], then twenty random sets of as many
    others. Without such a word the first is (); there are no draws where too few others are left.
    """
    first = tuple(k for k in order_of(values, free)[:HIDDEN] if values[k] > 0)
    others, size = [k for k in free if k not in first], len(first)
    rng = np.random.default_rng(seed)
    draws = range(DRAWS if len(others) >= size > 0 else 0)
    return [first, *(tuple(sorted(rng.permutation(others)[:size].tolist())) for _ in draws)]


def hide(
    scorer: Scorer, target: Target, window: Window, units: Words, sets: Sequence[Set]
) -> Hidden:
    """The window read again with each set in [MASK]; the first set is the one that is tested."""
    start, end = scorer(masks_of(units, [frozenset(each) for each in sets]))
    leads = np.add(*parts(target, window, start, end)).tolist()
    draws = tuple(sorted(zip(leads[1:], sets[1:], strict=True)))
    return Hidden(sets[0], leads[0], draws, start[0].copy(), end[0].copy())


def stacked(xs: Sequence[float], width: float) -> list[int]:
    """How high each dot stands, xs ascending: the lowest row whose last dot is `width` away."""
    last, found = list[float](), list[int]()
    for x in xs:
        level = next((n for n, other in enumerate(last) if x - other >= width), len(last))
        last[level : level + 1] = [x]
        found.append(level)
    return found
