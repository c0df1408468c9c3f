"""The page in Chromium: what surrounds the chapters, and that every chapter opens."""

import base64
import json
import re
from itertools import chain

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from qa_demo.pictures import CHAPTERS
from qa_demo.server.gradio_page import FRONTEND, gradio_files
from tests.browser.conftest import drawn, link, listened, ready, show, visit, word
from tests.browser.server import COURSE
from tests.documents import PAGES
from tests.evaluation.test_report import lines, report_of
from tests.odd import HOSTILE

pytestmark = pytest.mark.browser
ORESUND = {"example": "oresund"}


def ask(page: Page, question: str, context: str) -> None:
    page.get_by_label("Paragraph", exact=True).fill(context)
    page.get_by_label("Question", exact=True).fill(question)
    page.get_by_label("Question", exact=True).press("Enter")


def test_one_press_on_ask_asks_whichever_box_was_typed_in_last(open_page):
    """The paragraph grows while it is typed in: nothing may move below the mouse."""
    page = open_page({"chapter": "spans"}, height=720)
    for width, text, sums in ((1280, "Ada came to Oslo in May.", 28), (375, "Ada came.", 6)):
        page.set_viewport_size({"width": width, "height": 720})
        page.get_by_label("Question", exact=True).fill("Who came?")
        page.get_by_label("Paragraph", exact=True).fill(text)
        page.get_by_role("button", name="Ask", exact=True).click()
        expect(page.locator("[data-block=finding]").first).to_contain_text(f"{sums} allowed")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_shows_its_idea_its_finding_and_every_step(open_page, chapter):
    page = open_page({"chapter": chapter})
    module = CHAPTERS[chapter]
    tab = page.get_by_role("tab", name=module.NAME, exact=True)
    expect(tab).to_have_attribute("aria-selected", "true")
    for step in range(1, len(module.STEPS) + 1):
        if step > 1:
            page.get_by_role("button", name=f"{step} {module.STEPS[step - 1][0]}").click()
        expect(page.locator("[data-block=heading]")).to_have_text(module.STEPS[step - 1][1])
        ready(page)
        pressed = [f"{step} {module.STEPS[step - 1][0]}"] * (len(module.STEPS) > 1)
        expect(page.locator(".steps [aria-pressed=true]")).to_have_text(pressed)
        for key in ("idea", "finding", "closing"):
            expect(page.locator(f"[data-block={key}]")).to_be_visible()
        drawn(page)
        wide = "[...document.querySelectorAll('#chapter *')].some((e) => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.scroll, .figure'))"
        assert not page.evaluate(wide)
        # a margin that takes back a padding inside a word's box: Firefox breaks the word there
        back = "[...document.querySelectorAll('.run *')].map(getComputedStyle).some((s) => s.position !== 'absolute' && (parseFloat(s.marginLeft) < 0 || parseFloat(s.marginRight) < 0))"
        assert not page.evaluate(back)
        # a bar is as high as its number, a start above and an end below, an arrow rises or falls
        bars = "['start', 'end'].map((x) => [...document.querySelectorAll(`.word:has(> .bar.lane-${x}):has(> b.is-${x})`)].filter((w) => !w.textContent.includes('→')).map((w) => [w.querySelector(`.lane-${x}`).offsetHeight, /0.+/.exec(w.querySelector(`b.is-${x}`).textContent)[0]]))"
        for lane in page.evaluate(bars):
            assert sorted(lane) == sorted(lane, key=lambda bar: bar[1])
        astray = ".lane-start[style*=bottom], .lane-end[style*=top], .word:has(> .fall.is-start) > b.is-start:text('+')"
        expect(page.locator(astray)).to_have_count(0)


LOSE = """(late) => {
  const boxes = [...document.querySelectorAll(late)], names = boxes.map((box) => box.id);
  boxes.forEach((box) => box.id = "");
  addEventListener("click", (event) => {
    event.stopImmediatePropagation();
    setTimeout(() => boxes.forEach((box, k) => box.id = names[k]), 400);
  }, { capture: true, once: true });
}"""
"""Loses the next press, at which the boxes `late` are not there yet."""


