"""The static edition from a folder without a network, and under a path of a web server."""

import re
import shutil
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect

from qa_demo.views.page import CHAPTERS
from tests.browser.test_lessons import answer, settled
from tests.views.saved.editions import LESSON, PASSAGE, examples

TITLE = re.compile("[^:]+: Spanlight$")
PHONE = {"width": 375, "height": 812}


def faults(page: Page) -> list[str]:
    """What axe finds; its script is run by hand, as the page's policy evaluates no text."""
    page.evaluate(Axe().axe_script)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'], preload: false })")
    return [
        f"{v['id']}: {[node['html'][:120] for node in v['nodes']][:3]}" for v in found["violations"]
    ]


def narrow(page: Page) -> bool:
    """Whether nothing stands out of a phone's screen."""
    page.set_viewport_size(PHONE)
    return bool(page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"])


def test_every_page_opens_from_a_folder(opened: Callable[..., Page], edition_folder: Path) -> None:
    page = opened(edition_folder / "index.html", folder=edition_folder)
    assert faults(page) == [] and narrow(page)
    page.emulate_media(color_scheme="dark")
    assert faults(page) == []
    entries = page.locator("main li a").all_inner_texts()
    assert len(entries) == len(examples()) + 2
    for title in entries:
        page.get_by_role("link", name=title, exact=True).click()
        expect(page.locator("#asked .asked-question")).not_to_be_empty()
        chapter = page.locator("[role=tabpanel]:visible")
        expect(chapter.locator(".notice")).not_to_be_empty()
        expect(page).to_have_title(TITLE)
        if title != LESSON.title:
            expect(
                chapter.locator(".stage svg:visible, .stage .word:visible").first
            ).to_be_visible()
        page.get_by_role("link", name="Spanlight").click()
        expect(page).to_have_url((edition_folder / "index.html").as_uri())


def test_a_reading_has_its_chapters_and_leads_to_others(
    opened: Callable[..., Page], edition_folder: Path
) -> None:
    one, other = list(examples().values())[:2]
    page = opened(edition_folder / "read.html", f"#example={one.id}", edition_folder)
    for module in CHAPTERS:
        page.get_by_role("tab", name=module.CHAPTER.title).click()
        panel = page.get_by_role("tabpanel", name=module.CHAPTER.title)
        expect(panel.locator(".stage svg:visible, .stage .word:visible").first).to_be_visible()
    assert faults(page) == []
    page.get_by_label("Examples").select_option(other.id)
    expect(page.locator("#asked").get_by_text(other.question)).to_be_visible()
    page.get_by_role("tab", name="SpanBERT").click()
    page.locator("#spanbert-source").select_option(PASSAGE.id)
    expect(page.locator("#panel-spanbert .stage")).to_contain_text(PASSAGE.text[:20])
    page.get_by_role("button", name="dark").click()
    assert faults(page) == []
    page.go_back()
    expect(page.locator(".asked-question")).to_have_text(one.question)


def test_a_file_that_is_missing_is_named_on_the_page(
    chromium: Browser, edition_folder: Path, tmp_path: Path
) -> None:
    one, other = list(examples().values())[:2]
    folder = shutil.copytree(edition_folder, tmp_path / "edition")
    (folder / "data" / f"{other.id}.js").unlink()
    context = chromium.new_context(offline=True, color_scheme="dark")
    page, uncaught = context.new_page(), list[str]()
    page.on("pageerror", lambda error: uncaught.append(str(error)))
    missing = re.compile(re.escape(f"data/{other.id}.js could not be loaded"))
    page.goto((folder / "read.html").as_uri() + f"#example={other.id}")
    expect(page.get_by_role("alert")).to_have_text(missing)
    expect(page.get_by_role("link", name="All texts")).to_have_attribute("href", "index.html")
    expect(page.locator("body")).to_contain_class("dark")
    page.goto((folder / "index.html").as_uri())
    page.get_by_role("link", name=one.title, exact=True).click()
    expect(page.locator(".asked-question")).to_have_text(one.question)
    page.get_by_label("Examples").select_option(other.id)
    expect(page.locator("#say .say")).to_have_text(missing)
    (folder / "data" / "site.js").unlink()
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("data/site.js could not be loaded")
    assert uncaught == []
    context.close()


@pytest.fixture
def address(edition_folder: Path) -> Iterator[str]:
    """The edition under a path of a web server that knows nothing of it."""
    handler = partial(Quiet, directory=edition_folder.parent)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/{edition_folder.name}/"
        server.shutdown()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Say nothing on stderr."""


def test_chapter_8_s_text_does_not_wait_for_the_reading(chromium: Browser, address: str) -> None:
    one, held = next(iter(examples().values())), list[Route]()
    page = chromium.new_page()
    tape = f"**/data/{one.id}.js"
    page.route(tape, lambda route: held.append(route))
    with page.expect_request("**/data/passage.js"), page.expect_request(tape):
        page.goto(f"{address}read.html#example={one.id}")
    page.evaluate("null")  # the held request has arrived here before this answer
    held.pop().continue_()
    expect(page.locator(".asked-question")).to_have_text(one.question)
    page.close()


def test_a_lesson_is_played_on_a_phone_from_a_web_server(
    visited: Callable[..., Page], address: str
) -> None:
    page = visited(f"{address}read.html#lesson={LESSON.id}", address, viewport=PHONE)
    settled(page, LESSON, 0)
    expect(page.locator(".asked-question")).to_be_visible()
    word = page.locator("#picture-answer .word").first
    word.click()
    expect(page.locator(".strip-marked .words")).to_have_text(word.inner_text())
    page.get_by_role("button", name="Commit").click()
    expect(page.locator(".strip-yours")).to_contain_text("You marked")
    for number in range(1, len(LESSON.steps)):
        page.locator(".lesson-strip .next").click()
        settled(page, LESSON, number)
        expect(page).to_have_url(f"{address}read.html#lesson={LESSON.id}&step={number + 1}")
        if LESSON.steps[number].predict:
            answer(page, LESSON, number)
        if LESSON.steps[number].act:
            expect(page.locator(".lesson-strip")).to_contain_text("needs the running page")
            expect(page.locator("#say .error")).to_have_count(0)
    page.reload()
    settled(page, LESSON, len(LESSON.steps) - 1)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.locator(".lesson-strip .next").click()
    expect(page.locator(".strip-title")).to_have_text("Done")
