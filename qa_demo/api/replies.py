"""What the five calls reply: a record each, made of core's."""

from typing import Annotated, Any

import numpy as np
from pydantic import ConfigDict, Field

from qa_demo.core.attribution import Attribution
from qa_demo.core.base import BadInput
from qa_demo.core.bio import decode_reading, owned_rows
from qa_demo.core.calibration import sureness
from qa_demo.core.infill import HiddenPiece, Infill
from qa_demo.core.losses import Golds, shared_norm_loss, start_end_loss, total
from qa_demo.core.predict import Prediction, Ranked
from qa_demo.core.text import words
from qa_demo.core.types import TAGS, Encoding, Reading
from qa_demo.core.types import Span as Pieces
from qa_demo.state import Record


class Made(Record):
    """A record that takes its fields from one of core's that has them too."""

    model_config = ConfigDict(from_attributes=True)


Number = Annotated[float, Field(allow_inf_nan=False)]
OWN = ("char_start", "char_end", "start_logit", "end_logit", "score")
CHANCES = ("claim", "answerable", "right_if_answerable")


class Span(Made):
    """Characters of the paragraph: context[char_start:char_end] is the text."""

    text: str
    char_start: int
    char_end: int


class Listed(Span):
    """A span of the n-best list; share = softmax of the listed scores."""

    window: int
    start_logit: Number
    end_logit: Number
    score: Number
    share: Number


class Window(Made):
    """Tokens doc_start to doc_stop of the paragraph, and positions in all."""

    index: int
    doc_start: int
    doc_stop: int
    tokens: int


class Term(Made):
    """One addend of a loss, in nats: value is a mean over `over`; total = sum of weight * value."""

    name: str
    value: Number
    weight: Number
    over: Number


class Reply(Record):
    """What was asked, and which reader replied."""

    question: str
    reader: str


class Answer(Reply):
    """`answer` and the five fields after it are null where there is no answer: score_diff =
    null_score - best score is above `limit`. `n_best` never holds "no answer". claim = answerable *
    right_if_answerable: the chance that the first of n_best is exactly right.
    """

    answer: str | None
    char_start: int | None = None
    char_end: int | None = None
    start_logit: Number | None = None
    end_logit: Number | None = None
    score: Number | None = None
    null_score: Number
    score_diff: Number | None
    limit: Number | None
    claim: Number | None = None
    answerable: Number | None = None
    right_if_answerable: Number | None = None
    n_best: list[Listed]
    windows: list[Window]


class Share(Made):
    """What a token contributes to the start part and to the end part; `side` is question, context
    or special, and characters are those of that text.
    """

    text: str
    side: str
    char_start: int | None
    char_end: int | None
    start: Number
    end: Number


class Attributed(Reply):
    """sum = F(x) - F(x') + gap, in logits; f_baseline and gap are null without a baseline."""

    method: str
    target: str
    span: Span
    other: Span | None
    window: int
    baseline: str | None
    tokens: list[Share]
    sum: Number
    f_x: Number
    f_baseline: Number | None
    gap: Number | None
    n_steps: int


class Gold(Span):
    """A right answer, and how many windows hold it whole: every other one counts it as none."""

    whole_in: int


class Lost(Reply):
    """The loss, term by term, in nats."""

    normaliser: str
    gold: list[Gold | None]
    terms: list[Term]
    total: Number
    windows: list[Window]


class TaggedSpan(Span):
    """The chance that exactly these pieces are one answer."""

    marginal: Number


class TaggedToken(Span):
    """B + I + O = 1."""

    B: Number
    I: Number  # noqa: E741
    O: Number  # noqa: E741


class Tagged(Reply):
    """Each token's tags in the window that owns it, and the spans that they spell."""

    decoding: str
    spans: list[TaggedSpan]
    tokens: list[TaggedToken]


class Guess(Made):
    """A piece of the vocabulary and its probability."""

    piece: str
    p: Number


class Blank(Span):
    """A hidden piece: `position` k in its run (1 = next to the left neighbour), what each head
    guesses, and the true piece's rank; `no_sbo` says why the boundary head guesses nothing.
    """

    position: int | None
    run: list[int]
    fate: str
    mlm: list[Guess]
    sbo: list[Guess] | None
    both: list[Guess] | None
    true_rank_mlm: int
    true_rank_sbo: int | None
    true_rank_both: int | None
    no_sbo: str | None


class Filled(Record):
    """`terms` are the two means of the paper's code, `paper_terms` the paper's plain sums."""

    text: str
    model: str
    pieces: list[Blank]
    terms: list[Term]
    total: Number
    paper_terms: list[Term]
    paper_total: Number


def answered(reading: Reading, found: Prediction) -> Answer:
    """The reply to `read`."""
    best, said = found.best, found.answered
    sure = None if best is None else sureness(reading, best.candidate)
    own = {} if said is None else {name: getattr(said, name) for name in OWN}
    chances = {} if sure is None else {name: getattr(sure, name) for name in CHANCES}
    return Answer(
        **_of(reading),
        answer=found.answer,
        **own,
        **chances,
        null_score=found.null_score,
        score_diff=found.score_diff,
        limit=found.limit,
        n_best=[_listed(one) for one in found.n_best],
        windows=_windows(reading),
    )


