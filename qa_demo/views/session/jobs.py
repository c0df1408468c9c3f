"""The server's one queue for slow work: few workers, progress, a place in line, and a Cancel that
is answered at once.

Gradio's own cancel does not stop a running function and then exceeds its concurrency limit, so the
limit is this queue and the cancel is a flag that the work asks between windows or steps.
"""

import threading
import time
from collections.abc import Callable, Generator, Hashable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from qa_demo.core.progress import IsCancelled, OnProgress
from qa_demo.figures.numbers import number
from qa_demo.views.session.errors import attempt
from qa_demo.views.session.line import Job, Line, Progress, Task

T = TypeVar("T")
Work = Callable[[OnProgress, IsCancelled], T]
GRACE = 0.5
"""Seconds that a visitor who cancelled waits for the work to end by itself; what cannot be
interrupted, such as loading weights, goes on without them.
"""
PATIENCE = 60.0
"""Seconds: what cannot start within them is refused at once."""
MOST_WAITING = 100
"""Tasks in line, for the time before any of their kind was timed."""


@dataclass(frozen=True)
class Outcome(Generic[T]):
    """A job's result, or the sentence that says why there is none.

    `superseded`: the visitor wanted something else of the same kind meanwhile, so neither is news.
    """

    result: T | None
    error: str | None = None
    superseded: bool = False
    waited: float = field(default=0.0, compare=False)
    """Seconds in line; none for who joined a task that ran already."""


class JobQueue:
    """At most `workers` slow computations at once on this server, and one of each kind for a
    visitor: a new one ends the last.

    Work that mostly waits for a disk or a network ("loads") has threads of its own: a slow download
    must not hold up a reading. Jobs with the same `share` that are there together are one
    computation, in one worker; each keeps its own Cancel. What would start later than after
    `patience` seconds, or behind `most` others, is refused at once.
    """

    def __init__(
        self,
        workers: int = 2,
        loaders: int = 4,
        patience: float = PATIENCE,
        most: int = MOST_WAITING,
    ) -> None:
        self._lines = {
            False: Line(workers, ThreadPoolExecutor(workers, "job")),
            True: Line(loaders, ThreadPoolExecutor(loaders, "load")),
        }
        self._patience, self._most = patience, most
        self._lock = threading.Lock()
        self._current: dict[tuple[str, str], Job] = {}
        self._shared: dict[Hashable, Task] = {}

    def run(
        self,
        visitor: str | None,
        kind: str,
        work: Work[T],
        loads: bool = False,
        share: Hashable | None = None,
        length: str | None = None,
        size: float = 1.0,
    ) -> Generator[Progress, None, Outcome[T]]:
        """Yield progress while `work` waits and runs; the generator's return value is its
        outcome.

        `share` names the computation by everything that its result depends on, and by nothing of
        the visitor: who asks for one that waits or runs gets its result. `length` names what takes
        about as long, by default all work of this kind, and `size` how many times as long as its
        unit; who asks for little goes first.
        """
        name, job = (visitor or "", kind), Job()
        with self._lock:
            before, self._current[name] = self._current.get(name), job
        if before is not None:
            before.stop(superseded=True)
        line = self._lines[loads]
        task: Task | None = None
        try:
            made = Task(length or kind, work, share, size)
            task, refusal = self._joined(job, made, line)
            if task is None:
                return Outcome(None, refusal)
            task.future.add_done_callback(lambda _: job.news.put(None))
            yield from self._news(job, task, line)
            return self._outcome(job, task)
        finally:
            job.flag.set()
            if task is not None:
                self._leave(task, line)
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

    def _joined(self, job: Job, task: Task, line: Line) -> tuple[Task | None, str | None]:
        """The task of this job, or one there under the same name; or the sentence that refuses."""
        with self._lock:
            there = None if task.share is None else self._shared.get(task.share)
            if there is not None and there.join(job):
                return there, None
            task.join(job)
            refusal = self._refusal(line, task)
            if refusal is not None:
                return None, refusal
            line.add(task)
            if task.share is not None:
                self._shared[task.share] = task
            line.pool.submit(self._perform, line)
            line.places()
            return task, None

    def _refusal(self, line: Line, task: Task) -> str | None:
        ahead = line.ahead_of(task)
        wait = line.wait_of(task, ahead)
        if wait is not None and wait > self._patience:
            return (
                f"this server is busy: your turn would come in about {number(wait, 0)} seconds, "
                f"and it lets nobody wait longer than {number(self._patience, 0)}; please try "
                "again in a minute"
            )
        if len(ahead) >= self._most:
            return (
                f"this server is busy: {len(ahead)} of {self._most} places in line are taken; "
                f"please try again in a minute"
            )
        return None

    def _perform(self, line: Line) -> None:
        """One worker, as long as there is a task that it may take."""
        while (task := self._taken(line)) is not None:
            found: tuple[Any, str | None] = None, None
            try:
                found = attempt(task.do)
            finally:
                with self._lock:
                    line.running.remove(task)
                    if found[1] is None:
                        line.learn(task, time.monotonic() - task.began)
                    self._forget(task)
                task.future.set_result(found)

    def _taken(self, line: Line) -> Task | None:
        with self._lock:
            task = line.take()
            if task is not None:
                task.tell(Progress())  # it waits no more
                line.places()
            return task

    def _leave(self, task: Task, line: Line) -> bool:
        """A job of this task has ended; the last one takes the task with it. Whether it did."""
        with self._lock:
            if not task.given_up():
                return False
            self._forget(task)
            if task in line.waiting:
                line.waiting.remove(task)
                line.places()
        task.future.cancel()
        return True

    def _forget(self, task: Task) -> None:
        if task.share is not None and self._shared.get(task.share) is task:
            del self._shared[task.share]

    def _news(self, job: Job, task: Task, line: Line) -> Generator[Progress, None, None]:
        """The newest word each time; ends with the work, or soon after it was asked to stop."""
        while not job.flag.is_set():
            item = _latest(job.news)
            if item is None:
                return
            if not job.flag.is_set():
                yield item
        if self._leave(task, line) and not task.future.cancelled() and not job.superseded:
            wait([task.future], GRACE)

    def _outcome(self, job: Job, task: Task) -> Outcome[Any]:
        if job.superseded:
            return Outcome(None, None, True)
        if task.future.cancelled() or not task.future.done():
            return Outcome(None, "this was cancelled")
        result, error = task.future.result()
        return Outcome(result, error, waited=max(0.0, task.began - job.asked))


def _latest(news: "SimpleQueue[Progress | None]") -> Progress | None:
    """Wait for news and skip what is already out of date; None when the work has ended."""
    item = news.get()
    while item is not None:
        try:
            item = news.get_nowait()
        except Empty:
            return item
    return None
