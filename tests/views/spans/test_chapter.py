"""Chapter 4's handlers as pure functions of a Screen."""

import pytest

from qa_demo.core.errors import BadInput
from qa_demo.core.options import WindowOptions
from qa_demo.core.reading.spans import top_spans
from qa_demo.core.types import Span
from qa_demo.views import options, selection
from qa_demo.views.spans import chapter as spans
from qa_demo.views.state import Selection
from tests.fakes import FakeReader
from tests.printed import text_of
from tests.requests import selected

TEXT = " ".join(f"Word{k % 17} and number {k} of Kalmar stand here ." for k in range(20))
SCREEN = selected(FakeReader().read("Which number stands here?", TEXT, WindowOptions(40, 12)))


def test_the_chapter_presents_the_window_of_the_selection() -> None:
    data = spans.present(SCREEN)
    assert data["picture"]["window"] == SCREEN.selection.window
    assert [s["key"] for s in data["picture"]["steps"]] == ["square", "tent", "mass"]
    assert data["notice"] and data["simplified"] and len(data["tables"]) == 3
    elsewhere = SCREEN.select(Selection(0, Span(0, 0)))
    assert spans.present(elsewhere)["picture"]["window"] == 0


def test_the_formula_carries_the_selected_numbers() -> None:
    record = selection.record(SCREEN)
    said = text_of(spans.formula(SCREEN))
    assert said.startswith("score(i, j) = si + ej") and "j < i + 30" in said
    addends = f"{record['start_logit']} + {record['end_logit']} {record['sign']} {record['score']}"
    assert f"score({record['i']}, {record['j']}) = {addends}" in said


def test_settings_change_the_decode_options_and_the_prediction() -> None:
    short = spans.change_length(SCREEN, 1)
    assert short.decode.max_answer_length == 1 and not short.fresh
    assert all(len(r.candidate.span) == 1 for r in short.prediction.n_best)
    assert len(spans.change_listed(SCREEN, 3).prediction.n_best) == 3
    assert spans.change_grid(SCREEN, True).decode.top_n_grid
    assert spans.present(spans.change_grid(SCREEN, True))["picture"]["grid"]["on"]


def test_the_controls_show_what_is_set_and_what_is_allowed() -> None:
    seen = spans.change_grid(spans.change_length(SCREEN, 200), True)
    sent = spans.present(seen)["picture"]["settings"]
    length, listed = sent["numbers"]
    sizes = [[n[k] for k in ("name", "low", "high", "value")] for n in (length, listed)]
    assert sizes == [["max_answer_length", 1, 200, 200], ["n_best_size", 1, 100, 20]]
    assert sent["grid"]["value"] is True
    assert all(n["help"] for n in (*sent["numbers"], sent["grid"]))
    for number in sent["numbers"]:  # both ends that the page names are accepted here
        for value in (number["low"], number["high"]):
            options.parse(SCREEN.decode, **{number["name"]: value})
        with pytest.raises(BadInput, match=f"between 1 and {number['high']}"):
            options.parse(SCREEN.decode, **{number["name"]: number["high"] + 1})


def test_another_window_selects_its_best_legal_span_and_presents_again() -> None:
    seen = SCREEN.presented("spans")
    other = (seen.selection.window + 1) % len(seen.reading.windows)
    moved = spans.change_window(seen, other)
    holder = seen.reading.windows[other]
    i, j = top_spans(*seen.reading.logits(other), holder, seen.decode, n=1)[0].tolist()
    assert moved.selection == Selection(other, Span(holder.to_doc(i), holder.to_doc(j)))
    assert "spans" not in moved.fresh and moved.stamp == seen.stamp


def test_the_window_of_the_selection_keeps_the_selection() -> None:
    seen = SCREEN.select(Selection(0, Span(1, 1))).presented("spans")
    again = spans.change_window(seen, 0)
    assert again.selection == seen.selection and "spans" not in again.fresh


def test_a_window_without_a_legal_span_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spans, "top_spans", lambda *_: [])
    with pytest.raises(BadInput, match="no legal span"):
        spans.change_window(SCREEN, (SCREEN.selection.window + 1) % len(SCREEN.reading.windows))
