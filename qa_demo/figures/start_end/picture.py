"""Chapter 3 as data: one window's two distributions in words, in a table and as bars.

The browser holds every logit and draws the stems itself; what is printed as a sentence is computed
here. P = softmax over all positions of the unpadded window, at the displayed temperature.
"""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from qa_demo.core.arrays import Floats
from qa_demo.core.spans import Cell, make_cell, separate_argmaxes, top_spans
from qa_demo.core.types import DecodeOptions, Reading, Span
from qa_demo.figures.distributions import distributions, holders, note
from qa_demo.figures.numbers import MINUS, number, percent, probability, rest
from qa_demo.figures.pack import printable
from qa_demo.figures.payload import table
from qa_demo.figures.prose import piece, quoted
from qa_demo.figures.reading import joined, logit_range, question_range

if TYPE_CHECKING:
    import plotly.graph_objects as go

SHARP = 5
"""A distribution is called sharp when so few tokens hold that much."""


def shape(p: Floats) -> str:
    """sharp: at most 5 tokens hold the mass; flat: it takes more than half of them; spread:
    between the two.
    """
    k, _ = holders(p)
    return "sharp" if k <= SHARP else "flat" if 2 * k > len(p) else "spread"


def shape_sentence(reading: Reading, window: int, side: str, p: Floats) -> str:
    """Is one distribution sharp or flat, where does it peak, and is that outside the paragraph?"""
    top = int(np.argmax(p))
    outside = "" if reading.windows[window].is_context[top] else ", which is outside the paragraph"
    return (
        f"The {side} is {shape(p)}: {note(p)}, most on {quoted(piece(reading, window, top))} "
        f"with {percent(float(p[top]))}{outside}."
    )


def pair_sentence(reading: Reading, window: int, decode: DecodeOptions, copies: str) -> str:
    """Do the two separate argmaxes form a legal pair; if not, which span wins instead and what it
    costs.
    """
    apart = separate_argmaxes(reading, window, decode, copies)
    starts, ends = (quoted(piece(reading, window, pos)) for pos in (apart.start_pos, apart.end_pos))
    both = f"The two separate argmaxes in the paragraph, start {starts} and end {ends},"
    if apart.reason is None:
        return f"{both} form a legal pair, so no pair of this window beats it."
    found = top_spans(*reading.logits(window), reading.windows[window], decode, copies, n=1)
    if not len(found):
        return (
            f"{both} form no legal pair ({because(apart, decode)}), and neither does any "
            f"other pair of this window."
        )
    best = make_cell(reading, window, int(found[0, 0]), int(found[0, 1]), decode, copies)
    w = reading.windows[window]
    text = quoted(reading.encoding.text(Span(w.to_doc(best.start_pos), w.to_doc(best.end_pos))))
    score, cost, maxima = difference(best.score, apart.score)
    return (
        f"{both} form no legal pair ({because(apart, decode)}). {text} wins instead: its score "
        f"is {score}, which is {cost} below "
        f"the sum of the two maxima, {maxima}."
    )


def difference(lower: float, higher: float) -> tuple[str, str, str]:
    """Two numbers and what lies between them, as printed; with more decimals (2 to 4) where the
    difference would print as 0.
    """
    for decimals in range(2, 5):
        shown = number(lower, decimals), rest([lower], higher, decimals), number(higher, decimals)
        if float(shown[1].replace(MINUS, "-")) > 0.0:
            break
    return shown


def because(cell: Cell, decode: DecodeOptions) -> str:
    """The reason of an illegal pair in words."""
    if cell.reason == "too long":
        return (
            f"too long: {cell.end_pos - cell.start_pos + 1} word pieces, max_answer_length "
            f"allows {decode.max_answer_length}"
        )
    if cell.reason == "not max context":
        return "not max context: another window owns the start"
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


def quotient(logit: float, log_z: float, temperature: float = 1.0) -> tuple[str, str, str, str]:
    """exp(logit / T) / Z as printed: logit, Z, sign, P. With as few decimals (2 to 4) as the
    printed quotient needs to come out.

    Example: exp(2) / Z with log Z = log(e^2 + e + 1) is printed ("2.00", "11.11", "=", "0.665").
    The sign is empty when P is printed as a bound, and "≈" when four decimals are not enough.
    """
    p = probability(float(np.exp(logit / temperature - log_z)))
    shown, z, log_printed = "", "", 0.0
    for decimals in range(2, 5):
        shown, (z, log_printed) = number(logit, decimals), sum_of_exps(log_z, decimals + 2)
        if probability(float(np.exp(round(logit, decimals) / temperature - log_printed))) == p:
            return shown, z, "" if p[0] in "<>" else "=", p
    return shown, z, "" if p[0] in "<>" else "≈", p


def sum_of_exps(log_z: float, digits: int) -> tuple[str, float]:
    """Z = exp(log_z) with the given significant digits, in powers of ten outside 0.001 to
    1,000,000; and the log of what is printed.
    """
    power = int(np.floor(log_z / np.log(10)))
    mantissa = round(float(np.exp(log_z - power * np.log(10))), digits - 1)
    if mantissa >= 10.0:  # 9.99 rounds up to the next power
        mantissa, power = mantissa / 10.0, power + 1
    log_printed = float(np.log(mantissa) + power * np.log(10))
    if -3 <= power < 6:
        return number(mantissa * 10.0**power, max(0, digits - 1 - power)), log_printed
    return f"{number(mantissa, digits - 1)} · 10^{number(power, 0)}", log_printed


