"""Fit what a reader's chances are worth, and measure it on articles that the fit did not see.

T and b are fitted on questions with known answers, by the likelihood of "the best span is exactly
right"; slope and intercept by that of "the text answers":

    NLL = -(1/N) sum_n [ y_n log p_n + (1 - y_n) log(1 - p_n) ]
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

from qa_demo.core.base import BadInput, Floats, log_softmax
from qa_demo.core.bio import chain
from qa_demo.core.calibration import (
    BIASES,
    CERTAIN,
    RANGE,
    STEEPEST,
    answerable,
    chance,
    log_odds,
    shifted,
    sigmoid,
)
from qa_demo.core.metrics import calibration, calibration_error, expected_error
from qa_demo.core.types import Answerability, Calibration
from qa_demo.evaluation.threshold import AIMS, trade_of

TEMPERATURES: tuple[float, ...] = tuple(np.geomspace(*RANGE, 31).tolist())
"""At which a line of a run keeps P_T, so that a fit needs no model."""


class Claim(Protocol):
    """What a best span claims: its probability at a temperature."""

    def prob(self, temperature: float) -> float:
        """P_T."""
        ...


class KeptClaim:
    """The claim of a line: P_T at TEMPERATURES, between them straight in log-odds over log T."""

    def __init__(self, probs: Sequence[float]) -> None:
        self._odds = log_odds(np.array(probs))

    def prob(self, temperature: float) -> float:
        """P_T, to 0.005."""
        at = np.interp(math.log(temperature), np.log(TEMPERATURES), self._odds)
        return float(sigmoid(np.array(at)))


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
        walk, i, j = chain(log_softmax(self.tags / temperature)), self.i, self.j
        found = walk.begins[i] + walk.goes_on[i + 1 : j + 1].sum() + walk.ends[j]
        return math.exp(float(found))


def negative_log_likelihood(probs: Floats, right: Floats) -> float:
    """-mean(y log p + (1 - y) log(1 - p)), nats."""
    p, y = np.asarray(probs, dtype=np.float64), np.asarray(right, dtype=np.float64)
    assert p.shape == y.shape and p.size
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


def fit_answerable(margins: Sequence[float], answers: Sequence[bool]) -> Answerability:
    """Slope and intercept with the lowest NLL of "the text answers", by Newton's method.

    Errors: BadInput where the questions are all answerable or all not, where a margin separates
    them (then no slope is steep enough), and where a lower score would be the better answer.
    """
    x, y = np.asarray(margins, dtype=np.float64), np.asarray(answers, dtype=np.float64)
    if not x.size or y.min() == y.max():
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
    for _ in range(50):
        p = sigmoid(columns @ weights)
        curve = (columns * (p * (1 - p))[:, None]).T @ columns
        step = np.linalg.solve(curve + 1e-9 * np.eye(2), columns.T @ (p - y))
        weights = weights - step
        if float(np.abs(step).max()) < 1e-10:
            break
    found = Answerability(float(weights[0] / scale), float(weights[1]))
    if not (0 <= found.slope <= STEEPEST and abs(found.intercept) <= STEEPEST):
        raise BadInput(
            "a larger lead over no answer must make an answer likelier, by a slope of at most "
            f"{STEEPEST:g} a logit; these questions gave {found.slope:.3g}"
        )
    return found


def halves(titles: Sequence[str]) -> tuple[list[int], list[int]]:
    """Indices of two halves that share no article: titles in an order fixed by a seed, dealt until
    one half holds half the questions; the last is never dealt, so that of two articles each half
    has one.

    Questions of one article are alike, so what is fitted and measured on the same article would
    look better than it is.
    """
    names = sorted(set(titles))
    first: set[str] = set()
    for name in (names[k] for k in np.random.default_rng(0).permutation(len(names))[:-1]):
        if 2 * sum(title in first for title in titles) < len(titles):
            first.add(name)
    inside = [title in first for title in titles]
    return [k for k, x in enumerate(inside) if x], [k for k, x in enumerate(inside) if not x]


@dataclass(frozen=True, eq=False)
class Asked:
    """One question: what the reader's best span claims, its probability without calibration, its
    lead over no answer, whether the file has an answer, and whether the span is exactly right.
    """

    title: str
    answerable: bool
    claim: Claim
    plain: float
    margin: float
    right: bool


def reliability(asked: Sequence[Asked]) -> dict[str, Any]:
    """Temperature and bias fitted on all of these questions, and how well they do by two more fits,
    each on one half of the articles and measured on the other: tables of bins before and after, and
    errors, the mean distance of probability and share (`chance_error`: of outcomes drawn with
    exactly these probabilities).

    Errors: BadInput where a half holds only right or only wrong answers.
    """
    whole, sides = _fit(asked), halves([one.title for one in asked])
    for side in sides:
        count = sum(asked[k].right for k in side)
        if count in (0, len(side)):
            raise BadInput(
                f"a calibration is measured on two halves of the articles, and each half needs "
                f"right and wrong answers; one has {count} right of {len(side)}: take a file of "
                f"more articles"
            )
    fits = [_fit([asked[k] for k in side]) for side in sides]
    before, after = np.array([one.plain for one in asked]), _chances(asked, sides, fits)
    tables = {("before", "error_before"): before, ("after", "error_after"): after}
    return asdict(whole) | _measured(asked, sides, [asdict(x) for x in fits], tables)


def claim_reliability(asked: Sequence[Asked]) -> dict[str, Any]:
    """Slope and intercept fitted on all questions, with and without an answer, and how well the
    claim does by two more pairs of fits, each on one half of the articles and measured on the
    other; `conditional` are the chances that hold where there is an answer.

    Errors: BadInput where a half lacks questions of a kind or holds only right or wrong answers.
    """
    whole, sides = _fits(asked)[1], halves([one.title for one in asked])
    fits = []
    for side in sides:
        try:
            fits.append(_fits([asked[k] for k in side]))
        except BadInput as fault:
            raise BadInput(
                f"each half of the articles is fitted alone, and in one of them ({len(side)} of "
                f"{len(asked)} questions) {fault}"
            ) from fault
    conditional = _chances(asked, sides, [span for span, _ in fits])
    judged = conditional.copy()
    for side, (_, line) in zip(reversed(sides), fits, strict=True):
        judged[side] *= [answerable(asked[k].margin, line) for k in side]
    tables = {("conditional", "error_conditional"): conditional, ("bins", "error"): judged}
    found = _measured(asked, sides, [asdict(a) | asdict(b) for a, b in fits], tables)
    return asdict(whole) | found | {"unanswerable": sum(not one.answerable for one in asked)}


def _fit(asked: Sequence[Asked]) -> Calibration:
    return fit([one.claim for one in asked], [float(one.right) for one in asked])


def _fits(asked: Sequence[Asked]) -> tuple[Calibration, Answerability]:
    """Both factors of the claim: the first from the questions that have an answer, the second from
    all.
    """
    answers = fit_answerable([one.margin for one in asked], [one.answerable for one in asked])
    return _fit([one for one in asked if one.answerable]), answers


def _chances(
    asked: Sequence[Asked], sides: Sequence[Sequence[int]], fits: Sequence[Calibration]
) -> Floats:
    """Each question's chance of being right by the fit of the half that it is not in, [n]."""
    found = np.zeros(len(asked))
    for side, fitted in zip(reversed(sides), fits, strict=True):
        for k in side:
            found[k] = chance(asked[k].claim.prob(fitted.temperature), fitted)
    return found


