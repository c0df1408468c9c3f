"""The five calls: one request, one reply, and the function from one to the other.

They are `/api/NAME`, `gr.api` (routes.py), tools (mcp.py), `qa_demo.call` and the commands of the
command line. Characters count from 0; an end is the first character behind.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import numpy as np
from pydantic import BeforeValidator, Field, ValidationError, model_validator

from qa_demo.api.replies import (
    Answer,
    Attributed,
    Filled,
    Lost,
    Tagged,
    answered,
    explained,
    filled,
    lost,
    tagged,
)
from qa_demo.core.attribution import MAX_STEPS, Attribution, Target
from qa_demo.core.base import BadCheckpoint, BadInput, QADemoError
from qa_demo.core.infill import NO_HEAD
from qa_demo.core.masking import Masked, MaskOptions, hide, mask
from qa_demo.core.predict import check_threshold, predict
from qa_demo.core.text import check_texts, span_at
from qa_demo.core.types import DecodeOptions, Reading, Span, WindowOptions
from qa_demo.core.windows import fitting
from qa_demo.model.work import Pending
from qa_demo.state import (
    Decode,
    Float,
    Int,
    LongestAnswer,
    Name,
    Record,
    Rule,
    Text,
    Threshold,
    Windows,
    plain_number,
    sentence,
)

if TYPE_CHECKING:
    from qa_demo.pictures import Pictures

Ends = tuple[Int, Int]
Character = Annotated[int, Field(ge=0), BeforeValidator(plain_number)]
Steps = Annotated[int, Field(ge=1, le=MAX_STEPS), BeforeValidator(plain_number)]
log = logging.getLogger("qa_demo")
PATIENCE = 600.0
"""Seconds that a call waits for its models."""


class Asked(Windows):
    """A question about a paragraph, how it is read, and by which reader."""

    question: Text = Field(title="the question")
    context: Text = Field(title="the paragraph that holds the answer")
    max_query_length: Int = Field(
        64, ge=1, le=512, title="the longest question, in tokens; a longer one is refused"
    )
    reader: Name | None = Field(None, title="the reader's name; null for the page's own")

    def windows(self, positions: int) -> WindowOptions:
        """The windows for a reader of so many positions."""
        asked = WindowOptions(self.max_seq_length, self.doc_stride, self.max_query_length)
        return fitting(asked, positions)


class Read(Decode, Asked):
    """Answer a question from a paragraph: the answer or null, its characters, scores, the n-best
    list and the windows.
    """

    null_score_diff_threshold: Threshold | None = Field(
        None, title="no answer when null score - best score is above this; null: the reader's own"
    )
    rule: Rule = Field(
        "logits",
        title="how windows are merged: the highest sum of two logits (BERT's code), the window "
        "with the highest mean of its two largest softmaxes, or the highest product in a window",
    )

    def decode(self, own: float | None) -> DecodeOptions:
        """Which spans are allowed, with the threshold in use; `own` is the reader's."""
        given = self.null_score_diff_threshold
        limit = given if given is not None else own or 0.0
        return DecodeOptions(self.max_answer_length, self.n_best_size, limit, self.rule)

    @model_validator(mode="after")
    def _decides(self) -> Self:
        check_threshold(self.rule, self.null_score_diff_threshold)
        return self


class Attribute(Asked):
    """Explain the score of a span token by token, in logits: two lanes, their sum, F(x),
    F(x') and the gap.
    """

    target: Literal[
        "start_logit", "end_logit", "span_score", "span_minus_null", "span_minus_other"
    ] = Field("span_score", title="the number that is explained")
    method: Literal["integrated_gradients", "gradient_x_input", "leave_one_out"] = Field(
        "integrated_gradients", title="how it is explained"
    )
    baseline: Literal["pad", "mask", "zero"] | None = Field(
        None, title="what stands for no text in integrated gradients; null: the reader's own"
    )
    n_steps: Steps | None = Field(
        None, title="steps of integrated gradients; null: more until the gap is small"
    )
    char_start: Character | None = Field(
        None, title="first character of the span; null: the best span"
    )
    char_end: Character | None = Field(None, title="end of the span, exclusive")
    other_start: Character | None = Field(None, title="first character of the second span")
    other_end: Character | None = Field(None, title="end of the second span, exclusive")
    max_answer_length: LongestAnswer = 30

    @model_validator(mode="after")
    def _whole(self) -> Self:
        for name in ("char", "other"):
            ends = [getattr(self, f"{name}_{end}") for end in ("start", "end")]
            if (ends[0] is None) != (ends[1] is None):
                raise ValueError(
                    f"{name}_start and {name}_end belong together; one of them is missing"
                )
        for name in ("baseline", "n_steps"):
            if getattr(self, name) is not None and self.method != "integrated_gradients":
                raise ValueError(
                    f"{name} belongs to integrated_gradients; leave it out under {self.method}"
                )
        return self


