"""Chapter 4 in Chromium: matrix, cells by mouse and key, tent, phone, settings."""

import re
import threading
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from qa_demo.views.spans import chapter as spans
from tests.browser.steps import ask, tab_to

pytestmark = pytest.mark.browser

LONG = " ".join(
    f"In year {1900 + k} the traveller Anna{k % 7} came to Kalmar and met Bertil of Visby near "
    f"an old mill ."
    for k in range(30)
)


def chapter(page: Page) -> Locator:
    page.locator("#tab-spans").click()
    picture = page.locator("#picture-spans")
    expect(picture.locator("#spans-stage")).to_be_visible()
    expect(picture.locator(".formula")).to_contain_text("score(i, j)")
    return picture


def square(page: Page) -> Locator:
    """The square with the predicted span selected, whatever another test has left."""
    page.locator("#tab-spans").click()
    page.locator("#spans-step-square").click()
    page.evaluate("module('shared/store.js').then((m) => m.select(m.state.predicted))")
    picture = chapter(page)
    expect(picture.locator(".selection-line")).to_contain_text("i = ")
    return picture


def test_a_click_on_a_cell_selects_its_span_everywhere(top: Page) -> None:
    picture = square(top)
    row = picture.locator(".spans-n-best tbody tr").nth(2)
    row.click()
    expect(row.get_by_role("button")).to_have_attribute("aria-pressed", "true")
    text = row.get_by_role("button").inner_text()
    expect(picture.locator(".selected-text")).to_have_text(text)
    expect(picture.locator(".formula")).to_contain_text(row.locator(".role-strong").inner_text())
    i, j = (
        int(x)
        for x in re.search(
            r"i = (\d+), j = (\d+)", picture.locator(".selection-line").inner_text()
        ).groups()
    )
    n = top.evaluate(
        "() => module('shared/store.js').then(({ state }) => state.reading.windows[0].n)"
    )
    picture.locator(".spans-n-best tbody tr").first.click()
    expect(picture.locator(".selected-text")).not_to_have_text(text)
    cells = picture.locator(".spans-square .spans-cells")
    side = cells.bounding_box()["width"]
    cells.click(position={"x": (j + 0.5) * side / n, "y": (i + 0.5) * side / n})
    expect(picture.locator(".selected-text")).to_have_text(text)
    expect(row.get_by_role("button")).to_have_attribute("aria-pressed", "true")
    top.locator("#tab-answer").click()
    expect(top.locator("#picture-answer .selected-text")).to_have_text(text)


def test_the_cell_under_the_pointer_is_told_and_an_illegal_one_is_not_selected(top: Page) -> None:
    picture = square(top)
    before = picture.locator(".selection-line").inner_text()
    cells = picture.locator(".spans-square .spans-cells")
    side = cells.bounding_box()["width"]
    cells.hover(position={"x": side * 0.3, "y": side * 0.8})
    told = picture.locator("#spans-readout")
    expect(told).to_contain_text("end before start")
    expect(told).to_have_text(re.compile(r"i = \d+ .+ j = \d+ .+ [=≈] "))
    top.mouse.down()
    top.mouse.up()
    cells.hover(position={"x": 1, "y": 1})
    expect(told).to_contain_text("no answer")
    expect(picture.locator(".selection-line")).to_have_text(before)


def test_the_cursor_moves_by_arrows_and_enter_selects(top: Page) -> None:
    picture = square(top)
    stage = picture.locator("#spans-stage")
    expect(stage).to_have_accessible_name(re.compile("Score of every pair"))
    i, j = (
        int(x)
        for x in re.search(
            r"i = (\d+), j = (\d+)", picture.locator(".selection-line").inner_text()
        ).groups()
    )
    stage.focus()
    top.keyboard.press("ArrowUp")
    expect(picture.locator("#spans-readout")).to_contain_text(f"i = {i - 1} ")
    top.keyboard.press("ArrowRight")
    expect(picture.locator("#spans-readout")).to_contain_text(f"j = {j + 1} ")
    top.keyboard.press("Enter")
    expect(picture.locator(".selection-line")).to_contain_text(f"i = {i - 1}, j = {j + 1} ")
    top.keyboard.press("ArrowDown")
    top.keyboard.press("Escape")
    expect(picture.locator("#spans-readout")).not_to_contain_text("i = ")


def test_the_tent_selects_by_mouse_and_by_keyboard(top: Page) -> None:
    picture = square(top)
    picture.locator("#spans-step-tent").click()
    expect(picture.locator(".spans-tent")).to_be_visible()
    before = picture.locator(".selected-text").inner_text()
    picture.locator("#spans-stage").focus()
    top.keyboard.press("ArrowUp")
    top.keyboard.press("Enter")
    expect(picture.locator(".selected-text")).not_to_have_text(before)
    assert picture.locator(".selected-text").inner_text().startswith(before)
    picture.locator(".spans-tent .spans-cells").hover()
    told = picture.locator("#spans-readout")
    expect(told).to_contain_text("legal")
    i, j = re.search(r"i = (\d+) .* j = (\d+) ", told.inner_text()).groups()
    top.mouse.down()
    top.mouse.up()
    expect(picture.locator(".selection-line")).to_contain_text(f"i = {i}, j = {j} ")


