"""What the sections of the report share: one or two readers' lines under every threshold that a
slider can show, and patches, dots with intervals, words.

What a press changes lies beside a block as patches, {"by": names of the state, "of": {their values:
{path in the block: value}}}: the browser picks and computes no number.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from qa_demo import blocks as ui
from qa_demo.blocks import END, START, Block
from qa_demo.core.base import Floats
from qa_demo.evaluation.calibrate import halves
from qa_demo.evaluation.compare import (
    Bools,
    Draws,
    Interval,
    Lines,
    Row,
    names_of,
    paired,
    units_of,
)
from qa_demo.evaluation.threshold import Trade, trade_of
from qa_demo.printed import escape, number, signed

METRICS = {"f1": "F1", "exact": "exact match"}
Blocks = list[Block | None]
STEPS = 61
"""Thresholds between which the slider moves, at equal steps through the questions."""
MODES = {"run": "as run", "fitted": "fitted on the other half", "best": "best on these questions"}


class Side:
    """One reader: its lines under every threshold that the report can show."""

    def __init__(self, name: str, key: str, role: str, rows: Sequence[Row], run: Row) -> None:
        self.name, self.key, self.role, self.rows, self.run = name, key, role, rows, run
        self.trade: Trade = trade_of(rows)
        self.own: float | None = run["threshold"] if run["rules"] == "2.0" else None

    @cached_property
    def steers(self) -> bool:
        """Whether a threshold changes anything: some questions have an answer, some have none."""
        return self.own is not None and len(set(self.trade.answerable.tolist())) == 2

    @cached_property
    def best(self) -> float:
        """The threshold of the highest F1 on these questions."""
        return self.trade.best("f1")[0]

    @cached_property
    def fitted(self) -> Floats:
        """For each question the threshold of the highest F1 on the other half of the articles."""
        titles, found = units_of(self.rows)[0], np.full(len(self.rows), self.best)
        sides = halves(titles)
        for side, other in (sides, sides[::-1]):
            half = self.trade.part(other)
            if len(set(half.answerable.tolist())) == 2 and np.isfinite(half.diffs).any():
                found[side] = half.best("f1")[0]
        return found

    @cached_property
    def thresholds(self) -> list[float | None]:
        """Those of the slider, rising; None alone where nothing is withheld."""
        if not self.steers:
            return [self.own]
        cuts = self.trade.cuts
        at = np.unique(np.linspace(0, len(cuts) - 1, STEPS).round().astype(int))
        return [*sorted({float(c) for c in cuts[at]} | {float(self.own or 0.0), self.best})]

    def at(self, mode: str) -> int:
        """Where a mode stands among `frames`."""
        if mode == "fitted":
            return len(self.thresholds)
        return self.thresholds.index(self.own if mode == "run" else self.best)

    @cached_property
    def frames(self) -> list[Any]:
        """The thresholds, and last, where there is more than one, those of the mode "fitted"."""
        return [*self.thresholds, self.fitted] if self.steers else self.thresholds

    def scores(self, metric: str) -> Floats:
        """Percent of each question in each frame, [frames, n]."""
        return np.stack([self.trade.scores(t, metric) for t in self.frames])


@dataclass(frozen=True)
class Portion:
    """Questions that are scored apart."""

    name: str
    mask: Bools


@dataclass(frozen=True)
class Shown:
    """What all sections draw from."""

    sides: list[Side]
    draws: Draws
    drawn: str
    parts: list[Portion]
    differs: tuple[str, ...]
    page: str

    @property
    def modes(self) -> list[str]:
        """The modes that differ from each other; "fitted" needs two articles."""
        if not all(side.steers for side in self.sides):
            return ["run"]
        return ["run", *(["fitted"] if self.draws.count > 1 else []), "best"]


def shown_of(first: Lines, second: Lines | None, page: str) -> Shown:
    """Pair the lines and draw the articles. Errors: BadInput where two files share no question."""
    rows, run = first
    differs: tuple[str, ...] = ()
    if second is None:
        sides = [Side(str(run["reader"]), "a", START, rows, run)]
    else:
        pair, names = paired(*first, *second), names_of(run, second[1])
        rows, differs = pair.a, pair.differs
        sides = [
            Side(names[0], "a", START, pair.a, run),
            Side(names[1], "b", END, pair.b, second[1]),
        ]
    units, drawn = units_of(rows)
    has = np.array([bool(row["gold"]) for row in rows])
    parts = [Portion("all questions", np.ones(len(rows), dtype=bool))]
    if 0 < has.sum() < len(has):
        parts += [Portion("with an answer", has), Portion("without one", ~has)]
    return Shown(sides, Draws(units), drawn, parts, differs, page)


# ---- blocks


def patched(block: Block, by: Sequence[str], of: Mapping[str, Mapping[str, Any]]) -> Block:
    """The block with one more table of patches."""
    table = {"by": list(by), "of": {key: dict(patch) for key, patch in of.items()}}
    return {**block, "patches": [*block.get("patches", ()), table]}


def plain(values: Floats) -> list[float]:
    """Numbers for a trace."""
    return [round(float(x), 2) for x in np.nan_to_num(values)]


def joined(found: Sequence[Interval]) -> Interval:
    """Intervals of one mean each as one."""
    return Interval(*(np.concatenate(x) for x in zip(*found, strict=True)))


def spread(found: Interval, frame: int | None = None) -> Block:
    """Means and error bars of a trace, as paths in it; no bar where there is no interval."""
    value, low, high = (x if frame is None else x[:, frame] for x in found)
    return {
        "x": plain(value),
        "error_x.array": plain(high - value),
        "error_x.arrayminus": plain(value - low),
    }


def dots(role: str, y: Sequence[float], found: Block, **more: Any) -> Block:
    """Dots with intervals along x; `found` is what `spread` gives."""
    bars: Block = {"type": "data", "symmetric": False, "color": role, "thickness": 2, "width": 0}
    bars |= {name: found[f"error_x.{name}"] for name in ("array", "arrayminus")}
    made = {"type": "scatter", "mode": "markers", "x": found["x"], "y": list(y), "error_x": bars}
    return {**made, "marker": {"color": role, "size": 10}, "hoverinfo": "x", **more}


def words(value: float, low: float, high: float, sign: bool = False) -> str:
    """74.0 (71.2 to 76.8), or the value alone."""
    said = signed if sign else number
    found = said(value, 1)
    return found if math.isnan(low) else f"{found} ({said(low, 1)} to {said(high, 1)})"


def one(found: Interval) -> tuple[float, float, float]:
    """The only mean of an interval."""
    return float(found.value[0]), float(found.low[0]), float(found.high[0])


def short(text: str, most: int = 24) -> str:
    """A name on an axis, escaped."""
    return escape(text if len(text) <= most else f"{text[: most - 1]}…")


def readers(s: Shown, key: str) -> Block | None:
    """Which colour is which reader; nothing for one alone."""
    marks = [("dot", side.role, side.name) for side in s.sides]
    return ui.legend(f"{key}-readers", *marks) if len(s.sides) > 1 else None


def offsets(s: Shown, gap: float) -> list[float]:
    """How far above and below a row the readers stand."""
    return [gap, -gap] if len(s.sides) == 2 else [0.0]


def head(key: str, title: str, idea: str) -> list[Block | None]:
    """A section's name and what it is."""
    return [ui.sentence(f"{key}-head", "heading", title), ui.sentence(f"{key}-idea", "note", idea)]
