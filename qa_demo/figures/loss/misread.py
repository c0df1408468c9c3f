"""Your formula, corrected: each wrong loss, its consequence, the reading that breaks it."""

import math
import sys
from collections.abc import Iterable
from typing import Any

from qa_demo.core.learning.losses import Golds
from qa_demo.core.learning.misread import FORMULAS, Misread, gold_pair, measured, misread
from qa_demo.core.options import DecodeOptions
from qa_demo.core.types import Reading, Window
from qa_demo.figures.numbers import apart, nats, number, percent
from qa_demo.figures.payload import table
from qa_demo.figures.prose import named, plural, quoted

CONSTANT = 2.0
BREAKS = 0.05
"""A formula that is off by less than this, in nats, is not called broken by that reading."""

WRITTEN: dict[str, tuple[str, str]] = {
    "gold_only": (
        "“The softmax is only computed for the correct positions.”",
        "The softmax runs over every position; the loss picks the entry of the label.",
    ),
    "no_minus": (
        "L = ½ (log P(start) + log P(end))",
        "L = −½ (log P(start) + log P(end)): a logarithm of a probability is at most 0, and "
        "training makes L small.",
    ),
    "predicted": (
        "L = −log P at the highest start and the highest end",
        "L = −log P at the labelled start and end: the prediction never enters.",
    ),
    "searched": (
        "“Fine-tuning finds the most probable start and end under the constraint.”",
        "Search and constraint belong to prediction; training has neither.",
    ),
    "no_exp": ("P(i) = S·Tᵢ / Σₖ S·Tₖ", "P(i) = exp(S·Tᵢ) / Σₖ exp(S·Tₖ)"),
    "shared_z": (
        "P(end = j) = exp(E·Tⱼ) / Σₖ exp(S·Tₖ)",
        "P(end = j) = exp(E·Tⱼ) / Σₖ exp(E·Tₖ): each head has its own normaliser.",
    ),
    "no_bias": (
        "“A linear layer without a bias.”",
        "The code has one bias for each head; it moves every logit and no probability.",
    ),
}


def misread_data(
    reading: Reading, window: int, golds: Golds, decode: DecodeOptions
) -> list[dict[str, Any]]:
    """Every wrong formula beside the right one on the shown window."""
    w = reading.windows[window]
    found = [_misread(key, reading, window, golds, decode) for key in FORMULAS]
    losses = [x for f in found for x in (f.value, f.right) if x is not None]
    digits = apart(x for x in losses if math.isfinite(x))
    return [
        {
            "key": f.key,
            "wrong": WRITTEN[f.key][0],
            "instead": WRITTEN[f.key][1],
            "value": printed(f, digits),
            "right": nats(f.right, digits),
            "of": whose(w, golds),
            "says": consequence(reading, window, f),
        }
        for f in found
    ]


def _misread(
    key: str, reading: Reading, window: int, golds: Golds, decode: DecodeOptions
) -> Misread:
    """A wrong formula on one window."""
    w = reading.windows[window]
    return misread(key, w, *reading.logits(window), gold_pair(w, golds), decode, CONSTANT)


def whose(window: Window, golds: Golds) -> str:
    """Which label the numbers take, where the annotators have more than one."""
    if len(set(golds)) < 2:
        return "the loss"
    found = measured(window, golds)
    if found is None:
        return "the loss with both labels at the first token"
    return f"the loss by annotator {found + 1} alone"


def printed(found: Misread, digits: int | None = None) -> str:
    """The wrong formula's loss, or that it has none."""
    return "no logarithm" if found.value is None else nats(found.value, digits)


