"""Ask: the boxes of question, paragraph, examples and reader, and what answers them."""

from typing import Any

import gradio as gr

from qa_demo.core.errors import BadInput
from qa_demo.core.options import WindowOptions
from qa_demo.figures.evaluation import CHAPTER_OF, MEANING
from qa_demo.figures.reader_facts import facts_sentence
from qa_demo.views.examples import menu
from qa_demo.views.follow import Links
from qa_demo.views.frame import Frame
from qa_demo.views.new_reading import NewReadings
from qa_demo.views.picture import picture
from qa_demo.views.readers import Readers
from qa_demo.views.slow_work import Stream, telling
from qa_demo.views.state import Screen
from qa_demo.views.update import said


class Ask:
    """The boxes of the page and the handlers behind them."""

    def __init__(self, frame: Frame) -> None:
        self.frame, self.services = frame, frame.services
        self.readings = NewReadings(frame)
        self.examples = frame.services.examples
        frame.read_again = self.read_again
        frame.slow.wire("chosen", "example", self.show_example)
        self.menu = Readers(frame, self.change_reader)
        self.links = Links(frame, self.readings)
        frame.slow.wire("chosen", "link", self.links.follow)

    def build(self) -> None:
        """The folded line, the boxes, the examples, the reader menu."""
        with gr.Column(elem_id="reader-panel"):
            self.menu.build()
        picture("cases", {"chapters": CHAPTER_OF, "meaning": MEANING}, elem_id="cases")
        with gr.Row(elem_id="ask-bar", equal_height=False):
            picture("asked", elem_id="asked")
            picture("examples", menu(self.examples), elem_id="ask-examples")
        with gr.Column(elem_id="ask"):
            self.question = self._box("question", "Question", 1, 3)
            self.context = self._box("context", "Paragraph", 6, 12)
            with gr.Row(elem_id="ask-buttons"):
                self.answer = gr.Button("Ask", elem_id="ask-answer", scale=0)
        self.address = [gr.Textbox(visible=False), gr.Textbox(visible=False)]

    def _box(self, name: str, label: str, lines: int, most: int) -> gr.Textbox:
        """A box for one of the texts."""
        place = f"ask-{label.lower()}"
        box = gr.Textbox(
            label=label, lines=lines, max_lines=most, elem_id=place, html_attributes=_PLAIN
        )
        return self.frame.box(name, box)

    def wire(self, page: gr.Blocks) -> None:
        """Connect the boxes; called once every picture stands."""
        frame, texts = self.frame, [self.question, self.context]
        for event in (self.answer.click, self.question.submit):
            frame.stream(event, texts, self.ask)
        frame.stream(page.load, self.address, self.links.start, js=_ADDRESS)

    # Handlers: each yields updates, and changes for the newest screen

    @telling
    def ask(self, screen: Screen | None, visitor: str, question: str, context: str) -> Stream:
        """Ask was pressed. An example's own texts are that example again."""
        source, example = self.readings.source(screen), self.readings.example(question, context)
        windows = self.readings.windows(screen, example)
        yield from self.readings.read(visitor, source, question, context, windows, example)

    @telling
    def show_example(
        self, screen: Screen | None, visitor: str, key: Any, source: str | None = None
    ) -> Stream:
        """An example was chosen: its stored reading at once, or a live one (by `source`)."""
        example = self.examples.get(key) if isinstance(key, str) else None
        if example is None:
            raise BadInput(f"There is no example '{str(key)[:40]}'.")
        source = source or self.readings.source(screen)
        windows = self.readings.windows(screen, example)
        texts = {"question": example.question, "context": example.context}
        ready = self.readings.stored(example, source, windows)
        yield from self.readings.read(
            visitor, source, **texts, windows=windows, example=example, ready=ready, boxes=texts
        )

    @telling
    def read_own(
        self, screen: Screen | None, visitor: str, source: str, question: str, context: str
    ) -> Stream:
        """Texts of one's own come into the boxes and are read."""
        windows = self.readings.windows(screen, None)
        texts = {"question": question, "context": context}
        yield from self.readings.read(
            visitor, source, **texts, windows=windows, example=None, boxes=texts
        )

    @telling
    def change_reader(
        self, screen: Screen | None, visitor: str, wanted: str, question: str, context: str
    ) -> Stream:
        """Load another reader and read the texts with it; the old one stays if anything fails."""
        name = (wanted or "").strip() or self.services.default
        shown = name[:200]
        found = yield from self.readings.load(visitor, name)
        error = found.error
        if found.superseded:
            error = (
                f"another text came while {shown} was loaded; press Load this reader again "
                f"to read it with that"
            )
        if error is not None:
            yield said(error, "error")  # what was typed stays, to be mended
            return
        example = self.readings.example(question, context)
        windows = self.readings.windows(screen, example)
        about = None
        if found.result is not None:
            sentence = facts_sentence(found.result.facts, found.result.checksum)
            about = said(sentence).then(self.menu.known(name, found.result))
        yield from self.readings.read(
            visitor, name, question, context, windows, example, after=about
        )

    @telling
    def read_again(self, screen: Screen, visitor: str, windows: WindowOptions) -> Stream:
        """The same texts in other windows."""
        texts, example = screen.reading.encoding, self.examples.get(screen.example or "")
        yield from self.readings.read(
            visitor, screen.source, texts.question, texts.context, windows, example
        )


_PLAIN = gr.InputHTMLAttributes(spellcheck=False)
_ADDRESS = """async (screen) => {
  const page = await import(new URL('static/page/page.js', document.baseURI).href);
  const address = await page.load('shared/address.js');
  return [screen, address.opened(), window.location.search];
}"""
