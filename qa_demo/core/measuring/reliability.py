"""Fit a calibration, and measure it on questions of articles that the fit did not see."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from qa_demo.core.base import BadInput, Floats
from qa_demo.core.measuring.claims import answerable, fit_answerable
from qa_demo.core.measuring.measured import ClaimHalf, ClaimReliability, Half, Reliability
from qa_demo.core.measuring.metrics import calibration, calibration_error, expected_error
from qa_demo.core.measuring.temperature import Claim, chance, fit
from qa_demo.core.types import Answerability, Calibration


def halves(titles: Sequence[str]) -> tuple[list[int], list[int]]:
    """Indices of two halves that share no article: titles in an order fixed by a seed, dealt until
    one half holds half the questions; the last is never dealt, so that of two articles each half
    has one.

    Questions of one article are alike, so a calibration fitted and measured on the same article
    would look better than it is.
    """
    names = sorted(set(titles))
    first: set[str] = set()
    for name in (names[k] for k in np.random.default_rng(0).permutation(len(names))[:-1]):
        if 2 * sum(title in first for title in titles) < len(titles):
            first.add(name)
    return [k for k, title in enumerate(titles) if title in first], [
        k for k, title in enumerate(titles) if title not in first
    ]


def reliability(
    titles: Sequence[str], claims: Sequence[Claim], right: Sequence[float], plain: Sequence[float]
) -> Reliability:
    """A calibration fitted on all claims, and its reliability by two more fits, each on one half of
    the articles and measured on the other. `plain` are the probabilities without calibration.

    Errors: BadInput where a half holds only right or only wrong answers, or lists do not fit.
    """
    if not len(titles) == len(claims) == len(right) == len(plain):
        raise BadInput(
            f"reliability needs a title, a claim, an outcome and a probability for each question, "
            f"got {len(titles)}, {len(claims)}, {len(right)} and {len(plain)}"
        )
    whole, sides = fit(claims, right), halves(titles)
    for side in sides:
        count = sum(right[k] > 0 for k in side)
        if count in (0, len(side)):
            raise BadInput(
                f"a calibration is measured on two halves of the articles, and each half needs "
                f"right and wrong answers; one has {count} right of {len(side)}: take a file of "
                f"more articles"
            )
    fits = [fit([claims[k] for k in side], [right[k] for k in side]) for side in sides]
    judged = {k: chance(claims[k], fits[1 - side]) for side in (0, 1) for k in sides[side]}
    after = [judged[k] for k in range(len(claims))]
    before_bins, after_bins = calibration(plain, right), calibration(after, right)
    return Reliability(
        temperature=whole.temperature,
        bias=whole.bias,
        measured_on=len(claims),
        halves=tuple(
            Half(found.temperature, found.bias, len(side), _error(other, judged, right))
            for found, side, other in zip(fits, sides, reversed(sides), strict=True)
        ),
        before=before_bins,
        after=after_bins,
        error_before=calibration_error(before_bins),
        error_after=calibration_error(after_bins),
        chance_error=expected_error(after),
    )


@dataclass(frozen=True, eq=False)
class Asked:
    """One question of a file of which some have no answer: what the reader's best span claims, its
    lead over no answer, and how it was judged.
    """

    title: str
    answerable: bool
    claim: Claim
    margin: float
    right: bool


def claim_reliability(asked: Sequence[Asked]) -> ClaimReliability:
    """The claim's second fit on all questions, and its reliability by two more pairs of fits, each
    on one half of the articles and measured on the other.

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
    conditional, judged = np.zeros(len(asked)), np.zeros(len(asked))
    for side, (span, answers) in zip(reversed(sides), fits, strict=True):
        for k in side:
            conditional[k] = chance(asked[k].claim, span)
            judged[k] = conditional[k] * answerable(asked[k].margin, answers)
    right = [float(one.right) for one in asked]
    tables = [calibration(probs.tolist(), right) for probs in (conditional, judged)]
    errors = [_error(side, judged, right) for side in reversed(sides)]
    return ClaimReliability(
        slope=whole.slope,
        intercept=whole.intercept,
        measured_on=len(asked),
        unanswerable=sum(not one.answerable for one in asked),
        halves=tuple(
            ClaimHalf(span.temperature, span.bias, a.slope, a.intercept, len(side), error)
            for (span, a), side, error in zip(fits, sides, errors, strict=True)
        ),
        conditional=tables[0],
        bins=tables[1],
        error_conditional=calibration_error(tables[0]),
        error=calibration_error(tables[1]),
        chance_error=expected_error(judged.tolist()),
    )


def _fits(asked: Sequence[Asked]) -> tuple[Calibration, Answerability]:
    """Both factors of the claim: the first from the questions that have an answer, the second from
    all.
    """
    answered = [one for one in asked if one.answerable]
    return (
        fit([one.claim for one in answered], [float(one.right) for one in answered]),
        fit_answerable([one.margin for one in asked], [one.answerable for one in asked]),
    )


def _error(
    side: Sequence[int], judged: Mapping[int, float] | Floats, right: Sequence[float]
) -> float:
    """The mean distance over some of the questions."""
    return calibration_error(calibration([judged[k] for k in side], [right[k] for k in side]))
