"""Ask: question, paragraph, examples, reader; and the one path by which a new reading comes to the screen."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import gradio as gr

from qa_demo.core.errors import BadInput
from qa_demo.core.inputs import check_texts
from qa_demo.core.progress import IsCancelled, OnProgress
from qa_demo.core.reader import Reader
from qa_demo.core.types import Answer, DecodeOptions, Reading, WindowOptions
from qa_demo.views import link, selection
from qa_demo.views.components.picture import picture
from qa_demo.views.desk import Desk, told
from qa_demo.views.errors import attempt
from qa_demo.views.examples import PageExample
from qa_demo.views.frame import Frame, message
from qa_demo.views.state import Screen, WhatIf

BUNDLED = "bundled"
RUN: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private", "concurrency_limit": 8, "concurrency_id": "reading"}


def new_screen(old: Screen | None, reading: Reading, gold: tuple[Answer, ...] = (), example: str | None = None) -> Screen:
    """Put a new reading on the screen: changes by hand are gone, limits and merge rules stay, the threshold stays with its reader."""
    if old is None:
        screen = Screen(reading, DecodeOptions(null_score_diff_threshold=reading.threshold or 0.0), gold=gold, example=example)
    else:
        decode = old.decode if (old.reading.weights, old.reading.threshold) == (reading.weights, reading.threshold) else replace(
            old.decode, null_score_diff_threshold=reading.threshold or 0.0)
        screen = old.change(reading=reading, decode=decode, what_if=WhatIf(), gold=gold, example=example, selection=None)
    chosen = selection.kept(old, screen)
    return screen if chosen is None else screen.select(chosen)


class Ask:
    """The boxes of the page and the handlers behind them."""

    def __init__(self, frame: Frame, reader: Callable[[], Reader], load: Callable[[str], Reader], examples: dict[str, PageExample],
                 max_characters: int, default: str = BUNDLED, checksum: Callable[[], str | None] = lambda: None) -> None:
        self.frame, self.reader, self.load, self.checksum = frame, reader, load, checksum
        self.examples, self.max_characters, self.default = examples, max_characters, default
        self.desk: Desk[Reading] = Desk()
        self._newest: dict[str, object] = {}

    def build(self) -> None:
        """The folded line, the boxes, the examples, the reader menu."""
        with gr.Row(elem_id="reader-panel", equal_height=False):
            names = sorted({BUNDLED, self.default})
            self.source = gr.Dropdown(names, value=self.default, label="Reader", allow_custom_value=True, elem_id="ask-reader",
                                      info="bundled, or a Hugging Face id (with @revision if wanted), or a folder on this machine")
            self.use = gr.Button("Load this reader", elem_id="ask-load", scale=0)
        with gr.Row(elem_id="ask-bar", equal_height=False):
            picture("asked", elem_id="asked")
            menu = [(e.title, e.id) for e in self.examples.values()]
            self.example = gr.Dropdown(menu, value=None, label="Examples", elem_id="ask-examples", interactive=True, min_width=220, scale=0)
        with gr.Column(elem_id="ask"):
            self.question = gr.Textbox(label="Question", lines=1, max_lines=3, elem_id="ask-question", html_attributes=_PLAIN)
            self.context = gr.Textbox(label="Paragraph", lines=6, max_lines=12, elem_id="ask-paragraph", html_attributes=_PLAIN)
            with gr.Row(elem_id="ask-buttons"):
                self.answer = gr.Button("Answer", elem_id="ask-answer", scale=0)
        self.fragment = gr.Textbox(visible=False)
        self.reader_in_use = gr.State(self.default)
        self.frame.reader_of, self.frame.source = self._reader, self.reader_in_use

    def wire(self, page: gr.Blocks) -> None:
        """Connect the boxes; called once every picture stands."""
        frame, texts = self.frame, [self.question, self.context]
        inputs = [frame.screen, self.reader_in_use, *texts]
        for event in (self.answer.click, self.question.submit):
            event(self.ask, inputs, [*frame.outputs, self.example], **RUN)
        frame.say.select(self.stop, [], [], show_progress="hidden", api_visibility="private", queue=False)
        self.example.input(self.show_example, [frame.screen, self.reader_in_use, self.example],
                           [*frame.outputs, self.question, self.context], **RUN)
        self.use.click(self.change_reader, [frame.screen, self.reader_in_use, self.source, *texts],
                       [*frame.outputs, self.reader_in_use, self.source], **RUN)
        for event, controls, change in frame.rereads:
            event(self.reread(change), [frame.screen, self.reader_in_use, *controls], frame.outputs, **RUN)
        frame.wish.change(self.wished, [frame.screen, self.reader_in_use, frame.wish],
                          [*frame.outputs, self.question, self.context, self.example], **RUN)
        page.unload(self.left)
        page.load(self.start, [self.fragment], [*frame.outputs, *texts, self.example],
                  js="() => [window.location.hash]", **RUN)

    # Handlers: each yields lists of updates ----------------------------------------------------------------------

    def ask(self, screen: Screen | None, source: str, question: str, context: str,
            request: gr.Request) -> Iterator[list[Any]]:
        """Answer was pressed. The menu names the example only while its texts are the ones that were read."""
        example = self._example(question, context)
        for updates in self._read(screen, request, source, question, context, self._windows(screen, example), example):
            yield [*updates, (example.id if example else None) if isinstance(updates[0], Screen) else gr.skip()]

    def show_example(self, screen: Screen | None, source: str, key: str, request: gr.Request) -> Iterator[list[Any]]:
        """An example was chosen: its stored reading at once, or a live one."""
        example = self.examples.get(key)
        if example is None:
            yield [*self.frame.skip(message(f"There is no example '{str(key)[:40]}'.", "error")), gr.skip(), gr.skip()]
            return
        texts, windows = [example.question, example.context], self._windows(screen, example)
        if (ready := self._stored(example, source, windows)) is not None:
            self._newest.pop(request.session_hash or "", None)  # what is still being read is no longer wanted
            self.desk.cancel(request.session_hash)
            yield [*self._show(screen, request, ready, example), *texts]
            return
        yield from once(self._read(screen, request, source, example.question, example.context, windows, example), texts)

    def change_reader(self, screen: Screen | None, source: str, wanted: str, question: str, context: str,
                      request: gr.Request) -> Iterator[list[Any]]:
        """Load another reader and read the texts with it; the one in use stays when anything fails."""
        name = (wanted or "").strip() or self.default
        newest = self._wish(request)
        yield [*self.frame.skip(message(f"loading {name[:200]}", "busy")), gr.skip(), gr.skip()]
        found, error = attempt(lambda: self._reader(name))
        if found is not None and not newest():
            error = f"{name[:200]} is loaded, but another text came meanwhile; press Load this reader again to read it with that."
            found = None
        if found is None:
            yield [*self.frame.skip(message(error or "", "error")), gr.skip(), source]
            return
        example = self._example(question, context)
        for updates in self._read(screen, request, name, question, context, self._windows(screen, example), example):
            yield [*updates, name if isinstance(updates[0], Screen) else gr.skip(), gr.skip()]

    def reread(self, change: Callable[..., WindowOptions]) -> Callable[..., Iterator[list[Any]]]:
        """A handler that reads the same texts in other windows; gradio fills in `request` only where it stands before *values."""
        def handler(screen: Screen | None, source: str, request: gr.Request, *values: Any) -> Iterator[list[Any]]:
            if screen is None:
                yield self.frame.skip(message("There is no reading yet.", "error"))
                return
            windows, error = attempt(lambda: change(screen, *values))
            if windows is None:
                yield self.frame.skip(message(error or "", "error"))
                return
            texts, example = screen.reading.encoding, self.examples.get(screen.example or "")
            yield from self._read(screen, request, source, texts.question, texts.context, windows, example)
        return handler

    def wished(self, screen: Screen | None, source: str, wish: tuple[str, Any, int] | None,
               request: gr.Request) -> Iterator[list[Any]]:
        """A picture asked for another reading: the same texts in other windows, or an example."""
        what, value = wish[:2] if wish is not None else ("", None)
        if what == "example":
            for updates in self.show_example(screen, source, value, request):
                yield [*updates, value if value in self.examples else gr.skip()]
        elif what == "windows":
            for updates in self.reread(lambda _, windows: windows)(screen, source, request, value):
                yield [*updates, gr.skip(), gr.skip(), gr.skip()]

    def start(self, fragment: str, request: gr.Request) -> Iterator[list[Any]]:
        """The page was opened: show what its link says, else the first example; its stored reading needs no model."""
        wanted, error = attempt(lambda: link.parse(fragment))
        first = next(iter(self.examples.values()))
        question, context = (wanted.question, wanted.context) if wanted else (first.question, first.context)
        example = self._example(question, context)
        windows = wanted.windows if wanted else self._windows(None, example)
        boxes = [question, context, example.id if example else None]
        said = message(error, "error") if error else None
        ready = self._stored(example, self.default, windows) if example else None
        if ready is not None:
            yield [*self._show(None, request, ready, example, wanted, said), *boxes]
            return
        yield from once(self._read(None, request, self.default, question, context, windows, example, wanted, said), boxes)

    def stop(self, request: gr.Request) -> None:
        """Cancel was pressed; the running reading ends with its own sentence."""
        self.desk.cancel(request.session_hash)

    def left(self, request: gr.Request) -> None:
        """The tab was closed."""
        self.frame.turns.forget(request.session_hash)
        self._newest.pop(request.session_hash or "", None)

    # The slow path -----------------------------------------------------------------------------------------------

    def _reader(self, source: str) -> Reader:
        return self.reader() if source == self.default else self.load(source)

    def _wish(self, request: gr.Request) -> Callable[[], bool]:
        """A visitor wants another reading; the function tells whether this is still the newest wish, or its answer comes too late."""
        visitor, token = request.session_hash or "", object()
        self._newest[visitor] = token
        return lambda: self._newest.get(visitor) is token

    def _example(self, question: str, context: str) -> PageExample | None:
        return next((e for e in self.examples.values() if (e.question, e.context) == (question, context)), None)

    def _windows(self, screen: Screen | None, example: PageExample | None) -> WindowOptions:
        """An example's own options; else those in use, unless they came with the example before: its small windows end with it."""
        if example is not None and example.windows is not None:
            return example.windows
        before = self.examples.get(screen.example or "") if screen is not None else None
        if screen is None or (before is not None and before.windows == screen.reading.options):
            return WindowOptions()
        return screen.reading.options

    def _stored(self, example: PageExample, source: str, windows: WindowOptions) -> Reading | None:
        """The stored reading when the reader in use made it; what that is, is known before its weights are there."""
        ready = attempt(lambda: example.stored(self.checksum()))[0] if source == BUNDLED else None
        return ready if ready is not None and ready.options == windows else None

    def _read(self, screen: Screen | None, request: gr.Request, source: str, question: str, context: str, windows: WindowOptions,
              example: PageExample | None, wanted: link.Link | None = None, said: dict[str, Any] | None = None) -> Iterator[list[Any]]:
        """Check, read in the pool with progress, show; or say why not and leave the last reading."""
        _, error = attempt(lambda: check_texts(question, context, self.max_characters))
        if error is not None:
            yield self.frame.skip(message(error, "error"))
            return

        def work(on_progress: OnProgress, cancelled: IsCancelled) -> tuple[Reading | None, str | None]:
            return attempt(lambda: self._reader(source).read(question, context, windows, on_progress, cancelled))

        newest = self._wish(request)
        yield self.frame.skip(message("reading", "busy"))
        reading, error = yield from told(
            self.desk.run(request.session_hash, work),
            lambda done, total: self.frame.skip(message(f"reading window {min(done + 1, total)} of {total}", "busy") if newest() else None))
        if not newest():
            return  # an example with a stored reading, or another text, was chosen while this one was read
        if reading is None:
            yield self.frame.skip(message(error or "", "error"))
            return
        yield self._show(screen, request, reading, example, wanted, said)

    def _show(self, screen: Screen | None, request: gr.Request, reading: Reading, example: PageExample | None,
              wanted: link.Link | None = None, said: dict[str, Any] | None = None) -> list[Any]:
        """A new reading comes to the screen as it is by then: what was chosen while it was made is kept."""
        def make(old: Screen | None) -> list[Any]:
            if not len(reading.encoding.context_ids):
                raise BadInput("the paragraph holds no word piece that this reader knows")
            screen = new_screen(old, reading, example.answers if example else (), example.id if example else None)
            if wanted is not None:
                screen = link.restore(screen, wanted, self.frame.modules)
            return self.frame.answer(old, screen, said or message(""))

        def answer(old: Screen | None) -> list[Any]:
            result, error = attempt(lambda: make(old))
            return self.frame.skip(message(error or "", "error")) if result is None else result
        return self.frame.turns.take(request.session_hash, screen, answer)


def once(updates: Iterator[list[Any]], boxes: list[Any]) -> Iterator[list[Any]]:
    """Each list of updates followed by the boxes' texts, which go with the first one only: what is typed meanwhile stays."""
    for k, update in enumerate(updates):
        yield [*update, *(boxes if k == 0 else (gr.skip() for _ in boxes))]


_PLAIN = gr.InputHTMLAttributes(spellcheck=False)
