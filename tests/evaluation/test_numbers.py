"""Numbers as printed."""

import math
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_demo.evaluation.numbers import (
    MINUS,
    apart,
    decimals_for,
    difference,
    effect,
    exponential,
    mean,
    moved,
    nats,
    number,
    percent,
    probability,
    rest,
    rounded,
    signed,
    total,
    totals,
    units,
)
from tests.printed import exact as value

LOGIT = st.floats(-50, 50, allow_nan=False)


def test_the_example_of_the_docstring() -> None:
    printed = total([5.654, 5.942])
    assert (printed.addends, printed.total, printed.sign) == (("5.654", "5.942"), "11.596", "=")


def nearest(x: float, decimals: int) -> int:
    """Units of the last place by whole fractions: the nearest to the binary value, ties away."""
    size = abs(Fraction(x)) * 10**decimals
    return (1 if x >= 0 else -1) * math.floor(size + Fraction(1, 2))


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 8))
def test_a_printed_number_is_the_nearest_decimal_of_the_binary_value(x: float, d: int) -> None:
    assert units(x, d) == nearest(x, d)
    said = number(x, d)
    assert len(said.partition(".")[2]) == d and ("." in said) == (d > 0)
    with localcontext(prec=400):
        assert value(said).scaleb(d) == nearest(x, d)
    assert (said[0] == MINUS) == (nearest(x, d) < 0), "never minus nothing"


@given(st.integers(-(2**40), 2**40), st.integers(1, 6))
def test_exact_ties_go_away_from_zero(n: int, d: int) -> None:
    x = (2 * n + 1) / 2**d  # a binary fraction: its last digit is a 5 at decimal d
    up = math.copysign(math.floor(abs(Fraction(x)) * 10 ** (d - 1) + Fraction(1, 2)), x)
    assert units(x, d - 1) == up


def test_ties_by_hand() -> None:
    assert [number(x) for x in (0.125, -0.125, 1.005)] == ["0.13", f"{MINUS}0.13", "1.00"]
    assert (number(2.5, 0), number(0.5, 0), number(1e21)) == ("3", "1", "1" + "0" * 21 + ".00")
    assert (percent(0.125), percent(0.145)) == ("13 %", "14 %"), "0.145 lies below its tie"
    assert total([0.125, 1.0]).addends == ("0.13", "1.00") and total([0.125, 1.0]).total == "1.13"
    with pytest.raises(ValueError, match="must be finite, got inf"):
        number(math.inf)


@given(LOGIT, LOGIT)
def test_what_moved_is_the_difference_of_what_is_printed(a: float, b: float) -> None:
    assert value(signed(moved(a, b))) == value(number(b)) - value(number(a))
    assert rounded(a) == float(value(number(a)))


@given(LOGIT, LOGIT)
def test_an_equals_sign_is_never_a_lie(a: float, b: float) -> None:
    printed = total([a, b])
    adds_up = sum(value(x) for x in printed.addends) == value(printed.total)
    assert adds_up == (printed.sign == "=")
    assert 2 <= printed.decimals <= 4


@given(LOGIT, st.floats(0.0001, 0.01))
def test_a_total_that_is_something_is_never_printed_as_nothing(a: float, apart: float) -> None:
    assert value(total([a + apart, -a]).total) != 0
    # 0.125: 0.13 - 0.12 needs a third decimal
    assert total([a, -a]).total == "0.00" and value(total([a + 1e-9, -a]).total) == 0


@pytest.mark.parametrize(
    ("values", "decimals"),
    [([], 2), ([0.0], 2), ([-0.2, 0.001], 2), ([0.03], 3), ([-0.0031, 0.0], 4), ([1e-12], 7)],
)
def test_a_column_has_the_decimals_of_its_largest_value(values: list[float], decimals: int) -> None:
    assert decimals_for(values) == decimals


@pytest.mark.parametrize(
    ("x", "printed"),
    [(0.0, "0"), (0.004, "< 0.01"), (-0.004, "< 0.01"), (-0.25, f"{MINUS}0.25"), (8.54, "+8.54")],
)
def test_an_effect_is_never_a_row_of_zeros(x: float, printed: str) -> None:
    assert effect(x) == printed


@given(st.lists(LOGIT, min_size=1, max_size=8), LOGIT)
def test_a_rest_term_makes_the_column_add_up(shown: list[float], whole: float) -> None:
    column = sum(value(number(s)) for s in shown) + value(rest(shown, whole))
    assert column == value(number(whole))


@given(st.floats(0, 1))
def test_no_probability_is_printed_as_nothing_or_as_certainty(p: float) -> None:
    if 0 < p < 1:
        assert percent(p) not in ("0 %", "100 %")
        assert probability(p).strip("<> ") != "0.000" and probability(p) != "1.000"


