"""Places for forward passes: order, threads, side by side, cancel, failures."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from qa_demo.core.base import Cancelled
from qa_demo.core.types import WindowOptions
from qa_demo.model import workers
from qa_demo.model.loading import load_reader
from qa_demo.model.workers import Workers, idle_cores, usable_cores
from tests.model import kit

pytestmark = pytest.mark.model


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else wants a core."""
    monkeypatch.setattr(workers, "idle_cores", lambda: 8)


def threads_now() -> int:
    import torch

    return int(torch.get_num_threads())


def test_idle_cores_are_what_others_leave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "LOAD", tmp_path / "loadavg")
    monkeypatch.setattr(workers, "usable_cores", lambda: 4)
    for running, left in ((1, 4), (2, 3), (4, 1), (9, 1)):
        (tmp_path / "loadavg").write_text(f"0.10 0.20 0.30 {running}/200 77\n")
        assert idle_cores() == left
    (tmp_path / "loadavg").unlink()
    assert 1 <= idle_cores() <= 4
    assert 2 <= Workers().count <= workers.MOST and usable_cores() >= 1


def test_a_pass_that_is_alone_takes_what_is_idle(idle: None) -> None:
    gate, before = Workers(3), threads_now()
    with gate.slot():
        assert threads_now() == 3

    def inside() -> int:
        with gate.slot():
            return threads_now()

    with gate.slot(wide=False):
        assert threads_now() == 1
        with ThreadPoolExecutor(1) as other:
            assert other.submit(inside).result(10) == 2
    assert threads_now() == before and gate._free == 3


def test_a_pass_on_a_busy_machine_has_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "idle_cores", lambda: 1)
    with Workers(4).slot():
        assert threads_now() == 1


def test_items_run_side_by_side_in_idle_places() -> None:
    gate, together, done = Workers(3), threading.Barrier(3), []

    def work(item: int) -> None:
        if item < 3:  # later a helper may leave, because the caller waits for a place as well
            together.wait(20)
        done.append(item)

    gate.side_by_side(range(6), work)  # ends only if the first three run at a time
    assert sorted(done) == [*range(6)] and gate._free == 3


def test_helpers_leave_when_others_wait() -> None:
    """A short text that comes while a long one is read has its turn after one window."""
    gate, begun, order = Workers(2), threading.Event(), []

    def work(item: int) -> None:
        order.append(item)
        begun.set()
        time.sleep(0.03)

    with ThreadPoolExecutor(1) as other:
        long = other.submit(gate.side_by_side, range(20), work)
        assert begun.wait(10)
        with gate.slot():
            order.append(-1)
        long.result(20)
    assert order.index(-1) < 8 and sorted(order) == [*range(-1, 20)]


def test_places_are_given_in_the_order_of_asking() -> None:
    gate, order = Workers(1), list[int]()

    def note(k: int) -> None:
        with gate.slot():
            order.append(k)

    with ThreadPoolExecutor(5) as pool, gate.slot():
        for k in range(5):
            pool.submit(note, k)
            while len(gate._line) <= k:
                time.sleep(0.001)
    assert order == [*range(5)]


@pytest.mark.parametrize("at", [0, 1, 5])
def test_a_failure_in_any_place_is_raised_and_all_places_are_free_again(at: int) -> None:
    gate, done = Workers(2), list[int]()

    def work(item: int) -> None:
        if item == at:
            raise ZeroDivisionError
        done.append(item)
        time.sleep(0.005)

    with pytest.raises(ZeroDivisionError):
        gate.side_by_side(range(30), work)
    assert len(done) < 29 and gate._free == 2


def test_cancelling_ends_all_places() -> None:
    gate, done = Workers(2), list[int]()

    def work(item: int) -> None:
        time.sleep(0.005)
        done.append(item)

    with pytest.raises(Cancelled):
        gate.side_by_side(range(30), work, lambda: len(done) > 3)
    count = len(done)
    time.sleep(0.05)
    assert 3 < count < 10 and len(done) == count and gate._free == 2


def test_side_by_side_gives_the_logits_of_one_after_the_other(
    idle: None, saved: Callable[[str], Path]
) -> None:
    folder = str(saved("bert"))
    alone, helped = (load_reader(folder, workers=Workers(count)) for count in (1, 4))
    for context in (kit.CONTEXT * 2, "The bridge."):
        a, b = (r.read(kit.QUESTION, context, WindowOptions(40, 7)) for r in (alone, helped))
        assert len(a.windows) == len(b.windows) and (len(a.windows) > 4) == (len(context) > 40)
        for name in ("start_logits", "end_logits", "tag_logits"):
            np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=0, atol=1e-5)
