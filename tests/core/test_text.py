"""The parts of a long paragraph: whole words around spans."""

from dataclasses import replace

import numpy as np

from qa_demo.core.spans import count_spans, reason_codes
from qa_demo.core.text import excerpts
from qa_demo.core.types import DecodeOptions, Span
from tests.core.toys import make_encoding, t1

LONG = make_encoding(["word"] * 400)


def test_a_part_holds_its_span_and_about_so_many_characters_around_it() -> None:
    assert excerpts(LONG, [Span(100, 101)], 50) == [(90, 112)], "ten words of five before it"
    assert excerpts(LONG, [Span(0, 0)], 50)[0][0] == 0
    assert excerpts(LONG, [Span(399, 399)], 50)[0][1] == 400


def test_near_parts_are_one_and_far_parts_are_shorter() -> None:
    assert len(excerpts(LONG, [Span(100, 100), Span(110, 110)], 50)) == 1
    far = excerpts(LONG, [Span(20, 20), Span(300, 300)], 50)
    assert [last - first for first, last in far] == [11, 11]


def test_a_part_begins_and_ends_with_a_whole_word() -> None:
    pairs = replace(LONG, whitespace_ids=np.arange(400) // 2)
    for k in range(100, 104):
        first, last = excerpts(pairs, [Span(k, k)], 50)[0]
        assert first % 2 == 0
        assert last % 2 == 0


def test_spans_are_counted_as_the_legal_cells() -> None:
    for most in (1, 2, 30):
        options = DecodeOptions(max_answer_length=most)
        at = np.arange(8)
        codes = [reason_codes(w, at[:, None], at[None, :], options) for w in t1().windows]
        cells = sum(int((found == 0).sum()) for found in codes)
        assert count_spans(t1().windows, options) == cells
