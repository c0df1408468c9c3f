"""What a passage of the SpanBERT chapter can promise to show, each promise a pure function over
core records.

A promise is a name and an argument in `assets/passages.json`; its check returns None when the model
keeps it, else a sentence that says what was found instead. A blank is named by its place in the
text, so a repeated word can be meant.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from qa_demo.core.base import BadInput
from qa_demo.core.examples import Passage, hidden_spans, load_passages
from qa_demo.core.infill import WIRES, HiddenPiece, Infill, Infiller, Said
from qa_demo.core.masking import Masked, hide
from qa_demo.core.types import Encoding
from qa_demo.training.promise_check import known, unless


@dataclass(frozen=True, eq=False)
class Asked:
    """A passage, and a model that has filled its blanks."""

    passage: Passage
    infiller: Infiller

    @cached_property
    def encoding(self) -> Encoding:
        """The passage's pieces."""
        return self.infiller.encode(self.passage.text)

    @cached_property
    def masked(self) -> Masked:
        """The passage with its default blanks."""
        return hide(
            self.encoding.context_ids,
            hidden_spans(self.passage, self.encoding),
            self.infiller.mask_id,
        )

    @cached_property
    def found(self) -> Infill:
        """The guesses, nothing cut."""
        return self.infiller.infill(self.masked)

    def cut(self, *wires: str) -> Infill:
        """The guesses with wires cut."""
        return self.infiller.infill(self.masked, frozenset(wires))

    def piece(self, word: str, found: Infill | None = None) -> HiddenPiece:
        """The first blank of a hidden word, as spelled in the text."""
        offsets = self.encoding.offset_mapping
        for piece in (found or self.found).pieces:
            at = int(offsets[piece.at, 0])
            if self.passage.text[at : at + len(word)] == word:
                return piece
        raise BadInput(f"passage '{self.passage.id}': no hidden piece begins {word!r}")

    def sbo(self, word: str, found: Infill | None = None) -> Said:
        """What SBO says of a hidden word's first piece."""
        said = self.piece(word, found).sbo
        if said is None:
            raise BadInput(
                f"passage '{self.passage.id}': {word!r} has no SBO term: "
                f"{self.piece(word, found).no_sbo}"
            )
        return said


def check(passage: Passage, infiller: Infiller) -> dict[str, str | None]:
    """Every promise of a passage by name: None when kept, else what was found instead."""
    asked = Asked(passage, infiller)
    return {name: PROMISES[name](asked, argument) for name, argument in passage.promise.items()}


def _words(asked: Asked, wanted: int) -> str | None:
    """The longest hidden run has this many words."""
    ids = asked.encoding.whitespace_ids
    most = max(len(set(ids[run.start : run.end + 1].tolist())) for run in asked.masked.runs)
    return unless(most == wanted, f"the longest hidden run has {most} words, promised {wanted}")


def _pieces(asked: Asked, wanted: int) -> str | None:
    """A hidden word is cut into at least this many pieces."""
    _, counts = np.unique(asked.encoding.word_ids[asked.masked.hidden], return_counts=True)
    return unless(counts.max() >= wanted, f"no hidden word has more than {counts.max()} pieces")


def _merge(asked: Asked, wanted: list[int]) -> str | None:
    """So many hidden spans become so many runs."""
    got = [len(asked.passage.hidden), len(asked.masked.runs)]
    return unless(got == wanted, f"{got[0]} spans become {got[1]} runs, promised {wanted}")


def _edge(asked: Asked, side: str) -> str | None:
    """A hidden run touches the text's first or last piece, so it has no SBO term and says so."""
    why = asked.found.pieces[0 if side == "first" else -1].no_sbo or ""
    return unless(f"the {side} piece" in why, f"the {side} blank says {why!r}")


def _beyond(asked: Asked, _: bool) -> str | None:
    """A hidden run is longer than the position table."""
    rows = asked.infiller.positions
    return unless(
        any("position table" in (p.no_sbo or "") for p in asked.found.pieces),
        f"no run has more than {rows} pieces",
    )


def _ranks(asked: Asked, word: str, right: Callable[[int, int], bool]) -> str | None:
    sbo, mlm = asked.sbo(word).rank, asked.piece(word).mlm.rank
    return unless(right(sbo, mlm), f"{word!r}: rank {sbo:,} by SBO, {mlm:,} by MLM")


def _helps(asked: Asked, word: str) -> str | None:
    """SBO ranks the true piece higher than MLM does."""
    return _ranks(asked, word, lambda sbo, mlm: sbo < mlm)


