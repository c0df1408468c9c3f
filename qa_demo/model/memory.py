"""What torch's libraries read from the environment, and memory that stays flat over thousands of
texts: small caches of products, and freed memory handed back.

Two things grow otherwise. oneDNN and torch each keep a primitive with its buffers for every length
of text that they have seen, 1,024 of them; with eight the speed is the same. And the allocator of
glibc keeps what a pass has freed: each thread has its own heap, and after 24 attributions in four
threads 214 MB of 699 MB were free but not returned.
"""

import ctypes
import os
import sys
import threading
from collections.abc import Callable, MutableMapping

CACHES = {"LRU_CACHE_CAPACITY": "8", "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "8"}
"""Read once by torch and by oneDNN inside it, when torch is imported."""
WAITING = {"OMP_WAIT_POLICY": "PASSIVE"}
"""Threads of one pass that wait for each other sleep. Spinning, two threads beside other work on
two cores took 3 to 13 times as long as one; sleeping, 1 to 1.4 times.
"""
PAUSE = 1.0
"""Seconds from the end of a pass to the handing back; passes in between share one."""


def bound_caches(environment: MutableMapping[str, str] = os.environ) -> None:
    """Bound both caches and let threads sleep, unless chosen otherwise; before torch's import."""
    for name, value in {**CACHES, **WAITING}.items():
        environment.setdefault(name, value)


def trimmer() -> Callable[[], object] | None:
    """glibc's `malloc_trim(0)`, which returns free pages of every heap; else None."""
    if not sys.platform.startswith("linux"):
        return None
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is None:
        return None
    trim.argtypes, trim.restype = [ctypes.c_size_t], ctypes.c_int
    return lambda: trim(0)


class Later:
    """Do something once, a little later, however often it is asked for until then."""

    def __init__(self, action: Callable[[], object] | None, pause: float = PAUSE) -> None:
        self._action, self._pause = action, pause
        self._lock, self._waits = threading.Lock(), False

    def ask(self) -> None:
        """Ask for it; costs nothing while it is already on its way. Nothing for no action."""
        if self._action is None:
            return
        with self._lock:
            if self._waits:
                return
            self._waits = True
        timer = threading.Timer(self._pause, self._do)
        timer.daemon = True
        timer.start()

    def _do(self) -> None:
        with self._lock:
            self._waits = False
        assert self._action is not None
        self._action()


FREED = Later(trimmer())
"""Hands freed memory back to the system, for everything that runs a model."""
