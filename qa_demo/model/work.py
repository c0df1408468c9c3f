"""Slow work: how many forward passes run at once, and slow results by key, made once for all who
ask.
"""

import itertools
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, TypeVar

from qa_demo.core.base import Cancelled, IsCancelled, OnProgress
from qa_demo.model.cache import Cache, held_bytes

T = TypeVar("T")
R = TypeVar("R")
Make = Callable[[OnProgress, IsCancelled], Any]
MOST = 8
"""Passes at once: beyond them the machine's memory, not its cores, sets the pace."""
KEPT_BYTES = 96_000_000
"""Some 600 readings of 200 words, or some 60 of 8,000."""
LEASE = 6.0
"""Seconds that a computation goes on after it was last asked for: a closed page sends no word."""
AT_ONCE = 0.25
"""Seconds that a question waits before it is told to come back."""


def usable_cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Passes:
    """Forward passes, as many at once as there are cores, in the order of asking, each with one
    thread of torch: two threads a pass are eleven times slower on a busy machine. A pass that is
    alone takes all cores.
    """

    def __init__(self, count: int | None = None) -> None:
        self.count = max(1, min(MOST, usable_cores())) if count is None else count
        self._threads = ThreadPoolExecutor(self.count, "pass")
        self._running, self._lock = 0, threading.Lock()

    def run(self, work: Callable[[], R], cancelled: IsCancelled | None = None) -> R:
        """work() as one pass. Errors: Cancelled, and what `work` raises."""
        return next(self.each(lambda _: work(), (None,), cancelled))

    def each(
        self, work: Callable[[T], R], items: Sequence[T], cancelled: IsCancelled | None = None
    ) -> Iterator[R]:
        """work(item) of each as a pass, side by side, in order. No more than `count` stand in the
        line at a time, so that a long text lets others in between.
        """
        under_way, left = deque[Future[R]](), deque(items)

        def result(future: Future[R]) -> R:
            while True:
                if cancelled is not None and cancelled():
                    raise Cancelled("this was cancelled")
                if wait([future], None if cancelled is None else 0.1).done:
                    return future.result()

        try:
            while left or under_way:
                while left and len(under_way) < self.count:
                    one = left.popleft()
                    under_way.append(self._threads.submit(self._pass, work, one, len(items) == 1))
                yield result(under_way.popleft())
        finally:
            for future in under_way:
                future.cancel()

    def _pass(self, work: Callable[[T], R], item: T, wide: bool) -> R:
        import torch

        with self._lock:
            self._running += 1
            alone = wide and self._running == 1
        try:
            torch.set_num_threads(self.count if alone else 1)
            return work(item)
        finally:
            with self._lock:
                self._running -= 1


SHARED = Passes()
"""Those of a server: one set for all readers, because they share the processor."""


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
        self.kept: Cache[Any] = Cache(kept, held_bytes)
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
