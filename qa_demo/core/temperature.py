"""One number for each head that makes its probabilities come true as often as they say (Guo et al.
2017).

    p_T = softmax(logits / T);  T > 1 makes a head less sure, T < 1 surer; the order of a window's
    spans stays the same

T is fitted on questions with known answers, by the likelihood of "this span is exactly right",
since that is what a probability beside an answer claims:

    NLL(T) = -(1/N) sum_n [ y_n log p_n(T) + (1 - y_n) log(1 - p_n(T)) ],   y_n = 1 where the head's
    best span is right
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from qa_demo.core.arrays import Floats, log_softmax, softmax
from qa_demo.core.bio import Chain, chain
from qa_demo.core.errors import BadInput

RANGE = 0.05, 20.0
CERTAIN = 1e-9
"""Probabilities are kept this far from 0 and 1: one claim of certainty that is wrong must not
outweigh all others.
"""


@dataclass(frozen=True, eq=False)
class PairClaim:
    """The best span of the start/end head: logits [n] of its window and the positions it chose."""

    start: Floats
    end: Floats
    i: int
    j: int

    def prob(self, temperature: float) -> float:
        """P_s(i) P_e(j) at a temperature."""
        return float(
            softmax(self.start / temperature)[self.i] * softmax(self.end / temperature)[self.j]
        )


@dataclass(frozen=True, eq=False)
class TagClaim:
    """The best span of the tags: logits [n, 3] of its window's paragraph tokens, and its first and
    last one.
    """

    tags: Floats
    i: int
    j: int

    def prob(self, temperature: float) -> float:
        """The span's exact marginal among the legal taggings at a temperature."""
        walk = chain(log_softmax(self.tags / temperature))
        return math.exp(marginal(walk, self.i, self.j))


Claim = PairClaim | TagClaim


def marginal(walk: Chain, i: int, j: int) -> float:
    """log P(the span i..j is an answer), nats: it begins, goes on, and ends
    (core.bio.span_marginals, one cell).
    """
    return float(walk.begins[i] + walk.goes_on[i + 1 : j + 1].sum() + walk.ends[j])


def negative_log_likelihood(probs: Floats, right: Floats) -> float:
    """-mean(y log p + (1 - y) log(1 - p)), nats. Errors: BadInput for lists that do not fit or are
    empty.
    """
    p, y = np.asarray(probs, dtype=np.float64), np.asarray(right, dtype=np.float64)
    if p.shape != y.shape or not p.size:
        raise BadInput(
            f"a likelihood needs one outcome for each probability, got {p.size} and {y.size}"
        )
    p = np.clip(p, CERTAIN, 1 - CERTAIN)
    return float(-(y * np.log(p) + (1 - y) * np.log1p(-p)).mean())


def lowest(loss: Callable[[float], float], steps: int = 40) -> float:
    """The T in RANGE with the lowest loss: a grid in log T, then golden sections around its best
    point.
    """
    grid = np.geomspace(*RANGE, 25)
    at = int(np.argmin([loss(float(t)) for t in grid]))
    low, high = math.log(grid[max(0, at - 1)]), math.log(grid[min(len(grid) - 1, at + 1)])
    ratio = (math.sqrt(5) - 1) / 2
    for _ in range(steps):
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        if loss(math.exp(a)) <= loss(math.exp(b)):
            high = b
        else:
            low = a
    return math.exp((low + high) / 2)


def fit(claims: Sequence[Claim], right: Sequence[float]) -> float:
    """The temperature with the lowest NLL of these claims. Errors: BadInput when all are right or
    all are wrong.
    """
    y = np.asarray(right, dtype=np.float64)
    if not len(claims) or y.min() == y.max():
        raise BadInput(
            f"a temperature needs right and wrong answers, got {int(y.sum())} right of "
            f"{len(claims)}"
        )
    return lowest(
        lambda t: negative_log_likelihood(np.array([c.prob(t) for c in claims]), y), steps=16
    )
