"""Chapter 9, step 3: which measurement is asked for, and what is known of it already."""

from collections.abc import Mapping
from typing import Any

from qa_demo.core.explaining.attribution import Method, Target, window_of
from qa_demo.core.explaining.chance import N_SETS, TOP
from qa_demo.core.explaining.faithfulness import passes_of
from qa_demo.core.explaining.word_sets import answer_words
from qa_demo.core.reading.words import words
from qa_demo.core.types import Baseline, Reading
from qa_demo.figures.methods import METHOD_NAMES
from qa_demo.figures.why import attention as looked
from qa_demo.figures.why import trust as figure
from qa_demo.views.explaining import PACE, RANKINGS, Kept, Stood, Work

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


def row(key: str, stood: Stood, what: str) -> dict[str, Any]:
    """One ranking among the random sets."""
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
    tables = [figure.stood_table([row(key, one, what) for key, one in stood.items()])]
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
