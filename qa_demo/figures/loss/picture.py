"""Chapter 5 as data: labels, logit axes, terms, the bridge; what the browser cannot compute."""

from typing import Any

import numpy as np

from qa_demo.core.arrays import softmax
from qa_demo.core.learning.losses import Golds, cross_entropy_gradient, start_end_targets
from qa_demo.core.learning.misread import gold_pair
from qa_demo.core.reading.predicted import Prediction
from qa_demo.core.types import Reading, Span
from qa_demo.figures.labels import Labels
from qa_demo.figures.loss.terms import bridge, holds, terms_table, windows_table
from qa_demo.figures.numbers import effect, number, probability
from qa_demo.figures.pack import printable
from qa_demo.figures.payload import table
from qa_demo.figures.prose import characters, place, quoted
from qa_demo.figures.reading import context_places, joined, logit_range, null_token, question_range

NEAR = 6
"""Other labels within so many word pieces of the first stand on the same strip."""

MARK = "mark the right one (drag over it, or tap its first word and then its last)"


def says_labels(reading: Reading, labels: Labels) -> str:
    """Who says what is right."""
    counts, null = distinct(labels.golds), null_token(reading.encoding)
    if labels.source == "nobody":
        return f"No answer is right here: every window is trained to {null}."
    none, count = sum(gold is None for gold in labels.golds), len(labels.golds)
    if none and labels.source == "reader":
        return (
            f"Nobody has marked the answer and the reader gives none, so “no answer” stands in: "
            f"{MARK}."
        )
    if none == count:
        return f"You say that no answer is right: every window is trained to {null}."
    by_annotators = labels.source == "annotators" or none > 0
    words = [reading.encoding.text(span) for span, _ in counts if span is not None]
    texts = ", ".join(
        quoted(said := reading.encoding.text(span))
        + (f" at position {place(reading, span.start)}" if words.count(said) > 1 else "")
        + (f" ({n} of {count})" if by_annotators and count > 1 else "")
        for span, n in counts
        if span is not None
    )
    if none:
        return (
            f"The labels: {texts}, no answer ({none} of {count}). Each counts alike, so {null} has "
            f"{none}/{count} of the target of a window that holds the marked answers, and all of "
            "the target where it holds none of them."
        )
    if by_annotators:
        return f"The annotators: {texts}."
    if labels.source == "marked":
        return f"You marked {texts}{'' if len(counts) == 1 else '; each counts alike'}."
    return f"Nobody has marked the answer, so the reader's own answer {texts} stands in: {MARK}."


def distinct(golds: Golds) -> list[tuple[Span | None, int]]:
    """Each different label with its number of annotators, in text order; "no answer" last."""
    seen = {gold: sum(g == gold for g in golds) for gold in golds}
    return sorted(seen.items(), key=lambda item: (item[0] is None, item[0] or Span(0, 0)))


def loss_picture(true: Reading, reading: Reading, labels: Labels, window: int) -> dict[str, Any]:
    """Labels of every window, and words and numbers of one."""
    golds = labels.golds
    return {
        "source": labels.source,
        "silent": sum(gold is None for gold in golds) if any(golds) else 0,
        "says": says_labels(reading, labels),
        "window": window,
        "joined": joined(reading.encoding),
        "question": question_range(reading.encoding),
        "range": logit_range(true),
        "golds": [
            {"start": span.start, "end": span.end}
            for span, _ in distinct(golds)
            if span is not None
        ],
        "windows": [_targets(reading, w, golds) for w in range(len(reading.windows))],
        "null": null_token(reading.encoding),
        "strip": strip(reading, golds),
        "bridge": bridge(reading, window, gold_pair(reading.windows[window], golds)),
    }


def _targets(reading: Reading, window: int, golds: Golds) -> dict[str, Any]:
    start, end = start_end_targets(reading.windows[window], golds)
    return {
        "holds": holds(reading, window, golds),
        **{
            side: [[int(k), float(t[k])] for k in np.flatnonzero(t)]
            for side, t in (("start", start), ("end", end))
        },
    }


def strip(reading: Reading, golds: Golds) -> dict[str, Any] | None:
    """Characters and word pieces around the first gold span. None for no answer."""
    spans = [g for g in golds if g is not None]
    if not spans:
        return None
    gold = spans[0]
    close = [
        g for g in spans if abs(g.start - gold.start) <= NEAR and abs(g.end - gold.end) <= NEAR
    ]
    first, last = min(g.start for g in close), min(max(g.end for g in close), gold.start + 2 * NEAR)
    return {
        "first": max(0, first - 2),
        "stop": min(len(reading.encoding.context_ids), last + 3),
        "start": gold.start,
        "end": gold.end,
        "chars": f"{quoted(reading.encoding.text(gold))} is "
        f"{characters(*reading.encoding.chars(gold))}",
    }


def is_right(golds: Golds, prediction: Prediction) -> bool:
    """The decoded answer is a label, by place; abstaining is right if an annotator found none."""
    return (None if prediction.answered is None else prediction.answered.span) in golds


SLOPE = ("p", "y", "½ (p − y)")


def token_table(reading: Reading, golds: Golds, window: int) -> dict[str, Any]:
    """The table twin of axes and arrows: p, y, p - y of every position; context rows select."""
    targets = start_end_targets(reading.windows[window], golds)
    lanes = [
        (x, softmax(x), t, cross_entropy_gradient(x, t) / 2)
        for x, t in zip(reading.logits(window), targets, strict=True)
    ]
    rows = []
    for pos, token in enumerate(reading.tokens(window)):
        rows.append([str(pos), printable(token)])
        for x, p, t, g in lanes:
            cells = number(x[pos], 3), probability(p[pos], 4), number(t[pos]), effect(g[pos], 4)
            rows[-1] += cells
    return table(
        f"Every position of window {window + 1} of {len(reading.windows)}: logit, p, label y, "
        f"and the gradient ½ (p − y)",
        ["position", "token", "start logit", *SLOPE, "end logit", *SLOPE],
        rows,
        context_places(reading, window),
    )


def loss_tables(reading: Reading, golds: Golds, window: int) -> list[dict[str, Any]]:
    """Terms, windows, positions."""
    return [
        terms_table(reading, golds),
        windows_table(reading, golds),
        token_table(reading, golds, window),
    ]
