"""The state of a page: one frozen record that is the address, a lesson's step and a call's body.

What a visitor sees follows from it alone. `load` reads it from JSON and refuses in one sentence;
`dump` leaves out what is at its default.
"""

from collections.abc import Mapping
from dataclasses import fields
from math import ceil
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from qa_demo.core.base import BadInput
from qa_demo.core.types import DecodeOptions, Rule, WindowOptions
from qa_demo.printed import quote
from qa_demo.records import read

Chapter = Literal[
    "answer", "scores", "start_end", "spans", "loss", "windows", "bio", "spanbert", "why"
]
MAX_CHARACTERS = 50_000
MOST_WINDOWS = 2000
"""Of a text, counted as if each character were a token."""


def _whole_letters(value: Any) -> Any:
    """A lone half of a surrogate pair cannot be sent back as UTF-8: it reads as U+FFFD."""
    if not isinstance(value, str):
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _flat(value: Any) -> Any:
    if not isinstance(value, str | int | np.integer | None):
        raise ValueError("must be a text, a whole number or null")
    return _whole_letters(value)


def _ordered(pair: tuple[int, int]) -> tuple[int, int]:
    if not 0 <= pair[0] <= pair[1]:
        raise ValueError("must be 0 <= first <= last")
    return pair


PLAIN = BeforeValidator(lambda value: int(value) if isinstance(value, np.integer) else value)
"""numpy's whole numbers, of which offsets are made, are whole numbers. It stands behind the bounds
of a type: before them pydantic would leave them out of the JSON schema.
"""
Int = Annotated[int, Field(strict=True), PLAIN]
Place = Annotated[int, Field(strict=True, ge=0), PLAIN]
Count = Annotated[int, Field(strict=True, ge=1), PLAIN]
Float = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Pair = Annotated[tuple[Int, Int], AfterValidator(_ordered)]
Text = Annotated[str, Field(max_length=MAX_CHARACTERS), BeforeValidator(_whole_letters)]
Name = Annotated[str, Field(min_length=1, max_length=1000), BeforeValidator(_whole_letters)]
OwnValue = Annotated[Any, BeforeValidator(_flat)]
Threshold = Annotated[Float, Field(ge=-1000, le=1000)]
Length = Annotated[int, Field(strict=True, ge=1, le=500), PLAIN]
Edited = dict[
    Annotated[str, Field(pattern=r"^\d{1,4}:\d{1,5}$")], Annotated[Float, Field(ge=-100, le=100)]
]


class Record(BaseModel):
    """What all parts of a state share: they never change, and know no field but their own."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Windows(Record):
    """How a paragraph is cut (BERT's names and defaults)."""

    max_seq_length: Int = Field(
        WindowOptions.max_seq_length,
        title="window size",
        description="Positions in one window: question, paragraph part and special tokens.",
        ge=8,
        le=8192,
    )
    doc_stride: Int = Field(
        WindowOptions.doc_stride,
        title="stride to the next window",
        description="The step from one window to the next, in tokens (not the overlap).",
        ge=1,
        le=8192,
    )

    @model_validator(mode="after")
    def _few(self) -> Self:
        text = getattr(self, "context", None) or ""
        if (least := ceil(len(text) / MOST_WINDOWS)) > self.doc_stride:
            many = f"doc_stride must be at least {least:,} for {len(text):,} characters"
            raise ValueError(f"{many}, got {self.doc_stride}: others wait for its last window")
        return self

    @property
    def windows(self) -> WindowOptions:
        """Core's record of them; a call has a longest question too."""
        return WindowOptions(**self.model_dump(include={x.name for x in fields(WindowOptions)}))


class Decode(Record):
    """Which spans are allowed, and how many are listed."""

    max_answer_length: Length = Field(
        DecodeOptions.max_answer_length,
        title="longest answer",
        description="The longest answer, in tokens.",
    )
    n_best_size: Int = Field(DecodeOptions.n_best_size, title="spans listed", ge=1, le=100)

    def options(self, rule: Rule, threshold: float | None, own: float | None) -> DecodeOptions:
        """Core's record of them, with the threshold in use: without a given one the reader's own,
        and 0 for a reader without one.
        """
        limit = threshold if threshold is not None else own or 0.0
        return DecodeOptions(self.max_answer_length, self.n_best_size, limit, rule)


class Edits(Record):
    """Logits changed by hand: "WINDOW:POSITION" and the new value."""

    start: Edited = Field({}, title="start logits", max_length=200)
    end: Edited = Field({}, title="end logits", max_length=200)

    @property
    def logits(self) -> dict[tuple[str, int, int], float]:
        """The values by side, window and position."""
        found = dict[tuple[str, int, int], float]()
        for side, edits in (("start", self.start), ("end", self.end)):
            for place, value in edits.items():
                window, pos = map(int, place.split(":"))
                found[side, window, pos] = value
        return found


class State(Decode, Windows):
    """Everything that decides what a page shows. Positions of the paragraph are tokens."""

    example: Name | None = Field(None, title="example")
    question: Text | None = Field(None, title="question")
    context: Text | None = Field(None, title="paragraph")
    reader: Name = Field("bundled", title="reader")
    threshold: Threshold | None = Field(None, title="threshold")
    rule: Rule = Field("logits", title="merge rule")
    edits: Edits = Field(Edits(), title="changed logits")
    temperature: Float = Field(1.0, title="temperature", ge=0.2, le=5)
    gold: tuple[Pair, ...] | None = Field(None, title="marked answers", max_length=20)
    selection: Pair | None = Field(None, title="selection")
    veil: bool = Field(False, title="veil", strict=True)
    chapter: Chapter = Field("answer", title="chapter")
    step: Int = Field(1, title="step", ge=1, le=9)
    own: dict[Chapter, dict[Name, OwnValue]] = Field({}, title="the chapter's settings")

    @model_validator(mode="after")
    def _whole(self) -> "State":
        if (self.question is None) != (self.context is None):
            raise ValueError("question and paragraph belong together; one of the two is missing")
        if self.question is not None and self.example is not None:
            raise ValueError("a state has an example or texts of its own, not both")
        return self

    @property
    def pristine(self) -> bool:
        """Whether no text was chosen yet: then each chapter opens on the one that suits it."""
        return self.example is None and self.question is None


def load(given: Any) -> State:
    """A state from JSON's values; None is a default. Errors: BadInput, one sentence with field,
    value and what is allowed.
    """
    if not isinstance(given, Mapping):
        raise BadInput(f"a state is an object of fields, got {type(given).__name__}")
    return read(State, {k: v for k, v in given.items() if v is not None})


def dump(state: State) -> dict[str, Any]:
    """The state as JSON's values without what is at its default, keys sorted."""
    return dict(sorted(state.model_dump(mode="json", exclude_defaults=True).items()))


def differs(pinned: State, now: State) -> str:
    """One line that tells what differs between a pinned state and the page's; "" for nothing."""
    said = []
    for name, about in State.model_fields.items():
        a, b = getattr(pinned, name), getattr(now, name)
        if a != b and name not in ("chapter", "step", "veil"):
            plain = all(isinstance(x, str | int | float) for x in (a, b))
            here, there = (quote(x, 40) if isinstance(x, str) else str(x) for x in (a, b))
            said.append(f"{about.title} {here}, there {there}" if plain else f"{about.title}")
    return f"Pinned. It differs in: {'; '.join(said)}." if said else ""
