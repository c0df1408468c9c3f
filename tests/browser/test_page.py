"""The frame in Chromium: asking, examples, links, hostile text, cancel, accessibility."""

import re
import threading
from collections.abc import Callable
from urllib.parse import urlencode, urlsplit

import pytest
from playwright.sync_api import Page, expect

from qa_demo.server.gradio_page import gradio_files
from qa_demo.views.examples import load_examples
from qa_demo.views.lessons.course import load_terms
from qa_demo.views.link.fragment import parse
from tests.browser.serve import UNKNOWN
from tests.browser.steps import load_anew, send
from tests.browser.test_present import PICTURES
from tests.fakes import FakeReader

pytestmark = pytest.mark.browser

STORE = "module('shared/store.js')"
HOSTILE = [
    '<img src=x onerror="window.__fired=1"> Ada <b>bold</b> '
    "</div><script>window.__fired=1</script>",
    "${window.__fired=1} {{constructor.constructor('window.__fired=1')()}} Ada {{#each value}}",
    "$$\\rule{3000em}{3000em}$$ [x](javascript:window.__fired=1) <form action=//evil.example> Ada",
    "\u202eright to left\u202c \u05e9\u05dc\u05d5\u05dd Ada \U0001f469\u200d\U0001f52c "
    "e\u0301t\u00e9 \u0000 end",
]


def test_asking_by_keyboard_folds_the_boxes(top: Page) -> None:
    top.get_by_role("button", name="Ask your own", exact=True).focus()
    top.keyboard.press("Enter")
    expect(top.get_by_label("Question", exact=True)).to_be_focused()
    expect(top.locator("#ask-answer.filled")).to_have_count(0)
    top.get_by_label("Question", exact=True).fill("Who was first?")
    expect(top.locator("#ask-answer.filled")).to_have_count(1)
    top.keyboard.press("Enter")
    expect(top.locator("#asked .asked-question")).to_have_text("Who was first?")
    expect(top.locator("#ask")).to_be_hidden()
    expect(top.get_by_label("Examples")).to_have_value("")  # what is read is no example any more


def test_a_refusal_keeps_the_last_reading(page: Page) -> None:
    before = page.locator("#asked .asked-question").inner_text()
    send(page, "   ", "Some text.")
    expect(page.locator("#say [role=status]")).to_contain_text("the question is empty")
    expect(page.locator("#asked .asked-question")).to_have_text(before)
    expect(page.get_by_label("Examples")).not_to_have_value("")
    page.get_by_label("Question", exact=True).fill("Who " * 90)
    page.locator("#ask-answer").click()
    expect(page.locator("#say [role=status]")).to_contain_text("max_query_length allows 64")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_literally(top: Page, text: str) -> None:
    send(top, text, text)
    expect(top.locator("#ask")).to_be_hidden()
    shown = text.replace("\u0000", "\u2400") if "\u0000" in text else text
    assert top.locator("#picture-answer .reading-text[role=group]").evaluate(
        "node => node.textContent"
    ) in (shown, text.replace("\u0000", "\ufffd"))
    assert top.evaluate("window.__fired") is None


def test_an_example_is_shown(top: Page) -> None:
    before = top.locator("#asked .asked-question").inner_text()
    top.get_by_label("Examples").select_option(index=2)
    expect(top.locator("#asked .asked-question")).not_to_have_text(before)
    expect(top.locator("#say [role=status]")).to_be_empty()
    shown = top.locator("#asked .asked-question").inner_text()
    first = next(iter(load_examples().values()))
    top.evaluate(f"{STORE}.then((m) => m.openExample('no such example'))")
    expect(top.locator("#say [role=status]")).to_contain_text("no example 'no such example'")
    expect(top.locator("#asked .asked-question")).to_have_text(shown)
    top.evaluate(f"(id) => {STORE}.then((m) => m.openExample(id))", first.id)
    expect(top.locator("#asked .asked-question")).to_have_text(first.question)
    expect(top.get_by_label("Examples")).to_have_value(first.id)


def use_reader(page: Page, name: str) -> None:
    page.get_by_label("Reader", exact=True).fill(name)
    page.locator("#ask-load").click()


def test_another_reader_is_used_only_when_it_has_read(page: Page) -> None:
    switch, said = page.locator("#switch-readers"), page.locator("#say [role=status]")
    switch.click()
    use_reader(page, UNKNOWN)
    expect(said).to_have_text(f"{UNKNOWN}: there is no such reader")
    expect(switch).to_have_text("reader: fake")
    send(page, "Who was first?", "Ada wrote it. Then Grace Hopper came.")
    expect(page.locator("#asked .about")).to_contain_text("reader fake")
    use_reader(page, "other/reader")
    expect(switch).to_have_text("reader: other/reader")
    page.locator("#picture-answer .word", has_text="Grace").click()
    send(page, "Who came?", "Ada wrote it. Then Grace Hopper came.")
    expect(page.locator("#asked .about")).to_contain_text("reader other/reader")


def test_a_long_text_shows_progress_and_can_be_cancelled(page: Page, reader: FakeReader) -> None:
    reader.gate = threading.Event()
    try:
        before = page.locator("#asked .asked-question").inner_text()
        send(page, "Where is Ada?", "The ship sailed on and on. " * 400)
        expect(page.locator("#say [role=status]")).to_contain_text("reading window 1 of")
        page.locator("#ask-cancel").click()
        expect(page.locator("#say [role=status]")).to_contain_text("cancelled")
        expect(page.locator("#asked .asked-question")).to_have_text(before)
    finally:
        reader.gate.set()
        reader.gate = None


