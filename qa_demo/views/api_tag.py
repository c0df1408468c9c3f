"""The public endpoint `tag`: B, I, O of every token and the spans they spell, with the JSON of the command line."""

from collections.abc import Callable
from threading import BoundedSemaphore
from typing import Any

import gradio as gr

from qa_demo.core.bio import DECODINGS
from qa_demo.core.errors import BadInput
from qa_demo.core.inputs import check_texts
from qa_demo.core.reader import Reader
from qa_demo.core.report_tag import tag_json
from qa_demo.core.types import WindowOptions
from qa_demo.views.errors import attempt
from qa_demo.views.options import parse


def make_tag(reader: Callable[[], Reader], max_characters: int, at_once: int = 2) -> Callable[..., dict[str, Any]]:
    """The endpoint's function for a page; at most `at_once` readings of all callers run together."""
    places = BoundedSemaphore(at_once)

    def tag(question: str, context: str, decoding: str = "viterbi", max_seq_length: int = 384, doc_stride: int = 128,
            max_query_length: int = 64) -> dict[str, Any]:
        """Tag every token of a paragraph: tokens [text, char_start, char_end, B, I, O], spans [text, char_start, char_end, marginal].

        `decoding` is strict, lenient or viterbi; characters are half-open in the paragraph.
        """
        def answer() -> dict[str, Any]:
            check_texts(question, context, max_characters)
            if any(0xD800 <= ord(c) < 0xE000 for c in question + context):
                raise BadInput("the text holds half of a surrogate pair, which JSON cannot carry")
            if decoding not in DECODINGS:
                raise BadInput(f"decoding must be one of {', '.join(DECODINGS)}, got {str(decoding)[:40]!r}")
            windows = parse(WindowOptions(), max_seq_length=max_seq_length, doc_stride=doc_stride, max_query_length=max_query_length)
            with places:
                reading = reader().read(question, context, windows)
            return tag_json(reading, decoding)

        result, error = attempt(answer)
        if result is None:
            raise gr.Error(error or "", print_exception=False)
        return result

    return tag
