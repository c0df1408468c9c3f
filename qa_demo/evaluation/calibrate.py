"""Fit what a reader's chances are worth, and measure it on articles that the fit did not see.

T and b are fitted on questions with known answers, by the likelihood of "the best span is exactly
right"; slope and intercept by that of "the text answers":

    NLL = -(1/N) sum_n [ y_n log p_n + (1 - y_n) log(1 - p_n) ]
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from qa_demo.core.base import BadInput, Bools, Floats
from qa_demo.core.calibration import BIASES, CERTAIN, RANGE, STEEPEST, log_odds, shifted, sigmoid
from qa_demo.core.metrics import bins_of, calibration_error
from qa_demo.core.types import Answerability, Calibration
from qa_demo.evaluation.lines import Row
from qa_demo.evaluation.table import Table

# ---- fits


def negative_log_likelihood(probs: Floats, right: Floats) -> float:
    """-mean(y log p + (1 - y) log(1 - p)), nats."""
    p = np.clip(np.asarray(probs, dtype=np.float64), CERTAIN, 1 - CERTAIN)
    return float(-(right * np.log(p) + (1 - right) * np.log1p(-p)).mean())


def lowest(loss: Callable[[float], float]) -> float:
    """The T in RANGE with the lowest loss: grids in log T, each around the last's best point."""
    low, high = RANGE
    for _ in range(8):
        grid = np.geomspace(low, high, 9)
        at = int(np.argmin([loss(float(t)) for t in grid]))
        low, high = grid[max(0, at - 1)], grid[min(8, at + 1)]
    return math.sqrt(low * high)


def best_bias(probs: Floats, right: Floats) -> float:
    """The b in BIASES with the lowest NLL, by bisection: there the mean probability equals the
    share of right answers, since d NLL / d b = mean(p) - mean(y).
    """
    odds, (low, high) = log_odds(probs), BIASES
    for _ in range(40):
        middle = (low + high) / 2
        under = float(sigmoid(odds + middle).mean()) < np.mean(right)
        low, high = (middle, high) if under else (low, middle)
    return (low + high) / 2


def fit(asked: Table) -> Calibration:
    """Temperature and bias with the lowest NLL of these claims. Errors: BadInput when all are right
    or all are wrong.
    """
    right = asked.right.astype(np.float64)
    if len({*right.tolist()}) < 2:
        said = f"got {int(right.sum())} right of {len(right)}"
        raise BadInput(f"a calibration needs right and wrong answers, {said}")

    def loss(temperature: float) -> float:
        probs = asked.prob(temperature)
        return negative_log_likelihood(shifted(probs, best_bias(probs, right)), right)

    temperature = lowest(loss)
    return Calibration(temperature, best_bias(asked.prob(temperature), right))


def fit_answerable(margins: Floats, answers: Bools) -> Answerability:
    """Slope and intercept with the lowest NLL of "the text answers", by Newton's method. Errors:
    BadInput where one margin parts all that answer from the others (then no slope is steep enough),
    and where a lower margin would be the better answer.
    """
    x, y = np.asarray(margins, dtype=np.float64), np.asarray(answers, dtype=bool)
    has, none = x[y], x[~y]
    if not (has.size and none.size and has.min() < none.max() and has.max() > none.min()):
        raise BadInput(
            "how likely a text answers is fitted on questions with and without an answer that no "
            f"margin parts, got {has.size} with and {none.size} without"
        )
    scale = float(np.abs(x).max()) or 1.0
    columns, weights = np.stack([x / scale, np.ones_like(x)], axis=1), np.zeros(2)
    for _ in range(50):
        p = sigmoid(columns @ weights)
        curve = (columns * (p * (1 - p))[:, None]).T @ columns
        weights -= np.linalg.solve(curve + 1e-9 * np.eye(2), columns.T @ (p - y))
    found = Answerability(float(weights[0] / scale), float(weights[1]))
    if not (0 <= found.slope <= STEEPEST and abs(found.intercept) <= STEEPEST):
        raise BadInput(
            "a larger margin over no answer must make an answer likelier, by a slope of at most "
            f"{STEEPEST:g} a logit; these questions gave {found.slope:.3g}"
        )
    return found


# ---- what the fits are worth on articles that they did not see


def halves(titles: Sequence[str]) -> tuple[list[int], list[int]]:
    """Indices of two halves that share no article, since questions of one are alike: titles in an
    order fixed by a seed, dealt until one half holds half the questions; the last is never dealt,
    so that of two articles each half has one.
    """
    _, at, counts = np.unique(np.array(titles, object), return_inverse=True, return_counts=True)
    order = np.random.default_rng(0).permutation(len(counts))[:-1]
    before = np.cumsum(counts[order]) - counts[order]
    inside = np.isin(at, order[2 * before < len(titles)])
    return np.flatnonzero(inside).tolist(), np.flatnonzero(~inside).tolist()


def reliability(asked: Table, claim: bool = False) -> dict[str, Any]:
    """Temperature and bias fitted on all of these questions, and how well they do by two more fits,
    each on one half of the articles and measured on the other: a table of bins, and its error, the
    mean distance of probability and share, with that of P as it stands before. With `claim` slope
    and intercept instead, and the claim, on questions with and without an answer.

    Errors: BadInput where a half lacks questions of a kind or holds only right or wrong answers.
    """

    def fitted(part: Table) -> dict[str, float]:
        more = asdict(fit_answerable(part.margin, part.answerable)) if claim else {}
        return asdict(fit(part.part(part.answerable))) | more

    count, sides = len(asked.right), halves(asked.titles.tolist())
    whole, probs = fitted(asked), np.zeros(count)
    for side, other in zip(sides, sides[::-1], strict=True):
        try:
            by = fitted(asked.part(side))
        except BadInput as fault:
            raise BadInput(
                f"each half of the articles is fitted alone, and in one of them ({len(side)} of "
                f"{count} questions) {fault}; take a file of more articles"
            ) from fault
        part = asked.part(other)
        p = shifted(part.prob(by["temperature"]), by["bias"])
        probs[other] = p * sigmoid(by["slope"] * part.margin + by["intercept"]) if claim else p
    table = bins_of(probs, asked.right)
    bins, error = [asdict(b) for b in table], calibration_error(table)
    if claim:  # a reader's temperature and bias are those without the claim
        found = {name: whole[name] for name in ("slope", "intercept")}
        silent = int(np.count_nonzero(~asked.answerable))
        return {**found, "measured_on": count, "unanswerable": silent, "bins": bins, "error": error}
    before = calibration_error(bins_of(asked.plain, asked.right))
    errors = {"error_before": before, "error_after": error}
    return {**whole, "measured_on": count, "after": bins, **errors}


def calibrated(rows: Sequence[Row]) -> dict[str, Any]:
    """Threshold and calibration from the lines of a run, as `--calibration` reads them, and how
    well they do; the threshold is null without questions of both kinds. Errors: BadInput.
    """
    table = Table(rows)
    span = reliability(table.part(table.answerable).claims)
    fits: dict[str, Any] = {"span": {name: span[name] for name in ("temperature", "bias")}}
    found: dict[str, Any] = {"threshold": None, "calibration": fits, "reliability": span}
    if table.both:
        found |= {"at_threshold": table.choose()}
        found["threshold"] = found["at_threshold"]["threshold"]
        try:
            found["claim"] = claim = reliability(table.claims, claim=True)
            fits["answerable"] = {name: claim[name] for name in ("slope", "intercept")}
        except BadInput as fault:
            found |= {"claim": None, "claim_because": str(fault)}
    return found
