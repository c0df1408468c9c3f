"""The deletion test of an attribution: is the lead of "no answer" higher without the words of the
largest values than without random others?
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qa_demo.core.attribution import ReadMasked, Target, WordSet, masks_of, value_of
from qa_demo.core.base import Floats
from qa_demo.core.text import Words
from qa_demo.core.types import Reading, Window

HIDDEN, DRAWS = 3, 20
"""Words that the test hides, and how often it hides as many others, drawn at random."""


@dataclass(frozen=True, eq=False)
class Deletion:
    """The lead of "no answer", null - score, without `first`, the words that lower it most, and
    without each random set: `draws` (lead, words), the lowest lead first.
    """

    first: WordSet
    lead: float
    draws: tuple[tuple[float, WordSet], ...]


def seed_of(reading: Reading, window: Window) -> int:
    """The seed of the draws: it follows from question, paragraph and window, so that everyone draws
    the same sets, whatever the reader, target or method.
    """
    e, place = reading.encoding, f"{window.doc_start} {window.doc_stop}"
    text = "\0".join((e.question, e.context, place)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big")


def sets_to_hide(values: Floats, free: WordSet, seed: int) -> list[WordSet]:
    """The words of `free` with the largest positive values [U] (of equals the first), then twenty
    random sets of as many others. Without such a word the first is (); there are no draws where too
    few others are left.
    """
    ranked = sorted(free, key=lambda k: -values[k])
    first = tuple(k for k in ranked[:HIDDEN] if values[k] > 0)
    others, size, sets = [k for k in free if k not in first], len(first), [first]
    if len(others) >= size > 0:
        rng = np.random.default_rng(seed)
        sets += [tuple(sorted(rng.permutation(others)[:size].tolist())) for _ in range(DRAWS)]
    return sets


def deletion_test(
    read_masked: ReadMasked, target: Target, window: Window, units: Words, sets: Sequence[WordSet]
) -> Deletion:
    """The window read again with each set in [MASK]; the first set is the one that is tested."""
    leads = (-value_of(target, window, *read_masked(window, masks_of(units, sets)))).tolist()
    draws = tuple(sorted(zip(leads[1:], sets[1:], strict=True)))
    return Deletion(sets[0], leads[0], draws)
