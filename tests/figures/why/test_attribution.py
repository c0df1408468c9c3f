"""Chapter 9, step 2 as data: sums add up as printed, sentences say what was measured."""

import itertools
import re

import numpy as np
import pytest

from qa_demo.core.explaining.attribution import KINDS, Attribution, Target, silence
from qa_demo.core.explaining.occlusion import QuestionEffect
from qa_demo.core.options import WindowOptions
from qa_demo.core.reading.words import Word, words
from qa_demo.core.types import Span
from qa_demo.figures.why import attribution as figure
from tests.fakes import FakeReader
from tests.printed import value

TEXT = "The bridge opened in July. George Rotne drew it, and Anna Lindh crossed it first. " * 3
SPAN, OTHER = Span(6, 7), Span(12, 13)


READING = FakeReader(null=-3.0).read("Who drew the bridge?", TEXT, WindowOptions(64, 20))


@pytest.mark.parametrize("kind", KINDS)
def test_the_formula_adds_up_as_printed(kind: str) -> None:
    target = Target(kind, SPAN, OTHER if kind == "span_minus_other" else None, 0)
    window = READING.windows[0]
    parts = figure.target_formula(READING, target, window)
    total = value(parts[-1]["text"])
    assert total == pytest.approx(figure.value_of(READING, target, window), abs=0.006)
    addends = []
    for before, part in itertools.pairwise(parts):
        if re.fullmatch(r"−?\d+\.\d+", part["text"]) and part["role"] in ("start", "end"):
            addends.append(-value(part["text"]) if before["text"] == " − " else value(part["text"]))
    assert len(addends) == {"start_logit": 0, "end_logit": 0, "span_score": 2}.get(kind, 4)
    if addends and parts[-2]["text"] == " = ":
        assert sum(addends) == pytest.approx(total, abs=1e-9)


def made(
    f_x: float, f_baseline: float | None, total: float, tried: tuple[tuple[int, float], ...] = ()
) -> Attribution:
    lane = np.array([total / 2, total / 2])
    target = Target("span_score", SPAN, None, 0)
    if f_baseline is None:
        return Attribution(target, "gradient_x_input", 0, lane, np.zeros(2), f_x)
    path = (f_baseline, "pad", tried[-1][0], tried)
    return Attribution(target, "integrated_gradients", 0, lane, np.zeros(2), f_x, *path)


@pytest.mark.parametrize(
    ("f_x", "f_baseline", "total"),
    [(11.6, 2.25, 9.41), (11.6, -2.25, 13.9), (1.0, 0.0, 0.999), (-3.0, -1.0, -2.1)],
)
def test_sum_value_baseline_and_gap_add_up_as_printed(
    f_x: float, f_baseline: float, total: float
) -> None:
    first = figure.sums(made(f_x, f_baseline, total, ((20, total - (f_x - f_baseline)),)))[0]
    numbers = [value(n) for n in re.findall(r"−?\d+\.\d+", first)]
    if " = " in first:
        assert numbers[0] == pytest.approx(numbers[1] - numbers[2] + numbers[3], abs=1e-9), first
    else:
        assert "≈" in first


def test_a_gap_too_small_to_print_is_no_addend_of_zeros() -> None:
    first = figure.sums(made(1.5, 0.25, 1.25001, ((20, 0.00001),)))[0]
    assert "gap 0.00" not in first and first.endswith("; the gap is under 0.0001.")
    assert "1.2500 = F(x) 1.5000 − F(x′) 0.2500" in first


def test_a_method_that_gives_every_token_nothing_says_so() -> None:
    n = len(READING.windows[0])
    target, none = Target("span_score", SPAN, None, 0), np.zeros(n)
    silent = Attribution(target, "gradient_x_input", 0, none, none, 3.0)
    (said,) = figure.sums(silent)
    assert "exactly nothing here" in said and "+0.00" not in said
    assert figure.attribution_notice(READING, silent) == said
    cells = {cell for row in figure.lanes_table(READING, silent)["rows"] for cell in row[2:]}
    assert cells == {"0"}
    one = np.where(np.arange(n) == 3, 1e-6, 0.0)
    assert silence(Attribution(target, "gradient_x_input", 0, one, none, 3.0)) is None


def test_question_words_tell_another_place_from_another_answer() -> None:
    word = Word("who", "question", 0, 3)
    cases = ((0.5, False, False), (-0.001, True, False), (0.0, True, True))
    effects = [QuestionEffect(word, start, 0.0, "Beta", *how) for start, *how in cases]
    rows = figure.question_data(effects)["table"]["rows"]
    assert [row[1] for row in rows] == ["−0.50", "< 0.01", "0"]
    assert [row[3] for row in rows] == ["the same", "changed", "the same words elsewhere"]


def test_the_gap_is_called_complete_only_under_two_percent() -> None:
    small = figure.sums(made(10.0, 0.0, 10.1, ((20, 0.5), (50, 0.1))))
    assert "1.0 %" in small[1] and "under 2 %" in small[1] and "20 steps: 5.0 %" in small[1]
    assert "not under" not in small[1]
    large = figure.sums(made(10.0, 0.0, 10.5, ((20, 0.6), (50, 0.55), (100, 0.5))))
    assert "5.0 %" in large[1] and "not under 2 %" in large[1] and "doubt" in large[1]
    assert "promises no sum" in figure.sums(made(10.0, None, 3.0))[0]


def test_the_notice_names_the_words_with_most_and_least() -> None:
    units = words(READING.encoding, READING.windows[0])
    lane = np.zeros(len(READING.windows[0]))
    lane[units.of == 1] = 4.0 / (units.of == 1).sum()
    lane[units.of == 6] = -1.5 / (units.of == 6).sum()
    target = Target("span_score", SPAN, None, 0)
    found = Attribution(target, "leave_one_out", 0, lane, np.zeros(len(lane)), 5.0)
    said = figure.attribution_notice(READING, found)
    assert f"“\u2068{units.items[1].text}\u2069” in the question (+4.00)" in said
    assert f"“\u2068{units.items[6].text}\u2069” in the paragraph (−1.50)" in said
