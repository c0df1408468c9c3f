"""A class of thirty real browser pages in a room: python -m tests.load.class_room [--pages 30].

The page is started on this machine, with the bundled reader; Chromium opens one page for a teacher
and one for each student, each with a storage of its own. They join by the code and are asked the
quiz, are led through the lessons with a guess at each step that asks for one, see the bars, and are
asked the quiz again. Printed are how many guesses and sheets were counted, what the polls of a
class that waits cost the server's processor, how long pages take to follow, to commit a guess and
to be told, and the memory; exit code 1 where anything was lost or counted wrong. Not part of the
suite; thirty pages need 4 GB of memory.
"""

import argparse
import os
import re
import sys
import time
from collections import Counter

import psutil
from playwright.sync_api import Browser, Page, expect, sync_playwright

from qa_demo.core.course.lessons import Lesson, Step
from qa_demo.core.course.room_quiz import MOMENTS, Moment, form
from qa_demo.figures.course.exercises import quiz
from qa_demo.views.lessons.course import load
from qa_demo.views.lessons.tasks import kinds
from tests.browser.conftest import ARGUMENTS, TIMEOUT, system_chromium
from tests.browser.listen import listen
from tests.load.__main__ import Served, told
from tests.load.__main__ import page as served_page
from tests.load.session import Record

LESSONS = ("span", "start-end", "best-pair")
PATIENCE = 4 * TIMEOUT
WATCH = """() => {
  window.walked = {};
  const heard = () => {
    const strip = document.querySelector(".lesson-strip");
    const title = strip?.querySelector(".strip-title")?.textContent;
    if (!title) return;
    const note = (stage) => { window.walked[`${title} ${stage}`] ??= Date.now(); };
    note("follow");
    if (strip.dataset.ready === "true") note("set up");
    if (strip.querySelector(".strip-feedback")) note("told");
  };
  new MutationObserver(heard).observe(document.body, { childList: true, subtree: true });
}"""
"""Notes when a step was named, when the page was set up for it, when it told what is right."""


class Class:
    """A teacher's page and those of the students; `record` holds what became of their acts."""

    def __init__(self, browser: Browser, served: Served) -> None:
        self.browser, self.served, self.record = browser, served, Record()
        self.faults: list[str] = []
        self.teacher = self.visit()
        self.teacher.get_by_role("button", name="Open a room for your class").click()
        self.code = self.teacher.locator(".room-code").inner_text()
        self.students: list[Page] = []

    def visit(self) -> Page:
        """A visitor with the list of lessons open."""
        page = self.browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
        page.set_default_timeout(PATIENCE)
        listen(page, self.faults)
        page.goto(self.served.address)
        page.wait_for_selector("body.ready")
        page.locator("#switch-lessons").click()
        expect(page.locator(".strip-title")).to_have_text("Lessons")
        page.evaluate(WATCH)
        return page

    def join(self) -> None:
        """One student more."""
        page = self.visit()
        page.get_by_label("Room code").fill(self.code)
        page.keyboard.press("Enter")
        expect(page.locator(".room-count")).to_contain_text("Your teacher has not opened a step")
        self.students.append(page)

    def stage(self, title: str, stage: str, began: float) -> None:
        """How long after `began` each page of a student came to a stage of a step."""
        for page in self.students:
            at = page.evaluate("(name) => window.walked[name]", f"{title} {stage}")
            self.record.seconds[stage].append(at / 1000 - began)

    # The quiz

    def ask(self, moment: Moment) -> None:
        """Everybody hands in a quiz; what the room counts is what was chosen."""
        items = quiz(kinds(), form(self.code, moment))
        right = [next(k for k, o in enumerate(i.options) if o.key == "right") for i in items]
        wanted = [0] * len(items)
        self.teacher.get_by_role("button", name=f"quiz {moment}").click()
        for number, page in enumerate(self.students):
            box = page.get_by_role("dialog")
            expect(box.get_by_role("heading", level=2)).to_have_text(f"Quiz {moment} the lessons")
            for k, (item, group) in enumerate(
                zip(items, box.get_by_role("radiogroup").all(), strict=True)
            ):
                chosen = (number + k) % len(item.options)
                wanted[k] += chosen == right[k]
                group.get_by_role("radio").nth(chosen).check()
            began = time.monotonic()
            box.get_by_role("button", name="Hand in").click()
            counted = "Thank you" if moment == "before" else re.compile("of 9 right")
            expect(box.get_by_role("heading", level=2)).to_have_text(counted)
            self.record.seconds["hand in a quiz"].append(time.monotonic() - began)
            box.get_by_role("button", name="Close", exact=True).click()
        self.teacher.get_by_role("button", name=f"end the quiz ({len(self.students)})").click()
        self.teacher.get_by_role("button", name="results").click()
        box = self.teacher.get_by_role("dialog")
        expect(box.get_by_role("heading", level=2)).to_have_text(f"Results of room {self.code}")
        shown = box.locator(f".quiz-bar.{moment} > span:first-child").all_inner_texts()
        told_so = [f"{moment} {n} of {len(self.students)}" for n in wanted]
        if shown != told_so:
            self.record.leaked.append(f"quiz {moment}: {shown}, but {told_so}")
        say(box.locator(".said-intro").inner_text())
        box.get_by_role("button", name="Close", exact=True).click()

    # The lessons

    def lead(self, lesson: Lesson) -> None:
        """A lesson from its first step to its last."""
        self.teacher.locator(f".lesson[data-lesson={lesson.id}]").click()
        for step in lesson.steps:
            self.follow(step)
            if step.predict:
                self.guess(lesson, step)
            self.teacher.locator(".strip-nav .next").click()
        self.teacher.get_by_role("button", name="All lessons").click()
        say(f"{lesson.title}: {memory(self.served.process.pid)}")

    def follow(self, step: Step) -> None:
        """The teacher has opened a step: every page comes to stand there."""
        for page in (self.teacher, *self.students):
            expect(page.locator(".strip-title")).to_have_text(step.title)
            expect(page.locator(".lesson-strip")).to_have_attribute("data-ready", "true")
        began = self.teacher.evaluate("(name) => window.walked[name]", f"{step.title} follow")
        for stage in ("follow", "set up"):
            self.stage(step.title, stage, began / 1000)

    def guess(self, lesson: Lesson, step: Step) -> None:
        """Everybody guesses, the teacher reveals, every page shows the same bars."""
        wanted: Counter[str] = Counter()
        for number, page in enumerate(self.students):
            began = time.monotonic()
            commit(page, step, number)
            said = page.locator(".strip-voted bdi")
            expect(said).to_have_count(1)
            self.record.seconds["commit a guess"].append(time.monotonic() - began)
            wanted[said.inner_text()] += 1
        count = len(self.students)
        expect(self.teacher.locator(".room-count")).to_contain_text(f"{count} guesses")
        began = time.time()
        self.teacher.get_by_role("button", name="Reveal", exact=True).click()
        for page in (self.teacher, *self.students):
            expect(page.locator(".strip-feedback, .tally-count").nth(1)).to_be_attached()
            expect(page.locator(".strip-feedback")).to_be_visible()
            found = bars(page)
            if found != wanted:
                self.record.leaked.append(f"{lesson.id}, {step.title}: {found}, but {wanted}")
        self.stage(step.title, "told", began)


