"""Do verdict, curve, table and sentences of chapter 9 agree? Stated anew from raw drops."""

from qa_demo.core.explaining.attribution import Target
from qa_demo.core.explaining.faithfulness import Curves, ranks_along
from qa_demo.core.types import Reading, TargetKind
from qa_demo.figures.why import trust as figure
from qa_demo.views.explaining import Ranking, Work
from qa_demo.views.why.choice import KEY, Choice, target_of
from qa_demo.views.why.trust import NAMES
from tests.requests import selected


def target_for(reading: Reading, kind: TargetKind) -> Target | None:
    """The target of that kind at the reading's best span; None where it has none."""
    target = target_of(selected(reading).keep(KEY, Choice(kind)))
    return target if target is not None and target.kind == kind else None


def said_by_hand(drop: float, drops: list[float]) -> str:
    """The word for a drop among random ones, counted in a loop: p <= 1/20 from either side."""
    more, fewer = (
        sum(test(other) for other in drops)
        for test in (lambda other: other >= drop, lambda other: other <= drop)
    )
    if 20 * (1 + more) <= len(drops) + 1:
        return "larger than nearly all"
    return "smaller than nearly all" if 20 * (1 + fewer) <= len(drops) + 1 else "cannot be told"


def contradictions(work: Work, target: Target, by: Ranking) -> list[str]:
    """What the measurements of one explanation say against each other; empty when all agree."""
    sets, random = work.random_sets(target), work.random_curves(target)
    stood, line = work.stood(target, by, "pad"), work.curve(target, by, "pad")
    rank, at = stood.placed.rank, line.sizes.index(sets.size)
    said = said_by_hand(sets.f_x - stood.placed.f, sets.drops.tolist())
    row = figure.stood_data(by, NAMES[by], stood.placed, stood.cost, 0.0, "the score")
    found = []
    if not row["verdict"].split(": ")[-1].startswith(said) or not row["says"].startswith(said):
        found.append(f"the verdict says {row['verdict']}, counted: {said}")
    if ranks_along(line, random)[at] != rank:
        found.append(f"the curve has {ranks_along(line, random)[at]} where the verdict has {rank}")
    return found + _along(line, random, by)


def _along(line: Curves, random: Curves, by: Ranking) -> list[str]:
    """At every size: the drawn line against the drawn band, and both against the sentence."""
    data = figure.curves_data({by: line}, random, NAMES, by)
    drawn, band = data["lines"][0]["deletion"], data["bands"]["deletion"]
    named = _named(data["says"])
    found = []
    for k, size in list(enumerate(line.sizes))[1:-1]:
        drops = (random.deletion_f[:, 0] - random.deletion_f[:, k]).tolist()
        said = said_by_hand(float(line.deletion_f[0, 0] - line.deletion_f[0, k]), drops)
        outside = "larger than nearly all" if drawn[k] < band["low"][k] else "cannot be told"
        if drawn[k] > band["high"][k]:
            outside = "smaller than nearly all"
        if not said == outside == named.get(size):
            told = f"drawn {outside}, told {named.get(size)}"
            found.append(f"{size} words are counted {said}, {told}")
    return found


def _named(sentence: str) -> dict[int, str]:
    """The word for every size that the sentence on the curve names."""
    words = ("larger than nearly all", "smaller than nearly all", "cannot be told")
    found = {}
    for part in sentence.split(", the drop of F is: ")[1].removesuffix(" words.").split("; "):
        said = next(one for one in words if part.startswith(one))
        for size in part.split(" at ")[1].replace(" and ", ", ").split(", "):
            found[int(size)] = said
    return found
