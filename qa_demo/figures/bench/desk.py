"""The bench as data: typed numbers, probabilities, targets, slopes; answer, loss, tags."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from qa_demo.core.arrays import Floats, softmax
from qa_demo.core.course.bench import Bench, Places
from qa_demo.core.learning.bio import decode_tags, tag_letters, tag_log_probs, viterbi
from qa_demo.core.learning.losses import (
    Golds,
    cross_entropy_gradient,
    entropy,
    start_end_loss,
    start_end_targets,
    tag_loss,
    tag_targets,
)
from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.legal import valid_spans
from qa_demo.core.reading.merge_rules import run_all, separate_maxima
from qa_demo.core.reading.predict import predict
from qa_demo.core.reading.spans import Cell, span_scores
from qa_demo.core.types import Reading, Span
from qa_demo.figures.numbers import effect, mean, number, probability, rounded, sign_of, total
from qa_demo.figures.pack import printable
from qa_demo.figures.payload import table
from qa_demo.figures.prose import quoted
from qa_demo.figures.span_score import signed_addend, span_prob


def typed_number(x: float) -> str:
    """A number as it stands in its box, to four decimals: 2/3 stands there as 0.6667."""
    return f"{rounded(x, 4) + 0.0:.7g}"


def golds_text(bench: Bench) -> str:
    """The annotators as they are typed, tokens counted from 1: "1-2, 3, none"."""
    said = []
    for gold in bench.golds:
        if gold is None:
            said.append("none")
        else:
            first, last = gold[0] + 1, gold[1] + 1
            said.append(str(first) if first == last else f"{first}-{last}")
    return ", ".join(said)


def desk(bench: Bench, reading: Reading, decode: DecodeOptions) -> dict[str, Any]:
    """What is typed, and what follows from it. `reading` is the bench's own."""
    golds = bench.spans()
    return {
        "typed": bench.typed,
        "tokens": [printable(t) for t in bench.tokens],
        "golds": golds_text(bench),
        "step": bench.step,
        "windows": [
            _window(bench, reading, w, places, golds) for w, places in enumerate(bench.places)
        ],
        "tags": None if bench.tags is None else _tags(bench, reading, golds),
        "lines": [*_answer(reading, decode), *_loss(reading, golds), *_tag_lines(reading, golds)],
        "rules": _rules(reading, decode),
    }


def _window(bench: Bench, reading: Reading, w: int, places: Places, golds: Golds) -> dict[str, Any]:
    """One window's rows: [CLS], then its tokens."""
    window = reading.windows[w]
    rows, targets = (bench.start[w], bench.end[w]), start_end_targets(window, golds)
    start, end = (
        _side(row, logits, target if golds else None)
        for row, logits, target in zip(rows, reading.logits(w), targets, strict=True)
    )
    return {
        "first": places.start,
        "names": [printable(name) for name in reading.tokens(w)],
        "owned": [bool(x) for x in window.is_max_context],
        "start": start,
        "end": end,
    }


def _side(typed: Sequence[float], logits: Floats, target: Floats | None) -> dict[str, Any]:
    """A column: what is typed, p, and t with p - t where something is marked as right."""
    found: dict[str, Any] = {
        "typed": [typed_number(x) for x in typed],
        "p": [probability(float(p)) for p in softmax(logits)],
        "t": None,
        "slope": None,
    }
    if target is not None:
        found["t"] = [number(float(t)) for t in target]
        found["slope"] = [effect(float(g), 3) for g in cross_entropy_gradient(logits, target)]
    return found


def _tags(bench: Bench, reading: Reading, golds: Golds) -> list[dict[str, Any]]:
    """Each token's B, I, O: typed, p, and the target where something is marked."""
    assert reading.tag_logits is not None
    rows = []
    for doc, typed in enumerate(bench.tags or ()):
        window = reading.windows[int(reading.owners[doc])]
        pos = window.to_pos(doc)
        target = tag_targets(window, golds)[0][pos] if golds else None
        found = _side(typed, reading.tag_logits[window.index, pos], target)
        rows.append({key: found[key] for key in ("typed", "p", "t")})
    return rows


Line = list[str]
"""What it is, and what it comes to."""


