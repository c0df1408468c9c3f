"""The frame that every chapter is wired into: one state, one list of outputs, one way to answer an event.

A handler maps a Screen (and a value) to a new Screen. The frame compares the two and sends what differs, so that
a click costs one selection record and a slider one chapter.
"""

import itertools
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import astuple
from functools import partial
from types import ModuleType
from typing import Any

import gradio as gr

from qa_demo.core.errors import BadInput
from qa_demo.core.infill import Infiller
from qa_demo.core.reader import Reader
from qa_demo.core.types import WindowOptions
from qa_demo.figures.pack import printable
from qa_demo.figures.payload import plain
from qa_demo.figures.reading import reading_data
from qa_demo.views import selection
from qa_demo.views.components.picture import picture
from qa_demo.views.errors import attempt
from qa_demo.views.keeper import Keeper
from qa_demo.views.state import Chapter, Screen, WhatIf
from qa_demo.views.turns import Turns

Change = Callable[..., Screen]
QUIET: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private", "trigger_mode": "always_last", "queue": True}
EVENT: dict[str, Any] = {**QUIET, "trigger_mode": "multiple"}
"""For events of pictures: "always_last" would repeat the data of the first; the browser's outbox sends one at a time instead."""
_messages = itertools.count(1)


def message(text: str, kind: str = "quiet") -> dict[str, Any]:
    """What the line under the question says; kind is quiet, busy or error. Numbered, so that a repeated sentence is spoken again."""
    return {"text": printable(text), "kind": kind, "n": next(_messages)}


