"""Blanks: what the masked-language head, the span boundary head and both together say of each
hidden piece, at what loss.

MLM reads the hidden place itself, SBO the two observed neighbours and a position; each gives a
distribution over the vocabulary. "Both" is their product, renormalised. Losses are -log p, in nats.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from qa_demo.core.base import BadInput, Floats, log_softmax
from qa_demo.core.losses import LossTerm
from qa_demo.core.masking import Blanks, Fate, Masked, draw_spans, hide, mask
from qa_demo.core.text import span_at, spelled
from qa_demo.core.types import Encoding, Span

WIRES = ("left", "right", "position")
"""What the SBO head is fed: x_(s-1), x_(e+1), p_(i-s+1). A cut wire carries its mean."""
LISTED = 5
"""Guesses that are shown side by side."""
NO_HEAD = "this model has no span boundary head"


@dataclass(frozen=True)
class Guess:
    """One token of the vocabulary and its probability."""

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
    model_name: str


def guesses_of(log_p: Floats, true: int, names: Sequence[str], top: int) -> Said:
    """Best guesses, and rank, p, -log p of the true piece, from log P [V]; ties go by the id."""
    least = np.partition(log_p, -min(top, len(log_p)))[-min(top, len(log_p))]
    best = np.flatnonzero(log_p >= least)
    best = best[np.argsort(-log_p[best], kind="stable")][:top]
    rank = 1 + int((log_p > log_p[true]).sum()) + int((log_p[:true] == log_p[true]).sum())
    guesses = tuple(Guess(names[i], i, float(np.exp(log_p[i]))) for i in best.tolist())
    return Said(guesses, rank, float(np.exp(log_p[true])), float(-log_p[true]))


def code_terms(mlm: Sequence[float], sbo: Sequence[float]) -> tuple[LossTerm, ...]:
    """sum(MLM) / M + sum(SBO) / (S + 1), M hidden pieces and S SBO targets."""
    return (
        LossTerm("MLM", sum(mlm) / len(mlm), 1.0, len(mlm)),
        LossTerm("SBO", sum(sbo) / (len(sbo) + 1), 1.0, len(sbo) + 1),
    )


def make_infill(
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
    beside: dict[int, Floats] = {}
    if sbo is not None:
        beside = dict(zip(masked.pairs(positions).at.tolist(), map(log_softmax, sbo), strict=True))
    pieces = []
    for at, fate, row in zip(masked.hidden.tolist(), masked.fates, mlm, strict=True):
        run, true, inside = masked.run_of(at), int(masked.true_ids[at]), log_softmax(row)
        alone = guesses_of(inside, true, names, top)
        k, boundary, both = None, None, None
        if at in beside:
            k, boundary = at - run.start + 1, guesses_of(beside[at], true, names, top)
            both = guesses_of(log_softmax(inside + beside[at]), true, names, top)
        why = NO_HEAD if sbo is None else masked.why_no_sbo(at, positions)
        pieces.append(HiddenPiece(at, names[true], true, fate, run, k, alone, boundary, both, why))
    losses = [p.mlm.loss for p in pieces], [p.sbo.loss for p in pieces if p.sbo is not None]
    # the paper's plain sum, -log P(x_i | x_i) - log P(x_i | y_i); without a pair MLM only
    paper = LossTerm("MLM", sum(losses[0]), 1.0, 1), LossTerm("SBO", sum(losses[1]), 1.0, 1)
    tokens = tuple(names[i] for i in masked.true_ids.tolist())
    return Infill(masked, tokens, tuple(pieces), code_terms(*losses), paper, model_name)


@dataclass(frozen=True, eq=False)
class Filled:
    """A text's pieces, and what both heads say of its blanks by the input that is cut (or None)."""

    given: Blanks
    encoding: Encoding
    by_cut: Mapping[str | None, Infill]

    @property
    def plain(self) -> Infill:
        """Nothing cut."""
        return self.by_cut[None]

    def piece(self, at: int, cut: str | None = None) -> HiddenPiece:
        """One blank."""
        return next(p for p in self.by_cut[cut].pieces if p.at == at)

    def name(self, piece: HiddenPiece) -> str:
        """Blank 3, with its span where there are several."""
        runs = self.plain.masked.runs
        which = f" of span {runs.index(piece.run) + 1}" if len(runs) > 1 else ""
        return f"Blank {piece.at - piece.run.start + 1}{which}"

    def first(self) -> int:
        """The blank to look at: one that SBO alone guesses, else its least sure guess, else any."""
        pieces = self.plain.pieces
        guessed = [(p.sbo.p, p) for p in pieces if p.sbo is not None and p.sbo.rank == 1]
        if alone := [p for _, p in guessed if p.mlm.rank > 1]:
            return alone[0].at
        if guessed:
            return min(guessed, key=lambda sure: sure[0])[1].at
        return next((p for p in pieces if p.sbo is not None), pieces[0]).at