class Loss(Asked):
    """The training loss of the gold answers: terms [name, value, weight, over] and their weighted
    total, in nats.
    """

    gold: list[Ends | None] | None = Field(
        None,
        max_length=100,
        title="[start, end] in characters for each annotator, null for one who found no answer; "
        "without it no answer is right",
    )
    normaliser: Literal["window", "shared"] = Field(
        "window", title="over what P adds up to 1: each window, or the tokens of all windows"
    )


class Tag(Asked):
    """Tag every token of a paragraph B, I or O, and read the answers off the tags."""

    decoding: Literal["strict", "lenient", "viterbi"] = Field(
        "viterbi",
        title="likeliest tags with an I after O ignored or opening a span, or the likeliest legal",
    )


class Infill(Record):
    """Hide words of a text and guess them, from inside (MLM) and from the boundary (SBO)."""

    text: Text = Field(title="the text")
    spans: list[Ends] | None = Field(
        None, max_length=100, title="[start, end] in characters; without it the law hides pieces"
    )
    masking: Literal["span", "token"] = Field("span", title="the law: SpanBERT's or BERT's")
    seed: Int = Field(1, ge=0, le=2**32 - 1, title="seed of the law")
    cut: list[Literal["left", "right", "position"]] | None = Field(
        None, title="inputs of the boundary head that carry their means instead"
    )
    swap: list[Ends] | None = Field(
        None, max_length=100, title="[piece, row of the positions that it is given]"
    )
    top: Int = Field(10, ge=1, le=100, title="guesses listed for a blank")
    mask_ratio: Float = Field(0.15, gt=0, le=1, title="share of the pieces that are hidden")
    geometric_p: Float = Field(0.2, gt=0, lt=1, title="p of the geometric law of lengths")
    span_lower: Int = Field(1, ge=1, le=100, title="the shortest span, in words")
    span_upper: Int = Field(10, ge=1, le=100, title="the longest span, in words")


@dataclass(frozen=True)
class Host:
    """Where a call finds its models, and how it waits for what they make."""

    reader: Callable[[str | None], Any]
    filler: Callable[[], Any]
    wait: Callable[..., Any] = lambda _, make, slow=False: make(None, None)

    @classmethod
    def serving(cls, pictures: "Pictures") -> "Host":
        """A server's: through the same cache as pictures."""
        return cls(
            lambda name: pictures.reader(name or pictures.readers[0]),
            lambda: pictures.spanbert("bundled"),
            partial(pictures.work.ask, wait=PATIENCE),
        )

    def reading(self, asked: Any) -> Reading:
        """The reading of a request's texts by its reader. Errors: QADemoError."""
        texts = check_texts(asked.question, asked.context)

        def make(tell: Any, cancelled: Any) -> Reading:
            reader = self.reader(asked.reader)
            windows = asked.windows(reader.max_seq_length)
            found: Reading = reader.read(*texts, windows, tell, cancelled)
            return found

        cut = asked.max_seq_length, asked.doc_stride, asked.max_query_length
        made: Reading = self.wait(("reading", asked.reader, *texts, *cut), make)
        return made


def read(host: Host, asked: Read) -> Answer:
    """See Read."""
    return answer_of(host.reading(asked), asked)


def answer_of(reading: Reading, asked: Read) -> Answer:
    """The reply about a text that is read already."""
    return answered(reading, predict(reading, asked.decode(reading.threshold)))


def attribute(host: Host, asked: Attribute) -> Attributed:
    """See Attribute."""
    reading = host.reading(asked)
    target = _target(reading, asked)

    def make(tell: Any, cancelled: Any) -> Attribution:
        about = target, asked.method, asked.baseline or reading.baseline, asked.n_steps
        found: Attribution = host.reader(asked.reader).attribute(reading, *about, tell, cancelled)
        return found

    return explained(reading, host.wait(("attribute", repr(asked)), make, slow=True))


def _target(reading: Reading, asked: Attribute) -> Target:
    """The span that is named, else the best one, and the span it is compared with."""

    def span(start: int | None, end: int | None) -> Span | None:
        return None if start is None or end is None else span_at(reading.encoding, start, end)

    chosen, window = span(asked.char_start, asked.char_end), None
    other = span(asked.other_start, asked.other_end)
    if chosen is None:
        best = predict(reading, DecodeOptions(asked.max_answer_length)).best
        if best is None:
            raise BadInput("no span is allowed here; name one with char_start and char_end")
        chosen, window = best.candidate.span, best.candidate.window
    return Target(asked.target, chosen, other, None if other else window)


