"""Chapter 2, step 1: the same paragraph under another question. The axes stay, the words move.

Every token stands at its two logits before and after; those are drawn that the shown window owns,
and those of the window in which the other question finds its answer.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.reading.lens import Slide
from qa_demo.core.types import Reading, Span
from qa_demo.figures.numbers import moved, number, signed
from qa_demo.figures.pack import floats, ints, printable
from qa_demo.figures.payload import table
from qa_demo.figures.prose import became, piece, quoted

MOVES = 8
"""How many of the largest moves are listed and labelled."""


def drawn(reading: Reading, window: int, winner: Span | None = None) -> NDArray[np.int64]:
    """The word pieces that slide: those the window owns, and the other answer's owner's."""
    docs = reading.windows[window].owned
    other = None if winner is None else reading.home(Span(winner.start, winner.start))
    return docs if other is None else np.union1d(docs, other.owned)


def slide_data(
    before: Reading, after: Reading, moved: Slide, window: int, winner: Span | None = None
) -> dict[str, Any]:
    """Where sliding tokens stood and stand, the largest moves, the other answer [start, end]."""
    docs = drawn(before, window, winner)
    a, b = moved.before[docs], moved.after[docs]
    return {
        "question": printable(after.encoding.question),
        "docs": ints(docs),
        "before": floats(a),
        "after": floats(b),
        "cls": [*moved.cls_before, *moved.cls_after],
        "largest": largest_moves(moved, docs).tolist(),
        "winner": None if winner is None else [winner.start, winner.end],
    }


def largest_moves(moved: Slide, docs: NDArray[np.int64]) -> NDArray[np.int64]:
    """The word pieces among `docs` that travel farthest in the plane, farthest first."""
    far = np.linalg.norm(moved.after[docs] - moved.before[docs], axis=1)
    return docs[np.argsort(-far, kind="stable")[:MOVES]]


def _home(reading: Reading, window: int, doc: int) -> int:
    """The shown window where it owns the word piece, else the one that does."""
    found = None if doc in reading.windows[window].owned else reading.home(Span(doc, doc))
    return window if found is None else found.index


def _piece(reading: Reading, window: int, doc: int) -> str:
    at = _home(reading, window, doc)
    return piece(reading, at, reading.windows[at].to_pos(doc))


def move_table(
    before: Reading, moved: Slide, window: int, winner: Span | None = None
) -> dict[str, Any]:
    """The plane's largest moves, and no answer; differences are between printed numbers."""
    docs = largest_moves(moved, drawn(before, window, winner)).tolist()
    rows = [
        [printable(_piece(before, window, doc)), *_move(moved.before[doc], moved.after[doc])]
        for doc in docs
    ]
    rows.append(["no answer", *_move(moved.cls_before, moved.cls_after)])
    head = ["token", "start before", "start after", "change", "end before", "end after", "change"]
    caption = "The largest moves in the plane, farthest first; no answer last"
    select = [*((_home(before, window, doc), doc, doc) for doc in docs), None]
    return table(caption, head, rows, select)


def _move(before: Iterable[float], after: Iterable[float]) -> list[str]:
    pairs = zip(before, after, strict=True)
    return [text for a, b in pairs for text in (number(a), number(b), signed(moved(a, b)))]


def slide_notice(
    before: Reading,
    after: Reading,
    moved: Slide,
    window: int,
    answers: tuple[str | None, str | None],
    winner: Span | None = None,
) -> str:
    """What the other question did to the tokens, and that the axes are the same."""
    first = int(largest_moves(moved, drawn(before, window, winner))[0])
    to = number(float(moved.after[first, 0])), number(float(moved.after[first, 1]))
    said = [quoted(a, 40) if a is not None else "no answer" for a in answers]
    where = _piece(before, window, first)
    of = "" if len(before.windows) == 1 else " of the tokens drawn"
    return (
        f"Asked {quoted(after.encoding.question, 60)}, the answer {became(*said)}. S and E stay "
        f"the same: the words move, not the axes. {quoted(where)} moves farthest{of}, from "
        f"({number(float(moved.before[first, 0]))}, {number(float(moved.before[first, 1]))}) to "
        f"({to[0]}, {to[1]})."
    )
