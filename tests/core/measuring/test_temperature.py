"""Temperature by hand, the marginal of the tags, a fit that finds what was hidden."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_demo.core.base import BadInput, log_softmax
from qa_demo.core.bio import span_marginals
from qa_demo.core.measuring.temperature import (
    PairClaim,
    TagClaim,
    best_bias,
    chance,
    fit,
    log_odds,
    lowest,
    negative_log_likelihood,
    pair_claim,
    shifted,
)
from qa_demo.core.predict import predict
from qa_demo.core.types import Calibration, Span, WindowOptions
from tests.fakes import FakeReader


def test_a_pair_by_hand() -> None:
    claim = PairClaim(np.log(4.0), np.log([1.0, 4.0, 3.0]))
    assert claim.prob(1) == pytest.approx(0.5)
    assert claim.prob(0.5) == pytest.approx(16 / 26)  # shares are squared


def test_a_pair_is_its_share_of_all_legal_pairs() -> None:
    text = " ".join(f"Anna {k} met Berta in Prague, and Karl {k} came later." for k in range(8))
    reading = FakeReader().read("Who met Berta?", text, WindowOptions(40, 10))
    total = sum(
        np.exp(float(s[i]) + float(e[j]))
        for w in reading.windows
        for s, e in [reading.logits(w.index)]
        for i in np.flatnonzero(w.is_max_context).tolist()
        for j in range(i, min(i + 30, int(np.flatnonzero(w.is_context)[-1]) + 1))
    )
    assert len(reading.windows) > 2
    for ranked in predict(reading).n_best:
        claim, share = pair_claim(reading, ranked.candidate), np.exp(ranked.value) / total
        assert claim is not None and claim.prob(1.0) == pytest.approx(share, rel=1e-6)


def test_a_span_that_is_not_legal_makes_no_claim() -> None:
    reading = FakeReader().read("Who said so?", "Ada " * 40)
    best = predict(reading).best
    assert best is not None
    long = replace(best.candidate, span=Span(0, 30))
    assert pair_claim(reading, replace(long, span=Span(0, 29))) is not None
    assert pair_claim(reading, long) is None


def test_the_shift_by_hand_and_at_the_edges() -> None:
    assert shifted(np.array([0.5, 0.2]), np.log(4)) == pytest.approx([0.8, 0.5])
    assert log_odds(np.array([0.5, 0.8])) == pytest.approx([0.0, np.log(4)])
    assert np.isfinite(log_odds(np.array([0.0, 1.0]))).all()
    claim = PairClaim(0.0, np.zeros(2))
    assert chance(claim, Calibration(3.0, np.log(4))) == pytest.approx(0.8)


@settings(max_examples=50)
@given(st.lists(st.tuples(st.floats(0.01, 0.99), st.booleans()), min_size=2, max_size=30))
def test_the_best_bias_makes_the_mean_claim_the_share_of_right_ones(
    rows: list[tuple[float, bool]],
) -> None:
    p, y = np.array([r[0] for r in rows]), np.array([float(r[1]) for r in rows])
    bias = best_bias(p, y)
    if 0 < y.mean() < 1 and abs(bias) < 15:
        assert shifted(p, bias).mean() == pytest.approx(y.mean(), abs=1e-6)
        at = negative_log_likelihood(shifted(p, bias), y)
        for other in (bias - 0.1, bias + 0.1):
            assert at <= negative_log_likelihood(shifted(p, other), y) + 1e-9


LOGITS = st.lists(st.tuples(*[st.floats(-4, 4)] * 3), min_size=1, max_size=5)


@settings(max_examples=50)
@given(LOGITS, st.floats(0.3, 3), st.data())
def test_a_tagged_span_is_its_exact_marginal(
    rows: list[tuple[float, float, float]], t: float, data: st.DataObject
) -> None:
    tags = np.array(rows)
    i = data.draw(st.integers(0, len(rows) - 1))
    j = data.draw(st.integers(i, len(rows) - 1))
    got = TagClaim(tags, i, j).prob(t)
    assert got == pytest.approx(span_marginals(log_softmax(tags / t), 30)[i, j - i], abs=1e-12)


def test_the_likelihood_by_hand() -> None:
    found = negative_log_likelihood(np.array([0.5, 0.25]), np.array([1.0, 0.0]))
    assert found == pytest.approx(-(np.log(0.5) + np.log(0.75)) / 2)
    assert np.isfinite(negative_log_likelihood(np.array([1.0]), np.array([0.0])))
    with pytest.raises(BadInput, match="got 2 and 1"):
        negative_log_likelihood(np.ones(2), np.ones(1))


@settings(max_examples=25)
@given(st.floats(0.08, 12))
def test_the_lowest_point_of_a_valley_is_found(hidden: float) -> None:
    assert lowest(lambda t: np.log(t / hidden) ** 2) == pytest.approx(hidden, rel=1e-4)


@pytest.mark.parametrize(("hidden", "bias"), [(0.5, 1.5), (2.0, 0.0), (2.0, -1.0)])
def test_a_calibration_that_made_the_outcomes_is_found_again(hidden: float, bias: float) -> None:
    rng = np.random.default_rng(4)
    claims = [PairClaim(float(legal.max()), legal) for legal in rng.normal(0, 2, (3000, 6))]
    true = np.array([chance(c, Calibration(hidden, bias)) for c in claims])
    right = (rng.random(len(claims)) < true).astype(float)
    found = fit(claims, right.tolist())
    # The two can stand in for each other a little, so the claims are what is found again.
    assert found.temperature == pytest.approx(hidden, rel=0.4)
    assert found.bias == pytest.approx(bias, abs=0.6)
    assert np.abs([chance(c, found) for c in claims] - true).mean() < 0.02


def test_one_kind_of_outcome_fits_nothing() -> None:
    with pytest.raises(BadInput, match="got 2 right of 2"):
        fit([PairClaim(0.0, np.zeros(2))] * 2, [1.0, 1.0])
    with pytest.raises(BadInput, match="got 0 right of 0"):
        fit([], [])
