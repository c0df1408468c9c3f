"""The draws of step 1 of chapter 8: one frame for each thing that happens, with its sentence."""

from collections.abc import Sequence
from typing import Any

from qa_demo.core.masking.masked import Draw, Fate, Masked
from qa_demo.core.masking.span_masking import MaskOptions, length_law
from qa_demo.core.types import Encoding, Span
from qa_demo.figures.numbers import percent
from qa_demo.figures.prose import plural, quoted

FATES: dict[Fate, str] = {"mask": "[MASK]", "random": "a random piece", "keep": "kept as it is"}


def frames_data(encoding: Encoding, masked: Masked, options: MaskOptions) -> list[dict[str, Any]]:
    """One frame an event: budget, every turn's length, anchor, words and merge, fates."""
    if not masked.draws:
        hidden, runs = plural(len(masked.hidden), "piece"), plural(len(masked.runs), "run")
        said = f"Drawn by hand: {hidden} in {runs}, every one becomes [MASK]."
        return [_frame("fate", masked.runs, 0, said)]
    law, total = length_law(options), len(masked.true_ids)
    left, shown = masked.budget, masked.runs[:0]
    frames = [
        _frame(
            "budget",
            shown,
            left,
            f"The budget: {options.mask_ratio:g} × {total} pieces, rounded up, is {left}. "
            "Spans are drawn until it is used up.",
        )
    ]
    for turn, draw in enumerate(masked.draws, 1):
        chance = percent(float(law[draw.length - options.span_lower]))
        length = (
            f"Turn {turn}, the length: {plural(draw.length, 'word')}, for which the law "
            f"gives a chance of {chance}."
        )
        frames += [
            {**frame, "turn": turn, "length": draw.length}
            for frame in (
                _frame("length", shown, left, length),
                _frame("anchor", shown, left, anchor_says(encoding, draw, total), draw.anchor),
                *_reached(encoding, draw, shown, left),
            )
        ]
        shown, left = shown if draw.span is None else draw.runs, draw.budget_left
    return [*frames, {**_frame("fate", shown, 0, fates_says(masked)), "turn": len(masked.draws)}]


def _frame(
    phase: str,
    runs: Sequence[Span],
    left: int,
    says: str,
    anchor: int | None = None,
    active: Span | None = None,
) -> dict[str, Any]:
    return {
        "phase": phase,
        "turn": 0,
        "left": left,
        "says": says,
        "runs": [[r.start, r.end] for r in runs],
        "anchor": anchor,
        "active": None if active is None else [active.start, active.end],
        "length": None,
    }


def _reached(
    encoding: Encoding, draw: Draw, before: Sequence[Span], left: int
) -> list[dict[str, Any]]:
    """The words of one turn, and the merge with runs it touches; nothing for a hidden anchor."""
    if draw.span is None:
        return []
    says = words_says(encoding, draw, left)
    if not draw.joined:
        return [_frame("words", draw.runs, draw.budget_left, says, draw.anchor, draw.span)]
    merged = next(r for r in draw.runs if r.start <= draw.span.start <= r.end)
    return [
        _frame(
            "words", sorted((*before, draw.span)), draw.budget_left, says, draw.anchor, draw.span
        ),
        _frame(
            "merge", draw.runs, draw.budget_left, merge_says(encoding, draw, merged), None, merged
        ),
    ]


def anchor_says(encoding: Encoding, draw: Draw, total: int) -> str:
    """Where the span begins: a piece drawn uniformly, snapped back to the start of its word."""
    piece = quoted(encoding.text(Span(draw.anchor, draw.anchor)))
    if draw.span is None:
        return (
            f"The anchor: piece {draw.anchor} of {total}, {piece}, is hidden already. Length "
            f"and anchor are drawn again."
        )
    if draw.span.start == draw.anchor:
        return (
            f"The anchor: piece {draw.anchor} of {total}, each with the same chance: {piece}, "
            f"where a word begins."
        )
    return (
        f"The anchor: piece {draw.anchor} of {total}, {piece}, inside a word. The span begins "
        f"where that word does, {plural(draw.anchor - draw.span.start, 'piece')} earlier."
    )


def words_says(encoding: Encoding, draw: Draw, left: int) -> str:
    """Whole words are hidden until the length, the text or the budget ends."""
    assert draw.span is not None
    new, size = left - draw.budget_left, len(draw.span)
    cost = (
        f"{plural(size, 'piece')}"
        if new == size
        else f"{plural(size, 'piece')}, of which {size - new} hidden already and free"
    )
    said = (
        f"From there {plural(draw.words, 'whole word')}: {cost}. Budget left: {draw.budget_left}."
    )
    if draw.cut:
        return (
            f"{quoted(encoding.text(draw.span))}: {cost}. The budget ends inside a word, and "
            f"the span stops there."
        )
    if draw.words < draw.length:
        why = "the budget is used up" if draw.budget_left == 0 else "the text ends"
        return f"{said} {plural(draw.length, 'word').capitalize()} were drawn, but {why}."
    return said


def merge_says(encoding: Encoding, draw: Draw, merged: Span) -> str:
    """Spans that overlap or touch become one run."""
    others = " and ".join(quoted(encoding.text(run)) for run in draw.joined)
    return (
        f"It overlaps or touches {others}: they become one run of {plural(len(merged), 'piece')}, "
        "so that both neighbours of every run stay in sight."
    )


def fates_says(masked: Masked) -> str:
    """How the runs were replaced, counted."""
    counts = {fate: sum(masked.fates[i] == fate for i in _firsts(masked)) for fate in FATES}
    listed = ", ".join(f"{plural(n, 'run')} {FATES[fate]}" for fate, n in counts.items() if n)
    return (
        f"One random number for each run, not for each piece, decides what stands in its "
        f"place (80 %, 10 %, 10 %): {listed}."
    )


def _firsts(masked: Masked) -> list[int]:
    """Where each run begins among the hidden pieces."""
    return [sum(len(r) for r in masked.runs[:k]) for k in range(len(masked.runs))]