def test_an_own_text_stays_at_a_refusal_is_answered_and_survives_a_reload(open_page, server):
    page = open_page({"chapter": "spans"}, refused=True)
    page.locator("[data-block=listed] button.row").nth(3).click()
    text = "In Łódź 🚲 Ada Lovelace met Charles Babbage in June 1833."
    ask(page, "   ", text)
    expect(page.locator(".say")).to_contain_text("the question is empty")
    page.get_by_role("tab", name="Loss").click()
    expect(page.locator(".say")).to_be_empty()
    page.reload()
    expect(page.get_by_label("Paragraph", exact=True)).to_have_value(text)
    ask(page, "Who met Charles?", text)
    expect(page.locator("[data-block=answer]").first).to_contain_text("June")
    page.reload()
    expect(page.locator("[data-block=answer]").first).to_contain_text("June")
    # gradio may not listen yet when the first picture comes, nor have its boxes: the press is lost
    for late, example in (("none", "gold"), ("#question, #paragraph", "saxophone")):
        page.evaluate(LOSE, late)
        show(page, server, link({"example": example}))
        expect(page.get_by_label("Question", exact=True)).to_have_value(re.compile(example, re.I))
    option = page.get_by_role("option", name="Magna Carta")
    for press in (option.click, option.click, lambda: page.keyboard.press("Enter")):
        page.get_by_label("Question", exact=True).fill("Typed?")
        page.locator("#example input").click()
        press()
        expect(page.get_by_label("Question", exact=True)).to_have_value(re.compile("King John"))


def test_a_slow_text_tells_its_progress_and_the_newest_question_wins(open_page, server):
    page = open_page(ORESUND)
    ask(page, "Slowly: who?", "Ada Kok met Grace Hopper.")
    expect(page.locator(".waits")).to_contain_text("% done")
    ask(page, "Who came?", "Later Bertil Visby came.")
    expect(page.locator("[data-block=answer]").first).to_contain_text("Who came?")
    for status, question in ((202, "Slowly: where?"), (200, "Slowly: why?")):
        ask(page, question, "Ada Kok met Grace Hopper.")
        expect(page.get_by_role("button", name="Cancel")).to_be_visible()

        def late(route, *, status=status):  # what tells more, or the answer, comes after the press
            reply = route.fetch()
            if reply.status == status:
                page.evaluate("document.querySelector('.waits button').click()")
            route.fulfill(response=reply)

        page.route("**/picture", late)
        expect(page.locator("[data-busy]")).to_have_attribute("data-busy", "false")
        assert page.locator(".waits").inner_text() == ""
        expect(page.locator("[data-block=answer]").first).to_contain_text("Who came?")
        page.unroute("**/picture")
    slow = {"question": "Slowly: when?", "context": "Ada Kok came.", "chapter": "spans"}
    page.goto("about:blank")
    page.goto(f"{server.url}#{link(slow)}")
    expect(page.locator(".waits")).to_contain_text("This picture waits for the reader")
    expect(page.get_by_role("tab", selected=True)).to_have_text("Spans")
    expect(page.locator("#chapter > *")).to_have_count(0)
    tabs = page.get_by_role("tablist").bounding_box()
    assert page.get_by_role("link", name="What textbooks get wrong here").bounding_box()["y"] > 500
    page.get_by_role("button", name="Pin").click()
    page.get_by_role("button", name="Cancel").press("Enter")  # there is no picture to go back to
    expect(page.locator("#chapter")).to_be_focused()
    expect(page.locator("[data-block=answer]").first).to_contain_text("towers of the bridge")
    expect(page.get_by_role("tab", selected=True)).to_have_text("Answer")
    assert page.get_by_role("tablist").bounding_box() == tabs


DAMAGED = ["{}.", "{})", "{}&fbclid=abc", "{}%20", "{}\n", "utm_source=x&example=gold"]


def test_a_link_that_mail_damaged_or_a_hand_wrote_opens(open_page, server):
    gold = link({"chapter": "spans", "example": "gold"})
    shown = re.findall(r"^\| `(\S+=\S+)` \|", PAGES["docs/using.md"], re.MULTILINE)
    wanted = [*zip(shown, ("Which pair", "Other rules", "Ada", "Danube"), strict=True)]
    wanted += [("", "towers of the bridge")] * 2  # between damaged ones, which all show the same
    damaged = [(form.format(gold), "gold melt") for form in DAMAGED]
    page = open_page()
    for form, words in chain(*zip(damaged, wanted, strict=True)):
        show(page, server, form)
        expect(page.locator(".spanlight"), form).to_contain_text(words)
        expect(page.locator(".say")).to_be_empty()


WRONG = {
    "chapter=spans&foo=1": "no field foo",
    "step=many": "step",
    "garbage!!": "damaged",
    link({"example": "<img src=x onerror=alert(1)>"}): "example must be one of",
    "2.xxxx": "version 0.2",
}


def test_a_bad_state_is_one_sentence_above_the_first_example(open_page, server):
    page = open_page(refused=True)
    for form, said in WRONG.items():  # a page that stands says what the server refuses as well
        (visit if form == "garbage!!" else show)(page, server, form)
        expect(page.locator(".say.error")).to_contain_text(said)
        expect(page.locator("[data-block=answer]").first).to_contain_text("towers of the bridge")


