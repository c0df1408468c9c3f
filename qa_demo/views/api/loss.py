"""The public endpoint `loss`: gold spans in, terms out, with the JSON of the command line."""

from collections.abc import Callable
from typing import Any

from qa_demo.core.files.report import NORMALISERS, loss_json
from qa_demo.core.reading.words import span_at
from qa_demo.core.types import Encoding, Span
from qa_demo.views.api.endpoint import Asked, Call, answered
from qa_demo.views.parse import choice, pairs
from qa_demo.views.services import Services

MOST_GOLDS = 100


def make_loss(services: Services) -> Callable[..., dict[str, Any]]:
    """The endpoint's function for a page."""

    def loss(
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

        `gold` holds [start, end] in characters, end exclusive, one for each annotator, or null for
        one who found no answer; without it no answer is right.
        """

        asked = Asked(question, context, max_seq_length, doc_stride, max_query_length, reader)

        def answer(call: Call) -> dict[str, Any]:
            choice(normaliser, "the normaliser", NORMALISERS)
            chars = pairs(gold, "gold", MOST_GOLDS)
            reading = call.reading(asked)
            return loss_json(reading, _golds(reading.encoding, chars), normaliser)

        return answered(services, answer)

    return loss


def _golds(encoding: Encoding, chars: list[tuple[int, int] | None]) -> tuple[Span | None, ...]:
    return tuple(None if pair is None else span_at(encoding, *pair) for pair in chars) or (None,)
