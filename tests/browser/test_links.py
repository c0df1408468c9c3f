"""Links in Chromium: the address follows, reload and back keep the work, a link opens."""

import re
from collections.abc import Callable
from urllib.parse import urlencode

from playwright.sync_api import Page, expect

from qa_demo.views.link.fragment import parse
from tests.browser.serve import UNKNOWN
from tests.browser.steps import leaving
from tests.views.link.states import pack

LONG = "The towers were drawn by Georg Rotne in July. "
TEXTS = {"question": "Who drew the towers?", "paragraph": LONG}


def fields_of(page: Page) -> dict:
    """What the address of a page holds by now."""
    found = parse(page.evaluate("history.state?.spanlight ?? ''"))
    return {} if found is None else dict(found.fields)


def wait_for_field(page: Page, name: str, value: object) -> None:
    """Wait until the address says so; it is looked at whenever it has changed."""
    was = page.evaluate("history.state?.spanlight ?? null")
    while fields_of(page).get(name) != value:
        page.wait_for_function("was => (history.state?.spanlight ?? null) !== was", arg=was)
        was = page.evaluate("history.state?.spanlight ?? null")


def test_reload_and_back_keep_the_work(open_page: Callable[..., Page]) -> None:
    page = open_page()
    assert "#" not in page.url  # a visit that changes nothing has the address it came by
    page.locator("#tab-spans").click()
    page.locator("#spans-settings summary").click()
    box = page.locator("#picture-spans").get_by_role("textbox", name="max_answer_length")
    box.fill("7")
    box.press("Enter")
    wait_for_field(page, "decode", [7, 20, 0, False])
    page.locator("#tab-windows").click()
    page.locator("#windows-step-merge").click()
    wait_for_field(page, "page.step", "merge")
    page.reload()
    expect(page.locator("#tab-windows")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#windows-step-merge")).to_have_attribute("aria-pressed", "true")
    page.go_back()
    expect(page.locator("#tab-spans")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#spans-settings input[inputmode=numeric]").first).to_have_value("7")
    page.go_back()
    expect(page.locator("#tab-answer")).to_have_attribute("aria-selected", "true")
    page.go_forward()
    expect(page.locator("#tab-spans")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".link-left").first).to_be_hidden()


def test_whoever_is_quick_can_go_back_to_the_start(open_page: Callable[..., Page]) -> None:
    """The tab is pressed as soon as it is there, before the address follows."""
    page = open_page()
    address = page.url
    leaving(page)
    page.goto("about:blank")
    page.add_init_script("""new MutationObserver((_, seen) => {
      const asked = document.querySelector("#asked .asked-question")?.textContent;
      const tab = document.querySelector("#tab-spans");
      if (asked && tab) { seen.disconnect(); tab.click(); }
    }).observe(document, { childList: true, subtree: true });""")
    page.goto(address)
    expect(page.locator("#tab-spans")).to_have_attribute("aria-selected", "true")
    wait_for_field(page, "chapter", "spans")
    page.go_back()
    expect(page.locator("#tab-answer")).to_have_attribute("aria-selected", "true")


def test_a_link_by_hand_names_an_example_a_chapter_and_a_lesson(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("?chapter=bio#example=saxophone&chapter=why")
    expect(page.locator("#tab-why")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#examples-menu")).to_have_value("saxophone")
    page.evaluate("location.hash = '#lesson=flying'")
    said = page.locator(".link-left").first
    expect(said).to_contain_text("the lesson 'flying', which is not here")
    page.evaluate("location.hash = '#lesson=span'")
    expect(page.locator(".lesson-strip .strip-title")).to_be_visible()
    wait_for_field(page, "page.lesson", "span")
    page.get_by_role("button", name="Next", exact=True).click()
    wait_for_field(page, "page.lesson_step", 1)
    title = page.locator(".strip-title").inner_text()
    other = open_page(page.evaluate("location.hash"))
    expect(other.locator(".strip-title")).to_have_text(title)


def test_on_a_phone_the_tab_of_a_linked_chapter_is_in_sight(open_page: Callable[..., Page]) -> None:
    page = open_page("#chapter=why", viewport={"width": 375, "height": 740})
    tab = page.locator("#tab-why")
    expect(tab).to_have_attribute("aria-selected", "true")
    expect(tab).to_be_in_viewport(ratio=0.9)


def test_a_reader_that_cannot_be_had_is_named(open_page: Callable[..., Page]) -> None:
    fields = {
        **TEXTS,
        "reader": [UNKNOWN, UNKNOWN, "abc123"],
        "windows": [384, 128, 64],
        "logits": [["start", 0, 3, 9.0]],
        "span": [0, 1, 1],
        "chapter": "start_end",
    }
    page = open_page(pack(fields))
    said = page.locator(".link-left").first
    expect(said).to_contain_text(f"the reader {UNKNOWN}, revision abc123, cannot be had here")
    expect(said).to_contain_text("so bundled has read the texts")
    expect(said).to_contain_text("the changed logits")
    expect(page.locator("#asked .by-hand")).to_be_hidden()
    expect(page.locator("#switch-readers")).to_contain_text("fake")
    said.get_by_role("button", name="close").click()
    expect(said).to_be_hidden()


def test_a_locked_link_keeps_texts_and_settings_until_it_is_unlocked(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("#" + urlencode({"chapter": "spans", "lock": "texts_settings"}))
    picture = page.locator("#picture-spans")
    picture.locator("#spans-settings summary").click()
    box = picture.get_by_role("textbox", name="max_answer_length")
    expect(box).to_be_disabled()
    expect(page.locator("#examples-menu")).to_be_hidden()
    expect(page.locator("#switch-readers")).to_be_hidden()
    said = page.locator(".link-left").nth(1)
    expect(said).to_contain_text("The author of this link has locked texts and reader")
    said.get_by_role("button", name="unlock").click()
    expect(box).to_be_enabled()
    expect(page.locator("#examples-menu")).to_be_visible()


def test_texts_too_long_for_a_link_stay_in_the_tab(open_page: Callable[..., Page]) -> None:
    words = " ".join(f"{7919 * k % 100003:x}{104729 * k % 99991:x}" for k in range(1300))
    page = open_page("#" + urlencode({"v": 1, "q": "Who?", "p": f"Ada met Grace. {words}"}))
    page.locator("#tab-start_end").click()
    wait_for_field(page, "chapter", "start_end")
    assert len(page.url) < 8200
    assert fields_of(page)["paragraph"].startswith("Ada met Grace.")
    page.locator("#switch-linking").click()
    expect(page.locator("#link-note")).to_contain_text("The texts are too long for a link")
    expect(page.locator("#link-field")).to_have_value(re.compile("#2"))
    page.locator("#tab-answer").click()
    wait_for_field(page, "chapter", "answer")
    page.go_back()
    expect(page.locator("#tab-start_end")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#asked .asked-question")).to_have_text("Who?")
    expect(page.locator(".link-left").first).to_be_hidden()
