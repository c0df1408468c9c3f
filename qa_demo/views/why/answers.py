"""What the picture of chapter 9 may ask for, and the answer to each request."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from qa_demo.core.explaining.attention import RELEVANCE, Attention
from qa_demo.core.explaining.attribution import Method, Target, window_of
from qa_demo.core.types import Baseline, Reading, Window
from qa_demo.figures.why import attention as looked
from qa_demo.figures.why import attribution as rested
from qa_demo.views import parse
from qa_demo.views.background import Job, Wanted
from qa_demo.views.explaining import FIRST_STEPS, Work
from qa_demo.views.state import Screen
from qa_demo.views.why import trust as trusted
from qa_demo.views.why.choice import Choice, choice_of, score_name


@dataclass(frozen=True)
class Asked:
    """One request of the picture: `value` is what the browser sent."""

    work: Work
    screen: Screen
    target: Target
    value: dict[str, Any]

    @property
    def heads(self) -> Attention:
        """The attention of the target's window."""
        return self.work.attention(self.window)

    @property
    def window(self) -> Window:
        """The target's window."""
        return window_of(self.work.reading, self.target)

    @property
    def how(self) -> tuple[Method, Baseline]:
        """The chosen method and baseline."""
        choice = choice_of(self.screen)
        return choice.method, choice.baseline or self.work.reading.baseline

    def whole(self, *names: str) -> list[int]:
        """Whole numbers of the request: layer, head, position."""
        return [parse.whole(self.value.get(name), name) for name in names]


def answer_attention(a: Asked) -> dict[str, Any]:
    """Both grids."""
    return looked.grid_data(a.heads, a.work.reading.encoding, a.window, a.target.span)


def answer_relevance(a: Asked) -> dict[str, Any]:
    """Raw attention, rollout and gradient times attention of the selected start and end."""
    found = a.work.relevance(a.window, a.target)
    return looked.relevance_data({kind: found[kind] for kind in RELEVANCE})


def answer_attribution(a: Asked) -> dict[str, Any]:
    """The two lanes of the chosen method; `few`: the first picture of integrated gradients."""
    steps = few_steps(a.work.reading, a.target, choice_of(a.screen), a.value)
    return rested.lanes_data(a.work.attribution(a.target, *a.how, steps).found)


def answer_question(a: Asked) -> dict[str, Any]:
    """Each question word masked in every window."""
    return rested.question_data(a.work.question(a.target, a.screen.decode, a.screen.merge))


def answer_stood(a: Asked) -> dict[str, Any]:
    """One ranking among the random sets, `by`."""
    method, baseline = a.how
    about = a.value.get("by", method), baseline, score_name(a.target)
    return trusted.answer_stood(a.work, a.target, *about)


def few_steps(
    reading: Reading, target: Target, choice: Choice, value: dict[str, Any]
) -> int | None:
    """The steps of a first picture; None for as many as it takes, or where that is known."""
    if value.get("few") is not True or choice.method != "integrated_gradients":
        return None
    full = Work.attribution.known(reading, target, choice.method, choice.baseline, None)
    return FIRST_STEPS if full is None else None


def wanted_by(
    seen: Screen, target: Target, value: dict[str, Any], of: Callable[[Job], Work]
) -> Wanted:
    """What the reader must make for one request, under the name of its content."""
    reading, choice, what = seen.reading, choice_of(seen), value["what"]
    how = choice.method, choice.baseline
    if what == "attribution":
        steps = few_steps(reading, target, choice, value)
        length = f"{choice.method}, {steps or 'all'} steps"
        return Work.attribution.wanted(of, reading, target, *how, steps, length=length)
    if what == "question":
        return Work.question.wanted(of, reading, target, seen.decode, seen.merge)
    if what in trusted.MEASURED:
        return trusted.wanted(what, reading, target, how, value.get("by", choice.method), of)
    window = window_of(reading, target)
    if what == "relevance":
        return Work.relevance.wanted(of, reading, window, target)
    return Work.attention.wanted(of, reading, window)


ANSWERS: dict[str, Callable[[Asked], dict[str, Any]]] = {
    "seats": lambda a: {"window": a.target.window},
    "attention": answer_attention,
    "head": lambda a: looked.head_data(a.heads, *a.whole("layer", "head")),
    "exact": lambda a: looked.exact_data(a.heads, *a.whole("layer", "head", "position")),
    "relevance": answer_relevance,
    "attribution": answer_attribution,
    "question": answer_question,
    "random": lambda a: trusted.answer_random(a.work, a.target),
    "stood": answer_stood,
    "curves": lambda a: trusted.answer_curves(a.work, a.target, *a.how),
}
"""What may be asked for. "seats" computes nothing: the page itself brings seats and tables; "head"
is one head, compact, "exact" one row and column of it in full precision.
"""
BUSY = {
    "attribution": "explaining",
    "question": "masking question words",
    "random": "masking random words",
    "stood": "explaining",
    "curves": "masking more and more words",
}
CANCELLED = {
    "attribution": "The explanation was cancelled.",
    "question": "Masking the question's words was cancelled.",
    "random": "Masking random words was cancelled.",
    "stood": "The measurement of this method was cancelled.",
    "curves": "Masking more and more words was cancelled.",
}
