"""Names of spans that share words: none is equal to another, none touches another, and winner,
runner-up and selected always have theirs.
"""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from qa_demo.views.examples import load_examples
from tests.browser.test_page import STORE

pytestmark = pytest.mark.browser

SAMPLE = list(load_examples().values())[::6]
LABELS = """() => [...document.querySelectorAll("#picture-answer .dot .label")].map((node) => {
  const box = node.getBoundingClientRect(), dot = node.closest(".dot");
  return [dot.getAttribute("aria-label"), node.textContent,
    getComputedStyle(node).visibility === "visible",
    dot.classList.contains("on"), box.left, box.top, box.right, box.bottom];
})"""
ROWS = """() => [...document.querySelectorAll("#picture-spans .spans-n-best .row-select")].map((node) =>
  [node.title, node.textContent, node.scrollWidth <= node.clientWidth + 1])"""


def names_differ(pairs: list[tuple[str, str]]) -> None:
    for k, (text, name) in enumerate(pairs):
        for other, its in pairs[:k]:
            assert (name == its) == (text == other), (text, other, name)


def check_line(page: Page) -> None:
    found = page.evaluate(LABELS)
    names_differ([(told.rsplit(", rank ", 1)[0], name) for told, name, *_ in found])
    shown = [f for f in found if f[2]]
    ranks = {int(told.rsplit(", rank ", 1)[1].split(",")[0]) for told, *_ in shown}
    assert {1, 2} & {k + 1 for k in range(len(found))} <= ranks
    assert all(visible for _, _, visible, on, *_ in found if on)
    for k, (_, name, _, _, left, top, right, bottom) in enumerate(shown):
        for _, other, _, _, a, b, c, d in shown[:k]:
            apart = right <= a + 1 or c <= left + 1 or bottom <= b + 4 or d <= top + 4
            assert apart, f"{name} touches {other}"


@pytest.mark.parametrize("width", [375, 1280])
def test_every_span_has_a_name_of_its_own(open_page: Callable[..., Page], width: int) -> None:
    page = open_page(viewport={"width": width, "height": 800})
    for example in SAMPLE:
        page.locator("#tab-answer").click()
        page.evaluate(f"(id) => {STORE}.then((m) => m.openExample(id))", example.id)
        expect(page.locator("#asked .asked-question")).to_have_text(example.question)
        expect(page.locator("#picture-answer.stale")).to_have_count(0)
        expect(page.locator("#picture-answer .dot.on")).to_have_count(1)
        check_line(page)
        page.locator("#picture-answer .dot").first.dispatch_event("click")  # the last of the list
        expect(page.locator("#picture-answer .dot").first).to_have_attribute("aria-pressed", "true")
        check_line(page)
        page.locator("#tab-spans").click()
        expect(page.locator("#picture-spans .spans-n-best .row-select").first).to_be_visible()
        expect(page.locator("#picture-spans.stale")).to_have_count(0)
        rows = page.evaluate(ROWS)
        names_differ([(title, name) for title, name, _ in rows])
        assert all(fits for _, _, fits in rows)
