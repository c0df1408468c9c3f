"""The answer line in Chromium: in every chapter, moved by the rule, a way back to the words."""

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.browser.steps import ask

pytestmark = pytest.mark.browser


def said_above(page: Page) -> Locator:
    return page.get_by_role("region", name="What the reader answers").get_by_role("status")


def test_the_answer_line_follows_the_rule_in_every_chapter(page: Page) -> None:
    line = said_above(page)
    expect(line).to_contain_text("Answer:")
    expect(line).to_contain_text("probability in its window, not calibrated")
    answer = line.get_by_role("button").inner_text()
    rule = page.get_by_role("slider", name="no-answer threshold")
    rule.focus()
    for _ in range(30):
        page.keyboard.press("PageUp")
    expect(line).to_contain_text("No answer")
    expect(line).to_contain_text(f"best guess, “{answer}”, lies")
    expect(line).to_contain_text("the limit is")
    expect(page.locator("#picture-answer .dot.best.out")).to_have_count(1)
    withheld = line.inner_text()
    for key in ("scores", "spans", "windows"):
        page.locator(f"#tab-{key}").click()
        expect(line).to_have_text(withheld, use_inner_text=True)
    page.locator("#tab-answer").click()
    rule.focus()
    for _ in range(30):
        page.keyboard.press("PageDown")
    expect(line).to_contain_text(f"Answer: {answer}", use_inner_text=True)
    expect(page.locator("#picture-answer .dot.out")).to_have_count(0)


def test_the_answer_of_a_long_text_is_brought_into_sight(page: Page) -> None:
    ask(page, "Where is the ship?", "so it went on and on. " * 200 + "Then they saw Malmo there.")
    line = said_above(page)
    expect(line).to_contain_text("window ")
    answer = line.get_by_role("button")
    words, place = answer.inner_text(), line.inner_text()
    page.locator("#picture-answer .text-box").evaluate("(box) => { box.scrollTop = 0; }")
    page.locator("#picture-answer .word").first.click()
    expect(page.locator("#picture-answer .selected-text")).to_have_text("so")
    answer.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#picture-answer .selected-text")).to_have_text(words)
    expect(page.locator("#picture-answer .marks .mark-selected")).to_be_in_viewport()
    page.locator("#tab-bio").click()
    expect(page.locator("#picture-bio .mark-selected").first).to_be_in_viewport()
    assert line.inner_text() == place


def test_before_the_first_reading_the_page_says_so(chromium: Browser, site: str) -> None:
    page, held = chromium.new_page(), list[Route]()
    page.route("**/page/page.js", lambda route: held.append(route))
    page.goto(site, wait_until="commit")
    expect(page.locator("#ask-examples")).to_be_attached()
    expect(page.get_by_label("Examples")).not_to_be_visible()
    assert "Opening the first example" in page.locator("main.contain").evaluate(
        "(main) => getComputedStyle(main, '::before').content"
    )
    for route in held:
        route.continue_()
    expect(page.get_by_label("Examples")).to_be_visible()
    expect(said_above(page)).to_contain_text("Answer:")
    page.close()


def test_numbers_of_a_table_stand_right(page: Page) -> None:
    page.locator("#picture-answer summary", has_text="as a table").click()
    cells = page.locator("#picture-answer tbody tr").first.locator("th, td")
    sides = cells.evaluate_all("(all) => all.map((cell) => getComputedStyle(cell).textAlign)")
    assert sides == ["left"] + ["right"] * 7
