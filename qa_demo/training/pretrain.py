"""Pre-train a BERT-type encoder as SpanBERT does: span masking, masked-language head, span boundary
head, single segments.

    python -m qa_demo.training.pretrain --encoder ENCODER --text text/*.txt.gz \\
        --masking span --sbo --steps 8000 --out runs/span-sbo
    python -m qa_demo.training.pretrain --encoder ENCODER --text text/*.txt.gz \\
        --masking token --no-sbo --steps 8000 --out runs/token
    python -m qa_demo.training.pretrain ... --out runs/span-sbo --resume runs/span-sbo

Plain text, one paragraph a line; one paragraph in 20, chosen by a hash of its text, is never
trained on. Every round masks anew. Ctrl-C and SIGTERM finish the step, write a checkpoint and stop;
`--resume` goes on. Several GPUs or hosts: `accelerate launch -m qa_demo.training.pretrain ...`; on
a GPU give `--workers 8 --batch-tokens 32768`, so that masking keeps up.
"""

import dataclasses
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import torch
from accelerate import Accelerator
from torch._inductor import config as inductor
from torch.utils.data import DataLoader
from transformers import AutoTokenizer

from qa_demo.core.masking import POSITIONS
from qa_demo.training.flags import exit_code, parsed, setting
from qa_demo.training.infill_score import measure, summary
from qa_demo.training.loop import Draw, Job, Place, begin, run
from qa_demo.training.pretrainer import load, parameter_groups, total
from qa_demo.training.text import Batches, held_out_batches, read_text, tokenize, training_batches

log = logging.getLogger("pretrain")


@dataclass(frozen=True)
class Settings:
    """Everything a run depends on; written beside its weights."""

    encoder: str = field(
        metadata={"help": "folder or hub id of the BERT-type encoder to start from"}
    )
    text: tuple[str, ...] = field(
        metadata={"metavar": "FILE", "help": "plain text, one paragraph a line, also .gz"}
    )
    out: str
    steps: int
    more_text: tuple[str, ...] = setting((), metavar="FILE", help="text that is only trained on")
    masking: str = setting(
        "span", choices=["span", "token"], help="SpanBERT's spans, or BERT's single pieces"
    )
    sbo: bool = setting(True, help="train the span boundary head too")
    pair_loss_weight: float = 1.0
    positions: int = POSITIONS
    embeddings: str = setting(
        "trained", choices=["trained", "frozen"], help="frozen: faster steps, half the optimiser"
    )
    length: int = 128
    batch_tokens: int = 2048
    decay: str = setting("linear", choices=["none", "linear"])
    learning_rate: float = 3e-4
    head_rate: float = 5.0
    warmup: int = 100
    weight_decay: float = 0.01
    dropout: float = 0.0
    compiled: bool = setting(
        False,
        help="compile the encoder's layers: minutes at the start, steps a third shorter on two "
        "cores with AMX",
    )
    seed: int = 1
    workers: int = 0
    evaluate_every: int = 1000
    held_limit: int = 300
    log_every: int = 50
    save_every: int = 500
    snapshots: bool = setting(False, help="keep half-precision weights at logarithmic steps")


def corpus(s: Settings, tokenizer: Any) -> tuple[Batches, Batches | None, np.ndarray]:
    """Training batches, held-out parts (None without), and how often each piece came [V]."""
    train, held = (
        tokenize(tokenizer, side, s.length - 2) for side in read_text(s.text, s.more_text)
    )
    batches = training_batches(train, tokenizer, dataclasses.asdict(s))
    kept = held_out_batches(held, tokenizer, s.length, s.masking, s.positions) if held else None
    log.info(
        "%d pieces in %d parts, packed into %d sequences of %d; %d parts are held out",
        len(batches.stream),
        len(train),
        len(batches.sequences),
        s.length,
        len(held),
    )
    return batches, kept, np.bincount(batches.stream, minlength=len(tokenizer))


def drawn(s: Settings, batches: Batches, accelerator: Accelerator, place: Place) -> Iterator[Draw]:
    """Batches behind a place, each host every n-th one."""
    hosts = accelerator.num_processes
    first = place["drawn"]
    last = first + (s.steps - place["step"]) * hosts
    mine = range(first + accelerator.process_index, last, hosts)
    loader = DataLoader(batches, batch_size=None, sampler=mine, num_workers=s.workers)
    for k, batch in enumerate(loader, 1):
        # before it moves: asking a GPU would wait for it
        tokens = int(batch["attention_mask"].sum())
        yield {"drawn": first + k * hosts}, batch, tokens * hosts


def train(s: Settings, resume: str | None = None) -> bool:
    """Run the steps; True when all were taken, False when a signal stopped the run."""
    accelerator = begin(s, resume)
    batches, held, counts = corpus(s, AutoTokenizer.from_pretrained(s.encoder))
    model = load(s.encoder, s.sbo, s.positions, counts, s.dropout).to(accelerator.device)
    if s.compiled:
        # its own random numbers made a step with dropout a third slower on two cores
        inductor.fallback_random = True
        model.mlm.base_model.encoder.compile(dynamic=False)
    groups = parameter_groups(
        model, s.learning_rate, s.head_rate, s.weight_decay, s.embeddings == "trained"
    )

    def measured(kept: Batches) -> dict[str, Any]:
        # held-out parts have all lengths, and each would be compiled anew
        with torch.compiler.set_stance("force_eager"):
            return {"held": summary(measure(model, kept, s.held_limit))}

    job = Job(
        model,
        groups,
        {"drawn": 0},
        partial(drawn, s, batches, accelerator),
        lambda prepared, batch: prepared(batch),
        partial(total, pair_loss_weight=s.pair_loss_weight),
        None if held is None else partial(measured, held),
        carried=("drawn",),
        snapshots=s.snapshots,
    )
    return run(s, job, accelerator, resume, log)


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Parse the command line and train."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    train(*parsed(Settings, __doc__, "pretrain", argv))


if __name__ == "__main__":
    raise SystemExit(main())
