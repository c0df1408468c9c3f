"""A masked text: its hidden runs, their fates and boundary pairs, and blanks made or changed by
hand.

Indices are `doc`: pieces of one text without [CLS] and [SEP], 0 <= i < T; a sequence holds piece i
at position i + 1.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.base import BadInput, Floats, freeze, freeze_arrays
from qa_demo.core.types import Span, option

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


RandomPiece = Callable[[np.random.Generator], int]
"""Draws a piece for the 10 % case. The paper's code takes one from the corpus, so frequent words
come often; BERT draws every word of the vocabulary with the same probability.
"""
LONGEST = 100
"""The largest span_upper, in words: the law of the lengths is a table of that many rows."""


@dataclass(frozen=True)
class MaskOptions:
    """How pieces are hidden (names of the paper's code)."""

    mask_ratio: float = option(0.15, "The share of the pieces that are hidden, rounded up.")
    geometric_p: float = option(0.2, "p of the geometric law of span lengths.")
    span_lower: int = option(1, "The shortest span drawn, in words.")
    span_upper: int = option(10, "The longest span drawn, in words.")

    def __post_init__(self) -> None:
        if not 0 < self.mask_ratio <= 1:
            raise BadInput(f"mask_ratio must be above 0 and at most 1, got {self.mask_ratio}")
        if not 0 < self.geometric_p < 1:
            raise BadInput(f"geometric_p must lie between 0 and 1, got {self.geometric_p}")
        if not 1 <= self.span_lower <= self.span_upper <= LONGEST:
            raise BadInput(
                f"span lengths need 1 <= span_lower <= span_upper <= {LONGEST}, got "
                f"{self.span_lower} and {self.span_upper}"
            )


DEFAULTS = MaskOptions()


def length_law(options: MaskOptions = DEFAULTS) -> Floats:
    """P(l) = p (1 - p)^(l - 1) / sum over l = lower..upper; its mean is 3.797."""
    q = 1 - options.geometric_p
    # Counted from the lower bound, which the sum cancels: q^(l - 1) can be 0 for every l, and 0 / 0
    # is no law.
    raw: Floats = q ** np.arange(options.span_upper - options.span_lower + 1, dtype=np.float64)
    law: Floats = raw / raw.sum()
    return law


@lru_cache(maxsize=64)
def _cdf(options: MaskOptions) -> Floats:
    return freeze(np.cumsum(length_law(options)))


def draw_lengths(rng: np.random.Generator, count: int, options: MaskOptions = DEFAULTS) -> Ints:
    """`count` lengths in words by the truncated law: u in [0, 1) gives the first l, CDF(l) > u."""
    cdf = _cdf(options)
    return options.span_lower + np.minimum(
        np.searchsorted(cdf, rng.random(count), side="right"), len(cdf) - 1
    ).astype(np.int64)


def budget_of(pieces: int, options: MaskOptions = DEFAULTS) -> int:
    """ceil(mask_ratio T), at least 1; 510 pieces give 77."""
    if pieces < 1:
        raise BadInput("masking needs at least one word piece, got none")
    # 0.15 is a little more than 3/20 in binary
    return min(pieces, max(1, math.ceil(options.mask_ratio * pieces - 1e-9)))


def word_starts(word_ids: Ints) -> Ints:
    """The pieces that begin a word, in order: piece 0 and every change of the word's number."""
    ids = np.asarray(word_ids)
    return np.flatnonzero(np.concatenate([[True], ids[1:] != ids[:-1]])).astype(np.int64)


def _grow(
    first: int, ends: list[int], hidden: set[int], length: int, budget: int
) -> tuple[int, int, bool]:
    """Hide up to `length` words from piece `first`, within the budget: (last piece, words, cut)."""
    at = last = first
    for word in range(1, length + 1):
        while at < ends[0] and len(hidden) < budget:
            hidden.add(at)
            last = at
            at += 1
        if at < ends[0]:
            return last, word, True
        if len(ends) == 1 or word == length or len(hidden) >= budget:
            break
        ends = ends[1:]
    return last, word, False


def draw_spans(word_ids: Ints, options: MaskOptions, rng: np.random.Generator) -> tuple[Draw, ...]:
    """Turns until the budget is full: a length in words, a uniform piece as anchor, snapped back to
    its word's start.

    An anchor that is hidden already costs a turn; words that are hidden already cost no budget.
    Anchors are pieces, so a word of several pieces is met more often than the paper's uniform word
    start suggests.
    """
    total = len(word_ids)
    budget, starts = budget_of(total, options), word_starts(word_ids)
    ends = [*starts[1:].tolist(), total]
    hidden: set[int] = set()
    draws: list[Draw] = []
    runs: tuple[Span, ...] = ()
    while len(hidden) < budget:
        length, anchor = int(draw_lengths(rng, 1, options)[0]), int(rng.integers(total))
        if anchor in hidden:
            draws.append(Draw(length, anchor, None, 0, False, budget - len(hidden), (), runs))
            continue
        word = int(np.searchsorted(starts, anchor, side="right")) - 1
        last, words, cut = _grow(
            int(starts[word]), ends[word : word + length], hidden, length, budget
        )
        span = Span(int(starts[word]), last)
        joined = tuple(
            run for run in runs if run.start <= span.end + 1 and span.start <= run.end + 1
        )
        runs = merge_spans([*runs, span])
        draws.append(Draw(length, anchor, span, words, cut, budget - len(hidden), joined, runs))
    return tuple(draws)


def draw_fate(rng: np.random.Generator) -> Fate:
    """80 % [MASK], 10 % a random piece, 10 % kept."""
    u = rng.random()
    return "mask" if u < 0.8 else "random" if u < 0.9 else "keep"


def _replaced(
    ids: Ints,
    runs: Sequence[Span],
    fates: Sequence[Fate],
    mask_id: int,
    rng: np.random.Generator,
    random_piece: RandomPiece,
) -> Ints:
    given = np.array(ids, dtype=np.int64)
    for at, fate in zip(
        (i for run in runs for i in range(run.start, run.end + 1)), fates, strict=True
    ):
        if fate != "keep":
            given[at] = mask_id if fate == "mask" else random_piece(rng)
    return given


def mask_spans(
    ids: Ints,
    word_ids: Ints,
    mask_id: int,
    rng: np.random.Generator,
    random_piece: RandomPiece,
    options: MaskOptions = DEFAULTS,
) -> Masked:
    """SpanBERT: spans of whole words, merged; one fate a run, each random piece its own."""
    draws = draw_spans(word_ids, options, rng)
    runs = draws[-1].runs
    fates = tuple(fate for run in runs for fate in [draw_fate(rng)] * len(run))
    given = _replaced(ids, runs, fates, mask_id, rng, random_piece)
    return Masked(ids, given, runs, fates, draws, budget_of(len(ids), options))


def mask_tokens(
    ids: Ints,
    mask_id: int,
    rng: np.random.Generator,
    random_piece: RandomPiece,
    options: MaskOptions = DEFAULTS,
) -> Masked:
    """BERT: single pieces, drawn uniformly, each with its own fate, within the same budget."""
    budget = budget_of(len(ids), options)
    draws: list[Draw] = []
    runs: tuple[Span, ...] = ()
    for turn, at in enumerate(rng.permutation(len(ids))[:budget].tolist(), 1):
        span = Span(at, at)
        joined = tuple(run for run in runs if run.start <= at + 1 and at <= run.end + 1)
        runs = merge_spans([*runs, span])
        draws.append(Draw(1, at, span, 1, False, budget - turn, joined, runs))
    fates: tuple[Fate, ...] = tuple(draw_fate(rng) for _ in range(budget))
    given = _replaced(ids, runs, fates, mask_id, rng, random_piece)
    return Masked(ids, given, runs, fates, tuple(draws), budget)


def mask(
    scheme: str,
    ids: Ints,
    word_ids: Ints,
    mask_id: int,
    rng: np.random.Generator,
    random_piece: RandomPiece,
    options: MaskOptions = DEFAULTS,
) -> Masked:
    """SpanBERT's spans of whole words ("span") or BERT's single pieces ("token").

    Errors: BadInput for another scheme.
    """
    if scheme == "span":
        return mask_spans(ids, word_ids, mask_id, rng, random_piece, options)
    if scheme == "token":
        return mask_tokens(ids, mask_id, rng, random_piece, options)
    raise BadInput(f"the scheme is span or token, got {scheme!r}")
