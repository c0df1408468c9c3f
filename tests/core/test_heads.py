"""S and E as vectors: products by dimension on whole numbers, logits changed by hand."""

import math

import numpy as np
import pytest

from qa_demo.by_hand import apply_edits
from qa_demo.core.base import BadInput
from qa_demo.core.heads import HeadWeights, Products
from tests.core.toys import t1


@pytest.mark.parametrize("lane", ["start", "end"])
@pytest.mark.parametrize("size", [3, 8, 24])
def test_products_stand_in_order_and_add_up_with_the_bias_to_the_logit(lane, size):
    rng = np.random.default_rng(3)
    S, E, tokens = (rng.normal(0, 2, (n, size)).round() for n in (1, 1, 7))  # many equal products
    heads = HeadWeights(S[0], E[0], 0.25, -1.5)
    vector, bias = (heads.S, heads.b_S) if lane == "start" else (heads.E, heads.b_E)
    for token in tokens:
        p = Products(heads, token, lane)
        by_hand = [float(x) * float(y) for x, y in zip(vector, token, strict=True)]
        assert p.total == pytest.approx(math.fsum(by_hand) + bias, abs=1e-9)
        assert p.sum_of(p.first) + p.sum_of(p.others) + p.bias == pytest.approx(p.total, abs=1e-9)
        assert len(p.first) == min(8, size) and p.first + p.others == p.order
        assert p.order == sorted(range(size), key=lambda k: (-abs(by_hand[k]), k))


def test_a_logit_changed_by_hand_and_one_that_is_not_there():
    reading = t1()
    bent = apply_edits(reading, {("start", 0, 5): 9.0})
    assert bent.start_logits[0, 5] == 9.0 and reading.start_logits[0, 5] != 9.0
    assert np.array_equal(bent.end_logits, reading.end_logits, equal_nan=True)
    assert bent.windows is reading.windows
    for place in (("start", 99, 0), ("start", 0, 999)):
        with pytest.raises(BadInput, match="must name"):
            apply_edits(reading, {place: 1.0})
