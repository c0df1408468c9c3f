"""Write a pre-training run as the bundled SpanBERT, measure it on held-out paragraphs, and compare
hiding spans with hiding single tokens.

    python -m qa_demo.training.infill export --run runs/spanbert --text text/*.txt.gz --out FOLDER
    python -m qa_demo.training.infill score --model assets/spanbert --text text/*.txt.gz
    python -m qa_demo.training.infill schemes --model assets/spanbert

export: a standard folder that `AutoModelForMaskedLM` loads, in half precision, with the span
boundary head beside it: its weights, the mean vector of each wire over training text, and how often
each piece came. score: top-1 and perplexity of MLM, SBO and both, by span length and distance from
the boundary; every paragraph is read alone, cut to 126 pieces as in training, under the training
law with a fixed seed (so 10 % of the runs show a random piece and 10 % the true one). schemes: how
often the masked-language layer's first guess is right on the page's texts by both laws, into
assets/schemes.json. The card comes afterwards from `card --reader assets/spanbert`.
"""

import argparse
import json
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from transformers import AutoTokenizer

from qa_demo.core.base import BadInput
from qa_demo.core.infill import Infiller, hidden, right
from qa_demo.core.store import ASSETS
from qa_demo.examples import load_examples
from qa_demo.model.source import sha256
from qa_demo.model.spanbert import SBO_FILE, load_sbo, load_spanbert
from qa_demo.model.tokenizer import prepare
from qa_demo.training.command import described, exit_code, read_json, versions, write_json
from qa_demo.training.export import halved, phase, write_checksums
from qa_demo.training.loop import load_weights, logged
from qa_demo.training.pretrain import Pretrainer, load
from qa_demo.training.text import (
    FATES,
    Batches,
    held_out_batches,
    read_text,
    tokenize,
    training_batches,
)

MEAN_PIECES = 204_800
"""Training pieces that the means of the wires are taken over, however many a batch holds."""
CARD = "spanbert.json"
HEADS = ("mlm", "sbo", "both")
Columns = dict[str, np.ndarray]


@torch.no_grad()
def keep_means(model: Pretrainer, batches: Batches, count: int) -> None:
    """Store the mean of x_(s-1), x_(e+1) and p_k over `count` batches: what a cut wire carries."""
    if model.sbo is None:
        return
    model.eval()
    means = model.sbo.mean_left, model.sbo.mean_right, model.sbo.mean_position
    sums = [torch.zeros_like(mean) for mean in means]
    targets = 0
    for k in range(count):
        batch = batches[k]
        hidden = model.hidden(batch)
        wires = hidden[batch["left"]], hidden[batch["right"]], model.sbo.position(batch["k"] - 1)
        sums = [total + wire.sum(0) for total, wire in zip(sums, wires, strict=True)]
        targets += len(batch["k"])
    for mean, total in zip(means, sums, strict=True):
        mean.copy_(total / max(1, targets))


def write_model(model: Pretrainer, tokenizer: object, out: Path) -> None:
    """Encoder, masked-language head, tokenizer, boundary head, in half precision."""
    out.mkdir(parents=True, exist_ok=True)
    model = halved(model)
    model.mlm.config.hidden_dropout_prob = model.mlm.config.attention_probs_dropout_prob = 0.1
    model.mlm.save_pretrained(out)
    tokenizer.save_pretrained(out)  # type: ignore[attr-defined]
    (out / SBO_FILE).unlink(missing_ok=True)
    if model.sbo is not None:
        save_file(
            {name: tensor.detach().contiguous() for name, tensor in model.sbo.state_dict().items()},
            out / SBO_FILE,
            metadata={"format": "pt"},
        )


