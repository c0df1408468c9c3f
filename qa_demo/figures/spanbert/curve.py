"""The learning curve of the pre-training as data: held-out top-1 by step, where a phase begins,
the aims, and whether it still rises.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from qa_demo.core.infill import AIMS
from qa_demo.figures.numbers import signed
from qa_demo.figures.payload import table
from qa_demo.figures.prose import listed, plural

HEADS = (("mlm", "MLM"), ("sbo", "SBO"))
LATE = 0.8
"""The last fifth of the steps begins here."""
NO_RECORD = (
    "The record of the pre-training is not in this checkout, so its learning curve cannot be drawn."
)
DECAY = (
    "The learning rate falls to zero at the end of a phase, which bends the end of the curve "
    "as well."
)
LEGEND = "Squares: all {blanks} held-out blanks at the end of a phase."
ENDS_ONLY = (
    "The learning rate rises and falls to zero within each phase, so steps can be "
    "compared at the ends of phases only."
)
NO_ROWS = "Nothing was measured along the way, so there is no learning curve."

Row = Mapping[str, Any]


def curve_rows(card: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every measurement in order: phase (from 1), steps and minutes of all phases so far, blanks,
    each head's top-1 and perplexity.
    """
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
    """What each phase had reached at its end on all held-out blanks, where that was measured:
    phase, steps so far, blanks, top-1.
    """
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
    """The picture, its sentence and its table twin; `overall` are the figures on all held-out
    paragraphs, once they were measured.
    """
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


def phases_say(phases: Sequence[Row]) -> str:
    """Which phases read more text or used dropout, and which one is not in the weights that
    ship.
    """
    said = []
    for number, phase in enumerate(phases, 1):
        ways = [
            *(["read more text"] if phase.get("more_text") else []),
            *([f"used dropout {phase['dropout']:g}"] if phase.get("dropout") else []),
        ]
        if ways:
            said.append(f"Phase {number} {' and '.join(ways)}.")
        if phase.get("tried"):
            said.append(f"Phase {number} was tried and is not in the weights of this page.")
    return " ".join(said)


def late_says(rows: Sequence[Row], heads: Sequence[tuple[str, str]]) -> str:
    """What the last fifth of the steps gained on the same blanks, against the standard error of a
    share of so many blanks.
    """
    last = rows[-1]
    alike = [row for row in rows if row["pieces"] == last["pieces"] and row["step"] < last["step"]]
    since = next((row for row in reversed(alike) if row["step"] <= LATE * last["step"]), None)
    other = " Earlier ones were on other blanks." if len(alike) < len(rows) - 1 else ""
    if since is None:
        return (
            f"There are too few measurements on the same blanks before step {last['step']:,} to "
            f"say what the last fifth of the steps "
            f"gained.{other}"
        )
    moves, verdicts = [], []
    for key, name in heads:
        if key not in last or key not in since:
            continue
        was, now = round(since[key], 1), round(last[key], 1)
        error = 100 * math.sqrt(last[key] / 100 * (1 - last[key] / 100) / last["pieces"])
        moves.append(
            f"{name} from {was:.1f} to {now:.1f} % ({signed(now - was, 1)}, standard error "
            f"{error:.1f})"
        )
        verdicts.append(
            (name, "rose" if now - was > error else "fell" if was - now > error else "stayed")
        )
    share = 1 - since["step"] / last["step"]
    return (
        f"In the last {100 * share:.0f} % of the steps, from {since['step']:,} to "
        f"{last['step']:,}, top-1 on the same "
        f"{last['pieces']:,} held-out blanks went: {', '.join(moves)}. {plateau(verdicts)}{other}"
    )


def plateau(verdicts: Sequence[tuple[str, str]]) -> str:
    """Whether the heads still rose by more than the standard error of one measurement."""
    by = {
        kind: " and ".join(name for name, found in verdicts if found == kind)
        for kind in ("rose", "stayed", "fell")
    }
    said = (
        [
            f"{by['rose']} still rose: no plateau is "
            f"seen{' there' if by['stayed'] or by['fell'] else ''}."
        ]
        if by["rose"]
        else []
    )
    said += (
        [
            f"{by['stayed']} moved by no more than that error: so many blanks cannot tell it "
            f"from a plateau."
        ]
        if by["stayed"]
        else []
    )
    return " ".join([*said, *([f"{by['fell']} fell."] if by["fell"] else [])])


