"""The frame that every chapter is wired into: one state, one way to answer an event, one way to do
slow work.

A handler maps a Screen (and a value) to a new Screen. The frame compares the two and sends what
differs, so that a click costs one selection record and a slider one chapter.
"""

import itertools
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import astuple
from functools import partial
from types import ModuleType
from typing import Any

import gradio as gr

from qa_demo.core.errors import BadInput
from qa_demo.core.types import WindowOptions
from qa_demo.figures.payload import plain
from qa_demo.figures.reading import reading_data
from qa_demo.views import selection
from qa_demo.views.background import Announce, Background, Busy, Job
from qa_demo.views.components.picture import picture
from qa_demo.views.services import Services
from qa_demo.views.session.errors import attempt
from qa_demo.views.session.jobs import Outcome, Work
from qa_demo.views.session.lock import SessionLock
from qa_demo.views.state import Chapter, Screen, WhatIf
from qa_demo.views.update import Change, Update, said

Stream = Iterator[Update | Change]
"""What a slow handler yields: updates that are sent as they are, and changes, which are applied to
the newest screen.
"""
Slow = Callable[[Screen | None, str, Any], Stream]
"""handler(screen, visitor, value)."""

QUIET: dict[str, Any] = {
    "show_progress": "hidden",
    "api_visibility": "private",
    "trigger_mode": "always_last",
    "queue": True,
}
EVENT: dict[str, Any] = {**QUIET, "trigger_mode": "multiple"}
"""For events of pictures: "always_last" would repeat the data of the first; the browser's outbox
sends one at a time instead.
"""
RUN: dict[str, Any] = {
    "show_progress": "hidden",
    "api_visibility": "private",
    "concurrency_limit": 32,
    "concurrency_id": "slow",
}
"""For slow handlers: they wait in the server's job queue, not in gradio's."""
NO_READING = "There is no reading yet."


