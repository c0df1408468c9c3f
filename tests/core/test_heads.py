"""S and E as vectors: products by dimension on numbers written out, logits changed by hand."""

import math

import numpy as np
import pytest

from qa_demo.by_hand import apply_edits
from qa_demo.core.base import BadInput
from qa_demo.core.heads import HeadWeights, Products
from tests.core.toys import t1


def test_of_equal_products_the_lower_dimension_is_first():
    heads = HeadWeights(np.array([0.5, -1.0, 2.0]), np.zeros(3), -0.25, 0.5)
    p = Products(heads, np.array([1.0, -0.5, 2.5]), "start")  # 0.5, 0.5 and 5
    assert (p.order, p.total) == ([2, 0, 1], 5.75)


@pytest.mark.parametrize("lane", ["start", "end"])
@pytest.mark.parametrize("size", [3, 8, 24])
def test_the_largest_products_the_rest_and_the_bias_add_up_to_the_logit(lane, size):
    rng = np.random.default_rng(3)
    heads = HeadWeights(rng.normal(size=size), rng.normal(size=size), 0.25, -1.5)
    vector, bias = (heads.S, heads.b_S) if lane == "start" else (heads.E, heads.b_E)
    for token in rng.normal(size=(7, size)):
        p = Products(heads, token, lane)
        by_hand = [float(x) * float(y) for x, y in zip(vector, token, strict=True)]
        assert p.total == pytest.approx(math.fsum(by_hand) + bias, abs=1e-9)
        assert p.sum_of(p.first) + p.sum_of(p.others) + p.bias == pytest.approx(p.total, abs=1e-9)
        assert len(p.first) == min(8, size) and sorted(p.first + p.others) == list(range(size))
        largest = sorted(map(abs, by_hand), reverse=True)[:8]
        assert [abs(by_hand[k]) for k in p.first] == pytest.approx(largest)


def test_a_logit_changed_by_hand_and_one_that_is_not_there():
    reading = t1()
    bent = apply_edits(reading, {("start", 0, 5): 9.0})
    assert bent.start_logits[0, 5] == 9.0 and reading.start_logits[0, 5] != 9.0
    assert np.array_equal(bent.end_logits, reading.end_logits, equal_nan=True)
    assert bent.windows is reading.windows
    for place in (("start", 99, 0), ("start", 0, 999)):
        with pytest.raises(BadInput, match="must name"):
            apply_edits(reading, {place: 1.0})
