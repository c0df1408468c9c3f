"""Every chapter and step: axe finds nothing on laptop or phone, nothing is too wide."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import test_bio, test_scores, test_spanbert, test_why, test_windows
from tests.browser.conftest import TIMEOUT
from tests.browser.steps import findings
from tests.browser.test_present import PICTURES

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("nothing_explained")]

WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 375, "height": 740}
PLOTLY = 3 * TIMEOUT
"""Milliseconds: plotly measures each name on its axis, and beside other work that takes long."""
FOLDS = """(stage) => [...stage.querySelectorAll("details:not([open])")]
  .filter((fold) => fold.checkVisibility()).forEach((fold) => fold.querySelector("summary").click())"""
TOO_WIDE = """(key) => {
  const right = ({ right }) => right > innerWidth + 1;
  const page = document.documentElement.scrollWidth > innerWidth ? ["the page"] : [];
  const words = [...document.querySelectorAll(`#stage-${key} .line .unit`)];
  return page.concat(words.filter((word) => right(word.getBoundingClientRect())).map((word) => word.textContent));
}"""

CUT_RING = """() => {
  const held = document.activeElement, style = getComputedStyle(held);
  const reach = parseFloat(style.outlineOffset) + parseFloat(style.outlineWidth);
  const { left, right, top, bottom } = held.getBoundingClientRect();
  const cuts = (box) => {
    const { overflowX, overflowY } = getComputedStyle(box), edge = box.getBoundingClientRect();
    const x = edge.left + box.clientLeft, y = edge.top + box.clientTop;
    const wide = left - reach < x - 0.5 || right + reach > x + box.clientWidth + 0.5;
    const high = top - reach < y - 0.5 || bottom + reach > y + box.clientHeight + 0.5;
    return (overflowX !== "visible" && wide) || (overflowY !== "visible" && high);
  };
  const around = [];
  for (let box = held.parentElement; box && box !== document.body; box = box.parentElement) around.push(box);
  const name = held.id || held.textContent.trim();
  return { name, ring: style.outlineStyle, cut: around.filter(cuts).map((box) => box.id || box.className) };
}"""


def prepare(page: Page, key: str) -> Locator:
    """The chapter with as much on it as its own tests bring there."""
    own = {
        "scores": test_scores.chapter,
        "windows": test_windows.long_chapter,
        "bio": test_bio.chapter,
        "spanbert": test_spanbert.opened,
    }
    if key in own:
        picture = own[key](page)
    else:
        page.locator(f"#tab-{key}").click()
        picture = page.locator(f"#picture-{key}")
    expect(picture.locator(".notice")).not_to_be_empty()
    if key == "scores":
        picture.locator("#scores-question").fill("Who crossed it first?")
        picture.locator("#scores-ask").click()
        expect(picture.locator(".scores-moved caption")).to_contain_text("The largest moves")
    return picture


def open_step(page: Page, key: str, step: str) -> None:
    """Open a step and whatever is folded in it."""
    if step:
        page.locator(f"#{key}-step-{step}").click()
    if (key, step) == ("why", "trust") and page.locator("#why-trust-run").is_visible():
        test_why.measured(page.locator("#picture-why"))
    stage = page.locator(f"#stage-{key}")
    expect(stage.locator(PICTURES[key][step]).locator("visible=true").first).to_be_visible()
    stage.evaluate(FOLDS)


def looks(page: Page, key: str) -> Iterator[str]:
    """Take the page from one look to the next: dark on a laptop, by day on a phone; chapter 4 by
    day on both. All steps of a chapter are looked at before the next, since each draws the page
    anew.
    """
    if key == "spans":
        yield "day"
    page.locator("#switch-dark").click(timeout=PLOTLY)
    yield "dark"
    page.set_viewport_size(PHONE)
    page.locator("#switch-dark").click(timeout=PLOTLY)
    yield "phone"


def faults_of(page: Page, key: str, look: str, part: str) -> list[object]:
    """What is wrong in this look."""
    if look == "day":
        return list(findings(page, part, ["color-contrast"]))
    wide = [("too wide", fault) for fault in page.evaluate(TOO_WIDE, key)]
    return [*findings(page, part), *wide]


@pytest.mark.parametrize("key", PICTURES)
def test_no_step_has_a_finding_or_is_wider_than_its_screen(page: Page, key: str) -> None:
    picture, faults = prepare(page, key), []
    for look in looks(page, key):
        for step in PICTURES[key]:
            open_step(page, key, step)
            found = faults_of(page, key, look, f"#panel-{key}")
            faults += [(look, step, fault) for fault in found]
    picture.get_by_text("as a table", exact=True).click()
    found = faults_of(page, key, "phone", f"#picture-{key} .table-box")
    faults += [("table", fault) for fault in found]
    assert faults == []
    if key == "windows":
        cut = "box => box.scrollWidth - box.clientWidth"
        table = picture.locator(".table-box:has(.many)").first
        assert table.evaluate(cut) <= 1, "rows are stacked, not cut off"


def test_the_frame_of_the_page_has_no_finding(page: Page) -> None:
    page.get_by_role("button", name="Ask your own", exact=True).click()
    for switch in ("guessing", "readers", "linking"):
        page.locator(f"#switch-{switch}").click()
    assert page.locator("h1").count() == 1
    faults = [
        (look, fault)
        for look in looks(page, "answer")
        for fault in faults_of(page, "answer", look, "body")
    ]
    assert faults == []


def test_no_ring_of_the_keyboard_is_cut_from_the_top_to_the_chapters(
    open_page: Callable[..., Page],
) -> None:
    page, stops = open_page(viewport=WIDE), []
    while not any(stop["name"] == "tab-answer" for stop in stops):
        assert len(stops) < 60, [stop["name"] for stop in stops]
        page.keyboard.press("Tab")
        stops.append(page.evaluate(CUT_RING))
    assert [stop for stop in stops if stop["ring"] != "solid" or stop["cut"]] == []


def test_scrollbars_are_dark_in_the_dark_and_light_by_day(page: Page) -> None:
    bars = "[document.documentElement, document.querySelector('.tabs')].map((n) => getComputedStyle(n).colorScheme)"
    by_day = page.evaluate(bars)
    assert "dark" not in by_day
    page.locator("#switch-dark").click()
    assert page.evaluate(bars) == ["dark", "dark"]
    page.emulate_media(media="print")
    assert page.evaluate(bars) == ["light", "light"]
    page.emulate_media(media="screen")
    page.locator("#switch-dark").click()
    assert page.evaluate(bars) == by_day
