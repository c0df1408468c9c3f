"""Does a lesson hold? Every step's check is run on the step's text, and what it says is right must
be there to be chosen.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from qa_demo.core.course.lessons import FACT, Lesson, Step
from qa_demo.core.learning.golds import Answer
from qa_demo.core.measuring.measured import Measured
from qa_demo.core.options import DecodeOptions
from qa_demo.core.reader import Reader
from qa_demo.core.types import Reading
from qa_demo.figures.labels import make_labels
from qa_demo.figures.lessons.checks import CHECKS
from qa_demo.figures.lessons.finding import Case, Finding


@dataclass(frozen=True)
class Proved:
    """One step: `fault` is None where it holds, `unknown` where it needs a reader and none was
    given.
    """

    lesson: Lesson
    step: Step
    fault: str | None
    decides: str = ""
    unknown: bool = False


Read = Callable[[str], tuple[Reading, tuple[Answer, ...]]]
"""From the id of an example to its reading and its right answers."""


def case_of(
    step: Step,
    reading: Reading,
    gold: tuple[Answer, ...],
    reader: Reader | None,
    measured: Measured | None,
) -> Case:
    """What the check of a step may look at, on the page that the step sets up."""
    return Case(
        reading,
        DecodeOptions(null_score_diff_threshold=reading.threshold or 0.0),
        gold=gold,
        labels=make_labels(reading, gold, 0, gold, None).golds,
        temperature=step.temperature or 1.0,
        question=step.question,
        reader=reader,
        measured=measured,
    )


def prove(
    lesson: Lesson, read: Read, reader: Reader | None = None, measured: Measured | None = None
) -> Iterator[Proved]:
    """Each step of a lesson in order, with the figures stored beside the reader. Without a reader,
    steps whose check asks one stay unknown.
    """
    for step in lesson.steps:
        if not step.check:
            yield Proved(lesson, step, None)
        elif CHECKS[step.check].needs_reader and reader is None:
            yield Proved(lesson, step, None, unknown=True)
        else:
            reading, gold = read(step.example or lesson.example)
            finding = CHECKS[step.check].find(case_of(step, reading, gold, reader, measured))
            yield Proved(lesson, step, fault_of(step, finding), finding.decides)


def fault_of(step: Step, finding: Finding) -> str | None:
    """Why a step cannot be played on this finding, or None."""
    if not finding.holds:
        return f"the reading does not show the point: {finding.missing}"
    options = step.options if step.predict == "choice" else finding.options
    if step.predict in ("choice", "pick") and finding.right not in {o.key for o in options}:
        keys = ", ".join(o.key for o in options) or "none"
        return f"the right option '{finding.right}' is not among the options: {keys}"
    if step.predict == "number" and finding.value is None:
        return f"the check {step.check} has no number to guess"
    if step.predict == "mark" and finding.span is None:
        return f"the check {step.check} has no words to mark"
    named = set(FACT.findall(step.text + step.reveal))
    if missing := sorted(named - set(finding.facts)):
        has = ", ".join(sorted(finding.facts)) or "none"
        return f"the check {step.check} has no fact '{missing[0]}'; it has {has}"
    return None
