"""Pre-train a BERT-type encoder as SpanBERT does: span masking, masked-language head, span boundary
head, single segments.

    python -m qa_demo.training.pretrain --encoder ENCODER --text text/*.txt.gz \\
        --steps 8000 --out runs/spanbert

Plain text, one paragraph a line; one paragraph in 20, chosen by a hash of its text, is never
trained on. Every round masks anew. Ctrl-C and SIGTERM finish the step, write a checkpoint and stop;
the same command goes on. On a GPU `--workers 12 --batch-tokens 32768` let masking keep up.
"""

import signal
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F
from torch.utils.data import DataLoader
from transformers import AutoModelForMaskedLM
from transformers.hf_argparser import HfArg

from qa_demo.core.base import BadInput
from qa_demo.model.spanbert import SBOHead
from qa_demo.training import loop
from qa_demo.training.heads import Batch, Trained, around, check_length, grouped, tokenizer_of
from qa_demo.training.loop import Draws, Job, Place, begin, command, log, run
from qa_demo.training.text import Batches, read_text, tokenize

ROWS = 16  # held-out parts that are measured together
HEADS = ("mlm", "sbo", "both")
Columns = dict[str, np.ndarray]


@dataclass(frozen=True, kw_only=True)
class Settings(loop.Settings):
    """Everything a run depends on."""

    text: list[str] = field(metadata={"help": "plain text, one paragraph a line, also .gz"})
    more_text: list[str] = field(default_factory=list, metadata={"help": "is only trained on"})
    length: int = 128
    batch_tokens: int = 2048
    learning_rate: float = 3e-4
    evaluate_every: int = 1000
    save_every: int = 500
    workers: int = HfArg(default=0, help="processes that mask")
    held_limit: int = HfArg(default=300, help="held-out parts that are measured on the way")


