"""Chapter 9, step 3 as data: sentences say what was measured; charts and tables agree."""

from dataclasses import replace

import numpy as np
import pytest

from qa_demo.core.explaining.attribution import Cost, Target
from qa_demo.core.explaining.chance import Placed, RandomSets, Rank, draw, place
from qa_demo.core.explaining.faithfulness import Curves, curve, random_curves
from qa_demo.core.options import WindowOptions
from qa_demo.core.types import Reading, Span
from qa_demo.figures.why import trust
from tests.fakes import FakeReader
from tests.printed import value

TEXT = "The bridge opened in July. George Rotne drew it, and Anna Lindh crossed it first. " * 3
TARGET = Target("span_score", Span(6, 7), None, 0)
NAMES = {"integrated_gradients": "integrated gradients", "attention": "raw attention"}


def placed(drop: float, below: int, above: int, equal: int = 0) -> Placed:
    top = ("Rotne", "drew", "bridge?")
    return Placed((4, 1, 3, 2), top, 10.0 - drop, 0.1, Rank(drop, below, equal, above))


def test_the_verdict_has_three_words_for_three_cases() -> None:
    said = trust.verdict_sentence(placed(4.12, 98, 2), "gradient × input")
    assert said == (
        "Masking the three top words of gradient × input (“\u2068Rotne\u2069”, "
        "“\u2068drew\u2069”, “\u2068bridge?\u2069”) lowers the score by 4.12; of 100 random "
        "sets of three words, 98 have a smaller drop: larger than nearly all."
    )
    chance = trust.verdict_sentence(placed(0.31, 95, 5), "x", "the start logit")
    assert chance.endswith("95 have a smaller drop: cannot be told from chance.")
    assert "lowers the start logit by 0.31" in chance
    less = trust.verdict_sentence(placed(-0.2, 2, 98), "x")
    assert "raises the score by 0.20" in less
    assert less.endswith("2 have a smaller drop: smaller than nearly all.")
    assert "by 0.00;" not in trust.verdict_sentence(placed(0.004, 60, 40), "x")
    tied = trust.verdict_sentence(placed(1.0, 96, 0, 4), "x")
    assert tied.endswith("96 have a smaller drop: larger than nearly all.")


def test_a_small_window_masks_fewer_words() -> None:
    one = replace(placed(1.0, 50, 50), top=("Rotne",))
    assert trust.verdict_sentence(one, "x").startswith("Masking the one top word of x (")
    assert "random sets of one word," in trust.verdict_sentence(one, "x")
    only = replace(placed(1.0, 0, 0, 100), order=(4, 1, 3))
    said = trust.verdict_sentence(only, "x")
    assert said.endswith(
        "by 1.00; there is no other set of three words: cannot be told from chance."
    )


def test_the_wait_is_told_in_passes_and_seconds() -> None:
    assert "77 tokens 101 times" in trust.wait_sentence(67, 77, 3, None)
    assert "pace" not in trust.wait_sentence(67, 77, 3, None)
    assert ", about 8 seconds at the present pace;" in trust.wait_sentence(67, 77, 3, 7.8)
    assert "up to 1,459 times, about 3 minutes at" in trust.curves_wait(1459, 170.0)


@pytest.fixture(scope="module")
def measured() -> tuple[Reading, RandomSets, dict[str, Placed], dict[str, Curves], Curves]:
    reader = FakeReader(null=-3.0)
    options = WindowOptions(64, 20)
    reading = reader.read("Who drew the bridge?", TEXT, options)

    def scorer(masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return reader.masked(reading.windows[0], masks)

    sets = draw(reading, TARGET, scorer)
    rising = np.arange(len(sets.words), dtype=float)
    ways = {"integrated_gradients": rising, "attention": -rising}
    stood = {name: place(reading, TARGET, way, scorer, sets) for name, way in ways.items()}
    lines = {key: curve(reading, TARGET, one, scorer, sets) for key, one in stood.items()}
    return reading, sets, stood, lines, random_curves(reading, TARGET, scorer, sets)


def test_dots_rows_and_tables_hold_the_same_numbers(measured: tuple) -> None:
    _, sets, stood, _, _ = measured
    data = trust.sets_data(sets)
    assert data["count"] == 100 and data["low"] <= data["high"]
    assert sum(sets.drops > data["high"]) <= 4 and sum(sets.drops >= data["high"]) >= 5
    rows = trust.sets_table(sets)["rows"]
    shown = [value(row[1]) for row in rows]
    assert shown == sorted(shown, reverse=True) and len(rows) == 100
    assert shown[0] == pytest.approx(sets.drops.max(), abs=0.006)
    by, placed_by = ("attention", "raw attention"), stood["attention"]
    row = trust.stood_data(*by, placed_by, Cost(1, 0), 0.01, "the score")
    assert row["took"] == "1 forward; < 0.1 s"
    side = trust.stood_table([row])["rows"][0]
    assert side[3] == f"{sum(sets.drops < row['drop'])} of 100" and side[4] == row["says"]
    path = trust.stood_data("integrated_gradients", "", stood["attention"], Cost(21, 40), 2.6, "")
    assert path["took"] == "21 forward, 40 back; 2.6 s"


def test_curves_and_their_tables_hold_the_same_numbers(measured: tuple) -> None:
    _, sets, stood, lines, random = measured
    data = trust.curves_data(lines, random, NAMES, "attention")
    assert [line["name"] for line in data["lines"]] == ["raw attention", "integrated gradients"]
    at = data["sizes"].index(sets.size)
    assert data["lines"][0]["deletion"][at] == stood["attention"].f
    table = trust.curves_table(lines, random, NAMES)
    assert [int(row[0]) for row in table["rows"]] == data["sizes"]
    for key, column in (("integrated_gradients", 1), ("attention", 4)):
        below = stood[key].rank.below
        assert table["rows"][at][column + 1] == f"{below} of 100"
        assert value(table["rows"][at][column]) == pytest.approx(stood[key].f, abs=6e-4)
    eraser = trust.eraser_table(lines, random, NAMES)
    assert value(eraser["rows"][0][1]) == pytest.approx(
        lines["integrated_gradients"].comprehensiveness[0], abs=6e-4
    )
    assert "(100 and 19)" in eraser["rows"][-1][0]
    values = {"integrated_gradients": np.arange(9.0), "attention": -np.arange(9.0)}
    agree = trust.agreement_table(values, NAMES)
    assert agree["rows"] == [["integrated gradients", "raw attention", "1.00"]]
    flat = trust.agreement_table(values | {"attention": np.zeros(9)}, NAMES)
    assert flat["rows"][0][-1] == "constant"
