"""The public endpoints `read` and `attribute`: the page's own reader with the JSON of the command line."""

from collections.abc import Callable
from dataclasses import replace
from threading import BoundedSemaphore
from typing import Any, cast

import gradio as gr

from qa_demo.core.attribution import Baseline, Method, Target
from qa_demo.core.errors import BadInput
from qa_demo.core.inputs import check_texts
from qa_demo.core.predict import predict
from qa_demo.core.reader import Reader
from qa_demo.core.report import answer_json, attribution_json
from qa_demo.core.types import DecodeOptions, Reading, Span, TargetKind, WindowOptions
from qa_demo.core.words import span_at
from qa_demo.views.errors import attempt
from qa_demo.views.options import parse


def make_read(reader: Callable[[], Reader], max_characters: int, at_once: int = 2) -> Callable[..., dict[str, Any]]:
    """The endpoint's function for a page; at most `at_once` readings of all callers run together."""
    places = BoundedSemaphore(at_once)

    def read(question: str, context: str, max_answer_length: int = 30, n_best_size: int = 20,
             null_score_diff_threshold: float | None = None, max_seq_length: int = 384, doc_stride: int = 128,
             max_query_length: int = 64) -> dict[str, Any]:
        """Answer a question from a paragraph: the answer or null, its characters, scores, the n-best list and the windows.

        A threshold of null means the reader's own.
        """
        def answer() -> dict[str, Any]:
            check_texts(question, context, max_characters)
            _check_sendable(question, context)
            windows = parse(WindowOptions(), max_seq_length=max_seq_length, doc_stride=doc_stride, max_query_length=max_query_length)
            with places:
                reading = reader().read(question, context, windows)
            decode = parse(DecodeOptions(), max_answer_length=max_answer_length, n_best_size=n_best_size)
            threshold = reading.threshold or 0.0
            if null_score_diff_threshold is not None:
                threshold = parse(decode, null_score_diff_threshold=null_score_diff_threshold).null_score_diff_threshold
            return answer_json(reading, predict(reading, replace(decode, null_score_diff_threshold=threshold)))

        result, error = attempt(answer)
        if result is None:
            raise gr.Error(error or "", print_exception=False)
        return result

    return read


def make_attribute(reader: Callable[[], Reader], max_characters: int, at_once: int = 1) -> Callable[..., dict[str, Any]]:
    """The endpoint's function for a page; at most `at_once` explanations of all callers run together."""
    places = BoundedSemaphore(at_once)

    def attribute(question: str, context: str, target: str = "span_score", method: str = "integrated_gradients", baseline: str = "pad",
                  n_steps: int | None = None, char_start: int | None = None, char_end: int | None = None, other_start: int | None = None,
                  other_end: int | None = None, max_answer_length: int = 30, max_seq_length: int = 384, doc_stride: int = 128,
                  max_query_length: int = 64) -> dict[str, Any]:
        """Explain the score of a span word piece by word piece: two lanes in logits, their sum, F(x), F(x') and the gap.

        Characters are half-open in the paragraph; without them the best span is explained. `other_*` name the second span of the target
        span_minus_other. With n_steps null the steps of integrated gradients grow until the gap is under 2 %.
        """
        def answer() -> dict[str, Any]:
            check_texts(question, context, max_characters)
            _check_sendable(question, context)
            windows = parse(WindowOptions(), max_seq_length=max_seq_length, doc_stride=doc_stride, max_query_length=max_query_length)
            decode = parse(DecodeOptions(), max_answer_length=max_answer_length)
            steps = None if n_steps is None else _whole("n_steps", n_steps)
            with places:
                used = reader()
                reading = used.read(question, context, windows)
                window, span = None, _span(reading, "char", char_start, char_end)
                if span is None:
                    best = predict(reading, decode).best
                    if best is None:
                        raise BadInput("no span is legal under these options; name one with char_start and char_end")
                    span, window = best.candidate.span, best.candidate.window
                other = _span(reading, "other", other_start, other_end)
                chosen = Target(cast(TargetKind, target), span, other, None if other else window)
                return attribution_json(reading, used.attribute(reading, chosen, cast(Method, method), cast(Baseline, baseline), steps))

        result, error = attempt(answer)
        if result is None:
            raise gr.Error(error or "", print_exception=False)
        return result

    return attribute


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadInput(f"{name} must be a whole number, got {str(value)[:40]}")
    return value


def _span(reading: Reading, name: str, start: Any, end: Any) -> Span | None:
    """The word pieces of a range of characters; None when neither end is given."""
    if start is None and end is None:
        return None
    return span_at(reading.encoding, _whole(f"{name}_start", start), _whole(f"{name}_end", end))


def _check_sendable(*texts: str) -> None:
    """A lone surrogate cannot be written as UTF-8, and one in a reply ends every stream of its session."""
    for text in texts:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise BadInput(f"the text holds half of a surrogate pair at character {error.start}, which JSON cannot carry") from error
