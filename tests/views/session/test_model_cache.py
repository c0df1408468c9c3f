"""The keeper: one load for many, release when idle or short of memory, a watch that ends."""

import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest

from qa_demo.core.errors import ModelUnavailable
from qa_demo.views.session.model_cache import SHORT, ModelCache, available_share


class Thing:
    """Something that can be seen to go."""


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def make(
    share: float | None = None,
) -> tuple[ModelCache[Thing], Clock, list[str], list[float | None]]:
    clock, loads, memory = Clock(), [], [share]

    def load(name: str) -> Thing:
        loads.append(name)
        if name == "nothing":
            raise ModelUnavailable("nothing: there is no such model")
        return Thing()

    return (
        ModelCache(load, 2, idle=100.0, clock=clock, available=lambda: memory[0], watch=1e6),
        clock,
        loads,
        memory,
    )


def until(so: Callable[[], bool]) -> None:
    """Wait for what another thread does, for five seconds at most."""
    end = time.monotonic() + 5
    while not so() and time.monotonic() < end:
        time.sleep(0.01)


def test_it_loads_once_and_late() -> None:
    keeper, _, loads, _ = make()
    assert keeper.held("a") is None and loads == []
    assert keeper.get("a") is keeper.get("a") is keeper.held("a") and loads == ["a"]


def test_many_askers_share_one_load() -> None:
    gate, loads = threading.Event(), []

    def load(name: str) -> Thing:
        loads.append(name)
        gate.wait(5)
        return Thing()

    keeper, found = ModelCache(load, watch=1e6), []
    threads = [threading.Thread(target=lambda: found.append(keeper.get("a"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    gate.set()
    for thread in threads:
        thread.join(5)
    assert loads == ["a"] and len(found) == 4 and len(set(map(id, found))) == 1


def test_a_slow_load_delays_nobody_who_wants_another_name() -> None:
    gate, began = threading.Event(), threading.Event()

    def load(name: str) -> Thing:
        if name == "slow":
            began.set()
            assert gate.wait(5)
        return Thing()

    keeper = ModelCache(load, watch=1e6)
    slow = threading.Thread(target=lambda: keeper.get("slow"))
    slow.start()
    assert began.wait(5) and keeper.get("quick") is not None and keeper.held("slow") is None
    gate.set()
    slow.join(5)
    assert keeper.held("slow") is not None


def test_what_nobody_used_is_released_and_really_goes() -> None:
    keeper, clock, loads, _ = make()
    seen = weakref.ref(keeper.get("a"))
    clock.now = 99.0
    assert keeper.sweep() == [] and keeper.held("a") is not None, "held() is a use"
    clock.now = 198.0
    assert keeper.sweep() == []
    clock.now = 200.0
    assert keeper.sweep() == ["a"] and seen() is None, "nothing else keeps it alive"
    assert isinstance(keeper.get("a"), Thing) and loads == ["a", "a"]


def test_short_memory_releases_everything_at_once() -> None:
    keeper, _, _, memory = make(share=SHORT + 0.01)
    keeper.get("a")
    keeper.get("b")
    assert keeper.sweep() == []
    memory[0] = SHORT - 0.01
    assert keeper.sweep() == ["a", "b"] and keeper.held("a") is None


def test_the_one_unused_for_longest_makes_room() -> None:
    keeper, clock, _, _ = make()
    for at, name in enumerate("abac"):
        clock.now = float(at)
        keeper.get(name)
    assert [keeper.held(name) is not None for name in "abc"] == [True, False, True]


def test_a_load_that_fails_leaves_the_others_and_can_be_tried_again() -> None:
    keeper, _, loads, _ = make()
    keeper.get("a")
    for _ in range(2):
        with pytest.raises(ModelUnavailable, match="no such model"):
            keeper.get("nothing")
    assert keeper.held("a") is not None and loads == ["a", "nothing", "nothing"]


def test_the_watch_releases_by_itself_and_ends() -> None:
    keeper = ModelCache(lambda name: Thing(), idle=0.0, available=lambda: None, watch=0.01)
    keeper.get("a")
    until(lambda: keeper._watching is False)
    assert keeper._watching is False and keeper.held("a") is None
    keeper.get("a")
    until(lambda: not keeper._held)
    assert not keeper._held, "a new load is watched again"


def test_memory_is_read_from_the_machine_and_from_a_container(tmp_path: Path) -> None:
    assert available_share(tmp_path) is None
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "meminfo").write_text(
        "MemTotal:       1000 kB\nMemFree:         10 kB\nMemAvailable:    400 kB\n"
    )
    assert available_share(tmp_path) == pytest.approx(0.4)
    group = tmp_path / "sys" / "fs" / "cgroup"
    group.mkdir(parents=True)
    (group / "memory.max").write_text("max\n")
    (group / "memory.current").write_text("900\n")
    (group / "memory.stat").write_text("anon 700\ninactive_file 100\n")
    assert available_share(tmp_path) == pytest.approx(0.4), "no limit counts as no container"
    (group / "memory.max").write_text("1000\n")
    assert available_share(tmp_path) == pytest.approx(0.2), "900 less 100 of cached files"
