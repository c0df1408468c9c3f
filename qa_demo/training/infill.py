"""Write a pre-training run as the bundled SpanBERT, measure it on held-out paragraphs, and compare
hiding spans with hiding single tokens.

    python -m qa_demo.training.infill export --run runs/spanbert --text text/*.txt.gz --out FOLDER
    python -m qa_demo.training.infill score --model assets/spanbert --text text/*.txt.gz
    python -m qa_demo.training.infill schemes --model assets/spanbert

export: a standard folder that `AutoModelForMaskedLM` loads, in half precision; beside it the span
boundary head, the mean vector of each wire over training text, and how often each piece came.
score: top-1 and perplexity of MLM, SBO and both; every paragraph is read alone, masked by the
training law with a fixed seed. schemes: how often the masked-language layer's first guess is right
on the page's texts by both laws, into assets/schemes.json.
"""

import hashlib
import json
import sys
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from transformers import AutoModelForMaskedLM

from qa_demo.core.base import BadInput
from qa_demo.core.infill import Schemes, right
from qa_demo.core.store import ASSETS
from qa_demo.examples import PoolExample, load_texts
from qa_demo.model.source import sha256
from qa_demo.model.spanbert import SBO_FILE, SpanBERT, load_sbo, load_spanbert
from qa_demo.training.export import halved, phase, versions, write_checksums
from qa_demo.training.heads import around, check_length, load_weights, tokenizer_of
from qa_demo.training.loop import described, exit_code, read_json, write_json
from qa_demo.training.pretrain import Pretrainer, load, measure, summary
from qa_demo.training.text import FATES, Batches, read_text, tokenize

MEAN_PIECES = 204_800
"""Training pieces that the means of the wires are taken over, however many a batch holds."""


@torch.no_grad()
def keep_means(model: Pretrainer, batches: Batches, count: int) -> None:
    """Store the mean of x_(s-1), x_(e+1) and p_k over `count` batches: what a cut wire carries."""
    model.eval()
    means = model.sbo.mean_left, model.sbo.mean_right, model.sbo.mean_position
    sums, targets = [torch.zeros_like(mean) for mean in means], 0
    for batch in map(batches.__getitem__, range(count)):
        hidden = model.hidden(batch)
        wires = hidden[batch["left"]], hidden[batch["right"]], model.sbo.position(batch["k"] - 1)
        sums = [total + wire.sum(0) for total, wire in zip(sums, wires, strict=True)]
        targets += len(batch["k"])
    for mean, total in zip(means, sums, strict=True):
        mean.copy_(total / max(1, targets))


