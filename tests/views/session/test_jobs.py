"""Slow work for many visitors: progress, place in line, cancel, isolation."""

import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor

from qa_demo.core.errors import BadInput, Cancelled
from qa_demo.views.session import jobs
from qa_demo.views.session.errors import UNEXPECTED
from qa_demo.views.session.jobs import JobQueue, Outcome, Progress


def finish(run: Generator) -> tuple[list, Outcome]:
    seen = []
    while True:
        try:
            seen.append(next(run))
        except StopIteration as stop:
            return seen, stop.value


def until_cancelled(began: threading.Event | None = None) -> Callable:
    """Work that ends only when it is asked to, as a reading does between windows."""

    def work(progress: Callable, cancelled: Callable) -> None:
        progress(0, 1)
        if began is not None:
            began.set()
        while not cancelled():
            threading.Event().wait(0.002)
        raise Cancelled("the reading was cancelled")

    return work


def test_progress_then_the_result() -> None:
    def work(progress: Callable, cancelled: Callable) -> str:
        progress(0, 2)
        return "read"

    seen, outcome = finish(JobQueue().run("a", "reading", work))
    assert outcome == Outcome("read") and all(isinstance(p, Progress) for p in seen)


def test_an_error_becomes_a_sentence_and_a_fault_a_neutral_one() -> None:
    def fail(error: BaseException) -> Callable:
        def work(progress: Callable, cancelled: Callable) -> None:
            raise error

        return work

    assert finish(JobQueue().run("a", "reading", fail(BadInput("too long"))))[1] == Outcome(
        None, "too long"
    )
    panic = type("Panic", (BaseException,), {})("/secret/path")
    assert finish(JobQueue().run("a", "reading", fail(panic)))[1] == Outcome(None, UNEXPECTED)


def test_cancel_reaches_all_jobs_of_a_visitor_and_only_theirs() -> None:
    queue, began = JobQueue(workers=3), [threading.Event() for _ in range(3)]
    names = (("a", "reading"), ("a", "why"), ("b", "reading"))
    with ThreadPoolExecutor(3) as pool:
        runs = [
            pool.submit(finish, queue.run(*name, until_cancelled(event)))
            for name, event in zip(names, began, strict=True)
        ]
        assert all(event.wait(10) for event in began)
        assert queue.cancel("a") and not queue.cancel("nobody")
        assert [run.result(10)[1].error for run in runs[:2]] == ["the reading was cancelled"] * 2
        assert queue.busy("b") and not queue.busy("a") and not runs[2].done()
        assert queue.cancel("b") and runs[2].result(10)[1].error == "the reading was cancelled"


def test_a_new_job_ends_the_visitors_last_one_of_its_kind_without_a_word() -> None:
    queue, began, other = JobQueue(workers=3), threading.Event(), threading.Event()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(finish, queue.run("a", "reading", until_cancelled(began)))
        kind = pool.submit(finish, queue.run("a", "why", until_cancelled(other)))
        assert began.wait(10) and other.wait(10)
        assert finish(queue.run("a", "reading", lambda progress, cancelled: cancelled()))[
            1
        ] == Outcome(False)
        assert first.result(10)[1] == Outcome(None, None, True) and not kind.done()
        queue.supersede("a", "why")
        assert kind.result(10)[1].superseded


def test_who_waits_is_told_the_place_and_a_cancelled_wait_gives_it_up() -> None:
    queue, began = JobQueue(workers=1), threading.Event()
    with ThreadPoolExecutor(3) as pool:
        running = pool.submit(finish, queue.run("a", "reading", until_cancelled(began)))
        assert began.wait(10)
        second = queue.run("b", "reading", lambda progress, cancelled: "b")
        assert next(second).ahead == 0
        third = queue.run("c", "reading", lambda progress, cancelled: "c")
        assert next(third).ahead == 1
        ended = pool.submit(finish, second)
        assert queue.cancel("b") and ended.result(10)[1].error == "this was cancelled"
        assert next(third).ahead == 0, "one place nearer"
        queue.cancel("a")
        assert running.result(10)[1].error == "the reading was cancelled" and finish(third)[
            1
        ] == Outcome("c")


def test_work_that_cannot_be_interrupted_is_left_behind_on_cancel() -> None:
    queue, began, gate = JobQueue(), threading.Event(), threading.Event()

    def load(progress: Callable, cancelled: Callable) -> str:
        began.set()
        assert gate.wait(10)
        return "loaded"

    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(finish, queue.run("a", "load", load, loads=True))
        assert began.wait(10) and queue.cancel("a")
        assert run.result(jobs.GRACE + 5)[1].error == "this was cancelled" and not gate.is_set()
        gate.set()


def test_loads_have_threads_of_their_own() -> None:
    queue, gate, began = JobQueue(workers=1), threading.Event(), threading.Event()

    def load(progress: Callable, cancelled: Callable) -> str:
        began.set()
        gate.wait(10)
        return "loaded"

    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(finish, queue.run("a", "load", load, loads=True))
        assert began.wait(10)
        assert finish(queue.run("b", "reading", lambda progress, cancelled: "read"))[1] == Outcome(
            "read"
        )
        gate.set()
        assert slow.result(10)[1] == Outcome("loaded")


def test_a_visitor_who_leaves_ends_the_work() -> None:
    ended = threading.Event()

    def work(progress: Callable, cancelled: Callable) -> None:
        progress(0, 1)
        while not cancelled():
            threading.Event().wait(0.002)
        ended.set()

    run = JobQueue().run("a", "reading", work)
    next(run)
    run.close()
    assert ended.wait(10)
