"""What the sections of the report share: one or two readers' lines under every threshold that a
slider can show, blocks that change with it, dots with intervals, words.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from qa_demo import blocks as ui
from qa_demo.blocks import END, START, Block
from qa_demo.core.base import Floats
from qa_demo.evaluation.calibrate import halves
from qa_demo.evaluation.compare import Bools, Draws, Interval, Lines, Row, paired, units_of
from qa_demo.evaluation.table import Table, table_of
from qa_demo.printed import escape, number, signed

METRICS = {"f1": "F1", "exact": "exact match"}
MODES = {"run": "as run", "fitted": "fitted on the other half", "best": "best on these questions"}
Blocks = list[Block | None]
STEPS = 61
"""Thresholds between which the slider moves, at equal steps through the questions."""


@dataclass(frozen=True, eq=False)
class Side:
    """One reader and its lines under every threshold that the report can show.

    `frames`: the thresholds of its slider, rising, and last those of the mode "fitted", one for
    each question; the one of the run alone where none changes anything. `at`: the frame of each
    mode. `scores`: percent of each question in each frame, [frames, n], by metric. `up`: where it
    stands in a row of both readers, 1 above, -1 below, 0 alone.
    """

    name: str
    key: str
    role: str
    up: int
    rows: Sequence[Row]
    run: Row
    table: Table
    frames: list[Any]
    at: dict[str, int]
    scores: dict[str, Floats]

    @property
    def own(self) -> float | None:
        """The threshold as run; None where nothing is ever withheld."""
        found: float | None = self.frames[self.at["run"]]
        return found

    @property
    def thresholds(self) -> list[float | None]:
        """Those of the slider, rising."""
        return [frame for frame in self.frames if np.ndim(frame) == 0]

    def limit(self, frame: int) -> float:
        """A frame's threshold on an axis; off the picture where none or more than one is meant."""
        limit = self.frames[frame]
        return 1e6 if limit is None or np.ndim(limit) else float(limit)


def side_of(name: str, rows: Sequence[Row], run: Row, key: str, role: str, up: int) -> Side:
    """A reader of lines. A threshold changes something where some questions have an answer and some
    have none; "best" is the highest F1 on these questions, "fitted" on the other half of articles.
    """
    table, own = table_of(rows), run["threshold"] if run["rules"] == "2.0" else None
    frames, at = [own], {"run": 0}
    if own is not None and table.both:
        best, sides = table.best("f1")[0], halves(units_of(rows)[0])
        some = table.cuts[np.unique(np.linspace(0, len(table.cuts) - 1, STEPS).round().astype(int))]
        frames = sorted({*some.tolist(), own, best})
        at = {"run": frames.index(own), "best": frames.index(best)}
        fitted = np.full(len(rows), best)
        for half, other in (sides, sides[::-1]):
            seen = table.part(other)
            if seen.both and np.isfinite(seen.diffs).any():
                fitted[half] = seen.best("f1")[0]
        if all(sides):
            frames, at = [*frames, fitted], at | {"fitted": len(frames)}
    scores = {m: np.stack([table.scores(t, m) for t in frames]) for m in METRICS}
    return Side(name, key, role, up, rows, run, table, frames, at, scores)


@dataclass(frozen=True, eq=False)
class Shown:
    """What all sections draw from: the readers, draws of what is `drawn`, the questions that are
    scored apart, by name.
    """

    sides: list[Side]
    draws: Draws
    drawn: str
    parts: dict[str, Bools]
    differs: tuple[str, ...]
    page: str

    @property
    def values(self) -> dict[str, list[Any]]:
        """What each name of the state may be; of the modes those that differ."""
        modes = [mode for mode in MODES if all(mode in side.at for side in self.sides)]
        frames = {side.key: [*range(len(side.frames))] for side in self.sides}
        return {"metric": [*METRICS], "mode": modes, "who": [*frames], **frames}

    @property
    def start(self) -> dict[str, Any]:
        """The state in which the report opens."""
        firsts = {name: values[0] for name, values in self.values.items()}
        return firsts | {"selection": None} | {side.key: side.at["run"] for side in self.sides}


def shown_of(first: Lines, second: Lines | None, page: str) -> Shown:
    """Pair the lines and draw the articles. Errors: BadInput where two files share no question."""
    rows, run = first
    differs: tuple[str, ...] = ()
    if second is None:
        sides = [side_of(str(run["reader"]), rows, run, "a", START, 0)]
    else:
        rows, others, differs = paired(first, second)
        name, other = (str(made["reader"]) for made in (run, second[1]))
        if name == other:
            name, other = f"{name} (A)", f"{other} (B)"
        sides = [side_of(name, rows, run, "a", START, 1)]
        sides += [side_of(other, others, second[1], "b", END, -1)]
    units, drawn = units_of(rows)
    parts = {"all questions": np.ones(len(rows), dtype=bool)}
    if sides[0].table.both:
        has = sides[0].table.answerable
        parts |= {"with an answer": has, "without one": ~has}
    return Shown(sides, Draws(units), drawn, parts, differs, page)


