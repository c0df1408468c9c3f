"""Columns of losses: they add up as printed, and nothing but 0 looks like 0."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_demo.figures.columns import above, cell, column, sign, telling
from tests.printed import added

COST = st.one_of(st.just(0.0), st.floats(1e-7, 20.0), st.floats(1e-7, 2e-3))


@pytest.mark.parametrize(
    ("shown", "total", "said"),
    [
        ([0.6365, 0.6365], 1.273, ("0", "≈")),
        ([0.5, 0.25], 1.0, ("0.250", "=")),
        ([0.5, 0.25], 0.75, ("0", "=")),
        ([0.5004, 0.2504], 0.7511, ("< 0.001", "≈")),
        ([0.5, 0.0003], 0.75, ("0.250", "≈")),
        ([0.0625, 0.0625, 0.0625], 0.18807, ("0.001", "≈")),
        ([0.0625, 0.0625], 0.12561, ("0.001", "≈")),
    ],
)
def test_a_rest_is_never_negative(shown: list[float], total: float, said: tuple[str, str]) -> None:
    found = column(shown, total)
    assert (found["rest"], found["sign"]) == said


def test_by_hand() -> None:
    assert telling([0.386, 0.27, 0.0]) == 3 and telling([0.386, 0.0003]) == 4
    assert telling([1e-6]) == 4, "no more than four"
    assert [cell(x, 3) for x in (0.0, 1e-12, 0.0002, 0.0006)] == ["0", "0", "< 0.001", "0.001"]
    assert above(0.6366, 0.6369, 3) == "< 0.001" and above(0.5, 0.75, 3) == "0.250"
    assert above(0.5, 0.5, 3) == "0"
    assert sign([0.386, 0.27], 0.656, 3) == "=" and sign([0.3334, 0.3334], 0.6668, 3) == "≈"
    assert sign([0.5, 0.0001], 0.5001, 3) == "≈", "a bound is not added"
    assert sign([0.0001], 0.0001, 3) == "", "and has no equals sign before it"


@given(st.lists(COST, min_size=1, max_size=6), st.lists(COST, max_size=3))
def test_any_column_adds_up_as_printed_and_hides_nothing(
    shown: list[float], others: list[float]
) -> None:
    decimals, total = telling(shown), sum(shown) + sum(others)
    cells, found = [cell(x, decimals) for x in shown], column(shown, total, decimals)
    for x, text in zip([*shown, total], [*cells, found["total"]], strict=True):
        assert (text == "0") == (x <= 1e-9)
        assert text == "0" or added(text) > 0 or text == f"< {10.0**-decimals:.{decimals}f}"
        assert not (text == "< 0.001" and text in cells), "a part takes its fourth decimal first"
        assert abs(float(added(text)) - x) <= 0.5 * 10**-decimals + 1e-12
    together = sum(map(added, cells), added(found["rest"]))
    if found["sign"] == "=":
        assert together == added(found["total"]) and not any(text[0] == "<" for text in cells)
    said = sign(shown, sum(shown), decimals)
    if said == "=":
        assert sum(map(added, cells)) == added(cell(sum(shown), decimals))
