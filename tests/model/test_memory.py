"""Memory stays flat: caches bounded before torch is there, freed memory handed back."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from qa_demo.model import memory
from qa_demo.model.workers import Workers
from tests.soak import resident

GLIBC = memory.trimmer() is not None
TORCH = f"import os\nprint(*map(os.environ.get, {list(memory.CACHES)}))\nraise SystemExit\n"


def test_what_somebody_chose_is_kept() -> None:
    environment = {"LRU_CACHE_CAPACITY": "64"}
    memory.bound_caches(environment)
    assert environment == {
        "LRU_CACHE_CAPACITY": "64",
        "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "8",
        "OMP_WAIT_POLICY": "PASSIVE",
    }


@pytest.mark.parametrize("module", ["products", "spanbert"])
def test_every_way_to_torch_bounds_its_caches_first(module: str, tmp_path: Path) -> None:
    """A file in torch's place says what torch would find when it is imported."""
    (tmp_path / "torch.py").write_text(TORCH, encoding="utf-8")
    said = subprocess.run(
        [sys.executable, "-c", f"import qa_demo.model.{module}"],
        cwd=Path(__file__).parents[2],
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.split() == ["8", "8"]


def test_many_who_ask_are_served_once_and_again_afterwards() -> None:
    done, times = threading.Semaphore(0), []

    def act() -> None:
        times.append(1)
        done.release()

    later = memory.Later(act, 0.05)
    for _ in range(20):
        later.ask()
    assert done.acquire(timeout=10)
    later.ask()
    assert done.acquire(timeout=10) and len(times) == 2


def test_without_glibc_nothing_is_asked() -> None:
    before = threading.active_count()
    memory.Later(None).ask()
    assert threading.active_count() == before


def test_a_pass_asks_for_it_also_when_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr("qa_demo.model.workers.FREED.ask", lambda: asked.append(1))
    workers = Workers(1)
    with workers.slot():
        assert not asked
    with pytest.raises(ZeroDivisionError), workers.slot():
        _ = 1 / 0
    assert len(asked) == 2


@pytest.mark.skipif(not GLIBC, reason="only glibc keeps, and can return, what was freed")
def test_freed_blocks_of_another_thread_go_back() -> None:
    """Small blocks with every thousandth alive: free() alone cannot return what lies between."""
    import ctypes

    for timer in threading.enumerate():  # an earlier test's, which would give it back before
        if getattr(timer, "function", None) == memory.FREED._do:
            timer.join()
    libc = ctypes.CDLL(None)
    libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    blocks: list[int] = []

    def take_and_free() -> None:
        for k in range(200_000):
            blocks.append(libc.malloc(500))
            ctypes.memset(blocks[-1], k % 7 + 1, 500)
        for k, block in enumerate(blocks):
            if k % 1000:
                libc.free(block)

    thread = threading.Thread(target=take_and_free)
    thread.start()
    thread.join()
    trim, held = memory.trimmer(), resident()
    assert trim is not None
    trim()
    gone = held - resident()
    for block in blocks[::1000]:
        libc.free(block)
    assert gone > 50
