"""What chapters and lessons read off the figures that are stored beside a reader."""

from qa_demo.core.measuring.measured import Reliability, ThresholdCurve
from qa_demo.core.reading.abstain import ThresholdPoint
from qa_demo.figures.numbers import percent

HEAD = "span"
"""Chapter 1 and the lessons show the start/end head; chapter 7 compares the two heads."""


def share(points: float) -> str:
    """Points of a hundred as measured: a count of nothing is 0 %."""
    return "0 %" if points == 0 else percent(points / 100)


def nearest(curve: ThresholdCurve, threshold: float) -> ThresholdPoint:
    """The measured point whose threshold lies nearest, the reader's own among them."""
    return min((curve.chosen, *curve.points), key=lambda p: abs(p.threshold - threshold))


def claims(found: Reliability) -> tuple[float, float]:
    """Mean probability and share of exactly right spans over all questions, 0 to 1."""
    n = sum(row.count for row in found.before)
    return (
        sum(row.count * row.mean_prob for row in found.before) / n,
        sum(row.count * row.accuracy for row in found.before) / n,
    )
