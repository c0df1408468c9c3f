"""Figures and passages that came with the package, each file read once."""

import json
from functools import cache
from typing import Any

from qa_demo.core.errors import BadInput, ModelUnavailable
from qa_demo.core.files.assets import ASSETS
from qa_demo.core.files.examples import Passage, load_passages
from qa_demo.core.infill import Asked


@cache
def passages() -> dict[str, Passage]:
    """The passages by their id."""
    return {p.id: p for p in load_passages(ASSETS / "passages.json")}


def hidden_in(name: str) -> Asked:
    """A passage with what it hides. Errors: BadInput for an unknown name."""
    if name not in passages():
        raise BadInput(f"there is no passage {name[:60]!r}")
    passage = passages()[name]
    return Asked(passage.text, tuple((h.char_start, h.char_end) for h in passage.hidden))


@cache
def shipped(name: str) -> Any:
    """A file of figures. Errors: ModelUnavailable where the checkout lacks it."""
    path = ASSETS / name
    if not path.is_file():
        raise ModelUnavailable(f"assets/{name} is not in this checkout")
    return json.loads(path.read_text(encoding="utf-8"))


def scheme_counts() -> dict[str, int] | None:
    """The right guesses over all example texts by the weights in use; None where none counted."""
    weights = shipped("spanbert/checksums.json").get("model.safetensors")
    found: dict[str, int] | None = shipped("schemes.json").get(weights)
    return found


def pretrained() -> tuple[int, int]:
    """Steps and tokens of the bundled SpanBERT's pre-training, over all phases that were kept."""
    phases = [p for p in shipped("spanbert/spanbert.json")["phases"] if not p.get("tried")]
    steps = [p["steps_taken"] for p in phases]
    read = [p["steps_taken"] * p["batch_tokens"] for p in phases]
    return sum(steps), sum(read)
