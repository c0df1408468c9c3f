"""The bundled reader's recorded fine-tuning: what each snapshot said of one window an example."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.base import BadInput, Floats, freeze_arrays, log_softmax
from qa_demo.core.losses import cross_entropy, cross_entropy_gradient
from qa_demo.core.store import UNREADABLE

FORMAT = 1


@dataclass(frozen=True, eq=False)
class ReplayRows:
    """One example's window over S recorded steps: logits [S, n]."""

    steps: tuple[int, ...]
    window: int
    start: NDArray[np.float32]
    end: NDArray[np.float32]

    def __post_init__(self) -> None:
        freeze_arrays(self, np.float32)


@dataclass(frozen=True, eq=False)
class Replay:
    """All examples; `checksum` is the final reader's, whose rows stand last."""

    steps: tuple[int, ...]
    checksum: str
    places: dict[str, tuple[int, int, int]]
    start: NDArray[np.float16]
    end: NDArray[np.float16]

    def rows(self, example: str) -> ReplayRows | None:
        """The rows of one example; None when it was not recorded."""
        if example not in self.places:
            return None
        window, at, length = self.places[example]
        part = slice(at, at + length)
        start, end = (rows[:, part].astype(np.float32) for rows in (self.start, self.end))
        return ReplayRows(self.steps, window, start, end)


def load_replay(folder: Path) -> Replay | None:
    """Read what `qa_demo.training.replay` wrote, or None. Errors: BadInput for unfit files."""
    about_path, rows_path = folder / "replay.json", folder / "replay.npz"
    if not (about_path.is_file() and rows_path.is_file()):
        return None
    try:
        about = json.loads(about_path.read_text(encoding="utf-8"))
        with np.load(rows_path, allow_pickle=False) as stored:
            start, end = stored["start"], stored["end"]
        places = {
            e["id"]: (int(e["window"]), int(e["at"]), int(e["length"])) for e in about["examples"]
        }
        steps = tuple(int(s) for s in about["steps"])
        positions = sum(length for _, _, length in places.values())
        shape = (len(steps), positions)
        fits = about["format"] == FORMAT and start.shape == end.shape == shape
        checksum = str(about["checksum"])
    except UNREADABLE as fault:
        raise BadInput(f"the replay of the fine-tuning cannot be read: {fault}") from fault
    if not fits:
        raise BadInput(
            f"the replay of the fine-tuning does not fit together: {len(steps)} steps, "
            f"{positions} positions, rows {start.shape}"
        )
    return Replay(steps, checksum, places, start, end)


Two = tuple[Floats, Floats]
"""One array for the starts of a window and one for its ends."""


@dataclass(frozen=True, eq=False)
class Recorded:
    """Logits [S, n] at S moments, the last of them the reader on screen, and targets y [n]."""

    steps: tuple[int, ...]
    start: Floats
    end: Floats
    targets: Two

    @property
    def last(self) -> int:
        """The place of the last moment."""
        return len(self.steps) - 1

    def nearest(self, step: int) -> int:
        """The place of the moment that is nearest to a training step."""
        return min(range(len(self.steps)), key=lambda k: abs(self.steps[k] - step))

    def log_p(self, k: int) -> Two:
        """log P [n] of every start and every end at moment k."""
        return log_softmax(self.start[k]), log_softmax(self.end[k])

    @cached_property
    def costs(self) -> list[tuple[float, float, float]]:
        """-sum y log P of the start and of the end, and L, their mean, at every moment."""
        both = zip((self.start, self.end), self.targets, strict=True)
        start, end = (cross_entropy(x, y).tolist() for x, y in both)
        return [(a, b, (a + b) / 2) for a, b in zip(start, end, strict=True)]

    def pull(self, k: int) -> Two:
        """-dL / d logit [n] at moment k, of starts and of ends; each side sums to 0."""
        both = zip((self.start[k], self.end[k]), self.targets, strict=True)
        start, end = (-cross_entropy_gradient(x, y) / 2 for x, y in both)
        return start, end


def recorded(rows: ReplayRows | None, last: Two, targets: Two) -> Recorded:
    """The moments of `rows`, their last replaced by the logits [n] on screen, or those alone."""
    if rows is None:
        start, end = (x[None].astype(np.float64) for x in last)
        return Recorded((0,), start, end, targets)
    both = zip((rows.start, rows.end), last, strict=True)
    start, end = (np.vstack([x[:-1], now]).astype(np.float64) for x, now in both)
    return Recorded(rows.steps, start, end, targets)
