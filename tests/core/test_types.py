"""Which reading this is, which window holds a span, and which owns it."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_demo.core.base import BadInput
from qa_demo.core.reader import check_made_by
from qa_demo.core.types import Span
from tests.core.toys import random_reading, t1

SHAPES = st.tuples(
    st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 12), st.integers(1, 12)
).filter(lambda s: s[3] <= s[2])


@given(SHAPES, st.data())
def test_home_is_the_owner_of_the_start_or_the_first_that_holds_the_span(shape, data):
    seed, n_words, capacity, step = shape
    reading = random_reading(np.random.default_rng(seed), n_words, capacity, step)
    start = data.draw(st.integers(0, n_words - 1))
    span = Span(start, data.draw(st.integers(start, n_words - 1)))
    wanted = range(span.start, span.end + 1)
    holders = [w.index for w in reading.windows if {*wanted} <= {*range(w.doc_start, w.doc_stop)}]
    owner, home = int(reading.owners[start]), reading.home(span)
    first = holders[0] if holders else None
    assert (None if home is None else home.index) == (owner if owner in holders else first)


def test_the_name_stands_for_weights_without_a_checksum():
    assert (t1().weights, replace(t1(), checksum="abc").weights) == ("toy", "abc")


def test_other_weights_are_refused_in_one_sentence():
    def check(made: str, used: str, name: str = "toy") -> None:
        check_made_by(replace(t1(), checksum=made), SimpleNamespace(name=name, checksum=used))

    check("abc", "abc")
    check("", "")
    said = "made by other weights than those of the reader in use, toy; read the text again"
    for made, used in (("abc", "abd"), ("abc", ""), ("", "abc")):
        with pytest.raises(BadInput, match=said):
            check(made, used)
    with pytest.raises(BadInput, match="in use, someone"):
        check("", "", name="someone")
