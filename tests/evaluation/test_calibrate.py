"""Fits found again from outcomes that they made, and never judged on articles that they saw."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_demo.core.base import BadInput, log_softmax
from qa_demo.core.bio import span_marginals
from qa_demo.core.calibration import PairClaim, answerable, chance, shifted
from qa_demo.core.metrics import calibration, calibration_error
from qa_demo.core.types import Answerability, Calibration
from qa_demo.evaluation.calibrate import (
    TEMPERATURES,
    Asked,
    KeptClaim,
    TagClaim,
    best_bias,
    claim_reliability,
    fit,
    fit_answerable,
    halves,
    lowest,
    negative_log_likelihood,
    reliability,
)


def pair(legal: np.ndarray) -> PairClaim:
    """The highest of some scores, each of another text."""
    return PairClaim(legal.max(keepdims=True), legal)


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


@settings(max_examples=25)
@given(st.floats(0.08, 12))
def test_the_lowest_point_of_a_valley_is_found(hidden: float) -> None:
    assert lowest(lambda t: np.log(t / hidden) ** 2) == pytest.approx(hidden, rel=1e-4)


@pytest.mark.parametrize(("hidden", "bias"), [(0.5, 1.5), (2.0, 0.0), (2.0, -1.0)])
def test_a_calibration_that_made_the_outcomes_is_found_again(hidden: float, bias: float) -> None:
    rng = np.random.default_rng(4)
    claims = [pair(legal) for legal in rng.normal(0, 2, (3000, 6))]
    true = np.array([chance(c.prob(hidden), Calibration(hidden, bias)) for c in claims])
    right = (rng.random(len(claims)) < true).astype(float)
    found = fit(claims, right.tolist())
    # The two can stand in for each other a little, so the claims are what is found again.
    assert found.temperature == pytest.approx(hidden, rel=0.4)
    assert found.bias == pytest.approx(bias, abs=0.6)
    assert np.abs([chance(c.prob(found.temperature), found) for c in claims] - true).mean() < 0.02


def test_one_kind_of_outcome_fits_nothing() -> None:
    with pytest.raises(BadInput, match="got 2 right of 2"):
        fit([pair(np.zeros(2))] * 2, [1.0, 1.0])
    with pytest.raises(BadInput, match="got 0 right of 0"):
        fit([], [])


def test_what_a_line_keeps_fits_as_the_scores_do() -> None:
    rng = np.random.default_rng(4)
    claims = [pair(legal) for legal in rng.normal(0, 2, (800, 6))]
    right = (rng.random(800) < [chance(c.prob(1.7), Calibration(1.7, 0.8)) for c in claims]) * 1.0
    kept = [KeptClaim([c.prob(t) for t in TEMPERATURES]) for c in claims]
    for t in (0.06, 0.7, 1.31, 2.9, 19.0):
        gaps = [abs(a.prob(t) - b.prob(t)) for a, b in zip(claims, kept, strict=True)]
        assert max(gaps) < 0.005
    own, again = fit(claims, right.tolist()), fit(kept, right.tolist())
    assert again.temperature == pytest.approx(own.temperature, rel=0.02)
    assert again.bias == pytest.approx(own.bias, abs=0.02)


@given(st.integers(0, 10_000))
def test_at_the_fit_no_gradient_is_left(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 5, 200)
    y = rng.random(200) < 1 / (1 + np.exp(-(0.3 * x + 0.4)))
    y[:4], x[:4] = (True, False, False, True), (0.0, 0.1, 0.0, 0.1)
    found = fit_answerable(x.tolist(), y.tolist())
    left = np.array([answerable(v, found) for v in x]) - y
    assert abs(left.mean()) < 1e-6 and abs((left * x).mean()) < 1e-5


def test_slope_and_intercept_that_made_the_outcomes_are_found_again() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(2, 6, 40_000)
    y = rng.random(40_000) < 1 / (1 + np.exp(-(0.27 * x - 0.34)))
    found = fit_answerable(x.tolist(), y.tolist())
    assert found.slope == pytest.approx(0.27, abs=0.01)
    assert found.intercept == pytest.approx(-0.34, abs=0.03)


@pytest.mark.parametrize(
    ("margins", "answers", "said"),
    [
        ([], [], "got 0 with one of 0"),
        ([1.0, 2.0], [True, True], "got 2 with one of 2"),
        ([-1.0, 1.0], [False, True], "one margin parts all questions"),
        ([-1.0, 1.0], [True, False], "one margin parts all questions"),
        ([-1.0, 1.0, 0.0, 0.5], [True, False, False, True], "must make an answer likelier"),
    ],
)
def test_what_cannot_be_fitted(margins: list[float], answers: list[bool], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        fit_answerable(margins, answers)


def test_the_claim_comes_true_where_half_of_the_texts_are_silent() -> None:
    """Outcomes drawn from known chances: the product misses by little more than their draw, the
    chance that holds where there is an answer by about the half that have none.
    """
    rng = np.random.default_rng(7)
    asked = []
    for k in range(4000):
        lead = float(rng.normal(0, 6))
        scores = rng.normal(0, 2, 5)
        claim = pair(scores)
        answers = bool(rng.random() < answerable(lead, Answerability(0.4, 0.0)))
        right = answers and bool(rng.random() < chance(claim.prob(1.0), Calibration(1.0, 0.5)))
        asked.append(Asked(f"article {k % 40}", answers, claim, 0.5, lead, right))
    found = claim_reliability(asked)
    assert found["measured_on"] == 4000 == sum(b["count"] for b in found["bins"])
    assert found["unanswerable"] == sum(not one.answerable for one in asked)
    assert found["error"] < found["chance_error"] + 0.02 < 0.05 < 0.2 < found["error_conditional"]
    assert found["slope"] == pytest.approx(0.4, abs=0.05)
    assert {half["fitted_on"] for half in found["halves"]} == {2000}


def test_what_only_a_half_lacks_is_said_of_that_half() -> None:
    """In one article a margin parts the questions, in both together none does."""
    claims = [pair(np.array([score, 0.0])) for score in (1.0, 2.0)]
    asked = [
        Asked(title, at > line, claims[k % 2], 0.5, at, at > line and k % 2 == 0)
        for title, line in (("a", 0.0), ("b", 3.0))
        for k, at in enumerate((-2.0, -1.0, 1.0, 2.0, 4.0, 5.0))
    ]
    with pytest.raises(BadInput, match=r"in one of them \(6 of 12 questions\) one margin parts"):
        claim_reliability(asked)
    assert fit_answerable([a.margin for a in asked], [a.answerable for a in asked]).slope > 0


TITLES = [f"t{k % 8}" for k in range(160)]


def test_the_halves_share_no_article_and_every_question_is_in_one() -> None:
    titles = [f"t{k % 7}" for k in range(100)]
    first, second = halves(titles)
    assert sorted(first + second) == list(range(100)) and 30 < len(first) < 70
    assert not {titles[k] for k in first} & {titles[k] for k in second}
    assert (first, second) == halves(titles)


@pytest.mark.parametrize("sizes", [(3, 9), (9, 3), (1, 1)])
def test_of_two_articles_each_half_has_one(sizes: tuple[int, int]) -> None:
    titles = ["a"] * sizes[0] + ["b"] * sizes[1]
    assert {len(half) for half in halves(titles)} == set(sizes)


def test_no_question_is_judged_by_a_fit_that_saw_its_article() -> None:
    """One half of the articles is mostly right, the other seldom: each half's own fit would give
    its own share, so the other's fit is seen by its error.
    """
    first = set(halves(TITLES)[0])
    claims = [PairClaim(np.zeros(1), np.array([0.0, k % 3])) for k in range(160)]
    right = [float(k % 16 > 7 or (k in first and k % 5 > 0)) for k in range(160)]
    asked = [
        Asked(title, True, claim, 0.5, 0.0, bool(y))
        for title, claim, y in zip(TITLES, claims, right, strict=True)
    ]
    found = reliability(asked)
    judged = np.zeros(160)
    for side, half in zip(halves(TITLES), reversed(found["halves"]), strict=True):
        fitted = Calibration(half["temperature"], half["bias"])
        judged[side] = [chance(claims[k].prob(fitted.temperature), fitted) for k in side]
        outcomes = [right[k] for k in side]
        assert half["error"] == pytest.approx(
            calibration_error(calibration(judged[side].tolist(), outcomes))
        )
    mean = sum(b["count"] * b["mean_prob"] for b in found["after"]) / 160
    assert mean == pytest.approx(judged.mean())
    for side, half in zip(halves(TITLES), found["halves"], strict=True):
        theirs = Calibration(half["temperature"], half["bias"])
        own = np.array([chance(claims[k].prob(theirs.temperature), theirs) for k in side])
        assert own.mean() == pytest.approx(np.mean([right[k] for k in side]), abs=1e-6)
        assert abs(judged[side].mean() - own.mean()) > 0.1 and half["fitted_on"] == len(side)
    whole = fit(claims, right)
    assert (found["temperature"], found["bias"]) == (whole.temperature, whole.bias)
    assert found["error_before"] == pytest.approx(abs(np.mean(right) - 0.5))
    assert found["measured_on"] == 160 and found["chance_error"] > 0


def test_a_half_of_one_outcome_is_refused() -> None:
    each = [Asked(t, True, pair(np.zeros(2)), 0.5, 0.0, y) for t, y in (("b", False), ("a", True))]
    with pytest.raises(BadInput, match="one has 1 right of 1"):
        reliability(each)
