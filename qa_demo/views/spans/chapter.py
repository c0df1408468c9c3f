"""Chapter 4, Spans: which pair of positions scores highest."""

from dataclasses import replace
from typing import Any

import gradio as gr

from qa_demo.core.errors import BadInput
from qa_demo.core.spans import top_spans
from qa_demo.core.types import DecodeOptions, Span
from qa_demo.figures.payload import page_data, part
from qa_demo.figures.spans.notice import notice, simplified
from qa_demo.figures.spans.picture import spans_picture
from qa_demo.figures.spans.tables import tables
from qa_demo.views import options, parse
from qa_demo.views.frame import Frame
from qa_demo.views.selection import record
from qa_demo.views.state import Chapter, Screen, Selection

CHAPTER = Chapter(
    key="spans",
    number=4,
    title="Spans",
    group="Predict",
    question="Which pair of positions scores highest?",
)


def shown_window(screen: Screen) -> int:
    """The window whose matrix is drawn: the selection's."""
    return screen.selection.window if screen.selection is not None else 0


def present(screen: Screen) -> dict[str, Any]:
    """The picture of one window, the notice, the table twins."""
    window, copies, warmth = shown_window(screen), screen.merge.copies, screen.what_if.temperature
    about = (screen.shown, screen.prediction, screen.decode, window, copies)
    return page_data(
        CHAPTER.question,
        spans_picture(*about, screen.merge.scale, warmth),
        notice(*about),
        simplified(screen.shown, screen.decode),
        tables(*about, warmth),
    )


def formula(screen: Screen) -> list[dict[str, str]]:
    """score(i, j) = s_i + e_j with the selected span's numbers."""
    numbers = record(screen)
    i, j = str(numbers["i"]), str(numbers["j"])
    return [
        part("score(i, j) = "),
        part("s", "start"),
        part("i", "sub"),
        part(" + "),
        part("e", "end"),
        part("j", "sub"),
        part(f",  i ≤ j < i + {screen.decode.max_answer_length}", "quiet"),
        part(f"     score({i}, {j}) = "),
        part(numbers["start_logit"], "start"),
        part(" + "),
        part(numbers["end_logit"], "end"),
        part(f" {numbers['sign']} "),
        part(numbers["score"], "strong"),
    ]


def change_length(screen: Screen, value: Any) -> Screen:
    """max_answer_length: the ceiling of the band."""
    return screen.change(decode=options.parse(screen.decode, max_answer_length=value))


def change_listed(screen: Screen, value: Any) -> Screen:
    """n_best_size: how many spans are listed, and the width of BERT's grid."""
    return screen.change(decode=options.parse(screen.decode, n_best_size=value))


def change_grid(screen: Screen, value: Any) -> Screen:
    """Search BERT's grid instead of all legal pairs."""
    return screen.change(decode=replace(screen.decode, top_n_grid=parse.flag(value, "top_n_grid")))


def change_window(screen: Screen, value: Any) -> Screen:
    """Show another window's matrix: its best legal span is selected unless the selection stands in
    it already.
    """
    window = parse.window(screen.shown, value)
    if screen.selection is None or screen.selection.window != window:
        holder = screen.shown.windows[window]
        best = top_spans(
            *screen.shown.logits(window), holder, screen.decode, screen.merge.copies, 1
        )
        if not len(best):
            raise BadInput(f"window {window + 1} has no legal span to select")
        screen = screen.select(
            Selection(window, Span(holder.to_doc(int(best[0, 0])), holder.to_doc(int(best[0, 1]))))
        )
    stale = replace(screen, fresh=screen.fresh - {CHAPTER.key})
    return stale.keeping("shown", screen).keeping("prediction", screen)


def build(frame: Frame) -> None:
    """The settings and the window that the picture asks for."""
    limits, default = options.LIMITS, DecodeOptions()
    with frame.settings(CHAPTER), gr.Row():
        length = gr.Slider(
            limits["max_answer_length"][0],
            60,
            value=default.max_answer_length,
            step=1,
            label="max_answer_length",
            info=options.help_text(DecodeOptions, "max_answer_length"),
            elem_id="spans-max-answer-length",
        )
        listed = gr.Slider(
            limits["n_best_size"][0],
            50,
            value=default.n_best_size,
            step=1,
            label="n_best_size",
            info=options.help_text(DecodeOptions, "n_best_size"),
            elem_id="spans-n-best-size",
        )
        grid = gr.Checkbox(
            value=default.top_n_grid,
            label="top_n_grid",
            info=options.help_text(DecodeOptions, "top_n_grid"),
            elem_id="spans-top-n-grid",
        )
    frame.control(length.release, length, change_length)
    frame.control(listed.release, listed, change_listed)
    frame.control(grid.input, grid, change_grid)
    frame.mirror(length, lambda screen: screen.decode.max_answer_length)
    frame.mirror(listed, lambda screen: screen.decode.n_best_size)
    frame.mirror(grid, lambda screen: screen.decode.top_n_grid)
    frame.browser_input(CHAPTER, "window", change_window)
