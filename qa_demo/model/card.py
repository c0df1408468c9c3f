"""What lies beside a reader's weights: reader.json with its threshold and calibrations, and for a
reader that is a small change to an encoder it does not hold, that change.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator

from qa_demo.core.base import BadCheckpoint, BadInput, ModelUnavailable
from qa_demo.core.calibration import BIASES, RANGE, STEEPEST
from qa_demo.core.types import TAGS, Calibrations
from qa_demo.model.source import CARD_FILE, HostLimits, Source, fetch, read_json, regular, sha256

if TYPE_CHECKING:
    from qa_demo.model.reader import BertReader

BIO_FILE = "bio_head.safetensors"
"""p_i = softmax(W T_i + b), `weight` W [3, d], `bias` b [3], rows B, I, O."""
ADAPTER_FILE, BASE_FILE = "adapter.safetensors", "model.safetensors"
Word = Annotated[str, Field(pattern=r"^[\x21-\x7e]{1,200}$")]
Tensors = dict[str, Any]


class Strict(BaseModel):
    """No other fields, no text or bool in the place of a number."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Fit(Strict):
    """The calibration of one head."""

    temperature: float = Field(ge=RANGE[0], le=RANGE[1])
    bias: float = Field(ge=BIASES[0], le=BIASES[1])


class Line(Strict):
    """How a span's lead becomes the chance that the text answers: a falling line would call a lower
    score the better answer.
    """

    slope: float = Field(ge=0, le=STEEPEST)
    intercept: float = Field(ge=-STEEPEST, le=STEEPEST)


class Fits(Strict):
    """What was fitted."""

    span: Fit | None = None
    bio: Fit | None = None
    answerable: Line | None = None


class Base(Strict):
    """The encoder that an adapter changes: where on the hub it is, and the sum of its weights."""

    repo: Word
    revision: Word
    sha256: Word


class Card(Strict):
    """What reader.json says of a reader; other fields are for people."""

    model_config = ConfigDict(extra="ignore")

    tag_order: list[str] = Field(list(TAGS))
    threshold: float | None = Field(None, gt=-1e6, lt=1e6)
    calibration: Fits | None = None
    base: Base | None = None

    @field_validator("tag_order")
    @classmethod
    def _in_order(cls, given: list[str]) -> list[str]:
        if given != list(TAGS):
            raise ValueError(f"must be {list(TAGS)}")
        return given

    @property
    def calibrations(self) -> Calibrations | None:
        """Core's record of them."""
        found = self.calibration
        return found and TypeAdapter(Calibrations).validate_python(found.model_dump())


def read_card(folder: Path) -> Card:
    """reader.json as a Card; an empty one when the folder has no such file."""
    raw = read_json(folder, CARD_FILE)
    return Card() if raw is None else parse_card(raw, CARD_FILE)


def parse_card(raw: Any, name: str) -> Card:
    """Threshold and calibrations of a JSON object. Errors: BadCheckpoint that names the file."""
    try:
        return Card.model_validate(raw)
    except ValidationError as fault:
        first = fault.errors()[0]
        where = ".".join((name, *map(str, first["loc"])))
        kind = "Input should be an object" if first["type"] == "model_type" else first["msg"]
        said = kind.removeprefix("Value error, ").replace("Input should", "must")
        raise BadCheckpoint(f"{where}: {said}, got {str(first['input'])[:60]}") from fault


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


# ---- an adapter: two thin matrices a layer, merged with the encoder when loaded


def base_of(card: Card, limits: HostLimits) -> Path:
    """The folder of the encoder that an adapter changes: the host's own (`--base`), else the
    pinned revision of the hub.

    Errors: BadCheckpoint for other weights than those the adapter was trained on, ModelUnavailable
    where this host may not or cannot fetch them.
    """
    wanted = card.base
    if wanted is None:
        raise BadCheckpoint(f"{CARD_FILE} must name the adapter's base")
    name = f"{wanted.repo}@{wanted.revision}"
    way = f"it needs {name}; start with --base FOLDER, which holds it"
    if limits.base is None and not limits.anywhere:
        raise ModelUnavailable(f"this host does not load from Hugging Face, and {way}")
    try:
        source = Source(name, repo=wanted.repo, revision=wanted.revision)
        found = limits.base or fetch(source)[0]
    except ModelUnavailable as fault:
        raise ModelUnavailable(f"{way} ({fault})") from fault
    weights = regular(found, BASE_FILE)
    if weights is None:
        raise BadCheckpoint(f"the base {found.name} holds no {BASE_FILE}")
    if (held := sha256(weights)) != wanted.sha256:
        raise BadCheckpoint(
            f"the adapter was trained on {wanted.repo} with the SHA-256 {wanted.sha256[:12]}..., "
            f"the base {found.name} has {held[:12]}..."
        )
    return found


def merged(base: Tensors, adapter: Tensors, prefix: str) -> Tensors:
    """W' = W + B A for each adapted layer, A [rank, in], B [out, rank]; other tensors of the
    adapter (the start/end head) are added as they are. `prefix`: what the layers' names begin with
    in a model that has a head.

    Errors: BadCheckpoint for a layer that the base lacks, or matrices that do not fit it.
    Source: Hu et al. 2021, "LoRA: Low-Rank Adaptation of Large Language Models", section 4.1 (its
    factor alpha / r is in B already).
    """
    out = {f"{prefix}{name.removeprefix(prefix)}": tensor for name, tensor in base.items()}
    for name, tensor in adapter.items():
        layer, part = name.rpartition(".")[::2]
        if part == "A":
            key, b = f"{prefix}{layer}.weight", adapter.get(f"{layer}.B")
            shape = out[key].shape if key in out else None
            if b is None or shape != (b.shape[0], tensor.shape[-1]) or b.shape[1] != len(tensor):
                raise BadCheckpoint(
                    f"{ADAPTER_FILE}: {layer[:80]} does not fit the base, whose matrix is "
                    f"{None if shape is None else list(shape)}"
                )
            out[key] = out[key].float() + b.float() @ tensor.float()
        elif part != "B":
            out[name] = tensor
    return out
