"""What a newcomer meets in each chapter at 1280 x 800: few words, few numbers, one picture."""

import re
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, TimeoutError, expect

from qa_demo.views.page import CHAPTERS
from tests.browser.steps import LATE, ask

pytestmark = pytest.mark.browser

MOST_WORDS, MOST_NUMBERS = 90, 40

SEEN = """(key) => {
  const top = document.querySelector("[role=tablist]").getBoundingClientRect().bottom;
  const paragraph = ".reading-text, .lined.words, .word, text.words, .row-select, .selected-text, " +
    "select, option, .scores-label";
  const found = { words: [], numbers: [] };
  const walk = document.createTreeWalker(document.getElementById(`panel-${key}`), NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || parent.closest(paragraph)) continue;
    if (!parent.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    for (const piece of node.data.matchAll(/\\S+/g)) {
      range.setStart(node, piece.index);
      range.setEnd(node, piece.index + piece[0].length);
      const box = range.getClientRects()[0];
      if (!box || box.width < 1 || box.top < top || box.bottom > window.innerHeight) continue;
      let clipped = false;
      for (let up = parent; up; up = up.parentElement) {
        if (getComputedStyle(up).overflow === "visible") continue;
        const frame = up.getBoundingClientRect();
        clipped ||= box.bottom > frame.bottom + 1 || box.top < frame.top - 1 ||
          box.left > frame.right || box.right < frame.left;
      }
      if (clipped) continue;
      if (/\\d/.test(piece[0])) found.numbers.push(piece[0]);
      else if (/\\p{L}/u.test(piece[0])) found.words.push(piece[0]);
    }
  }
  return found;
}"""
"""Words and numbers between the tabs and the lower edge, without the paragraph's own."""

SETTLED = f"""([key, words, numbers]) => {{
  const found = ({SEEN})(key);
  return found.words.length <= words && found.numbers.length <= numbers;
}}"""


@pytest.mark.parametrize("key", [module.CHAPTER.key for module in CHAPTERS])
def test_a_first_screen_holds_few_words_and_few_numbers(top: Page, key: str) -> None:
    page = top
    page.locator(f"#tab-{key}").click()
    expect(page.locator(f"#picture-{key} .notice")).not_to_be_empty()
    expect(page.locator(f"#picture-{key} .stage > *").first).to_be_attached()
    expect(page.locator(f"#panel-{key} .selection-line")).to_contain_text("i = ")
    if key == "scores":
        expect(page.locator("#panel-scores .formula-line")).to_contain_text(re.compile(r"= .*\d"))
        expect(page.locator("#scores-after")).to_be_visible()  # the second question has come
    if key in LATE:
        expect(page.locator(f"#picture-{key}").locator(LATE[key]).first).to_be_visible()
    expect(page.locator("#verdict")).to_contain_text(re.compile("likely|Answer|No answer"))
    with suppress(TimeoutError):  # pictures take their height when all above them stands
        page.wait_for_function(SETTLED, arg=[key, MOST_WORDS, MOST_NUMBERS])
    found = page.evaluate(SEEN, key)
    words, numbers = len(found["words"]), len(found["numbers"])
    print(f"{key}: {words} words, {numbers} numbers")  # noqa: T201
    assert words <= MOST_WORDS and numbers <= MOST_NUMBERS, (
        f"{key}: {words} words, {numbers} numbers: {' '.join(found['words'])} | "
        f"{' '.join(found['numbers'])}"
    )


PLACES = """() => ["#asked", "#verdict", "#tab-answer", "#stage-answer", "#stage-answer .reading-text"]
  .map((part) => Math.round(document.querySelector(part).getBoundingClientRect().top + scrollY))"""
BUSY = """(text) => {
  document.body.classList.toggle("busy", Boolean(text));
  document.querySelector("#say .say").textContent = text;
}"""
PHONE = {"width": 375, "height": 812}


