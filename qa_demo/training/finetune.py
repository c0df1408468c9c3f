"""Fine-tune a BERT-type encoder on SQuAD-format files: start/end head and BIO head together.

    python -m qa_demo.training.finetune --encoder ENCODER --train squad-train.json.gz:2 qamr.json.gz:0.25 \
        --dev squad-dev.json.gz --lengths 96 128 192 --steps 4000 --out runs/first
    python -m qa_demo.training.finetune --resume runs/first --train squad-train.json.gz:2 --lengths 384 \
        --steps 2000 --decay linear --out runs/second

FILE:K draws K windows for each question of FILE in one round (a fraction draws a random part of its questions).
Answers that are lists teach the tags several spans; a fifth of their paragraphs is kept apart (qa_demo.training.apart).
Ctrl-C and SIGTERM finish the step, write a checkpoint and stop; `--resume` goes on from any checkpoint.
Several GPUs or hosts: `accelerate launch -m qa_demo.training.finetune ...` with the same arguments.
"""

import argparse
import copy
import dataclasses
import logging
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from accelerate import Accelerator
from torch import nn
from transformers import AutoTokenizer

from qa_demo.core.squad import read_squad
from qa_demo.training import apart, checkpoints
from qa_demo.training.data import Feature, Sampler, batches, collate
from qa_demo.training.evaluate import quick_scores
from qa_demo.training.processor import processor_has_bf16
from qa_demo.training.progress import Log, descend, stop_asked
from qa_demo.training.twoheads import TwoHeads, load, loss_terms, total

log = logging.getLogger("finetune")
Draw = tuple[Sampler, int, int]
"""Where from, which question, window size."""


@dataclass(frozen=True)
class Settings:
    """Everything a run depends on; written beside its weights."""

    encoder: str
    train: tuple[str, ...]
    dev: str
    out: str
    lengths: tuple[int, ...]
    steps: int
    decay: str
    learning_rate: float
    layer_rate: float
    head_rate: float
    warmup: int
    weight_decay: float
    batch_tokens: int
    bio_weight: float
    negatives: float
    dropout: float
    average: float
    seed: int
    evaluate_every: int
    save_every: int
    dev_limit: int


def parameter_groups(model: TwoHeads, s: Settings) -> list[dict]:
    """Heads at head_rate x learning_rate; layer k of N at layer_rate^(N-1-k); embedding tables frozen.

    The word table is half of a small BERT: frozen, it costs no gradient and no optimiser state.
    """
    layers = getattr(model.reader.base_model, "encoder", model.reader.base_model)
    blocks = getattr(layers, "layer", None) or model.reader.base_model.transformer.layer
    model.reader.base_model.embeddings.requires_grad_(False)
    groups = [{"params": [*model.reader.qa_outputs.parameters(), *model.bio.parameters()], "lr": s.learning_rate * s.head_rate}]
    groups += [{"params": list(block.parameters()), "lr": s.learning_rate * s.layer_rate ** (len(blocks) - 1 - k)}
               for k, block in enumerate(blocks)]
    known = {id(p) for g in groups for p in g["params"]}
    rest = [p for p in model.parameters() if p.requires_grad and id(p) not in known]
    return groups + ([{"params": rest, "lr": s.learning_rate}] if rest else [])


def rate(step: int, s: Settings) -> float:
    """Factor on the learning rate at a step of this run, from 0."""
    warm = min(1.0, (step + 1) / s.warmup) if s.warmup else 1.0
    return warm * (max(0.0, 1 - step / s.steps) if s.decay == "linear" else 1.0)


def rounds(samplers: list[tuple[Sampler, float]], s: Settings, start: int) -> Iterator[tuple[int, list[Draw]]]:
    """Endless rounds of draws; round r is the same whenever it is drawn (seed, r), so that a resumed run repeats it."""
    r = start
    while True:
        rng = random.Random(f"{s.seed}/{r}")
        drawn = []
        for sampler, share in samplers:
            indices = [i for i in range(len(sampler.examples)) for _ in range(int(share) + (rng.random() < share % 1))]
            rng.shuffle(indices)
            drawn += [(sampler, i) for i in indices]
        rng.shuffle(drawn)
        yield r, [(sampler, i, rng.choice(s.lengths)) for sampler, i in drawn]
        r += 1


def draw_batches(samplers: list[tuple[Sampler, float]], s: Settings, start: int) -> Iterator[tuple[int, int, list[Feature]]]:
    """(round, batch number, features); features are drawn in chunks so that a round starts at once."""
    for r, plan in rounds(samplers, s, start):
        number = 0
        for first in range(0, len(plan), 2048):
            rng = random.Random(f"{s.seed}/{r}/{first}")
            features = [f for sampler, i, length in plan[first:first + 2048] if (f := sampler.draw(i, length, rng)) is not None]
            for group in batches(features, s.batch_tokens, rng):
                yield r, number, group
                number += 1


@torch.no_grad()
def move_average(average: nn.Module, model: nn.Module, decay: float, step: int) -> None:
    """a <- d a + (1 - d) w with d rising to `decay`, so that early steps are forgotten fast."""
    d = min(decay, (1 + step) / (10 + step))
    for a, w in zip(average.parameters(), model.parameters(), strict=True):
        if w.requires_grad:
            a.lerp_(w.detach(), 1 - d)


