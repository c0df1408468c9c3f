"""Legality, exact search and BERT's grid, each against brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_demo.core import spans
from qa_demo.core.base import BadInput
from qa_demo.core.spans import REASONS, check_decode, reason, reason_matrix
from qa_demo.core.types import DecodeOptions
from tests.core.toys import make_reading, random_reading, t1

SMALL = DecodeOptions(max_answer_length=3, n_best_size=5)


def brute_reason(window, i, j, max_length, copies):
    """The rules once more, written as plain tests on one cell."""
    in_context = range(window.context_at, window.context_at + window.doc_stop - window.doc_start)
    if i not in in_context or j not in in_context:
        return "outside the paragraph"
    if j < i:
        return "end before start"
    if j - i >= max_length:
        return "too long"
    if copies == "max_context" and not window.is_max_context[i]:
        return "not owned"
    return None


def brute_top(s, e, window, options, copies):
    """Every legal cell, sorted by the stated tie rule."""
    cells = [
        (-(float(s[i]) + float(e[j])), i, j)
        for i in range(len(s))
        for j in range(len(s))
        if brute_reason(window, i, j, options.max_answer_length, copies) is None
    ]
    return [(i, j) for _, i, j in sorted(cells)]


@pytest.mark.parametrize("copies", ["max_context", "all"])
def test_every_cell_has_the_right_reason(copies):
    reading = t1()
    for window in reading.windows:
        matrix = reason_matrix(window, SMALL, copies)
        for i in range(len(window)):
            for j in range(len(window)):
                want = brute_reason(window, i, j, 3, copies)
                assert reason(window, i, j, SMALL, copies) == want
                assert REASONS[matrix[i, j]] == (want or "legal")
    two = DecodeOptions(max_answer_length=2)
    named = {REASONS[c] for w in reading.windows for c in reason_matrix(w, two, copies).ravel()}
    assert named == set(REASONS) - ({"not owned"} if copies == "all" else set())


def test_a_cell_outside_the_window_is_refused():
    with pytest.raises(BadInput, match=r"cell \(0, 8\) is outside window 1; positions are 0 to 7"):
        reason(t1().windows[1], 0, 8, SMALL)


@pytest.mark.parametrize("field", ["max_answer_length", "n_best_size"])
def test_limits_below_one_are_refused(field):
    with pytest.raises(BadInput, match=f"{field} must be at least 1, got 0"):
        check_decode(DecodeOptions(**{field: 0}))


def test_a_threshold_that_is_no_number_is_refused():
    said = "null_score_diff_threshold must be a finite number, got nan"
    with pytest.raises(BadInput, match=said):
        check_decode(DecodeOptions(null_score_diff_threshold=float("nan")))


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 14),
    max_length=st.integers(1, 16),
    top=st.integers(1, 30),
    copies=st.sampled_from(["max_context", "all"]),
    coarse=st.booleans(),
)
def test_exact_search_equals_brute_force(seed, n, max_length, top, copies, coarse):
    rng = np.random.default_rng(seed)
    reading = random_reading(rng, n, 6, 4)
    options = DecodeOptions(max_answer_length=max_length, n_best_size=top)
    for window in reading.windows:
        # coarse: many exact ties
        s, e = (np.round(x) if coarse else x for x in reading.logits(window.index))
        got = [tuple(map(int, cell)) for cell in spans.top_spans(s, e, window, options, copies)]
        assert got == brute_top(s, e, window, options, copies)[:top]


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 12),
    max_length=st.integers(1, 8),
    top=st.integers(1, 8),
    coarse=st.booleans(),
)
def test_grid(seed, n, max_length, top, coarse):
    reading = random_reading(np.random.default_rng(seed), n, 6, 4)
    options = DecodeOptions(max_answer_length=max_length, n_best_size=top)
    for window in reading.windows:
        s, e = (np.round(x) if coarse else x for x in reading.logits(window.index))
        starts = sorted(range(len(s)), key=lambda k: (-s[k], k))[:top]
        ends = sorted(range(len(e)), key=lambda k: (-e[k], k))[:top]
        every = brute_top(s, e, window, options, "max_context")
        found = [tuple(map(int, c)) for c in spans.top_grid(s, e, window, options)]
        assert found == [(i, j) for i, j in every if i in starts and j in ends]


def test_a_window_without_room_gives_no_span():
    # the second window owns nothing
    reading = make_reading(["one", "two"], [(0, 2), (0, 2)], [[0] * 6] * 2, [[0] * 6] * 2)
    s, e = reading.logits(1)
    assert spans.top_spans(s, e, reading.windows[1], SMALL).shape == (0, 2)
    assert len(spans.top_spans(s, e, reading.windows[1], SMALL, "all")) == 3


def test_a_position_without_mass_is_never_returned():
    reading = t1()
    s, e = (np.array(x, dtype=np.float64) for x in reading.logits(0))
    e[5] = -np.inf
    found = spans.top_spans(s, e, reading.windows[0], DecodeOptions(n_best_size=99))
    assert 5 not in found[:, 1]
    assert 5 not in spans.top_grid(s, e, reading.windows[0], DecodeOptions(n_best_size=8))[:, 1]


def test_separate_argmaxes_can_be_illegal():
    start, end = ([0, 0, 0, 1, 2, 6, 0], [0, 0, 0, 5, 2, 1, 0])  # (3, 1) in the books' counting
    reading = make_reading(["a", "b", "c"], [(0, 3)], [start], [end])
    cell = spans.separate_argmaxes(reading, 0, SMALL)
    assert (cell.start_pos, cell.end_pos, cell.score) == (5, 3, 11.0)
    assert cell.reason == "end before start"
    assert spans.top_spans(*reading.logits(0), reading.windows[0], SMALL)[0].tolist() == [5, 5]


def test_separate_argmaxes_ignore_the_question():
    cell = spans.separate_argmaxes(t1(), 0, SMALL)
    assert (cell.start_pos, cell.end_pos, cell.reason) == (4, 4, None)


def test_shares_are_over_the_list():
    assert spans.shares(np.array([1.0, 1.0, -np.inf])).tolist() == pytest.approx([0.5, 0.5, 0.0])
    assert len(spans.shares(np.array([]))) == 0
