"""What is hidden of a text: where somebody typed [MASK], and how SpanBERT hides spans and BERT
single pieces: lengths, anchors, the budget, runs, 80/10/10.

Indices are `doc`: pieces of one text without [CLS] and [SEP], 0 <= i < T. Source: the paper's code
(its random number per span, its cut by the budget); its README's settings are the defaults here.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from qa_demo.core.base import BadInput, Floats, Frozen, Ints, freeze
from qa_demo.core.text import check_texts
from qa_demo.core.types import Encoding, Span

Fate = Literal["mask", "random", "keep"]
RandomPiece = Callable[[np.random.Generator], int]
"""Draws a piece for the 10 % case. The paper's code takes one from the corpus, so frequent words
come often; BERT draws every word of the vocabulary with the same probability.
"""
POSITIONS = 20
"""Rows of the SBO's position table: the default of the paper's code, whose README trains with 15.
Ten words, and spans that touch, can make runs of over 15 pieces: 20 leaves fewer without a term.
"""
MASK_RATIO, GEOMETRIC_P, LONGEST = 0.15, 0.2, 10
"""The share of the pieces that is hidden, rounded up; p of the law of a span's length; its largest
value, in words.
"""


# ---- the law


@cache
def length_law() -> Floats:
    """P(l) = p (1 - p)^(l - 1) / sum over l = 1..10; its mean is 3.797."""
    raw = (1 - GEOMETRIC_P) ** np.arange(LONGEST, dtype=np.float64)
    return freeze(raw / raw.sum())


def draw_lengths(rng: np.random.Generator, count: int) -> Ints:
    """`count` lengths in words by the truncated law: u in [0, 1) gives the first l, CDF(l) > u."""
    cdf = np.cumsum(length_law())
    return 1 + np.minimum(np.searchsorted(cdf, rng.random(count), side="right"), LONGEST - 1)


def budget_of(pieces: int) -> int:
    """ceil(mask_ratio T) of T >= 1; 510 pieces give 77."""
    return math.ceil(MASK_RATIO * pieces)


# ---- a text, and where it has blanks


def one_text(text: str, encode: Callable[[str, str], Encoding], max_pieces: int) -> Encoding:
    """The pieces of one text, as the `context` of an encoding without a question.

    Errors: BadInput for an empty text, or one of more than `max_pieces`.
    """
    check_texts(text=text)
    encoding = encode("", text)
    if not 1 <= len(encoding.context_ids) <= max_pieces:
        raise BadInput(
            f"the text has {len(encoding.context_ids):,} tokens, allowed are 1 to "
            f"{max_pieces:,}: masking reads one sequence, without windows"
        )
    return encoding


MASK = re.compile(r"\[MASK\]", re.IGNORECASE)
FILLER = "it"
"""Stands where [MASK] was typed: one piece, hidden from the model."""


class Blanks(NamedTuple):
    """A text with hidden places, [first, last) characters; `known`: whether it holds their words,
    which a typed [MASK] does not.
    """

    text: str
    hidden: tuple[tuple[int, int], ...]
    known: bool = True


def blanks_of(given: str) -> Blanks:
    """An own sentence: every [MASK] is hidden; without one, up to three words of its middle."""
    made, *rest = MASK.split(given)
    if not rest:
        found = list(re.finditer(r"\w+", given)) or list(re.finditer(r"\S+", given))
        n = min(3, max(1, len(found) - 2))
        middle = found[(len(found) - n) // 2 :][:n]
        return Blanks(given, ((middle[0].start(), middle[-1].end()),))
    places = []
    for part in rest:
        made += " " if made and not made[-1].isspace() else ""
        places.append((len(made), len(made) + len(FILLER)))
        made += FILLER + (" " if part[:1].isalnum() else "") + part
    return Blanks(made, tuple(places), known=False)


# ---- a masked text


class Pairs(NamedTuple):
    """The SBO's targets: piece at[i] of run s..e, left = s - 1, right = e + 1, k = at - s + 1."""

    at: Ints
    left: Ints
    right: Ints
    k: Ints


