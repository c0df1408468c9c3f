"""Chapter 8 in Chromium: spans by hand and law, texts, guesses, wires, by mouse and key."""

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser


def opened(page: Page) -> Locator:
    """The chapter, once its model and its first text are there."""
    page.locator("#tab-spanbert").click()
    expect(page.locator("#picture-spanbert .mask-text .word").first).to_be_visible()
    page.locator("#spanbert-source").select_option("superbowl")
    expect(page.locator("#picture-spanbert .mask-text").first).to_contain_text("Super Bowl")
    page.locator("#spanbert-law > summary").click()
    return page.locator("#picture-spanbert")


def hidden(picture: Locator) -> int:
    """Pieces that the first column says are hidden."""
    return int(
        picture.locator(".mask-column").first.locator("p.tabular").inner_text().split(" ")[0]
    )


def word(picture: Locator, text: str) -> Locator:
    return picture.locator(".mask-column").first.get_by_role("button", name=text, exact=True)


def numbers(head: Locator) -> str:
    """Rank, p and -log p of the true piece."""
    return head.locator(".who p").inner_text()


def test_spans_are_drawn_by_mouse_and_by_keyboard(page: Page) -> None:
    picture = opened(page)
    expect(picture.locator("h3").first).to_have_text("Spans drawn by hand")
    had = hidden(picture)
    word(picture, "Super").hover()
    page.mouse.down()
    word(picture, "I").hover()
    page.mouse.up()
    expect(picture.locator(".mask-says")).to_contain_text(
        "“\u2068Super Bowl I\u2069” is hidden: 3 pieces."
    )
    assert hidden(picture) == had + 3
    expect(word(picture, "Bowl")).to_have_attribute("aria-pressed", "true")
    word(picture, "was").focus()
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Enter")
    expect(picture.locator(".mask-says")).to_contain_text(
        "“\u2068was played\u2069” overlaps or touches “\u2068Super Bowl I\u2069”: one run of 5 "
        "pieces now"
    )
    expect(word(picture, "played")).to_be_focused()
    page.keyboard.press("Delete")
    expect(picture.locator(".mask-says")).to_contain_text(
        "“\u2068Super Bowl I was played\u2069” is in sight again."
    )
    assert hidden(picture) == had
    word(picture, "game").click()
    expect(page.locator("#say")).to_contain_text("this is the only hidden run")


def test_spans_are_drawn_by_the_law_and_the_law_follows_its_options(page: Page) -> None:
    picture = opened(page)
    picture.get_by_role("button", name="draw by the law").click()
    expect(picture.locator("h3").first).to_have_text("SpanBERT: whole words in a row")
    expect(picture.locator(".mask-says")).to_contain_text("One random number for each run")
    columns = picture.locator(".mask-column p.tabular")
    assert columns.nth(0).inner_text().split(" ")[:3] == columns.nth(1).inner_text().split(" ")[:3]
    before = picture.locator(".mask-column .hid").all_inner_texts()
    picture.get_by_role("button", name="draw with a new seed").click()
    expect(page.locator("#spanbert-seed")).to_have_text("seed 2")
    assert picture.locator(".mask-column .hid").all_inner_texts() != before
    expect(picture.locator(".lengths .legend")).to_contain_text("the law, mean 3.797")
    expect(picture.locator(".histogram .law-bar")).to_have_count(10)
    page.locator("#spanbert-span_upper").fill("4")
    expect(picture.locator(".formula")).to_contain_text("ℓ = 1 … 4")
    expect(picture.locator(".histogram .law-bar")).to_have_count(4)


def test_texts_and_hostile_words(page: Page) -> None:
    picture = opened(page)
    source = page.locator("#spanbert-source")
    source.select_option("own")
    page.get_by_role("textbox", name="Your own text").fill(
        "<img src=x onerror=alert(1)> ${x} {{y}} stands here as text and nothing else happens."
    )
    picture.get_by_role("button", name="use this text").click()
    expect(picture.locator(".mask-text").first).to_contain_text(
        "<img src=x onerror=alert(1)> ${x} {{y}}"
    )
    page.locator("#spanbert-step-predict").click()
    expect(picture.locator(".sbp-text")).to_contain_text("<img src=x onerror=")
    assert picture.locator("img").count() == 0
    source.select_option("reading")
    expect(picture.locator(".sbp-text")).to_contain_text("Copenhagen")


def test_a_blank_is_chosen_and_its_wires_are_cut(page: Page) -> None:
    picture = opened(page)
    page.locator("#spanbert-step-predict").click()
    blanks = picture.get_by_role("radio", name="blank")
    expect(blanks).to_have_count(4)
    blanks.first.focus()
    page.keyboard.press("ArrowRight")
    expect(picture.locator(".sbp-blank")).to_contain_text("Blank 2 of 4")
    expect(picture.get_by_role("radio", name="blank 2")).to_be_checked()
    mlm, sbo = picture.locator(".guesses.mlm"), picture.locator(".guesses.sbo")
    before, boundary = numbers(mlm), numbers(sbo)
    picture.get_by_role("button", name="cut the left wire").click()
    expect(picture.locator(".segment.left")).to_contain_text("its mean")
    assert numbers(sbo) != boundary
    assert numbers(mlm) == before, "a cut wire is SBO's alone"
    page.locator("#spanbert-reset").click()
    expect(picture.get_by_text("Nothing is changed.")).to_be_visible()
    assert numbers(sbo) == boundary
