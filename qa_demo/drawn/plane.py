"""A plane of points: arrows, and names that keep clear of each other and of the points."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qa_demo.blocks import LEADER, OTHER, Block, note, packed, scatter

Points = NDArray[np.float64]
Name = tuple[Points, str, str]
"""A point [2], its name as a figure reads it (escaped, with <b>), a role."""
FAR, TURN = np.repeat([10, 30, 54, 110], 16), np.tile(np.arange(16) / 16 + 0.25, 4) * 2 * np.pi
"""Of every place of a name: the pixels between it and its point, and the direction."""


def dots(points: Points, marker: Block, names: Sequence[str]) -> Block:
    """Points [n, 2], one by its start logit and its end logit, which say their escaped names."""
    said = "%{text}: start logit %{x:.2f}, end logit %{y:.2f}<extra></extra>"
    more: Block = {"text": [*names], "hoverinfo": "all", "hovertemplate": said}
    return scatter("markers", packed(points[:, 0]), packed(points[:, 1]), marker=marker, **more)


def arrow(path: Points, role: str, size: Points) -> list[Block]:
    """A line [n, 2] with a head at its end, where there is room for one in a plane of this size."""
    if np.linalg.norm((path[-1] - path[0]) / size) <= 0.05:
        return []
    head: Block = {"symbol": "arrow", "angleref": "previous", "size": [0] * (len(path) - 1) + [15]}
    head |= {"color": role, "opacity": 1, "line": {"width": 0}}
    x, y, line = packed(path[:, 0]), packed(path[:, 1]), {"color": role, "width": 2.5}
    return [scatter("lines+markers", x, y, marker=head, line=line)]


def one_of_many(values: Points, k: int, role: str, said: str) -> list[Block]:
    """All columns of [rows, n] but k as one thin line, and column k, whose points say `said`."""
    rows, n = values.shape
    ys = np.vstack([np.delete(values, k, axis=1), np.full(n - 1, np.nan)]).T.ravel()
    xs, thin = np.tile([*range(rows), np.nan], n - 1), {"color": OTHER, "width": 1}
    own: Block = {"hoverinfo": "all", "hovertemplate": f"{said}<extra></extra>"}
    own |= {"line": {"color": role, "width": 3.5}, "marker": {"size": 8, "color": role}}
    others = scatter("lines", packed(xs), packed(ys), line=thin)
    return [others, scatter("lines+markers", list(range(rows)), packed(values[:, k]), **own)]


def names_apart(
    names: Sequence[Name], crowd: Points, low: Points, high: Points, size: tuple[int, int]
) -> list[Block]:
    """Names beside their points, clear of each other and of a crowd of points [m, 2]; `low`, `high`
    [2] bound the plot, `size`: its width and height in pixels. Of 64 places around a point the one
    that covers least is taken, first name first.
    """
    scale, end, notes = np.array(size) / (high - low), np.array(size, float), list[Block]()
    ring, taken = np.stack([np.cos(TURN), np.sin(TURN)], axis=1), list[tuple[Points, Points]]()
    for (x, y), text, role in names:
        half = np.array([len(re.sub("</?b>", "", text)) * 4.2 + 6, 11.0])
        shifts = ring * (half + FAR[:, None])
        centres = ([x, y] - low) * scale + shifts
        covered = (np.abs((crowd - low) * scale - centres[:, None]) < half + 2).all(axis=2)
        clash = sum((np.abs(c - centres) < h + half).all(axis=1) for c, h in taken)
        outside = ((centres < half) | (centres + half > end)).any(axis=1)
        best = int((FAR / 4 + 3 * covered.sum(axis=1) + 200 * clash + 400 * outside).argmin())
        taken.append((centres[best], half))
        tail = {"ax": round(float(shifts[best, 0])), "ay": -round(float(shifts[best, 1]))}
        notes.append(note(text, float(x), float(y), role, 14, **LEADER, **tail))
    return notes


def piled(xs: Sequence[float], width: float) -> list[int]:
    """How high each dot stands, xs ascending: the lowest row whose last dot is `width` away."""
    last, found = list[float](), list[int]()
    for x in xs:
        level = next((n for n, other in enumerate(last) if x - other >= width), len(last))
        last[level : level + 1] = [x]
        found.append(level)
    return found
