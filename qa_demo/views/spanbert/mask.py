"""Step 1 of chapter 8: which text, and which of its pieces are hidden, by hand or by the law."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from qa_demo.core.errors import BadInput
from qa_demo.core.files.assets import ASSETS
from qa_demo.core.files.examples import Passage, hidden_spans, load_passages
from qa_demo.core.masking import span_masking as masking
from qa_demo.core.masking.infiller import Infiller
from qa_demo.core.masking.masked import hide
from qa_demo.core.reader import Reader
from qa_demo.core.reading.words import span_at
from qa_demo.core.types import Encoding, Span
from qa_demo.figures.spanbert import mask as figure
from qa_demo.views.parse import choice, number, pair, record, text, whole
from qa_demo.views.spanbert.lab import (
    MOST_PIECES,
    Lab,
    lab_of,
    mask_id,
    masked_lab,
    new_lab,
    sampled,
)
from qa_demo.views.state import Screen

NO_MODEL = "This page was started without a SpanBERT"
MOST_CHARACTERS = 8 * MOST_PIECES
OPENING = "cinderella"
"""The passage that is shown first: the boundary's first guess is right where MLM's is not, and a
cut breaks it; a test of the bundled model holds it to that.
"""
Asks = Callable[[Lab, Any, Infiller | None], Lab]


@lru_cache(maxsize=1)
def passages() -> dict[str, Passage]:
    """The bundled passages by id, read once."""
    return {p.id: p for p in load_passages(ASSETS / "passages.json")}


# Texts


def encode_by(reader: Reader, text: str) -> Encoding:
    """The reader's word pieces of a text, without a SpanBERT; it wants a question."""
    return reader.read("?", text).encoding


def text_lab(
    screen: Screen, name: str, value: Any, encode: Callable[[str], Encoding], model: Infiller | None
) -> Lab:
    """The lab of the text asked for: typed, of the reading, or bundled, the first by default."""
    before, known = lab_of(screen), passages()
    if name in ("mask-text", "mask-reading"):
        own, source = (
            (value, None) if name == "mask-text" else (screen.reading.encoding.context, "reading")
        )
        return new_lab(encode(text(own, "the text", MOST_CHARACTERS)), model, (), source, before)
    key = value if name == "mask-passage" else opening(screen)
    if not isinstance(key, str) or key not in known:
        raise BadInput(f"there is no passage {str(key)[:40]!r}; there are {', '.join(known)}")
    encoding = encode(known[key].text)
    made = new_lab(encoding, model, hidden_spans(known[key], encoding), key, before)
    at = telling(known[key], made)
    return made if at is None else replace(made, at=at)


def opening(screen: Screen) -> str:
    """The passage whose text is on the screen, else the one that is shown first."""
    context = screen.reading.encoding.context
    return next((key for key, one in passages().items() if one.text == context), OPENING)


def telling(passage: Passage, lab: Lab) -> int | None:
    """The blank that a passage was chosen for, looked at first; None if its promise names none."""
    promise = passage.promise
    word = promise.get("only") or promise.get("decides", {}).get("blank") or promise.get("misleads")
    starts = lab.encoding.offset_mapping[:, 0]
    if word is None:
        return None
    places = (int(at) for at in lab.masked.hidden if passage.text.startswith(word, int(starts[at])))
    return next(places, None)


def same_text(lab: Lab, encode: Callable[[str], Encoding], model: Infiller | None) -> Lab:
    """The same text for another model's pieces: spans by hand stay, others are drawn again."""
    encoding = encode(lab.text)
    spans = (
        [span_at(encoding, *lab.encoding.chars(run)) for run in lab.masked.runs]
        if lab.by_hand
        else []
    )
    return new_lab(encoding, model, spans, lab.passage, lab)


# By hand


def words_of(encoding: Encoding, first: int, last: int) -> Span:
    """The whole words that hold two pieces."""
    starts = masking.word_starts(encoding.word_ids)
    begin = int(starts[np.searchsorted(starts, first, side="right") - 1])
    after = int(np.searchsorted(starts, last, side="right"))
    return Span(
        begin, int(starts[after]) - 1 if after < len(starts) else len(encoding.word_ids) - 1
    )


def hide_span(lab: Lab, value: Any, model: Infiller | None) -> Lab:
    """[first, last] (doc): hide the words of these pieces; runs that it touches join."""
    total = len(lab.encoding.context_ids)
    first, last = sorted(whole(v, "a piece", 0, total - 1) for v in pair(value, "a span"))
    span = words_of(lab.encoding, first, last)
    new = by_hand(lab, [*lab.masked.runs, span], model)
    merged = new.masked.run_of(span.start)
    joined = [
        run
        for run in lab.masked.runs
        if run.start <= span.end + 1 and span.start <= run.end + 1 and run != merged
    ]
    return replace(new, said=figure.joined_says(lab.encoding, span, joined, merged))


def show_run(lab: Lab, value: Any, model: Infiller | None) -> Lab:
    """A piece of a run: the whole run is in sight again. Errors: BadInput for the only run."""
    runs = lab.masked.runs
    gone = lab.masked.run_of(whole(value, "a piece", 0, len(lab.encoding.context_ids) - 1))
    if len(runs) == 1:
        raise BadInput("this is the only hidden run, and one is needed; hide another span first")
    return replace(
        by_hand(lab, [run for run in runs if run != gone], model),
        said=figure.shown_says(lab.encoding, gone),
    )


def by_hand(lab: Lab, spans: list[Span], model: Infiller | None) -> Lab:
    """These spans, merged, all of them [MASK]: what is hidden is the text's own, not a word that
    was put there.
    """
    ids = lab.masked.true_ids.copy()
    for span in spans:
        ids[span.start : span.end + 1] = lab.encoding.context_ids[span.start : span.end + 1]
    return masked_lab(lab, hide(ids, spans, mask_id(model)), model)


# By the law


def redraw(lab: Lab, model: Infiller | None) -> Lab:
    """Spans drawn anew with the lab's seed and options."""
    return masked_lab(lab, sampled(lab.encoding, lab.seed, lab.options, "span", model), model)


def change_seed(lab: Lab, value: Any, model: Infiller | None) -> Lab:
    """Another seed."""
    return redraw(replace(lab, seed=whole(value, "seed", 0, 2**31 - 1)), model)


def change_option(lab: Lab, value: Any, model: Infiller | None) -> Lab:
    """{"name", "value"}: one option. Spans by hand stay; both ends of the range push."""
    given = record(value, "an option", "name", "value")
    name = choice(given.get("name"), "the option", figure.LIMITS)
    low, high, step = figure.LIMITS[name]
    raw = number(given.get("value"), name, low, high)
    changed: dict[str, float] = {name: int(raw) if step == 1 else raw}
    if name == "span_lower":
        changed["span_upper"] = max(int(raw), lab.options.span_upper)
    if name == "span_upper":
        changed["span_lower"] = min(int(raw), lab.options.span_lower)
    new = replace(lab, options=replace(lab.options, **changed))
    return new if lab.by_hand else redraw(new, model)


ASKS: dict[str, Asks] = {
    "mask-span": hide_span,
    "mask-show": show_run,
    "mask-seed": change_seed,
    "mask-option": change_option,
}
