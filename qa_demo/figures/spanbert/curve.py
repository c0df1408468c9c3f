"""The pre-training's learning curve: held-out top-1 by step, phases, aims, whether it rises."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

from qa_demo.core.masking.infill import AIMS
from qa_demo.figures.numbers import grouped, number
from qa_demo.figures.payload import columns
from qa_demo.figures.spanbert.curve_says import (
    DECAY,
    HEADS,
    Row,
    aims_says,
    late_says,
    pace_says,
    phases_say,
)

NO_RECORD = (
    "The record of the pre-training is not in this checkout, so its learning curve cannot be drawn."
)
LEGEND = "Squares: all {blanks} held-out blanks at the end of a phase."
ENDS_ONLY = (
    "The learning rate rises and falls to zero within each phase, so steps can be "
    "compared at the ends of phases only."
)
NO_ROWS = "Nothing was measured along the way, so there is no learning curve."


def curve_rows(card: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every measurement in order: phase, steps and minutes so far, blanks, top-1 and perplexity."""
    return [
        {
            "phase": number,
            "step": int(row["before"] + row["step"]),
            "begins": int(row["before"]),
            "minutes": row["seconds"] / 60,
            "pieces": int(row["held"]["pieces"]),
            **{
                key: float(row["held"][f"{key}_top1"])
                for key, _ in HEADS
                if f"{key}_top1" in row["held"]
            },
            **{
                f"{key}_perplexity": float(row["held"][f"{key}_perplexity"])
                for key, _ in HEADS
                if f"{key}_perplexity" in row["held"]
            },
        }
        for number, phase in enumerate(card["phases"], 1)
        for row in phase["curve"]
    ]


def phase_ends(card: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Each phase's end on all held-out blanks, where measured: phase, steps, blanks, top-1."""
    steps = accumulate(phase.get("steps_taken", 0) for phase in card["phases"])
    found = [
        (number, step, phase.get("all_held_out"))
        for number, (step, phase) in enumerate(zip(steps, card["phases"], strict=True), 1)
    ]
    return [
        {
            "phase": number,
            "step": step,
            "pieces": int(held["pieces"]),
            **{key: float(held[f"{key}_top1"]) for key, _ in HEADS if f"{key}_top1" in held},
        }
        for number, step, held in found
        if held
    ]


def curve_data(card: Mapping[str, Any] | None, overall: Mapping[str, Any] | None) -> dict[str, Any]:
    """The picture, its sentence and twin; `overall`: figures on all held-out paragraphs."""
    if card is None:
        return {"rows": [], "ends": [], "begins": [], "aims": [], "says": NO_RECORD, "tables": []}
    rows = curve_rows(card)
    if not rows:
        return {"rows": [], "ends": [], "begins": [], "aims": [], "says": NO_ROWS, "tables": []}
    heads = [(key, name) for key, name in HEADS if any(key in row for row in rows)]
    begins = {row["phase"]: row["begins"] for row in reversed(rows)}
    along = {key: row[key] for row in rows for key, _ in heads if key in row}
    reached = (
        along
        if overall is None
        else {key: float(overall[f"{key}_top1"]) for key, _ in heads if f"{key}_top1" in overall}
    )
    ends = phase_ends(card)
    ends = [end for end in ends if end["pieces"] == ends[-1]["pieces"]]
    decays = any(p.get("decay") == "linear" for p in card["phases"])
    alone = [late_says(rows, heads), *([DECAY] if decays else [])]
    late = [ENDS_ONLY] if decays and len(ends) > 1 else alone
    says = [
        phases_say(card["phases"]),
        *late,
        pace_says(rows, ends, heads, reached),
        aims_says(reached),
    ]
    return {
        "rows": [{k: row[k] for k in ("phase", "step", "mlm", "sbo") if k in row} for row in rows],
        "ends": [{k: end[k] for k in ("step", "mlm", "sbo") if k in end} for end in ends],
        "legend": LEGEND.format(blanks=f"{ends[-1]['pieces']:,}") if ends else None,
        "begins": [{"phase": phase, "step": begins[phase]} for phase in sorted(begins)]
        if len(begins) > 1
        else [],
        "aims": [{"head": key, "name": name, "top1": AIMS[f"{key}_top1"]} for key, name in heads],
        "says": " ".join(filter(None, says)),
        "tables": [curve_table(rows, heads), *([ends_table(ends, heads)] if ends else [])],
    }


def curve_table(rows: Sequence[Row], heads: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Table twin of the curve."""
    cells: dict[str, Callable[[Row], str]] = {
        "step": lambda row: f"{row['step']:,}",
        "phase": lambda row: str(row["phase"]),
        "minutes": lambda row: number(row["minutes"], 0),
        "blanks": lambda row: f"{row['pieces']:,}",
    }
    for key, name in heads:
        cells[f"{name} top-1"] = partial(_top1, key=key)
        cells[f"{name} perplexity"] = partial(_perplexity, key=f"{key}_perplexity")
    return columns("The learning curve: held-out figures along the pre-training", rows, cells)


def _top1(row: Row, key: str) -> str:
    return f"{number(row[key], 1)} %" if key in row else "–"


def _perplexity(row: Row, key: str) -> str:
    return grouped(row[key], 1) if key in row else "–"


def ends_table(ends: Sequence[Row], heads: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Table twin of the squares."""
    cells: dict[str, Callable[[Row], str]] = {
        "step": lambda end: f"{end['step']:,}",
        "phase": lambda end: str(end["phase"]),
        "blanks": lambda end: f"{end['pieces']:,}",
        **{f"{name} top-1": partial(_top1, key=key) for key, name in heads},
    }
    return columns("All held-out blanks at the ends of the phases", ends, cells)
