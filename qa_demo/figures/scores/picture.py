"""Chapter 2, step 1 as data: the exact plane of one window, the formula, the notice.

Every token stands at (s_i, e_i) = (S . T_i + b_S, E . T_i + b_E). The browser holds all logits and
draws the dots itself.
"""

from typing import Any

import numpy as np

from qa_demo.core.arrays import Floats
from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.lens import Slide
from qa_demo.core.reading.spans import top_spans
from qa_demo.core.types import Reading, Span
from qa_demo.figures.numbers import number, total
from qa_demo.figures.pack import printable
from qa_demo.figures.payload import Role, formula, part, table
from qa_demo.figures.prose import named, plural
from qa_demo.figures.reading import context_places, null_token, of_window
from qa_demo.figures.scores.slide import drawn
from qa_demo.figures.span_score import signed_addend

NAMED = 3
"""How many leaders of each axis carry a label of their own."""


def window_best(
    reading: Reading, window: int, decode: DecodeOptions, copies: str = "max_context"
) -> Span | None:
    """The best legal span of one window in pos, or None."""
    found = top_spans(*reading.logits(window), reading.windows[window], decode, copies, n=1)
    return Span(int(found[0, 0]), int(found[0, 1])) if len(found) else None


def leaders(reading: Reading, window: int, best: Span | None) -> list[int]:
    """The positions worth a label, most important first: [CLS], the best pair, the leaders."""
    at, (start, end) = reading.windows[window], reading.logits(window)
    inside = np.flatnonzero(at.is_context)
    named = [at.cls_at, *(() if best is None else (best.start, best.end))]
    for row in (start, end):
        named += inside[np.argsort(-row[inside], kind="stable")[:NAMED]].tolist()
    return list(dict.fromkeys(int(p) for p in named))


def axis_range(*points: Floats) -> list[float]:
    """[low start, high start, low end, high end] a little outside all points [m, 2]."""
    every = np.concatenate([np.asarray(p, dtype=np.float64).reshape(-1, 2) for p in points])
    every = every[np.isfinite(every).all(axis=1)]
    low, high = every.min(axis=0), every.max(axis=0)
    apart = high - low
    room = np.where(
        apart > 0, np.maximum(apart * 0.06, apart.max() * 0.03), max(0.03 * apart.max(), 0.5)
    )
    return [float(v) for pair in zip(low - room, high + room, strict=True) for v in pair]


def plane_data(
    reading: Reading,
    window: int,
    decode: DecodeOptions,
    copies: str,
    moved: Slide | None,
    winner: Span | None = None,
) -> dict[str, Any]:
    """Which dots are named, the no-answer diagonal, and the axes, which stand still in a slide."""
    start, end = reading.logits(window)
    at = reading.windows[window]
    best = window_best(reading, window, decode, copies)
    shown: list[Floats] = [np.stack([start, end], axis=1)]
    if moved is not None:
        docs = np.union1d(np.arange(at.doc_start, at.doc_stop), drawn(reading, window, winner))
        shown += [
            moved.before[docs],
            moved.after[docs],
            np.array([moved.cls_before, moved.cls_after]),
        ]
    none = [float(start[at.cls_at]), float(end[at.cls_at])]
    null, printed = sum(none), total(none)
    return {
        "window": window,
        "named": leaders(reading, window, best),
        "best": None if best is None else [best.start, best.end],
        "range": axis_range(*shown),
        "null": null,
        "nullPrinted": printed.total,
        "nullDecimals": printed.decimals,
    }


def beat_null(reading: Reading, window: int) -> int:
    """How many context tokens score above no answer as a span of one token."""
    start, end = reading.logits(window)
    at = reading.windows[window]
    return int((start + end > start[at.cls_at] + end[at.cls_at])[at.is_context].sum())


def token_table(reading: Reading, window: int) -> dict[str, Any]:
    """The table twin of the plane: both coordinates of every token, and its diagonal."""
    logits = zip(*(x.tolist() for x in reading.logits(window)), strict=True)
    sums = (total(both, at_least=3) for both in logits)
    rows = [
        [str(pos), printable(token), *printed.addends, printed.told]
        for pos, (token, printed) in enumerate(zip(reading.tokens(window), sums, strict=True))
    ]
    caption = (
        f"The plane as numbers: every token of window {window + 1} of "
        f"{len(reading.windows)}; the sum is its diagonal"
    )
    head = ["position", "token", "start_logit", "end_logit", "sum"]
    return table(caption, head, rows, context_places(reading, window))


def plane_notice(reading: Reading, window: int, decode: DecodeOptions, copies: str) -> str:
    """How many tokens beat no answer, and where the best pair's two dots stand."""
    at, count = reading.windows[window], beat_null(reading, window)
    stand = "stand" if count > 1 else "stands"
    null, many = null_token(reading.encoding), plural(int(at.is_context.sum()), "token")
    where = of_window(reading, window)
    said = (
        f" Of {many}{where}, {count or 'none'} {stand} above the diagonal through {null}: "
        f"{('none scores', 'it scores', 'they score')[min(count, 2)]} higher than no answer as a "
        f"span of one token."
    )
    best = window_best(reading, window, decode, copies)
    if best is None:
        return f"No span of this window is legal.{said}"
    start, end = reading.logits(window)
    if best.start == best.end:
        return (
            f"The best span{where} takes start and end from one dot, "
            f"{named(reading, window, best.start)}: start logit "
            f"{number(float(start[best.start]))}, end logit {number(float(end[best.end]))}.{said}"
        )
    return (
        f"The best span{where} starts at {named(reading, window, best.start)}, whose "
        f"end logit is {number(float(end[best.start]))}, and ends at "
        f"{named(reading, window, best.end)}, whose start logit is "
        f"{number(float(start[best.end]))}: two different dots.{said}"
    )


def score_formula(
    logits: tuple[float, float] | None, biases: tuple[float, float] | None
) -> list[dict[str, str]]:
    """s_i = S . T_i + b_S and e_j = E . T_j + b_E with numbers; product = logit minus bias."""
    parts = []
    for name, at, axis, role, gap in (("s", "i", "S", "start", ""), ("e", "j", "E", "end", "    ")):
        lane = _role(role)
        parts += [
            part(f"{gap}{name}", lane),
            *formula(f"_{{{at}}} = "),
            part(axis, lane),
            *formula(f" · T_{{{at}}} + b_{{{axis}}}"),
        ]
    if logits is None or biases is None:
        return parts
    for logit, bias, role in zip(logits, biases, ("start", "end"), strict=True):
        printed = total([logit - bias, bias], logit, at_least=3)
        parts += [
            part("     "),
            part(printed.addends[0], _role(role)),
            part(f" {signed_addend(printed.addends[1])} {printed.sign} "),
            part(printed.total, "strong"),
        ]
    return parts


def _role(lane: str) -> Role:
    return "start" if lane == "start" else "end"
