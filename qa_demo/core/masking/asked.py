"""What the page asks of a model that fills blanks: a text with hidden places, as typed or as the
two laws hide it, and what both heads say.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qa_demo.core.errors import BadInput
from qa_demo.core.masking.infill import WIRES, HiddenPiece, Infill
from qa_demo.core.masking.infiller import Infiller
from qa_demo.core.masking.masked import Draw, hide
from qa_demo.core.masking.span_masking import DEFAULTS, draw_spans, mask_tokens
from qa_demo.core.reading.words import span_at
from qa_demo.core.types import Encoding, Span

MASK = re.compile(r"\[MASK\]", re.IGNORECASE)
FILLER = "it"
"""Stands where [MASK] was typed: one piece, hidden from the model."""


@dataclass(frozen=True)
class Asked:
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


@dataclass(frozen=True)
class Filled:
    """A text's pieces, and what both heads say of its blanks by the input that is cut (None:
    nothing); `positions`: rows of the position table.
    """

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
    return Filled(e, by_cut, model.positions)


@dataclass(frozen=True)
class Hidden:
    """One text hidden by both laws at one budget, each piece as [MASK], and what is guessed."""

    encoding: Encoding
    tokens: Infill
    spans: Infill
    draws: tuple[Draw, ...]


def hidden(given: str, seed: int, model: Infiller, *_: Any) -> Hidden | str:
    """The same number of pieces hidden one by one and in spans; else why the text cannot be."""
    try:
        e = model.encode(given)
    except BadInput as fault:
        return str(fault)
    draws = draw_spans(e.word_ids, DEFAULTS, np.random.default_rng(seed))
    rng = np.random.default_rng(seed)
    single = mask_tokens(e.context_ids, model.mask_id, rng, lambda _: model.mask_id).runs

    def read(runs: Sequence[Span]) -> Infill:
        return model.infill(hide(e.context_ids, runs, model.mask_id), top=3)

    return Hidden(e, read(single), read(draws[-1].runs), draws)


def right(found: Infill) -> int:
    """How many first guesses of MLM are the hidden piece."""
    return sum(p.mlm.rank == 1 for p in found.pieces)
