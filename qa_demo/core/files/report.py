"""The JSON of lines, scores and exports: plain dictionaries of finite numbers."""

import json
import math
from typing import Any

from qa_demo.core.base import BadCheckpoint


def finite(report: dict[str, Any]) -> dict[str, Any]:
    """Return the report, or refuse it naming the first number that JSON cannot express."""
    where = _not_finite(report, "")
    if where is not None:
        raise BadCheckpoint(
            f"the report cannot be written: {where}; a reader's logits must be finite numbers"
        )
    return report


def _not_finite(value: Any, path: str) -> str | None:
    if isinstance(value, float) and not math.isfinite(value):
        return f"{path} is {value}"
    if isinstance(value, dict):
        parts = [(f"{path}.{key}" if path else str(key), inner) for key, inner in value.items()]
    elif isinstance(value, (list, tuple)):
        parts = [(f"{path}[{k}]", inner) for k, inner in enumerate(value)]
    else:
        return None
    faults = (_not_finite(inner, name) for name, inner in parts)
    return next((fault for fault in faults if fault is not None), None)


def dumps(report: dict[str, Any]) -> str:
    """One line of ASCII JSON: lone surrogates survive; NaN and infinity are refused."""
    return json.dumps(finite(report), ensure_ascii=True, allow_nan=False)
