"""The calls: each a request that makes its reply. They are `/api/NAME`, `gr.api` and tools
(routes.py), `qa_demo.call` and the command line's flags.

A reply holds core's records as they are: its JSON has their fields under their names. Characters
count from 0, and an end is the first one behind; a span of tokens has both its ends inside.
"""

from functools import cache, partial
from typing import Annotated, Any, Literal, NamedTuple, Self

import numpy as np
from pydantic import Field, model_validator
from pydantic_core import to_jsonable_python

from qa_demo import state
from qa_demo.core import infill, types
from qa_demo.core.attribution import MAX_STEPS, Attribution, Method, Target, TargetKind
from qa_demo.core.base import BadInput, Floats, Ints, one_of
from qa_demo.core.bio import Decoding, TaggedSpan, decode_reading, owned_rows
from qa_demo.core.calibration import Sureness, sureness
from qa_demo.core.losses import LossTerm, start_end_loss, total
from qa_demo.core.masking import MASK, Blanks, blanks_of, hide, mask
from qa_demo.core.predict import Prediction, predict
from qa_demo.core.spans import Candidate, make_candidate
from qa_demo.core.text import Words, question_positions, span_at, words
from qa_demo.model.work import AtOnce
from qa_demo.pictures import Pictures
from qa_demo.records import read, refuse_idle
from qa_demo.state import PLAIN, Int, Length, Place

Ends = tuple[Int, Int]
Steps = Annotated[int, Field(strict=True, ge=2, le=MAX_STEPS), PLAIN]
Seed = Annotated[int, Field(strict=True, ge=0, le=2**32 - 1), PLAIN]


class Asked(state.Windows):
    """A question about a paragraph, how it is read, and by which reader."""

    question: state.Text = Field(title="the question")
    context: state.Text = Field(title="the paragraph that holds the answer")
    max_query_length: Int = Field(64, ge=1, le=512, title="the longest question, in tokens")
    reader: state.Name | None = Field(None, title="the reader's name; null for the page's own")

    def reading(self, models: Pictures) -> types.Reading:
        """The reading of the texts. Raises Pending while it is made, QADemoError."""
        name = self.reader or models.readers[0]
        return models.reading(name, self.question, self.context, self.windows)


class ReadReply(NamedTuple):
    """`answer` is null where score_diff = null_score - best score is above `limit`; n_best never
    holds "no answer". `sureness`: of its first, by the rule logits. A window: tokens [from, to).
    """

    reader: str
    answer: str | None
    prediction: Prediction
    sureness: Sureness | None
    windows: tuple[tuple[int, int], ...]


class Read(state.Decode, Asked):
    """Answer a question from a paragraph: the answer or null, the n-best list, scores, windows."""

    null_score_diff_threshold: state.Threshold | None = Field(
        None, title="no answer when null score - best score > this; null: the reader's own, else 0"
    )
    rule: types.Rule = Field(
        "logits", title="what the best span has most of: sum, mean of window's maxima, or product"
    )

    @model_validator(mode="after")
    def _decides(self) -> Self:
        if self.rule != "logits":
            refuse_idle(self, f"under the rule {self.rule}", "null_score_diff_threshold")
        return self

    def answer(self, reading: types.Reading) -> ReadReply:
        """The reply about a text that is read already."""
        given = self.null_score_diff_threshold
        found = predict(reading, self.options(self.rule, given, reading.threshold))
        measured = found.n_best and self.rule == "logits"
        sure = sureness(reading, found.n_best[0].candidate) if measured else None
        windows = tuple((w.doc_start, w.doc_stop) for w in reading.windows)
        return ReadReply(reading.model_name, found.answer, found, sure, windows)

    def reply(self, models: Pictures) -> ReadReply:
        return self.answer(self.reading(models))


class AttributeReply(NamedTuple):
    """Of each of the window's n positions: its token, its characters in question or context (0, 0
    for a special token), the word it is `of` (-1 for none), and its value:
    sum(values) = f_x - f_baseline + gap; the gap is the last of `tried`.
    """

    reader: str
    span: Candidate
    other: Candidate | None
    attribution: Attribution
    tokens: tuple[str, ...]
    offset_mapping: Ints
    words: Words


