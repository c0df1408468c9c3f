"""The lead over "no answer" on a reading of two windows that is written out."""

from dataclasses import replace

import numpy as np

from qa_demo.core.measuring.leads import lead_of
from qa_demo.core.predict import predict
from tests.core.toys import one_window, t1


def test_the_lead_is_over_the_smallest_no_answer_of_all_windows() -> None:
    reading = t1()
    found = lead_of(reading, predict(reading).best.candidate, 0.0, True)
    assert (found.best.score, found.null, found.lead) == (7.5, 1.5, 6.0)
    assert (found.window, found.start, found.end) == (0, 1.0, 0.5), "the second's is 9"


def test_no_answer_is_read_where_the_reader_keeps_it() -> None:
    reading = one_window([1, 2, 3, 4], [4, 3, 2, 1], null=(0.5, 0.25))
    best = predict(reading).best.candidate
    last = len(reading.windows[0]) - 1
    window = replace(reading.windows[0], cls_at=last)
    start, end = (np.array(x, copy=True) for x in (reading.start_logits, reading.end_logits))
    start[0, last], end[0, last] = 7.0, -2.0
    moved = replace(reading, windows=(window,), start_logits=start, end_logits=end)
    found = lead_of(moved, best, None, True)
    assert (found.start, found.end, found.null) == (7.0, -2.0, 5.0)
