"""A masked text: its hidden runs, their fates and boundary pairs, and blanks made or changed by
hand.

Indices are `doc`: pieces of one text without [CLS] and [SEP], 0 <= i < T; a sequence holds piece i
at position i + 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.arrays import freeze_arrays
from qa_demo.core.errors import BadInput
from qa_demo.core.types import Span

Fate = Literal["mask", "random", "keep"]
Ints = NDArray[np.int64]
POSITIONS = 20
"""Rows of the SBO's position table: the default of the paper's code, whose README trains with 15.
Of the runs drawn on long texts 1.7 % are longer than 15 pieces, so 20 leaves fewer hidden pieces
without a term.
"""


@dataclass(frozen=True)
class Draw:
    """One turn: `length` words and an `anchor` piece are drawn; the span starts where the anchor's
    word starts.

    `span` is None when the anchor was hidden already: then both are drawn again. `words` counts
    those reached, the last of which is `cut` when the budget ended inside it. `joined` are the
    earlier runs that this span overlapped or touched.
    """

    length: int
    anchor: int
    span: Span | None
    words: int
    cut: bool
    budget_left: int
    joined: tuple[Span, ...]
    runs: tuple[Span, ...]


@dataclass(frozen=True, eq=False)
class Pairs:
    """The SBO's targets: piece at[i] of run s..e, left = s - 1, right = e + 1, k = at - s + 1."""

    at: Ints
    left: Ints
    right: Ints
    k: Ints

    def __post_init__(self) -> None:
        freeze_arrays(self, np.int64)

    def __len__(self) -> int:
        return len(self.at)


@dataclass(frozen=True, eq=False)
class Masked:
    """One masked text: true and given ids [T], hidden runs, a fate for each of M hidden pieces."""

    true_ids: Ints
    input_ids: Ints
    runs: tuple[Span, ...]
    fates: tuple[Fate, ...]
    draws: tuple[Draw, ...] = ()
    budget: int = 0

    def __post_init__(self) -> None:
        freeze_arrays(self)

    @property
    def hidden(self) -> Ints:
        """The hidden pieces in order, [M]."""
        return np.array(
            [i for run in self.runs for i in range(run.start, run.end + 1)], dtype=np.int64
        )

    def run_of(self, at: int) -> Span:
        """The run that hides a piece."""
        found = next((run for run in self.runs if run.start <= at <= run.end), None)
        if found is None:
            raise BadInput(
                f"piece {at} is not hidden; hidden are "
                f"{[(run.start, run.end) for run in self.runs]}"
            )
        return found

    def boundary(self, run: Span) -> tuple[int, int] | None:
        """The observed neighbours (s - 1, e + 1); None at an edge of the text."""
        inside = run.start > 0 and run.end < len(self.true_ids) - 1
        return (run.start - 1, run.end + 1) if inside else None

    def pairs(self, positions: int = POSITIONS) -> Pairs:
        """All SBO targets; pieces beyond the `positions` rows of the position table have none."""
        rows = [
            (i, *pair, i - run.start + 1)
            for run in self.runs
            if (pair := self.boundary(run)) is not None
            for i in range(run.start, min(run.end, run.start + positions - 1) + 1)
        ]
        return Pairs(*np.array(rows, dtype=np.int64).reshape(-1, 4).T)

    def why_no_sbo(self, at: int, positions: int = POSITIONS) -> str | None:
        """Why a hidden piece has no SBO term, as a sentence; None when it has one."""
        run = self.run_of(at)
        if self.boundary(run) is None:
            side = "begins with the first" if run.start == 0 else "ends with the last"
            return (
                f"its run {side} piece of the text, so one observed neighbour is missing; "
                f"[CLS] and [SEP] never stand in for it"
            )
        k = at - run.start + 1
        if k <= positions:
            return None
        return f"it is piece {k} of its run, and the position table has {positions} rows"


def merge_spans(spans: Sequence[Span], reach: int = 1) -> tuple[Span, ...]:
    """Sorted runs; spans that overlap or touch become one: both neighbours are observed. With a
    `reach` of 0 those that only touch stay two.
    """
    runs: list[Span] = []
    for span in sorted(spans):
        if runs and span.start <= runs[-1].end + reach:
            runs[-1] = Span(runs[-1].start, max(runs[-1].end, span.end))
        else:
            runs.append(span)
    return tuple(runs)


def hide(ids: Ints, spans: Sequence[Span], mask_id: int) -> Masked:
    """Spans by hand: merged, all pieces become [MASK]. Errors: BadInput for none, or outside."""
    if not spans or max(span.end for span in spans) >= len(ids):
        raise BadInput(
            f"hidden spans must lie within the text's {len(ids)} pieces and there must be one, "
            f"got {list(spans)}"
        )
    runs = merge_spans(spans)
    one: Fate = "mask"
    fates = (one,) * sum(len(run) for run in runs)
    given = np.array(ids, dtype=np.int64)
    for run in runs:
        given[run.start : run.end + 1] = mask_id
    return Masked(ids, given, runs, fates, (), len(fates))


def changed(masked: Masked, at: int, piece: int) -> Masked:
    """The same blanks with another observed piece beside. Errors: BadInput for a hidden piece."""
    if not 0 <= at < len(masked.true_ids) or any(run.start <= at <= run.end for run in masked.runs):
        raise BadInput(
            f"only an observed piece can be changed, {at} is hidden or outside the text's "
            f"{len(masked.true_ids)} pieces"
        )
    true, given = masked.true_ids.copy(), masked.input_ids.copy()
    true[at] = given[at] = piece
    return Masked(true, given, masked.runs, masked.fates, masked.draws, masked.budget)
