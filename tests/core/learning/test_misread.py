"""The wrong formulas on numbers worked out by hand."""

import math

import numpy as np
import pytest

from qa_demo.core.learning.misread import FORMULAS, gold_pair, misread
from qa_demo.core.options import DecodeOptions
from qa_demo.core.types import Span
from tests.core.toys import t1

WINDOW = t1().windows[0]  # context at 3 to 6, [CLS] at 0


def on(key: str, start: list[float], end: list[float], gold: tuple[int, int] = (3, 4)):
    return misread(key, WINDOW, np.array(start), np.array(end), gold, DecodeOptions())


S, E = [0, 0, 0, 1, 3, 2, 0, 0], [0, 0, 0, 0, 1, 0, 4, 0]


Z_S, Z_E = 5 + math.e + math.e**3 + math.e**2, 6 + math.e + math.e**4
"""The sums of the exponentials of S and of E."""


def right() -> float:
    return ((math.log(Z_S) - 1) + (math.log(Z_E) - 1)) / 2


def test_normalising_over_the_gold_alone_always_costs_nothing() -> None:
    found = on("gold_only", S, E)
    assert found.value == 0
    assert found.right == pytest.approx(right())
    assert found.differs == pytest.approx(right())


def test_without_the_minus_the_loss_turns_its_sign() -> None:
    found = on("no_minus", S, E)
    assert found.value == pytest.approx(-right()) and found.differs == pytest.approx(2 * right())
    assert (found.first, found.second) == pytest.approx((math.e / Z_S, math.e / Z_E))


def test_the_prediction_in_place_of_the_label_is_cheap_when_it_is_confident() -> None:
    found = on("predicted", S, E)
    assert (found.first, found.second) == (4, 6)
    assert found.value == pytest.approx(right() - (3 - 1 + 4 - 1) / 2)
    crossed = on("searched", [0, 0, 0, 0, 0, 5, 0, 0], [0, 0, 0, 0, 4.5, 0, 0, 0])
    # start 5 with end 4 is illegal; 5-5 scores 5, 4-4 scores 4.5
    assert (crossed.first, crossed.second) == (5, 5)


def test_without_exp_there_is_no_logarithm_of_a_negative_share() -> None:
    assert on("no_exp", [1, -1, 0, 0, 0, 0, 0, 0], E, (0, 0)).value is None, "a sum of 0"
    assert on("no_exp", [1, 1, 1, 1, -3, 1, 1, 1], E, (4, 4)).value is None
    found = on("no_exp", S, E)
    assert found.value == pytest.approx(-(math.log(1 / 6) + math.log(1 / 5)) / 2)
    assert found.first == 0
    assert on("no_exp", [1, 1, 1, 1, -3, 1, 1, 1], E, (4, 4)).differs == math.inf


def test_one_denominator_for_both_heads_does_not_sum_to_one() -> None:
    found = on("shared_z", S, E)
    assert found.second == pytest.approx(Z_E / Z_S) and found.first == 1
    assert found.value == pytest.approx(math.log(Z_S) - 1)


def test_a_sum_too_large_for_a_float_is_infinite_and_warns_nobody() -> None:
    with np.errstate(over="raise"):
        found = on("shared_z", S, [1000.0 * x for x in E])
    assert found.second == math.inf
    assert found.value == pytest.approx((2 * math.log(Z_S) - 1 - 1000) / 2)


def test_a_bias_moves_log_z_and_not_the_loss() -> None:
    found = on("no_bias", S, E)
    assert found.value == pytest.approx(right()) and found.differs == pytest.approx(0, abs=1e-12)
    assert found.first == pytest.approx(math.log(Z_S) + 2)


def test_the_gold_pair_is_cls_where_the_window_cuts_the_answer() -> None:
    first, second = t1().windows
    assert gold_pair(first, (Span(0, 1),)) == (3, 4)
    assert gold_pair(second, (Span(0, 1), None)) == (0, 0)
    assert gold_pair(second, (Span(0, 1), Span(2, 5))) == (3, 6)


def test_every_formula_has_a_number_and_others_are_refused() -> None:
    assert all(on(key, S, E).right == pytest.approx(right()) for key in FORMULAS)
    with pytest.raises(KeyError):
        on("mean", S, E)
