"""What is taken as right on a reading, and who says so."""

from dataclasses import dataclass
from typing import Literal

from qa_demo.core.learning.golds import Answer
from qa_demo.core.learning.losses import Golds
from qa_demo.core.reading.words import span_at
from qa_demo.core.types import Reading, Span

Source = Literal["annotators", "marked", "nobody", "reader"]


@dataclass(frozen=True)
class Labels:
    """What is taken as right: a `doc` span an annotator (None: no answer), and who says so."""

    golds: Golds
    source: Source


def make_labels(
    reading: Reading,
    answers: tuple[Answer, ...],
    silent: int,
    annotated: tuple[Answer, ...] | None,
    own: Span | None,
) -> Labels:
    """Marked answers first, then the example's annotators; without either, the reader's own answer
    is taken (None: no answer), and named as such.

    `silent` counts annotators who found no answer, beside those who marked one.
    `annotated` are the example's answers, None for a text of which nobody said what is right.
    """
    if answers:
        spans = tuple(span_at(reading.encoding, a.char_start, a.char_end) for a in answers)
        return Labels(
            (*spans, *(None,) * silent),
            "annotators" if answers == annotated and not silent else "marked",
        )
    if silent:
        return Labels((None,), "marked" if annotated or annotated is None else "nobody")
    return Labels((own,), "reader") if annotated is None else Labels((None,), "nobody")


def home(reading: Reading, golds: Golds) -> int:
    """The window to look at first: one that owns a whole gold span, or holds it, or the first."""
    for gold in golds:
        found = None if gold is None else reading.home(gold)
        if found is not None:
            return found.index
    return 0
