"""The frame of every chapter: one state, one way to answer, one way to do slow work."""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from types import ModuleType
from typing import Any

import gradio as gr

from qa_demo.core.options import WindowOptions
from qa_demo.views.answers import Answers, select, shown, there, tried
from qa_demo.views.background import Background, Job
from qa_demo.views.by_hand import give_back
from qa_demo.views.outputs import EVENT, RUN, SELECTED, Answer, Outputs
from qa_demo.views.picture import picture
from qa_demo.views.services import Services
from qa_demo.views.session.lock import SessionLock
from qa_demo.views.slow_work import SlowWork, Stream, telling
from qa_demo.views.state import Chapter, Screen
from qa_demo.views.take_home import given, reading_file
from qa_demo.views.update import Update


class Frame:
    """The state and outputs of one page; events are collected while it is built, then wired."""

    def __init__(self, chapters: Sequence[ModuleType], services: Services) -> None:
        self.modules = {module.CHAPTER.key: module for module in chapters}
        self.services = services
        self.sessions = SessionLock()
        self.answers = Answers(self.modules, services.examples)
        self.slow = SlowWork(services, self.sessions, self.answers)
        self.outputs = Outputs(self.sessions)
        self.selected = self.outputs.receipted(self._select, SELECTED)
        """A click on any token, dot, cell or row changes few outputs."""
        self.inputs: dict[str, dict[str, Callable[[Screen | None, Any], Update]]] = {
            "chosen": {
                "back": lambda screen, value: self.answers.step(
                    screen, lambda seen: give_back(seen, value, self.modules)
                ),
                "json": lambda screen, _: given("json", screen, reading_file),
            },
            **{
                key: {"code": lambda screen, _, make=module.code: given("code", screen, make)}
                for key, module in self.modules.items()
                if hasattr(module, "code")
            },
        }
        """Quick handlers, by the picture and the name of the event."""
        self._leaving: list[Callable[[str], None]] = [self.slow.left, self.sessions.forget]
        self._done = gr.State(0)
        self.read_again: Callable[[Screen, str, WindowOptions], Stream] | None = None
        """The path of all new readings (`Ask`), for chapters that want other windows."""

    # For chapters

    def place(self, chapter: Chapter) -> gr.HTML:
        """Make the picture of a chapter where the caller stands."""
        about = {"chapter": chapter.key, "question": chapter.question}
        return self.picture(chapter.key, about, "chapter", f"picture-{chapter.key}")

    def picture(
        self, key: str, value: Any = None, kind: str | None = None, elem_id: str | None = None
    ) -> gr.HTML:
        """Make a picture that sends events; its kind and its id are its key by default."""
        made = picture(kind or key, value, elem_id=elem_id or key)
        self.outputs.parts[f"picture:{key}"] = made
        return made

    def browser_input(
        self, chapter: Chapter, name: str, change: Callable[[Screen, Any], Screen]
    ) -> None:
        """Wire `page.input(name, value)` of a chapter's picture: change(screen, value) = Screen."""
        self.inputs.setdefault(chapter.key, {})[name] = lambda screen, value: self.answers.step(
            screen, lambda seen: change(seen, value)
        )

    def browser_show(
        self, chapter: Chapter, name: str, make: Callable[[Screen, Any], dict[str, Any]]
    ) -> None:
        """Wire a request that only redraws its picture: make(screen, value) -> as `present`."""

        def show(screen: Screen | None, value: Any) -> Update:
            return tried(screen, lambda seen: shown(chapter, seen, make(seen, value)))

        self.inputs.setdefault(chapter.key, {})[name] = show

    def browser_reread(
        self, chapter: Chapter, name: str, change: Callable[[Screen, Any], WindowOptions]
    ) -> None:
        """Wire a request that needs the reader again: change(screen, value) -> WindowOptions."""

        @telling
        def reread(screen: Screen | None, visitor: str, value: Any) -> Stream:
            assert self.read_again is not None
            yield from self.read_again(there(screen), visitor, change(there(screen), value))

        self.slow.wire(chapter.key, name, reread)

    def background(
        self,
        chapter: Chapter,
        names: Sequence[str],
        work: Callable[[Job], Any],
        *how: Any,
        **more: Any,
    ) -> None:
        """Wire slow requests `page.input(name, value)` of a chapter's picture: they run in the
        server's queue, with Cancel. work(job), receive and the rest as in `Background`.
        """
        task = Background(f"{chapter.key}:{names[0]}", work, *how, **more)
        for name in names:
            self.slow.wire_task(chapter.key, name, task)

    # For the page

    def on(
        self, event: Callable[..., Any], change: Callable[[Screen, gr.EventData], Screen]
    ) -> None:
        """Wire an event of a picture, once all pictures stand: change(screen, event data)."""
        self._quick(
            event, lambda screen, data: self.answers.step(screen, lambda seen: change(seen, data))
        )

    def _quick(self, event: Callable[..., Any], answer: Answer, slow: Collection[str] = ()) -> None:
        """Wire an event that is answered at once; `slow` work of some names goes on after that."""
        out = self.outputs
        answered = out.receipted(answer, slow=slow)
        event(answered, [out.screen], [*out.some(), out.receipt], **EVENT)

    def on_leave(self, forget: Callable[[str], None]) -> None:
        """Call forget(visitor) when a tab is closed."""
        self._leaving.append(forget)

    def box(self, name: str, component: Any) -> Any:
        """Name a gradio component that updates may change."""
        self.outputs.parts[f"control:{name}"] = component
        return component

    def stream(
        self,
        event: Callable[..., Any],
        inputs: Sequence[Any],
        handler: Callable[..., Stream],
        **how: Any,
    ) -> None:
        """Wire a gradio event to a slow handler(screen, visitor, *values)."""

        def streamed(
            screen: Screen | None, request: gr.Request, *values: Any
        ) -> Iterator[list[Any]]:
            visitor = request.session_hash or ""
            for item in handler(screen, visitor, *values):
                yield self.outputs.values(
                    self.sessions.apply(visitor, screen, item) if callable(item) else item
                )

        event(streamed, [self.outputs.screen, *inputs], self.outputs.some(), **{**RUN, **how})

    def wire(self, page: gr.Blocks) -> None:
        """Connect every collected event; called once all pictures stand.

        A selection and the start of slow work have few outputs: gradio's page copies the data of
        every output of an event several times, and neither changes a picture.
        """
        out = self.outputs
        for key, made in out.pictures.items():
            self._wire_picture(key, made)
        few = [*out.some(SELECTED), out.receipt]
        out.parts["selection"].select(self.selected, [out.screen], few, **EVENT)
        self._done.change(
            self.deliver, [out.screen], out.some(), **{**EVENT, "concurrency_limit": None}
        )
        out.parts["message"].select(
            self.slow.stop, [], [], show_progress="hidden", api_visibility="private", queue=False
        )
        out.receipt.input(_nothing, [], [], **{**EVENT, "concurrency_limit": None})
        page.unload(self.left)

    def _wire_picture(self, key: str, made: Any) -> None:
        """A picture's inputs have one handler for all their names, since each handler of an event
        answers with a whole screen; another one begins slow work.
        """
        slow = self.slow.handlers.get(key, {})
        if slow:
            # gradio looks at the signature of a handler, and whether it is a generator function
            def begin(
                screen: Screen | None, data: gr.EventData, request: gr.Request
            ) -> Iterator[tuple[Any, Any]]:
                yield from self.slow.begin(key, screen, data, request)

            made.input(
                begin,
                [self.outputs.screen],
                [self.outputs.parts["message"], self._done],
                **{**RUN, "trigger_mode": "multiple"},
            )
        # last: gradio sends an event's requests in this order, and the receipt lets the next one go
        self._quick(made.input, partial(self.dispatch, key), slow)

    # Handlers

    def dispatch(self, key: str, screen: Screen | None, data: gr.EventData) -> Update:
        """Answer `page.input(name, value)` by the handler of that name; others may be slow work."""
        event = data._data or {}
        handler = self.inputs.get(key, {}).get(str(event.get("index")))
        return Update() if handler is None else handler(screen, event.get("value"))

    def deliver(self, screen: Screen | None, request: gr.Request) -> list[Any]:
        """Put what slow work has made for this visitor on the newest screen."""
        return self.outputs.values(self.slow.deliver(screen, request.session_hash or ""))

    def _select(self, screen: Screen | None, data: gr.EventData) -> Update:
        return self.answers.step(screen, lambda seen: select(seen, data))

    def left(self, request: gr.Request) -> None:
        """The tab was closed."""
        for forget in self._leaving:
            forget(request.session_hash or "")


def _nothing() -> None:
    """The browser knocks (silence.js): any event brings it what is waiting there."""
