"""What Chromium draws: chapters and steps with folds open, lessons, bench, files."""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

from qa_demo.core.reader import Reader
from qa_demo.views.page import build
from qa_demo.views.services import Services
from tests.browser.conftest import ARGUMENTS, system_chromium
from tests.browser.serve import running, served
from tests.browser.test_lessons import COURSE, open_lessons, walk
from tests.browser.test_present import DRAWN, PICTURES
from tests.fakes import FakeReader

LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1280, "height": 800}},
    "dark": {"viewport": {"width": 375, "height": 812}, "color_scheme": "dark"},
}
UNFOLD = """() => document.querySelectorAll("[role=tabpanel] details, .panel details")
  .forEach((fold) => { if (fold.checkVisibility()) fold.open = true; })"""
PATIENCE = 30_000


def services_of(name: str) -> Services:
    """What stands behind the page: the fake reader, or the bundled one with its models."""
    if name == "fake":
        return served(FakeReader(bio=True))
    from qa_demo.app import services
    from qa_demo.model.loading import load_reader

    first: Future[Reader] = Future()
    first.set_result(load_reader("bundled"))
    return services("bundled", None, first)


class Camera:
    """Screens of one look, numbered by what they show."""

    def __init__(self, folder: Path, browser: Browser, address: str, look: str) -> None:
        self.folder, self.look = folder / "screens" / look, look
        self.folder.mkdir(parents=True, exist_ok=True)
        context = browser.new_context(reduced_motion="reduce", **LOOKS[look])
        self.page, self.address = context.new_page(), address
        self.page.set_default_timeout(PATIENCE)

    def fresh(self) -> Page:
        """The page as a newcomer finds it."""
        self.page.goto("about:blank")
        self.page.context.clear_cookies()
        self.page.goto(self.address)
        self.page.evaluate("localStorage.clear()")
        self.page.goto(self.address)
        expect(self.page.locator("#picture-answer .four dd").first).to_be_visible()
        return self.page

    def take(self, name: str) -> None:
        """The whole page, once what was asked for is drawn and nothing is busy."""
        self.page.wait_for_function("!document.querySelector('[aria-busy=true], .busy')")
        self.page.evaluate(DRAWN)
        path = self.folder / f"{name}.png"
        self.page.screenshot(path=path, full_page=True, animations="disabled")
        sys.stderr.write(f"{self.look}: {name}\n")


def chapters(camera: Camera) -> None:
    """Every step of every chapter, as it opens and with its folds open."""
    page = camera.fresh()
    for key, steps in PICTURES.items():
        page.locator(f"#tab-{key}").click()
        for step, part in steps.items():
            if step:
                page.locator(f"#{key}-step-{step}").click()
            stage = page.locator(f"#stage-{key}")
            if not (camera.look == "dark" and key == "spans"):  # a phone has a picture of its own
                expect(stage.locator(part).locator("visible=true").first).to_be_visible()
            camera.take(f"{key}-{step or 'only'}")
            page.evaluate(UNFOLD)
            camera.take(f"{key}-{step or 'only'}-open")


def lessons(camera: Camera) -> None:
    """Each step of each lesson as it stands before its question is answered."""
    for lesson in COURSE:
        page = camera.fresh()
        open_lessons(page)
        names = (f"lesson-{lesson.id}-{number + 1}" for number in range(len(lesson.steps)))
        walk(page, lesson, partial(take_next, camera, names))


def take_next(camera: Camera, names: Iterator[str]) -> None:
    """The next of the screens that are named."""
    camera.take(next(names))


def bench(camera: Camera) -> None:
    """The bench as it opens."""
    page = camera.fresh()
    page.locator("#switch-benching").click()
    expect(page.locator("#bench-presets")).to_be_visible()
    camera.take("bench")


def edition(camera: Camera, folder: Path) -> None:
    """The index of the edition and its first reading; neither needs a server."""
    for name in ("index.html", "read.html"):
        camera.page.goto((folder / "edition" / name).absolute().as_uri())
        camera.page.evaluate(DRAWN)
        camera.take(f"edition-{name.removesuffix('.html')}")


PARTS: dict[str, tuple[Callable[[Camera], None], ...]] = {
    "fake": (chapters, bench),
    "bundled": (chapters, lessons, bench),
}
"""What is drawn of each reader: a lesson holds with the reader it was written for."""


def keep_screens(folder: Path, name: str) -> None:
    """All screens of a reader's page. `keep_payloads` has written the edition beside them."""
    expect.set_options(timeout=PATIENCE)
    with running(build(services_of(name))) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=system_chromium(), args=ARGUMENTS)
        for look in LOOKS:
            camera = Camera(folder, browser, address, look)
            for part in PARTS[name]:
                part(camera)
            edition(camera, folder)
        browser.close()
