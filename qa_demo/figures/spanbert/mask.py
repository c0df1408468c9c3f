"""Step 1 of chapter 8 as data: the text in pieces, the draws one frame at a time, the fates, and
how long spans come out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from qa_demo.core.masked import Draw, Fate, Masked
from qa_demo.core.masking import MaskOptions, budget_of, clipped_law, length_law
from qa_demo.core.types import Encoding, Span
from qa_demo.figures.numbers import number, percent
from qa_demo.figures.pack import printable
from qa_demo.figures.payload import part, table
from qa_demo.figures.prose import plural, quoted

LIMITS: dict[str, tuple[float, float, float]] = {
    "mask_ratio": (0.05, 0.5, 0.05),
    "geometric_p": (0.05, 0.9, 0.05),
    "span_lower": (1, 10, 1),
    "span_upper": (1, 10, 1),
}
"""Lowest, highest and step of each slider; the options record allows more."""
COUNTS = (100, 1_000, 10_000)
FATES: dict[Fate, str] = {"mask": "[MASK]", "random": "a random piece", "keep": "kept as it is"}


def pieces_data(encoding: Encoding) -> list[list[Any]]:
    """The text in order: [what stands before the piece, its characters, its word's number]; joined
    they are the text.
    """
    found, at = [], 0
    for (start, end), word in zip(
        encoding.offset_mapping.tolist(), encoding.word_ids.tolist(), strict=True
    ):
        first = max(at, start)
        found.append(
            [
                printable(encoding.context[at:first]),
                printable(encoding.context[first : max(first, end)]),
                word,
            ]
        )
        at = max(at, end)
    return found


def scheme_data(masked: Masked, given: Sequence[str]) -> dict[str, Any]:
    """Runs with their fate, one a run or None where its pieces differ, each hidden piece's fate,
    and what random ones became.
    """
    hidden = masked.hidden.tolist()
    fates = dict(zip(hidden, masked.fates, strict=True))
    return {
        "runs": [[r.start, r.end] for r in masked.runs],
        "fates": {str(at): fate for at, fate in fates.items()},
        "random": {str(at): printable(given[at]) for at in hidden if fates[at] == "random"},
        "hidden": len(hidden),
        "seeing": len(seeing(masked)),
    }


def seeing(masked: Masked) -> list[int]:
    """The hidden pieces whose neighbours on both sides are observed."""
    return [run.start for run in masked.runs if len(run) == 1 and masked.boundary(run) is not None]


# The draws, frame by frame


def frames_data(encoding: Encoding, masked: Masked, options: MaskOptions) -> list[dict[str, Any]]:
    """One frame for each thing that happens: the budget, then of every turn its length, anchor,
    words and merge, at last the fates.
    """
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
    """The words of one turn, and the merge when they touch earlier runs; nothing when the anchor
    was hidden already.
    """
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
        f"where that word does, "
        f"{plural(draw.anchor - draw.span.start, 'piece')} earlier."
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
        f"It overlaps or touches {others}: they become one run of "
        f"{plural(len(merged), 'piece')}, so that both neighbours of every "
        "run stay in sight."
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


def joined_says(encoding: Encoding, span: Span, joined: Sequence[Span], merged: Span) -> str:
    """The effect of hiding a span by hand."""
    if not joined:
        return f"{quoted(encoding.text(span))} is hidden: {plural(len(span), 'piece')}."
    return (
        f"{quoted(encoding.text(span))} overlaps or touches "
        f"{' and '.join(quoted(encoding.text(run)) for run in joined)}: one run of "
        f"{plural(len(merged), 'piece')} now, {quoted(encoding.text(merged))}."
    )


def shown_says(encoding: Encoding, gone: Span) -> str:
    """What showing a run again did."""
    return f"{quoted(encoding.text(gone))} is in sight again."


# Lengths


def mean(law: Any, options: MaskOptions) -> float:
    """The mean length of a law over span_lower ... span_upper."""
    return float(np.dot(law, np.arange(options.span_lower, options.span_upper + 1)))


def lengths_data(counts: Sequence[int], options: MaskOptions) -> dict[str, Any]:
    """Shares of the drawn lengths beside both laws; a twin of the histogram."""
    law, clipped, n = length_law(options), clipped_law(options), sum(counts)
    drawn = [c / n for c in counts] if n else []
    lengths = list(range(options.span_lower, options.span_upper + 1))
    rows = [
        [
            str(length),
            f"{counts[k]:,}" if n else "-",
            _share(drawn[k]) if n else "-",
            _share(float(law[k])),
            _share(float(clipped[k])),
        ]
        for k, length in enumerate(lengths)
    ]
    got = mean(np.array(drawn), options) if n else None
    means: dict[str, str | None] = {
        "law": number(mean(law, options), 3),
        "clipped": number(mean(clipped, options), 3),
        "drawn": None if got is None else number(got, 3),
    }
    rows.append(["mean", "", *(means[name] or "-" for name in ("drawn", "law", "clipped"))])
    return {
        "lengths": lengths,
        "n": n,
        "drawn": drawn,
        "law": law.tolist(),
        "clipped": clipped.tolist(),
        "means": means,
        "says": lengths_says(counts, options),
        "counts": list(COUNTS),
        "table": table(
            "Span lengths in words: drawn, the law, and a literal clipping",
            ["words", "drawn", "share", "law", "literal clipping"],
            rows,
        ),
    }


def _share(p: float) -> str:
    return f"{100 * p:.2f} %"


def lengths_says(counts: Sequence[int], options: MaskOptions) -> str:
    """What the draws say about the two laws: which one they are nearer to."""
    law, clipped, n = length_law(options), clipped_law(options), sum(counts)
    last = options.span_upper
    start = (
        f"“Clipped at {last}” is done by truncation: longer draws do not exist and the rest is "
        f"renormalised, so {last} words "
        f"come with {_share(float(law[-1]))}. Cut off literally, all longer draws would pile up "
        f"there: {_share(float(clipped[-1]))}."
    )
    if not n or options.span_upper == options.span_lower:
        return start
    share = counts[-1] / n
    away = [
        abs(share - float(x[-1])) / max(1e-9, float(np.sqrt(x[-1] * (1 - x[-1]) / n)))
        for x in (law, clipped)
    ]
    said = (
        f" Of {n:,} draws {_share(share)} are that long: {away[0]:.1f} standard errors from the "
        f"law, {away[1]:.1f} from the literal "
        "clipping."
    )
    return start + said


# Controls, notice, tables


def options_data(options: MaskOptions) -> list[dict[str, Any]]:
    """The four sliders, in the words of the options record."""
    return [
        {
            "name": f.name,
            "value": getattr(options, f.name),
            "low": low,
            "high": high,
            "step": step,
            "help": f.metadata["help"],
        }
        for f in fields(MaskOptions)
        for low, high, step in [LIMITS[f.name]]
    ]


def mask_formula(
    total: int | None, options: MaskOptions, by_hand: int | None = None
) -> list[dict[str, str]]:
    """P(l) of the truncated law and the budget, with the numbers in use; `by_hand` counts the
    pieces of spans drawn by hand.
    """
    q = f"{1 - options.geometric_p:.4g}"
    parts = [
        part("P(ℓ) ∝ p (1 − p)"),
        part("ℓ − 1", "sup"),
        part(f" = {options.geometric_p:g} · {q}"),
        part("ℓ − 1", "sup"),
        part(f",  ℓ = {options.span_lower} … {options.span_upper}"),
        part(f",  mean {number(mean(length_law(options), options), 3)} words", "quiet"),
    ]
    if total is None:
        return parts
    parts += (
        []
        if by_hand is None
        else [
            part("      by hand: "),
            part(str(by_hand), "strong"),
            part(f" of {total} pieces", "quiet"),
        ]
    )
    return [
        *parts,
        part("      budget = ⌈"),
        part(f"{options.mask_ratio:g} · {total}"),
        part("⌉ = "),
        part(str(budget_of(total, options)), "strong"),
        part(" pieces", "quiet"),
    ]


def mask_notice(spans: Masked, single: Masked, by_hand: bool) -> str:
    """What hiding pieces in a row takes away: visible neighbours."""
    m, near, far = len(spans.hidden), len(seeing(single)), len(seeing(spans))
    said = (
        f"{'Your spans hide' if by_hand else 'Spans hide'} {plural(m, 'piece')} in "
        f"{plural(len(spans.runs), 'run')}: {seen(far, m)}. "
        f"Drawn one by one, {plural(len(single.hidden), 'piece')} fall into "
        f"{plural(len(single.runs), 'run')}: "
        f"{seen(near, len(single.hidden))}."
    )
    return said + (
        " A word between two visible neighbours can often be guessed from next door; a span has "
        "to be guessed from the sentence."
        if far < near
        else " On this text the two schemes do not differ in that."
    )


def seen(n: int, m: int) -> str:
    """How many of the m hidden pieces see both neighbours."""
    who = "none of them has" if n == 0 else f"{n} of {m} {'has' if n == 1 else 'have'}"
    return f"{who} both neighbours in sight"


def runs_table(
    encoding: Encoding, spans: Masked, given: Sequence[str], caption: str
) -> dict[str, Any]:
    """Every run: its pieces, how it was replaced, and how many SBO targets it gives."""
    rows, targets = [], spans.pairs()
    fates = dict(zip(spans.hidden.tolist(), spans.fates, strict=True))
    for run in spans.runs:
        inside = range(run.start, run.end + 1)
        kinds: Mapping[Fate, None] = dict.fromkeys(fates[i] for i in inside)
        sbo = int(((targets.at >= run.start) & (targets.at <= run.end)).sum())
        rows.append(
            [
                f"{run.start} to {run.end}",
                printable(encoding.text(run)),
                str(len(run)),
                str(len(set(encoding.word_ids[run.start : run.end + 1].tolist()))),
                ", ".join(FATES[k] for k in kinds),
                " ".join(printable(given[i]) for i in inside),
                str(sbo) if sbo else "0: at an edge of the text",
            ]
        )
    return table(
        caption,
        ["pieces", "text", "pieces", "words", "replaced by", "the model is shown", "SBO targets"],
        rows,
    )


def draws_table(encoding: Encoding, masked: Masked) -> dict[str, Any]:
    """Every turn of the draw."""
    rows = []
    for turn, d in enumerate(masked.draws, 1):
        span = "hidden already: drawn again" if d.span is None else printable(encoding.text(d.span))
        reached = "-" if d.span is None else f"{d.words}{', cut' if d.cut else ''}"
        anchor = f"{d.anchor} {printable(encoding.context_tokens[d.anchor])}"
        rows.append(
            [
                str(turn),
                str(d.length),
                anchor,
                span,
                reached,
                str(d.budget_left),
                str(len(d.joined)),
            ]
        )
    return table(
        "The draws, turn by turn",
        ["turn", "length drawn", "anchor", "span", "words", "budget left", "runs joined"],
        rows,
    )
