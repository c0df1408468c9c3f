"""Temperature: probabilities at hand, the marginal against every tagging, and a fit that finds
what was hidden.
"""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_demo.core.arrays import log_softmax
from qa_demo.core.bio import B, I, O, span_marginals
from qa_demo.core.errors import BadInput
from qa_demo.core.spans import window_prob
from qa_demo.core.temperature import PairClaim, TagClaim, fit, lowest, negative_log_likelihood
from tests.fakes import FakeReader


def test_a_pair_by_hand() -> None:
    claim = PairClaim(np.log([1.0, 4.0]), np.log([4.0, 1.0]), 1, 0)
    assert claim.prob(1) == pytest.approx(0.8 * 0.8)
    assert claim.prob(2) == pytest.approx((2 / 3) ** 2)  # the odds 4 : 1 become 2 : 1


def test_a_pair_is_the_probability_in_its_window() -> None:
    reading = FakeReader().read("Who said so?", "The ship sailed on, said Ada.")
    start, end = reading.logits(0)
    for t in (0.5, 1.0, 3.0):
        assert PairClaim(start, end, 4, 5).prob(t) == pytest.approx(
            window_prob(reading, 0, 4, 5, t)
        )


LOGITS = st.lists(st.tuples(*[st.floats(-4, 4)] * 3), min_size=1, max_size=5)


def every_tagging(tags: np.ndarray, i: int, j: int) -> float:
    """The share of the legal taggings, weighted by their probability, in which i..j is a span."""
    p, whole, held = np.exp(log_softmax(tags)), 0.0, 0.0
    for path in itertools.product((B, I, O), repeat=len(tags)):
        if all(tag != I or (t and path[t - 1] != O) for t, tag in enumerate(path)):
            weight = float(np.prod([p[t, tag] for t, tag in enumerate(path)]))
            ends = j + 1 == len(tags) or path[j + 1] != I
            whole += weight
            held += weight * (
                path[i] == B and all(tag == I for tag in path[i + 1 : j + 1]) and ends
            )
    return held / whole


@settings(deadline=None, max_examples=50)
@given(LOGITS, st.floats(0.3, 3), st.data())
def test_a_tagged_span_is_its_exact_marginal(
    rows: list[tuple[float, float, float]], t: float, data: st.DataObject
) -> None:
    tags = np.array(rows)
    i = data.draw(st.integers(0, len(rows) - 1))
    j = data.draw(st.integers(i, len(rows) - 1))
    got = TagClaim(tags, i, j).prob(t)
    assert got == pytest.approx(every_tagging(tags / t, i, j), abs=1e-12)
    assert got == pytest.approx(span_marginals(log_softmax(tags / t), 30)[i, j - i], abs=1e-12)


def test_the_likelihood_by_hand() -> None:
    assert negative_log_likelihood(np.array([0.5, 0.25]), np.array([1.0, 0.0])) == pytest.approx(
        -(np.log(0.5) + np.log(0.75)) / 2
    )
    assert np.isfinite(negative_log_likelihood(np.array([1.0]), np.array([0.0])))
    with pytest.raises(BadInput, match="got 2 and 1"):
        negative_log_likelihood(np.ones(2), np.ones(1))


@settings(deadline=None, max_examples=25)
@given(st.floats(0.08, 12))
def test_the_lowest_point_of_a_valley_is_found(hidden: float) -> None:
    assert lowest(lambda t: np.log(t / hidden) ** 2) == pytest.approx(hidden, rel=1e-4)


@pytest.mark.parametrize("hidden", [0.5, 2.0])
def test_a_temperature_that_made_the_outcomes_is_found_again(hidden: float) -> None:
    rng = np.random.default_rng(4)
    claims = []
    for _ in range(500):
        s, e = rng.normal(0, 2, 6), rng.normal(0, 2, 6)
        claims.append(PairClaim(s, e, int(s.argmax()), int(e.argmax())))
    right = [float(rng.random() < c.prob(hidden)) for c in claims]
    assert fit(claims, right) == pytest.approx(hidden, rel=0.3)


def test_one_kind_of_outcome_fits_nothing() -> None:
    with pytest.raises(BadInput, match="got 2 right of 2"):
        fit([PairClaim(np.zeros(2), np.zeros(2), 0, 0)] * 2, [1.0, 1.0])
    with pytest.raises(BadInput, match="got 0 right of 0"):
        fit([], [])
