"""A class in three browsers: guesses wait for the reveal; a teacher's hostile lesson."""

import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from qa_demo.core.course.lesson_folder import Folder
from qa_demo.core.course.rooms import Rooms
from qa_demo.figures.course.exercises import homework
from qa_demo.views.examples import load_examples
from qa_demo.views.lessons.course import load
from qa_demo.views.lessons.rooms import looker
from qa_demo.views.lessons.tasks import kinds
from qa_demo.views.page import build
from qa_demo.views.services import Services
from tests.browser.listen import listen
from tests.browser.serve import load as load_fake
from tests.browser.serve import running
from tests.browser.steps import ask, findings, load_anew
from tests.fakes import FakeReader

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=alert(1)> **b** {{ value }} ${value}"
SPAN = next(lesson for lesson in load() if lesson.id == "span")


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """A page with rooms, and a lesson of a teacher's own before the bundled ones."""
    examples, rooms = load_examples(), Rooms()
    first = next(iter(examples.values())).stored()
    assert first is not None
    services = Services(
        lambda: FakeReader(bio=True),
        load_fake,
        examples,
        checksum=lambda: first.checksum,
        rooms=rooms,
    )
    step = SPAN.steps[1]
    told = replace(
        step,
        title=HOSTILE,
        text=HOSTILE,
        reveal=HOSTILE,
        options=tuple(replace(o, text=f"{HOSTILE} {o.key}") for o in step.options),
    )
    own = replace(SPAN, id="own", title=HOSTILE, wrong=HOSTILE, track=HOSTILE, steps=(told,))
    with running(build(services, None, Folder((own, *load()))), room=looker(rooms)) as address:
        yield address


TOUCHES = ("os.mkdir", "os.rename", "os.link", "os.symlink", "sqlite3.connect")


@pytest.fixture
def written() -> Iterator[list[str]]:
    """The files that this process, which is the server's too, writes meanwhile."""
    found: list[str] = []
    on = True

    def heard(name: str, given: tuple[object, ...]) -> None:  # a hook cannot be taken off again
        if not on or (name != "open" and name not in TOUCHES):
            return
        flags = given[2] if name == "open" else os.O_RDWR
        place = str(given[0])
        if isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            found.append(place)

    sys.addaudithook(heard)
    yield found
    on = False


@pytest.fixture
def visit(chromium: Browser, site: str) -> Iterator[Callable[..., Page]]:
    """A browser for each visitor, with the lessons open; a console error fails the test."""
    faults: list[str] = []
    contexts = []

    def opened(**settings: object) -> Page:
        wanted = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"}
        context = chromium.new_context(**{**wanted, **settings})
        contexts.append(context)
        page = context.new_page()
        listen(page, faults)
        page.goto(site)
        expect(page.locator("#picture-answer .four dd").first).to_be_visible()
        page.locator("#switch-lessons").click()
        expect(page.locator(".lesson-strip .strip-title")).to_have_text("Lessons")
        return page

    yield opened
    for context in contexts:
        context.pages[0].evaluate("null")  # what it has said until now arrives before this answer
    said = list(faults)
    # gradio's stream may be open: closing a page aborts it, which its client may call an error
    for context in contexts:
        context.close()
    assert said == []


def join(page: Page, code: str) -> None:
    """Type the code, by keyboard."""
    page.get_by_label("Room code").fill(code.lower())
    page.keyboard.press("Enter")
    expect(page.locator(".room-count")).to_contain_text("Your teacher leads.")


