"""The best span against "no answer".

lead = score of the best span - score of "no answer"; "no answer" wins where lead < -threshold. All
are logits, without a unit.
"""

from dataclasses import dataclass

from qa_demo.core.measuring.claims import margin
from qa_demo.core.predict import null_logits, wide
from qa_demo.core.spans import Candidate
from qa_demo.core.types import Reading


@dataclass(frozen=True)
class Lead:
    """`limit`: the threshold, None under a rule that knows none; `window`: the one whose "no
    answer" counts, with its logits `start` and `end` at [CLS].
    """

    best: Candidate
    lead: float
    limit: float | None
    returned: bool
    window: int
    start: float
    end: float

    @property
    def null(self) -> float:
        """The score of "no answer", start + end."""
        return self.best.score - self.lead


def lead_of(reading: Reading, best: Candidate, limit: float | None, returned: bool) -> Lead:
    """The lead over the smallest "no answer" of all windows; e.g. 12.09 over 3.06 is 9.03."""
    window = int(null_logits(reading).argmin())
    start, end = (float(logits[0]) for logits in wide(reading, window))
    return Lead(best, margin(reading, best), limit, returned, window, start, end)
