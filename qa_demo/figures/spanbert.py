"""Step 3 of chapter 8 as data: what pre-training leaves behind, what is said about it, whether it helps; what is simplified."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from qa_demo.core.published import SPANBERT, SPANBERT_MASKING, SPANBERT_OBJECTIVES, Row
from qa_demo.figures.numbers import number, signed
from qa_demo.figures.payload import table

BUSY = {"load": "loading SpanBERT", "text": "cutting the text into pieces"}
CELLS = ("plain encoder", "token masking", "span masking", "span masking + SBO")
"""The four starts of a reader, in the order in which each adds one thing."""
SIMPLIFIED = (
    "The page masks one short text; in pre-training a sequence is one contiguous segment of up to 512 pieces, and it is masked anew each "
    "time it is read.",
    "Our model continues from a small pre-trained encoder with 6 layers; the paper's was trained from scratch, with 12 or 24.",
    "The boundary vectors are contextual: they come out of the encoder and have already read the whole sentence, blanks included.",
    "Spans drawn by hand always become [MASK]; the 10 % random and 10 % kept belong to spans drawn by the law.",
    "“Both” is the product of the two heads' distributions, renormalised: a way to compare them. Neither training nor reading uses it.",
    "Perplexities and top-1 of the third step are over word pieces, so that a word of three pieces counts three times.",
)
FATE = ({"name": "encoder", "was": "word pieces in, one vector a piece out", "then": "stays", "now": "the same weights, tuned further"},
        {"name": "MLM head", "was": "vocabulary from the blank's own vector", "then": "thrown away", "now": ""},
        {"name": "SBO head", "was": "vocabulary from x(s−1), x(e+1) and a position", "then": "thrown away", "now": ""},
        {"name": "S and E", "was": "", "then": "new", "now": "one start and one end vector, random at first"})


def says_is() -> list[list[str]]:
    """What introductory texts say, and what it is; differences come from the paper's figures."""
    chance = 0.19
    spans, alone, sbo = (row for row in SPANBERT_OBJECTIVES)
    return [
        ["SpanBERT is trained only on the span boundary objective.",
         "Its loss is the MLM loss plus the SBO loss. What it drops is next sentence prediction."],
        ["It drops next sequence prediction.",
         "Next sentence prediction: one of BERT's two losses, whether part B follows part A. SpanBERT reads one segment: nothing can "
         "follow."],
        ["Fine-tuning with the two losses gives SpanBERT.",
         "Pre-training with the two losses gives SpanBERT. Fine-tuning lowers the task's loss alone; for reading, the mean of the start "
         "and the end loss."],
        ["It predicts spans instead of tokens.",
         "In pre-training every hidden piece is predicted apart. After fine-tuning it is still S, E and one best pair, as in chapters 2 "
         "to 4."],
        ["The boundary is the start and the end of the span: x₅ and x₈, or x₄ and “x₆”, when x₅ … x₈ are hidden.",
         "The boundary are the observed words just outside: x₄ and x₉. Inside there is nothing to see."],
        ["The boundary predicts the entire span.", "It predicts one piece at a time; the position embedding says which one."],
        ["yᵢ is computed for all the tokens.",
         "For hidden ones only, and only where their run has an observed neighbour on both sides."],
        ["The MLM loss is the chance of the word.",
         f"It is −log of the chance: a chance of {chance:.2f} is a loss of {number(-math.log(chance))}; only a chance of 1 costs "
         "nothing."],
        ["LayerNorm prevents interactions within the batch.",
         "LayerNorm centres and scales the features of one vector; it never looks at another token or text."],
        ["The boundary objective is what makes SpanBERT good at SQuAD.",
         f"In the paper's ablation it adds {signed(sbo.squad2 - alone.squad2, 1)} F1 on SQuAD 2.0, "
         f"{signed(sbo.newsqa - alone.newsqa, 1)} on NewsQA and {signed(_or_nan(sbo.coreference) - _or_nan(alone.coreference), 1)} on "
         f"coreference; one segment without next sentence prediction adds {signed(alone.squad2 - spans.squad2, 1)} on SQuAD 2.0, spans "
         "instead of word pieces "
         f"{signed(SPANBERT_MASKING[-1].squad2 - SPANBERT_MASKING[0].squad2, 1)}."],
    ]


def _or_nan(x: float | None) -> float:
    return math.nan if x is None else x


# Does it help? ------------------------------------------------------------------------------------------------------


def paper_table(caption: str, rows: Sequence[Row]) -> dict[str, Any]:
    """A table of the paper's ablation."""
    cells = [[r.name, *(f"{x:.1f}" if x is not None else "-" for x in (r.squad2, r.newsqa, r.triviaqa, r.coreference))] for r in rows]
    return table(caption, ["dev F1", "SQuAD 2.0", "NewsQA", "TriviaQA", "coreference"], cells)


