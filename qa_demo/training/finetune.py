"""Fine-tune a BERT-type encoder on SQuAD-format files: start/end head and BIO head together.

    python -m qa_demo.training.finetune --encoder ENCODER \\
        --train squad-train.json.gz:2 qamr.json.gz:0.25 --dev squad-dev.json.gz \\
        --lengths 96 128 192 --steps 4000 --out runs/first
    python -m qa_demo.training.finetune --encoder ENCODER --resume runs/first \\
        --train squad-train.json.gz:2 --dev squad-dev.json.gz \\
        --lengths 384 --steps 2000 --decay linear --out runs/second

FILE:K draws K windows for each question of FILE in one round (a fraction draws a random part of its
questions). Answers that are lists teach the tags several spans; a fifth of their paragraphs is kept
apart (qa_demo.training.apart). Ctrl-C and SIGTERM finish the step, write a checkpoint and stop;
`--resume` goes on from any checkpoint. Several GPUs or hosts: `accelerate launch -m
qa_demo.training.finetune ...` with the same arguments.
"""

import copy
import logging
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import torch
from accelerate import Accelerator
from torch import nn
from transformers import AutoTokenizer

from qa_demo.core.base import BadInput
from qa_demo.core.measuring.squad import read_squad
from qa_demo.model.forward import longest_input
from qa_demo.training import apart
from qa_demo.training.data import Feature, Sampler, batches, collate
from qa_demo.training.evaluate import answerable, quick_scores
from qa_demo.training.flags import exit_code, parsed, setting
from qa_demo.training.loop import Draw, Job, Place, begin, run
from qa_demo.training.twoheads import TwoHeads, load, loss_terms, total

log = logging.getLogger("finetune")
NONE_DRAWN = "no window can be drawn: too few questions, or --lengths leaves no room beside one"
Choice = tuple[Sampler, int, int]
"""Where from, which question, window size."""


@dataclass(frozen=True)
class Settings:
    """Everything a run depends on; written beside its weights."""

    encoder: str = field(metadata={"help": "folder or hub id of the encoder to start from"})
    train: tuple[str, ...] = field(metadata={"metavar": "FILE:K"})
    dev: str = field(metadata={"help": "its questions with an answer are scored"})
    out: str
    steps: int
    lengths: tuple[int, ...] = setting((96, 128, 192), help="window sizes to draw from")
    decay: str = setting("none", choices=["none", "linear"])
    learning_rate: float = 2e-4
    layer_rate: float = 0.9
    head_rate: float = 5.0
    warmup: int = 100
    weight_decay: float = 0.01
    batch_tokens: int = 1536
    bio_weight: float = 15.0
    negatives: float = 0.1
    dropout: float = 0.0
    adapter: int = setting(
        0, help="rank of an adapter on all linear layers of a frozen encoder; 0 trains the encoder"
    )
    average: float = 0.998
    seed: int = 1
    evaluate_every: int = 500
    save_every: int = 250
    dev_limit: int = 300
    log_every: int = 50


def parameter_groups(model: TwoHeads, s: Settings) -> list[dict]:
    """Heads at head_rate x learning_rate; layer k of N at layer_rate^(N-1-k); embedding tables
    frozen.

    The word table is half of a small BERT: frozen, it costs no gradient and no optimiser state.
    """
    layers = getattr(model.reader.base_model, "encoder", model.reader.base_model)
    blocks = getattr(layers, "layer", None) or model.reader.base_model.transformer.layer
    model.reader.base_model.embeddings.requires_grad_(False)
    if s.adapter:
        blocks = ()
    heads = [*model.reader.qa_outputs.parameters(), *model.bio.parameters()]
    groups: list[dict] = [{"params": heads, "lr": s.learning_rate * s.head_rate}]
    groups += [
        {
            "params": list(block.parameters()),
            "lr": s.learning_rate * s.layer_rate ** (len(blocks) - 1 - k),
        }
        for k, block in enumerate(blocks)
    ]
    known = {id(p) for g in groups for p in g["params"]}
    rest = [p for p in model.parameters() if p.requires_grad and id(p) not in known]
    groups += [{"params": rest, "lr": s.learning_rate}] if rest else []
    return [{**group, "weight_decay": s.weight_decay} for group in groups]


def rounds(
    samplers: list[tuple[Sampler, float]], s: Settings, start: int
) -> Iterator[tuple[int, list[Choice]]]:
    """Endless rounds of draws; round r is the same whenever drawn (seed, r): runs resume."""
    r = start
    while True:
        rng = random.Random(f"{s.seed}/{r}")
        drawn = []
        for sampler, share in samplers:
            indices = [
                i
                for i in range(len(sampler.examples))
                for _ in range(int(share) + (rng.random() < share % 1))
            ]
            rng.shuffle(indices)
            drawn += [(sampler, i) for i in indices]
        rng.shuffle(drawn)
        yield r, [(sampler, i, rng.choice(s.lengths)) for sampler, i in drawn]
        r += 1


