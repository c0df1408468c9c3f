"""What chapter 9 explains: the visitor's choice, and the target that follows from it."""

from dataclasses import dataclass, replace

from qa_demo.core.explaining.attribution import Method, Target
from qa_demo.core.types import Baseline, Span, TargetKind
from qa_demo.figures.prose import quoted
from qa_demo.figures.why import attribution as rested
from qa_demo.views.state import Screen

KEY = "why"
LISTED = 12
"""How many listed spans are offered as the other span."""


@dataclass(frozen=True)
class Choice:
    """What is explained, and how; without a `baseline` it is the reading's own. `other` is the
    contrast span (doc) of the window that holds the selection, `of` the text it counts in.
    """

    kind: TargetKind = "span_score"
    other: Span | None = None
    method: Method = "integrated_gradients"
    baseline: Baseline | None = None
    of: tuple[str, str] | None = None


def text_of(screen: Screen) -> tuple[str, str]:
    """Reader and paragraph: what the numbers of word pieces belong to."""
    return screen.reading.weights, screen.reading.encoding.context


def choice_of(screen: Screen) -> Choice:
    """The visitor's choice, or the first, with a baseline; another text forgets the other span."""
    held = screen.own.get(KEY)
    choice = held if isinstance(held, Choice) else Choice()
    return replace(
        choice,
        other=choice.other if choice.of == text_of(screen) else None,
        baseline=choice.baseline or screen.reading.baseline,
    )


def others(screen: Screen) -> list[tuple[Span, str]]:
    """The listed spans of the selection's window that it could be compared with, best first."""
    chosen = screen.selection
    if chosen is None:
        return []
    window = screen.reading.windows[chosen.window]
    found: dict[Span, str] = {}
    for ranked in screen.prediction.n_best:
        span = ranked.candidate.span
        if span != chosen.span and window.holds(span):
            found.setdefault(span, ranked.candidate.text)
    return list(found.items())[:LISTED]


def other_names(screen: Screen) -> list[list[int | str]]:
    """[start, end, name] of each of `others`; the name says which of equal texts is meant."""
    found = others(screen)
    if not found or screen.selection is None:
        return []
    window = screen.reading.windows[screen.selection.window]
    said = [quoted(text) for _, text in found]
    return [
        [
            span.start,
            span.end,
            name if said.count(name) == 1 else f"{name} at position {window.to_pos(span.start)}",
        ]
        for (span, _), name in zip(found, said, strict=True)
    ]


def target_of(screen: Screen) -> Target | None:
    """The number to explain; a contrast falls back to the best listed span, then the score."""
    chosen, choice = screen.selection, choice_of(screen)
    if chosen is None:
        return None
    if choice.kind != "span_minus_other":
        return Target(choice.kind, chosen.span, None, chosen.window)
    window, other, listed = screen.reading.windows[chosen.window], choice.other, others(screen)
    if other is None or other == chosen.span or not window.holds(other):
        other = listed[0][0] if listed else None
    if other is None:
        return Target("span_score", chosen.span, None, chosen.window)
    return Target(choice.kind, chosen.span, other, chosen.window)


def score_name(target: Target) -> str:
    """How a sentence names F."""
    return "the score" if target.kind == "span_score" else f"the {rested.KIND_NAMES[target.kind]}"
