"""Chapter 8's closing step: what pre-training reached, by length and by distance."""

from typing import Any

from qa_demo.figures.payload import plain
from qa_demo.figures.spanbert import picture as figure


def scores() -> dict[str, Any]:
    group = {"pieces": 900, "mlm_pieces": 900, "mlm_top1": 36.5, "mlm_perplexity": 61.2}
    group |= {"sbo_pieces": 880, "sbo_top1": 16.25, "sbo_perplexity": 301.0}
    group |= {"both_top1": 38.0, "both_perplexity": 55.0}
    return {
        "overall": group,
        "by_length": {"1": group, "over 10": {**group, "pieces": 3}},
        "by_distance_in_runs_of_7_and_more": {"1": group, "over 5": {**group, "sbo_top1": 4.0}},
    }


def test_scores_stand_by_length_and_by_distance() -> None:
    data = plain(figure.scores_data(scores()))
    _, distance = data["panels"]
    assert distance["title"].endswith("runs of 7 and more")
    assert data["tables"][0]["rows"][1] == ["over 10", "3", "36.5 %", "16.3 %", "38.0 %"]
    assert "Of 900 blanks" in data["says"] and "MLM names 36.5 % (perplexity 61.2)" in data["says"]
    assert (
        "SBO falls towards the middle of a long run: 16.3 % beside the boundary, 4.0 % at "
        "distance over 5" in data["says"]
    )


def test_rising_scores_are_not_called_falling() -> None:
    rising = scores()
    rising["by_distance_in_runs_of_7_and_more"]["over 5"]["sbo_top1"] = 40.0
    assert "SBO does not fall" in figure.scores_data(rising)["says"]