def _measured(
    asked: Sequence[Asked],
    sides: Sequence[Sequence[int]],
    fits: Sequence[dict[str, float]],
    chances: Mapping[tuple[str, str], Floats],
) -> dict[str, Any]:
    """The bins and the error of each kind of chances, by their names; of the last kind also what
    its draw alone would give, and the error of each half's fit on the other half.
    """
    right = np.array([one.right for one in asked], dtype=np.float64)
    found: dict[str, Any] = {"measured_on": len(asked)}
    for (bins, error), probs in chances.items():
        table = calibration(probs, right)
        found |= {bins: [asdict(b) for b in table], error: calibration_error(table)}
    found["chance_error"] = expected_error(probs)
    errors = [calibration_error(calibration(probs[side], right[side])) for side in reversed(sides)]
    found["halves"] = [
        {**fitted, "fitted_on": len(side), "error": error}
        for fitted, side, error in zip(fits, sides, errors, strict=True)
    ]
    return found


def calibrated(rows: Sequence[Mapping[str, Any]], aim: str) -> dict[str, Any]:
    """Threshold and calibration from the lines of a run, as `--calibration` reads them, and how
    well they do; the threshold serves an aim of `threshold.AIMS` and is null without questions of
    both kinds. Errors: BadInput.
    """
    line, asked = trade_of(rows), asked_of(rows)
    both = len(set(line.answerable.tolist())) == 2
    if not line.answerable.any():
        raise BadInput("a calibration needs questions with an answer, and these lines have none")
    found: dict[str, Any] = {"threshold": None, "aim": None}
    if both:
        each = {
            name: dict(zip(("threshold", "value"), line.best(name), strict=True)) for name in AIMS
        }
        found = {"threshold": each[aim]["threshold"], "aim": {"name": aim, "meaning": AIMS[aim]}}
        found |= {"aims": each, "at_threshold": asdict(line.at(found["threshold"]))}
    span = reliability([one for one in asked if one.answerable])
    fits: dict[str, Any] = {"span": {name: span[name] for name in ("temperature", "bias")}}
    found |= {"calibration": fits, "reliability": span}
    if not both:
        return found
    try:
        claim = claim_reliability(asked)
    except BadInput as fault:
        return found | {"claim": None, "claim_because": str(fault)}
    fits["answerable"] = {name: claim[name] for name in ("slope", "intercept")}
    return found | {"claim": claim}


def asked_of(rows: Sequence[Mapping[str, Any]]) -> list[Asked]:
    """The lines with a span that makes a claim; a file without titles is split by paragraphs."""
    titled = len({row["title"] for row in rows}) > 1
    return [
        Asked(
            row["title"] if titled and row["title"] else row["context"],
            bool(row["gold"]),
            KeptClaim(row["probs"]),
            row["in_window"],
            row["margin"],
            bool(row["gold"]) and row["best"]["exact"] == 1,
        )
        for row in rows
        if row["probs"]
    ]
