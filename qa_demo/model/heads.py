"""The BIO head beside a reader: a linear layer d -> 3 over the last hidden states, in its own
small safetensors file.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from qa_demo.core.errors import BadCheckpoint
from qa_demo.core.temperature import RANGE
from qa_demo.core.types import TAGS, Temperatures
from qa_demo.model.checks import read_header, read_json, regular

BIO_FILE, CARD_FILE = "bio_head.safetensors", "reader.json"


def load_bio(folder: Path, hidden_size: int) -> torch.nn.Linear | None:
    """p_i = softmax(W T_i + b) needs W [3, d] and b [3], rows in the order B, I, O; None when the
    folder has no such head.
    """
    from safetensors.torch import load_file

    path = regular(folder, BIO_FILE)
    if path is None:
        return None
    shapes = {name: tensor.shape for name, tensor in read_header(path).items()}
    needed = {"weight": (len(TAGS), hidden_size), "bias": (len(TAGS),)}
    if shapes != needed:
        raise BadCheckpoint(
            f"{BIO_FILE} must hold {needed}, got {dict(sorted(shapes.items())[:4])}"
        )
    tensors = {name: tensor.to(torch.float32) for name, tensor in load_file(path).items()}
    if not all(bool(torch.isfinite(tensor).all()) for tensor in tensors.values()):
        raise BadCheckpoint(f"{BIO_FILE} holds numbers that are not finite")
    head = torch.nn.Linear(hidden_size, len(TAGS))
    head.load_state_dict(tensors)
    return head.requires_grad_(False).eval()


@dataclass(frozen=True)
class Card:
    """What reader.json says about a reader: its tuned no-answer threshold and its heads'
    temperatures, None where it says nothing.
    """

    threshold: float | None = None
    temperatures: Temperatures | None = None


def read_card(folder: Path) -> Card:
    """reader.json as a Card; an empty one when the folder has no such file."""
    card: Any = read_json(folder, CARD_FILE, limit=2**20)
    if card is None:
        return Card()
    if not isinstance(card, dict):
        raise BadCheckpoint(f"{CARD_FILE} must hold an object, got {type(card).__name__}")
    order, threshold = card.get("tag_order", list(TAGS)), card.get("threshold")
    if order != list(TAGS):
        raise BadCheckpoint(f"{CARD_FILE}: tag_order must be {list(TAGS)}, got {str(order)[:60]}")
    if threshold is not None and not (_number(threshold) and abs(threshold) < 1e6):
        raise BadCheckpoint(
            f"{CARD_FILE}: threshold must be a finite number or null, got {str(threshold)[:60]}"
        )
    return Card(
        None if threshold is None else float(threshold), _temperatures(card.get("temperatures"))
    )


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _temperatures(raw: Any) -> Temperatures | None:
    low, high = RANGE
    if raw is None:
        return None
    if (
        not isinstance(raw, dict)
        or not set(raw) <= {"span", "bio"}
        or not all(_number(t) and low <= t <= high for t in raw.values())
    ):
        raise BadCheckpoint(
            f"{CARD_FILE}: temperatures must name span or bio with a number from {low:g} to "
            f"{high:g}, got {str(raw)[:60]}"
        )
    return Temperatures(**{head: float(t) for head, t in raw.items()})
