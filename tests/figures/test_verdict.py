"""The answer line: what it claims is stated anew from logits, over all examples and rules."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from qa_demo.core.measuring.claims import sureness
from qa_demo.core.options import DecodeOptions, MergeOptions, WindowOptions
from qa_demo.core.reading.legal import valid_spans
from qa_demo.core.reading.predict import predict
from qa_demo.core.reading.scales import COMBINES
from qa_demo.core.types import Answerability, Calibration, Calibrations, Reading, Span
from qa_demo.figures.numbers import MINUS, percent
from qa_demo.figures.verdict import sure, verdict, withheld
from qa_demo.views.examples import load_examples
from tests.fakes import FakeReader
from tests.figures.test_sentences_of_chapters import legal, null_of
from tests.requests import readings

EXAMPLES = load_examples()
TEXT = "The towers were drawn by Georg Rotne. They stand near Malmö in Sweden."
NUMBER = re.compile(r"\d+(?:\.\d+)?")
RULES = [
    MergeOptions(scale=scale, null=null) for scale, nulls in COMBINES.items() for null in nulls
]
"""Every way to combine scores."""


def crowd(null: float) -> Reading:
    """Several windows with many candidates."""
    text = " ".join(f"Anna {k} met Berta in Prague, and Karl {k} came later." for k in range(8))
    return FakeReader(null=null).read("Who met Berta?", text, WindowOptions(40, 10))


def read(null: float = 2.0, threshold: float | None = 0.0) -> Reading:
    return FakeReader(null=null, threshold=threshold).read("Who drew the towers?", TEXT)


@cache
def best_by_hand(reading: Reading) -> tuple[float, int, int, int]:
    """Score, window, start and end (doc) of the best legal span, found by trying every pair."""
    best = [(legal(reading, w)[0], w.index) for w in reading.windows]
    (score, start, end), window = max(best)
    return score, window, start, end


@pytest.mark.parametrize("key", EXAMPLES)
@pytest.mark.parametrize("shift", [0.0, 6.0, -40.0, 40.0])
def test_over_all_examples_the_line_says_what_the_logits_say(key: str, shift: float) -> None:
    example, reading = EXAMPLES[key], readings()[key]
    score, window, start, end = best_by_hand(reading)
    threshold = (reading.threshold or 0.0) - shift
    options = DecodeOptions(null_score_diff_threshold=threshold)
    said = verdict(reading, predict(reading, options))
    null = null_of(reading)
    assert said["answered"] == (score - null >= -threshold)
    assert said["span"] == [window, start, end]
    a, b = reading.encoding.chars(Span(start, end))
    text = example.context[a:b]
    assert said["text"] == " ".join(text.split()) or len(text) > 100
    assert said["place"].startswith(
        f"characters {a + 1:,} to {b:,} of" if b > a + 1 else f"character {b:,} of"
    )
    assert ("window" in said["place"]) == (len(reading.windows) > 1)
    assert bool(said["why"]) != said["answered"]
    if not said["answered"]:
        lead, *required = (float(x) for x in NUMBER.findall(said["why"]))
        assert lead == pytest.approx(abs(score - null), abs=0.0051)
        assert required == ([pytest.approx(abs(threshold), abs=0.0051)] if threshold else [])
        assert (" above “no answer”" in said["why"]) == (score >= null)
        assert ("the limit is" in said["why"]) == (threshold != 0)
        assert said["why"].endswith(" above") == (threshold < 0)


def test_the_sentence_of_a_withheld_answer() -> None:
    low = read(null=20.0)
    lead = best_by_hand(low)[0] - 40.0  # the fake [CLS] scores 20 + 20
    said = withheld(predict(low, DecodeOptions(null_score_diff_threshold=3.0)), MergeOptions())
    assert said == f"lies {-lead:.2f} below “no answer”; the limit is 3.00 below"
    with pytest.raises(ValueError, match="withholds nothing"):
        withheld(predict(read()), MergeOptions())


def test_the_two_numbers_never_look_equal() -> None:
    reading = read()
    lead = -float(predict(reading).score_diff)
    close = predict(reading, DecodeOptions(null_score_diff_threshold=-lead - 2e-4))
    a, b = NUMBER.findall(withheld(close, MergeOptions()))
    assert 0.0 < float(b) - float(a) < 0.0011


def test_how_sure_is_calibrated_only_where_a_temperature_was_fitted() -> None:
    reading = read()
    found = predict(reading).best.candidate
    window = reading.windows[found.window]

    places = window.to_pos(found.span.start), window.to_pos(found.span.end)

    def by_hand(temperature: float) -> int:
        raised = [np.exp(x.astype(float) / temperature) for x in reading.logits(found.window)]
        first, last = (e[at] / e.sum() for e, at in zip(raised, places, strict=True))
        return round(100 * first * last)

    plain = verdict(reading, predict(reading))["sure"]
    assert plain["value"] == f"{by_hand(1.0)} %" and "not calibrated" in plain["name"]
    warm = verdict(reading, predict(reading), temperature=2.5)["sure"]
    assert warm["value"] == f"{by_hand(2.5)} %" and "at temperature 2.5" in warm["name"]
    start, end = (x.astype(float) / 1.8 for x in reading.logits(found.window))
    shares = np.exp(np.add.outer(start, end))
    legal = shares[valid_spans(window, DecodeOptions())].sum()
    odds = shares[places] / legal
    odds = odds / (1 - odds) * np.exp(0.7)
    fitted = replace(reading, calibrations=Calibrations(span=Calibration(1.8, 0.7)))
    known = verdict(fitted, predict(fitted), temperature=2.5)["sure"]
    assert known["value"] == f"{round(100 * odds / (1 + odds))} %"
    assert known["name"].endswith("if the text answers"), "no silent text was among the fit's"
    changed = verdict(fitted, predict(fitted), changed=True)["sure"]
    assert changed == plain, "a calibration is fitted on the reader's own logits"
    guess = verdict(fitted, predict(fitted, DecodeOptions(null_score_diff_threshold=-1e3)))["sure"]
    assert (known["of"], guess["of"]) == ("", "The guess is") and guess["value"] == known["value"]
    assert guess["name"] == known["name"]
    whole = Calibrations(span=Calibration(1.8, 0.7), answerable=Answerability(0.3, -0.2))
    claimed = replace(reading, calibrations=whole)
    said = verdict(claimed, predict(claimed))["sure"]
    right = sureness(claimed, found)
    assert said["value"] == percent(right.claim) != known["value"]
    assert "(calibrated" in said["name"] and "if the text" not in said["name"]
    other = replace(reading, calibrations=Calibrations(bio=Calibration(1.8)))
    assert verdict(other, predict(other))["sure"] == plain


def test_a_span_longer_than_a_calibration_knows_is_not_calibrated() -> None:
    reading = FakeReader().read("Who?", " ".join(["so"] * 20 + ["Ada"] + ["it"] * 30))
    fitted = replace(reading, calibrations=Calibrations(span=Calibration(1.0)))
    found = predict(fitted).best.candidate
    long = replace(found, span=Span(found.span.start, found.span.start + 30))
    assert "not calibrated" in sure(fitted, long)["name"]
    assert "not calibrated" not in sure(fitted, found)["name"]


@pytest.mark.parametrize("merge", RULES, ids=str)
@pytest.mark.parametrize("strong", [-3.0, 30.0])
def test_under_every_merge_rule(merge: MergeOptions, strong: float) -> None:
    reading = crowd(strong)
    prediction = predict(reading, merge=merge)
    said = verdict(reading, prediction, merge)
    assert said["answered"] == (prediction.answer is not None)
    assert said["answered"] == (strong < 0 or merge.null == "none")
    assert MINUS not in said["why"] and "inf" not in said["why"]
    if not said["answered"] and not prediction.has_threshold:
        assert "times as probable" in said["why"]


def test_a_reader_without_a_stored_threshold_is_judged_at_0() -> None:
    reading = read(null=50.0, threshold=None)
    assert not verdict(reading, predict(reading))["answered"]
    assert verdict(read(threshold=None), predict(read(threshold=None)))["answered"]


def test_without_a_legal_span_there_is_no_best_guess() -> None:
    reading = FakeReader().read("Who?", "Ada came.")
    none = replace(predict(reading), n_best=(), score_diff=None)
    said = verdict(reading, none)
    why = "no span of this paragraph is legal under these limits"
    assert said == {"answered": False, "text": None, "why": why}
