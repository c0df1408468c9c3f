"""A saved reading, opened from a file without a network: nothing is asked for, nothing fails."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from qa_demo.core.options import WindowOptions
from qa_demo.views.bundle import script
from qa_demo.views.new_reading import new_screen
from qa_demo.views.notebook import as_page
from qa_demo.views.page import CHAPTERS, frame_of, tabs
from qa_demo.views.saved.file import html, saved
from qa_demo.views.saved.tape import record
from qa_demo.views.session.model_cache import ModelCache
from tests.browser.serve import infiller
from tests.fakes import FakeReader
from tests.requests import services

HOME = "http://127.0.0.1:7860/"
HOSTILE = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)> ${7} {{8}} \u2028"
TEXT = f"Anna Lund came to Visby in 1900. {HOSTILE} George Rotne drew the bridge there."
LACKING = "This needs the running page: a notebook shows the reading alone, without its reader."
SMALL = WindowOptions(max_seq_length=40, doc_stride=16)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hostile text in several windows."""
    reader = FakeReader(bio=True)
    frame = frame_of(services(lambda: reader, infillers=ModelCache(infiller)))
    screen = new_screen(None, reader.read("Who came to Visby?", TEXT, SMALL))
    path = tmp_path_factory.mktemp("saved") / "reading.html"
    text = html(saved(record(frame, screen), tabs(), HOME))
    path.write_text(text, encoding="utf-8", newline="\n")
    return path


