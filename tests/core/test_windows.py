"""The plan and maximum-context ownership by their formulas, and which window holds a span."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_demo.core import windows
from qa_demo.core.base import BadInput, freeze
from qa_demo.core.types import Span, WindowOptions
from tests.core.toys import SEEDS, make_encoding, random_reading, t1


@settings(max_examples=100)
@given(n=st.integers(0, 60), capacity=st.integers(1, 20), step=st.integers(1, 25))
def test_every_token_is_covered_and_owned_by_the_window_that_sees_it_best(n, capacity, step):
    starts, stops = windows.plan(n, capacity, step)
    spans = list(zip(starts, stops, strict=True))
    owner = windows.max_context_owner(n, starts, stops)
    count = 0 if not n else 1 if n <= capacity else 1 + -(-(n - capacity) // min(step, capacity))
    begin = [w * min(step, capacity) for w in range(count)]
    assert spans == [(at, min(at + capacity, n)) for at in begin]
    for token in range(n):
        holds = [(w, a, b) for w, (a, b) in enumerate(spans) if a <= token < b]
        holders = [(min(token - a, b - 1 - token) + 0.01 * (b - a), -w) for w, a, b in holds]
        assert owner[token] == -max(holders)[1]


CAPACITY = r"doc_stride must be between 1 and the window's capacity \(5 tokens\), got"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (WindowOptions(10, 8), f"{CAPACITY} 8"),
        (WindowOptions(10, 0), f"{CAPACITY} 0"),
        (WindowOptions(5, 1), " 5 leaves no room .* takes 2 .* tokens 3, so it must be at least 6"),
        (WindowOptions(max_query_length=1), "2 tokens, max_query_length allows 1"),
    ],
)
def test_options_that_do_not_fit_are_refused_with_the_numbers(options, message):
    with pytest.raises(BadInput, match=message):
        windows.make_windows(make_encoding(list("abcdef"), question=("who", "is")), options)


def test_windows_of_an_encoding():
    made = windows.make_windows(make_encoding(list("abcdefg")), WindowOptions(8, 3))
    assert [(w.doc_start, w.doc_stop) for w in made] == [(0, 4), (3, 7)]
    assert {(w.context_at, len(w)) for w in made} == {(3, 8)}
    # token 3, at position 3, belongs to window 0
    assert np.flatnonzero(made[1].is_max_context).tolist() == [4, 5, 6]
    assert made[1].token_type_ids.tolist() == [0, 0, 0, 1, 1, 1, 1, 1]
    assert [made[1].to_doc(made[1].to_pos(k)) for k in range(3, 7)] == [3, 4, 5, 6]
    assert windows.max_context_owner(9, [0, 3], [4, 9]).tolist() == [0, 0, 0, 1, 1, 1, 1, 1, 1]


def test_default_windows_fit_a_reader_of_few_positions_and_unfit_ones_are_refused_at_once():
    assert windows.fitting(WindowOptions(), 128) == WindowOptions(128, 32)
    assert windows.fitting(WindowOptions(), 512) == WindowOptions()
    for positions in range(8, 384):
        fitted = windows.fitting(WindowOptions(), positions)
        encoding = make_encoding([f"w{k}" for k in range(40)], ["who"] * min(64, positions // 4))
        assert windows.make_windows(encoding, fitted)[-1].doc_stop == 40
    assert windows.fitting(WindowOptions(64, 63), 64) == WindowOptions(64, 63)
    with pytest.raises(BadInput, match="at most 63, the positions of this reader, got 64"):
        windows.fitting(WindowOptions(64, 9), 63)
    for step in (0, 64):
        with pytest.raises(BadInput, match=rf"less than max_seq_length \(64\), got {step}"):
            windows.fitting(WindowOptions(64, step), 512)


@given(n=st.integers(1, 40), room=st.integers(2, 20), step=st.integers(1, 20))
def test_the_safe_length_equals_every_span_tried(n, room, step):
    step = min(step, room)
    reading = random_reading(0, n, room, step)
    every = [Span(a, b) for a in range(n) for b in range(a, n)]
    cut = [s for s in every if not reading.windows[reading.owners[s.start]].holds(s)]
    safe = windows.safe_length(reading)
    assert min(map(len, cut)) == safe + 1 == (room - step) // 2 + 2 if n > room else not cut
    assert windows.safe_length(random_reading(0, 138, 137, 102)) == 1, "the last window has 36"


@given(SEEDS, st.integers(1, 40), st.integers(1, 12), st.data())
def test_home_is_the_owner_of_the_start_or_the_first_that_holds_the_span(seed, n, capacity, data):
    reading = random_reading(seed, n, capacity, data.draw(st.integers(1, capacity)))
    start = data.draw(st.integers(0, n - 1))
    span = Span(start, data.draw(st.integers(start, n - 1)))
    wanted = range(span.start, span.end + 1)
    holders = [w.index for w in reading.windows if {*wanted} <= {*range(w.doc_start, w.doc_stop)}]
    owner, home = int(reading.owners[start]), reading.home(span)
    first = holders[0] if holders else None
    assert (None if home is None else home.index) == (owner if owner in holders else first)


def test_records_are_read_only_and_a_callers_array_is_not():
    reading, mine = t1(), np.arange(3)
    held = reading.start_logits, reading.owners, reading.encoding.offset_mapping
    for array in (*held, reading.windows[0].is_context, kept := freeze(mine[1:])):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    assert mine.flags.writeable and kept.base is None, "a copy"
