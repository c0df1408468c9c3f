"""The lessons in Chromium: two by keyboard to the end; veil, strip, foreign reader, reload."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from qa_demo.core.course.lessons import Lesson
from qa_demo.figures.lessons.checks import CHECKS
from qa_demo.views.bench import presets
from qa_demo.views.examples import load_examples
from qa_demo.views.lessons.course import SAID, load
from qa_demo.views.page import build
from qa_demo.views.services import Services
from tests.browser.serve import load as load_fake
from tests.browser.serve import running
from tests.browser.steps import findings, load_anew, press_until
from tests.browser.test_links import wait_for_field
from tests.fakes import FakeReader

pytestmark = pytest.mark.browser

COURSE = [lesson for lesson in load() if lesson.id != SAID]
MOST_TABS = 40
OPEN = """async ([lesson, step]) => {
  const { say } = await module("shared/store.js");
  say("lesson", { lesson, step });
}"""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """A page whose examples open from stored readings; the fake one reads other texts."""
    examples = load_examples()
    first = next(iter(examples.values())).stored()
    assert first is not None
    services = Services(
        lambda: FakeReader(bio=True), load_fake, examples, checksum=lambda: first.checksum
    )
    with running(build(services)) as address:
        yield address


@pytest.fixture
def play(open_page: Callable[..., Page]) -> Callable[..., Page]:
    """Open the page, and wait until it can be used."""

    def opened(**settings: object) -> Page:
        page = open_page(**settings)
        expect(page.locator("#picture-answer .four dd").first).to_be_visible()
        return page

    return opened


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until the focus stands on what the selector names, inside the strip."""
    if not page.evaluate("(s) => document.activeElement?.matches(s) ?? false", selector):
        press_until(page, "Tab", selector, MOST_TABS)


def settled(page: Page, lesson: Lesson, number: int) -> None:
    """The step stands there and the page has been set up for it."""
    step = lesson.steps[number]
    expect(page.locator(".strip-title")).to_have_text(step.title)
    expect(page.locator(".lesson-strip")).to_have_attribute("data-ready", "true")
    expect(page.locator(f"#tab-{step.view}")).to_have_attribute("aria-selected", "true")
    if step.highlight:
        expect(page.locator(".lit").first).to_be_attached(timeout=8000)


def answer(page: Page, lesson: Lesson, number: int) -> None:
    """Answer a step by keyboard: the first option, a number, or "show me"."""
    step = lesson.steps[number]
    if step.veil:
        expect(page.locator("body:is(.veiled, .covering)")).to_have_count(1)
    if step.predict in ("choice", "pick"):
        tab_to(page, ".lesson-strip .choice")
    elif step.predict == "number":
        tab_to(page, ".lesson-strip .number-field")
        page.keyboard.type("2,5")
    else:
        tab_to(page, ".lesson-strip .show-me")
    page.keyboard.press("Enter")
    feedback = page.locator(".strip-feedback")
    expect(feedback).to_be_focused()
    expect(feedback).not_to_be_empty()
    expect(page.locator("body:is(.veiled, .covering)")).to_have_count(0)


def walk(page: Page, lesson: Lesson, look: Callable[[], None] = lambda: None) -> None:
    """From the list to the last step, by keyboard; `look` is called at each step."""
    tab_to(page, f".lesson-strip .lesson[data-lesson={lesson.id}]")
    page.keyboard.press("Enter")
    for number, step in enumerate(lesson.steps):
        settled(page, lesson, number)
        look()
        asks = step.check and CHECKS[step.check].needs_reader
        if step.predict and not asks:
            answer(page, lesson, number)
        tab_to(page, ".lesson-strip .next")
        page.keyboard.press("Enter")
    expect(page.locator(".strip-title")).to_have_text("Done")
    expect(page.locator(".lesson-strip q")).to_have_text(lesson.wrong)


def open_lessons(page: Page) -> None:
    page.locator("#switch-lessons").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".lesson-strip .strip-title")).to_have_text("Lessons")


def test_a_lesson_is_played_to_its_end_by_keyboard(play: Callable[..., Page]) -> None:
    page, lesson = play(), COURSE[0]
    open_lessons(page)
    walk(page, lesson)
    tab_to(page, ".lesson-strip .to-list")
    page.keyboard.press("Enter")
    expect(page.locator(f"[data-lesson={lesson.id}]")).to_contain_text("done")