def test_a_class_guesses_together(visit: Callable[..., Page]) -> None:
    teacher = visit()
    teacher.get_by_role("button", name="Open a room for your class").click()
    code = teacher.locator(".room-code").inner_text()
    teacher.locator(".lesson[data-lesson=span]").click()
    title, count = teacher.locator(".strip-title"), teacher.locator(".room-count")
    expect(title).to_have_text(SPAN.steps[0].title)
    students = [visit(), visit(viewport={"width": 375, "height": 812}, color_scheme="dark")]
    for student in students:
        join(student, code)
        expect(student.locator(".strip-title")).to_have_text(SPAN.steps[0].title)
        expect(student.locator(".strip-nav")).to_have_count(0)
    anna, bertil = students
    expect(anna.locator(".strip-marked")).to_have_text("Nothing is marked yet.")
    anna.locator("#picture-answer .word").first.click()
    anna.get_by_role("button", name="Commit").click()
    expect(anna.locator(".strip-voted")).to_contain_text("The")
    expect(anna.locator(".strip-marked")).to_be_empty()
    teacher.get_by_role("button", name="Next").click()
    for page in (teacher, *students):
        expect(page.locator(".strip-title")).to_have_text(SPAN.steps[1].title)
    for key in ("writes", "copies"):
        anna.locator(f".choice[data-key={key}]").click()
        told = next(o.text for o in SPAN.steps[1].options if o.key == key)
        expect(anna.locator(".strip-voted")).to_contain_text(told)
    bertil.get_by_role("button", name="show me").click()
    expect(bertil.locator(".strip-voted")).to_contain_text("I don’t know")
    expect(count).to_contain_text("2 pages here, 2 guesses")
    expect(teacher.locator(".tally")).to_have_count(0)

    teacher.get_by_role("button", name="Show the bars").click()
    expect(teacher.locator(".tally-count")).to_have_text(["0", "1", "0", "1"])
    for student in students:
        expect(student.locator(".tally, .strip-feedback")).to_have_count(0)
    teacher.get_by_role("button", name="Reveal", exact=True).click()
    for page in (teacher, *students):
        expect(page.locator(".strip-decides")).not_to_be_empty()
        expect(page.locator(".tally-count")).to_have_text(["0", "1", "0", "1"])
    expect(anna.locator(".strip-feedback.right")).to_have_count(1)

    bertil.get_by_role("button", name="go on alone").click()
    expect(bertil.locator(".strip-nav")).to_be_visible()
    teacher.get_by_role("button", name="Next").click()
    expect(anna.locator(".strip-title")).to_have_text(SPAN.steps[2].title)
    expect(bertil.locator(".room-count")).to_contain_text("at another step")
    expect(bertil.locator(".strip-title")).to_have_text(SPAN.steps[1].title)
    ready = anna.locator(".lesson-strip")
    expect(ready).to_have_attribute("data-ready", "true")
    load_anew(anna)
    expect(anna.locator(".room-count")).to_contain_text("Your teacher leads.")
    expect(anna.locator(".strip-title")).to_have_text(SPAN.steps[2].title)
    expect(ready).to_have_attribute("data-ready", "true")
    bertil.get_by_role("button", name="leave the room").click()
    expect(count).to_contain_text("1 page here")
    teacher.get_by_role("button", name="close the room").click()
    asked = teacher.get_by_role("dialog", name="End the room?")
    asked.get_by_role("button", name="results").click()
    results = teacher.get_by_role("dialog", name=f"Results of room {code}")
    expect(results).to_contain_text("2 pages have joined")
    expect(results).to_contain_text("1 × I don’t know")
    results.get_by_role("button", name="Close", exact=True).click()
    teacher.get_by_role("button", name="close the room").click()
    asked.get_by_role("button", name="End the room").click()
    expect(anna.locator(".room-said")).to_have_text(f"The room {code} is closed.")


def test_a_class_reads_the_teachers_own_text(visit: Callable[..., Page]) -> None:
    teacher, question, paragraph = visit(), "Who came?", "Anna Lund came to Visby in 1900."
    ask(teacher, question, paragraph)
    teacher.get_by_role("button", name=f"Use my text in the lessons: “{question}”").click()
    teacher.get_by_role("button", name="Open a room for your class").click()
    code = teacher.locator(".room-code").inner_text()
    teacher.locator(".lesson[data-lesson=span]").click()
    expect(teacher.locator(".strip-other")).to_have_text("On your text.")
    teacher.get_by_role("button", name="Next").click()
    student = visit()
    join(student, code)
    shown = student.locator("#asked .asked-question")
    expect(student.locator(".strip-title")).to_have_text(SPAN.steps[1].title)
    expect(shown).to_have_text(question)
    expect(student.locator(".strip-other")).to_have_text("On your class’s text.")
    student.locator(".choice[data-key=copies]").click()
    expect(teacher.locator(".room-count")).to_contain_text("1 page here, 1 guess")
    # a step whose words fit its own text alone says so, and the class goes back to that text
    bound = next(one for one in load() if one.id == "failure")
    teacher.get_by_role("button", name="Leave the lessons").click()
    teacher.locator("#switch-lessons").click()
    teacher.locator(f".lesson[data-lesson={bound.id}]").click()
    for page in (teacher, student):
        note = page.locator(".strip-note")
        expect(note).to_contain_text("This step does not hold with this text.")
    expect(teacher.locator(".room-count")).to_contain_text("0 guesses")
    reveal = teacher.get_by_role("button", name="Reveal", exact=True)
    expect(reveal).to_have_count(0)
    teacher.get_by_role("button", name="Read the lesson’s text here").click()
    expect(reveal).to_be_visible()
    asked = load_examples()[bound.example].question
    for page in (teacher, student):
        expect(page.locator(".strip-note, .strip-other")).to_have_count(0)
        expect(page.locator("#asked .asked-question")).to_have_text(asked)
    load_anew(teacher)
    expect(reveal).to_be_visible()
    expect(teacher.locator(".strip-note, .strip-other")).to_have_count(0)
    expect(teacher.locator("#asked .asked-question")).to_have_text(asked)
    teacher.get_by_role("button", name="Next").click()
    expect(shown).to_have_text(question)


def test_the_text_of_an_own_lesson_stays_text(visit: Callable[..., Page]) -> None:
    page = visit()
    expect(page.locator(".lesson[data-lesson=own]")).to_contain_text(HOSTILE)
    page.locator(".lesson[data-lesson=own]").click()
    expect(page.locator(".strip-title")).to_have_text(HOSTILE)
    page.locator(".choice[data-key=writes]").click()
    expect(page.locator(".strip-reveal")).to_contain_text("<img src=x")
    page.get_by_role("button", name="Finish").click()
    expect(page.locator(".lesson-strip q")).to_have_text(HOSTILE)
    expect(page.locator(".lesson-strip :is(img, b, script)")).to_have_count(0)


