"""Lessons as files: what is read, and the sentence with file, line and field for a refusal."""

import re
from pathlib import Path

import pytest

from qa_demo.core.course.lesson_file import Known, parse_lesson
from qa_demo.core.course.lesson_folder import MOST_BYTES, TEXT, load_lessons
from qa_demo.core.course.lessons import MOST_WORDS, Option
from qa_demo.core.errors import BadInput

KNOWN = Known(
    ("sax", "bridge"),
    ("answer", "spans"),
    ("question", "picture"),
    ("right",),
    {"spans": ("square",)},
)
GOOD = """---
id: first
title: A span
minutes: 4
example: sax
wrong: It writes.
---

## Find it
view: answer
highlight: question, picture
selection: none
predict: choice
check: right
temperature: 2

Which words?
And where?

- here: In the text.
- there: Elsewhere: far away.

> A *span* of {length} words.
> It stands there.

## Look
view: spans
step: square
example: bridge

Only look.
"""


def test_a_lesson_is_read_as_it_stands() -> None:
    lesson = parse_lesson(GOOD, "a.md", KNOWN)
    first, second = lesson.steps
    assert (lesson.id, lesson.title) == ("first", "A span")
    assert (lesson.minutes, lesson.example) == (4, "sax")
    assert first.text == "Which words? And where?"
    here, there = first.options
    assert here == Option("here", "In the text.")
    assert there == Option("there", "Elsewhere: far away.")
    assert first.reveal == "A *span* of {length} words. It stands there."
    assert (first.highlight, first.temperature, first.veil) == (("question", "picture"), 2.0, True)
    assert (second.title, second.step) == ("Look", "square")
    assert (second.example, second.predict) == ("bridge", "")
    assert first.line == 9 and second.line == 26
    tracked = GOOD.replace("wrong: It", "track: For engineers\nwrong: It")
    assert (lesson.track, parse_lesson(tracked, "a.md", KNOWN).track) == ("", "For engineers")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("---\nid", "id", "line 1, field front matter"),
        ("minutes: 4", "minutes: four", "line 4, field minutes: a whole number from 1 to 60"),
        ("example: sax", "example: fax", "line 5, field example: there is no 'fax' here; allowed"),
        ("wrong: It writes.\n", "", "field wrong: it is missing in the front matter"),
        ("id: first", "id: The First", "line 2, field id: small letters"),
        ("title: A span", "titel: A span", "line 3, field titel: there is no such field"),
        ("view: answer", "view: answers", "line 10, field view: there is no 'answers'"),
        ("highlight: question, picture", "highlight: door", "line 11, field highlight"),
        ("selection: none", "selection: some", "line 12, field selection"),
        ("predict: choice", "predict: chance", "line 13, field predict"),
        ("check: right", "check: wrong", "line 14, field check: there is no 'wrong'"),
        ("check: right\n", "", "field check: a prediction needs a check"),
        ("step: square", "step: round", "line 28, field step: there is no 'round' here; allowed a"),
        ("temperature: 2", "step: square", "line 15, field step: there is no 'square' here; allo"),
        ("temperature: 2", "temperature: hot", "line 15, field temperature: a number from 0.1"),
        ("temperature: 2", "temperature 2", "field ?: a line 'name: value' is needed"),
        ("view: spans", "view: spans\nview: answer", "field view: it stands twice"),
        ("- there: Elsewhere: far away.\n", "", "field options: a choice needs two options"),
        ("- there:", "- here:", "field options: a choice needs two options"),
        ("- there: Elsewhere", "- there: *Elsewhere*", "field options: an option is plain"),
        ("- there:", "- the re:", "field options: a line '- key: text' is needed"),
        ("Only look.", "Only look.\n- a: b", "field options: only predict: choice has options"),
        ("Only look.", "", "line 26, field text: a step needs a title and a text"),
        ("Only look.", "word " * (MOST_WORDS + 1), f"{MOST_WORDS + 1} words, {MOST_WORDS}"),
        ("> It stands there.", "> " + "word " * MOST_WORDS, "line 9, field reveal"),
        ("## Find it", "Hello\n## Find it", "field steps: text stands before the first heading"),
    ],
)
def test_a_wrong_file_is_refused_with_file_line_and_field(old: str, new: str, said: str) -> None:
    assert old in GOOD
    with pytest.raises(BadInput) as refused:
        parse_lesson(GOOD.replace(old, new, 1), "a.md", KNOWN)
    assert str(refused.value).startswith("a.md, line ") and said in str(refused.value)


def test_a_file_without_a_step_is_refused() -> None:
    with pytest.raises(BadInput, match="field steps: 1 to 40 headings"):
        parse_lesson(GOOD[: GOOD.index("## Find")], "a.md", KNOWN)


def test_a_folder_is_read_in_order_and_ids_stand_once(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="holds no lesson"):
        load_lessons(tmp_path, KNOWN)
    with pytest.raises(BadInput, match="there is no folder"):
        load_lessons(tmp_path / "gone", KNOWN)
    (tmp_path / "2.md").write_text(GOOD, encoding="utf-8")
    (tmp_path / "1.md").write_text(GOOD.replace("id: first", "id: zero"), encoding="utf-8")
    assert [lesson.id for lesson in load_lessons(tmp_path, KNOWN).lessons] == ["zero", "first"]

    def named(fault: str) -> None:
        """The file with the fault is named, and the others are there."""
        found = load_lessons(tmp_path, KNOWN)
        assert [lesson.id for lesson in found.lessons] == ["zero", "first"]
        assert len(found.faults) == 1 and re.fullmatch(fault, found.faults[0]), found.faults

    third = tmp_path / "3.md"
    third.write_text(GOOD, encoding="utf-8")
    named(r"3\.md, line 2, field id: 2\.md has the id 'first' too")
    wrong = GOOD.replace("predict: choice", "predict: sing")
    third.write_text(wrong.replace("id: first", "id: third"), encoding="utf-8")
    named(r"3\.md, line \d+, field predict: .*'sing'.*")
    third.write_bytes(b"\xff\xfe")
    named(r"3\.md is not UTF-8: byte 0")
    third.write_text("x" * (MOST_BYTES + 1))
    named(r"3\.md has 100,001 bytes; a lesson has 100,000 at most")
    third.unlink()
    third.mkdir()
    named(r"3\.md cannot be read: Is a directory")


def test_a_text_of_ones_own_stands_beside_the_lessons(tmp_path: Path) -> None:
    (tmp_path / TEXT).write_text("Who came?\n\nAnna came.\nBo left.\n", encoding="utf-8")
    found = load_lessons(tmp_path, KNOWN)
    assert found.text == ("Who came?", "Anna came.\nBo left.") and not found.lessons
    (tmp_path / TEXT).write_text("Who came?\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"text\.txt, line 1: a question in the first line"):
        load_lessons(tmp_path, KNOWN)
