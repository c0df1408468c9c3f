"""What the five calls reply: a record each, filled from core's by the names of its fields."""

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from pydantic import ConfigDict

from qa_demo.core.attribution import Attribution
from qa_demo.core.base import BadInput
from qa_demo.core.bio import TaggedSpan, decode_reading, owned_rows
from qa_demo.core.calibration import sureness
from qa_demo.core.infill import Infill, Said
from qa_demo.core.losses import LossTerm, shared_norm_loss, start_end_loss, total
from qa_demo.core.predict import Prediction
from qa_demo.core.text import question_positions
from qa_demo.core.types import TAGS, Encoding, Reading, Span
from qa_demo.state import Record


class Reply(Record):
    """A record whose numbers are finite."""

    model_config = ConfigDict(allow_inf_nan=False)


Made = TypeVar("Made", bound=Reply)


class AboutText(Reply):
    """What was asked, and which reader replied."""

    question: str
    reader: str


class Piece(Reply):
    """Characters of the paragraph: context[char_start:char_end] is the text."""

    text: str
    char_start: int
    char_end: int


class Listed(Piece):
    """A span of the n-best list; share = softmax of the listed scores."""

    window: int
    start_logit: float
    end_logit: float
    score: float
    share: float


class Window(Reply):
    """Tokens doc_start to doc_stop of the paragraph, and positions in all."""

    index: int
    doc_start: int
    doc_stop: int
    tokens: int


class Answer(AboutText):
    """`answer` and the five fields after it are null where there is no answer: score_diff =
    null_score - best score is above `limit`. `n_best` never holds "no answer". claim = answerable *
    right_if_answerable: the chance that the first of n_best is exactly right.
    """

    answer: str | None
    char_start: int | None = None
    char_end: int | None = None
    start_logit: float | None = None
    end_logit: float | None = None
    score: float | None = None
    null_score: float
    score_diff: float | None
    limit: float | None
    claim: float | None = None
    answerable: float | None = None
    right_if_answerable: float | None = None
    n_best: list[Listed]
    windows: list[Window]


class Share(Reply):
    """What a token contributes to the target, in logits; `side` is question, context or special,
    and characters are those of that text.
    """

    text: str
    side: str
    char_start: int | None
    char_end: int | None
    value: float


class Attributed(AboutText):
    """sum = F(x) - F(x') + gap, in logits; f_baseline and gap are null without a baseline."""

    method: str
    target: str
    span: Piece
    other: Piece | None
    window: int
    baseline: str | None
    tokens: list[Share]
    sum: float
    f_x: float
    f_baseline: float | None
    gap: float | None
    n_steps: int


class Gold(Piece):
    """A right answer, and how many windows hold it whole: every other one counts it as none."""

    whole_in: int


class Lost(AboutText):
    """The loss, term by term, in nats."""

    normaliser: str
    gold: list[Gold | None]
    terms: tuple[LossTerm, ...]
    total: float
    windows: list[Window]


class TaggedToken(Piece):
    """B + I + O = 1."""

    B: float
    I: float  # noqa: E741
    O: float  # noqa: E741


class Tagged(AboutText):
    """Each token's tags in the window that owns it, and the spans that they spell; marginal: the
    chance that exactly these tokens are one answer.
    """

    decoding: str
    spans: tuple[TaggedSpan, ...]
    tokens: list[TaggedToken]


class Blank(Piece):
    """A hidden token: its run's first and last token, its position k in it (1 = next to the left
    neighbour), and what each head says; `no_sbo` tells why the boundary head says nothing.
    """

    k: int | None
    run: Span
    fate: str
    mlm: Said
    sbo: Said | None
    both: Said | None
    no_sbo: str | None


class Filled(Reply):
    """`terms` are the two means of the paper's code, `paper_terms` the paper's plain sums. Where a
    [MASK] was typed the hidden word is not `known`: `text` and all that is said of the true word
    are those of "it", which stands there.
    """

    text: str
    model: str
    known: bool
    pieces: list[Blank]
    terms: tuple[LossTerm, ...]
    total: float
    paper_terms: tuple[LossTerm, ...]
    paper_total: float


def answered(reading: Reading, found: Prediction) -> Answer:
    """The reply to `read`."""
    sure = None if found.best is None else sureness(reading, found.best.candidate)
    n_best = [_taken(Listed, one, one.candidate) for one in found.n_best]
    return _about(Answer, reading, found, found.answered, sure, n_best=n_best)


