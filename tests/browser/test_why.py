"""Chapter 9 in Chromium: heads, lanes, verdict, and a reader that refuses."""

import itertools
import re
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from qa_demo.core.errors import Cancelled
from qa_demo.core.explaining.attention import Attention
from qa_demo.core.explaining.attribution import Attribution
from qa_demo.core.types import Reading, Window
from qa_demo.views.examples import load_examples
from qa_demo.views.why import chapter as why
from tests.browser.steps import chosen
from tests.fakes import FakeReader
from tests.texts import travellers

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("nothing_explained")]
FIRST = next(iter(load_examples().values()))
PICTURE = "#picture-why"


def chapter(page: Page, step: str = "looked") -> Locator:
    page.locator("#tab-why").click()
    picture = page.locator(PICTURE)
    expect(picture.locator(f"#why-step-{step}")).to_be_visible()
    picture.locator(f"#why-step-{step}").click()
    return picture


def body(picture: Locator) -> Locator:
    return picture.locator(".step-body:not([hidden])")


def bars(picture: Locator) -> Locator:
    return body(picture).locator(".lane .bar")


def test_a_head_is_chosen_by_mouse_and_by_keyboard(page: Page) -> None:
    picture = chapter(page)
    grid = picture.locator(".head-grid")
    expect(grid.locator(".head-cell")).to_have_count(6)
    expect(grid.locator(".head-number:not(.name)")).to_have_text(["1", "2", "1", "2", "3"])
    grid.locator(".head-cell").nth(3).click()
    expect(picture.locator(".part-title").first).to_have_text("Where layer 2, head 2 looked")
    page.keyboard.press("ArrowDown")
    expect(picture.locator(".head-cell:focus")).to_have_attribute("data-k", "5")
    page.keyboard.press("Enter")
    expect(picture.locator(".part-title").first).to_have_text("Where layer 3, head 2 looked")
    expect(picture.locator(".summary")).to_have_count(3)
    expect(bars(picture)).not_to_have_count(0)
    expect(picture.locator(".notice")).to_contain_text("looked most at the question")
    assert "why" not in body(picture).inner_text().lower().split()


def test_a_token_is_pinned_and_its_row_is_exact(page: Page, reader: FakeReader) -> None:
    picture = chapter(page)
    words = body(picture).locator(".why-rows .word")
    expect(bars(picture)).not_to_have_count(0)
    expect(picture.locator(".head-text .readout")).to_contain_text(
        "exact values"
    )  # rounded bars may be a pixel lower
    tops = (
        "words => words.map((w) => w.getBoundingClientRect().top - "
        "words[0].getBoundingClientRect().top)"
    )
    where = words.evaluate_all(tops)
    for text in (
        "Who",
        "Trains",
        "purpose",
    ):  # a word that runs away from under the pointer cannot be clicked
        words.filter(has_text=text).first.hover()
        expect(picture.locator(".head-text .readout")).to_contain_text(text)
        assert words.evaluate_all(tops) == where
    words.filter(has_text="Trains").first.click()
    readout = picture.locator(".head-text .readout")
    expect(readout).to_contain_text("Trains")
    assert words.evaluate_all(tops) == where, "pinning moves nothing either"
    page.mouse.move(2, 2)
    expect(readout).to_contain_text("pinned")
    page.mouse.move(2, 2)
    expect(readout).to_contain_text("exact values")
    page.keyboard.press("ArrowRight")
    expect(readout).to_contain_text("and (")
    page.keyboard.press("Escape")
    words.filter(has_text="Trains").first.click()
    said = re.compile(r"^Trains: gave (0|< 0\.01|0\.\d\d), received ")
    expect(words.filter(has_text="Trains").first).to_have_attribute("aria-label", said)
    picture.locator("#why-head-table summary").click()
    table = picture.locator("#why-head-table table")
    expect(table.locator("caption")).to_have_text(
        re.compile(r"^layer \d, head \d: Trains \(\d+\); exact values$")
    )
    layer, head, at = map(int, re.findall(r"\d+", table.locator("caption").inner_text()))
    weights = reader.attention(reader.read(FIRST.question, FIRST.context).windows[0]).weights[
        layer - 1, head - 1
    ]
    shown = table.locator("tbody tr").all()
    assert len(shown) == len(weights)
    for p in (0, at, len(weights) - 1):
        printed = [
            f"{x:.4f}" if x >= 5e-5 else "< 0.0001" for x in (weights[at, p], weights[p, at])
        ]
        assert shown[p].locator("td").all_inner_texts()[1:] == printed


