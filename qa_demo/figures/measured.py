"""What chapters and lessons read off the figures that are stored beside a reader."""

from qa_demo.core.measuring.measured import ThresholdCurve
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