def pace_says(
    rows: Sequence[Row],
    measured: Sequence[Row],
    heads: Sequence[tuple[str, str]],
    reached: Mapping[str, float],
) -> str:
    """What twice the steps added, by a straight line through the ends of the phases, where the
    learning rate has fallen alike.

    top-1 = a + b log2(steps) by least squares over what was `measured` at those ends on all
    held-out blanks, else over the last measurement of each phase on the same blanks; said for a
    head that misses its aim. From what was reached the aim is then (aim - reached) / b doublings
    away, if the line continued.
    """
    last_of = {row["phase"]: row for row in rows}
    ends = (
        measured
        if len(measured) > 1
        else [row for row in last_of.values() if row["pieces"] == rows[-1]["pieces"]]
    )
    whose = f"all {ends[-1]['pieces']:,} held-out blanks" if ends is measured else "those blanks"
    said = []
    for key, name in heads:
        held = [row for row in ends if key in row]
        if len(held) < 2 or key not in reached or reached[key] >= AIMS[f"{key}_top1"]:
            continue
        steps, shares = [row["step"] for row in held], [row[key] for row in held]
        stood = (
            f"At the ends of the phases ({listed([f'{step:,}' for step in steps])} steps) {name} "
            f"stood at "
            f"{listed([f'{share:.1f}' for share in shares])} % of {whose}"
        )
        going = _going(steps, shares, ends[-1]["pieces"], AIMS[f"{key}_top1"], reached[key])
        said.append(f"{stood}: {going}")
    return " ".join(said)


def _going(
    steps: Sequence[int], shares: Sequence[float], pieces: int, aim: float, reached: float
) -> str:
    """Whether the last phase gained more than its standard error, and how far the aim is then."""
    gain = round(float(np.polyfit(np.log2(steps), shares, 1)[0]), 1)
    last = round(shares[-1], 1) - round(shares[-2], 1)
    error = 100 * math.sqrt(shares[-1] / 100 * (1 - shares[-1] / 100) / pieces)
    if last > error and gain <= 0:
        return (
            f"the last {steps[-1] - steps[-2]:,} steps brought {signed(last, 1)} with a standard "
            f"error of {error:.1f}, but a line through all of them does not rise."
        )
    if last > error:
        away = plural(math.ceil((aim - reached) / gain), "doubling")
        return (
            f"a line through them gains {gain:.1f} for each doubling of the steps; "
            f"from {reached:.1f} % the aim would be {away} away."
        )
    return (
        f"the last {steps[-1] - steps[-2]:,} steps brought {signed(last, 1)} with a standard "
        f"error of {error:.1f}, so no gain: a plateau."
    )


def aims_says(reached: Mapping[str, float]) -> str:
    """Each aim with what was reached of it."""
    aims = [(name, AIMS[f"{key}_top1"], reached[key]) for key, name in HEADS if key in reached]
    said = [
        f"{name} {aim:.0f} % ({got:.1f} %: {'reached' if got >= aim else 'not reached'})"
        for name, aim, got in aims
    ]
    return f"The aims were {' and '.join(said)}." if said else ""


def curve_table(rows: Sequence[Row], heads: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Table twin of the curve."""

    def cells(row: Row, key: str) -> list[str]:
        return [
            f"{row[key]:.1f} %" if key in row else "–",
            f"{row[f'{key}_perplexity']:,.1f}" if f"{key}_perplexity" in row else "–",
        ]

    return table(
        "The learning curve: held-out figures along the pre-training",
        [
            "step",
            "phase",
            "minutes",
            "blanks",
            *(f"{name} {what}" for _, name in heads for what in ("top-1", "perplexity")),
        ],
        [
            [
                f"{row['step']:,}",
                str(row["phase"]),
                f"{row['minutes']:.0f}",
                f"{row['pieces']:,}",
                *(cell for key, _ in heads for cell in cells(row, key)),
            ]
            for row in rows
        ],
    )


def ends_table(ends: Sequence[Row], heads: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Table twin of the squares."""
    return table(
        "All held-out blanks at the ends of the phases",
        ["step", "phase", "blanks", *(f"{name} top-1" for _, name in heads)],
        [
            [
                f"{end['step']:,}",
                str(end["phase"]),
                f"{end['pieces']:,}",
                *(f"{end[key]:.1f} %" if key in end else "–" for key, _ in heads),
            ]
            for end in ends
        ],
    )
