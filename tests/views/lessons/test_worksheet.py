"""A worksheet can be solved on paper: what its solutions count with stands on it."""

import re
from dataclasses import replace

import pytest

from qa_demo.core.course.lessons import Lesson
from qa_demo.figures.lessons.checks import CHECKS
from qa_demo.views.lessons.course import SAID, load
from qa_demo.views.lessons.worksheet import AT_THE_PAGE, MEASURED, worksheet
from qa_demo.views.measured import measured
from tests.fakes import FakeReader
from tests.figures.lessons.test_checks import stored

LESSONS = [lesson for lesson in load() if lesson.id != SAID]
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?!\w)")


def told_of(option: str) -> str:
    """An option in quotation marks, and a number behind it."""
    return re.escape(f"\u2068{option}\u2069\u201d") + r"[^;]*\d"


def numbers(text: str) -> set[float]:
    return {float(n.replace(",", "")) for n in NUMBER.findall(re.sub(r"“[^”]*”", "", text))}


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_a_worksheet_holds_the_numbers_that_its_questions_need(lesson: Lesson) -> None:
    steps = tuple(s for s in lesson.steps if not (s.check and CHECKS[s.check].needs_reader))
    lesson = replace(lesson, steps=steps)
    sheet = worksheet(lesson, stored, lambda: FakeReader(bio=True), measured("bundled"))
    for step, row in zip(lesson.steps, sheet["steps"], strict=True):
        text = row["text"]
        if row["asks"] not in ("number", "pick") or step.byhand:
            continue  # what a step by hand gives, the browser's test of numbers compares
        if AT_THE_PAGE in text:
            assert step.check in MEASURED, row["title"]
        elif row["asks"] == "number" or step.check == "error_kind":
            assert len(numbers(text)) >= 2 or "arked was" in text, text
        else:
            told = {option for option in row["options"] if re.search(told_of(option), text)}
            assert told == set(row["options"]), f"{row['title']}: {text}"


def test_lesson_3_prints_its_logits() -> None:
    lesson = next(one for one in LESSONS if one.id == "best-pair")
    sheet = worksheet(lesson, stored, lambda: FakeReader(bio=True), measured("bundled"))
    peaks, winner, formula = (sheet["steps"][k]["text"] for k in (1, 3, 4))
    assert "position 15" in peaks and "position 11" in peaks and "logits" in peaks
    assert "CERN" in winner and "Start and end logit" in winner
    assert "start probabilities" in formula and "0.62" in formula
