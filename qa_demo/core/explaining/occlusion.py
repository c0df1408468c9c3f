"""Leave one word out: replace a word's pieces by [MASK], keep every position, and see what the
fixed target loses.

The word is not deleted: that would move positions and window borders. Evidence that stands in the
text twice is understated, since masking one copy leaves the other.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.arrays import Floats
from qa_demo.core.explaining.attribution import Attribution, Target, lanes, window_of
from qa_demo.core.reading.words import Words, words
from qa_demo.core.types import Reading, Window

Masked = Callable[[Window, NDArray[np.bool_]], tuple[Floats, Floats]]
"""Start and end logits [b, n] of a window with each mask's positions [b, n] replaced by [MASK]."""


def one_word_masks(units: Words, chosen: NDArray[np.int64] | None = None) -> NDArray[np.bool_]:
    """One mask [n] for each chosen word (all of them by default), [b, n]."""
    chosen = np.arange(len(units)) if chosen is None else chosen
    masks: NDArray[np.bool_] = np.equal(units.of[None, :], chosen[:, None])
    return masks


def leave_one_out(reading: Reading, target: Target, masked: Masked) -> Attribution:
    """F(x) - F(x without word u) for every word u of the target's window.

    A word's effect is split evenly over its pieces, so that the sum over the word is the measured
    number; special tokens get 0. Nothing is promised about the sum over all words.
    """
    window = window_of(reading, target)
    units = words(reading.encoding, window)
    a, b = lanes(target, window)
    s, e = (np.asarray(row, dtype=np.float64) for row in reading.logits(window.index))
    masked_s, masked_e = masked(window, one_word_masks(units))
    pieces = np.bincount(units.of[units.of >= 0], minlength=len(units))
    share = [
        np.where(units.of >= 0, (delta / pieces)[units.of], 0.0)
        for delta in (
            (s - np.asarray(masked_s, dtype=np.float64)) @ a,
            (e - np.asarray(masked_e, dtype=np.float64)) @ b,
        )
    ]
    return Attribution(
        target,
        "leave_one_out",
        window.index,
        share[0],
        share[1],
        f_x=float(a @ s + b @ e),
        baseline="mask",
    )
