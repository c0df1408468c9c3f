"""What the sections of the report share: one or two readers' lines under every threshold that the
report can show, dots with intervals, words.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from qa_demo import blocks as ui
from qa_demo.blocks import END, START, Block
from qa_demo.core.base import Bools, Floats
from qa_demo.evaluation.calibrate import halves
from qa_demo.evaluation.compare import Interval, Units, paired
from qa_demo.evaluation.lines import Evaluation, Row
from qa_demo.evaluation.table import Table
from qa_demo.printed import number, signed

METRICS = {"f1": "F1", "exact": "exact match"}
MODES = {
    "run": "as run",
    "fitted": "fitted on the other half of the articles",
    "best": "best F1 on these questions (an upper bound)",
}
PERCENTS = range(0, 101, 2)
"""Where the slider stops: so many percent of the questions are left without an answer."""
FAILURES = 10
"""So many of the surest are shown."""


class Side:
    """One reader: its name, its colour (`role`), its lines (`rows`, as columns `table`), what they
    were made with (`run`), and thresholds by name (`limits_of`). `up`: where it stands in a row of
    both readers, 1 above, -1 below, 0 alone. `own`: what its threshold "run" is called.
    """

    def __init__(self, name: str, found: Evaluation, role: str, up: int) -> None:
        self.name, self.role, self.up = name, role, up
        self.rows, self.run, self.table = found.rows, found.run, Table(found.rows)
        self.limits = limits_of(self.run, self.table)
        self.own = "as given" if "given" in self.run else MODES["run"]

    def scores(self, metric: str, at: str) -> Floats:
        """Percent of each question under a threshold, [n]."""
        return self.table.scores(self.limits[at], metric)

    def place(self, at: str) -> list[float]:
        """Where a threshold stands on an axis; nowhere where none or more than one is meant."""
        limit = self.limits[at]
        return [] if limit is None or np.ndim(limit) else [float(limit)]


def limits_of(run: Row, table: Table) -> dict[str, Any]:
    """Thresholds by name: that of the run, and where others change something, since some questions
    have an answer and some have none, those of MODES ("fitted": one for each question) and of
    PERCENTS.
    """
    limits: dict[str, Any] = {"run": run["threshold"]}
    if run["threshold"] is None or not table.both or not len(table.cuts):
        return limits
    sides, fitted = halves(table.titles.tolist()), np.empty(len(table.diffs))
    parts = [table.part(half) for half in sides]
    if all(seen.both and len(seen.cuts) for seen in parts):
        for half, seen in zip(sides, parts[::-1], strict=True):
            fitted[half] = seen.best("f1")
        limits["fitted"] = fitted
    limits["best"] = table.best("f1")
    rising = np.append(table.cuts[0], np.minimum(np.sort(table.diffs), table.cuts[-1]))
    return limits | {str(p): float(rising[round(len(fitted) * (1 - p / 100))]) for p in PERCENTS}


class Reported:
    """What all sections draw from: the readers (`sides`) and their names, in what else their files
    differ, `parts`, the questions that are scored apart, by name, `modes`, what MODES are called
    here, and `values`, what each name of the state may be; the first is that in which the report
    opens. Errors: BadInput where two files share no question.
    """

    def __init__(self, first: Evaluation, second: Evaluation | None, page: str) -> None:
        found, self.differs, looks = [first], tuple[str, ...](), [(START, 0)]
        if second is not None:
            *found, self.differs = paired(first, second)
            looks = [(START, 1), (END, -1)]
        names = [str(x.run["reader"]) for x in found]
        if len({*names}) < len(names):
            names = [f"{names[0]} (A)", f"{names[0]} (B)"]
        each = zip(names, found, looks, strict=True)
        self.sides = [Side(name, x, *look) for name, x, look in each]
        self.name, self.page = " against ".join(names), page
        self.modes = MODES | {"run": " and ".join(dict.fromkeys(x.own for x in self.sides))}
        self.units = Units(self.sides[0].rows)
        has = self.sides[0].table.answerable
        self.parts = {"all questions": np.ones_like(has)}
        if self.sides[0].table.both:
            self.parts |= {"with an answer": has, "without one": ~has}
        at = [name for name in self.sides[0].limits if all(name in x.limits for x in self.sides)]
        self.values = {"metric": [*METRICS], "mode": [name for name in at if name in MODES]}
        self.values |= {"at": at, "who": names, "selection": ["", *map(str, range(FAILURES))]}

    def means(self, values: Floats, masks: Sequence[Bools], least: float = 0.0) -> Interval:
        """The mean of values [n] over each of these parts of the questions."""
        return self.units.mean(np.stack([np.where(mask, values, np.nan) for mask in masks]), least)


# ---- blocks


def head(s: Reported, key: str, title: str, idea: str) -> list[Block]:
    """A section's name, what it is, and which colour is which reader."""
    heading = ui.sentence(f"{key}-head", "heading", title)
    return [heading, ui.sentence(f"{key}-idea", "note", idea), *readers(s, key)]


def readers(s: Reported, key: str, *more: tuple[str, str, str]) -> list[Block]:
    """Which colour is which reader; nothing for one alone."""
    marks = [("dot", side.role, side.name) for side in s.sides]
    return [ui.legend(f"{key}-readers", *marks, *more)] if len(marks) > 1 else []


def thresholds(s: Reported, at: str) -> list[Block]:
    """A dotted line where each reader's threshold stands."""
    places = [(x, side.role) for side in s.sides for x in side.place(at)]
    return [ui.line(x, x, 0, 1, role, yref="paper", dash="dot") for x, role in places]


def short(values: Any) -> list[float]:
    """Numbers for a trace, with two decimals."""
    return [round(float(x), 2) for x in np.nan_to_num(np.asarray(values, dtype=np.float64))]


def dots(role: str, found: Interval, at: Any, along: str = "x", **more: Any) -> Block:
    """Dots in a reader's colour with their error bars; none where there is no interval. The pointer
    shows their `hovertext`, else x.
    """
    bars: Block = {"type": "data", "symmetric": False, "color": role, "thickness": 2, "width": 0}
    bars["array"] = short(found.high - found.value)
    bars["arrayminus"] = short(found.value - found.low)
    x, y = (short(found.value), at) if along == "x" else (at, short(found.value))
    hover: Block = {"hoverinfo": "text" if "hovertext" in more else "x", f"error_{along}": bars}
    return ui.scatter("markers", x, y, marker={"color": role, "size": 10}, **hover) | more


def rows(names: Sequence[str], high: int, axis: Block, right: int = 16, **more: Any) -> Block:
    """The layout of a figure of rows with names, each so many pixels high."""
    top, bottom = (42, 10) if "side" in axis else (16, 48)
    axes = {"xaxis": axis, "yaxis": ui.named_rows(names, automargin=True)}
    return ui.layout(high * len(names) + top + bottom, 20, right, top, bottom, **axes, **more)


def in_words(found: Interval, sign: bool = False) -> list[str]:
    """Of each mean: 74.0 (71.2 to 76.8), or the value alone."""
    shown = signed if sign else number

    def one(value: float, low: float, high: float) -> str:
        said = shown(value, 1)
        return said if math.isnan(low) else f"{said} ({shown(low, 1)} to {shown(high, 1)})"

    return [one(*map(float, each)) for each in zip(*found, strict=True)]
