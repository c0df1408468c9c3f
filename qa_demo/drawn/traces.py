"""Plotly traces and notes that know nothing of the subject: points, lines, arrows, names."""

import re
from collections.abc import Sequence

import numpy as np

from qa_demo.blocks import GREY, OTHER, Block, note, packed
from qa_demo.drawn.places import Points, name_places

Name = tuple[Points, str, str]
"""A point [2], its name as a figure reads it (escaped, with <b>), a role."""


def xy(points: Points) -> Block:
    """A trace through points [n, 2]."""
    return {"type": "scatter", "x": packed(points[:, 0]), "y": packed(points[:, 1])}


def dots(points: Points, marker: Block, said: Sequence[str]) -> Block:
    """Points that say something, already escaped."""
    return xy(points) | {
        "mode": "markers",
        "marker": marker,
        "hoverinfo": "text",
        "hovertext": [*said],
    }


def arrow(path: Points, role: str) -> Block:
    """A line [n, 2] with a head at its end."""
    head: Block = {"symbol": "arrow", "angleref": "previous", "size": [0] * (len(path) - 1) + [15]}
    head |= {"color": role, "opacity": 1, "line": {"width": 0}}
    line: Block = {"mode": "lines+markers", "marker": head, "line": {"color": role, "width": 2.5}}
    return xy(path) | line | {"hoverinfo": "skip"}


def one_of_many(values: Points, k: int, role: str, said: str) -> list[Block]:
    """Columns of values [rows, n] over their row: all but column k as one thin broken line, and
    column k, whose points say `said`, a template of plotly.
    """
    rows, n = values.shape
    ys = np.vstack([np.delete(values, k, axis=1), np.full(n - 1, np.nan)]).T.ravel()
    others: Block = {"x": packed(np.tile([*range(rows), np.nan], n - 1)), "y": packed(ys)}
    others |= {"mode": "lines", "hoverinfo": "skip", "line": {"color": OTHER, "width": 1}}
    own: Block = {"x": list(range(rows)), "y": packed(values[:, k]), "mode": "lines+markers"}
    own |= {"line": {"color": role, "width": 3.5}, "marker": {"size": 8, "color": role}}
    plain = {"type": "scatter"}
    return [plain | others, plain | own | {"hovertemplate": f"{said}<extra></extra>"}]


def names_apart(
    names: Sequence[Name], crowd: Points, low: Points, high: Points, size: tuple[int, int]
) -> list[Block]:
    """Names beside their points, clear of each other and of a crowd of points [m, 2]; `low`, `high`
    [2] bound the plot, `size`: its width and height in pixels.
    """
    pixels, notes = np.array(size) / (high - low), list[Block]()
    halves = np.array([[len(re.sub("</?b>", "", text)) * 4.2 + 6, 11.0] for _, text, _ in names])
    spots = (np.array([at for at, _, _ in names]) - low) * pixels
    shifts = name_places(spots, halves, (crowd - low) * pixels, np.array(size, dtype=np.float64))
    line: Block = {
        "showarrow": True,
        "arrowhead": 0,
        "arrowwidth": 1,
        "arrowcolor": GREY,
        "standoff": 7,
    }
    for (at, text, role), (right, up) in zip(names, shifts, strict=True):
        tail = {"ax": round(float(right)), "ay": -round(float(up))}
        made = note(text, float(at[0]), float(at[1]), **line)
        notes.append({**made, **tail, "font": {"color": role, "size": 14}})
    return notes
