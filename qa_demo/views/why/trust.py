"""Chapter 9, step 3: which measurement is asked for, and what is known of it already."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from qa_demo.core.explaining.attribution import Method, Target, window_of
from qa_demo.core.explaining.chance import N_SETS, TOP
from qa_demo.core.explaining.faithfulness import passes_of
from qa_demo.core.explaining.word_sets import answer_words
from qa_demo.core.reading.words import words
from qa_demo.core.types import Baseline, Reading
from qa_demo.figures.methods import METHOD_NAMES
from qa_demo.figures.why import attention as looked
from qa_demo.figures.why import trust as figure
from qa_demo.views import parse
from qa_demo.views.background import Job, Wanted
from qa_demo.views.explaining import PACE, RANKINGS, Kept, Ranking, Stood, Work, standing

NAMES: Mapping[str, str] = {**METHOD_NAMES, "attention": looked.NAMES["attention"]}


def waits(reading: Reading, target: Target) -> dict[str, str]:
    """What the two measurements of this step will run and take."""
    window = window_of(reading, target)
    units = words(reading.encoding, window)
    free = len(units) - len(answer_words(units, target, window))
    size, tokens = min(TOP, free), len(window)
    passes = passes_of(free, size, N_SETS)
    return {
        "sets": figure.wait_sentence(len(units), tokens, size, PACE.seconds(N_SETS + 1, tokens)),
        "curves": figure.curves_wait(passes, PACE.seconds(passes, tokens)),
    }


def answer_random(work: Work, target: Target) -> dict[str, Any]:
    """The random sets as dots."""
    return figure.sets_data(work.random_sets(target))


def answer_stood(
    work: Work, target: Target, by: Any, baseline: Baseline, what: str
) -> dict[str, Any]:
    """One ranking among the random sets."""
    key = cast(Ranking, parse.choice(by, "the ranking", RANKINGS))
    return _row(key, work.stood(target, key, baseline), what)


def answer_curves(work: Work, target: Target, method: Method, baseline: Baseline) -> dict[str, Any]:
    """The curves of every ranking that has been measured, beside those of the random orders."""
    rankings = standing(work.reading, target, method, baseline)
    lines = work.lines(target, rankings, baseline)
    return figure.curves_data(lines, work.random_curves(target), NAMES, method)


MEASURED = ("random", "stood", "curves")


def wanted(
    what: str,
    reading: Reading,
    target: Target,
    how: tuple[Method, Baseline],
    by: Any,
    of: Callable[[Job], Work],
) -> Wanted:
    """What the reader must make for one measurement."""
    if what == "random":
        return Work.random_sets.wanted(of, reading, target)
    if what == "stood":
        ranking = parse.choice(by, "the ranking", RANKINGS)
        return Work.stood.wanted(of, reading, target, ranking, how[1])
    return Work.lines.wanted(of, reading, target, standing(reading, target, *how), how[1])


def _row(key: str, stood: Stood, what: str) -> dict[str, Any]:
    return figure.stood_data(key, NAMES[key], stood.placed, stood.cost, stood.seconds, what)


def known(
    reading: Reading, target: Target, method: Method, baseline: Baseline, what: str
) -> tuple[str | None, list[dict[str, Any]]]:
    """The verdict of the chosen method and the table twins, from what was measured before."""
    sets = Work.random_sets.known(reading, target)
    if sets is None:
        return None, []
    stood = _kept(Work.stood, reading, target, baseline)
    mine = stood.get(method)
    said = None if mine is None else figure.verdict_sentence(mine.placed, NAMES[method], what)
    tables = [figure.stood_table([_row(key, one, what) for key, one in stood.items()])]
    tables = (tables if stood else []) + [figure.sets_table(sets)]
    random = Work.random_curves.known(reading, target)
    lines = _kept(Work.curve, reading, target, baseline)
    if random is not None and lines:
        tables += [
            figure.curves_table(lines, random, NAMES),
            figure.eraser_table(lines, random, NAMES),
        ]
    if len(stood) > 1:
        values = {key: one.values for key, one in stood.items()}
        tables.append(figure.agreement_table(values, NAMES))
    return said, tables


def _kept(of: Kept, reading: Reading, target: Target, baseline: Baseline) -> dict[str, Any]:
    """What is kept of each ranking."""
    both = ((key, of.known(reading, target, key, baseline)) for key in RANKINGS)
    return {key: one for key, one in both if one is not None}
