"""Slow work: how many forward passes run at once, and what they make by key, made once for all who
ask and kept for all visitors: of a reader and a text, never of a person.
"""

import ctypes
import os
import pickle
import sys
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any, Generic, TypeVar

from qa_demo.core.base import Cancelled, IsCancelled, OnProgress, usable_cores

T = TypeVar("T")
R = TypeVar("R")
Make = Callable[[OnProgress, IsCancelled], Any]
OF_THREAD = threading.local()
"""`passes`: whose thread this is; only those that run a pass have it."""
MOST = 8
"""Passes at once: beyond them the machine's memory, not its cores, sets the pace."""
KEPT_BYTES = 96_000_000
"""Some 800 readings of 200 words, or some 60 of 8,000."""
LEASE = 6.0
"""Seconds that a computation goes on after it was last asked for: a closed page sends no word."""
AT_ONCE = 0.25
"""Seconds that a question waits before it is told to come back."""


class Passes:
    """Forward passes, as many at once as there are cores, in the order of asking. The cores are
    shared by those that run or wait: one that is alone takes all, as the last one of a text does
    once the others end; with two threads for each core a pass is eleven times slower.
    """

    def __init__(self, count: int | None = None) -> None:
        self.count = max(1, min(MOST, usable_cores())) if count is None else count
        self._begin()
        if hasattr(os, "register_at_fork"):  # not on Windows
            os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        """A forked process has none of the threads, and torch would wait for ever for its own."""
        if hasattr(self, "unfinished") and (torch := sys.modules.get("torch")):
            torch.set_num_threads(1)
        self._threads = ThreadPoolExecutor(self.count, "pass")
        self.unfinished, self._lock = 0, threading.Lock()

    def run(self, work: Callable[[], R], cancelled: IsCancelled | None = None) -> R:
        """work() as one pass. Errors: Cancelled, and what `work` raises."""
        return next(self.each(lambda _: work(), (None,), cancelled))

    def each(
        self, work: Callable[[T], R], items: Sequence[T], cancelled: IsCancelled | None = None
    ) -> Iterator[R]:
        """work(item) of each as a pass, side by side, in order. No more than `count` stand in the
        line at a time, so that a long text lets others in between.
        """
        assert not hasattr(OF_THREAD, "passes"), "a pass that waits for another may wait for ever"
        under_way, left = deque[Future[R]](), deque(items)
        self._count(len(left))
        try:
            while left or under_way:
                running = [future for future in under_way if not future.done()]
                if left and len(running) < self.count:
                    under_way.append(self._threads.submit(self._pass, work, left.popleft()))
                elif under_way[0].done():
                    yield under_way.popleft().result()
                else:
                    wait(running, None if cancelled is None else 0.1, FIRST_COMPLETED)
                if cancelled is not None and cancelled():
                    raise Cancelled("this was cancelled")
        finally:
            never_begun = len(left) + sum(future.cancel() for future in under_way)
            self._count(-never_begun)  # one that has begun counts itself off at its end

    def _count(self, more: int) -> None:
        with self._lock:
            self.unfinished += more

    def _pass(self, work: Callable[[T], R], item: T) -> R:
        OF_THREAD.passes = self
        try:
            take_share()
            return work(item)
        finally:
            self._count(-1)


