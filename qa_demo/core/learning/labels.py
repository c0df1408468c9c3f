"""What people marked as right, as spans: each label once, with the number who marked it."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from qa_demo.core.learning.golds import Answer
from qa_demo.core.reading.words import touching
from qa_demo.core.types import Encoding, Span


class Label(NamedTuple):
    """An answer that `people` marked, as a `doc` span; None where they found no answer."""

    span: Span | None
    people: int


def marked_span(encoding: Encoding, mark: Answer) -> Span | None:
    """The pieces of a mark; None where other words stand at its place."""
    stands = mark.text.strip() and encoding.context[mark.char_start : mark.char_end] == mark.text
    return touching(encoding, mark.char_start, mark.char_end) if stands else None


def count_labels(encoding: Encoding, marks: Sequence[Answer]) -> tuple[list[Label], int]:
    """The labels, the one most people marked first, and how many marks do not stand in the text:
    they are neither drawn nor trained on.
    """
    spans = [marked_span(encoding, mark) for mark in marks]
    counts = Counter(span for span in spans if span is not None)
    order = sorted(counts.items(), key=lambda c: (-c[1], c[0].start, c[0].end))
    return [Label(*found) for found in order], spans.count(None)
