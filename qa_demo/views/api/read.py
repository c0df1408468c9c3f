"""The public endpoint `read`: the page's own reader with the JSON of the command line."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from qa_demo.core.files.report import answer_json
from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.reading.predict import predict
from qa_demo.core.reading.scales import COPIES, NULLS, SCALES, check_merge
from qa_demo.views.api.endpoint import Asked, Call, answered
from qa_demo.views.options import parse
from qa_demo.views.parse import choice
from qa_demo.views.services import Services


def make_read(services: Services) -> Callable[..., dict[str, Any]]:
    """The endpoint's function for a page."""

    def read(
        question: str,
        context: str,
        max_answer_length: int = 30,
        n_best_size: int = 20,
        null_score_diff_threshold: float | None = None,
        max_seq_length: int = 384,
        doc_stride: int = 128,
        max_query_length: int = 64,
        reader: str | None = None,
        copies: str = "max_context",
        scale: str = "logit",
        null: str = "min_logit",
    ) -> dict[str, Any]:
        """Answer a question from a paragraph: the answer or null, its characters, scores, the
        n-best list and the windows.

        A threshold of null means the reader's own, a reader of null the page's. `copies`, `scale`
        and `null` choose how windows are merged, with the names of the command line.
        """

        asked = Asked(question, context, max_seq_length, doc_stride, max_query_length, reader)

        limits = max_answer_length, n_best_size, null_score_diff_threshold
        return answered(services, partial(_answer, asked, limits, (copies, scale, null)))

    return read


def _answer(
    asked: Asked, limits: tuple[Any, Any, Any], rule: tuple[Any, Any, Any], call: Call
) -> dict[str, Any]:
    """Read the texts and decode them under `limits` (longest answer, n best, threshold or null)
    and the merge `rule` (copies, scale, null).
    """
    longest, n_best, threshold = limits
    decode = parse(DecodeOptions(), max_answer_length=longest, n_best_size=n_best)
    if threshold is not None:
        decode = parse(decode, null_score_diff_threshold=threshold)
    copies, scale, null = rule
    merge = MergeOptions(
        choice(copies, "copies", COPIES),
        choice(scale, "scale", SCALES),
        choice(null, "null", NULLS),
    )
    check_merge(merge)
    reading = call.reading(asked)
    if threshold is None:
        decode = replace(decode, null_score_diff_threshold=reading.threshold or 0.0)
    return answer_json(reading, predict(reading, decode, merge))
