"""What chapter 7 keeps for itself: three annotators and a threshold."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from qa_demo.core.errors import BadInput
from qa_demo.core.learning.bio import TaggedSpan
from qa_demo.core.learning.losses import apart, marked
from qa_demo.core.learning.tagging import disagreeing
from qa_demo.core.reading.glued_spans import Glue, glue, two_answers
from qa_demo.core.types import Reading, ReadingKey, Span
from qa_demo.views import parse
from qa_demo.views.labels import labels_of
from qa_demo.views.state import Screen

KEY = "bio"
ANNOTATORS = 3
HERE = "marked on this page"
EVERY = "each annotator marks all {} answers"
AGREE = "all three mark the selection"
DISAGREE = "B, B, O on the selection's first token: t = (2/3, 0, 1/3)"
FOUND = {
    "reader": (
        "the reader's own answer, three times: mark what is right",
        "the reader's own “no answer”, three times: mark what is right",
    ),
    "marked": ("marked in chapter 5", "chapter 5 says that no answer is right"),
    "annotators": ("the annotators", "the annotators: none of them found an answer"),
}
"""Who marked, by the source of chapter 5's labels: with spans, and without."""
TAKEN = ("", ", the first label twice", "", ", the first three labels")
"""How one, two, three or more labels become three annotators'."""
MOST_SPANS = 8
"""Spans that one annotator may mark."""

Marks = tuple[tuple[Span, ...], ...]
"""Each annotator's spans, in text order and apart; none where the annotator found no answer."""

Place = ReadingKey
"""Reader's digest, question, paragraph, window options: what a reading's tag logits depend on."""


@dataclass(frozen=True, eq=False)
class Bench:
    """A visitor's record; `annotators` belong to the paragraph `place`, the rest lives on."""

    threshold: float = 0.5
    annotators: Marks | None = None
    source: str = ""
    place: Place | None = None
    one: int = 0


def bench_of(screen: Screen) -> Bench:
    """The chapter's record; without one, the default."""
    found = screen.own.get(KEY)
    return found if isinstance(found, Bench) else Bench()


def put(screen: Screen, **fields: Any) -> Screen:
    """The chapter's record with other fields."""
    return screen.keep(KEY, replace(bench_of(screen), **fields))


def tagged(screen: Screen) -> Reading | None:
    """The shown reading; None where its reader has no tags."""
    return screen.shown if screen.shown.tag_logits is not None else None


def annotators(screen: Screen) -> tuple[Marks, str]:
    """Three annotators' marks: this page's, else the example's, else the reader's answer."""
    bench = bench_of(screen)
    if bench.annotators is not None and bench.place == screen.reading.key:
        return bench.annotators, bench.source
    return example_marks(screen)


def example_marks(screen: Screen) -> tuple[Marks, str]:
    """Chapter 5's labels, up to three: annotators', marks, or the reader's own, named so."""
    labels = labels_of(screen)
    golds = [() if gold is None else (gold,) for gold in labels.golds]
    marks = tuple(golds[k % len(golds)] for k in range(ANNOTATORS))
    some, none = FOUND.get(labels.source, FOUND["annotators"])
    return marks, (some if any(marks) else none) + TAKEN[min(len(golds), 4) - 1]


def with_marks(screen: Screen, marks: Marks, source: str) -> Screen:
    """The screen with other annotators."""
    return put(screen, annotators=marks, source=source, place=screen.reading.key)


def who(value: Any) -> int:
    """An annotator's number, 0 to 2."""
    return parse.whole(value, "the annotator", 0, ANNOTATORS - 1)


def change_mark(screen: Screen, value: Any) -> Screen:
    """{"who", "start", "end", "more"}: this annotator marks these word pieces, besides the earlier
    ones if more, or nothing
    when start is null."""
    given = parse.record(value, "a mark", "who", "start", "end")
    k, marks = who(given.get("who")), list(annotators(screen)[0])
    earlier = marks[k] if given.get("more") is True else ()
    marks[k] = ()
    if given.get("start") is not None:
        marks[k] = added(
            screen,
            earlier,
            parse.pieces(screen.reading, [given.get("start"), given.get("end")], "a mark"),
        )
    return with_marks(screen, tuple(marks), HERE)


def added(screen: Screen, earlier: tuple[Span, ...], span: Span) -> tuple[Span, ...]:
    """One annotator's spans with one more, once; one that overlaps another is refused."""
    texts = screen.reading.encoding
    for other in earlier:
        if other != span and other.start <= span.end and span.start <= other.end:
            raise BadInput(
                f"“{texts.text(span)}” overlaps “{texts.text(other)}”, which this annotator has "
                f"marked: a token has one tag"
            )
    if len(earlier) >= MOST_SPANS and span not in earlier:
        raise BadInput(f"one annotator marks at most {MOST_SPANS} spans")
    return tuple(sorted({*earlier, span}))


def change_preset(screen: Screen, value: Any) -> Screen:
    """example: as it came; every: each marks all that anyone marked; agree: all three mark the
    selection; disagree: B, B, O on its
    first token."""
    if value == "example":
        return with_marks(screen, *example_marks(screen))
    if value == "every":
        spans = apart(annotators(screen)[0])
        if len(spans) < 2:
            raise BadInput(
                "two answers that stand apart are needed: let the annotators mark them first"
            )
        return with_marks(screen, (spans,) * ANNOTATORS, EVERY.format(len(spans)))
    if screen.selection is None:
        raise BadInput("select a span first: the preset starts from the selection")
    span, n = screen.selection.span, len(screen.reading.encoding.context_ids)
    if value == "agree":
        return with_marks(screen, ((span,),) * ANNOTATORS, AGREE)
    if value == "disagree":
        marks = tuple(marked(gold) for gold in disagreeing(span.start, n))
        return with_marks(screen, marks, DISAGREE)
    raise BadInput(f"the preset must be example, every, agree or disagree, got {str(value)[:20]}")


def change_one(screen: Screen, value: Any) -> Screen:
    """Whose tagging the one-hot case takes."""
    return put(screen, one=who(value))


def change_threshold(screen: Screen, value: Any) -> Screen:
    """The marginal from which on a span is returned."""
    return put(screen, threshold=parse.number(value, "the threshold", 0.01, 0.99))


def two_of(screen: Screen, spans: Sequence[Span]) -> tuple[Span, Span] | None:
    """The first two spans that stand apart, if one answer could run over both."""
    both = two_answers(spans)
    fits = both is not None and (
        len(Span(both[0].start, both[1].end)) <= screen.decode.max_answer_length
    )
    return both if fits else None


def glue_of(screen: Screen, reading: Reading, spans: tuple[TaggedSpan, ...]) -> Glue | None:
    """Two answers for the glued span: the first two marked that do not touch, else the tags'."""
    marks = [span for spans in annotators(screen)[0] for span in spans]
    both = two_of(screen, marks) or two_of(screen, [x.span for x in spans])
    return None if both is None else glue(reading, *both, screen.decode)
