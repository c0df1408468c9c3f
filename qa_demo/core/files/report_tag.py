"""The JSON of `tag`, for the command line and the API."""

from typing import Any

import numpy as np

from qa_demo.core.files.report import finite
from qa_demo.core.learning.bio import decode_reading
from qa_demo.core.learning.tagging import owned_rows
from qa_demo.core.types import TAGS, Reading, Span


def tag_json(reading: Reading, decoding: str = "viterbi") -> dict[str, Any]:
    """B, I, O of every context token in the window that owns it, and the spans of one decoding with
    their exact marginals.

    `char_start` and `char_end` are half-open in the context as given. Errors: BadInput for a reader
    without a BIO head or an unknown decoding.
    """
    encoding, spans = reading.encoding, decode_reading(reading, decoding)
    tokens = []
    for doc, p in enumerate(np.exp(owned_rows(reading)[0]).tolist()):
        start, end = encoding.chars(Span(doc, doc))
        tokens.append(
            {
                "text": encoding.context[start:end],
                "char_start": start,
                "char_end": end,
                **dict(zip(TAGS, p, strict=True)),
            }
        )
    return finite(
        {
            "question": encoding.question,
            "reader": reading.model_name,
            "decoding": decoding,
            "spans": [
                {
                    "text": s.text,
                    "char_start": s.char_start,
                    "char_end": s.char_end,
                    "marginal": s.marginal,
                }
                for s in spans
            ],
            "tokens": tokens,
        }
    )
