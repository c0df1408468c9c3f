"""Readings for many visitors: progress, cancel, isolation."""

import threading
from collections.abc import Callable, Generator

import pytest

from qa_demo.views.desk import Desk


def finish(run: Generator) -> tuple[list, object]:
    seen = []
    while True:
        try:
            seen.append(next(run))
        except StopIteration as stop:
            return seen, stop.value


def test_progress_then_the_result() -> None:
    def work(on_progress: Callable, cancelled: Callable) -> str:
        on_progress(0, 2)
        return "read"
    seen, result = finish(Desk().run("a", work))
    assert seen == [(0, 2)] and result == "read"


def test_cancel_reaches_the_work_and_only_its_own() -> None:
    desk, started, other = Desk(), threading.Event(), threading.Event()

    def work(on_progress: Callable, cancelled: Callable) -> bool:
        on_progress(0, 1)
        started.set()
        while not (cancelled() or other.is_set()):
            other.wait(0.005)
        return cancelled()
    first, second = desk.run("a", work), desk.run("b", work)
    next(first), next(second)
    assert desk.cancel("a") and not desk.cancel("nobody")
    assert finish(first)[1] is True
    other.set()
    assert finish(second)[1] is False
    assert not desk.cancel("a") and not desk.cancel("b")


def test_a_new_reading_of_one_visitor_cancels_the_last() -> None:
    desk = Desk()

    def wait(on_progress: Callable, cancelled: Callable) -> bool:
        on_progress(0, 1)
        while not cancelled():
            threading.Event().wait(0.005)
        return True
    first = desk.run("a", wait)
    next(first)
    second = desk.run("a", lambda on_progress, cancelled: cancelled())
    assert finish(second)[1] is False
    assert finish(first)[1] is True


def test_a_visitor_who_leaves_cancels_the_work() -> None:
    desk, ended = Desk(), threading.Event()

    def wait(on_progress: Callable, cancelled: Callable) -> None:
        on_progress(0, 1)
        while not cancelled():
            threading.Event().wait(0.005)
        ended.set()
    run = desk.run("a", wait)
    next(run)
    run.close()
    assert ended.wait(10)


def test_an_error_of_the_work_is_raised_here() -> None:
    def fail(on_progress: Callable, cancelled: Callable) -> None:
        raise ValueError("broken")
    with pytest.raises(ValueError, match="broken"):
        finish(Desk().run("a", fail))
