"""The parts of a long paragraph: whole words around spans."""

import numpy as np

from qa_demo.core.spans import count_spans, reason_codes
from qa_demo.core.types import DecodeOptions
from tests.core.toys import t1


def test_spans_are_counted_as_the_legal_cells() -> None:
    for most in (1, 2, 30):
        options = DecodeOptions(max_answer_length=most)
        at = np.arange(8)
        codes = [reason_codes(w, at[:, None], at[None, :], options) for w in t1().windows]
        cells = sum(int((found == 0).sum()) for found in codes)
        assert count_spans(t1().windows, options) == cells
