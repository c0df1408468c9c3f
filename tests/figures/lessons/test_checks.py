"""Lessons' steps hold with the stored readings, and what is said of a guess is true."""

import math
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch

from qa_demo.core.arrays import softmax
from qa_demo.core.course.lessons import Option
from qa_demo.core.learning.golds import Answer
from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.words import span_at
from qa_demo.core.types import Reading, Span
from qa_demo.figures.labels import make_labels
from qa_demo.figures.lessons import heads, spans
from qa_demo.figures.lessons.checks import CHECKS
from qa_demo.figures.lessons.finding import Case, Finding, judge
from qa_demo.figures.lessons.proof import fault_of, prove
from qa_demo.figures.prose import quoted
from qa_demo.views.examples import load_examples
from qa_demo.views.lessons.course import SAID, VIEWS, load
from qa_demo.views.link.parts import start_decode
from qa_demo.views.measured import measured
from qa_demo.views.page import CHAPTERS
from tests.fakes import FakeReader

LESSONS = load()
EXAMPLES = load_examples()
LONGEST_TITLE = 60


@cache
def stored(key: str) -> tuple[Reading, tuple[Answer, ...]]:
    return EXAMPLES[key].stored(), EXAMPLES[key].answers


def case(key: str, **more: object) -> Case:
    reading, gold = stored(key)
    labels = make_labels(reading, gold, 0, gold, None).golds
    return Case(
        reading,
        start_decode(reading),
        gold=gold,
        labels=labels,
        measured=measured("bundled"),
        **more,
    )


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_every_step_that_needs_no_model_holds(lesson) -> None:
    found = list(prove(lesson, stored, None, measured("bundled")))
    assert [f"line {p.step.line}: {p.fault}" for p in found if p.fault] == []
    assert any(p.decides for p in found) or all(p.unknown for p in found if p.step.check)


def test_the_lessons_have_the_form_of_the_plan() -> None:
    course = [lesson for lesson in LESSONS if lesson.id != SAID]
    assert [lesson.track for lesson in course] == [""] * 10 + ["For engineers"] * 3
    for lesson in course:
        assert 4 <= len(lesson.steps) <= 7 and 3 <= lesson.minutes <= 6
        assert lesson.wrong.endswith(".")
        assert lesson.steps[-1].predict, f"{lesson.id} closes without a question"
        assert sum(bool(step.predict) for step in lesson.steps) >= 2
        assert all(len(step.title) <= LONGEST_TITLE for step in lesson.steps)


def test_the_chapters_known_to_lessons_are_those_of_the_page() -> None:
    assert tuple(module.CHAPTER.key for module in CHAPTERS) == VIEWS


@pytest.mark.parametrize("name", [name for name, c in CHECKS.items() if not c.needs_reader])
def test_a_check_speaks_or_says_why_not(name: str) -> None:
    for key in EXAMPLES:
        found = CHECKS[name].find(case(key, temperature=2.0))
        assert found.decides if found.holds else found.missing
        for sentence in (found.decides, found.missing, *found.said.values()):
            assert not re.search(
                r"\b(nan|inf|None|marked was|(above|below) it withholds)\b", sentence
            )
        if name == "legal_pairs" and found.facts:
            limit, n = (int(found.facts[k].replace(",", "")) for k in ("limit", "pieces"))
            assert limit <= n, "a limit that does not bind is none"
        keys = [option.key for option in found.options]
        assert len(set(keys)) == len(keys)
        if keys and found.holds:
            assert found.right in keys and set(found.said) <= set(keys) - {found.right}


@pytest.mark.parametrize("name", [name for name, c in CHECKS.items() if c.needs_reader])
def test_a_check_that_asks_the_reader_speaks_of_any_reader(name: str) -> None:
    reader, example = FakeReader(bio=True), EXAMPLES["mile"]
    reading = reader.read(example.question, example.context)
    found = CHECKS[name].find(
        Case(reading, gold=example.answers, reader=reader, question="Who set the pace?")
    )
    assert found.decides if found.holds else found.missing


