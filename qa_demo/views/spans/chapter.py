"""Chapter 4, Spans: which pair of positions scores highest."""

from dataclasses import replace
from typing import Any

from qa_demo.core.errors import BadInput
from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.spans import top_spans
from qa_demo.core.types import Span
from qa_demo.figures.payload import page_data, part
from qa_demo.figures.reading import simplified
from qa_demo.figures.spans.code import spans_code
from qa_demo.figures.spans.notice import left_out, notice
from qa_demo.figures.spans.picture import spans_picture
from qa_demo.figures.spans.tables import tables
from qa_demo.views import options, parse
from qa_demo.views.code import printed
from qa_demo.views.frame import Frame
from qa_demo.views.selection import record
from qa_demo.views.state import Chapter, Screen, Selection

CHAPTER = Chapter("spans", 4, "Spans", "Predict", "Which pair of positions scores highest?")
code = printed(spans_code)
change_length, change_listed = map(options.change, ("max_answer_length", "n_best_size"))


def present(screen: Screen) -> dict[str, Any]:
    """The picture of one window, the notice, the table twins."""
    window = 0 if screen.selection is None else screen.selection.window
    copies, warmth = screen.merge.copies, screen.what_if.temperature
    about = (screen.shown, screen.prediction, screen.decode, window, copies)
    return page_data(
        CHAPTER.question,
        {**spans_picture(*about, screen.merge.scale, warmth), "settings": settings(screen.decode)},
        notice(*about),
        simplified(CHAPTER.key, screen.shown.encoding, *left_out(screen.shown, screen.decode)),
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


def change_grid(screen: Screen, value: Any) -> Screen:
    """Search BERT's grid instead of all legal pairs."""
    return screen.change(decode=replace(screen.decode, top_n_grid=parse.flag(value, "top_n_grid")))


def change_window(screen: Screen, value: Any) -> Screen:
    """Show another window's matrix: its best legal span is selected unless one of it is."""
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
    return screen.redraw(CHAPTER.key)


def opening(screen: Screen) -> list[tuple[str, Any]]:
    """What the buttons for the windows ask for."""
    count = len(screen.reading.windows)
    return [("window", w) for w in range(count)] if count > 1 else []


def following(screen: Screen) -> list[tuple[str, Any]]:
    """What the picture asks for once a span is selected."""
    chosen = screen.selection
    return [("window", chosen.window)] if chosen and len(screen.reading.windows) > 1 else []


def settings(decode: DecodeOptions) -> dict[str, Any]:
    """The controls below the picture: two whole numbers and one switch."""
    return {
        "numbers": [
            options.setting(decode, "max_answer_length", 60),
            options.setting(decode, "n_best_size", 50),
        ],
        "grid": {
            "name": "top_n_grid",
            "help": options.help_text(DecodeOptions, "top_n_grid"),
            "value": decode.top_n_grid,
        },
    }


def build(frame: Frame) -> None:
    """The settings and the window that the picture asks for."""
    frame.browser_input(CHAPTER, "max_answer_length", change_length)
    frame.browser_input(CHAPTER, "n_best_size", change_listed)
    frame.browser_input(CHAPTER, "top_n_grid", change_grid)
    frame.browser_input(CHAPTER, "window", change_window)