def _answer(reading: Reading, decode: DecodeOptions) -> Iterator[Line]:
    """The best pair, no answer, and the two maxima taken apart."""
    found = predict(reading, decode)
    if found.best is not None:
        best = found.best.candidate
        yield ["best legal pair", f"{quoted(best.text)}: {_sum(best.start_logit, best.end_logit)}"]
        p = probability(span_prob(reading, best.window, best.span))
        yield ["its probability", f"P(start) · P(end) = {p}"]
        if (equal := _ties(reading, decode, best.score)) > 1:
            yield ["ties", f"{equal} pairs share the highest sum; the first is taken"]
    home = reading.windows[found.null_window]
    s, e = reading.logits(home.index)
    yield ["no answer", f"[CLS]: {_sum(float(s[home.cls_at]), float(e[home.cls_at]))}"]
    if found.score_diff is not None and found.limit is not None:
        over = found.score_diff > found.limit
        yield [
            "answered?",
            f"null − best = {number(found.score_diff)}, {'above' if over else 'not above'} the "
            f"threshold {number(found.limit)}: {'no answer' if over else 'an answer'}",
        ]
    for value, cell in sorted(separate_maxima(reading, decode), key=lambda one: one[1].window):
        yield _apart(reading, value, cell)


def _ties(reading: Reading, decode: DecodeOptions, score: float) -> int:
    """How many legal pairs of all windows have this score."""
    return sum(
        int((span_scores(*reading.logits(w))[valid_spans(window, decode)] == score).sum())
        for w, window in enumerate(reading.windows)
    )


def _apart(reading: Reading, value: float, cell: Cell) -> Line:
    """A window's two maxima: which tokens, whether they make a span, and their mean."""
    names = reading.tokens(cell.window)
    of = f", window {cell.window + 1}" if len(reading.windows) > 1 else ""
    fits = "a legal pair" if cell.reason is None else f"no legal pair: {cell.reason}"
    return [
        f"two separate maxima{of}",
        f"start “{printable(names[cell.start_pos])}”, end “{printable(names[cell.end_pos])}”, "
        f"{fits}; without [CLS] the mean of their two probabilities is {probability(value)}, the "
        f"score of no span",
    ]


def _loss(reading: Reading, golds: Golds) -> Iterator[Line]:
    """The loss of what is marked as right, and the annotators' floor under it."""
    if not golds:
        yield ["loss", "mark who takes which tokens as right, and the loss stands here"]
        return
    start, end = start_end_loss(reading, golds)
    half = mean([start.value, end.value])
    losses, decimals = [start.value, end.value], half.decimals
    both = f"{sign_of(losses, sum(losses), decimals)} {number(sum(losses), decimals)}"
    each = "" if len(reading.windows) == 1 else ", each the mean over the windows"
    yield [
        "loss",
        f"({half.addends[0]} + {half.addends[1]}) / 2 {half.sign} {half.total} nats{each}; "
        f"their sum {both}",
    ]
    floors = [
        float(np.mean([entropy(start_end_targets(w, golds)[side]) for w in reading.windows]))
        for side in range(2)
    ]
    if sum(floors) > 0:
        yield [
            "floor",
            f"the annotators’ entropy is {number(floors[0])} for the start and "
            f"{number(floors[1])} for the end: no loss gets below ({number(floors[0])} + "
            f"{number(floors[1])}) / 2",
        ]


def _tag_lines(reading: Reading, golds: Golds) -> Iterator[Line]:
    """Tags by their maxima and as the best legal row, and their loss."""
    if reading.tag_logits is None:
        return
    for window in reading.windows:
        lp = tag_log_probs(reading, window.index)
        of = f", window {window.index + 1}" if len(reading.windows) > 1 else ""
        best, log_p = viterbi(lp)
        yield [
            f"tags{of}",
            f"the likeliest of each token: {tag_letters(decode_tags(lp, 'strict')[1].tolist())}"
            f"; the best legal row: {tag_letters(best.tolist())}, probability "
            f"{probability(float(np.exp(log_p)))}",
        ]
    if golds:
        floor, above = tag_loss(reading, golds)
        said = total([floor.value, above.value])
        yield [
            "loss of the tags",
            f"entropy {said.addends[0]} + what can be learned {said.addends[1]} "
            f"{said.sign} {said.total} nats a token",
        ]


def _rules(reading: Reading, decode: DecodeOptions) -> dict[str, Any] | None:
    """With two windows: who wins under each rule of merging them."""
    if len(reading.windows) < 2:
        return None
    rows = []
    for result in run_all(reading, decode):
        if result.winner is None or result.value is None or result.winner_doc is None:
            rows.append([result.name, "none", "", ""])
            continue
        first, last = result.winner_doc
        text = (
            quoted(reading.encoding.text(Span(first, last)))
            if first <= last
            else f"from token {first + 1} back to token {last + 1}"
        )
        rows.append([result.name, text, str(result.winner.window + 1), number(result.value, 3)])
    return table("Who wins under each merge rule", ["rule", "span", "window", "value"], rows)


def _sum(a: float, b: float) -> str:
    said = total([a, b])
    return f"{said.addends[0]} {signed_addend(said.addends[1])} {said.sign} {said.total}"