def test_a_lesson_on_a_phone_in_the_dark(play: Callable[..., Page]) -> None:
    page = play(viewport={"width": 375, "height": 812}, color_scheme="dark")
    open_lessons(page)
    walk(page, COURSE[3], lambda: assert_a_third(page))
    strip = page.locator(".lesson-strip").bounding_box()
    room = page.locator(".gradio-container > .main").evaluate(
        "(node) => parseFloat(getComputedStyle(node).paddingBottom)"
    )
    assert strip and strip["height"] <= room, "the page can be scrolled clear of the strip"
    assert page.evaluate("document.documentElement.scrollWidth") <= 375


def assert_a_third(page: Page) -> None:
    """The strip covers at most a third of a phone, and not the beginning of what it points at."""
    strip, lit = (page.locator(s).first for s in (".lesson-strip", ".lit"))
    expect(lit).to_be_in_viewport()
    box, pointed = strip.bounding_box(), lit.bounding_box()
    assert box and pointed and box["height"] <= 812 / 3
    assert pointed["y"] < box["y"], "what the step speaks of begins above the strip"


def test_the_strip_stands_beside_the_page_and_axe_finds_nothing(play: Callable[..., Page]) -> None:
    page = play()
    page.get_by_role("button", name="Start lesson 1").click()
    settled(page, COURSE[0], 0)
    strip, stage = (page.locator(s).bounding_box() for s in (".lesson-strip", "#stage-answer"))
    assert strip and stage and strip["width"] == 320
    assert stage["x"] + stage["width"] <= strip["x"]
    for number in range(2):
        assert findings(page, ".lesson-strip") == []
        page.get_by_role("button", name="show me").click()
        expect(page.locator(".strip-feedback")).to_be_focused()
        page.keyboard.press("ArrowRight")
        settled(page, COURSE[0], number + 1)


def test_what_a_step_speaks_of_stands_there_once_it_is_answered(play: Callable[..., Page]) -> None:
    page = play()
    page.locator("#switch-lessons").click()
    for lesson_id, step, shows in (
        ("start-end", 0, None),
        ("long-text", 4, "6"),
        ("long-text", 0, "4"),  # what another step tried is gone
    ):
        page.evaluate(OPEN, [lesson_id, step])
        settled(page, next(one for one in COURSE if one.id == lesson_id), step)
        page.get_by_role("button", name="show me").click()
        expect(page.locator(".strip-feedback")).to_be_visible()
        if shows is None:
            expect(page.locator("#picture-start_end .stage.lit")).to_be_visible()
            expect(page.locator("#guess.lit")).to_have_count(0)
        else:
            windows = page.locator("#picture-windows .count", has_text="windows")
            expect(windows.locator("dd")).to_have_text(shows)


def test_words_are_marked_by_keyboard(play: Callable[..., Page]) -> None:
    page = play()
    page.get_by_role("button", name="Start lesson 1").focus()
    page.keyboard.press("Enter")
    settled(page, COURSE[0], 0)
    expect(page.locator(".strip-title")).to_be_focused()
    tab_to(page, ".lesson-strip .marking .plain")
    page.keyboard.press("Enter")
    words = page.locator("#picture-answer .word")
    expect(words.first).to_be_focused()
    for key in ("ArrowRight", "Shift+ArrowRight", "Enter"):
        page.keyboard.press(key)
    marked = " ".join(words.nth(k).inner_text() for k in (1, 2))
    expect(page.locator(".strip-marked .words")).to_have_text(marked)
    expect(page.get_by_role("button", name="Commit")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".strip-feedback")).to_be_focused()
    expect(page.locator(".strip-yours")).to_contain_text("other words")


def test_words_are_marked_by_finger(play: Callable[..., Page]) -> None:
    page = play(viewport={"width": 375, "height": 812}, has_touch=True, is_mobile=True)
    page.get_by_role("button", name="Start lesson 1").tap()
    settled(page, COURSE[0], 0)

    def mark(key: str, shown: Locator) -> None:
        """A first word and a last one, in either order; a third tap starts anew."""
        words = page.locator(f"#picture-{key} .stage .word")
        for at, first, last in ((3, 3, 3), (1, 1, 3), (2, 2, 2), (2, 2, 2), (4, 2, 4), (5, 5, 5)):
            words.nth(at).tap()
            marked = " ".join(words.nth(k).inner_text() for k in range(first, last + 1))
            expect(shown).to_have_text(marked)

    mark("answer", page.locator(".strip-marked .words"))
    page.get_by_role("button", name="Leave the lessons").tap()
    for key, step in (("loss", "labels"), ("bio", "annotators")):
        page.locator(f"#tab-{key}").tap()
        page.locator(f"#{key}-step-{step}").tap()
        mark(key, page.locator(f"#picture-{key} .selected-text"))