@pytest.mark.parametrize(
    ("p", "printed"),
    [(0.004, "< 1 %"), (0.01, "1 %"), (0.914, "91 %"), (0.998, "> 99 %"), (1.0, "100 %")],
)
def test_percent(p: float, printed: str) -> None:
    assert percent(p) == printed


@pytest.mark.parametrize(
    ("log_x", "text"),
    [
        (0.0, "1.000"),
        (4787.0, "9.28 · 10^2078"),
        (math.log(1e6), "1.00 · 10^6"),
        (-9.0, "< 0.001"),
        (math.log(9.999e7), "1.00 · 10^8"),
        (math.log(999999.0), "999999.000"),
    ],
)
def test_an_exponential_of_any_size_is_short(log_x: float, text: str) -> None:
    assert exponential(log_x) == text


@given(st.floats(-1e6, 1e7, allow_nan=False))
def test_an_exponential_says_what_it_is(log_x: float) -> None:
    said = exponential(log_x)
    large = Context(prec=40, Emax=10**8, Emin=-(10**8))
    exact = large.exp(Decimal(log_x))
    if said.startswith("<"):
        assert exact < Decimal("0.0005000001")
    elif "10^" in said:
        mantissa, power = said.split(" · 10^")
        assert 1 <= Decimal(mantissa) < 10
        assert abs(large.scaleb(exact, -int(power)) - Decimal(mantissa)) < Decimal("0.0051")
    else:
        assert abs(exact - Decimal(said)) < Decimal("0.00051")


@given(st.lists(st.lists(st.floats(-50, 50), min_size=2, max_size=3), min_size=1, max_size=4))
def test_sums_of_one_column_have_equal_decimals(rows: list[list[float]]) -> None:
    found = totals([(row, None) for row in rows])
    assert len({s.decimals for s in found}) == 1
    alone = [total(row).decimals for row in rows]
    assert found[0].decimals >= max(alone)
    assert totals([([1.0, 2.0], None), ([5.654, 5.942], None)])[0].addends == ("1.000", "2.000")


LOSSES = st.floats(0.0, 1e4) | st.floats(0.0, 1e-3)


def test_values_that_a_sentence_compares_by_hand() -> None:
    assert [apart(x) for x in ([0.00045, 0.00041], [1.412, 1.414], [2.0, 2.0])] == [5, 3, 2]
    found = mean([1.412, 0.664])
    assert (found.addends, found.total, found.sign) == (("1.41", "0.66"), "1.04", "=")
    assert mean([0.0009, 0.0008]).total == "0.00085"
    # (0.82 + 0.39) / 2 is 0.605, which is printed 0.61, not 0.60
    assert mean([0.817, 0.389]).addends == ("0.817", "0.389")
    assert mean([0.0, 0.0]).total == "0.00"
    assert mean([1.0650450930372481, 1.0649169360460833]).addends == ("1.0650", "1.0649")


@given(st.lists(LOSSES, min_size=2, max_size=2))
def test_a_printed_mean_is_the_rounded_mean_of_what_is_printed(values: list[float]) -> None:
    found = mean(values)
    printed = [Decimal(text) for text in found.addends]
    unit = Decimal(1).scaleb(-found.decimals)
    rounded = (sum(printed) / 2).quantize(unit, ROUND_HALF_UP)
    assert (rounded == Decimal(found.total)) == (found.sign == "=")
    order = (printed[0] > printed[1]) - (printed[0] < printed[1])
    truth = (values[0] > values[1]) - (values[0] < values[1])
    assert order == truth or (order == 0 and abs(values[0] - values[1]) <= 1e-6)
    assert Decimal(found.total) != 0 or max(values) < 2e-6


@pytest.mark.parametrize(
    ("x", "decimals", "text"),
    [
        (0.0, None, "0.00"),
        (1.414, None, "1.41"),
        (0.00085, None, "0.00085"),
        (1e-9, None, "< 0.000001"),
        (0.0004, 3, "< 0.001"),
        (0.0, 3, "0.000"),
    ],
)
def test_a_loss_is_never_printed_as_nothing(x: float, decimals: int | None, text: str) -> None:
    assert nats(x, decimals) == text


def test_a_difference_comes_out_as_printed_and_never_as_nothing() -> None:
    assert difference(9.0, 7.5) == ("9.00", "7.50", "1.50")
    assert difference(1.0004, 1.0) == ("1.0004", "1.0000", "0.0004")
    assert difference(8.01357, 7.5573) == ("8.0136", "7.5573", "0.4563"), "8.01 - 7.56 is not 0.46"
    assert difference(9.416, -6.856) == ("9.416", "\u22126.856", "16.272")
    assert difference(2.0, 5.004, unlike=-3.0) == ("2.000", "5.004", "\u22123.004")
    assert difference(2.0, 5.0, unlike=-3.0)[2] == "\u22123.00"
    assert difference(2.0, 3.25) == ("2.00", "3.25", "\u22121.25")