def test_the_head_before_is_greyed_until_the_chosen_one_is_here(
    page: Page, hold: Callable[[Any, str], threading.Event]
) -> None:
    picture = chapter(page)
    expect(picture.locator(".head-text .readout")).to_contain_text("exact values")
    head, cells = picture.locator(".head-box"), picture.locator(".head-cell")
    go = hold(why.looked, "head_data")
    words = body(picture).locator(".why-rows .word")
    words.filter(has_text="Trains").first.hover()
    cells.first.dispatch_event("click")  # the pointer stays on the word
    expect(picture.locator(".part-title").first).to_have_text("Where layer 1, head 1 looked")
    expect(head).to_have_attribute("inert", "")
    page.mouse.move(2, 2)  # a word is left, whose head is not the chosen one any more
    expect(head).to_be_visible()
    go.set()
    expect(head).not_to_have_attribute("inert", "")
    expect(picture.locator(".head-text .readout")).to_contain_text("exact values")


def test_target_method_and_contrast_are_chosen(page: Page) -> None:
    picture = chapter(page, "rested")
    expect(bars(picture)).not_to_have_count(0)
    expect(picture.locator(".sums")).to_contain_text("F(x′)")
    expect(picture.locator(".sums")).to_contain_text("under 2 %")
    page.get_by_label("method").select_option("gradient_x_input")
    expect(picture.locator(".sums")).to_contain_text("promises no sum")
    page.get_by_label("method").select_option("integrated_gradients")
    expect(picture.locator(".steps-line")).to_have_text("From 20 steps of the path.")
    page.get_by_label("target").select_option("span_minus_null")
    expect(picture.locator(".formula")).to_contain_text("[CLS]")
    page.get_by_label("target").select_option("span_minus_other")
    expect(picture.locator(".mark-contrast")).not_to_have_count(0)
    picture.locator("#why-pick").click()
    picture.locator(".step-body:not([hidden]) .word").filter(has_text="Trains").first.click()
    expect(picture.locator("#why-other option:checked")).to_have_text("“Trains”")
    expect(picture.locator(".formula")).to_contain_text("−")
    expect(picture.locator(".notice")).to_contain_text("By integrated gradients")


UNITS = """() => module('shared/lines.js').then((m) => m.units({ context: 'the  river ', first: 0, last: 4,
  tokens: [[0, 3], [5, 5], [5, 7], [7, 10], [10, 10]].map(([start, end]) => ({ start, end })) })
  .map((u) => [u.from, u.to, u.first, u.last, u.lead]))"""


