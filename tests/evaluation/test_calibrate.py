"""Fits found again from outcomes that they made, and never judged on articles that they saw."""

from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_demo.core.base import BadInput
from qa_demo.core.calibration import RANGE, p_answerable, shifted
from qa_demo.core.metrics import bins_of, calibration_error
from qa_demo.core.types import Answerability, Calibration
from qa_demo.evaluation import calibrate
from qa_demo.evaluation.lines import TEMPERATURES
from qa_demo.evaluation.table import Table
from qa_demo.examples import shipped
from tests.evaluation.test_report import lines


def share(scores: np.ndarray, temperature: float) -> np.ndarray:
    """P_T of the first of each row's scores."""
    powers = np.exp(scores / temperature - (scores / temperature).max(axis=1, keepdims=True))
    return powers[:, 0] / powers.sum(axis=1)


def drawn(rng: np.random.Generator, count: int, width: int = 6) -> np.ndarray:
    """The scores of so many questions' spans, the best one first."""
    return np.sort(rng.normal(0, 2, (count, width)))[:, ::-1]


def asked_with(scores: np.ndarray, right: Any, titles: Any = None, **change: Any) -> Table:
    """Questions with an answer whose best spans make these claims."""
    n, exact = len(scores), np.array(right, dtype=float)
    held = {"answerable": np.ones(n, dtype=bool), "plain": np.full(n, 0.5), "margin": np.zeros(n)}
    held |= {"exact": exact, "f1": exact, "diffs": np.zeros(n)}
    held["titles"] = np.array(titles or ["t"] * n, dtype=object)
    held["probs"] = np.stack([share(scores, t) for t in TEMPERATURES], axis=1)
    vars(table := Table([])).update(held | change)
    return table


@settings(max_examples=50)
@given(st.lists(st.tuples(st.floats(0.01, 0.99), st.booleans()), min_size=2, max_size=30))
def test_the_best_bias_makes_the_mean_claim_the_share_of_right_ones(rows):
    p, y = np.array([r[0] for r in rows]), np.array([float(r[1]) for r in rows])
    bias = calibrate.best_bias(p, y)
    if 0 < y.mean() < 1 and abs(bias) < 15:
        assert shifted(p, bias).mean() == pytest.approx(y.mean(), abs=1e-6)
        at = calibrate.negative_log_likelihood(shifted(p, bias), y)
        for other in (bias - 0.1, bias + 0.1):
            assert at <= calibrate.negative_log_likelihood(shifted(p, other), y) + 1e-9


def test_the_likelihood_by_hand_and_one_kind_of_outcome_fits_nothing():
    found = calibrate.negative_log_likelihood(np.array([0.5, 0.25]), np.array([1.0, 0.0]))
    assert found == pytest.approx(-(np.log(0.5) + np.log(0.75)) / 2)
    assert np.isfinite(calibrate.negative_log_likelihood(np.array([1.0]), np.array([0.0])))
    with pytest.raises(BadInput, match="got 2 right of 2"):
        calibrate.fit(asked_with(np.zeros((2, 2)), [1.0, 1.0]))
    with pytest.raises(BadInput, match="got 0 right of 0"):
        calibrate.fit(asked_with(np.zeros((0, 2)), []))


@settings(max_examples=25)
@given(st.floats(0.08, 12))
def test_the_lowest_point_of_a_valley_is_found(hidden):
    assert calibrate.lowest(lambda t: np.log(t / hidden) ** 2) == pytest.approx(hidden, rel=1e-4)


def test_a_line_keeps_the_claim_at_any_temperature_and_its_threshold_may_cost_four_points():
    scores = drawn(np.random.default_rng(4), 800)
    kept = asked_with(scores, np.zeros(800))
    for t in (0.06, 0.7, 1.31, 2.9, 19.0, *RANGE):
        assert np.abs(kept.prob(t) - share(scores, t)).max() < 0.005
    for at in (0, 7, 30):
        assert kept.prob(TEMPERATURES[at]) == pytest.approx(kept.probs[:, at], abs=1e-6)
    rows = [row | {"probs": [row["claim"]] * len(TEMPERATURES)} for row in lines(1)]
    found, table = calibrate.calibrated(rows), Table(rows)
    assert found["at_threshold"] == table.choose(4.0) != table.choose(0.0)
    assert found["threshold"] == found["at_threshold"]["threshold"]


@given(st.integers(0, 10_000))
def test_at_the_fit_no_gradient_is_left(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 5, 200)
    y = rng.random(200) < 1 / (1 + np.exp(-(0.3 * x + 0.4)))
    y[:4], x[:4] = (True, False, False, True), (0.0, 0.1, 0.0, 0.1)
    found = calibrate.fit_answerable(x, y)
    left = np.array([p_answerable(v, found) for v in x]) - y
    assert abs(left.mean()) < 1e-6 and abs((left * x).mean()) < 1e-5


