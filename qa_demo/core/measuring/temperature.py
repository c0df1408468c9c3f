"""Two numbers for each head that make its probabilities come true as often as they say.

    P_T = softmax(logits / T) over everything that could have been the answer
    P(right) = sigmoid(log-odds(P_T) + b)

T > 1 makes a head less sure, T < 1 surer (Guo et al. 2017); b moves all claims together (Platt
1999). For start and end P_T ranges over the legal pairs of all windows, as the answer is chosen
among them. The product of two softmaxes over all positions is a poorer claim: it gives mass to
[CLS], to the question and to pairs that no answer may be, and takes a start and its end for
independent. b is needed because "exactly right" is a wider claim than "this pair of tokens": any
annotator's answer counts, and so does the same text with an article more.

T and b are fitted on questions with known answers, by the likelihood of "the best span is exactly
right":

    NLL(T, b) = -(1/N) sum_n [ y_n log p_n + (1 - y_n) log(1 - p_n) ],   y_n = 1 where it is right
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from qa_demo.core.base import BadInput, Floats, log_softmax, logsumexp
from qa_demo.core.bio import Chain, chain
from qa_demo.core.spans import Candidate, cell_scores, reason, top_spans
from qa_demo.core.types import Calibration, DecodeOptions, Reading

RANGE = 0.05, 20.0
BIASES = -20.0, 20.0
CERTAIN = 1e-9
"""Probabilities are kept this far from 0 and 1: one claim of certainty that is wrong must not
outweigh all others.
"""
DECODE = DecodeOptions()
"""A calibration is fitted among the pairs that BERT's own limits allow, and holds for those."""


@dataclass(frozen=True, eq=False)
class PairClaim:
    """The best span of the start/end head: its score, and the scores [m] of every legal pair of all
    windows, its own among them.
    """

    score: float
    legal: Floats

    def prob(self, temperature: float) -> float:
        """exp(score / T) / sum over legal pairs of exp(score / T)."""
        return math.exp(
            min(0.0, self.score / temperature - float(logsumexp(self.legal / temperature)))
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


def pair_claim(reading: Reading, found: Candidate) -> PairClaim | None:
    """A span as a claim among the legal pairs under `DECODE`; None when it is not one of them."""
    home = reading.windows[found.window]
    i, j = home.to_pos(found.span.start), home.to_pos(found.span.end)
    if reason(home, i, j, DECODE) is not None:
        return None
    return PairClaim(found.score, _legal_scores(reading))


_scores: WeakKeyDictionary[Reading, Floats] = WeakKeyDictionary()


def _legal_scores(reading: Reading) -> Floats:
    """Every legal pair's score, [m]; kept with the reading, whose every view asks for them."""
    kept = _scores.get(reading)
    if kept is not None:
        return kept
    scores = []
    for window in reading.windows:
        logits = reading.logits(window.index)
        cells = top_spans(*logits, window, DECODE, n=len(window) ** 2)
        scores.append(cell_scores(*logits, cells))
    return _scores.setdefault(reading, np.concatenate(scores))


def marginal(walk: Chain, i: int, j: int) -> float:
    """log P(the span i..j is an answer), nats: it begins, goes on, and ends
    (core.bio.span_marginals, one cell).
    """
    return float(walk.begins[i] + walk.goes_on[i + 1 : j + 1].sum() + walk.ends[j])


def log_odds(probs: Floats) -> Floats:
    """log(p / (1 - p)), with p kept `CERTAIN` away from 0 and 1; e.g. 0.5 gives 0, 0.8 gives
    1.386.
    """
    p = np.clip(np.asarray(probs, dtype=np.float64), CERTAIN, 1 - CERTAIN)
    found: Floats = np.log(p) - np.log1p(-p)
    return found


def shifted(probs: Floats, bias: float) -> Floats:
    """sigmoid(log-odds(p) + bias); e.g. 0.5 with a bias of log 4 gives 0.8."""
    found: Floats = 1 / (1 + np.exp(-(log_odds(probs) + bias)))
    return found


def chance(claim: Claim, calibration: Calibration) -> float:
    """P(exactly right) = sigmoid(log-odds(P_T) + b): a claim's probability, calibrated."""
    return float(shifted(np.array([claim.prob(calibration.temperature)]), calibration.bias)[0])


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


def lowest(loss: Callable[[float], float], steps: int = 40, points: int = 25) -> float:
    """The T in RANGE with the lowest loss: a grid in log T, then golden sections around its best
    point.
    """
    grid = np.geomspace(*RANGE, points)
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


def best_bias(probs: Floats, right: Floats, steps: int = 60) -> float:
    """The b in BIASES with the lowest NLL: there the mean probability equals the share of right
    answers, since d NLL / d b = mean(p) - mean(y).
    """
    low, high = BIASES
    wanted = float(np.mean(right))
    for _ in range(steps):
        middle = (low + high) / 2
        if float(shifted(probs, middle).mean()) < wanted:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def fit(claims: Sequence[Claim], right: Sequence[float]) -> Calibration:
    """Temperature and bias with the lowest NLL of these claims. Errors: BadInput when all are right
    or all are wrong.
    """
    y = np.asarray(right, dtype=np.float64)
    if not len(claims) or y.min() == y.max():
        raise BadInput(
            f"a calibration needs right and wrong answers, got {int(y.sum())} right of "
            f"{len(claims)}"
        )

    def probs(t: float) -> Floats:
        return np.array([c.prob(t) for c in claims])

    def loss(t: float) -> float:
        p = probs(t)
        return negative_log_likelihood(shifted(p, best_bias(p, y)), y)

    temperature = lowest(loss, steps=12, points=13)  # to 3 in 1,000
    return Calibration(temperature, best_bias(probs(temperature), y))
