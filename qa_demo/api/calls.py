"""The five calls, each a request, a function and its reply, and the table of them: it drives
`/api/NAME` and `gr.api` (routes.py), tools (mcp.py), `qa_demo.call` and the command line's flags.

Characters count from 0; an end is the first character behind.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Self

import numpy as np
from pydantic import Field, ValidationError, model_validator

from qa_demo.api import replies
from qa_demo.core.attribution import MAX_STEPS, Method, Target, TargetKind
from qa_demo.core.base import BadCheckpoint, BadInput, QADemoError
from qa_demo.core.infill import NO_HEAD
from qa_demo.core.masking import hide, mask
from qa_demo.core.predict import check_threshold, predict
from qa_demo.core.text import MASK, check_texts, span_at, typed
from qa_demo.core.text import Asked as Blanks
from qa_demo.core.types import Baseline, DecodeOptions, Reading, WindowOptions
from qa_demo.core.windows import fitting
from qa_demo.model.work import Pending
from qa_demo.state import (
    Decode,
    Int,
    LongestAnswer,
    Name,
    Record,
    Rule,
    Text,
    Threshold,
    Windows,
    sentence,
)

if TYPE_CHECKING:
    from qa_demo.pictures import Pictures

Ends = tuple[Int, Int]
Character = Annotated[Int, Field(ge=0)]
Steps = Annotated[Int, Field(ge=1, le=MAX_STEPS)]
PATIENCE = 600.0
"""Seconds that a call waits for its models."""


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


# ---- requests


class Asked(Windows):
    """A question about a paragraph, how it is read, and by which reader."""

    question: Text = Field(title="the question")
    context: Text = Field(title="the paragraph that holds the answer")
    max_query_length: Int = Field(64, ge=1, le=512, title="the longest question, in tokens")
    reader: Name | None = Field(None, title="the reader's name; null for the page's own")

    def windows(self, positions: int) -> WindowOptions:
        """The windows for a reader of so many positions."""
        asked = WindowOptions(self.max_seq_length, self.doc_stride, self.max_query_length)
        return fitting(asked, positions)

    def read(self, host: Host) -> Reading:
        """The reading of the texts. Errors: QADemoError."""
        texts = check_texts(self.question, self.context)

        def make(tell: Any, cancelled: Any) -> Any:
            reader = host.reader(self.reader)
            return reader.read(*texts, self.windows(reader.max_seq_length), tell, cancelled)

        cut = self.max_seq_length, self.doc_stride, self.max_query_length
        made: Reading = host.wait(("reading", self.reader, *texts, *cut), make)
        return made


class Read(Decode, Asked):
    """Answer a question from a paragraph: the answer or null, its characters, scores, the n-best
    list and the windows.
    """

    null_score_diff_threshold: Threshold | None = Field(
        None, title="no answer when null score - best score is above this; null: the reader's own"
    )
    rule: Rule = Field(
        "logits",
        title="which span of all windows wins: of the highest sum of logits, of the highest mean "
        "of a window's two largest softmaxes, or of the highest product within a window",
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
    """Explain the score of a span token by token, in logits: two lanes, their sum, F(x), F(x') and
    the gap.
    """

    target: TargetKind = Field("span_score", title="the number that is explained")
    method: Method = Field("integrated_gradients", title="how it is explained")
    baseline: Baseline | None = Field(
        None, title="what stands for no text in integrated gradients; null: the reader's own"
    )
    n_steps: Steps | None = Field(
        None, title="steps of integrated gradients; null: more until the gap is small"
    )
    char_start: Character | None = Field(None, title="start of the span; null: the best span")
    char_end: Character | None = Field(None, title="end of the span, exclusive")
    other_start: Character | None = Field(None, title="start of the second span")
    other_end: Character | None = Field(None, title="end of the second span, exclusive")
    max_answer_length: LongestAnswer = 30

    @property
    def ends(self) -> tuple[tuple[int | None, int | None], ...]:
        """Start and end of both spans."""
        return (self.char_start, self.char_end), (self.other_start, self.other_end)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        for name, (start, end) in zip(("char", "other"), self.ends, strict=True):
            if (start is None) != (end is None):
                said = "belong together; one of them is missing"
                raise ValueError(f"{name}_start and {name}_end {said}")
        for name in ("baseline", "n_steps"):
            if getattr(self, name) is not None and self.method != "integrated_gradients":
                raise ValueError(
                    f"{name} belongs to integrated_gradients; leave it out under {self.method}"
                )
        return self


class Loss(Asked):
    """The training loss of the gold answers: terms of name, value, weight and over, and their
    weighted total, in nats.
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
        "viterbi", title="an I after an O ignored, opening a span, or ruled out from the start"
    )


class Infill(Record):
    """Hide words of a text and guess them, from inside (MLM) and from the boundary (SBO)."""

    text: Text = Field(title="the text; without spans each [MASK] in it hides a place")
    spans: list[Ends] | None = Field(
        None, max_length=100, title="[start, end] in characters; without it the law hides tokens"
    )
    masking: Literal["span", "token"] = Field("span", title="the law: SpanBERT's or BERT's")
    seed: Int = Field(1, ge=0, le=2**32 - 1, title="seed of the law")
    cut: list[Literal["left", "right", "position"]] | None = Field(
        None, title="inputs of the boundary head that carry their means instead"
    )
    swap: list[Ends] | None = Field(None, max_length=100, title="[token, position it is given]")
    top: Int = Field(10, ge=1, le=100, title="guesses listed for a blank")


