"""One step of a lesson on one screen: how the page is set up, and what its check finds there."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from qa_demo.core.course.lessons import FACT, Lesson, Step
from qa_demo.core.course.room_state import Vote
from qa_demo.core.errors import BadInput
from qa_demo.core.files.examples import PoolExample
from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.reader import Reader, check_made_by
from qa_demo.core.reading.words import span_at
from qa_demo.core.types import Span
from qa_demo.figures.lessons.checks import CHECKS
from qa_demo.figures.lessons.finding import Case, Feedback, Finding, judge, lacking
from qa_demo.figures.numbers import grouped
from qa_demo.figures.pack import printable
from qa_demo.views import parse, selection
from qa_demo.views.labels import labels_of
from qa_demo.views.measured import measured
from qa_demo.views.state import Screen, Selection, WhatIf

NOTHING = Finding("")
MOST_KEY = 60
NO_GUESS = "I don’t know"
CHIPS = "placed the chips"
TRIED = "windows"
"""The chapter whose own record are windows that were tried: a step begins with the text's own."""


def example_of(lesson: Lesson, step: Step) -> str:
    """The id of the text that a step is read on."""
    return step.example or lesson.example


def shows(screen: Screen | None, example: PoolExample, source: str | None = None) -> bool:
    """Whether the example stands on the screen in its own windows, read by `source` (by default any
    reader).
    """
    return (
        screen is not None
        and screen.example == example.id
        and screen.reading.options == example.options
        and source in (None, screen.source)
    )


def reads(screen: Screen | None, text: tuple[str, str]) -> bool:
    """Whether this question and this paragraph stand on the screen, not made by the bench."""
    if screen is None or screen.reading.typed:
        return False
    return (screen.reading.encoding.question, screen.reading.encoding.context) == text


def set_up(screen: Screen, step: Step) -> Screen:
    """The page as the step wants it: the reader's own numbers and limits, its chapter, its
    selection.
    """
    wanted = {
        "what_if": WhatIf(temperature=step.temperature or 1.0),
        "decode": DecodeOptions(null_score_diff_threshold=screen.reading.threshold or 0.0),
        "merge": MergeOptions(),
    }
    other = {name: value for name, value in wanted.items() if getattr(screen, name) != value}
    new = screen.change(**other) if other else screen
    if new.own.get(TRIED) is not None:
        new = new.keep(TRIED, None)
    return _selected(new, step).open(step.view)


def _selected(screen: Screen, step: Step) -> Screen:
    if step.selection == "none":
        return screen.select(None)
    chosen = screen.selection
    if step.selection == "answer" or chosen is None:
        chosen = selection.winner(screen)
    if step.selection == "gold" and screen.gold:
        first = screen.gold[0]
        span = span_at(screen.reading.encoding, first.char_start, first.char_end)
        home = screen.reading.home(span)
        chosen = None if home is None else Selection(home.index, span)
    return screen if chosen is None else screen.select(chosen)


def case_of(screen: Screen, step: Step) -> Case:
    """What a check may look at on this screen; readers are asked elsewhere."""
    return Case(
        screen.reading,
        screen.decode,
        screen.merge,
        screen.gold,
        labels_of(screen).golds,
        screen.what_if.temperature,
        step.question,
        measured=measured(screen.source),
    )


def asks(step: Step) -> bool:
    """Whether the step's check asks the model, which takes its time."""
    return bool(step.check) and CHECKS[step.check].needs_reader


def find(case: Case, step: Step, own: bool = False) -> Finding:
    """What the step's check finds; a step without one asserts nothing, and one whose words fit its
    text alone does not hold on a teacher's `own`.
    """
    if own and not step.own:
        return lacking("This step speaks of its own text.")
    return CHECKS[step.check].find(case) if step.check else NOTHING


def asked(case: Case, step: Step, reader: Reader) -> Finding:
    """The same for a check that asks the reader. Errors: BadInput when other weights made the
    reading.
    """
    check_made_by(case.reading, reader)
    return find(replace(case, reader=reader), step)


def filled(text: str, facts: Mapping[str, str]) -> str:
    """The author's text with the check's facts in their places, "…" in that of an unknown one."""
    return FACT.sub(lambda match: facts.get(match[1], "…"), text)


def reply(
    lesson: Lesson, number: int, screen: Screen, finding: Finding | None, foreign: bool
) -> dict[str, Any]:
    """What the strip learns of a step; without a finding it is still being looked for. `foreign`:
    the text on screen is not the lesson's.
    """
    step = lesson.steps[number]
    known = finding or NOTHING
    return {
        "lesson": lesson.id,
        "step": number,
        "reader": printable(screen.reading.model_name),
        "pending": finding is None,
        "foreign": foreign,
        "holds": known.holds,
        "missing": printable(known.missing),
        "text": printable(filled(step.text, known.facts)),
        "options": [[o.key, printable(o.text)] for o in known.options],
        # a step that asks nothing says at once what its check found
        "decides": "" if step.predict else printable(known.decides),
        "reveal": "" if step.predict else printable(filled(step.reveal, known.facts)),
    }


def told(lesson: Lesson, number: int, finding: Finding, said: Feedback) -> dict[str, Any]:
    """The answer to a guess."""
    step = lesson.steps[number]
    return {
        "lesson": lesson.id,
        "step": number,
        "right": said.right,
        "answer": finding.right,
        "yours": printable(said.yours),
        "decides": printable(said.decides),
        "reveal": printable(filled(step.reveal, finding.facts)),
        "facts": {name: printable(fact) for name, fact in finding.facts.items()},
    }


def guessed(screen: Screen, step: Step, value: Any) -> str | float | Span | None:
    """A guess as it comes from the browser; None is "show me". Errors: BadInput."""
    if value is None:
        return None
    if step.predict == "number":
        return parse.number(value, "the number", -1e9, 1e9)
    if step.predict == "mark":
        return parse.pieces(screen.reading, value, "what you marked")
    if step.predict in ("choice", "pick"):
        return parse.text(value, "the choice", MOST_KEY)
    raise BadInput("this step asks for no guess")


def feedback(screen: Screen, step: Step, finding: Finding, value: Any) -> Feedback:
    """What is said of a guess. Errors: BadInput for a guess of another kind, or an unknown
    option.
    """
    guess = guessed(screen, step, value)
    keys = [o.key for o in (*step.options, *finding.options)]
    if isinstance(guess, str) and guess not in keys:
        raise BadInput(f"there is no option '{guess[:20]}' in this step")
    return judge(case_of(screen, step), finding, guess, step.options)


def vote_of(screen: Screen, step: Step, finding: Finding, value: Any) -> Vote:
    """A guess as a class counts it: equal ones have equal keys. What was found in a text counts by
    its words. Errors: BadInput.
    """
    guess = guessed(screen, step, value)
    if guess is None:
        return Vote("", CHIPS if step.predict == "chips" else NO_GUESS)
    if isinstance(guess, Span):
        return _worded(case_of(screen, step).text(guess))
    if isinstance(guess, float):
        return _worded(grouped(guess, finding.decimals))
    own = {o.key: o.text for o in step.options}
    if guess in own:
        return Vote(guess, printable(own[guess]))
    found = {o.key: o.text for o in finding.options}
    return _worded(found[guess])


def _worded(text: str) -> Vote:
    label = printable(text)
    return Vote(label, label)
