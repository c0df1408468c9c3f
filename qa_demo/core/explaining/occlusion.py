"""Leave one word out: replace a word's pieces by [MASK], keep every position, and see what the
fixed target loses.

The word is not deleted: that would move positions and window borders. Evidence that stands in the
text twice is understated, since masking one copy leaves the other.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.arrays import Floats
from qa_demo.core.explaining.attribution import Attribution, Target, lanes, window_of
from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.reading.predict import predict
from qa_demo.core.reading.predicted import Prediction
from qa_demo.core.reading.words import Word, Words, words
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


@dataclass(frozen=True)
class QuestionEffect:
    """One question word masked in every window: what the target loses, what is answered then."""

    word: Word
    start: float
    end: float
    answer: str | None
    changed: bool
    elsewhere: bool = False
    """Whether the answer has the same words at another place."""

    @property
    def total(self) -> float:
        """start + end: F(x) - F(x without the word)."""
        return self.start + self.end


def question_effects(
    reading: Reading,
    target: Target,
    masked: Masked,
    decode: DecodeOptions | None = None,
    merge: MergeOptions | None = None,
) -> tuple[QuestionEffect, ...]:
    """Mask each question word in all windows at once, decode again, and compare with the unmasked
    reading.

    A question word stands in every window, so its loss can also make another window win; context
    words cannot do that outside the windows that hold them.
    """
    home = window_of(reading, target)
    a, b = lanes(target, home)
    before = predict(reading, decode, merge)
    units = [words(reading.encoding, window) for window in reading.windows]
    asked = np.array(
        [k for k, word in enumerate(units[0].items) if word.side == "question"], dtype=np.int64
    )
    starts, ends = _masked_logits(reading, units, asked, masked)
    s, e = reading.logits(home.index)
    effects = []
    for k in range(len(asked)):
        after = predict(replace(reading, start_logits=starts[k], end_logits=ends[k]), decode, merge)
        n = len(home)
        effects.append(
            QuestionEffect(
                units[0].items[asked[k]],
                float(a @ (s - starts[k, home.index, :n])),
                float(b @ (e - ends[k, home.index, :n])),
                after.answer,
                _place(before) != _place(after),
                _place(before) != _place(after) and before.answer == after.answer,
            )
        )
    return tuple(effects)


def _place(prediction: Prediction) -> tuple[int, int] | None:
    best = prediction.best
    if best is None or prediction.answer is None:
        return None
    return best.candidate.char_start, best.candidate.char_end


def _masked_logits(
    reading: Reading, units: Sequence[Words], asked: NDArray[np.int64], masked: Masked
) -> tuple[Floats, Floats]:
    """Logits [k, windows, n] with one of k words masked; question words first, alike everywhere."""
    starts = np.repeat(reading.start_logits[None], len(asked), axis=0)
    ends = np.repeat(reading.end_logits[None], len(asked), axis=0)
    for window, here in zip(reading.windows, units, strict=True):
        starts[:, window.index, : len(window)], ends[:, window.index, : len(window)] = masked(
            window, one_word_masks(here, asked)
        )
    return starts, ends
