"""A reply held against its schema, whether a call describes it or a tool."""

from typing import Any

TYPES: dict[str, Any] = {"string": str, "integer": int, "number": (int, float), "object": dict}
TYPES |= {"array": list, "null": type(None)}


def fits(value: Any, schema: dict[str, Any], where: str = "reply") -> None:
    """The few words of JSON Schema that are used, restated; every field is required."""
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    kinds = [*kinds, "null"] if schema.get("nullable") else kinds
    assert any(isinstance(value, TYPES[kind]) for kind in kinds), (where, value)
    if isinstance(value, dict):
        assert set(value) == set(schema["required"]) == set(schema["properties"]), where
        for key, inner in value.items():
            fits(inner, schema["properties"][key], f"{where}.{key}")
    for k, inner in enumerate(value if isinstance(value, list) else []):
        fits(inner, schema["items"], f"{where}[{k}]")
