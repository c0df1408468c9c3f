"""The longest span that no window cuts: by hand, and against every span of many plans."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_demo.core.types import Span
from qa_demo.core.windows import halves, held, plan, read_plan, safe_length
from tests.core.toys import t1


def test_two_windows_by_hand() -> None:
    found = plan(7, 4, 3)  # [0, 4) owns 0-3, [3, 7) owns 4-6
    assert held(found).tolist() == [4, 3, 2, 1, 3, 2, 1] and safe_length(found) == 1


@given(n=st.integers(1, 60), room=st.integers(1, 20), step=st.integers(1, 20))
def test_the_safe_length_equals_every_span_tried(n: int, room: int, step: int) -> None:
    layout = plan(n, room, min(step, room))
    every = [Span(a, b) for a in range(n) for b in range(a, n)]
    cut = [s for s in every if s.end >= layout.stops[layout.owner[s.start]]]
    assert safe_length(layout) == (min(map(len, cut)) - 1 if cut else None)


def test_the_longest_safe_span_is_at_least_half_the_overlap_and_one() -> None:
    for n, room, step in ((60, 14, 10), (60, 14, 6), (400, 369, 128)):
        layout = plan(n, room, step)
        assert (safe_length(layout) or 0) >= layout.overlap // 2 + 1


def test_the_plan_of_a_reading_is_read_off_its_windows() -> None:
    read = read_plan(t1())
    assert (read.starts, read.stops, read.owner.tolist()) == ((0, 2), (4, 6), [0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize("n", range(5, 140))
def test_a_short_paragraph_can_be_cut_for_show(n: int) -> None:
    found = halves(n, 12)
    assert found is not None
    assert len(plan(n, found[0] - 12, found[1]).starts) == (2 if n in (5, 6, 9) else 3)
    assert halves(3, 12) is None
    assert np.all(plan(n, found[0] - 12, found[1]).owner >= 0)
