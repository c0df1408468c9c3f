"""The bundled reader's recorded fine-tuning: what each snapshot said of one window an example."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.arrays import freeze_arrays
from qa_demo.core.errors import BadInput
from qa_demo.core.files.store import UNREADABLE

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
