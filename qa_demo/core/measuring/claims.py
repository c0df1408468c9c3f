"""How likely the printed answer is exactly right, whatever the text holds.

    claim = P(the text answers) * P(exactly right, if it answers)
    P(the text answers) = sigmoid(slope * margin + intercept)
    margin = score of the span - null_score                                 (logits)

The second factor is the calibrated probability of core.measuring.temperature, which is fitted on
questions that their text answers and so says nothing of those that it does not: on a file of which
half is unanswerable it is right far less often than it claims. The first factor is fitted on such a
file (Platt 1999), and holds for texts as often silent as those.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qa_demo.core.base import BadInput
from qa_demo.core.measuring.temperature import chance, pair_claim
from qa_demo.core.predict import null_logits
from qa_demo.core.spans import Candidate
from qa_demo.core.types import Answerability, Reading

STEPS = 50
STEEPEST = 100.0
"""Of slope and intercept: margins are logits, some tens at most."""
SMALLEST_STEP = 1e-10


@dataclass(frozen=True)
class Sureness:
    """What a reader's calibrations say of one span; `answerable` and `claim` are None for a reader
    whose fit never saw a text without an answer.
    """

    right_if_answerable: float
    answerable: float | None

    @property
    def claim(self) -> float | None:
        """answerable * right_if_answerable."""
        return None if self.answerable is None else self.answerable * self.right_if_answerable


def margin(reading: Reading, found: Candidate) -> float:
    """score - null_score, null_score = the minimum over windows of S_w[0] + E_w[0]; logits,
    whatever rule merges the windows.
    """
    return found.score - float(null_logits(reading).min())


def answerable(margin: float, fitted: Answerability) -> float:
    """P(the text answers) = sigmoid(slope * margin + intercept); e.g. 0 with intercept 0 is 0.5."""
    return float(_sigmoid(fitted.slope * margin + fitted.intercept))


def sureness(reading: Reading, found: Candidate) -> Sureness | None:
    """How sure a reading can be of a span; None for a reader without a calibration and for a span
    that BERT's own limits forbid.
    """
    fits = reading.calibrations
    claim = None if fits is None or fits.span is None else pair_claim(reading, found)
    if fits is None or fits.span is None or claim is None:
        return None
    known = None
    if fits.answerable is not None:
        known = answerable(margin(reading, found), fits.answerable)
    return Sureness(chance(claim, fits.span), known)


def fit_answerable(margins: Sequence[float], answers: Sequence[bool]) -> Answerability:
    """Slope and intercept with the lowest -mean(y log p + (1 - y) log(1 - p)), by Newton's method.

    Errors: BadInput where the questions are all answerable or all not, where a margin separates
    them (then no slope is steep enough), and where a lower score would be the better answer.
    """
    x, y = np.asarray(margins, dtype=np.float64), np.asarray(answers, dtype=np.float64)
    if x.shape != y.shape or not x.size or y.min() == y.max():
        raise BadInput(
            f"how likely a text answers is fitted on questions with and without an answer, got "
            f"{int(y.sum())} with one of {y.size}"
        )
    if x[y == 1].min() >= x[y == 0].max() or x[y == 1].max() <= x[y == 0].min():
        raise BadInput(
            "one margin parts all questions with an answer from those without: too few questions "
            f"to fit how likely a text answers, got {y.size}"
        )
    scale = float(np.abs(x).max()) or 1.0
    columns, weights = np.stack([x / scale, np.ones_like(x)], axis=1), np.zeros(2)
    for _ in range(STEPS):
        p = _sigmoid(columns @ weights)
        slope = columns.T @ (p - y)
        curve = (columns * (p * (1 - p))[:, None]).T @ columns
        step = np.linalg.solve(curve + 1e-9 * np.eye(2), slope)
        weights = weights - step
        if float(np.abs(step).max()) < SMALLEST_STEP:
            break
    found = Answerability(float(weights[0] / scale), float(weights[1]))
    if not (0 <= found.slope <= STEEPEST and abs(found.intercept) <= STEEPEST):
        raise BadInput(
            "a larger lead over no answer must make an answer likelier, by a slope of at most "
            f"{STEEPEST:g} a logit; these questions gave {found.slope:.3g}"
        )
    return found


def _sigmoid(x: "np.ndarray | float") -> "np.ndarray":
    """1 / (1 + exp(-x)) without an overflow."""
    found: np.ndarray = np.exp(-np.logaddexp(0.0, -np.asarray(x, dtype=np.float64)))
    return found
