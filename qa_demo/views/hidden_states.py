"""Last hidden states of a few windows, heads of a few readers, kept beside sessions."""

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.reading.heads import HeadWeights
from qa_demo.core.types import Reading, Window
from qa_demo.views.background import Job
from qa_demo.views.session.recent import RecentValues

MOST_BYTES = 24_000_000
"""Some 40 windows of 384 positions and 384 dimensions."""
_STATES: RecentValues[NDArray[np.float32]] = RecentValues(MOST_BYTES, lambda t: int(t.nbytes))
_HEADS: RecentValues[HeadWeights] = RecentValues(4)


def _key(reading: Reading, window: Window) -> tuple[str, bytes]:
    return reading.weights, window.input_ids.tobytes()


def get(reading: Reading, window: Window) -> NDArray[np.float32] | None:
    """T [n, d] of a window, when it was fetched."""
    return _STATES.get(_key(reading, window))


def put(reading: Reading, window: Window, t: NDArray[np.float32]) -> NDArray[np.float32]:
    """Keep T [n, d] of a window."""
    return _STATES.put(_key(reading, window), t)


def fetch(job: Job, reading: Reading, window: Window) -> NDArray[np.float32]:
    """T [n, d] of a window of a reading by the reader in use, asked for when not at hand."""
    return _STATES.find(
        _key(reading, window), lambda: np.asarray(job.reader.hidden(window))[-1].astype(np.float32)
    )


def heads(reading: Reading) -> HeadWeights | None:
    """The vectors and matrices of the reading's reader, when they were fetched."""
    return _HEADS.get(reading.weights)


def fetch_heads(job: Job) -> HeadWeights:
    """The same, asked for if not at hand. Errors: BadInput when another reader is in use."""
    return _HEADS.find(job.screen.reading.weights, job.maker().heads)