def test_the_mass_is_one_bar_with_words(top: Page) -> None:
    picture = square(top)
    picture.locator("#spans-step-mass").click()
    expect(picture.locator(".spans-part")).to_have_count(4)
    expect(picture.locator(".spans-mass .says")).to_contain_text(
        "the cost of scoring the two ends apart"
    )
    widths = [r.bounding_box()["width"] for r in picture.locator("svg rect.mass").all()]
    assert 0.95 < sum(widths) / picture.locator(".spans-mass svg").bounding_box()["width"] < 1.02


def test_settings_apply_by_keyboard_and_the_grid_is_drawn_when_it_is_on(page: Page) -> None:
    picture = chapter(page)
    summary = picture.locator("#spans-settings summary")
    tab_to(page, summary)
    page.keyboard.press("Enter")
    slider = picture.get_by_role("slider", name="max_answer_length")
    box = picture.get_by_role("textbox", name="max_answer_length")
    formula = picture.locator(".formula")
    expect(formula).to_contain_text("j < i + 30")
    page.keyboard.press("Tab")
    expect(slider).to_be_focused()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")  # faster than answers come back
    expect(formula).to_contain_text("j < i + 25")
    expect(slider).to_be_focused()
    page.keyboard.press("Tab")
    expect(box).to_be_focused()
    expect(box).to_have_value("25")
    page.keyboard.press("Control+A")
    page.keyboard.type("7")
    page.keyboard.press("Tab")  # leaving the box applies, as Enter does
    expect(formula).to_contain_text("j < i + 7")
    expect(slider).to_have_value("7")
    expect(page.locator("#say [role=status]")).to_be_empty()
    expect(picture.locator(".grid-line")).to_have_count(0)
    page.get_by_label("top_n_grid").check()
    expect(picture.locator(".grid-line").first).to_be_attached()
    picture.locator("#spans-grid summary").click()
    expect(picture.locator("#spans-grid .says")).to_contain_text(
        "run_squad.py pairs only the 20 highest starts"
    )


def test_another_window_brings_its_own_numbers(page: Page) -> None:
    ask(page, "Who met Anna?", LONG)
    picture = chapter(page)
    tools = picture.locator(".spans-tools")
    expect(tools).to_contain_text(re.compile(r"window \d of \d"))
    shown = int(re.search(r"window (\d) of", tools.inner_text()).group(1))
    direction, other = ("next", shown + 1) if shown == 1 else ("previous", shown - 1)
    tools.get_by_role("button", name=f"{direction} window").click()
    expect(picture.locator(".selection-line")).to_contain_text(f"in window {other} of")
    expect(tools).to_contain_text(f"window {other} of")
    picture.locator("#spans-step-mass").click()
    expect(picture.locator(".spans-mass figcaption")).to_contain_text(f"window {other}")
    picture.locator("#spans-step-square").click()
    picture.locator("#spans-closer").click()
    expect(picture.locator("rect.mark-selected")).to_be_attached()


def test_a_picture_of_the_reading_before_is_out_of_reach(
    page: Page, hold: Callable[[Any, str], threading.Event]
) -> None:
    """Its rows point at words that the new text does not have."""
    picture = chapter(page)
    expect(picture.locator(".spans-n-best tbody tr")).not_to_have_count(0)
    page.locator("#tab-answer").click()
    ask(page, "Who came?", "Anna came.")
    go = hold(spans, "present")
    page.locator("#tab-spans").click()
    expect(picture.locator(".stale")).to_have_count(1)
    tent = page.locator("#spans-step-tent")
    tent.click()
    expect(tent).to_have_attribute("aria-pressed", "false")
    go.set()
    expect(picture.locator(".stale")).to_have_count(0)
    expect(picture.locator(".spans-n-best")).to_contain_text("Anna")
    tent.click()
    expect(tent).to_have_attribute("aria-pressed", "true")


def test_a_narrow_screen_unfolds_the_ends_of_a_start(open_page: Callable[..., Page]) -> None:
    page = open_page(viewport={"width": 375, "height": 800}, has_touch=True)
    picture = chapter(page)
    expect(picture.locator(".spans-phone")).to_be_visible()
    room = """(box) => {
      const stem = box.querySelector(".up");
      stem.style.height = "1.3em";
      return stem.getBoundingClientRect().top - 4 - box.getBoundingClientRect().top;
    }"""
    assert picture.locator(".spans-phone-box").evaluate(room) >= 0, "the tallest stem has its head"
    pieces = picture.locator(".piece:not(.not-owned)")
    pieces.nth(3).click()
    expect(picture.locator(".end-choice")).not_to_have_count(0)
    first, last = pieces.nth(3).inner_text(), pieces.nth(5).inner_text()
    pieces.nth(5).click()
    expect(picture.locator(".end-choice")).to_have_count(0)
    expect(picture.locator(".selected-text")).to_have_text(
        re.compile(f"^{re.escape(first)}.*{re.escape(last)}$")
    )
    picture.locator("#spans-open-square").click()
    expect(picture.locator("rect.mark-selected")).to_be_attached()
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
