"""Chapter 2 in Chromium: plane by mouse and key, slide, bias, products, layers, bench."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.steps import ask, chosen
from tests.texts import LONG

pytestmark = pytest.mark.browser

PICTURE = "#picture-scores"
TEXT = (
    "The bridge opened in July 2000. Its towers were drawn by the architect George Rotne of "
    "Denmark, and Anna Lindh crossed it first. "
    "Trains reach Malmo in ten minutes, and cars pay a toll at Lernacken."
)


def chapter(page: Page, question: str = "Who drew the bridge?", paragraph: str = TEXT) -> Locator:
    """Read a text with the fake reader, as a stored reading has another's T; open the chapter."""
    ask(page, question, paragraph)
    page.locator("#tab-scores").click()
    picture = page.locator(PICTURE)
    picture.locator("#scores-step-plane").click()
    expect(picture.locator(".scores-dot").first).to_be_attached()
    # the tokens' table and, once the hidden states are here, the one of the ranks on every layer
    expect(picture.locator(".folds caption")).to_have_count(2)
    return picture


def dot(picture: Locator, pos: int) -> Locator:
    return picture.locator(f".scores-plane-step .scores-dot[data-pos='{pos}']")


def place(picture: Locator, pos: int) -> dict[str, float]:
    """Where a dot stands on screen, in one call: a redraw may come between two."""
    at = (
        "([root, pos]) => { const r = document.querySelector(`${root} .scores-plane-step "
        ".scores-dot[data-pos='${pos}'] .target`)"
        ".getBoundingClientRect(); return { x: r.x, y: r.y }; }"
    )
    return picture.page.evaluate(at, [PICTURE, pos])


def test_a_dot_selects_its_word_by_mouse_and_by_keyboard(top: Page) -> None:
    picture = chapter(top)
    first = top.evaluate(
        "module('shared/store.js').then((m) => m.state.reading.windows[0].contextAt)"
    )
    dot(picture, first + 1).focus()
    top.keyboard.press("Enter")
    chosen(picture, 1, 1)
    expect(dot(picture, first + 1)).to_be_focused()
    expect(dot(picture, first + 1).locator(".ring")).to_have_count(2)
    top.keyboard.press("ArrowRight")
    expect(picture.locator(".scores-readout").first).to_contain_text("start_logit")
    top.keyboard.press("ArrowRight")
    top.keyboard.press("Shift+Enter")
    chosen(picture, 1, 3)
    dot(picture, first + 4).locator(".target").click(force=True)
    chosen(picture, 4, 4)
    before = picture.locator(".selection-line").inner_text()
    dot(picture, 1).focus()
    top.keyboard.press("Enter")
    assert picture.locator(".selection-line").inner_text() == before, (
        "a question token is no answer"
    )


def test_another_question_slides_the_tokens_and_leaves_the_axes(top: Page) -> None:
    picture = chapter(top)
    picture.locator("#scores-question").fill("Who crossed it first?")
    picture.locator("#scores-question").press("Enter")
    expect(picture.locator(".scores-moved caption")).to_contain_text("The largest moves")
    expect(picture.locator("#scores-after")).to_have_attribute("aria-pressed", "true")
    expect(picture.locator(".notice")).to_contain_text("the words move, not the axes")
    assert picture.locator(".arrow").count() > 10
    axes = picture.locator(".scores-plane-step svg.scores-plane > text").all_text_contents()
    picture.get_by_text("the largest moves", exact=True).click()
    row = picture.locator(".scores-moved tbody tr").first
    row.locator("button").click()
    pos = int(
        picture.locator(".scores-plane-step .scores-dot:has(.of-start)").get_attribute("data-pos")
    )
    after = place(picture, pos)
    picture.locator("#scores-before").click()
    expect(picture.locator("#scores-before")).to_have_attribute("aria-pressed", "true")
    before = place(picture, pos)
    assert abs(before["x"] - after["x"]) + abs(before["y"] - after["y"]) > 5
    assert picture.locator(".scores-plane-step svg.scores-plane > text").all_text_contents() == axes
    picture.locator("#scores-drop").click()
    expect(picture.locator(".arrow")).to_have_count(0)
    expect(picture.locator("#scores-question")).to_have_value("Who crossed it first?")
    top.get_by_label("Examples").select_option(index=2)
    expect(picture.locator("#scores-question")).to_have_value("")


def test_the_chapter_opens_with_two_questions_and_goes_on_with_one(page: Page) -> None:
    page.locator("#tab-scores").click()
    picture = page.locator(PICTURE)
    finding = picture.locator("[data-part=finding]")
    expect(picture.locator(".scores-offer[aria-pressed=true]")).to_have_count(1)
    expect(finding).to_contain_text("S and E")
    expect(picture.locator(".scores-arrows")).to_be_attached()
    expect(picture.locator(".scores-bias")).to_be_hidden()
    two = finding.inner_text()
    page.locator("#scores-step-plane").click()
    expect(picture.locator(".scores-arrows")).to_have_count(0)
    expect(picture.locator(".scores-bias")).to_be_visible()
    expect(finding).not_to_have_text(two, use_inner_text=True)
    page.locator("#scores-step-questions").click()
    expect(finding).to_have_text(two, use_inner_text=True)
    picture.get_by_role("button", name="take away").click()
    expect(picture.locator(".scores-moved")).to_be_hidden()
    page.locator("#tab-answer").click()
    page.locator("#tab-scores").click()
    expect(picture.locator(".scores-moved")).to_be_hidden()


