"""Real gradient steps as records: what was trained, at what loss, what moved, and what changed on
screen.

A learner holds a private copy of some of a reader's weights. The loss it lowers is the page's own
(`core.losses`):

    L = (l_start + l_end) / 2,   each the mean over the trained windows of -sum_i t_i log p_i
"""

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from qa_demo.core.base import BadInput, Floats, IsCancelled, OnProgress, one_of
from qa_demo.core.heads import angle
from qa_demo.core.losses import Golds, LossTerm, total
from qa_demo.core.types import Reading, WindowOptions

Scope = Literal["head", "last_layer", "reader"]
Optimizer = Literal["sgd", "adamw"]

SCOPES: dict[str, str] = {
    "head": "head only: S and E",
    "last_layer": "last layer: S, E and the encoder's last layer",
    "reader": "whole reader: S, E and every layer",
}
OPTIMIZERS: dict[str, str] = {
    "sgd": "SGD: w − rate · gradient",
    "adamw": "AdamW: as the reader was trained",
}
STEPS = (1, 5, 20)
RATES = (1e-6, 10.0)
TRAINED_WINDOWS = 4
"""The most windows that one step runs over; a step on more would take seconds."""


@dataclass(frozen=True)
class Plan:
    """One action: how many steps of which optimiser at which rate."""

    steps: int = 1
    learning_rate: float = 0.01
    optimizer: Optimizer = "sgd"

    def __post_init__(self) -> None:
        one_of("the number of steps", self.steps, STEPS)
        one_of("the optimizer", self.optimizer, OPTIMIZERS)
        low, high = RATES
        if (
            isinstance(self.learning_rate, bool)
            or not isinstance(self.learning_rate, int | float)
            or not low <= self.learning_rate <= high
        ):
            raise BadInput(
                f"the learning rate must be a number between {low:g} and {high:g}, got "
                f"{str(self.learning_rate)[:40]}"
            )


def check_scope(scope: object) -> Scope:
    """The scope itself. Errors: BadInput unless it is one of the three."""
    one_of("the scope", scope, SCOPES)
    return scope  # type: ignore[return-value]


@dataclass(frozen=True)
class Step:
    """The loss after so many steps, as terms; step 0 is the reader before training."""

    step: int
    terms: tuple[LossTerm, ...]

    @property
    def loss(self) -> float:
        """sum of weight * value, nats."""
        return total(self.terms)


@dataclass(frozen=True)
class Movement:
    """How far a vector moved from the reader's own: lengths, length of the difference, angle in
    degrees.

    S and E are one vector each; for T the four numbers are means over the positions of one window.
    """

    name: str
    norm_before: float
    norm_after: float
    distance: float
    degrees: float


def movement(name: str, before: Floats, after: Floats) -> Movement:
    """Compare vectors [d], or [n, d] row by row with means over the rows."""
    a, b = (np.atleast_2d(np.asarray(x, dtype=np.float64)) for x in (before, after))
    turns = [0.0 if np.array_equal(x, y) else angle(x, y) for x, y in zip(a, b, strict=True)]
    size = [float(np.linalg.norm(x, axis=1).mean()) for x in (a, b, b - a)]
    return Movement(name, size[0], size[1], size[2], float(np.mean(turns)))


@dataclass(frozen=True, eq=False)
class Learned:
    """The reader after some steps on one example. `curve` has steps + 1 entries, from 0 on;
    `movements` are S, E and T.

    `windows` were trained on; `window` is the one whose T is compared.
    """

    before: Reading
    after: Reading
    golds: Golds
    scope: Scope
    windows: tuple[int, ...]
    window: int
    curve: tuple[Step, ...]
    movements: tuple[Movement, ...]
    can_redo: bool = False
    can_undo: bool = False

    @property
    def steps(self) -> int:
        """Steps from the reader's own weights to these."""
        return len(self.curve) - 1


class Learner(Protocol):
    """Trains a private copy on one example. Every method but `read` and `close` returns the new
    state.

    Errors: BadInput for a learner that was closed, Cancelled (no weight has changed then; AdamW's
    moments start from zero), ModelUnavailable when the server's copies are all in use.
    """

    @property
    def reading(self) -> Reading:
        """The reading it started from."""
        ...

    @property
    def scope(self) -> Scope:
        """Which weights it may move."""
        ...

    def step(
        self,
        plan: Plan,
        on_progress: OnProgress | None = None,
        cancelled: IsCancelled | None = None,
    ) -> Learned:
        """Take one action's steps; one cancelled, or of a loss not finite, is undone completely."""
        ...

    def undo(self) -> Learned:
        """Undo the last action. Errors: BadInput when there is none, or its snapshot is gone."""
        ...

    def redo(self) -> Learned:
        """Redo an action that was undone. Errors: BadInput when there is none."""
        ...

    def reset(self) -> Learned:
        """Go back to the reader's own weights and release the copy."""
        ...

    def read(self, question: str, context: str, options: WindowOptions) -> Reading:
        """Read another text with the weights as they are now."""
        ...

    def close(self) -> None:
        """Release everything; safe to call twice."""
        ...


def training_windows(reading: Reading, golds: Golds) -> tuple[int, ...]:
    """All windows of a short text; else the first `TRAINED_WINDOWS`, whole golds first."""
    holders = [
        w.index
        for w in reading.windows
        if any(gold is not None and w.holds(gold) for gold in golds)
    ]
    others = [w.index for w in reading.windows if w.index not in holders]
    return tuple(sorted((holders + others)[:TRAINED_WINDOWS]))
