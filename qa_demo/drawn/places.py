"""Where names and arrows are drawn in a plane, so that they keep clear of each other and of its
points.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
TURNS, FAR = 16, (10, 30, 54)
"""The directions in which a name may stand from its point, and the pixels between the two."""
COST = np.repeat([2.5, 7.5, 13.5], TURNS)
"""Of a place by its distance; in the same unit a covered point costs 3."""


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


def name_places(at: Points, halves: Points, crowd: Points, size: Points) -> Points:
    """How far the middle of each name stands from its point, [N, 2], all in pixels: points `at`
    [N, 2], half of each name's width and height [N, 2], what should stay free [M, 2], the plot's
    width and height [2]. Of 48 places around the point the one that covers least is taken, first
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


def stacked(xs: Sequence[float], width: float) -> list[int]:
    """How high each dot stands, xs ascending: the lowest row whose last dot is `width` away."""
    last, found = list[float](), list[int]()
    for x in xs:
        level = next((n for n, other in enumerate(last) if x - other >= width), len(last))
        last[level : level + 1] = [x]
        found.append(level)
    return found
