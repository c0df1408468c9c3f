"""Chapter 3 as data: one window's two distributions in a table and a picture.

The browser holds every logit and draws the stems itself; what is printed as a sentence is computed
here. P = softmax over all positions of the unpadded window, at the displayed temperature.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from qa_demo.core.options import DecodeOptions
from qa_demo.core.types import Reading
from qa_demo.figures.distributions import distributions, note
from qa_demo.figures.numbers import number, probability, rounded
from qa_demo.figures.pack import printable
from qa_demo.figures.payload import columns
from qa_demo.figures.reading import context_places, joined, logit_range, question_range
from qa_demo.figures.span_score import best_in
from qa_demo.figures.start_end.bars import bar_figure


def quotients(
    sides: Sequence[tuple[float, float]], temperature: float = 1.0
) -> list[tuple[str, str, str, str]]:
    """exp(logit / T) / Z of each (logit, log Z) as printed: logit, Z, sign, P. All with as many
    decimals (2 to 4) as the printed quotients need to come out.

    Example: exp(2) / Z with log Z = log(e^2 + e + 1) is printed ("2.00", "11.11", "=", "0.67").
    P has two decimals, as in the picture, and three below 0.1 and above 0.99. The sign is empty
    where P is printed as a bound, and "≈" where four decimals are not enough.
    """
    printed = []
    for decimals in range(2, 5):
        printed = [_quotient(logit, log_z, temperature, decimals) for logit, log_z in sides]
        if all(sign != "≈" for _, _, sign, _ in printed):
            break
    return printed


def _quotient(
    logit: float, log_z: float, temperature: float, decimals: int
) -> tuple[str, str, str, str]:
    value = float(np.exp(logit / temperature - log_z))
    places = 2 if 0.1 <= value < 0.99 else 3
    p = probability(value, places)
    shown, (z, log_printed) = number(logit, decimals), sum_of_exps(log_z, decimals + 2)
    if p[0] in "<>":
        return shown, z, "", p
    quotient = float(np.exp(rounded(logit, decimals) / temperature - log_printed))
    return shown, z, "=" if probability(quotient, places) == p else "≈", p


def sum_of_exps(log_z: float, digits: int) -> tuple[str, float]:
    """Z = exp(log_z) in given digits, in powers of ten outside 0.001 to 1,000,000; its log."""
    power = int(np.floor(log_z / np.log(10)))
    mantissa = rounded(float(np.exp(log_z - power * np.log(10))), digits - 1)
    if mantissa >= 10.0:  # 9.99 rounds up to the next power
        mantissa, power = mantissa / 10.0, power + 1
    log_printed = float(np.log(mantissa) + power * np.log(10))
    if -3 <= power < 6:
        return number(mantissa * 10.0**power, max(0, digits - 1 - power)), log_printed
    return f"{number(mantissa, digits - 1)} · 10^{number(power, 0)}", log_printed


def token_table(reading: Reading, window: int, temperature: float = 1.0) -> dict[str, Any]:
    """The table twin: each position's token, logits and probabilities; context rows select."""
    tokens, places = reading.tokens(window), context_places(reading, window)
    start, end = reading.logits(window)
    p_start, p_end = distributions(reading, window, temperature)
    at = "" if temperature == 1.0 else f" at temperature {temperature:g}"
    return columns(
        f"Every token of window {window + 1} of {len(reading.windows)}; each P column sums to "
        f"1{at}",
        range(len(tokens)),
        {
            "position": str,
            "token": lambda pos: printable(tokens[pos]),
            "start_logit": lambda pos: number(start[pos], 3),
            "P(start)": lambda pos: probability(p_start[pos], 4),
            "end_logit": lambda pos: number(end[pos], 3),
            "P(end)": lambda pos: probability(p_end[pos], 4),
        },
        lambda pos: places[pos],
    )


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
    best = [best_in(reading, w, decode, copies) for w in range(len(reading.windows))]
    return [None if c is None else [c.span.start, c.span.end] for c in best]


def start_end_picture(
    true: Reading,
    shown: Reading,
    window: int,
    decode: DecodeOptions,
    copies: str,
    temperature: float,
    logits: Mapping[tuple[Any, int, int], float],
    bars: bool = False,
) -> dict[str, Any]:
    """What the browser cannot compute from the logits it has: notes, word borders, best spans,
    slider range; the bars, half of all its bytes, where they are asked for.
    """
    p_start, p_end = distributions(shown, window, temperature)
    picture = {
        "window": window,
        "longest": decode.max_answer_length,
        "copies": copies,
        "joined": joined(shown.encoding),
        "question": question_range(shown.encoding),
        "notes": {"start": note(p_start), "end": note(p_end)},
        "best": best_spans(shown, decode, copies),
        "range": logit_range(true),
        "changed": changed_logits(true, logits),
    }
    if bars:
        picture["bars"] = json.loads(bar_figure(shown, window, temperature).to_json())
    return picture
