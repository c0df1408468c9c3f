"""Spanlight: see how a BERT reader finds an answer.

    from qa_demo import explain, load_reader, predict
    reader = load_reader()
    reading = reader.read(question, context)
    predict(reading).answer, explain(reader, reading)

Nothing is imported before it is asked for: torch takes seconds.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"
_HOME = {
    "load_reader": "qa_demo.model.loading",
    "predict": "qa_demo.core.predict",
    "explain": "qa_demo.core.explain",
}
__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
