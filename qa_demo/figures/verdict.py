"""The line above all chapters: the answer or why it is withheld, how sure it is, and where."""

from typing import Any

from qa_demo.core.measuring.claims import sureness
from qa_demo.core.options import MergeOptions
from qa_demo.core.reading.predicted import Candidate, Prediction
from qa_demo.core.types import Reading
from qa_demo.figures.numbers import exponential, number, percent
from qa_demo.figures.prose import characters, shorten
from qa_demo.figures.span_score import RULE, beside, span_prob

LONGEST = 120
"""Characters of the answer that the line prints; the text below shows all of them."""


def verdict(
    reading: Reading,
    prediction: Prediction,
    merge: MergeOptions = RULE,
    temperature: float = 1.0,
    changed: bool = False,
) -> dict[str, Any]:
    """What the line says of the shown logits, in parts: every part is text.

    `why` is empty where the reader answers. `sure` is the chance that the best span is exactly
    right, whatever the text holds (core.measuring.claims); for a reader without a calibration,
    logits `changed` by hand, or a span that the calibration does not know, P_start(i) P_end(j) in
    its window at `temperature`. `span` is [window, start, end] in doc coordinates.
    """
    best = prediction.best
    if best is None:
        return {
            "answered": False,
            "text": None,
            "why": "no span of this paragraph is legal under these limits",
        }
    found, answered = best.candidate, prediction.answer is not None
    return {
        "answered": answered,
        "text": shorten(found.text, LONGEST),
        "why": "" if answered else withheld(prediction, merge),
        "sure": sure(reading, found, temperature, changed, withheld=not answered),
        "place": place(reading, found),
        "span": [found.window, found.span.start, found.span.end],
    }


def withheld(prediction: Prediction, merge: MergeOptions) -> str:
    """By how much the best span misses what the rule requires; the printed numbers always differ.

    Errors: ValueError where the rule does answer.
    """
    diff, limit = prediction.score_diff, prediction.limit
    if diff is None or limit is None or diff <= limit:
        raise ValueError(f"this prediction withholds nothing: score_diff {diff}, limit {limit}")
    if not prediction.has_threshold:
        said = (x for d in range(2, 8) if (x := exponential(diff, d)) != number(1.0, d))
        times = next(said, "over 1")
        return f"loses: on the scale {merge.scale} no answer is {times} times as probable"
    lead, required = -diff, -limit
    decimals = next((d for d in range(2, 9) if number(lead, d) != number(required, d)), 9)
    limit_said = f"; the limit is {beside(required, decimals)}" if required else ""
    return f"lies {beside(lead, decimals)} “no answer”{limit_said}"


def sure(
    reading: Reading,
    found: Candidate,
    temperature: float = 1.0,
    changed: bool = False,
    *,
    withheld: bool = False,
) -> dict[str, str]:
    """The best span's probability and its name: `calibrated` only where a calibration was fitted,
    the logits are the reader's own, and BERT's own limits allow the span. Where the reader was
    fitted on questions that their text answers alone, that condition is said.
    """
    known = None if changed else sureness(reading, found)
    if known is not None:
        of = "The guess is" if withheld else ""
        name = "likely to be exactly right"
        if known.claim is None:
            chance, name = known.right_if_answerable, f"{name} if the text answers"
        else:
            chance, name = known.claim, f"{name} (calibrated probability)"
        return {"of": of, "value": percent(chance), "name": name}
    value = percent(span_prob(reading, found.window, found.span, temperature))
    warm = f" at temperature {temperature:g}" if temperature != 1.0 else ""
    name = f"probability in its window{warm}, not calibrated"
    return {"of": "The guess has" if withheld else "", "value": value, "name": name}


def place(reading: Reading, found: Candidate) -> str:
    """Its characters, and the window where there are several."""
    at, count = characters(found.char_start, found.char_end), len(reading.windows)
    inside = f", window {found.window + 1} of {count}" if count > 1 else ""
    return f"{at} of {len(reading.encoding.context):,}{inside}"
