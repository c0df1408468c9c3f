"""One logit number by number, and one question's best span, on numbers that are written out."""

import numpy as np
import pytest

from qa_demo.core.heads import HeadWeights, asked_by, holds, products_of
from qa_demo.core.types import DecodeOptions, Span
from tests.core.toys import t1

HEADS = HeadWeights(np.array([0.5, -1.0, 2.0]), np.array([1.0, 0.0, 0.0]), -0.25, 0.5)
FIRST, SECOND = np.array([1.0, -0.5, 2.5]), np.array([-1.0, 0.5, -2.5])


def test_products_and_bias_add_up_to_the_logit_of_each_lane() -> None:
    p = products_of(HEADS, [FIRST, SECOND], "start")
    assert p.all.tolist() == [0.5, 0.5, 5.0]
    assert p.order == [2, 0, 1], "of equals the lower number first"
    assert p.total == 5.75
    assert products_of(HEADS, [FIRST], "end").total == 1.5
    assert p.digits == (3, 2), "the fewest that are right"


@pytest.mark.parametrize(
    ("x", "y", "digits", "found"),
    [(0.125, 8.0, (3, 2), True), (0.125, 8.0, (1, 1), False), (-0.0001, 1.0, (3, 2), True)],
)
def test_whether_printed_factors_give_the_printed_product(
    x: float, y: float, digits: tuple[int, int], found: bool
) -> None:
    assert holds(x, y, digits) == found


def test_a_piece_is_looked_at_in_the_best_spans_window_where_it_can() -> None:
    found = asked_by(t1(), DecodeOptions())
    best = found.reading.windows[found.best.window]
    for d in range(6):
        index, pos = found.place(d)
        window = found.reading.windows[index]
        assert window.holds(Span(d, d))
        assert index == best.index or not best.holds(Span(d, d))
        logits = found.reading.logits(index)
        assert found.at(d).tolist() == [float(row[pos]) for row in logits]