def ablation_data(cells: Mapping[str, Mapping[str, Sequence[float]]] | None) -> dict[str, Any]:
    """Our experiment cell by cell with its spread, what is missing, and what can be said; the paper's two tables."""
    found = {name: cells[name] for name in CELLS if cells and name in cells and len(cells[name]["f1"])}
    rows = [{"name": name, "f1": [float(x) for x in cell["f1"]], "mean": _mean(cell["f1"])} for name, cell in found.items()]
    printed = [[name, str(len(cell["f1"])), *(spread(cell[key]) for key in ("exact", "f1", "bio_f1"))] for name, cell in found.items()]
    missing = [name for name in CELLS if name not in found]
    head = ["start of the reader", "seeds", "exact", "F1", "BIO F1"]
    return {"rows": rows, "missing": missing_says(missing), "says": ablation_says(found),
            "table": table("Fine-tuned alike from four starts, squad-dev: mean (smallest to largest)", head, printed) if printed else None,
            "paper": [paper_table("The paper's masking schemes", SPANBERT_MASKING),
                      paper_table("The paper's objectives", SPANBERT_OBJECTIVES)], "source": SPANBERT}


def _mean(values: Sequence[float]) -> float:
    return float(sum(values) / len(values))


def spread(values: Sequence[float]) -> str:
    """71.2 (70.8 to 71.6)."""
    return f"{_mean(values):.1f} ({min(values):.1f} to {max(values):.1f})" if len(values) > 1 else f"{values[0]:.1f}"


def missing_says(missing: Sequence[str]) -> str:
    """An honest sentence about cells that were not run."""
    if not missing:
        return ""
    if len(missing) == len(CELLS):
        return "Our own experiment is not in this checkout: none of its four starts was measured. The figures below are the paper's alone."
    return f"Not measured: {', '.join(missing)}."


def ablation_says(found: Mapping[str, Mapping[str, Sequence[float]]]) -> str:
    """Whether the starts differ by more than their seeds do."""
    if len(found) < 2:
        return ""
    means = {name: _mean(cell["f1"]) for name, cell in found.items()}
    best, worst = max(means, key=lambda name: means[name]), min(means, key=lambda name: means[name])
    gap, noise = means[best] - means[worst], max(max(cell["f1"]) - min(cell["f1"]) for cell in found.values())
    said = f"On this budget “{best}” reads best and “{worst}” worst, {gap:.1f} F1 apart; "
    if all(len(cell["f1"]) < 2 for cell in found.values()):
        return said + "with one seed each nobody can say how much of that is chance."
    return said + f"seeds of one start differ by up to {noise:.1f}, " + (
        "less than half of that." if gap > 2 * noise else "so much of the order may be chance.")


# What pre-training reached ------------------------------------------------------------------------------------------

HEADS = (("mlm", "MLM"), ("sbo", "SBO"), ("both", "both"))


def scores_data(metrics: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Held-out top-1 by length of the run and by distance from the nearer boundary; None before anything was measured."""
    if metrics is None:
        return None
    long = next((name for name in metrics if name.startswith("by_distance_in_runs_of_")), None)
    least = long.split("_")[5] if long else ""
    panels = [_panel("pieces in the run", metrics.get("by_length", {})),
              _panel("distance from the nearer boundary" + (f", runs of {least} and more" if long else ""),
                     metrics.get(long or "by_distance", {}))]
    return {"panels": [p for p in panels if p["rows"]], "says": scores_says(metrics["overall"], panels[1]["rows"]),
            "tables": [_scores_table(p) for p in panels if p["rows"]]}


def _panel(title: str, groups: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    rows = [{"name": name, "n": int(g["pieces"]), **{key: float(g[f"{key}_top1"]) for key, _ in HEADS if f"{key}_top1" in g}}
            for name, g in groups.items()]
    return {"title": title, "rows": rows}


def _scores_table(panel: Mapping[str, Any]) -> dict[str, Any]:
    rows = [[r["name"], f"{r['n']:,}", *(f"{r[key]:.1f} %" if key in r else "-" for key, _ in HEADS)] for r in panel["rows"]]
    return table(f"Held-out top-1 by {panel['title']}", [panel["title"], "blanks", *(name for _, name in HEADS)], rows)


def scores_says(overall: Mapping[str, Any], by_distance: Sequence[Mapping[str, Any]]) -> str:
    """The two heads overall, and what distance does to SBO."""
    parts = [f"{name} names {overall[f'{key}_top1']:.1f} % (perplexity {overall[f'{key}_perplexity']:,.1f})"
             for key, name in HEADS[:2] if f"{key}_top1" in overall]
    said = f"Of {overall['pieces']:,} blanks in paragraphs kept apart from training, {', '.join(parts)} of the true pieces first."
    rows = [r for r in by_distance if "sbo" in r]
    if len(rows) > 1:
        near, far = rows[0], rows[-1]
        said += (f" SBO {'falls' if far['sbo'] < near['sbo'] else 'does not fall'} towards the middle of a long run: {near['sbo']:.1f} % "
                 f"beside the boundary, {far['sbo']:.1f} % at distance {far['name']}.")
    return said


def closing_data(metrics: Mapping[str, Any] | None, cells: Mapping[str, Any] | None) -> dict[str, Any]:
    """Step 3: the two stages, the table of sayings, the experiment, the pre-training scores."""
    return {"parts": [dict(p) for p in FATE], "saysIs": table("Said in introductions, and what it is", ["says", "is"], says_is()),
            "ablation": ablation_data(cells), "scores": scores_data(metrics)}
