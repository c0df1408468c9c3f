"""What travels: packed arrays and visible text."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_demo.evaluation.pack import floats, printable, utf16_offsets


def test_not_a_number_does_not_travel() -> None:
    with pytest.raises(ValueError, match="only finite numbers travel, got 1"):
        floats(np.array([0.0, np.nan]))


@given(st.text(st.characters()))
def test_offsets_are_those_of_javascript(text: str) -> None:
    units = utf16_offsets(text)
    whole = text.encode("utf-16-le", "surrogatepass")
    for i in range(len(text)):
        assert (
            whole[2 * units[i] : 2 * units[i + 1]].decode("utf-16-le", "surrogatepass") == text[i]
        )


@given(st.text(st.characters()))
def test_printable_text_keeps_its_length_and_can_be_sent(text: str) -> None:
    shown = printable(text)
    assert len(shown) == len(text)
    assert utf16_offsets(shown).tolist() == utf16_offsets(text).tolist()
    shown.encode("utf-8")


def test_controls_are_visible() -> None:
    assert printable("a\x00b\x7f\ud800\tc\n") == "a\u2400b\u2421\ufffd\tc\n"
