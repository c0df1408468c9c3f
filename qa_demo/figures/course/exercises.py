"""Exercises as they are asked: the words of a kind with the numbers of a seed, for paper, for the
page and for the quiz.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from random import Random

from qa_demo.core.course.bench import Bench
from qa_demo.core.course.exercise_file import Kind, Kinds
from qa_demo.core.course.lessons import Option
from qa_demo.core.course.pencil import parse_number
from qa_demo.core.errors import BadInput
from qa_demo.figures.course.draws.kinds import DRAWS, drawn
from qa_demo.figures.numbers import number

LONGEST_SEED = 40
_PLACE = re.compile(r"\{([a-z]+)\}")


@dataclass(frozen=True)
class Exercise(Kind):
    """A kind with the numbers of a seed in its words, and its options in an order of their own."""

    answer: float
    decimals: int
    bench: Bench | None

    @property
    def shown(self) -> str:
        """The answer as printed."""
        return number(self.answer, self.decimals)

    def right(self, typed: str) -> bool:
        """Whether a typed number is the answer: whole numbers exactly, others within one unit of
        the last decimal that is asked for. Errors: BadInput for what is no number.
        """
        off = 1e-9 if self.decimals == 0 else 1.0001 * 10.0**-self.decimals
        return abs(parse_number(typed) - self.answer) <= off


def facts() -> dict[str, tuple[str, ...]]:
    """The places that each kind's numbers fill."""
    return {kind: tuple(drawn(kind, "").facts) for kind in DRAWS}


def exercise(kind: Kind, seed: str) -> Exercise:
    """The words of a kind filled with the numbers of a seed."""
    found = drawn(kind.name, seed)

    def fill(words: str) -> str:
        return _PLACE.sub(lambda match: found.facts[match[1]], words)

    options = [Option(option.key, fill(option.text)) for option in kind.options]
    Random(f"{seed}/{kind.name}/order").shuffle(options)
    words = {name: fill(getattr(kind, name)) for name in ("text", "ask", "choose", "solution")}
    numbers = {"answer": found.answer, "decimals": found.decimals, "bench": found.bench}
    return Exercise(**{**vars(kind), **words, "options": tuple(options), **numbers})


def checked_seed(given: str) -> str:
    """A seed as it is drawn by, without blanks around it. Errors: BadInput for an empty or a long
    one, or one that is no text.
    """
    seed = given.strip()
    if not 1 <= len(seed) <= LONGEST_SEED:
        raise BadInput(f"a seed has 1 to {LONGEST_SEED} characters, got {len(seed)}")
    if not seed.isprintable():
        raise BadInput("a seed holds letters, digits and signs that can be printed")
    return seed


def homework(kinds: Kinds, seed: str) -> tuple[Exercise, ...]:
    """One exercise of each kind; the same for the same seed."""
    return tuple(exercise(kind, seed) for kind in kinds.kinds)


def exam(kinds: Kinds, seed: str) -> tuple[Exercise, ...]:
    """Two exercises of each kind, the second with other numbers."""
    found: list[Exercise] = []
    for kind in kinds.kinds:
        first = exercise(kind, f"{seed}/exam 1")
        others = (exercise(kind, f"{seed}/exam {k}") for k in count(2))
        found += [first, next(one for one in others if one.text != first.text)]
    return tuple(found)


def quiz(kinds: Kinds, form: str) -> tuple[Exercise, ...]:
    """The items of a form of the quiz: the kinds that ask to choose."""
    return tuple(exercise(kind, f"form {form}") for kind in kinds.kinds if kind.choose)


def points(exercises: Sequence[Exercise]) -> int:
    """All points together."""
    return sum(p.number for one in exercises for p in one.points)
