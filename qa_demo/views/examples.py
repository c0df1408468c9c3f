"""The examples of the menu, by their ids."""

from pathlib import Path

from qa_demo.core import examples as core
from qa_demo.core.assets import ASSETS
from qa_demo.core.examples import PoolExample


def load_examples(path: Path | None = None) -> dict[str, PoolExample]:
    """Read `assets/examples.json`; an answer that does not stand where it says is refused with the
    example's id.
    """
    return {e.id: e for e in core.load_examples(path or ASSETS / "examples.json")}
