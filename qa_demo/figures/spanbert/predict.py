"""Chapter 8, step 2, as data: the blanks in the text, what MLM, SBO and both say of the chosen
one, and what a change moves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qa_demo.core.infill import WIRES, HiddenPiece, Infill, Said, Trace
from qa_demo.core.types import Encoding, Span
from qa_demo.figures.numbers import number, percent, probability, signed
from qa_demo.figures.pack import floats, printable
from qa_demo.figures.payload import table
from qa_demo.figures.prose import plural, quoted

SHOWN = 8
"""Guesses drawn for each head."""
HEADS = ("mlm", "sbo", "both")
NAMES = {"mlm": "MLM", "sbo": "SBO", "both": "both"}
WIRE_WORDS = {"left": "left wire", "right": "right wire", "position": "position wire"}

CONTEXTUAL = (
    "The two boundary vectors are the encoder's last layer: each has already read the whole "
    "text, the other neighbour and every [MASK] "
    "included. A cut wire takes away only what reached SBO through that vector."
)
TWICE = (
    "Both = the product of the two distributions, renormalised, as if they were independent "
    "witnesses. They are not: each already knows "
    "how frequent every word is, so the product counts word frequency twice. No model is trained "
    "with it."
)
SIMPLIFIED = (
    "This SpanBERT continues from a small encoder that was trained before; the paper's was "
    "trained from scratch, with a larger encoder on "
    "far more text. Its guesses are better, the wiring is the same.",
    "A cut wire carries its mean vector over the pre-training text. Training never saw a mean, "
    "and never all three at once, so what SBO "
    "says without any wire is near the frequent words, not exactly their frequencies.",
    "Changing a word changes the text: the encoder reads it again, so MLM and every other blank "
    "may move. Cutting a wire changes SBO only.",
)


@dataclass(frozen=True, eq=False)
class Guessed:
    """What the step shows: guesses on the text as it is (`base`) and with wires cut, rows swapped
    or words changed (`now`), blank `at`.
    """

    encoding: Encoding
    base: Infill
    now: Infill
    trace: Trace | None
    at: int
    given: tuple[str, ...]

    @property
    def blank(self) -> HiddenPiece:
        """The chosen blank, as it is guessed now."""
        return next(p for p in self.now.pieces if p.at == self.at)

    @property
    def before(self) -> HiddenPiece:
        """The chosen blank on the text as it is, nothing cut."""
        return next(p for p in self.base.pieces if p.at == self.at)

    @property
    def words(self) -> dict[int, str]:
        """Observed pieces that are another word now, by place."""
        moved = np.flatnonzero(self.now.masked.true_ids != self.base.masked.true_ids)
        return {int(i): self.now.tokens[i] for i in moved}

    @property
    def changed(self) -> bool:
        """Whether anything differs from the text as it is."""
        return bool(self.now.cut or self.now.swap or self.words)


def place(piece: HiddenPiece) -> int:
    """1 for the first blank of its run: the row of the position table that SBO reads."""
    return piece.at - piece.run.start + 1


def as_typed(encoding: Encoding, doc: int) -> str:
    """The characters of one piece."""
    return printable(encoding.text(Span(doc, doc))) or encoding.context_tokens[doc]


def line_data(shown: Guessed) -> list[dict[str, Any]]:
    """The text piece by piece as typed, each with the characters before it; a blank has its place
    in the run and what is given there.
    """
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
    """One head's first guesses, what the first k and all others hold, and rank, p and -log p of
    the true piece.
    """
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
        "right": said.rank == 1,
    }


def picture_data(
    shown: Guessed, positions: int, suggestions: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """Everything the step draws; `suggestions` are words that could stand beside the run, by
    side.
    """
    blank, masked = shown.blank, shown.now.masked
    pair = masked.boundary(blank.run)
    return {
        "line": line_data(shown),
        "at": shown.at,
        "model": printable(shown.now.model_name),
        "has": positions > 0,
        "no_sbo": blank.no_sbo,
        "blank": _blank_data(shown),
        "heads": {name: head_data(getattr(blank, name), blank.id) for name in HEADS},
        "sides": None if pair is None else _sides_data(shown, pair, suggestions),
        "row": {
            "k": place(blank),
            "now": shown.now.swap.get(shown.at, place(blank)),
            "rows": positions,
        },
        "contextual": CONTEXTUAL,
        "twice": TWICE,
        "strips": strips_data(shown.trace),
        "cut": [wire for wire in WIRES if wire in shown.now.cut],
        "changed": shown.changed,
        "says": [s for s in (*change_sentences(shown), position_sentence(shown)) if s],
        "compare": compare_data(shown),
    }


def strips_data(trace: Trace | None) -> dict[str, Any] | None:
    """The vectors of the paper's figure with their values: h0 in its three parts, h1 and y,
    packed; sizes and norms.
    """
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


def blank_sentence(shown: Guessed) -> str:
    """Which blank this is, what is hidden there, and what the encoder is given in its place."""
    blank = shown.blank
    where = (
        f"Blank {place(blank)} of {len(blank.run)}"
        if len(blank.run) > 1
        else "The only blank of its run"
    )
    given = {
        "mask": "the encoder sees [MASK]",
        "keep": "the encoder sees the true piece: one run in ten is kept, so MLM is told here",
        "random": f"the encoder sees {quoted(shown.given[shown.at])}: one run in ten gets random "
        f"pieces",
    }[blank.fate]
    return f"{where}: the true piece is {quoted(blank.token)}; {given}."


def difference(before: float, after: float) -> tuple[str, str, str]:
    """before, after and the difference of the two as printed, so that the row adds up."""
    was, now = round(before, 2), round(after, 2)
    return number(was), number(now), signed(now - was)


def first(said: Said) -> str:
    """The first guess with its probability."""
    return f"{quoted(said.guesses[0].piece)} {percent(said.guesses[0].p)}"


def compare_data(shown: Guessed) -> dict[str, Any] | None:
    """Before and after for every blank of the chosen run, both heads; None while nothing was
    changed.
    """
    if not shown.changed:
        return None
    rows = []
    for before, after in zip(shown.base.pieces, shown.now.pieces, strict=True):
        if before.run != shown.blank.run:
            continue
        cells: list[str] = []
        for old, new in ((before.sbo, after.sbo), (before.mlm, after.mlm)):
            if old is None or new is None:
                cells += ["–"] * 5
            else:
                cells += [first(old), first(new), *difference(old.loss, new.loss)]
        rows.append([f"{place(before)} {printable(before.token)}", *cells])
    head = [
        "blank",
        *(
            f"{name} {what}"
            for name in ("SBO", "MLM")
            for what in ("first guess", "guess now", "−log p", "−log p now", "difference")
        ),
    ]
    return table(
        f"What the change does to this run ({changes(shown)}): first guesses, and −log p of the "
        f"true piece in nats",
        head,
        rows,
    )


def changes(shown: Guessed) -> str:
    """What differs from the text as it is, in words."""
    said = [f"{WIRE_WORDS[wire]} cut" for wire in WIRES if wire in shown.now.cut]
    said += [
        f"blank {place(p)} reads row {shown.now.swap[p.at]}"
        for p in shown.now.pieces
        if p.at in shown.now.swap
    ]
    said += [
        f"{quoted(as_typed(shown.encoding, at))} is {quoted(word)} now"
        for at, word in shown.words.items()
    ]
    return ", ".join(said)


def change_sentences(shown: Guessed) -> list[str]:
    """What the change does to the chosen blank's guesses, head by head."""
    if not shown.changed:
        return []
    out = [f"Changed: {changes(shown)}."]
    for name in ("sbo", "mlm"):
        old: Said | None = getattr(shown.before, name)
        new: Said | None = getattr(shown.blank, name)
        if old is None or new is None:
            continue
        if old == new:
            why = " It has none of SBO's wires." if name == "mlm" and not shown.words else ""
            out.append(f"{NAMES[name]}'s guess does not move.{why}")
            continue
        was, now = quoted(old.guesses[0].piece), quoted(new.guesses[0].piece)
        moved = f"still says {now}" if was == now else f"says {now} instead of {was}"
        _, _, change = difference(old.loss, new.loss)
        rank = (
            f"stays {old.rank:,}"
            if old.rank == new.rank
            else f"goes from {old.rank:,} to {new.rank:,}"
        )
        out.append(
            f"{NAMES[name]} {moved}; the rank of the true piece {quoted(shown.blank.token)} "
            f"{rank}, its −log p changes by {change}."
        )
    return out


