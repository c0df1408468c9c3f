"""A larger reader that teaches a smaller one: what it says of the smaller one's windows.

Both must cut texts into the same word pieces, though they may number them differently (MPNet's are
BERT's, each with a number larger by four). A window [CLS] question [SEP] passage [SEP] is read as
<s> question </s></s> passage </s>, and what the teacher says of a piece belongs to the student's
same piece. Token types are those that the teacher's own tokenizer gives.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoTokenizer

from qa_demo.core.base import BadCheckpoint, BadInput
from qa_demo.core.types import Window
from qa_demo.training import checkpoints
from qa_demo.training.processor import processor_has_bf16
from qa_demo.training.twoheads import TwoHeads, load

MARKS = {"cls_token", "sep_token", "pad_token", "unk_token", "mask_token"}


@dataclass(frozen=True, eq=False)
class Said:
    """The teacher's logits of a window: `span` [m + 1, 2] of [CLS] and m pieces, `tags` [m, 3]."""

    span: np.ndarray
    tags: np.ndarray


class Teacher:
    """A reader with both heads, from a folder that `export` wrote or a run of `finetune`."""

    def __init__(self, folder: Path, student: Any) -> None:
        """`student`: the tokenizer whose windows are read. Errors: BadInput where a piece of the
        student's is none of the teacher's; BadCheckpoint for a folder that holds no reader.
        """
        source, model = _reader(folder)
        self.tokenizer = AutoTokenizer.from_pretrained(source)
        self.numbers = numbers_of(student, self.tokenizer)
        self.between = self.tokenizer.num_special_tokens_to_add(pair=True) - 2
        # of the passage; where none are fed, which means 0 everywhere
        self.type = int("token_type_ids" in self.tokenizer.model_input_names)
        self.digest = digest(model)
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)

    def ids(self, window: Window) -> list[int]:
        """The window's pieces as the teacher numbers them, in its own arrangement."""
        ids = self.numbers[np.asarray(window.input_ids)]
        question, passage = ids[~window.is_context], ids[window.is_context]
        cls, sep = self.tokenizer.cls_token_id, self.tokenizer.sep_token_id
        return [cls, *question[1:-2].tolist(), *[sep] * self.between, *passage.tolist(), sep]

    @torch.inference_mode()
    def says(self, windows: Sequence[Window]) -> list[Said]:
        """What both heads say of windows, read together."""
        rows = [self.ids(w) for w in windows]
        sizes = [int(w.is_context.sum()) for w in windows]
        shape = len(rows), max(map(len, rows))
        with self.device:
            ids = torch.full(shape, self.tokenizer.pad_token_id)
            mask, types = torch.zeros_like(ids), torch.zeros_like(ids)
        for b, (row, size) in enumerate(zip(rows, sizes, strict=True)):
            n = len(row)
            ids[b, :n], mask[b, :n] = torch.tensor(row), 1
            types[b, n - 1 - size : n] = self.type
        with torch.autocast(self.device.type, torch.bfloat16, enabled=processor_has_bf16()):
            logits = self.model(ids, mask, types)
        start, end, tags = (x.float().cpu() for x in logits)
        found = []
        for b, (row, size) in enumerate(zip(rows, sizes, strict=True)):
            passage = slice(len(row) - 1 - size, len(row) - 1)
            span = torch.stack([start[b], end[b]], dim=-1)
            heard = torch.cat([span[:1], span[passage]])
            found.append(Said(heard.numpy(), tags[b, passage].numpy()))
        return found


def numbers_of(student: Any, teacher: Any) -> np.ndarray:
    """The teacher's number of each piece of the student's. Errors: BadInput that names the first
    piece that the teacher does not have.
    """
    vocabulary = teacher.get_vocab()
    marks = {getattr(student, name): getattr(teacher, name) for name in MARKS}
    pieces = student.convert_ids_to_tokens(list(range(len(student))))
    numbers = [vocabulary.get(marks.get(piece, piece), -1) for piece in pieces]
    missing = [p for p, n in zip(pieces, numbers, strict=True) if n < 0 and not _unused(p)]
    if missing:
        raise BadInput(
            f"the teacher has no word piece {missing[0]!r}, nor {len(missing) - 1:,} others of the "
            f"student's {len(pieces):,}: both must cut texts alike"
        )
    return np.asarray(numbers)


def _unused(piece: str) -> bool:
    return piece.startswith("[unused") and piece.endswith("]")


def _reader(folder: Path) -> tuple[str, TwoHeads]:
    """Where its tokenizer lies, and the model, ready to read."""
    settings = folder / "settings.json"
    if not settings.is_file():
        if not (folder / "bio_head.safetensors").is_file():
            raise BadCheckpoint(
                f"{folder.name} is no teacher: neither a run of finetune nor a reader with tags"
            )
        return str(folder), load(str(folder), 0.0).eval()
    said = json.loads(settings.read_text(encoding="utf-8"))
    model = load(said["encoder"], 0.0, said.get("adapter", 0))
    checkpoints.load_weights(model, folder / "average.safetensors")
    return said["encoder"], model.eval()


def digest(model: TwoHeads) -> str:
    """SHA-256 of the weights: logits of other weights are never mixed with these."""
    found = hashlib.sha256()
    for name, weight in sorted(model.state_dict().items()):
        found.update(name.encode())
        found.update(weight.detach().contiguous().numpy().tobytes())
    return found.hexdigest()
