"""Five calls: each one request model and one function from it to the JSON of the command line."""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field

from qa_demo.core.attribution import MAX_STEPS, Attribution, Target
from qa_demo.core.base import BadInput
from qa_demo.core.files.report import answer_json, attribution_json, loss_json
from qa_demo.core.files.report_infill import infill_json
from qa_demo.core.files.report_tag import tag_json
from qa_demo.core.masking import MaskOptions, hide
from qa_demo.core.predict import predict, predict_by
from qa_demo.core.text import check_texts, span_at
from qa_demo.core.types import DecodeOptions, Reading, Span, WindowOptions
from qa_demo.core.windows import fitting
from qa_demo.pictures import Pictures
from qa_demo.state import MAX_CHARACTERS, Float, Int, Name, Record, Rule, Text, plain_number

Ends = tuple[Int, Int]
Character = Annotated[int, Field(ge=0), BeforeValidator(plain_number)]
Steps = Annotated[int, Field(ge=1, le=MAX_STEPS), BeforeValidator(plain_number)]
Threshold = Annotated[
    float, Field(ge=-1000, le=1000, allow_inf_nan=False), BeforeValidator(plain_number)
]
Reply = dict[str, Any]
PATIENCE = 600.0
"""Seconds that a call waits for its models."""


class Texts(Record):
    """A question and a paragraph."""

    question: Text = Field(title="the question")
    context: Text = Field(title="the paragraph that holds the answer")


def _length(default: int = 384) -> Any:
    return Field(default, ge=16, le=8192, title="positions in one window")


def _stride() -> Any:
    return Field(128, ge=1, le=8192, title="step from one window to the next, in word pieces")


def _query() -> Any:
    return Field(64, ge=1, le=512, title="the longest question, in word pieces")


def _reader() -> Any:
    return Field(None, title="the reader's name; null for the page's own")


class Read(Texts):
    """Answer a question from a paragraph: the answer or null, its characters, scores, the n-best
    list and the windows. A threshold of null means the reader's own.
    """

    max_answer_length: Int = Field(30, ge=1, le=500, title="the longest answer, in word pieces")
    n_best_size: Int = Field(20, ge=1, le=100, title="how many spans are listed")
    null_score_diff_threshold: Threshold | None = Field(None, title="threshold")
    max_seq_length: Int = _length()
    doc_stride: Int = _stride()
    max_query_length: Int = _query()
    reader: Name | None = _reader()
    rule: Rule = Field("logits", title="how windows are merged")


class Attribute(Texts):
    """Explain the score of a span word piece by word piece, in logits: two lanes, their sum, F(x),
    F(x') and the gap. Characters are half-open in the paragraph; without them the best span is
    explained. With n_steps null the steps of integrated gradients grow until the gap is small.
    """

    target: Literal[
        "start_logit", "end_logit", "span_score", "span_minus_null", "span_minus_other"
    ] = Field("span_score", title="the number that is explained")
    method: Literal["integrated_gradients", "gradient_x_input", "leave_one_out"] = Field(
        "integrated_gradients", title="how"
    )
    baseline: Literal["pad", "mask", "zero"] | None = Field(None, title="what stands for no text")
    n_steps: Steps | None = Field(None, title="steps of integrated gradients")
    char_start: Character | None = Field(None, title="first character of the span")
    char_end: Character | None = Field(None, title="end of the span, exclusive")
    other_start: Character | None = Field(None, title="first character of the second span")
    other_end: Character | None = Field(None, title="end of the second span, exclusive")
    max_answer_length: Int = Field(30, ge=1, le=500, title="the longest answer, in word pieces")
    max_seq_length: Int = _length()
    doc_stride: Int = _stride()
    max_query_length: Int = _query()
    reader: Name | None = _reader()


class Loss(Texts):
    """The training loss of the gold answers: terms [name, value, weight, over] and their weighted
    total, in nats. `gold` holds [start, end] in characters, end exclusive, one for each annotator,
    or null for one who found no answer; without it no answer is right.
    """

    gold: list[Ends | None] | None = Field(None, max_length=100, title="what people marked")
    normaliser: Literal["window", "shared"] = Field("window", title="over what P adds up to 1")
    max_seq_length: Int = _length()
    doc_stride: Int = _stride()
    max_query_length: Int = _query()
    reader: Name | None = _reader()


class Tag(Texts):
    """Tag every token of a paragraph: tokens [text, char_start, char_end, B, I, O], spans [text,
    char_start, char_end, marginal].
    """

    decoding: Literal["strict", "lenient", "viterbi"] = Field("viterbi", title="tags to spans")
    max_seq_length: Int = _length()
    doc_stride: Int = _stride()
    max_query_length: Int = _query()
    reader: Name | None = _reader()


