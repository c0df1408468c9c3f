"""What a link keeps of chapter 7: the marks, and the place in the text."""

from typing import Any

from qa_demo.core.errors import BadInput
from qa_demo.core.reading.words import span_at
from qa_demo.core.types import Span
from qa_demo.views import parse
from qa_demo.views.bio.bench import (
    AGREE,
    ANNOTATORS,
    DISAGREE,
    EVERY,
    FOUND,
    HERE,
    MOST_SPANS,
    TAKEN,
    Bench,
    added,
    bench_of,
    change_one,
    change_threshold,
    put,
    with_marks,
)
from qa_demo.views.link.parts import Part
from qa_demo.views.parse import entries, many
from qa_demo.views.state import Screen


def save_marks(screen: Screen) -> Any:
    """Characters of each annotator's spans, where they were marked, who is said to have."""
    bench, encoding = bench_of(screen), screen.reading.encoding
    if bench.annotators is None or bench.place != screen.reading.key:
        return None
    rows = [[list(encoding.chars(span)) for span in spans] for spans in bench.annotators]
    return [*rows, bench.source]


def load_marks(screen: Screen, value: Any) -> Screen:
    """The marks of a link; BadInput for what no annotator could have marked."""
    rows = many(value, "the annotators' marks", ANNOTATORS + 1)
    if len(rows) < ANNOTATORS:
        raise BadInput(f"a link holds the marks of {ANNOTATORS} annotators, got {len(rows)}")
    marks: list[tuple[Span, ...]] = []
    for row in rows[:ANNOTATORS]:
        spans: tuple[Span, ...] = ()
        for chars in parse.pairs(many(row, "marks", MOST_SPANS), "marks", MOST_SPANS):
            if chars is None:
                raise BadInput("an annotator who found no answer has no characters in a link")
            spans = added(screen, spans, span_at(screen.reading.encoding, *chars))
        marks.append(spans)
    # the sentence is this page's own: a link may choose among those that can be true, no other
    said = rows[ANNOTATORS] if len(rows) > ANNOTATORS else ""
    known = {s + how for pair in FOUND.values() for s in pair for how in TAKEN}
    known |= {EVERY.format(len(marks[0])), AGREE, DISAGREE}
    return with_marks(screen, tuple(marks), said if said in known else HERE)


def save_place(screen: Screen) -> Any:
    """[threshold, the annotator of the one-hot case], None for the first ones."""
    bench, first = bench_of(screen), Bench()
    now = [bench.threshold, bench.one]
    return None if now == [first.threshold, first.one] else now


def load_place(screen: Screen, value: Any) -> Screen:
    """The same read back."""
    threshold, annotator = entries(value, "the place of chapter 7", 2)
    return change_one(change_threshold(screen, threshold), annotator)


LINKED = (
    Part(
        "marks",
        "the annotators' marks",
        save_marks,
        load_marks,
        changed=lambda screen: "" if save_marks(screen) is None else "annotators' marks",
        back=lambda screen: put(screen, annotators=None),
    ),
    Part(
        "bio",
        "the threshold of chapter 7",
        save_place,
        load_place,
        changed=lambda screen: "" if save_place(screen) is None else "tags' threshold",
        back=lambda screen: load_place(screen, [Bench().threshold, Bench().one]),
    ),
)
"""What of this chapter travels in a link: marks and settings."""