# ---- what they do


def answer(reading: Reading, asked: Read) -> replies.Answer:
    """The reply to `read` about a text that is read already."""
    return replies.answered(reading, predict(reading, asked.decode(reading.threshold)))


def attribute(host: Host, asked: Attribute) -> replies.Attributed:
    """Explain the span that is named, else the best one."""
    reading = asked.read(host)
    chosen, other = (
        None if start is None or end is None else span_at(reading.encoding, start, end)
        for start, end in asked.ends
    )
    window = None
    if chosen is None:
        best = predict(reading, DecodeOptions(asked.max_answer_length)).best
        if best is None:
            raise BadInput("no span is allowed here; name one with char_start and char_end")
        chosen, window = best.candidate.span, None if other else best.candidate.window
    target = Target(asked.target, chosen, other, window)
    how = target, asked.method, asked.baseline or reading.baseline, asked.n_steps

    def make(tell: Any, cancelled: Any) -> Any:
        return host.reader(asked.reader).attribute(reading, *how, tell, cancelled)

    return replies.explained(reading, host.wait(("attribute", repr(asked)), make, slow=True))


def loss(host: Host, asked: Loss) -> replies.Lost:
    """The loss of what people marked, or of no answer."""
    reading = asked.read(host)
    golds = [one and span_at(reading.encoding, *one) for one in asked.gold or (None,)]
    return replies.lost(reading, golds, asked.normaliser)


def infill(host: Host, asked: Infill) -> replies.Filled:
    """Hide the spans that are named, else each typed [MASK], else what the law draws. Errors:
    BadInput, also for a cut or a swap that would change nothing.
    """
    cut, swap = frozenset(asked.cut or ()), dict(asked.swap or ())

    def make(*_: Any) -> replies.Filled:
        filler, blanks = host.filler(), Blanks(asked.text, tuple(asked.spans or ()))
        if not blanks.hidden and MASK.search(asked.text):
            blanks = typed(asked.text)
        encoding, rows = filler.encode(blanks.text), filler.positions
        if blanks.hidden:
            chosen = [span_at(encoding, *place) for place in blanks.hidden]
            masked = hide(encoding.context_ids, chosen, filler.mask_id)
        else:
            given = encoding.context_ids, encoding.word_ids, filler.mask_id
            drawn = np.random.default_rng(asked.seed), filler.random_piece
            masked = mask(asked.masking, *given, *drawn)
        if cut and not len(masked.pairs(rows)):
            why = "each hidden token lacks a neighbour or a row of its table" if rows else NO_HEAD
            raise BadInput(f"cut changes nothing here: the boundary head guesses nothing; {why}")
        for at, missing in ((at, masked.why_no_sbo(at, rows)) for at in swap):
            if missing:
                raise BadInput(f"swap changes nothing at token {at}: {missing}")
        found = filler.infill(masked, cut, swap, asked.top)
        return replies.filled(encoding, found, blanks.known)

    found: replies.Filled = host.wait(("infill", repr(asked)), make)
    return found


class Call(NamedTuple):
    """A request, what makes its reply, and the reply's type."""

    asked: type[Record]
    make: Callable[[Host, Any], replies.Reply]
    reply: type[replies.Reply]

    @property
    def says(self) -> str:
        """What the call does, in one sentence."""
        return " ".join((self.asked.__doc__ or "").split())


CALLS: dict[str, Call] = {
    "read": Call(Read, lambda host, asked: answer(asked.read(host), asked), replies.Answer),
    "attribute": Call(Attribute, attribute, replies.Attributed),
    "loss": Call(Loss, loss, replies.Lost),
    "tag": Call(
        Tag, lambda host, asked: replies.tagged(asked.read(host), asked.decoding), replies.Tagged
    ),
    "infill": Call(Infill, infill, replies.Filled),
}
LAST = ("max_seq_length", "doc_stride", "max_query_length", "reader", "rule")


def fields(name: str) -> dict[str, dict[str, Any]]:
    """Each field of a call's request by position, as JSON schema has it without its null."""
    found, known = {}, CALLS[name].asked.model_json_schema()["properties"]
    for field in sorted(known, key=lambda field: LAST.index(field) if field in LAST else -1):
        about = known[field]
        found[field] = about | next(iter(about.pop("anyOf", [])), {})
    return found


def request(name: str, given: Any) -> Any:
    """The request of a call. Errors: BadInput: field, value and what is allowed."""
    try:
        return CALLS[name].asked.model_validate(given)
    except ValidationError as fault:
        raise BadInput(sentence(fault)) from fault


def reply(host: Host, name: str, given: Any) -> Any:
    """The reply to a call by its request or the fields of one. Errors: QADemoError."""
    asked = request(name, given)
    try:
        return CALLS[name].make(host, asked)
    except ValidationError as fault:
        raise BadCheckpoint(f"the reader's numbers must be finite: {sentence(fault)}") from fault
    except Pending as wait:
        raise QADemoError("the reader is too busy; try again later") from wait


def call(model: Any, name: str, **fields: Any) -> Any:
    """The reply of a loaded reader (of a loaded SpanBERT to "infill") to one of the five calls:
    call(reader, "loss", question=..., context=..., gold=[(0, 11)]).total. Errors: QADemoError.
    """
    if name not in CALLS:
        raise BadInput(f"the calls are {', '.join(CALLS)}, got {name[:40]!r}")
    return reply(Host(lambda _: model, lambda: model), name, fields)
