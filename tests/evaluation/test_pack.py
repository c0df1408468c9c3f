"""What travels: visible text."""

from hypothesis import given
from hypothesis import strategies as st

from qa_demo.evaluation.pack import printable


@given(st.text(st.characters()))
def test_printable_text_keeps_its_length_and_can_be_sent(text: str) -> None:
    shown = printable(text)
    assert len(shown) == len(text)
    assert [ord(a) > 0xFFFF for a in shown] == [ord(b) > 0xFFFF for b in text]
    shown.encode("utf-8")


def test_controls_are_visible() -> None:
    assert printable("a\x00b\x7f\ud800\tc\n") == "a\u2400b\u2421\ufffd\tc\n"
