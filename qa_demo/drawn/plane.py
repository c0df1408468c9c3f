"""A plane of points: bowed arrows, and names that keep clear of each other and of the points."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qa_demo.blocks import GREY, OTHER, Block, note, packed, scatter

Points = NDArray[np.float64]
Name = tuple[Points, str, str]
"""A point [2], its name as a figure reads it (escaped, with <b>), a role."""
TURNS, FAR = 16, (10, 30, 54, 110)
"""The directions in which a name may stand from its point, and the pixels between the two."""
COST = np.repeat([2.5, 7.5, 13.5, 27.5], TURNS)
"""Of a place by its distance; in the same unit a covered point costs 3."""


def dots(points: Points, marker: Block, names: Sequence[str]) -> Block:
    """Points [n, 2], one by its start logit and its end logit, which say their escaped names."""
    said = "%{text}: start logit %{x:.2f}, end logit %{y:.2f}<extra></extra>"
    more: Block = {"text": [*names], "hoverinfo": "all", "hovertemplate": said}
    return scatter("markers", packed(points[:, 0]), packed(points[:, 1]), marker=marker, **more)


def bowed(a: Points, b: Points, size: Points) -> Points:
    """A bowed line from a to b, [24, 2], in a plane of this width and height: two that run against
    each other fall apart.
    """
    t = np.linspace(0.03, 0.965, 24)[:, None]
    across = ((b - a) / size)[::-1] * [1, -1] * size
    found: Points = a + (b - a) * t + across * 0.8 * t * (1 - t)
    return found


def long_enough(path: Points, size: Points) -> bool:
    """Whether there is room for an arrow between the ends of a line."""
    return bool(np.linalg.norm((path[-1] - path[0]) / size) > 0.05)


def arrow(path: Points, role: str) -> Block:
    """A line [n, 2] with a head at its end."""
    head: Block = {"symbol": "arrow", "angleref": "previous", "size": [0] * (len(path) - 1) + [15]}
    head |= {"color": role, "opacity": 1, "line": {"width": 0}}
    x, y, line = packed(path[:, 0]), packed(path[:, 1]), {"color": role, "width": 2.5}
    return scatter("lines+markers", x, y, marker=head, line=line)


def one_of_many(values: Points, k: int, role: str, said: str) -> list[Block]:
    """Columns of values [rows, n] over their row: all but column k as one thin broken line, and
    column k, whose points say `said`, a template of plotly.
    """
    rows, n = values.shape
    ys = np.vstack([np.delete(values, k, axis=1), np.full(n - 1, np.nan)]).T.ravel()
    xs, thin = np.tile([*range(rows), np.nan], n - 1), {"color": OTHER, "width": 1}
    own: Block = {"hoverinfo": "all", "hovertemplate": f"{said}<extra></extra>"}
    own |= {"line": {"color": role, "width": 3.5}, "marker": {"size": 8, "color": role}}
    others = scatter("lines", packed(xs), packed(ys), line=thin)
    return [others, scatter("lines+markers", list(range(rows)), packed(values[:, k]), **own)]


def name_places(at: Points, halves: Points, crowd: Points, size: Points) -> Points:
    """How far the middle of each name stands from its point, [N, 2], all in pixels: points `at`
    [N, 2], half of each name's width and height [N, 2], what should stay free [M, 2], the plot's
    width and height [2]. Of 64 places around the point the one that covers least is taken, first
    name first.
    """
    angles = np.linspace(0, 2 * np.pi, TURNS, endpoint=False) + np.pi / 2
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    taken: list[tuple[Points, Points]] = []
    found = np.zeros((len(at), 2))
    for k, (spot, half) in enumerate(zip(at, halves, strict=True)):
        shifts = np.concatenate([ring * (half + far) for far in FAR])
        centres = spot + shifts
        covered = (np.abs(crowd - centres[:, None]) < half + 2).all(axis=2).sum(axis=1)
        clash = sum((np.abs(c - centres) < h + half).all(axis=1) for c, h in taken)
        outside = ((centres < half) | (centres + half > size)).any(axis=1)
        best = int((COST + 3 * covered + 200 * clash + 400 * outside).argmin())
        taken.append((centres[best], half))
        found[k] = shifts[best]
    return found


def names_apart(
    names: Sequence[Name], crowd: Points, low: Points, high: Points, size: tuple[int, int]
) -> list[Block]:
    """Names beside their points, clear of each other and of a crowd of points [m, 2]; `low`, `high`
    [2] bound the plot, `size`: its width and height in pixels.
    """
    pixels, notes, halves = np.array(size) / (high - low), list[Block](), []
    for _, text, _ in names:
        rows = re.sub("</?b>", "", text).split("<br>")
        halves.append([max(map(len, rows)) * 4.2 + 6, 2.0 + 9 * len(rows)])
    spots = (np.array([at for at, _, _ in names]) - low) * pixels
    free = (crowd - low) * pixels, np.array(size, dtype=np.float64)
    line: Block = {"showarrow": True, "arrowhead": 0, "arrowwidth": 1, "arrowcolor": GREY}
    shifts = name_places(spots, np.array(halves), *free)
    for ((x, y), text, role), (right, up) in zip(names, shifts, strict=True):
        tail = {"ax": round(float(right)), "ay": -round(float(up)), "standoff": 7}
        notes.append(note(text, float(x), float(y), role, 14, align="left", **line, **tail))
    return notes


def moved(notes: Sequence[Block], *told: str) -> Block:
    """What a narrow figure changes in its first notes: the places of these, and with `told` the
    texts.
    """
    keys = ("ax", "ay", *told)
    return {f"annotations.{k}.{key}": one[key] for k, one in enumerate(notes) for key in keys}


def stacked(xs: Sequence[float], width: float) -> list[int]:
    """How high each dot stands, xs ascending: the lowest row whose last dot is `width` away."""
    last, found = list[float](), list[int]()
    for x in xs:
        level = next((n for n, other in enumerate(last) if x - other >= width), len(last))
        last[level : level + 1] = [x]
        found.append(level)
    return found
