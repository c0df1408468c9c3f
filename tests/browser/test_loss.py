"""Chapter 5 in Chromium: marks, draggable axes, real steps with undo, wrong formulas."""

import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.fakes import FakeReader

pytestmark = pytest.mark.browser


def opened(page: Page) -> Page:
    page.locator("#tab-loss").click()
    page.locator("#loss-step-axes").click()
    expect(page.locator("#picture-loss .axis").first).to_be_visible()
    return page


@pytest.fixture
def loss(top: Page) -> Page:
    """Chapter 5 of the page of this module, as the annotators marked the text."""
    return opened(top)


def labels(page: Page) -> None:
    """Go to the step on which labels are marked."""
    page.locator("#loss-step-labels").click()
    expect(page.locator("#picture-loss .strip td").first).to_be_visible()


def total(page: Page) -> float:
    said = page.locator("#picture-loss .formula .role-strong").inner_text()
    return float(said.replace("\u2212", "-"))


def test_the_label_is_marked_by_keyboard_and_by_mouse(loss: Page) -> None:
    picture = loss.locator("#picture-loss")
    labels(loss)
    expect(picture.locator(".says").first).to_contain_text("annotators")
    before = total(loss)
    picture.locator(".word", has_text="Copenhagen").click()
    expect(picture.locator(".selection-line .selected-text")).to_have_text("Copenhagen")
    loss.keyboard.press("m")
    expect(picture.locator(".says").first).to_contain_text("You marked")
    assert total(loss) != before
    expect(picture.locator(".strip .lit").first).to_have_text("1")
    picture.get_by_role("button", name="take this mark away").click()
    expect(picture.locator(".says").first).to_contain_text("annotators")
    picture.get_by_role("button", name="no answer is right").click()
    expect(picture.locator(".says").first).to_contain_text("no answer is right")
    picture.get_by_role("button", name="take your marks away").click()
    expect(picture.locator(".says").first).to_contain_text("annotators")
    assert total(loss) == before


def test_a_wrong_tick_moves_log_z(loss: Page) -> None:
    picture = loss.locator("#picture-loss")
    tick = picture.locator(".axis.start .handle:not(.is-gold)").last
    rule = picture.locator(".axis.start .log-z text")
    before, cost = str(rule.text_content()), total(loss)
    tick.focus()
    for _ in range(6):
        loss.keyboard.press("PageUp")
    expect(rule).not_to_have_text(before)
    expect(loss.locator("#asked .by-hand")).to_be_visible()
    expect(picture.locator(".formula .role-strong")).not_to_have_text(f"{cost:.2f}")
    assert total(loss) > cost
    loss.locator("#asked .by-hand button").click()
    expect(rule).to_have_text(before)


def test_normalising_over_the_label_alone_costs_nothing(page: Page) -> None:
    loss = opened(page)
    labels(loss)
    loss.locator("#picture-loss .word", has_text="Copenhagen").click()
    loss.keyboard.press("m")
    loss.locator("#loss-step-axes").click()
    loss.locator("#loss-try > summary").click()
    loss.locator("#loss-alone").check()
    expect(loss.locator("#picture-loss .total-live strong")).to_have_text("0.00")


def test_the_bridge_leads_to_chapter_4(loss: Page) -> None:
    loss.locator("#loss-bridge > summary").click()
    loss.get_by_role("button", name="see the label's pair").click()
    expect(loss.locator("#tab-spans")).to_have_attribute("aria-selected", "true")
    expect(loss.locator("#picture-spans .selection-line .selected-text")).to_contain_text("Rotne")
    loss.get_by_role("button", name="all columns").click()
    loss.get_by_role("button", name="see chapter 5").click()
    expect(loss.locator("#tab-loss")).to_have_attribute("aria-selected", "true")


def test_steps_are_taken_and_taken_back(loss: Page) -> None:
    loss.locator("#loss-step-steps").click()
    picture = loss.locator("#picture-loss")
    expect(picture.get_by_role("button", name="undo")).to_be_disabled()
    loss.locator("#loss-take-5").click()
    expect(picture.locator(".results .says").first).to_contain_text("After 5 steps the loss fell")
    loss.locator("#loss-take-1").click()
    expect(picture.locator(".results .says").first).to_contain_text("After 6 steps")
    picture.get_by_role("button", name="undo").click()
    expect(picture.locator(".results .says").first).to_contain_text("After 5 steps")
    picture.get_by_role("button", name="redo").click()
    expect(picture.locator(".results .says").first).to_contain_text("After 6 steps")
    picture.get_by_role("button", name="reset", exact=True).click()
    expect(picture.locator(".results")).to_have_count(0)


def test_a_closed_tab_releases_its_learner(page: Page, reader: FakeReader) -> None:
    loss = opened(page)
    loss.locator("#loss-step-steps").click()
    loss.locator("#loss-take-1").click()
    expect(loss.locator("#picture-loss .results .says").first).to_contain_text("After 1 step")
    mine = reader.learners[-1]
    assert not mine.closed
    loss.close()
    for _ in range(300):
        if mine.closed:
            break
        time.sleep(0.1)
    assert mine.closed


def test_a_wrong_formula_shows_its_consequence(loss: Page) -> None:
    loss.locator("#loss-more > summary").click()
    loss.locator("#loss-misread > summary").click()
    inside = loss.locator("#loss-misread")
    expect(inside).to_contain_text("always 1")
    inside.get_by_role("button", name="linear layer without").click()
    expect(inside).to_contain_text("the loss stays")
    inside.get_by_role("button", name="Break it").click()
    expect(inside.locator(".broken")).to_contain_text("No counterexample in")


def test_the_longest_word_of_a_text_is_not_cut_off_on_a_phone(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("#example=fails-longest&chapter=loss", viewport={"width": 375, "height": 740})
    said = page.locator("#stage-loss .says").first
    expect(said).to_contain_text("Taumatawhakatangihanga")
    assert said.evaluate("(node) => node.scrollWidth <= node.clientWidth")
