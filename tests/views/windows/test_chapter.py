"""Chapter 6's handlers as pure functions of a Screen."""

from types import SimpleNamespace

import pytest

from qa_demo.core.errors import BadInput
from qa_demo.core.options import DecodeOptions, MergeOptions, WindowOptions
from qa_demo.core.reading.merge_rules import SEPARATE_MAXIMA
from qa_demo.views.state import Screen
from qa_demo.views.windows import chapter as windows
from tests.core.toys import one_window, t1
from tests.fakes import FakeReader
from tests.printed import text_of
from tests.requests import selected

TEXT = " ".join(f"Word{k % 17} and number {k} stand here ." for k in range(30))
SCREEN = selected(FakeReader().read("Which number stands here?", TEXT, WindowOptions(40, 12)))


def test_the_chapter_presents_three_steps() -> None:
    data = windows.present(SCREEN)
    assert [s["key"] for s in data["picture"]["steps"]] == ["windows", "candidates", "merge"]
    assert all(s["says"] for s in data["picture"]["steps"]) and data["notice"]
    assert any("in window" in part["text"] for part in windows.formula(SCREEN))


def test_a_tried_plan_is_shown_without_reading_again() -> None:
    tried = windows.try_windows(SCREEN, {"max_seq_length": 60, "doc_stride": 20})
    data = windows.present(tried)
    assert data["picture"]["tried"]["max_seq_length"] == 60 and not data["picture"]["tried"]["same"]
    assert data["picture"]["now"]["same"]
    assert data["picture"]["steps"][0]["says"].startswith("Preview, not read yet: ")
    said = text_of(windows.formula(tried))
    assert said.startswith("tried: capacity = max_seq_length − question − special = 60 −")
    back = windows.try_windows(tried, {"max_seq_length": 40, "doc_stride": 12})
    assert windows.present(back)["picture"]["tried"] is None
    other = tried.change(reading=FakeReader().read("Which?", TEXT, WindowOptions(80, 12)))
    assert windows.present(other)["picture"]["tried"] is None, "the sliders ask for this text alone"


def test_where_one_window_is_enough_a_split_is_drawn_and_said_to_be_none() -> None:
    """The one idea of the chapter is seen on every text that can be split at all."""
    for text, split in (("A short text of nine words stands here .", True), ("Two .", False)):
        picture = windows.present(selected(FakeReader().read("Which?", text)))["picture"]
        assert (picture["tried"] is not None) == split
        assert not split or picture["tried"]["layout"]["lost"] == []
        says = picture["steps"][0]["says"]
        assert says.startswith("Preview, not read yet: ") == split
        assert ("fits into one window" in says) != split, "never beside three windows"


def test_merge_options_reach_the_whole_page_and_a_null_gives_way() -> None:
    rule = {"copies": "all", "scale": "window_product", "null": "min_logit"}
    changed = windows.change_merge(SCREEN, rule)
    assert changed.merge == MergeOptions("all", "window_product", "min_product")
    assert windows.present(changed)["picture"]["merge"]["columns"][0]["name"].endswith("all copies")


def test_the_constant_turns_the_default_winner_and_can_be_taken_back() -> None:
    seen = Screen(t1(), DecodeOptions())
    past = windows.present(seen)["picture"]["offset"]["past"]
    window = windows.present(seen)["picture"]["offset"]["window"]
    turned = windows.change_offset(seen, {"window": window, "c": past})
    assert turned.prediction.best.candidate.span != seen.prediction.best.candidate.span
    assert turned.stamp != seen.stamp and turned.what_if.changes_numbers
    back = windows.change_offset(turned, {"window": window, "c": 0})
    assert not back.what_if.changes_numbers
    assert back.prediction.best.candidate.span == seen.prediction.best.candidate.span


def test_break_it_searches_the_stored_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    none = SimpleNamespace(id="x", title="without a reading", stored=lambda checksum: None)
    toy = SimpleNamespace(
        id="y", title="the toy", stored=lambda checksum: t1() if checksum == "fake" else None
    )
    monkeypatch.setattr(windows, "load_examples", lambda: {"x": none, "y": toy})
    one = Screen(FakeReader().read("Who?", "Ada wrote it ."), DecodeOptions())
    found = windows.break_rule(one, SEPARATE_MAXIMA)
    assert found["rule"] == SEPARATE_MAXIMA
    assert found["example"] == ("y" if found["title"] == "the toy" else None)
    calm = windows.break_rule(one, "context_product")
    assert (calm["title"], calm["says"]) == (None, "No counterexample in 2 readings.")
    crossed = one_window([0, 5.5, 0, 6], [6, 0, 5.5, 0], "a b c d")
    for longest, won in ((30, "b c"), (1, "a")):  # the limits in use hold for the search too
        seen = Screen(crossed, DecodeOptions(max_answer_length=longest))
        said = windows.break_rule(seen, SEPARATE_MAXIMA)["says"]
        assert f"by the logit sum it is “\u2068{won}\u2069”" in said
    with pytest.raises(BadInput, match="to break"):
        windows.break_rule(SCREEN, "logit")


def test_slow_parts_are_kept_while_only_plan_or_rule_change() -> None:
    windows.slow_parts.cache_clear()
    windows.present(SCREEN)
    windows.present(windows.try_windows(SCREEN, {"max_seq_length": 60, "doc_stride": 20}))
    windows.present(
        windows.change_merge(SCREEN, {"copies": "max_context", "scale": "log_odds", "null": "none"})
    )
    assert windows.slow_parts.cache_info().misses == 1
    windows.present(windows.change_offset(SCREEN, {"window": 0, "c": 1.0}))
    assert windows.slow_parts.cache_info().misses == 2
