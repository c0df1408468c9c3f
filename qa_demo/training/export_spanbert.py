"""Write a pre-training run as the bundled SpanBERT: the only writer of assets/spanbert.

    python -m qa_demo.training.export_spanbert --encoder ENCODER --run runs/span-sbo \\
        --text text/*.txt.gz --out assets/spanbert

A standard folder that `AutoModelForMaskedLM` loads, in half precision, with the span boundary head
beside it: its weights, the mean vector of each wire over training text, and how often each piece
came. Figures and card come from `qa_demo.training.infill_score`.
"""

import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from transformers import AutoTokenizer

from qa_demo.model.spanbert import SBO_FILE
from qa_demo.model.tokenizer import prepare
from qa_demo.training import checkpoints
from qa_demo.training.export import PLACES, called, finish, halved, read_json
from qa_demo.training.flags import described, exit_code
from qa_demo.training.pretrainer import Pretrainer, load
from qa_demo.training.text import Batches, read_text, tokenize, training_batches

LIMIT = 55
"""MB of the bundled model's folder."""
MEAN_PIECES = 204_800
"""Training pieces that the means of the wires are taken over, however many a batch holds."""
CARD = "spanbert.json"


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
        hidden = model.mlm.base_model(
            input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]
        )[0].flatten(0, 1)
        wires = hidden[batch["left"]], hidden[batch["right"]], model.sbo.position(batch["k"] - 1)
        sums = [total + wire.sum(0) for total, wire in zip(sums, wires, strict=True)]
        targets += len(batch["k"])
    for mean, total in zip(means, sums, strict=True):
        mean.copy_(total / max(1, targets))


def phase_of(run: Path) -> dict[str, Any]:
    """The settings of a run with its steps and seconds, files and encoder by name, and the held-out
    rows of its log.
    """
    settings, state = (read_json(run / f"{name}.json") for name in ("settings", "state"))
    texts = {key: [Path(x).name for x in settings.get(key, ())] for key in ("text", "more_text")}
    kept = {key: value for key, value in settings.items() if key not in PLACES}
    return (
        kept
        | texts
        | {
            "name": run.name,
            "encoder": called(settings["encoder"]),
            "steps_taken": state["step"],
            "seconds": round(state["seconds"]),
            "curve": checkpoints.logged(run, "held"),
        }
    )


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


def restore(encoder: str, run: Path, counts: np.ndarray) -> Pretrainer:
    """The trained model of a run."""
    settings = json.loads((run / "settings.json").read_text())
    model = load(encoder, settings["sbo"], settings["positions"], counts)
    checkpoints.load_weights(model, run / "weights.safetensors")
    return model


def export(
    encoder: str,
    run: Path,
    text: list[str],
    more_text: list[str],
    out: Path,
    name: str,
    batches: int | None,
) -> None:
    """Save the run as a folder; refuse one over LIMIT, or weights that half cannot hold."""
    settings = json.loads((run / "settings.json").read_text())
    tokenizer = AutoTokenizer.from_pretrained(encoder)
    parts = tokenize(tokenizer, read_text(text, more_text)[0], settings["length"] - 2)
    source = training_batches(parts, tokenizer, settings)
    model = restore(encoder, run, np.bincount(source.stream, minlength=len(tokenizer)))
    tokenizer.model_max_length = model.mlm.config.max_position_embeddings
    prepare(tokenizer)
    keep_means(model, source, batches or -(-MEAN_PIECES // settings["batch_tokens"]))
    write_model(model, tokenizer, out)
    about = {"name": name, "sbo": settings["sbo"], "positions": settings["positions"]}
    about["phases"] = [phase_of(run)]
    (out / CARD).write_text(json.dumps(about, indent=1) + "\n")
    finish(out, LIMIT)


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Parse the command line and export."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    p = described(__doc__, "export_spanbert")
    p.add_argument("--encoder", required=True)
    p.add_argument("--run", required=True, type=Path)
    p.add_argument("--text", nargs="+", required=True)
    p.add_argument(
        "--more-text", nargs="*", default=[], metavar="FILE", help="text that was only trained on"
    )
    p.add_argument("--out", type=Path, default=Path("assets/spanbert"))
    p.add_argument("--name", default="bundled")
    p.add_argument(
        "--mean-batches",
        type=int,
        help="training batches that the means of the wires are taken over; by default as many as "
        f"hold {MEAN_PIECES:,} pieces",
    )
    a = p.parse_args(argv)
    export(a.encoder, a.run, a.text, a.more_text, a.out, a.name, a.mean_batches)


if __name__ == "__main__":
    raise SystemExit(main())
