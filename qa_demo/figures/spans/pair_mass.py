"""Where P_s(i) P_e(j) of one window lies: four parts that sum to 1, and what independence costs."""

from dataclasses import replace
from typing import Any

import numpy as np

from qa_demo.core.spans import pair_mass
from qa_demo.core.types import DecodeOptions, Reading
from qa_demo.figures.numbers import probability, total
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
    """The four parts as numbers and as printed, "=" or "≈" between them and 1, and the sentence on
    their cost.
    """
    mass = pair_mass(_at(reading, temperature), window, decode, copies)
    values = [max(0.0, float(getattr(mass, key))) for key, _ in PARTS]
    printed = total(values, 1.0)
    shown = [probability(v, printed.decimals) if v > 0 else "0" for v in values]
    exact = printed.sign == "=" and not any("<" in text or ">" in text for text in shown)
    two = total([values[2], values[3]])
    lost, mixed, illegal = (
        probability(v, two.decimals) if v > 0 else "0"
        for v in (values[2] + values[3], values[2], values[3])
    )
    sentence = (
        f"Start and end are drawn independently, so {lost} of the mass falls on pairs that are "
        f"neither an answer nor “no answer”: "
        f"{mixed} on pairs of which one end is {null_token(reading.encoding)} or question, "
        f"{illegal} on illegal spans. "
        "That is the cost of scoring the two ends apart."
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


def _at(reading: Reading, temperature: float) -> Reading:
    """The reading with all logits divided by the temperature."""
    if temperature == 1.0:
        return reading
    return replace(
        reading,
        start_logits=(reading.start_logits / np.float32(temperature)),
        end_logits=(reading.end_logits / np.float32(temperature)),
    )
