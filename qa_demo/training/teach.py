"""Teach a small reader by a larger one: on labels and on what the teacher says, together.

    python -m qa_demo.training.teach --student ENCODER --teacher runs/teacher \\
        --train squad-train.json.gz:1 squad-more.json.gz:0.3 --dev squad-dev.json.gz \\
        --unlabelled 0.3 --steps 2000 --out runs/student

The windows are drawn first, as finetune's; then the teacher reads them all, once, and its logits
are written to `--logits`; a stopped run goes on where it was. Of windows that nobody labelled, with
another paragraph (`--unlabelled`) or a word exchanged, the teacher alone says what it thinks.

Teacher and student must cut texts into the same tokens, but may number them differently (MPNet's
are BERT's, each with a number larger by four, and its separator stands twice between question and
passage). The teacher's tags are taken as how likely each piece is B, I or O among the legal
taggings, since a head may give I any probability where no tagging has it.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers.hf_argparser import HfArg

from qa_demo.core.base import BadCheckpoint, BadInput
from qa_demo.model.card import ADAPTER_FILE, BIO_FILE
from qa_demo.model.source import sha256
from qa_demo.training import finetune, heads
from qa_demo.training.finetune import Windows, pool_at, row_groups
from qa_demo.training.heads import Batch, Terms, TwoHeads, load, load_weights, of_run, tokenizer_of
from qa_demo.training.loop import command, log, read_json, write_json

MARKS = {"cls_token", "sep_token", "pad_token", "unk_token", "mask_token"}
PART = 256
"""Windows after which the teacher's logits are noted as written."""


@dataclass(frozen=True, kw_only=True)
class Settings(finetune.Settings):
    """Everything a run depends on; `encoder` is the student that it begins with."""

    encoder: str = HfArg(aliases="--student", help="folder or hub id of the student")
    teacher: str = HfArg(help="a run of finetune, or a reader that export wrote")
    logits: str = HfArg(default="", help="where the teacher's are kept; by default OUT/said.npy")
    unlabelled: float = HfArg(default=0.0, help="share of the questions drawn again, unlabelled")
    exchanged: float = HfArg(default=0.0, help="share drawn again with one word exchanged")
    label_share: float = HfArg(default=0.3, help="weight of the labels; the teacher has the rest")
    bio_weight: float = 20.0
    lists: float = HfArg(default=3.0, help="weight of a list's pieces in the tags' labels")
    temperature: float = HfArg(default=2.0, help="divides the logits where they are compared")


class Teacher:
    """A reader with both heads, from a folder that `export` wrote or a run of `finetune`."""

    def __init__(self, folder: Path, student: Any, device: torch.device) -> None:
        """`student`: the tokenizer whose windows are read. Errors: BadInput where a piece of the
        student's is none of the teacher's; BadCheckpoint for a folder that holds no reader.
        """
        source, weights, self.model = reader_of(folder)
        own = tokenizer_of(source)
        self.digest = sha256(weights)  # logits of other weights are never mixed with these
        self.numbers = torch.from_numpy(numbers_of(student, own)).to(device)
        self.shift = own.num_special_tokens_to_add(pair=True) - 3
        self.pad, self.sep = own.pad_token_id, own.sep_token_id
        # the passage's token type; 0 where the teacher is fed none
        self.type = int("token_type_ids" in own.model_input_names)
        self.model.to(device)

    def arranged(self, batch: Batch) -> tuple[dict[str, Tensor], Tensor]:
        """A batch of the student's windows [CLS] question [SEP] passage [SEP] as the teacher reads
        them, [B, L + shift], and where each position went [B, L].
        """
        given, first = batch["input_ids"], batch["passage"].int().argmax(1, keepdim=True)
        at = torch.arange(given.shape[1] + self.shift, device=given.device)
        moved = at[: given.shape[1]] + self.shift * (at[: given.shape[1]] >= first)
        ids = given.new_full((len(given), len(at)), self.sep)
        real = batch["attention_mask"]
        ids.scatter_(1, moved, torch.where(real > 0, self.numbers[given], self.pad))
        mask = torch.ones_like(ids).scatter_(1, moved, real)
        types = self.type * (at >= first + self.shift).long() * mask
        return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}, moved

    @torch.no_grad()
    def says(self, batch: Batch) -> Tensor:
        """Logits of start and end of [CLS] and the passage, and log-probabilities of B, I and O of
        the passage, in the student's positions [B, L, 5]; 0 elsewhere.
        """
        own, moved = self.arranged(batch)
        with torch.autocast(moved.device.type, torch.bfloat16, enabled=self.model.bf16):
            start, end, tags = self.model(own)
        found = torch.cat([start[..., None], end[..., None], tags], -1)
        found = found.gather(1, moved[..., None].expand(-1, -1, 5))
        passage = batch["passage"]
        found[..., 2:] = tag_chances(found[..., 2:].log_softmax(-1), passage) * passage[..., None]
        found[..., :2] *= heard_of(batch)[..., None]
        return found


