"""What lies beside a reader's weights: reader.json with its threshold and calibrations, and for a
reader that is a small change to an encoder it does not hold, that change.
"""

import copy
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError, model_validator

from qa_demo.core.base import BadCheckpoint, BadInput, ModelUnavailable
from qa_demo.core.calibration import BIASES, RANGE, STEEPEST
from qa_demo.core.types import TAGS, Calibrations
from qa_demo.files import read_text
from qa_demo.model.reader import BertReader
from qa_demo.model.source import CARD_FILE, Source, fetch, regular, sha256
from qa_demo.records import refusal

BIO_FILE = "bio_head.safetensors"
"""p_i = softmax(W h_i + b), `weight` W [3, d], `bias` b [3], rows B, I, O."""
ADAPTER_FILE, BASE_FILE = "adapter.safetensors", "model.safetensors"
Word = Annotated[str, Field(pattern=r"^[\x21-\x7e]{1,200}$")]
Tensors = dict[str, Any]
LIMITS = {
    "temperature": RANGE, "bias": BIASES,
    "slope": (0.0, STEEPEST), "intercept": (-STEEPEST, STEEPEST),
}  # fmt: skip
"""Of numbers that `calibrate` gives: a falling line would call a lower score the better answer."""


class Base(BaseModel):
    """The encoder that an adapter changes: where on the hub it is, and the sum of its weights."""

    repo: Word
    revision: Word
    sha256: Word


class Card(BaseModel):
    """What reader.json, or a file that `calibrate` wrote for some weights, says of a reader; other
    fields are for people.
    """

    tag_order: tuple[Literal["B"], Literal["I"], Literal["O"]] = TAGS
    threshold: float | None = Field(None, gt=-1e6, lt=1e6)
    calibration: Calibrations | None = None
    base: Base | None = None
    weights: Any = None

    @model_validator(mode="after")
    def _within_limits(self) -> "Card":
        for fit in filter(None, asdict(self.calibration or Calibrations()).values()):
            for name, value in fit.items():
                low, high = LIMITS[name]
                if not low <= value <= high:
                    said = f"calibration: {name} must be {low:g} to {high:g}, got {value:g}"
                    raise ValueError(said)
        return self


def read_card(folder: Path) -> Card:
    """reader.json as a Card; an empty one when the folder has no such file."""
    path = regular(folder, CARD_FILE)
    return Card() if path is None else parse_card(path.read_bytes(), CARD_FILE)


def parse_card(text: str | bytes, name: str) -> Card:
    """A file's JSON as a Card. Errors: BadCheckpoint that names file and field."""
    try:
        return Card.model_validate_json(text)
    except ValidationError as fault:
        raise BadCheckpoint(f"{name}: {refusal(fault)}") from fault


def with_fit(reader: BertReader, path: Path) -> BertReader:
    """The same reader with the calibrations that `calibrate` wrote for its weights, and a threshold
    that it found. Errors: BadInput for a file that cannot be read or belongs to other weights.
    """
    try:
        card = parse_card(read_text(path), path.name)
    except BadCheckpoint as fault:
        raise BadInput(f"{path.name} is no file that calibrate wrote: {fault}") from fault
    if card.calibration is None or card.weights != reader.checksum:  # a run's file has weights too
        said = "was not fitted by calibrate for the weights of the reader in use"
        raise BadInput(f"{path.name} {said}, {reader.name}")
    other = copy.copy(reader)
    other.calibrations = card.calibration
    other.threshold = reader.threshold if card.threshold is None else card.threshold
    return other


def base_of(card: Card, anywhere: bool, base: str | Path | None) -> Path:
    """The folder of the encoder that an adapter changes: `base`, else the pinned revision of the
    hub.

    Errors: BadCheckpoint for other weights than those the adapter was trained on, ModelUnavailable
    where this host may not or cannot fetch them.
    """
    wanted = card.base
    if wanted is None:
        raise BadCheckpoint(f"{CARD_FILE} must name the adapter's base")
    hub = Source(f"{wanted.repo}@{wanted.revision}", repo=wanted.repo, revision=wanted.revision)
    try:
        if base is None and not anywhere:
            raise ModelUnavailable("this host does not load from Hugging Face")
        found = fetch(hub)[0] if base is None else Path(base)
    except ModelUnavailable as fault:
        way = f"it needs {hub.name}; start with --base FOLDER, which holds it"
        raise ModelUnavailable(f"{way} ({fault})") from fault
    weights = regular(found, BASE_FILE)
    held = "no such file" if weights is None else sha256(weights)
    if held != wanted.sha256:
        raise BadCheckpoint(
            f"the adapter was trained on {wanted.repo}, whose {BASE_FILE} has the SHA-256 "
            f"{wanted.sha256[:12]}, and not on the base {found.resolve().name}, with {held[:12]}"
        )
    return found


def merged(base: Tensors, adapter: Tensors, prefix: str) -> Tensors:
    """W' = W + B A for each adapted layer, A [rank, in], B [out, rank]; other tensors of the
    adapter (the start/end head) are added as they are. `prefix`: what the layers' names begin with
    in a model that has a head.

    Source: Hu et al. 2021, "LoRA: Low-Rank Adaptation of Large Language Models", section 4.1 (its
    factor alpha / r is in B already).
    """
    out = {f"{prefix}{name.removeprefix(prefix)}": tensor for name, tensor in base.items()}
    for name, tensor in adapter.items():
        layer, part = name.rpartition(".")[::2]
        if part == "A":
            weight = f"{prefix}{layer}.weight"
            out[weight] = out[weight].float() + adapter[f"{layer}.B"].float() @ tensor.float()
        elif part != "B":
            out[name] = tensor
    return out
