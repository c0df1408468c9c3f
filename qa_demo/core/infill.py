"""Blanks: where a text has them, and what the masked-language head, the span boundary head and both
together say of each hidden piece, at what loss.

MLM reads the hidden place itself, SBO reads the two observed neighbours and a position; each gives
a distribution over the whole vocabulary. "Both" is their product, renormalised. Losses are -log p
of the true piece, in nats.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from qa_demo.core.base import BadInput, Floats, Ints, log_softmax
from qa_demo.core.losses import LossTerm
from qa_demo.core.masking import DEFAULTS, Draw, Fate, Masked, Pairs, draw_spans, hide, mask
from qa_demo.core.text import span_at
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


MASK = re.compile(r"\[MASK\]", re.IGNORECASE)
FILLER = "it"
"""Stands where [MASK] was typed: one piece, hidden from the model."""


class Asked(NamedTuple):
    """A text with hidden places, [first, last) characters; `known`: whether it holds their words,
    which a typed [MASK] does not.
    """

    text: str
    hidden: tuple[tuple[int, int], ...]
    known: bool = True


def typed(given: str) -> Asked:
    """An own sentence: every [MASK] is hidden; without one, up to three words of its middle."""
    made, *rest = MASK.split(given)
    if not rest:
        words = list(re.finditer(r"\w+", given)) or list(re.finditer(r"\S+", given))
        n = min(3, max(1, len(words) - 2))
        k = (len(words) - n) // 2
        return Asked(given, ((words[k].start(), words[k + n - 1].end()),))
    places = []
    for part in rest:
        made += " " if made and not made[-1].isspace() else ""
        places.append((len(made), len(made) + len(FILLER)))
        made += FILLER + (" " if part[:1].isalnum() else "") + part
    return Asked(made, tuple(places), known=False)


@dataclass(frozen=True, eq=False)
class Filled:
    """A text's pieces, and what both heads say of its blanks by the input that is cut (None:
    nothing); `positions`: rows of the position table.
    """

    given: Asked
    encoding: Encoding
    by_cut: Mapping[str | None, Infill]
    positions: int

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
        """The blank to look at: one that SBO alone guesses, else the one that it guesses with most
        doubt, else one that it reads, else the first.
        """
        found = self.plain.pieces
        alone = [p.at for p in found if p.sbo and p.sbo.rank == 1 < p.mlm.rank]
        hits = sorted((p.sbo.p, p.at) for p in found if p.sbo and p.sbo.rank == 1)
        return [*alone, *(at for _, at in hits), *(p.at for p in found if p.sbo), found[0].at][0]


def fill(given: Asked, model: Infiller, *_: Any) -> Filled | str:
    """What a model says of the blanks, nothing cut and each input cut; else why it cannot."""
    try:
        e = model.encode(given.text)
        spans = [span_at(e, first, last) for first, last in given.hidden]
    except BadInput as fault:
        return str(fault)
    masked, cuts = hide(e.context_ids, spans, model.mask_id), WIRES if model.positions else ()
    by_cut = {c: model.infill(masked, frozenset([c] if c else []), top=8) for c in (None, *cuts)}
    return Filled(given, e, by_cut, model.positions)


class Hidden(NamedTuple):
    """One text hidden by both laws at one budget, each piece as [MASK], and what is guessed."""

    encoding: Encoding
    tokens: Infill
    spans: Infill
    draws: Sequence[Draw]


def hidden(given: str, seed: int, model: Infiller, *_: Any) -> Hidden | str:
    """The same number of pieces hidden one by one and in spans; else why the text cannot be."""
    try:
        e = model.encode(given)
    except BadInput as fault:
        return str(fault)
    draws = draw_spans(e.word_ids, DEFAULTS, np.random.default_rng(seed))
    rng = np.random.default_rng(seed)
    single = mask("token", e.context_ids, e.word_ids, model.mask_id, rng, lambda _: model.mask_id)

    def read(runs: Sequence[Span]) -> Infill:
        return model.infill(hide(e.context_ids, runs, model.mask_id), top=3)

    return Hidden(e, read(single.runs), read([draw.span for draw in draws]), draws)


def right(found: Infill) -> int:
    """How many first guesses of MLM are the hidden piece."""
    return sum(p.mlm.rank == 1 for p in found.pieces)


# ---- one blank


def spelled(token: str) -> str:
    """A token as the page spells it: ##ne gives ·ne."""
    return "·" + token[2:] if token.startswith("##") else token


@dataclass(frozen=True)
class Blank:
    """The blank at one token; `cut`: the input of SBO that an average stands for, or None."""

    found: Filled
    at: int
    cut: str | None

    @property
    def now(self) -> HiddenPiece:
        """What both heads say, with that input cut."""
        return self.found.piece(self.at, self.cut)

    @property
    def whole(self) -> Said | None:
        """What SBO says with nothing cut."""
        return self.found.piece(self.at).sbo

    @property
    def true(self) -> str | None:
        """The hidden token, where somebody has said it."""
        return self.now.token if self.found.given.known else None

    @property
    def before(self) -> dict[str, float]:
        """P by SBO of its guesses and the hidden token with nothing cut; empty without a cut."""
        if self.cut is None or self.whole is None:
            return {}
        guesses = {spelled(g.piece): g.p for g in self.whole.guesses}
        return {**guesses, spelled(self.now.token): self.whole.p}

    @property
    def boundary(self) -> tuple[int, int] | None:
        """The tokens just before and just after the span; None at an edge of the text."""
        return self.found.plain.masked.boundary(self.now.run)

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

    @property
    def silence(self) -> str:
        """Why SBO says nothing of it, where it does not, in a sentence."""
        if not self.found.positions:
            return "This model has no boundary layer."
        if self.boundary is None:
            return (
                "Its span stands at the text’s edge, one neighbour is missing, so SBO has no guess."
            )
        most = f"SBO knows {self.found.positions} positions"
        return f"{most}, and this one is further on: it has no guess."


def chosen(found: Filled, at: int | None, cut: str | None) -> Blank:
    """The blank at a token, else the one to look at; no input is cut where SBO says nothing."""
    place = at if at is not None and at in found.plain.masked.hidden else found.first()
    return Blank(found, place, cut if found.piece(place).sbo else None)


class Guessed(NamedTuple):
    """One word among a head's guesses: its P, its place, whether it is the hidden one."""

    word: str
    p: float
    place: int
    true: bool


def best(said: Said | None, true: str | None, most: int = 5) -> list[Guessed]:
    """The best guesses, the true word among them, in the last place if need be."""
    if said is None:
        return []
    first = enumerate(said.guesses[:most], 1)
    rows = [Guessed(spelled(g.piece), g.p, n, g.piece == true) for n, g in first]
    if true is not None and not any(r.true for r in rows):
        rows[most - 1 :] = [Guessed(spelled(true), said.p, said.rank, True)]
    return rows
