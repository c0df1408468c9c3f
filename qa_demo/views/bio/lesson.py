"""Chapter 7's lesson: which two answers both heads are taught, the steps, their undoing."""

from dataclasses import replace
from typing import Any

from qa_demo.core.errors import BadInput
from qa_demo.core.learning.tag_fit import TagFit
from qa_demo.core.reading.glued_spans import glue, two_answers
from qa_demo.core.types import Span
from qa_demo.views.bio.bench import KEY, Bench, OwnHead, Teaching, annotators, bench_of
from qa_demo.views.state import Screen


def lesson_place(screen: Screen) -> tuple[tuple[Span, Span], int] | None:
    """The marked answers to teach and their window; None without two that stand apart."""
    both = two_answers([span for spans in annotators(screen)[0] for span in spans])
    found = (
        None
        if both is None or len(Span(both[0].start, both[1].end)) > screen.decode.max_answer_length
        else (glue(screen.reading, *both, screen.decode))
    )
    return None if found is None else ((found.first, found.second), found.window)


def teaching_of(screen: Screen) -> Teaching | None:
    """The steps taken on this text and these marks; after a change of either they count no more."""
    found = bench_of(screen).teaching
    return (
        found
        if found is not None
        and found.at == screen.reading.key
        and found.marks == annotators(screen)[0]
        else None
    )


def with_teaching(bench: Bench, teaching: Teaching) -> Bench:
    """The bench with these steps: the taught tags are shown in place of the reader's, unless all
    steps were taken back.

    The head slot is lent: a head that was trained here before comes back with the last undo.
    """
    taught, after = teaching.path[-1]
    if not taught.steps:
        head, tagged, at = teaching.earlier
        return replace(
            bench, teaching=teaching, head=head, tagged=tagged, tagged_at=at, use_own=False
        )
    assert taught.heads.W is not None and taught.heads.b is not None
    tokens = int(after.windows[teaching.window].is_context.sum())
    own = OwnHead(
        TagFit(taught.heads.W, taught.heads.b, taught.tag_losses, tokens), after.weights, 1
    )
    return replace(
        bench, teaching=teaching, head=own, tagged=after, tagged_at=teaching.at, use_own=True
    )


def change_taught(screen: Screen, value: Any) -> Screen:
    """undo: the state before the last action; reset: the reader's own heads."""
    found = teaching_of(screen)
    if value not in ("undo", "reset"):
        raise BadInput(f"steps can be undone or reset, got {str(value)[:20]}")
    if found is None or len(found.path) < 2:
        raise BadInput("there is no step left to take back")
    path = found.path[:1] if value == "reset" else found.path[:-1]
    return screen.keep(KEY, with_teaching(bench_of(screen), replace(found, path=path)))