def test_words_select_and_the_question_is_masked(
    page: Page, reader: FakeReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert page.evaluate(UNITS) == [[0, 3, 0, 0, 0], [5, 7, 1, 2, 1], [7, 10, 3, 4, 0]], (
        "a piece of blanks stands with the word after it"
    )
    picture = chapter(page, "rested")
    expect(bars(picture)).not_to_have_count(0)
    real = reader.attribute

    def neighbours(
        reading: Reading, *about: Any, **more: Any
    ) -> Attribution:  # the shortest two pieces of a word carry everything
        found, offsets = real(reading, *about, **more), reading.encoding.offset_mapping
        together = np.where(offsets[1:, 0] == offsets[:-1, 1], offsets[1:, 1] - offsets[:-1, 0], 99)
        lane = np.zeros(len(reading.windows[0]))
        at = reading.windows[0].to_pos(int(together.argmin()))
        lane[at : at + 2] = 4.0, 3.9
        return replace(found, start=lane, end=0 * lane)

    monkeypatch.setattr(reader, "attribute", neighbours)
    page.get_by_label("method").select_option("leave_one_out")
    expect(picture.locator(".sums")).to_contain_text("need not add up")
    page.get_by_label("sum to words").uncheck()
    expect(body(picture).locator(".lane text")).to_have_text(["+4.00"])
    picture.locator(".step-body:not([hidden]) .word").filter(has_text="Trains").first.click()
    expect(picture.locator(".selection-line .selected-text")).to_have_text("Trains")
    expect(bars(picture)).not_to_have_count(0)
    picture.locator("#why-question summary").click()
    picture.locator("#why-question-run").click()
    expect(picture.locator("#why-question tbody tr")).not_to_have_count(0)


def test_another_window_and_back(
    page: Page, reader: FakeReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    def near(
        window: Window,
    ) -> Attention:  # every token looks at itself, so that most lines are faint
        n = len(window)
        return Attention(np.broadcast_to(0.9 * np.eye(n) + 0.1 / n, (3, 2, n, n)))

    monkeypatch.setattr(reader, "attention", near)
    page.get_by_role("button", name="Ask your own", exact=True).click()
    page.get_by_label("Question", exact=True).fill("Who came to the mill?")
    page.get_by_label("Paragraph", exact=True).fill(travellers(24))
    page.locator("#ask-answer").click()
    expect(page.locator("#asked .asked-question")).to_have_text("Who came to the mill?")
    picture = chapter(page)
    folded = picture.locator(".head-text .folded")
    expect(folded.first).to_contain_text("little attention either way, together gave")
    count = folded.count()
    folded.first.click()
    expect(folded).to_have_count(count - 1)
    for doc, said in ((0, "in window 1 of"), (400, "in window"), (0, "in window 1 of")):
        page.evaluate(
            f"module('shared/store.js').then((m) => m.select({{start: {doc}, end: {doc}}}))"
        )
        chosen(picture, doc, doc)
        expect(picture.locator(".selection-line")).to_contain_text(said)
        expect(picture.locator(".head-text .word-marks .mark-selected")).not_to_have_count(0)
        picture.locator("#why-step-rested").click()
        expect(body(picture).locator(".word-marks .mark-selected")).not_to_have_count(0)
        picture.locator("#why-step-looked").click()


def measured(picture: Locator) -> Locator:
    """Press "measure" and wait until all four rows stand; returns the rows' words."""
    picture.locator("#why-trust-run").click()
    expect(picture.locator(".stand")).to_have_count(4)
    return picture.locator(".stand-says")


def test_each_method_stands_among_the_same_random_sets_and_has_its_curve(page: Page) -> None:
    picture = chapter(page, "trust")
    expect(body(picture)).to_contain_text("101 times for the random sets of three words")
    says = measured(picture)
    expect(picture.locator(".trust-verdict")).to_have_text(
        re.compile(
            r"^Masking the three top words of integrated gradients .* (lowers|raises) the score by "
            r"[\d.]+; of 100 random sets of three words, \d+ have a smaller drop: (larger than "
            r"nearly all|cannot be told from chance|smaller than nearly all)\.$"
        )
    )
    dots = picture.locator(".cloud .set")
    expect(dots).to_have_count(100)
    drops = [
        float(label.rsplit("drop of F ", 1)[1].replace("−", "-"))
        for label in dots.evaluate_all("all => all.map((dot) => dot.getAttribute('aria-label'))")
    ]
    assert drops == sorted(drops)
    verdict = picture.locator(".trust-verdict").inner_text()
    below = int(re.search(r"(\d+) have a smaller", verdict)[1])
    drop = float(re.search(r"score by ([\d.]+)", verdict)[1])
    drop = -drop if "raises" in verdict else drop
    assert sum(d < drop - 0.006 for d in drops) <= below <= sum(d <= drop + 0.006 for d in drops)
    assert f"larger than {below} of 100" in says.first.inner_text()
    expect(picture.locator(".notice")).to_contain_text(verdict[:40])
    picture.locator("#why-step-rested").click()
    expect(picture.locator(".notice")).to_contain_text("the largest support")
    picture.locator("#why-step-trust").click()
    expect(picture.locator(".notice")).to_contain_text(verdict[:40])
    picture.locator(".folds summary").first.click()
    expect(picture.locator(".folds table").filter(has_text="The 100 random sets")).to_have_count(1)
    picture.locator("#why-curves summary").click()
    expect(picture.locator("#why-curves")).to_contain_text("at the present pace")
    picture.locator("#why-curves-run").click()
    expect(picture.locator(".curve-box")).to_have_count(2)
    expect(picture.locator(".curve-says")).to_contain_text("the drop of F is:")
    expect(picture.locator("#why-curves .legend")).to_contain_text("leave one word out")


def test_the_dots_are_told_by_mouse_and_by_keyboard_and_nothing_moves(page: Page) -> None:
    picture = chapter(page, "trust")
    measured(picture)
    boxes = (
        "stage => [...stage.querySelectorAll('.set, .stand, .stand-says, .fold')].map((one) => "
        "{ const box = one.getBoundingClientRect(); return [box.left, box.top + scrollY]; })"
    )
    stage, tip = picture.locator(".stage"), picture.locator(".set-tip")
    before = stage.evaluate(boxes)
    picture.locator(".cloud .set").nth(99).hover()
    expect(tip).to_contain_text("drop of F")
    assert stage.evaluate(boxes) == before
    page.mouse.move(2, 2)
    expect(tip).to_be_hidden()
    picture.locator("#why-step-trust").focus()
    for _ in range(6):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('set')"):
            break
    expect(tip).to_be_visible()
    first = tip.inner_text()
    page.keyboard.press("End")
    expect(tip).not_to_have_text(first)
    expect(picture.locator(".cloud .set:focus")).to_have_attribute("data-at", "99")
    assert stage.evaluate(boxes) == before
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()


def test_another_span_text_or_reader_is_one_click_away(page: Page) -> None:
    picture = chapter(page)
    picture.locator("#why-compare-span").click()
    expect(picture.locator("#why-step-rested")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#why-target")).to_have_value("span_minus_other")
    expect(picture.locator(".mark-contrast")).not_to_have_count(0)
    picture.locator("#why-compare-text").click()
    box = page.locator("#scores-bench-question")
    expect(box).to_be_focused()
    expect(box).to_be_in_viewport()
    grow = "panel => panel.insertAdjacentHTML('afterbegin', '<div style=height:1200px></div>')"
    page.locator("#panel-scores").evaluate(grow)  # as a picture that arrives late does
    expect(box).to_be_in_viewport()
    page.mouse.wheel(0, -5000)
    expect(box).not_to_be_in_viewport()


def test_one_token_has_one_row_and_so_equal_grids(page: Page) -> None:
    picture = chapter(page)
    select = "span => module('shared/store.js').then((m) => m.select(span))"
    says, grid = picture.locator(".look-grid"), picture.locator(".head-grid")
    labels = "cells => cells.map((cell) => cell.getAttribute('aria-label'))"
    for end, same in ((5, False), (3, True)):
        page.evaluate(select, {"start": 3, "end": end})
        told = expect(says).to_contain_text if same else expect(says).not_to_contain_text
        told("both grids are equal by necessity")
        seen = []
        for side in ("start", "end"):
            page.get_by_label(f"from the {side}").check()
            expect(grid).to_have_attribute("aria-label", f"From the selected {side}")
            seen.append(picture.locator(".head-cell").evaluate_all(labels))
        assert (seen[0] == seen[1]) == same


def test_raw_attention_names_its_largest_item_whatever_it_is(
    page: Page, reader: FakeReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    def first(window: Window) -> Attention:  # every head looks at [CLS]
        weights = np.full((3, 2, len(window), len(window)), 0.1 / len(window))
        weights[..., 0] += 0.9
        return Attention(weights)

    monkeypatch.setattr(reader, "attention", first)
    picture = chapter(page)
    top = picture.locator(".summary").first.locator("li").first
    expect(top).to_contain_text("[CLS]")
    expect(top).to_contain_text("0.90")


def test_an_explanation_can_be_cancelled_and_asked_for_again(
    page: Page, reader: FakeReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(
        reading: Any,
        target: Any,
        method: str,
        baseline: str,
        n_steps: Any,
        on_progress: Any,
        cancelled: Any,
    ) -> Any:
        for k in itertools.count():
            if cancelled():
                break
            # another number each time, as in real work: the line may have been cleared
            on_progress(1 + k % 2, 4)
            time.sleep(0.1)
        raise Cancelled("the attribution was cancelled")

    with monkeypatch.context() as patch:
        patch.setattr(reader, "attribute", endless)
        picture = chapter(page, "rested")
        expect(page.locator("#say")).to_contain_text(re.compile("explaining, (25|50) %"))
        page.locator("#ask-cancel").click()
        expect(body(picture).locator(".refused")).to_contain_text("The explanation was cancelled.")
    body(picture).get_by_role("button", name="try again").click()
    expect(bars(picture)).not_to_have_count(0)
