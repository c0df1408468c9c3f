"""Teach a small reader by a larger one: on labels and on what the teacher says, together.

    python -m qa_demo.training.teach --teacher runs/teacher --student assets/reader \\
        --train squad-train.json.gz:1 squad-more.json.gz:0.3 --dev squad-dev.json.gz \\
        --unlabelled 0.3 --steps 2000 --decay linear --out runs/taught

The windows of one round are drawn first, and the teacher's logits for them written to `--logits`
(by default OUT/logits; once, in half precision; a stopped run goes on where it was). Then the
student trains on those windows again and again, each time in another order. The teacher's tags are
taken piece by piece: how likely each is B, I or O among the legal taggings. `--unlabelled K` adds
windows that nobody labelled: a question with another paragraph of its article, for a share K of the
questions; of those the teacher alone says what it thinks. export, score and all else take the run
as one of finetune.
"""

import logging
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from transformers import AutoTokenizer

from qa_demo.core.base import BadInput, log_softmax
from qa_demo.core.bio import tag_marginals
from qa_demo.training import finetune, soft_labels
from qa_demo.training.data import Feature, Sampler, batches, collate
from qa_demo.training.flags import exit_code, parsed, setting
from qa_demo.training.loop import Draw, Place, begin, run
from qa_demo.training.progress import Terms
from qa_demo.training.teacher import Said, Teacher
from qa_demo.training.twoheads import load

log = logging.getLogger("teach")


@dataclass(frozen=True, kw_only=True)
class Settings(finetune.Settings):
    """Everything a run depends on; `encoder` is the student that it begins with."""

    encoder: str = field(metadata={"flag": "student", "help": "folder or hub id of the student"})
    teacher: str = field(metadata={"help": "a run of finetune, or a reader that export wrote"})
    logits: str = setting("", help="where the teacher's logits are kept; by default OUT/logits")
    unlabelled: float = setting(0.0, help="share of the questions drawn once more, unlabelled")
    label_share: float = setting(0.3, help="weight of the labels; the teacher has the rest")
    temperature: float = setting(2.0, help="divides both readers' logits where they are compared")
    learning_rate: float = 1e-4
    batch_tokens: int = 3072


@dataclass(frozen=True, eq=False)
class Lesson:
    """One window with what the teacher says of it; `labelled` is false where nobody else did."""

    feature: Feature
    said: Said
    labelled: bool

    def __len__(self) -> int:
        return len(self.feature)


def windows_of(
    samplers: Sequence[tuple[Sampler, float]], s: Settings
) -> list[tuple[Feature, bool]]:
    """The windows of a run, and whether each is labelled; the same for the same settings. Errors:
    BadInput where there are none.
    """
    _, plan = next(finetune.rounds(list(samplers), s, 0))
    rng, found = random.Random(f"{s.seed}/teach"), []
    for sampler, index, length in plan:
        drawn = sampler.draw(index, length, rng)
        if drawn is not None:
            found.append((drawn, True))
        if rng.random() < s.unlabelled:
            other = sampler.elsewhere(index, length, rng)
            found += [] if other is None else [(other, False)]
    if not found:
        raise BadInput(finetune.NONE_DRAWN)
    return found


def piece_by_piece(said: Said) -> Said:
    """The same with the tags' logits as log-probabilities of each piece by itself: how likely it is
    B, I or O among the legal taggings, which is what the student's own three shall mean. A teacher
    trained on whole taggings gives I, where no tagging has it, any probability.
    """
    return replace(said, tags=tag_marginals(log_softmax(said.tags)).astype(said.tags.dtype))


def drawn(lessons: Sequence[Lesson], s: Settings, pad_id: int, place: Place) -> Iterator[Draw]:
    """Batches behind a place, epoch after epoch, each in an order of its own."""
    epoch = place["epoch"]
    while True:
        rng = random.Random(f"{s.seed}/epoch {epoch}")
        order = list(lessons)
        rng.shuffle(order)
        for number, group in enumerate(batches(order, s.batch_tokens, rng)):
            if (epoch, number) > (place["epoch"], place["batch"]):
                there = {"epoch": epoch, "batch": number}
                yield there, taught_batch(group, pad_id), sum(map(len, group))
        epoch += 1


