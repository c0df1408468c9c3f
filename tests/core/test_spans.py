"""Legality, counts and exact search, each against brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_demo.core import spans
from qa_demo.core.spans import ELSEWHERE, REASONS, count_spans, reason, reason_codes
from qa_demo.core.text import words_inside
from qa_demo.core.types import DecodeOptions, Span
from tests.core.toys import SEEDS, make_encoding, make_reading, random_reading, t1, with_offsets

SMALL = DecodeOptions(max_answer_length=3)


def brute_reason(window, i, j, max_length):
    """The rules once more, written as plain tests on one cell."""
    in_context = range(window.context_at, window.context_at + window.doc_stop - window.doc_start)
    if i not in in_context or j not in in_context:
        return "outside the paragraph"
    if j < i:
        return "end before start"
    if j - i >= max_length:
        return "too long"
    if not window.is_max_context[i]:
        return ELSEWHERE
    return None


@pytest.mark.parametrize("most", [1, 2, 3, 30])
def test_every_cell_has_the_right_reason_and_legal_ones_are_counted(most):
    options, found = DecodeOptions(max_answer_length=most), []
    for window in t1().windows:
        at = np.arange(len(window))
        matrix = reason_codes(window, at[:, None], at[None, :], options)
        for i in at:
            for j in at:
                want = brute_reason(window, i, j, most)
                assert reason(window, i, j, options) == want
                assert REASONS[matrix[i, j]] == (want or "legal")
                found.append(REASONS[matrix[i, j]])
    count = sum(count_spans(w, options) for w in t1().windows)
    assert count == found.count("legal")
    assert {*found} == {*REASONS} - ({"too long"} if most == 30 else set())


@settings(max_examples=60)
@given(SEEDS, st.integers(1, 14), st.integers(1, 16), st.integers(1, 30), st.booleans())
def test_exact_search_equals_brute_force(seed, n, max_length, top, coarse):
    reading, options = random_reading(seed, n, 6, 4), DecodeOptions(max_answer_length=max_length)
    for window in reading.windows:
        # coarse: many exact ties
        s, e = (np.round(x) if coarse else x for x in reading.logits(window.index))
        legal = [
            (-(float(s[i]) + float(e[j])), i, j)
            for i in range(len(s))
            for j in range(len(s))
            if brute_reason(window, i, j, max_length) is None
        ]
        wanted = [[i, j] for _, i, j in sorted(legal)]  # by the stated tie rule
        assert spans.top_spans(s, e, window, options, top).tolist() == wanted[:top]


def test_the_best_span_is_not_hidden_by_one_without_a_character_and_a_symbol_is_no_mark():
    logits = [0, 0, 0, 9, 1, 0]
    reading = make_reading(["a", "b"], [logits], [logits])
    reading = with_offsets(reading, np.array([(0, 0), (0, 1)]))
    one = DecodeOptions(max_answer_length=1, n_best_size=1)
    assert spans.best_span(reading, reading.windows[0], one).text == "a"
    reading = with_offsets(reading, np.zeros((2, 2), dtype=int))
    assert spans.best_span(reading, reading.windows[0], one) is None
    e = make_encoding(["Ada", "😀", "met", "5", "€", "…", "$"])
    inside = [words_inside(e, Span(*ends)) for ends in ((0, 1), (1, 2), (3, 5), (3, 3), (5, 6))]
    assert inside == [(0, 1), (1, 2), (3, 4), (3, 3), (-1, 5)]


def test_separate_argmaxes_can_be_illegal_and_ignore_the_question():
    start, end = ([0, 0, 0, 1, 2, 6, 0], [0, 0, 0, 5, 2, 1, 0])  # (3, 1) in the books' counting
    reading = make_reading(["a", "b", "c"], [start], [end])
    assert spans.separate_argmaxes(reading, 0, SMALL) == (5, 3, "end before start")
    assert spans.top_spans(*reading.logits(0), reading.windows[0], SMALL, 1).tolist() == [[5, 5]]
    assert spans.separate_argmaxes(t1(), 0, SMALL) == (4, 4, None)
