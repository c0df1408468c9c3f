"""The server's one queue for slow work: few workers, progress, a place in line, and a Cancel that
is answered at once.

Gradio's own cancel does not stop a running function and then exceeds its concurrency limit, so the
limit is this queue and the cancel is a flag that the work asks between windows or steps.
"""

import threading
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from qa_demo.core.errors import Cancelled
from qa_demo.core.progress import IsCancelled, OnProgress
from qa_demo.views.session.errors import attempt

T = TypeVar("T")
Work = Callable[[OnProgress, IsCancelled], T]
GRACE = 0.5
"""Seconds that a visitor who cancelled waits for the work to end by itself; what cannot be
interrupted, such as loading
weights, goes on without them."""


@dataclass(frozen=True)
class Progress:
    """What is told while a job waits (`ahead` others start first) or runs (`done` of `total`)."""

    done: int = 0
    total: int = 0
    ahead: int | None = None


@dataclass(frozen=True)
class Outcome(Generic[T]):
    """A job's result, or the sentence that says why there is none.

    `superseded`: the visitor wanted something else of the same kind meanwhile, so neither is news.
    """

    result: T | None
    error: str | None = None
    superseded: bool = False


@dataclass(eq=False)
class _Job:
    flag: threading.Event = field(default_factory=threading.Event)
    news: "SimpleQueue[Progress | None]" = field(default_factory=SimpleQueue)
    superseded: bool = False

    def stop(self, superseded: bool = False) -> None:
        self.superseded = self.superseded or superseded
        self.flag.set()
        self.news.put(Progress())  # wakes whoever waits for news


class JobQueue:
    """At most `workers` slow computations at once on this server, and one of each kind for a
    visitor: a new one ends the last.

    Work that mostly waits for a disk or a network ("loads") has threads of its own: a slow download
    must not hold up a reading.
    """

    def __init__(self, workers: int = 2, loaders: int = 4) -> None:
        self._pools = {
            False: ThreadPoolExecutor(workers, "job"),
            True: ThreadPoolExecutor(loaders, "load"),
        }
        self._lock = threading.Lock()
        self._current: dict[tuple[str, str], _Job] = {}
        self._waiting: dict[bool, list[_Job]] = {False: [], True: []}

    def run(
        self, visitor: str | None, kind: str, work: Work[T], loads: bool = False
    ) -> Generator[Progress, None, Outcome[T]]:
        """Yield progress while `work` waits and runs; the generator's return value is its
        outcome.
        """
        name, job = (visitor or "", kind), _Job()
        with self._lock:
            before, self._current[name] = self._current.get(name), job
            self._waiting[loads].append(job)
        if before is not None:
            before.stop(superseded=True)
        future = self._pools[loads].submit(self._perform, job, work, loads)
        future.add_done_callback(lambda _: job.news.put(None))
        self._tell_places(loads)
        try:
            yield from self._news(job, future)
            return self._outcome(job, future)
        finally:
            job.flag.set()
            future.cancel()
            self._no_longer_waits(job, loads)
            with self._lock:
                if self._current.get(name) is job:
                    del self._current[name]

    def cancel(self, visitor: str | None) -> bool:
        """Ask all of the visitor's jobs to stop; False when there is none."""
        with self._lock:
            found = [job for (owner, _), job in self._current.items() if owner == (visitor or "")]
        for job in found:
            job.stop()
        return bool(found)

    def supersede(self, visitor: str | None, kind: str) -> None:
        """The visitor's job of this kind is no longer wanted: it ends without a word."""
        with self._lock:
            job = self._current.get((visitor or "", kind))
        if job is not None:
            job.stop(superseded=True)

    def busy(self, visitor: str | None) -> bool:
        """Whether any job of this visitor waits or runs."""
        with self._lock:
            return any(owner == (visitor or "") for owner, _ in self._current)

    def _perform(self, job: _Job, work: Work[T], loads: bool) -> tuple[T | None, str | None]:
        self._no_longer_waits(job, loads)
        if job.flag.is_set():
            return attempt(_cancelled)
        return attempt(
            lambda: work(lambda done, total: job.news.put(Progress(done, total)), job.flag.is_set)
        )

    def _no_longer_waits(self, job: _Job, loads: bool) -> None:
        with self._lock:
            waited = job in self._waiting[loads]
            if waited:
                self._waiting[loads].remove(job)
        if waited:
            self._tell_places(loads)

    def _tell_places(self, loads: bool) -> None:
        with self._lock:
            places = list(enumerate(self._waiting[loads]))
        for ahead, job in places:
            job.news.put(Progress(ahead=ahead))

    def _news(self, job: _Job, future: "Future[Any]") -> Generator[Progress, None, None]:
        """The newest word each time; ends with the work, or soon after it was asked to stop."""
        while not job.flag.is_set():
            item = _latest(job.news)
            if item is None:
                return
            if not job.flag.is_set():
                yield item
        if not future.cancel() and not job.superseded:
            _wait(future, GRACE)

    def _outcome(self, job: _Job, future: "Future[tuple[T | None, str | None]]") -> Outcome[T]:
        if job.superseded:
            return Outcome(None, None, True)
        if future.cancelled() or not future.done():
            return Outcome(None, attempt(_cancelled)[1])
        return Outcome(*future.result())


def _cancelled() -> None:
    raise Cancelled("this was cancelled")


def _wait(future: "Future[Any]", seconds: float) -> None:
    """Until the work has ended, at most so long."""
    ended = threading.Event()
    future.add_done_callback(lambda _: ended.set())
    ended.wait(seconds)


def _latest(news: "SimpleQueue[Progress | None]") -> Progress | None:
    """Wait for news and skip what is already out of date; None when the work has ended."""
    item = news.get()
    while item is not None:
        try:
            item = news.get_nowait()
        except Empty:
            return item
    return None
