"""A learner without a model: s <- s - rate (p - t) / 2, so that the loss falls."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from qa_demo.core.base import BadInput, Cancelled, IsCancelled, OnProgress
from qa_demo.core.losses import Golds, cross_entropy_gradient, start_end_loss, start_end_targets
from qa_demo.core.steps import Learned, Movement, Plan, Scope, Step, check_scope, training_windows
from qa_demo.core.types import Reading, WindowOptions


class FakeLearner:
    """Implements `core.steps.Learner`; other texts' start logits shrink by 2 % a step."""

    def __init__(
        self,
        reading: Reading,
        golds: Golds,
        scope: str,
        read_other: Callable[[str, str, WindowOptions], Reading],
    ) -> None:
        self.reading, self.golds, self.read_other = reading, tuple(golds), read_other
        self.scope: Scope = check_scope(scope)
        self.windows = training_windows(reading, golds)
        self.closed = False
        self._clear()

    def _clear(self) -> None:
        first = Step(0, start_end_loss(self.reading, self.golds, self.windows))
        self._path: list[tuple[Reading, tuple[Step, ...]]] = [(self.reading, (first,))]
        self._at = 0

    def _state(self) -> Learned:
        after, curve = self._path[self._at]
        moved = 0.1 * (len(curve) - 1)
        vectors = tuple(Movement(name, 1.0, 1.0 + moved, moved, 2 * moved) for name in "SE")
        learned = (self.golds, self.scope, self.windows, self.windows[0], curve)
        moved_by = (*vectors, Movement("T", 2.0, 2.0, 0.0, 0.0))
        ways = self._at + 1 < len(self._path), self._at > 0
        return Learned(self.reading, after, *learned, moved_by, *ways)

    def step(
        self,
        plan: Plan,
        on_progress: OnProgress | None = None,
        cancelled: IsCancelled | None = None,
    ) -> Learned:
        self._open()
        after, curve = self._path[self._at]
        for done in range(plan.steps):
            if cancelled is not None and cancelled():
                raise Cancelled("the steps were cancelled")
            rows = after.start_logits.copy(), after.end_logits.copy()
            for w in (after.windows[k] for k in self.windows):
                for row, target in zip(rows, start_end_targets(w, self.golds), strict=True):
                    slope = cross_entropy_gradient(row[w.index, : len(w)], target) / 2
                    row[w.index, : len(w)] -= plan.learning_rate * slope
            start, end = (row.astype(np.float32) for row in rows)
            after = replace(after, start_logits=start, end_logits=end, checksum="")
            curve = (*curve, Step(len(curve), start_end_loss(after, self.golds, self.windows)))
            if on_progress is not None:
                on_progress(done + 1, plan.steps)
        self._path = [*self._path[: self._at + 1], (after, curve)]
        self._at += 1
        return self._state()

    def undo(self) -> Learned:
        self._open()
        if self._at == 0:
            raise BadInput("there is no action left to take back")
        self._at -= 1
        return self._state()

    def redo(self) -> Learned:
        self._open()
        if self._at + 1 == len(self._path):
            raise BadInput("there is no action to do again")
        self._at += 1
        return self._state()

    def reset(self) -> Learned:
        self._open()
        self._clear()
        return self._state()

    def read(self, question: str, context: str, options: WindowOptions) -> Reading:
        self._open()
        found = self.read_other(question, context, options)
        shrink = np.float32(0.98 ** (len(self._path[self._at][1]) - 1))
        return replace(found, start_logits=found.start_logits * shrink, checksum="")

    def close(self) -> None:
        self.closed = True

    def _open(self) -> None:
        if self.closed:
            raise BadInput("this copy of the reader was released")
