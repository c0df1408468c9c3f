"""A browser may send anything: a door answers with a change, our sentence, or nothing."""

import math
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest
from hypothesis import given, settings

from qa_demo.core.options import WindowOptions
from qa_demo.views.answers import open_chapter
from qa_demo.views.frame import Frame
from qa_demo.views.new_reading import new_screen
from qa_demo.views.session.errors import UNEXPECTED
from qa_demo.views.state import Screen
from qa_demo.views.update import Update
from tests.fakes import FakeReader
from tests.odd import JSON
from tests.requests import MODULES, services, wired

VISITOR = SimpleNamespace(session_hash="")
NUMBERS: list[Any] = [0, 1, -1, 10**6, 10**400, 1.5, math.nan, math.inf, -math.inf]
TEXTS = ["", "start", "all", "<b>${x}", "\ud800", "9" * 400, "__proto__"]
LISTS: list[Any] = [[], [0], [0, 1], [0, 1, 2], [1, 0], ["a", "b"], [[0, 1], [2, 3]], [None] * 3]
LISTS += [[math.nan, 0], [{}]]
FIELDS = """annotator c copies decoding doc end key kind lane max_seq_length method name optimizer
pos question rate scale scope side span start steps text value what window"""
ODD: list[Any] = [None, True, False, *NUMBERS, *TEXTS, *LISTS, {}, {"kind": "window"}]
ODD += [
    dict.fromkeys(FIELDS.split(), value)
    for value in (None, True, 0, 1.5, math.nan, "start", [], [0, 1], {}, "\ud800", 10**400)
]


READER = FakeReader(bio=True)
"""One for all tests: it explains the windows that it has read."""
TEXT = "In 1900 Anna Lund came to Visby and met Bertil Kalmar. " * 4
READING = READER.read("Who came to Visby?", TEXT, WindowOptions(40, 16))
SCREEN = new_screen(None, READING).presented("answer")


@pytest.fixture(scope="module")
def frame() -> Frame:
    """Every chapter, wired as on the page."""
    return wired(services(lambda: READER)).frame


@pytest.mark.parametrize("key", ["chosen", *MODULES])
def test_any_value_under_any_name_is_answered(frame: Frame, key: str) -> None:
    shown = SCREEN.open(key) if key in frame.modules else SCREEN
    for name in frame.inputs.get(key, {}):
        accepted = 0
        for value in ODD:
            update = frame.dispatch(key, shown, gr.EventData(None, {"index": name, "value": value}))
            said = update.message or {}
            assert said.get("text") != UNEXPECTED, (name, str(value)[:60])
            accepted += said.get("kind") != "error"
            if accepted > 2:
                break  # it needs no value: its work need not be done again and again


@pytest.mark.parametrize("key", ["chosen", *MODULES])
def test_any_slow_request_under_any_name_is_answered(frame: Frame, key: str) -> None:
    for name, handler in frame.slow.handlers.get(key, {}).items():
        for value in ODD[::4]:
            update = Update()
            for item in handler(SCREEN, "me", value):
                update = update.then(item(SCREEN) if callable(item) else item)
            assert (update.message or {}).get("text") != UNEXPECTED, (name, str(value)[:60])


@settings(max_examples=80, deadline=None)
@given(index=JSON, number=JSON)
def test_any_selection_and_any_chapter_is_answered(frame: Frame, index: Any, number: Any) -> None:
    sent = gr.EventData(None, {"index": index, "id": number})
    new, _, said, receipt = frame.selected(SCREEN, sent, VISITOR)
    assert isinstance(receipt["id"], int)
    assert not (isinstance(said, dict) and said.get("text") == UNEXPECTED)
    assert isinstance(new, Screen) or said["kind"] == "error"
    opened = frame.answers.step(SCREEN, lambda seen: open_chapter(frame.modules, seen, sent))
    assert isinstance(opened.screen, Screen) or "has no chapter" in opened.message["text"]


@pytest.mark.parametrize(
    "fault", [MemoryError, RecursionError, type("PanicException", (BaseException,), {})]
)
def test_no_failure_leaves_an_event_unanswered(frame: Frame, fault: type[BaseException]) -> None:
    def fail(seen: Screen) -> Screen:
        raise fault("/secret/path")

    update = frame.answers.step(SCREEN, fail)
    assert update.message["text"] == UNEXPECTED
    assert len(frame.outputs.values(update)) == len(frame.outputs.parts)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_the_end_of_the_program_is_no_failure(frame: Frame, stop: type[BaseException]) -> None:
    def end(seen: Screen) -> Screen:
        raise stop

    with pytest.raises(stop):
        frame.answers.step(SCREEN, end)
