"""The panel's handlers: what is typed is the reading in every chapter, and goes again."""

import json
import math
from typing import Any

import pytest

from qa_demo.core.course.pencil import pencil
from qa_demo.core.errors import BadInput
from qa_demo.core.options import WindowOptions
from qa_demo.figures.payload import plain
from qa_demo.views.ask import Ask
from qa_demo.views.bench import presets, typed
from qa_demo.views.bench.panel import KEY, Panel, of_exercise
from qa_demo.views.lessons.course import VIEWS
from qa_demo.views.link.restore import Wanted
from qa_demo.views.new_reading import new_screen
from qa_demo.views.page import CHAPTERS
from qa_demo.views.session.errors import UNEXPECTED
from qa_demo.views.state import Screen
from qa_demo.views.update import Update
from tests import requests
from tests.fakes import FakeReader
from tests.requests import services

PRESETS = presets.load()
READING = FakeReader().read("Who came?", "Anna Lund came to Visby in 1900.")
SCREEN = new_screen(None, READING).presented("answer")
RECORD = typed.as_record(PRESETS[1].bench)


@pytest.fixture(scope="module")
def ask() -> Ask:
    return requests.wired(services(), Panel)


def sent(ask: Ask, screen: Screen, name: str, value: Any = True) -> Update:
    handlers = ask.frame.slow.handlers[KEY]
    if name not in handlers:
        return ask.frame.inputs[KEY][name](screen, value)
    return requests.sent(ask.frame, KEY, name, screen, value)


def test_open_and_close_bring_the_text_back(ask: Ask) -> None:
    opened = sent(ask, SCREEN, "open")
    assert opened.screen.reading.typed
    assert opened.pictures[KEY]["desk"]["tokens"] == ["one", "two", "three"]
    assert opened.reading["typed"]
    closed = sent(ask, opened.screen, "close")
    assert closed.screen.reading is SCREEN.reading
    assert closed.screen.stamp > opened.screen.stamp, "the browser draws nothing older"
    again = sent(ask, closed.screen, "open").screen
    assert again.reading.key == opened.screen.reading.key


def test_a_chapter_opens_the_bench_with_a_case_of_its_own(ask: Ask) -> None:
    for chapter, shown in (("bio", "tags"), ("loss", "golds"), ("spans", "tokens")):
        desk = sent(ask, SCREEN.open(chapter), "open").pictures[KEY]["desk"]
        assert desk[shown] and (desk["tags"] is not None) == (chapter == "bio")
    first = presets.first("scores")
    assert first == presets.first("spans") == presets.preset("three-tokens")


@pytest.mark.parametrize("preset", PRESETS, ids=lambda p: p.id)
def test_every_case_shows_in_every_chapter(ask: Ask, preset: Any) -> None:
    assert preset.chapter in VIEWS and len(preset.about.split()) <= 25
    shown = sent(ask, SCREEN, "preset", preset.id).screen
    assert shown.chapter == preset.chapter
    for module in CHAPTERS:
        plain(module.present(shown))
    plain(ask.frame.answers.record(shown))


def test_typing_changes_all_that_follows(ask: Ask) -> None:
    first = sent(ask, SCREEN, "open").screen
    number = {**RECORD, "start": [["0", "7", "2,5", "\u22121"]], "golds": "1-2, none"}
    update = sent(ask, first, "change", number)
    assert update.screen.stamp > first.stamp
    assert update.screen.reading.start_logits.tolist() == [[0, 7, 2.5, -1]]
    assert [a.text for a in update.screen.gold] == ["one two"] and update.screen.silent == 1
    shaped = sent(ask, update.screen, "shape", {"n": 4, "step": 1, "tagged": True})
    assert len(shaped.pictures[KEY]["desk"]["windows"]) == 2
    assert shaped.pictures[KEY]["desk"]["tags"]
    as_p = sent(ask, update.screen, "as", "probabilities").pictures[KEY]["desk"]
    assert sum(map(float, as_p["windows"][0]["start"]["typed"])) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("preset", PRESETS, ids=lambda p: p.id)
def test_a_link_brings_the_bench_back(ask: Ask, preset: Any) -> None:
    shown = sent(ask, SCREEN, "preset", preset.id)
    text = shown.selection["link"][KEY]
    back = ask.links.typed(Wanted({KEY: text, "chapter": "loss"}))(None).screen
    assert back.chapter == "loss"
    assert json.loads(text) == json.loads(typed.link_text(typed.from_link({KEY: text})))
    assert back.reading.encoding.context == shown.screen.reading.encoding.context


def test_a_text_after_the_bench_gets_the_usual_windows(ask: Ask) -> None:
    opened = sent(ask, SCREEN, "open").screen
    assert ask.readings.windows(opened, None) == WindowOptions()


def test_the_exercise_can_be_laid_on_the_bench(ask: Ask) -> None:
    data = sent(ask, SCREEN, "exercise", 3).pictures[KEY]["pencil"]
    assert data["n"] == 3 and all(cell["hint"] for cell in data["cells"])
    laid = sent(ask, SCREEN, "lay", 0).screen
    exercise = pencil()
    span = laid.prediction.best.candidate.span
    assert (span.start + 1, span.end + 1) == exercise.best
    assert laid.prediction.null_score == exercise.score(0, 0)
    assert of_exercise(exercise).golds == ((0, 1),)


ODD: list[Any] = [
    None, 1, "x", [], {}, math.nan, {**RECORD, "tokens": ["a"]}, {**RECORD, "tokens": [1, 2, 3]},
    {**RECORD, "start": [["x"] * 4]}, {**RECORD, "start": [["1/0"] * 4]},
    {**RECORD, "start": [["9" * 400] * 4]}, {**RECORD, "golds": "1-9"}, {**RECORD, "golds": 3},
    {**RECORD, "golds": "a"}, {**RECORD, "step": True}, {**RECORD, "typed": "bits"},
    {**RECORD, "tokens": ["a", "b", "\ud800"]}, {**RECORD, "tags": [[1, 2]]},
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD, ids=lambda v: str(v)[:20])
def test_odd_values_leave_the_screen_and_say_why(ask: Ask, odd: Any) -> None:
    opened = sent(ask, SCREEN, "open").screen
    for name in ("change", "shape", "as", "preset"):
        update = sent(ask, opened, name, odd)
        assert update.screen is None
        assert update.pictures[KEY]["refused"] not in ("", UNEXPECTED), name


@pytest.mark.parametrize("text", ["", "{", "[]", "9" * 5000, json.dumps({"tokens": ["<s>"]})])
def test_a_damaged_link_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        typed.from_link({KEY: text})
    assert typed.from_link({}) is None
