"""The worksheet of a lesson: its texts, its questions, and a solution found in the readings."""

from collections.abc import Callable
from typing import Any

from qa_demo.core.course.lessons import Lesson, Step
from qa_demo.core.measuring.measured import Measured
from qa_demo.core.reader import Reader
from qa_demo.core.types import Reading
from qa_demo.figures.lessons.finding import Case, Finding
from qa_demo.figures.lessons.proof import Read, case_of, fault_of
from qa_demo.figures.numbers import grouped
from qa_demo.figures.pack import printable
from qa_demo.views.lessons.find import asks, filled, find


def worksheet(
    lesson: Lesson,
    read: Read,
    reader: Callable[[], Reader],
    measured: Measured | None,
    own: Reading | None = None,
) -> dict[str, Any]:
    """Title, texts and steps with their solutions; `reader()` is asked where a check needs it. A
    step is set on a teacher's `own` text where it holds there, else on the lesson's.
    """
    found = [_found(lesson, step, read, reader, measured, own) for step in lesson.steps]
    asked = [(c.reading.encoding.question, c.reading.encoding.context) for c, _ in found]
    texts = dict.fromkeys(asked)
    steps = [
        _row(step, case, finding, "" if step.byhand or len(texts) == 1 else question)
        for step, (case, finding), (question, _) in zip(lesson.steps, found, asked, strict=True)
    ]
    return {
        "title": lesson.title,
        "wrong": lesson.wrong,
        "texts": [[printable(part) for part in text] for text in texts],
        "steps": steps,
    }


def _found(
    lesson: Lesson,
    step: Step,
    read: Read,
    reader: Callable[[], Reader],
    measured: Measured | None,
    own: Reading | None,
) -> tuple[Case, Finding]:
    by = reader() if asks(step) else None
    if own is not None and step.own:
        case = case_of(step, own, (), by, measured, own=True)
        finding = find(case, step)
        if not step.check or fault_of(step, finding) is None:
            return case, finding
    case = case_of(step, *read(step.example or lesson.example), by, measured)
    return case, find(case, step)


def _row(step: Step, case: Case, found: Finding, about: str) -> dict[str, Any]:
    options = [*step.options, *found.options]
    return {
        "title": printable(step.title),
        "about": printable(about),
        "text": printable(" ".join(filter(None, _asked(step, found)))),
        "asks": step.predict,
        "options": [printable(option.text) for option in options],
        "answer": printable(_answer(step, case, found)),
        "decides": printable(found.decides if found.holds else found.missing),
        "reveal": printable(filled(step.reveal, found.facts)),
    }


MEASURED = (
    "threshold_cost",
    "lower_threshold",
    "best_choice",
    "claimed_and_true",
    "rule_disagrees",
)
"""Checks whose numbers are too many for paper."""
AT_THE_PAGE = "(Guess; the page shows it.)"


def _asked(step: Step, found: Finding) -> tuple[str, str]:
    """The step's own text, and what paper needs besides."""
    text = filled(step.text, found.facts)
    if not step.check or not step.predict:
        return text, ""
    page = step.check in MEASURED or asks(step)
    return text, AT_THE_PAGE if page else found.given if found.holds else ""


def _answer(step: Step, case: Case, found: Finding) -> str:
    """What is right, in words; "" where nothing is asked or the reading does not show it."""
    if not found.holds or not step.predict:
        return ""
    if step.predict in ("choice", "pick"):
        options = [*step.options, *found.options]
        return next((o.text for o in options if o.key == found.right), "")
    if step.predict == "mark" and found.span is not None:
        return case.text(found.span)
    if step.predict == "number" and found.value is not None:
        return grouped(found.value, found.decimals)
    return ""