def explained(reading: Reading, found: Attribution) -> Attributed:
    """The reply to `attribute`."""
    encoding, target = reading.encoding, found.target
    lanes = zip(_tokens(reading, found.window), found.start, found.end, strict=True)
    own = ("method", "window", "baseline", "sum", "f_x", "f_baseline", "gap", "n_steps")
    return Attributed(
        **_of(reading),
        **{name: getattr(found, name) for name in own},
        target=target.kind,
        span=_span(encoding, target.span),
        other=None if target.other is None else _span(encoding, target.other),
        tokens=[{**token, "start": start, "end": end} for token, start, end in lanes],
    )


def lost(reading: Reading, golds: Golds, normaliser: str) -> Lost:
    """The reply to `loss`: golds are one for each annotator, None where one found no answer.

    "window": the mean over windows of -sum_i t_i log p_i, start and end with weight 1/2. "shared":
    one softmax over the paragraph's tokens of all windows, for which one gold span is needed.
    """
    spans = {gold for gold in golds if gold is not None}
    if normaliser == "window":
        terms = start_end_loss(reading, golds)
    elif len(spans) == 1 and None not in golds:
        terms = shared_norm_loss(reading, next(iter(spans)))
    else:
        raise BadInput(f"the shared normaliser needs exactly one gold answer, got {len(spans)}")
    return Lost(
        **_of(reading),
        normaliser=normaliser,
        gold=[None if gold is None else _gold(reading, gold) for gold in golds],
        terms=terms,
        total=total(terms),
        windows=_windows(reading),
    )


def tagged(reading: Reading, decoding: str) -> Tagged:
    """The reply to `tag`. Errors: BadInput for a reader without a BIO head."""
    encoding, spans = reading.encoding, decode_reading(reading, decoding)
    rows = np.exp(owned_rows(reading)).tolist()
    tokens = [
        TaggedToken(**_span(encoding, Pieces(doc, doc)), **dict(zip(TAGS, p, strict=True)))
        for doc, p in enumerate(rows)
    ]
    return Tagged(**_of(reading), decoding=decoding, spans=spans, tokens=tokens)


def filled(encoding: Encoding, found: Infill) -> Filled:
    """The reply to `infill`."""
    return Filled(
        text=encoding.context,
        model=found.model_name,
        pieces=[_blank(encoding, piece) for piece in found.pieces],
        terms=found.code,
        total=total(found.code),
        paper_terms=found.paper,
        paper_total=total(found.paper),
    )


def _of(reading: Reading) -> dict[str, Any]:
    return {"question": reading.encoding.question, "reader": reading.model_name}


def _span(encoding: Encoding, span: Pieces) -> dict[str, Any]:
    start, end = encoding.chars(span)
    return {"text": encoding.text(span), "char_start": start, "char_end": end}


def _listed(ranked: Ranked) -> Listed:
    c = ranked.candidate
    found = {name: getattr(c, name) for name in Listed.model_fields if name != "share"}
    return Listed(**found, share=ranked.share)


def _windows(reading: Reading) -> list[Window]:
    return [
        Window(index=w.index, doc_start=w.doc_start, doc_stop=w.doc_stop, tokens=len(w))
        for w in reading.windows
    ]


def _gold(reading: Reading, gold: Pieces) -> Gold:
    whole_in = sum(window.holds(gold) for window in reading.windows)
    return Gold(**_span(reading.encoding, gold), whole_in=whole_in)


def _tokens(reading: Reading, index: int) -> list[dict[str, Any]]:
    """Text, side and characters of every position of a window."""
    encoding, window = reading.encoding, reading.windows[index]
    sides = ["special" if unit < 0 else "question" for unit in words(encoding, window).of]
    chars: list[tuple[int | None, int | None]] = [(None, None)] * len(window)
    asked = (k for k, side in enumerate(sides) if side == "question")
    for at, (start, end) in zip(asked, encoding.question_offset_mapping.tolist(), strict=False):
        chars[at] = (start, end)
    for doc in range(window.doc_start, window.doc_stop):
        at = window.to_pos(doc)
        sides[at], chars[at] = "context", encoding.chars(Pieces(doc, doc))
    return [
        {"text": text, "side": side, "char_start": a, "char_end": b}
        for text, side, (a, b) in zip(reading.tokens(index), sides, chars, strict=True)
    ]


def _blank(encoding: Encoding, p: HiddenPiece) -> Blank:
    """One hidden piece with what each head says of it."""
    heads = {"mlm": p.mlm, "sbo": p.sbo, "both": p.both}
    ranks = {f"true_rank_{name}": one and one.rank for name, one in heads.items()}
    guesses = {name: one and one.guesses for name, one in heads.items()}
    return Blank(
        **(_span(encoding, Pieces(p.at, p.at)) | {"text": p.token}),
        position=p.k,
        run=[p.run.start, p.run.end],
        fate=p.fate,
        **guesses,
        **ranks,
        no_sbo=p.no_sbo,
    )
