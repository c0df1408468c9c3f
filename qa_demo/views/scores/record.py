"""What chapter 2 asks of a reader: one window's hidden states, and a second reading."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qa_demo.core.errors import BadInput
from qa_demo.core.explaining.attribution import Method, Target
from qa_demo.core.reading.heads import HeadWeights
from qa_demo.core.reading.lens import Lens, lens
from qa_demo.core.reading.predicted import Prediction
from qa_demo.core.types import Reading, ReadingKey
from qa_demo.figures.scores.rests import Sides
from qa_demo.views import hidden_states
from qa_demo.views.background import Job, Wanted
from qa_demo.views.session.recent import RecentValues, held_bytes
from qa_demo.views.state import Screen

KEY = "scores"
SAME = 1e-3
"""T must give the logits on screen within this, or it is not the T that made them."""
LARGE = 100.0
"""From here on `SAME` grows with the logits: float32 rounds sums of products by more."""


@dataclass(frozen=True, eq=False)
class States:
    """What is kept of a window's states: every layer's logits; T elsewhere."""

    window: int
    heads: HeadWeights
    lens: Lens


_FOUND: RecentValues[tuple[States, Any]] = RecentValues(24_000_000, held_bytes)
"""By reading and window, with T; some 30 windows of 384 positions."""


@dataclass(frozen=True, eq=False)
class Rests:
    """What two readings' best scores rested on by one method; a sentence if a reader refused."""

    of: tuple[ReadingKey, ReadingKey]
    method: Method
    targets: tuple[Target | None, Target | None]
    sides: Sides


@dataclass(frozen=True, eq=False)
class Kept:
    """The chapter's record of one reading. `by`: the other's reader."""

    of: ReadingKey
    states: States | None = None
    other: Reading | None = None
    by: str = ""
    rests: Rests | None = None


def best_target(prediction: Prediction) -> Target | None:
    """The score of the best span in its window, or None where no span is legal."""
    best = prediction.best
    return (
        None
        if best is None
        else Target("span_score", best.candidate.span, None, best.candidate.window)
    )


def kept(screen: Screen) -> Kept:
    """The record of the reading on screen; a new reading begins a new one."""
    found, of = screen.own.get(KEY), screen.reading.key
    if isinstance(found, Kept) and found.of == of:
        return found
    return Kept(of)


def wanted(job: Job, window: int) -> Wanted:
    """What `fetch` needs of the reader."""
    key = job.screen.reading.key, window
    return Wanted(key, _FOUND, lambda j: _FOUND.find(key, lambda: _ask(j, window)))


def fetch(job: Job, window: int) -> States:
    """Hidden states of one window and what the head says of every layer; T is kept beside.

    Errors: BadInput for a reader whose T does not give this reading's logits.
    """
    states, t = wanted(job, window).find(job)
    hidden_states.put(job.screen.reading, job.screen.reading.windows[window], t)
    found: States = states
    return found


def _ask(job: Job, window: int) -> tuple[States, Any]:
    reader, reading = job.maker(), job.screen.reading
    states, heads = reader.hidden(reading.windows[window]), reader.heads()
    found = lens(heads, states)
    own = reading.logits(window)
    off = max(
        float(np.abs(row[-1] - logits).max())
        for row, logits in zip((found.start, found.end), own, strict=True)
    )
    if not off <= SAME * max(1.0, float(np.abs(own).max()) / LARGE):
        raise BadInput(
            f"S · T + b of this reader misses the logits on screen by {off:.2g}, so the products "
            f"would not add up; press Ask "
            "to read again"
        )
    t = states[-1].copy()
    return States(window, heads, found), t


def put(screen: Screen, **fields: Any) -> Screen:
    """The screen with other fields in this chapter's record."""
    return screen.keep(KEY, replace(kept(screen), **fields))