class Infill(Record):
    """Hide words of a text and guess them: pieces [text, position, mlm, sbo, both, true_rank_*],
    loss terms and their totals. `spans` holds [start, end] in characters, end exclusive; without it
    pieces are hidden by the law. `cut` names inputs of the boundary head that carry their means.
    """

    text: Text = Field(title="the text")
    spans: list[Ends] | None = Field(None, max_length=100, title="what is hidden")
    masking: Literal["span", "token"] = Field("span", title="the law")
    seed: Int = Field(1, ge=0, le=2**32 - 1, title="seed of the law")
    cut: list[Literal["left", "right", "position"]] | None = Field(None, title="inputs cut")
    swap: list[Ends] | None = Field(None, max_length=100, title="[piece, row of the positions]")
    top: Int = Field(10, ge=1, le=100, title="guesses a blank")
    mask_ratio: Float = Field(0.15, gt=0, le=1, title="share of pieces hidden")
    geometric_p: Float = Field(0.2, gt=0, le=1, title="p of the law of lengths")
    span_lower: Int = Field(1, ge=1, le=100, title="shortest span, in words")
    span_upper: Int = Field(10, ge=1, le=100, title="longest span, in words")


class Host:
    """What a call asks of a server: readings and models through the same cache as pictures."""

    def __init__(self, pictures: Pictures) -> None:
        self.pictures = pictures

    def reading(self, asked: Any) -> Reading:
        """The reading of a request's texts by its reader. Errors: QADemoError."""
        texts = check_texts(asked.question, asked.context, MAX_CHARACTERS)
        options = WindowOptions(asked.max_seq_length, asked.doc_stride, asked.max_query_length)
        source = asked.reader or self.pictures.readers[0]

        def make(tell: Any, cancelled: Any) -> Reading:
            reader = self.pictures.reader(source)
            return reader.read(*texts, fitting(options, reader.max_seq_length), tell, cancelled)

        found: Reading = self.wait(("call", source, *texts, options), make)
        return found

    def wait(self, key: Any, make: Callable[..., Any], slow: bool = False) -> Any:
        """The value of a key, however long it takes."""
        return self.pictures.work.ask(key, make, slow, PATIENCE)


def read(host: Host, asked: Read) -> Reply:
    """See Read."""
    reading = host.reading(asked)
    threshold = asked.null_score_diff_threshold
    if threshold is not None and asked.rule != "logits":
        raise BadInput(
            f"null_score_diff_threshold changes nothing under the rule {asked.rule}; it decides "
            "under logits"
        )
    own = reading.threshold or 0.0
    decode = DecodeOptions(asked.max_answer_length, asked.n_best_size)
    decode = replace(decode, null_score_diff_threshold=own if threshold is None else threshold)
    return answer_json(reading, predict_by(reading, asked.rule, decode))


def attribute(host: Host, asked: Attribute) -> Reply:
    """See Attribute."""
    reading = host.reading(asked)
    target = _target(reading, asked)
    about = target, asked.method, asked.baseline or reading.baseline, asked.n_steps
    source = asked.reader or host.pictures.readers[0]

    def make(tell: Any, cancelled: Any) -> Attribution:
        return host.pictures.reader(source).attribute(reading, *about, tell, cancelled)

    return attribution_json(reading, host.wait(("call", reading.key, about), make, slow=True))


def _target(reading: Reading, asked: Attribute) -> Target:
    """The span that is named, else the best one, and the span it is compared with."""
    ends = {
        "char": (asked.char_start, asked.char_end),
        "other": (asked.other_start, asked.other_end),
    }
    spans: dict[str, Span | None] = {}
    for name, (start, end) in ends.items():
        if (start is None) != (end is None):
            raise BadInput(f"{name}_start and {name}_end belong together; one of them is missing")
        known = start is not None and end is not None
        spans[name] = span_at(reading.encoding, start or 0, end or 0) if known else None
    window, span, other = None, spans["char"], spans["other"]
    if span is None:
        best = predict(reading, DecodeOptions(asked.max_answer_length)).best
        if best is None:
            raise BadInput("no span is allowed here; name one with char_start and char_end")
        span, window = best.candidate.span, best.candidate.window
    return Target(asked.target, span, other, None if other else window)


def loss(host: Host, asked: Loss) -> Reply:
    """See Loss."""
    reading = host.reading(asked)
    golds = tuple(
        None if one is None else span_at(reading.encoding, *one) for one in asked.gold or ()
    )
    return loss_json(reading, golds or (None,), asked.normaliser)


def tag(host: Host, asked: Tag) -> Reply:
    """See Tag."""
    return tag_json(host.reading(asked), asked.decoding)


def infill(host: Host, asked: Infill) -> Reply:
    """See Infill."""
    law = MaskOptions(asked.mask_ratio, asked.geometric_p, asked.span_lower, asked.span_upper)

    def make(*_: Any) -> Reply:
        filler = host.pictures.spanbert("bundled")
        encoding = filler.encode(asked.text)
        if asked.spans:
            chosen = [span_at(encoding, *span) for span in asked.spans]
            masked = hide(encoding.context_ids, chosen, filler.mask_id)
        else:
            rng = np.random.default_rng(asked.seed)
            masked = filler.sample(encoding, rng, law, asked.masking)
        cut, swap = frozenset(asked.cut or ()), dict(asked.swap or ())
        return infill_json(encoding, filler.infill(masked, cut, swap, asked.top))

    found: Reply = host.wait(("infill", asked.model_dump_json()), make)
    return found


CALLS: dict[str, tuple[type[Record], Callable[[Host, Any], Reply]]] = {
    "read": (Read, read),
    "attribute": (Attribute, attribute),
    "loss": (Loss, loss),
    "tag": (Tag, tag),
    "infill": (Infill, infill),
}
