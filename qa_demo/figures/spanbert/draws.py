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
    """One frame an event: the budget, every turn's length and anchor, its words, the fates."""
    if not masked.draws:
        hidden, runs = plural(len(masked.hidden), "piece"), plural(len(masked.runs), "run")
        said = f"Drawn by hand: {hidden} in {runs}, every one becomes [MASK]."
        return [_frame(masked.runs, 0, said)]
    law, total, left = length_law(options), len(masked.true_ids), masked.budget
    shown = masked.runs[:0]
    said = (
        f"The budget: {options.mask_ratio:g} × {total} pieces, rounded up, is {left}. "
        "Spans are drawn until it is used up."
    )
    frames = [_frame(shown, left, said)]
    for turn, draw in enumerate(masked.draws, 1):
        chance = percent(float(law[draw.length - options.span_lower]))
        begins = (
            f"Turn {turn}, the length: {plural(draw.length, 'word')}, for which the law gives a "
            f"chance of {chance}. {anchor_says(encoding, draw, total)}"
        )
        frames.append(_frame(shown, left, begins, draw))
        if draw.span is not None:
            frames.append(
                _frame(draw.runs, draw.budget_left, words_says(encoding, draw, left), draw)
            )
            run = next(run for run in draw.runs if run.start <= draw.span.start <= run.end)
            frames[-1]["active"] = [run.start, run.end]
            shown, left = draw.runs, draw.budget_left
    return [*frames, _frame(shown, 0, fates_says(masked))]


def _frame(runs: Sequence[Span], left: int, says: str, draw: Draw | None = None) -> dict[str, Any]:
    """The text at one moment, with the length and the anchor of the turn on show."""
    return {
        "left": left,
        "says": says,
        "runs": [[r.start, r.end] for r in runs],
        "anchor": None if draw is None else draw.anchor,
        "active": None,
        "length": None if draw is None else draw.length,
    }


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
    """Whole words are hidden until the length, the text or the budget ends; runs may join."""
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
        said = (
            f"{quoted(encoding.text(draw.span))}: {cost}. The budget ends inside a word, and "
            f"the span stops there."
        )
    elif draw.words < draw.length:
        why = "the budget is used up" if draw.budget_left == 0 else "the text ends"
        said += f" {plural(draw.length, 'word').capitalize()} were drawn, but {why}."
    if draw.joined:
        others = " and ".join(quoted(encoding.text(run)) for run in draw.joined)
        said += (
            f" It overlaps or touches {others}: they become one run, so that both neighbours of "
            "every run stay in sight."
        )
    return said


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
