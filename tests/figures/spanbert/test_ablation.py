"""The experiment of chapter 8: every start with its spread, no more said than seeds allow."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_demo.figures.payload import plain
from qa_demo.figures.spanbert import ablation as figure
from qa_demo.views.spanbert.chapter import stored

BUDGET = {"pretrain_steps": 1500, "finetune_steps": 900, "batch_tokens": 2000}
Cells = dict[str, dict[str, list[float]]]


def starts(*f1: list[float]) -> Cells:
    """The four starts with the F1 of their seeds."""
    return {
        name: {"exact": [x - 8 for x in seeds], "f1": seeds, "bio_f1": seeds}
        for name, seeds in zip(figure.CELLS, f1, strict=True)
    }


def rising(step: float, *seeds: float) -> Cells:
    """Each start by so much above the one before."""
    return starts(*([seed + step * k for seed in seeds] for k in range(4)))


def test_the_experiment_that_ran_has_every_start_and_both_seeds() -> None:
    experiment = stored("ablation")
    assert tuple(experiment["starts"]) == figure.CELLS
    assert {len(cell["f1"]) for cell in experiment["starts"].values()} == {2}


def test_starts_are_shown_with_their_spread_and_the_papers_steps_beside() -> None:
    data = plain(figure.ablation_data(rising(1.0, 70.0, 70.6), BUDGET))
    assert [r["name"] for r in data["rows"]] == list(figure.CELLS)
    spreads, steps = data["tables"]
    f1 = "70.3 (70.0 to 70.6)"
    assert spreads["rows"][0] == ["plain encoder", "2", "62.3 (62.0 to 62.6)", f1, f1]
    assert steps["rows"] == [
        ["plain encoder → token masking", "+1.0", "+1.0", "+1.0", "apart", "-"],
        ["token masking → span masking", "+1.0", "+1.0", "+1.0", "apart", "+1.6"],
        ["span masking → span masking + SBO", "+1.0", "+1.0", "+1.0", "apart", "+0.1"],
    ]
    last = ["spans, one segment, SBO", "86.8", "74.1", "80.3", "79.0"]
    assert data["paper"][1]["rows"][-1] == last
    assert data["budget"] == (
        "Pre-trained for 1,500 steps of 2,000 pieces (3.0 million; the plain encoder not at all), "
        "then fine-tuned for 900 steps, all alike."
    )


def test_few_seeds_that_are_apart_are_a_hint_and_many_are_more() -> None:
    two = figure.ablation_says(rising(3.0, 70.0, 70.6))
    assert (
        "“span masking + SBO” reads best and “plain encoder” worst, 9.0 F1 apart. Seeds of one "
        "variant differ by up to 0.6, less" in two
    )
    assert "2 and 2 seeds would fall apart like this in 33 % of all experiments" in two
    assert two.endswith("picked out of 4 variants afterwards: a hint, no proof.")
    many = figure.ablation_says(rising(3.0, *(70.0 + s / 10 for s in range(5))))
    assert "in < 1 % of all experiments" in many
    assert many.endswith("hard to call chance.")


def test_a_gap_within_the_seeds_is_called_chance() -> None:
    cells = starts(*([70.0 + k / 2, 72.0] for k in range(4)))
    said = figure.ablation_says(cells)
    assert "differ by up to 2.0, no less than that." in said
    assert said.endswith(
        "The seeds of these two overlap: the order may be chance, nothing is proved."
    )
    assert [row[4] for row in figure.steps_table(cells)["rows"]] == ["overlap"] * 3


def test_one_seed_each_says_nothing() -> None:
    alone = rising(1.0, 70.0)
    assert figure.ablation_says(alone).endswith(
        "With one seed each nobody can say how much of that is chance."
    )
    assert figure.ablation_data(alone, BUDGET)["tables"][0]["rows"][0][1:4] == ["1", "62.0", "70.0"]
    assert figure.steps_table(alone)["rows"][0][4] == "one seed each"


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 2), (2, 2), (2, 3), (3, 3)])
def test_luck_is_counted_over_all_orders(a: int, b: int) -> None:
    ways = list(combinations(range(a + b), a))
    clean = [way for way in ways if figure.apart(way, [x for x in range(a + b) if x not in way])]
    assert figure.by_luck(a, b) == pytest.approx(len(clean) / len(ways))


@given(st.lists(st.lists(st.floats(0, 100), min_size=1, max_size=3), min_size=4, max_size=4))
def test_any_seeds_travel_and_nothing_is_proved_by_three(f1: list[list[float]]) -> None:
    data = plain(figure.ablation_data(starts(*f1), BUDGET))
    assert data["says"] and "hard to call chance" not in data["says"]


def test_the_notice_sets_our_steps_beside_the_papers() -> None:
    notice = figure.closing_notice(starts([60.0], [70.0, 71.0], [70.2], [70.2]))
    assert (
        "spans instead of word pieces +1.6, one segment without next sentence prediction +1.3, "
        "the span boundary objective (SBO) +0.1 F1" in notice
    )
    assert "On coreference the SBO adds most, +2.7." in notice
    assert "span masking −0.3, span masking + SBO +0.0 F1, from 1 to 2 seeds a variant." in notice
