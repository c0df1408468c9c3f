"""Services and jobs around fakes, for tests of views."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Any

import gradio as gr
import pytest

from qa_demo.core.files.examples import PoolExample
from qa_demo.core.masking.infiller import Infiller
from qa_demo.core.options import DecodeOptions
from qa_demo.core.types import Reading
from qa_demo.views import selection
from qa_demo.views.ask import Ask
from qa_demo.views.background import Job, never, untold
from qa_demo.views.examples import load_examples
from qa_demo.views.frame import Frame
from qa_demo.views.new_reading import new_screen
from qa_demo.views.page import CHAPTERS
from qa_demo.views.services import Services
from qa_demo.views.session.model_cache import ModelCache
from qa_demo.views.session.recent import RecentValues
from qa_demo.views.state import Screen
from qa_demo.views.update import Update
from tests.fakes import FakeReader

MODULES = {module.CHAPTER.key: module for module in CHAPTERS}


def selected(reading: Reading, **fields: Any) -> Screen:
    """A screen of its own with the best span selected."""
    made = Screen(reading, DecodeOptions(), **fields)
    return made.select(selection.winner(made))


@cache
def readings() -> dict[str, Reading]:
    """The stored readings of all bundled examples."""
    found = {key: example.stored() for key, example in load_examples().items()}
    assert all(found.values())
    return found


@cache
def opened(example: str, chapter: str = "answer") -> Screen:
    """A bundled example with its stored reading, as the page opens it."""
    found = load_examples()[example]
    return new_screen(None, readings()[example], found.answers, example).open(chapter)


def wired(
    served: Services, *more: Callable[[Frame, Ask], Any], chapters: Sequence[ModuleType] = CHAPTERS
) -> Ask:
    """The boxes and chapters of the page, and what else is built with them, without a browser."""
    with gr.Blocks() as page:
        frame = Frame(chapters, served)
        ask = Ask(frame)
        parts = [make(frame, ask) for make in more]
        for part in (ask, *parts):
            part.build()
        for module in chapters:
            frame.place(module.CHAPTER)
            module.build(frame)
        frame.wire(page)
    return ask


def sent(frame: Frame, key: str, name: str, screen: Screen | None, value: Any = True) -> Update:
    """All that a slow event of a picture changes, on the screen as it comes to be."""
    update = Update(screen=screen)
    for item in frame.slow.handlers[key][name](screen, "me", value):
        update = update.then(item(update.screen) if callable(item) else item)
    return update


def services(
    reader: Callable[[], Any] = FakeReader,
    load: Callable[[str], Any] | None = None,
    examples: Mapping[str, PoolExample] | None = None,
    infillers: ModelCache[Infiller] | None = None,
    **more: Any,
) -> Services:
    """A server with a fake reader under every name, and the bundled examples."""
    load = load or (lambda source: FakeReader(name=source))
    examples = load_examples() if examples is None else examples
    return Services(reader, load, examples, infillers=infillers, **more)


def emptied(monkeypatch: pytest.MonkeyPatch, *shelves: RecentValues[Any]) -> None:
    """Take off the shelves what earlier tests left there, for one test."""
    for shelf in shelves:
        monkeypatch.setattr(shelf, "_held", OrderedDict())
        monkeypatch.setattr(shelf, "_weight", 0)


def job(
    screen: Screen,
    name: str = "",
    value: Any = None,
    reader: Any = None,
    progress: Any = untold,
    load: Callable[[str], Any] | None = None,
    **more: Any,
) -> Job:
    """A visitor's request; `reader` answers under every name, but for those that `load` answers."""
    used = FakeReader() if reader is None else reader
    served = services(lambda: used, load or (lambda source: used), **more)
    return Job(screen, name, value, served, "me", progress, never)
