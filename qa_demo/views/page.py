"""The page: header, ask, tabs, and the chapters that exist."""

from collections.abc import Callable
from functools import partial
from types import ModuleType

import gradio as gr

from qa_demo import __version__
from qa_demo.core.infill import Infiller
from qa_demo.core.reader import Reader
from qa_demo.views import answer, bio, loss, scores, spanbert, spans, start_end, why, windows
from qa_demo.views.api import make_attribute, make_read
from qa_demo.views.api_infill import make_infill
from qa_demo.views.api_loss import make_loss
from qa_demo.views.api_tag import make_tag
from qa_demo.views.ask import BUNDLED, Ask
from qa_demo.views.components.picture import picture
from qa_demo.views.examples import PageExample, load_examples
from qa_demo.views.frame import Frame, open_chapter
from qa_demo.views.keeper import Keeper

CHAPTERS: tuple[ModuleType, ...] = (answer, scores, start_end, spans, loss, windows, bio, spanbert, why)
MAX_CHARACTERS = 50_000


def build(reader: Callable[[], Reader], load: Callable[[str], Reader], examples: dict[str, PageExample] | None = None,
          max_characters: int = MAX_CHARACTERS, default: str = BUNDLED,
          checksum: Callable[[], str | None] = lambda: None, infiller: Callable[[str], Infiller] | None = None) -> gr.Blocks:
    """Assemble the page. `reader()` waits for the reader named `default`; `load(source)` loads another one or refuses.

    `checksum()` is that of the bundled reader and waits for nothing: readings that other weights made are not shown. None: unknown.
    `infiller(source)` loads a model that fills blanks, "bundled" or another; it is called when chapter 8 is first opened.
    """
    with gr.Blocks(title="Spanlight", analytics_enabled=False, fill_width=True) as page:
        picture("header", elem_id="header")
        frame = Frame(CHAPTERS)
        frame.infiller = None if infiller is None else Keeper(infiller)
        ask = Ask(frame, reader, load, examples or load_examples(), max_characters, default, checksum)
        ask.build()
        frame.ask = ask
        tabs = [{"key": m.CHAPTER.key, "number": m.CHAPTER.number, "title": m.CHAPTER.title, "group": m.CHAPTER.group} for m in CHAPTERS]
        picture("guess", elem_id="guess")
        chapters = picture("chapters", {"chapters": tabs, "open": CHAPTERS[0].CHAPTER.key}, elem_id="chapters")
        frame.on(chapters.select, partial(open_chapter, frame))
        for module in CHAPTERS:
            with gr.Column(elem_id=f"panel-{module.CHAPTER.key}", elem_classes=["panel"]):
                frame.place(module.CHAPTER)
                module.build(frame)
        picture("foot", {"text": f"Spanlight {__version__}. Texts are read on this machine and go nowhere else."}, elem_id="foot")
        frame.wire()
        ask.wire(page)
        gr.api(make_read(reader, max_characters), api_name="read", concurrency_limit=4)
        gr.api(make_attribute(reader, max_characters), api_name="attribute", concurrency_limit=2)
        gr.api(make_loss(reader, max_characters), api_name="loss", concurrency_limit=4)
        gr.api(make_tag(reader, max_characters), api_name="tag", concurrency_limit=4)
        model = None if frame.infiller is None else partial(frame.infiller.get, BUNDLED)
        gr.api(make_infill(model, max_characters), api_name="infill", concurrency_limit=2)
    return page