def test_every_chapter_stands_in_the_file(opened: Callable[..., Page], file: Path) -> None:
    page = opened(file)
    expect(page.get_by_text(HOSTILE.split("$")[0]).first).to_be_attached()
    for module in CHAPTERS:
        chapter = module.CHAPTER
        page.get_by_role("tab", name=chapter.title).click()
        panel = page.get_by_role("tabpanel", name=chapter.title)
        expect(panel.get_by_role("heading", name=chapter.question)).to_be_visible()
        expect(panel.locator(".notice")).not_to_be_empty()
        expect(panel.locator(".stage svg:visible, .stage .word:visible").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert page.locator("#page img, #page script").count() == 0
    page.keyboard.press("?")
    listed = page.get_by_role("dialog", name="Keys")
    expect(listed).to_contain_text("1 to 9")
    expect(listed).not_to_contain_text(re.compile("examples|next case"))


def test_listed_spans_are_selected_and_the_rest_leads_to_the_page(
    opened: Callable[..., Page], file: Path
) -> None:
    page = opened(file)
    panel = page.get_by_role("tabpanel", name="Answer")
    panel.get_by_text("as a table").click()
    row = panel.locator("tbody .row-select[data-span]").nth(2)
    expect(row).to_have_attribute("aria-pressed", "false")
    row.click()
    expect(row).to_have_attribute("aria-pressed", "true")
    span = str(row.get_attribute("data-span"))
    expect(panel.locator(".selected-text")).to_have_attribute("data-span", span)
    way = page.get_by_role("link", name="open on the running page")
    expect(way).to_have_attribute("href", re.compile("^" + re.escape(HOME) + r"#2\."))
    page.get_by_role("tab", name="Spans").click()
    spans = page.get_by_role("tabpanel", name="Spans")
    before = spans.locator(".selection-line").inner_text()
    spans.locator("button[aria-label$=' window']:enabled").first.click()
    expect(spans.locator(".selection-line")).not_to_have_text(before)
    page.get_by_role("tab", name="Tags").click()
    for control in page.locator(".stage :is(input, select, textarea)").all():
        if not control.is_enabled():
            expect(control).to_have_attribute("title", "needs the running page")
    page.get_by_role("tab", name="Scores").click()
    for step, name in (("plane", "Ask"), ("layers", "Read and compare")):
        page.locator(f"#scores-step-{step}").click()
        expect(page.get_by_role("button", name=name, exact=True)).to_be_disabled()
    page.get_by_role("tab", name="Why").click()
    page.locator("#why-step-trust").click()
    why = page.get_by_role("tabpanel", name="Why")
    expect(why.get_by_text("This was not saved").filter(visible=True)).to_be_visible()
    expect(why.get_by_role("link", name="open it there")).to_have_attribute(
        "href", re.compile("^" + re.escape(HOME) + r"#2\.")
    )
    expect(why.get_by_role("button", name="measure")).to_have_count(0)
    page.get_by_role("tab", name="Loss").click()
    page.locator("#loss-step-labels").click()
    page.get_by_role("tabpanel", name="Loss").get_by_role("button", name="no answer").first.click()
    expect(page.locator("#say")).to_contain_text("needs the running page")
    expect(page.locator("#say").get_by_role("link", name="open it there")).to_be_visible()


def test_the_running_page_hands_the_file_over(
    open_page: Callable[..., Page], opened: Callable[..., Page], tmp_path: Path, site: str
) -> None:
    page = open_page("#chapter=loss&step=labels")
    expect(page.locator("#loss-step-labels")).to_have_attribute("aria-pressed", "true")
    page.locator("#switch-linking").click()
    with page.expect_download() as hand:
        page.get_by_role("button", name="Save this reading as one file").click()
    path = tmp_path / hand.value.suggested_filename
    assert path.name.startswith("spanlight-") and path.suffix == ".html"
    hand.value.save_as(path)
    expect(page.locator("#say")).to_contain_text("Saved")
    copy = opened(path)
    expect(copy.get_by_role("tab", name="Loss")).to_have_attribute("aria-selected", "true")
    expect(copy.locator("#loss-step-labels")).to_have_attribute("aria-pressed", "true")
    asked = page.locator(".asked-question").inner_text()
    copy.get_by_role("button", name="you are the reader").click()
    expect(copy.get_by_text(asked, exact=True).first).to_be_visible()
    expect(copy.get_by_role("button", name=asked)).to_have_count(0)
    copy.get_by_role("button", name="you are the reader").click()
    expect(copy.locator("#picture-loss .finding")).to_have_text(
        page.locator("#picture-loss .notice").inner_text()
    )


MODULES = {
    "main.js": 'import "./first.js";\nimport { twice as double } from "./two.js";\n'
    'import * as all from "./two.js";\nimport { fmt } from "./min.js";\n'
    "const late = await import(`./${all.word}/chapter.js`);\n"
    "globalThis.made = [double(4), Object.keys(all).sort(), late.here, fmt(2), globalThis.order];\n",
    "first.js": 'globalThis.order = ["first"];\n',
    "two.js": 'globalThis.order.push("two");\nexport const twice = (x) => 2 * x;\n'
    'export const word = "why";\nexport { best as top } from "./deep/three.js";\n',
    "deep/three.js": "const slow = await Promise.resolve(5);\nexport function best() {\n"
    "  return slow;\n}\n",
    "min.js": "function q(n){return n+1}export{q as fmt};\n",
    "why/chapter.js": 'import { top } from "../two.js";\n'
    'export const here = [top(), new URL("./a.css", import.meta.url).pathname];\n',
}


def test_a_bundle_runs_as_its_modules_would(chromium: Browser, tmp_path: Path) -> None:
    for name, text in MODULES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    page = chromium.new_page()
    page.evaluate(script(tmp_path, "main.js"))
    page.wait_for_function("globalThis.made")
    assert page.evaluate("globalThis.made") == [
        8,
        ["top", "twice", "word"],
        [5, "/why/a.css"],
        3,
        ["first", "two"],
    ]
    page.close()


def test_a_notebook_shows_a_reading_in_a_frame(opened: Callable[..., Page], tmp_path: Path) -> None:
    # a text of its own: what another test's reading was given is kept, and would be shown here
    reading = FakeReader(bio=True).read("Who came to Visby?", f"So it was. {TEXT}", SMALL)
    path = tmp_path / "cell.html"
    path.write_text(f"<!doctype html>\n<meta charset='utf-8'>\n{as_page(reading)}")
    frame = opened(path).frame_locator("iframe[title='A reading in Spanlight']")
    expect(frame.locator(".asked-question")).to_have_text("Who came to Visby?")
    for module in CHAPTERS:
        chapter = module.CHAPTER
        frame.get_by_role("tab", name=chapter.title).click()
        panel = frame.get_by_role("tabpanel", name=chapter.title)
        expect(panel.get_by_role("heading", name=chapter.question)).to_be_visible()
        if chapter.key in ("spanbert", "why"):  # what they show, a reader or a model must make
            expect(panel.get_by_text(LACKING)).to_be_visible()
        else:
            expect(panel.locator(".stage svg:visible, .stage .word:visible").first).to_be_visible()
        expect(frame.get_by_role("button", name="try again")).to_have_count(0)
        expect(frame.locator("#say").get_by_text("saved with")).to_have_count(0)
    frame.get_by_role("tab", name="Tags").click()
    tags = frame.get_by_role("tabpanel", name="Tags")
    expect(tags.get_by_text("need the running page")).to_be_visible()
    expect(tags.get_by_role("link", name="open it there")).to_have_count(0)
    frame.get_by_role("tab", name="SpanBERT").click()
    frame.locator("#spanbert-step-closing").click()
    spanbert = frame.get_by_role("tabpanel", name="SpanBERT")
    expect(spanbert.locator(".notice")).not_to_contain_text("prepared")
    expect(spanbert.get_by_text("fine-tuning for reading")).to_be_visible()
    frame.get_by_role("tab", name="Scores").click()
    frame.locator("#scores-step-layers").click()
    scores = frame.get_by_role("tabpanel", name="Scores")
    expect(scores.get_by_text(LACKING).first).to_be_visible()
    expect(scores.get_by_role("button", name="fetch them")).to_have_count(0)
