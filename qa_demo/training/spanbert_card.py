"""The model card of assets/spanbert, written from the JSON files that lie there."""

import json
from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from qa_demo.core.measuring.published import SPANBERT, SPANBERT_OBJECTIVES
from qa_demo.training.card_phases import ENCODER, flag
from qa_demo.training.card_tables import table

AIMS = {"mlm_top1": 35.0, "sbo_top1": 26.0}
"""What the pre-training was to reach: held-out top-1 in percent."""
COLUMNS = (
    ("MLM top-1", "mlm_top1"),
    ("MLM perplexity", "mlm_perplexity"),
    ("SBO top-1", "sbo_top1"),
    ("SBO perplexity", "sbo_perplexity"),
    ("both top-1", "both_top1"),
    ("both perplexity", "both_perplexity"),
)
NOT_FLAGS = (
    "name",
    "text",
    "steps_taken",
    "seconds",
    "curve",
    "torch",
    "mixed_precision",
    "from_export",
    "all_held_out",
    "tried",
)
MORE = {
    ("more.txt.gz",): "It was written by `python -m qa_demo.training.more_text` (its help names "
    "the sources: 106 articles of Wikipedia, CC BY-SA; noun glosses of WordNet 3.0 under its own "
    "free licence; paragraphs of QED, QAMR, SQuAD and COVID-QA), which leaves out every paragraph "
    "that shares twelve words in a row with a held-out one.",
    ("wikipedia.txt.gz", "wikinews.txt.gz"): "The first file holds up to ten paragraphs of each "
    "long article of a Wikipedia of 2015 (CC BY-SA 3.0), the second stories of English Wikinews of "
    "2022 (CC BY 2.5), of which the run read one half. Left out were 19 paragraphs that share ten "
    "words in a row with a held-out one.",
}
"""Where text comes from that is only trained on, by its files."""
GAIN = 2.0
"""Points of top-1 that are worth new weights."""
TRIED = " This phase was tried; it is not in the weights of this folder."
FRONT = """---
license: cc-by-sa-4.0
language: en
library_name: transformers
pipeline_tag: fill-mask
base_model: sentence-transformers/all-MiniLM-L6-v2
---"""


def rows(title: str, found: Mapping[str, Mapping[str, Any]]) -> str:
    """One table: a line a group with its blanks and the heads' figures; a dash without a term."""
    lines = [
        [
            name,
            f"{group['pieces']:,}",
            *(f"{group[key]:.1f}" if key in group else "-" for _, key in COLUMNS),
        ]
        for name, group in found.items()
    ]
    return table([title, "blanks", *(name for name, _ in COLUMNS)], lines)


def curve(phases: list[Mapping[str, Any]]) -> str:
    """Held-out top-1 along the training: the learning curve."""
    measured = [(row, row["held"]) for phase in phases for row in phase["curve"]]
    lines = [
        [
            f"{row['before'] + row['step']:,}",
            f"{row['seconds'] / 60:.0f}",
            f"{held['pieces']:,}",
            f"{held['mlm_top1']:.1f}",
            f"{held['sbo_top1']:.1f}" if "sbo_top1" in held else "-",
        ]
        for row, held in measured
    ]
    return table(["step", "minutes", "blanks", "MLM top-1", "SBO top-1"], lines)


def verdict(overall: Mapping[str, Any]) -> str:
    """Whether the two aims were reached, in figures."""
    said = [
        f"{key.split('_')[0].upper()} {overall[key]:.1f} % top-1, the aim of {aim:.0f} % is "
        f"{'reached' if overall[key] >= aim else 'not reached'}"
        for key, aim in AIMS.items()
        if key in overall
    ]
    return "; ".join(said) + "."


def ablation(cells: Mapping[str, Any]) -> str:
    """The experiment on this machine and the paper's own, one below the other."""
    lines = []
    for name, cell in cells.items():
        spread = [
            f"{sum(cell[key]) / len(cell[key]):.1f} ({min(cell[key]):.1f} to {max(cell[key]):.1f})"
            for key in ("exact", "f1", "bio_f1")
        ]
        lines.append([name, str(len(cell["f1"])), *spread])
    ours = table(["start of the reader", "seeds", "exact", "F1", "BIO F1"], lines)
    theirs = table(
        ["the paper's, dev F1", "SQuAD 2.0", "NewsQA", "coreference"],
        [
            [row.name, f"{row.squad2:.1f}", f"{row.newsqa:.1f}", f"{row.coreference:.1f}"]
            for row in SPANBERT_OBJECTIVES
        ],
    )
    about = "Mean over the seeds, smallest and largest in brackets, on squad-dev."
    return f"{about}\n\n{ours}\n\n{theirs}\n\n{SPANBERT}."


