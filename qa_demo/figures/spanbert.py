"""The frame of chapter 8 as data: formula, notice, what is simplified, the road from pre-training to reading."""

from typing import Any

SIMPLIFIED = (
    "One text of at most 200 pieces is masked; the paper fills sequences of 512 from one document.",
)


def closing_data() -> dict[str, Any]:
    """Step 3."""
    return {}


BUSY = {"load": "loading SpanBERT", "text": "encoding the text"}
