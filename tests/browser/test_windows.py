"""Chapter 6 in Chromium: tents, sandbox, re-run, candidates, rank chart, constant."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from qa_demo.views.examples import load_examples
from qa_demo.views.windows import chapter as windows
from tests.browser.steps import ask, chosen
from tests.texts import LONG

pytestmark = pytest.mark.browser


def chapter(page: Page) -> Locator:
    page.locator("#tab-windows").click()
    picture = page.locator("#picture-windows")
    step(picture, "windows")
    expect(picture.locator(".pad svg")).to_be_visible()
    return picture


def long_chapter(page: Page) -> Locator:
    ask(page, "Who came to Kalmar?", LONG)
    picture = chapter(page)
    expect(picture.locator(".formula")).to_contain_text("windows = 1 + ")
    return picture


def step(picture: Locator, name: str) -> None:
    picture.locator(f"#windows-step-{name}").click()
    expect(picture.locator(f"#windows-step-{name}")).to_have_attribute("aria-pressed", "true")


def count(picture: Locator, name: str) -> str:
    return picture.locator(".count", has_text=name).locator("dd").inner_text()


def test_one_window_says_so_and_can_be_split_and_read_again(page: Page) -> None:
    picture = chapter(page)
    expect(picture.locator(".finding")).to_contain_text(re.compile(r"One window .* would need \d"))
    expect(picture.locator(".step-says")).not_to_contain_text("one window")
    expect(picture.locator(".formula")).to_contain_text("windows = 1 + ")
    picture.get_by_role("button", name="back to the windows that were read").click()
    expect(picture.locator(".formula")).to_contain_text("windows = 1, since")
    expect(picture.locator("#windows-rerun")).to_be_disabled()
    picture.locator(".offer").click()
    expect(picture.locator(".step-says")).to_contain_text("Preview, not read yet: ")
    windows = count(picture, "windows")
    assert int(windows) > 1
    picture.locator("#windows-rerun").click()
    expect(picture.locator(".formula")).to_contain_text(re.compile(rf"⌉\s=\s{windows}"))
    expect(picture.locator("#windows-rerun")).to_be_disabled()
    expect(page.locator("#asked")).to_contain_text(f"{windows} windows")
    picture.get_by_role("button", name="read again with: max_seq_length 384").click()
    expect(page.locator("#asked")).to_contain_text("one window")


def test_the_step_slider_previews_by_keyboard(top: Page) -> None:
    picture = long_chapter(top)
    before = count(picture, "pieces computed again")
    picture.locator("#windows-doc-stride").focus()
    for _ in range(5):
        top.keyboard.press("PageDown")
    expect(picture.locator(".step-says")).to_contain_text("Preview, not read yet")
    assert count(picture, "pieces computed again") != before
    expect(picture.locator("#windows-doc-stride")).to_be_focused()
    picture.get_by_role("button", name="back to the windows that were read").click()
    expect(picture.locator(".step-says")).not_to_contain_text("Preview")


def test_a_word_piece_is_read_out_and_selected_by_keyboard_and_by_mouse(top: Page) -> None:
    picture = long_chapter(top)
    pad = picture.locator(".pad")
    pad.focus()
    top.keyboard.press("Home")
    for _ in range(3):
        top.keyboard.press("ArrowRight")
    expect(picture.locator(".readout")).to_contain_text("word piece 3")
    expect(picture.locator(".readout .owner")).to_contain_text("window 1: min(3,")
    top.keyboard.press("Enter")
    chosen(picture, 3)
    box = pad.bounding_box()
    pad.click(position={"x": box["width"] * 0.6, "y": 60})
    expect(picture.locator(".selected-text")).not_to_have_attribute(
        "data-span", re.compile(r"^\d+ 3 ")
    )


def test_candidates_select_by_mouse_and_by_keyboard(top: Page) -> None:
    picture = long_chapter(top)
    step(picture, "candidates")
    dots = picture.locator(".w-dot")
    assert dots.count() >= 10
    dots.first.locator("circle").click(force=True)
    expect(picture.locator(".w-dot[aria-pressed=true]")).to_have_count(1)
    dots.first.focus()
    top.keyboard.press("ArrowRight")
    top.keyboard.press("Enter")
    expect(dots.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(dots.nth(0)).to_have_attribute("aria-pressed", "false")


def test_rules_are_compared_chosen_and_shaken(top: Page) -> None:
    picture = long_chapter(top)
    step(picture, "merge")
    picture.locator(".head[aria-label^='context-only mean']").click()
    expect(picture.locator(".comparison h3")).to_contain_text("context-only mean")
    expect(picture.locator(".head[aria-label^='context-only mean']")).to_be_focused()
    picture.locator("[data-keep=past]").click()
    expect(picture.locator(".offset")).to_contain_text("it has changed")
    still = picture.locator(".still tbody tr").filter(has_text="stays still")
    expect(still).to_have_count(3)
    for row in still.all():
        cells = row.locator("td").all_inner_texts()
        assert cells[0] == cells[1]
    picture.locator("[data-keep=zero]").click()
    expect(picture.locator(".offset")).not_to_contain_text("it has changed")
    picture.locator("#windows-scale input[value=log_odds]").check()
    expect(picture.locator(".head.chosen")).to_have_attribute("aria-label", re.compile("^log-odds"))
    expect(picture.locator("#windows-null input[value=own_window]")).to_be_checked()
    picture.locator("[data-keep^=break-]").first.click()
    expect(picture.locator(".broken").first).to_have_text(
        re.compile(r"(In “|No counterexample in \d+ reading)")
    )


def test_the_example_that_breaks_a_rule_is_opened(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stored readings are the bundled reader's: the search is tested in views, here its button."""
    wanted = list(load_examples().values())[3]
    monkeypatch.setattr(
        windows,
        "counterexample",
        lambda readings, rule, decode: {
            "rule": rule,
            "found": True,
            "title": wanted.title,
            "searched": 2,
            "says": "It picks another span.",
        },
    )
    picture = chapter(page)
    step(picture, "merge")
    picture.locator("[data-keep^=break-]").first.click()
    picture.get_by_role("button", name="open this example").click()
    expect(page.locator("#asked .asked-question")).to_have_text(wanted.question)
    expect(page.get_by_label("Examples")).to_have_value(wanted.id)
    expect(page.locator("#asked .about")).to_contain_text("in one window")
