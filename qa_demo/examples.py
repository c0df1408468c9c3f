"""The examples of the menu, by their ids: those that show a point, then texts that the reader gets
wrong (`python -m qa_demo.training.examples check` tells whether both still hold).
"""

from functools import cache
from pathlib import Path

from qa_demo.core import examples as core
from qa_demo.core.examples import PoolExample
from qa_demo.core.store import ASSETS


def load_examples(path: Path | None = None) -> dict[str, PoolExample]:
    """Read the examples; one whose answer stands elsewhere than it says is refused by its id."""
    return {e.id: e for e in core.load_examples(path or ASSETS / "examples.json")}


@cache
def load_menu() -> dict[str, PoolExample]:
    """All that the menu offers, read once: the examples, then the failures."""
    return {**load_examples(), **load_examples(ASSETS / "failures.json")}
