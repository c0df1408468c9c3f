"""Step 1 of chapter 8 as data: pieces, runs and fates of both schemes, options, tables."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from qa_demo.core.masking.masked import Fate, Masked
from qa_demo.core.masking.span_masking import MaskOptions, budget_of, length_law
from qa_demo.core.types import Encoding, Span
from qa_demo.figures.numbers import number
from qa_demo.figures.pack import printable
from qa_demo.figures.payload import columns, formula, part
from qa_demo.figures.prose import plural, quoted
from qa_demo.figures.spanbert.lengths import mean

FATES: dict[Fate, str] = {"mask": "[MASK]", "random": "a random piece", "keep": "kept as it is"}
LIMITS: dict[str, tuple[float, float, float]] = {
    "mask_ratio": (0.05, 0.5, 0.05),
    "geometric_p": (0.05, 0.9, 0.05),
    "span_lower": (1, 10, 1),
    "span_upper": (1, 10, 1),
}
"""Lowest, highest and step of each slider; the options record allows more."""


def pieces_data(encoding: Encoding) -> list[list[Any]]:
    """The text in order: [what stands before a piece, its characters, its word's number]."""
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
    """Runs with their fate (None if mixed), hidden pieces' fates, what random ones became."""
    fates = _fates(masked)
    return {
        "runs": [[r.start, r.end] for r in masked.runs],
        "fates": {str(at): fate for at, fate in fates.items()},
        "random": {str(at): printable(given[at]) for at in fates if fates[at] == "random"},
        "hidden": len(fates),
    }


def _fates(masked: Masked) -> dict[int, Fate]:
    """What became of each hidden piece."""
    return dict(zip(masked.hidden.tolist(), masked.fates, strict=True))


def seeing(masked: Masked) -> list[int]:
    """The hidden pieces whose neighbours on both sides are observed."""
    return [run.start for run in masked.runs if len(run) == 1 and masked.boundary(run) is not None]


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


def fates_says(masked: Masked) -> str:
    """How drawn runs were replaced, counted; nothing to say of runs by hand."""
    if not masked.draws:
        return ""
    fates = _fates(masked)
    counts = Counter(fates[run.start] for run in masked.runs)
    listed = ", ".join(
        f"{plural(counts[fate], 'run')} {words}" for fate, words in FATES.items() if counts[fate]
    )
    return (
        f"One random number for each run, not for each piece, decides what stands in its "
        f"place (80 %, 10 %, 10 %): {listed}."
    )


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
    pieces of spans drawn by hand, for which the law does not speak.
    """
    q = f"{1 - options.geometric_p:.4g}"
    if total is not None and by_hand is not None:
        return [
            part("hidden by hand: "),
            part(str(by_hand), "strong"),
            part(f" of {total} pieces", "quiet"),
            *_budget(total, options),
        ]
    parts = [
        *formula(f"P(ℓ) ∝ p (1 − p)^{{ℓ − 1}} = {options.geometric_p:g} · {q}^{{ℓ − 1}}"),
        part(f",  ℓ = {options.span_lower} … {options.span_upper}"),
        part(f",  mean {number(mean(length_law(options), options), 3)} words", "quiet"),
    ]
    return parts if total is None else [*parts, *_budget(total, options)]


def _budget(total: int, options: MaskOptions) -> list[dict[str, str]]:
    return [
        part("      budget = ⌈"),
        part(f"{options.mask_ratio:g} · {total}"),
        part("⌉ = "),
        part(str(budget_of(total, options)), "strong"),
        part(" pieces", "quiet"),
    ]


def mask_notice(spans: Masked, single: Masked, by_hand: bool) -> str:
    """What hiding pieces in a row takes away: visible neighbours."""
    m, n, near, far = len(spans.hidden), len(single.hidden), len(seeing(single)), len(seeing(spans))
    said = (
        f"{'Your spans hide' if by_hand else 'Spans hide'} {plural(m, 'piece')} in "
        f"{plural(len(spans.runs), 'run')}: {seen(far, m)}. Drawn one by one, "
        f"{plural(n, 'piece')} {'falls' if n == 1 else 'fall'} into "
        f"{plural(len(single.runs), 'run')}: {seen(near, n)}."
    )
    apart = far * n - near * m
    return said + (
        " A word between two visible neighbours can often be guessed from next door; a span has "
        "to be guessed from the sentence."
        if apart < 0
        else " On this text the spans leave a larger share with both neighbours."
        if apart > 0
        else " On this text the two schemes do not differ in that."
    )


def seen(n: int, m: int) -> str:
    """How many of the m hidden pieces see both neighbours."""
    who = "none of them has" if n == 0 else f"{n} of {m} {'has' if n == 1 else 'have'}"
    return f"{who} both neighbours in sight"


def runs_table(
    encoding: Encoding, masked: Masked, given: Sequence[str], caption: str
) -> dict[str, Any]:
    """Every run: its pieces, how it was replaced, and how many SBO targets it gives."""
    targets, fates = masked.pairs().at, _fates(masked)

    def inside(run: Span) -> range:
        return range(run.start, run.end + 1)

    return columns(
        caption,
        masked.runs,
        {
            "place": lambda run: f"{run.start} to {run.end}",
            "text": lambda run: printable(encoding.text(run)),
            "pieces": lambda run: str(len(run)),
            "words": lambda run: str(len({int(encoding.word_ids[i]) for i in inside(run)})),
            "replaced by": lambda run: ", ".join(
                FATES[fate] for fate in dict.fromkeys(fates[i] for i in inside(run))
            ),
            "the model is shown": lambda run: " ".join(printable(given[i]) for i in inside(run)),
            "targets of the span boundary objective (SBO)": lambda run: (
                str(np.isin(targets, inside(run)).sum())
                if masked.boundary(run)
                else "0: at an edge of the text"
            ),
        },
    )


def draws_table(encoding: Encoding, masked: Masked) -> dict[str, Any]:
    """Every turn of the draw."""
    return columns(
        "The draws, turn by turn",
        enumerate(masked.draws, 1),
        {
            "turn": lambda row: str(row[0]),
            "length drawn": lambda row: str(row[1].length),
            "anchor": lambda row: (
                f"{row[1].anchor} {printable(encoding.context_tokens[row[1].anchor])}"
            ),
            "span": lambda row: (
                printable(encoding.text(row[1].span))
                if row[1].span
                else "hidden already: drawn again"
            ),
            "words": lambda row: (
                f"{row[1].words}{', cut' if row[1].cut else ''}" if row[1].span else "-"
            ),
            "budget left": lambda row: str(row[1].budget_left),
            "runs joined": lambda row: str(len(row[1].joined)),
        },
    )
