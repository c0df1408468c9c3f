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
from qa_demo.core.reading.predict import predict
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
    own: bool = False,
) -> Case:
    """What the check of a step may look at, on the page that the step sets up; for an `own` text
    the reader's own answer stands in for the right one, as on the page.
    """
    decode = DecodeOptions(null_score_diff_threshold=reading.threshold or 0.0)
    answer = predict(reading, decode).answered
    stand_in = None if answer is None else answer.span
    return Case(
        reading,
        decode,
        gold=gold,
        labels=make_labels(reading, gold, 0, None if own else gold, stand_in).golds,
        temperature=step.temperature or 1.0,
        question=step.question,
        reader=reader,
        measured=measured,
    )


def prove(
    lesson: Lesson,
    read: Read,
    reader: Reader | None = None,
    measured: Measured | None = None,
    own: bool = False,
) -> Iterator[Proved]:
    """Each step of a lesson in order, with the figures stored beside the reader. Without a reader,
    steps whose check asks one stay unknown; `own`: what is read is a teacher's own text.
    """
    for step in lesson.steps:
        if own and not step.own:
            yield Proved(lesson, step, "the step speaks of its own text")
        elif not step.check:
            yield Proved(lesson, step, None)
        elif CHECKS[step.check].needs_reader and reader is None:
            yield Proved(lesson, step, None, unknown=True)
        else:
            reading, gold = read(step.example or lesson.example)
            finding = CHECKS[step.check].find(case_of(step, reading, gold, reader, measured, own))
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
