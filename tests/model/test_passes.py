"""Forward passes: order, threads, side by side, cancel, failures."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from qa_demo.core.base import Cancelled
from qa_demo.model.work import Passes, take_share

pytestmark = pytest.mark.model


@pytest.mark.parametrize("count", [2, 3, 8])
def test_passes_come_in_order_and_share_the_cores_with_those_that_run_or_wait(count):
    passes, every, two = Passes(count), threading.Barrier(count), threading.Barrier(2)
    begun = threading.Event()

    def end_of(those: int) -> None:
        deadline = time.monotonic() + 10
        while passes.unfinished > those and time.monotonic() < deadline:
            time.sleep(0.001)

    def long(item: int) -> list[int]:
        seen = [take_share()]
        begun.wait(10) if item else (begun.set(), end_of(1))
        return [*seen, take_share()]

    def beside(_: int) -> int:
        two.wait(10)
        seen = take_share()
        two.wait(10)
        return seen

    def meet(item: int) -> int:
        every.wait(10)  # ends only if so many run at a time
        return item

    assert [*passes.each(meet, range(2 * count))] == [*range(2 * count)]
    assert next(passes.each(long, range(count + 2))) == [1, count]  # all, once the others ended
    assert [*passes.each(beside, range(2))] == [max(1, count // 2)] * 2
    with pytest.raises(ZeroDivisionError):
        [*passes.each(lambda item: 1 // item, range(9))]
    with pytest.raises(AssertionError, match="wait for ever"):
        passes.run(lambda: passes.run(take_share))
    end_of(0)
    assert passes.run(torch.get_num_threads) == count  # none that failed or never ran is counted


def test_a_short_text_comes_in_between_the_windows_of_a_long_one():
    passes, begun, order = Passes(2), threading.Event(), list[int]()

    def work(item: int) -> None:
        order.append(item)
        if item == 4:
            begun.set()
        time.sleep(0.03)

    with ThreadPoolExecutor(1) as other:
        long = other.submit(lambda: list(passes.each(work, range(20))))
        assert begun.wait(10)
        passes.run(lambda: order.append(-1))
        long.result(20)
    assert order.index(-1) < 8 and sorted(order) == [*range(-1, 20)]


@pytest.mark.parametrize("at", [0, 1, 5, None])
def test_a_failure_is_raised_and_ends_the_rest_as_a_cancel_does(at):
    passes, done = Passes(2), list[int]()

    def work(item: int) -> None:
        if item == at:
            raise ZeroDivisionError
        time.sleep(0.005)
        done.append(item)

    with pytest.raises(Cancelled if at is None else ZeroDivisionError):
        list(passes.each(work, range(30), lambda: at is None and len(done) > 3))
    time.sleep(0.1)
    count = len(done)
    assert count < 10 and passes.run(lambda: len(done)) == count


def test_what_waits_in_the_line_is_not_run_after_a_cancel():
    passes, taken, go, done = Passes(2), threading.Barrier(3), threading.Event(), list[int]()
    with ThreadPoolExecutor(2) as others:
        for _ in range(2):
            others.submit(passes.run, lambda: (taken.wait(10), go.wait(10)))
        taken.wait(10)
        with pytest.raises(Cancelled):
            list(passes.each(done.append, range(2), lambda: True))
        go.set()
    assert len(list(passes.each(lambda _: time.sleep(0.01), range(6)))) == 6 and done == []