def test_back_forward_and_a_copied_link_restore_the_state(open_page, server):
    page = open_page(ORESUND)
    first = page.url
    page.get_by_role("tab", name="Spans").dblclick()
    expect(page.locator("[data-block=square]")).to_be_visible()
    before = page.locator("[data-block=sum]").inner_text()
    page.locator("[data-block=listed] button.row").nth(3).click()
    expect(page.locator("[data-block=sum]")).not_to_have_text(before)
    chosen = page.locator("[data-block=sum]").inner_text()
    page.get_by_role("button", name="Ask", exact=True).click()  # the same text: the marks stay
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Link", exact=True).click()
    expect(page.locator(".say")).to_have_text("The link is copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    page.get_by_role("button", name="Dark").click()
    page.go_back()
    assert page.url == first
    expect(page.locator("[data-block=square]")).to_have_count(0)
    page.go_forward()
    expect(page.locator("[data-block=sum]")).to_have_text(chosen)
    other = page.context.new_page()
    other.goto(copied)
    expect(other.locator("[data-block=sum]")).to_have_text(chosen)
    expect(other.locator("html")).to_have_attribute("data-theme", "dark")


def state(page: Page) -> list[int]:
    """The selection in the address, once nothing is asked for."""
    ready(page)
    hash = page.evaluate("location.hash.slice(1)")
    return json.loads(base64.urlsafe_b64decode(hash + "=" * (-len(hash) % 4)))["selection"]


def test_mouse_keyboard_and_finger_select_the_same_span(open_page, server):
    page = open_page({**ORESUND, "chapter": "start_end"})
    word(page, "each").drag_to(word(page, "metres"))
    dragged = state(page)
    word(page, "metres").drag_to(word(page, "each"))
    assert state(page) == dragged
    show(page, server, {"example": "south-pole", "chapter": "start_end"})
    lined = "(e) => getComputedStyle(e).boxShadow"  # the answer itself needs no line
    assert page.locator(".selected > .t").first.evaluate(lined) == "none"
    show(page, server, {**ORESUND, "chapter": "start_end"})
    word(page, "each").focus()
    for key in ("ArrowLeft", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "Space"):
        page.keyboard.press(key)
    assert state(page) == dragged and page.locator(".selected > .t").first.evaluate(lined) != "none"
    for key in ("Home", "Shift+End", "Enter", "Shift+ArrowLeft", "Tab"):  # the last are not entered
        page.keyboard.press(key)
    expect(page.locator(".word[role]:is([aria-pressed=false], :not(.selected))")).to_have_count(0)
    # an older browser, in which a click does not tell its pointer
    old = "addEventListener('click', (e) => Object.setPrototypeOf(e, MouseEvent.prototype), true)"
    phone = open_page({**ORESUND, "chapter": "start_end"}, width=375, has_touch=True, script=old)
    word(phone, "each").tap()
    word(phone, "metres").tap()
    assert state(phone) == dragged
    assert phone.locator(".word.selected").all_inner_texts()[:3] == ["each", "204", "metres"]
    word(phone, "metres").tap()
    assert state(phone) == dragged[1:] * 2, "a third tap begins anew"
    phone.get_by_role("button", name="3 Change a logit").tap()
    letters = "[...document.querySelectorAll('input, textarea')].map((e) => parseFloat(getComputedStyle(e).fontSize))"
    assert min(phone.evaluate(letters)) >= 16, "an iPhone zooms in"
    slider, touch = phone.get_by_role("slider").first, phone.context.new_cdp_session(phone)
    box, stood = slider.bounding_box(), slider.input_value()
    for kind, up in (("Start", 0), ("Move", 40), ("Move", 80)):  # it scrolls the page
        point = {"x": box["x"] + 9, "y": box["y"] + 9 - up}
        touch.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": [point]})
    expect(slider).to_have_value(stood)


def test_the_letters_of_an_arabic_word_join_across_its_pieces_marked_or_not(open_page):
    page = open_page({"question": "من؟", "context": "هذه المستشفيات جديدة", "gold": [[4, 10]]})
    run = page.locator("[data-block=words] .run", has=page.locator(".word + .word"))
    expect(run).to_contain_text("marked by you")
    in_pieces = run.bounding_box()
    page.locator(".word[role]").first.press("ArrowLeft")
    expect(page.locator(".word[role]").nth(1)).to_be_focused()
    plain = "(e) => (e.textContent = 'المستشفيات', e.getBoundingClientRect().width)"
    assert in_pieces["width"] == pytest.approx(run.evaluate(plain), abs=0.5)


def test_on_a_phone_a_label_stays_above_the_next_line_and_a_table_of_tags_is_whole(open_page):
    said = "هذه المستشفيات جديدة في المدينة الكبيرة القديمة " * 3
    gold = [[m.start(), m.end()] for m in re.finditer(r"\S+", said)][:20]
    page = open_page({"question": "من؟", "context": said, "gold": gold}, width=375)
    page.locator("[data-block=words] .moved.marked-by").first.wait_for()
    over = """() => [...document.querySelectorAll('.marked-by')].filter((e) => {
        const [a, b] = [e, e.closest('.run')].map((x) => x.getBoundingClientRect().bottom);
        return a > b + 1;
    }).map((e) => e.textContent)"""
    assert page.evaluate(over) == []
    page = open_page({"example": "nobel-1903", "chapter": "bio", "step": 3}, width=375)
    page.locator("summary", has_text="As a table").click()
    assert page.locator(".scroll").first.evaluate("(e) => e.scrollWidth - e.clientWidth") == 0
    page = open_page({"example": "machu-picchu", "chapter": "bio"}, width=900)
    drawn(page)
    widths = "[...document.querySelectorAll('.point:has(text)')].map((e) => [...e.children].map((x) => x.getBoundingClientRect().width))"
    assert all(bar + 2 >= words for bar, words in page.evaluate(widths)), "words leave their bar"


def test_on_a_phone_no_name_or_number_leaves_its_figure(open_page, server):
    said = f"The word is {'WMMMWMMMWMMMWM' * 9} {'MMMMMMMM ' * 6}long."
    page = open_page({"question": "What is it?", "context": said, "chapter": "answer"}, width=320)
    outside = """(what) => [...document.querySelectorAll(what)].filter((e) => {
        const [a, b] = [e, e.closest(".figure, .text")].map((x) => x.getBoundingClientRect());
        return a.left < b.left - 1 || a.right > b.right + 1 || a.bottom > b.bottom + 1;
    }).map((e) => e.textContent)"""
    for place in "spans 1", "loss 2", "start_end 2", "scores 3", "why 2", "windows 3":
        last = {"chapter": place[:-2], "step": int(place[-1]), "selection": [2, 9]}
        visit(page, server, {"question": "What is it?", "context": said, **last})
        page.locator(".figure text").first.wait_for()
        assert page.evaluate(outside, ".figure text") == [], place
    show(page, server, {"chapter": "spanbert", "own": {"spanbert": {"cut": "left"}}})
    drawn(page)
    assert page.evaluate(outside, ".figure text") == []
    show(page, server, {"example": "reef", "chapter": "start_end"})
    page.locator("#chapter .word > .moved").first.wait_for()
    assert page.evaluate(outside, ".word > b") == []
    show(page, server, {"question": "WHO?", "context": "KING CHRISTIAN OF DENMARK FOUNDED IT."})
    page.locator(".textpoint").first.wait_for()
    boxes = "['.point', '.textpoint'].map((x) => e.querySelector(x).getBoundingClientRect())"
    dot, number = page.locator("[data-block=spans]").evaluate(f"(e) => {boxes}")
    assert dot["right"] < number["left"], "a number on its dot"


def test_a_narrow_column_cuts_no_number_and_under_the_veil_nothing_tells_the_answer(open_page):
    page = open_page({**ORESUND, "chapter": "spans"}, width=720)
    one = "new Set([...document.querySelectorAll('#chapter > *')].map((e) => e.offsetLeft)).size"
    cut = "[...document.querySelectorAll('.scroll')].some((e) => e.scrollWidth > e.clientWidth)"
    assert page.evaluate(one) == 1 and not page.evaluate(cut)
    page.get_by_role("button", name="Pin").click()
    page.get_by_role("button", name="Cover").click()
    expect(page.locator("[data-block=veil]")).to_contain_text(["is covered"] * 2)
    for block in ("square", "sum", "finding"):
        expect(page.locator(f"[data-block={block}]")).to_have_count(0)
    page.get_by_role("button", name="Pin", pressed=True).click()
    page.get_by_role("button", name="Cover", pressed=True).click()
    expect(page.locator("body:not(.paired) [data-block=square]:visible")).to_have_count(1)


def test_marks_that_moved_stand_as_on_a_page_opened_with_them(open_page, server):
    marks = "[...document.querySelectorAll('.figure .point, .figure .annotation')].map((e) => [e.getAttribute('transform'), e.textContent])"
    cold = {**ORESUND, "chapter": "start_end", "step": 2}
    page = open_page({**cold, "temperature": 3})
    drawn(page)
    wanted = page.evaluate(marks)
    visit(page, server, cold)
    drawn(page)
    assert page.evaluate(marks) != wanted
    page.locator("#chapter").get_by_label("temperature T", exact=True).fill("3")
    page.wait_for_function(f"(w) => JSON.stringify({marks}) === JSON.stringify(w)", arg=wanted)


def test_a_changed_logit_is_named_until_it_is_put_back(open_page):
    page = open_page({**ORESUND, "chapter": "start_end", "step": 3})
    slider = page.locator("#chapter").get_by_role("slider").first
    own = slider.input_value()
    page.get_by_role("button", name="Raise the start logit").press("Enter")
    expect(page.locator("[data-block=by-hand]")).to_contain_text("→")
    expect(slider).not_to_have_value(own)
    page.locator("button:focus", has_text="Put the reader's own logits back").press("Enter")
    expect(page.locator("[data-block=by-hand]")).to_have_count(0)


LATE = """((get, set) => {
  history.replaceState = () => { delete history.replaceState; throw "too often, as for Firefox"; };
  setTimeout = (act, ms, ...more) => set(act, ms || 500, ...more);
  fetch = (to, x) => get(to, x).then((made) => new Promise((go) => set(go, /loss.*than/.test(x.body) ? 500 : 100, made)));
})(fetch, setTimeout)"""
"""A slow network, what is pinned in Loss the slowest, and a hidden tab, whose timers are late."""


def test_a_pinned_picture_stays_beside_what_is_changed(open_page):
    page = open_page({**ORESUND, "chapter": "start_end"}, width=1400)
    page.get_by_role("button", name="Pin").click()
    page.locator("#chapter").get_by_role("button", name="2 Every position").click()
    ready(page)
    box = page.locator("#chapter").get_by_label("temperature T, number")
    for typed, said in (("9", ["0.2 to 5, got 9"]), ("3", [])):
        box.fill(typed)
        box.press("Enter")
        expect(page.locator(".control [role=alert]")).to_have_text([*map(re.compile, said)])
    slider = page.locator("#chapter").get_by_role("slider")
    expect(slider).to_have_value("3")
    expect(page.locator(".differs")).to_contain_text("temperature 1.0, there 3.0")
    first = page.locator("#chapter [data-block=p-start]").inner_text()
    assert first != page.locator(".pinned [data-block=p-start]").inner_text()
    note = page.locator("#chapter .control.wide small")
    assert note.bounding_box()["width"] > 400  # beside the slider it would be one word wide
    page.evaluate(LATE)
    for _ in range(5):  # an answer to an earlier place, or drawn late, takes no step back
        slider.press("ArrowRight")
        page.wait_for_timeout(60)
    page.wait_for_timeout(1200)
    expect(slider).to_have_value("3.25")
    expect(page.locator(".differs")).to_contain_text("temperature 1.0, there 3.25")
    assert page.evaluate("history.state.spanlight.temperature") == 3.25
    for name in ("loss", "bio"):
        page.locator(f"#tab-{name}").click()
        expect(page.locator("#chapter .heading")).to_have_text(CHAPTERS[name].STEPS[0][1])
    page.wait_for_timeout(900)
    expect(page.locator(".pinned .heading")).to_have_text(CHAPTERS["bio"].STEPS[0][1])


def test_a_printed_page_is_light_and_names_the_question(open_page):
    page = open_page({**ORESUND, "chapter": "spans"}, dark=True, width=1209)
    drawn(page)
    figure = page.locator(".figure").first
    expect(figure).to_contain_class("dark")
    page.emulate_media(media="print")
    expect(page.locator(":is(.tabs, .tools, #ask-row):visible")).to_have_count(0)
    expect(page.locator(".answer .is-asked")).to_be_visible()
    expect(page.locator("body")).to_have_css("background-color", "rgb(251, 250, 247)")
    # here it is wider in print and drawn anew; a printer takes it as it is, and inverts it
    expect(figure.locator("text").first).to_have_css("fill", "rgb(95, 93, 87)")
    expect(figure).to_have_css("filter", "none")
    figure.evaluate("(e) => e.classList.add('dark')")
    expect(figure).to_have_css("filter", re.compile(r"^invert\(1\)"))
    page.emulate_media(media="screen")
    expect(figure.locator("text").first).to_have_css("fill", "rgb(165, 162, 154)")
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    expect(figure.locator("text").first).to_have_css("fill", "rgb(95, 93, 87)")
    page.emulate_media(forced_colors="active")  # whose ground is the system's, as the swatches are
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    border = "(e) => getComputedStyle(e).borderBottomColor"
    assert page.locator("#tab-spans").evaluate(border) != page.locator("#tab-loss").evaluate(border)
    page.get_by_role("tab", name="Loss").click()
    letters = "(e) => getComputedStyle(e).color"
    for row in (".steps", ".choice"):
        expect(page.locator(f"{row} [aria-pressed=true]")).to_have_count(1)
        chosen, other = (page.locator(f"{row} [aria-pressed={x}]").first for x in ("true", "false"))
        assert chosen.evaluate(letters) != other.evaluate(letters)


def test_three_open_pages_go_on_when_the_server_is_killed_and_started(open_page, server):
    """What was typed survives a reload too."""
    names = ("answer", "spans", "spanbert")
    pages = [open_page({**ORESUND, "chapter": name}, refused=True) for name in names]
    for k, page in enumerate(pages):
        page.get_by_label("Question", exact=True).fill(f"Typed {k}?")
    pages[1].reload()
    ready(pages[1])  # a page that loses its server while it loads asks to be loaded again
    server.kill()
    for page in pages:
        page.get_by_role("tab", name="Start & end").click()
    expect(pages[0].locator(".say")).to_contain_text("does not answer")
    server.start()
    for k, page in enumerate(pages):
        expect(page.locator("[data-block=heading]")).to_have_text(CHAPTERS["start_end"].STEPS[0][1])
        expect(page.get_by_label("Question", exact=True)).to_have_value(f"Typed {k}?")


def test_present_mode_survives_a_reload_and_a_click_hits_its_cell(open_page):
    page = open_page({**ORESUND, "chapter": "spans"}, width=375)
    page.get_by_role("button", name="Present").click()
    page.get_by_role("button", name="Pin").click()
    drawn(page)
    wide = "document.querySelector('.main-svg').clientWidth"
    # the sheet, at once: a browser may print before a promise goes on; then the wall
    for width in (375, 1920):
        page.set_viewport_size({"width": width, "height": 1080})
        assert 480 < page.evaluate(f"dispatchEvent(new Event('beforeprint')), {wide}") < 720
        page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.wait_for_function(f"{wide} > 900")
    expect(page.locator("body")).to_contain_class("present paired")
    page.reload()
    ready(page)
    drawn(page)
    expect(page.get_by_role("button", name="Present")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-block=idea]")).to_be_visible()
    spot = page.evaluate("""() => {
      const f = document.querySelector('.figure'), l = f._fullLayout, r = f.querySelector('.nsewdrag').getBoundingClientRect();
      const k = r.width / l.xaxis._length;
      return [r.left + l.xaxis.d2p(40) * k, r.top + l.yaxis.d2p(30) * k];
    }""")
    page.mouse.click(*spot)
    assert state(page) == [30, 40]
    framed = "(({ data, layout }, s = layout.shapes.at(-1)) => s.x0 < 40 && 40 < s.x1 && s.y0 < 30 && 30 < s.y1 && data.at(-1).colorscale)(document.querySelector('.figure'))"
    assert page.wait_for_function(framed).json_value() == [[0, "#f3f0e8"], [1, "#1b1b1a"]]
    expect(page.locator(".answer .is-asked")).to_be_visible()
    page.get_by_role("tab", name="Loss", exact=True).click()
    ready(page)
    drawn(page)
    for name in ("right start", "right end"):  # it begins at a place, which does not grow
        said = page.locator(".figure .annotation-text").filter(has_text=name)
        box, figure = said.bounding_box(), page.locator(".figure").first.bounding_box()
        assert figure["y"] <= box["y"] < box["y"] + box["height"] <= figure["y"] + figure["height"]
    page.get_by_role("tab", name="Long text").click()
    far = page.locator(".figure .annotation-text").filter(has_text="question +")
    expect(far).to_have_count(1)
    page.get_by_role("button", name="Lessons").click()  # beside a lesson there is no room for it
    expect(far).to_have_count(0)


def test_a_first_visit_is_small_and_its_saved_file_opens_offline_whole(open_page, tmp_path):
    page = open_page({**ORESUND, "chapter": "spans"}, fresh=True)
    drawn(page)
    sizes = "performance.getEntries().filter((e) => e.transferSize).map((e) => [e.name, e.transferSize])"
    sent = {name.rpartition("/assets/")[2]: size for name, size in page.evaluate(sizes)}
    late = {name for name in sent if (FRONTEND / name).is_file()} - {*gradio_files()}
    assert len(late) == 1, "its own first script, which its page asks for"
    plotly = next(sent.pop(name) for name in [*sent] if name.endswith("/plotly.js"))
    assert 200_000 < sum(sent.values()) <= 350_000 and 200_000 < plotly <= 550_000  # bytes
    with page.expect_download(timeout=120_000) as download:
        page.get_by_role("button", name="Save").click()
    download.value.save_as(path := tmp_path / "saved.html")
    page.context.set_offline(True)
    page.goto(path.as_uri())
    for module in CHAPTERS.values():
        page.get_by_role("tab", name=module.NAME, exact=True).click()
        expect(page.locator("[data-block=heading]")).to_have_text(module.STEPS[0][1])
    page.get_by_role("tab", name="Spans").click()
    page.locator("[data-block=listed] button.row").nth(3).click()
    expect(page.get_by_role("status")).to_contain_text("needs the running page")
    page.get_by_role("tab", name="Why").click()  # what was refused is forgotten
    expect(page.locator("[data-block=heading]")).to_have_text(CHAPTERS["why"].STEPS[0][1])
    buttons = page.get_by_role("toolbar", name="Page").get_by_role("button")
    expect(buttons).to_have_text(["Present", "Dark"])


def test_a_report_opens_offline_and_shows_what_is_pressed(chromium, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(report_of(lines(1), lines(2)), encoding="utf-8")
    page, said = listened(chromium.new_context(offline=True))
    page.goto(path.as_uri())
    expect(page.locator("[data-block=verdict]")).to_contain_text(" F1 on 240 questions")
    page.pdf()  # shows what nobody scrolled to
    expect(page.locator(".figure:has(.main-svg)")).to_have_count(page.locator(".figure").count())
    assert page.locator(".figure").count() > 6
    page.get_by_role("button", name="exact match").click()
    expect(page.locator("[data-block=verdict]")).to_contain_text(" exact match on 240 questions")
    for typed, stop in (("61.1", "62"), ("60.9", "60")):
        page.get_by_role("spinbutton").fill(typed)
        page.get_by_role("spinbutton").press("Enter")
        expect(page.get_by_role("slider")).to_have_value(stop)
    third = page.get_by_role("row").filter(has=page.get_by_role("button")).nth(2)
    asked = third.get_by_role("button").inner_text()
    third.click()
    expect(page.locator("[data-block=question]")).to_have_text(asked)
    expect(page.locator("[data-block=text] .word:has(> .lane-start)")).to_have_text(["Bob", "Kok"])
    expect(page.get_by_role("button", name=asked, pressed=True)).to_be_visible()
    for stop in ("62", "70"):
        page.get_by_role("slider").fill(stop)
    limit = re.search(r"one at (\S+):", page.locator("[data-block=slide]").inner_text())[1]
    shown = float(page.get_by_role("link").get_attribute("href").rpartition("&threshold=")[2])
    assert f"{shown:.2f}" == limit.replace("−", "-"), "the link follows the slider"
    page.context.close()
    assert said == []


def test_a_course_shows_it_in_a_frame_whose_browser_keeps_and_copies_nothing(chromium, server):
    sandbox = 'sandbox="allow-scripts allow-same-origin"'
    course = f'<iframe src="{server.url}#chapter=spans" {sandbox}>'
    refused = "Object.defineProperty(window, '%s', { get() { throw new DOMException('no', 'SecurityError'); } });"
    with chromium.new_context() as context:
        context.route(f"{COURSE}/", lambda at: at.fulfill(body=course, content_type="text/html"))
        full = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };"
        context.add_init_script(full + refused % "sessionStorage")
        page = context.new_page()
        page.goto(f"{COURSE}/")
        inside = page.frame_locator("iframe")
        inside.get_by_role("tab", name="Loss").click()
        expect(inside.get_by_role("tab", name="Loss")).to_have_attribute("aria-selected", "true")
        expect(inside.locator("[data-block=finding]")).to_be_visible()
        inside.get_by_role("button", name="Dark").click()
        expect(inside.locator("html")).to_have_attribute("data-theme", "dark")
        inside.get_by_role("button", name="Link", exact=True).click()
        there = inside.get_by_role("link", name="this screen in its own tab")
        expect(there).to_have_attribute("href", re.compile(f"^{server.url}#.+"))


def test_hostile_text_stays_text(open_page, server):
    page = open_page({"question": "Who?", "context": HOSTILE})
    page.get_by_role("button", name="Pin").click()
    for chapter in CHAPTERS:
        state = {"question": HOSTILE, "context": HOSTILE * 2, "chapter": chapter}
        (visit if chapter == "why" else show)(page, server, state)
        drawn(page)
        assert page.locator(".spanlight :is(img, script), .differs b").count() == 0
    show(page, server, {**ORESUND, "chapter": "scores"})
    page.get_by_role("textbox", name="type a second question").fill(HOSTILE)
    page.keyboard.press("Enter")
    expect(page.locator("#chapter")).to_contain_text("onerror=alert(1)")


DARK = {"dark": True}, {"runOnly": ["color-contrast"]}  # in the dark the colours differ alone,
PHONE = {"width": 375}, {"rules": {"color-contrast": {"enabled": False}}}  # on a phone the rest


@pytest.mark.parametrize(("look", "rules"), [({}, {}), DARK, PHONE])
def test_axe_finds_nothing(open_page, look, rules):
    page = open_page(ORESUND, **look)
    page.evaluate(Axe().axe_script)
    for chapter in CHAPTERS:
        page.locator(f"#tab-{chapter}").click()
        expect(page.locator(f"#tab-{chapter}")).to_have_attribute("aria-selected", "true")
        ready(page)
        drawn(page)
        # what surrounds a chapter stays; of the letters in a drawing axe knows no colour
        where = [".spanlight" if chapter == "answer" else "#chapter"], [".figure svg"]
        run = "([include, exclude, rules]) => axe.run({ include, exclude }, { ...rules, resultTypes: ['violations'] })"
        found = page.evaluate(run, [*where, rules])["violations"]
        assert [(v["id"], v["nodes"][0]["html"][:120]) for v in found] == [], chapter


def test_tab_from_the_top_reaches_every_control_and_changes_nothing(open_page, server):
    page = open_page({**ORESUND, "chapter": "spans", "selection": [23, 33]})
    page.locator("body").click(position={"x": 2, "y": 790})
    focused = "((e) => e.getAttribute('data-focus') || e.id || e.textContent.slice(0, 12))(document.activeElement)"
    seen, address = set(), page.url
    for _ in range(62):
        page.keyboard.press("Tab")
        seen.add(page.evaluate(focused))
    assert {"listed-0", "other", "tab-spans", "Exactly"} <= seen
    assert not {"listed-1", "Cover answer"} & seen, "a table and a row of buttons are one stop each"
    expect(page.locator("#ask-row [role=listbox]:visible")).to_have_count(0)
    page.locator("#example input").click()
    for key in ("Tab", "Tab", "ArrowRight"):
        page.keyboard.press(key)
    assert [page.evaluate(focused), page.url] == ["Cover answer", address]
    show(page, server, {**ORESUND, "chapter": "bio", "step": 2})
    chosen = page.locator(".steps [aria-pressed=true]")
    page.keyboard.press("Tab")
    chosen.focus()
    ring = "(e) => [getComputedStyle(e).outlineColor, getComputedStyle(e).backgroundColor]"
    assert len(set(chosen.evaluate(ring))) == 2
    page.set_viewport_size({"width": 1045, "height": 800})
    heading, steps = (page.locator(x).bounding_box() for x in ("#chapter .heading", ".steps"))
    assert steps["x"] >= heading["x"] + heading["width"], "beside the heading, not over it"


def test_a_screen_reader_hears_what_changed_and_stays_where_it_was(open_page, server):
    page = open_page({**ORESUND, "chapter": "spans"})
    heard, rows = page.locator("[aria-live]"), page.get_by_role("table").get_by_role("rowheader")
    first = rows.get_by_role("button").first
    first.focus()
    expect(first).to_have_attribute("aria-pressed", "true")
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    expect(first).to_have_attribute("aria-pressed", "false")
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    ready(page)
    score = page.locator("[data-block=sum]").inner_text()
    expect(heard.filter(has_text="score of ")).to_have_text(score)
    page.get_by_role("tab", name="Start & end").press("Enter")
    expect(heard.filter(has_text=CHAPTERS["start_end"].STEPS[0][1])).to_have_count(1)
    expect(page).to_have_title("Start & end · Spanlight")
    words = page.get_by_role("group", name="text: arrows go from word to word")
    expect(words.get_by_role("button")).not_to_have_count(0)
    expect(page.get_by_role("list", name="Legend").get_by_role("listitem")).not_to_have_count(0)
    second = page.get_by_role("button", name="2 Every position")
    second.press("Enter")
    expect(second).to_have_attribute("aria-pressed", "true")
    expect(second).to_be_focused()
    slider = page.locator("#chapter").get_by_role("slider", name="temperature T")
    about = "(e) => e.ariaDescribedByElements[0].textContent"
    assert slider.evaluate(about).startswith("above 1 both softmaxes flatten")
    page.locator("#chapter summary", has_text="As a table").press("Enter")
    slider.press("ArrowRight")
    expect(heard.filter(has_text="At T = 1.05")).to_have_count(1)
    named = page.get_by_role("rowheader").get_by_role("button", name=re.compile(r"^position \d+, "))
    expect(named).not_to_have_count(0)
    show(page, server, {**ORESUND, "chapter": "loss", "step": 3})
    expect(page.locator(".word b .unseen").first).to_have_text(re.compile("^ (start|end) $"))
