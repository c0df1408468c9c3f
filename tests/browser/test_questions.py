"""The nine questions of docs/teaching.md, in three clicks at most from the first screen."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.documents import PAGES

pytestmark = pytest.mark.browser

TEACHING = PAGES["docs/teaching.md"]
TABLE = TEACHING.partition("<!-- questions -->")[2].partition("<!-- /questions -->")[0]
ROWS = [[cell.strip() for cell in row.strip("| ").split(" | ")] for row in TABLE.split("\n")[3:-1]]
MOST_CLICKS = 3
PRESSED = "[role=tab], button, summary"


def home(page: Page) -> None:
    """Back to the first screen."""
    if page.locator("dialog.said[open]").count():
        page.get_by_role("button", name="Close", exact=True).click()
    if page.locator("body.lessons").count():
        page.locator("#switch-lessons").click()
    page.locator("#tab-answer").click()
    expect(page.locator("#tab-answer")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".lesson-strip")).to_have_count(0)


def test_nine_questions_are_settled_in_three_clicks(page: Page) -> None:
    assert len(ROWS) == 9
    for question, path, words in ROWS:
        clicks = path.split(" › ")
        assert question.endswith("?") and len(clicks) <= MOST_CLICKS
        for name in clicks:
            named = re.compile(rf"(^|\d\s*){re.escape(name)}")
            page.locator(PRESSED).filter(has_text=named, visible=True).first.click()
        page.wait_for_function("(words) => document.body.innerText.includes(words)", arg=words)
        home(page)
