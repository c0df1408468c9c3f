"""What chapter 8 keeps: a text, what is hidden and how, and what is asked of a blank."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from qa_demo.core.errors import BadInput
from qa_demo.core.masking import span_masking as masking
from qa_demo.core.masking.infiller import Infiller
from qa_demo.core.masking.masked import Masked, hide
from qa_demo.core.masking.span_masking import MaskOptions
from qa_demo.core.types import Encoding, Span
from qa_demo.views.session.model_cache import ModelCache
from qa_demo.views.state import Screen

KEY = "spanbert"
MASK = "[MASK]"
TEXT_MASK = -1
"""The id of [MASK] where no model is there to give one: no piece of a text has it."""
MOST_PIECES = 200
"""The longest text of this chapter: every blank is a distribution over the whole vocabulary."""
BUNDLED = "bundled"

Step = Literal["mask", "predict", "closing"]


@dataclass(frozen=True, eq=False)
class Lab:
    """One masked text. `given` [T] are the pieces as the model is shown them.

    `beside` is the same text with the same budget as single pieces. `passage` is the id of a
    bundled passage, "reading" for the paragraph of the reading on screen, None for a text of the
    visitor's own. `at` is the blank that was chosen, `cut` the wires that are cut.
    """

    text: str
    encoding: Encoding
    masked: Masked
    seed: int
    options: MaskOptions
    given: tuple[str, ...]
    beside: Masked
    beside_given: tuple[str, ...]
    passage: str | None = None
    at: int | None = None
    cut: frozenset[str] = frozenset()
    said: str = ""
    """What the last change by hand did, such as a merge."""
    model: str | None = None
    """Name of the model whose pieces these are; None for the reader's."""

    @property
    def by_hand(self) -> bool:
        """Whether the spans were drawn by hand: then no turns of a draw are on record."""
        return not self.masked.draws


@dataclass(frozen=True, eq=False)
class Kept:
    """The chapter's record: the lab, the model's keeper, why there is none, the open step."""

    lab: Lab | None = None
    keeper: ModelCache[Infiller] | None = None
    failed: str | None = None
    step: Step = "mask"
    wanted: Mapping[str, Any] | None = None
    """What a link wants of the lab, until the text is cut into a model's pieces."""

    @property
    def model(self) -> Infiller | None:
        """The model when it is in memory now; None while it is not, or when there is none."""
        return None if self.keeper is None or self.failed is not None else self.keeper.held(BUNDLED)

    def fits(self, model: Infiller | None) -> bool:
        """Whether the lab is made of this model's pieces: another's would be other words."""
        return self.lab is not None and self.lab.model == name_of(model)


def kept_of(screen: Screen) -> Kept:
    """The chapter's record, an empty one before the chapter was first opened."""
    found = screen.own.get(KEY)
    return found if isinstance(found, Kept) else Kept()


def lab_of(screen: Screen) -> Lab | None:
    """The visitor's lab; None until the chapter was opened and its text encoded."""
    return kept_of(screen).lab


# Making and changing labs


def sampled(
    encoding: Encoding, seed: int, options: MaskOptions, scheme: str, model: Infiller | None
) -> Masked:
    """Pieces hidden by the law. Without a model random pieces come from this text."""
    rng = np.random.default_rng(seed)
    if model is not None:
        return model.sample(encoding, rng, options, scheme)
    ids = encoding.context_ids

    def random_piece(draws: np.random.Generator) -> int:
        return int(ids[draws.integers(len(ids))])

    return masking.mask(scheme, ids, encoding.word_ids, TEXT_MASK, rng, random_piece, options)


def mask_id(model: Infiller | None) -> int:
    """The id that hidden pieces get."""
    return TEXT_MASK if model is None else model.mask_id


def given_pieces(encoding: Encoding, masked: Masked, model: Infiller | None) -> tuple[str, ...]:
    """The pieces that the model is shown, [T]: [MASK], a random piece, or the true one."""
    own = dict(zip(encoding.context_ids.tolist(), encoding.context_tokens, strict=True))
    hidden = mask_id(model)

    def name(at: int, shown: int) -> str:
        if shown == hidden:
            return MASK
        if shown == encoding.context_ids[at]:
            return encoding.context_tokens[at]
        return own[shown] if model is None else model.piece(shown)

    return tuple(name(at, shown) for at, shown in enumerate(masked.input_ids.tolist()))


def masked_lab(lab: Lab, masked: Masked, model: Infiller | None) -> Lab:
    """The lab with other blanks: the single pieces follow, the first is chosen."""
    options = (
        lab.options
        if masked.budget == masking.budget_of(len(masked.true_ids), lab.options)
        else replace(lab.options, mask_ratio=len(masked.hidden) / len(masked.true_ids))
    )
    beside = sampled(lab.encoding, lab.seed, options, "token", model)
    pairs = masked.pairs()
    first = int(pairs.at[0]) if len(pairs) else int(masked.hidden[0])
    return replace(
        lab,
        masked=masked,
        given=given_pieces(lab.encoding, masked, model),
        beside=beside,
        beside_given=given_pieces(lab.encoding, beside, model),
        at=first,
        said="",
    )


def name_of(model: Infiller | None) -> str | None:
    """What ties a lab to the model whose pieces it is made of."""
    return None if model is None else model.name


def new_lab(
    encoding: Encoding,
    model: Infiller | None,
    spans: Sequence[Span] = (),
    passage: str | None = None,
    before: Lab | None = None,
) -> Lab:
    """A lab on another text: its own spans, else spans drawn by the law; seed, options and cut
    wires stay.

    Errors: BadInput for a text with no piece, or more than this chapter shows.
    """
    total = len(encoding.context_ids)
    if not 1 <= total <= MOST_PIECES:
        raise BadInput(
            f"the text has {total:,} word pieces, this chapter shows texts of 1 to "
            f"{MOST_PIECES}; take a shorter one"
        )
    options, seed = (before.options, before.seed) if before is not None else (masking.DEFAULTS, 1)
    masked = (
        hide(encoding.context_ids, spans, mask_id(model))
        if spans
        else sampled(encoding, seed, options, "span", model)
    )
    empty = Lab(
        encoding.context,
        encoding,
        masked,
        seed,
        options,
        (),
        masked,
        (),
        passage,
        cut=before.cut if before is not None else frozenset(),
        model=name_of(model),
    )
    return masked_lab(empty, masked, model)
