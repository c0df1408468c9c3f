"""Chapter 3's handlers as pure functions."""

import math

import numpy as np
import pytest

from qa_demo.core.errors import BadInput
from qa_demo.core.options import WindowOptions
from qa_demo.views import what_if
from qa_demo.views.start_end import chapter as start_end
from qa_demo.views.state import Screen
from tests.fakes import FakeReader
from tests.printed import text_of
from tests.requests import selected

TEXT = "The bridge opened in July. George Rotne drew it, and Anna Lindh crossed it first. " * 4
READING = FakeReader(null=-3.0).read("Who drew the bridge?", TEXT, WindowOptions(48, 20))
SCREEN = selected(READING)


def test_the_payload_is_about_the_selected_window() -> None:
    data = start_end.present(SCREEN)
    assert data["question"] == start_end.CHAPTER.question
    assert data["picture"]["window"] == SCREEN.selection.window
    number = SCREEN.selection.window + 1
    assert f"In window {number} of {len(SCREEN.reading.windows)}" in data["notice"]
    assert data["tables"][0]["caption"].startswith(f"Every token of window {number} of")
    assert len(data["simplified"]) >= 5


def test_the_formula_is_this_readings_softmax() -> None:
    chosen = SCREEN.selection
    said = text_of(start_end.formula(SCREEN))
    start, end = (x.astype(float) for x in SCREEN.shown.logits(chosen.window))
    w = SCREEN.shown.windows[chosen.window]
    for logits, doc in ((start, chosen.span.start), (end, chosen.span.end)):
        p = math.exp(logits[w.to_pos(doc)]) / sum(math.exp(x) for x in logits)
        assert 0.1 <= p < 0.99 and f" = {p:.2f}" in said
    assert said.startswith("P(start = i) = exp(si) / Σk exp(sk)")
    assert " / T" not in said


def test_without_a_selection_the_formula_stands_alone() -> None:
    bare = Screen(SCREEN.reading, SCREEN.decode)
    assert text_of(start_end.formula(bare)) == "P(start = i) = exp(si) / Σk exp(sk)"
    assert start_end.present(bare)["picture"]["window"] == SCREEN.prediction.best.candidate.window


def test_temperature_moves_probabilities_and_nothing_else() -> None:
    hot = what_if.change_temperature(SCREEN, 2)
    assert hot.what_if.temperature == 2.0 and not hot.what_if.changes_numbers
    assert hot.prediction.best == SCREEN.prediction.best
    np.testing.assert_array_equal(hot.shown.start_logits, SCREEN.shown.start_logits)
    assert " / 2) / " in text_of(start_end.formula(hot))
    assert " / T)" in text_of(start_end.formula(hot))
    assert start_end.present(hot)["tables"] != start_end.present(SCREEN)["tables"]
    assert hot.fresh == frozenset()


def test_a_lifted_logit_moves_softmax_and_answer_and_can_be_put_back() -> None:
    w = SCREEN.reading.windows[0]
    doc = int(np.flatnonzero(w.is_max_context[w.is_context])[0])
    pos = w.to_pos(doc)
    lifted = what_if.change_logit(SCREEN, {"side": "start", "window": 0, "doc": doc, "value": 40.0})
    assert lifted.shown.start_logits[0, pos] == 40.0
    assert lifted.reading is SCREEN.reading, "the true reading stays for attribution and export"
    assert lifted.prediction.best.candidate.span.start == doc
    assert lifted.prediction.best.candidate.window == 0
    changed = start_end.present(lifted)["picture"]["changed"]
    true = float(SCREEN.reading.start_logits[0, pos])
    assert changed == [{"side": "start", "window": 0, "pos": pos, "true": true}]
    both = what_if.change_logit(lifted, {"side": "end", "window": 0, "doc": doc, "value": -5})
    assert len(both.what_if.logits) == 2
    back = what_if.change_logit(both, {"side": "start", "window": 0, "doc": doc, "value": None})
    assert dict(back.what_if.logits) == {("end", 0, pos): -5.0}
    none = what_if.change_logit(back, {"side": "end", "window": 0, "doc": doc, "value": None})
    assert not none.what_if.changes_numbers and none.prediction.best == SCREEN.prediction.best


def test_another_window_is_presented_on_request_and_keeps_the_selection() -> None:
    shown = SCREEN.presented("start_end")
    w = SCREEN.reading.windows[1]
    moved = start_end.change_window(shown, [1, w.doc_start, w.doc_start + 1])
    assert moved.selection.window == 1 and "start_end" not in moved.fresh
    assert moved.stamp == shown.stamp, "the logits are the same: only this chapter is sent again"
    assert start_end.present(moved)["picture"]["window"] == 1
    at = shown.selection
    same = start_end.change_window(shown, [at.window, at.span.start, at.span.end])
    assert same.selection is shown.selection, "a flag about the selection is not lost"


def test_bars_come_once_they_are_asked_for() -> None:
    assert "bars" not in start_end.present(SCREEN)["picture"]
    asked = start_end.show_bars(SCREEN, True)
    assert start_end.CHAPTER.key not in asked.fresh
    for one in (asked, what_if.change_temperature(asked, 3)):
        assert len(start_end.present(one)["picture"]["bars"]["data"]) == 2
    without = start_end.show_bars(asked, False)
    assert "bars" not in start_end.present(without)["picture"]
    with pytest.raises(BadInput, match="bars is either true or false"):
        start_end.show_bars(SCREEN, "yes")
