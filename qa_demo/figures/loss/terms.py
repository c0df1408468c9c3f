"""The loss as tables of terms: name, value, weight, over what; totals add up as printed."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from qa_demo.core.arrays import log_softmax, logsumexp
from qa_demo.core.learning.golds import LossTerm
from qa_demo.core.learning.losses import (
    Golds,
    cross_entropy,
    entropy,
    marginal_loss,
    pairs_loss,
    shared_norm_loss,
    start_end_loss,
    start_end_targets,
    total,
)
from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.legal import reason
from qa_demo.core.types import Reading, Span
from qa_demo.figures.numbers import PrintedSum, mean, nats, number, probability, totals
from qa_demo.figures.numbers import total as printed_total
from qa_demo.figures.payload import table
from qa_demo.figures.prose import piece, plural, quoted
from qa_demo.figures.reading import null_token

HEAD = ["term", "value", "weight", "over", "weight · value"]


def term_rows(terms: Sequence[LossTerm], unit: str) -> tuple[list[list[str]], PrintedSum]:
    """One row a term and the printed sum of weight * value, all with the same decimals."""
    parts, _ = _mean_and_sum(terms)
    rows = [
        [
            t.name,
            number(t.value, parts.decimals),
            f"{t.weight:g}",
            plural(int(t.over), unit),
            product,
        ]
        for t, product in zip(terms, parts.addends, strict=True)
    ]
    return rows, parts


def _mean_and_sum(terms: Sequence[LossTerm]) -> list[PrintedSum]:
    """sum of weight * value, and sum of value, with the same decimals."""
    weighted = [t.weight * t.value for t in terms]
    values = [t.value for t in terms]
    return totals([(weighted, total(terms)), (values, None)], mean(values).decimals)


def terms_table(reading: Reading, golds: Golds) -> dict[str, Any]:
    """The loss as the code takes it (mean of two heads) and as one text has it (their sum)."""
    terms = start_end_loss(reading, golds)
    rows, mean = term_rows(terms, "window")
    _, both = _mean_and_sum(terms)
    rows += [
        ["mean, as the code takes it", "", "", "", mean.total],
        ["sum, as one text has it", f"{both.addends[0]} + {both.addends[1]}", "1", "", both.total],
    ]
    return table(
        "The loss, term by term, in nats: mean over the windows of -log p at the label", HEAD, rows
    )


def mean_loss(reading: Reading, golds: Golds) -> PrintedSum:
    """Start, end and their mean, the loss, as printed, nats: the digits of the whole chapter."""
    return mean([t.value for t in start_end_loss(reading, golds)])


def window_rows(reading: Reading, golds: Golds) -> list[list[str]]:
    """What each window is trained to, and what it costs."""
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
    return rows


def windows_table(reading: Reading, golds: Golds) -> dict[str, Any]:
    """The table twin of the labelling strip."""
    return table(
        "What each window is trained to",
        ["window", "holds", "start label", "end label", "start loss", "end loss", "mean"],
        window_rows(reading, golds),
    )


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
    """score = log P_s + log P_e + log Z_s + log Z_e of a pair, as printed; 2 L, exp(-2 L)."""
    s, e = (x.astype(np.float64) for x in reading.logits(window))
    i, j = pair
    z = [float(logsumexp(x)) for x in (s, e)]
    p = [float(log_softmax(s)[i]), float(log_softmax(e)[j])]
    score = float(s[i] + e[j])
    least = mean([-x for x in p]).decimals
    sums = printed_total([*p, *z], score, least)
    twice = printed_total([*z, -score], -sum(p), least)
    return {
        "i": i,
        "j": j,
        "addends": list(sums.addends),
        "sign": sums.sign,
        "score": sums.total,
        "loss": {"addends": list(twice.addends), "sign": twice.sign, "total": twice.total},
        "inWindow": probability(float(np.exp(sum(p))), 4),
    }


def variants(
    reading: Reading, window: int, golds: Golds, decode: DecodeOptions
) -> list[dict[str, Any]]:
    """The same labels under other losses: one normaliser, soft targets, or one sum."""
    return [
        *_normalised(reading, golds),
        *_several(reading, window, golds),
        *_pairs(reading, window, golds, decode),
    ]


def _normalised(reading: Reading, golds: Golds) -> list[dict[str, Any]]:
    first = next((g for g in golds if g is not None), None)
    if first is None or not any(w.holds(first) for w in reading.windows):
        return []
    apart, one = (
        total([LossTerm(t.name, t.value, 0.5, t.over) for t in terms])
        for terms in (start_end_loss(reading, (first,)), shared_norm_loss(reading, first))
    )
    names = (
        "apart: a softmax in each window",
        "shared: one softmax over the paragraph's tokens of all windows",
    )
    both = (start_end_loss(reading, (first,)), shared_norm_loss(reading, first))
    printed = totals([([t.value / 2 for t in terms], None) for terms in both])
    rows = [[name, *p.addends, p.total] for name, p in zip(names, printed, strict=True)]
    return [
        {
            "key": "shared",
            "title": "separate and shared normalisation",
            "says": (
                ""
                if len(set(golds)) < 2
                else f"With {quoted(reading.encoding.text(first))} as the only label. "
            )
            + _apart_says(reading, nats(apart), nats(one)),
            "table": table(
                f"Label {quoted(reading.encoding.text(first))}; mean of start and end",
                ["normaliser", "½ start", "½ end", "mean"],
                rows,
            ),
        }
    ]


def _apart_says(reading: Reading, apart: str, shared: str) -> str:
    """What a softmax for each window costs beside one for all."""
    count = len(reading.windows)
    if count == 1:
        return (
            f"With one window the two differ only by what stands in the normaliser: "
            f"{null_token(reading.encoding)}, question and "
            f"separators are left out of the shared one; {apart} against {shared}."
        )
    return (
        f"Apart, {plural(count, 'window')} are trained alone, {apart} on average, and nothing ties "
        "their logits together: a constant added to one window costs nothing. Shared, every wrong "
        f"token of every window takes probability from the answer: {shared}."
    )


def _several(reading: Reading, window: int, golds: Golds) -> list[dict[str, Any]]:
    w = reading.windows[window]
    targets = start_end_targets(w, golds)
    if max(int((t > 0).sum()) for t in targets) < 2:
        return []
    heads = list(zip(targets, reading.logits(window), strict=True))
    soft = [float(cross_entropy(x, t)) for t, x in heads]
    summed = [marginal_loss(x, t > 0) for t, x in heads]
    least = [float(entropy(t)) for t in targets]
    split = totals([([low, loss - low], loss) for low, loss in zip(least, soft, strict=True)])
    rows = [
        [
            name,
            plural(int((t > 0).sum()), "position"),
            *s.addends,
            s.total,
            number(marginal, s.decimals),
        ]
        for name, t, s, marginal in zip(("start", "end"), targets, split, summed, strict=True)
    ]
    floor = float(np.mean([entropy(t) for t in targets]))
    said = (
        f"Soft targets ask for every label at once: they cost {nats(float(np.mean(soft)))} here "
        f"and can never cost less than their own entropy, {nats(floor)}. The marginal likelihood "
        f"asks that the labels together have the probability: {nats(float(np.mean(summed)))}, and "
        "it may settle on one of them."
    )
    return [
        {
            "key": "several",
            "title": "several right answers: soft targets or marginal likelihood",
            "says": said,
            "table": table(
                f"Window {window + 1}",
                ["head", "labels", "entropy (floor)", "divergence", "soft targets", "marginal"],
                rows,
            ),
        }
    ]


def _pairs(
    reading: Reading, window: int, golds: Golds, decode: DecodeOptions
) -> list[dict[str, Any]]:
    w = reading.windows[window]
    spans: list[Span] = sorted(
        {
            g
            for g in golds
            if g is not None
            and w.holds(g)
            and reason(w, w.to_pos(g.start), w.to_pos(g.end), decode, "all") is None
        }
    )
    if not spans:
        return []
    loss = pairs_loss(reading, window, spans, decode).value
    s, e = (log_softmax(x) for x in reading.logits(window))
    apart = -float(logsumexp(np.array([s[w.to_pos(g.start)] + e[w.to_pos(g.end)] for g in spans])))
    said = (
        "Training scores starts and ends apart and never a pair; prediction scores legal pairs. A "
        f"loss over the legal pairs would cost {nats(loss)} here, against {nats(apart)} where "
        "starts and ends are normalised apart: the difference is what the pairs that can be no "
        "answer hold."
    )
    return [{"key": "pairs", "title": "a loss over legal pairs", "says": said, "table": None}]
