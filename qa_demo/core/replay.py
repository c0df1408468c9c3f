"""The bundled reader's fine-tuning as it was recorded: what it said of one window of a text at each
moment, what that cost, and where the loss pulled each logit: -dL / d logit = 1/2 (y - P).
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.base import Floats, freeze, log_softmax
from qa_demo.core.losses import cross_entropy, cross_entropy_gradient
from qa_demo.core.store import shipped_arrays, shipped_json


class ReplayRows(NamedTuple):
    """One example's window over S recorded steps: logits [S, n]."""

    steps: tuple[int, ...]
    window: int
    start: NDArray[np.float32]
    end: NDArray[np.float32]


class Replay:
    """The bundled reader's recorded fine-tuning, as `qa_demo.training.assets` wrote it: what each
    snapshot said of one window an example, of which `places` tells index, first column and length;
    `checksum` is the final reader's, whose rows stand last.
    """

    def __init__(self, folder: Path) -> None:
        about, arrays = shipped_json(folder / "replay.json"), shipped_arrays(folder / "replay.npz")
        self.steps, self.checksum = tuple(about["steps"]), about["checksum"]
        self.places = {e["id"]: (e["window"], e["at"], e["length"]) for e in about["examples"]}
        self.start, self.end = arrays["start"], arrays["end"]

    def rows(self, example: str) -> ReplayRows | None:
        """The rows of one example; None when it was not recorded."""
        if example not in self.places:
            return None
        window, at, length = self.places[example]
        both = (x[:, at : at + length].astype(np.float32) for x in (self.start, self.end))
        return ReplayRows(self.steps, window, *map(freeze, both))


load_replay = cache(Replay)
StartEnd = tuple[Floats, Floats]
"""One array for the starts of a window and one for its ends."""


class Recorded:
    """Logits [S, n] at S moments, those of `rows`, their last replaced by the logits [n] on screen,
    or those alone; targets y [n]; of each moment the costs -sum y log P of the start and of the
    end, and their mean L; `last`: the place of the last moment.
    """

    def __init__(self, rows: ReplayRows | None, now: StartEnd, targets: StartEnd) -> None:
        self.steps, self.targets = (0,) if rows is None else rows.steps, targets
        self.last = len(self.steps) - 1
        start, end = (np.asarray(x, dtype=np.float64)[None] for x in now)
        if rows is not None:
            start, end = np.vstack([rows.start[:-1], start]), np.vstack([rows.end[:-1], end])
        self.start, self.end = start, end
        costs = np.stack([cross_entropy(start, targets[0]), cross_entropy(end, targets[1])], axis=1)
        self.costs = [(a, b, (a + b) / 2) for a, b in costs.tolist()]

    def log_p(self, k: int) -> StartEnd:
        """log P [n] of every start and every end at moment k."""
        return log_softmax(self.start[k]), log_softmax(self.end[k])

    def pull(self, k: int) -> StartEnd:
        """-dL / d logit [n] at moment k, of starts and of ends; each side sums to 0."""
        both = zip((self.start[k], self.end[k]), self.targets, strict=True)
        start, end = (-cross_entropy_gradient(x, y) / 2 for x, y in both)
        return start, end
