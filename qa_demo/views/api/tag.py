"""The public endpoint `tag`: B, I, O of all tokens and their spans, as the command prints."""

from typing import Any

from qa_demo.core.files.report_tag import tag_json
from qa_demo.core.learning.bio import DECODINGS
from qa_demo.views.api.endpoint import Call, endpoint
from qa_demo.views.parse import choice


@endpoint
def tag(
    call: Call,
    question: str,
    context: str,
    decoding: str = "viterbi",
    max_seq_length: int = 384,
    doc_stride: int = 128,
    max_query_length: int = 64,
    reader: str | None = None,
) -> dict[str, Any]:
    """Tag every token of a paragraph: tokens [text, char_start, char_end, B, I, O], spans
    [text, char_start, char_end, marginal].

    `decoding` is strict, lenient or viterbi; characters are half-open in the paragraph.
    """
    choice(decoding, "decoding", DECODINGS)
    texts = question, context, max_seq_length, doc_stride, max_query_length, reader
    return tag_json(call.reading(*texts), decoding)