def alike(a: Said, b: Said) -> bool:
    """Whether two lists of guesses are the same up to rounding: rows of one batch need not be
    equal to the last bit.
    """
    return [g.id for g in a.guesses] == [g.id for g in b.guesses] and bool(
        np.allclose([g.p for g in a.guesses], [g.p for g in b.guesses], rtol=1e-4)
    )


def position_sentence(shown: Guessed) -> str | None:
    """With the position cut: whether all blanks of the run get the same guesses; with a swap:
    whose guess this is now.
    """
    blank = shown.blank
    peers = [p for p in shown.now.pieces if p.run == blank.run and p.sbo is not None]
    if "position" in shown.now.cut and len(peers) > 1:
        assert peers[0].sbo is not None
        if all(alike(peers[0].sbo, p.sbo) for p in peers if p.sbo is not None):
            return (
                f"Without a position all {len(peers)} blanks of this run get the same guesses, "
                f"{first(peers[0].sbo)} first: the two "
                "neighbours are the same for all of them."
            )
        return (
            f"Without a position the {len(peers)} blanks of this run still get different guesses."
        )
    row = shown.now.swap.get(shown.at)
    twin = next(
        (
            p
            for p in shown.base.pieces
            if p.run == blank.run and row is not None and place(p) == row and p.at != shown.at
        ),
        None,
    )
    if twin is None or twin.sbo is None or blank.sbo is None or shown.now.cut or shown.words:
        return None
    same = "the very guesses" if alike(blank.sbo, twin.sbo) else "other guesses than those"
    return f"With row {row} this blank gets {same} of blank {row} ({quoted(twin.token)})."