def taught_batch(lessons: Sequence[Lesson], pad_id: int) -> dict[str, Tensor]:
    """A batch of `collate` with the teacher's logits in the student's positions: `taught` [B, L, 2]
    and `taught_tags` [B, L, 3], what was heard [B, L] (position 0 and the passage), of its tags [B,
    L] (the passage without lists: a teacher that joins "Ethiopia and Liberia" would undo the label
    that parts them), and which rows are labelled [B].
    """
    batch = collate([one.feature for one in lessons], pad_id)
    size, length = batch["input_ids"].shape
    span, tags = np.zeros((size, length, 2), np.float32), np.zeros((size, length, 3), np.float32)
    heard, heard_tags = (np.zeros((size, length), bool) for _ in range(2))
    for b, one in enumerate(lessons):
        passage = np.flatnonzero(one.feature.window.is_context)
        heard[b, 0] = heard[b, passage] = True
        heard_tags[b, passage] = ~one.feature.listed[passage]
        span[b, 0], span[b, passage], tags[b, passage] = (
            one.said.span[0],
            one.said.span[1:],
            one.said.tags,
        )
    more = {"taught": span, "taught_tags": tags, "heard": heard, "heard_tags": heard_tags}
    labelled = torch.tensor([float(one.labelled) for one in lessons])
    return batch | {k: torch.from_numpy(v) for k, v in more.items()} | {"labelled": labelled}


def loss_terms(model: nn.Module, batch: dict[str, Tensor], temperature: float) -> Terms:
    """The labels' three terms over the labelled rows, and the teacher's over all.

    labels: start and end -(1/B) sum_b sum_i t_bi log p_bi, tags as in twoheads.loss_terms. teacher,
    at temperature T over what was heard: T^2 KL(q || p) = T^2 sum_i q_i (log q_i - log p_i), q and
    p the softmax of both readers' logits / T; of the tags the same over B, I, O of each passage
    piece. Sources: Hinton et al. 2015, "Distilling the Knowledge in a Neural Network"; the second
    distillation of DistilBERT (Sanh et al. 2019, section 4).
    """
    start, end, tags = model(batch["input_ids"], batch["attention_mask"], batch["token_type_ids"])
    rows, count = batch["labelled"], batch["labelled"].sum().clamp(min=1)
    tagged = batch["tagged"] * rows[:, None]
    per_piece = -(batch["tags"] * tags.log_softmax(-1)).sum(-1) * tagged
    sides = {"start": start, "end": end}
    labels = {
        name: -((batch[name] * x.log_softmax(-1)).sum(-1) * rows).sum() / count
        for name, x in sides.items()
    }
    passage = batch["heard_tags"]
    apart = divergence(batch["taught_tags"], tags, temperature)
    return {
        **labels,
        "tags": per_piece.sum() / tagged.sum().clamp(min=1),
        **{
            f"taught_{name}": divergence(
                batch["taught"][..., k].masked_fill(~batch["heard"], -1e4),
                x.masked_fill(~batch["heard"], -1e4),
                temperature,
            ).mean()
            for k, (name, x) in enumerate(sides.items())
        },
        "taught_tags": (apart * passage).sum() / passage.sum().clamp(min=1),
    }


def divergence(teacher: Tensor, student: Tensor, temperature: float) -> Tensor:
    """T^2 KL(softmax(teacher / T) || softmax(student / T)) over the last axis, nats."""
    q, p = (x.div(temperature).log_softmax(-1) for x in (teacher, student))
    return temperature**2 * (q.exp() * (q - p)).sum(-1)


def total(terms: Terms, label_share: float, bio_weight: float) -> Tensor:
    """share x labels + (1 - share) x teacher, each (start + end) / 2 + bio_weight x tags."""

    def side(prefix: str) -> Tensor:
        spans = (terms[f"{prefix}start"] + terms[f"{prefix}end"]) / 2
        return spans + bio_weight * terms[f"{prefix}tags"]

    return label_share * side("") + (1 - label_share) * side("taught_")


def train(s: Settings, resume: str | None = None) -> bool:
    """Ask the teacher, then run the steps; True when all were taken. Errors: BadInput and more."""
    accelerator = begin(s, resume)
    tokenizer = AutoTokenizer.from_pretrained(s.encoder)
    windows = windows_of(finetune.samplers_of(s, tokenizer), s)
    folder, plain = Path(s.logits or Path(s.out) / "logits"), [f.window for f, _ in windows]
    soft_labels.write(folder, Teacher(Path(s.teacher), tokenizer), plain)
    said = map(piece_by_piece, soft_labels.read(folder, plain))
    lessons = [Lesson(f, one, labelled) for (f, labelled), one in zip(windows, said, strict=True)]
    model = load(s.encoder, s.dropout, s.adapter).to(accelerator.device)
    job = finetune.scored(
        s,
        model,
        tokenizer,
        place={"epoch": 0, "batch": -1},
        batches=partial(drawn, lessons, s, tokenizer.pad_token_id or 0),
        loss=partial(loss_terms, temperature=s.temperature),
        total=partial(total, label_share=s.label_share, bio_weight=s.bio_weight),
    )
    return run(s, job, accelerator, resume, log)


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Parse the command line and teach; 2 on a teacher or logits that cannot be used."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    train(*parsed(Settings, __doc__, "teach", argv))


if __name__ == "__main__":
    raise SystemExit(main())
