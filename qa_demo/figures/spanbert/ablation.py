"""The experiment of chapter 8: a reader from four starts, seed by seed; the paper's beside."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import comb
from typing import Any

from qa_demo.core.measuring.published import SPANBERT, SPANBERT_MASKING, SPANBERT_OBJECTIVES, Row
from qa_demo.figures.numbers import moved, number, percent, signed
from qa_demo.figures.payload import table
from qa_demo.figures.spanbert.spelled import spelled

CELLS = ("plain encoder", "token masking", "span masking", "span masking + SBO")
"""The four starts of a reader, in the order in which each adds one thing."""
SCORES = (("exact", "exact"), ("f1", "F1"), ("bio_f1", "BIO F1"))
UNLIKELY = 0.05

Cells = Mapping[str, Mapping[str, Sequence[float]]]


def paper_steps() -> dict[tuple[str, str], Row]:
    """What the paper's changes add, by our starts on both sides; one segment has none."""
    two, one, sbo = SPANBERT_OBJECTIVES
    return {
        ("token masking", "span masking"): _minus(
            "spans instead of word pieces", SPANBERT_MASKING[-1], SPANBERT_MASKING[0]
        ),
        ("", ""): _minus("one segment without next sentence prediction", one, two),
        ("span masking", "span masking + SBO"): _minus("the SBO", sbo, one),
    }


def _minus(name: str, after: Row, before: Row) -> Row:
    both = (
        None
        if after.coreference is None or before.coreference is None
        else after.coreference - before.coreference
    )
    return Row(
        name,
        after.squad2 - before.squad2,
        after.newsqa - before.newsqa,
        after.triviaqa - before.triviaqa,
        both,
    )


def paper_table(caption: str, rows: Sequence[Row]) -> dict[str, Any]:
    """A table of the paper's ablation."""
    cells = [
        [
            r.name,
            *(
                f"{number(x, 1)}" if x is not None else "-"
                for x in (r.squad2, r.newsqa, r.triviaqa, r.coreference)
            ),
        ]
        for r in rows
    ]
    return table(caption, ["dev F1", "SQuAD 2.0", "NewsQA", "TriviaQA", "coreference"], cells)


def measured(cells: Cells | None) -> dict[str, Mapping[str, Sequence[float]]]:
    """The starts with at least one seed, in order."""
    return {
        name: cells[name] for name in CELLS if cells and name in cells and len(cells[name]["f1"])
    }


def budget_says(budget: Mapping[str, Any] | None) -> str:
    """How long every start was pre-trained and every reader fine-tuned, and on what."""
    if budget is None:
        return ""
    pieces = budget["pretrain_steps"] * budget["batch_tokens"] / 1e6
    return (
        f"Pre-trained for {budget['pretrain_steps']:,} steps of {budget['batch_tokens']:,} "
        f"pieces ({number(pieces, 1)} million; the plain "
        f"encoder not at all), then fine-tuned for {budget['finetune_steps']:,} steps, all alike."
    )


