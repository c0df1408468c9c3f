"""Chapter 3 in Chromium: stems, words, windows, temperature, a logit by hand, the bars."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.steps import ask, chosen, tab_to
from tests.texts import LONG

pytestmark = pytest.mark.browser

PICTURE = "#picture-start_end"


def chapter(page: Page) -> Locator:
    page.locator("#tab-start_end").click()
    picture = page.locator(PICTURE)
    expect(picture.locator(".line .hit").first).to_be_attached()
    expect(picture.locator(".notice")).to_contain_text("two separate argmaxes")
    return picture


def selected(picture: Locator) -> Locator:
    return picture.locator(".selection-line .selected-text")


def stem(picture: Locator, side: str, doc: int) -> Locator:
    return picture.locator(f".hit.{side}[data-doc='{doc}']")


def test_the_words_stand_as_typed_between_two_lanes(top: Page) -> None:
    picture = chapter(top)
    context = top.evaluate("module('shared/store.js').then((m) => m.state.reading.context)")
    lines = picture.locator(".line:not(.outside) .words").all_text_contents()
    assert all(line in context for line in lines) and lines
    expect(picture.locator(".outside")).to_contain_text("[CLS]")
    expect(picture.locator(".sum-one")).to_have_text(["sum = 1", "sum = 1"])
    expect(picture.locator(".hollow.start:not(.legend *)")).to_have_count(1)
    expect(picture.locator(".hollow.end:not(.legend *)")).to_have_count(1)


def test_stems_and_words_select_by_mouse(top: Page) -> None:
    picture = chapter(top)
    picture.locator(".word[data-first='4']").click()
    chosen(picture, 4)
    end = int(picture.locator(".word[data-first='4']").get_attribute("data-last"))
    stem(picture, "end", end + 2).click()
    chosen(picture, 4, end + 2)
    stem(picture, "start", 2).click()
    chosen(picture, 2, end + 2)
    stem(picture, "start", end + 4).click()
    chosen(picture, end + 4, end + 4)
    picture.locator(".word[data-first='1']").click(modifiers=["Shift"])
    chosen(picture, 1, end + 4)
    expect(picture.locator(".formula")).to_contain_text(" start at ")


def test_stems_and_words_select_by_keyboard(top: Page) -> None:
    picture = chapter(top)
    start = int(picture.locator(".selected-text").get_attribute("data-span").split()[1])
    stop = picture.locator(".word[tabindex='0']")
    expect(stop).to_have_count(1)
    assert int(stop.get_attribute("data-first")) <= start <= int(stop.get_attribute("data-last"))
    tab_to(top, stop)
    top.keyboard.press("Home")
    top.keyboard.press("ArrowRight")
    top.keyboard.press("Shift+ArrowRight")
    top.keyboard.press("Shift+ArrowRight")
    expect(picture.locator(".mark-pending")).not_to_have_count(0)
    top.keyboard.press("Enter")
    chosen(picture, 1, 3)
    expect(picture.locator(".mark-pending")).to_have_count(0)
    top.keyboard.press("ArrowUp")
    top.keyboard.press("ArrowLeft")
    expect(picture.locator(".hit.start:focus")).to_have_count(1)
    expect(picture.locator(".readout")).to_contain_text("start_logit")
    top.keyboard.press("Enter")
    chosen(picture, 2, 3)
    for _ in range(2):
        top.keyboard.press("ArrowDown")
    top.keyboard.press("ArrowRight")
    top.keyboard.press("ArrowRight")
    top.keyboard.press("Enter")
    chosen(picture, 2, 4)
    expect(picture.locator(".hit.end:focus")).to_have_count(1)


def test_temperature_moves_stems_but_not_the_score(top: Page) -> None:
    picture = chapter(top)
    score = top.locator("#picture-answer .formula").text_content()
    before = picture.locator(".formula").inner_text()
    slider = picture.get_by_role("slider", name="temperature")
    slider.focus()
    for _ in range(10):
        top.keyboard.press("ArrowRight")
    expect(picture.locator(".formula")).to_contain_text("/ T)")
    assert picture.locator(".formula").inner_text() != before
    expect(picture.locator(".notice")).to_contain_text("displayed at temperature")
    expect(slider).to_be_focused()
    assert top.locator("#picture-answer .formula").text_content() == score
    picture.locator(".levers button", has_text="reset").click()
    expect(picture.locator(".formula")).to_have_text(before)


def test_other_numbers_of_the_same_words_lose_no_event(page: Page) -> None:
    """Between a reading and its picture lies a frame, in which a slider may be let go."""
    picture = chapter(page)
    expect(picture.locator(".notice")).not_to_be_empty()
    page.evaluate("""async () => {
      const { state } = await module('shared/store.js');
      state.reading = { ...state.reading, stamp: state.reading.stamp + 0.5 };
      const slider = document.querySelector("#stage-start_end input[type=range]");
      slider.value = slider.max;
      for (const kind of ["input", "change"]) slider.dispatchEvent(new Event(kind, { bubbles: true }));
    }""")
    expect(picture.locator(".notice")).to_contain_text("displayed at temperature")


def test_the_log_scale_shows_small_stems_and_the_uniform_rule(page: Page) -> None:
    picture = chapter(page)
    few = picture.locator(".stem").count()
    expect(picture.locator(".uniform")).to_have_count(0)
    picture.get_by_role("radio", name="log").check()
    expect(picture.locator(".uniform")).not_to_have_count(0)
    assert picture.locator(".stem").count() > few


def test_a_raised_logit_changes_the_answer_without_the_model_and_resets(top: Page) -> None:
    picture = chapter(top)
    winner = selected(picture).inner_text()
    picture.locator(".word[data-first='1']").click()
    chosen(picture, 1)
    picture.locator("#start_end-lift summary").click()
    for side in ("start", "end"):
        slider = picture.locator(f"#start_end-{side}_logit")
        slider.focus()
        top.keyboard.press("End")
        lever = picture.locator(".lift .lever", has=top.locator(f"#start_end-{side}_logit"))
        expect(lever.get_by_role("button")).to_contain_text("reset to")
        expect(slider).to_be_focused()
    expect(top.locator("#asked .by-hand")).to_be_visible()
    word = selected(picture).inner_text()
    assert word != winner
    expect(picture.locator(".notice")).to_contain_text(
        f"start “\u2068{word}\u2069” and end “\u2068{word}\u2069”, form a legal pair"
    )
    assert top.evaluate("module('shared/store.js').then((m) => m.state.predicted.start)") == 1
    top.locator("#asked .by-hand button").click()
    expect(top.locator("#asked .by-hand")).to_be_hidden()
    expect(picture.locator(".lift button:enabled")).to_have_count(0)


def test_the_bars_are_loaded_on_demand_and_select(page: Page) -> None:
    picture = chapter(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    before = page.evaluate(
        "performance.getEntriesByType('resource').filter((e) => e.name.includes('plotly')).length"
    )
    assert before == 0
    picture.locator("#start_end-bars summary").click()
    expect(picture.locator(".bars .bars .point, .bars .barlayer .point").first).to_be_attached()
    assert any(url.endswith("static/plotly.min.js") for url in asked)
    expect(
        picture.locator(
            ".modebar-btn[data-title*='hare'], .modebar-btn[data-title*='loud'], .plotlyjsicon"
        )
    ).to_have_count(0)
    shown = page.evaluate("""() => { const chart = document.querySelector('#picture-start_end .bars');
        chart.emit('plotly_click', { points: [{ x: chart.calcdata[0].length - 3, data: { name: 'end' } }] });
        return [chart.data.length, chart.calcdata[0].reduce((sum, bar) => sum + bar.s, 0)]; }""")
    assert shown[0] == 2 and shown[1] == pytest.approx(1, abs=1e-3)
    last = page.evaluate("module('shared/store.js').then((m) => m.state.reading.tokens.length - 1)")
    span = re.compile(rf" {last - 1}$")
    expect(picture.locator(".selected-text")).to_have_attribute("data-span", span)


def test_a_long_text_has_a_staircase_and_a_window_chooser(page: Page) -> None:
    ask(page, "Who came to Kalmar?", LONG)
    picture = chapter(page)
    chooser = picture.locator("#start_end-window")
    expect(chooser.locator("option")).not_to_have_count(0)
    count = chooser.locator("option").count()
    assert count > 3
    chooser.select_option(index=1)
    expect(picture.locator(".side-notes")).to_contain_text(f"window 2 of {count}")
    expect(picture.locator(".notice")).to_contain_text(f"In window 2 of {count}")
    expect(picture.locator("caption")).to_contain_text(f"Every token of window 2 of {count}")
    box = picture.locator(".staircase").bounding_box()
    page.mouse.click(box["x"] + box["width"] - 40, box["y"] + box["height"] - 14)
    expect(picture.locator(".side-notes")).to_contain_text(f"window {count} of {count}")
    expect(picture.locator(".notice")).to_contain_text(f"In window {count} of {count}")
    folded = picture.locator(".folded").first
    expect(folded).to_contain_text("tokens, together start")
    lines = picture.locator(".line").count()
    folded.focus()
    page.keyboard.press("Enter")
    expect(picture.locator(".word:focus")).to_have_count(1)
    assert picture.locator(".line").count() > lines