def commit(page: Page, step: Step, number: int) -> None:
    """A guess, another one for every page."""
    strip = page.locator(".lesson-strip")
    if step.predict in ("choice", "pick"):
        options = strip.get_by_role("group", name="Your choice").get_by_role("button")
        expect(options.first).to_be_visible()
        options.nth(number % options.count()).click()
    elif step.predict == "number":
        strip.get_by_label("Your number").fill(str(100 + number % 5))
        strip.get_by_role("button", name="Commit").click()
    elif step.predict == "mark":
        words = page.locator("#picture-answer .word:visible")
        words.nth(number % 7).click()
        words.nth(number % 7 + 1).click(modifiers=["Shift"])
        strip.get_by_role("button", name="Commit").click()
    else:
        for side in (1, 2):  # the chips of the end come once those of the start are placed
            page.locator("#guess .place").nth(number % 7 + side).focus()
            page.keyboard.press("Shift+Enter")
        strip.get_by_role("button", name="Commit the chips").click()


def bars(page: Page) -> Counter[str]:
    """The bars that a page shows, without what stands in brackets beside them and empty ones."""
    names = page.locator(".tally-label bdi").all_inner_texts()
    counts = map(int, page.locator(".tally-count").all_inner_texts())
    return +Counter(dict(zip(names, counts, strict=True)))


def memory(server: int) -> str:
    """What the server and the browsers hold, shared pages counted once (Linux)."""
    started = psutil.Process().children(recursive=True)
    held = {one.pid: one.memory_full_info().pss // 2**20 for one in started}
    own = held.pop(server)
    return f"server {own:,} MiB, browsers {sum(held.values()):,} MiB in {len(held)} processes"


def say(text: str) -> None:
    """Print at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main(arguments: list[str]) -> int:
    """Lead the class; 1 when a guess or a sheet was lost or counted wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=30, help="how long the class only waits")
    parser.add_argument("--lessons", nargs="+", default=LESSONS)
    args = parser.parse_args(arguments)
    expect.set_options(timeout=PATIENCE)
    with served_page() as served, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=system_chromium(), args=ARGUMENTS)
        began = time.monotonic()
        group = Class(browser, served)
        for _ in range(args.pages):
            group.join()
        say(f"{args.pages} pages opened and joined in {time.monotonic() - began:.0f} s")
        used = psutil.Process(served.process.pid).cpu_percent(args.seconds)
        say(f"their polls take {used:.2f} % of one processor of the server")
        lessons = {lesson.id: lesson for lesson in load()}
        group.ask(MOMENTS[0])
        for name in args.lessons:
            group.lead(lessons[name])
        group.ask(MOMENTS[1])
        group.record.lost += group.faults
        say("\n".join(told(f"{args.pages} pages, load {os.getloadavg()[0]:.1f}", group.record)))
        say("\n".join(group.record.leaked))
        browser.close()
    return int(bool(group.record.lost or group.record.leaked))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
