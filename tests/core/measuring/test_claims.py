"""How likely the printed answer is right whatever the text holds: by hand, against gradients, and
found again from outcomes that it made.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_demo.core.base import BadInput
from qa_demo.core.measuring.claims import answerable, fit_answerable, margin, sureness
from qa_demo.core.measuring.reliability import Asked, claim_reliability
from qa_demo.core.measuring.temperature import PairClaim, chance, pair_claim
from qa_demo.core.predict import predict
from qa_demo.core.types import Answerability, Calibration, Calibrations, Reading, Span
from tests.core.toys import t1

FIT = Answerability(0.5, -1.0)


def fitted(reading: Reading, answers: Answerability | None = FIT) -> Reading:
    fits = Calibrations(span=Calibration(2.0, 0.5), answerable=answers)
    return replace(reading, calibrations=fits)


def test_the_claim_is_the_product_of_both_chances() -> None:
    reading = fitted(t1())
    best = predict(reading).best.candidate
    found = sureness(reading, best)
    assert (best.score, margin(reading, best)) == (7.5, 6.0), "no answer scores 1.5"
    assert found.answerable == pytest.approx(1 / (1 + math.exp(1 - 0.5 * 6.0)))
    right = chance(pair_claim(reading, best), Calibration(2.0, 0.5))
    assert found.right_if_answerable == right
    assert found.claim == found.answerable * right < min(found.answerable, right)


def test_a_reader_that_never_met_a_silent_text_claims_nothing_of_it() -> None:
    reading = fitted(t1(), None)
    found = sureness(reading, predict(reading).best.candidate)
    assert found.answerable is None and found.claim is None and found.right_if_answerable > 0
    assert sureness(t1(), predict(t1()).best.candidate) is None


def test_a_span_that_no_limit_allows_claims_nothing() -> None:
    reading = fitted(t1())
    best = predict(reading).best.candidate
    seen_better_elsewhere = replace(best, span=Span(2, 2), window=1)
    assert sureness(reading, seen_better_elsewhere) is None


@given(st.floats(-60, 60), st.floats(-60, 60))
def test_a_larger_lead_is_a_likelier_answer(a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert 0 <= answerable(low, FIT) <= answerable(high, FIT) <= 1


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
        ([1.0], [True, False], "with and without an answer"),
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
        claim = PairClaim(float(scores.max()), scores)
        answers = bool(rng.random() < answerable(lead, Answerability(0.4, 0.0)))
        right = answers and bool(rng.random() < chance(claim, Calibration(1.0, 0.5)))
        asked.append(Asked(f"article {k % 40}", answers, claim, lead, right))
    found = claim_reliability(asked)
    assert found.measured_on == 4000 == sum(b.count for b in found.bins)
    assert found.unanswerable == sum(not one.answerable for one in asked)
    assert found.error < found.chance_error + 0.02 < 0.05 < 0.2 < found.error_conditional
    assert found.slope == pytest.approx(0.4, abs=0.05)
    assert {half.fitted_on for half in found.halves} == {2000}


def test_what_only_a_half_lacks_is_said_of_that_half() -> None:
    """In one article a margin parts the questions, in both together none does."""
    claims = [PairClaim(score, np.array([score, 0.0])) for score in (1.0, 2.0)]
    asked = [
        Asked(title, at > line, claims[k % 2], at, at > line and k % 2 == 0)
        for title, line in (("a", 0.0), ("b", 3.0))
        for k, at in enumerate((-2.0, -1.0, 1.0, 2.0, 4.0, 5.0))
    ]
    with pytest.raises(BadInput, match=r"in one of them \(6 of 12 questions\) one margin parts"):
        claim_reliability(asked)
    assert fit_answerable([a.margin for a in asked], [a.answerable for a in asked]).slope > 0
