"""Chapter 3, Start & end: the two distributions over every token of every window."""

from typing import Any

import numpy as np

from qa_demo.core.arrays import logsumexp
from qa_demo.figures.payload import page_data, part
from qa_demo.figures.prose import piece, quoted
from qa_demo.figures.reading import simplified
from qa_demo.figures.start_end.code import start_end_code
from qa_demo.figures.start_end.notice import notice
from qa_demo.figures.start_end.picture import quotients, start_end_picture, token_table
from qa_demo.views import parse, selection, what_if
from qa_demo.views.code import printed
from qa_demo.views.frame import Frame
from qa_demo.views.state import Chapter, Screen, Selection

CHAPTER = Chapter(
    "start_end",
    3,
    "Start & end",
    "Predict",
    "Where could the answer start, and where could it end?",
)
code = printed(start_end_code)


def present(screen: Screen) -> dict[str, Any]:
    """Notes, bars, table and notice of the window that the selection stands in."""
    window, temperature = screen.window, screen.what_if.temperature
    best = screen.prediction.best
    picture = start_end_picture(
        screen.reading,
        screen.shown,
        window,
        screen.decode,
        screen.merge.copies,
        temperature,
        screen.what_if.logits,
        screen.own.get(CHAPTER.key, False),
    )
    said = notice(
        screen.shown,
        window,
        screen.decode,
        screen.merge.copies,
        temperature,
        None if best is None else best.candidate.window,
    )
    fixed = simplified(CHAPTER.key, screen.reading.encoding)
    return page_data(
        CHAPTER.question, picture, said, fixed, [token_table(screen.shown, window, temperature)]
    )


def formula(screen: Screen) -> list[dict[str, str]]:
    """P(start = i) = exp(s_i) / sum_k exp(s_k), the same for the end, with numbers."""
    chosen, temperature = screen.selection, screen.what_if.temperature
    over = "" if temperature == 1.0 else " / T"
    parts = [
        part("P(start = i) = exp(", "quiet"),
        part("s", "start"),
        part("i", "sub"),
        part(f"{over}) / Σ", "quiet"),
        part("k", "sub"),
        part(" exp(", "quiet"),
        part("s", "start"),
        part("k", "sub"),
        part(f"{over})", "quiet"),
    ]
    return parts + ([] if chosen is None else _of_selected(screen, chosen, temperature))


def _of_selected(screen: Screen, chosen: Selection, temperature: float) -> list[dict[str, str]]:
    """The quotients of the selected span's start and end, as printed."""
    window = screen.shown.windows[chosen.window]
    positions = [window.to_pos(doc) for doc in (chosen.span.start, chosen.span.end)]
    rows = screen.shown.logits(chosen.window)
    printed = quotients(
        [
            (float(row[pos]), float(logsumexp(row / np.float64(temperature))))
            for row, pos in zip(rows, positions, strict=True)
        ],
        temperature,
    )
    over = "" if temperature == 1.0 else f" / {temperature:g}"
    parts = []
    for side, pos, (shown, z, sign, p) in zip(("start", "end"), positions, printed, strict=True):
        parts += [
            part("    exp("),
            part(shown, side),
            part(f"{over}) / {z} {sign}{' ' if sign else ''}"),
            part(p, "strong"),
            part(f" {side} at {quoted(piece(screen.shown, chosen.window, pos))}", "quiet"),
        ]
    return parts


def change_window(screen: Screen, value: Any) -> Screen:
    """Show another window, [window, start, end]: its notes, bars and table are sent then."""
    chosen = selection.parse(screen.reading, value)
    if screen.selection is not None and (chosen.window, chosen.span) == (
        screen.selection.window,
        screen.selection.span,
    ):
        chosen = screen.selection
    return screen.select(chosen).redraw(CHAPTER.key)


def following(screen: Screen) -> list[tuple[str, Any]]:
    """What the picture asks for once a span of another window is selected."""
    chosen = screen.selection
    if chosen is None or len(screen.reading.windows) == 1:
        return []
    place = [chosen.window, chosen.span.start, chosen.span.end]
    return [("window", place)]


def show_bars(screen: Screen, value: Any) -> Screen:
    """The fold with the bars was opened: from now on they come with the picture."""
    return screen.keep(CHAPTER.key, parse.flag(value, "bars"))


QUICK = {
    "bars": show_bars,
    "temperature": what_if.change_temperature,
    "logit": what_if.change_logit,
    "window": change_window,
}


def build(frame: Frame) -> None:
    """The controls stand in the picture, where they move the stems while they are dragged."""
    for name, change in QUICK.items():
        frame.browser_input(CHAPTER, name, change)
