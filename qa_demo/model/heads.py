"""The BIO head beside a reader: a linear layer d -> 3 in its own safetensors file."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from qa_demo.core.errors import BadCheckpoint, BadInput
from qa_demo.core.measuring.claims import STEEPEST
from qa_demo.core.measuring.temperature import BIASES, RANGE
from qa_demo.core.types import TAGS, Answerability, Calibration, Calibrations
from qa_demo.model.checks import read_header, read_json, regular

if TYPE_CHECKING:
    from qa_demo.model.reader import BertReader

BIO_FILE, CARD_FILE = "bio_head.safetensors", "reader.json"


def load_bio(folder: Path, hidden_size: int) -> torch.nn.Linear | None:
    """p_i = softmax(W T_i + b), W [3, d], b [3], rows B, I, O; None when the folder has none."""
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
    """What reader.json says of a reader: its threshold and calibrations, or None."""

    threshold: float | None = None
    calibrations: Calibrations | None = None


def read_card(folder: Path) -> Card:
    """reader.json as a Card; an empty one when the folder has no such file."""
    raw: Any = read_json(folder, CARD_FILE, limit=2**20)
    return Card() if raw is None else parse_card(raw, CARD_FILE)


def parse_card(raw: Any, name: str) -> Card:
    """Threshold and calibrations of a JSON object. Errors: BadCheckpoint that names the file."""
    if not isinstance(raw, dict):
        raise BadCheckpoint(f"{name} must hold an object, got {type(raw).__name__}")
    order, threshold = raw.get("tag_order", list(TAGS)), raw.get("threshold")
    if order != list(TAGS):
        raise BadCheckpoint(f"{name}: tag_order must be {list(TAGS)}, got {str(order)[:60]}")
    if threshold is not None and not (_number(threshold) and abs(threshold) < 1e6):
        raise BadCheckpoint(
            f"{name}: threshold must be a finite number or null, got {str(threshold)[:60]}"
        )
    return Card(
        None if threshold is None else float(threshold), _calibrations(raw.get("calibration"), name)
    )


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _calibrations(raw: Any, name: str) -> Calibrations | None:
    """{head: {"temperature": T, "bias": b}, "answerable": {"slope": a, "intercept": c}}; a reader
    that only came with the older temperatures alone has none.
    """
    if raw is None:
        return None
    (low, high), (least, most) = RANGE, BIASES
    if not isinstance(raw, dict) or not set(raw) <= {"span", "bio", "answerable"}:
        raise BadCheckpoint(
            f"{name}: calibration must be an object with span, bio and answerable, or some of "
            f"them, got {str(raw)[:60]}"
        )
    heads = {head: one for head, one in raw.items() if head != "answerable"}
    for head, one in heads.items():
        fields = one if isinstance(one, dict) else {}
        t, b = fields.get("temperature"), fields.get("bias")
        if not (
            set(fields) == {"temperature", "bias"}
            and _number(t)
            and _number(b)
            and low <= t <= high
            and least <= b <= most
        ):
            raise BadCheckpoint(
                f"{name}: the calibration of {head} must have a temperature from {low:g} to "
                f"{high:g} and a bias from {least:g} to {most:g}, got {str(one)[:60]}"
            )
    return Calibrations(
        **{k: Calibration(float(x["temperature"]), float(x["bias"])) for k, x in heads.items()},
        answerable=_answerability(raw.get("answerable"), name),
    )


def _answerability(raw: Any, name: str) -> Answerability | None:
    """{"slope": a, "intercept": c}; a falling curve would call a lower score the better answer."""
    if raw is None:
        return None
    fields = raw if isinstance(raw, dict) else {}
    slope, intercept = fields.get("slope"), fields.get("intercept")
    numbers = set(fields) == {"slope", "intercept"} and _number(slope) and _number(intercept)
    if not (numbers and 0 <= slope <= STEEPEST and abs(intercept) <= STEEPEST):
        raise BadCheckpoint(
            f"{name}: answerable must have a slope from 0 to {STEEPEST:g} and an intercept within "
            f"{STEEPEST:g} of 0, got {str(raw)[:60]}"
        )
    return Answerability(float(slope), float(intercept))


def with_fit(reader: "BertReader", path: Path) -> "BertReader":
    """The same reader with the threshold and calibrations that `calibrate` wrote for its weights.

    Errors: BadInput for a file that cannot be read or belongs to other weights.
    """
    try:
        raw = json.loads(path.read_bytes().decode("utf-8-sig"))
        card = parse_card(raw, path.name)
    except (OSError, ValueError, RecursionError, BadCheckpoint) as fault:
        cause = getattr(fault, "strerror", None) or fault
        raise BadInput(f"{path.name} is no file that calibrate wrote: {cause}") from fault
    if raw.get("weights") != reader.checksum:
        raise BadInput(
            f"{path.name} was fitted for other weights, those of the reader "
            f"{str(raw.get('reader'))[:60]}; the reader in use is {reader.name}"
        )
    return reader.fitted(card.threshold, card.calibrations)
