"""Data inside a script element: no text ends it, and every text comes back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_demo.core.base import BadCheckpoint
from qa_demo.evaluation.embed import embedded

PIECES = st.sampled_from(["</script", "<!--", "-->", "]]>", "&lt;", "\u2028", "\ud800", "\\u003c"])


@given(st.lists(PIECES | st.text(max_size=5)).map("".join))
def test_every_text_comes_back_and_none_ends_the_element(text: str) -> None:
    made = embedded({"text": text, text: [text]})
    assert json.loads(made) == {"text": text, text: [text]}
    assert made.isascii() and not set("<>&") & set(made)


def test_a_number_that_json_has_not_is_refused() -> None:
    with pytest.raises(BadCheckpoint, match="nan"):
        embedded({"a": float("nan")})
