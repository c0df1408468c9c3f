"""The public endpoint `loss`: gold spans in, terms out, with the JSON of the command line."""

from collections.abc import Callable
from threading import BoundedSemaphore
from typing import Any

import gradio as gr

from qa_demo.core.errors import BadInput
from qa_demo.core.inputs import check_texts
from qa_demo.core.reader import Reader
from qa_demo.core.report import NORMALISERS, loss_json
from qa_demo.core.types import Encoding, Span, WindowOptions
from qa_demo.core.words import span_at
from qa_demo.views.errors import attempt
from qa_demo.views.options import parse

MOST_GOLDS = 100


def make_loss(reader: Callable[[], Reader], max_characters: int, at_once: int = 2) -> Callable[..., dict[str, Any]]:
    """The endpoint's function for a page; at most `at_once` readings of all callers run together."""
    places = BoundedSemaphore(at_once)

    def loss(question: str, context: str, gold: list[list[int] | None] | None = None, normaliser: str = "window", max_seq_length: int = 384,
             doc_stride: int = 128, max_query_length: int = 64) -> dict[str, Any]:
        """The training loss of the gold answers: terms [name, value, weight, over] and their weighted total, in nats.

        `gold` holds [start, end] in characters, end exclusive, one for each annotator, or null for one who found no answer; without it
        no answer is right.
        """
        def answer() -> dict[str, Any]:
            check_texts(question, context, max_characters)
            for text in (question, context):
                if any(0xD800 <= ord(c) < 0xE000 for c in text):
                    raise BadInput("the text holds half of a surrogate pair, which JSON cannot carry")
            if normaliser not in NORMALISERS:
                raise BadInput(f"the normaliser must be one of {', '.join(NORMALISERS)}, got {str(normaliser)[:40]}")
            windows = parse(WindowOptions(), max_seq_length=max_seq_length, doc_stride=doc_stride, max_query_length=max_query_length)
            chars = _pairs(gold)
            with places:
                reading = reader().read(question, context, windows)
            return loss_json(reading, _golds(reading.encoding, chars), normaliser)

        result, error = attempt(answer)
        if result is None:
            raise gr.Error(error or "", print_exception=False)
        return result

    return loss


def _pairs(gold: Any) -> list[tuple[int, int] | None]:
    """Pairs of whole numbers or None, or a sentence."""
    if gold is None:
        return []
    if not isinstance(gold, list) or len(gold) > MOST_GOLDS:
        raise BadInput(f"gold must be a list of at most {MOST_GOLDS} pairs [start, end], got {str(gold)[:40]}")
    for pair in (given for given in gold if given is not None):
        if not isinstance(pair, list | tuple) or len(pair) != 2 or any(isinstance(x, bool) or not isinstance(x, int) for x in pair):
            raise BadInput(f"each gold answer is a pair of whole numbers [start, end], got {str(pair)[:40]}")
    return [None if pair is None else (int(pair[0]), int(pair[1])) for pair in gold]


def _golds(encoding: Encoding, chars: list[tuple[int, int] | None]) -> tuple[Span | None, ...]:
    return tuple(None if pair is None else span_at(encoding, *pair) for pair in chars) or (None,)
