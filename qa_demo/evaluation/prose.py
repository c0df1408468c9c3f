"""The small words of every chapter's sentences: quotations, counts, lists, places."""

from collections.abc import Sequence

import numpy as np

from qa_demo.core.types import Encoding, Reading, Span
from qa_demo.evaluation.pack import printable

LONGEST_WORD = 30
"""Characters of a word that a sentence quotes."""


def shorten(text: str, longest: int = 60) -> str:
    """A text as one line; one over `longest` characters loses its middle, words whole if it can."""
    text = " ".join(printable(text).split())
    if len(text) <= longest:
        return text
    first, last = longest * 2 // 3, -longest // 4
    head, tail = text[: first + 1], text[last - 1 :]
    head = head.rsplit(" ", 1)[0] if " " in head else text[:first]
    tail = tail.split(" ", 1)[1] if " " in tail else text[last:]
    return f"{head} … {tail}"


def quoted(text: str, longest: int | None = None) -> str:
    """The text as one line in quotation marks, shortened when `longest` is given.

    The marks U+2068 and U+2069 isolate it, so that a text written from right to left does not
    reorder the sentence around it.
    """
    line = shorten(text, len(text) if longest is None else longest)
    return f"“\u2068{line}\u2069”"


def plural(count: int, thing: str) -> str:
    """1 token, 2 tokens, 1,024 tokens."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


def characters(start: int, end: int) -> str:
    """Where a slice of the paragraph stands, for people: counted from 1, both ends inside."""
    return f"characters {start + 1:,} to {end:,}" if end > start + 1 else f"character {end:,}"


def became(before: str, after: str) -> str:
    """What became of the answer, both as they are said."""
    return f"goes from {before} to {after}" if before != after else f"stays {before}"


def listed(names: Sequence[str]) -> str:
    """a, b and c."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def piece(reading: Reading, window: int, pos: int) -> str:
    """What stands at a position: the paragraph's characters for a context token, else the token."""
    w = reading.windows[window]
    inside = w.is_context[pos]
    return word_piece(reading.encoding, w.to_doc(pos)) if inside else reading.tokens(window)[pos]


def named(reading: Reading, window: int, pos: int) -> str:
    """What stands at a position, quoted: “ne”, a part of a word, as “ne” of “Rotne”."""
    said = quoted(piece(reading, window, pos), LONGEST_WORD)
    w, encoding = reading.windows[window], reading.encoding
    if not w.is_context[pos]:
        return said
    parts = np.flatnonzero(encoding.word_ids == encoding.word_ids[w.to_doc(pos)])
    word = encoding.text(Span(int(parts[0]), int(parts[-1])))
    return said if len(parts) == 1 else f"{said} of {quoted(word, LONGEST_WORD)}"


def word_piece(encoding: Encoding, doc: int) -> str:
    """The paragraph's characters of one token; the token's own name where it has none."""
    return encoding.text(Span(doc, doc)).strip() or encoding.context_tokens[doc]


def place(reading: Reading, doc: int) -> str:
    """A paragraph token's position in the window that owns it, named when there are several."""
    window = reading.windows[int(reading.owners[doc])]
    within = f" in window {window.index + 1}" if len(reading.windows) > 1 else ""
    return f"{window.to_pos(doc)}{within}"
