"""Chapter 6, merge: ranks, sums, causes, the constant that turns the winner, counterexamples."""

import pytest

from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.reading.merge_rules import SEPARATE_MAXIMA, Margin
from qa_demo.core.reading.what_if import apply_what_if
from qa_demo.figures.numbers import MINUS
from qa_demo.figures.windows.compare import margin_rows
from qa_demo.figures.windows.counterexample import counterexample
from qa_demo.figures.windows.merge import SHOWN, merge_data, options_data
from qa_demo.figures.windows.offset import offset_data
from tests.core.toys import make_reading, one_window, t1
from tests.fakes import FakeReader
from tests.printed import value

LOGIT, ODDS = "logit sum, max context (BERT)", "log-odds against [CLS]"
BETA, DELTA = "“\u2068Beta\u2069”", "“\u2068Delta Epsilon\u2069”"


def illegal_maxima():
    """One window whose highest end stands before its highest start."""
    return one_window([1, 2, 6], [5, 2, 1], "a b c")


def test_every_rules_winner_is_drawn_and_ranks_are_the_rules_own() -> None:
    data = merge_data(t1(), DecodeOptions(), MergeOptions())
    texts = [s["text"] for s in data["spans"]]
    assert len(texts) == SHOWN and texts[0] == "Delta Epsilon" and "Beta" in texts
    ranks = {c["name"]: c["ranks"] for c in data["columns"]}
    assert (ranks[LOGIT][0], ranks[ODDS][texts.index("Beta")]) == (1, 1)
    assert all(1 in c["ranks"] for c in data["columns"] if c["pair"] is None)


def test_disagreement_is_said_with_both_spans() -> None:
    data = merge_data(t1(), DecodeOptions(), MergeOptions())
    assert f"rules name {DELTA}, the others {BETA}. The logit sum names {DELTA}" in data["says"]
    assert f", but {BETA} wins by log-odds and the product with [CLS]." in data["says"]
    assert data["rival"] == ODDS
    odds = MergeOptions("max_context", "log_odds", "own_window")
    other = merge_data(t1(), DecodeOptions(), odds)
    assert f"Log-odds names {BETA}, but {DELTA} wins" in other["says"]


def test_a_rule_that_counts_all_copies_is_not_called_by_the_name_of_the_one_that_does_not() -> None:
    """Window 2 owns "c" and rates it low; at window 1's edge it is rated above all else."""
    logits = [[0, 0, 0, 4, 0, 9, 0], [0, 0, 0, 0, 1, 0, 0]]
    reading = make_reading(["a", "b", "c", "d"], [(0, 3), (1, 4)], logits, logits)
    kept, counted = (
        merge_data(reading, DecodeOptions(), MergeOptions(copies))
        for copies in ("max_context", "all")
    )
    assert "The logit sum names “\u2068a b c\u2069”" in kept["says"]
    assert "The logit sum over all copies names “\u2068c\u2069”" in counted["says"]
    assert ", but “\u2068a b c\u2069” wins by the logit sum" in counted["says"]
    alike = "Both rules rank by the same number. This one counts all copies of a span"
    assert alike in counted["compare"][LOGIT]["says"]


def test_winner_minus_rival_adds_up_as_printed_and_changes_sign() -> None:
    found = merge_data(t1(), DecodeOptions(), MergeOptions())["compare"][ODDS]
    assert [row["ahead"] for row in found["rows"]] == [True, False]
    for row in found["rows"]:
        added = sum(value(p["value"]) for p in row["parts"])
        assert row["sign"] == "=" and added == pytest.approx(value(row["total"]), abs=1e-9)
    assert [value(row["total"]) for row in found["rows"]] == [0.5, -7.0]
    assert found["says"] == (
        "Start and end differ by 0.50 under both rules. What turns it is one number of each "
        "window: the null score is "
        "9.00 in window 2 and 1.50 in window 1. It takes 7.50 from the winner's lead."
    )


def test_only_the_row_that_cannot_add_up_as_printed_is_about_equal() -> None:
    exact_row, about_row = margin_rows(
        [
            ("logit", Margin(0.25, 0.5, 0, 0)),
            ("log_odds", Margin(-0.56244, -0.08079, -0.42044, -0.95702)),
        ]
    )
    assert (exact_row["sign"], exact_row["total"]) == ("=", "0.7500")
    assert about_row["sign"] == "≈" and sum(value(p["value"]) for p in about_row["parts"]) != value(
        about_row["total"]
    )


def test_illegal_maxima_are_marked_and_named() -> None:
    data = merge_data(illegal_maxima(), DecodeOptions(), MergeOptions())
    pair = next(c["pair"] for c in data["columns"] if c["pair"] is not None)
    assert (pair["legal"], pair["reason"]) == (False, "the end lies before the start")
    assert (
        "two separate maxima form no legal span here: the end lies before the start" in data["says"]
    )


def test_counting_all_copies_gives_the_page_a_column_of_its_own() -> None:
    data = merge_data(t1(), DecodeOptions(), MergeOptions("all", "logit", "min_logit"))
    assert data["columns"][0]["name"] == data["chosen"] == "logit sum, all copies"
    assert set(data["compare"]) == {c["name"] for c in data["columns"]}


def test_only_nulls_that_fit_the_scale_can_be_chosen() -> None:
    groups = options_data(MergeOptions("max_context", "log_odds", "own_window"))
    null = next(g for g in groups if g["name"] == "null")
    assert [c["value"] for c in null["choices"] if c["fits"]] == ["own_window", "none"]


@pytest.mark.parametrize("c", [-1.0, -0.2, 0.2])
def test_the_constant_moves_scores_and_leaves_probability_loss_and_log_odds(c: float) -> None:
    before = t1()
    data = offset_data(before, apply_what_if(before, {}, (1, c)), DecodeOptions(), (1, c))
    moving = [r["name"] for r in data["rows"] if r["moves"]]
    assert moving == ["score", "null score of the window"] and len(data["rows"]) == 5
    assert all(r["before"] == r["after"] for r in data["rows"] if not r["moves"])


def test_the_winner_turns_at_the_printed_constant() -> None:
    before = t1()
    flip = offset_data(before, before, DecodeOptions(), (1, 0.0))
    assert flip["flip"] == pytest.approx(-0.25)
    assert f"below c = {MINUS}0.250" in flip["says"]
    for c, turned in ((flip["past"], True), (flip["flip"] + 0.05, False)):
        shown = apply_what_if(before, {}, (1, c))
        said = offset_data(before, shown, DecodeOptions(), (1, c))["says"]
        assert ("it has changed" in said) == turned


def test_one_window_has_nothing_to_turn() -> None:
    one = illegal_maxima()
    said = offset_data(one, one, DecodeOptions(), None)["says"]
    assert said.startswith("With one window the constant moves every score alike")


def test_a_counterexample_is_found_or_its_absence_counted() -> None:
    plain = FakeReader().read("Who?", "Ada wrote it .")
    found = counterexample([("plain", plain), ("toy", illegal_maxima())], SEPARATE_MAXIMA)
    assert found["title"] == "toy"
    assert found["says"] == (
        "In “\u2068toy\u2069” the winner by the two separate maxima is the start "
        "“\u2068c\u2069” with the end “\u2068a\u2069” (window 1, 0.956, no legal span: the "
        "end lies before the start); by the logit sum it is “\u2068c\u2069” (window 1)."
    )
    none = counterexample([("plain", plain)], "context_product")
    assert (none["title"], none["says"]) == (None, "No counterexample in 1 reading.")
