"""A BERT of two layers and width 16, a small text, a pool: training in a second."""

import multiprocessing
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from qa_demo.training import heads, loop
from qa_demo.training.data import Pool, draw_pool
from tests.cli.terminal import squad
from tests.model import kit


def encoder(folder: Path, family: str = "bert", positions: int = 512) -> Path:
    """An encoder without any head, as the real one comes: its tensors without a prefix."""
    kit.made(folder, family, "Model", max_position_embeddings=positions)
    return folder


def text(path: Path) -> Path:
    """120 different paragraphs of the kit's words, 10 to 60 of them in each."""
    rng = np.random.default_rng(2)
    words = [*kit.WORDS, "towers", "designed", "x1", "rivers"]
    for_each = (rng.choice(words, size=rng.integers(10, 60)) for _ in range(120))
    path.write_text("".join(f"{' '.join(drawn)} {k}\n" for k, drawn in enumerate(for_each)))
    return path


DRAWN = {"lengths": [40, 60], "negatives": 0.3, "unlabelled": 0.0, "exchanged": 0.0, "seed": 3}


def pool(path: Path, share: float = 3.5, **more: Any) -> Pool:
    """The pool of four questions, of which one has no answer, drawn so or otherwise."""
    squad(path, unanswerable=True)
    return draw_pool([(str(path), share)], kit.tokenizer("bert"), **DRAWN | more)


def batch(pieces: Sequence[int]) -> dict[str, torch.Tensor]:
    """One window of these pieces, unpadded."""
    ids = torch.tensor([list(pieces)])
    names = {"attention_mask": torch.ones_like(ids), "token_type_ids": torch.zeros_like(ids)}
    return {"input_ids": ids, **names}


def stop_at(step: int, monkeypatch: pytest.MonkeyPatch, settings: Any) -> list[int]:
    """Ask for these settings, send SIGTERM to all while this step is taken; each step's seed."""
    monkeypatch.setattr(loop.HfArgumentParser, "parse_args", lambda *_: settings)
    descend, seeds = heads.descend, list[int]()

    def interrupted(*given: Any) -> Any:
        seeds.append(torch.initial_seed())
        if len(seeds) == step:
            for one in multiprocessing.active_children():
                subprocess.check_call([sys.executable, "-c", f"import os; os.kill({one.pid}, 15)"])
            signal.raise_signal(signal.SIGTERM)
        return descend(*given)

    monkeypatch.setattr(heads, "descend", interrupted)
    return seeds