@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, PHONE], ids=["laptop", "phone"])
def test_neither_the_offer_nor_the_busy_line_moves_the_page(
    open_page: Callable[..., Page], size: dict[str, int]
) -> None:
    page = open_page(viewport=size)
    offer = page.get_by_role("button", name="Start lesson 1")
    expect(offer).to_be_in_viewport()
    expect(page.locator("#stage-answer .logit-line .dot").first).to_be_visible()
    # the record of the selection comes last, and with it the formula's second line
    expect(page.locator("#picture-answer .four dd").first).to_be_visible()
    expect(page.locator("#panel-answer .formula-line")).to_contain_text(re.compile(r"= .*\d"))
    expect(page.locator("#verdict")).to_contain_text(re.compile("likely|Answer|No answer"))
    before = page.evaluate(PLACES)
    page.get_by_role("button", name="No, thanks").click()
    expect(offer).to_have_count(0)
    assert page.evaluate(PLACES) == before
    page.evaluate(BUSY, "reading window 3 of 11")
    expect(page.locator("#ask-cancel")).to_be_in_viewport()
    assert page.evaluate(PLACES) == before
    page.mouse.wheel(0, 900)
    page.wait_for_function("scrollY > 100")
    expect(page.locator("#ask-cancel")).to_be_in_viewport()
    page.evaluate(BUSY, "")
    assert page.evaluate(PLACES) == before
    page.evaluate(BUSY, "reading window 3 of 11")
    page.evaluate("document.body.classList.add('lessons')")
    page.evaluate("document.querySelector('#asked').scrollIntoView()")
    line, asked = (page.locator(part).bounding_box() for part in (".say-line", "#asked"))
    assert size is PHONE or line["y"] > asked["y"] + asked["height"]


def test_a_phone_shows_an_unanswerable_text_on_its_first_screen(
    open_page: Callable[..., Page],
) -> None:
    page = open_page(viewport=PHONE)
    ask(page, "Which river flows through the old town?", "the sea is blue and very deep")
    expect(page.get_by_role("region", name="What the reader answers")).to_contain_text("No answer")
    expect(page.locator("#stage-answer .marks .mark-selected").first).to_be_visible()
    assert page.locator("#stage-answer .text-box").bounding_box()["y"] < 520


def test_the_question_s_box_grows_with_its_text_on_a_phone(open_page: Callable[..., Page]) -> None:
    page = open_page(viewport=PHONE)
    page.get_by_role("button", name="Ask your own", exact=True).click()
    box = page.get_by_label("Question", exact=True)
    heights = []
    for question in (
        "Who?",
        "Which of the two rivers flows through the old town of the capital? " * 2,
    ):
        box.fill(question)
        assert box.evaluate("(node) => node.scrollHeight <= node.clientHeight + 1"), (
            "nothing is cut"
        )
        heights.append(box.bounding_box()["height"])
    assert heights[1] > 2 * heights[0]


def test_a_phone_shows_the_selected_span_of_a_long_text_in_chapter_4(
    open_page: Callable[..., Page],
) -> None:
    text = "Anna Lund went to Kalmar in winter. " * 60
    link = {"v": "1", "q": "Who came?", "p": text, "windows": "96_40_16", "chapter": "spans"}
    page = open_page(f"#{urlencode(link)}", viewport=PHONE)
    chosen = page.locator("#stage-spans .spans-phone .piece.chosen").first
    expect(chosen).to_be_in_viewport()
    page.wait_for_function(
        """() => {
          const box = document.querySelector("#stage-spans .spans-phone-box").getBoundingClientRect();
          const span = document.querySelector("#stage-spans .piece.chosen").getBoundingClientRect();
          return box.top <= span.top && span.bottom <= box.bottom && span.bottom <= 760;
        }"""
    )
    assert page.evaluate("scrollY") == 0


@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, PHONE], ids=["laptop", "phone"])
@pytest.mark.parametrize("sentences", [10, 60])
def test_the_windows_of_a_text_stand_on_the_first_screen(
    open_page: Callable[..., Page], size: dict[str, int], sentences: int
) -> None:
    text = "Anna Lund went to Kalmar in winter. " * sentences
    link = {"v": "1", "q": "Who came?", "p": text, "windows": "48_18_16", "chapter": "windows"}
    page = open_page(f"#{urlencode(link)}", viewport=size)
    expect(page.locator("#asked")).to_contain_text(" windows")
    pad = page.locator("#stage-windows .pad svg")
    expect(pad).to_be_visible()
    assert page.evaluate("scrollY") == 0
    box = pad.bounding_box()
    assert box["y"] + box["height"] <= size["height"]
    assert pad.locator(".tent").count() >= 4