def train(s: Settings, resume: str | None = None) -> bool:
    """Run the steps; True when all were taken, False when a signal stopped the run after a checkpoint."""
    accelerator = Accelerator(mixed_precision="bf16" if processor_has_bf16() else "no", cpu=not torch.cuda.is_available())
    torch.manual_seed(s.seed)
    out, main = Path(s.out), accelerator.is_main_process
    out.mkdir(parents=True, exist_ok=True)
    tokenizer = AutoTokenizer.from_pretrained(s.encoder)
    named = [item.rpartition(":") for item in s.train]
    files = apart.trained([read_squad(name) for name, _, _ in named])
    samplers = [(Sampler(examples, tokenizer, s.negatives), float(share)) for examples, (_, _, share) in zip(files, named, strict=True)]
    dev = read_squad(s.dev)
    dev = [dev[i] for i in np.random.default_rng(0).permutation(len(dev))[:s.dev_limit]]
    model = load(s.encoder, s.dropout)
    groups = parameter_groups(model, s)
    optimizer = torch.optim.AdamW(groups, weight_decay=s.weight_decay, fused=True)
    average = copy.deepcopy(model).requires_grad_(False)
    state = {"step": 0, "step_before": 0, "round": 0, "batch": -1, "seconds": 0.0}
    if resume:
        state = checkpoints.resume(Path(resume), model, average, optimizer, same_run=Path(resume) == out)
    peaks = [group["lr"] for group in groups]
    prepared, optimizer = accelerator.prepare(model, optimizer)
    if main:
        checkpoints.write_settings(out, dataclasses.asdict(s), resume, str(accelerator.mixed_precision))
        if state["step"] == 0 and state["step_before"] == 0:
            checkpoints.snapshot(out, model, 0)
    logged, clock = Log(out, state["seconds"], log), time.monotonic()
    with stop_asked() as asked:
        for r, b, features in draw_batches(samplers, s, state["round"]):
            if (r, b) <= (state["round"], state["batch"]):
                continue
            if state["step"] >= s.steps or asked:
                break
            features = features[accelerator.process_index::accelerator.num_processes] or features[:1]
            batch = {k: v.to(accelerator.device) for k, v in collate(features, tokenizer.pad_token_id or 0).items()}
            for group, peak in zip(optimizer.param_groups, peaks, strict=True):
                group["lr"] = peak * rate(state["step"], s)
            terms = descend(accelerator, prepared, optimizer, partial(loss_terms, prepared, batch), partial(total, bio_weight=s.bio_weight))
            state.update(step=state["step"] + 1, round=r, batch=b)
            done, before, now = state["step"], state["step_before"], time.monotonic()
            move_average(average, model, s.average, done + before)
            logged.step(terms, sum(map(len, features)), now - clock)
            clock = now
            if not main:
                continue
            if checkpoints.is_snapshot(done + before):
                checkpoints.snapshot(out, model, done + before)
            if done % 50 == 0:
                logged.row(done, before, round=r)
            if done % s.evaluate_every == 0 or done == s.steps:
                logged.row(done, before, dev_questions=len(dev), weights=quick_scores(model, tokenizer, dev),
                           average=quick_scores(average, tokenizer, dev))
                # The last average is not always the best: keep each one that was scored, so that export can choose on the dev set.
                checkpoints.snapshot(out, average, done + before, "average", list(checkpoints.trainable(model)))
            if done % s.save_every == 0 and done < s.steps:
                checkpoints.save(out, model, average, optimizer, {**state, "seconds": logged.seconds})
            clock = time.monotonic()
    if main:
        checkpoints.save(out, model, average, optimizer, {**state, "seconds": logged.seconds})
        log.info("stopped at step %d of %d", state["step"], s.steps)
    return bool(state["step"] >= s.steps)


def parser() -> argparse.ArgumentParser:
    """The command line; defaults are those of the bundled reader's first phase."""
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--encoder", required=True, help="folder or hub id of the encoder to start from")
    p.add_argument("--train", nargs="+", required=True, metavar="FILE:K")
    p.add_argument("--dev", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--resume", help="a run folder; the same as --out goes on with it, another one starts a new phase from its weights")
    p.add_argument("--lengths", nargs="+", type=int, default=[96, 128, 192], help="window sizes to draw from")
    p.add_argument("--steps", type=int, required=True)
    p.add_argument("--decay", choices=["none", "linear"], default="none")
    p.add_argument("--learning-rate", type=float, default=2e-4)
    p.add_argument("--layer-rate", type=float, default=0.9)
    p.add_argument("--head-rate", type=float, default=5.0)
    p.add_argument("--warmup", type=int, default=100)
    p.add_argument("--weight-decay", type=float, default=0.01)
    p.add_argument("--batch-tokens", type=int, default=1536)
    p.add_argument("--bio-weight", type=float, default=15.0)
    p.add_argument("--negatives", type=float, default=0.1)
    p.add_argument("--dropout", type=float, default=0.0)
    p.add_argument("--average", type=float, default=0.998)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--evaluate-every", type=int, default=500)
    p.add_argument("--save-every", type=int, default=250)
    p.add_argument("--dev-limit", type=int, default=300)
    return p


def main(argv: list[str] | None = None) -> None:
    """Parse the command line and train."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    args = vars(parser().parse_args(argv))
    resume = args.pop("resume")
    train(Settings(**{**args, "train": tuple(args["train"]), "lengths": tuple(args["lengths"])}), resume)


if __name__ == "__main__":
    main()