# ---- what a press changes


def varied(s: Shown, make: Callable[..., Block], *names: str) -> Block:
    """make(**state) in the state that the report opens in, and beside it, as patches, what differs
    in the others: {"by": names of the state, "of": {their values: {path: value}}}. The browser
    picks and computes no number. Readers' frames change each its own part of a block, so they are
    drawn one at a time, with each combination of the other names.
    """
    shared = [name for name in names if name not in s.values["who"]]
    apart = [name for name in names if name in s.values["who"]]
    draw = cache(lambda *at: make(**dict(zip((*shared, *apart), at, strict=True))))
    start, n = tuple(s.start[name] for name in (*shared, *apart)), len(shared)
    each = [(*x, *start[n:]) for x in product(*(s.values[name] for name in shared))]
    of = {"/".join(at[:n]): differing(draw(*start), draw(*at)) for at in each}
    patches = [{"by": shared, "of": of}] if shared else []
    for k, name in enumerate(apart, n):
        of = {}
        for at, x in product(each, s.values[name]):
            now = draw(*at[:k], x, *at[k + 1 :])
            of["/".join(map(str, (*at[:n], x)))] = differing(draw(*at), now)
        patches.append({"by": [*shared, name], "of": of})
    return {**draw(*start), "patches": patches}


def differing(old: Any, new: Any, path: str = "") -> dict[str, Any]:
    """By path, "data.0.x", what makes the new value of the old one; of lists of numbers the whole
    list.
    """
    if old == new:
        return {}
    keys: Sequence[Any] = ()
    if isinstance(new, dict) and old.keys() == new.keys():
        keys = [*new]
    elif isinstance(new, list) and len(old) == len(new) and all(isinstance(x, dict) for x in new):
        keys = range(len(new))
    if not keys:
        return {path: new}
    found = (differing(old[k], new[k], f"{path}.{k}" if path else str(k)) for k in keys)
    return {at: value for one in found for at, value in one.items()}


def switch(
    s: Shown, name: str, label: str, options: Mapping[str, tuple[str, Block]], span: int = 12
) -> Block | None:
    """Buttons for the values of a name of the state: their words, and what they set; nothing where
    there is no choice.
    """

    def made(**at: str) -> Block:
        each = [(said, sets, value == at[name]) for value, (said, sets) in options.items()]
        return ui.choice(name, label, each, span=span)

    return varied(s, made, name) if len(options) > 1 else None


# ---- blocks


def head(s: Shown, key: str, title: str, idea: str, *said: Block) -> Blocks:
    """A section's name, what it is, and which colour is which reader."""
    heading = ui.sentence(f"{key}-head", "heading", title)
    return [heading, ui.sentence(f"{key}-idea", "note", idea), *said, readers(s, key)]


def readers(s: Shown, key: str) -> Block | None:
    """Which colour is which reader; nothing for one alone."""
    marks = [("dot", side.role, side.name) for side in s.sides]
    return ui.legend(f"{key}-readers", *marks) if len(s.sides) > 1 else None


def plain(values: Any) -> list[float]:
    """Numbers for a trace."""
    return [round(float(x), 2) for x in np.nan_to_num(np.asarray(values, dtype=np.float64))]


def points(role: str, x: Any, y: Any, mode: str = "markers", **more: Any) -> Block:
    """Dots in a reader's colour; the pointer shows their `hovertext`, else x."""
    more["marker"] = {"color": role, "size": 10, **more.get("marker", {})}
    return ui.scatter(mode, x, y, **{"hoverinfo": "text" if "hovertext" in more else "x", **more})


def dots(role: str, found: Interval, at: Any, along: str = "x", **more: Any) -> Block:
    """Dots with their error bars; none where there is no interval."""
    sides = {"array": found.high - found.value, "arrayminus": found.value - found.low}
    bars: Block = {"type": "data", "symmetric": False, "color": role, "thickness": 2, "width": 0}
    bars |= {name: plain(values) for name, values in sides.items()}
    means = plain(found.value)
    x, y = (means, at) if along == "x" else (at, means)
    return points(role, x, y, **more) | {f"error_{along}": bars}


def joined(found: Sequence[Interval], frame: int = 0) -> Interval:
    """One mean of each of several intervals."""
    return Interval(*(np.array([x[frame] for x in each]) for each in zip(*found, strict=True)))


def words(found: Interval, sign: bool = False) -> str:
    """Of one mean: 74.0 (71.2 to 76.8), or the value alone."""
    value, low, high = ((signed if sign else number)(float(x[0]), 1) for x in found)
    return value if math.isnan(found.low[0]) else f"{value} ({low} to {high})"


def short(text: str, most: int = 24) -> str:
    """A name on an axis, escaped."""
    return escape(text if len(text) <= most else f"{text[: most - 1]}…")
