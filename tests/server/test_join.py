"""What many want is made once, and what is kept waits for no worker."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from qa_demo.core.explaining.attention import Attention
from qa_demo.core.explaining.attribution import Attribution
from qa_demo.core.options import WindowOptions
from qa_demo.core.types import Reading, Window
from qa_demo.views import explaining
from qa_demo.views.answer import chapter as answer
from qa_demo.views.api.attribute import attribute as make_attribute
from qa_demo.views.api.read import read as make_read
from qa_demo.views.frame import Frame
from qa_demo.views.new_reading import NewReadings
from qa_demo.views.page import frame_of
from qa_demo.views.scores import chapter as scores
from qa_demo.views.scores import record
from qa_demo.views.state import Screen
from qa_demo.views.why import chapter as why
from tests.fakes import FakeReader
from tests.requests import emptied, selected, services
from tests.views.why import test_chapter as request

QUESTION = "Who drew the bridge?"
TEXT = "The bridge opened in July. George Rotne drew it, and Anna Lindh crossed it first."
STUDENTS = 20


class Counting(FakeReader):
    """Counts what it is asked for, and holds it until `open` is set."""

    def __init__(self) -> None:
        super().__init__(bio=True, null=-3.0)
        self.count = dict.fromkeys(("read", "attribute", "attention", "hidden"), 0)
        self.open, self.asked = threading.Event(), threading.Semaphore(0)

    def _held(self, name: str) -> None:
        self.count[name] += 1
        self.asked.release()
        assert self.open.wait(20)

    def read(self, *given: Any, **more: Any) -> Reading:
        self._held("read")
        return super().read(*given, **more)

    def attribute(self, *given: Any, **more: Any) -> Attribution:
        self._held("attribute")
        return super().attribute(*given, **more)

    def attention(self, window: Window) -> Attention:
        self._held("attention")
        return super().attention(window)

    def heads(self) -> Any:
        self._held("hidden")
        return super().heads()


@pytest.fixture(autouse=True)
def empty(monkeypatch: pytest.MonkeyPatch) -> None:
    emptied(monkeypatch, explaining.ATTENTION, explaining.FOUND, record._FOUND)


@pytest.fixture
def reader() -> Counting:
    return Counting()


@pytest.fixture
def frame(reader: Counting) -> Frame:
    """Chapters 2 and 9."""
    return frame_of(services(lambda: reader), [scores, why])


@pytest.fixture
def screen(reader: Counting) -> Screen:
    reader.open.set()
    reading = reader.read(QUESTION, TEXT)
    reader.open.clear()
    return selected(reading).open("why")


def together(reader: Counting, act: Callable[[int], Any]) -> list[Any]:
    """Everybody acts at once; the reader answers when all have asked."""
    start = threading.Barrier(STUDENTS)

    def one(k: int) -> Any:
        start.wait(20)
        return act(k)

    with ThreadPoolExecutor(STUDENTS) as pool:
        runs = [pool.submit(one, k) for k in range(STUDENTS)]
        assert reader.asked.acquire(timeout=20)
        reader.open.set()
        return [run.result(20) for run in runs]


def plain(reply: dict[str, Any]) -> dict[str, Any]:
    """A reply without what it cost."""
    return {name: one for name, one in reply.items() if name != "seconds"}


def value(screen: Screen, what: str) -> dict[str, Any]:
    quick = request.chosen(method="gradient_x_input")
    return request.asked(screen, what, quick, layer=0, head=0, position=1)


def asked(frame: Frame, screen: Screen, visitor: str, key: str, name: str, given: Any) -> Any:
    """The last update of a slow request, as the newest screen gets it."""
    return list(frame.slow.handlers[key][name](screen, visitor, given))[-1](screen)


@pytest.mark.parametrize(("what", "counted"), [("attribution", "attribute"), ("head", "attention")])
def test_one_explanation_for_all_who_ask_together_and_later(
    frame: Frame, reader: Counting, screen: Screen, what: str, counted: str
) -> None:
    found = together(
        reader, lambda k: asked(frame, screen, f"v{k}", "why", "ask", value(screen, what))
    )
    replies = [one.pictures["why"]["picture"]["reply"] for one in found]
    assert reader.count[counted] == 1 and all(one == replies[0] for one in replies)
    assert replies[0]["what"] == what
    reader.open.clear()  # whoever asks the reader now would wait for ever
    asked(frame, screen, "later", "why", "ask", value(screen, what))
    assert reader.count[counted] == 1


def test_hidden_states_are_fetched_once(frame: Frame, reader: Counting, screen: Screen) -> None:
    shown = screen.open("scores")
    found = together(reader, lambda k: asked(frame, shown, f"v{k}", "scores", "states", 0))
    assert reader.count["hidden"] == 1
    assert all(one.screen.own["scores"].states is not None for one in found)
    assert all(scores.details(one.screen) for one in found)


def test_calls_are_joined_with_each_other(reader: Counting) -> None:
    served = services(lambda: reader)
    read, attribute = make_read(served), make_attribute(served)
    replies = together(reader, lambda k: read(QUESTION, TEXT))
    assert reader.count["read"] == 1
    assert all(plain(one) == plain(replies[0]) for one in replies)
    reader.open.clear()
    replies = together(reader, lambda k: attribute(QUESTION, TEXT))
    replies.append(attribute(QUESTION, TEXT))  # it finds what the first has kept
    assert reader.count["attribute"] == 1
    assert all(plain(one) == plain(replies[0]) for one in replies)


def test_what_is_kept_waits_for_no_worker(reader: Counting) -> None:
    """Both workers are taken for as long as the test lasts."""
    served = services(lambda: reader)
    reader.open.set()
    first = make_read(served)(QUESTION, TEXT)
    release, taken = threading.Event(), threading.Semaphore(0)

    def block(k: int) -> None:
        list(served.jobs.run(f"b{k}", "slow", lambda *_: (taken.release(), release.wait(20))))

    with ThreadPoolExecutor(2) as pool:
        for k in range(2):
            pool.submit(block, k)
        assert all(taken.acquire(timeout=10) for _ in range(2))
        try:
            again = make_read(served)(QUESTION, TEXT)
            assert plain(again) == plain(first)
            assert again["seconds"] == {"tokenise": 0, "queue": 0, "model": 0}
            readings = NewReadings(frame_of(served, [answer, why]))
            (item,) = readings.read("me", "bundled", QUESTION, TEXT, WindowOptions(), None)
            assert item(None).screen.reading.encoding.context == TEXT
        finally:
            release.set()


def test_a_request_that_cannot_be_is_refused_in_the_picture(frame: Frame, screen: Screen) -> None:
    update = asked(frame, screen, "me", "why", "ask", {**value(screen, "head"), "what": "nothing"})
    assert "chapter 9 can be asked for" in update.pictures["why"]["picture"]["reply"]["error"]
