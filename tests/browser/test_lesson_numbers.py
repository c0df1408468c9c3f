"""Every number of every step stands in the picture beside it: all lessons and all of "Said, and so",
with the bundled reader, before the guess and after a right and a wrong one.

A number counts as shown where the page prints it, a mark says it at the pointer, or a sum that the
sentence states gives it: 13 · 14 / 2 = 91. Words in quotation marks are the paragraph's. In a step by
hand nothing is beside the strip; there every result has to come out of what the step gives.

The suite plays the lessons whose words once contradicted their pictures; LESSONS=all plays all, in
minutes, LESSONS="why said" some.
"""

import math
import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from playwright.sync_api import TimeoutError as Late

from qa_demo.app import begin_loading, services
from qa_demo.core.course.lessons import Lesson, Step
from qa_demo.figures.lessons.finding import Finding
from qa_demo.figures.numbers import number
from qa_demo.views.lessons import find
from qa_demo.views.lessons.course import load
from qa_demo.views.page import build
from tests.browser.listen import listen
from tests.browser.serve import running

pytestmark = [pytest.mark.browser, pytest.mark.model]

NUMBER = re.compile(r"(?<![\w.,\u00b7])[\u2212-]?\d[\d,]*(?:\.\d+)?(?![\w]|\.\d)")
QUOTED = re.compile(r"\u201c[^\u201d]*\u201d|`[^`]*`|\u2068[^\u2069]*\u2069")
RESULT = re.compile(r"\s[=\u2248]\s([\u2212-]?\d[\d,]*(?:\.\d+)?)")
LEFT = re.compile(r"(?:log|[-\d.,()+\u2212\u00b7/\u2308\u2309\u2153\u2154\u00bd\s])+$")
MEAN_OF_TWO = re.compile(r"\) / 2(?!\.?\d)")
"""The 2 of a mean counts its two addends, which stand before it."""
WANTED = os.environ.get(
    "LESSONS", "best-pair no-answer one-vector training spanbert threshold"
).split()
PLAYED = [lesson for lesson in load() if WANTED == ["all"] or lesson.id in WANTED]
WAIT = 60_000
"""Milliseconds that an explanation, a measurement or a picture may take on a busy machine."""

SAYS = """() => {
  const words = [];
  const shown = (node) => node.checkVisibility({ visibilityProperty: true });
  const elsewhere = ".lesson-strip, script, style, #header, [role=tablist], .foot, .tip";
  for (const node of document.querySelectorAll("main *, body > dialog *")) {
    if (node.closest(elsewhere) || !shown(node)) continue;
    for (const child of node.childNodes) {
      if (child.nodeType === Node.TEXT_NODE && child.data.trim()) words.push(child.data.trim());
      if (child.nodeName === "title") words.push(child.textContent);
    }
    for (const name of ["aria-label", "data-tip"]) {
      if (node.hasAttribute(name)) words.push(node.getAttribute(name));
    }
    if (node.matches("input, output, select")) words.push(String(node.value));
  }
  return words.join(" \\n ");
}"""
LEFT_OPEN = """(view) => {
  const told = [];
  const texts = ".reading-text, .veil-text, .mask-columns, button, label, [data-testid*=status]";
  const shown = (node) => node.checkVisibility({ visibilityProperty: true });
  for (const node of document.querySelectorAll(`#picture-${view} *, .verdict *`)) {
    if (node.closest(texts) || !shown(node)) continue;
    for (const child of node.childNodes) {
      if (child.nodeType === Node.TEXT_NODE && child.data.trim()) told.push(child.data);
    }
  }
  return told;
}"""
"""What a chapter says under the veil besides its text and the names of its controls."""
TELLS = re.compile(r"\d\.\d(?!s)|\d\s?%|[\u201c\u201d]|\w\s=")
"""A measured number, quoted words, a formula."""

MISSING = f"""(needs) => {{
  const said = ({SAYS})();
  const seen = [...said.matchAll(/\\d[\\d,]*(?:\\.\\d+)?/g)].map(([n]) => Number(n.replaceAll(",", "")));
  const at = (x, d) => Math.round(x * 10 ** d * (1 + 1e-12));
  return needs.filter(([n, d, percent]) => !seen.some((x) => at(x, d) === at(n, d) ||
    (percent && at(x, d + 2) === at(n / 100, d + 2)) || (percent && at(100 * x, d) === at(n, d))));
}}"""
"""Of the numbers needed, [size, decimals, whether it is a percentage], those that nothing shows."""

IN_SIGHT = """() => [...document.querySelectorAll(".lit")].some((node) => {
  const { top, bottom } = node.getBoundingClientRect();
  return bottom > 40 && top < innerHeight - 40;
})"""


def value(text: str) -> float:
    return float(text.replace(",", "").replace("\u2212", "-"))


def places(text: str) -> int:
    return len(text.partition(".")[2])


