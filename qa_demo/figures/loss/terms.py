"""The loss as tables of terms: name, value, weight, over what; totals add up as printed."""

from typing import Any

import numpy as np

from qa_demo.core.arrays import log_softmax, logsumexp
from qa_demo.core.learning.losses import (
    Golds,
    cross_entropy,
    start_end_loss,
    start_end_targets,
    total,
)
from qa_demo.core.types import Reading
from qa_demo.figures.numbers import PrintedSum, mean, nats, number, probability, totals
from qa_demo.figures.numbers import total as printed_total
from qa_demo.figures.payload import table
from qa_demo.figures.prose import piece, plural, quoted

HEAD = ["term", "value", "weight", "over", "weight · value"]


def terms_table(reading: Reading, golds: Golds) -> dict[str, Any]:
    """The loss as the code takes it (mean of two heads) and as one text has it (their sum)."""
    terms = start_end_loss(reading, golds)
    weighted, values = [t.weight * t.value for t in terms], [t.value for t in terms]
    least = mean(values).decimals
    parts, both = totals([(weighted, total(terms)), (values, None)], least)
    rows = [
        [t.name, value, f"{t.weight:g}", plural(int(t.over), "window"), product]
        for t, value, product in zip(terms, both.addends, parts.addends, strict=True)
    ]
    rows += [
        ["mean, as the code takes it", "", "", "", parts.total],
        ["sum, as one text has it", f"{both.addends[0]} + {both.addends[1]}", "1", "", both.total],
    ]
    return table(
        "The loss, term by term, in nats: mean over the windows of -log p at the label", HEAD, rows
    )


def mean_loss(reading: Reading, golds: Golds) -> PrintedSum:
    """Start, end and their mean, the loss, as printed, nats: the digits of the whole chapter."""
    return mean([t.value for t in start_end_loss(reading, golds)])


def windows_table(reading: Reading, golds: Golds) -> dict[str, Any]:
    """The table twin of the labelling strip: what each window is trained to, what it costs."""
    rows = []
    for w in reading.windows:
        start, end = start_end_targets(w, golds)
        losses = [
            float(cross_entropy(x, t))
            for x, t in zip(reading.logits(w.index), (start, end), strict=True)
        ]
        rows.append(
            [
                str(w.index + 1),
                holds(reading, w.index, golds),
                labels_of(reading, w.index, start),
                labels_of(reading, w.index, end),
                *(nats(x, 3) for x in (*losses, float(np.mean(losses)))),
            ]
        )
    head = ["window", "holds", "start label", "end label", "start loss", "end loss", "mean"]
    return table("What each window is trained to", head, rows)


def holds(reading: Reading, window: int, golds: Golds) -> str:
    """Whether the window holds the gold spans whole, in part or not at all."""
    w, spans = reading.windows[window], [g for g in golds if g is not None]
    if not spans:
        return "no answer is right"
    held = sum(w.holds(g) for g in spans)
    touched = sum(g.start < w.doc_stop and g.end >= w.doc_start for g in spans)
    if held == len(spans):
        return "the whole answer"
    return (
        f"{held} of {len(spans)} labels whole"
        if held
        else "a part of it"
        if touched
        else "none of it"
    )


def labels_of(reading: Reading, window: int, target: np.ndarray) -> str:
    """The positions that carry the target: "39 “George”", or several with their shares."""
    at = np.flatnonzero(target)
    named = [f"{pos} {quoted(piece(reading, window, int(pos)))}" for pos in at]
    return (
        named[0]
        if len(at) == 1
        else ", ".join(f"{name} {number(target[pos])}" for name, pos in zip(named, at, strict=True))
    )


def bridge(reading: Reading, window: int, pair: tuple[int, int]) -> dict[str, Any]:
    """2 L = log Z_s + log Z_e - score of a pair, as printed, and exp(-2 L)."""
    s, e = (x.astype(np.float64) for x in reading.logits(window))
    i, j = pair
    z = [float(logsumexp(x)) for x in (s, e)]
    p = [float(log_softmax(s)[i]), float(log_softmax(e)[j])]
    score = float(s[i] + e[j])
    least = mean([-x for x in p]).decimals
    twice = printed_total([*z, -score], -sum(p), least)
    return {
        "i": i,
        "j": j,
        "loss": {"addends": list(twice.addends), "sign": twice.sign, "total": twice.total},
        "inWindow": probability(float(np.exp(sum(p))), 4),
    }
