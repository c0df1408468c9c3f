"""How many forward passes run at once, and on how many threads each.

Every pass takes a place. Texts of several windows use idle places side by side, one thread each,
which is the faster way; a pass that is alone on an idle machine takes the idle places as threads.
"""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from qa_demo.core.base import Cancelled, IsCancelled
from qa_demo.model.memory import FREED

T = TypeVar("T")
MOST = 8
"""Places of a server: beyond them the machine's memory, not its cores, sets the pace."""
LOAD = Path("/proc/loadavg")


def usable_cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def idle_cores() -> int:
    """Cores that nothing else computes on at this moment, at least this thread's own.

    Linux tells how many threads want a core now; elsewhere the mean of the last minute must do.
    """
    try:
        busy = int(LOAD.read_text(encoding="ascii").split()[3].split("/")[0]) - 1
    except (OSError, ValueError, IndexError):
        busy = round(os.getloadavg()[0]) if hasattr(os, "getloadavg") else usable_cores()
    return max(1, usable_cores() - busy)


class Workers:
    """Places for forward passes, a window at a time, so that no long text holds up a short one."""

    def __init__(self, count: int | None = None) -> None:
        """`count` places; by default one for each core, at least 2 and at most `MOST`."""
        self.count = max(2, min(MOST, usable_cores())) if count is None else count
        self._free, self._line = self.count, deque[object]()
        self._changed = threading.Condition()
        self._helpers = ThreadPoolExecutor(max(1, self.count - 1), "window")

    @contextmanager
    def slot(self, cancelled: IsCancelled | None = None, wide: bool = True) -> Iterator[None]:
        """Wait for a place; `Cancelled` when the caller gives up first.

        The pass in it has one thread; a `wide` one has one for each place that nobody wants, on
        cores that are idle.
        """
        self._wait(cancelled)
        taken = 1 + (self._spare(idle_cores() - 1) if wide and self._free else 0)
        try:
            with _threads(taken):
                yield
        finally:
            self._give_back(taken)

    def side_by_side(
        self, items: Sequence[T], work: Callable[[T], None], cancelled: IsCancelled | None = None
    ) -> None:
        """work(item) for all, in places of the caller's thread and of helpers that take what is
        idle. Raises what `work` raises, and Cancelled.
        """
        left, helping = deque(items), list[Future[None]]()
        try:
            while left:
                with self.slot(cancelled, wide=len(left) == 1):
                    item = _next(left)
                    if item is None:
                        break
                    while len(helping) < min(len(left), self.count - 1) and self._spare(1):
                        helping.append(self._helpers.submit(self._help, left, work, cancelled))
                    work(item)
                helping = [one for one in helping if not _ended(one)]
        except BaseException:
            left.clear()
            for one in helping:
                one.exception()
            raise
        for one in helping:
            one.result()

    def _help(
        self, left: "deque[T]", work: Callable[[T], None], cancelled: IsCancelled | None
    ) -> None:
        """Work off what is left, in a place that was taken for this; ends when others wait."""
        while True:
            try:
                item = None if cancelled is not None and cancelled() else _next(left)
                if item is not None:
                    with _threads(1):
                        work(item)
            except BaseException:
                left.clear()
                raise
            finally:
                self._give_back(1)
            if item is None or not self._spare(1):
                return

    def _wait(self, cancelled: IsCancelled | None) -> None:
        ticket = object()
        with self._changed:
            self._line.append(ticket)
        try:
            while True:
                if cancelled is not None and cancelled():
                    raise Cancelled("this was cancelled")
                with self._changed:
                    if self._free and self._line[0] is ticket:
                        self._free -= 1
                        return
                    self._changed.wait(0.1)
        finally:
            with self._changed:
                self._line.remove(ticket)
                self._changed.notify_all()

    def _spare(self, most: int) -> int:
        """Take up to so many places that nobody waits for; how many were taken."""
        with self._changed:
            taken = 0 if self._line else max(0, min(most, self._free))
            self._free -= taken
            return taken

    def _give_back(self, taken: int) -> None:
        with self._changed:
            self._free += taken
            self._changed.notify_all()
        FREED.ask()


def _next(left: "deque[T]") -> T | None:
    try:
        return left.popleft()
    except IndexError:
        return None


def _ended(helper: "Future[None]") -> bool:
    """Whether it has ended; raises what it raised."""
    return helper.done() and helper.result() is None


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """So many threads for the passes of this thread."""
    import torch

    before = torch.get_num_threads()
    if before != count:
        torch.set_num_threads(count)
    try:
        yield
    finally:
        if before != count:
            torch.set_num_threads(before)


SHARED = Workers()
"""The places of a server: one set for all readers, because they share the processor."""


def set_threads(threads: int = 1) -> int:
    """The threads of what runs outside of a place, at start-up and once.

    Two threads for each of two passes on two cores run ten times slower than one each: they wait
    for each other.
    """
    import torch

    torch.set_num_threads(threads)
    return threads