class Attribute(Asked):
    """Explain the score of a span token by token, in logits: values, F(x), F(x') and the gap."""

    target: TargetKind = Field("span_score", title="the number that is explained")
    method: Method = Field("integrated_gradients", title="how it is explained")
    baseline: types.Baseline | None = Field(None, title="stands for no text; null: the reader's")
    n_steps: Steps | None = Field(None, title="null: more until the gap is small")
    char_start: Place | None = Field(None, title="start of the span; null: the best span")
    char_end: Place | None = Field(None, title="end of the span, exclusive")
    other_start: Place | None = Field(None, title="start of the second span")
    other_end: Place | None = Field(None, title="end of the second span, exclusive")
    max_answer_length: Length | None = Field(None, title="of the best span; null: 30")

    @model_validator(mode="after")
    def _whole(self) -> Self:
        for one, two in (("char_start", "char_end"), ("other_start", "other_end")):
            if (getattr(self, one) is None) != (getattr(self, two) is None):
                raise ValueError(f"{one} and {two} belong together; one of them is missing")
        if self.method != "integrated_gradients":
            refuse_idle(self, f"under the method {self.method}", "baseline", "n_steps")
        if self.char_start is not None:
            refuse_idle(self, "where char_start names the span", "max_answer_length")
        return self

    def reply(self, models: Pictures) -> AttributeReply:
        reading = self.reading(models)
        e = reading.encoding
        named: Any = (self.char_start, self.char_end), (self.other_start, self.other_end)
        span, other = (None if None in one else span_at(e, *one) for one in named)
        if span is None:
            best = predict(reading, types.DecodeOptions(self.max_answer_length or 30)).best
            if best is None:
                raise BadInput("no span is allowed here; name one with char_start and char_end")
            span = best.candidate.span  # whose window owns its start, as a target's does
        how = Target(self.target, span, other), self.method, self.baseline, self.n_steps
        make = partial(models.reader(self.reader or models.readers[0]).attribute, reading, *how)
        found = models.work.ask(("attribute", repr(self)), make, slow=True)
        w = reading.windows[found.window]
        chars = np.zeros((len(w), 2), dtype=np.int64)
        chars[question_positions(e)] = e.question_offset_mapping
        chars[w.is_context] = e.offset_mapping[w.doc_start : w.doc_stop]
        at, tokens = partial(make_candidate, reading, w.index), reading.tokens(w.index)
        one, two = at(*w.positions(span)), None if other is None else at(*w.positions(other))
        return AttributeReply(reading.model_name, one, two, found, tokens, chars, words(e, w))


class LossReply(NamedTuple):
    """The loss in nats: total = sum of weight * value, each a mean `over` so many windows. A gold
    answer is `whole_in` so many of them; every other one counts it as none.
    """

    reader: str
    gold: tuple[types.Answer | None, ...]
    whole_in: tuple[int, ...]
    terms: tuple[LossTerm, ...]
    total: float


class Loss(Asked):
    """The training loss of the gold answers, in nats: its terms and their weighted total."""

    gold: list[Ends | None] | None = Field(
        None, max_length=100, title="[start, end] or null for each person; without it none is right"
    )

    def reply(self, models: Pictures) -> LossReply:
        reading = self.reading(models)
        e, windows = reading.encoding, reading.windows
        golds = [None if one is None else span_at(e, *one) for one in self.gold or (None,)]
        marked = (types.Answer(e.text(x), e.chars(x)[0]) if x else None for x in golds)
        whole = (sum(w.holds(x) for w in windows) if x else 0 for x in golds)
        terms = start_end_loss(reading, golds)
        return LossReply(reading.model_name, tuple(marked), tuple(whole), terms, total(terms))


class TagReply(NamedTuple):
    """The spans that the tags spell, with the chance that exactly these tokens are one answer; and
    of each of the paragraph's tokens its characters and its `p` of B, I and O.
    """

    reader: str
    spans: tuple[TaggedSpan, ...]
    tokens: tuple[str, ...]
    offset_mapping: Ints
    p: Floats


class Tag(Asked):
    """Tag every token of a paragraph B, I or O, and read the answers off the tags."""

    decoding: Decoding = Field(
        "viterbi", title="an I after an O ignored, opening a span, or ruled out from the start"
    )

    def reply(self, models: Pictures) -> TagReply:
        reading = self.reading(models)
        e, p = reading.encoding, np.exp(owned_rows(reading))
        spans = decode_reading(reading, self.decoding)
        return TagReply(reading.model_name, spans, e.context_tokens, e.offset_mapping, p)


