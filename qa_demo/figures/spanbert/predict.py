"""Chapter 8, step 2, as data: blanks, what MLM, SBO and both say, what a change moves."""

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np

from qa_demo.core.masking.infill import WIRES, HiddenPiece, Said, Trace
from qa_demo.core.types import Span
from qa_demo.figures.numbers import number, percent, probability
from qa_demo.figures.pack import floats, printable
from qa_demo.figures.payload import columns, table
from qa_demo.figures.prose import plural
from qa_demo.figures.spanbert.guess_sentences import (
    NAMES,
    blank_sentence,
    change_sentences,
    position_sentence,
)
from qa_demo.figures.spanbert.guessed import Guessed, as_typed, place

SHOWN = 8
"""Guesses drawn for each head."""
HEADS = ("mlm", "sbo", "both")


def line_data(shown: Guessed) -> list[dict[str, Any]]:
    """The text piece by piece as typed, with gaps; a blank's place in its run and what it got."""
    encoding, out, at = shown.encoding, [], 0
    blanks = {p.at: p for p in shown.now.pieces}
    for doc in range(len(encoding.context_ids)):
        start, end = encoding.chars(Span(doc, doc))
        gap = printable(encoding.context[at:start]) if start > at else ""
        item: dict[str, Any] = {"doc": doc, "gap": gap, "text": as_typed(encoding, doc)}
        if doc in blanks:
            item |= {
                "k": place(blanks[doc]),
                "fate": blanks[doc].fate,
                "given": "" if blanks[doc].fate == "mask" else shown.given[doc],
            }
        elif doc in shown.words:
            item["now"] = shown.words[doc]
        out.append(item)
        at = max(at, end)
    return [*out, {"doc": -1, "gap": printable(encoding.context[at:]), "text": ""}]


def head_data(said: Said | None, true: int) -> dict[str, Any] | None:
    """One head's first guesses, what the first k and the others hold; the true piece's rank, p."""
    if said is None:
        return None
    listed = said.guesses[:SHOWN]
    held = np.minimum(np.cumsum([g.p for g in listed]), 1.0).tolist()
    return {
        "guesses": [
            {"piece": printable(g.piece), "p": g.p, "printed": percent(g.p), "true": g.id == true}
            for g in listed
        ],
        "held": [percent(x) for x in held],
        "rest": [percent(1 - x) for x in held],
        "rank": f"{said.rank:,}",
        "p": probability(said.p),
        "loss": number(said.loss),
    }


def picture_data(shown: Guessed) -> dict[str, Any]:
    """Everything the step draws."""
    blank, masked = shown.blank, shown.now.masked
    pair = masked.boundary(blank.run)
    return {
        "line": line_data(shown),
        "at": shown.at,
        "no_sbo": blank.no_sbo,
        "blank": _blank_data(shown),
        "heads": {name: head_data(getattr(blank, name), blank.id) for name in HEADS},
        "sides": None if pair is None else _sides_data(shown, pair),
        "strips": strips_data(shown.trace),
        "cut": [wire for wire in WIRES if wire in shown.now.cut],
        "changed": shown.changed,
        "says": [s for s in (*change_sentences(shown), position_sentence(shown)) if s],
    }


def strips_data(trace: Trace | None) -> dict[str, Any] | None:
    """The vectors of the paper's figure: h0 in its three parts, h1 and y, packed; norms."""
    if trace is None:
        return None
    parts = {
        "left": trace.x_left,
        "right": trace.x_right,
        "position": trace.position,
        "h1": trace.h1,
        "y": trace.y,
    }
    return {
        name: {"values": floats(x), "size": len(x), "norm": number(float(np.linalg.norm(x)))}
        for name, x in parts.items()
    }


def guesses_table(shown: Guessed) -> dict[str, Any]:
    """Table twin of the guesses: every listed piece of each head for the chosen blank."""
    heads = [getattr(shown.blank, name) for name in HEADS]

    def cells(r: int) -> list[str]:
        guesses = [said.guesses[r] if said and r < len(said.guesses) else None for said in heads]
        listed = [(printable(g.piece), probability(g.p)) if g else ("–", "–") for g in guesses]
        return [str(r + 1), *chain(*listed)]

    token = printable(shown.blank.token)
    true = [
        (f"{token}, rank {said.rank:,}", probability(said.p)) if said else ("–", "–")
        for said in heads
    ]
    return table(
        f"First guesses for blank {place(shown.blank)} of {len(shown.blank.run)}; each column "
        f"sums to 1 over the whole vocabulary",
        ["rank", *(f"{NAMES[name]}{what}" for name in HEADS for what in ("", " p"))],
        [*map(cells, range(SHOWN)), ["true", *chain(*true)]],
    )


def blanks_table(shown: Guessed) -> dict[str, Any]:
    """Table twin of the text: every blank's run, what the encoder sees, rank and -log p."""

    def cell(said: Said | None) -> str:
        return "–" if said is None else f"{said.rank:,} / {number(said.loss)}"

    pieces = shown.now.pieces
    cells: dict[str, Callable[[HiddenPiece], str]] = {
        "number": lambda p: str(p.at),
        "piece": lambda p: printable(p.token),
        "place in run": lambda p: f"{place(p)} of {len(p.run)}",
        "fate": lambda p: p.fate,
        "MLM": lambda p: cell(p.mlm),
        "SBO": lambda p: cell(p.sbo),
        "both": lambda p: cell(p.both),
    }
    if any(p.no_sbo for p in pieces):
        cells["no SBO term, because"] = lambda p: p.no_sbo or "–"
    caption = f"All {plural(len(pieces), 'blank')}: rank and −log p of the true piece"
    return columns(caption, pieces, cells)


def _blank_data(shown: Guessed) -> dict[str, Any]:
    blank = shown.blank
    return {
        "k": place(blank),
        "start": blank.run.start,
        "end": blank.run.end,
        "token": printable(blank.token),
        "says": blank_sentence(shown),
    }


def _sides_data(shown: Guessed, pair: tuple[int, int]) -> dict[str, Any]:
    """The two words beside the run: what was typed, and what stands there now."""
    return {
        side: {"doc": doc, "was": as_typed(shown.encoding, doc), "now": shown.words.get(doc)}
        for side, doc in zip(("left", "right"), pair, strict=True)
    }
