"""Checks about what an explanation may be trusted for. All ask the reader."""

import numpy as np

from qa_demo.core.explaining.attribution import GAP_LIMIT, Attribution, Method, silence
from qa_demo.core.explaining.chance import Placed, draw, place
from qa_demo.core.explaining.word_sets import other_words
from qa_demo.figures.lessons.finding import LONGEST, Case, Finding, Lacking, asks_reader
from qa_demo.figures.lessons.why import Aim, aim, cost_of, costs
from qa_demo.figures.numbers import number, percent, total
from qa_demo.figures.prose import listed, quoted

METHOD: Method = "integrated_gradients"
RIGHT = {"larger": "more", "chance": "same", "smaller": "less"}


def _shares(case: Case, at: Aim) -> Attribution:
    return at.reader.attribute(case.reading, at.target, METHOD)


@asks_reader
def shares_add_up(case: Case) -> Finding:
    """Whether the shares of integrated gradients add up to what they share out."""
    found = _shares(case, aim(case))
    if found.f_baseline is None or found.gap_share is None or found.gap is None:
        raise Lacking("These shares have no baseline to be measured from.")
    printed = total([found.f_x, -found.f_baseline, found.gap], found.sum)
    return Finding(
        f"The score is {printed.addends[0]}, and {number(found.f_baseline, printed.decimals)} "
        f"without the text. The shares add up to {printed.total}: to the difference and a gap of "
        f"{printed.addends[2]}, {percent(found.gap_share)} of it.",
        right="yes" if found.complete else "no",
        facts={"limit": percent(GAP_LIMIT)},
    )


def _placed(case: Case, attention: bool) -> Placed:
    """The top words of an explanation among random sets."""
    at = reader, window, target, units = aim(case)
    if len(other_words(units, target, window)) < 4:
        raise Lacking("There are too few words to compare with chance.")

    def scorer(masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return reader.masked(window, masks)

    if attention:
        total = reader.relevance(window, target, "attention").total
    else:
        found = _shares(case, at)
        if silence(found) is not None:
            raise Lacking("This method gives every word nothing.")
        total = found.total
    sets = draw(case.reading, target, scorer)
    return place(case.reading, target, units.sums(total), scorer, sets)


def _standing(case: Case, name: str, attention: bool) -> Finding:
    placed = _placed(case, attention)
    rank = placed.rank
    stands = {
        "larger": "that is more than chance does",
        "chance": "that cannot be told from chance",
        "smaller": "that is less than chance does",
    }[rank.standing]
    return Finding(
        f"The top words of {name} are {listed([quoted(t, LONGEST) for t in placed.top])}. Without "
        f"them the score falls by more than without {rank.below} of {rank.n_sets} random sets: "
        f"{stands}.",
        right=RIGHT[rank.standing],
    )


@asks_reader
def shares_beat_chance(case: Case) -> Finding:
    """The drop of the top words of integrated gradients among random sets."""
    return _standing(case, "integrated gradients", attention=False)


@asks_reader
def attention_beats_chance(case: Case) -> Finding:
    """The drop of the most attended words among random sets."""
    return _standing(case, "attention", attention=True)


@asks_reader
def methods_agree(case: Case) -> Finding:
    """Whether two methods put the same word first, outside of the answer."""
    at = _, window, target, units = aim(case)
    free, sides = list(other_words(units, target, window)), costs(case, at)
    values = units.sums(_shares(case, at).total), sides.sum(axis=0)
    first = [free[int(np.argmax(x[free]))] for x in values]
    shares, costly = (quoted(units.items[k].text, LONGEST) for k in first)
    same = first[0] == first[1]
    return Finding(
        f"Integrated gradients put {shares} first, deletion {'too' if same else costly}: without "
        f"{costly} the score falls by {cost_of(sides[:, first[1]])}.",
        right="yes" if same else "no",
    )
