"""The page: header, ask, tabs, and the chapters that exist."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from types import ModuleType

import gradio as gr

from qa_demo import __version__
from qa_demo.core.course.lesson_folder import Folder
from qa_demo.server.join import Join
from qa_demo.views.answer import chapter as answer
from qa_demo.views.answers import open_chapter
from qa_demo.views.api.attribute import attribute
from qa_demo.views.api.bench import bench
from qa_demo.views.api.infill import infill
from qa_demo.views.api.loss import loss as loss_call
from qa_demo.views.api.read import read
from qa_demo.views.api.tag import tag
from qa_demo.views.ask import Ask
from qa_demo.views.bench.panel import Panel
from qa_demo.views.bio import chapter as bio
from qa_demo.views.blocks import Page
from qa_demo.views.frame import Frame
from qa_demo.views.lessons.course import load_course
from qa_demo.views.lessons.strip import Strip
from qa_demo.views.loss import chapter as loss
from qa_demo.views.picture import picture
from qa_demo.views.saved.panel import Saver
from qa_demo.views.scores import chapter as scores
from qa_demo.views.services import Services
from qa_demo.views.spanbert import chapter as spanbert
from qa_demo.views.spans import chapter as spans
from qa_demo.views.start_end import chapter as start_end
from qa_demo.views.why import chapter as why
from qa_demo.views.windows import chapter as windows

CHAPTERS: tuple[ModuleType, ...] = (
    answer,
    scores,
    start_end,
    spans,
    loss,
    windows,
    bio,
    spanbert,
    why,
)

ENDPOINTS = (read, attribute, loss_call, tag, infill, bench)


def tabs() -> list[dict[str, str | int]]:
    """The chapters as the bar of tabs names them."""
    names = ("key", "number", "title", "group")
    return [{name: getattr(m.CHAPTER, name) for name in names} for m in CHAPTERS]


def frame_of(services: Services, chapters: Sequence[ModuleType] = CHAPTERS) -> Frame:
    """Chapters and what answers them, without a page around them: for what asks them itself."""
    with gr.Blocks(analytics_enabled=False):
        frame = Frame(chapters, services)
        for module in chapters:
            frame.place(module.CHAPTER)
            module.build(frame)
    return frame


def build(services: Services, join: Join | None = None, course: Folder | None = None) -> gr.Blocks:
    """Assemble the page; `join` is shown to a class, `course` is the bundled one by default."""
    with Page(title="Spanlight", analytics_enabled=False, fill_width=True) as page:
        picture("header", {"join": None if join is None else asdict(join)}, elem_id="header")
        frame = Frame(CHAPTERS, services)
        ask = Ask(frame)
        Strip(frame, ask, load_course() if course is None else course).build()
        Saver(frame, tabs()).build()
        panel = Panel(frame, ask)
        ask.build()
        panel.build()
        picture("guess", elem_id="guess")
        picture("verdict", elem_id="verdict")
        frame.box("given", picture("given", elem_id="given"))
        chapters = picture(
            "chapters", {"chapters": tabs(), "open": CHAPTERS[0].CHAPTER.key}, elem_id="chapters"
        )
        for module in CHAPTERS:
            with gr.Column(elem_id=f"panel-{module.CHAPTER.key}", elem_classes=["panel"]):
                frame.place(module.CHAPTER)
                module.build(frame)
        picture(
            "foot",
            {
                "text": f"Spanlight {__version__}. Texts are read by the server of this page and "
                f"go nowhere else."
            },
            elem_id="foot",
        )
        frame.on(chapters.select, partial(open_chapter, frame.modules))
        frame.wire(page)
        ask.wire(page)
        for call in (make(services) for make in ENDPOINTS):
            gr.api(call, api_name=call.__name__, concurrency_limit=None)
    return page
