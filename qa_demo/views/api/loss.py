"""The public endpoint `loss`: gold spans in, terms out, with the JSON of the command line."""

from typing import Any

from qa_demo.core.files.report import NORMALISERS, loss_json
from qa_demo.core.reading.words import span_at
from qa_demo.views.api.endpoint import Call, endpoint
from qa_demo.views.parse import choice, pairs

MOST_GOLDS = 100


@endpoint
def loss(
    call: Call,
    question: str,
    context: str,
    gold: list[list[int] | None] | None = None,
    normaliser: str = "window",
    max_seq_length: int = 384,
    doc_stride: int = 128,
    max_query_length: int = 64,
    reader: str | None = None,
) -> dict[str, Any]:
    """The training loss of the gold answers: terms [name, value, weight, over] and their
    weighted total, in nats.

    `gold` holds [start, end] in characters from 0, end exclusive, one for each annotator, or null
    for one who found no answer; without it no answer is right.
    """
    choice(normaliser, "the normaliser", NORMALISERS)
    chars = pairs(gold, "gold", MOST_GOLDS)
    texts = question, context, max_seq_length, doc_stride, max_query_length, reader
    reading = call.reading(*texts)
    golds = tuple(None if one is None else span_at(reading.encoding, *one) for one in chars)
    return loss_json(reading, golds or (None,), normaliser)
