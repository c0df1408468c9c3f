"""What chapter 5 keeps: the window, what is right, what was learned; and their changes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from qa_demo.core.errors import BadInput
from qa_demo.core.files.assets import ASSETS
from qa_demo.core.files.examples import PoolExample
from qa_demo.core.learning.golds import Answer
from qa_demo.core.learning.losses import Golds
from qa_demo.core.learning.misread import FORMULAS
from qa_demo.core.learning.replay import Replay, load_replay
from qa_demo.core.learning.steps import Learned, Plan, Scope, check_scope
from qa_demo.core.reading.words import span_at
from qa_demo.core.types import Reading
from qa_demo.figures.labels import home
from qa_demo.figures.loss.misread import break_formula
from qa_demo.views import parse, what_if
from qa_demo.views.background import Job
from qa_demo.views.examples import load_menu
from qa_demo.views.labels import annotated, labels_of
from qa_demo.views.link.parts import Part, counted
from qa_demo.views.loss.learners import Learners
from qa_demo.views.parse import many
from qa_demo.views.state import Screen

KEY = "loss"
MOST_SILENT = 5
MOST_MARKS = 20
"""Labels that a link brings back."""


@dataclass(frozen=True, eq=False)
class Bench:
    """The chapter's record; `of` is the reading it belongs to, so that a new one starts afresh."""

    of: Reading
    window: int | None = None
    learned: Learned | None = None
    broken: dict[str, Any] | None = None
    replayed: bool = False


def bench_of(screen: Screen) -> Bench:
    """The record of this reading; a fresh one for a new reading."""
    found = screen.own.get(KEY)
    return (
        found if isinstance(found, Bench) and found.of is screen.reading else Bench(screen.reading)
    )


def put(screen: Screen, **fields: Any) -> Screen:
    """The record of this reading with other fields."""
    return screen.keep(KEY, replace(bench_of(screen), **fields))


@lru_cache(maxsize=1)
def replay() -> Replay | None:
    """The recorded fine-tuning, read once."""
    return load_replay(ASSETS / "replay")


def window_of(screen: Screen) -> int:
    """The window on show: the one that was chosen, else the label's."""
    chosen = bench_of(screen).window
    return home(screen.reading, labels_of(screen).golds) if chosen is None else chosen


def save_gold(screen: Screen) -> Any:
    """Characters of each label of no example, null for an annotator without an answer."""
    if labels_of(screen).source != "marked" and not save_given(screen):
        return None
    marked = [[a.char_start, a.char_end] for a in screen.gold]
    return [*marked, *(None,) * (screen.silent or not marked)]


def load_gold(screen: Screen, value: Any) -> Screen:
    """The labels of a link; BadInput for characters that are no span of this text."""
    found = parse.pairs(
        many(value, "the labels", MOST_MARKS + MOST_SILENT), "the labels", MOST_MARKS + MOST_SILENT
    )
    ranges = [r for r in found if r is not None]
    silent = len(found) - len(ranges)
    if not found or len(ranges) > MOST_MARKS or silent > MOST_SILENT:
        raise BadInput(f"a link may mark 1 to {MOST_MARKS} labels, got {len(found)}")
    for start, end in ranges:
        span_at(screen.reading.encoding, start, end)
    return relabel(
        screen, tuple(Answer(screen.reading.encoding.context[a:b], a) for a, b in ranges), silent
    )


def save_given(screen: Screen) -> Any:
    """Whether the labels are those that came with the text."""
    return (screen.given is not None and labels_of(screen).source == "annotators") or None


def changed(screen: Screen) -> str:
    """The labels marked on this page."""
    return "" if save_given(screen) else counted(len(save_gold(screen) or ()), "label")


LINKED = (
    Part(
        "gold",
        "the marked labels",
        save_gold,
        load_gold,
        changed=changed,
        back=lambda screen: as_annotated(screen, True),
    ),
    Part(
        "given",
        "who marked the labels",
        save_given,
        lambda screen, value: screen.change(given=screen.gold or None),
    ),
    Part(
        "loss_window",
        "the window of chapter 5",
        lambda screen: bench_of(screen).window,
        lambda screen, value: show_window(screen, value),
        bound=True,
    ),
)
"""What of this chapter travels in a link."""


# Quick changes


