"""What is said of a lesson's step and of each guess, found beforehand for pages without Python."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from qa_demo.core.course.lessons import Lesson, Step
from qa_demo.core.reader import Reader
from qa_demo.core.types import Reading, Span
from qa_demo.figures.lessons.finding import Finding, wrote
from qa_demo.figures.numbers import grouped
from qa_demo.figures.payload import plain
from qa_demo.views.lessons import find
from qa_demo.views.saved.listed import NONE, place_of, words
from qa_demo.views.saved.tape import canonical
from qa_demo.views.state import Screen

MOST_MARKS = 6000
"""Marks of words that are judged beforehand, short ones first: all of a text of 100 words."""
GUESS = "{guess}"
"""Where the browser writes the number that was guessed."""
NOT_COMPARED = "Your guess is not compared in this edition; here is what is right."


def found(screen: Screen, step: Step, reader: Reader) -> Finding:
    """What the step's check finds; it may ask the reader. Errors: BadInput for other weights."""
    case = find.case_of(screen, step)
    return find.asked(case, step, reader) if find.asks(step) else find.find(case, step)


def step_data(
    lesson: Lesson, at: int, screen: Screen, finding: Finding, places: Iterable[str]
) -> dict[str, Any]:
    """What the strip is sent for a step: `reply` when it opens; for a guess `base` with what `told`
    holds under it, else with the first of `numbers` [value, within, ...] that it is near, else with
    `otherwise`. `places` are the selections of the step's tape.
    """
    step = lesson.steps[at]

    def said(guess: Any) -> dict[str, Any]:
        answer = find.told(lesson, at, finding, find.feedback(screen, step, finding, guess))
        return {"right": answer["right"], "yours": answer["yours"]}

    sent: dict[str, Any] = {
        "chapter": screen.chapter,
        "place": place_of(screen.selection),
        "reply": find.reply(lesson, at, screen, finding, False),
    }
    if step.predict:
        known = {canonical(guess): said(guess) for guess in guesses(screen, step, finding, places)}
        sent |= {
            "base": find.told(lesson, at, finding, find.feedback(screen, step, finding, None)),
            "told": {"null": said(None), **known},
            "numbers": list(_numbers(step, finding, said)),
            "otherwise": {"right": False, "yours": _otherwise(step, finding)},
        }
    return plain(sent)


def guesses(screen: Screen, step: Step, finding: Finding, places: Iterable[str]) -> list[Any]:
    """The guesses that can be listed: every option, or all marks of whole words and selections."""
    if step.predict in ("choice", "pick"):
        return [option.key for option in (*step.options, *finding.options)]
    if step.predict != "mark":
        return []
    selected = {tuple(int(n) for n in place.split()[1:]) for place in places if place != NONE}
    marked = [(span.start, span.end) for span in islice(marks(screen.reading), MOST_MARKS)]
    return [list(span) for span in dict.fromkeys((*sorted(selected), *marked))]


def marks(reading: Reading) -> Iterator[Span]:
    """Every run of whole words, by the number of its words."""
    single = list(words(reading))
    for count in range(len(single)):
        for k in range(len(single) - count):
            yield Span(single[k].start, single[k + count].end)


def _numbers(step: Step, finding: Finding, said: Any) -> Iterator[list[Any]]:
    """The right number and those that are wrong for a known reason, in the order of judging."""
    if step.predict == "number" and finding.value is not None:
        for value in (finding.value, *(value for value, _ in finding.traps)):
            yield [value, finding.within, said(value)]


def _otherwise(step: Step, finding: Finding) -> str:
    if step.predict == "number" and finding.value is not None:
        return wrote(GUESS, grouped(finding.value, finding.decimals))
    return "" if step.predict in ("number", "chips") else NOT_COMPARED
