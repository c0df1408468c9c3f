"""Where P_s(i) P_e(j) of one window lies: four parts that sum to 1, and what independence costs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.spans import pair_mass
from qa_demo.core.types import Reading
from qa_demo.figures.numbers import adds_up, number, probability, units
from qa_demo.figures.reading import in_own_words, null_token

PARTS = (
    ("legal", "legal pairs"),
    ("no_answer", "no answer: [CLS] twice"),
    ("mixed", "mixed with [CLS] or question"),
    ("illegal", "illegal: end before start, too long, not owned"),
)


def mass_data(
    reading: Reading,
    window: int,
    decode: DecodeOptions,
    copies: str = "max_context",
    temperature: float = 1.0,
) -> dict[str, Any]:
    """The four parts, also as printed, "=" or "≈" between them and 1, and what they cost."""
    mass = pair_mass(_at(reading, temperature), window, decode, copies)
    values = [max(0.0, float(getattr(mass, key))) for key, _ in PARTS]
    shown, exact = printed_parts(values)
    two = decimals_of([values[2], values[3]])
    lost, mixed, illegal = (
        probability(v, two) if v > 0 else "0" for v in (values[2] + values[3], values[2], values[3])
    )
    sentence = (
        f"Start and end are drawn independently, so {lost} of the mass falls on pairs that are "
        f"neither an answer nor “no answer”: {mixed} on pairs of which one end is "
        f"{null_token(reading.encoding)} or question, {illegal} on illegal spans. That is the cost "
        "of scoring the two ends apart."
    )
    names = in_own_words([words for _, words in PARTS], reading.encoding)
    return {
        "parts": [
            {"key": key, "name": words, "value": value, "printed": text}
            for (key, _), words, value, text in zip(PARTS, names, values, shown, strict=True)
        ],
        "sign": "=" if exact else "≈",
        "sentence": sentence,
    }


def decimals_of(values: Sequence[float]) -> int:
    """The fewest of 2 to 4 decimals at which no part is printed as a bound and the rounded parts
    add up to the rounded sum; 4 where there are none.
    """
    for decimals in (2, 3, 4):
        unit = 10.0**-decimals
        if adds_up(values, sum(values), decimals) and all(
            v in (0, 1) or unit <= v <= 1 - unit for v in values
        ):
            return decimals
    return 4


def printed_parts(values: Sequence[float]) -> tuple[list[str], bool]:
    """Parts of 1 as printed, and whether they add up to it exactly. Where a part is too small to be
    printed, the others add up to 1 without it.
    """
    decimals = decimals_of(values)
    unit = 10.0**-decimals
    small = [0 < v < unit for v in values]
    counts = [0 if tiny else units(v, decimals) for v, tiny in zip(values, small, strict=True)]
    counts[int(np.argmax(values))] += 10**decimals - sum(counts)
    shown = [
        "0"
        if v == 0
        else probability(v, decimals)
        if tiny or v > 1 - unit
        else _digits(n, decimals)
        for v, n, tiny in zip(values, counts, small, strict=True)
    ]
    return shown, not any(small)


def _digits(count: int, decimals: int) -> str:
    return number(count / 10**decimals, decimals)


def _at(reading: Reading, temperature: float) -> Reading:
    """The reading with all logits divided by the temperature."""
    if temperature == 1.0:
        return reading
    return replace(
        reading,
        start_logits=(reading.start_logits / np.float32(temperature)),
        end_logits=(reading.end_logits / np.float32(temperature)),
    )
