"""The records of a lesson: its steps, how each sets the page up, what it says and asks.

The files that they are read from: `core.course.lesson_file`, `core.course.lesson_folder`.
"""

import re
from dataclasses import dataclass

MOST_WORDS = 60
"""Words of one step's text, and of one reveal."""
MOST_STEPS = 40
PREDICTS = ("choice", "pick", "mark", "number", "chips")
"""choice: one of the options; pick: one of those that the check finds in the reading; mark: words
of the paragraph; number: a number; chips: ten for the start and ten for the end.
"""
SELECTIONS = ("none", "answer", "gold", "keep")
FACT = re.compile(r"\{([a-z_]+)\}")
"""A place in a text that the check fills with a number or word of the reading."""


@dataclass(frozen=True)
class Option:
    """One text to choose; the check names the right one by its key."""

    key: str
    text: str


@dataclass(frozen=True)
class Step:
    """One screen of a lesson: how the page is set up, what is said, what is asked.

    `act` is pressed after the guess, `byhand` needs no picture, `source` is where one reads what
    holds, `line` is where the step stands in the file; `own`: its words fit any text.
    """

    title: str
    text: str
    view: str
    line: int
    step: str = ""
    open: str = ""
    act: str = ""
    byhand: bool = False
    source: str = ""
    example: str = ""
    question: str = ""
    selection: str = "keep"
    temperature: float | None = None
    highlight: tuple[str, ...] = ()
    predict: str = ""
    check: str = ""
    veil: bool = True
    options: tuple[Option, ...] = ()
    reveal: str = ""
    own: bool = True


@dataclass(frozen=True)
class Lesson:
    """One lesson; `example` is the text it is read on, `wrong` the statement that it corrects,
    `track` the heading under which it is listed.
    """

    id: str
    title: str
    minutes: int
    example: str
    wrong: str
    steps: tuple[Step, ...]
    file: str
    track: str = ""
