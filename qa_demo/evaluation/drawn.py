"""What the sections of the report share: patches, dots with intervals, words.

What a press changes lies beside a block as patches, {"by": names of the state, "of": {their values:
{path in the block: value}}}: the browser picks and computes no number.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from qa_demo import blocks as ui
from qa_demo.blocks import Block
from qa_demo.core.base import Floats
from qa_demo.evaluation.compare import Interval
from qa_demo.evaluation.sides import Shown
from qa_demo.printed import escape, number, signed

METRICS = {"f1": "F1", "exact": "exact match"}
Blocks = list[Block | None]


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
