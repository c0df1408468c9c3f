"""How many forward passes run at once, and on how many threads each."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from qa_demo.core.errors import Cancelled
from qa_demo.core.progress import IsCancelled
from qa_demo.model.memory import FREED


def usable_cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """A gate for forward passes, one window at a time, so that a long text does not hold up a
    short one.
    """

    def __init__(self, count: int = 2) -> None:
        self.count = count
        self._gate = threading.BoundedSemaphore(count)

    @contextmanager
    def slot(self, cancelled: IsCancelled | None = None) -> Iterator[None]:
        """Wait for a place; `Cancelled` when the caller gives up first."""
        while True:
            if cancelled is not None and cancelled():
                raise Cancelled("this was cancelled")
            if self._gate.acquire(timeout=0.1):
                break
        try:
            yield
        finally:
            self._gate.release()
            FREED.ask()


SHARED = Workers()
"""The gate of a server: one for all readers, because they share the processor."""


def set_threads(threads: int | None = None, workers: int = SHARED.count) -> int:
    """Give each forward pass its threads, at start-up and once; the default divides the cores among
    the workers.

    Two threads for each of two passes on two cores run ten times slower than one each: they wait
    for each other.
    """
    import torch

    chosen = max(1, min(8, usable_cores() // workers)) if threads is None else threads
    torch.set_num_threads(chosen)
    return chosen
