"""Fine-tune a BERT-type encoder on SQuAD-format files: start/end head and tags' head together.

    python -m qa_demo.training.finetune --encoder ENCODER --adapter 32 \\
        --train squad-train.json.gz:2 qamr.json.gz:0.25 --dev squad-dev.json.gz \\
        --lengths 128 192 256 --steps 4000 --out runs/teacher

FILE:K draws K windows for each question of FILE (a fraction: for a random part of them) once,
before the first step; the run takes them again and again, each time in another order. Ctrl-C
and SIGTERM finish the step, write a checkpoint and stop; the same command goes on.
"""

import copy
import hashlib
import itertools
import json
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers.hf_argparser import HfArg

from qa_demo.core.base import BadInput
from qa_demo.core.types import Encoding, Example, Reading, WindowOptions
from qa_demo.core.windows import assemble, fitting, make_windows
from qa_demo.evaluation.questions import read_squad
from qa_demo.model.forward import longest_input
from qa_demo.model.tokenizer import encode
from qa_demo.training import heads, loop
from qa_demo.training.data import Pool, draw_pool
from qa_demo.training.heads import Batch, Terms, TwoHeads, check_length, load, tokenizer_of
from qa_demo.training.loop import Draws, Job, Place, begin, command, run
from qa_demo.training.score import HEADS, squad_means, text_of

Prepared = tuple[Any, TwoHeads, list[Example]]
"""Tokenizer, model and dev questions of a run."""


@dataclass(frozen=True, kw_only=True)
class Settings(loop.Settings):
    """Everything a run depends on."""

    train: list[str] = field(metadata={"metavar": "FILE:K"})
    dev: str = HfArg(help="its questions with an answer are scored")
    pool: str = HfArg(default="", help="keeps the windows for other runs; by default OUT/pool.npz")
    lengths: list[int] = field(default_factory=lambda: [128, 192, 256, 384])
    layer_rate: float = 0.9
    bio_weight: float = 15.0
    negatives: float = 0.1
    adapter: int = HfArg(default=0, help="rank of a change to a frozen encoder; 0 trains all of it")
    average: float = 0.998
    dev_limit: int = 300


# ---- the windows of a run, and its batches


def share_of(item: str) -> tuple[str, float]:
    """The file and the share of FILE:K. Errors: BadInput for another form."""
    found = re.fullmatch(r"(.+):(\d+(?:\.\d*)?|\.\d+)", item)
    if found and float(found[2]) > 0:
        return found[1], float(found[2])
    raise BadInput(f"--train takes FILE:K with K above 0, as squad.json.gz:1.5, got {item!r}")


def pool_at(s: Settings, tokenizer: Any) -> Pool:
    """The windows of a run with the settings `s`: those that lie at its `pool`, by default
    OUT/pool.npz, or else new ones, drawn and kept there. Errors: BadInput as `draw_pool`, for a
    file that holds no pool, and for one that was drawn otherwise.
    """
    path = Path(s.pool or Path(s.out) / "pool.npz")
    names = ("lengths", "negatives", "unlabelled", "exchanged", "seed")
    how = {name: getattr(s, name, 0.0) for name in names}  # two are teach's alone
    vocabulary = json.dumps(sorted(tokenizer.get_vocab().items())).encode()
    train = [share_of(item) for item in s.train]
    files = [f"{Path(name).name}:{share:g}" for name, share in train]
    wanted = {"files": files, "word pieces": hashlib.sha256(vocabulary).hexdigest(), **how}
    if not path.is_file():
        pool = draw_pool(train, tokenizer, **how)
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f"{path.name}.new")
        with new.open("wb") as file:
            np.savez_compressed(file, made=json.dumps(wanted), **pool)
        new.replace(path)
        return pool
    try:
        with np.load(path, allow_pickle=False) as stored:
            pool = dict(stored)
            made = json.loads(str(pool.pop("made")))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as fault:
        raise BadInput(f"{path.name} is no pool of windows: {fault}") from fault
    for name, value in wanted.items():
        if made.get(name) != value:
            raise BadInput(f"{path.name} was drawn with another {name}; name another --pool")
    return pool