def test_a_reload_resumes_and_leaving_ends_it(play: Callable[..., Page]) -> None:
    page = play()
    page.get_by_role("button", name="Start lesson 1").click()
    settled(page, COURSE[0], 0)
    expect(page.locator(".strip-title")).to_be_focused()
    page.keyboard.press("ArrowRight")
    settled(page, COURSE[0], 1)
    load_anew(page)
    settled(page, COURSE[0], 1)
    expect(page.locator("body.veiled")).to_have_count(1)
    page.get_by_role("button", name="Leave the lessons").click()
    expect(page.locator(".lesson-strip")).to_have_count(0)
    expect(page.locator("body.veiled")).to_have_count(0)
    expect(page.locator(".unlit")).to_have_count(0)
    wait_for_field(page, "page.lesson", None)
    load_anew(page)
    expect(page.locator("#picture-answer .word").first).to_be_visible()
    expect(page.locator(".lesson-strip, .lesson-offer")).to_have_count(0)


def test_place_and_guess_are_kept(play: Callable[..., Page]) -> None:
    page = play()
    page.get_by_role("button", name="Start lesson 1").click()
    settled(page, COURSE[0], 0)
    page.get_by_role("button", name="show me").click()
    feedback = page.locator(".strip-feedback")
    expect(feedback).to_be_focused()
    page.keyboard.press("ArrowRight")
    settled(page, COURSE[0], 1)
    page.locator(".lesson-strip .choice").first.click()
    mine = page.locator(".strip-chosen li", has_text="your choice")
    expect(mine).to_have_text("The model writes an answer, word by word. (your choice)")

    def stands() -> None:
        expect(page.locator(".strip-title")).to_have_text(COURSE[0].steps[1].title)
        expect(mine).to_have_count(1)
        expect(page.locator("body.veiled")).to_have_count(0)

    page.keyboard.press("4")
    expect(page.locator("#tab-spans")).to_have_attribute("aria-selected", "true")
    stands()
    page.get_by_role("button", name="Back", exact=True).click()
    settled(page, COURSE[0], 0)
    expect(feedback).to_be_visible()
    page.get_by_role("button", name="Next", exact=True).click()
    stands()
    load_anew(page)
    settled(page, COURSE[0], 1)
    stands()
    page.get_by_role("button", name="Leave the lessons").click()
    open_lessons(page)
    page.get_by_role("button", name="go on at step 2").click()
    settled(page, COURSE[0], 1)
    stands()


def test_chips_are_kept(play: Callable[..., Page]) -> None:
    page = play()
    open_lessons(page)
    number = next(k for k, lesson in enumerate(COURSE) if lesson.steps[0].predict == "chips")
    page.locator(f"[data-lesson={COURSE[number].id}]").click()
    settled(page, COURSE[number], 0)
    place = page.locator("#guess .place", has_text="Georg").first
    for _ in range(2):  # ten for the start, then ten for the end
        place.focus()
        page.keyboard.press("Shift+Enter")
    page.get_by_role("button", name="Commit the chips").click()
    yours = page.locator(".strip-yours")
    expect(yours).to_contain_text("Your chips cost")
    said = yours.inner_text()
    load_anew(page)
    settled(page, COURSE[number], 0)
    expect(yours).to_have_text(said)
    expect(page.locator("#guess .sides")).to_contain_text("end: 10 of 10")


def test_numbers_by_hand_come_on_the_bench_with_the_reveal(play: Callable[..., Page]) -> None:
    page = play()
    open_lessons(page)
    lesson = next(lesson for lesson in COURSE if lesson.id == "best-pair")
    page.locator("[data-lesson=best-pair]").click()
    settled(page, lesson, 0)
    page.set_viewport_size({"width": 375, "height": 812})  # where no picture takes the room
    for option in lesson.steps[0].options:
        choice = page.get_by_role("button", name=option.text, exact=True)
        expect(choice).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 1280, "height": 800})
    bench = page.locator("section.bench")
    expect(bench).to_be_hidden()
    page.locator(".lesson-strip .choice").first.click()
    expect(page.locator("#bench-presets")).to_have_value("three-tokens")
    expect(bench).to_be_in_viewport()
    boxes = page.locator("section.bench .bench-number.start")
    expect(boxes).to_have_count(4)
    assert [boxes.nth(k).input_value() for k in range(1, 4)] == ["1", "2", "6"]
    expect(page.locator(".strip-note")).to_have_count(0)
    about = presets.preset("three-tokens").about
    expect(page.locator(".bench-about")).to_have_text(about)
    page.get_by_role("button", name="Next", exact=True).click()
    settled(page, lesson, 1)
    expect(bench).to_be_hidden()
    page.get_by_role("button", name="Back", exact=True).click()
    expect(bench).to_be_visible()
    question = load_examples()[lesson.example].question
    expect(page.locator("#asked .asked-question")).not_to_have_text(question)
    expect(page.locator(".bench-about")).to_have_text(about)


