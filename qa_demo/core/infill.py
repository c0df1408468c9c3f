"""What the masked-language head, the span boundary head and both together say of hidden pieces, and
at what loss.

MLM reads the hidden place itself, SBO reads the two observed neighbours and a position; each gives
a distribution over the whole vocabulary. "Both" is their product, renormalised. Losses are -log p
of the true piece, in nats.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from qa_demo.core.base import BadInput, Floats, log_softmax
from qa_demo.core.losses import LossTerm
from qa_demo.core.masking import Fate, Ints, Masked, Pairs
from qa_demo.core.types import Encoding, Span

WIRES = ("left", "right", "position")
"""What the SBO head is fed: x_(s-1), x_(e+1), p_(i-s+1). A cut wire carries its mean."""
NO_HEAD = "this model has no span boundary head"


# ---- what two heads say


class Guess(NamedTuple):
    """One word piece and its probability."""

    piece: str
    id: int
    p: float


class Said(NamedTuple):
    """One head's prediction for a hidden piece: guesses, and the true piece's rank, p, -log p."""

    guesses: tuple[Guess, ...]
    rank: int
    p: float
    loss: float


class HiddenPiece(NamedTuple):
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
    model_name: str


def said(log_p: Floats, true: int, names: Sequence[str], top: int) -> Said:
    """Best guesses, and rank, p, -log p of the true piece from log-probabilities [V]."""
    least = np.partition(log_p, -min(top, len(log_p)))[-min(top, len(log_p))]
    best = np.flatnonzero(log_p >= least)
    best = best[np.lexsort((best, -log_p[best]))][:top]
    rank = 1 + int((log_p > log_p[true]).sum()) + int((log_p[:true] == log_p[true]).sum())
    guesses = tuple(Guess(names[i], int(i), float(np.exp(log_p[i]))) for i in best.tolist())
    return Said(guesses, rank, float(np.exp(log_p[true])), float(-log_p[true]))


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


def filled(
    masked: Masked,
    mlm: Floats,
    sbo: Floats | None,
    names: Sequence[str],
    top: int,
    positions: int,
    model_name: str,
) -> Infill:
    """Read off logits: `mlm` [M, V] as `masked.hidden`, `sbo` [S, V] as `masked.pairs(positions)`;
    both together: log of p q / sum p q, as if independent under a uniform prior.
    """
    targets = masked.pairs(positions).at.tolist() if sbo is not None else []
    pieces = []
    for at, fate, row in zip(masked.hidden.tolist(), masked.fates, mlm, strict=True):
        run, true, log_p = masked.run_of(at), int(masked.true_ids[at]), log_softmax(row)
        boundary = both = k = None
        if sbo is not None and at in targets:
            k, log_q = at - run.start + 1, log_softmax(sbo[targets.index(at)])
            boundary = said(log_q, true, names, top)
            both = said(log_softmax(log_p + log_q), true, names, top)
        alone = said(log_p, true, names, top)
        missing = NO_HEAD if sbo is None else masked.why_no_sbo(at, positions)
        found = (at, names[true], true, fate, run, k, alone, boundary, both, missing)
        pieces.append(HiddenPiece(*found))
    losses = [p.mlm.loss for p in pieces], [p.sbo.loss for p in pieces if p.sbo is not None]
    tokens = tuple(names[i] for i in masked.true_ids.tolist())
    terms = code_terms(*losses), paper_terms(*losses)
    return Infill(masked, tokens, tuple(pieces), *terms, model_name)


# ---- a model that fills blanks


class Infiller(Protocol):
    """What the page may ask of a model that fills blanks; the real one is in `model.spanbert`."""

    @property
    def positions(self) -> int:
        """Rows of the position table; 0 without a span boundary head."""

    @property
    def mask_id(self) -> int:
        """The id of [MASK]."""

    def encode(self, text: str) -> Encoding:
        """The pieces of one text; BadInput for none, or more than it has positions for."""

    def infill(
        self,
        masked: Masked,
        cut: frozenset[str] = ...,
        swap: Mapping[int, int] | None = ...,
        top: int = ...,
    ) -> Infill:
        """Guesses for every blank; `swap` feeds a blank another row of the position table."""


def one_text(text: str, encode: Callable[[str, str], Encoding], max_pieces: int) -> Encoding:
    """The pieces of one text, as the `context` of an encoding without a question.

    Errors: BadInput for an empty text, or one of more than `max_pieces`.
    """
    if not isinstance(text, str) or not text.strip():
        raise BadInput("the text is empty; type at least one word")
    encoding = encode("", text)
    if not 1 <= len(encoding.context_ids) <= max_pieces:
        raise BadInput(
            f"the text has {len(encoding.context_ids):,} word pieces, allowed are 1 to "
            f"{max_pieces:,}: masking reads one sequence, without windows"
        )
    return encoding


def read_rows(pairs: Pairs, swap: Mapping[int, int]) -> Ints:
    """The row k [S] of the position table that each SBO target reads: its own unless swapped."""
    own = zip(pairs.at.tolist(), pairs.k.tolist(), strict=True)
    return np.array([swap.get(at, k) for at, k in own], dtype=np.int64)


def check_swap(masked: Masked, swap: Mapping[int, int], positions: int) -> None:
    """Refuse a swap for an observed piece, or a row that the position table lacks."""
    for at, k in swap.items():
        masked.run_of(at)
        if not 1 <= k <= positions:
            raise BadInput(f"the position table has rows 1 to {positions}, got {k} for piece {at}")
