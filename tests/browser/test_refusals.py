"""What is refused is said beside its control until mended; words are dragged; no stray ring."""

from collections.abc import Callable
from threading import Event
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.serve import UNKNOWN
from tests.fakes import FakeReader

pytestmark = pytest.mark.browser


def test_a_text_too_long_for_chapter_8_is_refused_whole(page: Page) -> None:
    said = page.locator("#say [role=status]")
    page.locator("#tab-spanbert").click()
    menu, box = page.locator("#spanbert-source"), page.locator("#spanbert-text")
    expect(page.locator("#picture-spanbert .mask-text .word").first).to_be_visible()
    shown = menu.input_value()
    menu.select_option("own")
    box.fill("word " * 500)
    page.locator("#spanbert-use-text").click()
    expect(said).to_contain_text("1,600 are allowed")
    near(page, page.locator(".say-line"), [page.locator("#spanbert-use-text")])
    assert len(box.input_value()) == 2500, "nothing is cut"
    box.fill("a, " * 200)
    page.locator("#spanbert-use-text").click()
    expect(said).to_contain_text("allowed are 1 to 200")
    box.fill("Ada wrote it.")
    expect(said).to_be_empty()
    menu.select_option(shown)
    expect(box).to_be_hidden()


def test_dragging_over_words_selects_them(page: Page) -> None:
    words = page.locator("#picture-answer .word")
    for first, last in ((3, 6), (5, 2)):
        ends = [words.nth(k).bounding_box() for k in (first, last)]
        middles = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in ends]
        page.mouse.move(*middles[0])
        page.mouse.down()
        page.mouse.move(*middles[1], steps=5)
        page.mouse.up()
        texts = words.all_inner_texts()[min(first, last) : max(first, last) + 1]
        expect(page.locator("#picture-answer .selected-text")).to_have_text(" ".join(texts))
    page.keyboard.down("Shift")
    words.nth(8).click()
    page.keyboard.up("Shift")
    expect(page.locator("#picture-answer .selected-text")).to_contain_text("Öresund Bridge between")
    assert page.evaluate("window.getSelection().toString()") == ""


def test_a_click_leaves_no_ring_and_a_key_draws_one(page: Page) -> None:
    held = """() => {
      const node = document.activeElement;
      return [node.getAttribute("class").split(" ")[0], getComputedStyle(node).outlineStyle];
    }"""
    page.locator("#picture-answer .threshold-grip").click()
    assert page.evaluate(held) == ["threshold", "none"]
    page.keyboard.press("Shift+Tab")
    assert page.evaluate(held) == ["dot", "solid"]


class Box(NamedTuple):
    """A box to type in: what it refuses and says, what mends it, and its button or None."""

    box: str
    wrong: str
    says: str
    right: str
    send: str | None = None


PLACES: dict[str, tuple[list[str], list[Box]]] = {
    "question": (
        ["#asked button:has-text('Ask your own')"],
        [
            Box("#ask-question textarea", "  ", "question is empty", "Who?", "#ask-answer"),
            Box("#ask-paragraph textarea", " ", "at least one word", "A bee.", "#ask-answer"),
        ],
    ),
    "reader": (
        ["#switch-readers"],
        [
            Box("#reader-name", UNKNOWN, "no such reader", "fake/a", "#ask-load"),
            Box("#reader-name", "x" * 1001, "1,000 are allowed", "fake/b", "#ask-load"),
        ],
    ),
    "scores": (
        ["#tab-scores", "#scores-step-plane"],
        [Box("#scores-question", " ", "at least one word", "Who was it?", "#scores-ask")],
    ),
    "compare": (
        ["#tab-scores", "#scores-step-layers"],
        [
            Box(f"#scores-bench-{name}", wrong, says, right, "#scores-bench-read")
            for name, wrong, says, right in (
                ("question", "", "question is empty; type at least one word", "Who?"),
                ("paragraph", " ", "paragraph is empty; type at least one word", "A bee."),
                ("reader", UNKNOWN, "no such reader", "fake/c"),
            )
        ],
    ),
    "spans": (
        ["#tab-spans", "#spans-settings summary"],
        [
            Box("#spans-max-answer-length", "0", "from 1 to 200, got 0", "12"),
            Box("#spans-max-answer-length", "500", "from 1 to 200, got 500", "13"),
            Box("#spans-n-best-size", "", "the box is empty", "12"),
            Box("#spans-n-best-size", "2.5", "must be a whole number from 1 to", "13"),
        ],
    ),
    "neighbours": (
        ["#tab-spanbert", "#spanbert-step-predict"],
        [
            Box(f"#spanbert-{side}-word", wrong, says, right, f"#spanbert-{side}-word + button")
            for side, wrong, says, right in (
                ("left", "  ", "one word of at most 40 letters", "the"),
                ("left", "x" * 41, "at most 40 letters, got", "of"),
                ("right", "", "one word of at most", "the"),
            )
        ],
    ),
    "bench": (
        ["#switch-benching"],
        [
            Box("[data-box='start 0 1']", "x", "numbers such as", "1"),
            Box("[data-box='end 0 2']", "1e9", "must lie between", "2"),
            Box("[data-box='token 0']", "two words", "must be one word of at most", "one"),
            Box("[data-box='golds']", "9", "must lie between 1 and", "1"),
        ],
    ),
}


