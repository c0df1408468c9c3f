"""What the masked-language head, the span boundary head and both together predict for each hidden
piece, and at what loss.

MLM reads the hidden place itself, SBO reads the two observed neighbours and a position; each gives
a distribution over the whole vocabulary. "Both" is their product, renormalised. Losses are -log p
of the true piece, in nats.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qa_demo.core.arrays import Floats, freeze_arrays, log_softmax
from qa_demo.core.errors import BadInput
from qa_demo.core.learning.golds import LossTerm
from qa_demo.core.masking.masked import Fate, Ints, Masked, Pairs
from qa_demo.core.types import Span

WIRES = ("left", "right", "position")
"""What the SBO head is fed: x_(s-1), x_(e+1), p_(i-s+1). A cut wire carries its mean."""
NO_HEAD = "this model has no span boundary head"


@dataclass(frozen=True)
class Guess:
    """One word piece and its probability."""

    piece: str
    id: int
    p: float


@dataclass(frozen=True)
class Said:
    """One head's prediction for a hidden piece: guesses, and the true piece's rank, p, -log p."""

    guesses: tuple[Guess, ...]
    rank: int
    p: float
    loss: float


@dataclass(frozen=True)
class HiddenPiece:
    """One blank: true piece, run, k = at - s + 1 (None without SBO; `no_sbo` says why)."""

    at: int
    token: str
    id: int
    fate: Fate
    run: Span
    k: int | None
    mlm: Said
    sbo: Said | None
    both: Said | None
    no_sbo: str | None


@dataclass(frozen=True, eq=False)
class Infill:
    """All blanks of a masked text; `tokens` [T] are true; `code`, `paper`: two ways to add up."""

    masked: Masked
    tokens: tuple[str, ...]
    pieces: tuple[HiddenPiece, ...]
    code: tuple[LossTerm, ...]
    paper: tuple[LossTerm, ...]
    cut: frozenset[str]
    model_name: str


@dataclass(frozen=True, eq=False)
class Trace:
    """The SBO's arithmetic for one blank, every step: h0 = [x_left; x_right; p_k] -> h1 -> y ->
    logit = E_word . y + b.

    Each layer is linear [d], gelu [d], then LayerNorm over this one vector's features (h1, y).
    `cut` wires carry means; `k` is the blank's row of the position table.
    """

    left_at: int
    right_at: int
    k: int
    cut: frozenset[str]
    x_left: Floats
    x_right: Floats
    position: Floats
    linear1: Floats
    gelu1: Floats
    h1: Floats
    linear2: Floats
    gelu2: Floats
    y: Floats
    word: Floats
    bias: float
    logit: float

    def __post_init__(self) -> None:
        freeze_arrays(self)

    @property
    def h0(self) -> Floats:
        """[x_left; x_right; p_k], [2 d + 200]."""
        return np.concatenate([self.x_left, self.x_right, self.position])


def said(log_p: Floats, true: int, names: Sequence[str], top: int) -> Said:
    """Best guesses, and rank, p, -log p of the true piece from log-probabilities [V]."""
    least = np.partition(log_p, -min(top, len(log_p)))[-min(top, len(log_p))]
    best = np.flatnonzero(log_p >= least)
    best = best[np.lexsort((best, -log_p[best]))][:top]
    rank = 1 + int((log_p > log_p[true]).sum()) + int((log_p[:true] == log_p[true]).sum())
    guesses = tuple(Guess(names[i], int(i), float(np.exp(log_p[i]))) for i in best.tolist())
    return Said(guesses, rank, float(np.exp(log_p[true])), float(-log_p[true]))


def product(log_p: Floats, log_q: Floats) -> Floats:
    """log of p q / sum p q: two distributions as if independent, under a uniform prior."""
    return log_softmax(np.asarray(log_p) + np.asarray(log_q))


def code_terms(
    mlm: Sequence[float], sbo: Sequence[float], weight: float = 1.0
) -> tuple[LossTerm, ...]:
    """sum(MLM) / M + weight * sum(SBO) / (S + 1), M hidden pieces and S SBO targets."""
    return (
        LossTerm("MLM", sum(mlm) / max(1, len(mlm)), 1.0, max(1, len(mlm))),
        LossTerm("SBO", sum(sbo) / (len(sbo) + 1), weight, len(sbo) + 1),
    )


def paper_terms(mlm: Sequence[float], sbo: Sequence[float]) -> tuple[LossTerm, ...]:
    """The paper's plain sum, -log P(x_i | x_i) - log P(x_i | y_i); without a pair MLM only."""
    return LossTerm("MLM", sum(mlm), 1.0, 1), LossTerm("SBO", sum(sbo), 1.0, 1)


