"""Sentences by punctuation, and a short text's look: by hand, and for any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_demo.evaluation.failures import LOOKS, looks_like, sentences


def cut(text: str) -> list[str]:
    return [text[a:b] for a, b in sentences(text)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("One", ["One"]),
        ("It rained. We left.", ["It rained.", " We left."]),
        ('He said "go." Then 3 left!', ['He said "go."', " Then 3 left!"]),
        ("It cost 3.5 million. in all", ["It cost 3.5 million. in all"]),
        ("Mr. Bach met J. Smith of No. 3. They ate.", None),
        ("Title\nText", ["Title\n", "Text"]),
        ("Oui. École.", ["Oui.", " École."]),
    ],
)
def test_sentences_by_hand(text: str, parts: list[str] | None) -> None:
    assert cut(text) == (parts or (["Mr. Bach met J. Smith of No. 3.", " They ate."] * bool(text)))


@given(st.text(alphabet="aB3 .!?\n\"')é", max_size=60))
def test_sentences_cover_the_text_without_a_gap(text: str) -> None:
    assert "".join(cut(text)) == text
    assert all(a < b for a, b in sentences(text))


BY_HAND = {
    "number": ["in 1998", "two of them"],
    "name": ["the Denver Broncos", "Bridges of Rome", "Élan"],
    "words": ["someone", "Bridges", "a bridge", ""],
}


@pytest.mark.parametrize("looks", LOOKS)
def test_looks_by_hand(looks: str) -> None:
    context = "Bridges of Rome stand. (Bridges) fell in 1998, two of them; someone saw a bridge of "
    context += "the Denver Broncos, and Élan."
    for text in BY_HAND[looks]:
        assert looks_like(text, context.index(text), context) == looks, text


def test_the_first_word_of_a_sentence_in_brackets_is_no_name() -> None:
    context = "It stood. (Bridges fell.) The Bridges family left."
    assert looks_like("Bridges", 11, context) == "words"
    assert looks_like("Bridges", context.rindex("Bridges"), context) == "name"
