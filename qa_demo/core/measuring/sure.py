"""How sure a reader is of a span, and how often it was right when it was as sure.

sure = P(the text answers) * P(exactly right, if it answers), see core.measuring.claims.
"""

from dataclasses import dataclass

import numpy as np

from qa_demo.core.measuring.claims import sureness
from qa_demo.core.measuring.measured import ClaimReliability, Measured
from qa_demo.core.measuring.metrics import CalibrationBin, bin_of
from qa_demo.core.spans import Candidate
from qa_demo.core.types import Reading


@dataclass(frozen=True)
class Sure:
    """One number of sureness, [0, 1], with its two factors and what was counted; or `why` there is
    none.
    """

    best: Candidate
    why: str = ""
    parts: tuple[float, float] = 0.0, 0.0
    known: ClaimReliability | None = None

    @property
    def claim(self) -> float:
        """P(the text answers) * P(exactly right, if it answers)."""
        return self.parts[0] * self.parts[1]

    @property
    def like(self) -> CalibrationBin | None:
        """The questions on which the reader was as sure."""
        return bin_of(self.known.bins, self.claim) if self.known else None


def counted_with(reading: Reading, found: Measured | None) -> Measured | None:
    """The figures, if they hold the very calibration that the reading came with."""
    known = reading.calibrations
    if known is None or known.answerable is None or found is None or found.claim is None:
        return None
    own = known.answerable.slope, known.answerable.intercept
    return found if np.allclose(own, (found.claim.slope, found.claim.intercept)) else None


def sure_of(reading: Reading, best: Candidate, found: Measured | None, rule: str) -> Sure:
    """How sure the reader is of its best span by a rule for windows."""
    if found is None or found.claim is None:
        return Sure(best, "How often this reader is right was not measured")
    if rule != "logits":
        return Sure(best, "It was measured by the default rule for windows, and another is chosen")
    known = sureness(reading, best)
    if known is None or known.answerable is None:
        return Sure(best, "It was measured for spans of at most 30 pieces, and this one is longer")
    return Sure(best, "", (known.answerable, known.right_if_answerable), found.claim)
