"""`/api/docs`: every call with its fields, bounds and defaults; the page loads nothing else."""

import html
import json
from collections.abc import Mapping
from typing import Any

from qa_demo.state import Record

BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "maxLength")
STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;"
    "color-scheme:light dark}table{border-collapse:collapse;width:100%}"
    "th,td{text-align:left;vertical-align:top;padding:.25em .75em .25em 0;"
    "border-bottom:1px solid #8886}"
)


def page(models: Mapping[str, type[Record]]) -> str:
    """The page of these calls, by their names."""
    calls = "".join(_call(name, model) for name, model in models.items())
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Spanlight: calls</title><style>{STYLE}</style></head><body><main>"
        "<h1>Calls</h1><p>Each is a POST of one JSON object to <code>/api/NAME</code>. A wrong "
        "field comes back with status 422 and one sentence. For programs: "
        f'<a href="openapi.json">openapi.json</a>.</p>{calls}</main></body></html>'
    )


def _call(name: str, model: type[Record]) -> str:
    schema = model.model_json_schema()
    needed = schema.get("required", [])
    rows = "".join(
        f"<tr><td><code>{field}</code></td><td>{html.escape(about.get('title', ''))}</td>"
        f"<td>{html.escape(_allowed(about))}</td>"
        f"<td>{'needed' if field in needed else html.escape(json.dumps(about.get('default')))}</td>"
        "</tr>"
        for field, about in schema["properties"].items()
    )
    says = html.escape(" ".join((model.__doc__ or "").split()))
    head = "<tr><th>field</th><th>what it is</th><th>allowed</th><th>default</th></tr>"
    return f"<h2>/api/{name}</h2><p>{says}</p><table>{head}{rows}</table>"


def _allowed(about: Mapping[str, Any]) -> str:
    """Type and bounds of a field, in words."""
    if "anyOf" in about:
        bounds = {k: v for k, v in about.items() if k in BOUNDS}
        ways = [one if one.get("type") == "null" else {**bounds, **one} for one in about["anyOf"]]
        return ", or ".join(map(_allowed, ways))
    if "enum" in about:
        return ", ".join(map(str, about["enum"]))
    kind = {"null": "null", "integer": "whole number", "string": "text"}.get(
        about.get("type", ""), about.get("type", "")
    )
    if kind == "array":
        inner = about.get("items") or {"type": "whole number"}
        kind = f"list of ({_allowed(inner)})" if "items" in about else "[start, end]"
    low, high = about.get("minimum"), about.get("maximum")
    if low is not None and high is not None:
        return f"{kind} from {low:,} to {high:,}"
    if low is not None:
        return f"{kind} from {low:,}"
    if "maxLength" in about:
        return f"{kind} of at most {about['maxLength']:,} characters"
    if "exclusiveMinimum" in about:
        return f"{kind} above {about['exclusiveMinimum']}" + (
            "" if high is None else f", at most {high}"
        )
    return str(kind)