def heard_of(batch: Batch) -> Tensor:
    """Where a teacher is heard on start and end: [CLS] and the passage [B, L]."""
    heard = batch["passage"].clone()
    heard[:, 0] = True
    return heard


def tag_chances(log_p: Tensor, passage: Tensor) -> Tensor:
    """log P(piece is B, I, O) [B, L, 3] among the legal taggings of a passage, in which I follows B
    or I alone: the gradient of log Z, Z = sum over them of exp(sum_i x_{i, y_i}).
    """
    with torch.enable_grad():
        x = log_p.detach().float().requires_grad_()
        outside, inside = x.new_zeros(len(x)), x.new_full((len(x),), -1e4)
        for row, on in zip(x.unbind(1), passage.unbind(1), strict=True):
            either = torch.logaddexp(outside, inside)
            span = torch.logaddexp(either + row[:, 0], inside + row[:, 1])
            outside = torch.where(on, either + row[:, 2], outside)
            inside = torch.where(on, span, inside)
        (chances,) = torch.autograd.grad(torch.logaddexp(outside, inside).sum(), x)
    return chances.clamp(min=1e-4).log()


def numbers_of(student: Any, teacher: Any) -> np.ndarray:
    """The teacher's number of each of the student's pieces. Errors: BadInput for one it lacks."""
    vocabulary = teacher.get_vocab()
    marks = {getattr(student, name): getattr(teacher, name) for name in MARKS}
    pieces = student.convert_ids_to_tokens(list(range(len(student))))
    numbers = [vocabulary.get(marks.get(piece, piece), -1) for piece in pieces]
    missing = [p for p, n in zip(pieces, numbers, strict=True) if n < 0 and "[unused" not in p]
    if missing:
        raise BadInput(
            f"the teacher has no token {missing[0]!r}, nor {len(missing) - 1:,} others of the "
            f"student's {len(pieces):,}: both must cut texts alike"
        )
    return np.asarray(numbers)


def reader_of(folder: Path) -> tuple[str, Path, TwoHeads]:
    """Where its tokenizer lies, what its training wrote, and the model, an adapter in its place."""
    path = folder / "settings.json"
    if path.is_file() and "dev" in (settings := read_json(path)):
        model = of_run(settings)
        weights = folder / "average.safetensors"
        load_weights(model, weights)
        for module in model.modules():
            if hasattr(module, "lora_A"):
                module.merge()
        return settings["encoder"], weights, model.eval()
    if (folder / ADAPTER_FILE).is_file() or not (folder / BIO_FILE).is_file():
        raise BadCheckpoint(
            f"{folder.name} is no teacher: neither a run of finetune nor a whole reader with tags, "
            f"which `export --merge` makes of a change to an encoder"
        )
    return str(folder), folder / BIO_FILE, load(str(folder), 0.0).eval()


