"""Nothing moves under the pointer: boxes before and after; the read-out stays inside."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import ask
from tests.texts import LONG

pytestmark = pytest.mark.browser

BOXES = """(parts) => parts.map((part) => {
  const box = document.querySelector(part).getBoundingClientRect();
  return [part, Math.round(box.left), Math.round(box.top + scrollY), Math.round(box.width)];
})"""
SPANS = ["#spans-stage", "#picture-spans .spans-bar", "#picture-spans .spans-list", "#spans-grid"]
WORDS = ["#picture-start_end .staircase", "#picture-start_end .levers"]
PLACES = [(0.3, 0.8), (0.5, 0.45), (0.99, 0.99), (0.62, 0.6), (0.02, 0.02)]


def visit(page: Page, parts: list[str], over: str, tip: str) -> int:
    """Point at places of a picture and click there; returns how often the read-out was shown."""
    page.locator(over).scroll_into_view_if_needed()
    before = page.evaluate(BOXES, parts)
    shown = 0
    for right, down in PLACES:
        box = page.locator(over).bounding_box()
        page.mouse.move(box["x"] + right * box["width"], box["y"] + down * box["height"])
        assert page.evaluate(BOXES, parts) == before, "pointing"
        if page.locator(tip).is_visible():
            shown += 1
            told = page.locator(tip).bounding_box()
            size = page.viewport_size
            assert told["x"] >= 0 and told["x"] + told["width"] <= size["width"]
            assert told["y"] >= 0 and told["y"] + told["height"] <= size["height"]
        page.mouse.down()
        page.mouse.up()
        expect(page.locator("#picture-spans.stale, #picture-start_end.stale")).to_have_count(0)
        assert page.evaluate(BOXES, parts) == before, "selecting"
    return shown


@pytest.mark.parametrize("paragraph", ["", LONG])
def test_chapter_4_stays_where_it_is(page: Page, paragraph: str) -> None:
    if paragraph:
        ask(page, "Who came to Kalmar?", paragraph)
    page.locator("#tab-spans").click()
    expect(page.locator("#picture-spans .spans-square")).to_be_visible()
    assert visit(page, SPANS, "#picture-spans .spans-square .spans-cells", "#spans-readout") >= 3


def test_the_overview_of_chapter_3_stays_where_it_is(page: Page) -> None:
    ask(page, "Who came to Kalmar?", LONG)
    page.locator("#tab-start_end").click()
    expect(page.locator("#picture-start_end .line .hit").first).to_be_attached()
    assert visit(page, WORDS, "#picture-start_end .staircase", "#picture-start_end .readout") >= 3


SETTLED = """async () => {
  const { underWay } = await module('shared/outbox.js');
  return !underWay("select");
}"""
BOX = """(part) => {
  const box = document.querySelector(part)?.getBoundingClientRect();
  return box?.width ? [box.x, box.y, box.width, box.height] : null;
}"""
STANDS = """(part) => {
  const [now, before] = [document.querySelector(part), window.stood];
  window.stood = now;
  return now === before;
}"""
SEEN = "(all) => all.some((one) => document.querySelector(one)?.checkVisibility())"
AREAS: list[tuple[str, str | None, str]] = [
    ("answer", None, ".reading-text"),
    ("answer", None, ".logit-line"),
    ("scores", "plane", ".scores-plane"),
    ("scores", "dimensions", ".scores-strips"),
    ("scores", "layers", "#scores-map-start"),
    ("start_end", None, ".detail"),
    ("spans", "tent", "#spans-stage"),
    ("loss", "labels", ".reading-text"),
    ("loss", "axes", ".axis.start"),
    ("windows", "windows", ".pad"),
    ("windows", "candidates", ".candidates"),
    ("windows", "merge", ".ranks"),
    ("bio", "tags", ".bio-text"),
    ("bio", "spans", ".line"),
    ("bio", "annotators", ".line"),
    ("spanbert", "mask", ".mask-text"),
    ("spanbert", "predict", ".sbp-text"),
    ("spanbert", "predict", ".sbp-figure"),
    ("spanbert", "closing", ".road"),
    ("spanbert", "closing", ".closing .fold[open] svg"),
    ("why", "looked", ".head-grid"),
    ("why", "rested", ".step-body:not([hidden]) .line"),
    ("loss", "steps", ".trio"),
    ("why", "trust", ".cloud"),
    ("why", "trust", ".stand-lane"),
]
FIRST = {
    ("loss", "steps"): "#loss-take-1",
    ("spanbert", "closing"): "#spanbert-closing .fold:has(svg):not([open]) > summary",
    ("why", "trust"): "#why-trust-run",
}
"""What is pressed in a step before there is a picture to point at."""
AROUND = """([key, part]) => {
  const stage = document.getElementById(`stage-${key}`), area = stage.querySelector(part);
  if (!area) return null;
  const place = (node) => {
    const box = node.getBoundingClientRect();
    return [Math.round(box.left), Math.round(box.top + scrollY), Math.round(box.width)];
  };
  const bottom = area.getBoundingClientRect().bottom;
  const fixed = [...document.querySelectorAll(`#panel-${key} :is(button, input, select)[id]`)]
    .filter((node) => node.checkVisibility() && node.getBoundingClientRect().top < bottom);
  return { area: place(area), ...Object.fromEntries(fixed.map((node) => [node.id, place(node)])) };
}"""


@pytest.mark.parametrize(
    ("key", "step", "part"), AREAS, ids=[f"{key}-{part.strip('.#')}" for key, _, part in AREAS]
)
def test_no_picture_moves_under_the_pointer(
    top: Page, key: str, step: str | None, part: str
) -> None:
    page = top
    page.locator(f"#tab-{key}").click()
    expect(page.locator(f"#picture-{key} .notice")).not_to_be_empty()
    if step:
        page.locator(f"#{key}-step-{step}").click()
    area = page.locator(f"#stage-{key} {part}").first
    first = FIRST.get((key, step or ""))
    if first:
        # what an earlier picture of the step has pressed stands already
        page.wait_for_function(SEEN, arg=[first, f"#stage-{key} {part}"])
        if not area.is_visible():
            page.locator(first).first.click()
    if (key, step) == ("why", "trust"):  # each of the four is measured after the one before it
        expect(page.locator("#stage-why .stand-says b")).to_have_count(4)
    expect(area).to_be_visible()
    # what is still to come from Python has replaced it
    page.wait_for_function(STANDS, arg=f"#stage-{key} {part}", polling=400)
    area.scroll_into_view_if_needed()
    page.mouse.move(2, 2)
    before = page.wait_for_function(AROUND, arg=[key, part]).json_value()
    for press in (False, True):
        for right, down in PLACES:
            # a redraw puts another node in its place
            place = page.wait_for_function(BOX, arg=f"#stage-{key} {part}").json_value()
            page.mouse.move(place[0] + right * place[2], place[1] + down * place[3])
            if press:
                page.mouse.down()
                page.mouse.up()
                page.wait_for_function(SETTLED)
                expect(page.locator(f"#picture-{key}.stale")).to_have_count(0)
            after = page.wait_for_function(AROUND, arg=[key, part]).json_value()
            moved = {
                name: (at, after.get(name)) for name, at in before.items() if after.get(name) != at
            }
            assert not moved, ("pressing" if press else "pointing", moved)
            for tip in page.locator(f"#panel-{key} .tip:visible").all():
                told = tip.bounding_box()
                assert told["x"] >= 0 and told["x"] + told["width"] <= 1280
                assert told["y"] >= 0 and told["y"] + told["height"] <= 800
