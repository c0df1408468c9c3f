"""What a class guessed and learned, as rows and sentences: for screen, CSV and paper."""

from collections.abc import Callable, Sequence
from typing import Any

from qa_demo.core.course.room_quiz import Outcome
from qa_demo.core.course.room_state import Place, Results
from qa_demo.figures.course.exercises import Exercise
from qa_demo.figures.numbers import number, signed, units

QUIZ = ("question", "tests", "right before", "of", "right after", "of")
STEPS = ("lesson", "step", "minute", "guess", "pages")


def outcome_data(
    found: Results, items: Sequence[Exercise], named: Callable[[Place], tuple[str, str]]
) -> dict[str, Any]:
    """The tables of a room; `named` gives a step its lesson's title and its own."""
    rows = [
        [*named(step.place), number(step.opened / 60, 0), label, str(count)]
        for step in found.steps
        for label, count in step.bars
    ]
    quiz = found.quiz
    return {
        "code": found.code,
        "pages": found.pages,
        "steps": {"head": list(STEPS), "rows": rows},
        "asked": found.asked,
        "quiz": None if quiz is None else {"head": list(QUIZ), "rows": quiz_rows(quiz, items)},
        "gain": "" if quiz is None else gain(quiz, len(items)),
    }


def quiz_rows(found: Outcome, items: Sequence[Exercise]) -> list[list[str]]:
    """A row for each item: right answers and sheets, before and after."""
    none = (0,) * len(items)
    before, after = found.before or none, found.after or none
    return [
        [item.title, item.said, str(b), str(found.sheets[0]), str(a), str(found.sheets[1])]
        for item, b, a in zip(items, before, after, strict=True)
    ]


def gain(found: Outcome, items: int) -> str:
    """What the class gained, in a sentence."""
    if found.gain is None:
        return "Nobody has handed in both quizzes yet, so there is no gain to compute."
    people = "student was" if found.pairs == 1 else "students were"
    said = (
        f"{found.pairs} {people} asked before and after: on average {signed(found.gain.value)} of "
        f"{items} items right"
    )
    if found.gain.low is None or found.gain.high is None:
        return f"{said}. One student gives no interval."
    between = " to ".join(
        signed(x) if units(x, 2) else number(x) for x in (found.gain.low, found.gain.high)
    )
    return f"{said} (95 % interval {between}, from drawing students again)."
