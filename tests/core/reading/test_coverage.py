"""Out of reach: counted by hand, and against every span of many plans."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_demo.core.errors import BadInput
from qa_demo.core.reading.coverage import copies, cuts, halves, reach, read_plan
from qa_demo.core.reading.windows import plan
from qa_demo.core.types import Span
from tests.core.toys import t1


def test_two_windows_by_hand() -> None:
    found = reach(plan(7, 4, 3), 3)  # [0, 4) owns 0-3, [3, 7) owns 4-6
    assert found.missing.tolist() == [0, 0, 1, 2, 0, 0, 0]
    assert (found.n_missing, found.n_spans, found.safe_length) == (3, 18, 1)


@given(
    n=st.integers(1, 60),
    room=st.integers(1, 20),
    step=st.integers(1, 20),
    longest=st.integers(1, 12),
)
def test_counts_equal_every_span_tried(n: int, room: int, step: int, longest: int) -> None:
    layout = plan(n, room, min(step, room))
    every = [Span(a, b) for a in range(n) for b in range(a, n)]
    cut = [s for s in every if s.end >= layout.stops[layout.owner[s.start]]]
    spans, lost = ([s for s in some if len(s) <= longest] for some in (every, cut))
    found = reach(layout, longest)
    assert found.missing.tolist() == [sum(s.start == d for s in lost) for d in range(n)]
    assert (found.n_missing, found.n_spans) == (len(lost), len(spans))
    assert [c.span for c in cuts(layout, spans)] == lost
    assert found.safe_length == (min(map(len, cut)) - 1 if cut else None)
    places = list(zip(layout.starts, layout.stops, strict=True))
    assert copies(layout).tolist() == [sum(a <= d < b for a, b in places) for d in range(n)]


def test_the_longest_safe_span_is_at_least_half_the_overlap_and_one() -> None:
    for n, room, step in ((60, 14, 10), (60, 14, 6), (400, 369, 128)):
        layout = plan(n, room, step)
        assert (reach(layout, 30).safe_length or 0) >= layout.overlap // 2 + 1


def test_a_cut_span_names_the_window_that_holds_it() -> None:
    [cut] = cuts(plan(9, 5, 2), [Span(3, 5), Span(0, 1)])  # [0, 5) owns 0-3, [2, 7) holds 3-5
    assert (cut.span, cut.owner, cut.whole_in) == (Span(3, 5), 0, (1,))
    assert cuts(plan(7, 4, 3), [Span(2, 5)])[0].whole_in == ()
    with pytest.raises(BadInput, match="7 word pieces, got a span that ends at 7"):
        cuts(plan(7, 4, 3), [Span(2, 7)])


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