@pytest.mark.parametrize("place", PLACES)
def test_every_box_refuses_beside_itself_by_keyboard_and_mouse(page: Page, place: str) -> None:
    """What is refused stays in the box, its sentence beside it, and goes when mended."""
    reach, boxes = PLACES[place]
    for step in reach:
        page.locator(step).first.click()
    for box, wrong, says, right, send in boxes:
        field = page.locator(box)
        for by_key in (True, False):
            field.fill(wrong)
            if by_key and "paragraph" not in box:
                field.press("Enter")
            elif send:
                page.locator(send).press("Enter") if by_key else page.locator(send).click()
            else:
                page.locator("#picture-answer, .chapter-head, .bench-head").locator(
                    "visible=true"
                ).first.click(position={"x": 2, "y": 2})
            said = page.locator(".say.error, .setting .refused").filter(has_text=says)
            expect(said).to_have_count(1)
            expect(said).to_be_visible()
            expect(field).to_have_value(wrong)
            # the bench says it below its tables, where it covers no number
            beside = send or (".bench-golds" if place == "bench" else None)
            near(page, said, [field] + ([page.locator(beside)] if beside else []))
            field.fill(right)
            expect(said).to_have_count(0)
        if send is None:
            field.press("Enter")


NEAR = """([note, ...controls]) => {
    const at = note.getBoundingClientRect();
    const below = (box) => at.top >= box.bottom - 1 && at.top < box.bottom + 40 &&
        at.left < box.right && box.left < at.right;
    const beside = (box) => at.left >= box.right && at.left < box.right + 40 &&
        at.top < box.bottom && box.top < at.bottom;
    const near = (box) => below(box) || beside(box);
    return at.left >= 0 && at.right <= innerWidth &&
        controls.some((node) => near(node.getBoundingClientRect()));
}"""


def near(page: Page, said: Locator, controls: list[Locator]) -> None:
    """The sentence stands a line below a control or right of it, inside the window."""
    nodes = [node.element_handle() for node in (said, *controls)]
    page.wait_for_function(NEAR, arg=nodes)


@pytest.mark.usefixtures("nothing_fetched")
def test_a_refusal_goes_along_when_a_picture_comes_above_its_control(
    open_page: Callable[..., Page], reader: FakeReader, hold: Callable[[Any, str], Event]
) -> None:
    page = open_page()
    go = hold(reader, "hidden")
    page.locator("#tab-scores").click()
    page.locator("#scores-step-layers").click()
    button, box = page.locator("#scores-bench-read"), page.locator("#scores-bench-question")
    box.fill("")
    button.click()
    expect(page.locator(".say.error")).to_contain_text("question is empty")
    map_of_layers = page.locator("#picture-scores .scores-map").first
    expect(map_of_layers).to_be_hidden()
    go.set()
    expect(map_of_layers).to_be_visible()
    near(page, page.locator(".say.error"), [box, button])


def test_a_refusal_at_the_edge_of_the_window_comes_into_sight(
    open_page: Callable[..., Page],
) -> None:
    page = open_page(viewport={"width": 375, "height": 800})
    page.locator("#tab-scores").click()
    page.locator("#scores-step-layers").click()
    expect(page.locator("#picture-scores .scores-map").first).to_be_visible()
    box = page.locator("#scores-bench-question")
    box.fill("")
    box.evaluate("box => box.scrollIntoView({block: 'end'})")
    box.press("Enter")
    said = page.locator("#say [role=status]")
    expect(said).to_contain_text("question is empty")
    expect(said).to_be_in_viewport(ratio=1)


def test_a_refusal_beside_ask_leaves_the_answer_in_sight(page: Page) -> None:
    page.locator("#asked button:has-text('Ask your own')").click()
    page.locator("#ask-question textarea").fill("")
    page.locator("#ask-answer").click()
    said = page.locator(".say.error")
    expect(said).to_contain_text("question is empty")
    note, answer = said.bounding_box(), page.locator("#verdict").bounding_box()
    assert note["y"] + note["height"] <= answer["y"]
