"""How far the reader's words can be trusted, from figures measured once on held-out questions: how
often a probability comes true, and what a no-answer threshold costs.
"""

from collections.abc import Sequence
from typing import Any

from qa_demo.core.measuring.measured import ClaimReliability, Measured, Reliability, ThresholdCurve
from qa_demo.core.measuring.metrics import CalibrationBin
from qa_demo.figures.measured import HEAD, claims, nearest, share
from qa_demo.figures.numbers import number, percent, signed
from qa_demo.figures.payload import columns, table
from qa_demo.figures.span_score import beside

NONE = (
    "No figures are stored beside this reader, so nobody can say how often its probabilities come "
    "true. qa_demo.training.score measures them for a folder."
)

Bins = tuple[CalibrationBin, ...]
TRUE = "How often a probability comes true"
CLAIM = "How often the answer line comes true"
SOFTMAX = ["softmax as it is", "calibrated"]
CLAIMS = ["if the text answers", "answer line"]
DOT = ("count", "mean_prob", "accuracy")
POINT = ("threshold", "withheld_right", "wrongly_answered", "accuracy")


def trust_picture(measured: Measured | None, threshold: float | None) -> dict[str, Any]:
    """Both diagrams of the start/end head with sentences; `threshold` in use, or None."""
    if measured is None or (HEAD not in measured.reliability and HEAD not in measured.curves):
        return {"claim": None, "reliability": None, "curve": None, "none": NONE}
    found, curve = measured.reliability.get(HEAD), measured.curves.get(HEAD)
    return {
        "none": None,
        "claim": None if measured.claim is None else claim_picture(measured.claim),
        "reliability": None if found is None else reliability_picture(found),
        "curve": None if curve is None else curve_picture(curve, threshold),
    }


def trust_tables(measured: Measured | None) -> list[dict[str, Any]]:
    """The table twins of both diagrams."""
    if measured is None:
        return []
    found, curve = measured.reliability.get(HEAD), measured.curves.get(HEAD)
    claim = measured.claim
    return [
        *([] if claim is None else [_bins_table(CLAIM, CLAIMS, claim.conditional, claim.bins)]),
        *([] if found is None else [_bins_table(TRUE, SOFTMAX, found.before, found.after)]),
        *([] if curve is None else [_curve_table(curve)]),
    ]


def _dots(names: list[str], before: Bins, after: Bins, said: str) -> dict[str, Any]:
    """The bins that hold questions as dots: an empty one has no accuracy."""
    first, then = (_drawn(DOT, [row for row in bins if row.count]) for bins in (before, after))
    return {"names": names, "before": first, "after": then, "said": said}


def _drawn(names: Sequence[str], records: Sequence[Any]) -> list[dict[str, Any]]:
    """Of each record what the diagram reads."""
    return [{name: getattr(one, name) for name in names} for one in records]


def reliability_picture(found: Reliability) -> dict[str, Any]:
    """Bins as dots: claimed probability against how often the span was exactly right."""
    return _dots(SOFTMAX, found.before, found.after, reliability_sentence(found))


def claim_picture(found: ClaimReliability) -> dict[str, Any]:
    """The same of the answer line's figure, on questions of which some have no answer."""
    return _dots(CLAIMS, found.conditional, found.bins, claim_sentence(found))


def claim_sentence(found: ClaimReliability) -> str:
    """What the answer line's figure is made of, and how far it misses."""
    return (
        f"Of {found.measured_on:,} held-out questions {found.unanswerable:,} have no answer in "
        f"their text. How likely an answer is right if the text answers misses the share of "
        f"exactly right answers among all {found.measured_on:,} by "
        f"{number(found.error_conditional, 3)}. The answer line multiplies it by how likely the "
        f"text answers, the sigmoid of {number(found.slope)} times the best span's lead "
        f"over no answer {_plus(found.intercept)}, and misses by {number(found.error, 3)}. Each "
        f"question was judged by a fit that did not see its article; numbers exactly right would "
        f"miss by {number(found.chance_error, 3)}. For texts that are silent less often the line "
        f"is too careful, for others not careful enough."
    )


def _plus(x: float) -> str:
    return f"{'plus' if x >= 0 else 'minus'} {number(abs(x))}"


def reliability_sentence(found: Reliability) -> str:
    """What the two sets of dots show, in printed figures."""
    before, after = number(found.error_before, 3), number(found.error_after, 3)
    claim, true = (percent(share) for share in claims(found))
    change = (
        "closer to the diagonal"
        if found.error_after < found.error_before
        else "no closer to the diagonal"
    )
    return (
        f"On {found.measured_on:,} held-out questions that have an answer the best spans claim "
        f"{claim} on average, and {true} of them are exactly right: a probability of this reader "
        f"misses the share of right answers by {before}. Calibrated, that is as the span's share "
        f"of all legal spans at temperature {number(found.temperature)} with "
        f"{number(found.bias)} added to its log-odds, it misses by {after}: the dots lie {change}. "
        f"Each question was judged by a fit that did not see its article; numbers exactly right "
        f"would miss by {number(found.chance_error, 3)} on so few questions."
    )


def curve_picture(curve: ThresholdCurve, threshold: float | None) -> dict[str, Any]:
    """Two shares over the threshold, the one that the reader came with, and the one in use."""
    return {
        "points": _drawn(POINT, curve.points),
        "chosen": curve.chosen.threshold,
        "threshold": threshold,
        "said": curve_sentence(curve, threshold),
    }


def curve_sentence(curve: ThresholdCurve, threshold: float | None) -> str:
    """What the threshold in use does to questions with and without an answer."""
    on = (
        f"Measured on {curve.answerable:,} questions with an answer and {curve.unanswerable:,} "
        "without."
    )
    if threshold is None:
        return f"{on} No threshold decides under the settings in use."
    first, last = curve.points[0].threshold, curve.points[-1].threshold
    if not first <= threshold <= last:
        what = "withholds every answer" if threshold < first else "withholds no answer"
        limit = f"{beside(-threshold)} “no answer”"
        return f"{on} A threshold {limit} lies outside the measured ones: it {what}."
    point = nearest(curve, threshold)
    return (
        f"{on} At a threshold {beside(-point.threshold)} “no answer” the reader withholds "
        f"{share(point.withheld_right)} of its exactly right answers and still answers "
        f"{share(point.wrongly_answered)} of the questions without an answer; "
        f"whether to answer is decided rightly for {share(point.accuracy)} of all."
    )


def _bins_table(title: str, names: list[str], before: Bins, after: Bins) -> dict[str, Any]:
    rows = [
        [
            name,
            f"{number(b.low, 1)} to {number(b.high, 1)}",
            f"{b.count:,}",
            number(b.mean_prob, 3) if b.count else "none",
            number(b.accuracy, 3) if b.count else "none",
        ]
        for name, bins in zip(names, (before, after), strict=True)
        for b in bins
    ]
    head = ["of", "probability", "questions", "mean probability", "exactly right"]
    return table(title, head, rows)


def _curve_table(curve: ThresholdCurve) -> dict[str, Any]:
    return columns(
        "What each threshold costs",
        curve.points,
        {
            "threshold above “no answer”": lambda p: signed(-p.threshold),
            "right answers withheld": lambda p: share(p.withheld_right),
            "answered without an answer": lambda p: share(p.wrongly_answered),
            "right choice": lambda p: share(p.accuracy),
            "F1 of questions with an answer": lambda p: number(p.answerable_f1, 1),
        },
    )