def conditions(finished: Sequence[Mapping[str, Any]]) -> str:
    """What all cells of the experiment had in common, as the command that ran them, and when."""
    b = finished[0]["budget"]
    seeds = sorted({cell["seed"] for cell in finished})
    dates = sorted({cell["date"] for cell in finished})
    lines = [
        f"python -m qa_demo.training.ablation --encoder {ENCODER}",
        "--text " + " ".join(b["text"]),
        "--train " + " ".join(b["train"]),
        f"--dev {b['dev']} --pretrain-steps {b['pretrain_steps']} --finetune-steps "
        f"{b['finetune_steps']}",
        flag("seeds", seeds),
    ]
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    return (
        f"Every start but the plain one was pre-trained for {b['pretrain_steps']:,} steps of "
        f"{b['batch_tokens']:,} pieces, every "
        f"reader fine-tuned for {b['finetune_steps']:,} steps; weights averaged along the "
        f"fine-tuning were scored; {when}.\n\n```\n" + " \\\n    ".join(lines) + "\n```"
    )


def phase(p: Mapping[str, Any], earlier: str | None) -> str:
    """What one training phase took, and its command, rebuilt from the settings that it wrote."""
    tried = TRIED if p.get("tried") else ""
    parts = ""
    if p["steps_taken"] > p["steps"]:
        parts = f", in parts: the command is that of the last {p['steps']:,} steps"
    encoder, began, origin = ENCODER, "" if earlier is None else f" --resume runs/{earlier}", ""
    if p.get("from_export"):
        encoder, began = "assets/spanbert", ""
        origin = f", from the folder that the export of {earlier} wrote"
    flags = [flag(name, value) for name, value in p.items() if name not in NOT_FLAGS]
    lines = [
        f"python -m qa_demo.training.pretrain --encoder {encoder}{began}",
        "--text " + " ".join(p["text"]),
        *(" ".join(flags[k : k + 6]) for k in range(0, len(flags), 6)),
        f"--out runs/{p['name']}",
    ]
    return (
        f"{p['name']}: {p['steps_taken']:,} steps of {p['batch_tokens']:,} pieces in "
        f"{p['seconds'] / 60:.0f} minutes, torch "
        f"{p['torch']}, mixed precision {p['mixed_precision']}{origin}{parts}.{tried}\n\n```\n"
        + " \\\n    ".join(lines)
        + "\n```"
    )


def more_about(phases: Sequence[Mapping[str, Any]]) -> list[str]:
    """What is known of the text that phases were only trained on; nothing where none was."""
    files = dict.fromkeys(tuple(p["more_text"]) for p in phases if p.get("more_text"))
    said = ["`--more-text` is only trained on.", *(MORE[f] for f in files if f in MORE)]
    return [" ".join(said)] if files else []


def training(phases: Sequence[Mapping[str, Any]]) -> str:
    """All phases in order, then the export."""
    names = [p["name"] for p in phases]
    last = [p for p in phases if not p.get("tried")][-1]
    more = last.get("more_text")
    export = (
        f"python -m qa_demo.training.export_spanbert --encoder {ENCODER} --run runs/{last['name']} "
        f"\\\n    --text "
        + " ".join(last["text"])
        + (f" \\\n    {flag('more_text', more)}" if more else "")
    )
    return "\n\n".join(
        [
            *(phase(p, earlier) for p, earlier in zip(phases, [None, *names], strict=False)),
            *more_about(phases),
            f"```\n{export}\n```",
        ]
    )


def ends(phases: Sequence[Mapping[str, Any]]) -> str:
    """What each phase had reached at its end on all held-out blanks, where that was measured."""
    steps = accumulate(p["steps_taken"] for p in phases)
    lines = [
        [
            p["name"],
            f"{step:,}",
            f"{found['pieces']:,}",
            *(f"{found[key]:.1f}" if key in found else "-" for _, key in COLUMNS[:4]),
        ]
        for p, step in zip(phases, steps, strict=True)
        if (found := p.get("all_held_out"))
    ]
    head = ["end of", "step", "blanks", *(name for name, _ in COLUMNS[:4])]
    return table(head, lines) if lines else ""


