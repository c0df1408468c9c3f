"""Three lines for a notebook: the best span explained, by its own reader; names load when asked."""

import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import pytest

import qa_demo
from qa_demo import explain, predict
from qa_demo.core.attribution import check_made_by
from qa_demo.core.base import BadInput
from qa_demo.core.types import Span
from tests.core.toys import unowned
from tests.fakes import FakeReader

READER = FakeReader()
CONTEXT = "The towers were drawn by Georg Rotne. They stand near Malmö in Sweden."
READING = READER.read("Who drew the towers?", CONTEXT)


def test_the_best_span_is_explained_unless_another_is_named():
    best = predict(READING).best.candidate
    found = explain(READER, READING)
    assert (found.target.kind, found.target.span) == ("span_score", best.span)
    assert found.window == best.window and found.method == "gradient_x_input"
    other = explain(READER, READING, "leave_one_out", Span(0, 1))
    assert (other.target.span, other.method) == (Span(0, 1), "leave_one_out")
    with pytest.raises(BadInput, match="none to explain"):
        explain(READER, unowned(READING))


def test_other_weights_are_refused_in_one_sentence():
    """The name stands for weights without a checksum."""
    weights = [("abc", "other"), ("abd", "a"), ("", "b"), ("abc", "toy"), ("", "toy"), ("", "c")]
    readers = [SimpleNamespace(checksum=checksum, name=name) for checksum, name in weights]
    for made, own in (("abc", [0, 3]), ("", [4])):
        reading = replace(READING, model_name="toy", checksum=made)
        for k, reader in enumerate(readers):
            said = f"made by other weights than those of the reader in use, {reader.name}; read the"
            with nullcontext() if k in own else pytest.raises(BadInput, match=said):
                check_made_by(reading, reader)


def test_the_package_names_seven_things_and_imports_none_of_them_at_once():
    names = {"load_reader", "predict", "explain", "evaluate", "plot", "report", "call"}
    assert set(dir(qa_demo)) == {"__version__", *names}
    with pytest.raises(AttributeError, match="'nothing'"):
        _ = qa_demo.nothing
    seen = "import sys, qa_demo; print({'torch', 'numpy', 'gradio'} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"