def ablation_data(cells: Cells | None, budget: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Our experiment by start: spread, what steps add, what is missing; the paper's tables."""
    found = measured(cells)
    rows = [
        {"name": name, "f1": [float(x) for x in cell["f1"]], "mean": mean(cell["f1"])}
        for name, cell in found.items()
    ]
    printed = [
        [name, str(len(cell["f1"])), *(spread(cell[key]) for key, _ in SCORES)]
        for name, cell in found.items()
    ]
    return {
        "rows": rows,
        "budget": budget_says(budget),
        "missing": missing_says([name for name in CELLS if name not in found]),
        "says": ablation_says(found),
        "table": table(
            "Fine-tuned alike from each start, squad-dev: mean (smallest to largest)",
            ["start of the reader", "seeds", *(name for _, name in SCORES)],
            printed,
        )
        if printed
        else None,
        "steps": steps_table(found),
        "paper": [
            paper_table("The paper's masking schemes", SPANBERT_MASKING),
            paper_table("The paper's objectives", SPANBERT_OBJECTIVES),
        ],
        "source": SPANBERT,
    }


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean."""
    return float(sum(values) / len(values))


def spread(values: Sequence[float]) -> str:
    """71.2 (70.8 to 71.6)."""
    return (
        f"{number(mean(values), 1)} ({number(min(values), 1)} to {number(max(values), 1)})"
        if len(values) > 1
        else f"{number(values[0], 1)}"
    )


def difference(found: Cells, before: str, after: str, key: str = "f1") -> float:
    """Mean after minus mean before, from the two means as printed."""
    return moved(mean(found[before][key]), mean(found[after][key]), 1)


def steps_table(found: Cells) -> dict[str, Any] | None:
    """What each start adds, whether seeds overlap, the paper's; None for fewer than two."""
    if len(found) < 2:
        return None
    rows = []
    for before, after in pairwise(found):
        theirs = paper_steps().get((before, after))
        rows.append(
            [
                f"{before} → {after}",
                *(signed(difference(found, before, after, key), 1) for key, _ in SCORES),
                ranges(found[before]["f1"], found[after]["f1"]),
                "-" if theirs is None else signed(theirs.squad2, 1),
            ]
        )
    return table(
        "What each step adds, means of the seeds",
        ["step", *(name for _, name in SCORES), "F1 of the seeds", "the paper's, SQuAD 2.0 F1"],
        rows,
    )


def ranges(before: Sequence[float], after: Sequence[float]) -> str:
    """Whether two starts are apart in every seed."""
    if len(before) == len(after) == 1:
        return "one seed each"
    return "apart" if apart(before, after) else "overlap"


def apart(a: Sequence[float], b: Sequence[float]) -> bool:
    """Whether every value of one lies above every value of the other."""
    return max(a) < min(b) or max(b) < min(a)


def by_luck(a: int, b: int) -> float:
    """How often a and b alike seeds fall apart all the same: 2 / C(a + b, a), 1/3 for 2 and 2."""
    return 2 / comb(a + b, a)


def missing_says(missing: Sequence[str]) -> str:
    """An honest sentence about cells that were not run."""
    if not missing:
        return ""
    if len(missing) == len(CELLS):
        return (
            "Our own experiment is not in this checkout: none of its four starts was "
            "measured. The figures below are the paper's alone."
        )
    return f"Not measured: {', '.join(missing)}."


def ablation_says(found: Cells) -> str:
    """Best and worst start, how much seeds differ, and whether so few seeds can prove an order."""
    if len(found) < 2:
        return ""
    f1 = {name: cell["f1"] for name, cell in found.items()}
    worst, *_, best = sorted(f1, key=lambda name: mean(f1[name]))
    gap, a, b = difference(found, worst, best), len(f1[best]), len(f1[worst])
    said = f"On this budget “{best}” reads best and “{worst}” worst, {number(gap, 1)} F1 apart. "
    if all(len(values) < 2 for values in f1.values()):
        return said + "With one seed each nobody can say how much of that is chance."
    noise = max(max(values) - min(values) for values in f1.values())
    said += (
        f"Seeds of one start differ by up to {number(noise, 1)}, "
        f"{'less than that' if noise < gap else 'no less than that'}. "
    )
    if not apart(f1[best], f1[worst]):
        return said + "The seeds of these two overlap: the order may be chance, nothing is proved."
    luck, pairs = by_luck(a, b), comb(len(found), 2)
    alike = (
        f"if both were alike, {a} and {b} seeds would fall apart like this in "
        f"{percent(luck)} of all experiments"
    )
    if pairs > 1:
        alike += f", and these two were picked out of {len(found)} starts afterwards"
    verdict = "hard to call chance" if luck * pairs < UNLIKELY else "a hint, no proof"
    return f"{said}The seeds of these two do not overlap, but {alike}: {verdict}."


def closing_notice(found: Cells) -> str:
    """What the paper's changes are worth on two tasks, and ours step by step."""
    steps = sorted(paper_steps().values(), key=lambda row: -row.squad2)
    said = (
        f"On SQuAD 2.0 the paper's changes add: "
        f"{', '.join(f'{row.name} {signed(row.squad2, 1)}' for row in steps)} F1."
    )
    most = max(
        (row for row in steps if row.coreference is not None),
        key=lambda row: row.coreference or 0.0,
    )
    said += f" On coreference {most.name} adds most, {signed(most.coreference or 0.0, 1)}."
    if len(found) < 2:
        return spelled(said)
    ours = [
        f"{after} {signed(difference(found, before, after), 1)}"
        for before, after in pairwise(found)
    ]
    few, many = (pick(len(cell["f1"]) for cell in found.values()) for pick in (min, max))
    seeds = f"{few} to {many} seeds" if few < many else f"{few} seed{'s' if few > 1 else ''}"
    return spelled(
        f"{said} Here, each against the start before it: {', '.join(ours)} F1, from {seeds} a "
        f"start."
    )
