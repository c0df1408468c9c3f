"""What a window plan leaves out of reach: a span is found only by the window that owns its first
token.

A span that starts in its owner and ends outside it can never be returned, although another window
may hold it whole (run_squad.py checks the start only). Where overlap is wide nothing is lost; where
it is narrow, a little.
"""

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.reading.windows import WindowPlan, capacity, max_context_owner
from qa_demo.core.types import Reading


def read_plan(reading: Reading) -> WindowPlan:
    """The plan that a reading was made with, read off its windows."""
    starts, stops = [w.doc_start for w in reading.windows], [w.doc_stop for w in reading.windows]
    n_tokens = len(reading.encoding.context_ids)
    return WindowPlan(
        n_tokens,
        capacity(reading.encoding, reading.options),
        reading.options.doc_stride,
        tuple(starts),
        tuple(stops),
        max_context_owner(n_tokens, starts, stops),
    )


def held(plan: WindowPlan) -> NDArray[np.int64]:
    """Tokens from each token to its owner window's end, itself included, [D]: the longest span."""
    stops = np.asarray(plan.stops, dtype=np.int64)
    room: NDArray[np.int64] = stops[plan.owner] - np.arange(plan.n_tokens)
    return room


def safe_length(plan: WindowPlan) -> int | None:
    """The longest length at which no span is lost; None with one window, which loses nothing.

    Example: windows [0, 4) and [3, 7). Token 3 belongs to window 0 and is its last: the span (3, 4)
    is lost, so 1.
    """
    room = held(plan)
    bounded = room[np.arange(plan.n_tokens) + room < plan.n_tokens]
    return int(bounded.min()) if len(bounded) else None


def halves(n_tokens: int, fixed: int, parts: int = 3) -> tuple[int, int] | None:
    """(max_seq_length, step) that cut a short paragraph into `parts` windows which overlap by half;
    None when it is too short.

    `fixed` are the positions that question and special tokens take. With capacity 2s and step s
    there are ceil(N / s) - 1 windows, so where no whole s gives `parts` windows there is one fewer:
    two windows for 5, 6 or 9 pieces.
    """
    step = -(-n_tokens // (parts + 1))
    return (fixed + 2 * step, step) if step >= 2 and n_tokens > 2 * step else None