def export(run: Path, encoder: str, text: list[str], more_text: list[str], out: Path) -> None:
    """Save encoder, both heads and tokenizer of a run, in half precision. `encoder`: "" for the one
    that the run names. Errors: BadInput for weights that it cannot hold.
    """
    settings = read_json(run / "settings.json")
    if "more_text" not in settings:
        raise BadInput(f"{run.name} is no run of pretrain")
    encoder = encoder or settings["encoder"]
    model = load(encoder)
    model.check_origin(settings)
    tokenizer = tokenizer_of(encoder)
    length, tokens, seed = (settings[name] for name in ("length", "batch_tokens", "seed"))
    parts = tokenize(tokenizer, read_text(text, more_text)[0], length - 2)
    source = Batches(parts, tokenizer, length, max(1, tokens // length), seed)
    model.count(np.bincount(source.stream, minlength=len(tokenizer)))
    load_weights(model, run / "weights.safetensors")
    tokenizer.model_max_length = model.mlm.config.max_position_embeddings
    keep_means(model, source, -(-MEAN_PIECES // tokens))
    out.mkdir(parents=True, exist_ok=True)
    model = halved(model)
    model.mlm.config.hidden_dropout_prob = model.mlm.config.attention_probs_dropout_prob = 0.1
    model.mlm.save_pretrained(out)
    tokenizer.save_pretrained(out)
    save_file(model.sbo.state_dict(), out / SBO_FILE, metadata={"format": "pt"})
    write_json(out / "spanbert.json", {"name": "bundled", "phases": [phase(run)]})
    write_checksums(out)


def load_exported(folder: Path) -> Pretrainer:
    """An exported folder as it is measured, in fp32. Errors: BadInput without a head."""
    mlm, missing = around(AutoModelForMaskedLM, str(folder), 0.0)
    sbo = load_sbo(folder, mlm.config)
    if sbo is None or missing:
        raise BadInput(f"{folder.name} holds no {SBO_FILE}, or no masked-language head")
    return Pretrainer(mlm, sbo)


def score(folder: Path, text: list[str], length: int, limit: int | None) -> dict[str, Any]:
    """Write the figures of a model beside it, of all blanks and by what stood there; the same."""
    model, tokenizer = load_exported(folder), tokenizer_of(folder)
    check_length(length, model.mlm.config, "--length")
    parts = tokenize(tokenizer, read_text(text)[1], length - 2)
    if not parts:
        raise BadInput("none of the paragraphs belongs to the held-out 5 %; give more text")
    columns = measure(model, Batches(parts, tokenizer, length, packed=False), limit)
    fates = {fate: summary(columns, columns["fate"] == k) for k, fate in enumerate(FATES)}
    found = {
        "date": datetime.now(UTC).date().isoformat(),
        "parts": min(len(parts), limit or len(parts)),
        "text": [Path(name).name for name in text],
        "versions": versions("torch", "transformers", "tokenizers", "numpy"),
        "overall": summary(columns),
        "by_fate": fates,
    }
    write_json(folder / "metrics.json", found)
    write_checksums(folder)
    return found


def schemes(model: SpanBERT, texts: Iterable[str], draws: int = 6) -> dict[str, int]:
    """How many pieces each law hides, and how many of them are guessed, by names that the
    chapter SpanBERT reads; a text that one sequence does not hold is left out.
    """
    found = {"texts": 0, "draws": draws, "blanks": 0, "tokens": 0, "spans": 0}
    for text in texts:
        with suppress(BadInput):  # one sequence does not hold it
            for seed in range(1, draws + 1):
                said = Schemes(text, seed, model)
                found["texts"] += seed == 1
                found["blanks"] += len(said.spans.pieces)
                found["tokens"] += right(said.tokens)
                found["spans"] += right(said.spans)
    return found


def texts_of_page() -> tuple[list[str], str]:
    """The texts of the examples, and a digest that tells whether they are still those."""
    examples = load_texts(PoolExample, ASSETS / "examples.json")
    texts = list(dict.fromkeys(e.context for e in examples))
    return texts, hashlib.sha256("\n".join(texts).encode()).hexdigest()


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Parse the command line and export, score or compare."""
    p = described(__doc__, "infill")
    what = p.add_subparsers(dest="action", required=True)
    one, two, three = (what.add_parser(name) for name in ("export", "score", "schemes"))
    one.add_argument("--run", required=True, type=Path)
    one.add_argument("--encoder", default="", help="by default the one that the run names")
    one.add_argument("--more-text", nargs="*", default=[], metavar="FILE")
    one.add_argument("--out", type=Path, required=True)
    for each in (one, two):
        each.add_argument("--text", nargs="+", required=True, metavar="FILE")
    for each in (two, three):
        each.add_argument("--model", type=Path, default=ASSETS / "spanbert")
    two.add_argument("--length", type=int, default=128)
    two.add_argument("--limit", type=int, help="only so many held-out parts, by a fixed seed")
    a = p.parse_args(argv)
    if a.action == "export":
        export(a.run, a.encoder, a.text, a.more_text, a.out)
        return
    if a.action == "score":
        if a.limit is not None and a.limit < 1:
            raise BadInput(f"--limit takes 1 or more, got {a.limit}")
        found = score(a.model, a.text, a.length, a.limit)["overall"]
    else:
        texts, digest = texts_of_page()
        found = {"of": digest} | schemes(load_spanbert(str(a.model)), texts)
        write_json(ASSETS / "schemes.json", {sha256(a.model / "model.safetensors"): found})
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
