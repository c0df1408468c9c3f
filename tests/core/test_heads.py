"""S and E as vectors: sums per dimension, the bias that changes nothing."""

import math
from dataclasses import replace

import numpy as np
import pytest

from qa_demo.core.base import BadInput, softmax
from qa_demo.core.heads import HeadWeights, anatomy, angle, plane
from qa_demo.core.predict import predict
from tests.core.toys import t1


@pytest.mark.parametrize("lane", ["start", "end"])
@pytest.mark.parametrize("top", [0, 1, 8, 24, 40])
def test_products_rest_and_bias_add_up_to_the_logit(lane: str, top: int) -> None:
    rng = np.random.default_rng(3)
    heads = HeadWeights(rng.normal(size=24), rng.normal(size=24), 0.25, -1.5)
    hidden = rng.normal(size=(7, 24)).astype(np.float32)
    vector, bias = (heads.S, heads.b_S) if lane == "start" else (heads.E, heads.b_E)
    for token in hidden:
        found = anatomy(heads, token, lane, top)
        taken = sum(found.products) + found.rest + found.bias
        products = (float(x) * float(y) for x, y in zip(vector, token, strict=True))
        assert taken == pytest.approx(math.fsum(products) + bias, abs=1e-9)
        assert len(found.products) == min(top, 24) and found.n_rest == 24 - len(found.products)
        for k, product in zip(found.dimensions, found.products, strict=True):
            assert product == pytest.approx(float(vector[k]) * float(token[k]))
        sizes = [abs(p) for p in found.products]
        assert sizes == sorted(sizes, reverse=True)
        others = [abs(float(vector[k] * token[k])) for k in range(24) if k not in found.dimensions]
        assert not others or not sizes or max(others) <= sizes[-1] + 1e-6


def test_the_plane_is_the_two_logits() -> None:
    heads = HeadWeights(np.array([1.0, 2.0]), np.array([0.0, -1.0]), 0.5, 3.0)
    points = plane(heads, np.array([[1.0, 1.0], [2.0, 0.0]]))
    np.testing.assert_allclose(points, [[3.5, 2.0], [2.5, 3.0]])


def test_a_moved_bias_moves_every_logit_and_no_probability_or_winner() -> None:
    reading = t1()
    s, e = reading.logits(0)
    moved_s, moved_e = s.astype(np.float64) + 2.5, e.astype(np.float64) - 7.0
    assert (moved_s != s).all() and (moved_e != e).all()
    np.testing.assert_allclose(softmax(moved_s), softmax(s), atol=1e-12)
    np.testing.assert_allclose(softmax(moved_e), softmax(e), atol=1e-12)
    assert -np.log(softmax(moved_s)[4]) == pytest.approx(-np.log(softmax(s)[4]))
    both = {"start_logits": reading.start_logits + 3, "end_logits": reading.end_logits + 3}
    shifted = replace(reading, **both)
    before, after = predict(reading), predict(shifted)
    assert [r.candidate.text for r in before.n_best] == [r.candidate.text for r in after.n_best]
    assert after.score_diff == pytest.approx(before.score_diff)
    assert after.null_score == pytest.approx(before.null_score + 6.0)


def test_wrong_shapes_are_named() -> None:
    with pytest.raises(BadInput, match=r"one length, got the shapes \(3,\) and \(4,\)"):
        HeadWeights(np.ones(3), np.ones(4), 0.0, 0.0)
    with pytest.raises(BadInput, match=r"W \[3, 2\]"):
        HeadWeights(np.ones(2), np.ones(2), 0.0, 0.0, np.ones((2, 2)), np.ones(2))
    heads = HeadWeights(np.ones(2), np.ones(2), 0.0, 0.0)
    with pytest.raises(BadInput, match="vector of length 2"):
        anatomy(heads, np.ones(3), "start")
    with pytest.raises(BadInput, match="the lane must be one of start, end, got 'middle'"):
        anatomy(heads, np.ones(2), "middle")
    with pytest.raises(BadInput, match="no direction"):
        angle(np.zeros(2), np.ones(2))
    assert angle(np.array([1.0, 0.0]), np.array([0.0, 2.0])) == pytest.approx(90.0)
