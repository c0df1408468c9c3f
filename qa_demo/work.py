"""Slow results by key: one computation for all who ask, kept while there is room, ended some
seconds after nobody asks any more.
"""

import itertools
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from qa_demo.core.base import Cancelled, IsCancelled, OnProgress
from qa_demo.recent import RecentValues, held_bytes

Make = Callable[[OnProgress, IsCancelled], Any]
KEPT_BYTES = 96_000_000
"""Some 600 readings of 200 words, or some 60 of 8,000."""
LEASE = 6.0
"""Seconds that a computation goes on after it was last asked for: a closed page sends no word."""
AT_ONCE = 0.25
"""Seconds that a question waits before it is told to come back."""


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


class Work:
    """Two lanes of threads: short readings never wait behind long ones."""

    def __init__(self, threads: int = 4, kept: int = KEPT_BYTES) -> None:
        self.kept: RecentValues[Any] = RecentValues(kept, held_bytes)
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
