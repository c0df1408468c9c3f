"""Slow results by key: one computation for all who ask, kept while there is room, ended some
seconds after nobody asks any more.
"""

import itertools
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np

from qa_demo.core.base import Cancelled, IsCancelled, OnProgress

Make = Callable[[OnProgress, IsCancelled], Any]
KEPT_BYTES = 96_000_000
"""Some 600 readings of 200 words, or some 60 of 8,000."""
LEASE = 6.0
"""Seconds that a computation goes on after it was last asked for: a closed page sends no word."""
AT_ONCE = 0.25
"""Seconds that a question waits before it is told to come back."""


def held_bytes(value: Any) -> int:
    """The bytes of a record: its arrays, each buffer once, and the texts and numbers beside."""
    return _held(value, set())


def _held(value: Any, seen: set[int]) -> int:
    if isinstance(value, np.ndarray):
        while isinstance(value.base, np.ndarray):
            value = value.base
    if id(value) in seen:
        return 0
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    parts: list[Any] = []
    if is_dataclass(value):
        parts = [getattr(value, one.name) for one in fields(value)]
    elif isinstance(value, Mapping):
        parts = [*value.keys(), *value.values()]
    elif isinstance(value, tuple | list | set | frozenset):
        parts = list(value)
    return sys.getsizeof(value) + sum(_held(part, seen) for part in parts)


class Pending(Exception):
    """The result is not there yet: its place in the line (0: it runs), seconds since it was first
    asked for, and how much of it is done, 0 to 1.
    """

    def __init__(self, place: int, seconds: float, done: float) -> None:
        super().__init__("still working")
        self.place, self.seconds, self.done = place, seconds, done


@dataclass(eq=False)
class Job:
    """One computation that somebody waits for."""

    number: int
    slow: bool
    began: float = field(default_factory=time.monotonic)
    asked: float = field(default_factory=time.monotonic)
    done: float = 0.0
    running: bool = False
    future: "Future[Any]" = field(default_factory=Future)

    def abandoned(self) -> bool:
        """Whether nobody has asked for a while."""
        return time.monotonic() - self.asked > LEASE

    def progress(self, done: int, of: int) -> None:
        """Told by the computation."""
        self.done = done / max(1, of)


class Kept:
    """The last results by key, of a reader and a text, never of a person; up to so many bytes the
    longest untouched go.
    """

    def __init__(self, most: int) -> None:
        self.most, self._lock, self._weight = most, threading.Lock(), 0
        self._held: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()

    def get(self, key: Hashable) -> Any:
        """The value kept under a key, or None."""
        with self._lock:
            if key not in self._held:
                return None
            self._held.move_to_end(key)
            return self._held[key][0]

    def put(self, key: Hashable, value: Any) -> Any:
        """Keep a value and hand it back; one that outweighs all the room is kept alone."""
        with self._lock:
            self._forget(key)
            weight = held_bytes(value)
            self._held[key], self._weight = (value, weight), self._weight + weight
            while self._weight > self.most and len(self._held) > 1:
                self._forget(next(iter(self._held)))
        return value

    def find(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The value kept, or a new one; two who ask at once may both make it: only slower."""
        found = self.get(key)
        return self.put(key, make()) if found is None else found

    def __len__(self) -> int:
        return len(self._held)

    def _forget(self, key: Hashable) -> None:
        if key in self._held:
            self._weight -= self._held.pop(key)[1]


class Work:
    """Two lanes of threads: short readings never wait behind long ones."""

    def __init__(self, threads: int = 4, kept: int = KEPT_BYTES) -> None:
        self.kept = Kept(kept)
        # one slow computation at a time: a class that asks for twenty still reads its texts at once
        self._lanes = {
            False: ThreadPoolExecutor(threads, "short"),
            True: ThreadPoolExecutor(1, "slow"),
        }
        self._jobs: dict[Hashable, Job] = {}
        self._lock, self._numbers = threading.Lock(), itertools.count()

    def ask(self, key: Hashable, make: Make, slow: bool = False, wait: float = AT_ONCE) -> Any:
        """The value of that key. Raises Pending while it is being made, and what making it raised,
        once, to all who ask.
        """
        found = self.kept.get(key)
        if found is not None:
            return found
        with self._lock:
            found = self.kept.get(key)  # made since
            if found is not None:
                return found
            job = self._jobs.get(key)
            if job is None or (job.abandoned() and not job.future.done()):
                job = self._jobs[key] = Job(next(self._numbers), slow)
                self._lanes[slow].submit(self._run, key, job, make)
        end = time.monotonic() + wait
        while True:
            now = job.asked = time.monotonic()
            try:
                return job.future.result(timeout=max(0.0, min(LEASE / 4, end - now)))
            except TimeoutError:
                if job.future.done():  # the computation's own
                    raise
                if now < end:
                    continue
                ahead = sum(
                    not j.running and j.slow == job.slow and j.number < job.number
                    for j in list(self._jobs.values())
                )
                place = 0 if job.running else 1 + ahead
                raise Pending(place, now - job.began, job.done) from None

    def __len__(self) -> int:
        """How many computations wait or run."""
        return len(self._jobs)

    def _run(self, key: Hashable, job: Job, make: Make) -> None:
        job.running = True
        try:
            if job.abandoned():
                raise Cancelled("nobody waits for this any more")
            value = self.kept.put(key, make(job.progress, job.abandoned))
        except BaseException as fault:  # noqa: BLE001  the tokenizers library raises BaseException
            self._forget(key, job)
            job.future.set_exception(fault)
        else:
            self._forget(key, job)
            job.future.set_result(value)

    def _forget(self, key: Hashable, job: Job) -> None:
        with self._lock:
            if self._jobs.get(key) is job:
                del self._jobs[key]
