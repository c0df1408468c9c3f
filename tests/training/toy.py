"""A BERT of two layers and width 16, a small text, a SQuAD file: training in a second."""

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from qa_demo.training import loop
from qa_demo.training.data import Pool, draw
from tests.model import kit


def encoder(folder: Path) -> Path:
    """An encoder without any head, as the real one comes."""
    words = kit.tokenizer("bert")
    settings, _ = kit.config("bert", len(words), max_position_embeddings=512)
    torch.manual_seed(5)
    transformers.BertModel(settings, add_pooling_layer=False).save_pretrained(folder)
    words.save_pretrained(folder)
    return folder


def text(path: Path) -> Path:
    """120 different paragraphs of the kit's words, 10 to 60 of them in each."""
    rng = np.random.default_rng(2)
    words = [*kit.WORDS, "towers", "designed", "x1", "rivers"]
    for_each = (rng.choice(words, size=rng.integers(10, 60)) for _ in range(120))
    path.write_text("".join(f"{' '.join(drawn)} {k}\n" for k, drawn in enumerate(for_each)))
    return path


def squad(path: Path) -> Path:
    """Four questions with answers in the kit's paragraph, and one without."""
    qas = []
    for k, text in enumerate(["George Rotne", "Ingeborg", "1998", "The bridge"]):
        answers = [{"text": text, "answer_start": kit.CONTEXT.index(text)}]
        qas.append({"id": str(k), "question": kit.QUESTION, "answers": answers})
    qas.append({"id": "none", "question": "Who?", "answers": []})
    article = {"title": "t", "paragraphs": [{"context": kit.CONTEXT, "qas": qas}]}
    path.write_text(json.dumps({"data": [article]}))
    return path


DRAWN = {"lengths": [40, 60], "negatives": 0.3, "unlabelled": 0.0, "exchanged": 0.0, "seed": 3}
"""How a pool is drawn."""


def pool(path: Path, share: float = 2.5, **more: Any) -> Pool:
    """The pool of these questions, drawn so or otherwise."""
    return draw([(str(squad(path)), share)], kit.tokenizer("bert"), **DRAWN | more)


def batch(pieces: Sequence[int]) -> dict[str, torch.Tensor]:
    """One window of these pieces, unpadded."""
    ids = torch.tensor([list(pieces)])
    names = {"attention_mask": torch.ones_like(ids), "token_type_ids": torch.zeros_like(ids)}
    return {"input_ids": ids, **names}


@contextmanager
def copy_at(step: int, copy: Path) -> Iterator[None]:
    """Keep a copy of a run's folder at this step's checkpoint: what a stop leaves."""
    save = loop.save

    def keep(out: Path, job: Any, optimizer: Any, state: dict[str, Any]) -> None:
        save(out, job, optimizer, state)
        if state["step"] == step:
            shutil.copytree(out, copy)

    loop.save = keep
    try:
        yield
    finally:
        loop.save = save
