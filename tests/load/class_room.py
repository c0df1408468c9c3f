"""A class of thirty real browser pages in a room: python -m tests.load.class_room [--pages 30].

The page is started on this machine, with the bundled reader; Chromium opens one page for a teacher
and one for each student, each with a storage of its own. They join by the code, follow, guess,
change their guess and see the bars. Printed are how many guesses were counted, what the polls of a
class that waits cost the server's processor, and how long a page takes to follow; exit code 1 where
a guess was lost. Not part of the suite; thirty pages need 4 GB of memory.
"""

import argparse
import sys
import time
from collections import Counter

from playwright.sync_api import Browser, Page, expect, sync_playwright

from qa_demo.core.course.lessons import Lesson
from qa_demo.views.lessons.course import load
from tests.browser.conftest import ARGUMENTS, TIMEOUT, system_chromium
from tests.load.__main__ import page as served_page
from tests.load.room import cpu_seconds

LESSON = "span"
CHOICE = 1
"""The step that offers something to choose from."""
WATCH = """() => {
  window.walked = {};
  const heard = () => {
    const strip = document.querySelector(".lesson-strip");
    const title = strip?.querySelector(".strip-title")?.textContent;
    const stage = strip?.dataset.ready === "true" ? "ready" : "named";
    if (title) window.walked[`${title} ${stage}`] ??= Date.now();
  };
  new MutationObserver(heard).observe(document.body, { childList: true, subtree: true });
}"""
"""Notes when a step was first named, and when the page was set up for it; one clock."""


def visit(browser: Browser, address: str) -> Page:
    """A visitor with the list of lessons open."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.set_default_timeout(4 * TIMEOUT)
    page.goto(address)
    page.wait_for_selector("body.ready")
    page.locator("#switch-lessons").click()
    expect(page.locator(".strip-title")).to_have_text("Lessons")
    page.evaluate(WATCH)
    return page


def move(teacher: Page, students: list[Page], lesson: Lesson, step: int) -> None:
    """The teacher opens the next step; how long the pages took to follow."""
    title = lesson.steps[step].title
    teacher.get_by_role("button", name="Next").click()
    for page in (teacher, *students):
        expect(page.locator(".strip-title")).to_have_text(title)
        expect(page.locator(".lesson-strip")).to_have_attribute("data-ready", "true")
    began = teacher.evaluate("window.walked")[f"{title} named"]
    for stage in ("named", "ready"):
        late = sorted(page.evaluate("window.walked")[f"{title} {stage}"] for page in students)
        median, last = ((at - began) / 1000 for at in (late[len(late) // 2], late[-1]))
        told(f"{title!r} {stage} after {median:.2f} s (median), {last:.2f} s at most")


def guess(students: list[Page], lesson: Lesson) -> Counter[str]:
    """Everybody guesses, and then guesses something else; what should have been counted."""
    options = lesson.steps[CHOICE].options
    wanted: Counter[str] = Counter()
    for number, page in enumerate(students):
        last = options[number % len(options)]
        for option in (options[(number + 1) % len(options)], last):
            page.locator(f".choice[data-key={option.key}]").click()
            expect(page.locator(".strip-voted")).to_contain_text(option.text)
        wanted[last.text] += 1
    return wanted


def bars(page: Page) -> Counter[str]:
    """The bars that a page shows, without what stands in brackets beside them."""
    rows = page.locator(".tally li")
    return Counter(
        {
            row.locator(".tally-label bdi").inner_text(): int(
                row.locator(".tally-count").inner_text()
            )
            for row in rows.all()
        }
    )


def waiting(pid: int, seconds: float) -> float:
    """Share of one processor that the server uses while everybody only polls."""
    before, began = cpu_seconds(pid), time.monotonic()
    time.sleep(seconds)
    return (cpu_seconds(pid) - before) / (time.monotonic() - began)


def told(text: str) -> None:
    """Print at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def lead(browser: Browser, address: str, pid: int, count: int, seconds: float) -> int:
    """The whole class; how many guesses were lost or counted wrong."""
    lesson = next(one for one in load() if one.id == LESSON)
    teacher = visit(browser, address)
    teacher.get_by_role("button", name="Open a room for your class").click()
    code = teacher.locator(".room-code").inner_text()
    teacher.locator(f".lesson[data-lesson={LESSON}]").click()
    expect(teacher.locator(".strip-title")).to_have_text(lesson.steps[0].title)
    began, students = time.monotonic(), []
    for _ in range(count):
        page = visit(browser, address)
        page.get_by_label("Room code").fill(code)
        page.keyboard.press("Enter")
        expect(page.locator(".strip-title")).to_have_text(lesson.steps[0].title)
        students.append(page)
    told(f"{count} pages opened and joined in {time.monotonic() - began:.0f} s")
    expect(teacher.locator(".room-count")).to_contain_text(f"{count} pages here")
    told(f"their polls take {100 * waiting(pid, seconds):.2f} % of one processor of the server")
    move(teacher, students, lesson, CHOICE)
    wanted = guess(students, lesson)
    expect(teacher.locator(".room-count")).to_contain_text(f"{count} guesses")
    teacher.get_by_role("button", name="Reveal", exact=True).click()
    wrong = 0
    for page in (teacher, *students):
        expect(page.locator(".tally-count")).to_have_count(len(lesson.steps[CHOICE].options))
        wrong += +bars(page) != wanted
    told(f"{sum(wanted.values())} guesses, each changed once; {wrong} pages show other bars")
    move(teacher, students, lesson, CHOICE + 1)
    return wrong


def main(arguments: list[str]) -> int:
    """Lead the class; 1 when a guess was lost."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=30, help="how long the class only waits")
    args = parser.parse_args(arguments)
    expect.set_options(timeout=4 * TIMEOUT)
    with served_page() as served, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=system_chromium(), args=ARGUMENTS)
        pid = served.process.pid
        wrong = lead(browser, served.address, pid, args.pages, args.seconds)
        browser.close()
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