def logits_of(path: Path, teacher: Teacher, windows: Windows, tokens: int) -> np.ndarray:
    """The teacher's logits of all pieces of a pool [T, 5], float16, in one file that is written
    part by part; how far it is stands beside it. `tokens`: padded, read together. Errors: BadInput
    for a file of another teacher or of other windows.
    """
    about, done, total = path.with_suffix(".json"), 0, len(windows.sizes)
    texts = windows.pool["offsets"].tobytes() + windows.pool["ids"].tobytes()
    wanted = {"weights": teacher.digest, "windows": hashlib.sha256(texts).hexdigest()}
    if path.is_file():
        kept = read_json(about)
        done = kept.get("done", 0)
        if other := [name for name in wanted if kept.get(name) != wanted[name]]:
            raise BadInput(f"{path.name} holds logits of other {other[0]}; name another --logits")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(about, wanted | {"done": done})  # first, so that a run stopped at once goes on
    try:
        if not done:  # its whole room is taken now: a full disk would end the process later
            with path.open("wb") as file:
                np.save(file, np.zeros((len(windows.pool["ids"]), 5), np.float16))
        logits = np.lib.format.open_memmap(path, "r+")
    except ValueError as fault:
        raise BadInput(f"{path.name} holds no logits that can be read: {fault}") from fault
    for first in range(done, total, PART):
        part = np.arange(first, min(first + PART, total))
        for near in row_groups(windows.sizes[part], tokens, np.random.default_rng(0)):
            found = teacher.says(windows.batch(part[near])).half().cpu().numpy()
            for row, values in zip(part[near], found, strict=True):
                at, after = windows.pool["offsets"][row : row + 2]
                logits[at:after] = values[: after - at]
        logits.flush()
        done = int(part[-1]) + 1
        write_json(about, wanted | {"done": done})
        if done == total or first // PART % 64 == 0:
            log.info("the teacher has read %s of %s windows", f"{done:,}", f"{total:,}")
    return logits


def loss_terms(
    logits: tuple[Tensor, Tensor, Tensor], batch: Batch, temperature: float, lists: float
) -> Terms:
    """The labels' three terms over the labelled rows, and the teacher's over all.

    labels: heads.loss_terms. teacher, at temperature T over what was heard: T^2 KL(q || p) = T^2
    sum_i q_i (log q_i - log p_i), q and p the softmax of both readers' logits / T, start and end
    over [CLS] and the passage; of the tags the same over B, I, O of each piece of the passage but
    lists: a teacher that joins "Ethiopia and Liberia" would undo the label that parts them.
    Sources: Hinton et al. 2015, "Distilling the Knowledge in a Neural Network"; the second
    distillation of DistilBERT (Sanh et al. 2019, section 4).
    """
    terms, silent = heads.loss_terms(*logits, batch, lists), ~heard_of(batch)
    for k, name in enumerate(("start", "end")):
        q, p = (x.masked_fill(silent, -1e4) for x in (batch["teacher"][..., k], logits[k]))
        terms[f"taught_{name}"] = divergence(q, p, temperature).mean()
    passage = batch["passage"] & ~batch["listed"]
    apart = divergence(batch["teacher"][..., 2:], logits[2], temperature) * passage
    terms["taught_tags"] = apart.sum() / passage.sum().clamp(min=1)
    return terms


def divergence(teacher: Tensor, student: Tensor, temperature: float) -> Tensor:
    """T^2 KL(softmax(teacher / T) || softmax(student / T)) over the last axis, nats."""
    q, p = (x.div(temperature).log_softmax(-1) for x in (teacher, student))
    return temperature**2 * (q.exp() * (q - p)).sum(-1)


def total(terms: Terms, label_share: float, bio_weight: float) -> Tensor:
    """share x labels + (1 - share) x teacher, each `heads.total`."""
    own, teacher = (heads.total(terms, bio_weight, of) for of in ("", "taught_"))
    return label_share * own + (1 - label_share) * teacher


def train(s: Settings) -> bool:
    """Draw the windows, ask the teacher, then run the steps; True when all were taken."""
    tokenizer, model, _ = ready = finetune.prepared(s)
    device, path = model.reader.device, Path(s.logits or Path(s.out) / "said.npy")
    teacher = Teacher(Path(s.teacher), tokenizer, device)
    teacher.model.use_bf16(model.bf16)
    given, config = max(s.lengths) + teacher.shift, teacher.model.reader.config
    heads.check_length(given, config, "--lengths, as the teacher reads them,")
    windows = Windows(pool_at(s, tokenizer), tokenizer.pad_token_id or 0, device)
    windows.teacher = torch.from_numpy(logits_of(path, teacher, windows, s.batch_tokens)).to(device)
    del teacher

    def loss(batch: Batch) -> Terms:
        terms = loss_terms(model(batch), batch, s.temperature, s.lists)
        return terms | {"loss": total(terms, s.label_share, s.bio_weight)}

    return finetune.run_on(s, ready, windows, loss)


main = command(Settings, train, __doc__, "teach")


if __name__ == "__main__":
    raise SystemExit(main())
