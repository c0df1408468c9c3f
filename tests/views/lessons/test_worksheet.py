"""A worksheet can be solved on paper: what its solutions count with stands on it."""

import re
from dataclasses import replace
from typing import Any

import pytest

from qa_demo.core.course.lessons import Lesson
from qa_demo.core.types import Reading
from qa_demo.figures.lessons.checks import CHECKS
from qa_demo.figures.lessons.proof import prove
from qa_demo.views.lessons.course import SAID, load
from qa_demo.views.lessons.worksheet import AT_THE_PAGE, MEASURED, worksheet
from qa_demo.views.measured import measured
from tests.fakes import FakeReader
from tests.figures.lessons.test_checks import stored

LESSONS = [lesson for lesson in load() if lesson.id != SAID]
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?!\w)")


def told_of(option: str) -> str:
    """An option in quotation marks, its own where it names a word piece, and a number behind it."""
    words = option if "“" in option else f"\u2068{option}\u2069\u201d"
    return re.escape(words) + r"[^;]*\d"


def numbers(text: str) -> list[str]:
    return NUMBER.findall(re.sub(r"“[^”]*”", "", text))


def on_paper(lesson: Lesson) -> Lesson:
    """Without the steps whose check asks the reader."""
    asked = (s for s in lesson.steps if not (s.check and CHECKS[s.check].needs_reader))
    return replace(lesson, steps=tuple(asked))


def sheet_of(lesson: Lesson, own: Reading | None = None) -> dict[str, Any]:
    return worksheet(lesson, stored, lambda: FakeReader(bio=True), measured("bundled"), own)


@pytest.mark.parametrize("own", [None, "vigdis", "insulin"])
@pytest.mark.parametrize("lesson", [on_paper(one) for one in LESSONS], ids=lambda lesson: lesson.id)
def test_a_worksheet_holds_the_numbers_that_its_questions_need(
    lesson: Lesson, own: str | None
) -> None:
    sheet = sheet_of(lesson, None if own is None else stored(own)[0])
    for step, row in zip(lesson.steps, sheet["steps"], strict=True):
        text = row["text"]
        if row["asks"] not in ("number", "pick") or step.byhand:
            continue  # what a step by hand gives, the browser's test of numbers compares
        if AT_THE_PAGE in text:
            assert step.check in MEASURED, row["title"]
        elif row["asks"] == "number" or step.check == "error_kind":
            assert len(numbers(text)) >= 2 or "arked: " in text, text
        else:
            told = {option for option in row["options"] if re.search(told_of(option), text)}
            assert told == set(row["options"]), f"{row['title']}: {text}"


def test_lesson_3_prints_its_logits() -> None:
    lesson = next(one for one in LESSONS if one.id == "best-pair")
    sheet = sheet_of(lesson)
    peaks, winner, formula = (sheet["steps"][k]["text"] for k in (1, 3, 4))
    assert "position 22" in peaks and "position 11" in peaks and "logits" in peaks
    assert "CERN" in winner and "Start and end logit" in winner
    assert "start probabilities" in formula and "0.73" in formula


def test_a_worksheet_on_a_teachers_text_keeps_the_lessons_where_its_own_does_not_hold() -> None:
    own, kept = stored("vigdis")[0], {True: 0, False: 0}
    asked = own.encoding.question
    for lesson in map(on_paper, LESSONS):
        sheet = sheet_of(lesson, own)
        proved = prove(lesson, lambda _: (own, ()), None, measured("bundled"), own=True)
        texts = {question for question, _ in sheet["texts"]}
        for row, found in zip(sheet["steps"], proved, strict=True):
            if found.step.byhand:
                assert not row["about"]
                continue
            (about,) = {row["about"]} - {""} or texts
            kept[found.fault is None] += 1
            assert (about == asked) == (found.fault is None), f"{lesson.id}: {row['title']}"
    assert min(kept.values()) > 5
