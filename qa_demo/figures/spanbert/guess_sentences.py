"""Step 2 of chapter 8 in sentences: what is hidden, who is right, and what a change did."""

from collections.abc import Iterator

import numpy as np

from qa_demo.core.masking.infill import WIRES, Said
from qa_demo.figures.numbers import moved, number, percent, signed
from qa_demo.figures.prose import quoted
from qa_demo.figures.spanbert.guessed import Guessed, as_typed, place
from qa_demo.figures.spanbert.spelled import spelled

NAMES = {"mlm": "MLM", "sbo": "SBO", "both": "both"}
WIRE_WORDS = {"left": "left wire", "right": "right wire", "position": "position wire"}


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


def first(said: Said) -> str:
    """The first guess with its probability."""
    return f"{quoted(said.guesses[0].piece)} {percent(said.guesses[0].p)}"


def changes(shown: Guessed) -> str:
    """What differs from the text as it is, in words."""
    said = [f"{WIRE_WORDS[wire]} cut" for wire in WIRES if wire in shown.now.cut]
    said += [
        f"{quoted(as_typed(shown.encoding, at))} is {quoted(word)} now"
        for at, word in shown.words.items()
    ]
    return ", ".join(said)


def change_sentences(shown: Guessed) -> Iterator[str]:
    """What the change does to the chosen blank's guesses, head by head."""
    if not shown.changed:
        return
    yield f"Changed: {changes(shown)}."
    for name in ("sbo", "mlm"):
        old: Said | None = getattr(shown.before, name)
        new: Said | None = getattr(shown.blank, name)
        if old is None or new is None:
            continue
        if old == new:
            why = " It has none of SBO's wires." if name == "mlm" and not shown.words else ""
            yield f"{NAMES[name]}'s guess does not move.{why}"
            continue
        was, now = quoted(old.guesses[0].piece), quoted(new.guesses[0].piece)
        says = f"still says {now}" if was == now else f"says {now} instead of {was}"
        change = signed(moved(old.loss, new.loss))
        rank = (
            f"stays {old.rank:,}"
            if old.rank == new.rank
            else f"goes from {old.rank:,} to {new.rank:,}"
        )
        yield (
            f"{NAMES[name]} {says}; the rank of the true piece {quoted(shown.blank.token)} "
            f"{rank}, its −log p changes by {change}."
        )


def alike(a: Said, b: Said) -> bool:
    """Whether two lists of guesses agree up to rounding: rows of one batch may differ by a bit."""
    return [g.id for g in a.guesses] == [g.id for g in b.guesses] and bool(
        np.allclose([g.p for g in a.guesses], [g.p for g in b.guesses], rtol=1e-4)
    )


def position_sentence(shown: Guessed) -> str | None:
    """With the position cut: do all blanks of the run guess alike?"""
    blank = shown.blank
    peers = [p.sbo for p in shown.now.pieces if p.run == blank.run and p.sbo is not None]
    if "position" not in shown.now.cut or len(peers) < 2:
        return None
    if all(alike(peers[0], said) for said in peers):
        return (
            f"Without a position all {len(peers)} blanks of this run get the same guesses, "
            f"{first(peers[0])} first: the two neighbours are the same for all of them."
        )
    return f"Without a position the {len(peers)} blanks of this run still get different guesses."


def notice(shown: Guessed) -> str:
    """Who is right on the chosen run, and how SBO fares from its edges to its middle."""
    run = [p for p in shown.now.pieces if p.run == shown.blank.run]
    mlm = sum(p.mlm.rank == 1 for p in run)
    guessed = [p.sbo for p in run if p.sbo is not None]
    what = f"In the chosen run of {len(run)} blanks" if len(run) > 1 else "At the chosen blank"
    if not guessed:
        return spelled(
            f"{what} MLM's first guess is {_right(mlm, len(run))}; SBO has no guess: "
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
        losses, third = [said.loss for said in guessed], len(guessed) // 3
        # a run longer than the position table has no term at its end
        edge = [losses[0], losses[-1]] if len(guessed) == len(run) else losses[:1]
        a, b = float(np.mean(edge)), float(np.mean(losses[third:-third]))
        said.append(
            f"Beside a neighbour SBO's −log p is {number(a)} on average, in the middle of the run "
            f"{number(b)}{': the boundary knows less about the middle' if b > a else ''}."
        )
    return spelled(" ".join(said))


def _right(count: int, of: int) -> str:
    return f"right at {count} of {of}" if of > 1 else "right" if count else "wrong"