def mark(screen: Screen, value: Any) -> Screen:
    """Mark a span [start, end] (doc) as right, or not; the first replaces all stand-ins."""
    encoding, span = screen.reading.encoding, parse.pieces(screen.reading, value, "a label")
    start = int(encoding.offset_mapping[span.start, 0])
    end = int(encoding.offset_mapping[span.end, 1])
    if start >= end:
        raise BadInput(
            "this word piece stands for no character of the paragraph, so it cannot be a label"
        )
    wanted = Answer(encoding.context[start:end], start)
    kept = screen.gold if labels_of(screen).source == "marked" else ()
    gold = tuple(a for a in kept if a != wanted) if wanted in kept else (*kept, wanted)
    return (
        relabel(screen, gold, screen.silent if kept else 0) if gold else as_annotated(screen, True)
    )


def relabel(screen: Screen, gold: tuple[Answer, ...], silent: int = 0) -> Screen:
    """Other labels: what was learned with the old ones is no longer on show."""
    return screen.change(gold=gold, silent=silent).keep(KEY, Bench(screen.reading))


def no_answer(screen: Screen, value: Any) -> Screen:
    """Nothing in this text is right."""
    return relabel(screen, (), 1)


def silent(screen: Screen, value: Any) -> Screen:
    """How many annotators found no answer, beside those who marked a span."""
    count = parse.whole(value, "the number of annotators without an answer", 0, MOST_SILENT)
    if not screen.gold:
        raise BadInput(
            "somebody has to mark an answer first; without one, no answer is right for all"
        )
    return relabel(screen, screen.gold, count)


def as_annotated(screen: Screen, value: Any) -> Screen:
    """Back to the annotators; where there are none, to no mark."""
    return relabel(screen, annotated(screen) or ())


def show_window(screen: Screen, value: Any) -> Screen:
    """Show another window."""
    return put(screen, window=parse.window(screen.reading, value))


# The stored readings


def stored(screen: Screen) -> Iterator[tuple[PoolExample, Reading, Golds]]:
    """The examples whose stored reading is by the reader on screen, and their annotators' spans."""
    for example in load_menu().values():
        reading = example.stored(screen.reading.checksum)
        if reading is not None:
            yield example, reading, golds_in(reading, example.answers)


def golds_in(reading: Reading, answers: tuple[Answer, ...]) -> Golds:
    """Spans of an example's answers; [None] when it has none."""
    return tuple(span_at(reading.encoding, a.char_start, a.char_end) for a in answers) or (None,)


def break_rule(screen: Screen, value: Any) -> Screen:
    """Search this reading and the stored ones for the one where a wrong formula is off the most."""
    parse.choice(value, "the formula to break", FORMULAS)
    golds = labels_of(screen).golds
    here = ("this reading", screen.shown, golds, window_of(screen), screen.decode)
    others = (
        (e.title, r, g, home(r, g), screen.decode)
        for e, r, g in stored(screen)
        if e.id != screen.example
    )
    return put(screen, broken=break_formula(value, [here, *others]))


def show_replay(screen: Screen, value: Any) -> Screen:
    """Send the recorded fine-tuning of this example."""
    return put(screen, replayed=True)


QUICK: dict[str, Callable[[Screen, Any], Screen]] = {
    "mark": mark,
    "no answer": no_answer,
    "silent": silent,
    "annotators": as_annotated,
    "window": show_window,
    "logit": what_if.change_logit,
    "break": break_rule,
    "replay": show_replay,
}


# Slow changes


def plan_of(value: Any) -> tuple[Scope, Plan]:
    """{"scope", "steps", "rate", "optimizer"} from the browser."""
    given = parse.record(value, "a step", "its scope", "steps", "rate", "optimizer")
    steps = parse.whole(given.get("steps"), "the number of steps")
    return check_scope(given.get("scope")), Plan(
        steps, parse.number(given.get("rate"), "the learning rate"), given.get("optimizer")
    )  # type: ignore[arg-type]


def work(learners: Learners, job: Job) -> Bench:
    """One slow request: steps, or the way back."""
    screen = job.screen
    bench, golds = bench_of(screen), labels_of(screen).golds
    if job.name == "step":
        scope, plan = plan_of(job.value)
        learner = learners.get(job.visitor, job.maker, screen.reading, golds, scope)
        return replace(bench, learned=learner.step(plan, job.progress, job.cancelled))
    if bench.learned is None:
        raise BadInput("no step was taken yet")
    learner = learners.get(job.visitor, job.maker, screen.reading, golds, bench.learned.scope)
    learned = {"undo": learner.undo, "redo": learner.redo, "reset": learner.reset}[job.name]()
    if job.name == "reset":
        learners.close(job.visitor)
    return replace(bench, learned=None if job.name == "reset" else learned)
