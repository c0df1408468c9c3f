"""Slow work for many visitors: progress, place in line, cancel, isolation."""

import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from qa_demo.core.errors import BadInput, Cancelled
from qa_demo.views.session import jobs
from qa_demo.views.session.errors import UNEXPECTED
from qa_demo.views.session.jobs import JobQueue, Outcome
from qa_demo.views.session.line import YIELDS, Progress, Task


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


@contextmanager
def occupied(queue: JobQueue, share: str | None = None) -> Iterator[None]:
    """Visitor a's reading has a worker until the block ends."""
    began = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(finish, queue.run("a", "reading", until_cancelled(began), share=share))
        assert began.wait(10)
        yield
        queue.cancel("a")
        assert run.result(10)[1].error == "the reading was cancelled"


class Held:
    """Work that cannot be interrupted and lasts until its gate is open."""

    def __init__(self) -> None:
        self.began, self.gate = threading.Event(), threading.Event()
        self.runs, self.stopped = 0, False

    def __call__(self, progress: Callable, cancelled: Callable) -> str:
        self.runs += 1
        self.began.set()
        assert self.gate.wait(20)
        progress(1, 2)
        self.stopped = cancelled()
        return "read"


def joined(queue: JobQueue, *visitors: str) -> None:
    """Wait until all of them have asked: who comes after the end starts anew."""
    while not all(map(queue.busy, visitors)):
        time.sleep(0.001)


def gives(result: str) -> Callable:
    """Work that is done at once."""
    return lambda progress, cancelled: result


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
    queue = JobQueue(workers=1)
    with ThreadPoolExecutor(1) as pool, occupied(queue):
        second, third = queue.run("b", "reading", gives("b")), queue.run("c", "reading", gives("c"))
        assert (next(second).ahead, next(third).ahead) == (0, 1)
        ended = pool.submit(finish, second)
        assert queue.cancel("b") and ended.result(10)[1].error == "this was cancelled"
        assert next(third).ahead == 0, "one place nearer"
    assert finish(third)[1] == Outcome("c")


def test_work_that_cannot_be_interrupted_is_left_behind_on_cancel() -> None:
    queue, load = JobQueue(), Held()
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(finish, queue.run("a", "load", load, loads=True))
        assert load.began.wait(10) and queue.cancel("a")
        assert run.result(jobs.GRACE + 5)[1].error == "this was cancelled"
        load.gate.set()


def test_loads_have_threads_of_their_own() -> None:
    queue, load = JobQueue(workers=1), Held()
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(finish, queue.run("a", "load", load, loads=True))
        assert load.began.wait(10)
        assert finish(queue.run("b", "reading", gives("b")))[1] == Outcome("b")
        load.gate.set()
        assert slow.result(10)[1] == Outcome("read")


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


def test_thirty_who_ask_the_same_are_one_computation_in_one_worker() -> None:
    queue, work = JobQueue(workers=2), Held()
    with ThreadPoolExecutor(30) as pool:
        runs = [
            pool.submit(finish, queue.run(f"visitor {k}", "reading", work, share="text"))
            for k in range(30)
        ]
        assert work.began.wait(10)
        other = finish(queue.run("x", "reading", gives("other")))[1]
        assert other == Outcome("other"), "the second worker is free"
        joined(queue, *(f"visitor {k}" for k in range(30)))
        work.gate.set()
        assert {run.result(20)[1] for run in runs} == {Outcome("read")} and work.runs == 1
    assert finish(queue.run("late", "reading", work, share="text"))[1] == Outcome("read")
    assert work.runs == 2, "what has ended is not shared: keeping results is the cache's part"


def test_the_first_who_asked_may_cancel_and_the_others_get_their_result() -> None:
    queue, work = JobQueue(workers=1), Held()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(finish, queue.run("a", "reading", work, share="text"))
        assert work.began.wait(10)
        told = pool.submit(finish, queue.run("b", "reading", work, share="text"))
        joined(queue, "b")
        queue.cancel("a")
        assert first.result(10)[1] == Outcome(None, "this was cancelled")
        assert not told.done()
        work.gate.set()
        assert told.result(10)[1] == Outcome("read") and not work.stopped


def test_when_all_cancel_the_work_ends_and_who_comes_then_starts_anew() -> None:
    queue, began = JobQueue(workers=2), threading.Event()
    with ThreadPoolExecutor(2) as pool:
        runs = [
            pool.submit(finish, queue.run(name, "reading", until_cancelled(began), share="text"))
            for name in "ab"
        ]
        assert began.wait(10)
        joined(queue, "a", "b")
        queue.cancel("a")
        queue.cancel("b")
        new = queue.run("c", "reading", gives("anew"), share="text")
        assert finish(new)[1] == Outcome("anew")
        assert all(run.result(10)[1].result is None for run in runs)


