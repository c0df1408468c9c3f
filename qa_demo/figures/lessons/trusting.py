"""Checks about what an explanation may be trusted for. All ask the reader."""

import numpy as np

from qa_demo.core.explaining.attribution import GAP_LIMIT, Attribution, Method, Target, silence
from qa_demo.core.explaining.chance import Placed, draw, place
from qa_demo.core.explaining.occlusion import leave_one_out
from qa_demo.core.explaining.word_sets import other_words
from qa_demo.core.reading.words import Words, words
from qa_demo.core.types import Window
from qa_demo.figures.lessons.finding import LONGEST, Case, Finding, lacking
from qa_demo.figures.lessons.why import cost_of
from qa_demo.figures.numbers import number, percent, total
from qa_demo.figures.prose import listed, quoted

NO_SPAN = "This paragraph holds no legal span."
METHOD: Method = "integrated_gradients"
RIGHT = {"larger": "more", "chance": "same", "smaller": "less"}


def _aim(case: Case) -> tuple[Window, Target, Words] | None:
    """Window, target and words of the best span; None without a span or a reader."""
    best = case.best
    if best is None or case.reader is None:
        return None
    window = case.reading.windows[best.window]
    return (
        window,
        Target("span_score", best.span, window=best.window),
        words(case.reading.encoding, window),
    )


def _shares(case: Case, target: Target) -> Attribution:
    assert case.reader is not None
    return case.reader.attribute(case.reading, target, METHOD)


def shares_add_up(case: Case) -> Finding:
    """Whether the shares of integrated gradients add up to what they share out."""
    aim = _aim(case)
    if aim is None:
        return lacking(NO_SPAN)
    found = _shares(case, aim[1])
    if found.f_baseline is None or found.gap_share is None or found.gap is None:
        return lacking("These shares have no baseline to be measured from.")
    printed = total([found.f_x, -found.f_baseline, found.gap], found.sum)
    return Finding(
        f"The score is {printed.addends[0]}, and {number(found.f_baseline, printed.decimals)} "
        f"without the text. The shares add up to {printed.total}: to the difference and a gap of "
        f"{printed.addends[2]}, {percent(found.gap_share)} of it.",
        right="yes" if found.complete else "no",
        facts={"limit": percent(GAP_LIMIT)},
    )


def _placed(case: Case, attention: bool) -> Placed | Finding:
    """The top words of an explanation among random sets."""
    aim = _aim(case)
    if aim is None or case.reader is None:
        return lacking(NO_SPAN)
    window, target, units = aim
    reader = case.reader
    if len(other_words(units, target, window)) < 4:
        return lacking("There are too few words to compare with chance.")

    def scorer(masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return reader.masked(window, masks)

    if attention:
        total = reader.relevance(window, target, "attention").total
    else:
        found = _shares(case, target)
        if silence(found) is not None:
            return lacking("This method gives every word nothing.")
        total = found.total
    sets = draw(case.reading, target, scorer)
    return place(case.reading, target, units.sums(total), scorer, sets)


def _standing(case: Case, name: str, attention: bool) -> Finding:
    placed = _placed(case, attention)
    if isinstance(placed, Finding):
        return placed
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


def shares_beat_chance(case: Case) -> Finding:
    """The drop of the top words of integrated gradients among random sets."""
    return _standing(case, "integrated gradients", attention=False)


def attention_beats_chance(case: Case) -> Finding:
    """The drop of the most attended words among random sets."""
    return _standing(case, "attention", attention=True)


def methods_agree(case: Case) -> Finding:
    """Whether two methods put the same word first, outside of the answer."""
    aim = _aim(case)
    if aim is None or case.reader is None:
        return lacking(NO_SPAN)
    window, target, units = aim
    free = list(other_words(units, target, window))
    deleted = leave_one_out(case.reading, target, case.reader.masked)
    values = [units.sums(one.total)[free] for one in (_shares(case, target), deleted)]
    sides = np.stack([units.sums(deleted.start), units.sums(deleted.end)])
    first = [free[int(np.argmax(x))] for x in values]
    shares, costs = (quoted(units.items[k].text, LONGEST) for k in first)
    same = first[0] == first[1]
    return Finding(
        f"Integrated gradients put {shares} first, deletion {'too' if same else costs}: without "
        f"{costs} the score falls by {cost_of(sides[:, first[1]])}.",
        right="yes" if same else "no",
    )
