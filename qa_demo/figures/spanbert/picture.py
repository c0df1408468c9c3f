"""Step 3 of chapter 8 as data: what pre-training leaves behind, and what it reached."""

from collections.abc import Mapping, Sequence
from typing import Any

from qa_demo.figures.numbers import grouped, number
from qa_demo.figures.payload import columns
from qa_demo.figures.spanbert.ablation import ablation_data, closing_notice

BUSY = {"load": "loading SpanBERT", "text": "cutting the text into pieces"}

# What pre-training reached

DISTANCE = "by_distance_in_runs_of_7_and_more"


def scores_data(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """Held-out top-1 by length of the run and by distance from the boundary."""
    panels = [
        _panel("pieces in the run", metrics["by_length"]),
        _panel("distance from the nearer boundary, runs of 7 and more", metrics[DISTANCE]),
    ]
    return {
        "panels": panels,
        "says": scores_says(metrics["overall"], panels[1]["rows"]),
        "tables": [_scores_table(panel) for panel in panels],
    }


def _panel(title: str, groups: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    heads = {"n": "pieces", "mlm": "mlm_top1", "sbo": "sbo_top1", "both": "both_top1"}
    rows = [
        {"name": name, **{key: group[field] for key, field in heads.items()}}
        for name, group in groups.items()
    ]
    return {"title": title, "rows": rows}


def _scores_table(panel: Mapping[str, Any]) -> dict[str, Any]:
    return columns(
        f"Held-out top-1 by {panel['title']}",
        panel["rows"],
        {
            panel["title"]: lambda row: row["name"],
            "blanks": lambda row: f"{row['n']:,}",
            "MLM": lambda row: f"{number(row['mlm'], 1)} %",
            "SBO": lambda row: f"{number(row['sbo'], 1)} %",
            "both": lambda row: f"{number(row['both'], 1)} %",
        },
    )


def scores_says(overall: Mapping[str, Any], by_distance: Sequence[Mapping[str, Any]]) -> str:
    """The two heads overall, and what distance does to SBO."""
    named = [
        f"{key.upper()} names {number(overall[f'{key}_top1'], 1)} % (perplexity "
        f"{grouped(overall[f'{key}_perplexity'], 1)})"
        for key in ("mlm", "sbo")
    ]
    near, far = by_distance[0], by_distance[-1]
    return (
        f"Of {overall['pieces']:,} blanks in paragraphs kept apart from training, "
        f"{', '.join(named)} of the true pieces first. SBO "
        f"{'falls' if far['sbo'] < near['sbo'] else 'does not fall'} towards the middle "
        f"of a long run: {number(near['sbo'], 1)} % beside the boundary, "
        f"{number(far['sbo'], 1)} % at distance {far['name']}."
    )


def closing_data(metrics: Mapping[str, Any], experiment: Mapping[str, Any]) -> dict[str, Any]:
    """Step 3: experiment and pre-training; notice and tables."""
    scores = scores_data(metrics)
    return {
        "ablation": ablation_data(experiment["starts"], experiment["budget"]),
        "tables": scores.pop("tables"),
        "scores": scores,
        "notice": closing_notice(experiment["starts"]),
    }
