"""Measure MLM, SBO and both on held-out paragraphs: top-1 and perplexity, by span length and by
distance from the boundary.

    python -m qa_demo.training.infill_score --model assets/spanbert --text text/*.txt.gz

Every paragraph is read alone, cut to 126 pieces as in training, under the training law with a fixed
seed (so 10 % of the runs show a random piece and 10 % the true one). Writes metrics.json and the
checksums beside the model; `card --reader` shows them.
"""

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoTokenizer

from qa_demo.core.base import BadInput
from qa_demo.model.spanbert import load_sbo
from qa_demo.training.flags import described, exit_code
from qa_demo.training.measure import versions
from qa_demo.training.pretrainer import Pretrainer, load
from qa_demo.training.text import FATES, Batches, held_out_batches, read_text, tokenize

HEADS = ("mlm", "sbo", "both")
Columns = dict[str, np.ndarray]
LONG = 7


@torch.no_grad()
def measure(
    model: Pretrainer, batches: Batches, limit: int | None = None, rows: int = 16
) -> Columns:
    """One entry a blank [M]: run, distance, fate, each head's right (0 or 1), -log p or NaN."""
    device, columns = next(model.parameters()).device, []
    model.eval()
    chosen = np.random.default_rng(0).permutation(len(batches.sequences))[:limit].tolist()
    chosen.sort(key=lambda s: sum(len(batches.parts[m].ids) for m in batches.sequences[s]))
    for first in range(0, len(chosen), rows):
        batch = batches.batch(
            chosen[first : first + rows], np.random.default_rng([batches.seed, 2, first])
        )
        column = {name: batch[name].numpy() for name in ("run", "distance", "fate")}
        batch = {name: value.to(device) for name, value in batch.items()}
        mlm, sbo = model.logits(batch)
        heads = {"mlm": (mlm.float().log_softmax(-1), slice(None))}
        if sbo is not None:
            log_q = sbo.float().log_softmax(-1)
            heads |= {
                "sbo": (log_q, batch["row"]),
                "both": ((heads["mlm"][0][batch["row"]] + log_q).log_softmax(-1), batch["row"]),
            }
        for name, (log_p, at) in heads.items():
            true, size = batch["true"][at], len(batch["true"])
            for what, value in (
                ("right", (log_p.argmax(-1) == true).float()),
                ("loss", -log_p.gather(1, true[:, None])[:, 0]),
            ):
                full = torch.full((size,), float("nan"), device=device)
                full[at] = value
                column[f"{name}_{what}"] = full.cpu().numpy()
        columns.append(column)
    model.train()
    return {name: np.concatenate([column[name] for column in columns]) for name in columns[0]}


def summary(columns: Columns, chosen: np.ndarray | None = None) -> dict[str, float | int]:
    """Counts, top-1 in percent, mean -log p, perplexity exp(mean) of each head over blanks."""
    chosen = np.ones(len(columns["run"]), dtype=bool) if chosen is None else chosen
    found: dict[str, float | int] = {"pieces": int(chosen.sum())}
    for head in HEADS:
        if f"{head}_loss" not in columns:
            continue
        loss, right = columns[f"{head}_loss"][chosen], columns[f"{head}_right"][chosen]
        has = ~np.isnan(loss)
        found[f"{head}_pieces"] = int(has.sum())
        if has.any():
            mean = float(loss[has].mean())
            found |= {
                f"{head}_top1": round(100 * float(right[has].mean()), 2),
                f"{head}_loss": round(mean, 4),
                f"{head}_perplexity": round(float(np.exp(min(mean, 50.0))), 2),
            }
    if "sbo_loss" in columns and (pairs := chosen & ~np.isnan(columns["sbo_loss"])).any():
        found["mlm_top1_where_sbo"] = round(100 * float(columns["mlm_right"][pairs].mean()), 2)
    return found


def tables(columns: Columns) -> dict[str, Any]:
    """All figures: overall, by fate, by run length, by distance from the boundary (1: beside)."""
    run, distance = columns["run"], columns["distance"]
    lengths = [("over 10", run > 10) if n > 10 else (str(n), run == n) for n in range(1, 12)]
    steps = [("over 5", distance > 5) if n > 5 else (str(n), distance == n) for n in range(1, 7)]
    return {
        "overall": summary(columns),
        "by_fate": {fate: summary(columns, columns["fate"] == k) for k, fate in enumerate(FATES)},
        "by_length": {name: summary(columns, rows) for name, rows in lengths if rows.any()},
        "by_distance": {name: summary(columns, rows) for name, rows in steps if rows.any()},
        f"by_distance_in_runs_of_{LONG}_and_more": {
            name: summary(columns, rows & (run >= LONG))
            for name, rows in steps
            if (rows & (run >= LONG)).any()
        },
    }


def load_exported(folder: Path) -> Pretrainer:
    """An exported folder as it is measured: fp32, with the boundary head if there is one."""
    model = load(str(folder), sbo=False, positions=1)
    model.sbo = load_sbo(folder, model.mlm.config)
    return model


def scored(a: argparse.Namespace) -> dict[str, Any]:
    """All figures of one model, with what they were measured on and by which versions."""
    tokenizer = AutoTokenizer.from_pretrained(a.model)
    parts = tokenize(tokenizer, read_text(a.text)[1], a.length - 2)
    if not parts:
        raise BadInput("none of the paragraphs belongs to the held-out 5 %; give more text")
    model = load_exported(a.model)
    positions = model.sbo.positions if model.sbo else 1
    held = held_out_batches(parts, tokenizer, a.length, a.masking, positions)
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "masking": a.masking,
        "length": a.length,
        "limit": a.limit,
        "parts": min(len(parts), a.limit or len(parts)),
        "text": [Path(name).name for name in a.text],
        "versions": versions("torch", "transformers", "tokenizers", "numpy"),
        **tables(measure(model, held, a.limit)),
    }


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Parse the command line, measure, write metrics.json and checksums."""
    p = described(__doc__, "infill_score")
    p.add_argument("--model", type=Path, default=Path("assets/spanbert"))
    p.add_argument("--text", nargs="+", required=True)
    p.add_argument("--masking", choices=["span", "token"], default="span")
    p.add_argument("--length", type=int, default=128)
    p.add_argument("--limit", type=int, help="only so many held-out parts, drawn with a fixed seed")
    a = p.parse_args(argv)
    from qa_demo.training.export import write_checksums

    result = scored(a)
    (a.model / "metrics.json").write_text(json.dumps(result, indent=1) + "\n")
    write_checksums(a.model)
    sys.stdout.write(json.dumps(result["overall"], indent=1) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
