"""The public endpoint `attribute`: what a score rests on, with the JSON of the command line."""

from typing import Any, cast

from qa_demo.core.errors import BadInput
from qa_demo.core.explaining.attribution import (
    BASELINES,
    MAX_STEPS,
    METHODS,
    Attribution,
    Method,
    Target,
)
from qa_demo.core.files.report import attribution_json
from qa_demo.core.options import DecodeOptions
from qa_demo.core.progress import IsCancelled, OnProgress
from qa_demo.core.reading.predict import predict
from qa_demo.core.reading.words import span_at
from qa_demo.core.types import Reading, Span
from qa_demo.views.api.endpoint import Call, endpoint
from qa_demo.views.explaining import Timed, Work
from qa_demo.views.options import parse
from qa_demo.views.parse import choice, whole

Ends = tuple[Any, Any]


@endpoint
def attribute(
    call: Call,
    question: str,
    context: str,
    target: str = "span_score",
    method: str = "integrated_gradients",
    baseline: str | None = None,
    n_steps: int | None = None,
    char_start: int | None = None,
    char_end: int | None = None,
    other_start: int | None = None,
    other_end: int | None = None,
    max_answer_length: int = 30,
    max_seq_length: int = 384,
    doc_stride: int = 128,
    max_query_length: int = 64,
    reader: str | None = None,
) -> dict[str, Any]:
    """Explain the score of a span word piece by word piece: two lanes in logits, their sum,
    F(x), F(x') and the gap.

    Characters are half-open in the paragraph; without them the best span is explained.
    `other_*` name the second span of the target span_minus_other. With baseline null
    integrated gradients start from the reader's own: pad, or mask where padding has no
    direction. With n_steps null the steps of integrated gradients grow until the gap is
    under 2 %. The method leave_one_out hides whole words and splits a word's effect evenly over
    its pieces.
    """
    decode = parse(DecodeOptions(), max_answer_length=max_answer_length)
    steps = None if n_steps is None else whole(n_steps, "n_steps", 1, MAX_STEPS)
    how = cast(Method, choice(method, "the method", METHODS))
    named = None if baseline is None else choice(baseline, "the baseline", BASELINES)
    texts = question, context, max_seq_length, doc_stride, max_query_length, reader
    reading = call.reading(*texts)
    spans = (char_start, char_end), (other_start, other_end)
    about = _target(reading, decode, target, spans), how, named or reading.baseline, steps
    return attribution_json(reading, _found(call, reading, call.source(reader), about))


def _found(call: Call, reading: Reading, source: str, about: tuple[Any, ...]) -> Attribution:
    """The attribution that is kept, or made in the queue by the reader of that name."""

    def attribution(progress: OnProgress, cancelled: IsCancelled) -> Timed:
        work = Work(call.services.reader(source), reading, progress, cancelled)
        timed: Timed = work.attribution(*about)
        return timed

    key, cache = Work.attribution.key(reading, *about), Work.attribution.cache
    made: Timed = call.wanted("explaining", key, cache, attribution)
    return made.found


def _target(reading: Reading, decode: DecodeOptions, kind: Any, spans: tuple[Ends, Ends]) -> Target:
    """The span that is named, else the best one, and the span it is compared with."""
    window, span = None, _span(reading, "char", *spans[0])
    if span is None:
        best = predict(reading, decode).best
        if best is None:
            raise BadInput(
                "no span is legal under these options; name one with char_start and char_end"
            )
        span, window = best.candidate.span, best.candidate.window
    other = _span(reading, "other", *spans[1])
    return Target(kind, span, other, None if other else window)


def _span(reading: Reading, name: str, start: Any, end: Any) -> Span | None:
    """The word pieces of a range of characters; None when neither end is given."""
    if start is None and end is None:
        return None
    return span_at(reading.encoding, whole(start, f"{name}_start"), whole(end, f"{name}_end"))
