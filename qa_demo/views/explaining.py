"""Explanations of a reading: asked of its own reader, run once, kept for all."""

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.errors import BadInput
from qa_demo.core.explaining.attention import RELEVANCE, Attention, Relevance, RelevanceKind
from qa_demo.core.explaining.attribution import (
    METHODS,
    Attribution,
    Cost,
    Method,
    Target,
    cost,
    silence,
    window_of,
)
from qa_demo.core.explaining.chance import Placed, RandomSets, draw, place
from qa_demo.core.explaining.faithfulness import Curves, curve, random_curves
from qa_demo.core.explaining.occlusion import QuestionEffect, question_effects
from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.progress import IsCancelled, OnProgress
from qa_demo.core.reader import Reader, check_made_by
from qa_demo.core.reading.words import words
from qa_demo.core.types import Baseline, Reading, Window
from qa_demo.views.background import Job, Wanted
from qa_demo.views.session.recent import RecentValues, held_bytes

Ranking = Method | Literal["attention"]
"""What may put words in an order: a method, or raw attention from the target's start and end."""
RANKINGS: tuple[Ranking, ...] = (*METHODS, "attention")
FIRST_STEPS = 5
"""Steps of the first picture of integrated gradients, which is refined in place."""


class Pace:
    """How fast this machine reads of late: a moving mean of seconds for one pass and token."""

    def __init__(self) -> None:
        self._mean: float | None = None

    def learn(self, passes: int, tokens: int, seconds: float) -> None:
        """Count some passes of a window."""
        now = seconds / (passes * tokens)
        self._mean = now if self._mean is None else (self._mean + now) / 2

    def seconds(self, passes: int, tokens: int) -> float | None:
        """What so many passes may take; None before anything was timed."""
        return None if self._mean is None else self._mean * passes * tokens


PACE = Pace()
ATTENTION: RecentValues[Attention] = RecentValues(170_000_000, held_bytes)
"""Two windows of 384 positions; a hundred short ones."""
FOUND: RecentValues[Any] = RecentValues(24_000_000, held_bytes)


@dataclass(frozen=True, eq=False)
class Timed:
    """An attribution and the seconds that it took on this machine, waiting for others included."""

    found: Attribution
    seconds: float


@dataclass(frozen=True, eq=False)
class Stood:
    """One method on the test: its words among random sets, its cost; `values` [U] per word."""

    placed: Placed
    values: NDArray[np.float64]
    cost: Cost
    seconds: float


class Kept:
    """A method of `Work` whose result is kept under all that it depends on, the reading and its
    arguments, and nothing of the visitor: whoever asks again is given it.
    """

    def __init__(self, make: Callable[..., Any]) -> None:
        self.make, self.name, self.__doc__ = make, make.__name__, make.__doc__

    def __get__(self, work: "Work | None", owner: type) -> Any:
        return self if work is None else partial(self.find, work)

    @property
    def cache(self) -> RecentValues[Any]:
        """Where the results are kept."""
        return ATTENTION if self.name == "attention" else FOUND

    def key(self, reading: Reading, *about: Any) -> Hashable:
        """The name of a result; a baseline (third, behind a ranking) matters to one method only."""
        plain = [one.index if isinstance(one, Window) else one for one in about]
        if len(plain) > 2 and plain[1] in RANKINGS and plain[1] != "integrated_gradients":
            plain[2] = None
        return (reading.key, self.name, *plain)

    def known(self, reading: Reading, *about: Any) -> Any:
        """What is kept, or None."""
        return self.cache.get(self.key(reading, *about))

    def find(self, work: "Work", *about: Any) -> Any:
        """What is kept, or made now."""
        return self.cache.find(self.key(work.reading, *about), lambda: self.make(work, *about))

    def wanted(self, reading: Reading, *about: Any, length: str | None = None) -> Wanted:
        """The result as what the reader must make for a request."""
        key = self.key(reading, *about)
        return Wanted(
            key, self.cache, lambda job: self.find(Work.of(job), *about), length or self.name
        )