def _only(asked: Asked, word: str) -> str | None:
    """SBO's first guess is right and MLM's is not: the boundary knows what the place does not."""
    return _ranks(asked, word, lambda sbo, mlm: sbo == 1 < mlm)


def _misleads(asked: Asked, word: str) -> str | None:
    """MLM's first guess is right and SBO's is not."""
    return _ranks(asked, word, lambda sbo, mlm: mlm == 1 < sbo)


def _first(asked: Asked, heads: Mapping[str, list[str]]) -> str | None:
    """The first guess of each head named is right at the first piece of each of its words."""
    said = {"mlm": lambda word: asked.piece(word).mlm, "sbo": asked.sbo}
    wrong = [
        f"{word!r}: {head.upper()} says {said[head](word).guesses[0].piece!r}"
        for head, words in heads.items()
        for word in words
        if said[head](word).rank > 1
    ]
    return "; ".join(wrong) or None


def _falls(asked: Asked, _: bool) -> str | None:
    """In a run of six pieces or more SBO's mean -log p is higher in the middle third."""
    losses = [
        p.sbo.loss
        for p in asked.found.pieces
        if p.run == max(asked.masked.runs, key=len) and p.sbo is not None
    ]
    if len(losses) < 6:
        return f"the longest run has {len(losses)} pieces with an SBO term, at least 6 are needed"
    third = round(len(losses) / 3)
    middle = float(np.mean(losses[third:-third]))
    outer = float(np.mean(losses[:third] + losses[-third:]))
    return unless(
        middle > outer, f"-log p is {middle:.2f} in the middle and {outer:.2f} outside it"
    )


def _position(asked: Asked, _: bool) -> str | None:
    """Blanks of one run get different first guesses, and the same one when the position is cut."""

    def firsts(found: Infill) -> set[str]:
        return {
            p.sbo.guesses[0].piece
            for p in found.pieces
            if p.sbo is not None and p.run == max(asked.masked.runs, key=len)
        }

    whole, cut = firsts(asked.found), firsts(asked.cut("position"))
    return unless(
        len(whole) > 1 == len(cut),
        f"first guesses {sorted(whole)}, with the position cut {sorted(cut)}",
    )


def _decides(asked: Asked, argument: Mapping[str, str]) -> str | None:
    """Cutting this wire costs the blank's true piece more -log p than cutting either other one."""
    cost = {
        wire: asked.sbo(argument["blank"], asked.cut(wire)).loss - asked.sbo(argument["blank"]).loss
        for wire in WIRES
    }
    most = max(cost, key=lambda wire: cost[wire])
    said = ", ".join(f"{wire} {value:+.2f}" for wire, value in cost.items())
    return unless(most == argument["wire"] and cost[most] > 0, f"cutting costs: {said}")


def _neighbour(asked: Asked, argument: Mapping[str, str]) -> str | None:
    """With another word beside the run SBO's first guess for the blank is another one."""
    run = asked.piece(argument["blank"]).run
    pair = asked.masked.boundary(run)
    ids = asked.infiller.encode(argument["word"]).context_ids
    if pair is None or len(ids) != 1:
        return (
            f"{argument['word']!r} has {len(ids)} pieces" if pair else "the run stands at an edge"
        )
    text = asked.masked.true_ids.copy()
    text[pair[0 if argument["side"] == "left" else 1]] = ids[0]
    found = asked.infiller.infill(hide(text, asked.masked.runs, asked.infiller.mask_id))
    before = asked.sbo(argument["blank"]).guesses[0].piece
    after = asked.sbo(argument["blank"], found).guesses[0].piece
    return unless(before != after, f"the first guess stays {before!r}")


def _prior(asked: Asked, word: str) -> str | None:
    """The product ranks the true piece worse than the better of the two heads alone."""
    piece, sbo = asked.piece(word), asked.sbo(word)
    assert piece.both is not None
    best = min(piece.mlm.rank, sbo.rank)
    return unless(
        piece.both.rank > best,
        f"{word!r}: rank {piece.both.rank} by both, {best} by the better one alone",
    )


PROMISES: dict[str, Callable[[Asked, Any], str | None]] = {
    "words": _words,
    "pieces": _pieces,
    "merge": _merge,
    "edge": _edge,
    "beyond": _beyond,
    "helps": _helps,
    "only": _only,
    "misleads": _misleads,
    "first": _first,
    "falls": _falls,
    "position": _position,
    "decides": _decides,
    "neighbour": _neighbour,
    "prior": _prior,
}


def load_pool(path: Path) -> tuple[Passage, ...]:
    """Read the passages; BadInput as `load_passages`, and for a promise that cannot be checked."""
    return known(load_passages(path), PROMISES, "passage")
