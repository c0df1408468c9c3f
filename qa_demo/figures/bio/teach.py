"""Chapter 7, both heads taught the same marks: pairs, spans and losses before and after."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from qa_demo.core.learning.bio import B, decode_reading
from qa_demo.core.learning.losses import TagGold, tag_targets
from qa_demo.core.learning.steps import STEPS
from qa_demo.core.learning.teach import LOSSES, RATES, Taught
from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.glued_spans import glue
from qa_demo.core.reading.predict import predict
from qa_demo.core.types import Reading, Span
from qa_demo.figures.bio.picture import said_spans
from qa_demo.figures.bio.spans import LEVEL, marginals
from qa_demo.figures.numbers import number, probability
from qa_demo.figures.pack import printable
from qa_demo.figures.payload import table
from qa_demo.figures.prose import plural, quoted

KEYS = ("first", "second", "glued")


def controls() -> dict[str, Any]:
    """What can be chosen before a step."""
    return {
        "steps": list(STEPS),
        "rates": list(RATES),
        "losses": [{"key": k, "says": v} for k, v in LOSSES.items()],
    }


def target_sentence(
    reading: Reading, window: int, both: tuple[Span, Span], golds: Sequence[TagGold]
) -> str:
    """What marks ask of the tags at each answer's first token, and whether that returns both."""
    t = tag_targets(reading.windows[window], golds)[0]
    asked = [float(t[reading.windows[window].to_pos(x.start), B]) for x in both]
    shares = " and ".join(
        f"{Fraction(round(a * len(golds)), len(golds))} at {quoted(reading.encoding.text(x))}"
        for a, x in zip(asked, both, strict=True)
    )
    if min(asked) > 0.5:
        return f"The target of the tag B is {shares}: tags that fit it return both."
    return (
        f"The target of the tag B is {shares}: tags that fit it perfectly still leave an answer "
        "out, since O is likelier there. Let each annotator mark every answer."
    )


def returned(reading: Reading, decode: DecodeOptions) -> tuple[str, str]:
    """What each head returns: start and end's one answer, the likeliest legal tagging's spans."""
    answer, spans = predict(reading, decode).answer, decode_reading(reading)
    return ("no answer" if answer is None else quoted(printable(answer))), (
        f"{plural(len(spans), 'span')}: {said_spans(spans)}" if spans else "no span"
    )


def teach_data(
    path: Sequence[tuple[Taught, Reading]],
    both: tuple[Span, Span],
    window: int,
    floor: float,
    decode: DecodeOptions,
) -> dict[str, Any]:
    """The three spans before the first step and now: exact marginal for the tags, share of the
    legal pairs for start and end.

    `floor` is what the start/end loss cannot fall below, nats.
    """
    before, after = (_view(step[1], both, window, decode) for step in (path[0], path[-1]))
    taught, now = path[-1]
    names = dict(zip(KEYS, (*both, Span(both[0].start, both[1].end)), strict=True))
    rows = [
        {
            "key": key,
            "text": printable(now.encoding.text(span)),
            "window": window,
            "start": span.start,
            "end": span.end,
            "marginal": [before[key][0], after[key][0]],
            "share": [before[key][1], after[key][1]],
            "marginalSays": f"{probability(before[key][0])} → {probability(after[key][0])}",
            "shareSays": f"{probability(before[key][1])} → {probability(after[key][1])}",
            "score": f"{number(before[key][2])} → {number(after[key][2])}",
        }
        for key, span in names.items()
    ]
    says = teach_sentence(taught, now, decode, {key: after[key][2] for key in KEYS})
    return {
        "rows": rows,
        "steps": taught.steps,
        "tagLosses": list(taught.tag_losses),
        "spanLosses": list(taught.span_losses),
        "floor": number(floor, 3),
        "canUndo": len(path) > 1,
        "says": says,
    }


def _view(
    reading: Reading, both: tuple[Span, Span], window: int, decode: DecodeOptions
) -> dict[str, tuple[float, float, float]]:
    """Marginal, share among legal pairs, score of both answers and the span over both."""
    found = glue(reading, *both, decode)
    assert found is not None and found.window == window
    return {
        key: (marginal, float(np.exp(found.scores[key] - found.log_legal)), found.scores[key])
        for key, marginal in zip(KEYS, marginals(reading, found), strict=True)
    }


def teach_sentence(
    taught: Taught, now: Reading, decode: DecodeOptions, scores: dict[str, float]
) -> str:
    """What each head returns after the steps, and how the three pairs stand."""
    one, tags = returned(now, decode)
    began = f"After {plural(taught.steps, 'step')}" if taught.steps else "Before the first step"
    best, glued = max(scores["first"], scores["second"]), scores["glued"]
    apart = max(scores.values()) - min(scores.values())
    if apart <= LEVEL:
        printed = ", ".join(number(scores[key]) for key in KEYS)
        stand = (
            f"Both answers and the span glued out of them score nearly the same ({printed}): "
            f"a difference of {number(apart)} decides which one of the three is returned"
        )
    elif glued > best:
        stand = f"The glue scores {number(glued - best)} more than the better answer"
    else:
        stand = (
            f"The glue scores {number(best - glued)} less than the better answer, but only "
            f"that one answer can be returned"
        )
    return f"{began} the tags return {tags}. Start and end return {one}. {stand}."


def teach_tables(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Table twins: the three spans before and after, and both losses after each step."""
    spans = table(
        "Both heads taught the same marks: before the first step and now",
        [
            "span",
            "which",
            "marginal (tags)",
            "share of legal pairs (start/end)",
            "score (start/end)",
        ],
        [
            [r["text"], r["key"], r["marginalSays"], r["shareSays"], r["score"]]
            for r in data["rows"]
        ],
        [(r["window"], r["start"], r["end"]) for r in data["rows"]],
    )
    losses = table(
        "Loss of both heads after each step, nats",
        ["step", "tags: mean over tokens", "start and end: soft targets"],
        [
            [str(k), number(data["tagLosses"][k], 4), number(data["spanLosses"][k], 4)]
            for k in range(data["steps"] + 1)
        ],
    )
    return [spans, losses]
