"""The JSON of `tag`, for the command line and the API."""

from typing import Any

import numpy as np

from qa_demo.core.files.report import finite, span_json
from qa_demo.core.tagging import decode_reading, owned_rows
from qa_demo.core.types import TAGS, Reading, Span


def tag_json(reading: Reading, decoding: str = "viterbi") -> dict[str, Any]:
    """B, I, O of every context token in the window that owns it, and the spans of one decoding with
    their exact marginals.

    `char_start` and `char_end` are half-open in the context as given. Errors: BadInput for a reader
    without a BIO head or an unknown decoding.
    """
    encoding, spans = reading.encoding, decode_reading(reading, decoding)
    rows = enumerate(np.exp(owned_rows(reading)).tolist())
    return finite(
        {
            "question": encoding.question,
            "reader": reading.model_name,
            "decoding": decoding,
            "spans": [{**span_json(encoding, s.span), "marginal": s.marginal} for s in spans],
            "tokens": [
                {**span_json(encoding, Span(doc, doc)), **dict(zip(TAGS, p, strict=True))}
                for doc, p in rows
            ],
        }
    )
