"""One selection everywhere: parse what the browser sends, and build the record that goes back."""

from typing import Any

from qa_demo.core.errors import BadInput
from qa_demo.core.reading.legal import reason
from qa_demo.core.types import Reading, Span
from qa_demo.figures.numbers import total
from qa_demo.figures.pack import printable
from qa_demo.figures.verdict import verdict
from qa_demo.views.parse import pieces
from qa_demo.views.parse import window as window_of
from qa_demo.views.state import Screen, Selection


def parse(reading: Reading, index: Any) -> Selection:
    """[window or null, start, end] in doc; without a window the start's owner is taken."""
    if not isinstance(index, list | tuple) or len(index) != 3:
        raise BadInput(f"a selection needs window, start and end, got {str(index)[:40]}")
    span = pieces(reading, index[1:], "a selection")
    window = int(reading.owners[span.start]) if index[0] is None else window_of(reading, index[0])
    holder = reading.windows[window]
    if not holder.holds(span):
        raise BadInput(
            f"window {window + 1} holds the word pieces {holder.doc_start} to "
            f"{holder.doc_stop - 1}, not {span.start} to {span.end}"
        )
    return Selection(window, span)


def winner(screen: Screen) -> Selection | None:
    """The best span that is not the null; None when no span is legal."""
    best = screen.prediction.best
    return None if best is None else Selection(best.candidate.window, best.candidate.span)


def flag(screen: Screen) -> str | None:
    """What the limits in use say of the selected span: illegal, or that nothing is answered."""
    chosen, best = screen.selection, screen.prediction.best
    if chosen is None:
        return None
    window = screen.shown.windows[chosen.window]
    why = reason(
        window,
        window.to_pos(chosen.span.start),
        window.to_pos(chosen.span.end),
        screen.decode,
        screen.merge.copies,
    )
    if why == "too long":
        pieces = chosen.span.end - chosen.span.start + 1
        return (
            f"No legal answer, too long: {pieces} word pieces, max_answer_length allows "
            f"{screen.decode.max_answer_length}."
        )
    if why == "not owned":
        owner = int(screen.shown.owners[chosen.span.start])
        return (
            f"No legal answer, not owned: window {owner + 1} owns its start, not window "
            f"{chosen.window + 1}."
        )
    if why is not None:
        return f"No legal answer: {why}."
    silent = (
        screen.prediction.answer is None and best is not None and best.candidate.span == chosen.span
    )
    return "withheld" if silent else chosen.flag


def kept(old: Screen | None, new: Screen) -> Selection | None:
    """Keep the selected span when its text still stands at the same characters of the new
    paragraph, else take the winner.

    Other windows may cut it: then a window that holds it whole shows it, though it does not own its
    start; where none does, the winner.
    """
    if old is not None and old.selection is not None:
        a, b = old.reading.encoding.chars(old.selection.span)
        text, offsets = old.reading.encoding.context[a:b], new.reading.encoding.offset_mapping
        starts, ends = (offsets[:, 0] == a).nonzero()[0], (offsets[:, 1] == b).nonzero()[0]
        same_question = old.reading.encoding.question == new.reading.encoding.question
        if (
            same_question
            and text
            and new.reading.encoding.context[a:b] == text
            and len(starts)
            and len(ends)
        ):
            span = Span(int(starts[0]), int(max(ends[-1], starts[0])))
            window = new.reading.home(span)
            if window is not None:
                return Selection(window.index, span)
    return winner(new)


def record(screen: Screen) -> dict[str, Any]:
    """What chapters mark and print of the selection: places, text, logits, answer line."""
    best, what_if = screen.prediction.best, screen.what_if
    out: dict[str, Any] = {
        "verdict": verdict(
            screen.shown,
            screen.prediction,
            screen.merge,
            what_if.temperature,
            what_if.changes_numbers,
        ),
        "predicted": None
        if best is None
        else {
            "window": best.candidate.window,
            "start": best.candidate.span.start,
            "end": best.candidate.span.end,
        },
        "answer": None if screen.prediction.answer is None else printable(screen.prediction.answer),
    }
    chosen = screen.selection
    return {**out, "window": None} if chosen is None else {**out, **_chosen_data(screen, chosen)}


def _chosen_data(screen: Screen, chosen: Selection) -> dict[str, Any]:
    """The selected span: places, text, and the printed sum."""
    window = screen.shown.windows[chosen.window]
    start, end = screen.shown.logits(chosen.window)
    i, j = window.to_pos(chosen.span.start), window.to_pos(chosen.span.end)
    printed = total([float(start[i]), float(end[j])])
    return {
        "window": chosen.window,
        "start": chosen.span.start,
        "end": chosen.span.end,
        "i": i,
        "j": j,
        "text": printable(screen.reading.encoding.text(chosen.span)),
        "windows": len(screen.reading.windows),
        "start_logit": printed.addends[0],
        "end_logit": printed.addends[1],
        "score": printed.total,
        "sign": printed.sign,
        "flag": flag(screen),
    }
