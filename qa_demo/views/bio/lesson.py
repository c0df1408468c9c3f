"""Chapter 7's lesson: which two answers both heads are taught, the steps, their undoing."""

from dataclasses import replace
from typing import Any

from qa_demo.core.errors import BadInput
from qa_demo.core.reading.glued_spans import glue
from qa_demo.core.types import Span
from qa_demo.views.bio.bench import Teaching, annotators, bench_of, put, two_marked
from qa_demo.views.state import Screen


def lesson_place(screen: Screen) -> tuple[tuple[Span, Span], int] | None:
    """The marked answers to teach and their window; None without two that stand apart."""
    both = two_marked(screen)
    found = None if both is None else glue(screen.reading, *both, screen.decode)
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


def change_taught(screen: Screen, value: Any) -> Screen:
    """undo: the state before the last action; reset: the reader's own heads."""
    found = teaching_of(screen)
    if value not in ("undo", "reset"):
        raise BadInput(f"steps can be undone or reset, got {str(value)[:20]}")
    if found is None or len(found.path) < 2:
        raise BadInput("there is no step left to take back")
    path = found.path[:1] if value == "reset" else found.path[:-1]
    return put(screen, teaching=replace(found, path=path))