@dataclass(frozen=True, eq=False)
class Work:
    """One request of a visitor: the reading, the reader that made it, how to tell and be told."""

    reader: Reader
    reading: Reading
    on_progress: OnProgress | None = None
    cancelled: IsCancelled | None = None

    def __post_init__(self) -> None:
        check_made_by(self.reading, self.reader)

    @classmethod
    def of(cls, job: Job) -> "Work":
        """The reader asked on behalf of the reading on screen."""
        return cls(job.reader, job.screen.reading, job.progress, job.cancelled)

    @Kept
    def attention(self, window: Window) -> Attention:
        """Every head of one window."""
        return self.reader.attention(window)

    @Kept
    def relevance(self, window: Window, target: Target) -> dict[RelevanceKind, Relevance]:
        """The three summaries for the target's start and end."""
        return {kind: self.reader.relevance(window, target, kind) for kind in RELEVANCE}

    @Kept
    def attribution(
        self, target: Target, method: Method, baseline: Baseline, n_steps: int | None
    ) -> Timed:
        """One attribution and the seconds it took; without `n_steps` as many as it takes."""
        began = time.perf_counter()
        tell, stop = self.on_progress, self.cancelled
        about = self.reading, target, method, baseline, n_steps, tell, stop
        found = self.reader.attribute(*about)
        timed = Timed(found, time.perf_counter() - began)
        window = self.reading.windows[found.window]
        took = cost(found, len(words(self.reading.encoding, window)))
        PACE.learn(took.forward + took.backward, len(window), timed.seconds)
        return timed

    @Kept
    def question(
        self, target: Target, decode: DecodeOptions, merge: MergeOptions
    ) -> tuple[QuestionEffect, ...]:
        """Each question word masked in every window."""
        count, done = len(self.reading.windows), iter(range(len(self.reading.windows)))

        def masked(window: Window, masks: Any) -> Any:
            return self.reader.masked(window, masks, self.stage(next(done), count), self.cancelled)

        return question_effects(self.reading, target, masked, decode, merge)

    @Kept
    def random_sets(self, target: Target) -> RandomSets:
        """The random word sets of a target, the same for every method."""
        began = time.perf_counter()
        sets = draw(self.reading, target, self._scorer(target, self.on_progress))
        tokens = len(self.reading.windows[sets.window])
        PACE.learn(len(sets.looks()), tokens, time.perf_counter() - began)
        return sets

    @Kept
    def stood(self, target: Target, ranking: Ranking, baseline: Baseline) -> Stood:
        """One ranking of the words among the random sets, which are drawn first.

        Errors: BadInput for a method that gives every word nothing.
        """
        sets = self.random_sets(target)
        began = time.perf_counter()
        if ranking == "attention":
            window = window_of(self.reading, target)
            total, took = self.relevance(window, target)["attention"].total, Cost(1, 0)
            seconds = time.perf_counter() - began
        else:
            timed = self.attribution(target, ranking, baseline, None)
            said = silence(timed.found)
            if said is not None:
                raise BadInput(f"{said} There are no top words to mask.")
            total, took = timed.found.total, cost(timed.found, len(sets.words))
            seconds = timed.seconds
        values = sets.words.sums(total)
        placed = place(self.reading, target, values, self._scorer(target), sets)
        return Stood(placed, values, took, seconds)

    @Kept
    def random_curves(self, target: Target) -> Curves:
        """The curves of the random orders."""
        scorer = self._scorer(target, self.on_progress)
        return random_curves(self.reading, target, scorer, self.random_sets(target))

    @Kept
    def curve(self, target: Target, ranking: Ranking, baseline: Baseline) -> Curves:
        """The deletion and insertion curve of one ranking."""
        placed, sets = self.stood(target, ranking, baseline).placed, self.random_sets(target)
        return curve(self.reading, target, placed, self._scorer(target), sets)

    @Kept
    def lines(
        self, target: Target, rankings: tuple[Ranking, ...], baseline: Baseline
    ) -> tuple[dict[Ranking, Curves], Curves]:
        """The curves of several rankings, and the random orders', which come first."""
        random = self.random_curves(target)
        return {key: self.curve(target, key, baseline) for key in rankings}, random

    def _scorer(
        self, target: Target, on_progress: OnProgress | None = None
    ) -> Callable[[Any], Any]:
        window = window_of(self.reading, target)
        return lambda masks: self.reader.masked(window, masks, on_progress, self.cancelled)

    def stage(self, at: int, of: int) -> OnProgress:
        """Progress within one of several stages, as percent of all."""

        def tell(done: int, total: int) -> None:
            if self.on_progress is not None:
                self.on_progress(round(100 * (at + done / max(total, 1)) / of), 100)

        return tell


def standing(
    reading: Reading, target: Target, method: Method, baseline: Baseline
) -> tuple[Ranking, ...]:
    """The method, and the other rankings that have been measured."""
    kept = (key for key in RANKINGS if Work.stood.known(reading, target, key, baseline))
    return tuple(dict.fromkeys((method, *kept)))
