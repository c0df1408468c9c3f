"""Chapter 7 in Chromium: bars, decodings, threshold, annotators, one-hot."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.steps import ask, chosen

pytestmark = pytest.mark.browser

TEXT = (
    "In 1900 the traveller Anna Lund came to Visby and met Bertil Kalmar, who told of winters past "
    "and of roads to nowhere. The old mill stood by the water, as they said to all who came by. "
    "Only Greta Holm kept count of them in a small red book."
)


def chapter(page: Page) -> Locator:
    ask(page, "Who came to Kalmar?", TEXT)
    page.locator("#tab-bio").click()
    picture = page.locator("#picture-bio")
    expect(picture.locator(".stage > *").first).to_be_attached()
    expect(page.locator("#picture-bio.stale")).to_have_count(0)
    return picture


def step(picture: Locator, name: str) -> None:
    picture.locator(f"#bio-step-{name}").click()
    expect(picture.locator(f"#bio-step-{name}")).to_have_attribute("aria-pressed", "true")


@pytest.mark.usefixtures("nothing_fetched")
def test_a_token_is_taken_apart_by_mouse_and_by_keyboard(top: Page) -> None:
    picture = chapter(top)
    step(picture, "tags")
    expect(picture.locator(".formula")).to_contain_text("W: 3 × 6")
    first = top.evaluate(
        "module('shared/store.js').then((m) => m.state.reading.windows[0].contextAt)"
    )
    picture.locator('.hit[data-doc="9"]').click()
    expect(picture.locator(".token-table caption")).to_contain_text(f"at position {first + 9}")
    top.keyboard.press("ArrowRight")
    top.keyboard.press("Enter")
    expect(picture.locator(".token-table caption")).to_contain_text(f"at position {first + 10}")
    picture.locator("#bio-products").click()
    expect(picture.locator(".products tbody tr")).to_have_count(4)
    logits = picture.locator(".token-table tbody td:nth-child(2)").all_inner_texts()
    assert picture.locator(".products tbody td:last-child").all_inner_texts()[1:] == logits
    top.keyboard.press("Escape")
    picture.locator('.hit[data-doc="10"]').focus()
    top.keyboard.press("ArrowDown")
    top.keyboard.press("Shift+ArrowRight")
    top.keyboard.press("Enter")
    chosen(picture, 10, 11)


def test_decodings_stand_side_by_side_and_the_threshold_moves_by_keyboard(top: Page) -> None:
    picture = chapter(top)
    step(picture, "spans")
    names = [
        name
        for name in picture.locator(".line").first.locator(".row-name").all_text_contents()
        if name
    ]
    assert names == ["argmax", "strict", "lenient", "Viterbi", "start/end"]
    assert picture.locator("path.illegal").count() >= 1
    kept = picture.locator(".marginals .kept")
    before = kept.count()
    slider = picture.locator("#bio-threshold")
    slider.focus()
    top.keyboard.press("Home")
    expect(picture.locator(".bio-stage section p.role-quiet")).to_contain_text("at least 0.01")
    assert kept.count() > before
    expect(slider).to_be_focused()
    picture.locator(".marginals .row-select").nth(1).click()
    expect(picture.locator(".marginals .row-select").nth(1)).to_have_attribute(
        "aria-pressed", "true"
    )
    picture.locator("#bio-glue summary").click()
    expect(picture.locator(".glue table").first.locator("tr")).to_have_count(4)
    expect(picture.locator(".glue")).to_contain_text("both answers beat the glue")


def test_annotators_mark_by_keyboard_and_the_loss_follows(top: Page) -> None:
    picture = chapter(top)
    step(picture, "annotators")
    expect(picture.locator(".notice")).to_contain_text("agree on every token")
    picture.locator("#bio-preset-disagree").focus()
    top.keyboard.press("Enter")
    expect(picture.locator(".notice")).to_contain_text("annotators part at 1 token.")
    picture.locator("#bio-terms summary").click()
    expect(picture.locator(".terms tbody td").filter(has_text="2/3")).not_to_have_count(0)
    picture.locator('.hit[data-doc="9"]').focus()
    top.keyboard.press("Enter")
    chosen(picture, 9, 9)
    picture.locator("#bio-mark-2").focus()
    top.keyboard.press("Enter")
    expect(picture.locator(".editor .marked").nth(1)).to_have_text("Visby")
    expect(picture.locator("#bio-mark-2")).to_be_focused()
    picture.locator(".word", has_text="Lund").click()
    picture.locator("#bio-more-2").click()
    expect(picture.locator(".editor .marked").nth(1)).to_have_text("Lund · Visby")
    picture.locator("#bio-preset-every").click()
    expect(picture.locator(".editor .marked").nth(2)).to_contain_text("Lund · ")
    picture.locator("#bio-none-3").click()
    expect(picture.locator(".editor .marked").nth(2)).to_have_text("none")
    assert picture.locator("#bio-terms").get_attribute("open") is not None, (
        "an open fold stays open"
    )


def test_the_double_sum_collapses_in_three_stages(top: Page) -> None:
    picture = chapter(top)
    step(picture, "annotators")
    picture.locator("#bio-onehot summary").click()
    terms = picture.locator(".one-hot tbody td:not([colspan]):has-text('·')")
    expect(picture.locator(".one-hot .faded").first).to_be_visible()
    picture.locator("#bio-stage-2").click()
    expect(picture.locator(".one-hot .faded")).to_have_count(0)
    expect(picture.locator(".one-hot .stays").first).to_contain_text("1 ·")
    picture.locator("#bio-stage-3").click()
    expect(picture.locator("#bio-stage-3")).to_be_focused()
    expect(picture.locator(".one-hot .stays").first).not_to_contain_text("1 ·")
    assert terms.count() > 0
    loss = picture.locator(".one-hot .bio-sum strong").inner_text()
    expect(picture.locator(".both-signs text").filter(has_text=f"−{loss}")).to_have_count(1)


def test_a_reader_without_a_head_says_so_and_offers_one_that_has_it(page: Page) -> None:
    page.get_by_role("button", name="reader:").click()
    page.locator("#ask-reader input").fill("plain")
    page.locator("#ask-load").click()
    expect(page.locator("#asked")).to_contain_text("plain")
    page.locator("#tab-bio").click()
    picture = page.locator("#picture-bio")
    expect(picture.locator(".notice")).to_contain_text("plain has no BIO head")
    expect(picture.locator("#bio-bundled")).to_be_visible()
