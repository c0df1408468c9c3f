"""What is lost between the page and Python, and what comes in an unlucky order."""

import re
import threading
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from qa_demo.views.scores import record
from qa_demo.views.session.recent import RecentValues
from tests.fakes import FakeReader

pytestmark = pytest.mark.browser


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch, nothing_explained: None) -> None:
    """The reader has computed nothing of these texts yet."""
    monkeypatch.setattr(record, "_FOUND", RecentValues(4))


@pytest.fixture
def deaf(page: Page) -> Callable[[int], list[int]]:
    """deaf(n): the n-th stream of answers from now on is closed at once; returns their numbers."""

    def close(n: int) -> list[int]:
        opened: list[int] = []

        def answer(route: Route) -> None:
            opened.append(len(opened) + 1)
            if opened[-1] != n:
                route.continue_()
                return
            body = 'data: {"msg": "close_stream"}\n\n'
            route.fulfill(status=200, content_type="text/event-stream", body=body)

        page.route("**/queue/data?*", answer)
        return opened

    return close


def test_a_selection_whose_answer_came_into_a_closed_stream_is_heard(
    page: Page, deaf: Callable[[int], list[int]]
) -> None:
    chosen = page.locator("#picture-answer .selected-text")
    before = chosen.get_attribute("data-span")
    opened = deaf(1)
    page.locator("#picture-answer .word").nth(8).click()
    expect(chosen).to_have_attribute("data-span", "0 8 8")
    assert before != "0 8 8" and len(opened) > 1


@pytest.mark.parametrize("lost", [1, 2, 3])
def test_slow_work_whose_answer_came_into_a_closed_stream_is_heard(
    page: Page, deaf: Callable[[int], list[int]], lost: int
) -> None:
    opened = deaf(lost)
    page.locator("#tab-why").click()
    page.locator("#why-step-rested").click()
    expect(page.locator("#picture-why .step-body:not([hidden]) .lane .bar")).not_to_have_count(0)
    assert len(opened) > lost


@pytest.mark.usefixtures("nothing_fetched")
def test_a_refusal_outlives_what_was_begun_before_it(
    page: Page, reader: FakeReader, hold: Callable[[Any, str], threading.Event]
) -> None:
    go = hold(reader, "hidden")
    # the chapter asks for both when it opens, in either order
    begun = re.compile("^(fetching the hidden states of one window|reading)")
    line = page.locator("#say [role=status]")
    question = page.locator("#scores-bench-question")
    page.locator("#tab-scores").click()
    page.locator("#scores-step-layers").click()
    expect(line).to_have_text(begun)
    at = page.locator(".say-line").bounding_box()
    question.fill("")
    question.press("Enter")
    expect(line).to_contain_text("question is empty")
    expect(page.locator("#ask-cancel")).to_be_hidden()
    page.locator("#scores-bench-reader").fill("")  # another box: nothing is mended yet
    page.keyboard.press("Escape")
    expect(line).to_have_text(begun)
    expect(page.locator("#ask-cancel")).to_be_in_viewport()
    back = page.locator(".say-line").bounding_box()
    assert (back["x"], back["y"]) == (at["x"], at["y"])
    question.press("Enter")
    expect(line).to_contain_text("question is empty")
    go.set()
    page.locator("#scores-step-plane").click()
    expect(page.locator("#picture-scores .scores-plane").first).to_be_visible()
    expect(line).to_contain_text("question is empty")
    page.locator("#scores-step-layers").click()
    question.fill("Who?")
    expect(line).to_be_empty()


def test_an_answer_is_heard_though_another_picture_comes_within_the_same_frame(
    page: Page, reader: FakeReader, hold: Callable[[Any, str], threading.Event]
) -> None:
    go = hold(reader, "attention")
    body = page.locator("#picture-why .step-body:not([hidden])")
    page.locator("#tab-why").click()
    expect(page.locator("#why-step-looked")).to_have_attribute("aria-pressed", "true")
    # no frame is drawn from now on
    page.evaluate("""async () => {
        const { underWay } = await module('shared/outbox.js');
        Object.assign(window, { underWay, held: [], due: false, draws: requestAnimationFrame });
        window.requestAnimationFrame = (draw) => {
            window.held.push(draw);
            window.due ||= new Error().stack.includes("at update ("); // a picture came
        };
    }""")
    go.set()
    page.wait_for_function("window.due", polling=50)
    page.evaluate("document.getElementById('why-compare-span').click()")
    page.wait_for_function("!window.underWay('why choice')", polling=50)  # another picture came
    page.evaluate("""() => {
        window.requestAnimationFrame = window.draws;
        window.held.forEach((draw) => window.requestAnimationFrame(draw));
    }""")
    expect(body.locator(".lane .bar")).not_to_have_count(0)
