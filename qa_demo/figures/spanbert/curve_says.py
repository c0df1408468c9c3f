"""What the learning curve says: how far phases came, whether it rises, aims reached."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from qa_demo.core.masking.infill import AIMS
from qa_demo.figures.numbers import moved, number, rounded, signed
from qa_demo.figures.prose import listed, plural

HEADS = (("mlm", "MLM"), ("sbo", "SBO"))
Row = Mapping[str, Any]

LATE = 0.8
"""The last fifth of the steps begins here."""


DECAY = (
    "The learning rate falls to zero at the end of a phase, which bends the end of the curve "
    "as well."
)


def phases_say(phases: Sequence[Row]) -> str:
    """Which phases read more text or used dropout, and which one is not in the shipped weights."""
    said = []
    for count, phase in enumerate(phases, 1):
        ways = [
            *(["read more text"] if phase.get("more_text") else []),
            *([f"used dropout {phase['dropout']:g}"] if phase.get("dropout") else []),
        ]
        if ways:
            said.append(f"Phase {count} {' and '.join(ways)}.")
        if phase.get("tried"):
            said.append(f"Phase {count} was tried and is not in the weights of this page.")
    return " ".join(said)


def late_says(rows: Sequence[Row], heads: Sequence[tuple[str, str]]) -> str:
    """What the last fifth of the steps gained, against its standard error."""
    last = rows[-1]
    alike = [row for row in rows if row["pieces"] == last["pieces"] and row["step"] < last["step"]]
    since = next((row for row in reversed(alike) if row["step"] <= LATE * last["step"]), None)
    other = " Earlier ones were on other blanks." if len(alike) < len(rows) - 1 else ""
    if since is None:
        return (
            f"There are too few measurements on the same blanks before step {last['step']:,} to "
            f"say what the last fifth of the steps gained.{other}"
        )
    moves, verdicts = [], []
    for key, name in heads:
        if key not in last or key not in since:
            continue
        was, now = since[key], last[key]
        error = 100 * math.sqrt(last[key] / 100 * (1 - last[key] / 100) / last["pieces"])
        moves.append(
            f"{name} from {number(was, 1)} to {number(now, 1)} % ({signed(moved(was, now, 1), 1)}, "
            f"standard error {number(error, 1)})"
        )
        verdicts.append(
            (name, "rose" if now - was > error else "fell" if was - now > error else "stayed")
        )
    share = 1 - since["step"] / last["step"]
    return (
        f"In the last {number(100 * share, 0)} % of the steps, from {since['step']:,} to "
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
            f"stood at {listed([f'{number(share, 1)}' for share in shares])} % of {whose}"
        )
        going = _going(steps, shares, ends[-1]["pieces"], AIMS[f"{key}_top1"], reached[key])
        said.append(f"{stood}: {going}")
    return " ".join(said)


def _going(
    steps: Sequence[int], shares: Sequence[float], pieces: int, aim: float, reached: float
) -> str:
    """Whether the last phase gained more than its standard error, and how far the aim is then."""
    gain = rounded(float(np.polyfit(np.log2(steps), shares, 1)[0]), 1)
    last = moved(shares[-2], shares[-1], 1)
    error = 100 * math.sqrt(shares[-1] / 100 * (1 - shares[-1] / 100) / pieces)
    if last > error and gain <= 0:
        return (
            f"the last {steps[-1] - steps[-2]:,} steps brought {signed(last, 1)} with a standard "
            f"error of {number(error, 1)}, but a line through all of them does not rise."
        )
    if last > error:
        away = plural(math.ceil((aim - reached) / gain), "doubling")
        return (
            f"a line through them gains {number(gain, 1)} for each doubling of the steps; "
            f"from {number(reached, 1)} % the aim would be {away} away."
        )
    return (
        f"the last {steps[-1] - steps[-2]:,} steps brought {signed(last, 1)} with a standard "
        f"error of {number(error, 1)}, so no gain: a plateau."
    )


def aims_says(reached: Mapping[str, float]) -> str:
    """Each aim with what was reached of it."""
    aims = [(name, AIMS[f"{key}_top1"], reached[key]) for key, name in HEADS if key in reached]
    said = [
        f"{name} {number(aim, 0)} % ({number(got, 1)} %: "
        f"{'reached' if got >= aim else 'not reached'})"
        for name, aim, got in aims
    ]
    return f"The aims were {' and '.join(said)}." if said else ""