def test_the_answer_is_measured_by_the_words_that_both_hold() -> None:
    this = case("saxophone")
    found = spans.answer_span.find(this)
    first, last = found.span.start, found.span.end
    assert judge(this, found, found.span).right
    near = judge(this, found, Span(first, last + 2))
    assert not near.right and "share" in near.yours
    far = judge(this, found, Span(last + 3, last + 4))
    assert not far.right and "other words" in far.yours
    assert judge(this, found, None).yours == ""


def test_what_an_annotator_marked_answers_the_question() -> None:
    this = case("saxophone")
    reading, answers = stored("saxophone")
    golds = [span_at(reading.encoding, a.char_start, a.char_end) for a in answers]
    asked, predicted = (CHECKS[name].find(this) for name in ("answer_span", "reader_span"))
    other = next(g for g in golds if g != asked.span)
    assert judge(this, asked, other).right and not judge(this, predicted, other).right


def test_an_honest_guess_is_no_named_mistake() -> None:
    this = case("bread")
    found = CHECKS["threshold_cost"].find(this)
    ((mistake, sentence),) = found.traps
    assert judge(this, found, mistake).yours == sentence
    assert judge(this, found, mistake + 6).yours.startswith("You wrote")
    near = judge(this, found, round(found.value) + 5)
    assert near.right and near.yours.startswith("Near enough: you wrote")
    half = judge(this, found, round(found.value) + 2.5)
    assert half.yours.startswith(f"Near enough: you wrote {round(found.value) + 2}.5;")


def test_a_number_has_a_tolerance_and_its_usual_mistakes() -> None:
    this = case("oresund")
    found = CHECKS["hand_loss"].find(this)
    assert found.value == pytest.approx((math.log(2) + math.log(4)) / 2)
    assert judge(this, found, 1.04).right
    assert "sum" in judge(this, found, math.log(8)).yours
    assert "minus sign" in judge(this, found, -1.04).yours
    assert judge(this, found, 7.0).yours == "You wrote 7; it is 1.04."
    assert judge(this, found, 2.5).yours == "You wrote 2.5; it is 1.04."
    assert judge(this, found, 2 / 3).yours == "You wrote 0.666667; it is 1.04."
    assert judge(this, Finding("x"), 7.0).yours == ""
    pairs = CHECKS["legal_pairs"].find(case("danube"))
    assert judge(this, pairs, 7e3).yours == "You wrote 7,000; it is 3,840."


def test_a_wrong_option_is_answered_by_its_own_number() -> None:
    this = case("oresund")
    found = spans.runner_up.find(this)
    wrong = next(o for o in found.options if o.key != found.right)
    rank = [r.candidate.text for r in this.prediction.n_best].index(wrong.text) + 1
    assert f"number {rank} of" in judge(this, found, wrong.key).yours
    options = [Option("a", "This."), Option("b", "That.")]
    assert "This" in judge(this, Finding("", right="a"), "b", options).yours


def test_the_spans_to_choose_from_stand_in_the_rows_that_are_in_sight() -> None:
    found = [spans.best_pair.find(case(key)) for key in EXAMPLES]
    said = [text for one in found for text in one.said.values()]
    places = {int(n) for text in said for n in re.findall(r"is number (\d+) of", text)}
    assert places == {2, 3, 4}


def test_the_pair_of_three_tokens_is_the_best_legal_one() -> None:
    legal = [(i, j) for i in range(3) for j in range(i, 3)]
    i, j = max(legal, key=lambda pair: spans.START[pair[0]] + spans.END[pair[1]])
    assert CHECKS["three_tokens"].find(case("gold")).right == f"{i + 1}-{j + 1}"


def test_where_it_turns_is_where_the_answer_changes() -> None:
    this = case("violin-price")
    value = CHECKS["where_it_turns"].find(this).value
    for shift, answers in ((-0.01, False), (0.01, True)):
        moved = DecodeOptions(null_score_diff_threshold=value + shift)
        assert (Case(this.reading, moved).prediction.answer is not None) == answers


