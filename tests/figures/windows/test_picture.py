"""Chapter 6, windows and candidates: geometry, counts and sentences computed from the reading."""

import numpy as np

from qa_demo.core.options import DecodeOptions, WindowOptions
from qa_demo.core.reading.coverage import read_plan
from qa_demo.core.reading.windows import plan
from qa_demo.core.types import Span
from qa_demo.figures.windows import picture as figure
from qa_demo.figures.windows.candidates import candidates_data, window_tables
from tests.core.toys import t1
from tests.fakes import FakeReader
from tests.printed import text_of

TEXT = " ".join(f"Word{k % 17} and number {k} stand here ." for k in range(30))


def reading(length: int = 40, step: int = 12, text: str = TEXT):
    return FakeReader().read("Which number stands here?", text, WindowOptions(length, step))


def test_runs_cover_every_value_once() -> None:
    assert figure.runs(np.array([0, 0, 1, 1, 1, 0])) == [[0, 2, 0], [2, 5, 1], [5, 6, 0]]
    zones = figure.lost_zones(np.array([0, 1, 2, 3, 0]), np.array([0, 0, 0, 1, 1]))
    assert zones == [{"from": 1, "to": 3, "spans": 3}, {"from": 3, "to": 4, "spans": 3}]


def test_layout_says_who_owns_what_and_what_is_lost() -> None:
    data = figure.layout_data(plan(7, 4, 3), 3)
    assert (data["starts"], data["stops"]) == ([0, 3], [4, 7])
    assert data["owners"] == [[0, 4, 0], [4, 7, 1]]
    assert data["copies"] == [[0, 3, 1], [3, 4, 2], [4, 7, 1]]
    assert data["lost"] == [{"from": 2, "to": 4, "spans": 3}]


def test_windows_that_share_no_piece_lie_side_by_side() -> None:
    assert ": 2 windows overlap, nothing" in figure.split_sentence(plan(7, 4, 3))
    assert ": 2 windows lie side by side, nothing" in figure.split_sentence(plan(10, 5, 5))


def test_more_windows_than_can_be_drawn_are_counted_only() -> None:
    data = figure.layout_data(plan(900, 100, 1), 30)
    assert (data["drawn"], data["starts"]) == (False, [])


def test_the_formula_carries_this_readings_numbers_and_they_are_right() -> None:
    r = reading()
    said = text_of(figure.window_formula(r, Span(20, 21))).replace("\u00a0", " ")
    n, room = len(r.encoding.context_ids), 40 - len(r.encoding.question_ids) - 3
    assert f"40 − {len(r.encoding.question_ids)} − 3 = {room}" in said
    assert f"1 + ⌈({n} − {room})/12⌉ = {len(r.windows)}" in said
    assert 1 + -(-(n - room) // 12) == len(r.windows)
    w = r.windows[read_plan(r).owner[20]]
    left, right = 20 - w.doc_start, w.doc_stop - 1 - 20
    assert said.endswith(f"min({left}, {right}) = {min(left, right)} in window {w.index + 1}")
    one = reading(length=384, step=128, text="A short text of nine words stands here .")
    assert "1, since 9 ≤" in text_of(figure.window_formula(one, None))


def test_a_tried_plan_counts_what_reading_it_would_give() -> None:
    r = reading()
    tried = figure.try_plan(
        r, WindowOptions(30, 5), DecodeOptions(max_answer_length=20), [Span(3, 4)]
    )
    again = reading(30, 5)
    assert tried["layout"]["starts"] == [w.doc_start for w in again.windows]
    values = {c["name"]: c["value"] for c in tried["counts"]}
    assert values["windows"] == str(len(again.windows))
    total = sum(w.doc_stop - w.doc_start for w in again.windows)
    assert values["pieces computed again"] == f"{total - len(r.encoding.context_ids):,}"


def test_a_cut_answer_is_named_with_the_window_that_ends_too_early() -> None:
    said = figure.cut_sentence(t1(), plan(6, 4, 3), [Span(0, 1), Span(3, 4)])
    assert said == (
        "“\u2068Delta Epsilon\u2069” is cut: it starts in window 1, which ends before it does, "
        "and window 2 holds it whole "
        "but does not own its start."
    )
    assert figure.cut_sentence(t1(), plan(6, 6, 6), [Span(3, 4)]) is None


def test_candidates_flag_what_their_window_does_not_own() -> None:
    data = candidates_data(t1(), DecodeOptions())
    first, second = data["rows"]
    assert [(r["null"], r["beats"]) for r in (first, second)] == [(1.5, True), (9.0, False)]
    top = second["spans"][0]
    assert (top["text"], top["sum"], top["owned"]) == ("Delta Epsilon", "4.00 + 3.50 = 7.50", True)
    assert data["says"].startswith(
        "Window 2 gives the highest score, 7.50 for “\u2068Delta Epsilon\u2069”, which it owns. "
        "In 1 of 2 windows"
    )
    assert data["low"] <= 1.5 and data["high"] >= 9.0
    r = reading()
    owner = read_plan(r).owner
    flags = [
        (d["owned"], owner[d["start"]] == row["window"])
        for row in candidates_data(r, DecodeOptions())["rows"]
        for d in row["spans"]
    ]
    assert all(a == b for a, b in flags) and {a for a, _ in flags} == {True, False}


def test_tables_repeat_the_pictures() -> None:
    r = reading()
    data = candidates_data(r, DecodeOptions())
    windows, spans = window_tables(r, DecodeOptions(), data)
    assert len(windows["rows"]) == len(r.windows)
    assert sum(int(row[4]) for row in windows["rows"]) == len(r.encoding.context_ids)
    count = sum(len(row["spans"]) for row in data["rows"])
    assert len(spans["rows"]) == len(spans["select"]) == count
