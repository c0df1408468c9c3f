"""Chapter 4 as data: line, list, mass, grid, sentences against core and hand-made readings."""

import base64
import json
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_demo.core.options import DecodeOptions, MergeOptions, WindowOptions
from qa_demo.core.reading.legal import valid_spans
from qa_demo.core.reading.predict import predict
from qa_demo.core.reading.spans import grid_misses, separate_argmaxes, span_scores
from qa_demo.core.types import Reading
from qa_demo.figures.numbers import number
from qa_demo.figures.spans.notice import notice
from qa_demo.figures.spans.pair_mass import mass_data, printed_parts
from qa_demo.figures.spans.picture import grid_data, spans_picture
from qa_demo.figures.spans.tables import tables
from tests.core.toys import make_reading, one_window, t1
from tests.fakes import FakeReader
from tests.printed import exact, value

DEFAULT = DecodeOptions()
four_words = partial(one_window, words="A B C D", null=(-5.0, -5.0), rest=-6.0)
REASONS = ["outside the paragraph", "end before start", "too long", "not owned"]
LONG = " ".join(
    f"In {1900 + k} the traveller Anna{k % 7} met Bertil of Kalmar near an old mill ."
    for k in range(60)
)


def picture(reading: Reading, window: int = 0, decode: DecodeOptions = DEFAULT, **more):
    return spans_picture(reading, predict(reading, decode), decode, window, **more)


def test_the_mask_travels_and_the_matrix_does_not() -> None:
    reading = FakeReader().read("Who met Bertil?", LONG)
    assert len(reading.windows) > 1 and len(reading.windows[0]) == 384
    sent = json.dumps(picture(reading), ensure_ascii=False)
    logits = sum(len(base64.b64encode(row.tobytes())) for row in reading.logits(0))
    assert len(sent.encode()) + logits < 10_000


def test_the_picture_names_the_winner_only_in_its_own_window() -> None:
    reading = t1()
    home = picture(reading, 1)
    assert home["winner"] == [4, 5] and picture(reading, 0)["winner"] is None
    assert home["longest"] == 30 and home["copies"] == "max_context" and home["windows"] == 2
    assert home["words"] == ["", *REASONS]


@pytest.mark.parametrize("threshold", [-3.0, 0.0, 2.5])
def test_the_line_stands_at_null_minus_threshold(threshold: float) -> None:
    reading, decode = t1(), DecodeOptions(null_score_diff_threshold=threshold)
    for window in (0, 1):
        line = picture(reading, window, decode)["line"]
        legal = valid_spans(reading.windows[window], decode) & (
            span_scores(*reading.logits(window)) >= 1.5 - threshold
        )
        assert line["at"] == pytest.approx(1.5 - threshold) and line["above"] == legal.sum()
        if legal.any():
            assert f"{legal.sum()} of" in line["words"] and "beats no answer" in line["words"]
        else:
            assert line["words"].startswith("none of")


def test_a_reader_without_a_stored_threshold_says_so() -> None:
    line = picture(t1(threshold=None))["line"]
    assert line["note"].startswith("No threshold is stored with this reader; 0.00 is used")
    assert "no answer" in line["words"] and picture(t1())["line"]["note"] == ""


def test_every_listed_row_adds_up_as_printed() -> None:
    reading = FakeReader().read("Who met Bertil?", LONG[:600])
    prediction = predict(reading)
    for row, ranked in zip(picture(reading)["n_best"], prediction.n_best, strict=True):
        score, against = (row[key].removeprefix("≈ ") for key in ("score", "against"))
        gap = exact(row["s"]) + exact(row["e"]) - exact(score)
        assert (gap == 0) == (row["score"] == score)
        lead, span = ranked.candidate.score - prediction.null_score, ranked.candidate.span
        assert value(against) == pytest.approx(lead, abs=0.0051)
        gap = exact(score) - exact(number(prediction.null_score)) - exact(against)
        assert (gap == 0) == (row["against"] == against)
        assert (row["start"], row["end"]) == (span.start, span.end)


def test_another_scale_is_said_beside_the_list() -> None:
    assert picture(t1())["ranked_by"] == ""
    ranked = predict(t1(), DEFAULT, MergeOptions(scale="global_softmax", null="none"))
    other = spans_picture(t1(), ranked, DEFAULT, 0, scale="global_softmax")
    assert "global_softmax" in other["ranked_by"]


def test_the_sentence_of_the_mass_names_the_cost() -> None:
    reading = FakeReader().read("Who met Bertil?", LONG[:600])
    mass = mass_data(reading, 0, DecodeOptions())
    values = {p["key"]: p["value"] for p in mass["parts"]}
    lost, mixed, illegal = (float(x) for x in re.findall(r"\d\.\d+", mass["sentence"]))
    assert lost == pytest.approx(values["mixed"] + values["illegal"], abs=0.006)
    assert lost == pytest.approx(mixed + illegal)


