"""The JSON of lines, scores and exports: plain dictionaries of finite numbers."""

import json
import math
from collections.abc import Mapping
from typing import Any

from qa_demo.core.base import BadCheckpoint
from qa_demo.core.measuring.claims import sureness
from qa_demo.core.predict import Prediction
from qa_demo.core.spans import Candidate
from qa_demo.core.types import Reading

CLAIMS = ("claim", "answerable", "right_if_answerable")


def claim_json(reading: Reading, prediction: Prediction) -> dict[str, float | None]:
    """How sure the reader can be of its best span (core.measuring.claims): `claim` = `answerable`
    * `right_if_answerable`, chances from 0 to 1, null where nothing was fitted.
    """
    best = prediction.best
    found = None if best is None else sureness(reading, best.candidate)
    return {key: None if found is None else getattr(found, key) for key in CLAIMS}


def place_json(candidate: Candidate) -> dict[str, Any]:
    """Where a span stands: its text, its chars (half-open in the context as given), its window."""
    return {
        "text": candidate.text,
        "char_start": candidate.char_start,
        "char_end": candidate.char_end,
        "window": candidate.window,
    }


def evaluate_json(scores: Mapping[str, float | int], seconds: float) -> dict[str, Any]:
    """The scores of `metrics.evaluate` by the official scripts' names, and the seconds taken."""
    return finite({**scores, "seconds": seconds})


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
