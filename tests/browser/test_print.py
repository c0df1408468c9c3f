"""Paper is white and cannot be pressed; a text from right to left begins at the right."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import ask

pytestmark = pytest.mark.browser

A4 = (794, 1123)
"""In the pixels of a page."""


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
    for said in (".asked-question", "#picture-spans .notice"):
        expect(page.locator(said)).to_be_visible()
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen", color_scheme="dark")
    page.locator("#tab-spanbert").click()
    expect(page.get_by_label("text", exact=True)).to_be_visible()
    page.emulate_media(media="print")
    expect(page.locator("#spanbert-source")).to_be_hidden()
    expect(page.locator("#stage-spanbert .mask-columns")).to_be_visible()
    page.emulate_media(media="screen", color_scheme="dark")
    expect(page.locator("body")).to_have_class(re.compile(r"\bdark\b"))


def test_places_for_chips_follow_the_text_from_right_to_left(page: Page) -> None:
    ask(page, "أين ولد؟", "ولد في بغداد وعاش في دمشق")
    page.locator("#switch-guessing").click()
    places = page.locator("#guess .place:not(.none)")
    expect(places).to_have_count(6)
    first, second = places.nth(0).bounding_box(), places.nth(1).bounding_box()
    assert first is not None and second is not None and first["x"] > second["x"]


def sheets(page: Page) -> int:
    """The pages of A4 that a worksheet takes, none wider than the paper."""
    page.emulate_media(media="print")
    page.set_viewport_size({"width": A4[0], "height": A4[1]})
    expect(page.locator(".worksheet")).to_be_visible()
    expect(page.locator(".masthead")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= A4[0]
    return pages_of(page)


def pages_of(page: Page) -> int:
    """The pages of A4 with margins of 12 mm."""
    sides = {"top": "12mm", "right": "12mm", "bottom": "12mm", "left": "12mm"}
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4", margin=sides)))


@pytest.mark.parametrize("size", [{"width": 375, "height": 812}, {"width": 1280, "height": 800}])
def test_a_chapter_takes_one_page_from_any_screen(
    open_page: Callable[..., Page], size: dict[str, int]
) -> None:
    page = open_page(viewport=size)
    for key in ("start_end", "spans", "loss"):
        page.locator(f"#tab-{key}").click()
        expect(page.locator(f"#stage-{key} svg:visible").first).to_be_attached()
        expect(page.locator(f"#picture-{key} .notice")).not_to_be_empty()
        assert pages_of(page) == 1
    main = page.locator(".gradio-container > .main")
    assert main.get_attribute("style") in (None, ""), "the screen is as it was"
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_a_worksheet_holds_tasks_and_a_solution_apart(open_page: Callable[..., Page]) -> None:
    page = open_page(color_scheme="dark")
    page.evaluate("window.print = () => {}")
    page.locator("#switch-linking").click()
    page.get_by_role("button", name="print a worksheet of this text").click()
    tasks, solution = (page.locator(".worksheet .sheet").nth(k) for k in (0, 1))
    for sheet, filled in ((tasks, False), (solution, True)):
        boxes = [
            *sheet.locator(".box").all_text_contents(),
            *sheet.locator("td").all_text_contents(),
        ]
        assert boxes and any(boxes) == filled, "boxes are filled in the solution alone"
    expect(solution.locator("td.best")).to_have_count(1)
    assert 2 <= sheets(page) <= 3
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    expect(page.locator(".worksheet")).to_have_count(0)


def test_a_lesson_is_printed_with_its_solution(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.evaluate("window.print = () => {}")
    page.locator("#switch-lessons").click()
    page.locator(".lesson[data-lesson=span]").click()
    page.get_by_role("button", name="print a worksheet of this lesson").click()
    found = page.locator(".worksheet .sheet")
    expect(found).to_have_count(2)
    expect(found.nth(0)).to_contain_text("Find it yourself")
    expect(found.nth(0)).not_to_contain_text("points at a first and a last piece")
    expect(found.nth(1)).to_contain_text("points at a first and a last piece")
    expect(found.nth(1).locator("em").first).to_have_text("span")
    assert sheets(page) >= 2


def test_a_chapter_is_printed_whole_in_the_middle_of_a_lesson(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("#lesson=no-answer")
    page.locator(".lesson-strip .strip-title").wait_for()
    expect(page.locator(".unlit").first).to_be_attached()
    for key in ("spans", "why"):
        page.locator(f"#tab-{key}").click()
        expect(page.locator(f"#picture-{key} .notice")).to_be_attached()
        assert pages_of(page) == 1
    page.emulate_media(media="print")
    expect(page.locator(".lesson-strip")).to_be_hidden()
    assert page.evaluate(
        "[...document.querySelectorAll('.unlit')].every((n) => getComputedStyle(n).opacity === '1')"
    )
    page.set_viewport_size({"width": A4[0], "height": A4[1]})
    main = page.locator(".gradio-container > .main").bounding_box()
    assert main is not None and main["width"] > 0.9 * A4[0]
