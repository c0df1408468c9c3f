"""Logits of thousands or millions: every chapter draws them, no labels on one another."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.serve import LARGE
from tests.browser.test_page import use_reader

pytestmark = pytest.mark.browser

CHAPTERS = ("answer", "scores", "start_end", "spans", "loss", "windows", "bio", "spanbert", "why")

# What an axis prints beside its ticks: an optional minus, digits, perhaps a decimal part and a
# unit.
OVERLAPS = r"""(key) => {
  const number = /^= ?|^[\u2212-]?[\d,]+(\.\d+)?[kMGTPE]?$/;
  const found = [...document.querySelectorAll(`#picture-${key} svg text.quiet`)]
    .filter((node) => number.test(node.textContent) && node.getClientRects().length)
    .map((node) => ({ text: node.textContent, svg: node.ownerSVGElement, box: node.getBoundingClientRect() }));
  const bad = [];
  found.forEach((a, i) => found.slice(i + 1).forEach((b) => {
    if (a.svg === b.svg && a.box.left < b.box.right - 1 && b.box.left < a.box.right - 1 && a.box.top < b.box.bottom - 3
      && b.box.top < a.box.bottom - 3) bad.push(`${a.text} on ${b.text}`);
  }));
  return { count: found.length, bad };
}"""


def read_with(page: Page, name: str) -> None:
    """Load a reader and let it read the text on screen."""
    page.locator("#switch-readers").click()
    use_reader(page, name)
    expect(page.locator("#switch-readers")).to_have_text(f"reader: {name}")
    page.locator("#switch-readers").click()
    page.get_by_role("button", name="Ask your own", exact=True).click()
    page.locator("#ask-answer").click()
    expect(page.locator("#asked .about")).to_contain_text(f"reader {name}")


def visit(page: Page, chapter: str) -> None:
    page.locator(f"#tab-{chapter}").click()
    expect(page.locator(f"#picture-{chapter} .question")).to_be_visible()
    expect(
        page.locator(f"#stage-{chapter} :is(svg, canvas, p, button):visible").first
    ).to_be_visible()


def axes(page: Page, chapter: str, least: int) -> None:
    """At least so many numbers stand on axes, and none lies on another."""
    page.wait_for_function(
        f"([key, least]) => ({OVERLAPS})(key).count >= least", arg=[chapter, least]
    )
    found = page.evaluate(OVERLAPS, chapter)
    assert found["bad"] == [], f"{chapter}: {found}"


@pytest.mark.parametrize("name", LARGE)
def test_large_logits_are_drawn_and_labelled_and_fit_a_phone(
    open_page: Callable[..., Page], name: str
) -> None:
    page = open_page()
    expect(page.locator("#picture-answer .four dd").first).to_be_visible()
    before = page.locator("#picture-answer .formula").inner_text()
    read_with(page, name)
    expect(page.locator("#picture-answer .formula")).not_to_have_text(before)
    axes(page, "answer", 4)
    for chapter in CHAPTERS[1:]:
        visit(page, chapter)
        axes(page, chapter, 0)
    page.locator("#tab-scores").click()
    axes(page, "scores", 6)
    page.locator("#tab-loss").click()
    page.locator("#loss-step-axes").click()
    axes(page, "loss", 8)
    page.locator("#tab-windows").click()
    page.locator("#picture-windows button", has_text="candidates").click()
    axes(page, "windows", 3)
    page.set_viewport_size({"width": 375, "height": 740})
    for chapter in CHAPTERS:
        visit(page, chapter)
        axes(page, chapter, 0)
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"chapter {chapter} is {wide} px wider than a phone"
