"""Run a function in a worker thread and wait for it no longer than a budget."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import TypeVar

T = TypeVar("T")


class TookTooLong(Exception):
    """The time is up; the worker keeps running and its result is dropped."""


class _HandOver:
    """Move whatever the body raises to the future, where the waiting thread raises it again."""

    def __init__(self, future: Future) -> None:
        self.future = future

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if error is not None:
            self.future.set_exception(error)
        return True


def within(seconds: float, work: Callable[[], T]) -> T:
    """work(), or TookTooLong after so many seconds; what it raises is raised here.

    Python cannot stop a thread, so the worker is a daemon: it does not keep the process alive.
    """
    future: Future = Future()

    def run() -> None:
        with _HandOver(future):
            future.set_result(work())

    threading.Thread(target=run, name="loading", daemon=True).start()
    try:
        return future.result(timeout=seconds)
    except TimeoutError as late:
        if future.done():
            raise
        raise TookTooLong(f"no result within {seconds:g} seconds") from late
