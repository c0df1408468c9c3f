"""The menu of readers, and a file of predictions opened on the page."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.serve import UNKNOWN
from tests.fakes import FakeReader

pytestmark = pytest.mark.browser
HOSTILE = "<img src=x onerror=alert(1)>"


def prediction(number: int, kind: str, **more: Any) -> dict[str, Any]:
    """A line as `evaluate --out` writes it, as far as the page uses it."""
    return {
        "id": str(number),
        "question": f"Who was number {number}?",
        "context": f"Ada was number {number}. Grace came later.",
        "gold": [{"text": "Ada", "char_start": 0}],
        "kind": kind,
        "because": "",
        "answer": "Grace",
        "exact": 0.0,
        "f1": 0.0,
        "n_best": [{"text": "Grace", "window": 0, "start": 5, "end": 5}],
        **more,
    }


def upload(name: str, text: str) -> dict[str, Any]:
    return {"name": name, "mimeType": "application/json", "buffer": text.encode()}


def test_the_menu_keeps_what_was_used_and_what_is_known_of_it(
    open_page: Callable[..., Page], reader: FakeReader
) -> None:
    page = open_page()
    page.evaluate(
        "text => localStorage.setItem('spanlight.readers', text)",
        json.dumps([{"source": HOSTILE, "about": HOSTILE}, {"source": 3}]),
    )
    switch, list_ = page.locator("#switch-readers"), page.locator(".reader-list")
    switch.focus()
    page.keyboard.press("Enter")
    expect(list_.locator("li").first).to_contain_text("positions")
    expect(list_.locator("li").filter(has_text=HOSTILE)).to_have_count(1)
    page.get_by_label("Reader", exact=True).fill("other/reader")
    page.keyboard.press("Enter")
    expect(switch).to_have_text("reader: other/reader")
    used = list_.locator("li").filter(has_text="other/reader")
    expect(used).to_contain_text("1,000 parameters")
    expect(used.get_by_role("button", name="other/reader", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    page.get_by_label("Reader", exact=True).fill(UNKNOWN)
    page.keyboard.press("Enter")
    expect(page.locator("#say [role=status]")).to_contain_text("there is no such reader")
    expect(page.get_by_label("Reader", exact=True)).to_have_value(UNKNOWN)
    list_.get_by_role("button", name="bundled", exact=True).press("Enter")
    expect(switch).to_have_text("reader: fake")
    page.get_by_role("button", name=f"forget {HOSTILE}").press("Enter")
    expect(list_.locator("li").filter(has_text=HOSTILE)).to_have_count(0)
    kept = json.loads(page.evaluate("localStorage.getItem('spanlight.readers')"))
    assert [one["source"] for one in kept] == ["other/reader"]


def test_another_reader_stands_beside_the_one_in_use(
    open_page: Callable[..., Page], reader: FakeReader
) -> None:
    page = open_page()
    asked = page.locator("#asked .asked-question").text_content()
    page.locator("#switch-readers").press("Enter")
    page.get_by_label("Reader", exact=True).fill("other/reader")
    page.get_by_role("button", name="Compare", exact=True).press("Enter")
    both = page.locator(".reader-compare")
    expect(both.get_by_role("heading", level=3)).to_have_text(asked)
    expect(both.get_by_role("heading", level=3)).to_be_focused()
    expect(both.locator(".one-reading h4")).to_have_text(["fake", "other/reader"])
    expect(both.get_by_role("listitem").first).to_contain_text("first")
    expect(page.locator("#switch-readers")).to_have_text("reader: fake")
    for width in (375, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_label("Reader", exact=True).fill(UNKNOWN)
    page.get_by_role("button", name="Compare", exact=True).press("Enter")
    expect(page.locator("#say [role=status]")).to_contain_text("there is no such reader")


def test_a_file_of_predictions_leads_from_failure_to_failure(
    open_page: Callable[..., Page], reader: FakeReader
) -> None:
    page = open_page()
    expect(page.locator("#cases-file")).to_be_hidden()
    page.locator("#switch-readers").click()
    expect(page.locator("#cases-file")).to_be_visible()
    box, said = page.locator("#cases-file"), page.locator(".cases-said")
    box.set_input_files([upload("wrong.jsonl", json.dumps({"id": HOSTILE}))])
    expect(said).to_contain_text("wrong.jsonl, line 1 is no prediction")
    rows = [
        prediction(1, "right"),
        prediction(2, "border"),
        prediction(3, "other sentence", question=f"Who is {HOSTILE}?"),
    ]
    made = {
        "reader": HOSTILE,
        "weights": "f" * 64,
        "options": {"max_seq_length": 64, "doc_stride": 16, "max_query_length": 16},
    }
    lines = "\n".join(json.dumps(row) for row in rows)
    box.set_input_files([upload("p.jsonl", lines), upload("p.run.json", json.dumps(made))])
    place = page.locator("[data-part=place]")
    expect(place).to_have_text("2 questions")
    page.locator("h1").click()
    page.keyboard.press("n")
    expect(page.locator("#asked .asked-question")).to_have_text("Who was number 2?")
    expect(page.locator("#tab-start_end")).to_have_attribute("aria-selected", "true")
    expect(place).to_have_text("1 of 2")
    expect(page.locator("[data-part=about]")).to_contain_text("Right: “Ada”. In the file: “Grace”")
    expect(page.locator("[data-part=reader]")).to_contain_text(f"another reader, {HOSTILE}")
    page.locator("#cases-next").click()
    expect(page.locator("#asked .asked-question")).to_have_text(f"Who is {HOSTILE}?")
    expect(page.locator("#tab-why")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_text("word pieces in one window")).to_be_visible()
    expect(page.locator("#asked .by-hand")).to_be_hidden()
    expect(page.locator("#cases-next")).to_be_disabled()
    expect(page.locator("#cases-previous")).to_be_focused()
    page.locator("h1").click()
    page.keyboard.press("Shift+N")
    expect(page.locator("#asked .asked-question")).to_have_text("Who was number 2?")
    page.get_by_label("Kind of error").select_option("all")
    expect(place).to_have_text("2 of 3")
    page.get_by_role("button", name="close the file").click()
    expect(page.get_by_label("Kind of error")).to_have_count(0)
