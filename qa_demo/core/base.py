"""Errors that a user can cause, softmax in double precision, read-only arrays, and on how many
cores a long computation runs and how it tells its progress.
"""

import os
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike, NDArray


class QADemoError(Exception):
    """Base of every error whose text may be shown to a user."""


class BadInput(QADemoError):
    """A question, paragraph, option or file that cannot be used as it is."""


class ModelUnavailable(QADemoError):
    """A reader that cannot be reached: unknown id, no internet, not allowed on this host."""


class BadCheckpoint(QADemoError):
    """A model folder that was found and must not be used: no head, broken or unsafe weights."""


class Cancelled(QADemoError):
    """The user cancelled a running computation."""


def one_of(name: str, value: object, allowed: Iterable[object]) -> None:
    """Refuse what is none of `allowed`. Errors: BadInput."""
    allowed = tuple(allowed)
    if value not in allowed:
        known = ", ".join(map(str, allowed))
        raise BadInput(f"{name} must be one of {known}, got {repr(value)[:42]}")


Floats = NDArray[np.floating]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def logsumexp(x: Floats) -> Floats:
    """log sum_k exp(x_k) over the last axis, shifted by the maximum, which must be finite."""
    x = np.asarray(x, dtype=np.float64)
    top = x.max(axis=-1, keepdims=True)
    return top[..., 0] + np.log(np.exp(x - top).sum(axis=-1))


def log_softmax(x: Floats) -> Floats:
    """x_i - logsumexp(x) over the last axis, in nats, shifted first."""
    x = np.asarray(x, dtype=np.float64)
    x = x - x.max(axis=-1, keepdims=True)
    return x - logsumexp(x)[..., None]


def softmax(x: Floats) -> Floats:
    """exp(x_i) / sum_k exp(x_k); -inf gets probability 0 and needs one finite entry beside it."""
    return np.exp(log_softmax(x))


def tied(scores: Floats) -> Floats:
    """Scores to nine decimals, so that sums that are equal on paper tie: 0.1 + 0.2 and 0.3."""
    return np.round(scores, 9)


def freeze(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only copy of the array, so that a frozen record stays what it was."""
    array = np.array(array, order="C")
    array.setflags(write=False)
    return array


class Frozen:
    """A frozen dataclass whose arrays are read-only, and of one `dtype` where it is given."""

    dtype: ClassVar[DTypeLike | None] = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                object.__setattr__(self, name, freeze(np.asarray(value, self.dtype)))


def usable_cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


OnProgress = Callable[[int, int], None]
"""Called with (steps done, steps in all)."""

IsCancelled = Callable[[], bool]
"""Asked between steps; True ends the computation with `Cancelled`."""
