"""The experiment of chapter 8: every start with its spread, no more said than seeds allow."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_demo.figures.payload import plain
from qa_demo.figures.spanbert import ablation as figure


def cell(*f1: float) -> dict[str, list[float]]:
    return {
        "seeds": list(range(1, len(f1) + 1)),
        "exact": [x - 8 for x in f1],
        "f1": list(f1),
        "bio_exact": list(f1),
        "bio_f1": list(f1),
    }


def test_cells_are_shown_with_their_spread_and_missing_ones_named() -> None:
    data = plain(
        figure.ablation_data({"plain encoder": cell(70.0, 70.6), "span masking": cell(73.0, 73.4)})
    )
    assert [r["name"] for r in data["rows"]] == ["plain encoder", "span masking"]
    assert data["table"]["rows"][0] == [
        "plain encoder",
        "2",
        "62.3 (62.0 to 62.6)",
        "70.3 (70.0 to 70.6)",
        "70.3 (70.0 to 70.6)",
    ]
    assert data["missing"] == "Not measured: token masking, span masking + SBO."
    assert data["steps"]["rows"] == [
        ["plain encoder → span masking", "+2.9", "+2.9", "+2.9", "apart", "-"]
    ]


def test_the_budget_of_all_cells_is_told() -> None:
    budget = {"pretrain_steps": 1500, "finetune_steps": 900, "batch_tokens": 2000}
    assert figure.ablation_data({}, budget)["budget"] == (
        "Pre-trained for 1,500 steps of 2,000 pieces (3.0 million; the plain encoder not at all), "
        "then fine-tuned for 900 steps, all alike."
    )
    assert figure.ablation_data({})["budget"] == ""


def test_two_seeds_that_are_apart_are_a_hint_and_no_proof() -> None:
    says = figure.ablation_data(
        {"plain encoder": cell(70.0, 70.6), "span masking": cell(73.0, 73.4)}
    )["says"]
    assert (
        "“span masking” reads best and “plain encoder” worst, 2.9 F1 apart. Seeds of one start "
        "differ by up to 0.6, less" in says
    )
    assert (
        "2 and 2 seeds would fall apart like this in 33 % of all experiments: a hint, no proof."
        in says
    )
    four = figure.ablation_data(
        {name: cell(70.0 + 3 * k, 70.6 + 3 * k) for k, name in enumerate(figure.CELLS)}
    )
    assert "picked out of 4 starts afterwards: a hint, no proof" in four["says"]
    many = figure.ablation_data(
        {
            name: cell(*(70.0 + 3 * k + s / 10 for s in range(5)))
            for k, name in enumerate(figure.CELLS)
        }
    )
    assert "in < 1 % of all experiments" in many["says"]
    assert many["says"].endswith("hard to call chance.")


def test_a_gap_within_the_seeds_is_called_chance() -> None:
    data = figure.ablation_data(
        {name: cell(70.0 + k / 2, 72.0) for k, name in enumerate(figure.CELLS)}
    )
    assert data["missing"] == "" and "differ by up to 2.0, no less than that." in data["says"]
    assert data["says"].endswith(
        "The seeds of these two overlap: the order may be chance, nothing is proved."
    )
    assert [row[-2:] for row in data["steps"]["rows"]] == [
        ["overlap", "-"],
        ["overlap", "+1.6"],
        ["overlap", "+0.1"],
    ]


def test_one_seed_each_says_nothing_and_one_start_is_no_comparison() -> None:
    alone = figure.ablation_data({name: cell(70.0 + k) for k, name in enumerate(figure.CELLS)})
    assert alone["says"].endswith("With one seed each nobody can say how much of that is chance.")
    assert alone["table"]["rows"][0][1:4] == ["1", "62.0", "70.0"]
    assert alone["steps"]["rows"][0][4] == "one seed each"
    single = figure.ablation_data({"plain encoder": cell(70.0), "span masking": cell()})
    assert single["says"] == "" and single["steps"] is None and "span masking" in single["missing"]
    mixed = figure.ablation_data({"plain encoder": cell(70.0, 70.4), "span masking": cell(73.0)})
    assert "2 and 1 seeds" in mixed["says"].replace("1 and 2", "2 and 1")
    assert "67 %" in mixed["says"]
    assert "no proof" in mixed["says"]


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 2), (2, 2), (2, 3), (3, 3)])
def test_luck_is_counted_over_all_orders(a: int, b: int) -> None:
    ways = list(combinations(range(a + b), a))
    clean = [way for way in ways if figure.apart(way, [x for x in range(a + b) if x not in way])]
    assert figure.by_luck(a, b) == pytest.approx(len(clean) / len(ways))


@given(
    st.dictionaries(
        st.sampled_from(figure.CELLS),
        st.lists(st.floats(0, 100), max_size=3).map(lambda f1: cell(*f1)),
    )
)
def test_any_cells_travel_and_nothing_is_proved_by_three_seeds(cells: dict) -> None:
    data = plain(figure.ablation_data(cells))
    found = figure.measured(cells)
    assert len(data["rows"]) == len(found) and "hard to call chance" not in data["says"]
    assert bool(data["says"]) == (len(found) > 1) == ("Here," in figure.closing_notice(found))


def test_the_notice_sets_our_steps_beside_the_papers() -> None:
    notice = figure.closing_notice(
        figure.measured({"token masking": cell(70.0, 71.0), "span masking": cell(70.2)})
    )
    assert (
        "spans instead of word pieces +1.6, one segment without next sentence prediction +1.3, "
        "the span boundary objective (SBO) +0.1 F1" in notice
    )
    assert "On coreference the SBO adds most, +2.7." in notice
    assert notice.endswith("span masking −0.3 F1, from 1 to 2 seeds a start.")
