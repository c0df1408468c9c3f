"""Ask: question, paragraph, examples, reader; and the one path by which a new reading comes to the
screen.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import gradio as gr

from qa_demo.core.errors import BadInput
from qa_demo.core.inputs import check_texts
from qa_demo.core.progress import IsCancelled, OnProgress
from qa_demo.core.types import Answer, DecodeOptions, Reading, WindowOptions
from qa_demo.views import link, selection
from qa_demo.views.background import Busy
from qa_demo.views.examples import PageExample
from qa_demo.views.frame import Frame
from qa_demo.views.picture import picture
from qa_demo.views.services import BUNDLED, reading_name
from qa_demo.views.session.errors import attempt
from qa_demo.views.slow_work import Stream
from qa_demo.views.state import Screen, WhatIf
from qa_demo.views.update import Update, said

KIND = "reading"
"""Readings of one visitor: a new one ends the last."""


def new_screen(
    old: Screen | None,
    reading: Reading,
    gold: tuple[Answer, ...] = (),
    example: str | None = None,
    source: str = BUNDLED,
) -> Screen:
    """Put a new reading on the screen: changes by hand are gone, limits and merge rules stay, the
    threshold stays with its reader.
    """
    if old is None:
        screen = Screen(
            reading,
            DecodeOptions(null_score_diff_threshold=reading.threshold or 0.0),
            gold=gold,
            example=example,
            source=source,
        )
    else:
        decode = (
            old.decode
            if (old.reading.weights, old.reading.threshold) == (reading.weights, reading.threshold)
            else replace(old.decode, null_score_diff_threshold=reading.threshold or 0.0)
        )
        screen = old.change(
            reading=reading,
            decode=decode,
            what_if=WhatIf(),
            gold=gold,
            silent=0,
            example=example,
            selection=None,
            source=source,
        )
    chosen = selection.kept(old, screen)
    return screen if chosen is None else screen.select(chosen)


def known_texts(reading: Reading) -> Reading:
    """The reading, refused when no word piece of the paragraph is known to its reader."""
    if not len(reading.encoding.context_ids):
        raise BadInput("the paragraph holds no word piece that this reader knows")
    return reading


class Ask:
    """The boxes of the page and the handlers behind them."""

    def __init__(self, frame: Frame) -> None:
        self.frame, self.services = frame, frame.services
        self.examples = frame.services.examples
        frame.read_again = self.read_again
        frame.slow.wire("chosen", "example", self.show_example)

    def build(self) -> None:
        """The folded line, the boxes, the examples, the reader menu."""
        with gr.Row(elem_id="reader-panel", equal_height=False):
            self._build_reader()
        with gr.Row(elem_id="ask-bar", equal_height=False):
            self._build_examples()
        with gr.Column(elem_id="ask"):
            self._build_texts()
        self.fragment = gr.Textbox(visible=False)

    def _build_reader(self) -> None:
        """The menu of readers."""
        names = sorted({BUNDLED, self.services.default})
        self.source = self.frame.box(
            "reader",
            gr.Dropdown(
                names,
                value=self.services.default,
                label="Reader",
                allow_custom_value=True,
                elem_id="ask-reader",
                info="bundled, or a Hugging Face id (with @revision if wanted), or a folder "
                "on this machine",
            ),
        )
        self.use = gr.Button("Load this reader", elem_id="ask-load", scale=0)

    def _build_examples(self) -> None:
        """The folded line and the examples."""
        picture("asked", elem_id="asked")
        menu = [(e.title, e.id) for e in self.examples.values()]
        self.example = self.frame.box(
            "example",
            gr.Dropdown(
                menu,
                value=None,
                label="Examples",
                elem_id="ask-examples",
                interactive=True,
                min_width=220,
                scale=0,
            ),
        )

    def _build_texts(self) -> None:
        """The boxes of question and paragraph."""
        self.question = self.frame.box(
            "question",
            gr.Textbox(
                label="Question",
                lines=1,
                max_lines=3,
                elem_id="ask-question",
                html_attributes=_PLAIN,
            ),
        )
        self.context = self.frame.box(
            "context",
            gr.Textbox(
                label="Paragraph",
                lines=6,
                max_lines=12,
                elem_id="ask-paragraph",
                html_attributes=_PLAIN,
            ),
        )
        with gr.Row(elem_id="ask-buttons"):
            self.answer = gr.Button("Answer", elem_id="ask-answer", scale=0)

    def wire(self, page: gr.Blocks) -> None:
        """Connect the boxes; called once every picture stands."""
        frame, texts = self.frame, [self.question, self.context]
        for event in (self.answer.click, self.question.submit):
            frame.stream(event, texts, self.ask)
        frame.stream(self.example.input, self.example, self.show_example)
        frame.stream(self.use.click, [self.source, *texts], self.change_reader)
        frame.stream(
            page.load, self.fragment, self.start, js="(screen) => [screen, window.location.hash]"
        )

    # Handlers: each yields updates, and changes for the newest screen

    def ask(self, screen: Screen | None, visitor: str, question: str, context: str) -> Stream:
        """Answer was pressed. The menu names the example only while its texts are the ones that
        were read.
        """
        example = self._example(question, context)
        yield from self._read(
            screen,
            visitor,
            self._source(screen),
            question,
            context,
            self._windows(screen, example),
            example,
        )

    def show_example(self, screen: Screen | None, visitor: str, key: Any) -> Stream:
        """An example was chosen: its stored reading at once, or a live one."""
        example = self.examples.get(key) if isinstance(key, str) else None
        if example is None:
            yield said(f"There is no example '{str(key)[:40]}'.", "error")
            return
        source, windows = self._source(screen), self._windows(screen, example)
        boxes = {"question": example.question, "context": example.context}
        if (ready := self._stored(example, source, windows)) is not None:
            self.services.jobs.supersede(
                visitor, KIND
            )  # what is still being read is no longer wanted
            yield partial(self._show, ready, source, example, boxes=boxes)
            return
        yield from with_boxes(
            self._read(
                screen, visitor, source, example.question, example.context, windows, example
            ),
            boxes,
        )

    def change_reader(
        self, screen: Screen | None, visitor: str, wanted: str, question: str, context: str
    ) -> Stream:
        """Load another reader and read the texts with it; the one in use stays when anything
        fails.
        """
        name = (wanted or "").strip() or self.services.default
        shown = name[:200]
        found = yield from self.frame.slow.follow(
            visitor,
            KIND,
            lambda *_: self.services.reader(name),
            Busy(f"loading {shown}"),
            loads=True,
        )
        error = found.error
        if found.superseded:
            error = (
                f"another text came while {shown} was loaded; press Load this reader again "
                f"to read it with that"
            )
        if error is not None:
            yield said(error, "error").with_controls(reader=self._source(screen))
            return
        example = self._example(question, context)
        yield from self._read(
            screen, visitor, name, question, context, self._windows(screen, example), example
        )

    def read_again(self, screen: Screen, visitor: str, windows: WindowOptions) -> Stream:
        """The same texts in other windows."""
        texts, example = screen.reading.encoding, self.examples.get(screen.example or "")
        yield from self._read(
            screen, visitor, screen.source, texts.question, texts.context, windows, example
        )

    def start(self, screen: Screen | None, visitor: str, fragment: str) -> Stream:
        """The page was opened: show what its link says, else the first example; its stored reading
        needs no model.
        """
        wanted, error = attempt(lambda: link.parse(fragment))
        first, source = next(iter(self.examples.values())), self.services.default
        question, context = (
            (wanted.question, wanted.context) if wanted else (first.question, first.context)
        )
        example = self._example(question, context)
        windows = wanted.windows if wanted else self._windows(None, example)
        boxes = {
            "question": question,
            "context": context,
            "example": example.id if example else None,
        }
        after = said(error, "error") if error else None
        ready = self._stored(example, source, windows) if example else None
        if ready is not None:
            yield partial(
                self._show, ready, source, example, wanted=wanted, after=after, boxes=boxes
            )
            return
        yield from with_boxes(
            self._read(None, visitor, source, question, context, windows, example, wanted, after),
            boxes,
        )

    # The slow path

    def _source(self, screen: Screen | None) -> str:
        return self.services.default if screen is None else screen.source

    def _example(self, question: str, context: str) -> PageExample | None:
        return next(
            (e for e in self.examples.values() if (e.question, e.context) == (question, context)),
            None,
        )

    def _windows(self, screen: Screen | None, example: PageExample | None) -> WindowOptions:
        """An example's own options; else those in use, unless they came with the example before:
        its small windows end with it.
        """
        if example is not None and example.windows is not None:
            return example.windows
        before = self.examples.get(screen.example or "") if screen is not None else None
        if screen is None or (before is not None and before.windows == screen.reading.options):
            return WindowOptions()
        return screen.reading.options

    def _stored(self, example: PageExample, source: str, windows: WindowOptions) -> Reading | None:
        """The stored reading when the reader in use made it; what that is, is known before its
        weights are there.
        """
        ready = (
            attempt(lambda: example.stored(self.services.checksum()))[0]
            if source == BUNDLED
            else None
        )
        return ready if ready is not None and ready.options == windows else None

    def _read(
        self,
        screen: Screen | None,
        visitor: str,
        source: str,
        question: str,
        context: str,
        windows: WindowOptions,
        example: PageExample | None,
        wanted: link.Link | None = None,
        after: Update | None = None,
    ) -> Stream:
        """Check, read in the server's queue with progress, show; or say why not and leave the last
        reading.
        """
        _, error = attempt(lambda: check_texts(question, context, self.services.max_characters))
        if error is not None:
            yield said(error, "error")
            return

        def work(on_progress: OnProgress, cancelled: IsCancelled) -> Reading:
            return known_texts(
                self.services.read(source, question, context, windows, on_progress, cancelled)
            )

        outcome = yield from self.frame.slow.follow(
            visitor,
            KIND,
            work,
            Busy("reading", "window"),
            share=reading_name(source, question, context, windows),
        )
        if outcome.superseded:
            # an example with a stored reading, or another text, was chosen while this one was read
            return
        if outcome.result is None:
            yield said(outcome.error or "", "error")
            return
        yield partial(self._show, outcome.result, source, example, wanted=wanted, after=after)

    def _show(
        self,
        reading: Reading,
        source: str,
        example: PageExample | None,
        old: Screen | None,
        *,
        wanted: link.Link | None = None,
        after: Update | None = None,
        boxes: dict[str, Any] | None = None,
    ) -> Update:
        """A new reading comes to the screen as it is by then: what was chosen while it was made is
        kept.
        """

        def make() -> Update:
            screen = new_screen(
                old,
                reading,
                example.answers if example else (),
                example.id if example else None,
                source,
            )
            if wanted is not None:
                screen = link.restore(screen, wanted, self.frame.modules)
            shown = self.frame.answers.answer(old, screen).then(after or said(""))
            controls = {"example": example.id if example else None, **(boxes or {})}
            return shown.with_controls(**controls)

        update, error = attempt(make)
        return said(error or "", "error") if update is None else update


def with_boxes(
    stream: Stream, boxes: dict[str, Any]
) -> Iterator[Update | Callable[[Screen | None], Update]]:
    """The boxes' texts go with the first update only: what is typed meanwhile stays."""
    for k, item in enumerate(stream):
        yield item.with_controls(**boxes) if k == 0 and isinstance(item, Update) else item


_PLAIN = gr.InputHTMLAttributes(spellcheck=False)