def explained(reading: Reading, found: Attribution) -> Attributed:
    """The reply to `attribute`."""
    e, window = reading.encoding, reading.windows[found.window]
    asked = zip(question_positions(e).tolist(), e.question_offset_mapping.tolist(), strict=True)
    docs = range(window.doc_start, window.doc_stop)
    places = {pos: ("question", *chars) for pos, chars in asked}
    places |= {window.to_pos(doc): ("context", *e.chars(Span(doc, doc))) for doc in docs}
    rows = zip(reading.tokens(window.index), found.values, strict=True)
    fields, nowhere = Share.model_fields, ("special", None, None)
    tokens = [
        Share(**dict(zip(fields, (text, *places.get(pos, nowhere), value), strict=True)))
        for pos, (text, value) in enumerate(rows)
    ]
    target, other = found.target, found.target.other
    return _about(
        Attributed,
        reading,
        found,
        target=target.kind,
        span=_piece(Piece, e, target.span),
        other=None if other is None else _piece(Piece, e, other),
        tokens=tokens,
    )


def lost(reading: Reading, golds: Sequence[Span | None], normaliser: str) -> Lost:
    """The reply to `loss`: golds are one for each annotator, None where one found no answer.

    "window": the mean over windows of -sum_i t_i log p_i, start and end with weight 1/2. "shared":
    one softmax over the paragraph's tokens of all windows, for which one gold span is needed.
    """
    if normaliser == "window":
        terms = start_end_loss(reading, golds)
    else:
        spans = {gold for gold in golds if gold is not None}
        if len(spans) != 1 or None in golds:
            found = f"got {len(spans)}" + (" and no answer" if spans and None in golds else "")
            raise BadInput(f"the shared normaliser needs exactly one gold answer, {found}")
        terms = shared_norm_loss(reading, *spans)

    def gold(span: Span) -> Gold:
        whole_in = sum(window.holds(span) for window in reading.windows)
        return _piece(Gold, reading.encoding, span, whole_in=whole_in)

    marked = [None if span is None else gold(span) for span in golds]
    return _about(
        Lost, reading, normaliser=normaliser, gold=marked, terms=terms, total=total(terms)
    )


def tagged(reading: Reading, decoding: str) -> Tagged:
    """The reply to `tag`. Errors: BadInput for a reader without a BIO head."""
    spans, rows = decode_reading(reading, decoding), np.exp(owned_rows(reading)).tolist()
    tokens = [
        _piece(TaggedToken, reading.encoding, Span(doc, doc), **dict(zip(TAGS, p, strict=True)))
        for doc, p in enumerate(rows)
    ]
    return _about(Tagged, reading, decoding=decoding, spans=spans, tokens=tokens)


def filled(encoding: Encoding, found: Infill, known: bool) -> Filled:
    """The reply to `infill`."""
    pieces = (
        _piece(Blank, encoding, Span(one.at, one.at), one, text=one.token) for one in found.pieces
    )
    return Filled(
        text=encoding.context,
        model=found.model_name,
        known=known,
        pieces=list(pieces),
        terms=found.code,
        total=total(found.code),
        paper_terms=found.paper,
        paper_total=total(found.paper),
    )


def _piece(kind: type[Made], encoding: Encoding, span: Span, *of: object, **more: Any) -> Made:
    """A record of tokens of the paragraph."""
    start, end = encoding.chars(span)
    known = {"text": encoding.text(span), "char_start": start, "char_end": end}
    return _taken(kind, *of, **(known | more))


def _about(kind: type[Made], reading: Reading, *of: object, **more: Any) -> Made:
    """A record about a reading."""
    known = {"question": reading.encoding.question, "reader": reading.model_name, **more}
    if "windows" in kind.model_fields:
        known["windows"] = [_taken(Window, w, tokens=len(w)) for w in reading.windows]
    return _taken(kind, *of, **known)


def _taken(kind: type[Made], *of: object, **more: Any) -> Made:
    """A record of `more`, and of the attributes of others that are named like its fields."""
    found = {n: getattr(one, n) for one in of for n in kind.model_fields if hasattr(one, n)}
    return kind(**(found | more))
