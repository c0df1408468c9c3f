"""Work in line before some workers: who waits for a task, how many before it, how long."""

import heapq
import threading
import time
from bisect import insort
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

from qa_demo.core.progress import IsCancelled, OnProgress

NEWEST = 0.2
"""The weight of the newest task in the mean time of its kind."""
LONG = 0.5
"""Seconds from which work is long. One of several workers takes none of it."""
YIELDS = 5.0
"""A task lets those go first that are asked for within this many times its own length: a reading of
60 ms need not wait for ten explanations of a second, and an explanation waits a few seconds more.
"""


@dataclass(frozen=True)
class Progress:
    """What is told while a job waits (`ahead` others start first) or runs (`done` of `total`).

    `seconds` estimates the wait from what such work took lately; None while that is not known.
    """

    done: int = 0
    total: int = 0
    ahead: int | None = None
    seconds: float | None = None


@dataclass(eq=False)
class Job:
    """What one visitor asked for: its own Cancel and its own news of the task behind it."""

    flag: threading.Event = field(default_factory=threading.Event)
    news: "SimpleQueue[Progress | None]" = field(default_factory=SimpleQueue)
    superseded: bool = False
    asked: float = field(default_factory=time.monotonic)

    def stop(self, superseded: bool = False) -> None:
        self.superseded = self.superseded or superseded
        self.flag.set()
        self.news.put(Progress())  # wakes whoever waits for news


@dataclass(eq=False)
class Task:
    """One computation and the jobs that wait for it: it stops when the last of them gave up."""

    kind: str
    work: Callable[[OnProgress, IsCancelled], Any]
    share: Hashable | None
    size: float = 1.0
    """How much there is to do, in units of its kind."""
    members: list[Job] = field(default_factory=list)
    last: Progress = Progress()
    lock: threading.Lock = field(default_factory=threading.Lock)
    future: "Future[Any]" = field(default_factory=Future)
    began: float = 0.0
    turn: float = 0.0
    """Who has the lowest goes first: when it was asked for and a few times its length, seconds."""

    def join(self, job: Job) -> bool:
        """Wait for this task too; False when it is already being given up."""
        with self.lock:
            if self.members and all(member.flag.is_set() for member in self.members):
                return False
            self.members.append(job)
            if self.last != Progress():
                job.news.put(self.last)
            return True

    def tell(self, progress: Progress) -> None:
        """News for all who wait."""
        with self.lock:
            self.last = progress
            for job in self.members:
                job.news.put(progress)

    def do(self) -> Any:
        """Its result; progress is told to all who wait."""
        return self.work(lambda done, total: self.tell(Progress(done, total)), self.given_up)

    def given_up(self) -> bool:
        """Whether nobody waits for it any more; the flag stays, so nobody can join then."""
        with self.lock:
            return all(member.flag.is_set() for member in self.members)


@dataclass(eq=False)
class Line:
    """Some workers and the tasks before and in them; all methods need the queue's lock."""

    workers: int
    pool: ThreadPoolExecutor
    waiting: list[Task] = field(default_factory=list)
    running: list[Task] = field(default_factory=list)
    took: dict[str, float] = field(default_factory=dict)
    """Seconds of one unit by the kind of task: a moving mean of those that ended well."""

    def ahead_of(self, task: Task) -> list[Task]:
        """Give a new task its turn; those before it. A kind never timed counts as the longest."""
        longest = max(self.took.values(), default=0.0)
        task.turn = time.monotonic() + YIELDS * self.took.get(task.kind, longest) * task.size
        return [one for one in self.waiting if one.turn <= task.turn and not one.given_up()]

    def add(self, task: Task) -> None:
        """Put it in line by its turn."""
        insort(self.waiting, task, key=lambda one: one.turn)

    def take(self) -> Task | None:
        """The next task that somebody still wants and a worker may take, as one that runs."""
        for task in [one for one in self.waiting if one.given_up()]:
            self.waiting.remove(task)
            task.future.cancel()
        full = sum(map(self._kept_out, self.running)) >= self.workers - 1
        for task in self.waiting:
            if full and self._kept_out(task):
                continue
            self.waiting.remove(task)
            task.future.set_running_or_notify_cancel()
            self.running.append(task)
            task.began = time.monotonic()
            return task
        return None

    def learn(self, task: Task, seconds: float) -> None:
        """Count one task that ended well."""
        unit = seconds / task.size
        mean = self.took.get(task.kind, unit)
        self.took[task.kind] = mean + NEWEST * (unit - mean)

    def _seconds(self, task: Task) -> float:
        """How long it takes; 0 for a kind that was never timed."""
        return self.took.get(task.kind, 0.0) * task.size

    def wait_of(self, task: Task, ahead: list[Task]) -> float | None:
        """Seconds until a worker is free after these and those `ahead`; None if never timed."""
        long = self._kept_out(task)
        before = [one for one in ahead if self._kept_out(one) == long]
        running = [one for one in self.running if not long or self._kept_out(one)]
        if any(one.kind not in self.took for one in [*running, *before]):
            return None
        now = time.monotonic()
        left = [max(0.0, self._seconds(one) + one.began - now) for one in running]
        free = left + [0.0] * (self.workers - long - len(left))
        heapq.heapify(free)
        for one in before:
            heapq.heapreplace(free, free[0] + self._seconds(one))
        return free[0]

    def places(self) -> None:
        """Tell those who wait for a worker how many are before them, and for how long."""
        free, later = self.workers - len(self.running), list[Task]()
        kept_out = self.workers - 1 - sum(map(self._kept_out, self.running))
        for task in self.waiting:
            long = self._kept_out(task)
            if free > 0 and (not long or kept_out > 0):
                free, kept_out = free - 1, kept_out - long  # a worker is about to take it
                continue
            task.tell(Progress(ahead=len(later), seconds=self.wait_of(task, later)))
            later.append(task)

    def _kept_out(self, task: Task) -> bool:
        """Whether one worker does not take it."""
        return self.workers > 1 and self._seconds(task) >= LONG
