"""Chapter 3 in sentences: are the distributions sharp or flat, do their peaks form a legal pair?"""

import numpy as np

from qa_demo.core.arrays import Floats
from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.spans import Cell, separate_argmaxes
from qa_demo.core.types import Reading
from qa_demo.figures.distributions import distributions, holders, note
from qa_demo.figures.numbers import difference, percent
from qa_demo.figures.prose import named, quoted
from qa_demo.figures.span_score import best_in

SHARP = 5
"""A distribution is called sharp when so few tokens hold that much."""


def shape(p: Floats) -> str:
    """sharp: at most 5 tokens hold the mass; flat: more than half of them do; else spread."""
    k, _ = holders(p)
    return "sharp" if k <= SHARP else "flat" if 2 * k > len(p) else "spread"


def shape_sentence(reading: Reading, window: int, side: str, p: Floats) -> str:
    """Is one distribution sharp or flat, where does it peak, and is that outside the paragraph?"""
    top = int(np.argmax(p))
    outside = "" if reading.windows[window].is_context[top] else ", which is outside the paragraph"
    return (
        f"The {side} is {shape(p)}: {note(p)}, most on {named(reading, window, top)} "
        f"with {percent(float(p[top]))}{outside}."
    )


def pair_sentence(reading: Reading, window: int, decode: DecodeOptions, copies: str) -> str:
    """Do the two argmaxes form a legal pair; if not, which span wins and what it costs."""
    apart = separate_argmaxes(reading, window, decode, copies)
    starts, ends = (named(reading, window, pos) for pos in (apart.start_pos, apart.end_pos))
    both = f"The two separate argmaxes in the paragraph, start {starts} and end {ends},"
    if apart.reason is None:
        return f"{both} form a legal pair, so no other span of this window beats it."
    best = best_in(reading, window, decode, copies)
    if best is None:
        return (
            f"{both} form no legal pair ({because(apart, decode)}), and neither does any "
            f"other pair of this window."
        )
    maxima, score, cost = difference(apart.score, best.score)
    return (
        f"{both} form no legal pair ({because(apart, decode)}). {quoted(best.text)} wins instead: "
        f"its score is {score}, which is {cost} below the sum of the two maxima, {maxima}."
    )


def because(cell: Cell, decode: DecodeOptions) -> str:
    """The reason of an illegal pair in words."""
    if cell.reason == "too long":
        return (
            f"too long: {cell.end_pos - cell.start_pos + 1} word pieces, max_answer_length "
            f"allows {decode.max_answer_length}"
        )
    if cell.reason == "not owned":
        return "not owned: another window owns the start"
    return str(cell.reason)


def notice(
    reading: Reading,
    window: int,
    decode: DecodeOptions,
    copies: str,
    temperature: float,
    answer_window: int | None,
) -> str:
    """Sharp or flat, legal pair or not, for one window of this reading."""
    p_start, p_end = distributions(reading, window, temperature)
    said = [
        shape_sentence(reading, window, "start", p_start),
        shape_sentence(reading, window, "end", p_end),
        pair_sentence(reading, window, decode, copies),
    ]
    if len(reading.windows) > 1:
        said[0] = (
            f"In window {window + 1} of {len(reading.windows)}: {said[0][0].lower()}{said[0][1:]}"
        )
        if answer_window is not None and answer_window != window:
            said.append(f"The best span of all windows stands in window {answer_window + 1}.")
    if temperature != 1.0:
        said.append(
            f"Probabilities are displayed at temperature {temperature:g}; scores and the answer "
            f"do not use it."
        )
    return " ".join(said)
