"""Slow results by key: made once for all, ended when nobody asks, forgotten when they fail."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from unittest.mock import Mock

import numpy as np
import pytest

from qa_demo.core.base import BadInput, Cancelled
from qa_demo.model import work
from qa_demo.model.work import Pending, Work


def waited(lane, key, make, slow=False):
    for _ in range(1000):
        with suppress(Pending):
            return lane.ask(key, make, slow, 0.01)
    raise AssertionError("it never came")


def test_one_computation_for_all_who_ask_and_a_kept_value_is_not_made_again():
    made, gate, lane = [], threading.Event(), Work()

    def make(tell, cancelled):
        made.append(1)
        tell(1, 4)
        gate.wait(5)
        return np.arange(3)

    with pytest.raises(Pending) as wait:
        lane.ask("key", make, wait=0.2)
    assert (wait.value.place, wait.value.done) == (0, 0.25)
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(waited, lane, "key", make) for _ in range(8)]
        gate.set()
        same = [*pool.map(lambda _: lane.kept.find(1, lambda: time.sleep(0.1) or [1]), range(8))]
    found = [one.result() for one in asked]
    assert {id(f) for f in [*found, lane.ask("key", make)]} == {id(found[0])} and made == [1]
    assert {id(x) for x in same} == {id(same[0])}


def test_a_failure_while_nobody_asks_is_told_at_the_next_asking_and_is_not_kept():
    lane, gate, make = Work(), threading.Event(), Mock(side_effect=[BadInput("no"), 7])
    with pytest.raises(Pending):
        lane.ask("key", lambda *_: gate.wait(5) and make(), wait=0.01)
    gate.set()
    assert waited(lane, "other", lambda *_: time.sleep(0.1) or 1) == 1
    with pytest.raises(BadInput, match="no"):
        waited(lane, "key", make)
    assert waited(lane, "key", make) == 7


def test_what_nobody_asks_for_any_more_is_cancelled_and_makes_no_line(monkeypatch):
    monkeypatch.setattr(work, "LEASE", 0.1)
    lane, ended = Work(), threading.Event()

    def make(tell, cancelled):
        while not cancelled():
            time.sleep(0.01)
        ended.set()
        raise Cancelled("nobody waits")

    with pytest.raises(Pending):
        lane.ask("key", make, wait=0.02)
    assert ended.wait(5)
    monkeypatch.setattr(work, "LEASE", 0.05)
    lane, gate = Work(threads=1), threading.Event()
    for k in range(20):
        with pytest.raises(Pending) as wait:
            lane.ask(k, lambda *_: gate.wait(5), wait=0.01)
    gate.set()
    assert wait.value.place < 10


def test_who_waits_long_keeps_the_computation_alive_and_the_longest_unused_makes_room(monkeypatch):
    monkeypatch.setattr(work, "LEASE", 0.2)
    cut = Work().ask("key", lambda _, cancelled: time.sleep(0.7) or [cancelled()], wait=5)
    assert cut == [False]
    lane = Work(kept=600_000)
    for k in (0, 1, 0, 2, 0, 3, 0, 4):
        waited(lane, k, lambda *_: np.zeros(20_000))
    assert [lane.kept.get(k) is None for k in range(5)] == [False, True, True, True, False]


@pytest.mark.parametrize(("slow", "order"), [(False, [0, 1, 2, 3, 4]), (True, [0, 3, 1, 2, 4])])
def test_of_long_ones_the_newest_is_next_every_third_time_the_oldest(slow, order, monkeypatch):
    monkeypatch.setattr(work, "AT_ONCE", 0.1)
    lane, gate, began = Work(threads=1 + slow), threading.Event(), []

    def make(k, *_):
        began.append(k)
        return gate.wait(5) and k

    for k in (*range(5), 1, 2, 3):  # nobody asks for 4 again
        with pytest.raises(Pending) as wait:
            lane.ask(k, partial(make, k), slow, wait=0.02 if began else 0.5)
        time.sleep(0.06)
    assert wait.value.place == (1 if slow else 3)
    assert not slow or (waited(lane, "short", lambda *_: 1) and began == [0]), "it passes them"
    gate.set()
    assert [waited(lane, k, partial(make, k), slow) for k in order] == order == began
