"""Step 2 of chapter 8: what MLM, SBO and both say about each blank, and what the boundary knows."""

from collections.abc import Callable
from typing import Any

from qa_demo.core.infill import Infiller
from qa_demo.views.spanbert_state import Lab

INPUTS: dict[str, Callable[[Lab, Any], Lab]] = {}
ASKS: dict[str, Callable[[Lab, Any, Infiller], Lab]] = {}


def present(lab: Lab, infiller: Infiller) -> dict[str, Any] | None:
    """The picture of the step."""
    return None
