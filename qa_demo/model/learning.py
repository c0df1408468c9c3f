"""Gradient steps on a private copy of some of a reader's weights; the shared reader is never
written to.

A copy is made at the first step and released by reset and close.
"""

import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from qa_demo.core.base import (
    BadCheckpoint,
    BadInput,
    Cancelled,
    IsCancelled,
    ModelUnavailable,
    OnProgress,
)
from qa_demo.core.losses import Golds, start_end_loss, start_end_targets
from qa_demo.core.steps import Learned, Plan, Scope, Step, check_scope, training_windows
from qa_demo.core.types import Reading, WindowOptions
from qa_demo.model.private import PrivateWeights, Weights, trained_names
from qa_demo.model.step import Stepper
from qa_demo.model.workers import Workers

SNAPSHOTS, WHOLE_COPIES = 3, 2
"""States that can be gone back to, and copies of a whole reader that a server keeps at once."""
PLACES = threading.BoundedSemaphore(WHOLE_COPIES)
MakeReader = Callable[[Any], Any]
"""A reader around a private model: same tokenizer, BIO head, threshold and gate."""


@dataclass(eq=False)
class _State:
    """A point on the path: the weights' differences from the reader's, and its losses."""

    weights: Weights
    curve: tuple[Step, ...]


class ModelLearner:
    """Implements `core.steps.Learner` for transformers; not for two threads at once."""

    def __init__(
        self,
        model: Any,
        make_reader: MakeReader,
        workers: Workers,
        reading: Reading,
        golds: Golds,
        scope: str,
        places: threading.BoundedSemaphore = PLACES,
    ) -> None:
        """Nothing is copied before the first step."""
        self.scope: Scope = check_scope(scope)
        """Which weights it may move."""
        self._model = model
        self._make_reader = make_reader
        self._workers = workers
        self._places = places
        self.reading = reading
        """The reading it started from."""
        self._golds = tuple(golds)
        self._names = trained_names(model, self.scope)
        self.windows = training_windows(reading, golds)
        self._window = next(
            (
                w
                for w in self.windows
                if start_end_targets(reading.windows[w], golds)[0][reading.windows[w].cls_at] < 1
            ),
            self.windows[0],
        )
        self._closed, self._lock = False, threading.RLock()
        self._stepper = Stepper(model, workers, reading, self._golds, self.scope, self.windows)
        self._place: weakref.finalize | None = None
        self._clear()

    def _clear(self) -> None:
        self._private: PrivateWeights | None = None
        self._reader: Any = None
        self._undo: list[_State] = []
        self._redo: list[_State] = []
        self._curve = (Step(0, start_end_loss(self.reading, self._golds, self.windows)),)

    # The five methods

    def step(
        self,
        plan: Plan,
        on_progress: OnProgress | None = None,
        cancelled: IsCancelled | None = None,
    ) -> Learned:
        """Take the steps of one action; one that is cancelled or fails is undone completely."""
        with self._lock:
            self._check_open()
            private = self._open_copy()
            start = self._snapshot(private, exact=True)
            try:
                after = self._train(private, plan, on_progress, cancelled)
            except (Cancelled, BadCheckpoint, BadInput) as fault:
                self._restore(private, start)
                if isinstance(fault, Cancelled):
                    raise
                raise BadInput(
                    f"with {plan.optimizer} at the learning rate {plan.learning_rate:g} the loss "
                    "is no longer a finite number; the action was taken back"
                ) from fault
            start.weights = {name: difference.half() for name, difference in start.weights.items()}
            self._undo, self._redo = [*self._undo, start][-SNAPSHOTS:], []
            return self._state(after)

    def undo(self) -> Learned:
        """Back to the state before the last action."""
        with self._lock:
            self._check_open()
            if not self._undo:
                raise BadInput(
                    f"there is no action left to take back; the last {SNAPSHOTS} are kept"
                )
            return self._travel(self._undo, self._redo)

    def redo(self) -> Learned:
        """Forward again to the state from which the last undo went back."""
        with self._lock:
            self._check_open()
            if not self._redo:
                raise BadInput("there is no action to do again")
            return self._travel(self._redo, self._undo)

    def reset(self) -> Learned:
        """The reader's own weights; the copy, its moments and its snapshots are released."""
        with self._lock:
            self._check_open()
            self._release()
            state = self._state(self.reading)
            self._stepper.hidden.clear()
            return state

    def read(self, question: str, context: str, options: WindowOptions) -> Reading:
        """Read another text with the weights as they are now."""
        with self._lock:
            self._check_open()
            found: Reading = (self._reader or self._make_reader(self._model)).read(
                question, context, options
            )
            return found

    def close(self) -> None:
        """Release everything."""
        with self._lock:
            if not self._closed:
                self._release()
                self._closed = True

    # Copies and snapshots

    def _check_open(self) -> None:
        if self._closed:
            raise BadInput("this copy of the reader was released; take a new step to start again")

    def _open_copy(self) -> PrivateWeights:
        if self._private is None:
            if self.scope == "reader":
                if not self._places.acquire(blocking=False):
                    raise ModelUnavailable(
                        f"{WHOLE_COPIES} visitors of this server are training a whole reader, and "
                        "it keeps no more copies; wait until one of them resets or leaves, or "
                        "train the head or the last layer"
                    )
                # also when nobody closes this learner
                self._place = weakref.finalize(self, self._places.release)
            self._private = PrivateWeights(self._model, self._names)
            self._reader = self._make_reader(self._private.model)
        return self._private

    def _release(self) -> None:
        if self._place is not None:
            self._place()
            self._place = None
        self._stepper.hidden.clear()
        self._clear()

    def _snapshot(self, private: PrivateWeights, exact: bool = False) -> _State:
        return _State(private.differences(exact), self._curve)

    def _restore(self, private: PrivateWeights, state: _State) -> None:
        private.put_back(state.weights)
        self._curve = state.curve

    def _travel(self, source: list[_State], target: list[_State]) -> Learned:
        private, state = self._open_copy(), source.pop()
        target.append(self._snapshot(private))
        self._restore(private, state)
        return self._state(self._read_again(private, None, None))

    # Steps

    def _train(
        self,
        private: PrivateWeights,
        plan: Plan,
        on_progress: OnProgress | None,
        cancelled: IsCancelled | None,
    ) -> Reading:
        """Take the steps and read again; appends one point to the curve for each step."""
        count = plan.steps + len(self.reading.windows)
        optimizer, curve = private.optimizer_for(plan), list(self._curve)
        for done in range(plan.steps):
            terms = self._stepper.step(private, optimizer, cancelled)
            if done:
                curve.append(Step(len(curve), terms))
            if on_progress is not None:
                on_progress(done + 1, count)
        after = self._read_again(
            private,
            lambda done, _: on_progress(plan.steps + done, count) if on_progress else None,
            cancelled,
        )
        curve.append(Step(len(curve), start_end_loss(after, self._golds, self.windows)))
        self._curve = tuple(curve)
        return after

    # Results

    def _read_again(
        self, private: PrivateWeights, on_progress: OnProgress | None, cancelled: IsCancelled | None
    ) -> Reading:
        for p in private.own().values():
            p.requires_grad_(False)
        texts = self.reading.encoding
        after: Reading = self._reader.read(
            texts.question, texts.context, self.reading.options, on_progress, cancelled
        )
        return after

    def _state(self, after: Reading) -> Learned:
        return Learned(
            self.reading,
            after,
            self._golds,
            self.scope,
            self.windows,
            self._window,
            self._curve,
            self._stepper.movements(self._private, self._window),
            bool(self._redo),
            bool(self._undo),
        )
