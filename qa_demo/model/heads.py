"""What lies beside a reader's weights in reader.json: its threshold and its calibrations."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from qa_demo.core.base import BadCheckpoint, BadInput
from qa_demo.core.calibration import BIASES, RANGE, STEEPEST
from qa_demo.core.types import TAGS, Answerability, Calibration, Calibrations
from qa_demo.model.source import CARD_FILE, read_json

if TYPE_CHECKING:
    from qa_demo.model.reader import BertReader

BIO_FILE = "bio_head.safetensors"
"""p_i = softmax(W T_i + b), `weight` W [3, d], `bias` b [3], rows B, I, O."""


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


class Card(Strict):
    """What reader.json says of a reader; other fields are for people."""

    model_config = ConfigDict(extra="ignore")

    tag_order: list[str] = Field(list(TAGS))
    threshold: float | None = Field(None, gt=-1e6, lt=1e6)
    calibration: Fits | None = None

    @field_validator("tag_order")
    @classmethod
    def _in_order(cls, given: list[str]) -> list[str]:
        if given != list(TAGS):
            raise ValueError(f"must be {list(TAGS)}")
        return given

    @property
    def calibrations(self) -> Calibrations | None:
        """Core's record of them."""
        if self.calibration is None:
            return None
        span, line = self.calibration.span, self.calibration.answerable
        return Calibrations(
            Calibration(**span.model_dump()) if span else None,
            Answerability(**line.model_dump()) if line else None,
        )


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
