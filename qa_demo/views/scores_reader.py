"""What chapter 2 asks a reader for: hidden states of one window, and a second reading to set beside the first."""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.attribution import Method, Target
from qa_demo.core.errors import BadInput
from qa_demo.core.heads import HeadWeights
from qa_demo.core.lens import Components, Lens, components, lens
from qa_demo.core.reader import Reader, check_made_by
from qa_demo.core.types import Prediction, Reading, ReadingKey
from qa_demo.figures.scores_rests import Sides
from qa_demo.views.state import Screen

KEY = "scores"
SAME = 1e-3
"""T must give the logits on screen within this, or it is not the T that made them."""
LARGE = 100.0
"""From here on `SAME` grows with the logits: float32 rounds a logit of a million by 0.06, a sum of products by more."""

Identity = ReadingKey


def identity(reading: Reading) -> Identity:
    """What tells two readings apart: the reader, both texts, and the windows."""
    return reading.key


@dataclass(frozen=True, eq=False)
class States:
    """What is kept of one window's hidden states: logits of every layer and two components; T itself lies on the shelf."""

    window: int
    heads: HeadWeights
    lens: Lens
    parts: Components


@dataclass(frozen=True, eq=False)
class Rests:
    """What the best scores of two readings rested on by one method; a sentence where a reader refused."""

    of: tuple[Identity, Identity]
    method: Method
    targets: tuple[Target | None, Target | None]
    sides: Sides


@dataclass(frozen=True, eq=False)
class Kept:
    """The chapter's own record of one reading. `by` names the reader of the other one; `contrast` maps a lane to the position it is
    compared with.
    """

    of: Identity
    states: States | None = None
    other: Reading | None = None
    by: str = ""
    rests: Rests | None = None
    contrast: "MappingProxyType[Literal['start', 'end'], int]" = field(default_factory=lambda: MappingProxyType({}))
    exercise: int = 0


def best_target(prediction: Prediction) -> Target | None:
    """The score of the best span in its window, or None where no span is legal."""
    best = prediction.best
    return None if best is None else Target("span_score", best.candidate.span, None, best.candidate.window)


class Shelf:
    """The last windows' T [n, d], shared by all visitors: a session's state holds no tensor. What fell off is asked for again."""

    def __init__(self, size: int = 16) -> None:
        self._size, self._lock = size, threading.Lock()
        self._held: OrderedDict[tuple[Identity, int], NDArray[np.float32]] = OrderedDict()

    def put(self, of: Identity, window: int, t: NDArray[np.float32]) -> None:
        """Lay T on the shelf; the one untouched for longest goes."""
        with self._lock:
            self._held[of, window] = t
            self._held.move_to_end((of, window))
            while len(self._held) > self._size:
                self._held.popitem(last=False)

    def get(self, of: Identity, window: int) -> NDArray[np.float32] | None:
        """T of a window, or None."""
        with self._lock:
            if (of, window) in self._held:
                self._held.move_to_end((of, window))
            return self._held.get((of, window))


shelf = Shelf()


def kept(screen: Screen) -> Kept:
    """The record of the reading on screen; a new reading begins a new one and stays with the exercise."""
    found, of = screen.own.get(KEY), identity(screen.reading)
    if isinstance(found, Kept) and found.of == of:
        return found
    return Kept(of, exercise=found.exercise if isinstance(found, Kept) else 0)


def fetch(reader: Reader, reading: Reading, window: int) -> States:
    """Hidden states of one window and what the head says of every layer.

    Errors: BadInput for a window that is none, or a reader whose T does not give this reading's logits.
    """
    if not 0 <= window < len(reading.windows):
        raise BadInput(f"this reading has {len(reading.windows)} windows, got window {window}")
    check_made_by(reading, reader)
    states, heads = reader.hidden(reading.windows[window]), reader.heads()
    found = lens(heads, states)
    own = reading.logits(window)
    off = max(float(np.abs(row[-1] - logits).max()) for row, logits in zip((found.start, found.end), own, strict=True))
    if not off <= SAME * max(1.0, float(np.abs(own).max()) / LARGE):
        raise BadInput(f"S · T + b of this reader misses the logits on screen by {off:.2g}, so the products would not add up; press Answer "
                       "to read again")
    shelf.put(identity(reading), window, states[-1].copy())
    return States(window, heads, found, components(states[-1]))



@dataclass(frozen=True, eq=False)
class Found:
    """What a request brought home: fields of `Kept`, for the reading they belong to."""

    of: Identity
    fields: MappingProxyType[str, Any]

    def plus(self, **fields: Any) -> "Found":
        """The same with more fields: two answers that arrive together are both kept."""
        return Found(self.of, MappingProxyType({**self.fields, **fields}))


def keep(screen: Screen, found: Found | None) -> Screen:
    """Put what was found on the screen, unless another reading has come in the meantime."""
    if found is None or found.of != identity(screen.reading):
        return screen
    return put(screen, **found.fields)


def put(screen: Screen, **fields: Any) -> Screen:
    """The screen with other fields in this chapter's record."""
    return screen.keep(KEY, replace(kept(screen), **fields))
