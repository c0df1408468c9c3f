"""Why the first token of an answer read off the tags is B: its p by itself, against the possible
taggings, in which no I stands first or follows an O.

    P(answer s..e) = P(s is B) prod_{s < t <= e} P(t is I, when t - 1 is in a span)
                     P(e + 1 is no I, when e is in a span)
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.learning.bio import B, TaggedSpan, chain, tag_log_probs, viterbi
from qa_demo.core.learning.tagging import owned_rows, tagging
from qa_demo.core.types import Reading


@dataclass(frozen=True, eq=False)
class Opening:
    """`with_b` [D]: the most probable possible tagging, in which the answer's first token is B;
    `without` [D]: the most probable one in which it is not; `p` [D, 3] of each token by itself;
    `begins`, `goes_on` (one for each later token), `ends` (none at the end of the window): the
    chances whose product is the answer's. All within the answer's window, beside which `with_b`,
    `without` and `p` are those of each token's own window.
    """

    answer: TaggedSpan
    with_b: NDArray[np.int64]
    without: NDArray[np.int64]
    p: NDArray[np.float64]
    begins: float
    goes_on: tuple[float, ...]
    ends: float | None

    @property
    def differ(self) -> list[int]:
        """The tokens that the two taggings tag differently."""
        found: list[int] = np.flatnonzero(self.with_b != self.without).tolist()
        return found

    def weight(self, tags: NDArray[np.int64]) -> float:
        """The product of p over the tokens that differ; all others count alike in both."""
        return float(np.prod([self.p[d, tags[d]] for d in self.differ]))


def opening(reading: Reading, answer: TaggedSpan) -> Opening:
    """What speaks for the B of one answer; see `Opening`. Errors: BadInput without a tag head."""
    w = reading.windows[answer.window]
    inside, first = slice(w.doc_start, w.doc_stop), answer.span.start - w.doc_start
    last = answer.span.end - w.doc_start
    log_rows = tag_log_probs(reading, w.index).astype(np.float64)
    no_b = log_rows.copy()
    no_b[first, B] = -1e9
    p, tags = np.exp(owned_rows(reading)[0]), tagging(reading, "viterbi").tags
    with_b, without = tags.copy(), tags.copy()
    p[inside] = np.exp(log_rows)
    with_b[inside], without[inside] = viterbi(log_rows)[0], viterbi(no_b)[0]
    walk = chain(log_rows)
    goes_on = np.exp(walk.goes_on[first + 1 : last + 1]).tolist()
    ends = float(np.exp(walk.ends[last])) if answer.span.end + 1 < w.doc_stop else None
    begins = float(np.exp(walk.begins[first]))
    return Opening(answer, with_b, without, p, begins, tuple(goes_on), ends)
