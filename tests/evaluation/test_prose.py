"""The words that every chapter's sentences share."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_demo.evaluation.prose import listed, named, piece, plural, quoted, shorten
from tests.core.toys import t1
from tests.fakes import FakeReader

ISOLATED = "“\u2068{}\u2069”"


@pytest.mark.parametrize(
    ("text", "longest", "shown"),
    [
        ("bridge", None, "bridge"),
        ("a \n b\x00", None, "a b\u2400"),
        ("x" * 200, None, "x" * 200),
        ("", None, ""),
        ("one two three four", 12, "one two … our"),
        ("twelve chars", 12, "twelve chars"),
    ],
)
def test_a_quotation_is_one_isolated_line(text: str, longest: int | None, shown: str) -> None:
    assert quoted(text, longest) == ISOLATED.format(shown)


@given(st.text(), st.integers(8, 60))
def test_a_shortened_text_is_printable_and_hardly_longer_than_asked(
    text: str, longest: int
) -> None:
    short = shorten(text, longest)
    assert len(short) <= longest + 3, "the mark of the omission stands between two blanks"
    assert not any(unicodedata.category(c) == "Cc" for c in short)
    assert shorten(short, longest + 3) == short


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0 tokens"), (1, "1 token"), (2, "2 tokens"), (12345, "12,345 tokens")]
)
def test_a_count_has_its_plural_and_its_thousands(count: int, said: str) -> None:
    assert plural(count, "token") == said


def test_a_list_ends_with_and() -> None:
    assert (listed(["a"]), listed(["a", "b"])) == ("a", "a and b")
    assert listed(["a", "b", "c"]) == "a, b and c"


def test_a_piece_is_the_text_of_a_context_token_and_the_token_elsewhere() -> None:
    pieces = " ".join(piece(t1(), 1, pos) for pos in range(8))
    assert pieces == "[CLS] who [SEP] Gamma Delta Epsilon Zeta [SEP]"


def test_a_part_of_a_word_is_quoted_with_its_word() -> None:
    reading = FakeReader().read("Who?", "On Peberholm an archaeologist dug.")
    names = [named(reading, 0, pos) for pos in range(len(reading.tokens(0)))]
    said = [name.replace("\u2068", "").replace("\u2069", "") for name in names]
    assert said[:1] + said[4:8] == [
        "“[CLS]”",
        "“On”",
        "“Peberhol” of “Peberholm”",
        "“m” of “Peberholm”",
        "“an”",
    ]
    assert "“ogist” of “archaeologist”" in said
