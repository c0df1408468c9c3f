"""Softmax and its relatives over the last axis, and read-only arrays."""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

Floats = NDArray[np.floating]


def _top(x: Floats, axis: int) -> Floats:
    top: Floats = np.max(x, axis=axis, keepdims=True)
    return np.where(np.isfinite(top), top, 0.0)


def logsumexp(x: Floats, axis: int = -1) -> Floats:
    """log sum_k exp(x_k), shifted by the maximum; an axis that holds only -inf gives -inf."""
    x = np.asarray(x, dtype=np.float64)
    top = _top(x, axis)
    with np.errstate(divide="ignore"):
        total: Floats = np.squeeze(top, axis=axis) + np.log(np.sum(np.exp(x - top), axis=axis))
    return total


def log_softmax(x: Floats, axis: int = -1) -> Floats:
    """x_i - logsumexp(x): the logarithm of the softmax, in nats, shifted first."""
    x = np.asarray(x, dtype=np.float64)
    x = x - _top(x, axis)
    return x - np.expand_dims(logsumexp(x, axis), axis)


def softmax(x: Floats, axis: int = -1) -> Floats:
    """exp(x_i) / sum_k exp(x_k); -inf gets probability 0 and needs one finite entry beside it."""
    return np.exp(log_softmax(x, axis))


def tied(scores: Floats) -> Floats:
    """Scores to nine decimals, so that sums that are equal on paper tie: 0.1 + 0.2 and 0.3."""
    return np.round(scores, 9)


def freeze(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array made read-only, so that a frozen record stays what it was."""
    array = np.ascontiguousarray(array)
    array.setflags(write=False)
    return array


def freeze_arrays(record: object, dtype: DTypeLike | None = None) -> None:
    """Make every array of a frozen record read-only, and of one type where it is given; called from
    its `__post_init__`.
    """
    for name, value in vars(record).items():
        if isinstance(value, np.ndarray):
            object.__setattr__(record, name, freeze(np.asarray(value, dtype)))