class InfillReply(NamedTuple):
    """What the heads say of the hidden tokens, and all tokens' characters in `text`; the loss as
    the paper's `code` weighs it and as the `paper` adds it up. Where a [MASK] was typed the hidden
    word is not `known`: "it" stands there, and what is said of the true word is said of "it".
    """

    text: str
    known: bool
    offset_mapping: Ints
    infill: infill.Infill


class Infill(state.Record):
    """Hide words of a text and guess them, from inside (MLM) and from the boundary (SBO)."""

    text: state.Text = Field(title="the text; without spans each [MASK] in it hides a place")
    spans: list[Ends] | None = Field(None, max_length=100, title="[start, end]; else by the law")
    masking: Literal["span", "token"] | None = Field(None, title="the law; null: span, SpanBERT's")
    seed: Seed | None = Field(None, title="seed of the law; null: 1")
    cut: list[Literal["left", "right", "position"]] | None = Field(
        None, title="inputs of the boundary head that carry their means instead"
    )
    top: Int = Field(10, ge=1, le=100, title="guesses listed for a blank")

    def reply(self, models: Pictures) -> InfillReply:
        return models.work.ask(("infill", repr(self)), partial(self.made, models))

    def made(self, models: Pictures, *_: Any) -> InfillReply:
        """The spans that are named are hidden, else each typed [MASK], else what the law draws."""
        model, given = models.spanbert(), Blanks(self.text, tuple(self.spans or ()))
        if not given.hidden and MASK.search(self.text):
            given = blanks_of(self.text)
        e = model.encode(given.text)
        if given.hidden:
            refuse_idle(self, "beside spans or a typed [MASK]", "masking", "seed")
            masked = hide(e.context_ids, [span_at(e, *one) for one in given.hidden], model.mask_id)
        else:
            rng = np.random.default_rng(1 if self.seed is None else self.seed)
            drawn = model.mask_id, rng, model.random_piece
            masked = mask(self.masking or "span", e.context_ids, e.word_ids, *drawn)
        if self.cut and not len(masked.pairs(model.positions).at):
            raise BadInput("cut changes nothing here: the boundary head guesses no hidden token")
        found = model.infill(masked, frozenset(self.cut or ()), top=self.top)
        return InfillReply(e.context, given.known, e.offset_mapping, found)


CALLS: dict[str, Any] = {"read": Read, "attribute": Attribute, "loss": Loss}
CALLS |= {"tag": Tag, "infill": Infill}
LAST = ("max_seq_length", "doc_stride", "max_query_length", "reader", "rule")


@cache
def fields(name: str) -> dict[str, dict[str, Any]]:
    """Each field of a call's request by position, as JSON schema has it without its null."""
    known = CALLS[name].model_json_schema()["properties"]
    for about in known.values():
        about |= about.pop("anyOf", [{}])[0]  # the other one is null
    return dict(sorted(known.items(), key=lambda x: LAST.index(x[0]) if x[0] in LAST else -1))


def plain(made: Any) -> dict[str, Any]:
    """A reply in JSON's values: arrays as lists, null for a number that is not finite."""
    told: Any = {"inf_nan_mode": "null", "fallback": lambda array: array.tolist()}
    return {name: to_jsonable_python(x, **told) for name, x in made._asdict().items()}


def call(model: Any, name: str, **given: Any) -> Any:
    """The reply of a loaded reader (of a loaded SpanBERT to "infill") to one of the calls:
    call(reader, "loss", question=..., context=..., gold=[(0, 11)]).total. Errors: QADemoError.
    """
    one_of("the call", name, CALLS)
    asked = read(CALLS[name], given)
    if not hasattr(model, "infill" if name == "infill" else "read"):
        asks = "qa_demo.model.spanbert.load_spanbert" if name == "infill" else "load_reader"
        raise BadInput(f"{name} asks what {asks} loads, got {type(model).__name__}")
    if getattr(asked, "reader", None) is not None:
        raise BadInput(f"leave reader out: the loaded one is asked, got {asked.reader[:40]!r}")
    return asked.reply(Pictures({}, lambda _: model, lambda: model, work=AtOnce()))
