"""Chapter 8's closing step as data: sayings, the experiment with its spread, scores; honest where something was not measured."""

import math
from typing import Any

from qa_demo.figures import spanbert as figure
from qa_demo.figures.payload import plain


def cell(*f1: float) -> dict[str, list[float]]:
    return {"seeds": list(range(1, len(f1) + 1)), "exact": [x - 8 for x in f1], "f1": list(f1), "bio_exact": list(f1), "bio_f1": list(f1)}


def test_without_measurements_the_page_says_so_and_shows_the_paper() -> None:
    data = plain(figure.closing_data(None, None))
    assert data["scores"] is None and data["ablation"]["rows"] == [] and data["ablation"]["table"] is None
    assert "none of its four starts was measured" in data["ablation"]["missing"]
    objectives = data["ablation"]["paper"][1]["rows"]
    assert objectives[-1] == ["spans, one segment, SBO", "86.8", "74.1", "80.3", "79.0"]


def test_cells_are_shown_with_their_spread_and_missing_ones_named() -> None:
    data = figure.ablation_data({"plain encoder": cell(70.0, 70.6), "span masking": cell(73.0, 73.4)})
    assert [r["name"] for r in data["rows"]] == ["plain encoder", "span masking"]
    assert data["table"]["rows"][0] == ["plain encoder", "2", "62.3 (62.0 to 62.6)", "70.3 (70.0 to 70.6)", "70.3 (70.0 to 70.6)"]
    assert data["missing"] == "Not measured: token masking, span masking + SBO."
    assert "“span masking” reads best" in data["says"] and "2.9 F1 apart" in data["says"] and "less than half of that" in data["says"]


def test_a_gap_within_the_seeds_is_called_chance() -> None:
    cells = {name: cell(70.0 + k / 2, 72.0) for k, name in enumerate(figure.CELLS)}
    data = figure.ablation_data(cells)
    assert data["missing"] == "" and "much of the order may be chance" in data["says"]
    alone = figure.ablation_data({name: cell(70.0 + k) for k, name in enumerate(figure.CELLS)})
    assert "with one seed each nobody can say" in alone["says"] and alone["table"]["rows"][0][3] == "70.0"
    assert figure.ablation_data({"plain encoder": cell(70.0)})["says"] == ""


def scores() -> dict[str, Any]:
    group = {"pieces": 900, "mlm_pieces": 900, "mlm_top1": 36.5, "mlm_perplexity": 61.2, "sbo_pieces": 880, "sbo_top1": 16.25,
             "sbo_perplexity": 301.0, "both_top1": 38.0, "both_perplexity": 55.0}
    alone = {"pieces": 3, "mlm_pieces": 3, "mlm_top1": 10.0, "mlm_perplexity": 90.0}
    return {"overall": group, "by_length": {"1": group, "over 10": alone},
            "by_distance": {}, "by_distance_in_runs_of_7_and_more": {"1": group, "over 5": {**group, "sbo_top1": 4.0}}}


def test_scores_keep_groups_without_a_boundary_term() -> None:
    data = plain(figure.scores_data(scores()))
    lengths, distance = data["panels"]
    assert [("sbo" in r) for r in lengths["rows"]] == [True, False] and distance["title"].endswith("runs of 7 and more")
    assert data["tables"][0]["rows"][1] == ["over 10", "3", "10.0 %", "-", "-"]
    assert "Of 900 blanks" in data["says"] and "MLM names 36.5 % (perplexity 61.2)" in data["says"]
    assert "SBO falls towards the middle of a long run: 16.2 % beside the boundary, 4.0 % at distance over 5" in data["says"]


def test_rising_scores_are_not_called_falling() -> None:
    rising = scores()
    rising["by_distance_in_runs_of_7_and_more"]["over 5"]["sbo_top1"] = 40.0
    assert "SBO does not fall" in figure.scores_data(rising)["says"]


def test_sayings_carry_figures_that_were_computed() -> None:
    rows = dict(figure.says_is())
    chance = next(v for k, v in rows.items() if "chance" in k)
    assert f"a chance of 0.19 is a loss of {-math.log(.19):.2f}" in chance
    boundary = next(v for k, v in rows.items() if "good at SQuAD" in k)
    for printed in ("+0.1 F1 on SQuAD 2.0", "+0.7 on NewsQA", "+2.7 on coreference", "adds +1.3 on SQuAD 2.0", "word pieces +1.6"):
        assert printed in boundary