def test_a_lesson_whose_steps_were_skipped_is_not_done(play: Callable[..., Page]) -> None:
    page, steps = play(), COURSE[0].steps
    page.get_by_role("button", name="Start lesson 1").click()
    for number in range(len(steps)):
        settled(page, COURSE[0], number)
        page.get_by_role("button", name="Next" if number + 1 < len(steps) else "Finish").click()
    expect(page.locator(".strip-title")).to_have_text("Not done yet")
    left = page.locator(".lesson-strip .strip-choices button")
    expect(left).to_have_text(
        [f"{k + 1}. {step.title}" for k, step in enumerate(steps) if step.predict]
    )
    left.last.click()
    settled(page, COURSE[0], len(steps) - 1)


def test_in_present_mode_nothing_runs_under_the_strip_or_shows_through_the_veil(
    play: Callable[..., Page],
) -> None:
    page = play()
    page.locator("#switch-present").click()
    page.keyboard.press("Escape")
    open_lessons(page)
    for name in ("no-answer", "one-vector"):
        number = next(k for k, lesson in enumerate(COURSE) if lesson.id == name)
        page.locator(f"[data-lesson={name}]").click()
        settled(page, COURSE[number], 0)
        strip, last = (
            page.locator(s).bounding_box() for s in (".lesson-strip", ".tabs [role=tab] >> nth=-1")
        )
        assert strip and last and last["x"] + last["width"] <= strip["x"]
        for told in (".verdict", f"#picture-{COURSE[number].steps[0].view} .question"):
            expect(page.locator(told).first).to_have_css("visibility", "hidden")
        page.keyboard.press("Escape")
        page.locator(".strip-leave").click()
        open_lessons(page)


def test_the_offer_comes_once(play: Callable[..., Page]) -> None:
    page = play()
    page.get_by_role("button", name="No, thanks").click()
    load_anew(page)
    expect(page.locator("#picture-answer .four dd").first).to_be_visible()
    expect(page.locator(".lesson-offer")).to_have_count(0)


def test_a_new_visit_offers_to_go_on_and_shows_the_chapters(play: Callable[..., Page]) -> None:
    page = play()
    page.get_by_role("button", name="Start lesson 1").click()
    settled(page, COURSE[0], 0)
    page.get_by_role("button", name="Next", exact=True).click()
    settled(page, COURSE[0], 1)
    other = play()
    expect(other.locator(".lesson-offer")).to_contain_text("You left lesson 1 at step 2")
    expect(other.locator(".lesson-strip")).to_have_count(0)
    other.get_by_role("button", name="go on").click()
    expect(other.locator(".strip-title")).to_have_text(COURSE[0].steps[1].title)
    expect(other.locator(".lesson-offer")).to_have_count(0)


def test_a_foreign_reader_and_text_are_named_and_the_bundled_one_is_offered(
    play: Callable[..., Page],
) -> None:
    page = play()
    page.locator("#switch-readers").click()
    page.get_by_label("Reader", exact=True).fill("other/reader")
    page.locator("#ask-load").click()
    expect(page.locator("#switch-readers")).to_have_text("reader: other/reader")
    open_lessons(page)
    tags = next(lesson for lesson in COURSE if lesson.id == "tags")
    page.locator("[data-lesson=tags]").click()
    settled(page, tags, 0)
    note = page.locator(".strip-note")
    expect(note).to_contain_text("other/reader, does not show the point")
    expect(note).to_contain_text("no head for tags")
    page.get_by_role("button", name="Use the bundled reader").click()
    expect(page.locator("#switch-readers")).to_have_text("reader: bundled")
    expect(note).to_have_count(0)
    # the step asks now: it does not answer itself because it could not ask before
    page.locator(".lesson-strip .choice").first.click()
    expect(page.locator(".strip-chosen")).to_contain_text("your choice")
    page.evaluate(OPEN, ["long-text", 2])
    expect(page.locator(".strip-other")).to_contain_text("Another text: ")
    page.get_by_label("Examples").select_option("magna-carta")
    expect(note).to_contain_text("This step does not hold with this text.")
    expect(page.locator(".strip-other")).to_have_count(0)
