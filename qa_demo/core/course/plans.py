"""What a teacher needs around the lessons: plans of hours, minute by minute, and the aim of each
lesson. The texts and screens of a row are those of its steps, so no plan can name an old one.

The files that they are read from: `core.course.plan_file`.
"""

from dataclasses import dataclass

SCREENS = ("board", "paper", "bench", "room", "Said, and so")
"""What stands before the class in a row without a lesson."""


@dataclass(frozen=True)
class Row:
    """Some minutes of an hour, `start` to `stop`: steps of a lesson, or one of `SCREENS`; what
    to ask aloud, what students usually answer, and what to say then.
    """

    start: int
    stop: int
    title: str
    steps: tuple[str, ...]
    screens: tuple[str, ...]
    texts: tuple[str, ...]
    bring: str
    ask: str
    usual: str
    say: str


@dataclass(frozen=True)
class Plan:
    """One plan; each of `hours` is a meeting with its rows from minute 0 on, without a gap."""

    id: str
    title: str
    needs: str
    board: tuple[str, ...]
    hours: tuple[tuple[Row, ...], ...]


@dataclass(frozen=True)
class Aim:
    """What a lesson is for; `wrong` is the statement that its file corrects, `check` the title of
    the step that shows whether the aim was reached.
    """

    title: str
    aim: str
    wrong: str
    check: str


@dataclass(frozen=True)
class Teaching:
    """All plans and aims of a folder; `faults` says which files could not be used, and why."""

    plans: tuple[Plan, ...]
    aims: tuple[Aim, ...]
    faults: tuple[str, ...]