class Frame:
    """The shared state and outputs of one page; events are collected while the page is built and wired at its end.

    `source` names the visitor's reader and `reader_of(source)` waits for it: for chapters whose handlers ask a reader themselves.
    Both are set before any chapter is built.
    """

    def __init__(self, chapters: Sequence[ModuleType]) -> None:
        self.modules = {module.CHAPTER.key: module for module in chapters}
        self.screen = gr.State(None)
        self.turns = Turns()
        self.store = picture("store", elem_id="store")
        self.chosen = picture("chosen", elem_id="chosen")
        self.say = picture("say", elem_id="say")
        self.heard = picture("heard", elem_id="heard")
        self.wish = gr.State(None)
        """(what, value, number): a picture asked for another reading; `Ask` makes it on the path of all new readings."""
        self.pictures: dict[str, gr.HTML] = {}
        self.ask: Any = None
        """The page's `Ask`, there when chapters are built: which reader is in use, and the path of a new reading."""
        self.rereads: list[tuple[Callable[..., Any], list[Any], Callable[..., WindowOptions]]] = []
        self.reader_of: Callable[[str], Reader] | None = None
        self.source: gr.State | None = None
        self.infiller: Keeper[Infiller] | None = None
        """Holds the models that fill blanks; None on a page that was started without one."""
        self._mirrors: list[tuple[Any, Callable[[Screen], Any]]] = []
        self._pending: list[tuple[Callable[..., Any], Callable[..., Any], list[Any], dict[str, Any]]] = []
        self._events: list[tuple[Callable[..., Any], Callable[[Screen | None, gr.EventData], list[Any]]]] = []
        self._inputs: dict[str, dict[str, Callable[[Screen | None, Any], list[Any]]]] = {"chosen": {
            "reset": lambda screen, _: self.step(screen, reset), "example": lambda screen, key: self.wished("example", str(key)[:80])}}

    # For chapters -------------------------------------------------------------------------------------------------

    def place(self, chapter: Chapter) -> gr.HTML:
        """Make the picture of a chapter where the caller stands."""
        self.pictures[chapter.key] = picture("chapter", {"chapter": chapter.key, "question": chapter.question},
                                             elem_id=f"picture-{chapter.key}")
        return self.pictures[chapter.key]

    def settings(self, chapter: Chapter) -> AbstractContextManager[Any]:
        """A folded group for the controls of a chapter."""
        return gr.Accordion("settings", open=False, elem_id=f"{chapter.key}-settings", elem_classes=["settings"])

    def control(self, event: Callable[..., Any], inputs: Any, change: Change) -> None:
        """Wire a gradio control: change(screen, *values) -> Screen, where screen is the newest one."""
        def handler(screen: Screen | None, request: gr.Request, *values: Any) -> list[Any]:
            return self.turns.take(request.session_hash, screen, lambda now: self.step(now, lambda seen: change(seen, *values)))
        self._pending.append((event, handler, _listed(inputs), QUIET))

    def mirror(self, component: Any, value: Callable[[Screen], Any]) -> None:
        """Keep a control at value(screen), so that a new reading, a reset or a link moves it too."""
        self._mirrors.append((component, value))

    def reread(self, event: Callable[..., Any], inputs: Any, change: Callable[..., WindowOptions]) -> None:
        """Wire a control that needs the reader again: change(screen, *values) -> WindowOptions; same texts, with progress and cancel."""
        self.rereads.append((event, _listed(inputs), change))

    def browser_input(self, chapter: Chapter, name: str, change: Change) -> None:
        """Wire `page.input(name, value)` of a chapter's picture: change(screen, value) -> Screen."""
        self._hear(chapter, name, lambda screen, value: self.step(screen, lambda seen: change(seen, value)))

    def browser_show(self, chapter: Chapter, name: str, make: Callable[[Screen, Any], dict[str, Any]]) -> None:
        """Wire a request that only draws the chapter's picture anew: make(screen, value) -> what `present` returns."""
        self._hear(chapter, name, lambda screen, value: self._show(chapter, screen, lambda seen: make(seen, value)))

    def browser_reread(self, chapter: Chapter, name: str, change: Callable[[Screen, Any], WindowOptions]) -> None:
        """Wire a request that needs the reader again: change(screen, value) -> WindowOptions; same texts, with progress and cancel."""
        def wish(screen: Screen | None, value: Any) -> list[Any]:
            windows, error = attempt(lambda: change(_there(screen), value))
            return self.skip(message(error or "", "error")) if windows is None else self.wished("windows", windows)
        self._hear(chapter, name, wish)

    # For the page -------------------------------------------------------------------------------------------------

    def on(self, event: Callable[..., Any], change: Callable[[Screen, gr.EventData], Screen]) -> None:
        """Wire an event of a picture: change(screen, event data) -> Screen."""
        self._events.append((event, lambda screen, data: self.step(screen, lambda seen: change(seen, data))))

    @property
    def outputs(self) -> list[Any]:
        """Every component an event may change, in the order of `answer`."""
        return [self.screen, self.store, self.chosen, self.say, *self.pictures.values(), *(c for c, _ in self._mirrors)]

    def wire(self) -> None:
        """Connect every collected event; called once all pictures stand.

        A picture's inputs have one handler for all their names, since each handler of an event answers with a whole screen. A selection
        has few outputs: gradio's page copies the data of every output of an event several times, and a selection changes none of a picture.
        """
        for event, handler, inputs, how in self._pending:
            event(handler, [self.screen, *inputs], self.outputs, **how)
        for key, made in (("chosen", self.chosen), *self.pictures.items()):
            self._events.append((made.input, partial(self.dispatch, key)))
        for event, answer in self._events:
            event(self._receipted(answer), [self.screen], [*self.outputs, self.wish, self.heard], **EVENT)
        self.chosen.select(self.selected, [self.screen], [self.screen, self.chosen, self.say, self.heard], **EVENT)
        self._pending.clear()
        self._events.clear()

    def selected(self, screen: Screen | None, data: gr.EventData, request: gr.Request) -> list[Any]:
        """A click on any token, dot, cell or row: the screen, the record, the message, the receipt."""
        updates = self._receipted(lambda now, sent: self.step(now, lambda seen: select(seen, sent)))(screen, data, request)
        return [updates[0], updates[2], updates[3], updates[-1]]

    def dispatch(self, key: str, screen: Screen | None, data: gr.EventData) -> list[Any]:
        """Answer `page.input(name, value)` of a picture by the handler of that name; a name that none has may be a chapter's own."""
        event = data._data or {}
        handler = self._inputs.get(key, {}).get(str(event.get("index")))
        return self.skip() if handler is None else handler(screen, event.get("value"))

    def wished(self, what: str, value: Any) -> list[Any]:
        """Change nothing yet, but ask for another reading: "windows" with options or "example" with its id."""
        return [*self.skip(), (what, value, next(_messages))]

    def _hear(self, chapter: Chapter, name: str, handler: Callable[[Screen | None, Any], list[Any]]) -> None:
        self._inputs.setdefault(chapter.key, {})[name] = handler

    def _show(self, chapter: Chapter, screen: Screen | None, make: Callable[[Screen], dict[str, Any]]) -> list[Any]:
        def show() -> list[Any]:
            seen = _there(screen)
            data = plain({"stamp": seen.stamp, "chapter": chapter.key, **make(seen)})
            updates = self.skip()
            updates[4 + list(self.pictures).index(chapter.key)] = data
            return updates
        updates, error = attempt(show)
        return self.skip(message(error or "", "error")) if updates is None else updates

    def _receipted(self, answer: Callable[[Screen | None, gr.EventData], list[Any]]) -> Callable[..., list[Any]]:
        """The handler of an event whose answer always differs, refused or not, since the browser sends the next one when it came."""
        def handler(screen: Screen | None, data: gr.EventData, request: gr.Request) -> list[Any]:
            updates = self.turns.take(request.session_hash, screen, lambda now: answer(now, data))
            wish = updates[len(self.outputs):] or [gr.skip()]
            number = (data._data or {}).get("id")
            said = updates[3] if isinstance(updates[3], dict) else {}
            return [*updates[:len(self.outputs)], *wish,
                    {"id": number if type(number) is int else 0, "refused": said.get("kind") == "error", "n": next(_messages)}]
        return handler

    def step(self, screen: Screen | None, change: Callable[[Screen], Screen]) -> list[Any]:
        """Answer one event: the new screen's differences, or the sentence of an error and the old screen."""
        result, error = attempt(lambda: self.answer(screen, change(_there(screen))))
        return self.skip(message(error, "error")) if result is None else result

    def skip(self, said: dict[str, Any] | None = None) -> list[Any]:
        """Change nothing but the message."""
        return [gr.skip(), gr.skip(), gr.skip(), said or gr.skip(), *(gr.skip() for _ in (*self.pictures, *self._mirrors))]

    def answer(self, old: Screen | None, new: Screen, said: dict[str, Any] | None = None) -> list[Any]:
        """The updates that turn what the browser shows from `old` into `new`."""
        module = self.modules[new.chapter]
        stale = new.chapter not in new.fresh
        data = plain({"stamp": new.stamp, "chapter": new.chapter, **module.present(new)}) if stale else None
        new = new.presented(new.chapter)
        moved = old is None or old.stamp != new.stamp
        store = plain({"open": new.chapter if old is None else None,
                       **reading_data(new.shown, new.gold, new.stamp, new.what_if.changes_numbers, new.what_if.temperature,
                                      new.example is not None)}) if moved else gr.skip()
        pictures = [data if data is not None and key == new.chapter else gr.skip() for key in self.pictures]
        mirrors = [gr.update(value=value(new)) if old is None or value(old) != value(new) else gr.skip() for _, value in self._mirrors]
        return [new, store, self.record(new), said or gr.skip(), *pictures, *mirrors]

    def record(self, screen: Screen) -> dict[str, Any]:
        """The selection record with the formula of every chapter; numbered, so that it is news even where nothing moved."""
        formulas = {key: module.formula(screen) for key, module in self.modules.items()} if screen.selection is not None else {}
        details = {key: module.details(screen) for key, module in self.modules.items() if hasattr(module, "details")}
        options = {"windows": list(astuple(screen.reading.options)), "decode": list(astuple(screen.decode)[:3])}
        own: dict[str, str] = {}
        for module in self.modules.values():
            own |= module.link(screen) if hasattr(module, "link") else {}
        return plain({"stamp": screen.stamp, "n": next(_messages), **selection.record(screen), "formulas": formulas, "details": details,
                      "options": options, "link": own})


def _listed(inputs: Any) -> list[Any]:
    return list(inputs) if isinstance(inputs, list | tuple) else [inputs]


def select(screen: Screen, data: gr.EventData) -> Screen:
    """The same screen with what was clicked selected."""
    return screen.select(selection.parse(screen.reading, (data._data or {}).get("index")))


def reset(screen: Screen) -> Screen:
    """The banner's button: numbers changed by hand go back to the reader's own."""
    return screen.change(what_if=WhatIf())


def _there(screen: Screen | None) -> Screen:
    if screen is None:
        raise BadInput("There is no reading yet.")
    return screen


def open_chapter(frame: Frame, screen: Screen, data: gr.EventData) -> Screen:
    """A tab was chosen: present it when the browser's copy is stale."""
    key = (data._data or {}).get("index")
    if not isinstance(key, str) or key not in frame.modules:
        raise BadInput(f"this page has no chapter '{str(key)[:20]}'")
    return screen.open(key)
