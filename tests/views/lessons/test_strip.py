"""The strip's handlers without a browser: each step sets the page up, any guess is answered."""

import math
from typing import Any

import pytest

from qa_demo.core.course.lesson_folder import Folder
from qa_demo.core.course.lessons import FACT
from qa_demo.core.course.rooms import Rooms
from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.figures.lessons.checks import CHECKS
from qa_demo.views.examples import load_examples
from qa_demo.views.frame import Frame
from qa_demo.views.lessons.course import load
from qa_demo.views.lessons.strip import KEY, Strip
from qa_demo.views.new_reading import new_screen
from qa_demo.views.session.errors import UNEXPECTED
from qa_demo.views.state import Screen, WhatIf
from qa_demo.views.update import Update
from tests import requests
from tests.fakes import FakeReader
from tests.requests import services

LESSONS = load()
OWN = {"question": "Who came?", "context": "Anna Lund came to Visby in 1900."}
SCREEN = new_screen(None, FakeReader().read(**OWN)).presented("answer")
FIRST = next(iter(load_examples().values())).stored()
ODD: list[Any] = [None, 1, "x", [], {}, math.nan, {"lesson": "span"}]
ODD += [{"lesson": "span", "step": 99}]


def framed(rooms: Rooms | None = None) -> Frame:
    """The page with the stored readings of the bundled reader."""
    served = services(checksum=lambda: FIRST.checksum, rooms=rooms)
    return requests.wired(served, lambda *page: Strip(*page, Folder(LESSONS))).frame


@pytest.fixture(scope="module")
def frame() -> Frame:
    return framed()


def sent(frame: Frame, screen: Screen | None, name: str, value: Any) -> Update:
    return requests.sent(frame, KEY, name, screen, value)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_every_step_sets_the_page_up_and_answers(frame: Frame, lesson) -> None:
    seen = SCREEN
    for number, step in enumerate(lesson.steps):
        place = {"lesson": lesson.id, "step": number}
        opened = sent(frame, seen, "open", place)
        assert not opened.refused
        seen = opened.screen
        reply = opened.pictures[KEY]["reply"]
        assert (seen.example, seen.chapter) == (step.example or lesson.example, step.view)
        assert seen.what_if == WhatIf(temperature=step.temperature or 1.0)
        assert seen.merge == MergeOptions()
        assert (seen.selection is None) == (step.selection == "none")
        assert reply["pending"] == bool(step.check and CHECKS[step.check].needs_reader)
        if reply["pending"]:
            assert not FACT.search(reply["text"]), "a fact that is still looked for is an ellipsis"
            continue
        assert reply["holds"] and not reply["foreign"] and not FACT.search(reply["text"])
        assert not step.predict or not reply["reveal"], "nothing is told before the guess"
        if step.predict and step.check:
            told = sent(frame, seen, "guess", {**place, "guess": None}).pictures[KEY]["told"]
            assert told["decides"] and not told["yours"] and not FACT.search(told["reveal"])


def test_numbers_changed_by_hand_go_back_to_the_reader(frame: Frame) -> None:
    short, warm = DecodeOptions(max_answer_length=3), WhatIf(temperature=4.0)
    changed = SCREEN.change(decode=short, what_if=warm)
    now = sent(frame, changed, "open", {"lesson": "span", "step": 0}).screen
    assert now.decode.max_answer_length == 30 and now.what_if == WhatIf()


def test_another_text_or_reader_is_looked_at_as_it_is(frame: Frame) -> None:
    reply = sent(frame, SCREEN, "look", {"lesson": "tags", "step": 0}).pictures[KEY]["reply"]
    assert reply["foreign"] and not reply["holds"] and "no head for tags" in reply["missing"]
    back = sent(frame, SCREEN, "restore", {"lesson": "tags", "step": 0})
    assert back.pictures[KEY]["reply"]["holds"]
    assert back.screen.source == "bundled"


def test_guesses_are_judged_by_the_reading_on_screen(frame: Frame) -> None:
    seen = sent(frame, SCREEN, "open", {"lesson": "span", "step": 1}).screen
    place = {"lesson": "span", "step": 1}
    right = sent(frame, seen, "guess", {**place, "guess": "copies"}).pictures[KEY]["told"]
    wrong = sent(frame, seen, "guess", {**place, "guess": "writes"}).pictures[KEY]["told"]
    assert right["right"] and not wrong["right"] and wrong["answer"] == "copies"
    none = sent(frame, seen, "guess", {**place, "guess": "sings"})
    assert none.refused and "no option 'sings'" in none.message["text"]


def test_a_text_of_ones_own_stands_in_for_the_lessons(frame: Frame) -> None:
    for lesson, number in [(one, k) for one in LESSONS for k in range(len(one.steps))]:
        place, step = {"lesson": lesson.id, "step": number}, lesson.steps[number]
        opened = sent(frame, SCREEN, "open", {**place, "own": OWN})
        assert opened.screen.example is None
        assert opened.screen.reading.encoding.context == OWN["context"]
        reply = opened.pictures[KEY]["reply"]
        assert not reply["foreign"] and not FACT.search(reply["text"] + reply["reveal"])
        if not step.own:
            assert not reply["holds"] and reply["missing"] == "This step speaks of its own text."
            back = sent(frame, opened.screen, "restore", place).pictures[KEY]["reply"]
            assert (back["holds"] or back["pending"]) and not back["foreign"]
    cocoa = sent(frame, SCREEN, "open", {"lesson": "span", "step": 2}).screen
    chosen = sent(frame, cocoa, "look", {"lesson": "span", "step": 0, "own": True})
    assert chosen.pictures[KEY]["reply"]["foreign"], "an example is not the teacher's text"
    for name in ("open", "worksheet"):
        empty = sent(frame, SCREEN, name, {**place, "own": {**OWN, "context": " "}})
        assert empty.refused and "the paragraph is empty" in empty.message["text"]
    paper = sent(frame, SCREEN, "worksheet", {"lesson": "span", "step": 0, "own": OWN})
    assert [OWN["question"], OWN["context"]] in paper.pictures[KEY]["worksheet"]["texts"]


@pytest.mark.parametrize("name", ["open", "restore", "look", "guess"])
def test_any_value_is_answered(frame: Frame, name: str) -> None:
    odd = [*ODD, *({"lesson": "span", "step": k, "guess": v} for k in range(4) for v in ODD)]
    odd += [{"lesson": "span", "step": 1, "own": v, "room": w} for v in ODD for w in (None, 1)]
    for value in odd:
        update = sent(frame, SCREEN, name, value)
        assert (update.message or {}).get("text") != UNEXPECTED, str(value)
    assert sent(frame, SCREEN, "open", {"lesson": "none", "step": 0}).refused
