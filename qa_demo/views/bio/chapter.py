"""Chapter 7, Tags: B, I or O for each token on the same encoder; spans, and annotators."""

from collections.abc import Callable
from typing import Any

import numpy as np

from qa_demo.core.learning.tagging import owned_rows
from qa_demo.core.learning.teach import apart
from qa_demo.figures.bio import picture as figure
from qa_demo.figures.bio import teach
from qa_demo.figures.bio.code import bio_code
from qa_demo.figures.bio.measured import lists_picture, lists_table
from qa_demo.figures.pack import printable
from qa_demo.figures.payload import page_data
from qa_demo.figures.reading import in_own_words
from qa_demo.views import hidden_states
from qa_demo.views.background import Busy, Job
from qa_demo.views.bio import bench, linked
from qa_demo.views.bio import lesson as bio_lesson
from qa_demo.views.bio.bench import Teaching
from qa_demo.views.bio.shown import glued_examples, with_tags, without_tags
from qa_demo.views.bio.training import teach as teach_both
from qa_demo.views.code import shown_of
from qa_demo.views.frame import Frame
from qa_demo.views.measured import measured
from qa_demo.views.state import Chapter, Screen

CHAPTER = Chapter(
    "bio",
    7,
    "Tags",
    "Other heads",
    "What if every token is tagged: begins an answer, inside one, outside?",
)
QUICK: dict[str, Callable[[Screen, Any], Screen]] = {
    "mark": bench.change_mark,
    "preset": bench.change_preset,
    "one": bench.change_one,
    "threshold": bench.change_threshold,
    "taught": bio_lesson.change_taught,
}
BUSY = {
    "heads": Busy("asking the reader for its heads", "step"),
    "products": Busy("computing hidden states", "step"),
    "teach": Busy("teaching both heads", "step"),
}


def present(screen: Screen) -> dict[str, Any]:
    """The three steps; for a reader without a BIO head, what can be done about it."""
    reading = bench.tagged(screen)
    base: dict[str, Any] = {
        "has": reading is not None,
        "reader": printable(screen.reading.model_name),
        "shownTaught": bench.taught(screen) is not None,
        "needs": hidden_states.heads(screen.reading) is None,
        "annotators": marks_data(screen),
        "taught": taught(screen),
        "lists": lists_picture(measured(screen.source)),
    }
    made = without_tags(screen) if reading is None else with_tags(screen, reading)
    now = base["taught"]["now"]
    return page_data(
        CHAPTER.question,
        base | made.picture,
        made.notice,
        in_own_words(figure.SIMPLIFIED, screen.reading.encoding),
        [
            *made.tables,
            *(teach.teach_tables(now) if now and made.tables else ()),
            *lists_table(measured(screen.source)),
        ],
    )


def marks_data(screen: Screen) -> dict[str, Any]:
    """The three annotators' marks, for readers with and without a head."""
    marks, named = bench.annotators(screen)
    return {
        "named": named,
        "marks": [
            [
                {"start": m.start, "end": m.end, "text": printable(screen.reading.encoding.text(m))}
                for m in spans
            ]
            for spans in marks
        ],
        "several": len(apart(marks)) > 1,
    }


LINKED = linked.LINKED


def taught(screen: Screen) -> dict[str, Any]:
    """Both heads taught the annotators' marks: what could be taught, what the steps so far did."""
    found, steps = bio_lesson.lesson_place(screen), bio_lesson.teaching_of(screen)
    if found is None:
        return {**teach.controls(), "ready": False, "examples": glued_examples(), "now": None}
    return {
        **teach.controls(),
        "ready": True,
        "target": teach.target_sentence(
            screen.reading, found[1], found[0], bench.annotators(screen)[0]
        ),
        "now": None
        if steps is None
        else teach.teach_data(steps.path, found[0], found[1], steps.floor, screen.decode),
    }


def formula(screen: Screen) -> list[dict[str, str]]:
    """p_i = softmax(W h_i + b), with the reader's dimensions and the selected token's numbers."""
    weights, reading = hidden_states.heads(screen.reading), bench.tagged(screen)
    d = None if weights is None else len(weights.S)
    if reading is None or screen.selection is None:
        return figure.bio_formula(None, None, d)
    doc, (rows, owner) = screen.selection.span.start, owned_rows(reading)
    pos = reading.windows[int(owner[doc])].to_pos(doc)
    return figure.bio_formula(np.exp(rows[doc]), pos, d)


def details(screen: Screen) -> dict[str, Any]:
    """The selection's first token taken apart; its products once the states are fetched."""
    reading = bench.tagged(screen) if screen.chapter == CHAPTER.key else None
    if reading is None or screen.selection is None:
        return {"token": None}
    rows, owner = owned_rows(reading)
    doc = screen.selection.span.start
    window = reading.windows[int(owner[doc])]
    token = figure.token_data(reading, rows, owner, doc)
    hidden, weights = hidden_states.get(screen.reading, window), head_in_use(screen)
    products = (
        None
        if hidden is None or weights is None
        else figure.products_data(*weights, hidden[window.to_pos(doc)])
    )
    return {"token": token, "products": products}


def head_in_use(screen: Screen) -> tuple[Any, Any] | None:
    """W and b of the head whose numbers are shown, when they are at hand."""
    taught = bench.taught(screen)
    found = hidden_states.heads(screen.reading) if taught is None else taught[0].heads
    return None if found is None or found.W is None or found.b is None else (found.W, found.b)


def opening(screen: Screen) -> list[tuple[str, Any]]:
    """What the picture asks for when it is opened."""
    return [("heads", True)] if hidden_states.heads(screen.reading) is None else []


def work(job: Job) -> Teaching | None:
    """What a slow request does with the reader; heads and products only fill what is kept."""
    if job.name == "teach":
        return teach_both(job)
    screen = job.screen
    hidden_states.fetch_heads(job)
    if job.name == "products" and screen.selection is not None:
        reading = bench.tagged(screen)
        owner = (
            screen.selection.window
            if reading is None
            else int(owned_rows(reading)[1][screen.selection.span.start])
        )
        hidden_states.fetch(job, screen.reading, screen.reading.windows[owner])
    return None


def receive(screen: Screen, job: Job, found: Teaching | None) -> Screen:
    """Put what the reader gave on the newest screen: taught heads, or a fuller picture."""
    return bench.put(screen, **({} if found is None else {"teaching": found}))


def code(screen: Screen) -> str:
    """Plain torch that prints these numbers."""
    return bio_code(shown_of(screen))


def build(frame: Frame) -> None:
    """Quick requests change the screen; slow ones ask the reader. Taught heads live on."""
    for name, change in QUICK.items():
        frame.browser_input(CHAPTER, name, change)
    frame.background(CHAPTER, tuple(BUSY), work, receive, BUSY, outlives=True)
