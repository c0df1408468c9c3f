"""python -m qa_demo loss: its JSON and its lines."""

import numpy as np
import pytest

from qa_demo.core.base import BadInput
from qa_demo.core.files.report import loss_json
from qa_demo.core.text import span_at
from qa_demo.core.types import Reading, Span
from tests.cli.terminal import Terminal
from tests.core.toys import t1
from tests.model import kit

FIELDS = ["question", "reader", "normaliser", "gold", "terms", "total", "windows"]


def test_json_is_the_loss_of_the_label(reading: Reading, terminal: Terminal) -> None:
    """That the loss is torch's own stands in tests/model/test_learning.py."""
    a, b = kit.CONTEXT.index("George"), kit.CONTEXT.index("George") + len("George Rotne")
    report = terminal.asked("loss", "--gold", a, b)
    assert list(report) == FIELDS
    wanted = loss_json(reading, (span_at(reading.encoding, a, b),))
    assert report["gold"] == wanted["gold"]
    (gold,) = report["gold"]
    assert (gold["text"], gold["char_start"], gold["char_end"]) == ("George Rotne", a, b)
    assert 0 < gold["whole_in"] < len(report["windows"]) == len(reading.windows)
    assert report["total"] == pytest.approx(wanted["total"], abs=1e-5)
    assert sum(t["weight"] * t["value"] for t in report["terms"]) == pytest.approx(report["total"])
    assert {t["over"] for t in report["terms"]} == {len(reading.windows)}


def test_a_label_that_windows_cut_is_said_to_count_as_no_answer(terminal: Terminal) -> None:
    out = terminal.ask("loss", "--gold", "0", len(kit.CONTEXT))
    assert "(whole in 0 of" in out and "windows; the others count it as no answer)" in out
    assert "(whole in 1 of" in terminal.ask("loss --max-seq-length 64 --gold 0 3")
    short = ["--question", "Who?", "--context", "The bridge."]
    assert "whole in" not in terminal.read("loss --gold 4 10", *short)


def test_lines_for_a_person_and_no_answer(terminal: Terminal) -> None:
    out = terminal.ask("loss")
    assert out.startswith("label: no answer\nterm") and "total" in out


def test_an_annotator_without_an_answer_stands_beside_the_others(terminal: Terminal) -> None:
    out = terminal.ask("loss --gold 0 3 --none 1")
    assert len(out.split("label: ")) == 3 and "label: no answer" in out


def test_the_vector_of_one_head_with_two_labels() -> None:
    """Three annotators, two on "Delta", one on "Delta Epsilon": by hand from the toy's logits."""
    reading = t1()
    report = loss_json(reading, (Span(3, 3), Span(3, 3), Span(3, 4)))
    z = [np.log(np.exp(reading.logits(w)[side]).sum()) for side in (0, 1) for w in (0, 1)]
    first = (z[0] - reading.logits(0)[0][[6, 6, 0]]).mean()
    second = (z[1] - reading.logits(1)[0][4]).mean()
    assert report["terms"][0]["value"] == pytest.approx((first + second) / 2, abs=1e-5)
    shared = loss_json(reading, (Span(3, 4),), "shared")
    assert {t["over"] for t in shared["terms"]} == {8}
    assert shared["total"] == pytest.approx(sum(t["value"] for t in shared["terms"]))
    with pytest.raises(BadInput):
        loss_json(reading, (Span(3, 4),), "paragraph")
