"""What of chapter 8 travels in a link: its text, what is hidden there and how, and what was changed
about the blanks. The text is cut into pieces when the chapter asks for its model.
"""

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Any, cast, get_args

from qa_demo.core.masking.infiller import Infiller
from qa_demo.core.masking.masked import changed
from qa_demo.core.masking.span_masking import MaskOptions
from qa_demo.core.reading.words import span_at
from qa_demo.core.types import Encoding, Span
from qa_demo.views import parse
from qa_demo.views.link.parts import Part
from qa_demo.views.parse import entries, many
from qa_demo.views.spanbert import mask, predict
from qa_demo.views.spanbert.lab import (
    KEY,
    MOST_PIECES,
    Kept,
    Lab,
    Step,
    given_pieces,
    kept_of,
    lab_of,
    new_lab,
)
from qa_demo.views.state import Screen


def save(screen: Screen) -> Any:
    """The lab as plain data; None before the chapter was opened."""
    kept = kept_of(screen)
    if kept.lab is None:
        return None if kept.wanted is None else dict(kept.wanted)
    lab, encoding = kept.lab, kept.lab.encoding
    spans = lab.masked.runs if lab.by_hand else ()
    words = [
        [at, lab.given[at]]
        for at, (now, own) in enumerate(
            zip(lab.masked.input_ids.tolist(), encoding.context_ids.tolist(), strict=True)
        )
        if now != own and at not in lab.masked.hidden
    ]
    options = lab.options
    return {
        "passage": lab.passage,
        "text": None if lab.passage in mask.passages() else lab.text,
        "seed": lab.seed,
        "options": [
            options.mask_ratio,
            options.geometric_p,
            options.span_lower,
            options.span_upper,
        ],
        "spans": [list(encoding.chars(run)) for run in spans],
        "at": lab.at,
        "cut": sorted(lab.cut),
        "words": words,
        "step": kept.step,
    }


def load(screen: Screen, value: Any) -> Screen:
    """Keep what a link wants until the chapter asks for its model. Errors: BadInput for no text."""
    given = parse.record(value, "the text of chapter 8", "passage or text")
    passage = given.get("passage")
    if passage not in mask.passages() if isinstance(passage, str) else True:
        parse.text(given.get("text"), "the text of chapter 8", mask.MOST_CHARACTERS)
    step = parse.choice(given.get("step"), "the step", get_args(Step))
    wanted = MappingProxyType(dict(given))
    keeper = kept_of(screen).keeper
    kept = Kept(keeper=keeper, step=cast(Step, step), wanted=wanted)
    return screen.keep(KEY, kept)


def linked_lab(screen: Screen, encode: Callable[[str], Encoding], model: Infiller | None) -> Lab:
    """The lab that a link wants, of this model's pieces. Errors: BadInput for what is not there."""
    wanted = dict(kept_of(screen).wanted or {})
    passage = wanted.get("passage")
    known = mask.passages().get(passage) if isinstance(passage, str) else None
    encoding = encode(
        known.text
        if known is not None
        else parse.text(wanted.get("text"), "the text", mask.MOST_CHARACTERS)
    )
    before = _settings(wanted, encoding, model)
    chars = parse.pairs(wanted.get("spans"), "the hidden spans", MOST_PIECES)
    spans = [span_at(encoding, *pair) for pair in chars if pair is not None]
    named = known.id if known is not None else "reading" if passage == "reading" else None
    lab = new_lab(encoding, model, spans, named, before)
    return _changed(lab, wanted, model)


def _settings(wanted: dict[str, Any], encoding: Encoding, model: Infiller | None) -> Lab:
    """A lab that hands its seed, options and cut wires to the next."""
    ratio, p, lower, upper = entries(wanted.get("options"), "the options", 4)
    names = ("mask_ratio", "geometric_p")
    numbers = [parse.number(v, n, 0.0, 1.0) for v, n in zip((ratio, p), names, strict=True)]
    options = MaskOptions(
        *numbers, parse.whole(lower, "span_lower"), parse.whole(upper, "span_upper")
    )
    seed = parse.whole(wanted.get("seed"), "seed", 0, 2**31 - 1)
    plain = new_lab(encoding, model, (Span(0, 0),))
    lab = replace(plain, seed=seed, options=options)
    for wire in many(wanted.get("cut"), "the cut wires", len(predict.WIRES)):
        lab = predict.cut(lab, {"wire": wire, "cut": True})
    return lab


def _changed(lab: Lab, wanted: dict[str, Any], model: Infiller | None) -> Lab:
    """The lab with its words changed and its blank chosen, each by its own handler."""
    for one in many(wanted.get("words"), "the neighbours", MOST_PIECES):
        at, word = entries(one, "a neighbour", 2)
        lab = _with_word(lab, at, word, model)
    return lab if wanted.get("at") is None else predict.choose(lab, wanted["at"])


def _with_word(lab: Lab, at: Any, word: Any, model: Infiller | None) -> Lab:
    """A word in the text's place; the run that it was put beside may have grown or gone since."""
    place = parse.whole(at, "a neighbour", 0, len(lab.encoding.context_ids) - 1)
    piece = predict.one_piece(parse.text(word, "a neighbour"), predict.there(model))
    masked = changed(lab.masked, place, piece)
    return replace(lab, masked=masked, given=given_pieces(lab.encoding, masked, model))


LINKED = (Part("blanks", "the text and blanks of chapter 8", save, load),)
"""What of this chapter travels in a link."""


def wants(screen: Screen) -> bool:
    """Whether a link's text waits to be cut into pieces."""
    return lab_of(screen) is None and kept_of(screen).wanted is not None