def test_tokens_travel_unless_motion_is_unwelcome(open_page: Callable[..., Page]) -> None:
    page = open_page(reduced_motion="no-preference")
    picture = chapter(page)
    page.evaluate("""() => { window.seen = new Set();
        const look = () => { const c = document.querySelectorAll("#picture-scores .scores-dot .target")[9];
            if (c) window.seen.add(c.getAttribute("cx")); };
        new MutationObserver(look).observe(document.querySelector("#picture-scores"), { childList: true, subtree: true }); }""")
    picture.locator("#scores-question").fill("Who crossed it first?")
    picture.locator("#scores-ask").click()
    expect(picture.locator(".finding")).to_contain_text("S and E stay the same")
    page.wait_for_function("window.seen.size > 4")
    expect(picture.locator("#scores-after")).to_have_attribute("aria-pressed", "true")


def test_a_bias_moves_logits_and_no_probability_winner_or_loss(top: Page) -> None:
    picture = chapter(top)
    picture.locator("#scores-bias summary").click()
    at = place(picture, 0)
    for side in ("start", "end"):
        slider = picture.locator(f"#scores-bias-{side}")
        slider.focus()
        for _ in range(8):
            top.keyboard.press("ArrowRight")
        expect(slider).to_be_focused()
    expect(picture.locator(".scores-bias output")).to_have_text(["+0.40", "+0.40"])
    cells = "(rows) => rows.map((r) => [...r.children].map((c) => c.textContent))"
    rows = {r[0]: r[1:] for r in picture.locator(".scores-bias tbody tr").evaluate_all(cells)}
    for name in ("start_logit of the selected pair", "end_logit"):
        assert float(rows[name][1].replace("−", "-")) - float(
            rows[name][0].replace("−", "-")
        ) == pytest.approx(0.4, abs=1e-9)
    for name in ("score", "score of no answer"):
        assert float(rows[name][1].replace("−", "-")) - float(
            rows[name][0].replace("−", "-")
        ) == pytest.approx(0.8, abs=1e-9)
    for name in (
        "P(start)",
        "P(end)",
        "score against no answer",
        "winner, positions",
        "loss, were it the label",
    ):
        assert rows[name][0] == rows[name][1] and rows[name][2] == "stays"
    expect(picture.locator(".scores-bias")).to_contain_text(
        "no probability, winner or loss is among those that move"
    )
    moved = place(picture, 0)
    assert moved["x"] > at["x"] + 5 and moved["y"] < at["y"] - 5
    picture.get_by_role("button", name="reset").first.click()
    assert place(picture, 0) == at


def test_products_follow_the_selection(top: Page) -> None:
    picture = chapter(top)
    picture.locator("#scores-step-dimensions").click()
    top.locator("#tab-answer").click()
    top.locator("#picture-answer .word").nth(2).click()
    top.locator("#tab-scores").click()
    word = top.locator("#picture-scores .selected-text").inner_text()
    expect(picture.locator(".scores-lane.start h3 bdi")).to_have_text(word.split()[0])


def test_layers_select_by_keyboard_and_show_the_rank(page: Page) -> None:
    picture = chapter(page)
    picture.locator("#scores-step-layers").click()
    expect(picture.locator(".scores-map")).to_have_count(2)
    ranks = picture.locator("#scores-map-start .rank").all_text_contents()
    assert len(ranks) == 4 and ranks[-1] == "1"
    stage = picture.locator("#scores-map-start")
    stage.focus()
    page.keyboard.press("ArrowUp")
    expect(picture.locator(".scores-readout:visible")).to_contain_text("layer 2")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(picture.locator("#scores-map-start")).to_be_focused()
    chosen = picture.locator(".selection-line .selected-text").inner_text()
    name = picture.locator("#scores-map-start .words").text_content()
    assert chosen.startswith(name) and name
    assert picture.locator(".way").count() >= 4


def test_two_readings_stand_side_by_side(page: Page) -> None:
    picture = chapter(page)
    picture.locator("#scores-step-layers").click()
    picture.locator("#scores-bench-paragraph").fill(TEXT.replace("George", "Karin"))
    picture.locator("#scores-bench-read").click()
    expect(picture.locator(".scores-bench")).to_contain_text("Changed: the paragraph.")
    expect(picture.locator(".scores-column")).to_have_count(2)
    expect(picture.locator(".scores-column dd")).to_have_count(8)
    expect(picture.locator(".scores-words tbody tr")).not_to_have_count(0)
    expect(picture.locator("tbody th").filter(has_text="George → Karin").first).to_be_attached()
    picture.locator("#scores-bench-method").select_option("integrated_gradients")
    expect(picture.locator(".scores-rests .scores-says")).to_contain_text("By integrated gradients")
    expect(
        picture.locator(".table-box caption").filter(has_text="Every word by integrated gradients")
    ).to_have_count(1)
    picture.locator("#scores-bench-paragraph").fill("   ")
    picture.locator("#scores-bench-read").click()
    expect(page.locator(".say.error")).to_be_visible()
    expect(picture.locator(".scores-column")).to_have_count(2)


def test_a_selection_in_another_window_fetches_that_windows_states(page: Page) -> None:
    picture = chapter(page, "Who came to Kalmar?", LONG)
    last = page.evaluate("module('shared/store.js').then((m) => m.state.reading.tokens.length - 2)")
    page.locator("#tab-answer").click()
    page.locator("#picture-answer .word").last.click()
    page.locator("#tab-scores").click()
    chosen(picture, last)
    count = page.evaluate("module('shared/store.js').then((m) => m.state.reading.windows.length)")
    expect(picture.locator("caption").first).to_contain_text(f"window {count} of {count}")
    picture.locator("#scores-step-dimensions").click()
    expect(picture.locator(".scores-sum").first).to_be_visible()
