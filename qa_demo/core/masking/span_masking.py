"""SpanBERT's masking, every step on record: lengths, anchors, whole words, the budget, merged runs,
80/10/10.

Indices are `doc`, as in `core.masking.masked`. Source: the paper's code (its random number per
span, its cut by the budget); its README's settings are the defaults here.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from qa_demo.core.arrays import Floats, freeze
from qa_demo.core.errors import BadInput
from qa_demo.core.masking.masked import Draw, Fate, Ints, Masked, merge_spans
from qa_demo.core.options import option
from qa_demo.core.types import Span

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