def stops(phases: Sequence[Mapping[str, Any]]) -> str:
    """What a last phase that is not in the weights brought, and why it is not; "" where every phase
    is in them or nothing was measured at its end.
    """
    kept = [p for p in phases if not p.get("tried")]
    if not kept or len(kept) == len(phases):
        return ""
    last, before = phases[-1], kept[-1]
    if not (now := last.get("all_held_out")) or not (was := before.get("all_held_out")):
        return ""
    moved = {
        name: (now[key], now[key] - was[key])
        for name, key in (("MLM", "mlm_top1"), ("SBO", "sbo_top1"))
        if key in now and key in was
    }
    said = " and ".join(f"{name} at {x:.1f} % ({d:+.1f})" for name, (x, d) in moved.items())
    return (
        f"{last['name']} went on from these weights and ended with {said} on all held-out blanks. "
        f"New weights are kept for a gain of {GAIN:g} points, so the training stops here. More "
        f"text than these commands name was not tried."
    )


def figures(metrics: Mapping[str, Any]) -> list[str]:
    """The verdict and all tables of infill_score."""
    groups = {
        "overall": {"all": metrics["overall"]},
        "shown to the model": metrics["by_fate"],
        "pieces in the run": metrics["by_length"],
        "distance from the nearer boundary": metrics["by_distance"],
        "the same, long runs only": next(
            v for k, v in metrics.items() if k.startswith("by_distance_in_runs")
        ),
    }
    return [
        f"## Figures\n\n{verdict(metrics['overall'])}\n\nMeasured on {metrics['date']} on "
        f"{metrics['parts']:,} parts of held-out "
        f"paragraphs (5 %, chosen by a hash), {metrics['masking']} masking, in fp32, by `python -m "
        f"qa_demo.training.infill_score "
        f"--text {' '.join(metrics['text'])}`. A run at an edge of its text has no SBO term.",
        *(rows(title, found) for title, found in groups.items() if found),
    ]


def text(
    card: Mapping[str, Any],
    metrics: Mapping[str, Any] | None,
    experiment: Mapping[str, Any] | None,
    finished: Sequence[Mapping[str, Any]] = (),
) -> str:
    """The whole card in Markdown."""
    phases = card["phases"]
    head = ", span boundary head" if card["sbo"] else ""
    parts = [
        FRONT,
        "# A small SpanBERT with its span boundary head",
        "Continued from all-MiniLM-L6-v2 (Apache 2.0; 6 layers, hidden 384, uncased) and not from "
        "scratch, as the paper's was: "
        f"masked-language head{head}, single segments, no next-sentence task. "
        f"`AutoModelForMaskedLM` loads the folder; give it "
        "`dtype=torch.float32`. The boundary head is in `sbo_head.safetensors`, "
        f"with {card['positions']} rows of 200 in its position table. English only; it repeats "
        f"what its text says, true or not.",
        "## Training\n\n" + training(phases),
    ]
    if any(p["curve"] for p in phases):
        parts.append(
            "Held-out figures along the way (phases may have measured other parts of the held-out "
            "text):\n\n" + curve(phases)
        )
    if reached := ends(phases):
        parts.append("At the end of each phase, on all held-out paragraphs:\n\n" + reached)
    if why := stops(phases):
        parts.append(why)
    if metrics is not None:
        parts += figures(metrics)
    if experiment and finished:
        parts.append(
            f"## Does it help a "
            f"reader?\n\n{conditions(finished)}\n\n{ablation(experiment['starts'])}"
        )
    return "\n\n".join(parts) + "\n"


def write(folder: Path) -> None:
    """Write README.md beside the model."""
    card, metrics, experiment = (
        json.loads(path.read_text()) if (path := folder / f"{name}.json").is_file() else None
        for name in ("spanbert", "metrics", "ablation")
    )
    finished = [
        json.loads(path.read_text()) for path in sorted((folder / "ablation").glob("*.json"))
    ]
    if card is not None:
        (folder / "README.md").write_text(
            text(card, metrics, experiment, finished), encoding="utf-8"
        )
