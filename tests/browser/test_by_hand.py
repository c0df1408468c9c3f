"""What was changed by hand stands in one line, and is taken back by Ctrl+Z or all at once."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import ask

pytestmark = pytest.mark.browser


def test_changes_of_three_chapters_stand_in_one_line_and_go_one_by_one(page: Page) -> None:
    line = page.locator("#asked .by-hand")
    expect(line).to_be_hidden()
    rule = page.get_by_role("slider", name="no-answer threshold")
    rule.press("PageUp")
    expect(line).to_contain_text(re.compile(r"^changed by hand: threshold \d+\.\d\d (above|below)"))
    page.locator("#tab-start_end").click()
    page.get_by_role("slider", name="temperature").press("End")
    expect(line).to_contain_text("temperature 4.00")
    page.locator("#tab-scores").click()
    page.locator("#scores-step-plane").click()
    page.locator("#scores-bias summary").click()
    page.locator("#scores-bias-start").press("End")
    expect(line).to_contain_text("b_S +3.00")
    page.locator("#tab-answer").click()
    page.keyboard.press("Control+z")
    expect(line).not_to_contain_text("b_S")
    page.keyboard.press("Control+z")
    expect(line).not_to_contain_text("temperature")
    expect(line).to_contain_text("threshold")
    page.keyboard.press("Control+z")
    expect(line).to_be_hidden()
    page.keyboard.press("Control+z")  # nothing is left to take back
    expect(line).to_be_hidden()


def test_all_is_given_back_at_once_and_no_layout_moves(page: Page) -> None:
    line, tab = page.locator("#asked .by-hand"), page.locator("#tab-answer")
    before = tab.bounding_box()
    rule = page.get_by_role("slider", name="no-answer threshold")
    own = str(rule.get_attribute("aria-valuenow"))
    rule.press("PageDown")
    expect(line).to_be_visible()
    assert tab.bounding_box() == before
    page.locator("#tab-spans").click()
    page.keyboard.press("Control+z")
    expect(line).to_be_hidden()
    page.locator("#tab-answer").click()
    expect(rule).to_have_attribute("aria-valuenow", own)  # else the keys go up to where it began
    rule.press("PageUp")
    line.get_by_role("button", name="reset").click()
    expect(line).to_be_hidden()


def test_in_a_box_the_keys_are_the_browsers_own(page: Page) -> None:
    page.get_by_role("slider", name="no-answer threshold").press("PageUp")
    line = page.locator("#asked .by-hand")
    expect(line).to_be_visible()
    page.get_by_role("button", name="Ask your own").click()
    page.keyboard.type("Why?")
    page.keyboard.press("Control+z")
    expect(line).to_be_visible()


def test_the_next_step_is_offered_after_an_own_answer_until_it_was_taken(page: Page) -> None:
    offer = page.locator("#asked .next-step")
    expect(offer).to_be_hidden()
    ask(page, "Who met?", "Ada met Grace in the rain of London.")
    expect(offer).to_be_visible()
    offer.get_by_role("button", name="why this answer?").click()
    expect(page.locator("#tab-why")).to_have_attribute("aria-selected", "true")
    expect(offer).to_be_hidden()
    ask(page, "Who met whom?", "Ada met Grace in the rain of London.")
    expect(page.locator("#asked .asked-question")).to_have_text("Who met whom?")
    expect(offer).to_be_hidden()
