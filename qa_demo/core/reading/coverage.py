"""What a window plan leaves out of reach: a span is found only by the window that owns its first
token.

A span that starts in its owner and ends outside it can never be returned, although another window
may hold it whole (run_squad.py checks the start only). Where overlap is wide nothing is lost; where
it is narrow, a little.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.errors import BadInput
from qa_demo.core.reading.windows import WindowPlan, capacity, max_context_owner
from qa_demo.core.types import Reading, Span


@dataclass(frozen=True, eq=False)
class Reach:
    """`missing` [D] counts, for each start token, the spans of at most so many tokens that its
    owner does not hold.

    `n_spans` are all spans within that length; `safe_length` is the longest length at which no span
    is lost (None with one window, which loses nothing).
    """

    missing: NDArray[np.int64]
    n_spans: int
    safe_length: int | None

    @property
    def n_missing(self) -> int:
        """Spans that no window can return."""
        return int(self.missing.sum())


@dataclass(frozen=True)
class Cut:
    """A span out of reach: its owner stops before its end; `whole_in`: windows that hold it."""

    span: Span  # doc
    owner: int
    whole_in: tuple[int, ...]


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


def reach(plan: WindowPlan, max_answer_length: int) -> Reach:
    """Count the spans of at most M tokens that start in their owner and end outside it.

        missing[d] = max(0, min(M, N - d) - held[d])

    Example: windows [0, 4) and [3, 7), M = 3. Token 3 belongs to window 0 and is its last: the
    spans (3, 4) and (3, 5) are lost, and so is (2, 4).
    """
    if max_answer_length < 1:
        raise BadInput(f"max_answer_length must be at least 1, got {max_answer_length}")
    at = np.arange(plan.n_tokens)
    wanted, room = np.minimum(max_answer_length, plan.n_tokens - at), held(plan)
    bounded = room[at + room < plan.n_tokens]
    return Reach(
        np.maximum(wanted - room, 0),
        int(wanted.sum()),
        int(bounded.min()) if len(bounded) else None,
    )


def cuts(plan: WindowPlan, spans: Iterable[Span]) -> tuple[Cut, ...]:
    """Those of the `doc` spans that the plan puts out of reach, in the given order."""
    found = []
    for span in spans:
        if span.end >= plan.n_tokens:
            raise BadInput(
                f"the paragraph has {plan.n_tokens} word pieces, got a span that ends at {span.end}"
            )
        owner = int(plan.owner[span.start])
        if span.end >= plan.stops[owner]:
            whole = tuple(
                w
                for w, (a, b) in enumerate(zip(plan.starts, plan.stops, strict=True))
                if a <= span.start and span.end < b
            )
            found.append(Cut(span, owner, whole))
    return tuple(found)


def copies(plan: WindowPlan) -> NDArray[np.int64]:
    """How many windows hold each token, [D]."""
    steps = np.zeros(plan.n_tokens + 1, dtype=np.int64)
    np.add.at(steps, list(plan.starts), 1)
    np.add.at(steps, list(plan.stops), -1)
    total: NDArray[np.int64] = np.cumsum(steps)[:-1]
    return total


def halves(n_tokens: int, fixed: int, parts: int = 3) -> tuple[int, int] | None:
    """(max_seq_length, step) that cut a short paragraph into `parts` windows which overlap by half;
    None when it is too short.

    `fixed` are the positions that question and special tokens take. With capacity 2s and step s
    there are ceil(N / s) - 1 windows, so where no whole s gives `parts` windows there is one fewer:
    two windows for 5, 6 or 9 pieces.
    """
    step = -(-n_tokens // (parts + 1))
    return (fixed + 2 * step, step) if step >= 2 and n_tokens > 2 * step else None