class Frame:
    """The shared state and outputs of one page; events are collected while the page is built and
    wired at its end.
    """

    def __init__(self, chapters: Sequence[ModuleType], services: Services) -> None:
        self.modules = {module.CHAPTER.key: module for module in chapters}
        self.services = services
        self.sessions = SessionLock()
        self.parts: dict[str, Any] = {
            "screen": gr.State(None),
            "reading": picture("store", elem_id="store"),
            "selection": picture("chosen", elem_id="chosen"),
            "message": picture("say", elem_id="say"),
        }
        """Every component that an event may change, by the names of `Update.parts`."""
        self.receipt = picture("heard", elem_id="heard")
        self._mirrors: dict[str, Callable[[Screen], Any]] = {}
        self._pending: list[
            tuple[Callable[..., Any], Callable[..., Any], list[Any], dict[str, Any]]
        ] = []
        self._events: list[
            tuple[Callable[..., Any], Callable[[Screen | None, gr.EventData], Update]]
        ] = []
        self._inputs: dict[str, dict[str, Callable[[Screen | None, Any], Update]]] = {
            "chosen": {"reset": lambda screen, _: self.step(screen, reset)}
        }
        self._slow: dict[str, dict[str, Slow]] = {}
        self._leaving: list[Callable[[str], None]] = [self.sessions.forget]
        self._done = gr.State(0)
        self._deliveries: dict[str, list[Change]] = {}
        self._guard, self._numbers = threading.Lock(), itertools.count(1)
        self.read_again: Callable[[Screen, str, WindowOptions], Stream] | None = None
        """The path of all new readings (`Ask`), for controls that need the same texts in other
        windows.
        """

    # For chapters

    def place(self, chapter: Chapter) -> gr.HTML:
        """Make the picture of a chapter where the caller stands."""
        made = picture(
            "chapter",
            {"chapter": chapter.key, "question": chapter.question},
            elem_id=f"picture-{chapter.key}",
        )
        self.parts[f"picture:{chapter.key}"] = made
        return made

    def control(
        self, event: Callable[..., Any], inputs: Any, change: Callable[..., Screen]
    ) -> None:
        """Wire a gradio control: change(screen, *values) -> Screen, where screen is the newest
        one.
        """

        def handler(screen: Screen | None, request: gr.Request, *values: Any) -> list[Any]:
            return self.values(
                self.sessions.apply(
                    request.session_hash,
                    screen,
                    lambda now: self.step(now, lambda seen: change(seen, *values)),
                )
            )

        self._pending.append((event, handler, _listed(inputs), QUIET))

    def mirror(self, component: Any, value: Callable[[Screen], Any]) -> None:
        """Keep a control at value(screen), so that a new reading, a reset or a link moves it
        too.
        """
        name = component.elem_id or f"control {len(self._mirrors)}"
        self._mirrors[name] = value
        self.parts[f"control:{name}"] = component

    def browser_input(
        self, chapter: Chapter, name: str, change: Callable[[Screen, Any], Screen]
    ) -> None:
        """Wire `page.input(name, value)` of a chapter's picture: change(screen, value) ->
        Screen.
        """
        self._hear(
            chapter.key,
            name,
            lambda screen, value: self.step(screen, lambda seen: change(seen, value)),
        )

    def browser_show(
        self, chapter: Chapter, name: str, make: Callable[[Screen, Any], dict[str, Any]]
    ) -> None:
        """Wire a request that only draws the chapter's picture anew: make(screen, value) -> what
        `present` returns.
        """

        def show(screen: Screen | None, value: Any) -> Update:
            return self._tried(screen, lambda seen: shown(chapter, seen, make(seen, value)))

        self._hear(chapter.key, name, show)

    def browser_reread(
        self, chapter: Chapter, name: str, change: Callable[[Screen, Any], WindowOptions]
    ) -> None:
        """Wire a request that needs the reader again: change(screen, value) -> WindowOptions; same
        texts, with progress and cancel.
        """

        def reread(screen: Screen | None, visitor: str, value: Any) -> Stream:
            windows, error = attempt(lambda: change(_there(screen), value))
            if windows is None or screen is None or self.read_again is None:
                yield said(error or NO_READING, "error")
            else:
                yield from self.read_again(screen, visitor, windows)

        self.slow_input(chapter.key, name, reread)

    def background(
        self,
        chapter: Chapter,
        names: Sequence[str],
        work: Callable[[Job], Any],
        receive: Callable[[Screen, Job, Any], Screen | Update],
        busy: Announce,
        *,
        outlives: bool = False,
        loads: bool = False,
        refused: Callable[[Screen, Job, str], Update] | None = None,
    ) -> None:
        """Wire slow requests `page.input(name, value)` of a chapter's picture: they run in the
        server's queue, with Cancel.

        `work(job)` computes; it may ask `job.reader`, tells by `job.progress(done, total)`, stops
        when `job.cancelled()`. `receive(screen, job, result)` puts the result on the newest screen.
        What comes after another reading has taken the screen is dropped, unless it `outlives` the
        reading. `busy` says what the message line says. `loads`: the work mostly waits for a disk
        or network. `refused` shows an error in the picture instead of the message line.
        """
        task = Background(
            f"{chapter.key}:{names[0]}", work, receive, busy, outlives, loads, refused
        )
        for name in names:
            self.slow_input(chapter.key, name, partial(self._perform, task, name))

    # For the page

    def on(
        self, event: Callable[..., Any], change: Callable[[Screen, gr.EventData], Screen]
    ) -> None:
        """Wire an event of a picture: change(screen, event data) -> Screen."""
        self._events.append(
            (event, lambda screen, data: self.step(screen, lambda seen: change(seen, data)))
        )

    def on_leave(self, forget: Callable[[str], None]) -> None:
        """Call forget(visitor) when a tab is closed."""
        self._leaving.append(forget)

    def box(self, name: str, component: Any) -> Any:
        """Name a gradio component that updates may change."""
        self.parts[f"control:{name}"] = component
        return component

    def slow_input(self, picture_key: str, name: str, handler: Slow) -> None:
        """Wire `page.input(name, value)` of a picture to a handler that yields updates and
        changes.
        """
        self._slow.setdefault(picture_key, {})[name] = handler

    def stream(
        self, event: Callable[..., Any], inputs: Any, handler: Callable[..., Stream], **how: Any
    ) -> None:
        """Wire a gradio event to a slow handler(screen, visitor, *values)."""

        def streamed(
            screen: Screen | None, request: gr.Request, *values: Any
        ) -> Iterator[list[Any]]:
            visitor = request.session_hash or ""
            for item in handler(screen, visitor, *values):
                yield self.values(
                    self.sessions.apply(visitor, screen, item) if callable(item) else item
                )

        event(
            streamed,
            [self.parts["screen"], *_listed(inputs)],
            list(self.parts.values()),
            **{**RUN, **how},
        )

    def values(self, update: Update, names: Sequence[str] | None = None) -> list[Any]:
        """The update as gradio wants it: one value for each named component, in order; all
        components by default.
        """
        parts = update.parts
        return [parts.get(name, gr.skip()) for name in names or self.parts]

    def wire(self, page: gr.Blocks) -> None:
        """Connect every collected event; called once all pictures stand.

        A picture's inputs have one handler for all their names, since each handler of an event
        answers with a whole screen. A selection and the start of slow work have few outputs:
        gradio's page copies the data of every output of an event several times, and neither changes
        a picture.
        """
        screen, everything = self.parts["screen"], list(self.parts.values())
        for event, handler, inputs, how in self._pending:
            event(handler, [screen, *inputs], everything, **how)
        pictures = {
            "chosen": self.parts["selection"],
            **{
                name.removeprefix("picture:"): made
                for name, made in self.parts.items()
                if name.startswith("picture:")
            },
        }
        for key, made in pictures.items():
            self._events.append((made.input, partial(self.dispatch, key)))
            if self._slow.get(key):
                made.input(
                    partial_event(self.begin, key),
                    [screen],
                    [self.parts["message"], self._done],
                    **{**RUN, "trigger_mode": "multiple"},
                )
        for event, answer in self._events:
            event(self._receipted(answer), [screen], [*everything, self.receipt], **EVENT)
        few = [self.parts[name] for name in SELECTED]
        self.parts["selection"].select(self.selected, [screen], [*few, self.receipt], **EVENT)
        self._done.change(
            self.deliver, [screen], everything, **{**EVENT, "concurrency_limit": None}
        )
        self.parts["message"].select(
            self.stop, [], [], show_progress="hidden", api_visibility="private", queue=False
        )
        page.unload(self.left)
        self._pending.clear()
        self._events.clear()

    # Handlers

    def selected(self, screen: Screen | None, data: gr.EventData, request: gr.Request) -> list[Any]:
        """A click on any token, dot, cell or row: the screen, the record, the message, the
        receipt.
        """
        update = self._answered(
            lambda now, sent: self.step(now, lambda seen: select(seen, sent)), screen, data, request
        )
        return [*self.values(update, SELECTED), update.receipt]

    def dispatch(self, key: str, screen: Screen | None, data: gr.EventData) -> Update:
        """Answer `page.input(name, value)` of a picture by the handler of that name; a name that
        none has may be slow work.
        """
        event = data._data or {}
        handler = self._inputs.get(key, {}).get(str(event.get("index")))
        return Update() if handler is None else handler(screen, event.get("value"))

    def begin(
        self, key: str, screen: Screen | None, data: gr.EventData, request: gr.Request
    ) -> Iterator[tuple[Any, Any]]:
        """Start the slow work of that name, if any; what it changes is delivered by `deliver`."""
        event, visitor = data._data or {}, request.session_hash or ""
        handler = self._slow[key].get(str(event.get("index")))
        if handler is None:
            yield gr.skip(), gr.skip()
            return
        for item in handler(screen, visitor, event.get("value")):
            if isinstance(item, Update) and set(item.parts) <= {"message"}:
                yield item.parts.get("message", gr.skip()), gr.skip()
            else:
                with self._guard:
                    self._deliveries.setdefault(visitor, []).append(
                        item if callable(item) else lambda _, update=item: update
                    )
                yield gr.skip(), next(self._numbers)

    def deliver(self, screen: Screen | None, request: gr.Request) -> list[Any]:
        """Put on the newest screen what slow work has made for this visitor, in the order in which
        it came.
        """
        visitor, update = request.session_hash or "", Update()
        with self._guard:
            changes = self._deliveries.pop(visitor, [])
        for change in changes:
            update = update.then(self.sessions.apply(visitor, screen, change))
        return self.values(update)

    def stop(self, request: gr.Request) -> None:
        """Cancel was pressed: all of this visitor's slow work ends, each with its own sentence."""
        self.services.jobs.cancel(request.session_hash)

    def left(self, request: gr.Request) -> None:
        """The tab was closed."""
        visitor = request.session_hash or ""
        self.services.jobs.cancel(visitor)
        with self._guard:
            self._deliveries.pop(visitor, None)
        for forget in self._leaving:
            forget(visitor)

    # Slow work

    def follow(
        self, visitor: str, kind: str, work: Work[Any], busy: Busy | None, loads: bool = False
    ) -> Generator[Update, None, Outcome[Any]]:
        """Run work in the server's queue and yield the sentences of its progress; returns its
        outcome.
        """
        if busy is not None:
            yield said(busy.text, "busy")
        run = self.services.jobs.run(visitor, kind, work, loads)
        while True:
            try:
                progress = next(run)
            except StopIteration as stop:
                outcome: Outcome[Any] = stop.value
                return outcome
            yield said(busy.says(progress), "busy") if busy is not None else Update()

    def _perform(
        self, task: Background, name: str, screen: Screen | None, visitor: str, value: Any
    ) -> Stream:
        """Announce, run, and hand the result to the newest screen; or say why there is none."""
        if screen is None:
            yield said(NO_READING, "error")
            return
        job = Job(screen, name, value, self.services, visitor)
        busy = task.announce(job)
        outcome = yield from self.follow(
            visitor,
            task.kind,
            lambda tell, cancelled: task.work(job.telling(tell, cancelled)),
            busy,
            task.loads,
        )
        if not outcome.superseded:
            yield partial(self._received, task, job, busy is not None, outcome)

    def _received(
        self, task: Background, job: Job, told: bool, outcome: Outcome[Any], now: Screen | None
    ) -> Update:
        """What becomes of a result on the screen as it is by then."""
        quiet = Update() if not told or self.services.jobs.busy(job.visitor) else said("")
        if now is None or (not task.outlives and now.reading.key != job.screen.reading.key):
            return quiet
        if outcome.error is None:
            return self.step(now, lambda seen: task.receive(seen, job, outcome.result), quiet)
        if task.refused is None:
            return said(outcome.error, "error")
        error = outcome.error
        return quiet.then(self._tried(now, lambda seen: task.refused(seen, job, error)))

    # Answers

    def step(
        self,
        screen: Screen | None,
        change: Callable[[Screen], Screen | Update],
        quiet: Update | None = None,
    ) -> Update:
        """Answer one event: the new screen's differences, or the sentence of an error and the old
        screen.
        """

        def changed(seen: Screen) -> Update:
            new = change(seen)
            return new if isinstance(new, Update) else self.answer(screen, new)

        return (quiet or Update()).then(self._tried(screen, changed))

    def answer(self, old: Screen | None, new: Screen) -> Update:
        """What turns the page from `old` into `new`."""
        module = self.modules[new.chapter]
        stale = new.chapter not in new.fresh
        pictures = shown(module.CHAPTER, new, module.present(new)).pictures if stale else {}
        new = new.presented(new.chapter)
        moved = old is None or old.stamp != new.stamp
        reading = (
            plain(
                {
                    "open": new.chapter if old is None else None,
                    **reading_data(
                        new.shown,
                        new.gold,
                        new.stamp,
                        new.what_if.changes_numbers,
                        new.what_if.temperature,
                        new.example is not None,
                    ),
                }
            )
            if moved
            else None
        )
        controls = {
            name: gr.update(value=value(new))
            for name, value in self._mirrors.items()
            if old is None or value(old) != value(new)
        }
        return Update(new, reading, self.record(new), None, pictures, controls)

    def record(self, screen: Screen) -> dict[str, Any]:
        """The selection record with the formula of every chapter; numbered, so that it is news
        even where nothing moved.
        """
        formulas = (
            {key: module.formula(screen) for key, module in self.modules.items()}
            if screen.selection is not None
            else {}
        )
        details = {
            key: module.details(screen)
            for key, module in self.modules.items()
            if hasattr(module, "details")
        }
        options = {
            "windows": list(astuple(screen.reading.options)),
            "decode": list(astuple(screen.decode)[:3]),
        }
        own: dict[str, str] = {}
        for module in self.modules.values():
            own |= module.link(screen) if hasattr(module, "link") else {}
        return plain(
            {
                "stamp": screen.stamp,
                "n": next(self._numbers),
                **selection.record(screen),
                "formulas": formulas,
                "details": details,
                "options": options,
                "link": own,
            }
        )

    def _hear(self, key: str, name: str, handler: Callable[[Screen | None, Any], Update]) -> None:
        self._inputs.setdefault(key, {})[name] = handler

    def _tried(self, screen: Screen | None, make: Callable[[Screen], Update]) -> Update:
        update, error = attempt(lambda: make(_there(screen)))
        return said(error or "", "error") if update is None else update

    def _answered(
        self,
        answer: Callable[[Screen | None, gr.EventData], Update],
        screen: Screen | None,
        data: gr.EventData,
        request: gr.Request,
    ) -> Update:
        """The answer with a receipt, which always differs, refused or not, since the browser sends
        the next event when it came.
        """
        update = self.sessions.apply(request.session_hash, screen, lambda now: answer(now, data))
        number = (data._data or {}).get("id")
        return update.then(
            Update(
                receipt={
                    "id": number if type(number) is int else 0,
                    "refused": update.refused,
                    "n": next(self._numbers),
                }
            )
        )

    def _receipted(
        self, answer: Callable[[Screen | None, gr.EventData], Update]
    ) -> Callable[..., list[Any]]:
        def handler(screen: Screen | None, data: gr.EventData, request: gr.Request) -> list[Any]:
            update = self._answered(answer, screen, data, request)
            return [*self.values(update), update.receipt]

        return handler


