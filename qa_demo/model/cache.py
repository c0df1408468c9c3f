"""Holds what is large: loaded when asked for, released when unused or memory is short."""

import ctypes
import logging
import platform
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

T = TypeVar("T")
log = logging.getLogger("qa_demo")
IDLE = 900.0
"""Seconds after which what nobody used is released."""
WATCH = 30.0
"""Seconds between two looks at the clock and at the memory."""
SHORT = 0.08
"""Memory is short when less than this share of it is available."""


def available_share(root: Path = Path("/")) -> float | None:
    """The share of memory still available, of machine and container, the tighter; or None."""
    shares = [
        s
        for s in (_machine(root / "proc/meminfo"), _container(root / "sys/fs/cgroup"))
        if s is not None
    ]
    return min(shares) if shares else None


def _machine(path: Path) -> float | None:
    if not path.is_file():
        return None
    rows = {
        name: value.split()
        for name, _, value in (line.partition(":") for line in path.read_text().splitlines())
    }
    if "MemTotal" not in rows or "MemAvailable" not in rows:
        return None
    return int(rows["MemAvailable"][0]) / max(1, int(rows["MemTotal"][0]))


def _container(folder: Path) -> float | None:
    limit, used, stat = folder / "memory.max", folder / "memory.current", folder / "memory.stat"
    if (
        not (limit.is_file() and used.is_file() and stat.is_file())
        or not (most := limit.read_text().strip()).isdigit()
    ):
        return None
    rows = dict(line.split() for line in stat.read_text().splitlines())
    held = int(used.read_text()) - int(
        rows.get("inactive_file", 0)
    )  # cached files make room at once
    return 1 - held / max(1, int(most))


def hand_back() -> None:
    """Ask glibc to give freed pages back: it would keep half of a model's. Elsewhere nothing."""
    if platform.libc_ver()[0] == "glibc":
        ctypes.CDLL(None).malloc_trim(0)


@dataclass(eq=False)
class ModelCache(Generic[T]):
    """One value by name, at most `most` names; a thread watches while anything is held."""

    load: Callable[[str], T]
    most: int = 2
    idle: float = IDLE
    clock: Callable[[], float] = time.monotonic
    available: Callable[[], float | None] = available_share
    watch: float = WATCH
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _loading: dict[str, threading.Lock] = field(default_factory=dict)
    _held: dict[str, T] = field(default_factory=dict)
    _used: dict[str, float] = field(default_factory=dict)
    _watching: bool = False

    def held(self, name: str) -> T | None:
        """The value when it is in memory, which counts as a use; None when it is not."""
        with self._lock:
            if name in self._held:
                self._used[name] = self.clock()
            return self._held.get(name)

    def get(self, name: str) -> T:
        """The value, loaded first when it is not in memory; the one unused for longest makes room.
        Raises what loading raises.

        Who asks for a name that is being loaded waits for that load; other names do not wait for
        it.
        """
        if (found := self.held(name)) is not None:
            return found
        with self._lock:
            loading = self._loading.setdefault(name, threading.Lock())
        with loading:
            if (found := self.held(name)) is not None:
                return found
            try:
                return self._keep(name, self.load(name))
            finally:
                with self._lock:
                    self._loading.pop(name, None)

    def _keep(self, name: str, made: T) -> T:
        with self._lock:
            self._held[name], self._used[name] = made, self.clock()
            while len(self._held) > self.most:
                self._drop(min(self._used, key=self._used.__getitem__))
            start, self._watching = not self._watching, True
        if start:
            threading.Thread(target=self._keep_watch, name="model-cache", daemon=True).start()
        return made

    def sweep(self) -> list[str]:
        """Release what was unused for `idle` seconds, and all when memory is short; their names."""
        share = self.available()
        short = share is not None and share < SHORT
        with self._lock:
            late = self.clock() - self.idle
            gone = [name for name in self._held if short or self._used[name] < late]
            for name in gone:
                self._drop(name)
        if gone:
            hand_back()
        for name in gone:
            log.info("%s was released: %s", name, "memory is short" if short else "nobody used it")
        return gone

    def _drop(self, name: str) -> None:
        del self._held[name], self._used[name]

    def _keep_watch(self) -> None:
        while True:
            time.sleep(self.watch)
            self.sweep()
            with self._lock:
                if not self._held:
                    self._watching = False
                    return