def token_table(reading: Reading, window: int, temperature: float = 1.0) -> dict[str, Any]:
    """The table twin: every position of a window with its token, both logits, both probabilities;
    context rows select.
    """
    w = reading.windows[window]
    (start, end), (p_start, p_end) = (
        reading.logits(window),
        distributions(reading, window, temperature),
    )
    rows, select = [], []
    for pos, token in enumerate(reading.tokens(window)):
        doc = w.to_doc(pos) if w.is_context[pos] else None
        rows.append(
            [
                str(pos),
                "–" if doc is None else str(doc),
                printable(token),
                number(start[pos], 3),
                probability(p_start[pos], 4),
                number(end[pos], 3),
                probability(p_end[pos], 4),
            ]
        )
        select.append(None if doc is None else (window, doc, doc))
    at = "" if temperature == 1.0 else f" at temperature {temperature:g}"
    caption = (
        f"Every token of window {window + 1} of {len(reading.windows)}: pos = position in the "
        f"window, doc = word piece of the "
        f"paragraph; each P column sums to 1{at}"
    )
    return table(
        caption,
        ["pos", "doc", "token", "start_logit", "P(start)", "end_logit", "P(end)"],
        rows,
        select,
    )


def label(text: str) -> str:
    """A token for plotly, which reads labels as a little HTML: `<s>` would vanish."""
    return (
        printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") or "\u2423"
    )


def bar_figure(reading: Reading, window: int, temperature: float = 1.0) -> "go.Figure":
    """Both distributions over the positions of one window: start bars up, end bars down, one axis
    of positions.

    x is the position, never the token: repeated tokens would fall together. Colours are the theme's
    and set in the browser.
    """
    import plotly.graph_objects as go  # only this picture needs it

    tokens = [label(t) for t in reading.tokens(window)]
    at = np.arange(len(tokens))
    figure = go.Figure()
    rows, shares = reading.logits(window), distributions(reading, window, temperature)
    for side, axis, logits, p in zip(("start", "end"), ("y", "y2"), rows, shares, strict=True):
        figure.add_trace(
            go.Bar(
                name=side,
                x=at,
                y=p.astype(np.float32),
                yaxis=axis,
                customdata=[[t, number(x, 3)] for t, x in zip(tokens, logits, strict=True)],
                hovertemplate=f"%{{customdata[0]}}<br>pos %{{x}}<br>{side}_logit "
                f"%{{customdata[1]}}<br>P({side}) = %{{y:.4f}}<extra></extra>",
            )
        )
    figure.update_layout(**_bar_layout(tokens))
    return figure


def _bar_layout(tokens: Sequence[str]) -> dict[str, Any]:
    """Two axes of probabilities, one upside down, over one axis of positions."""
    transparent, at = "rgba(0,0,0,0)", list(range(len(tokens)))
    return {
        "template": "none",
        "paper_bgcolor": transparent,
        "plot_bgcolor": transparent,
        "showlegend": False,
        "bargap": 0.3,
        "dragmode": "zoom",
        "hovermode": "closest",
        "height": 340,
        "margin": {"l": 56, "r": 8, "t": 8, "b": 88},
        "xaxis": {
            "tickmode": "array",
            "tickvals": at,
            "ticktext": list(tokens),
            "tickangle": -90,
            "anchor": "y2",
            "zeroline": False,
            "showgrid": False,
            "range": [-0.5, len(tokens) - 0.5],
        },
        "yaxis": {
            "title": {"text": "P(start)"},
            "domain": [0.5, 1.0],
            "rangemode": "tozero",
            "fixedrange": True,
            "zeroline": False,
        },
        "yaxis2": {
            "title": {"text": "P(end)"},
            "domain": [0.0, 0.5],
            "autorange": "reversed",
            "rangemode": "tozero",
            "fixedrange": True,
            "zeroline": False,
        },
    }


def changed_logits(
    reading: Reading, logits: Mapping[tuple[Any, int, int], float]
) -> list[dict[str, Any]]:
    """Every logit changed by hand, with the reader's own value beside it."""
    rows = {"start": reading.start_logits, "end": reading.end_logits}
    return [
        {"side": side, "window": w, "pos": pos, "true": float(rows[side][w, pos])}
        for (side, w, pos) in logits
    ]


def best_spans(reading: Reading, decode: DecodeOptions, copies: str) -> list[list[int] | None]:
    """The best legal span of every window, [start, end] in doc; None where a window has none."""
    spans: list[list[int] | None] = []
    for w, window in enumerate(reading.windows):
        found = top_spans(*reading.logits(w), window, decode, copies, n=1)
        spans.append([window.to_doc(int(pos)) for pos in found[0]] if len(found) else None)
    return spans


def start_end_picture(
    true: Reading,
    shown: Reading,
    window: int,
    decode: DecodeOptions,
    copies: str,
    temperature: float,
    logits: Mapping[tuple[Any, int, int], float],
) -> dict[str, Any]:
    """What the browser cannot compute from the logits it has: notes, word borders, best spans,
    slider range, bars.
    """
    p_start, p_end = distributions(shown, window, temperature)
    return {
        "window": window,
        "maxAnswerLength": decode.max_answer_length,
        "joined": joined(shown.encoding),
        "question": question_range(shown.encoding),
        "notes": {"start": note(p_start), "end": note(p_end)},
        "best": best_spans(shown, decode, copies),
        "range": logit_range(true),
        "changed": changed_logits(true, logits),
        "bars": json.loads(bar_figure(shown, window, temperature).to_json()),
    }