SELECTED = ("screen", "selection", "message")


def shown(chapter: Chapter, screen: Screen, page: dict[str, Any]) -> Update:
    """A chapter's picture drawn anew from what `present` returns."""
    return Update(
        pictures={chapter.key: plain({"stamp": screen.stamp, "chapter": chapter.key, **page})}
    )


def partial_event(handler: Callable[..., Any], key: str) -> Callable[..., Any]:
    """handler(key, ...) as a generator function of its own: gradio looks at a function's signature
    and kind, which `partial` hides.
    """

    def streamed(
        screen: Screen | None, data: gr.EventData, request: gr.Request
    ) -> Iterator[tuple[Any, Any]]:
        yield from handler(key, screen, data, request)

    return streamed


def _listed(inputs: Any) -> list[Any]:
    return list(inputs) if isinstance(inputs, list | tuple) else [inputs]


def select(screen: Screen, data: gr.EventData) -> Screen:
    """The same screen with what was clicked selected."""
    return screen.select(selection.parse(screen.reading, (data._data or {}).get("index")))


def reset(screen: Screen) -> Screen:
    """The banner's button: numbers changed by hand go back to the reader's own."""
    return screen.change(what_if=WhatIf())


def open_chapter(frame: Frame, screen: Screen, data: gr.EventData) -> Screen:
    """A tab was chosen: present it when the browser's copy is stale."""
    key = (data._data or {}).get("index")
    if not isinstance(key, str) or key not in frame.modules:
        raise BadInput(f"this page has no chapter '{str(key)[:20]}'")
    return screen.open(key)


def _there(screen: Screen | None) -> Screen:
    if screen is None:
        raise BadInput(NO_READING)
    return screen