def row_groups(sizes: np.ndarray, batch_tokens: int, rng: np.random.Generator) -> list[np.ndarray]:
    """All windows once, in groups of like length whose padded size is at most `batch_tokens` (a
    longer window goes alone), in random order.
    """
    near = max(1024, 16 * batch_tokens // max(1, int(sizes.mean())))
    order, found = rng.permutation(len(sizes)), list[np.ndarray]()
    for first in range(0, len(order), near):
        part = order[first : first + near]
        part = part[np.argsort(sizes[part], kind="stable")]
        while len(part):
            padded = sizes[part] * np.arange(1, len(part) + 1)  # grows with both
            size = max(1, int(np.searchsorted(padded, batch_tokens, side="right")))
            found.append(part[:size])
            part = part[size:]
    return [found[k] for k in rng.permutation(len(found))]


class Windows:
    """A pool on the device that trains: batches are gathered there, with no loop of Python.
    `teacher` [T, 5]: a teacher's logits of start, end, B, I, O, in half precision.
    """

    def __init__(self, pool: Pool, pad: int, device: torch.device) -> None:
        self.pool, self.pad, self.device, self.sizes = pool, pad, device, np.diff(pool["offsets"])
        self.kept = {name: torch.from_numpy(x).to(device) for name, x in pool.items()}
        self.teacher: Tensor | None = None

    def batch(self, rows: np.ndarray) -> dict[str, Tensor]:
        """input_ids, attention_mask, token_type_ids, start, end, tagged, passage, listed [B, L],
        tags [B, L, 3], labelled [B], and `teacher` [B, L, 5], padded to the longest of the rows.
        """
        length = int(self.sizes[rows].max())  # of the host's copy: asking a GPU would wait for it
        at = torch.from_numpy(rows).to(self.device)
        first, after = (self.kept["offsets"][at + k, None] for k in (0, 1))
        flat = first + torch.arange(length, device=self.device)
        real = flat < after
        flat = torch.where(real, flat, first)  # [CLS]: of type 0, no passage, no tag, in no list
        found = {n: x[flat] for n, x in self.kept.items() if n not in ("offsets", "labelled")}
        tags = (found["tags"] * real[..., None]).float()
        batch = {
            "input_ids": torch.where(real, found["ids"].long(), self.pad),
            "attention_mask": real.long(),
            "token_type_ids": found["types"].long(),
            "tagged": found["tagged"].float(),
            "passage": found["passage"],
            "listed": found["listed"],
            "labelled": self.kept["labelled"][at].float(),
            "tags": tags / tags.sum(-1, keepdim=True).clamp(min=1),
        }
        for name in ("start", "end"):
            shares = (found[name] * real).float()
            batch[name] = shares / shares.sum(-1, keepdim=True)
        return batch if self.teacher is None else batch | {"teacher": self.teacher[flat].float()}


def batches_from(windows: Windows, batch_tokens: int, seed: int, place: Place) -> Draws:
    """Batches behind a place, epoch after epoch, each in an order of its own."""
    for epoch in itertools.count(place["epoch"]):
        rng = np.random.default_rng([seed, epoch])
        for number, rows in enumerate(row_groups(windows.sizes, batch_tokens, rng)):
            if (epoch, number) > (place["epoch"], place["batch"]):
                yield {"epoch": epoch, "batch": number}, windows.batch(rows)


# ---- the run


def parameter_groups(model: TwoHeads, s: Settings) -> list[dict[str, Any]]:
    """Heads at head_rate x learning_rate; layer k of N at layer_rate^(N-1-k); embedding tables
    frozen: they are half of a small BERT and cost no gradient and no optimiser state so.
    """
    base, factors = model.reader.base_model, dict[int, float]()
    base.embeddings.requires_grad_(False)
    for below, block in enumerate(() if s.adapter else reversed(base.encoder.layer)):
        factors |= {id(p): s.layer_rate**below for p in block.parameters()}
    for head in (model.reader.qa_outputs, model.bio):
        factors |= {id(p): s.head_rate for p in head.parameters()}
    return heads.grouped(model, s, lambda _, p: factors.get(id(p), 1.0))


def cut(tokenizer: Any, config: Any, example: Example) -> tuple[Encoding, Any, WindowOptions]:
    """A dev question as it is scored. Errors: BadInput for one that is too long."""
    options = fitting(WindowOptions(), longest_input(config))
    try:
        encoding = encode(tokenizer, example.question, example.context)
        return encoding, make_windows(encoding, options), options
    except BadInput as fault:
        raise BadInput(f"--dev: question {example.id!r} cannot be scored: {fault}") from fault


def read(model: TwoHeads, tokenizer: Any, example: Example) -> Reading:
    """A two-headed model's reading of a question."""
    encoding, windows, options = cut(tokenizer, model.config, example)
    rows = [model.read(window) for window in windows]
    return assemble(encoding, windows, rows, options, model_name="training")


def quick_scores(model: TwoHeads, tokenizer: Any, examples: Sequence[Example]) -> dict[str, float]:
    """Exact and F1 (percent) of the best span and the best tagged span, SQuAD 1.1 rules."""
    readings = [read(model.eval(), tokenizer, e) for e in examples]
    found = {}
    for head, prefix in zip(HEADS, ("", "bio_"), strict=True):
        scores = squad_means(examples, (text_of(reading, head) for reading in readings))
        found |= {prefix + name: round(scores[name], 2) for name in ("exact", "f1")}
    return found


def prepared(s: Settings) -> Prepared:
    """What a run needs before its windows. Errors: BadInput, before anything is drawn."""
    dev = [example for example in read_squad(s.dev) if example.answers]
    if not dev:
        raise BadInput(f"{Path(s.dev).name} holds no question with an answer to score")
    dev = [dev[i] for i in np.random.default_rng(0).permutation(len(dev))[: s.dev_limit]]
    model = begin(s, partial(load, s.encoder, s.dropout, s.adapter))
    check_length(max(s.lengths), model.config, "--lengths")
    tokenizer = tokenizer_of(s.encoder)
    for example in dev:
        cut(tokenizer, model.config, example)
    return tokenizer, model, dev


def run_on(s: Settings, ready: Prepared, windows: Windows, loss: heads.Loss) -> bool:
    """Run the steps on windows; the model's running average is kept and scored on dev."""
    tokenizer, model, dev = ready
    groups, average = parameter_groups(model, s), copy.deepcopy(model)

    def measure() -> dict[str, Any]:
        both = {"weights": model, "average": average}
        scores = {name: quick_scores(one, tokenizer, dev) for name, one in both.items()}
        return {"dev_questions": len(dev), **scores}

    first, after = {"epoch": 0, "batch": -1}, partial(batches_from, windows, s.batch_tokens, s.seed)
    return run(s, Job(model, groups, first, after, loss, measure, average, s.average))


def train(s: Settings) -> bool:
    """Draw the windows, then run the steps; True when all were taken."""
    tokenizer, model, _ = ready = prepared(s)
    windows = Windows(pool_at(s, tokenizer), tokenizer.pad_token_id or 0, model.reader.device)

    def loss(batch: Batch) -> Terms:
        terms = heads.loss_terms(*model(batch), batch)
        return terms | {"loss": heads.total(terms, s.bio_weight)}

    return run_on(s, ready, windows, loss)


main = command(Settings, train, __doc__, "finetune")


if __name__ == "__main__":
    raise SystemExit(main())
