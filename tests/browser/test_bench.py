"""The bench in Chromium: typed numbers show in chapters and links; the pencil; axe."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from qa_demo.core.course.pencil import pencil
from tests.browser.steps import findings

pytestmark = pytest.mark.browser


def test_typed_numbers_show_in_the_chapter_and_a_link_brings_them_back(
    page: Page, open_page: Callable[..., Page]
) -> None:
    page.locator("#tab-spans").click()
    page.locator("#panel-spans .to-bench").click()
    expect(page.locator("#bench-presets")).to_be_focused()
    expect(page.locator("#panel-spans .selected-text")).to_have_text("three")
    first = page.get_by_label("start of token 1", exact=True)
    first.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("9")
    expect(page.locator("#panel-spans .selection-line")).to_contain_text("i = 3")
    expect(page.locator(".bench-follows")).to_contain_text("9.00 + 5.00 = 14.00")
    expect(first).to_be_focused()
    expect(first).to_have_value("9")
    page.keyboard.type("x")
    expect(page.locator(".say.error").filter(has_text="numbers such as")).to_be_visible()
    expect(first).to_have_value("9x")
    page.keyboard.press("Backspace")
    expect(page.locator("#say [role=status]")).to_be_empty()
    page.locator("#switch-linking").click()
    expect(page.locator("#link-field")).to_have_value(re.compile("#2"))
    fragment = page.locator("#link-field").input_value().partition("#")[2]
    again = open_page(f"#{fragment}")
    expect(again.get_by_label("start of token 1", exact=True)).to_have_value("9")
    page.get_by_role("button", name="put away").click()
    expect(page.locator("#switch-readers")).to_have_text("reader: fake")
    expect(page.locator("#bench")).to_be_hidden()


@pytest.mark.parametrize(
    "settings", [{"color_scheme": "dark"}, {"viewport": {"width": 375, "height": 812}}]
)
def test_cases_fit_the_screen_and_axe_finds_nothing(
    open_page: Callable[..., Page], settings: dict
) -> None:
    page = open_page(**settings)
    page.locator("#switch-benching").click()
    page.locator("#bench-presets").select_option("two-windows")
    expect(page.locator(".bench-table")).to_have_count(2)
    page.locator("#bench-tags").check()
    expect(page.locator(".bench-table")).to_have_count(3)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert findings(page, "#bench") == []


def test_a_cell_is_checked_when_it_is_left(page: Page) -> None:
    page.locator("#switch-benching").click()
    page.locator("#bench-pencil summary").click()
    picture = page.locator("#bench")
    cell = picture.locator("#pencil-cell-logit_start_2")
    exact = pencil().logits[2, 0]
    for text, said in (
        (str(int(exact) - pencil().b_S), "the bias is missing"),
        (str(int(exact)), "Right:"),
    ):
        cell.fill(text)
        cell.blur()
        expect(picture.locator(".pencil [role=status]")).to_contain_text(said)
    cell.fill("x")
    cell.blur()
    expect(page.locator(".say.error")).to_contain_text("not a number")
    expect(cell).to_have_attribute("aria-invalid", "true")
    cell.fill(str(int(exact)))
    cell.blur()
    expect(page.locator("#say [role=status]")).to_be_empty()
    expect(picture.locator(".pencil")).to_contain_text("1 of 74 cells are right")
    picture.locator("#pencil-hint").click()
    expect(picture.locator(".pencil [role=status]")).to_contain_text("products to its left")
    picture.locator("#pencil-exercise").click()
    expect(picture.locator(".pencil")).to_contain_text("0 of 74 cells are right")
