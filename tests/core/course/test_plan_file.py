"""Plans of hours: the bundled ones are whole, and a fault is named with file, line and field."""

from pathlib import Path

import pytest

from qa_demo.core.course.plan_file import load_teaching, parse_plan
from qa_demo.core.errors import BadInput
from qa_demo.views.lessons.course import CHAPTERS, SAID, load
from qa_demo.views.lessons.teaching import FOLDER, teaching
from qa_demo.views.page import CHAPTERS as PAGES
from tests import teaching as document

LESSONS = {lesson.id: lesson for lesson in load()}
PLAN = """---
id: mine
title: Mine
minutes: 10
needs: Nothing.
board: span, score
---

## 0-4 Begin
screen: board
ask: a
usual: b
say: c

## 4-10 A lesson
lesson: span
steps: Does it write?; As the reader would
ask: a
usual: b
say: c
"""


def test_the_bundled_plans_are_whole_and_every_lesson_has_an_aim() -> None:
    found = teaching(load())
    assert found.faults == ()
    assert [(p.id, tuple(hour[-1].stop for hour in p.hours)) for p in found.plans] == [
        ("45", (45,)),
        ("90", (90,)),
        ("2x90", (90, 90)),
    ]
    lessons = [lesson for key, lesson in LESSONS.items() if key != SAID]
    assert {aim.title for aim in found.aims} == {lesson.title for lesson in lessons}
    assert list(CHAPTERS.items()) == [
        (one.CHAPTER.key, f"{one.CHAPTER.number} {one.CHAPTER.title}") for one in PAGES
    ]


def test_texts_and_screens_of_a_row_are_those_of_its_steps() -> None:
    plan = parse_plan(PLAN, "mine.md", LESSONS)
    row = plan.hours[0][1]
    assert (row.stop, plan.board) == (10, ("span", "score"))
    assert (row.screens, row.texts) == (("answer",), ("saxophone", "oresund"))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("4-10", "5-10", "line 15, field minutes: the row before ends at 4"),
        ("minutes: 10", "minutes: 12", "line 4, field minutes: the rows end at 10, not at 12"),
        ("lesson: span", "lesson: spam", "line 16, field lesson: there is no lesson 'spam'"),
        ("Does it write?;", "Does it fly?;", "line 17, field steps: lesson 'span' has no step"),
        ("screen: board", "screen: sky", "line 10, field screen: one of board"),
        ("usual: b\nsay: c\n\n", "say: c\n\n", "line 9, field usual: it is missing"),
        ("ask: a", "aks: a", "line 11, field aks: there is no such field"),
        ("needs: Nothing.\n", "", "field needs: it is missing in the front matter"),
    ],
)
def test_a_fault_is_named_with_file_line_and_field(old: str, new: str, said: str) -> None:
    assert PLAN.count(old) >= 1
    with pytest.raises(BadInput) as fault:
        parse_plan(PLAN.replace(old, new, 1), "mine.md", LESSONS)
    assert said in str(fault.value) and str(fault.value).startswith("mine.md")


def test_a_file_with_a_fault_is_named_and_the_rest_is_there(tmp_path: Path) -> None:
    for path in FOLDER.glob("*.md"):
        (tmp_path / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "1-hour.md").write_text(PLAN.replace("4-10", "5-10"), encoding="utf-8")
    found = load_teaching(tmp_path, list(LESSONS.values()))
    assert len(found.plans) == 2 and found.aims and len(found.faults) == 1
    assert found.faults[0].startswith("1-hour.md, line 15")


def test_the_document_holds_the_plans_as_they_are() -> None:
    assert document.filled() == document.PAGE.read_text(encoding="utf-8")
