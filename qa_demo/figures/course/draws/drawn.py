"""What is drawn, and when numbers are far enough apart."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from qa_demo.core.course.bench import Bench
from qa_demo.figures.numbers import number, units

TRIES = 10_000


@dataclass(frozen=True)
class Drawn:
    """`facts` fill the places of the texts; `answer` is asked for with so many decimals, and within
    one unit of the last; `bench` holds the numbers where they can be tried.
    """

    facts: Mapping[str, str]
    answer: float
    decimals: int = 0
    bench: Bench | None = None


def listed(values: Sequence[float], decimals: int = 0) -> str:
    """1, −2, 6."""
    return ", ".join(number(x, decimals) for x in values)


def pair(i: int, j: int) -> str:
    """A span of tokens counted from 1, in words."""
    return f"token {i + 1} alone" if i == j else f"tokens {i + 1} to {j + 1}"


def unlike(values: Sequence[float], decimals: int) -> bool:
    """Whether no two numbers are taken for each other when typed with so many decimals."""
    shown = sorted(units(x, decimals) for x in values)
    return all(b - a > 2 for a, b in itertools.pairwise(shown))


def plainly(values: Sequence[float]) -> bool:
    """Whether whole numbers differ."""
    return len(set(values)) == len(values)


def until(rng: Random, draw: Callable[[Random], Drawn | None]) -> Drawn:
    """Draw until the conditions hold."""
    for _ in range(TRIES):
        found = draw(rng)
        if found is not None:
            return found
    raise RuntimeError(f"{draw.__name__} drew {TRIES} times without numbers that fit")
