"""Slow work of the page: begun by an event, followed in the queue, delivered to the newest."""

import itertools
import threading
from collections.abc import Callable, Generator, Hashable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial, wraps
from typing import Any

import gradio as gr

from qa_demo.figures.pack import printable
from qa_demo.views.answers import NO_READING, Answers, tried
from qa_demo.views.background import Background, Busy, Job
from qa_demo.views.outputs import numbered
from qa_demo.views.services import Services
from qa_demo.views.session.errors import attempt
from qa_demo.views.session.jobs import Outcome, Work
from qa_demo.views.session.lock import SessionLock
from qa_demo.views.state import Screen
from qa_demo.views.update import Change, Update, said

Stream = Iterator[Update | Change]
"""What a slow handler yields: updates, and changes applied to the newest screen."""
Slow = Callable[[Screen | None, str, Any], Stream]
"""handler(screen, visitor, value)."""


def telling(handler: Callable[..., Stream]) -> Callable[..., Stream]:
    """The slow handler, whose error ends it with a sentence."""

    @wraps(handler)
    def told(*given: Any, **more: Any) -> Stream:
        with closing(handler(*given, **more)) as stream:  # type: ignore[type-var]
            while True:
                item, error = attempt(lambda: next(stream, None))
                if error is not None:
                    yield said(error, "error")
                if item is None:
                    return
                yield item

    return told


def named(error: str | None, busy: Busy | None) -> str | None:
    """A sentence that says what was cancelled: a measurement may stop inside a reading."""
    if error is None or busy is None or not error.endswith("was cancelled"):
        return error
    return f"{busy.text} was cancelled"


def about(update: Update, number: int | None) -> Update:
    """The same; its message says which event of the browser it belongs to (say.js)."""
    if update.message is None or number is None:
        return update
    return replace(update, message={**update.message, "of": number})


def _changed(item: Update | Change, number: int | None, screen: Screen | None) -> Update:
    return about(item(screen) if callable(item) else item, number)


