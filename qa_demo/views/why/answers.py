"""What the picture of chapter 9 may ask for, and the answer to each request."""

from collections.abc import Callable
from typing import Any

from qa_demo.core.explaining.attention import RELEVANCE
from qa_demo.core.explaining.attribution import Target, window_of
from qa_demo.core.types import Reading
from qa_demo.figures.why import attention as looked
from qa_demo.figures.why import attribution as rested
from qa_demo.views import parse
from qa_demo.views.background import Job, Wanted
from qa_demo.views.explained import attention_key, attribution_key, question_key, relevance_key
from qa_demo.views.explaining import ATTENTION, FIRST_STEPS, FOUND, Work
from qa_demo.views.state import Screen
from qa_demo.views.why import trust as trusted
from qa_demo.views.why.choice import Choice, choice_of, score_name


def place(value: dict[str, Any], *names: str) -> list[int]:
    """Whole numbers of a request: layer, head, position."""
    return [parse.whole(value.get(name), name) for name in names]


def answer_seats(
    work: Work, screen: Screen, target: Target, value: dict[str, Any]
) -> dict[str, Any]:
    """Nothing but the page itself: seats, notice and tables of the selection."""
    return {"window": target.window}


def answer_attention(
    work: Work, screen: Screen, target: Target, value: dict[str, Any]
) -> dict[str, Any]:
    """Both grids."""
    window = window_of(work.reading, target)
    return looked.grid_data(work.attention(window), work.reading.encoding, window, target.span)


def answer_head(
    work: Work, screen: Screen, target: Target, value: dict[str, Any]
) -> dict[str, Any]:
    """One head, compact."""
    return looked.head_data(
        work.attention(window_of(work.reading, target)), *place(value, "layer", "head")
    )


def answer_exact(
    work: Work, screen: Screen, target: Target, value: dict[str, Any]
) -> dict[str, Any]:
    """One row and column in full precision."""
    return looked.exact_data(
        work.attention(window_of(work.reading, target)), *place(value, "layer", "head", "position")
    )


def answer_relevance(
    work: Work, screen: Screen, target: Target, value: dict[str, Any]
) -> dict[str, Any]:
    """Raw attention, rollout and gradient times attention of the selected start and end."""
    found = work.relevance(window_of(work.reading, target), target)
    return looked.relevance_data({kind: found[kind] for kind in RELEVANCE})


def answer_attribution(
    work: Work, screen: Screen, target: Target, value: dict[str, Any]
) -> dict[str, Any]:
    """The two lanes of the chosen method; `few`: the first picture of integrated gradients."""
    choice = choice_of(screen)
    steps = few_steps(work.reading, target, choice, value)
    return rested.lanes_data(work.attribution(target, choice.method, choice.baseline, steps).found)


def answer_question(
    work: Work, screen: Screen, target: Target, value: dict[str, Any]
) -> dict[str, Any]:
    """Each question word masked in every window."""
    return rested.question_data(work.question(target, screen.decode, screen.merge))


def answer_random(
    work: Work, screen: Screen, target: Target, value: dict[str, Any]
) -> dict[str, Any]:
    """The random word sets."""
    return trusted.answer_random(work, target)


def answer_stood(
    work: Work, screen: Screen, target: Target, value: dict[str, Any]
) -> dict[str, Any]:
    """One ranking among them, `by`."""
    choice = choice_of(screen)
    about = value.get("by", choice.method), choice.baseline, score_name(target)
    return trusted.answer_stood(work, target, *about)


def answer_curves(
    work: Work, screen: Screen, target: Target, value: dict[str, Any]
) -> dict[str, Any]:
    """What happens as more words are masked."""
    choice = choice_of(screen)
    return trusted.answer_curves(work, target, choice.method, choice.baseline)


def answer_shuffled(
    work: Work, screen: Screen, target: Target, value: dict[str, Any]
) -> dict[str, Any]:
    """The random-weights check."""
    choice = choice_of(screen)
    return trusted.answer_shuffled(work, target, choice.method, choice.baseline)


def few_steps(
    reading: Reading, target: Target, choice: Choice, value: dict[str, Any]
) -> int | None:
    """The steps of a first picture; None for as many as it takes, or where that is known."""
    if value.get("few") is not True or choice.method != "integrated_gradients":
        return None
    full = attribution_key(reading, target, choice.method, choice.baseline)
    return FIRST_STEPS if FOUND.get(full) is None else None


def wanted_by(
    seen: Screen, target: Target, value: dict[str, Any], of: Callable[[Job], Work]
) -> Wanted:
    """What the reader must make for one request, under the name of its content."""
    reading, choice, what = seen.reading, choice_of(seen), value["what"]
    how = choice.method, choice.baseline
    if what == "attribution":
        steps = few_steps(reading, target, choice, value)
        key = attribution_key(reading, target, *how, steps)
        length = f"{choice.method}, {steps or 'all'} steps"
        return Wanted(key, FOUND, lambda j: of(j).attribution(target, *how, steps), length)
    if what == "question":
        key = question_key(reading, target, seen.decode, seen.merge)
        return Wanted(key, FOUND, lambda j: of(j).question(target, seen.decode, seen.merge), what)
    if what in trusted.MEASURED:
        return trusted.wanted(what, reading, target, how, value.get("by", choice.method), of)
    window = window_of(reading, target)
    if what == "relevance":
        key = relevance_key(reading, window, target)
        return Wanted(key, FOUND, lambda j: of(j).relevance(window, target), what)
    key = attention_key(reading, window)
    return Wanted(key, ATTENTION, lambda j: of(j).attention(window), "attention")


ANSWERS = {
    "seats": answer_seats,
    "attention": answer_attention,
    "head": answer_head,
    "exact": answer_exact,
    "relevance": answer_relevance,
    "attribution": answer_attribution,
    "question": answer_question,
    "random": answer_random,
    "stood": answer_stood,
    "curves": answer_curves,
    "shuffled": answer_shuffled,
}
BUSY = {
    "attribution": "explaining",
    "question": "masking question words",
    "random": "masking random words",
    "stood": "explaining",
    "curves": "masking more and more words",
    "shuffled": "explaining with shuffled weights",
}
CANCELLED = {
    "attribution": "The explanation was cancelled.",
    "question": "Masking the question's words was cancelled.",
    "random": "Masking random words was cancelled.",
    "stood": "The measurement of this method was cancelled.",
    "curves": "Masking more and more words was cancelled.",
    "shuffled": "The check with shuffled weights was cancelled.",
}
