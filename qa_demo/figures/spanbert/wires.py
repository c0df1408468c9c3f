"""Chapter 8, step 2: what SBO says with each wire cut alone, and which one it rests on."""

from collections.abc import Sequence
from typing import Any

from qa_demo.core.masking.infill import HiddenPiece, OneCut
from qa_demo.figures.numbers import moved, percent, signed
from qa_demo.figures.payload import columns
from qa_demo.figures.prose import quoted
from qa_demo.figures.spanbert.guess_sentences import difference, first
from qa_demo.figures.spanbert.guessed import Guessed, place

NAMES: dict[str | None, str] = {
    None: "none",
    "left": "left",
    "right": "right",
    "position": "position",
}


def wires_data(shown: Guessed) -> dict[str, Any] | None:
    """The table of single cuts with its bars and its sentence; None for a blank without SBO."""
    if shown.trace is None or not shown.trace.cuts:
        return None
    cuts = shown.trace.cuts
    most = max(one.said.loss for one in cuts)
    now = next(
        (k for k, one in enumerate(cuts) if shown.now.cut == ({one.wire} if one.wire else set())),
        None,
    )
    return {
        "bars": [one.said.loss / most for one in cuts],
        "now": now,
        "says": f"{rests_on(cuts)} {true_piece(cuts, shown.blank.token)}",
        "table": _cuts_table(shown.blank, cuts),
    }


def _cuts_table(blank: HiddenPiece, cuts: Sequence[OneCut]) -> dict[str, Any]:
    whole = cuts[0].said

    def moved(one: OneCut) -> tuple[str, ...]:
        return difference(whole.loss, one.said.loss)

    return columns(
        f"One wire cut at a time: SBO's guess at blank {place(blank)}, and its true "
        f"piece {quoted(blank.token)}",
        cuts,
        {
            "wire cut": lambda one: NAMES[one.wire],
            "SBO's first guess": lambda one: first(one.said),
            f"p of {quoted(whole.guesses[0].piece)}": lambda one: percent(one.p_first),
            "rank of the true piece": lambda one: f"{one.said.rank:,}",
            "−log p": lambda one: moved(one)[1],
            "change": lambda one: moved(one)[2] if one.wire else "–",
        },
    )


def rests_on(cuts: tuple[OneCut, ...]) -> str:
    """The wire without which the first guess loses most; those alike as printed together."""
    whole, *single = cuts
    guess = f"SBO's first guess {quoted(whole.said.guesses[0].piece)} ({percent(whole.p_first)})"
    single = sorted(single, key=lambda one: one.p_first)
    least = percent(single[0].p_first)
    if single[0].p_first >= whole.p_first or least == percent(whole.p_first):
        return f"{guess} rests on no single wire: whichever of the three is cut, it gets no less."
    worst = [one for one in single if percent(one.p_first) == least]
    others = "".join(
        f", without the {one.wire} one {percent(one.p_first)}" for one in single[len(worst) :]
    )
    names = " and ".join(f"the {one.wire}" for one in worst)
    return (
        f"{guess} rests most on {names} wire: "
        f"{'without it' if len(worst) == 1 else 'without any one of them'} {least}{others}."
    )


def true_piece(cuts: tuple[OneCut, ...], token: str) -> str:
    """Which single cut costs the true piece most, and which one helps it."""
    whole, *single = cuts
    helped, *_, hurt = sorted(single, key=lambda one: one.said.loss)
    said = f"The true piece {quoted(token)} loses nothing by a single cut"
    if lost(whole, hurt) > 0:
        said = (
            f"The true piece {quoted(token)} loses most without the {hurt.wire} wire (−log p "
            f"{signed(lost(whole, hurt))})"
        )
    if lost(whole, helped) < 0:
        said += (
            f", and gets likelier without the {helped.wire} wire (−log p "
            f"{signed(lost(whole, helped))})"
        )
    return f"{said}."


def lost(whole: OneCut, one: OneCut) -> float:
    """The difference of two -log p as printed."""
    return moved(whole.said.loss, one.said.loss)