class SlowWork:
    """The slow handlers of the pictures, and what they have made that is not on a screen yet."""

    def __init__(self, services: Services, sessions: SessionLock, answers: Answers) -> None:
        self.services, self.sessions, self.answers = services, sessions, answers
        self.handlers: dict[str, dict[str, Slow]] = {}
        """By the picture and the name of the event."""
        self.tasks: dict[tuple[str, str], Background] = {}
        """What is done behind those handlers that perform a chapter's task."""
        self._deliveries: dict[str, list[Change]] = {}
        self._newest: dict[str, dict[str, int]] = {}
        """The newest event of each visitor, by the kind of its work."""
        self._guard, self._numbers = threading.Lock(), itertools.count(1)

    def wire(self, picture: str, name: str, handler: Slow) -> None:
        """Answer `page.input(name, value)` of a picture by a handler that yields updates."""
        self.handlers.setdefault(picture, {})[name] = handler

    def wire_task(self, picture: str, name: str, task: Background) -> None:
        """Answer it by a chapter's task, done in the server's queue."""
        self.tasks[picture, name] = task
        self.wire(picture, name, partial(self.perform, task, name))

    def begin(
        self, picture: str, screen: Screen | None, data: gr.EventData, request: gr.Request
    ) -> Iterator[tuple[Any, Any]]:
        """Start the slow work of that name, if any; what it changes is delivered by `deliver`."""
        event, visitor = data._data or {}, request.session_hash or ""
        number = numbered(event)
        handler = self.handlers[picture].get(str(event.get("index")))
        if handler is None or self._outrun(picture, event, visitor):
            yield gr.skip(), gr.skip()
            return
        for item in handler(screen, visitor, event.get("value")):
            if isinstance(item, Update) and set(item.parts) <= {"message"}:
                yield about(item, number).parts.get("message", gr.skip()), gr.skip()
            else:
                with self._guard:
                    self._deliveries.setdefault(visitor, []).append(partial(_changed, item, number))
                yield gr.skip(), next(self._numbers)

    def _outrun(self, picture: str, event: Any, visitor: str) -> bool:
        """Whether a newer event for the same kind of work was here first: each travels alone, and
        the one that is late would end what the browser waits for.
        """
        task, number = self.tasks.get((picture, str(event.get("index")))), numbered(event)
        if task is None or number is None:
            return False
        with self._guard:
            kinds = self._newest.setdefault(visitor, {})
            kinds[task.kind] = max(number, kinds.get(task.kind, 0))
            return number < kinds[task.kind]

    def deliver(self, screen: Screen | None, visitor: str) -> Update:
        """Put what slow work has made for this visitor on the newest screen, in order."""
        update = Update()
        with self._guard:
            changes = self._deliveries.pop(visitor, [])
        for change in changes:
            update = update.then(self.sessions.apply(visitor, screen, change))
        return update

    def stop(self, request: gr.Request) -> None:
        """Cancel was pressed: all of this visitor's slow work ends, each with its own sentence."""
        self.services.jobs.cancel(request.session_hash)

    def left(self, visitor: str) -> None:
        """The tab was closed: what runs for it ends, and what was made is dropped."""
        self.services.jobs.cancel(visitor)
        with self._guard:
            self._deliveries.pop(visitor, None)
            self._newest.pop(visitor, None)

    def follow(
        self,
        visitor: str,
        kind: str,
        work: Work[Any],
        busy: Busy | None,
        loads: bool = False,
        share: Hashable | None = None,
        length: str | None = None,
        size: float = 1.0,
    ) -> Generator[Update, None, Outcome[Any]]:
        """Run work in the server's queue and yield the sentences of its progress; returns its
        outcome. `share`, `length` and `size` as in `JobQueue.run`.
        """
        if busy is not None:
            yield said(busy.text, "busy")
        run = self.services.jobs.run(visitor, kind, work, loads, share, length, size)
        while True:
            try:
                progress = next(run)
            except StopIteration as stop:
                outcome: Outcome[Any] = stop.value
                return replace(outcome, error=named(outcome.error, busy))
            yield said(busy.says(progress), "busy") if busy is not None else Update()

    def result(self, *work: Any, **how: Any) -> Generator[Update, None, Any]:
        """As `follow`; what the work makes, or None once it was said why there is nothing."""
        outcome = yield from self.follow(*work, **how)
        if outcome.error is not None:
            yield said(outcome.error, "error")
        return outcome.result

    def perform(
        self, task: Background, name: str, screen: Screen | None, visitor: str, value: Any
    ) -> Stream:
        """Announce, run, and hand the result to the newest screen; or say why there is none."""
        if screen is None:
            yield said(NO_READING, "error")
            return
        job = Job(screen, name, value, self.services, visitor)
        busy = task.announce(job)
        outcome = yield from self._worked(task, job, busy)
        if not outcome.superseded:
            yield partial(self._received, task, job, busy is not None, outcome)

    def _worked(
        self, task: Background, job: Job, busy: Busy | None
    ) -> Generator[Update, None, Outcome[Any]]:
        """The outcome of the task's work: in the queue, joined with others who want the same of the
        reader, or at once where nothing is wanted that is not kept.
        """

        def queued(work: Callable[[Job], Any], *shared: Any) -> Any:
            return self.follow(
                job.visitor,
                task.kind,
                lambda tell, cancelled: work(job.telling(tell, cancelled)),
                busy,
                task.loads,
                *shared,
            )

        make = task.wanted
        if make is None:
            return (yield from queued(task.work))
        wanted, error = attempt(lambda: make(job))
        if error is not None:
            return Outcome(None, error)
        if wanted is None or wanted.kept():
            self.services.jobs.supersede(job.visitor, task.kind)
        else:
            found = yield from queued(wanted.find, wanted.key, wanted.length)
            if found.superseded or found.error is not None:
                return found
        return Outcome(*attempt(lambda: task.work(job)))

    def _received(
        self, task: Background, job: Job, told: bool, outcome: Outcome[Any], now: Screen | None
    ) -> Update:
        """What becomes of a result on the screen as it is by then."""
        quiet = Update() if not told or self.services.jobs.busy(job.visitor) else said("")
        if now is None or (not task.outlives and now.reading.key != job.screen.reading.key):
            return quiet
        if outcome.error is None:
            return self.answers.step(
                now, lambda seen: task.receive(seen, job, outcome.result), quiet
            )
        if task.refused is None:
            return said(outcome.error, "error")
        error = printable(outcome.error)
        return quiet.then(tried(now, lambda seen: task.refused(seen, job, error)))
