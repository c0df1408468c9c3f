"""What the picture of chapter 9 may ask for, and the answer to each request."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from qa_demo.core.explaining.attribution import Method, Target, window_of
from qa_demo.core.types import Baseline, Reading, Window
from qa_demo.figures.why import attention as looked
from qa_demo.figures.why import attribution as rested
from qa_demo.figures.why import trust as figure
from qa_demo.views import parse
from qa_demo.views.background import Wanted
from qa_demo.views.explaining import FIRST_STEPS, RANKINGS, Kept, Work, standing
from qa_demo.views.state import Screen
from qa_demo.views.why import trust as trusted
from qa_demo.views.why.choice import choice_of, score_name


@dataclass(frozen=True)
class Asked:
    """One request of the picture: `value` is what the browser sent."""

    screen: Screen
    target: Target
    value: dict[str, Any]

    @property
    def reading(self) -> Reading:
        """The reading that is explained."""
        return self.screen.reading

    @property
    def window(self) -> Window:
        """The target's window."""
        return window_of(self.reading, self.target)

    @property
    def how(self) -> tuple[Method, Baseline]:
        """The chosen method and baseline."""
        choice = choice_of(self.screen)
        return choice.method, choice.baseline or self.reading.baseline

    @property
    def ranking(self) -> Any:
        """The ranking that is measured, `by`: the chosen method, if none is named."""
        return parse.choice(self.value.get("by", self.how[0]), "the ranking", RANKINGS)

    @property
    def steps(self) -> int | None:
        """The steps of a first picture, `few`; None for as many as it takes, or if it is known."""
        if self.value.get("few") is not True or self.how[0] != "integrated_gradients":
            return None
        full = Work.attribution.known(self.reading, self.target, *self.how, None)
        return FIRST_STEPS if full is None else None

    def whole(self, *names: str) -> list[int]:
        """Whole numbers of the request: layer, head, position."""
        return [parse.whole(self.value.get(name), name) for name in names]


@dataclass(frozen=True)
class Answer:
    """An answer: what is made for it and kept, of what (`about`), and what the picture draws.
    `busy` is said meanwhile, `cancelled` after a cancel; `length` as in `Wanted`.
    """

    made: Kept
    about: Callable[[Asked], tuple[Any, ...]]
    drawn: Callable[[Asked, Any], Any]
    busy: str | None = None
    cancelled: str | None = None
    length: Callable[[Asked], str] | None = None

    def wanted(self, asked: Asked) -> Wanted:
        """What the reader must make for a request, under the name of its content."""
        length = None if self.length is None else self.length(asked)
        return self.made.wanted(asked.reading, *self.about(asked), length=length)

    def given(self, asked: Asked, work: Work) -> Any:
        """What the picture draws for it."""
        return self.drawn(asked, self.made.find(work, *self.about(asked)))


ANSWERS: dict[str, Answer | None] = {
    "seats": None,
    "attention": Answer(
        Work.attention,
        lambda a: (a.window,),
        lambda a, heads: looked.grid_data(heads, a.reading.encoding, a.window, a.target.span),
    ),
    "head": Answer(
        Work.attention,
        lambda a: (a.window,),
        lambda a, heads: looked.head_data(heads, *a.whole("layer", "head")),
    ),
    "exact": Answer(
        Work.attention,
        lambda a: (a.window,),
        lambda a, heads: looked.exact_data(heads, *a.whole("layer", "head", "position")),
    ),
    "relevance": Answer(
        Work.relevance,
        lambda a: (a.window, a.target),
        lambda a, found: looked.relevance_data(found),
    ),
    "attribution": Answer(
        Work.attribution,
        lambda a: (a.target, *a.how, a.steps),
        lambda a, timed: rested.lanes_data(timed.found),
        busy="explaining",
        cancelled="The explanation was cancelled.",
        length=lambda a: f"{a.how[0]}, {a.steps or 'all'} steps",
    ),
    "question": Answer(
        Work.question,
        lambda a: (a.target, a.screen.decode, a.screen.merge),
        lambda a, effects: rested.question_data(effects),
        busy="masking question words",
        cancelled="Masking the question's words was cancelled.",
    ),
    "random": Answer(
        Work.random_sets,
        lambda a: (a.target,),
        lambda a, sets: figure.sets_data(sets),
        busy="masking random words",
        cancelled="Masking random words was cancelled.",
    ),
    "stood": Answer(
        Work.stood,
        lambda a: (a.target, a.ranking, a.how[1]),
        lambda a, stood: trusted.row(a.ranking, stood, score_name(a.target)),
        busy="explaining",
        cancelled="The measurement of this method was cancelled.",
    ),
    "curves": Answer(
        Work.lines,
        lambda a: (a.target, standing(a.reading, a.target, *a.how), a.how[1]),
        lambda a, found: figure.curves_data(*found, trusted.NAMES, a.how[0]),
        busy="masking more and more words",
        cancelled="Masking more and more words was cancelled.",
    ),
}
"""What may be asked for. "seats" computes nothing: the page itself brings seats and tables; "head"
is one head, compact, "exact" one row and column of it in full precision.
"""
