"""The experiment of chapter 8: a reader from four starts, seed by seed; the paper's beside."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import comb
from typing import Any

from qa_demo.core.measuring.published import SPANBERT, SPANBERT_MASKING, SPANBERT_OBJECTIVES, Row
from qa_demo.figures.numbers import moved, number, percent, signed
from qa_demo.figures.payload import columns
from qa_demo.figures.spanbert.spelled import spelled

CELLS = ("plain encoder", "token masking", "span masking", "span masking + SBO")
"""The four starts of a reader, in the order in which each adds one thing."""
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
    return columns(
        caption,
        rows,
        {
            "dev F1": lambda r: r.name,
            "SQuAD 2.0": lambda r: number(r.squad2, 1),
            "NewsQA": lambda r: number(r.newsqa, 1),
            "TriviaQA": lambda r: number(r.triviaqa, 1),
            "coreference": lambda r: "-" if r.coreference is None else number(r.coreference, 1),
        },
    )


def budget_says(budget: Mapping[str, Any]) -> str:
    """How long every start was pre-trained and every reader fine-tuned, and on what."""
    pieces = budget["pretrain_steps"] * budget["batch_tokens"] / 1e6
    return (
        f"Pre-trained for {budget['pretrain_steps']:,} steps of {budget['batch_tokens']:,} "
        f"pieces ({number(pieces, 1)} million; the plain "
        f"encoder not at all), then fine-tuned for {budget['finetune_steps']:,} steps, all alike."
    )


def ablation_data(cells: Cells, budget: Mapping[str, Any]) -> dict[str, Any]:
    """Our experiment by start: spread and what steps add; the paper's tables."""
    starts = [(name, cells[name]) for name in CELLS]
    return {
        "rows": [{"name": n, "f1": [*cell["f1"]], "mean": mean(cell["f1"])} for n, cell in starts],
        "budget": budget_says(budget),
        "says": ablation_says(cells),
        "tables": [
            columns(
                "Fine-tuned alike from each variant, squad-dev: mean (smallest to largest)",
                starts,
                {
                    "variant": lambda row: row[0],
                    "seeds": lambda row: str(len(row[1]["f1"])),
                    "exact": lambda row: spread(row[1]["exact"]),
                    "F1": lambda row: spread(row[1]["f1"]),
                    "BIO F1": lambda row: spread(row[1]["bio_f1"]),
                },
            ),
            steps_table(cells),
        ],
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


def steps_table(cells: Cells) -> dict[str, Any]:
    """What each start adds, whether seeds overlap, the paper's."""
    paper = paper_steps()

    def added(key: str) -> Callable[[tuple[str, str]], str]:
        return lambda step: signed(difference(cells, *step, key), 1)

    return columns(
        "What each step adds, means of the seeds",
        pairwise(CELLS),
        {
            "step": " → ".join,
            "exact": added("exact"),
            "F1": added("f1"),
            "BIO F1": added("bio_f1"),
            "F1 of the seeds": lambda step: ranges(*(cells[name]["f1"] for name in step)),
            "the paper's, SQuAD 2.0 F1": lambda step: (
                signed(paper[step].squad2, 1) if step in paper else "-"
            ),
        },
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


def ablation_says(found: Cells) -> str:
    """Best and worst start, how much seeds differ, and whether so few seeds can prove an order."""
    f1 = {name: cell["f1"] for name, cell in found.items()}
    worst, *_, best = sorted(f1, key=lambda name: mean(f1[name]))
    gap, a, b = difference(found, worst, best), len(f1[best]), len(f1[worst])
    said = f"On this budget “{best}” reads best and “{worst}” worst, {number(gap, 1)} F1 apart. "
    if all(len(values) < 2 for values in f1.values()):
        return said + "With one seed each nobody can say how much of that is chance."
    noise = max(max(values) - min(values) for values in f1.values())
    said += (
        f"Seeds of one variant differ by up to {number(noise, 1)}, "
        f"{'less than that' if noise < gap else 'no less than that'}. "
    )
    if not apart(f1[best], f1[worst]):
        return said + "The seeds of these two overlap: the order may be chance, nothing is proved."
    luck, pairs = by_luck(a, b), comb(len(found), 2)
    alike = (
        f"if both were alike, {a} and {b} seeds would fall apart like this in {percent(luck)} of "
        f"all experiments, and these two were picked out of {len(found)} variants afterwards"
    )
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
    ours = [
        f"{after} {signed(difference(found, before, after), 1)}"
        for before, after in pairwise(CELLS)
    ]
    few, many = (pick(len(cell["f1"]) for cell in found.values()) for pick in (min, max))
    seeds = f"{few} to {many} seeds" if few < many else f"{few} seed{'s' if few > 1 else ''}"
    return spelled(
        f"{said} Here, each against the variant before it: {', '.join(ours)} F1, from {seeds} "
        f"a variant."
    )
