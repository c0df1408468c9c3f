"""Paper is white and cannot be pressed; a text from right to left begins at the right."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import ask

pytestmark = pytest.mark.browser


def test_a_chapter_is_printed_light_and_without_controls(open_page: Callable[..., Page]) -> None:
    page = open_page(color_scheme="dark")
    page.locator("#tab-spans").click()
    expect(page.locator("#picture-spans .spans-square")).to_be_visible()
    dark = page.locator("#picture-spans canvas").first.evaluate("(node) => node.toDataURL()")
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    ground, ink = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )
    assert (ground, ink) == ("rgb(255, 255, 255)", "rgb(0, 0, 0)")
    assert dark != page.locator("#picture-spans canvas").first.evaluate("(n) => n.toDataURL()")
    for control in ("#switch-dark", "#tab-spans", "#examples-menu", "#spans-closer"):
        expect(page.locator(control)).to_be_hidden()
    expect(page.locator("#picture-spans .notice")).to_be_visible()
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen", color_scheme="dark")
    expect(page.locator("body")).to_have_class(re.compile(r"\bdark\b"))


def test_places_for_chips_follow_the_text_from_right_to_left(page: Page) -> None:
    ask(page, "أين ولد؟", "ولد في بغداد وعاش في دمشق")
    page.locator("#switch-guessing").click()
    places = page.locator("#guess .place:not(.none)")
    expect(places).to_have_count(6)
    first, second = places.nth(0).bounding_box(), places.nth(1).bounding_box()
    assert first is not None and second is not None and first["x"] > second["x"]
