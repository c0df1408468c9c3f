"""What a span rests on, by parts: every word has one part, and the parts add up to the sum."""

import numpy as np
import pytest

from qa_demo.core.attribution import Attribution, Target
from qa_demo.core.base import BadInput
from qa_demo.core.measuring.attributed import PARTS, attributed_json, explain_by
from qa_demo.core.measuring.failures import KINDS
from qa_demo.core.text import span_at
from qa_demo.core.types import Reading, WindowOptions
from tests.fakes import FakeReader

TEXT = "It rained all day. The bridge was drawn by Ada Byron in Malmö. Bob paid for it."


def explained(question: str, answer: str = "Ada Byron") -> tuple[Reading, Attribution, dict]:
    """Position k of the window is worth 2 ** -k, so that a sum tells which positions it holds."""
    reading = FakeReader().read(question, TEXT, WindowOptions(60, 12))
    at = TEXT.index(answer)
    span = span_at(reading.encoding, at, at + len(answer))
    values = 2.0 ** -np.arange(len(reading.windows[0]))
    found = Attribution(Target("span_score", span), "leave_one_out", 0, values, 0 * values, 1.0)
    return reading, found, attributed_json(reading, found)


def of(reading: Reading, made: dict, texts: str) -> float:
    """The sum over words, each named once and standing once."""
    both = {"question": reading.encoding.question, "context": TEXT}
    values = {both[side][a:b]: value for side, a, b, value in made["words"]}
    return sum(values[text] for text in texts.split())


def test_every_word_has_one_part() -> None:
    reading, _, made = explained("In 1998 how many artists helped?")
    parts = made["parts"]
    assert list(parts) == list(PARTS) and sum(parts.values()) == pytest.approx(made["sum"])
    for name, texts in {
        "question word": "how many",
        "other question words": "In 1998 artists helped?",
        "answer": "Ada Byron",
        "answer's sentence": "The bridge was drawn by in Malmö.",
        "elsewhere": "It rained all day. Bob paid for it.",
    }.items():
        assert parts[name] == pytest.approx(of(reading, made, texts)), name
    special = [k for k, token in enumerate(reading.tokens(0)) if token in ("[CLS]", "[SEP]")]
    assert parts["specials"] == pytest.approx(sum(2.0**-k for k in special))


def test_a_question_without_a_question_word_has_no_such_part() -> None:
    _, _, made = explained("Name its architect.")
    assert made["parts"]["question word"] is None
    assert sum(x for x in made["parts"].values() if x is not None) == pytest.approx(made["sum"])


def test_kinds_are_named_by_words() -> None:
    assert explain_by("leave_one_out").kinds == KINDS
    wrong = explain_by("leave_one_out", "wrong")
    assert "right" not in wrong.kinds and wrong.kinds == KINDS[1:]
    assert explain_by("leave_one_out", "border, right").kinds == ("right", "border")
    for method, kinds in (("guess", "all"), ("leave_one_out", "odd"), ("leave_one_out", "")):
        with pytest.raises(BadInput, match=r"must be one of|kinds are any of"):
            explain_by(method, kinds)
