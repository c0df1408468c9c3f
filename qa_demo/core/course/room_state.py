"""What a room of a class holds: its pages, the guesses at each step, and the quiz."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from qa_demo.core.course.room_quiz import Outcome, Quiz, QuizLook

MOST_BARS = 8
MOST_LABEL = 80
OTHERS = "other guesses"


@dataclass(frozen=True)
class Place:
    """A step of a lesson, by the lesson's id and the step's number."""

    lesson: str
    step: int


@dataclass(frozen=True)
class Vote:
    """One guess: equal guesses have equal keys; `label` is what stands beside their bar."""

    key: str
    label: str


@dataclass(frozen=True)
class Seat:
    """What a page keeps to be known again; `key` is a secret between it and the server."""

    code: str
    key: str


@dataclass(frozen=True)
class Look:
    """What one page may know of its room. `here`, `committed` and `handed`, whether anything was
    handed in at any step or quiz, are the teacher's, else None;
    `bars` are (label, guesses), None while they are not to be seen; `mine` the label of one's own
    guess; `quiz` what is asked before or after the lessons; `text` names the teacher's own text
    that the step is read on, empty for the lesson's.
    """

    teacher: bool
    place: Place | None
    revealed: bool
    bars: tuple[tuple[str, int], ...] | None
    here: int | None
    committed: int | None
    handed: bool | None
    mine: str | None
    quiz: QuizLook
    text: str = ""


@dataclass
class Ballot:
    """The guesses at one step on one text, by its name: the newest of each page."""

    options: tuple[Vote, ...] = ()
    opened: float = 0.0
    votes: dict[str, Vote] = field(default_factory=dict)
    shown: bool = False
    revealed: bool = False
    text: str = ""


@dataclass
class Room:
    """`seen` holds when each page of a student last asked; `at` when the teacher's did; `pin` opens
    the teacher's part on another device, once; `text` is a question and a paragraph of the
    teacher's own that the step in hand is read on.
    """

    code: str
    key: str
    opened: float
    at: float
    place: Place | None = None
    seen: dict[str, float] = field(default_factory=dict)
    ballots: dict[Place, Ballot] = field(default_factory=dict)
    quiz: Quiz = field(default_factory=Quiz)
    pin: str = ""
    text: tuple[str, str] | None = None

    def ballot(self) -> Ballot | None:
        """The guesses at the step in hand."""
        return None if self.place is None else self.ballots[self.place]

    def handed(self) -> bool:
        """Whether there is a guess or a quiz that would go with the room."""
        return any(b.votes for b in self.ballots.values()) or any(self.quiz.sheets.values())


def text_name(text: tuple[str, str] | None) -> str:
    """A name for a text by which a page sees that it is another one; empty for none."""
    return "" if text is None else hashlib.sha256("\0".join(text).encode()).hexdigest()[:12]


def bars(votes: Sequence[Vote], options: Sequence[Vote] = ()) -> tuple[tuple[str, int], ...]:
    """(label, guesses): the options in their order, also those without a guess; then other guesses,
    most frequent first, at most `MOST_BARS` in all with the rest as one.
    """
    counts = Counter(vote.key for vote in votes)
    labels = {vote.key: vote.label for vote in [*reversed(votes), *options]}
    listed = [option.key for option in options]
    free = sorted((k for k in counts if k not in listed), key=lambda k: (-counts[k], labels[k], k))
    room = max(MOST_BARS - len(listed), 1)
    kept = len(free) if len(free) <= room else room - 1
    found = [(labels[key], counts[key]) for key in [*listed, *free[:kept]]]
    rest = sum(counts[key] for key in free[kept:])
    return (*found, *([(OTHERS, rest)] if rest else []))


@dataclass(frozen=True)
class StepGuesses:
    """The guesses at one step; `opened` in seconds since the room was."""

    place: Place
    opened: float
    bars: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Results:
    """What a class guessed, without a name; `pages` are those that have joined, `asked` whether
    the quiz is open now.
    """

    code: str
    pages: int
    steps: tuple[StepGuesses, ...]
    asked: bool
    quiz: Outcome | None
