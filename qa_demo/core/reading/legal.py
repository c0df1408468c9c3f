"""Which pairs of one window may be an answer, and why every other may not.

A pair (i, j) is written in `pos`.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qa_demo.core.errors import BadInput
from qa_demo.core.options import DecodeOptions
from qa_demo.core.types import Window

Bools = NDArray[np.bool_]
REASONS = ("legal", "outside the paragraph", "end before start", "too long", "not owned")
"""What a cell's code in `reason_codes` means; the first reason that holds is the one named."""


def check_decode(options: DecodeOptions) -> None:
    """Refuse limits under which nothing could be listed."""
    for name in ("max_answer_length", "n_best_size"):
        if getattr(options, name) < 1:
            raise BadInput(f"{name} must be at least 1, got {getattr(options, name)}")
    if not np.isfinite(options.null_score_diff_threshold):
        raise BadInput(
            f"null_score_diff_threshold must be a finite number, got "
            f"{options.null_score_diff_threshold}"
        )


def allowed_starts(window: Window, copies: str = "max_context") -> Bools:
    """Positions [n] that may start an answer: owned context tokens, or with copies = "all" any."""
    return window.is_max_context if copies == "max_context" else window.is_context


def reason_codes(
    window: Window, i: ArrayLike, j: ArrayLike, options: DecodeOptions, copies: str = "max_context"
) -> NDArray[np.int8]:
    """Index into `REASONS` for every pair of the broadcast positions i and j.

    Only the start must be owned (run_squad.py, `write_predictions`): a window may finish a span
    that runs into tokens its neighbour owns.
    """
    i, j = np.asarray(i), np.asarray(j)
    inside, start_ok = window.is_context, allowed_starts(window, copies)
    return np.select(
        [
            ~(inside[i] & inside[j]),
            j < i,
            j - i + 1 > options.max_answer_length,
            np.broadcast_to(~start_ok[i], np.broadcast(i, j).shape),
        ],
        [1, 2, 3, 4],
        0,
    ).astype(np.int8)


def reason_matrix(
    window: Window, options: DecodeOptions, copies: str = "max_context"
) -> NDArray[np.int8]:
    """`reason_codes` of all n x n cells, rows = starts."""
    at = np.arange(len(window))
    return reason_codes(window, at[:, None], at[None, :], options, copies)


def count_spans(windows: Iterable[Window], options: DecodeOptions) -> int:
    """How many cells of all windows are legal: each owned start with the ends left to it."""
    most = options.max_answer_length
    return sum(int(np.minimum(most, w.doc_stop - w.owned).sum()) for w in windows)


def reason(
    window: Window, i: int, j: int, options: DecodeOptions, copies: str = "max_context"
) -> str | None:
    """Why the cell (i, j) is no legal answer, or None."""
    n = len(window)
    if not (0 <= i < n and 0 <= j < n):
        raise BadInput(
            f"cell ({i}, {j}) is outside window {window.index}; positions are 0 to {n - 1}"
        )
    code = int(reason_codes(window, i, j, options, copies))
    return REASONS[code] if code else None