def consequence(reading: Reading, window: int, found: Misread) -> str:
    """One sentence with this reading's numbers."""
    if found.key in ("predicted", "searched"):
        return _elsewhere(reading, window, found)
    if found.key == "no_exp":
        return _without_exp(found)
    right = nats(found.right)
    if found.key == "gold_only":
        return (
            f"A softmax over one position is always 1, so the loss is 0 whatever the reader "
            f"says; over all positions it is {right}."
        )
    if found.key == "no_minus":
        return (
            f"Without the minus it is {printed(found)}, and lower still for a reader that is more "
            f"wrong: training would push the label's share of {percent(found.first)} at the start "
            f"and {percent(found.second)} at the end down."
        )
    if found.key == "shared_z":
        return (
            f"With the start's sum under the end the end's \"probabilities\" sum to "
            f"{magnitude(found.second)} instead of 1, and the "
            f"loss becomes {printed(found)} instead of {right}."
        )
    return (
        f"Add {number(CONSTANT, 0)} to every logit: log Z becomes {number(found.first)} for the "
        f"start and {number(found.second)} for the end, the loss stays {printed(found)}. So the "
        "formula may leave the bias out; the code has one."
    )


def _elsewhere(reading: Reading, window: int, found: Misread) -> str:
    """A loss that is taken at the prediction instead of at the label."""
    right = nats(found.right)
    at = " and ".join(named(reading, window, int(pos)) for pos in (found.first, found.second))
    what = "the two highest positions" if found.key == "predicted" else "the best legal pair"
    if found.differs < BREAKS:
        return (
            f"Here {what}, {at}, are the label or as probable, so both formulas cost "
            f"{right}: a right answer hides the mistake."
        )
    says = f"At {what}, {at}, it costs {printed(found)}; at the label {right}."
    if found.value is not None and found.value > found.right:
        return (
            f"{says} Here the label is the cheaper one, and the mistake would train the "
            f"reader away from it."
        )
    return (
        f"{says} A confident wrong answer would cost next to nothing, and training would "
        f"make it more confident."
    )


def _without_exp(found: Misread) -> str:
    """Logits taken as shares of their sum."""
    least = min(found.first, found.second)
    if least < 0:
        return (
            f'Without exp the smallest "probability" is {number(least)}: below 0, so it is none. '
            "It also changes when the same constant is added to every logit, which changes "
            "nothing in what the reader knows."
        )
    if found.value is None:
        return (
            "Without exp the label's share of the sum is 0, or the sum itself is 0: then there is "
            "no loss at all."
        )
    return (
        f"Here no share is below 0, and the loss would be {printed(found)}; add a "
        f"constant to every logit and it changes."
    )


def magnitude(x: float) -> str:
    """A positive number of any size in few characters: three decimals, or its power of ten."""
    if x < 0.0005:
        return "less than 0.001"
    if x < 1e6:
        return number(x, 3)
    if math.isinf(x):
        return f"more than {_ten_to(sys.float_info.max_10_exp)}"
    return f"about {_ten_to(round(math.log10(x)))}"


def _ten_to(power: int) -> str:
    return "10" + str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def misread_table(data: list[dict[str, Any]]) -> dict[str, Any]:
    """The table twin."""
    return table(
        f"Formulas as they are sometimes written, in nats, beside {data[0]['of']}",
        ["as written", "gives", "the loss", "corrected"],
        [[d["wrong"], d["value"], d["right"], d["instead"]] for d in data],
    )


def break_formula(
    key: str, readings: Iterable[tuple[str, Reading, Golds, int, DecodeOptions]]
) -> dict[str, Any]:
    """The reading where a formula is off the most: (title, reading, labels, window, options)."""
    tried = [
        (title, reading, w, _misread(key, reading, w, golds, decode))
        for title, reading, golds, w, decode in readings
    ]
    worst = max(tried, key=lambda t: t[3].differs, default=None)
    if worst is None or worst[3].differs < BREAKS:
        return {"key": key, "says": f"No counterexample in {plural(len(tried), 'reading')}."}
    title, reading, window, found = worst
    return {
        "key": key,
        "says": f"In {plural(len(tried), 'reading')} it is off the most in {quoted(title)}: it "
        f"gives {printed(found)} where the loss is {nats(found.right)}. "
        f"{consequence(reading, window, found)}",
    }
