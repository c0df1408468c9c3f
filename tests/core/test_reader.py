"""Three lines for a notebook: names load when asked for; the best span explained."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import qa_demo
from qa_demo import explain, predict
from qa_demo.core.base import BadInput
from qa_demo.core.types import Span
from tests.fakes import FakeReader

CONTEXT = "The towers were drawn by Georg Rotne. They stand near Malmö in Sweden."


def test_the_best_span_is_explained_unless_another_is_named():
    reader = FakeReader()
    reading = reader.read("Who drew the towers?", CONTEXT)
    best = predict(reading).best
    assert best is not None
    found = explain(reader, reading)
    assert (found.target.kind, found.target.span) == ("span_score", best.candidate.span)
    assert found.window == best.candidate.window and found.method == "gradient_x_input"
    other = explain(reader, reading, "leave_one_out", Span(0, 1))
    assert (other.target.span, other.method) == (Span(0, 1), "leave_one_out")


def test_without_a_legal_span_there_is_nothing_to_explain():
    reader = FakeReader()
    reading = reader.read("Who?", CONTEXT)
    nowhere = np.zeros(len(reading.windows[0]), dtype=bool)
    windows = (replace(reading.windows[0], is_max_context=nowhere),)
    with pytest.raises(BadInput, match="none to explain"):
        explain(reader, replace(reading, windows=windows))


def test_the_package_names_seven_things_and_imports_none_of_them_at_once():
    names = {"load_reader", "predict", "explain", "evaluate", "plot", "report", "call"}
    assert set(qa_demo.__all__) == {"__version__", *names}
    with pytest.raises(AttributeError, match="'nothing'"):
        _ = qa_demo.nothing
    seen = "import sys, qa_demo; print({'torch', 'numpy', 'gradio'} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"