class Pretrainer(Trained):
    """An encoder with the masked-language and span boundary heads. Only blanks meet the vocabulary:
    rows [M, d], [S, d] are gathered before products. `new`: whether the encoder came without `cls`.
    """

    def __init__(self, mlm: Any, sbo: SBOHead, new: bool = False) -> None:
        super().__init__(mlm)
        self.mlm, self.sbo, self.new = mlm, sbo, new

    @torch.no_grad()
    def count(self, counts: np.ndarray) -> None:
        """Keep the counts [V] of pieces. The output biases of new heads begin at log frequency:
        what a head that knew nothing else would have.
        """
        self.sbo.counts.copy_(torch.from_numpy(counts))
        bias = torch.from_numpy(np.log((counts + 0.1) / (counts + 0.1).sum()))
        self.sbo.bias.copy_(bias)
        if self.new:
            self.mlm.cls.predictions.bias.copy_(bias)

    def hidden(self, batch: Batch) -> Tensor:
        """The last hidden states, flat [B * L, d]."""
        given = {name: batch[name] for name in ("input_ids", "attention_mask")}
        return self.mlm.base_model(**given)[0].flatten(0, 1)

    def logits(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """MLM logits [M, V] and SBO logits [S, V] of a batch, both of one word table [V, d]."""
        hidden, words = self.hidden(batch), self.mlm.get_input_embeddings().weight
        sides = hidden[batch["left"]], hidden[batch["right"]]
        return self.mlm.cls(hidden[batch["at"]]), self.sbo(*sides, batch["k"], words)

    def forward(self, batch: Batch) -> dict[str, Tensor]:
        """sum(MLM) / M and sum(SBO) / (S + 1), two means, each with its own denominator; their sum
        is the loss.
        """
        mlm, sbo = (x.float() for x in self.logits(batch))
        one = F.cross_entropy(mlm, batch["true"])
        two = F.cross_entropy(sbo, batch["true"][batch["row"]], reduction="sum")
        two = two / (len(batch["row"]) + 1)
        return {"loss": one + two, "mlm": one, "sbo": two}


def load(source: str, dropout: float = 0.0) -> Pretrainer:
    """A BERT-type encoder with a new boundary head. Errors: BadInput for another family."""
    mlm, missing = around(AutoModelForMaskedLM, source, dropout)
    if not hasattr(mlm, "cls"):
        kind = type(mlm).__name__
        raise BadInput(f"pre-training takes BERT-type encoders, {Path(source).name} is a {kind}")
    sbo = SBOHead(mlm.config.hidden_size, mlm.config.vocab_size)
    return Pretrainer(mlm, sbo, any(name.startswith("cls.") for name in missing))


def parameter_groups(model: Pretrainer, s: Settings) -> list[dict[str, Any]]:
    """Heads at head_rate x learning_rate, but the decoder: it is the word table, the encoder's."""
    new = ("mlm.cls.", "sbo.")
    return grouped(model, s, lambda name, _: s.head_rate if name.startswith(new) else 1.0)


def deaf(_: int) -> None:
    """A process that masks leaves to the main one what is sent to the whole group."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def batches_from(s: Settings, batches: Batches, place: Place) -> Draws:
    """Batches behind a place."""
    mine = range(place["drawn"], 10**9)
    loader = DataLoader(batches, None, sampler=mine, num_workers=s.workers, worker_init_fn=deaf)
    yield from (({"drawn": k + 1}, batch) for k, batch in zip(mine, loader, strict=True))


@torch.no_grad()
def measure(model: Pretrainer, batches: Batches, limit: int | None = None) -> Columns:
    """One entry a blank [M]: its fate, and each head's right (0 or 1) and -log p, or NaN."""
    device, columns = next(model.parameters()).device, list[Columns]()
    model.eval()
    chosen = np.random.default_rng(0).permutation(len(batches.sequences))[:limit].tolist()
    chosen.sort(key=lambda s: sum(len(batches.parts[m].ids) for m in batches.sequences[s]))
    for first in range(0, len(chosen), ROWS):
        rng = np.random.default_rng([batches.seed, 2, first])
        batch = batches.batch(chosen[first : first + ROWS], rng)
        batch = {name: value.to(device) for name, value in batch.items()}
        mlm, sbo = (x.float().log_softmax(-1) for x in model.logits(batch))
        both = (mlm[batch["row"]] + sbo).log_softmax(-1)
        column = {"fate": batch["fate"].cpu().numpy()}
        heads = (mlm, torch.arange(len(mlm))), (sbo, batch["row"]), (both, batch["row"])
        for name, (log_p, at) in zip(HEADS, heads, strict=True):
            true = batch["true"][at]
            column |= {f"{name}_{what}": np.full(len(mlm), np.nan) for what in ("right", "loss")}
            column[f"{name}_right"][at.cpu()] = (log_p.argmax(-1) == true).cpu()
            column[f"{name}_loss"][at.cpu()] = -log_p.gather(1, true[:, None])[:, 0].cpu()
        columns.append(column)
    return {name: np.concatenate([column[name] for column in columns]) for name in columns[0]}


def summary(columns: Columns, chosen: np.ndarray | slice = slice(None)) -> dict[str, float | int]:
    """Counts, top-1 in percent, mean -log p, perplexity exp(mean) of each head over blanks."""
    part = {name: column[chosen] for name, column in columns.items()}
    found: dict[str, float | int] = {"pieces": len(part["fate"])}
    for head in HEADS:
        loss = part[f"{head}_loss"]
        has = ~np.isnan(loss)
        found[f"{head}_pieces"] = int(has.sum())
        if has.any():
            mean = float(loss[has].mean())
            top1 = {x: round(100 * float(part[f"{x}_right"][has].mean()), 2) for x in (head, "mlm")}
            found[f"{head}_top1"], found[f"{head}_loss"] = top1[head], round(mean, 4)
            found[f"{head}_perplexity"] = round(float(np.exp(min(mean, 50.0))), 2)
            if head == "sbo":  # both heads on the same blanks
                found["mlm_top1_where_sbo"] = top1["mlm"]
    return found


def train(s: Settings) -> bool:
    """Run the steps; True when all were taken, False when a signal stopped the run."""
    model, tokenizer = begin(s, partial(load, s.encoder, s.dropout)), tokenizer_of(s.encoder)
    check_length(s.length, model.config, "--length")
    sides = read_text(s.text, s.more_text)
    parts, apart = (tokenize(tokenizer, side, s.length - 2) for side in sides)
    batches = Batches(parts, tokenizer, s.length, max(1, s.batch_tokens // s.length), s.seed)
    held = Batches(apart, tokenizer, s.length, packed=False) if apart else None
    log.info("%d pieces in %d sequences", len(batches.stream), len(batches.sequences))
    model.count(np.bincount(batches.stream, minlength=len(tokenizer)))
    groups, after = parameter_groups(model, s), partial(batches_from, s, batches)
    figures = held and (lambda: {"held": summary(measure(model, held, s.held_limit))})
    return run(s, Job(model, groups, {"drawn": 0}, after, model, figures))


main = command(Settings, train, __doc__, "pretrain")


if __name__ == "__main__":
    raise SystemExit(main())
