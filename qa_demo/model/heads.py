"""The BIO head beside a reader: a linear layer d -> 3 in its own safetensors file."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from qa_demo.core.base import BadCheckpoint, BadInput
from qa_demo.core.measuring.claims import STEEPEST
from qa_demo.core.measuring.temperature import BIASES, RANGE
from qa_demo.core.types import TAGS, Answerability, Calibration, Calibrations
from qa_demo.model.checks import read_json, regular
from qa_demo.model.weights import fill

if TYPE_CHECKING:
    from qa_demo.model.reader import BertReader

BIO_FILE, CARD_FILE = "bio_head.safetensors", "reader.json"


def load_bio(folder: Path, hidden_size: int) -> torch.nn.Linear | None:
    """p_i = softmax(W T_i + b), W [3, d], b [3], rows B, I, O; None when the folder has none."""
    path = regular(folder, BIO_FILE)
    if path is None:
        return None
    return fill(torch.nn.Linear(hidden_size, len(TAGS)), path).requires_grad_(False).eval()


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
    if not isinstance(raw, dict) or not set(raw) <= {"span", "bio", "answerable"}:
        raise BadCheckpoint(
            f"{name}: calibration must be an object with span, bio and answerable, or some of "
            f"them, got {str(raw)[:60]}"
        )
    found: dict[str, Any] = {}
    for head in raw.keys() & {"span", "bio"}:
        fit = _numbers(raw[head], temperature=RANGE, bias=BIASES)
        if fit is None:
            (low, high), (least, most) = RANGE, BIASES
            raise BadCheckpoint(
                f"{name}: the calibration of {head} must have a temperature from {low:g} to "
                f"{high:g} and a bias from {least:g} to {most:g}, got {str(raw[head])[:60]}"
            )
        found[head] = Calibration(**fit)
    if (answers := raw.get("answerable")) is not None:
        # a falling curve would call a lower score the better answer
        line = _numbers(answers, slope=(0, STEEPEST), intercept=(-STEEPEST, STEEPEST))
        if line is None:
            raise BadCheckpoint(
                f"{name}: answerable must have a slope from 0 to {STEEPEST:g} and an intercept "
                f"within {STEEPEST:g} of 0, got {str(answers)[:60]}"
            )
        found["answerable"] = Answerability(**line)
    return Calibrations(**found)


def _numbers(raw: Any, **ranges: tuple[float, float]) -> dict[str, float] | None:
    """The numbers of an object with exactly these fields, each within its range; else None."""
    if not isinstance(raw, dict) or raw.keys() != ranges.keys():
        return None
    fits = (_number(raw[k]) and low <= raw[k] <= high for k, (low, high) in ranges.items())
    return {k: float(raw[k]) for k in ranges} if all(fits) else None


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
    if "weights" not in raw:
        raise BadInput(f"{path.name} is no file that calibrate wrote: it names no weights")
    if raw["weights"] != reader.checksum:
        raise BadInput(
            f"{path.name} was fitted for other weights, those of the reader "
            f"{str(raw.get('reader'))[:60]}; the reader in use is {reader.name}"
        )
    return reader.fitted(card.threshold, card.calibrations)
