"""What is refused is said beside the control that it is about, in sight, until it is mended; words
are selected by dragging; and a click leaves no ring of the keyboard's focus.
"""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.serve import UNKNOWN

pytestmark = pytest.mark.browser


def beside(page: Page, control: Locator) -> None:
    """The message stands within a line of the control, and wholly inside the window."""
    note, box = page.locator(".say-line").bounding_box(), control.bounding_box()
    assert 0 <= note["y"] - box["y"] - box["height"] < 40, (note, box)
    assert note["x"] < box["x"] + box["width"] and box["x"] < note["x"] + note["width"]
    assert note["x"] >= 0 and note["x"] + note["width"] <= page.viewport_size["width"]


def test_a_refusal_stands_beside_its_control_until_it_is_mended(page: Page) -> None:
    said, answer = page.locator("#say [role=status]"), page.locator("#ask-answer")
    page.get_by_role("button", name="edit").click()
    page.get_by_label("Question", exact=True).fill("  ")
    answer.click()
    expect(said).to_contain_text("the question is empty")
    beside(page, answer)
    page.get_by_label("Question", exact=True).fill("Who was first?")
    answer.click()
    expect(page.locator("#asked .asked-question")).to_have_text("Who was first?")
    expect(said).to_be_empty()
    page.locator("#switch-readers").click()
    page.get_by_label("Reader", exact=True).fill(UNKNOWN)
    page.locator("#ask-load").click()
    expect(said).to_contain_text("there is no such reader")
    beside(page, page.locator("#ask-load"))
    expect(page.get_by_label("Reader", exact=True)).to_have_value(UNKNOWN)
    page.locator("#switch-readers").click()
    expect(said).to_be_empty()


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
    beside(page, page.locator("#spanbert-use-text"))
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
