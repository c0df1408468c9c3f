"""The examples of the menu, by their ids, and which of them shows a chapter's point best."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from qa_demo.core.files import examples as core
from qa_demo.core.files.assets import ASSETS
from qa_demo.core.files.examples import PoolExample
from qa_demo.core.measuring.metrics import exact_match
from qa_demo.views.state import Screen

BEST: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "answer": ("violin-price", "nobel-1903"),
        "scores": ("eiffel", "brooklyn"),
        "start_end": ("insulin", "magna-carta"),
        "spans": ("insulin", "gold"),
        "loss": ("machu-picchu", "oresund"),
        "windows": ("brooklyn", "penguins"),
        "bio": ("south-pole", "machu-picchu"),
        "why": ("mile", "suez"),
    }
)
"""Two examples for each chapter but 8, whose menu names passages of its own."""


def load_examples(path: Path | None = None) -> dict[str, PoolExample]:
    """Read the examples; one whose answer stands elsewhere than it says is refused by its id."""
    return {e.id: e for e in core.load_examples(path or ASSETS / "examples.json")}


def other_questions(question: str, context: str) -> list[str]:
    """Two other questions of the examples on this paragraph; none for an own text."""
    return [asked for asked in _asked().get(context, ()) if asked != question][:2]


@cache
def _asked() -> dict[str, tuple[str, ...]]:
    """All questions of each paragraph, those of examples first."""
    return core.questions_asked(tuple(load_examples().values()))


def load_failures() -> dict[str, PoolExample]:
    """Texts that the bundled reader gets wrong; `python -m qa_demo.training.examples check --pool
    assets/failures.json` tells whether it still does.
    """
    return load_examples(ASSETS / "failures.json")


@cache
def load_menu() -> dict[str, PoolExample]:
    """All that the menu offers, read once: the examples, then the failures."""
    return {**load_examples(), **load_failures()}


def menu(examples: Mapping[str, PoolExample]) -> dict[str, Any]:
    """What the browser knows of the examples: titles by kind, and each chapter's two."""
    return {
        "examples": [
            {"id": e.id, "title": e.title, "kind": e.kind, "reason": e.reason, "view": e.view}
            for e in examples.values()
        ],
        "best": {
            chapter: [[key, examples[key].title] for key in keys if key in examples]
            for chapter, keys in BEST.items()
        },
    }


def is_right(example: PoolExample, screen: Screen) -> bool:
    """Whether what is on screen answers an example as an annotator did, compared as SQuAD does."""
    answer = screen.prediction.answer
    if not example.answers:
        return answer is None
    return answer is not None and any(exact_match(a.text, answer) for a in example.answers)