def take_share() -> int:
    """How many threads torch has here; a pass under way takes its share of the cores as of now."""
    import torch

    if passes := getattr(OF_THREAD, "passes", None):
        torch.set_num_threads(max(1, passes.count // passes.unfinished))
    return torch.get_num_threads()


SHARED = Passes()
"""Those of a server: one set for all readers, because they share the processor."""


def held_bytes(value: Any) -> int:
    """What keeping a record costs: its bytes, and some 100 kB of freed memory pinned in pieces."""
    buffers: list[pickle.PickleBuffer] = []
    rest = len(pickle.dumps(value, 5, buffer_callback=buffers.append))
    return 100_000 + rest + sum(buffer.raw().nbytes for buffer in buffers)


class Cache(Generic[T]):
    """Values up to a total weight (number, or bytes by `weigh`); the longest untouched go."""

    def __init__(self, most: int, weigh: Callable[[T], int] = lambda _: 1) -> None:
        self.most, self._weigh, self._lock = most, weigh, threading.Lock()
        self._held: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()
        self._making = threading.RLock()

    def get(self, key: Hashable) -> T | None:
        """The value kept under a key, or None."""
        with self._lock:
            if key not in self._held:
                return None
            self._held.move_to_end(key)
            return self._held[key][0]

    def put(self, key: Hashable, value: T) -> T:
        """Keep a value and hand it back; one that outweighs all the room is kept alone."""
        weight = self._weigh(value)
        with self._lock:
            self._held[key] = value, weight
            self._held.move_to_end(key)
            over = sum(w for _, w in self._held.values()) - self.most
            while over > 0 and len(self._held) > 1:
                over -= self._held.popitem(last=False)[1][1]
        return value

    def find(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value kept, or a new one. One is made at a time: another new key waits, too."""
        if (found := self.get(key)) is not None:
            return found
        with self._making:
            found = self.get(key)
            return self.put(key, make()) if found is None else found


def return_large_blocks() -> None:
    """Have glibc give each block from 4 MB on back to the system when it is freed. It otherwise
    keeps those of attributions, in pieces that texts of other lengths do not fit: a server grew
    from 550 MB to 1,700 MB over 2,000 readings. Below 4 MB each layer's largest were new memory.
    """
    if sys.platform == "linux" and (set_option := getattr(ctypes.CDLL(None), "mallopt", None)):
        for threshold, size in ((-3, 4 << 20), (-1, 16 << 20)):  # M_MMAP, M_TRIM of malloc.h
            set_option(threshold, size)


@dataclass(eq=False)
class Pending(Exception):
    """The result of a key is not there yet: its place in the line (0: it runs), seconds since it
    was first asked for, and how much of it is done, 0 to 1.
    """

    key: Hashable
    place: int
    seconds: float
    done: float


@dataclass(eq=False)
class Job:
    """One computation that somebody waits for."""

    key: Hashable
    make: Make
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
        return_large_blocks()
        self.kept: Cache[Any] = Cache(kept, held_bytes)
        # one slow computation at a time: a class that asks for twenty still reads its texts at once
        self._lanes = {slow: ThreadPoolExecutor(1 if slow else threads) for slow in (False, True)}
        self._jobs, self._turns = dict[Hashable, Job](), cycle((-1, -1, 1))
        self._lock = threading.RLock()

    def ask(self, key: Hashable, make: Make, slow: bool = False, wait: float = AT_ONCE) -> Any:
        """The value of that key. Raises Pending while it is being made, and what making it raised,
        once, to all who ask.
        """
        with self._lock:
            if (found := self.kept.get(key)) is not None:
                return found
            job = self._jobs.get(key)
            if job is None or job.abandoned():
                # what was left goes: a flood of texts would fill the memory
                self._jobs = {k: one for k, one in self._jobs.items() if not one.abandoned()}
                job = self._jobs[key] = Job(key, make, slow)
                self._lanes[slow].submit(self._next, slow)
        end = time.monotonic() + wait
        while (now := time.monotonic()) < end and not job.future.done():
            job.asked = now
            with suppress(TimeoutError):
                job.future.exception(min(LEASE / 4, end - now))
        job.asked = time.monotonic()
        with self._lock:
            if not job.future.done():
                line = self._line(slow)
                place = 1 + line.index(job) if job in line else 0
                raise Pending(key, place, job.asked - job.began, job.done)
            if self._jobs.get(key) is job:  # it failed, and this is told once
                del self._jobs[key]
        return job.future.result()

    def _line(self, slow: bool, turn: int = -1) -> list[Job]:
        """What waits; of long ones the newest first: the oldest is about to be given up (at turn 1
        the oldest, or it might wait for ever); last those asked for once, by one who may have left.
        """
        line = [job for job in self._jobs.values() if job.slow == slow and not job.running]
        if slow:
            line.sort(key=lambda one: (one.asked - one.began < 2 * AT_ONCE, turn * one.began))
        return line

    def _next(self, slow: bool) -> None:
        with self._lock:
            if not (line := self._line(slow, next(self._turns) if slow else -1)):
                return  # another one took its place
            job = line[0]
            job.running = True
        try:
            if job.abandoned():
                raise Cancelled("nobody waits for this any more")
            value = self.kept.put(job.key, job.make(job.progress, job.abandoned))
        except BaseException as raised:  # noqa: BLE001  the tokenizers library raises BaseException
            job.future.set_exception(raised)
            return
        with self._lock:
            if self._jobs.get(job.key) is job:
                del self._jobs[job.key]
        job.future.set_result(value)


class AtOnce(Work):
    """Computes in the thread that asks; `telling` makes what is told of the progress."""

    def __init__(self, telling: Callable[[], OnProgress] = lambda: lambda *_: None) -> None:
        super().__init__()
        self._telling = telling

    def ask(self, key: Hashable, make: Make, slow: bool = False, wait: float = AT_ONCE) -> Any:
        """The value of that key. Raises what making it raises."""
        return self.kept.find(key, lambda: make(self._telling(), lambda: False))
