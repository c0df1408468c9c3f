"""The veil covers numbers, never the text; "you are the reader" covers the answer; chips."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from qa_demo.views.page import CHAPTERS
from tests.browser.test_page import STORE

pytestmark = pytest.mark.browser

SEEN = """(key) => {
  const panel = document.getElementById(`panel-${key}`);
  const seen = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const inside = (node, part) => node.closest(part) !== null;
  const text = ".reading-text, .sbp-text, .mask-key, .mask-source-box, .veil-text";
  const tools = "button, label, select, input, textarea, .question, .steps, .help, h3, .acts";
  const numbers = [];
  const walk = document.createTreeWalker(panel, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const at = node.parentElement;
    if (/\\d/.test(node.data) && seen(at) && !inside(at, text) && !inside(at, tools)) {
      numbers.push(node.data.trim().slice(0, 60));
    }
  }
  const marks = [...panel.querySelectorAll(".mark-predicted, .mark-selected, .mark-gold, .selected-text, .verdict, canvas")]
    .filter(seen).map((node) => node.getAttribute("class"));
  const shown = [...panel.querySelectorAll(text)].filter(seen).map((node) => node.innerText).join(" ");
  return { numbers, marks, shown };
}"""


def covered(page: Page, key: str) -> dict:
    found = page.evaluate(SEEN, key)
    assert not page.locator("#verdict .verdict").is_visible()
    return found


def test_the_veil_covers_numbers_and_marks_and_leaves_the_text(page: Page) -> None:
    page.locator("h1").click()
    page.keyboard.press("v")
    words = page.evaluate(f"{STORE}.then((m) => m.state.reading.context)").split()
    for module in CHAPTERS:
        key = module.CHAPTER.key
        page.locator(f"#tab-{key}").click()
        expect(page.locator(f"#picture-{key} .notice")).not_to_be_empty()
        expect(page.locator(f"#picture-{key} .stage > *").first).to_be_attached()
        if key == "spanbert":  # its counts come with the picture
            expect(page.locator(".mask-column > p").first).not_to_be_empty()
        found = covered(page, key)
        assert found["marks"] == [] and found["numbers"] == [], (key, found)
        if key != "spanbert":  # it has a text of its own
            assert all(word in found["shown"] for word in words), (key, found["shown"])
        assert page.locator(f"#picture-{key} .formula").is_hidden()
    page.keyboard.press("v")
    expect(page.locator("#verdict .verdict")).to_be_visible()


def test_the_key_of_the_veil_can_be_switched_off(page: Page) -> None:
    result = page.locator("#picture-answer .four")
    page.keyboard.press("v")
    expect(result).to_be_hidden()
    page.keyboard.press("v")
    expect(result).to_be_visible()
    page.get_by_label("single keys").uncheck()
    page.keyboard.press("v")
    expect(result).to_be_visible()


def test_guessing_covers_the_answer_until_it_is_compared(page: Page) -> None:
    verdict, four = page.locator("#verdict .verdict"), page.locator("#picture-answer .four")
    page.locator("#switch-guessing").click()
    expect(verdict).to_be_hidden()
    expect(four).to_be_hidden()
    assert covered(page, "answer")["marks"] == []
    compare = page.get_by_role("button", name="compare with the model")
    compare.click()
    expect(page.locator("#guess .guess-result")).to_contain_text("Place all ten chips")
    expect(verdict).to_be_hidden()
    start = page.locator("#guess .place", has_text="Georg").last
    start.focus()
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("7")
    expect(page.locator("#guess .side", has_text="end: 7 of 10")).to_have_count(1)
    expect(page.locator("#tab-answer")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Shift+Enter")
    compare.click()
    expect(page.locator("#guess table")).to_contain_text("your −log p")
    expect(verdict).to_be_visible()
    expect(four).to_be_visible()
    page.get_by_role("button", name="take all back").click()
    expect(verdict).to_be_hidden()
    page.locator("#switch-guessing").click()
    expect(verdict).to_be_visible()


def test_chips_are_dragged(page: Page) -> None:
    page.locator("#switch-guessing").click()
    page.locator("#guess .pool.start").drag_to(page.locator("#guess .place", has_text="Georg"))
    expect(page.locator("#guess .side", has_text="start: 10 of 10")).to_have_count(1)
    page.locator("#guess .place .chips.start", has_text="●").drag_to(
        page.locator("#guess .place", has_text="towers")
    )
    expect(page.locator("#guess .place", has_text="towers")).to_have_attribute(
        "aria-label", "towers,, 10 for the start"
    )
    expect(page.locator("#guess .place", has_text="Georg")).to_have_attribute("aria-label", "Georg")
    page.locator("#guess .pool.end").drag_to(page.locator("#guess .place", has_text="Rotne"))
    # ten chips are wider than the word: none of them stands at the next one
    chips = page.locator("#guess .place .chips", has_text="●" * 10)
    assert chips.evaluate_all(
        "(all) => all.map((node) => node.scrollWidth <= node.parentElement.clientWidth)"
    ) == [True, True]
    page.get_by_role("button", name="compare with the model").click()
    expect(page.locator("#guess table")).to_contain_text("your −log p")


def test_a_long_text_is_not_scrolled_to_the_answer_under_the_veil(
    open_page: Callable[..., Page],
) -> None:
    page = open_page(viewport={"width": 375, "height": 600})
    box = page.locator("#picture-answer .text-box")
    expect(box).to_be_visible()
    page.keyboard.press("v")
    expect(page.locator("#picture-answer .four")).to_be_hidden()
    page.wait_for_function("document.querySelector('#picture-answer .text-box').scrollTop === 0")
    assert box.evaluate("(node) => node.scrollHeight > node.clientHeight")


UNDER = """() => {
  const head = document.querySelector("#panel-answer .chapter-head");
  const said = parseFloat(getComputedStyle(head, "::after").height);
  const room = head.getBoundingClientRect().bottom -
    head.querySelector(".question").getBoundingClientRect().bottom;
  return said > 0 && said <= room;
}"""


@pytest.mark.parametrize("width", [375, 1280])
def test_what_is_covered_is_said_below_the_heading(
    open_page: Callable[..., Page], width: int
) -> None:
    """The first step of a lesson has no formula whose room the sentence could take."""
    page = open_page("#lesson=span", viewport={"width": width, "height": 800})
    expect(page.locator(".lesson-strip .strip-title")).to_be_visible()
    expect(page.locator("body")).to_have_class(re.compile("veiled"))
    page.wait_for_function(UNDER)
    if width == 1280:
        page.keyboard.press("p")
        expect(page.locator("body")).to_have_class(re.compile("present"))
        page.wait_for_function(UNDER)