def notice(shown: Guessed) -> str:
    """Who is right on the chosen run, and how SBO fares from its edges to its middle."""
    run = [p for p in shown.now.pieces if p.run == shown.blank.run]
    mlm = sum(p.mlm.rank == 1 for p in run)
    guessed = [p.sbo for p in run if p.sbo is not None]
    what = f"In the chosen run of {len(run)} blanks" if len(run) > 1 else "At the chosen blank"
    if not guessed:
        return (
            f"{what} MLM's first guess is {_right(mlm, len(run))}. SBO has no guess: "
            f"{shown.blank.no_sbo}."
        )
    sbo = sum(s.rank == 1 for s in guessed)
    said = [
        f"{what} MLM's first guess is {_right(mlm, len(run))}, SBO's {_right(sbo, len(guessed))}."
    ]
    better = [
        f"{place(p)} ({quoted(p.token)})"
        for p in run
        if p.sbo is not None and p.sbo.rank < p.mlm.rank
    ]
    if better:
        said.append(
            f"SBO ranks the true piece above MLM at blank "
            f"{', '.join(better[:4])}{' and others' if len(better) > 4 else ''}."
        )
    if len(guessed) >= 5:
        third = len(guessed) // 3
        last = (
            [guessed[-1].loss] if len(guessed) == len(run) else []
        )  # a run longer than the position table has no term at its end
        edge, middle = [guessed[0].loss, *last], [s.loss for s in guessed[third:-third]]
        a, b = float(np.mean(edge)), float(np.mean(middle))
        said.append(
            f"Beside a neighbour SBO's −log p is {number(a)} on average, in the middle of the "
            f"run {number(b)}"
            f"{': the boundary knows less about the middle' if b > a else ''}."
        )
    return " ".join(said)


def _right(count: int, of: int) -> str:
    return f"right at {count} of {of}" if of > 1 else "right" if count else "wrong"


def guesses_table(shown: Guessed) -> dict[str, Any]:
    """Table twin of the guesses: every listed piece of each head for the chosen blank."""
    heads = [(NAMES[name], getattr(shown.blank, name)) for name in HEADS]
    rows = []
    for r in range(SHOWN):
        row = [str(r + 1)]
        for _, said in heads:
            guess = said.guesses[r] if said is not None and r < len(said.guesses) else None
            row += ["–", "–"] if guess is None else [printable(guess.piece), probability(guess.p)]
        rows.append(row)
    rows.append(
        [
            "true",
            *(
                cell
                for _, said in heads
                for cell in (
                    ("–", "–")
                    if said is None
                    else (
                        f"{printable(shown.blank.token)}, rank {said.rank:,}",
                        probability(said.p),
                    )
                )
            ),
        ]
    )
    return table(
        f"First guesses for blank {place(shown.blank)} of {len(shown.blank.run)}; each column "
        f"sums to 1 over the whole vocabulary",
        ["rank", *(f"{name}{what}" for name, _ in heads for what in ("", " p"))],
        rows,
    )


def blanks_table(shown: Guessed) -> dict[str, Any]:
    """Table twin of the text: every blank with its run, what the encoder sees, and each head's
    rank and -log p.
    """
    rows, why = [], any(p.no_sbo for p in shown.now.pieces)
    for p in shown.now.pieces:
        cells = [
            f"{s.rank:,} / {number(s.loss)}" if s is not None else "–"
            for s in (p.mlm, p.sbo, p.both)
        ]
        rows.append(
            [
                str(p.at),
                printable(p.token),
                f"{place(p)} of {len(p.run)}",
                p.fate,
                *cells,
                *([p.no_sbo or "–"] if why else []),
            ]
        )
    return table(
        f"All {plural(len(rows), 'blank')}: rank and −log p of the true piece",
        [
            "doc",
            "piece",
            "place in run",
            "fate",
            "MLM",
            "SBO",
            "both",
            *(["no SBO term, because"] if why else []),
        ],
        rows,
    )


def _blank_data(shown: Guessed) -> dict[str, Any]:
    blank = shown.blank
    return {
        "k": place(blank),
        "of": len(blank.run),
        "start": blank.run.start,
        "end": blank.run.end,
        "token": printable(blank.token),
        "fate": blank.fate,
        "says": blank_sentence(shown),
    }


def _sides_data(
    shown: Guessed, pair: tuple[int, int], suggestions: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """The two words beside the run: what was typed, what stands there now, what could."""
    return {
        side: {
            "doc": doc,
            "was": as_typed(shown.encoding, doc),
            "now": shown.words.get(doc),
            "suggest": [*suggestions.get(side, ())],
        }
        for side, doc in zip(("left", "right"), pair, strict=True)
    }
