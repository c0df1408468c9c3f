"""A chapter's slow work: what it is handed, how it is announced, what becomes of its result."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from qa_demo.core.progress import IsCancelled, OnProgress
from qa_demo.core.reader import Reader, check_made_by, check_not_typed
from qa_demo.views.services import Services
from qa_demo.views.session.line import Progress
from qa_demo.views.session.recent import RecentValues
from qa_demo.views.state import Screen
from qa_demo.views.update import Update


def untold(done: int, total: int) -> None:
    """Progress that nobody hears."""


def never() -> bool:
    """Nobody cancels."""
    return False


@dataclass(frozen=True)
class Job:
    """One visitor's request: the screen as it was, the event, the way to tell and be told."""

    screen: Screen
    name: str
    value: Any
    services: Services
    visitor: str = ""
    progress: OnProgress = untold
    cancelled: IsCancelled = never

    @cached_property
    def reader(self) -> Reader:
        """The reader in use, loaded if it was released."""
        return self.services.reader(self.screen.source)

    def maker(self) -> Reader:
        """The reader in use, if it made the reading on screen. Errors: BadInput otherwise."""
        check_not_typed(self.screen.reading)  # before a reader is loaded for nothing
        check_made_by(self.screen.reading, self.reader)
        return self.reader

    def within(self, at: int, of: int) -> OnProgress:
        """Progress of stage `at` of `of` equal stages, as percent of all."""
        return lambda done, total: self.progress(round(100 * (at + done / max(total, 1)) / of), 100)

    def telling(self, progress: OnProgress, cancelled: IsCancelled) -> "Job":
        """The same request with its own way to tell and be told."""
        return replace(self, progress=progress, cancelled=cancelled)


@dataclass(frozen=True)
class Busy:
    """The sentence while a job waits and runs: "training: step 3 of 20", "explaining, 40 %"."""

    text: str
    unit: str = ""

    def says(self, progress: Progress) -> str:
        """The sentence for some progress."""
        if progress.ahead is not None:
            place = f"waiting, {progress.ahead} before you" if progress.ahead else "next in line"
            return f"{self.text}: {place}{_about(progress.seconds)}"
        if not progress.total:
            return self.text
        if self.unit == "%":
            return f"{self.text}, {round(100 * progress.done / progress.total)} %"
        if self.unit == "window":
            at = min(progress.done + 1, progress.total)
            return f"{self.text} window {at} of {progress.total}"
        return f"{self.text}: {f'{self.unit} {progress.done}'.lstrip()} of {progress.total}"


def _about(seconds: float | None) -> str:
    """The estimate of a wait as the end of a sentence; no more digits than it deserves."""
    if seconds is None or seconds < 1:
        return ""
    rounded = round(seconds) if seconds < 10 else 5 * round(seconds / 5)
    return f", about {rounded} second{'s' if rounded != 1 else ''}"


@dataclass(frozen=True)
class Wanted:
    """What the reader must make for a request, kept by its content: who asks the same meanwhile
    waits for the same computation, and who asks later waits for no worker.
    """

    key: Hashable
    """Everything that it depends on, and nothing of the visitor."""
    cache: RecentValues[Any]
    find: Callable[[Job], Any]
    """Make it and keep it under the key."""
    length: str | None = None
    """A name that it shares with what takes about as long; the kind of work by default."""

    def kept(self) -> bool:
        """Whether it is at hand."""
        return self.cache.get(self.key) is not None


Announce = Mapping[str, Busy] | Callable[[Job], Busy | None]


@dataclass(frozen=True)
class Background:
    """How a chapter does slow work.

    `work(job)` computes; it may ask `job.reader`, tells by `job.progress(done, total)`, stops when
    `job.cancelled()`. `receive(screen, job, result)` puts the result on the newest screen. What
    comes after another reading has taken the screen is dropped, unless it `outlives` the reading.
    `busy` says what the message line says. `loads`: the work mostly waits for a disk or network.
    `refused` shows an error in the picture instead of the message line. `wanted` names what the
    reader must make for the work, so that all who want the same wait for one computation; where it
    is kept, or nothing is wanted, the work is done at once.
    """

    kind: str
    work: Callable[[Job], Any]
    receive: Callable[[Screen, Job, Any], Screen | Update]
    busy: Announce
    outlives: bool = False
    loads: bool = False
    refused: Callable[[Screen, Job, str], Update] | None = None
    wanted: Callable[[Job], Wanted | None] | None = None

    def announce(self, job: Job) -> Busy | None:
        """What the message line says of a job; None for one that is too short to be announced."""
        return self.busy(job) if callable(self.busy) else self.busy.get(job.name)
