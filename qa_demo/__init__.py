"""Spanlight: see how a BERT reader finds an answer.

    reader = load_reader()
    reading = reader.read(question, context)
    predict(reading).answer, explain(reader, reading)
    plot(reading, "spans").show()
    report(evaluate(reader, rows), "report.html")

In a notebook a cell that ends with `reading` shows all chapters of it. Nothing is imported
before it is asked for: torch takes seconds.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for an editor and mypy; when it runs, __getattr__ finds them
    from qa_demo.api.calls import call as call
    from qa_demo.core.attribution import explain as explain
    from qa_demo.core.predict import predict as predict
    from qa_demo.evaluation.report import report as report
    from qa_demo.evaluation.run import evaluate as evaluate
    from qa_demo.model.loading import load_reader as load_reader
    from qa_demo.saved import plot as plot

__version__ = "0.3.0"
_HOME = {
    "load_reader": "qa_demo.model.loading",
    "predict": "qa_demo.core.predict",
    "explain": "qa_demo.core.attribution",
    "evaluate": "qa_demo.evaluation.run",
    "report": "qa_demo.evaluation.report",
    "plot": "qa_demo.saved",
    "call": "qa_demo.api.calls",
}
__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__  # what Tab offers


if "IPython" in sys.modules and (_shell := sys.modules["IPython"].get_ipython()) is not None:
    # how a notebook shows a `Reading`; core, which holds it, knows no page
    _shell.display_formatter.formatters["text/html"].for_type_by_name(
        "qa_demo.core.types", "Reading", lambda one: import_module("qa_demo.saved").as_page(one)
    )
