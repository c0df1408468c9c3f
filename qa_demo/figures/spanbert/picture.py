"""Step 3 of chapter 8 as data: what pre-training leaves behind, and what it reached."""

from collections.abc import Mapping, Sequence
from typing import Any

from qa_demo.figures.numbers import grouped, number
from qa_demo.figures.payload import table
from qa_demo.figures.spanbert.ablation import ablation_data, closing_notice, measured

BUSY = {"load": "loading SpanBERT", "text": "cutting the text into pieces"}
SIMPLIFIED = (
    "The page masks one short text; in pre-training a sequence is one contiguous segment of up to "
    "512 pieces, and it is masked afresh each time it is read.",
    "Our model continues from a small pre-trained encoder with 6 layers; the paper's was trained "
    "from scratch, with 12 or 24.",
    "Our experiment asks whether so short a pre-training helps an encoder that was already trained "
    "on far more text; the paper pre-trained each start for 1.2 million steps. What is lost or won "
    "here says little about the paper.",
    "The boundary vectors are contextual: they come out of the encoder and have already read the "
    "whole sentence, blanks included.",
    "Spans drawn by hand always become [MASK]; the 10 % random and 10 % kept belong to spans "
    "drawn by the law.",
    "A cut wire carries its mean vector over the pre-training text. Training never saw a mean.",
    "“Both” is the product of the two heads' distributions, renormalised: a way to compare them. "
    "Neither training nor reading uses it.",
    "Perplexities and top-1 of the third step are over word pieces, so that a word of three "
    "pieces counts three times.",
)
FATE = (
    {
        "name": "encoder",
        "was": "word pieces in, one vector a piece out",
        "then": "stays",
        "now": "the same weights, tuned further",
    },
    {
        "name": "masked language model (MLM) head",
        "was": "vocabulary from the blank's own vector",
        "then": "thrown away",
        "now": "",
    },
    {
        "name": "span boundary objective (SBO) head",
        "was": "vocabulary from x(s−1), x(e+1) and a position",
        "then": "thrown away",
        "now": "",
    },
    {
        "name": "S and E",
        "was": "",
        "then": "new",
        "now": "one start and one end vector, random at first",
    },
)


# What pre-training reached

HEADS = (("mlm", "MLM"), ("sbo", "SBO"), ("both", "both"))


def scores_data(metrics: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Held-out top-1 by length of the run and distance from the boundary; None if unmeasured."""
    if metrics is None:
        return None
    long = next((name for name in metrics if name.startswith("by_distance_in_runs_of_")), None)
    least = long.split("_")[5] if long else ""
    panels = [
        _panel("pieces in the run", metrics.get("by_length", {})),
        _panel(
            "distance from the nearer boundary" + (f", runs of {least} and more" if long else ""),
            metrics.get(long or "by_distance", {}),
        ),
    ]
    return {
        "panels": [p for p in panels if p["rows"]],
        "says": scores_says(metrics["overall"], panels[1]["rows"]),
        "tables": [_scores_table(p) for p in panels if p["rows"]],
    }


def _panel(title: str, groups: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    rows = [
        {
            "name": name,
            "n": int(g["pieces"]),
            **{key: float(g[f"{key}_top1"]) for key, _ in HEADS if f"{key}_top1" in g},
        }
        for name, g in groups.items()
    ]
    return {"title": title, "rows": rows}


def _scores_table(panel: Mapping[str, Any]) -> dict[str, Any]:
    rows = [
        [
            r["name"],
            f"{r['n']:,}",
            *(f"{number(r[key], 1)} %" if key in r else "-" for key, _ in HEADS),
        ]
        for r in panel["rows"]
    ]
    return table(
        f"Held-out top-1 by {panel['title']}",
        [panel["title"], "blanks", *(name for _, name in HEADS)],
        rows,
    )


def scores_says(overall: Mapping[str, Any], by_distance: Sequence[Mapping[str, Any]]) -> str:
    """The two heads overall, and what distance does to SBO."""
    parts = [
        f"{name} names {number(top, 1)} % (perplexity {grouped(overall[key + '_perplexity'], 1)})"
        for key, name in HEADS[:2]
        if (top := overall.get(f"{key}_top1")) is not None
    ]
    said = (
        f"Of {overall['pieces']:,} blanks in paragraphs kept apart from training, "
        f"{', '.join(parts)} of the true pieces first."
    )
    rows = [r for r in by_distance if "sbo" in r]
    if len(rows) > 1:
        near, far = rows[0], rows[-1]
        said += (
            f" SBO {'falls' if far['sbo'] < near['sbo'] else 'does not fall'} towards the middle "
            f"of a long run: {number(near['sbo'], 1)} % "
            f"beside the boundary, {number(far['sbo'], 1)} % at distance {far['name']}."
        )
    return said


def closing_data(
    metrics: Mapping[str, Any] | None,
    experiment: Mapping[str, Any] | None,
    said: Sequence[Sequence[str]] = (),
) -> dict[str, Any]:
    """Step 3: the stages, common statements, experiment, pre-training; notice and tables. `said`:
    what introductions say of SpanBERT, and what it is.
    """
    cells, budget = (
        (None, None) if experiment is None else (experiment["starts"], experiment["budget"])
    )
    scores = scores_data(metrics)
    return {
        "parts": [dict(p) for p in FATE],
        "saysIs": table("Said in introductions, and what it is", ["says", "is"], said),
        "ablation": ablation_data(cells, budget),
        "scores": scores,
        "notice": closing_notice(measured(cells)),
        "tables": [] if scores is None else scores.pop("tables"),
    }
