"""How sure a reader can be, by hand: of a text wherever it stands, of whether the text answers."""

import math
from dataclasses import replace

import numpy as np
import pytest

from qa_demo.core import calibration
from qa_demo.core.metrics import CalibrationBin, bin_of, normalize
from qa_demo.core.predict import predict
from qa_demo.core.types import Answerability, Calibration, Calibrations, Span, WindowOptions
from tests.chapters.given import pairs
from tests.core.toys import t1
from tests.fakes import FakeReader

FITS = Calibrations(span=Calibration(2.0, 0.5), answerable=Answerability(0.5, -1.0))
BINS = (CalibrationBin(0.0, 0.1, 5, 0.05, 0.0), CalibrationBin(0.9, 1.0, 7, 0.95, 1.0))
COUNTED = {"slope": 0.5, "intercept": -1.0}


def fitted(fits: Calibrations | None = FITS):
    """The toy of a reader with a calibration, and its best span."""
    reading = replace(t1(), calibrations=fits)
    return reading, predict(reading).best.candidate


def test_a_text_is_its_share_of_all_legal_pairs_of_all_windows_by_brute_force():
    text = " ".join(f"Anna met the Berta. Karl {k} met Berta, and Karl came." for k in range(6))
    reading = FakeReader().read("Who met Berta?", text, WindowOptions(40, 10))
    assert len(reading.windows) > 2
    every = [(x, Span(i, j)) for w in reading.windows for x, i, j in pairs(reading, w)]
    texts = [normalize(reading.encoding.text(span)) for _, span in every]
    whole = sum(math.exp(x / 2) for x, _ in every)
    for found in (ranked.candidate for ranked in predict(reading).n_best):
        same = [k for k, text in enumerate(texts) if text == normalize(found.text)]
        starts, ends = {every[k][1].start for k in same}, {every[k][1].end for k in same}
        speak = (x / 2 for x, span in every if span.start in starts and span.end in ends)
        claim = calibration.pair_claim(reading, found)
        share = sum(map(math.exp, speak)) / whole
        assert claim is not None and claim.prob(2.0) == pytest.approx(share, rel=1e-9)


def test_a_span_that_no_limit_allows_makes_no_claim():
    reading = FakeReader().read("Who said so?", "Ada " * 40, WindowOptions(40, 10))
    reading = replace(reading, calibrations=FITS)
    best = predict(reading).best.candidate
    # of the last, the first window sees more around it
    cases = (Span(0, 29), 0, ""), (Span(0, 30), 0, "at most 30"), (Span(12, 12), 1, "not measured")
    for span, window, why in cases:
        found = replace(best, span=span, window=window)
        claims = calibration.pair_claim(reading, found), calibration.sureness(reading, found)
        assert [claim is None for claim in claims] == [why != ""] * 2
        assert why in str(calibration.sure_of(reading, found, True, "logits"))


def test_the_shift_and_the_bin_of_a_probability_by_hand_and_at_the_edges():
    assert calibration.shifted(np.array([0.5, 0.2]), np.log(4)) == pytest.approx([0.8, 0.5])
    assert calibration.log_odds(np.array([0.5, 0.8])) == pytest.approx([0.0, np.log(4)])
    assert np.isfinite(calibration.log_odds(np.array([0.0, 1.0]))).all()
    found = [bin_of(BINS, p) for p in (0.0, 0.1, 0.5, 0.9, 1.0)]
    assert found == [BINS[0], None, None, BINS[1], BINS[1]] and bin_of((), 0.5) is None
    assert bin_of(BINS[:1], 0.1) is BINS[0], "the upper end of the last bin"


def test_the_claim_is_the_product_of_both_chances_or_says_why_there_is_none():
    reading, best = fitted()
    found = calibration.sureness(reading, best)
    assert (best.score, calibration.margin_of(reading, best)) == (7.5, 6.0), "no answer scores 1.5"
    assert found.answerable == pytest.approx(1 / (1 + math.exp(1 - 0.5 * 6.0)))
    right = calibration.shifted(calibration.pair_claim(reading, best).prob(2.0), 0.5)
    assert found.right_if_answerable == right
    assert found.claim == found.answerable * right < min(found.answerable, right)
    # a reader that never met a silent text claims nothing of it
    found = calibration.sureness(*fitted(Calibrations(FITS.span)))
    assert found.answerable is found.claim is None and found.right_if_answerable > 0
    assert calibration.sureness(*fitted(None)) is None
    assert calibration.sure_of(*fitted(), True, "logits") == calibration.sureness(*fitted())
    assert "not measured" in calibration.sure_of(*fitted(), False, "logits")
    assert "another is chosen" in calibration.sure_of(*fitted(), True, "product")


def test_figures_count_for_the_calibration_that_they_were_counted_with_alone(monkeypatch):
    monkeypatch.setattr(calibration, "load_counted", lambda _: COUNTED)
    found = [calibration.counted_with(fitted()[0], name) for name in ("bundled", "another")]
    assert found == [COUNTED, None]
    others = [Calibrations(answerable=Answerability(*fit)) for fit in ((0.6, -1.0), (0.5, -0.9))]
    for fits in (None, Calibrations(FITS.span), *others):
        assert calibration.counted_with(fitted(fits)[0], "bundled") is None