def export(run: Path, encoder: str, text: list[str], more_text: list[str], out: Path) -> None:
    """Save the run as a folder. `encoder`: "" for the one that the run names. Errors: BadInput for
    weights that half precision cannot hold.
    """
    settings = read_json(run / "settings.json")
    encoder = encoder or settings["encoder"]
    tokenizer = AutoTokenizer.from_pretrained(encoder)
    parts = tokenize(tokenizer, read_text(text, more_text)[0], settings["length"] - 2)
    source = training_batches(parts, tokenizer, settings)
    counts = np.bincount(source.stream, minlength=len(tokenizer))
    model = load(encoder, settings["sbo"], settings["positions"], counts)
    load_weights(model, run / "weights.safetensors")
    tokenizer.model_max_length = model.mlm.config.max_position_embeddings
    prepare(tokenizer)
    keep_means(model, source, -(-MEAN_PIECES // settings["batch_tokens"]))
    write_model(model, tokenizer, out)
    about = {name: settings[name] for name in ("sbo", "positions")}
    write_json(
        out / CARD,
        {"name": "bundled", **about, "phases": [phase(run) | {"curve": logged(run, "held")}]},
    )
    write_checksums(out)


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
    }


def load_exported(folder: Path) -> Pretrainer:
    """An exported folder as it is measured: fp32, with the boundary head if there is one."""
    model = load(str(folder), sbo=False, positions=1)
    model.sbo = load_sbo(folder, model.mlm.config)
    return model


def score(folder: Path, text: list[str], length: int, limit: int | None) -> dict[str, Any]:
    """Write all figures of one model beside it, with what they were measured on and by which
    versions; the same.
    """
    tokenizer = AutoTokenizer.from_pretrained(folder)
    parts = tokenize(tokenizer, read_text(text)[1], length - 2)
    if not parts:
        raise BadInput("none of the paragraphs belongs to the held-out 5 %; give more text")
    model = load_exported(folder)
    positions = model.sbo.positions if model.sbo else 1
    held = held_out_batches(parts, tokenizer, length, positions)
    found = {
        "date": datetime.now(UTC).date().isoformat(),
        "length": length,
        "limit": limit,
        "parts": min(len(parts), limit or len(parts)),
        "text": [Path(name).name for name in text],
        "versions": versions("torch", "transformers", "tokenizers", "numpy"),
        **tables(measure(model, held, limit)),
    }
    write_json(folder / "metrics.json", found)
    write_checksums(folder)
    return found


def schemes(model: Infiller, texts: Iterable[str], draws: int = 6) -> dict[str, int]:
    """How many pieces each law hides, and how many of them are guessed: {"texts", "draws",
    "blanks", "tokens", "spans"}; a text that one sequence does not hold is left out.
    """
    found = {"texts": 0, "draws": draws, "blanks": 0, "tokens": 0, "spans": 0}
    for text in texts:
        for seed in range(1, draws + 1):
            said = hidden(text, seed, model)
            if isinstance(said, str):
                break
            found["texts"] += seed == 1
            found["blanks"] += len(said.spans.pieces)
            found["tokens"] += right(said.tokens)
            found["spans"] += right(said.spans)
    return found


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Parse the command line and export, score or compare."""
    p = described(__doc__, "infill")
    what = p.add_subparsers(dest="action", required=True)
    one = what.add_parser("export")
    one.add_argument("--run", required=True, type=Path)
    one.add_argument("--encoder", default="", help="by default the one that the run names")
    one.add_argument("--text", nargs="+", required=True)
    one.add_argument("--more-text", nargs="*", default=[], metavar="FILE")
    one.add_argument("--out", type=Path, required=True)
    for name in ("score", "schemes"):
        what.add_parser(name).add_argument("--model", type=Path, default=ASSETS / "spanbert")
    two = what.choices["score"]
    two.add_argument("--text", nargs="+", required=True)
    two.add_argument("--length", type=int, default=128)
    two.add_argument("--limit", type=int, help="only so many held-out parts, by a fixed seed")
    a: argparse.Namespace = p.parse_args(argv)
    if a.action == "export":
        export(a.run, a.encoder, a.text, a.more_text, a.out)
    elif a.action == "score":
        sys.stdout.write(json.dumps(score(a.model, a.text, a.length, a.limit)["overall"]) + "\n")
    else:
        texts = dict.fromkeys(e.context for e in load_examples(ASSETS / "examples.json"))
        found, out = schemes(load_spanbert(str(a.model)), texts), ASSETS / "schemes.json"
        kept = read_json(out) if out.is_file() else {}
        kept[sha256(a.model / "model.safetensors")] = found
        write_json(out, dict(sorted(kept.items())))
        sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
