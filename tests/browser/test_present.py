"""Present mode: every picture whole on laptop and projector, no text below 16 px."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_why import measured
from tests.views.lessons.test_terms import QUOTED, unknown

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("nothing_explained")]

PICTURES = {
    "answer": {"": ".logit-line"},
    "scores": {"plane": ".scores-plane", "dimensions": ".scores-strips", "layers": ".scores-map"},
    "start_end": {"": ".line"},
    "spans": {"square": "#spans-stage", "tent": "#spans-stage", "mass": "#spans-stage"},
    "loss": {"axes": ".axis", "labels": ".text-box", "steps": ".bench"},
    "windows": {"windows": ".pad", "candidates": ".candidates", "merge": ".ranks"},
    "bio": {"tags": ".line", "spans": ".line", "annotators": ".line"},
    "spanbert": {"mask": ".mask-columns", "predict": ".guesses.sbo", "closing": ".road"},
    "why": {"looked": ".head-grid", "rested": ".line", "trust": ".steps"},
}
"""What has to be in sight of each step: all of its axes, the first line of a text that may go on."""
ALL = {".axis"}
PAIRS = {
    ("why", "looked", 1280): (".look-grid", ".head-text"),
    ("scores", "plane", 1920): (".scores-plane-step > div .scores-plane", ".scores-form"),
}
"""What stands side by side on a screen of this width, so that the rows farthest back see both."""

SEEN = """([key, part, all]) => {
  const stage = document.getElementById(`stage-${key}`);
  const found = [...stage.querySelectorAll(part)].concat(stage.matches(part) ? [stage] : [])
    .filter((node) => node.checkVisibility());
  return (all ? found : found.slice(0, 1)).map((node) => {
    const box = node.getBoundingClientRect();
    return [box.height, box.bottom, box.right].map(Math.round);
  });
}"""
SMALL = """() => [...document.querySelectorAll("body *")].filter((node) =>
  [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()) &&
  node.checkVisibility({ visibilityProperty: true }) && node.getClientRects().length &&
  node.getBoundingClientRect().width > 1 && parseFloat(getComputedStyle(node).fontSize) < 15.99
).map((node) => `${parseFloat(getComputedStyle(node).fontSize)} px: ${node.tagName}.` +
  `${node.getAttribute("class")} ${node.textContent.trim().slice(0, 30)}`)"""

BOXES = """(parts) => parts.map((part) => document.querySelector(part).getBoundingClientRect().toJSON())"""
LEGENDS = """(key) => [...document.querySelectorAll(`#picture-${key} [class*=legend]`)].map((node) => {
  const walk = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walk.nextNode()) found.push(walk.currentNode.data);
  return found.join(" ");
})"""


SCREENS = ((1280, 800), (1920, 1080))
DRAWN = "new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done))))"
"""A picture is drawn in the frame after its width has changed."""


def faults_of(page: Page, key: str, step: str, part: str) -> Iterator[str]:
    """What of an open step does not fit; the smaller screen has the smaller text."""
    for width, height in SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(DRAWN)
        where = f"{key} {step} at {width}"
        for tall, bottom, right in page.evaluate(SEEN, [key, part, part in ALL]):
            if bottom > height or right > width or tall < 20:
                yield f"{where}: {part} is {tall} high and ends at {bottom}"
        if page.evaluate("document.documentElement.scrollWidth") > width:
            yield f"{where}: wider than the screen"
        if pair := PAIRS.get((key, step, width)):
            left, right = page.evaluate(BOXES, [f"#stage-{key} {part}" for part in pair])
            apart = left["bottom"] <= right["top"] or right["bottom"] <= left["top"]
            if left["right"] > right["left"] or apart:
                yield f"{where}: {pair[0]} is not beside {pair[1]}"
        if width == SCREENS[0][0]:
            yield from (f"{where}: {small}" for small in page.evaluate(SMALL))


def test_every_picture_fits_a_laptop_and_a_projector(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.locator("#switch-present").click()
    faults, legends = [], []
    for key, steps in PICTURES.items():
        page.locator(f"#tab-{key}").click()
        for step, part in steps.items():
            if step:
                page.locator(f"#{key}-step-{step}").click()
            found = page.locator(f"#stage-{key}").locator(part).locator("visible=true")
            expect(found.first).to_be_visible()
            if (key, step) == ("why", "trust"):
                measured(page.locator("#picture-why"))
            faults += faults_of(page, key, step, part)
            legends += page.evaluate(LEGENDS, key)
    assert faults == []
    assert len(legends) > len(PICTURES)
    strange = unknown(QUOTED.sub(" ", text) for text in set(legends))
    assert " ".join(strange) == ""
    expect(page.locator("#examples-menu")).to_be_visible()
    page.locator("#tab-answer").click()
    expect(page.locator("#stage-answer .dot.best .point")).to_be_visible()