def test_a_class_is_asked_before_and_after_its_lessons(
    visit: Callable[..., Page], written: list[str]
) -> None:
    teacher = visit()
    written.clear()  # gradio's first event makes matplotlib's folder
    teacher.get_by_role("button", name="Open a room for your class").click()
    code = teacher.locator(".room-code").inner_text()
    students = [visit(), visit(viewport={"width": 375, "height": 812}, color_scheme="dark")]
    for student in students:
        join_alone(student, code)
    results = teacher.get_by_role("dialog", name=f"Results of room {code}")
    for moment in ("before", "after"):
        teacher.get_by_role("button", name=f"quiz {moment}").click()
        if moment == "before":
            expect(teacher.get_by_role("button", name="end the quiz")).to_be_visible()
            teacher.get_by_role("button", name="results").click()
            expect(results).to_contain_text("asked, nobody has handed in yet (0 of 2)")
            results.get_by_role("button", name="Close", exact=True).click()
        for student in students:
            title = student.locator("dialog.said h2")
            expect(title).to_have_text(f"Quiz {moment} the lessons")
            expect(student.locator("dialog.said .quiz-item")).to_have_count(9)
            kept = student.locator("dialog.said .quiz-item").nth(1).get_by_role("radio").nth(2)
            expect(kept).not_to_be_checked()
            kept.check()
            student.get_by_role("button", name="Close", exact=True).click()
            expect(student.locator(".room-count")).to_contain_text("Your teacher asks the quiz.")
            student.get_by_role("button", name="open the quiz").click()
            expect(kept).to_be_checked()
            load_anew(student)
            expect(kept).to_be_checked()
            box = student.locator("dialog.said").bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= student.viewport_size["width"]
            for item in student.locator(".quiz-item").all():
                item.get_by_role("radio").first.check()
            student.get_by_label("A code of your own").fill("tiger")
            student.get_by_label("A code of your own").press("Enter")
            expect(title).to_have_text(
                "Thank you" if moment == "before" else re.compile("of 9 right")
            )
        student = students[0]
        assert findings(student, "dialog.said") == []
        for student in students:
            student.get_by_role("button", name="Close", exact=True).click()
        teacher.get_by_role("button", name="end the quiz (2)").click()
    teacher.get_by_role("button", name="results").click()
    expect(results).to_be_visible()
    # each page is paired with itself, although both typed the same code
    expect(teacher.locator("dialog.said .said-intro")).to_contain_text("2 students were asked")
    expect(teacher.locator(".quiz-bar.before").first).to_contain_text(re.compile(r"[0-2] of 2"))
    assert not [place for place in written if not place.startswith("/dev/")]
    assert findings(teacher, "dialog.said") == []
    with teacher.expect_download() as saved:
        teacher.get_by_role("button", name="quiz as CSV").click()
    rows = Path(saved.value.path()).read_text(encoding="utf-8-sig").splitlines()
    assert rows[0] == "question,tests,right before,of,right after,of" and len(rows) == 10
    teacher.get_by_role("button", name="Close", exact=True).click()
    teacher.get_by_role("button", name="on a second device").click()
    pin = teacher.locator(".room-said strong").inner_text()
    second = visit()
    second.get_by_label("Room code").fill(pin)
    second.keyboard.press("Enter")
    expect(second.get_by_role("button", name="close the room")).to_be_visible()


def join_alone(page: Page, code: str) -> None:
    """Type the code; no step is open yet."""
    page.get_by_label("Room code").fill(code)
    page.keyboard.press("Enter")
    expect(page.locator(".room-count")).to_contain_text("has not opened a step yet")


def test_homework_is_done_on_the_page_and_on_the_bench(visit: Callable[..., Page]) -> None:
    page = visit()
    page.get_by_role("button", name="Homework: ten exercises").click()
    expect(page.locator("dialog.said .tasks > li")).to_have_count(10)
    field = page.get_by_label("Your answer: The best pair")
    said = page.locator("li[data-kind=best-pair] .task-said")
    for typed, text in (("x", "Type a number"), ("99", "Not yet"), (best_of("1/1"), "Yes: ")):
        field.fill(typed)
        field.press("Enter")
        expect(said).to_contain_text(text)
    assert findings(page, "dialog.said") == []
    page.get_by_label("Seed and copy").fill("spring/3")
    page.get_by_label("Seed and copy").press("Enter")
    expect(page.get_by_label("Seed and copy")).to_have_value("spring/3")
    expect(said).to_be_empty()
    text = page.locator("li[data-kind=best-pair] p").first.inner_text()
    page.get_by_role("button", name="On the bench: The best pair").click()
    for k, start in enumerate(re.findall(r"logits (\d), (\d), (\d)", text)[0], 1):
        expect(page.locator(f"[data-box='start 0 {k}']")).to_have_value(start)


def best_of(seed: str) -> str:
    """The score of the best pair of a homework."""
    return next(e.shown for e in homework(kinds(), seed) if e.name == "best-pair")