def fill(given: Blanks, model: Any, *_: Any) -> Filled | str:
    """What a SpanBERT says of the blanks, nothing cut and each input cut; else why it cannot."""
    try:
        e = model.encode(given.text)
        spans = [span_at(e, first, last) for first, last in given.hidden]
    except BadInput as fault:
        return str(fault)
    masked, cuts = hide(e.context_ids, spans, model.mask_id), WIRES if model.positions else ()
    by_cut = {c: model.infill(masked, frozenset([c] if c else []), top=8) for c in (None, *cuts)}
    return Filled(given, e, by_cut)


class Schemes:
    """What is guessed of one text whose pieces are hidden by both schemes, the same number one by
    one (`tokens`) and in `spans`, each piece as [MASK].
    """

    def __init__(self, text: str, seed: int, model: Any, *_: Any) -> None:
        self.encoding = e = model.encode(text)
        draws = draw_spans(e.word_ids, np.random.default_rng(seed))
        how = model.mask_id, np.random.default_rng(seed), lambda _: model.mask_id
        single = mask("token", e.context_ids, e.word_ids, *how)
        self.tokens, self.spans = (
            model.infill(hide(e.context_ids, runs, model.mask_id), top=3)
            for runs in (single.runs, draws)
        )


def right(found: Infill) -> int:
    """How many first guesses of MLM are the hidden piece."""
    return sum(p.mlm.rank == 1 for p in found.pieces)


class Blank:
    """The blank at a token, else the one to look at. `now`: what both heads say with the input
    `cut` of SBO averaged out (none where SBO says nothing); `whole`: what SBO says with nothing
    cut; `true`: the hidden token, where somebody has said it; `boundary`: the tokens beside the
    span, None at an edge of the text.
    """

    def __init__(self, found: Filled, at: int | None, cut: str | None) -> None:
        masked, self.found = found.plain.masked, found
        self.at = at if at is not None and at in masked.hidden else found.first()
        self.whole = found.piece(self.at).sbo
        self.cut = cut if self.whole else None
        self.now = found.piece(self.at, self.cut)
        self.true = self.now.token if found.given.known else None
        self.boundary = masked.boundary(self.now.run)

    @property
    def before(self) -> dict[str, float]:
        """P by SBO of its guesses and the hidden token with nothing cut; empty without a cut."""
        if self.cut is None or self.whole is None:
            return {}
        guesses = [*((g.piece, g.p) for g in self.whole.guesses), (self.now.token, self.whole.p)]
        return {spelled(token): p for token, p in guesses}

    @property
    def inputs(self) -> tuple[str, str, str]:
        """The three inputs of SBO by name."""
        left, right = (spelled(self.found.plain.tokens[at]) for at in self.boundary or (0, 0))
        return f"“{left}”", f"“{right}”", str(self.now.k)

    @property
    def surest(self) -> float:
        """The highest P of a guess by either head, whatever is cut."""
        every = (self.found.piece(self.at, cut).sbo for cut in self.found.by_cut)
        return max(self.now.mlm.guesses[0].p, *(s.guesses[0].p for s in every if s), 0.0)


class Guessed(NamedTuple):
    """One word among a head's guesses: its P, its place, whether it is the hidden one."""

    word: str
    p: float
    place: int
    true: bool


def best(said: Said | None, true: str | None) -> list[Guessed]:
    """The best guesses, the true word among them, in the last place if need be."""
    if said is None:
        return []
    first = enumerate(said.guesses[:LISTED], 1)
    rows = [Guessed(spelled(g.piece), g.p, n, g.piece == true) for n, g in first]
    if true is not None and not any(r.true for r in rows):
        rows[LISTED - 1 :] = [Guessed(spelled(true), said.p, said.rank, True)]
    return rows
