"""Fine-tune a BERT-type encoder on SQuAD-format files: start/end head and tags' head together.

    python -m qa_demo.training.finetune --encoder ENCODER --adapter 32 \\
        --train squad-train.json.gz:2 qamr.json.gz:0.25 --dev squad-dev.json.gz \\
        --lengths 128 192 256 --steps 4000 --out runs/teacher

FILE:K draws K windows for each question of FILE (a fraction: for a random part of them) once,
before the first step; the run takes them again and again, each time in another order. `--pool FILE`
keeps them for other runs. `--minutes` in place of `--steps` lets the rate fall by elapsed time.
Ctrl-C and SIGTERM finish the step, write a checkpoint and stop; the same command goes on.
"""

import copy
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from transformers import AutoTokenizer
from transformers.hf_argparser import HfArg

from qa_demo.core.base import BadInput
from qa_demo.core.metrics import evaluate
from qa_demo.core.types import Example, Reading, WindowOptions
from qa_demo.core.windows import assemble, make_windows
from qa_demo.evaluation.questions import read_squad
from qa_demo.model.forward import longest_input
from qa_demo.model.tokenizer import encode
from qa_demo.training import command
from qa_demo.training.command import exit_code, parsed
from qa_demo.training.heads import TwoHeads, load, loss_terms, total
from qa_demo.training.loop import Batch, Job, Terms, begin, run
from qa_demo.training.pool import Windows, batches, pool_at
from qa_demo.training.score import HEADS, outcome

log = logging.getLogger("finetune")
Begun = tuple[Any, TwoHeads, list[Example]]
"""Tokenizer, model and dev questions of a run."""


@dataclass(frozen=True, kw_only=True)
class Settings(command.Settings):
    """Everything a run depends on."""

    encoder: str = HfArg(help="folder or hub id of the encoder to start from")
    train: list[str] = field(metadata={"metavar": "FILE:K"})
    dev: str = HfArg(help="its questions with an answer are scored")
    pool: str = HfArg(default="", help="where the windows are kept; by default OUT/pool.npz")
    lengths: list[int] = field(default_factory=lambda: [128, 192, 256, 384])
    layer_rate: float = 0.9
    bio_weight: float = 15.0
    negatives: float = 0.1
    adapter: int = HfArg(
        default=0, help="rank of a change to all linear layers of a frozen encoder; 0 trains it"
    )
    average: float = 0.998
    dev_limit: int = 300


def parameter_groups(model: TwoHeads, s: Settings) -> list[dict[str, Any]]:
    """Heads at head_rate x learning_rate; layer k of N at layer_rate^(N-1-k); embedding tables
    frozen: they are half of a small BERT and cost no gradient and no optimiser state so.
    """
    base, factors = model.reader.base_model, dict[int, float]()
    base.embeddings.requires_grad_(False)
    layers = getattr(base, "encoder", base)
    blocks = getattr(layers, "layer", None) or base.transformer.layer
    for below, block in enumerate(() if s.adapter else reversed(blocks)):
        factors |= {id(p): s.layer_rate**below for p in block.parameters()}
    for head in (model.reader.qa_outputs, model.bio):
        factors |= {id(p): s.head_rate for p in head.parameters()}
    groups: dict[float, list[Any]] = {}
    for p in model.parameters():
        if p.requires_grad:
            groups.setdefault(factors.get(id(p), 1.0), []).append(p)
    of_all = {"weight_decay": s.weight_decay}
    return [{"params": x, "lr": s.learning_rate * f, **of_all} for f, x in groups.items()]


def read(model: TwoHeads, tokenizer: Any, example: Example) -> Reading:
    """A two-headed model's reading of a question."""
    encoding = encode(tokenizer, example.question, example.context)
    windows = make_windows(encoding, WindowOptions())
    rows = [model.read(window) for window in windows]
    return assemble(encoding, windows, rows, WindowOptions(), model_name="training")


def quick_scores(model: TwoHeads, tokenizer: Any, examples: Sequence[Example]) -> dict[str, float]:
    """Exact and F1 (percent) of the best span and the best tagged span, SQuAD 1.1 rules."""
    model.eval()
    readings = {e.id: read(model, tokenizer, e) for e in examples}
    model.train()
    found = {}
    for head, prefix in zip(HEADS, ("", "bio_"), strict=True):
        said = {key: outcome(reading, head) for key, reading in readings.items()}
        scores = evaluate(examples, said)
        found |= {prefix + name: round(scores[name], 2) for name in ("exact", "f1")}
    return found


def begun(s: Settings) -> Begun:
    """What a run needs before its windows. Errors: BadInput for what it cannot be, before anything
    is drawn.
    """
    dev = [example for example in read_squad(s.dev) if example.answers]
    if not dev:
        raise BadInput(f"{Path(s.dev).name} holds no question with an answer to score")
    device = begin(s)  # and a seed for the new heads
    dev = [dev[i] for i in np.random.default_rng(0).permutation(len(dev))[: s.dev_limit]]
    model = load(s.encoder, s.dropout, s.adapter).to(device)
    longest = longest_input(model.reader.config)
    if max(s.lengths) > longest:
        raise BadInput(f"--lengths may be up to {longest} with this encoder, got {max(s.lengths)}")
    return AutoTokenizer.from_pretrained(s.encoder), model, dev


def steps(s: Settings, at: Begun, windows: Windows, loss: Callable[[Batch], Terms]) -> bool:
    """Run the steps on windows; the model's running average is kept and scored on dev."""
    tokenizer, model, dev = at
    average = copy.deepcopy(model).requires_grad_(False)

    def measure() -> dict[str, Any]:
        both = {"weights": model, "average": average}
        scores = {name: quick_scores(one, tokenizer, dev) for name, one in both.items()}
        return {"dev_questions": len(dev), **scores}

    drawn = partial(batches, windows, s.batch_tokens, s.seed)
    groups, first = parameter_groups(model, s), {"epoch": 0, "batch": -1}
    return run(s, Job(model, groups, first, drawn, loss, measure, average, s.average), log)


def train(s: Settings) -> bool:
    """Draw the windows, then run the steps; True when all were taken, False when a signal stopped
    the run.
    """
    tokenizer, model, _ = at = begun(s)
    windows = Windows(pool_at(s, tokenizer), tokenizer.pad_token_id or 0, model.device)

    def loss(batch: Batch) -> Terms:
        terms = loss_terms(*model(batch), batch)
        return terms | {"loss": total(terms, s.bio_weight)}

    return steps(s, at, windows, loss)


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Parse the command line and train."""
    train(parsed(Settings, __doc__, "finetune", argv))


if __name__ == "__main__":
    raise SystemExit(main())
