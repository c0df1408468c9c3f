"""Run readings for many visitors on two threads, with progress and cancel.

Gradio's own cancel does not stop a running function and then exceeds its concurrency limit, so the limit is
this pool and the cancel is a flag that the reader asks between windows.
"""

import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from qa_demo.core.progress import IsCancelled, OnProgress

T = TypeVar("T")
Work = Callable[[OnProgress, IsCancelled], T]


class Desk(Generic[T]):
    """At most `workers` readings at once on this server and at most one for each visitor: a new one cancels the last."""

    def __init__(self, workers: int = 2) -> None:
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="reading")
        self._running: dict[str, threading.Event] = {}

    def cancel(self, visitor: str | None) -> bool:
        """Ask the visitor's running reading to stop; False when there is none."""
        flag = self._running.get(visitor or "")
        if flag is not None:
            flag.set()
        return flag is not None

    def run(self, visitor: str | None, work: Work[T]) -> Iterator[tuple[int, int]]:
        """Yield (windows done, windows in all) while `work` runs in the pool; the generator's return value is its result."""
        self.cancel(visitor)
        flag: threading.Event = threading.Event()
        self._running[visitor or ""] = flag
        news: SimpleQueue[Any] = SimpleQueue()
        future = self._pool.submit(work, lambda done, total: news.put((done, total)), flag.is_set)
        future.add_done_callback(lambda _: news.put(None))
        try:
            while (item := news.get()) is not None:
                yield _latest(news, item)
            return future.result()
        finally:
            flag.set()
            if self._running.get(visitor or "") is flag:
                del self._running[visitor or ""]


def told(run: Iterator[tuple[int, int]], say: Callable[[int, int], Any]) -> Generator[Any, None, Any]:
    """Yield say(done, total) for each report of a desk's run; returns what the work returned: `found = yield from told(...)`."""
    while True:
        try:
            done, total = next(run)
        except StopIteration as stop:
            return stop.value
        yield say(done, total)


def _latest(news: "SimpleQueue[Any]", item: tuple[int, int]) -> tuple[int, int]:
    """Skip progress that is already out of date, but leave the final None in the queue."""
    while not news.empty():
        try:
            newer = news.get_nowait()
        except Empty:
            break
        if newer is None:
            news.put(None)
            break
        item = newer
    return item
