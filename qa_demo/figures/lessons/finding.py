"""What a check finds in the reading on screen, and what is said of a guess."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from qa_demo.core.course.lessons import Option
from qa_demo.core.learning.golds import Answer
from qa_demo.core.learning.losses import Golds
from qa_demo.core.measuring.measured import Measured
from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.reader import Reader
from qa_demo.core.reading.predict import predict
from qa_demo.core.reading.predicted import Candidate, Prediction
from qa_demo.core.reading.words import span_at
from qa_demo.core.types import Reading, Span, Window
from qa_demo.figures.numbers import grouped, rounded, units
from qa_demo.figures.prose import named, quoted

NONE: Mapping[str, str] = MappingProxyType({})
LONGEST = 48
NO_SPAN = "This paragraph holds no legal span."
NO_ANSWER = "This reader gives no answer to this question, so there is no span to look at."
NO_READER = "There is no reader to be asked."
Value = TypeVar("Value")


class Lacking(Exception):
    """A reading that does not show the point of a check, and why not."""


def need(value: Value | None, why: str) -> Value:
    """The value. Errors: Lacking where there is none."""
    if value is None:
        raise Lacking(why)
    return value


@dataclass(frozen=True, eq=False)
class Case:
    """All that a check may look at. `reader` is None where none is at hand;
    `labels` is what the page takes as right,
    `question` a step's own second question; `measured` are the figures stored beside the reader.
    """

    reading: Reading
    decode: DecodeOptions = field(default_factory=DecodeOptions)
    merge: MergeOptions = field(default_factory=MergeOptions)
    gold: tuple[Answer, ...] = ()
    labels: Golds = ()
    temperature: float = 1.0
    question: str = ""
    reader: Reader | None = None
    measured: Measured | None = None

    @cached_property
    def prediction(self) -> Prediction:
        """The n-best list of the reading."""
        return predict(self.reading, self.decode, self.merge)

    @property
    def best(self) -> Candidate | None:
        """The best span, answered or not."""
        found = self.prediction.best
        return None if found is None else found.candidate

    @property
    def answer(self) -> Candidate:
        """The best span, with which the reader answers. Errors: Lacking where it gives none."""
        return need(self.prediction.answered, NO_ANSWER)

    @property
    def answered(self) -> bool:
        """Whether the reader gives an answer."""
        return self.prediction.answer is not None

    @property
    def window(self) -> Window:
        """The window of the best span, else the first one."""
        return self.reading.windows[self.best.window if self.best else 0]

    @property
    def gold_spans(self) -> list[Span]:
        """The right answers as `doc` spans."""
        return [span_at(self.reading.encoding, a.char_start, a.char_end) for a in self.gold]

    def text(self, span: Span) -> str:
        """The words of a `doc` span, in quotation marks."""
        return quoted(self.reading.encoding.text(span), LONGEST)

    def piece(self, window: Window, pos: int) -> str:
        """What stands at a position of a window, a part of a word with its word."""
        return named(self.reading, window.index, pos)


@dataclass(frozen=True)
class Finding:
    """`decides` is what the reader did, with the number that decides. `holds`: the reading shows
    the point; else `missing` says why not.

    What is right: `right` the key of an option, `span` a `doc` span (`also`: others that answer the
    question as well), or `value` with `within` as tolerance. `said` answers a wrong option, `traps`
    a wrong number. `facts` fill the author's texts; `given` is what paper needs besides.
    """

    decides: str
    holds: bool = True
    missing: str = ""
    right: str = ""
    span: Span | None = None
    also: tuple[Span, ...] = ()
    value: float | None = None
    within: float = 0.005
    decimals: int = 2
    options: tuple[Option, ...] = ()
    said: Mapping[str, str] = field(default_factory=lambda: NONE)
    traps: tuple[tuple[float, str], ...] = ()
    facts: Mapping[str, str] = field(default_factory=lambda: NONE)
    given: str = ""


@dataclass(frozen=True)
class Check:
    """`point` says what the reading shows, and raises Lacking where it does not show it.
    `needs_reader`: it asks the model, which takes its time; for the others the numbers of the
    reading are enough.
    """

    point: Callable[[Case], Finding]
    needs_reader: bool = False

    def find(self, case: Case) -> Finding:
        """What the check finds; where the reading does not show the point, why not."""
        try:
            return self.point(case)
        except Lacking as why:
            return lacking(str(why))


asks_reader = partial(Check, needs_reader=True)


@dataclass(frozen=True)
class Feedback:
    """Two sentences: `yours` about the guess (empty where nothing was guessed), `decides` about the
    reader.
    """

    right: bool
    yours: str
    decides: str


def likeliest(case: Case, window: Window, p: np.ndarray, count: int) -> list[tuple[int, str]]:
    """The `count` likeliest word pieces of the paragraph in this window that read differently,
    as (position, text), likeliest first. p: [n]. Errors: Lacking where the text has fewer.
    """
    found: dict[str, int] = {}
    inside = np.flatnonzero(window.is_context)
    for pos in inside[np.argsort(-p[inside], kind="stable")]:
        found.setdefault(case.piece(window, int(pos)), int(pos))
        if len(found) == count:
            return [(pos, text) for text, pos in found.items()]
    raise Lacking("The paragraph is too short to choose from.")


def first_of(
    decides: str, ranked: Sequence[tuple[Any, str]], said: Sequence[str], given: str
) -> Finding:
    """Which comes first of (place, text) in the order of their ranks. The options are listed as the
    words stand in the text, so that the list itself gives nothing away; `said` answers each rank.
    """
    order = sorted(range(len(ranked)), key=lambda k: ranked[k][0])
    return Finding(
        decides,
        right="rank-0",
        options=tuple(Option(f"rank-{k}", ranked[k][1]) for k in order),
        said={f"rank-{k}": said[k] for k in range(1, len(ranked))},
        given=given,
    )


def in_the_text(what: str, ranked: Sequence[tuple[int, str]], shown: Sequence[str]) -> str:
    """Texts with their numbers for paper, in the order of the text."""
    rows = sorted(zip(ranked, shown, strict=True))
    return f"{what}: {'; '.join(f'{text} {value}' for (_, text), value in rows)}."


def lacking(why: str) -> Finding:
    """The reading does not show the point."""
    return Finding("", holds=False, missing=why)


def judge(
    case: Case, finding: Finding, guess: str | float | Span | None, options: Sequence[Option] = ()
) -> Feedback:
    """What is right in a guess; None is "I don't know, show me"."""
    if guess is None:
        return Feedback(False, "", finding.decides)
    if isinstance(guess, Span):
        right, yours = _marked(case, finding, guess)
    elif isinstance(guess, str):
        right, yours = _chosen(finding, guess, [*options, *finding.options])
    else:
        right, yours = _counted(finding, guess)
    return Feedback(right, yours, finding.decides)


def _chosen(finding: Finding, guess: str, options: Sequence[Option]) -> tuple[bool, str]:
    if guess == finding.right:
        return True, "Yes, that is right."
    texts = {option.key: option.text for option in options}
    other = f"Not quite: it is {quoted(texts.get(finding.right, finding.right).rstrip('.'))}."
    return False, finding.said.get(guess, other)


def _counted(finding: Finding, guess: float) -> tuple[bool, str]:
    """Without a value there is nothing to be right about, and so nothing is said."""
    if finding.value is None:
        return False, ""
    printed = grouped(finding.value, finding.decimals)
    if math.isclose(guess, finding.value, rel_tol=0, abs_tol=finding.within):
        if units(guess, finding.decimals) == units(finding.value, finding.decimals):
            return True, f"Yes, it is {printed}."
        return True, f"Near enough: you wrote {typed(guess)}; it is {printed}."
    for value, sentence in finding.traps:
        if abs(guess - value) <= min(finding.within, NAMED * abs(value)):
            return False, sentence
    return False, wrote(typed(guess), printed)


NAMED = 0.05
"""A named mistake is recognised within this share of its own size."""


MOST_TYPED = 6
"""Decimals of a typed number that are said again."""


def typed(guess: float) -> str:
    """A guess as it was typed: 2.5 stays 2.5 where a whole number is asked for, 2 / 3 is cut."""
    fits = (d for d in range(MOST_TYPED) if math.isclose(guess, rounded(guess, d), rel_tol=1e-12))
    return grouped(guess, next(fits, MOST_TYPED))


def wrote(guess: str, right: str) -> str:
    """What is said of another number than the right one."""
    return f"You wrote {guess}; it is {right}."


def _marked(case: Case, finding: Finding, guess: Span) -> tuple[bool, str]:
    """The words that both hold."""
    wanted = finding.span
    if wanted is None:
        return False, f"You marked {case.text(guess)}; the reader gives no answer."
    if guess == wanted:
        return True, "You marked the same words as the reader."
    if guess in finding.also:
        return True, f"You marked {case.text(guess)}, which an annotator marked too."
    low, high = max(guess.start, wanted.start), min(guess.end, wanted.end)
    if low > high:
        return False, f"You marked {case.text(guess)}, and the reader marks other words."
    shared = case.text(Span(low, high))
    return False, f"You marked {case.text(guess)}; you and the reader share {shared}."
