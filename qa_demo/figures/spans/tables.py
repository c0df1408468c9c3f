"""Chapter 4's numbers as rows: ranked spans, strongest cells, mass, two rows of the matrix."""

from typing import Any

import numpy as np

from qa_demo.core.arrays import softmax
from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.predicted import Prediction, Ranked
from qa_demo.core.reading.scales import null_logits, wide
from qa_demo.core.reading.spans import Cell, best_illegal, make_cell, top_positions, top_spans
from qa_demo.core.types import Reading
from qa_demo.figures.numbers import (
    MAX_DECIMALS,
    MIN_DECIMALS,
    PrintedSum,
    number,
    probability,
    signed,
    total,
)
from qa_demo.figures.pack import printable
from qa_demo.figures.payload import Place, columns, table
from qa_demo.figures.spans.notice import WORDS
from qa_demo.figures.spans.pair_mass import mass_data

PRINTED = ("s", "e", "score", "against", "in_window", "share")


def window_prob_at(reading: Reading, ranked: Ranked, temperature: float = 1.0) -> float:
    """P_s(i) P_e(j) in the candidate's window, over all positions, of logits / temperature."""
    c, window = ranked.candidate, reading.windows[ranked.candidate.window]
    s, e = wide(reading, c.window)
    return float(
        softmax(s / temperature)[window.to_pos(c.span.start)]
        * softmax(e / temperature)[window.to_pos(c.span.end)]
    )


def span_row(
    reading: Reading, ranked: Ranked, temperature: float, most: int = MIN_DECIMALS
) -> dict[str, Any]:
    """A row of the list beside the picture, alike to the eye in two decimals; with `most` of a
    table, whose rows add up as printed.
    """
    c = ranked.candidate
    printed = total([c.start_logit, c.end_logit], most=most)
    return {
        "rank": ranked.rank,
        "window": c.window,
        "start": c.span.start,
        "end": c.span.end,
        "s": printed.addends[0],
        "e": printed.addends[1],
        "score": printed.total,
        "sign": printed.sign,
        "against": signed(c.score - float(null_logits(reading).min())),
        "in_window": probability(window_prob_at(reading, ranked, temperature)),
        "share": probability(ranked.share),
    }


def two_rows(
    reading: Reading, window: int, decode: DecodeOptions, copies: str
) -> dict[str, Any] | None:
    """The rows of the best start and of the next: one is the other, shifted by s_i - s_k."""
    s, e = wide(reading, window)
    enough = decode.max_answer_length + 1  # one start has at most max_answer_length ends
    starts = list(
        dict.fromkeys(
            top_spans(s, e, reading.windows[window], decode, copies, enough)[:, 0].tolist()
        )
    )[:2]
    if len(starts) < 2:
        return None
    (i, k), tokens = starts, reading.tokens(window)
    printed = total([float(s[i]), -float(s[k])])
    return {
        "i": i,
        "k": k,
        "sentence": (
            f"Row {i} ({printable(tokens[i])}) is row {k} ({printable(tokens[k])}) shifted by "
            f"s{_sub(i)} − s{_sub(k)} = {printed.addends[0]} − "
            f"{number(float(s[k]), printed.decimals)} {printed.sign} {printed.total}, at every "
            f"end alike. "
            f"The matrix of {len(s)} × {len(s)} cells holds no more than its two margins of "
            f"{len(s)} numbers and the mask."
        ),
    }


def _sub(i: int) -> str:
    return "".join(chr(0x2080 + int(d)) for d in str(i))


def tables(
    reading: Reading,
    prediction: Prediction,
    decode: DecodeOptions,
    window: int,
    copies: str = "max_context",
    temperature: float = 1.0,
) -> list[dict[str, Any]]:
    """Twins of the pictures: ranked spans, strongest cells, the mass of all pairs, two rows."""
    listed = prediction.n_best
    rows = [span_row(reading, r, temperature, MAX_DECIMALS) for r in listed]
    twins = [
        table(
            "n best spans",
            ["span", "window", "s", "e", "score", "against no answer", "in window", "share"],
            [
                [printable(r.candidate.text), str(r.candidate.window + 1), *(p[k] for k in PRINTED)]
                for r, p in zip(listed, rows, strict=True)
            ],
            select=[
                (r.candidate.window, r.candidate.span.start, r.candidate.span.end) for r in listed
            ],
        )
    ]
    twins.append(_cells_table(reading, decode, window, copies))
    mass = mass_data(reading, window, decode, copies, temperature)
    twins.append(
        table(
            "where the mass of all pairs of this window lies",
            ["part", "P(start) · P(end)"],
            [[p["name"], p["printed"]] for p in mass["parts"]],
        )
    )
    pair = two_rows(reading, window, decode, copies)
    if pair is not None:
        twins.append(_rows_table(reading, window, pair["i"], pair["k"]))
    return twins


def _cells_table(
    reading: Reading, decode: DecodeOptions, window: int, copies: str
) -> dict[str, Any]:
    w, tokens = reading.windows[window], reading.tokens(window)
    legal = top_spans(*reading.logits(window), w, decode, copies, 10).tolist()
    cells = [make_cell(reading, window, i, j, decode, copies) for i, j in legal]
    cells += best_illegal(reading, window, decode, copies)

    def printed(c: Cell) -> PrintedSum:
        return total([c.start_logit, c.end_logit])

    def place(c: Cell) -> Place:
        inside = w.is_context[c.start_pos] and w.is_context[c.end_pos] and c.start_pos <= c.end_pos
        return (window, w.to_doc(c.start_pos), w.to_doc(c.end_pos)) if inside else None

    return columns(
        f"the highest cells of window {window + 1}, legal and of each illegal region",
        cells,
        {
            "(i, j)": lambda c: f"({c.start_pos}, {c.end_pos})",
            "start token": lambda c: printable(tokens[c.start_pos]),
            "end token": lambda c: printable(tokens[c.end_pos]),
            "s": lambda c: printed(c).addends[0],
            "e": lambda c: printed(c).addends[1],
            "score": lambda c: printed(c).total,
            "region": lambda c: WORDS[c.reason] if c.reason else "legal",
        },
        place,
    )


def _rows_table(reading: Reading, window: int, i: int, k: int) -> dict[str, Any]:
    s, e = wide(reading, window)
    tokens, ends = reading.tokens(window), np.sort(top_positions(e, 8)).tolist()
    gap = float(s[i] - s[k])
    triples = [([float(s[i] + e[j]), -float(s[k] + e[j])], gap) for j in ends]
    decimals = max(total(addends, gap).decimals for addends, gap in triples)
    rows = [
        [
            f"{j} {printable(tokens[j])}",
            number(a, decimals),
            number(-b, decimals),
            number(gap, decimals),
        ]
        for j, ((a, b), _) in zip(ends, triples, strict=True)
    ]
    return table(
        f"two rows at the eight highest ends of window {window + 1}",
        ["end", f"row {i}", f"row {k}", "difference"],
        rows,
    )