@pytest.mark.parametrize(("key", "silent"), [("violin-price", True), ("vigdis", False)])
def test_a_step_that_drags_to_an_answer_needs_a_text_without_one(key: str, silent: bool) -> None:
    this = case(key)
    step = next(one for one in LESSONS if one.id == "no-answer").steps[3]
    for limit, right in ((-99.0, "none"), (99.0, "answer")):
        decode = DecodeOptions(null_score_diff_threshold=limit)
        found = CHECKS[step.check].find(replace(this, decode=decode))
        assert found.holds == silent and (not silent or found.right == right)


def test_probabilities_add_up_over_the_window_and_not_over_the_answer() -> None:
    this = case("oresund")
    best, window = this.best, this.window
    p = softmax(this.reading.logits(window.index)[0].astype(np.float64))
    inside = p[window.to_pos(best.span.start) : window.to_pos(best.span.end) + 1].sum()
    assert f"{inside:.2f}" in CHECKS["all_positions"].find(this).decides


def test_a_reading_that_does_not_show_the_point_says_so() -> None:
    shown = {"window_count": "gold", "withheld": "oresund", "argmaxes_apart": "oresund"}
    for name, key in (shown | {"rule_disagrees": "danube", "answer_span": "bread"}).items():
        assert not CHECKS[name].find(case(key)).holds, name


def test_a_part_of_a_word_is_named_with_its_word() -> None:
    found = CHECKS["second_start"].find(case("machu-picchu"))
    part = f"{quoted('145')} of {quoted('1450')}"
    assert part in [option.text for option in found.options] and part in found.decides


def test_a_fault_names_what_is_missing() -> None:
    step = LESSONS[0].steps[1]
    assert "not among the options" in (fault_of(step, Finding("", right="gone")) or "")
    assert "does not show" in (fault_of(step, Finding("", holds=False, missing="x")) or "")
    number = next(s for lesson in LESSONS for s in lesson.steps if s.predict == "number")
    assert "no number" in (fault_of(number, Finding("")) or "")


def test_a_chance_costs_minus_its_logarithm() -> None:
    said = CHECKS["minus_log"].find(case("oresund")).decides
    found = re.findall(r"−log (\S+) = (\d\.\d\d)", said)
    assert len(found) == 2, said
    for chance, cost in found:
        assert float(cost) == pytest.approx(-math.log(float(chance)), abs=0.0051)


def test_layer_norm_is_that_of_torch_whatever_stands_beside() -> None:
    assert CHECKS["own_features"].find(case("oresund")).holds
    both = torch.tensor([[1.0, 2.0, 6.0], [100.0, 0.0, 50.0]])
    expected = torch.nn.functional.layer_norm(both, (3,), eps=0.0)
    assert heads._centred(both.numpy()) == pytest.approx(expected.numpy(), abs=1e-6)


@pytest.mark.parametrize("key", ["machu-picchu", "oresund", "cacao"])
def test_the_loss_of_a_lesson_is_that_of_all_annotators(key: str) -> None:
    """L = -sum_i t_i log p_i with the mean of the annotators' rows as t."""
    this, answers = case(key), stored(key)[1]
    logits = this.reading.logits(0)
    at = [span_at(this.reading.encoding, a.char_start, a.char_end) for a in answers]
    w = this.reading.windows[0]
    costs = [
        np.mean([-np.log(softmax(x.astype(np.float64)))[w.to_pos(getattr(g, side))] for g in at])
        for x, side in zip(logits, ("start", "end"), strict=True)
    ]
    found = CHECKS["sum_or_mean"].find(this).decides
    printed = [float(n) for n in re.findall(r"\d\.\d+", found)[:3]]
    assert printed == pytest.approx([*costs, np.mean(costs)], abs=0.0051)
    if len(set(at)) > 1:
        assert not CHECKS["normaliser"].find(this).holds
        assert not CHECKS["gold_loss"].find(this).holds
    else:
        assert CHECKS["gold_loss"].find(this).value == pytest.approx(np.mean(costs))
