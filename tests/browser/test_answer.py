"""Chapter 1 in Chromium, by mouse and by keyboard, and the selection it shares."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import chosen

pytestmark = pytest.mark.browser

STORE = "module('shared/store.js')"


@pytest.fixture
def answer(top: Page) -> Page:
    """Chapter 1 on the page of this module."""
    top.locator("#tab-answer").click()
    return top


def test_a_dot_and_its_row_select_the_same_span(answer: Page) -> None:
    answer.locator("#picture-answer summary", has_text="as a table").click()
    row = answer.locator("#picture-answer .row-select").nth(1)
    row.click()
    expect(row).to_have_attribute("aria-pressed", "true")
    text = row.inner_text()
    expect(answer.locator("#picture-answer .selection-line .selected-text")).to_have_text(text)
    expect(answer.locator("#picture-answer .dot.on")).to_have_count(1)
    assert answer.locator("#picture-answer .dot.on").get_attribute("aria-label").startswith(text)


def test_of_many_fast_selections_the_last_one_stands(answer: Page) -> None:
    picked = answer.evaluate(f"""async () => {{
        const {{ select, state, textOf }} = await {STORE};
        const wait = () => new Promise((go) => setTimeout(go, 60));
        for (let d = 1; d < 7; d += 1) {{ select({{ start: d, end: d + 1 }}); await wait(); }}
        return textOf({{ start: 6, end: 7 }});
    }}""")
    chosen(answer.locator("#picture-answer"), 6, 7)
    expect(answer.locator("#picture-answer .selection-line .selected-text")).to_have_text(picked)
    held = answer.evaluate(f"{STORE}.then((m) => [m.state.record.start, m.state.record.text])")
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


def test_a_refused_selection_gives_way_to_the_one_before(answer: Page) -> None:
    line = answer.locator("#picture-answer .selection-line")
    answer.locator("#picture-answer .word", has_text="Copenhagen").click()
    expect(line).to_contain_text("i = ")
    answer.evaluate(f"{STORE}.then((m) => m.select({{ window: 5, start: 1, end: 2 }}))")
    expect(answer.locator("#say [role=status]")).to_contain_text("got window 5")
    expect(line.locator(".selected-text")).to_have_text("Copenhagen")


def test_an_illegal_span_says_why_everywhere(answer: Page) -> None:
    answer.evaluate(
        f"{STORE}.then((m) => m.select({{ start: 0, end: m.state.reading.tokens.length - 1 }}))"
    )
    for key in ("answer", "spans"):
        answer.locator(f"#tab-{key}").click()
        expect(answer.locator(f"#picture-{key} .selection-line .flag")).to_contain_text(
            "No legal answer, too long"
        )


def test_the_four_numbers_follow_the_selection(answer: Page) -> None:
    score = answer.locator("#picture-answer .four .value").first
    before = score.inner_text()
    answer.locator("#picture-answer .word", has_text="Malm").click()
    expect(score).not_to_have_text(before)
    formula = answer.locator("#picture-answer .formula").inner_text()
    expect(score).to_have_text(formula.rsplit(" ", 1)[1])


def test_the_rule_is_a_slider_that_silences_the_reader_by_keyboard_and_by_mouse(page: Page) -> None:
    rule = page.get_by_role("slider")
    expect(rule).to_have_attribute("aria-valuenow", "0")
    expect(page.locator("#picture-answer .mark-predicted:not(.key *)")).not_to_have_count(0)
    rule.focus()
    for _ in range(5):
        page.keyboard.press("PageUp")
    expect(page.locator("#picture-answer .notice")).to_contain_text("No answer:")
    legend = page.get_by_role("list", name="Marks")
    expect(legend).to_contain_text("selected")
    expect(legend).not_to_contain_text("predicted")
    page.locator("#asked .by-hand").get_by_role("button", name="reset").click()
    expect(rule).to_have_attribute("aria-valuenow", "0")
    expect(page.locator("#picture-answer .notice")).not_to_contain_text("No answer:")
    grip = page.locator("#picture-answer .threshold-grip").bounding_box()
    last = page.locator("#picture-answer .dot.best .point").bounding_box()
    page.mouse.move(grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2)
    page.mouse.down()
    page.mouse.move(last["x"] + 20, grip["y"], steps=4)
    page.mouse.up()
    expect(page.locator("#picture-answer .notice")).to_contain_text("No answer:")