@given(st.lists(st.floats(0, 30), min_size=4, max_size=4))
def test_the_printed_parts_of_one_add_up(exponents: list[float]) -> None:
    """Whatever is no bound sums to 1 as printed, bounds or not."""
    parts = np.exp(-np.array(exponents))
    values = (parts / parts.sum()).tolist()
    shown, exact = printed_parts(values)
    bounds = [text[0] in "<>" for text in shown]
    assert exact == (not any(text[0] == "<" for text in shown))
    if not any(text[0] == ">" for text in shown):
        kept = [float(text) for text, bound in zip(shown, bounds, strict=True) if not bound]
        assert sum(kept) == pytest.approx(1, abs=1e-9)
    for text, share in zip(shown, values, strict=True):
        assert float(text.lstrip("<> ")) == pytest.approx(share, abs=2e-2)
    assert printed_parts([1.0, 0.0, 0.0, 0.0]) == (["1.00", "0", "0", "0"], True)
    assert printed_parts([0.94, 0.007, 0.05, 0.003])[0] == ["0.940", "0.007", "0.050", "0.003"]


def test_temperature_spreads_the_mass_and_leaves_the_scores() -> None:
    reading = four_words([4, 0, 0, 0], [0, 0, 0, 4])
    cool, warm = (
        mass_data(reading, 0, DecodeOptions(), temperature=t)["parts"][0]["value"]
        for t in (1.0, 4.0)
    )
    assert cool > warm + 0.1
    cold, hot = (picture(reading, temperature=t)["n_best"][0] for t in (1.0, 4.0))
    assert cold["score"] == hot["score"] and value(cold["in_window"]) > value(hot["in_window"])


def test_what_the_grid_misses_is_counted_and_named() -> None:
    # Both places of a grid of 2 go to question tokens and one word, so most of the best two spans
    # are out of its sight.
    reading = make_reading(
        ["A", "B", "C"], [(0, 3)], [[9, 8, 0, 5, 4, 3, 0]], [[9, 8, 0, 1, 5, 4, 0]]
    )
    decode = DecodeOptions(n_best_size=2)
    data = grid_data(reading, 0, decode, "max_context")
    missed = grid_misses(*reading.logits(0), reading.windows[0], decode)
    assert data["missed"] == missed.tolist() and len(missed) == 2 and not data["on"]
    for part in (
        "Of this window's 2 best spans it misses 2; ",
        "“\u2068A B\u2069”",
        "2 of these starts",
    ):
        assert part in data["sentence"]
    assert grid_data(reading, 0, replace(decode, top_n_grid=True), "max_context")["on"]
    assert "misses none" in grid_data(reading, 0, DecodeOptions(), "max_context")["sentence"]


def said(reading: Reading, decode: DecodeOptions = DEFAULT) -> str:
    prediction = predict(reading, decode)
    return notice(reading, prediction, decode, prediction.best.candidate.window)


def test_the_notice_says_which_end_the_runner_up_shares_and_what_it_loses() -> None:
    assert "“\u2068A B C\u2069”, shares the end and loses 1.00 on the start." in said(
        four_words([4, 5, 0, 0], [0, 0, 5, 0])
    )
    assert "“\u2068B C D\u2069”, shares the start and loses 0.50 on the end." in said(
        four_words([0, 5, 0, 0], [0, 0, 5, 4.5])
    )
    neither = said(four_words([5, 0, 0, 4], [4, 0, 0, 4.5]), DecodeOptions(max_answer_length=1))
    assert (
        "“\u2068D\u2069”, shares neither end: loses 1.00 on the start and gains 0.50 on the end, "
        "0.50 in all." in neither
    )


def test_the_notice_says_whether_the_separate_argmaxes_fit() -> None:
    fit = four_words([5, 0, 0, 0], [0, 0, 5, 0])
    assert "form a legal pair, so no other span beats it" in said(fit)
    tied = four_words([0, 0, 5, 5], [5, 0, 0, 5])
    assert separate_argmaxes(tied, 0, DecodeOptions()).reason is None, "C to D, not C to A"
    crossed = four_words([0, 0, 5, 0], [5, 0, 0, 1])
    cell = separate_argmaxes(crossed, 0, DecodeOptions())
    assert cell.reason == "end before start"
    assert "do not fit: end before start; the best legal pair gives up 4.00." in said(crossed)
    far = four_words([5, 0, 0, 0], [0, 0, 0, 5])
    assert "too long" in said(far, DecodeOptions(max_answer_length=2))


def test_the_notice_speaks_of_a_runner_up_in_another_window() -> None:
    prediction = predict(t1())
    other = next(r for r in prediction.n_best if r.candidate.window == 0)
    swapped = replace(prediction, n_best=(prediction.n_best[0], other))
    assert "stands in window 1" in notice(t1(), swapped, DecodeOptions(), 1)


def test_no_legal_pair_is_a_sentence_and_an_empty_list() -> None:
    reading = four_words([1, 1, 1, 1], [1, 1, 1, 1])
    nothing = replace(predict(reading), n_best=())
    assert "No pair is legal" in notice(reading, nothing, DecodeOptions(), 0)
    assert spans_picture(reading, nothing, DecodeOptions(), 0)["n_best"] == []


def test_the_cell_table_names_a_reason_for_every_illegal_cell_and_selects_only_spans() -> None:
    reading = FakeReader().read("Who met Bertil?", LONG, WindowOptions(60, 20))
    decode = DecodeOptions(max_answer_length=5)
    twin = tables(reading, predict(reading, decode), decode, 1)[1]
    assert {row[6] for row in twin["rows"]} == {"legal", *REASONS}
    for row, select in zip(twin["rows"], twin["select"], strict=True):
        assert (select is None) == (row[6] in REASONS[:2])
