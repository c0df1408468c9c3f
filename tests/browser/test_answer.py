"""Chapter 1 in Chromium, by mouse and by keyboard, and the selection it shares."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import chosen

pytestmark = pytest.mark.browser

STORE = "module('shared/store.js')"


def selected(page: Page) -> str:
    return page.locator("#picture-answer .selection-line .selected-text").inner_text()


def test_a_dot_and_its_row_select_the_same_span(page: Page) -> None:
    page.locator("#picture-answer summary", has_text="as a table").click()
    row = page.locator("#picture-answer .row-select").nth(1)
    row.click()
    expect(row).to_have_attribute("aria-pressed", "true")
    text = row.inner_text()
    expect(page.locator("#picture-answer .selection-line .selected-text")).to_have_text(text)
    expect(page.locator("#picture-answer .dot.on")).to_have_count(1)
    assert page.locator("#picture-answer .dot.on").get_attribute("aria-label").startswith(text)


def test_of_many_fast_selections_the_last_one_stands(page: Page) -> None:
    picked = page.evaluate(f"""async () => {{
        const {{ select, state, textOf }} = await {STORE};
        const wait = () => new Promise((go) => setTimeout(go, 60));
        for (let d = 1; d < 7; d += 1) {{ select({{ start: d, end: d + 1 }}); await wait(); }}
        return textOf({{ start: 6, end: 7 }});
    }}""")
    chosen(page.locator("#picture-answer"), 6, 7)
    expect(page.locator("#picture-answer .selection-line .selected-text")).to_have_text(picked)
    held = page.evaluate(f"{STORE}.then((m) => [m.state.record.start, m.state.record.text])")
    assert held == [6, picked]


def test_a_selection_and_two_inputs_in_one_breath_all_take_effect(page: Page) -> None:
    page.evaluate(f"""async () => {{
        const {{ select }} = await {STORE};
        const rule = document.querySelector("#picture-answer [role=slider]");
        select({{ start: 1, end: 2 }});
        document.querySelector("#tab-start_end").click();
        select({{ start: 2, end: 3 }});
        rule.dispatchEvent(new KeyboardEvent("keydown", {{ key: "PageUp" }}));
    }}""")
    picture = page.locator("#picture-start_end")
    chosen(picture, 2, 3)
    slider = picture.get_by_role("slider", name="temperature")
    slider.focus()
    page.keyboard.press("End")
    picture.locator("#start_end-lift summary").click()
    picture.locator("#start_end-start_logit").focus()
    page.keyboard.press("End")
    expect(page.locator("#asked .by-hand")).to_contain_text("1 logit")
    expect(picture.locator(".notice")).to_contain_text("displayed at temperature")
    assert page.evaluate(f"{STORE}.then((m) => m.state.record.threshold)") == -1


def test_a_refused_selection_gives_way_to_the_one_before(page: Page) -> None:
    line = page.locator("#picture-answer .selection-line")
    page.locator("#picture-answer .word", has_text="Copenhagen").click()
    expect(line).to_contain_text("i = ")
    page.evaluate(f"{STORE}.then((m) => m.select({{ window: 5, start: 1, end: 2 }}))")
    expect(page.locator("#say [role=status]")).to_contain_text("got window 5")
    expect(line.locator(".selected-text")).to_have_text("Copenhagen")


def test_an_illegal_span_says_why_everywhere(page: Page) -> None:
    page.evaluate(
        f"{STORE}.then((m) => m.select({{ start: 0, end: m.state.reading.tokens.length - 1 }}))"
    )
    for key in ("answer", "spans"):
        page.locator(f"#tab-{key}").click()
        expect(page.locator(f"#picture-{key} .selection-line .flag")).to_contain_text(
            "No legal answer, too long"
        )


def test_the_four_numbers_follow_the_selection(page: Page) -> None:
    score = page.locator("#picture-answer .four .value").first
    before = score.inner_text()
    page.locator("#picture-answer .word", has_text="Copenhagen").click()
    expect(score).not_to_have_text(before)
    formula = page.locator("#picture-answer .formula").inner_text()
    expect(score).to_have_text(formula.rsplit(" ", 1)[1])


def test_the_rule_is_a_slider_that_silences_the_reader(page: Page) -> None:
    rule = page.get_by_role("slider")
    expect(rule).to_have_attribute("aria-valuenow", "0")
    expect(page.locator("#picture-answer .mark-predicted:not(.key *)")).not_to_have_count(0)
    rule.focus()
    for _ in range(5):
        page.keyboard.press("PageUp")
    expect(page.locator("#picture-answer .notice")).to_contain_text("No answer:")
    expect(page.locator("#picture-answer .legend[aria-label]")).to_contain_text(
        "no answer is predicted"
    )


def test_the_rule_is_dragged_by_mouse(page: Page) -> None:
    grip = page.locator("#picture-answer .threshold-grip").bounding_box()
    last = page.locator("#picture-answer .dot.best .point").bounding_box()
    page.mouse.move(grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2)
    page.mouse.down()
    page.mouse.move(last["x"] + 20, grip["y"], steps=4)
    page.mouse.up()
    expect(page.locator("#picture-answer .notice")).to_contain_text("No answer:")