@dataclass(frozen=True, eq=False)
class Masked(Frozen):
    """One masked text: true and given ids [T], hidden runs, a fate for each of M hidden pieces."""

    true_ids: Ints
    input_ids: Ints
    runs: tuple[Span, ...]
    fates: tuple[Fate, ...]

    @property
    def hidden(self) -> Ints:
        """The hidden pieces in order, [M]."""
        return pieces_of(self.runs)

    def run_of(self, at: int) -> Span:
        """The run that hides a piece."""
        return next(run for run in self.runs if run.start <= at <= run.end)

    def boundary(self, run: Span) -> tuple[int, int] | None:
        """The observed neighbours (s - 1, e + 1); None at an edge of the text."""
        inside = run.start > 0 and run.end < len(self.true_ids) - 1
        return (run.start - 1, run.end + 1) if inside else None

    def pairs(self, positions: int = POSITIONS) -> Pairs:
        """All SBO targets; pieces beyond the `positions` rows of the position table have none."""
        rows = [
            (at, *pair, k)
            for run in self.runs
            if (pair := self.boundary(run)) is not None
            for k, at in enumerate(range(run.start, run.end + 1), 1)
            if k <= positions
        ]
        return Pairs(*np.array(rows, dtype=np.int64).reshape(-1, 4).T)

    def why_no_sbo(self, at: int, positions: int = POSITIONS) -> str | None:
        """Why a hidden piece has no SBO term; None when it has one."""
        run = self.run_of(at)
        if self.boundary(run) is None:
            side = "begins with the first" if run.start == 0 else "ends with the last"
            return f"its span {side} token of the text, so a neighbour is missing"
        k = at - run.start + 1
        beyond = f"it is token {k} of its span, and the position table has {positions} rows"
        return beyond if k > positions else None


def pieces_of(runs: Sequence[Span]) -> Ints:
    """The pieces of some runs, in order."""
    return np.array([i for run in runs for i in range(run.start, run.end + 1)], dtype=np.int64)


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
    """Spans by hand: merged, all pieces become [MASK]."""
    runs, given = merge_spans(spans), np.array(ids, dtype=np.int64)
    given[pieces_of(runs)] = mask_id
    fate: tuple[Fate, ...] = ("mask",)
    return Masked(ids, given, runs, fate * sum(map(len, runs)))


# ---- drawing


def draw_spans(word_ids: Ints, rng: np.random.Generator) -> list[Span]:
    """Spans until the budget is full: a length in words, a uniform piece as anchor, snapped back to
    its word's start.

    An anchor that is hidden already is drawn again with its length; pieces that are hidden already
    cost no budget. Anchors are pieces, so a word of several pieces is met more often than the
    paper's uniform word start suggests.
    """
    total, budget = len(word_ids), budget_of(len(word_ids))
    begins = np.concatenate([[True], np.diff(word_ids) != 0])
    word_of, edges = np.cumsum(begins) - 1, [*np.flatnonzero(begins).tolist(), total]
    hidden: set[int] = set()
    draws: list[Span] = []
    while len(hidden) < budget:
        length, anchor = int(draw_lengths(rng, 1)[0]), int(rng.integers(total))
        if anchor in hidden:
            continue
        word = int(word_of[anchor])
        at, stop = edges[word], edges[min(word + length, len(edges) - 1)]
        while at < stop and len(hidden) < budget:
            hidden.add(at)
            at += 1
        draws.append(Span(edges[word], at - 1))
    return draws


def _fate(rng: np.random.Generator) -> Fate:
    """80 % [MASK], 10 % a random piece, 10 % kept."""
    u = rng.random()
    return "mask" if u < 0.8 else "random" if u < 0.9 else "keep"


def mask(
    scheme: Literal["span", "token"],
    ids: Ints,
    word_ids: Ints,
    mask_id: int,
    rng: np.random.Generator,
    random_piece: RandomPiece,
) -> Masked:
    """SpanBERT ("span"): spans of whole words, merged; one fate a run, each random piece its own.
    BERT ("token"): single pieces, drawn uniformly, each with its own fate, within the same budget.
    """
    if scheme == "span":
        runs = merge_spans(draw_spans(word_ids, rng))
        fates = [fate for run in runs for fate in [_fate(rng)] * len(run)]
    else:
        places = rng.permutation(len(ids))[: budget_of(len(ids))].tolist()
        runs = merge_spans([Span(at, at) for at in places])
        fates = [_fate(rng) for _ in places]
    given = np.array(ids, dtype=np.int64)
    for at, fate in zip(pieces_of(runs).tolist(), fates, strict=True):
        if fate != "keep":
            given[at] = mask_id if fate == "mask" else random_piece(rng)
    return Masked(ids, given, runs, tuple(fates))
