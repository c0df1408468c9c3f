"""Every lesson played to its end by keyboard in four looks, with axe at each step as it is left
(findings of every impact): wide, on a phone in the dark, in present mode on two screens, and with a
foreign reader of random weights. A command of its own, because it takes half an hour.

python -m pytest tests/browser/walk.py [-k phone]; LESSONS="span why" plays some lessons only
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from qa_demo.app import begin_loading, services
from qa_demo.core.course.lessons import Lesson, Step
from qa_demo.views.page import build
from tests.browser.serve import running
from tests.browser.test_lessons import COURSE, answer, open_lessons, settled, tab_to
from tests.browser.test_present import DRAWN, SCREENS, SMALL
from tests.model.kit import save

pytestmark = pytest.mark.browser

WANTED = os.environ.get("LESSONS", "all").split()
PLAYED = [lesson for lesson in COURSE if WANTED == ["all"] or lesson.id in WANTED]
LOOKS: dict[str, dict[str, Any]] = {
    "wide": {},
    "phone": {"viewport": {"width": 375, "height": 812}, "color_scheme": "dark"},
    "present": {},
    "foreign": {"color_scheme": "dark"},
}
SETTLED = ".strip-asks, .strip-note, .strip-decides, .strip-reveal"
"""One of these stands in the strip once its check has looked."""

AXE = """async (script) => {
  if (!window.axe) new Function(script)();
  const found = (await window.axe.run(document, { resultTypes: ["violations"] })).violations;
  const dimmed = (node) => document.querySelector(node.target.at(-1))?.closest(".unlit");
  return found.map(({ id, impact, nodes }) => [id, impact,
    nodes.filter((node) => id !== "color-contrast" || !dimmed(node))
      .map((node) => node.html.slice(0, 120))]).filter(([, , nodes]) => nodes.length);
}"""
"""What a lesson dims is lit again under the pointer and the focus: its contrast is left out."""

BESIDE = """() => {
  const strip = document.querySelector(".lesson-strip");
  const { left, top, right, bottom } = strip.getBoundingClientRect();
  const faults = strip.scrollWidth > strip.clientWidth ? ["the strip is wider than itself"] : [];
  for (const node of document.querySelectorAll(".stage, .lit")) {
    const box = node.getBoundingClientRect();
    if (left > 0 && box.width && box.right > left + 0.5) faults.push(`${node.id || node.className}` +
      ` ends at ${Math.round(box.right)}, the strip begins at ${Math.round(left)}`);
  }
  const wide = document.documentElement.scrollWidth;
  if (wide > window.innerWidth) faults.push(`the page is ${wide} wide`);
  return faults;
}"""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The page as the command opens it; another reader is a folder."""
    made = services("bundled", "127.0.0.1", begin_loading("bundled"))
    with running(build(made)) as address:
        yield address


def take(page: Page, look: str, folder: Path) -> None:
    """Bring the page into one of the looks."""
    if look == "present":
        page.locator("#switch-present").click()
    if look == "foreign":
        page.locator("#switch-readers").click()
        page.get_by_label("Reader", exact=True).fill(str(folder))
        page.locator("#ask-load").click()
        expect(page.locator("#switch-readers")).to_have_text(f"reader: {folder.name}")
        page.locator("#switch-readers").click()


def crowded(page: Page, look: str) -> list[str]:
    """What lies under the strip, and what is too small for a projector."""
    found = page.evaluate(BESIDE)
    for width, height in SCREENS[::-1] if look == "present" else ():
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(DRAWN)
        found += [f"at {width}: {fault}" for fault in page.evaluate(BESIDE)]
        if width == SCREENS[0][0]:
            found += [f"at {width}: {small}" for small in page.evaluate(SMALL)]
    return list(found)


def faults_at(page: Page, look: str, last: bool) -> list[str]:
    """The same, and what axe finds where a step stands as it is left."""
    found = crowded(page, look)
    # what is on its way dims the numbers before it, in the bench and in a chapter
    expect(page.locator(".refused .bench-table, .stale .veil-area:visible")).to_have_count(0)
    rules = page.evaluate(AXE, script()) if last else []
    return found + [f"{rule} ({impact}) {nodes[:2]}" for rule, impact, nodes in rules]


def script() -> str:
    """axe itself."""
    return str(Axe().axe_script)


def asks(page: Page, step: Step) -> bool:
    """Whether a guess is asked for, once the check has looked."""
    expect(page.locator(SETTLED).first).to_be_visible()
    return page.locator(".strip-asks").count() > 0


def played(page: Page, lesson: Lesson, look: Callable[[str, bool], list[str]]) -> list[str]:
    """From the list to the end by keyboard; what `look` finds at each step, before and after."""
    faults = []
    tab_to(page, f".lesson-strip .lesson[data-lesson={lesson.id}]")
    page.keyboard.press("Enter")
    for number, step in enumerate(lesson.steps):
        settled(page, lesson, number)
        where = f"{lesson.id} {number + 1}"
        asked = asks(page, step)
        if asked:
            faults += [f"{where}: {fault}" for fault in look(f"{where} asks", False)]
            answer(page, lesson, number)
        faults += [f"{where}: {fault}" for fault in look(where, True)]
        tab_to(page, ".lesson-strip .next")
        page.keyboard.press("Enter")
    expect(page.locator(".strip-title")).to_have_text("Done")
    expect(page.locator(".lesson-strip q")).to_have_text(lesson.wrong)
    tab_to(page, ".lesson-strip .to-list")
    page.keyboard.press("Enter")
    return faults


@pytest.mark.parametrize("look", LOOKS)
def test_lessons_are_played_to_their_end(
    chromium: Browser, site: str, tmp_path: Path, look: str
) -> None:
    wanted = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"}
    context = chromium.new_context(**{**wanted, **LOOKS[look]})
    page, faults = context.new_page(), []
    page.on("pageerror", lambda error: faults.append(f"page error: {error}"))
    page.on(
        "console",
        lambda said: faults.append(f"console: {said.text}") if said.type == "error" else None,
    )
    page.goto(site)
    expect(page.locator("#picture-answer .four dd").first).to_be_visible()
    take(page, look, save(tmp_path / "random", max_position_embeddings=384))
    open_lessons(page)
    for lesson in PLAYED:
        faults += played(page, lesson, lambda _, last: faults_at(page, look, last))
    said = list(faults)
    context.close()
    assert not said, "\n".join(said)
