"""What the fields of the calls may hold, as the calls check it, for OpenAPI and MCP."""

from collections.abc import Iterable
from typing import Any

from qa_demo.core.course.bench import TYPED
from qa_demo.core.explaining.attribution import BASELINES, KINDS, METHODS
from qa_demo.core.files.report import NORMALISERS
from qa_demo.core.learning.bio import DECODINGS
from qa_demo.core.reading.scales import COPIES, NULLS, SCALES
from qa_demo.views.options import LIMITS

CHOICES: dict[str, Iterable[str]] = {
    "copies": COPIES,
    "scale": SCALES,
    "null": NULLS,
    "target": KINDS,
    "method": METHODS,
    "baseline": BASELINES,
    "normaliser": NORMALISERS,
    "decoding": DECODINGS,
    "typed": TYPED,
}
"""A field has one meaning in every call."""


def allowed(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a field with what it may hold; null stays allowed where it is."""
    if name in CHOICES:
        none = [None] if schema.get("nullable") else []
        return {**schema, "enum": [*CHOICES[name], *none]}
    if name in LIMITS and schema["type"] in ("integer", "number"):
        low, high = LIMITS[name]
        return {**schema, "minimum": low, "maximum": high}
    return schema