def worked(text: str) -> float | None:
    """What a printed sum gives, None for words that are no sum."""
    given = text.strip().replace(",", "").replace("\u2212", "-").replace("\u00b7", "*")
    for sign, python in (
        ("\u2308", " ceil("),
        ("\u2309", ")"),
        ("\u2154", "(2/3)"),
        ("\u2153", "(1/3)"),
    ):
        given = given.replace(sign, python)
    given = re.sub(r"log\s*(\([^()]*\)|[\d.]+)", r"*ln(\1)", given).replace("\u00bd", "0.5")
    given = re.sub(r"(^|[-+(])\s*\*", r"\1", given)
    try:
        return float(eval(given, {"__builtins__": {}}, {"ln": math.log, "ceil": math.ceil}))
    except (SyntaxError, TypeError, NameError, ZeroDivisionError):
        return None


def claims(text: str) -> tuple[list[str], list[str]]:
    """The numbers of a text that have to be shown, and the sums in it that do not come out."""
    bare = QUOTED.sub("", text)
    results, faults = [], []
    for match in RESULT.finditer(bare):
        found = LEFT.search(bare[: match.start()])
        left = found[0].splitlines()[-1].strip().lstrip(".,) ") if found else ""
        got = worked(left)
        if got is None or not re.search(r"[+\u00b7/\u2308l]|.\u2212", left):
            continue
        right, terms = match[1], NUMBER.findall(left)
        # the addends are printed rounded, each by up to half of its last place
        loose = 0.5 * 10.0 ** -places(right) + 1e-9
        if "\u2248" in match[0]:
            loose += 10.0 ** -places(right)
        if re.search(r"log|/|\u00b7", left):
            loose += sum(0.5 * 10.0 ** -places(t) for t in terms if "." in t) / 2
        if abs(got - value(right)) > loose:
            faults.append(f"{left} = {right}, but it is {got:.4f}")
        results.append(value(right))
    percents = {m[1] for m in re.finditer(r"(\d[\d,.]*)\s%", bare)}
    plain = MEAN_OF_TWO.sub(")", bare)
    needed = [m[0] for m in NUMBER.finditer(plain) if value(m[0]) not in results]
    return [f"{n} %" if n in percents else n for n in needed], faults