def loss(host: Host, asked: Loss) -> Lost:
    """See Loss."""
    reading = host.reading(asked)
    golds = [None if one is None else span_at(reading.encoding, *one) for one in asked.gold or ()]
    return lost(reading, golds or [None], asked.normaliser)


def tag(host: Host, asked: Tag) -> Tagged:
    """See Tag."""
    return tagged(host.reading(asked), asked.decoding)


def infill(host: Host, asked: Infill) -> Filled:
    """See Infill."""
    law = MaskOptions(asked.mask_ratio, asked.geometric_p, asked.span_lower, asked.span_upper)
    cut, swap = frozenset(asked.cut or ()), dict(asked.swap or ())

    def make(*_: Any) -> Filled:
        filler = host.filler()
        encoding = filler.encode(asked.text)
        if asked.spans:
            chosen = [span_at(encoding, *span) for span in asked.spans]
            masked = hide(encoding.context_ids, chosen, filler.mask_id)
        else:
            given = encoding.context_ids, encoding.word_ids, filler.mask_id
            drawn = np.random.default_rng(asked.seed), filler.random_piece, law
            masked = mask(asked.masking, *given, *drawn)
        _check(filler, masked, cut, swap)
        return filled(encoding, filler.infill(masked, cut, swap, asked.top))

    if not asked.text.strip():
        raise BadInput("the text is empty; type at least one word")
    found: Filled = host.wait(("infill", repr(asked)), make)
    return found


def _check(filler: Any, masked: Masked, cut: frozenset[str], swap: dict[int, int]) -> None:
    """Refuse a cut or a swap that would change nothing."""
    if (cut or swap) and not filler.positions:
        raise BadInput(f"{NO_HEAD}, so cut and swap change nothing")
    if cut and not len(masked.pairs(filler.positions)):
        raise BadInput(
            "cut changes nothing here: the boundary head guesses none of the hidden pieces, since "
            "each lacks a neighbour or a row of its table"
        )
    for at in swap:
        why = masked.why_no_sbo(at, filler.positions)
        if why is not None:
            raise BadInput(f"swap changes nothing at piece {at}: {why}")


CALLS: dict[str, tuple[type[Record], Callable[[Host, Any], Record], type[Record]]] = {
    "read": (Read, read, Answer),
    "attribute": (Attribute, attribute, Attributed),
    "loss": (Loss, loss, Lost),
    "tag": (Tag, tag, Tagged),
    "infill": (Infill, infill, Filled),
}


def made_of(name: str, given: Any) -> Any:
    """The request of a call. Errors: BadInput: field, value and what is allowed."""
    model = CALLS[name][0]
    try:
        return given if isinstance(given, model) else model.model_validate(given)
    except ValidationError as fault:
        raise BadInput(sentence(fault)) from fault


def reply(host: Host, name: str, given: Any) -> Any:
    """The reply to a call by the fields of its request. Errors: QADemoError."""
    asked = made_of(name, given)
    try:
        return CALLS[name][1](host, asked)
    except ValidationError as fault:
        raise BadCheckpoint(f"the reader's numbers must be finite: {sentence(fault)}") from fault
    except Pending as wait:
        raise QADemoError("the reader is too busy; try again later") from wait


class Failed(QADemoError):
    """A fault that nobody foresaw; its cause stands in the log."""


def served(host: Host, name: str, given: Any) -> Any:
    """As `reply`, for strangers: what nobody foresaw is logged and said in a sentence too. Errors:
    QADemoError.
    """
    try:
        return reply(host, name, given)
    except (QADemoError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as fault:  # the tokenizers library raises a BaseException
        log.exception("A call failed")
        raise Failed("this call failed; the server's log tells more") from fault


def call(model: Any, name: str, **fields: Any) -> Any:
    """The reply of a loaded reader (of a loaded SpanBERT to "infill") to one of the five calls:
    call(reader, "loss", question=..., context=..., gold=[(0, 11)]).total. Errors: QADemoError.
    """
    if name not in CALLS:
        raise BadInput(f"the calls are {', '.join(CALLS)}, got {name[:40]!r}")
    return reply(Host(lambda _: model, lambda: model), name, fields)


LAST = ("max_seq_length", "doc_stride", "max_query_length", "reader", "rule")


def fields(name: str) -> dict[str, dict[str, Any]]:
    """Each field of a call's request by position, as JSON schema has it without its null."""
    found, known = {}, CALLS[name][0].model_json_schema()["properties"]
    for field in sorted(known, key=lambda field: LAST.index(field) if field in LAST else -1):
        about = known[field]
        ways = [way for way in about.get("anyOf", [about]) if way.get("type") != "null"]
        rest = {key: value for key, value in about.items() if key != "anyOf"}
        found[field] = rest | ways[0]
    return found
