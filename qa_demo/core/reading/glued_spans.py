"""The glued span: two good answers, one start and one end, and why a pair may run from the first
one's start to the other's end.

    (s1 + e2) + (s2 + e1) = (s1 + e1) + (s2 + e2)

so at least one of the two crossed pairs scores as much as the mean of the two true ones, whatever
the logits are. s1 + e2 is legal, s2 + e1 runs backwards. Only a loss over pairs whose normaliser
holds the legal pairs alone can push the first below the true answers: it is free to raise the
second.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.arrays import Floats, logsumexp, softmax
from qa_demo.core.errors import BadInput, one_of
from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.legal import reason_matrix
from qa_demo.core.reading.spans import cell_scores
from qa_demo.core.types import Reading, Span, Window

LOSSES = ("soft", "all pairs", "legal pairs", "legal pairs, each")
STEPS, RATE = 60, 1.0


@dataclass(frozen=True)
class Glue:
    """Two answers (`doc`) of a window, their borders' logits, the log of the legal pairs' sum."""

    window: int
    first: Span
    second: Span
    s: tuple[float, float]
    e: tuple[float, float]
    log_legal: float

    @property
    def whole(self) -> Span:
        """From the first answer's start to the second one's end."""
        return Span(self.first.start, self.second.end)

    @property
    def scores(self) -> dict[str, float]:
        """The four pairs of the two starts and the two ends."""
        return {
            "first": self.s[0] + self.e[0],
            "second": self.s[1] + self.e[1],
            "glued": self.s[0] + self.e[1],
            "backwards": self.s[1] + self.e[0],
        }

    @property
    def margin(self) -> float:
        """Score of the glued pair minus the better of the two answers; above 0 the glue wins."""
        return self.scores["glued"] - max(self.scores["first"], self.scores["second"])


def two_answers(spans: Sequence[Span]) -> tuple[Span, Span] | None:
    """The first two spans, in text order, that do not touch each other; None if all overlap."""
    ordered = sorted(set(spans))
    return next(
        ((a, b) for k, a in enumerate(ordered) for b in ordered[k + 1 :] if a.end < b.start), None
    )


def glue(reading: Reading, first: Span, second: Span, decode: DecodeOptions) -> Glue | None:
    """The four pairs in the first window that holds both answers; None when no window does."""
    if not first.end < second.start:
        raise BadInput(
            f"the first answer must end before the second starts, got {first} and {second}"
        )
    for w, window in enumerate(reading.windows):
        if window.holds(Span(first.start, second.end)):
            both, legal = (first, second), legal_cells(reading, w, decode)
            return _at(*reading.logits(w), w, both, _gold(window, both), legal)
    return None


Cells = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Pairs as the starts and the ends of each, in `pos`."""


def _gold(window: Window, both: tuple[Span, Span]) -> Cells:
    starts = np.array([window.to_pos(span.start) for span in both])
    return starts, np.array([window.to_pos(span.end) for span in both])


def legal_cells(reading: Reading, window: int, decode: DecodeOptions) -> Cells:
    """Every legal pair of one window, owned or not."""
    i, j = np.nonzero(reason_matrix(reading.windows[window], decode, "all") == 0)
    return i, j


def gradient(
    start: Floats, end: Floats, gold: Cells, legal: Cells, loss: str
) -> tuple[Floats, Floats]:
    """d loss / d start logits and d end logits, [n] each.

        soft:         (p - t) / 2 for each head, t the mean of the gold one-hots
        all pairs:    -log of the gold pairs' share among all n x n pairs: p - q, q the softmax over
        the gold pairs alone legal pairs:  the same with only legal pairs in the normaliser
        legal pairs, each: the mean of -log of each gold pair's own share among the legal pairs; q
        is then equal for all of them

    The mean over all pairs instead of the legal ones is the soft loss times two, since all pairs
    factor into start and end.
    """
    one_of("the loss", loss, LOSSES)
    s, e = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    n, (i, j) = len(s), gold
    equal = loss in ("soft", "legal pairs, each")
    among = np.full(len(i), 1 / len(i)) if equal else softmax(s[i] + e[j])
    if loss in ("soft", "all pairs"):
        p_start, p_end = softmax(s), softmax(e)
    else:
        share = softmax(s[legal[0]] + e[legal[1]])
        p_start, p_end = (_sums(at, share, n) for at in legal)
    of_start, of_end = p_start - _sums(i, among, n), p_end - _sums(j, among, n)
    return (of_start / 2, of_end / 2) if loss == "soft" else (of_start, of_end)


def _sums(at: NDArray[np.int64], weights: Floats, n: int) -> Floats:
    sums = np.zeros(n)
    np.add.at(sums, at, weights)
    return sums


def descend(
    reading: Reading,
    found: Glue,
    decode: DecodeOptions,
    loss: str,
    steps: int = STEPS,
    rate: float = RATE,
) -> Glue:
    """Gradient descent on the window's own logits, as if each were free: where this loss alone
    would take the two answers.

    A real reader cannot move each logit freely; what a loss cannot reach here it cannot reach
    there.
    """
    window = reading.windows[found.window]
    s, e = (x.astype(np.float64) for x in reading.logits(found.window))
    both = (found.first, found.second)
    gold = _gold(window, both)
    legal = legal_cells(reading, found.window, decode)
    for _ in range(steps):
        ds, de = gradient(s, e, gold, legal, loss)
        s, e = s - rate * ds, e - rate * de
    return _at(s, e, found.window, both, gold, legal)


def _at(
    s: Floats, e: Floats, window: int, both: tuple[Span, Span], gold: Cells, legal: Cells
) -> Glue:
    starts, ends = s[gold[0]].tolist(), e[gold[1]].tolist()
    log_legal = float(logsumexp(cell_scores(s, e, np.stack(legal, axis=1))))
    return Glue(window, *both, (starts[0], starts[1]), (ends[0], ends[1]), log_legal)
