"""Halves without a shared article, and fits that never judge what they saw."""

import numpy as np
import pytest

from qa_demo.core.base import BadInput
from qa_demo.core.measuring.metrics import calibration, calibration_error
from qa_demo.core.measuring.reliability import halves, reliability
from qa_demo.core.measuring.temperature import PairClaim, chance, fit
from qa_demo.core.types import Calibration

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
    claims = [PairClaim(0.0, np.array([0.0, k % 3])) for k in range(160)]
    right = [float(k % 16 > 7 or (k in first and k % 5 > 0)) for k in range(160)]
    found = reliability(TITLES, claims, right, [0.5] * 160)
    judged = np.zeros(160)
    for side, half in zip(halves(TITLES), reversed(found.halves), strict=True):
        fitted = Calibration(half.temperature, half.bias)
        judged[side] = [chance(claims[k], fitted) for k in side]
        outcomes = [right[k] for k in side]
        assert half.error == pytest.approx(
            calibration_error(calibration(judged[side].tolist(), outcomes))
        )
    assert sum(b.count * b.mean_prob for b in found.after) / 160 == pytest.approx(judged.mean())
    for side, half in zip(halves(TITLES), found.halves, strict=True):
        theirs = Calibration(half.temperature, half.bias)
        own = np.array([chance(claims[k], theirs) for k in side])
        assert own.mean() == pytest.approx(np.mean([right[k] for k in side]), abs=1e-6)
        assert abs(judged[side].mean() - own.mean()) > 0.1 and half.fitted_on == len(side)
    whole = fit(claims, right)
    assert (found.temperature, found.bias) == (whole.temperature, whole.bias)
    assert found.error_before == pytest.approx(abs(np.mean(right) - 0.5))
    assert found.measured_on == 160 and found.chance_error > 0


def test_lists_that_do_not_fit() -> None:
    claims = [PairClaim(0.0, np.zeros(2))] * 2
    with pytest.raises(BadInput, match="got 2, 2, 1 and 2"):
        reliability(["a", "b"], claims, [1.0], [0.5, 0.5])
    with pytest.raises(BadInput, match="got 2 right of 2"):
        reliability(["a", "b"], claims, [1.0, 1.0], [0.5, 0.5])
    with pytest.raises(BadInput, match="one has 1 right of 1"):
        reliability(["b", "a"], claims, [0.0, 1.0], [0.5, 0.5])
