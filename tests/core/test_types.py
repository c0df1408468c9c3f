"""Records that stay what they were, and which window holds a span."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_demo.core.types import Span
from tests.core.toys import random_reading, t1


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 12), st.data())
def test_home_is_the_owner_of_the_start_or_the_first_that_holds_the_span(seed, n, capacity, data):
    step = data.draw(st.integers(1, capacity))
    reading = random_reading(seed, n, capacity, step)
    start = data.draw(st.integers(0, n - 1))
    span = Span(start, data.draw(st.integers(start, n - 1)))
    wanted = range(span.start, span.end + 1)
    holders = [w.index for w in reading.windows if {*wanted} <= {*range(w.doc_start, w.doc_stop)}]
    owner, home = int(reading.owners[start]), reading.home(span)
    first = holders[0] if holders else None
    assert (None if home is None else home.index) == (owner if owner in holders else first)


def test_records_are_read_only():
    reading, window = t1(), t1().windows[0]
    held = reading.start_logits, reading.owners, reading.encoding.offset_mapping
    for array in (*held, window.is_context):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
