"""Sets of words to mask, and the words in the order of an explanation."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.arrays import Floats
from qa_demo.core.reading.words import Words

Scorer = Callable[[NDArray[np.bool_]], tuple[Floats, Floats]]
"""Start and end logits [b, n] of the window with each mask's places [b, n] replaced by [MASK]."""
WordSet = frozenset[int]


def order_of(values: Floats, candidates: tuple[int, ...]) -> tuple[int, ...]:
    """The candidate words from the largest value to the smallest; ties in the order of the text."""
    chosen = np.array(candidates, dtype=np.int64)
    return tuple(
        chosen[np.argsort(-np.asarray(values, dtype=np.float64)[chosen], kind="stable")].tolist()
    )


def masks_of(units: Words, sets: Sequence[WordSet]) -> NDArray[np.bool_]:
    """The positions of every set of words, [b, n]; special tokens belong to no word."""
    chosen = np.zeros((len(sets), len(units) + 1), dtype=bool)
    for row, each in zip(chosen, sets, strict=True):
        row[list(each)] = True
    return chosen[:, units.of]  # the word -1 of special tokens takes the last column, never chosen
