"""Fit a calibration, and measure it on questions of articles that the fit did not see."""

from collections.abc import Mapping, Sequence

import numpy as np

from qa_demo.core.errors import BadInput
from qa_demo.core.measuring.measured import Half, Reliability
from qa_demo.core.measuring.metrics import calibration, calibration_error, expected_error
from qa_demo.core.measuring.temperature import Claim, chance, fit


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


def _error(side: Sequence[int], judged: Mapping[int, float], right: Sequence[float]) -> float:
    """The mean distance over some of the questions."""
    return calibration_error(calibration([judged[k] for k in side], [right[k] for k in side]))