def test_the_wait_is_estimated_from_what_such_work_took() -> None:
    queue = JobQueue(workers=1)
    line = queue._lines[False]
    line.took["reading"] = 8.0
    with occupied(queue):
        second, third = (queue.run(v, "reading", until_cancelled()) for v in "bc")
        a, b = next(second), next(third)
        assert (a.ahead, b.ahead) == (0, 1) and a.seconds is not None and b.seconds is not None
        assert 0 < a.seconds <= 8 and abs(b.seconds - a.seconds - 8) < 1
        unknown = next(queue.run("d", "training", until_cancelled()))
        assert unknown.ahead == 2 and unknown.seconds is not None, "only those before it count"
        second.close()
        third.close()
    assert line.took["reading"] == 8.0, "what was cancelled says nothing about how long it takes"


def test_who_asks_for_little_goes_first_and_nobody_waits_for_ever() -> None:
    queue, order = JobQueue(workers=1), list[str]()
    line = queue._lines[False]
    line.took |= {"reading": 0.1, "explanation": 1.0}

    def ask(visitor: str, kind: str) -> Generator:
        job = queue.run(visitor, kind, lambda progress, cancelled: order.append(visitor))
        next(job)
        return job

    with occupied(queue):
        jobs = [ask("slow", "explanation"), ask("quick", "reading"), ask("last", "explanation")]
        early = line.waiting[0]
        assert early.kind == "reading", "it came second and goes first"
        early.turn += 2 * YIELDS  # as if it had been asked for ten seconds later
        line.waiting.sort(key=lambda one: one.turn)
        assert [one.kind for one in line.waiting] == ["explanation", "explanation", "reading"]
    for job in jobs:
        assert finish(job)[1].error is None
    assert order == ["slow", "last", "quick"], "what was asked for long before goes first"


def test_one_of_two_workers_takes_nothing_long() -> None:
    queue, began = JobQueue(workers=2), [threading.Event() for _ in range(3)]
    queue._lines[False].took |= {"reading": 0.1, "explanation": 2.0}
    with ThreadPoolExecutor(3) as pool:

        def ask(visitor: str, kind: str, event: threading.Event) -> Future:
            return pool.submit(finish, queue.run(visitor, kind, until_cancelled(event)))

        first = ask("a", "explanation", began[0])
        assert began[0].wait(10)
        waits = queue.run("b", "explanation", until_cancelled(began[1]))
        told = next(waits)
        assert told.ahead == 0 and told.seconds is not None and 1 < told.seconds <= 2
        long = queue.run("d", "reading", until_cancelled(), size=100)
        told = next(long)
        assert told.seconds is not None and told.ahead == 1, "a long text waits behind them"
        long.close()
        reading = ask("c", "reading", began[2])
        assert began[2].wait(10) and not began[1].is_set(), "a worker was free for the reading"
        second = pool.submit(finish, waits)
        queue.cancel("a")
        assert began[1].wait(10), "the other explanation follows the first"
        for visitor in "bc":
            queue.cancel(visitor)
        for future in (first, second, reading):
            assert future.result(10)[1].error == "the reading was cancelled"


def test_the_mean_follows_the_newest_times() -> None:
    line = JobQueue()._lines[False]
    task = Task("reading", lambda progress, cancelled: None, None)
    for seconds in (10.0, 5.0):
        line.learn(task, seconds)
    assert line.took == {"reading": 9.0}
    line.learn(Task("reading", task.work, None, size=100), 900.0)
    assert line.took == {"reading": 9.0}, "a long text says how long a short one takes"


def test_what_cannot_start_soon_is_refused_at_once_with_a_sentence() -> None:
    queue = JobQueue(workers=1, patience=5)
    queue._lines[False].took["reading"] = 60.0
    with occupied(queue, share="text"):
        seen, refused = finish(queue.run("b", "reading", until_cancelled()))
        assert seen == [] and not queue.busy("b")
        assert refused.error is not None and refused.error.endswith(
            "it lets nobody wait longer than 5; please try again in a minute"
        )
        joins = queue.run("c", "reading", until_cancelled(), share="text")
        assert next(joins).ahead is None, "what runs already is open to all"
        joins.close()


def test_only_so_many_may_wait() -> None:
    queue = JobQueue(workers=1, most=1)
    with occupied(queue):
        waits = queue.run("b", "reading", gives("b"))
        assert next(waits).ahead == 0
        refused = finish(queue.run("c", "reading", until_cancelled()))[1].error
        assert refused is not None and refused.startswith("this server is busy: 1 of 1 places")
        assert queue.cancel("b") and finish(waits)[1].result is None
        free = queue.run("c", "reading", gives("c"))
        assert next(free).ahead == 0, "the place that was given up is free"
    assert finish(free)[1] == Outcome("c")
