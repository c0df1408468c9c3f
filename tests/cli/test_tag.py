"""python -m qa_demo tag: its JSON, checked against the head's softmax."""

import numpy as np
import pytest

from qa_demo.core.tagging import decode_reading, owned_rows
from qa_demo.core.types import Reading
from tests.cli.terminal import Terminal
from tests.model import kit

FIELDS = ["question", "reader", "decoding", "spans", "tokens"]


def test_json_holds_every_token_s_softmax_and_the_decoded_spans(
    reading: Reading, terminal: Terminal
) -> None:
    report = terminal.asked("tag", "--decoding", "lenient")
    assert list(report) == FIELDS and report["decoding"] == "lenient"
    assert reading.tag_logits is not None and len(reading.windows) > 2
    for token, row in zip(report["tokens"], owned_rows(reading), strict=True):
        assert list(token) == ["text", "char_start", "char_end", "B", "I", "O"]
        assert token["text"] == kit.CONTEXT[token["char_start"] : token["char_end"]]
        assert [token["B"], token["I"], token["O"]] == pytest.approx(np.exp(row).tolist())
    assert report["spans"] == [
        {"text": s.text, "char_start": s.char_start, "char_end": s.char_end, "marginal": s.marginal}
        for s in decode_reading(reading, "lenient")
    ]
    assert report["spans"], "a random head tags something"


def test_lines_for_a_person(terminal: Terminal) -> None:
    out = terminal.ask("tag")
    assert out.startswith("viterbi: ") and "with exact marginals" in out
