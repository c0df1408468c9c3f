"""Chapter 1 as data."""

import pytest

from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.reading.predict import predict
from qa_demo.core.reading.scales import THRESHOLD_SCALES, null_logits
from qa_demo.core.types import Span
from qa_demo.figures.answer.picture import answer_notice, answer_picture, answer_table
from qa_demo.figures.span_score import four_numbers, span_prob
from tests.fakes import FakeReader
from tests.figures.test_verdict import RULES, crowd
from tests.printed import value

TEXT = "The towers were drawn by Georg Rotne. They stand near Malmö in Sweden."
READING = FakeReader().read("Who drew the towers?", TEXT)
PREDICTION = predict(READING)


def test_every_listed_span_is_a_dot() -> None:
    picture = answer_picture(READING, PREDICTION)
    assert [d["rank"] for d in picture["dots"]] == list(range(1, len(PREDICTION.n_best) + 1))
    scores = [d["score"] for d in picture["dots"]]
    assert scores == sorted(scores, reverse=True)
    assert picture["null"] == PREDICTION.null_score


def test_the_four_numbers_of_the_winner() -> None:
    best = PREDICTION.best.candidate
    score, difference, inside, share = four_numbers(READING, PREDICTION, best.window, best.span)
    lead, share_of = best.score - PREDICTION.null_score, span_prob(READING, best.window, best.span)
    assert value(score["value"]) == pytest.approx(best.score, abs=0.006)
    assert value(difference["value"]) == pytest.approx(lead, abs=0.011)
    assert value(inside["value"].strip("<> ")) == pytest.approx(share_of, abs=0.001)
    assert share["value"] == f"{round(100 * PREDICTION.best.share)} %"


def test_a_span_that_is_not_listed_has_no_share() -> None:
    every = {Span(i, i) for i in range(len(READING.encoding.context_ids))}
    other = min(every - {r.candidate.span for r in PREDICTION.n_best}, key=lambda s: s.start)
    assert four_numbers(READING, PREDICTION, 0, other)[3]["value"] == "not listed"


def test_temperature_changes_a_probability_and_no_score() -> None:
    best = PREDICTION.best.candidate
    cold, warm = (four_numbers(READING, PREDICTION, best.window, best.span, t) for t in (1.0, 2.0))
    assert [cold[k]["value"] == warm[k]["value"] for k in range(4)] == [True, True, False, True]
    assert "temperature 2" in warm[2]["over"]


def test_the_table_has_a_selectable_row_for_each_span() -> None:
    table = answer_table(READING, PREDICTION)
    assert len(table["rows"]) == len(table["select"]) == len(PREDICTION.n_best)
    first = PREDICTION.best.candidate
    assert table["rows"][0][0] == first.text
    assert table["select"][0] == [first.window, first.span.start, first.span.end]


@pytest.mark.parametrize("null", [2.0, 90.0])
def test_the_notice_of_a_reader_without_a_stored_threshold(null: float) -> None:
    reading = FakeReader(threshold=None, null=null).read("Who?", "It was Ada, not Grace.")
    said = answer_notice(reading, predict(reading, DecodeOptions()))
    assert "No threshold is stored with this reader; the threshold is “no answer” itself." in said
    assert answer_picture(reading, predict(reading))["abstains"]
    assert said.startswith("No answer:") == (null == 90.0)


@pytest.mark.parametrize("merge", RULES, ids=str)
def test_under_every_merge_rule_numbers_are_logits_and_sentences_true(merge: MergeOptions) -> None:
    """A product's null is a logarithm of probabilities, never a sum of logits."""
    reading, scale, null = crowd(-3.0), merge.scale, merge.null
    prediction = predict(reading, DecodeOptions(null_score_diff_threshold=-50.0), merge)
    best, picture = prediction.best.candidate, answer_picture(reading, prediction, merge)
    assert picture["null"] in null_logits(reading).tolist()
    lead = four_numbers(reading, prediction, best.window, best.span, merge=merge)[1]["value"]
    assert value(lead) == pytest.approx(best.score - picture["null"], abs=0.011)
    said = answer_notice(reading, prediction, merge)
    dragged = scale in THRESHOLD_SCALES and null != "none"
    assert picture["abstains"] == dragged and ("the limit is" in said) == dragged
    assert ("no threshold to drag" in said) == (not dragged and null != "none")
    assert ("compares the spans with no null score" in said) == (null == "none")
    assert ("answers every question" in said) == (null == "none")
    assert "This reader has no" not in said
    assert ("by its score; the list is ordered by the merge scale" in said) == (scale != "logit")
    assert "is \N{MINUS SIGN}" not in said, "nobody is a negative number behind"
