"""What the browser and a link send of an explanation, as a checked record."""

from dataclasses import replace
from typing import Any

from qa_demo.core.explaining.attribution import BASELINES, KINDS, METHODS
from qa_demo.core.types import Span
from qa_demo.views import parse
from qa_demo.views.link.parts import Part
from qa_demo.views.parse import entries
from qa_demo.views.state import Screen
from qa_demo.views.why.choice import KEY, Choice, choice_of, text_of


def parse_choice(screen: Screen, value: Any) -> Choice:
    """{"kind", "other": [start, end] or null, "method", "baseline"} as a checked record. The
    reader's own baseline is no choice: another reader brings its own.
    """
    parse.record(value, "an explanation", "kind", "other", "method", "baseline")
    for name, allowed in (("kind", KINDS), ("method", METHODS), ("baseline", BASELINES)):
        parse.choice(value.get(name), name, allowed)
    return Choice(
        value["kind"],
        parse_other(screen, value.get("other")),
        value["method"],
        None if value["baseline"] == screen.reading.baseline else value["baseline"],
        text_of(screen),
    )


def parse_other(screen: Screen, value: Any) -> Span | None:
    """[start, end] of the other span, or null, as when the selection's window lacks it."""
    if value is None:
        return None
    span = parse.pieces(screen.reading, value, "the other span")
    window = None if screen.selection is None else screen.reading.windows[screen.selection.window]
    return span if window is not None and window.holds(span) else None


def change_choice(screen: Screen, value: Any) -> Screen:
    """Another target, method or baseline."""
    return screen.keep(KEY, parse_choice(screen, value))


def save_choice(screen: Screen) -> Any:
    """[kind, method, baseline, other span or null], None for the first choice."""
    now = choice_of(screen)
    other = None if now.other is None else [now.other.start, now.other.end]
    saved = [now.kind, now.method, now.baseline, other]
    first = Choice()
    return None if saved == [first.kind, first.method, first.baseline, None] else saved


def load_choice(screen: Screen, value: Any) -> Screen:
    """The same read back; the other span may stand in another window than the selection."""
    entries(value, "an explanation", 4)
    named = dict(zip(("kind", "method", "baseline"), value, strict=False))
    made = parse_choice(screen, named)
    other = None if value[3] is None else parse.pieces(screen.reading, value[3], "the other span")
    return screen.keep(KEY, replace(made, other=other))


LINKED = (Part("why", "what chapter 9 explains", save_choice, load_choice, bound=True),)
"""What of this chapter travels in a link: the question, not what was computed for it."""
