"""The public endpoint `read`: the page's own reader with the JSON of the command line."""

from dataclasses import replace
from typing import Any

from qa_demo.core.files.report import answer_json
from qa_demo.core.inputs import merging
from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.reading.predict import predict
from qa_demo.core.reading.scales import COPIES, NULLS, SCALES
from qa_demo.views.api.endpoint import Call, endpoint
from qa_demo.views.options import parse
from qa_demo.views.parse import choice


@endpoint
def read(
    call: Call,
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
    null: str | None = None,
) -> dict[str, Any]:
    """Answer a question from a paragraph: the answer or null, its characters, scores, the
    n-best list and the windows.

    A threshold of null means the reader's own, a reader of null the page's. `copies`, `scale`
    and `null` choose how windows are merged, with the names of the command line; without `null`
    the usual one of the scale counts.
    """
    limits: dict[str, Any] = {"max_answer_length": max_answer_length, "n_best_size": n_best_size}
    if null_score_diff_threshold is not None:
        limits["null_score_diff_threshold"] = null_score_diff_threshold
    decode = parse(DecodeOptions(), **limits)
    merge = MergeOptions(choice(copies, "copies", COPIES), choice(scale, "scale", SCALES))
    named = None if null is None else choice(null, "null", NULLS)
    merge = merging(merge, named, null_score_diff_threshold)
    texts = question, context, max_seq_length, doc_stride, max_query_length, reader
    reading = call.reading(*texts)
    if null_score_diff_threshold is None:
        decode = replace(decode, null_score_diff_threshold=reading.threshold or 0.0)
    return answer_json(reading, predict(reading, decode, merge))
