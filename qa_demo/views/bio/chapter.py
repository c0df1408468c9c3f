"""Chapter 7, Tags: B, I or O for each token on the same encoder; spans, and annotators."""

from collections.abc import Callable
from typing import Any

import numpy as np

from qa_demo.core.learning.losses import apart
from qa_demo.core.learning.tagging import owned_rows
from qa_demo.figures.bio import picture as figure
from qa_demo.figures.bio.code import bio_code
from qa_demo.figures.bio.measured import lists_says, lists_table
from qa_demo.figures.pack import printable
from qa_demo.figures.payload import page_data
from qa_demo.figures.reading import simplified
from qa_demo.views import hidden_states
from qa_demo.views.background import Busy, Job
from qa_demo.views.bio import bench, linked
from qa_demo.views.bio.shown import with_tags, without_tags
from qa_demo.views.code import printed
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
code = printed(bio_code)
QUICK: dict[str, Callable[[Screen, Any], Screen]] = {
    "mark": bench.change_mark,
    "preset": bench.change_preset,
    "one": bench.change_one,
    "threshold": bench.change_threshold,
}
BUSY = {
    "heads": Busy("asking the reader for its heads", "step"),
    "products": Busy("computing hidden states", "step"),
}


def present(screen: Screen) -> dict[str, Any]:
    """The three steps; for a reader without a BIO head, what can be done about it."""
    reading = bench.tagged(screen)
    base: dict[str, Any] = {
        "has": reading is not None,
        "reader": printable(screen.reading.model_name),
        "needs": hidden_states.heads(screen.reading) is None,
        "annotators": marks_data(screen),
    }
    made = without_tags(screen) if reading is None else with_tags(screen, reading)
    figures = measured(screen.source)
    return page_data(
        CHAPTER.question,
        base | made.picture,
        made.notice,
        simplified(CHAPTER.key, screen.reading.encoding, *lists_says(figures)),
        [*made.tables, *lists_table(figures)],
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
    found = hidden_states.heads(screen.reading)
    return None if found is None or found.W is None or found.b is None else (found.W, found.b)


def opening(screen: Screen) -> list[tuple[str, Any]]:
    """What the picture asks for when it is opened."""
    return [("heads", True)] if hidden_states.heads(screen.reading) is None else []


def work(job: Job) -> None:
    """What a slow request does with the reader: fill what is kept of heads and products."""
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


def receive(screen: Screen, job: Job, found: None) -> Screen:
    """The picture is drawn again, with what is now kept."""
    return bench.put(screen)


def build(frame: Frame) -> None:
    """Quick requests change the screen; slow ones ask the reader."""
    for name, change in QUICK.items():
        frame.browser_input(CHAPTER, name, change)
    frame.background(CHAPTER, tuple(BUSY), work, receive, BUSY)
