"""Chapter 4's numbers as rows: ranked spans, strongest cells, mass."""

from typing import Any

from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.predicted import Prediction, Ranked
from qa_demo.core.reading.scales import null_logits
from qa_demo.core.reading.spans import Cell, best_illegal, make_cell, top_spans
from qa_demo.core.types import Reading
from qa_demo.figures.numbers import MAX_DECIMALS, MIN_DECIMALS, PrintedSum, probability, total
from qa_demo.figures.pack import printable
from qa_demo.figures.payload import Place, columns, table
from qa_demo.figures.span_score import against, span_prob
from qa_demo.figures.spans.pair_mass import mass_data

PRINTED = ("s", "e", "score", "against", "in_window", "share")


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
        "score": printed.told,
        "against": against(c.score, float(null_logits(reading).min())),
        "in_window": probability(span_prob(reading, c.window, c.span, temperature)),
        "share": probability(ranked.share),
    }


def tables(
    reading: Reading,
    prediction: Prediction,
    decode: DecodeOptions,
    window: int,
    copies: str = "max_context",
    temperature: float = 1.0,
) -> list[dict[str, Any]]:
    """Twins of the pictures: ranked spans, strongest cells, the mass of all pairs."""
    listed = prediction.n_best
    rows = [span_row(reading, r, temperature, MAX_DECIMALS) for r in listed]
    mass = mass_data(reading, window, decode, copies, temperature)
    return [
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
        ),
        _cells_table(reading, decode, window, copies),
        table(
            "where the mass of all pairs of this window lies",
            ["part", "P(start) · P(end)"],
            [[p["name"], p["printed"]] for p in mass["parts"]],
        ),
    ]


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
            "score": lambda c: printed(c).told,
            "region": lambda c: c.reason or "legal",
        },
        place,
    )
