"""How far to trust the reader, as data: each sentence is said again from the stored figures."""

from dataclasses import replace

import pytest

from qa_demo.core.files.assets import ASSETS
from qa_demo.core.measuring import measured as stored_in
from qa_demo.core.measuring.metrics import CalibrationBin
from qa_demo.core.reading.abstain import ThresholdPoint
from qa_demo.figures.answer import trust
from qa_demo.views.measured import measured

BINS = (CalibrationBin(0.0, 0.5, 0, 0.0, 0.0), CalibrationBin(0.5, 1.0, 4, 0.75, 0.5))
FOUND = stored_in.Reliability(
    2.0, 0.5, 4, (stored_in.Half(2.0, 0.5, 2, 0.1),) * 2, BINS, BINS, 0.25, 0.125, 0.05
)
POINTS = (
    ThresholdPoint(-1.0, 100.0, 0.0, 50.0, 0.0),
    ThresholdPoint(0.0, 40.0, 25.0, 70.0, 40.0),
    ThresholdPoint(2.0, 0.0, 100.0, 50.0, 60.0),
)
CURVE = stored_in.ThresholdCurve(5, 4, POINTS, POINTS[1])


def test_an_empty_bin_is_no_dot() -> None:
    picture = trust.reliability_picture(FOUND)
    assert [row["count"] for row in picture["before"]] == [4]
    assert "claim 75 % on average, and 50 % of them are exactly right" in picture["said"]
    assert "answers by 0.250." in picture["said"]
    assert "misses by 0.125: the dots lie closer" in picture["said"]
    worse = replace(FOUND, error_after=0.3)
    assert "no closer" in trust.reliability_picture(worse)["said"]


def test_the_answer_line_s_figure_is_said_with_what_it_misses() -> None:
    half = stored_in.ClaimHalf(2.0, 0.5, 0.25, -0.5, 2, 0.1)
    found = stored_in.ClaimReliability(
        0.25, -0.5, 8, 3, (half, half), BINS, BINS, 0.335, 0.0361, 0.02
    )
    picture = trust.claim_picture(found)
    assert [row["count"] for row in picture["after"]] == [4]
    said = picture["said"]
    assert "Of 8 held-out questions 3 have no answer" in said and "among all 8 by 0.335" in said
    assert "the sigmoid of 0.25 times the best span's lead over no answer minus 0.50" in said
    assert "misses by 0.036" in said


@pytest.mark.parametrize(
    ("threshold", "said"),
    [
        (0.4, "At a threshold 0.00 above “no answer” the reader withholds 40 % of its exactly "
         "right answers and still answers 25 % of the questions without an answer; "
         "whether to answer is decided rightly for 70 % of all."),
        (1.9, "withholds 0 % of its exactly right answers and still answers 100 %"),
        (-3.0, "A threshold 3.00 above “no answer” lies outside the measured ones: it "
         "withholds every answer."),
        (9.0, "A threshold 9.00 below “no answer” lies outside the measured ones: it "
         "withholds no answer."),
        (None, "No threshold decides"),
    ],
)  # fmt: skip
def test_a_threshold_by_hand(threshold: float | None, said: str) -> None:
    assert said in trust.curve_sentence(CURVE, threshold)


def test_the_bundled_reader_has_both_diagrams_and_their_tables() -> None:
    figures = measured("bundled")
    assert figures == stored_in.load_measured(ASSETS / "reader")
    picture = trust.trust_picture(figures, figures.curves["span"].chosen.threshold)
    bins = picture["reliability"]["after"]
    assert sum(row["count"] for row in bins) == figures.reliability["span"].measured_on
    thresholds = [p["threshold"] for p in picture["curve"]["points"]]
    assert thresholds == sorted(thresholds)
    assert sum(row["count"] for row in picture["claim"]["after"]) == figures.claim.measured_on
    claim, reliability, curve = trust.trust_tables(figures)
    assert len(claim["rows"]) == len(figures.claim.bins) + len(figures.claim.conditional)
    stored = figures.reliability["span"]
    assert len(reliability["rows"]) == len(stored.before) + len(stored.after)
    assert len(curve["rows"]) == len(thresholds)


def test_a_reader_without_figures_says_so(tmp_path) -> None:
    assert measured(str(tmp_path)) is None and trust.trust_tables(None) == []
    for figures in (None, stored_in.Measured({}, {})):
        assert "No figures are stored" in trust.trust_picture(figures, 0.0)["none"]
    only = trust.trust_picture(stored_in.Measured({"span": FOUND}, {}), None)
    assert only["curve"] is None and only["reliability"] and only["none"] is None