@pytest.mark.parametrize(
    ("margins", "answers", "said"),
    [
        ([], [], "got 0 with and 0 without"),
        ([1.0, 2.0], [True, True], "got 2 with and 0 without"),
        ([-1.0, 1.0], [False, True], "that no margin parts, got 1 with and 1 without"),
        ([-1.0, 1.0], [True, False], "that no margin parts, got 1 with and 1 without"),
        ([-1.0, 1.0, 0.0, 0.5], [True, False, False, True], "must make an answer likelier"),
    ],
)
def test_what_cannot_be_fitted(margins, answers, said):
    with pytest.raises(BadInput, match=said):
        calibrate.fit_answerable(margins, answers)


def test_the_claim_comes_true_where_half_of_the_texts_are_silent():
    """Of known chances the product misses by little."""
    rng = np.random.default_rng(7)
    leads, scores = rng.normal(0, 6, 4000), drawn(rng, 4000, 5)
    known = Answerability(0.4, 0.0), Calibration(2.0, 0.5)
    answers = rng.random(4000) < [p_answerable(lead, known[0]) for lead in leads]
    right = answers & (rng.random(4000) < shifted(share(scores, 2.0), known[1].bias))
    titles = [f"article {k % 40}" for k in range(4000)]
    asked = asked_with(scores, right, titles, answerable=answers, margin=leads)
    fitted, found = calibrate.fit(asked.part(answers)), calibrate.reliability(asked, claim=True)
    assert (fitted.temperature, fitted.bias) == pytest.approx((2.0, 0.5), rel=0.2)
    assert found["measured_on"] == 4000 == sum(b["count"] for b in found["bins"])
    assert found["unanswerable"] == 4000 - answers.sum() and found["error"] < 0.04
    assert found["slope"] == pytest.approx(0.4, abs=0.05)
    for name in ("reader", "reader-large"):  # what is stored was measured by this command
        assert shipped(f"{name}/metrics.json")["claim"].keys() == found.keys()


def test_what_only_a_half_lacks_is_said_of_that_half():
    """In one article a margin parts the questions, in both together none does."""
    scores = np.array([[1.0, 0.0], [2.0, 0.0]] * 6)
    margin = np.array([-2.0, -1.0, 1.0, 2.0, 4.0, 5.0] * 2)
    answers = margin > np.repeat([0.0, 3.0], 6)
    right, titles = answers & (np.arange(12) % 2 == 0), ["a"] * 6 + ["b"] * 6
    asked = asked_with(scores, right, titles, answerable=answers, margin=margin)
    with pytest.raises(BadInput, match=r"in one of them \(6 of 12 questions\) .* no margin parts"):
        calibrate.reliability(asked, claim=True)
    assert calibrate.fit_answerable(margin, answers).slope > 0


@pytest.mark.parametrize("sizes", [(14,) * 7, (3, 9), (9, 3), (1, 1)])
def test_the_halves_share_no_article_and_every_question_is_in_one(sizes):
    titles = [str(k) for k, size in enumerate(sizes) for _ in range(size)]
    first, second = calibrate.halves(titles)
    assert sorted(first + second) == list(range(sum(sizes))) and first and second
    assert not {titles[k] for k in first} & {titles[k] for k in second}
    assert len(sizes) == 2 or 30 < len(first) < 70


def test_no_question_is_judged_by_a_fit_that_saw_its_article():
    """One half is mostly right, the other seldom: by its own fit each would say its own share."""
    titles = [f"t{k % 8}" for k in range(160)]
    first = set(calibrate.halves(titles)[0])
    right = [float(k % 16 > 7 or (k in first and k % 5 > 0)) for k in range(160)]
    asked = asked_with(np.array([[0.0, k % 3] for k in range(160)]), right, titles)
    found = calibrate.reliability(asked)
    sides, judged = calibrate.halves(titles), np.zeros(160)
    fits = [calibrate.fit(asked.part(side)) for side in sides]
    for side, half, rest in zip(sides, fits, fits[::-1], strict=True):
        own, judged[side] = (shifted(asked.prob(x.temperature)[side], x.bias) for x in (half, rest))
        assert own.mean() == pytest.approx(np.mean([right[k] for k in side]), abs=1e-6)
        assert abs(judged[side].mean() - own.mean()) > 0.1
    bins = bins_of(judged, right)
    assert found["after"] == [asdict(b) for b in bins]
    assert found["error_after"] == calibration_error(bins)
    whole = calibrate.fit(asked)
    assert (found["temperature"], found["bias"]) == (whole.temperature, whole.bias)
    assert found["error_before"] == pytest.approx(abs(np.mean(right) - 0.5))
    assert found["measured_on"] == 160
