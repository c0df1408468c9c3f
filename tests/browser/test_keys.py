"""One contract for all chapters, by real keys: Tab reaches, arrows move, Enter selects."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from qa_demo.views.page import CHAPTERS
from tests.browser.steps import press_until
from tests.browser.test_page import STORE

pytestmark = pytest.mark.browser

KEYS = [module.CHAPTER.key for module in CHAPTERS]
PICTURES: list[tuple[str, int, str, str, bool]] = [
    ("answer", 0, ".reading-text .word", "ArrowRight", True),
    ("answer", 0, ".threshold", "ArrowLeft", False),
    ("scores", 0, ".scores-dot", "ArrowRight", True),
    ("scores", 1, ".scores-dot", "ArrowRight", True),
    ("scores", 3, "#scores-map-start", "ArrowLeft", True),
    ("start_end", 0, ".staircase", "ArrowRight", True),
    ("start_end", 0, ".detail .word", "ArrowRight", True),
    ("spans", 0, "#spans-stage", "ArrowUp", True),
    ("spans", 1, "#spans-stage", "ArrowRight", True),
    ("loss", 1, ".reading-text .word", "ArrowRight", True),
    ("loss", 0, ".axis.start .handle", "ArrowRight", True),
    ("windows", 0, ".pad", "ArrowRight", True),
    ("windows", 1, ".w-dot", "ArrowRight", False),
    ("windows", 2, ".line", "ArrowDown", False),
    ("bio", 0, ".hit", "ArrowRight", True),
    ("spanbert", 0, ".mask-text .word", "ArrowRight", False),
    ("spanbert", 1, ".blank", "ArrowRight", False),
    ("why", 0, ".head-grid[aria-label$=start] .head-cell", "ArrowRight", False),
]
"""Chapter, step, the part with the focus, a key that moves in it, whether Enter selects."""

BACK = {
    "ArrowRight": "ArrowLeft",
    "ArrowLeft": "ArrowRight",
    "ArrowUp": "ArrowDown",
    "ArrowDown": "ArrowUp",
}
AT = """() => {
  const held = document.activeElement;
  const all = [...document.querySelectorAll("*")];
  const tip = [...document.querySelectorAll(".tip")].find((node) => !node.hidden);
  const cursor = held.querySelector(".cursor, .mark-contrast")?.outerHTML;
  return [all.indexOf(held), held.getAttribute("aria-valuenow"), tip?.textContent, cursor].join();
}"""
CHOSEN = f"() => {STORE}.then(({{ state }}) => JSON.stringify([state.selection?.start, state.selection?.end]))"


def open_chapter(page: Page, key: str, step: int) -> None:
    """From the top of the page by Tab, arrow keys and Enter alone."""
    press_until(page, "Tab", "[role=tab]")
    page.keyboard.press("Home")
    for _ in range(KEYS.index(key)):
        page.keyboard.press("ArrowRight")
    expect(page.locator(f"#tab-{key}")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(f"#picture-{key} .notice")).not_to_be_empty()
    steps = page.locator(f"#panel-{key} [id^='{key}-step-']")
    if steps.count():
        press_until(page, "Tab", f"[id='{steps.nth(step).get_attribute('id')}']", 12)
        page.keyboard.press("Enter")
        expect(steps.nth(step)).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize(
    ("key", "step", "part", "move", "selects"),
    PICTURES,
    ids=[f"{key}-{step}-{part.rsplit('.', 1)[-1]}" for key, step, part, *_ in PICTURES],
)
def test_a_picture_is_reached_used_and_left_by_keys(
    top: Page, key: str, step: int, part: str, move: str, selects: bool
) -> None:
    page, there = top, f"#picture-{key} :is({part})"
    open_chapter(page, key, step)
    expect(page.locator(there).first).to_be_attached()
    press_until(page, "Tab", there, 24)
    before, chosen = page.evaluate(AT), page.evaluate(CHOSEN)
    if page.locator(there).count() > 1 or part not in (".w-dot", ".line", ".blank"):
        page.keyboard.press(move)
        if page.evaluate(AT) == before:  # it stands at that end
            page.keyboard.press(BACK[move])
        assert page.evaluate(AT) != before, f"neither {move} nor {BACK[move]} moves"
    if selects:
        page.keyboard.press("Enter")
        page.wait_for_function(f"(was) => ({CHOSEN})().then((now) => now !== was)", arg=chosen)
    expect(page.locator(f"#picture-{key}.stale")).to_have_count(0)
    # a head that comes between Tab and Shift+Tab is a stop of its own, and rightly so
    expect(page.locator(f"#picture-{key} .head-box:is([inert], [hidden])")).to_have_count(0)
    assert page.evaluate("(there) => document.activeElement.matches(there)", there), "still inside"
    page.keyboard.press("Tab")
    assert not page.evaluate("(there) => document.activeElement.matches(there)", there), (
        "Tab leaves, since one mark alone is a stop"
    )
    left = page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
    page.keyboard.press("Shift+Tab")
    back = page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
    assert page.evaluate("(there) => document.activeElement.matches(there)", there), (
        f"Tab went to {left}, Shift+Tab to {back}"
    )
    for _ in range(2):
        if page.evaluate("(there) => document.activeElement.matches(there)", there):
            page.keyboard.press("Escape")
    expect(page.locator(f"#tab-{key}")).to_be_focused()


def test_single_keys_work_outside_boxes_and_are_listed(top: Page) -> None:
    page = top
    page.keyboard.press("4")
    expect(page.locator("#tab-spans")).to_be_focused()
    expect(page.locator("#tab-spans")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#spans-step-square")).to_be_visible()  # once its first picture is here
    page.keyboard.press("[")
    page.keyboard.press("[")
    page.keyboard.press("]")
    expect(page.locator("#spans-step-tent")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#spans-step-tent")).to_be_focused()
    page.keyboard.press("[")
    page.keyboard.press("[")
    expect(page.locator("#spans-step-square")).to_have_attribute("aria-pressed", "true")
    for key, state in (("v", "veiled"), ("p", "present")):
        for count in (1, 0):
            page.keyboard.press(key)
            expect(page.locator(f"body.{state}")).to_have_count(count)
    page.keyboard.press("?")
    listed = page.get_by_role("dialog", name="Keys")
    for does in ("1 to 9", "go to the examples", "its next case"):
        expect(listed).to_contain_text(does)
    page.keyboard.press("v")
    expect(page.locator("body.veiled")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(listed).to_be_hidden()
    expect(page.locator("#spans-step-square:focus, #tab-spans:focus")).to_have_count(1)
    page.keyboard.press("Control+v")
    expect(page.locator("body.veiled")).to_have_count(0)
    page.keyboard.press("1")
    page.get_by_role("button", name="Ask your own", exact=True).click()
    page.keyboard.type("4 vp?[")
    expect(page.locator("#ask-question textarea")).to_have_value(re.compile(r"4 vp\?\[$"))
    expect(page.locator("#tab-answer")).to_have_attribute("aria-selected", "true")
    page.get_by_role("button", name="fold").click()
    page.get_by_label("single keys").uncheck()
    page.keyboard.press("3")
    expect(page.locator("#tab-answer")).to_have_attribute("aria-selected", "true")
    page.get_by_label("single keys").check()


def test_the_focus_stays_where_a_picture_or_the_form_is_drawn_anew(
    open_page: Callable[..., Page],
) -> None:
    page = open_page()
    press_until(page, "Tab", ".threshold")
    for key in ["ArrowRight"] * 6 + ["PageUp"] * 6:
        page.keyboard.press(key)
    at = page.locator(".threshold").get_attribute("aria-valuenow")
    page.wait_for_function(f"(at) => {STORE}.then((m) => m.state.record.threshold === +at)", arg=at)
    expect(page.locator(".threshold")).to_be_focused()
    press_until(page, "Shift+Tab", "#asked .plain")
    page.keyboard.press("Enter")
    page.keyboard.type("Who drew the towers?")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#asked .asked-question")).to_have_text("Who drew the towers?")
    expect(page.get_by_role("button", name="Ask your own", exact=True)).to_be_focused()


def test_on_a_phone_a_switch_of_the_head_is_whole_when_it_takes_the_focus(
    open_page: Callable[..., Page],
) -> None:
    page = open_page(viewport={"width": 375, "height": 740})
    row, seen = page.locator(".masthead .switches"), set[str]()
    for _ in range(12):
        page.keyboard.press("Tab")
        held = page.locator(".switches button:focus")
        if not held.count():
            continue
        seen.add(held.inner_text())
        button, frame = held.bounding_box(), row.bounding_box()
        assert button["x"] >= frame["x"] - 1, held.inner_text()
        assert button["x"] + button["width"] <= frame["x"] + frame["width"] + 1, held.inner_text()
    assert len(seen) >= 8


def test_examples_by_key_keep_the_focus(top: Page) -> None:
    page = top
    asked = page.locator("#asked .asked-question").text_content()
    press_until(page, "Tab", "#examples-menu", 20)
    page.keyboard.press("ArrowDown")
    expect(page.locator("#asked .asked-question")).not_to_have_text(asked)
    expect(page.get_by_label("Examples")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(page.locator("#asked .asked-question")).to_have_text(asked)
