"""How sure a reader is, and what was counted when it was as sure."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from qa_demo.core.measuring.metrics import CalibrationBin, bin_of
from qa_demo.core.measuring.sure import counted_with, sure_of
from qa_demo.core.predict import predict
from qa_demo.core.types import Answerability, Calibration, Calibrations
from tests.core.toys import t1

BINS = (CalibrationBin(0.0, 0.1, 5, 0.05, 0.0), CalibrationBin(0.9, 1.0, 7, 0.95, 1.0))
FITS = Calibrations(span=Calibration(2.0, 0.5), answerable=Answerability(0.5, -1.0))
COUNTED = SimpleNamespace(claim=SimpleNamespace(slope=0.5, intercept=-1.0, bins=BINS))


@pytest.mark.parametrize(
    ("p", "found"), [(0.0, BINS[0]), (0.1, None), (0.5, None), (0.9, BINS[1]), (1.0, BINS[1])]
)
def test_the_bin_of_a_probability(p: float, found: CalibrationBin | None) -> None:
    assert bin_of(BINS, p) == found
    assert bin_of((), p) is None
    assert bin_of(BINS[:1], 0.1) is BINS[0], "the upper end of the last bin"


def test_figures_count_for_the_calibration_that_they_were_counted_with_alone() -> None:
    own, other = (replace(t1(), calibrations=fits) for fits in (FITS, None))
    assert counted_with(own, COUNTED) is COUNTED
    assert counted_with(other, COUNTED) is None
    assert counted_with(own, None) is None
    far = SimpleNamespace(claim=SimpleNamespace(slope=0.6, intercept=-1.0))
    assert counted_with(own, far) is None


def test_sureness_is_the_product_of_its_parts_or_says_why_there_is_none() -> None:
    reading = replace(t1(), calibrations=FITS)
    best = predict(reading).best.candidate
    found = sure_of(reading, best, COUNTED, "logits")
    assert found.claim == found.parts[0] * found.parts[1]
    assert 0 < found.claim < 1
    assert found.like is bin_of(BINS, found.claim)
    assert "not measured" in sure_of(reading, best, None, "logits").why
    assert "another is chosen" in sure_of(reading, best, COUNTED, "product").why
    assert sure_of(reading, best, None, "logits").like is None
