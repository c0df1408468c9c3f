"""The last few values by key, shared by all visitors: of a reader and a text, never a person."""

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Generic, TypeVar

import numpy as np

V = TypeVar("V")


def one(_: object) -> int:
    """Every value weighs the same."""
    return 1


def held_bytes(value: Any) -> int:
    """The bytes of a record: its arrays, each buffer once, and the texts and numbers beside."""
    return _held(value, set())


def _held(value: Any, seen: set[int]) -> int:
    if isinstance(value, np.ndarray):
        while isinstance(value.base, np.ndarray):
            value = value.base
    if id(value) in seen:
        return 0
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    parts: list[Any] = []
    if is_dataclass(value):
        parts = [getattr(value, one.name) for one in fields(value)]
    elif isinstance(value, Mapping):
        parts = [*value.keys(), *value.values()]
    elif isinstance(value, tuple | list | set | frozenset):
        parts = list(value)
    return sys.getsizeof(value) + sum(_held(part, seen) for part in parts)


class Cache(Generic[V]):
    """Values up to a total weight (number, or bytes by `weigh`); the longest untouched go."""

    def __init__(self, most: int, weigh: Callable[[V], int] = one) -> None:
        self.most, self._weigh, self._lock = most, weigh, threading.Lock()
        self._held: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._weight = 0

    def get(self, key: Hashable) -> V | None:
        """The value kept under a key, or None."""
        with self._lock:
            found = self._held.get(key)
            if found is None:
                return None
            self._held.move_to_end(key)
            return found[0]

    def put(self, key: Hashable, value: V) -> V:
        """Keep a value and hand it back; one that outweighs all the room is kept alone."""
        weight = self._weigh(value)
        with self._lock:
            self._forget(key)
            self._held[key], self._weight = (value, weight), self._weight + weight
            while self._weight > self.most and len(self._held) > 1:
                self._forget(next(iter(self._held)))
        return value

    def find(self, key: Hashable, make: Callable[[], V]) -> V:
        """The value kept, or a new one, made once: who asks meanwhile waits for it, who asks for
        another does not. Raises what `make` raises.
        """
        if (found := self.get(key)) is not None:
            return found
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            if (found := self.get(key)) is not None:
                return found
            try:
                return self.put(key, make())
            finally:
                with self._lock:
                    self._making.pop(key, None)

    def __len__(self) -> int:
        return len(self._held)

    def _forget(self, key: Hashable) -> None:
        if key in self._held:
            self._weight -= self._held.pop(key)[1]
