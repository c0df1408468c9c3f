"""Losses: the vectors, finite differences, and the bridge to the score; softmax at the edges."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_demo.core import base, losses, spans
from qa_demo.core.losses import Recorded, ReplayRows
from qa_demo.core.types import Span
from tests.core.toys import SEEDS, random_reading, t1


@settings(max_examples=30)
@given(seed=SEEDS, n=st.integers(1, 8))
def test_gradient_equals_finite_differences(seed, n):
    rng = np.random.default_rng(seed)
    logits, target = rng.normal(0, 2, n), rng.dirichlet(np.ones(n))
    gradient = losses.cross_entropy_gradient(logits, target)
    for k in range(n):
        step = np.eye(n)[k] * 1e-5
        above, below = (losses.cross_entropy(x, target) for x in (logits + step, logits - step))
        assert gradient[k] == pytest.approx((above - below) / 2e-5, abs=1e-7)
    assert gradient.sum() == pytest.approx(0, abs=1e-12)


def test_a_loss_by_hand_and_the_targets_of_a_window_that_cuts_the_answer():
    target = np.array([0.6, 0.3, 0.1])
    loss = losses.cross_entropy(np.log([0.7, 0.2, 0.1]), target)
    assert (loss, losses.entropy(target)) == pytest.approx((0.92710, 0.89795), abs=1e-5)
    assert losses.cross_entropy(np.array([0, -np.inf]), np.array([1, 0])) == 0
    first, second = t1().windows  # words 0-3 and 2-5
    gold = [Span(1, 3), None]
    starts, ends = (x.tolist() for x in losses.start_end_targets(first, gold))
    assert (starts, ends) == ([0.5, 0, 0, 0, 0.5, 0, 0, 0], [0.5, 0, 0, 0, 0, 0, 0.5, 0])
    for window, cut in ((second, gold), (first, [Span(3, 5)])):
        assert [x.tolist() for x in losses.start_end_targets(window, cut)] == [[1] + [0] * 7] * 2
    tags, labelled = losses.tag_targets(second, [Span(1, 3)])
    assert [tags[k].tolist() for k in (3, 4, 5)] == [[0, 1, 0], [0, 1, 0], [0, 0, 1]]
    assert np.flatnonzero(labelled).tolist() == [4, 5, 6], "the leading I carries no loss"
    tags, labelled = losses.tag_targets(first, [Span(3, 5)])
    assert tags[6].tolist() == [1, 0, 0] and labelled[6]


def test_start_end_loss_is_the_mean_over_windows_and_heads():
    reading, gold = t1(), [Span(1, 1)]
    terms = losses.start_end_loss(reading, gold)
    assert [(t.name, t.weight, t.over) for t in terms] == [("start", 0.5, 2), ("end", 0.5, 2)]
    by_hand = []
    for logits in (reading.start_logits, reading.end_logits):
        p = np.exp(logits.astype(float)) / np.exp(logits.astype(float)).sum(axis=1, keepdims=True)
        # window 1 does not hold the answer: [CLS]
        by_hand.append(-(np.log(p[0, 4]) + np.log(p[1, 0])) / 2)
    assert [t.value for t in terms] == pytest.approx(by_hand)
    assert losses.total(terms) == pytest.approx(sum(by_hand) / 2)


@given(seed=SEEDS)
def test_the_bridge_between_loss_and_score(seed):
    rng = np.random.default_rng(seed)
    reading = random_reading(rng, 8, 8, 8)
    i, j = sorted(rng.integers(0, 8, 2).tolist())
    loss = losses.total(losses.start_end_loss(reading, [Span(i, j)]))
    s, e = (x.astype(float) for x in reading.logits(0))
    score = s[3 + i] + e[3 + j]
    assert 2 * loss == pytest.approx(np.log(np.exp(s).sum()) + np.log(np.exp(e).sum()) - score)
    assert spans.window_prob(reading, 0, 3 + i, 3 + j) == pytest.approx(np.exp(-2 * loss))


def test_recorded_moments_end_with_the_reader_on_screen():
    rng, targets = np.random.default_rng(2), (np.eye(5)[1], np.full(5, 0.2))
    start, end, (s, e) = rng.normal(size=(3, 5)), rng.normal(size=(3, 5)), rng.normal(size=(2, 5))
    r = Recorded(ReplayRows((0, 128, 900), 0, start, end), (s, e), targets)
    assert r.last == 2
    np.testing.assert_array_equal(r.start, [*start[:2], s])
    np.testing.assert_array_equal(r.end, [*end[:2], e])
    alone = Recorded(None, (s, e), targets)
    assert alone.steps == (0,) and alone.costs[0] == pytest.approx(r.costs[2])


@pytest.mark.parametrize("size", [1e3, 1e8, 1e15, 3e38])
def test_softmax_neither_overflows_nor_underflows(size):
    """-1e15 - log 2 is no double, so the logarithm must be taken after the shift."""
    assert base.softmax(np.full(2, size)).tolist() == [0.5, 0.5]
    assert base.softmax(np.full(3, -size)) == pytest.approx([1 / 3] * 3)
    assert base.log_softmax(np.array([0.0, -5000.0])).tolist() == [0.0, -5000.0]
    assert base.softmax(np.array([3.0, -np.inf])).tolist() == [1.0, 0.0]