def judge(
    masked: Masked, mlm: Floats, sbo: Floats | None, names: Sequence[str], top: int, positions: int
) -> tuple[HiddenPiece, ...]:
    """Read off logits: `mlm` [M, V] as `masked.hidden`, `sbo` [S, V] as `masked.pairs(...)`."""
    pairs = masked.pairs(positions)
    rows = dict(zip(pairs.at.tolist(), enumerate(pairs.k.tolist()), strict=True))
    pieces = []
    for m, (at, fate) in enumerate(zip(masked.hidden.tolist(), masked.fates, strict=True)):
        true, log_p = int(masked.true_ids[at]), log_softmax(mlm[m])
        boundary = both = k = None
        if sbo is not None and at in rows:
            row, k = rows[at]
            log_q = log_softmax(sbo[row])
            boundary = said(log_q, true, names, top)
            both = said(product(log_p, log_q), true, names, top)
        missing = NO_HEAD if sbo is None else masked.why_no_sbo(at, positions)
        alone = said(log_p, true, names, top)
        pieces.append(
            HiddenPiece(
                at, names[true], true, fate, masked.run_of(at), k, alone, boundary, both, missing
            )
        )
    return tuple(pieces)


def filled(
    masked: Masked,
    mlm: Floats,
    sbo: Floats | None,
    names: Sequence[str],
    top: int,
    positions: int,
    **about: Any,
) -> Infill:
    """The guesses of every blank and both sums of their losses; logits as for `judge`, `about`
    holds the fields of an `Infill` that say how it was made.
    """
    pieces = judge(masked, mlm, sbo, names, top, positions)
    losses = [p.mlm.loss for p in pieces], [p.sbo.loss for p in pieces if p.sbo is not None]
    tokens = tuple(names[i] for i in masked.true_ids.tolist())
    return Infill(masked, tokens, pieces, code_terms(*losses), paper_terms(*losses), **about)


def read_rows(pairs: Pairs, swap: Mapping[int, int]) -> Ints:
    """The row k [S] of the position table that each SBO target reads: its own unless swapped."""
    own = zip(pairs.at.tolist(), pairs.k.tolist(), strict=True)
    return np.array([swap.get(at, k) for at, k in own], dtype=np.int64)


def row_of(masked: Masked, at: int, positions: int) -> int:
    """Which SBO target a blank is. Errors: BadInput when it has no SBO term, with the reason."""
    why = masked.why_no_sbo(at, positions)
    if why is not None:
        raise BadInput(f"piece {at} has no SBO term: {why}")
    return int(np.flatnonzero(masked.pairs(positions).at == at)[0])


def check_wires(
    masked: Masked, cut: frozenset[str], swap: Mapping[int, int], positions: int
) -> None:
    """Refuse unknown wires, a swap for an observed piece, or a row the position table lacks."""
    if not cut <= set(WIRES):
        raise BadInput(
            f"the wires that can be cut are {', '.join(WIRES)}, got "
            f"{', '.join(sorted(cut - set(WIRES)))}"
        )
    for at, k in swap.items():
        masked.run_of(at)
        if not 1 <= k <= positions:
            raise BadInput(f"the position table has rows 1 to {positions}, got {k} for piece {at}")
