"""One learner a visitor, kept outside the session: it holds tensors, and ends with it."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from qa_demo.core.learning.losses import Golds
from qa_demo.core.learning.steps import Learner
from qa_demo.core.reader import Reader
from qa_demo.core.types import Reading

IDLE = 900.0
"""Seconds after which a learner that nobody used is released when somebody else asks for one."""


@dataclass(eq=False)
class _Seat:
    learner: Learner
    golds: Golds
    used: float


class Learners:
    """Hands each visitor the learner of their screen; another text, label or scope closes it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._seats: dict[str, _Seat] = {}
        self._lock, self._clock = threading.Lock(), clock

    def get(
        self, visitor: str, reader: Callable[[], Reader], reading: Reading, golds: Golds, scope: str
    ) -> Learner:
        """The visitor's learner of this reading, labels and scope, made if there is none."""
        with self._lock:
            self._sweep(but=visitor)
            seat = self._seats.get(visitor)
            if (
                seat is not None
                and seat.learner.reading is reading
                and seat.golds == golds
                and seat.learner.scope == scope
            ):
                seat.used = self._clock()
                return seat.learner
            old = self._seats.pop(visitor, None)
        if old is not None:
            old.learner.close()
        made = reader().learner(reading, golds, scope)
        with self._lock:
            self._seats[visitor] = _Seat(made, golds, self._clock())
        return made

    def close(self, visitor: str | None) -> None:
        """Release a visitor's learner: the tab was closed, or another text is on screen."""
        with self._lock:
            seat = self._seats.pop(visitor or "", None)
        if seat is not None:
            seat.learner.close()

    def __len__(self) -> int:
        return len(self._seats)

    def _sweep(self, but: str) -> None:
        late = self._clock() - IDLE
        for visitor in [v for v, seat in self._seats.items() if v != but and seat.used < late]:
            self._seats.pop(visitor).learner.close()