def as_need(text: str) -> list[Any]:
    bare = text.removesuffix(" %")
    return [abs(value(bare)), places(bare), text.endswith("%")]


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The page as the command opens it."""
    with running(build(services("bundled", "127.0.0.1", begin_loading("bundled")))) as address:
        yield address


class Played:
    """A page with a lesson on it; `found` holds the finding of the last answer that it was given."""

    def __init__(self, page: Page, found: dict[str, Finding]) -> None:
        self.page, self.found = page, found

    def open(self, lesson: Lesson, k: int) -> None:
        self.page.evaluate(
            """async ([lesson, step]) => {
              const { say } = await module("shared/store.js");
              say("lesson", { lesson, step });
            }""",
            [lesson.id, k],
        )
        strip = self.page.locator(".lesson-strip[data-ready=true]")
        expect(strip.locator(".strip-title")).to_have_text(lesson.steps[k].title)
        expect(strip.get_by_text("A moment", exact=False)).to_have_count(0, timeout=WAIT)
        expect(
            self.page.locator(f"#tab-{lesson.steps[k].view}[aria-selected=true]")
        ).to_be_attached()
        assert not self.page.locator(".strip-note").count(), f"{lesson.id} {k + 1} does not hold"
        step = lesson.steps[k]
        if step.step:
            tab = self.page.locator(f"#{step.view}-step-{step.step}[aria-pressed=true]")
            expect(tab).to_be_attached()
        coming = self.page.get_by_text(re.compile("(reader|measured) is on its way")).filter(
            visible=True
        )
        expect(coming).to_have_count(0, timeout=WAIT)

    def guess(self, step: Step) -> None:
        """The first option, a wrong number, else "show me"."""
        strip = self.page.locator(".lesson-strip")
        if step.predict in ("choice", "pick"):
            strip.locator(".choice").first.click()
        elif step.predict == "number":
            strip.locator(".number-field").fill("2.5")
            strip.locator(".number-field").press("Enter")
        else:
            strip.locator(".show-me").click()
        expect(strip.locator(".strip-feedback")).to_be_visible(timeout=WAIT)

    def strip(self) -> str:
        parts = ".strip-text, .strip-decides, .strip-reveal, .choice"
        return " \n ".join(self.page.locator(".lesson-strip").locator(parts).all_inner_texts())

    def says(self) -> str:
        return str(self.page.evaluate(SAYS))

    def before_guess(self, view: str) -> tuple[list[str], str]:
        """What the veil leaves open, and all that the page says, on a desk and in present mode."""
        found, says = self.page.evaluate(LEFT_OPEN, view), self.says()
        self.page.evaluate("document.body.classList.add('present')")
        found += self.page.evaluate(LEFT_OPEN, view)
        says += self.says()
        self.page.evaluate("document.body.classList.remove('present')")
        return found, says

    def missing(self, needed: list[str]) -> list[str]:
        """Those of the numbers that do not come to stand on the page."""
        needs = [as_need(n) for n in needed]
        if self.comes(f"(needs) => ({MISSING})(needs).length === 0", needs):
            return []
        left = self.page.evaluate(MISSING, needs)
        return [n for n in needed if as_need(n) in left]

    def comes(self, script: str, arg: Any = None) -> bool:
        """Whether this holds of the page, now or soon."""
        try:
            self.page.wait_for_function(script, arg=arg, polling=200, timeout=WAIT)
        except Late:
            return False
        return True


@pytest.fixture(scope="module")
def played(chromium: Browser, site: str) -> Iterator[Played]:
    found: dict[str, Finding] = {}
    monkeypatch = pytest.MonkeyPatch()
    told = find.told

    def heard(lesson: Lesson, k: int, finding: Finding, said: Any) -> dict[str, Any]:
        found["last"] = finding
        return told(lesson, k, finding, said)

    monkeypatch.setattr(find, "told", heard)
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    page, faults = context.new_page(), []
    listen(page, faults)
    page.goto(site)
    expect(page.locator("#picture-answer .four dd").first).to_be_visible()
    yield Played(page, found)
    page.evaluate("null")
    context.close()
    monkeypatch.undo()
    assert faults == []


def sentences(step: Step, finding: Finding) -> list[str]:
    """What is said of every guess: of each option, of each number with a name for its mistake."""
    options = [*step.options, *finding.options]
    answers = [finding.said.get(o.key, "") for o in options]
    if finding.value is not None:
        answers += [sentence for _, sentence in finding.traps]
        answers.append(f"It is {number(finding.value, finding.decimals)}.")
    return [a for a in answers if a]


def faults_of(played: Played, lesson: Lesson, k: int) -> list[str]:
    """What a step says that its picture does not show."""
    step, faults = lesson.steps[k], []
    played.open(lesson, k)
    text, (bare, before) = played.strip(), played.before_guess(step.view)
    before_guess = text
    covered = bool(step.predict) and step.veil
    if covered:
        faults += [f"“{t}” is not covered" for t in bare if TELLS.search(t)]
    more: list[str] = []
    if step.predict:
        played.guess(step)
        if not step.byhand and not played.comes(IN_SIGHT):
            faults.append("what is pointed at is not in sight")
        text += " \n " + played.strip()
        if step.predict != "chips" and not step.byhand:
            faults += early(played.found["last"], claims(before_guess)[0], before)
            right = right_words(step, played.found["last"])
            shown = bare if covered else []
            faults += [f"“{t}” tells the right answer" for t in shown if right and right in t]
        if step.predict != "chips":
            more = sentences(step, played.found["last"])
    needed, wrong = claims("\n".join([text, *more]))
    if step.byhand:
        given = {value(n) for n in re.findall(r"\d[\d,]*(?:\.\d+)?", before_guess)} | {0, 1, 2, 3}
        given |= {x / 100 for x in given}
        free = () if not step.predict else needed
        left = [n for n in free if as_need(n)[0] not in given]
        if step.act and (result := played.found["last"].value) is not None:
            left += played.missing([number(result, played.found["last"].decimals)])
    else:
        left = played.missing(list(dict.fromkeys(needed)))
    where = f"{lesson.id} {k + 1}"
    return faults_at(where, faults + wrong + [f"{n} is not shown" for n in left])


def right_words(step: Step, finding: Finding) -> str:
    """The right option as it is listed, or the words to be marked; empty where none are."""
    if step.predict == "mark":
        return QUOTED.findall(finding.decides)[0].strip("“”\u2068\u2069")
    texts = {option.key: option.text for option in (*step.options, *finding.options)}
    return texts.get(finding.right, "").rstrip(".")


def faults_at(where: str, faults: list[str]) -> list[str]:
    return [f"{where}: {fault}" for fault in faults]


def early(finding: Finding, given: list[str], before: str) -> list[str]:
    """Deciding numbers that stand on the page before the guess; a count of 2 is no 2.00."""
    known = {as_need(n)[0] for n in given}
    shown = {n.lstrip("\u2212-") for n in NUMBER.findall(before)}
    tells = {n for n in NUMBER.findall(QUOTED.sub("", finding.decides)) if "." in n}
    if finding.value is not None:
        tells.add(number(finding.value, finding.decimals))
    told = {n.lstrip("\u2212-") for n in tells if as_need(n)[0] not in known}
    return [f"{n} is shown before the guess" for n in sorted(told & shown)]


@pytest.mark.parametrize("lesson", PLAYED, ids=lambda lesson: lesson.id)
def test_what_a_lesson_says_is_what_its_picture_shows(played: Played, lesson: Lesson) -> None:
    faults = [fault for k in range(len(lesson.steps)) for fault in faults_of(played, lesson, k)]
    assert not faults, "\n".join(faults)
