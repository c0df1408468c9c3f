"""Rollout and gradient x attention by hand, row sums."""

import numpy as np
import pytest

from qa_demo.core.attention import Attention, gradient_attention, relevance_of, rollout
from qa_demo.core.attribution import Target
from qa_demo.core.base import BadInput
from qa_demo.core.types import Span
from tests.core.toys import t1

A1 = np.array([[[1, 0, 0], [0.5, 0.5, 0], [0, 0.5, 0.5]]])
A2 = np.array([[[0.5, 0.5, 0], [0, 1, 0], [0.25, 0.25, 0.5]]])


def random_attention(
    rng: np.random.Generator, n: int, shape: tuple[int, int] = (2, 3), sharp: float = 1.0
) -> np.ndarray:
    return rng.dirichlet(np.full(n, sharp), size=(*shape, n)).astype(np.float32)


def test_rollout_by_hand() -> None:
    # A'_1 = [1 0 0; .25 .75 0; 0 .25 .75], A'_2 = [.75 .25 0; 0 1 0; .125 .125 .75]; R = A'_2 A'_1
    by_hand = [[0.8125, 0.1875, 0], [0.25, 0.75, 0], [0.15625, 0.28125, 0.5625]]
    np.testing.assert_allclose(rollout([A1, A2]), by_hand)


def test_rollout_averages_heads_first_and_rows_sum_to_one() -> None:
    weights = random_attention(np.random.default_rng(0), 6)
    np.testing.assert_allclose(rollout(weights).sum(axis=1), 1, atol=1e-6)
    averaged = rollout(weights.mean(axis=1, keepdims=True))
    np.testing.assert_allclose(rollout(weights), averaged, atol=1e-6)


def test_gradient_attention_by_hand() -> None:
    weights = [np.array([[[0.5, 0.5], [0, 1]]]), np.array([[[1, 0], [0.5, 0.5]]])]
    gradients = [np.array([[[2, -2], [1, 1]]]), np.array([[[1, 5], [4, -1]]])]
    # B_1 = [1 0; 0 1], B_2 = [1 0; 2 0]
    found = gradient_attention(weights, gradients)
    np.testing.assert_allclose(found, [[3, 0], [4, 1]])  # [2 0; 0 2] + B_2 [2 0; 0 2] - I


def test_gradient_attention_means_over_heads_after_the_clip() -> None:
    weights, gradient = np.array([[[[1.0]], [[1.0]]]]), np.array([[[[4.0]], [[-4.0]]]])
    np.testing.assert_allclose(gradient_attention(weights, gradient), [[2.0]])


def test_rows_that_do_not_sum_to_one_are_refused() -> None:
    weights = random_attention(np.random.default_rng(1), 5)
    assert Attention(weights).n_heads == 3
    broken = weights.copy()
    broken[1, 2, 3] *= 1.01
    with pytest.raises(BadInput, match=r"must sum to 1, one is off by 0\.01"):
        Attention(broken)
    broken = weights.copy()
    broken[1, 2, 3] = np.nan
    with pytest.raises(BadInput, match="off by inf"):
        Attention(broken)
    with pytest.raises(BadInput, match="layer, head, query, key"):
        Attention(weights[0])
    with pytest.raises(BadInput, match="no head 3 in layer 0; layers are 0 to 1, heads 0 to 2"):
        Attention(weights).row(0, 3, 0)
    with pytest.raises(BadInput, match="no position 5"):
        Attention(weights).row(0, 0, 5)
    assert Attention(weights).row(1, 2, 3).tolist() == weights[1, 2, 3].tolist()


def test_relevance_reads_the_rows_of_start_and_end() -> None:
    reading = t1()
    window = reading.windows[0]
    rng = np.random.default_rng(7)
    found = Attention(random_attention(rng, 8))
    target = Target("span_score", Span(0, 2))  # positions 3 and 5
    raw = relevance_of("attention", found, target, window)
    np.testing.assert_allclose(raw.start, found.weights[:, :, 3].mean(axis=(0, 1)), atol=1e-6)
    np.testing.assert_allclose(raw.end, found.weights[:, :, 5].mean(axis=(0, 1)), atol=1e-6)
    rolled = relevance_of("rollout", found, target, window)
    np.testing.assert_allclose(rolled.total, rollout(found.weights)[[3, 5]].sum(axis=0))
    gradient = rng.normal(size=found.weights.shape)
    weighted = relevance_of("gradient_x_attention", found, target, window, (gradient, -gradient))
    np.testing.assert_allclose(weighted.start, gradient_attention(found.weights, gradient)[3])
    np.testing.assert_allclose(weighted.end, gradient_attention(found.weights, -gradient)[5])
    only_start = relevance_of("rollout", found, Target("start_logit", Span(0, 2)), window)
    assert not only_start.end.any() and only_start.start.any()
    with pytest.raises(BadInput, match="needs the gradient"):
        relevance_of("gradient_x_attention", found, target, window)
    with pytest.raises(BadInput, match="one of attention, rollout"):
        relevance_of("saliency", found, target, window)