def test_a_link_restores_texts_and_selection(open_page: Callable[..., Page]) -> None:
    page = open_page(
        "#"
        + urlencode(
            {"v": "1", "q": "Who?", "p": "Ada & Émile met Grace.", "span": "0_2_2", "veil": "1"}
        )
    )
    expect(page.locator("#asked .asked-question")).to_have_text("Who?")
    expect(page.locator("body.veiled")).to_have_count(1)
    page.locator("#switch-veiled").click()
    expect(page.locator("#picture-answer .selected-text")).to_have_text("Émile")
    page.locator("#switch-linking").click()
    expect(page.get_by_label("This address brings back")).to_have_value(re.compile("#2"))
    written = page.get_by_label("This address brings back").input_value()
    found = parse(written.partition("#")[2])
    assert found is not None and found.left == ()
    assert found.fields["span"] == [0, 2, 2] and found.fields["windows"] == [384, 128, 64]


DROP = """([name, type, text]) => {
  const given = new DataTransfer();
  given.items.add(new File([text], name, { type }));
  const event = { dataTransfer: given, bubbles: true, cancelable: true };
  document.querySelector("#ask-paragraph textarea").dispatchEvent(new DragEvent("drop", event));
}"""


def test_a_page_load_asks_for_few_files_and_for_gradios_at_once(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(urlsplit(request.url).path))
    with page.expect_response(re.compile("/rest.js")):
        load_anew(page)
    expect(page.locator("#picture-answer .four dd").first).to_be_visible()
    own = [path.rpartition("/")[2] for path in asked if path.startswith("/assets/")]
    scripts = [name for name in gradio_files() if name.endswith(".js")]
    assert sorted(own[1:]) == sorted(scripts), f"assets/gradio.txt is not gradio's list: {own}"
    assert len(asked) <= 40


def test_an_open_page_draws_no_frames_where_nothing_moves(page: Page) -> None:
    page.add_init_script("""{ const frame = requestAnimationFrame.bind(window); window.frames_asked = 0;
      window.requestAnimationFrame = (run) => frame(run, window.frames_asked += 1); }""")
    load_anew(page)
    expect(page.locator("#picture-answer .four dd").first).to_be_visible()
    assert page.evaluate("""async () => {
      for (let second = 0; second < 20; second += 1) {
        const before = frames_asked;
        await new Promise((on) => setTimeout(on, 1000));
        if (frames_asked - before < 5) return true;
      }
      return false;
    }""")


def test_the_question_itself_is_the_way_to_another(top: Page) -> None:
    question = top.get_by_label("Question", exact=True)
    paragraph = top.get_by_label("Paragraph", exact=True)
    top.locator("#asked .asked-question").click()
    expect(question).to_be_focused()
    top.keyboard.type("Who came to Visby?")  # in the place of what was asked before
    expect(question).to_have_value("Who came to Visby?")
    top.evaluate(DROP, ["picture.png", "image/png", "no text"])
    expect(top.locator("#say")).to_contain_text("Only a file of plain text")
    top.evaluate(DROP, ["visby.txt", "text/plain", "Anna came to Visby in the rain."])
    expect(paragraph).to_have_value("Anna came to Visby in the rain.")
    paragraph.press("Control+Enter")
    expect(top.locator("#asked .asked-question")).to_have_text("Who came to Visby?")
    expect(top.locator("#picture-answer .reading-text").first).to_contain_text("in the rain")
    expect(top.get_by_role("button", name="Ask your own", exact=True)).to_be_visible()


FRAMES = """async () => {
  for (let k = 0; k < 4; k += 1) await new Promise((on) => requestAnimationFrame(on));
}"""
UNMARKED = """async ([key, terms]) => {
  const { firstUses, pattern } = await module('lessons/terms.js');
  const panel = document.getElementById(`panel-${key}`), names = pattern(terms);
  const byName = new Map(terms.flatMap((t) => t.names.map((name) => [name.toLowerCase(), t])));
  const met = new Set([...panel.querySelectorAll(".term")].map((node) => node.dataset.term));
  const texts = document.createTreeWalker(panel, NodeFilter.SHOW_TEXT);
  const places = ".question, .formula-line, .notice, .legend, .w-legend, .bio-legend, th[scope=col]";
  let found = 0;
  while (texts.nextNode()) {
    const node = texts.currentNode.parentElement;
    if (!node.closest(places) || node.closest("bdi, button, summary, svg, .term, .selected-text")) continue;
    found += firstUses(texts.currentNode.data, names, byName, met).length;
  }
  return found === 0;
}"""


def test_terms_are_explained_where_they_stand_also_in_a_step_opened_later(page: Page) -> None:
    terms = load_terms()
    for key, steps in PICTURES.items():
        page.locator(f"#tab-{key}").click()
        for step in filter(None, [*steps, next(iter(steps))]):
            page.locator(f"#{key}-step-{step}").click()
            page.wait_for_function(UNMARKED, arg=[key, terms])
    term = page.locator("#panel-why .question .term")
    term.hover()
    expect(page.locator(".term-tip")).to_contain_text(str(term.get_attribute("aria-description")))
    term.focus()
    page.set_viewport_size({"width": 1100, "height": 800})  # the chapter is drawn again
    page.evaluate(FRAMES)
    expect(term).to_be_focused()