def draw_batches(
    samplers: list[tuple[Sampler, float]], s: Settings, start: int
) -> Iterator[tuple[int, int, list[Feature]]]:
    """(round, batch number, features); drawn in chunks so that a round starts at once. Errors:
    BadInput where none can be drawn.
    """
    vain, enough = 0, max(1000, sum(len(sampler.examples) for sampler, _ in samplers))
    for r, plan in rounds(samplers, s, start):
        number = 0
        for first in range(0, len(plan), 2048):
            rng = random.Random(f"{s.seed}/{r}/{first}")
            features = [
                f
                for sampler, i, length in plan[first : first + 2048]
                if (f := sampler.draw(i, length, rng)) is not None
            ]
            for group in batches(features, s.batch_tokens, rng):
                yield r, number, group
                number += 1
        vain = 0 if number else vain + max(1, len(plan))
        if vain >= enough:
            raise BadInput(NONE_DRAWN)


@torch.no_grad()
def move_average(average: nn.Module, model: nn.Module, decay: float, step: int) -> None:
    """a <- d a + (1 - d) w with d rising to `decay`, so that early steps are forgotten fast."""
    d = min(decay, (1 + step) / (10 + step))
    for a, w in zip(average.parameters(), model.parameters(), strict=True):
        if w.requires_grad:
            a.lerp_(w.detach(), 1 - d)


def drawn(
    samplers: list[tuple[Sampler, float]],
    s: Settings,
    accelerator: Accelerator,
    pad_id: int,
    place: Place,
) -> Iterator[Draw]:
    """Batches behind a place, each host its share of one."""
    done = place["round"], place["batch"]
    for r, b, features in draw_batches(samplers, s, place["round"]):
        if (r, b) > done:
            mine = features[accelerator.process_index :: accelerator.num_processes] or features[:1]
            yield {"round": r, "batch": b}, collate(mine, pad_id), sum(map(len, mine))


def share_of(item: str) -> tuple[str, float]:
    """The file and the share of FILE:K. Errors: BadInput for another form."""
    name, _, share = item.rpartition(":")
    try:
        if name and 0 < float(share) < math.inf:
            return name, float(share)
    except ValueError:
        pass
    raise BadInput(f"--train takes FILE:K with K above 0, as squad.json.gz:1.5, got {item!r}")


def samplers_of(s: Settings, tokenizer: Any) -> list[tuple[Sampler, float]]:
    """A sampler of each training file with its share, the lists kept apart left out. Errors:
    BadInput for what is not FILE:K.
    """
    named = [share_of(item) for item in s.train]
    files = apart.trained([read_squad(name) for name, _ in named])
    return [
        (Sampler(examples, tokenizer, s.negatives), share)
        for examples, (_, share) in zip(files, named, strict=True)
    ]


def scored(s: Settings, model: TwoHeads, tokenizer: Any, **more: Any) -> Job:
    """A job whose running average is kept and scored on some of the dev questions; `more` is what
    one kind of training brings to it. Errors: BadInput for windows longer than the encoder reads.
    """
    longest = longest_input(model.reader.config)
    if max(s.lengths) > longest:
        raise BadInput(f"--lengths may be up to {longest} with this encoder, got {max(s.lengths)}")
    dev = answerable(s.dev)
    dev = [dev[i] for i in np.random.default_rng(0).permutation(len(dev))[: s.dev_limit]]
    average = copy.deepcopy(model).requires_grad_(False)

    def measure() -> dict[str, Any]:
        return {
            "dev_questions": len(dev),
            "weights": quick_scores(model, tokenizer, dev),
            "average": quick_scores(average, tokenizer, dev),
        }

    return Job(
        model,
        parameter_groups(model, s),
        measure=measure,
        average=average,
        after_step=partial(move_average, average, model, s.average),
        snapshots=True,
        **more,
    )


def train(s: Settings, resume: str | None = None) -> bool:
    """Run the steps; True when all were taken, False when a signal stopped the run."""
    accelerator = begin(s, resume)
    tokenizer = AutoTokenizer.from_pretrained(s.encoder)
    samplers = samplers_of(s, tokenizer)
    model = load(s.encoder, s.dropout, s.adapter).to(accelerator.device)
    job = scored(
        s,
        model,
        tokenizer,
        place={"round": 0, "batch": -1},
        batches=partial(drawn, samplers, s, accelerator, tokenizer.pad_token_id or 0),
        loss=loss_terms,
        total=partial(total, bio_weight=s.bio_weight),
    )
    return run(s, job, accelerator, resume, log)


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Parse the command line and train."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    train(*parsed(Settings, __doc__, "finetune", argv))


if __name__ == "__main__":
    raise SystemExit(main())
