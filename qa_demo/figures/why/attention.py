"""Chapter 9, step 1, as data: where a window's heads looked, by head and in three summaries."""

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.explaining.attention import Attention, Relevance, RelevanceKind, question_share
from qa_demo.core.reading.words import (
    Words,
    question_at,
    question_positions,
    special_positions,
    words,
)
from qa_demo.core.types import Encoding, Span, Window
from qa_demo.figures.numbers import percent, probability
from qa_demo.figures.pack import floats, ints, printable, utf16_offsets
from qa_demo.figures.payload import table

NAMES: dict[RelevanceKind, str] = {
    "attention": "raw attention, mean of all heads",
    "rollout": "rollout",
    "gradient_x_attention": "gradient × attention",
}


def seats(encoding: Encoding, window: Window) -> dict[str, Any]:
    """Which position is what: the word of each position (-1 for special tokens) and the question's
    pieces, UTF-16.

    Without offsets of the question its pieces are spelled one after the other, so that each still
    has a range of its own.
    """
    text, offsets = printable(encoding.question), encoding.question_offset_mapping
    units = utf16_offsets(encoding.question)
    if len(offsets) != len(encoding.question_ids):
        text = " ".join(printable(token) for token in encoding.question_tokens)
        lengths = [len(printable(token)) for token in encoding.question_tokens]
        starts = np.cumsum([0, *(n + 1 for n in lengths[:-1])])
        offsets, units = np.stack([starts, starts + lengths], axis=1), utf16_offsets(text)
    return {
        "of": ints(words(encoding, window).of),
        "special": np.flatnonzero(special_positions(encoding, window)).tolist(),
        "question": {
            "text": text,
            "at": question_at(encoding),
            "offsets": ints(units[offsets].ravel()),
        },
    }


def shares(
    attention: Attention, encoding: Encoding, window: Window, span: Span
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What the span's start and end spend on the question's words, [N, A] each."""
    return (
        question_share(attention, encoding, window.to_pos(span.start)),
        question_share(attention, encoding, window.to_pos(span.end)),
    )


def grid_data(
    attention: Attention, encoding: Encoding, window: Window, span: Span
) -> dict[str, Any]:
    """The grid layers x heads for start and end; `even` is the share in a row that looks
    everywhere equally, `one` whether start and end are one token and so one row.
    """
    start, end = shares(attention, encoding, window, span)
    return {
        "layers": attention.n_layers,
        "heads": attention.n_heads,
        "start": floats(start),
        "end": floats(end),
        "even": len(question_positions(encoding)) / len(window),
        "top": _top(start),
        "one": span.start == span.end,
    }


def _top(share: NDArray[np.float64]) -> list[int]:
    layer, head = np.unravel_index(int(share.argmax()), share.shape)
    return [int(layer), int(head)]


def head_data(attention: Attention, layer: int, head: int) -> dict[str, Any]:
    """One head [n, n], deflated codes round(255 sqrt(a)): see `core.explaining.attention.pack`."""
    return {
        "n": int(attention.weights.shape[-1]),
        "codes": base64.b64encode(attention.packed(layer, head)).decode("ascii"),
    }


def exact_data(attention: Attention, layer: int, head: int, position: int) -> dict[str, Any]:
    """The exact row and column of one position, [n] each."""
    return {
        "row": floats(attention.row(layer, head, position)),
        "column": floats(attention.column(layer, head, position)),
    }


def relevance_data(found: Mapping[RelevanceKind, Relevance]) -> dict[str, Any]:
    """Three summaries for the selected start and end, [n] each, side by side."""
    return {
        "kinds": [
            {"kind": kind, "name": NAMES[kind], "start": floats(one.start), "end": floats(one.end)}
            for kind, one in found.items()
        ]
    }


def grid_table(
    attention: Attention, encoding: Encoding, window: Window, span: Span
) -> dict[str, Any]:
    """The table twin of both grids."""
    start, end = shares(attention, encoding, window, span)
    rows = [
        [
            f"layer {layer + 1}, head {head + 1}",
            probability(start[layer, head]),
            probability(end[layer, head]),
        ]
        for layer in range(attention.n_layers)
        for head in range(attention.n_heads)
    ]
    return table(
        "Share of attention on the question's words",
        ["head", "from the start", "from the end"],
        rows,
    )


def relevance_table(found: Mapping[RelevanceKind, Relevance], units: Words) -> dict[str, Any]:
    """The table twin of the three summaries, summed to words."""
    columns = [
        (f"{NAMES[kind]}: {side}", units.sums(getattr(one, side)))
        for kind, one in found.items()
        for side in ("start", "end")
    ]
    rows = [
        [
            printable(word.text) or "(blank)",
            word.where,
            *("0" if values[k] == 0 else probability(float(values[k])) for _, values in columns),
        ]
        for k, word in enumerate(units.items)
    ]
    return table(
        "Where the selected start and end looked, by word",
        ["word", "in", *(name for name, _ in columns)],
        rows,
    )


def attention_notice(attention: Attention, encoding: Encoding, window: Window, span: Span) -> str:
    """Which head of the start looked most at the question, and how many looked less than evenly."""
    start, _ = shares(attention, encoding, window, span)
    even = len(question_positions(encoding)) / len(window)
    layer, head = _top(start)
    below = int((start < even).sum())
    return (
        f"From the selected start, head {head + 1} of layer {layer + 1} looked most at the "
        f"question: {percent(float(start.max()))} of its attention. Looking everywhere alike would "
        f"give {percent(even)}; {below} of {start.size} heads looked there less than that."
    )
