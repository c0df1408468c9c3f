"""Pictures of a loss: -log P over P, pairs on two scales, a loss over training steps, and a window
as text with a value on its words.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from qa_demo import blocks as ui
from qa_demo import texts
from qa_demo.blocks import END, GREY, INK, OTHER, START, Block
from qa_demo.core.losses import Two
from qa_demo.core.spans import Pair
from qa_demo.core.types import Encoding, Span, Window
from qa_demo.drawn.plane import moved, names_apart
from qa_demo.printed import digits_of, escape, fine, number, probability, signed
from qa_demo.shown import Shown

SIDES = (("start", START, "triangle-down"), ("end", END, "triangle-up"))
STROKE = {"color": INK, "width": 2.5}
LONG = 130
"""From so many pieces on a paragraph is shown without its quiet middle parts."""


class Mark(NamedTuple):
    """A right position on the curve: of starts (0) or of ends (1), its log P, its escaped words."""

    side: int
    log_p: float
    words: str


def cost_curve(marks: Sequence[Mark], most: int = 6) -> Block:
    """-log P over P with a mark for each right position; the `most` probable ones are named with P
    and cost, on a narrow screen with P.
    """
    x = np.concatenate([np.geomspace(0.0005, 0.05, 50), np.linspace(0.06, 1, 95)])
    marks = sorted(marks, key=lambda m: m.log_p)
    top = max(4.6, -marks[0].log_p * 1.12)
    unit, few = top / 4.6, len(marks) <= 2
    sides = [SIDES[m.side] for m in marks]
    at = np.array([[np.exp(m.log_p), -m.log_p + (0.1 - 0.2 * m.side) * unit] for m in marks])
    marker = {"size": 16, "symbol": [s for *_, s in sides], "color": [c for _, c, _ in sides]}
    dots = ui.scatter("markers", *at.T.tolist(), marker={**marker, "opacity": 1})
    curve = ui.scatter("lines", x.round(5).tolist(), (-np.log(x)).round(4).tolist(), line=STROKE)
    long, short = [], []
    for m, (name, role, _), place in list(zip(marks, sides, at, strict=True))[-most:]:
        p, d = probability(float(np.exp(m.log_p))), digits_of(m.log_p)
        said, brief = f"right {name}: {m.words}, P = {p}", f"{m.words} {p}"
        if few:
            brief = f"{m.words}<br>P = {fine(m.log_p, d)}"
            said = f"right {name}: {brief}<br>−log P = {number(-m.log_p, d)}"
        long.append((place, said, role))
        short.append((place, brief, role))
    low, high = np.array([-0.02, -0.3 * unit]), np.array([1.03, top])
    crowd = np.concatenate([at, np.stack([x, -np.log(x)], axis=1)])
    both = []
    for names, size, beside in ((long, (1124, 272), (0.7, 0.9)), (short, (290, 250), (0.35, 0.75))):
        both.append(names_apart(names, crowd, low, high, size))
        if few and len(marks) == 2 and marks[0].log_p > np.log(0.5):  # else their lines would cross
            for one, spot, middle in zip(both[-1], at, beside, strict=True):
                right, down = np.array(size) / (high - low) * (spot - [middle, 2.1 * unit])
                one |= {"ax": -round(float(right)), "ay": round(float(down))}
    notes, small = both
    made = ui.layout(330, 62, 14, 8, 50, annotations=notes)
    title = "P that the reader gives to the right position"
    made["xaxis"] = ui.axis(title, range=[-0.02, 1.03])
    made["yaxis"] = ui.axis("−log P, what it costs", range=[-0.3 * unit, top])
    narrow = {"height": 320, "margin.l": 44, "xaxis.title.text": "P of the right position"}
    alt = "The curve of minus log P with this text's right start and right end"
    return ui.figure("figure", [curve, dots], made, alt, narrow=narrow | moved(small, "text"))


def two_scales(
    pairs: Sequence[Pair], words: Sequence[str], right: Pair, constant: float, role: str
) -> Block:
    """The pairs: score on one axis, log P(start) + log P(end) on the other, 0 if both P are 1."""
    at, d, rows = pairs.index(right), digits_of(right.logs), list(range(len(pairs)))
    room = max(0.01, -min(p.logs for p in pairs))
    low, high = -room * 1.1, room * 0.1
    both = list(zip(pairs, words, strict=True))
    words = [f"{w}, position {p.i}" if words.count(w) > 1 else w for p, w in both]

    def names(most: int) -> list[str]:
        cut = [escape(w if len(w) <= most else w[: most - 2] + "…”") for w in words]
        return [f"<b>{w}</b>" if r == at else w for r, w in enumerate(cut)]

    def side(r: int, p: Pair) -> str:
        return "middle left" if p.logs > -room / 2 else f"{'top' if r == at else 'middle'} right"

    scores = [number(p.score, d if r == at else 2) for r, p in enumerate(pairs)]
    colours = [role if r == at else OTHER for r in rows]
    points = ui.scatter(
        "markers+text",
        [p.logs for p in pairs],
        rows,
        cliponaxis=False,
        text=[f"   score {score}   " for score in scores],
        textposition=[side(r, p) for r, p in enumerate(pairs)],
        textfont={"size": 14, "color": INK},
        marker={"size": 16, "color": colours, "opacity": 1, "line": {"width": 0}},
    )
    # plotly draws a second axis only where a trace stands on it
    other = ui.scatter("markers", [constant], [0], xaxis="x2", marker={"opacity": 0})
    loss = f"2 L = {number(-right.logs, d)}"
    named = ui.note(f"<b>{loss}</b>", 0, at, role, 15, yshift=-17, xanchor="right", xshift=-4)
    left = int(min(364, 26 + max(7.3 * len(w) for w in words)))
    made = ui.layout(316, left, 16, 54, 50, annotations=[named])
    ends, down = [len(rows) - 0.4, -0.6], {"tickvals": rows, "ticktext": names(50)}
    made["yaxis"] = ui.axis(range=ends, showgrid=False, **down)
    below, above = "log P(start) + log P(end): 0 if both P are 1", "score = start logit + end logit"
    made["xaxis"] = ui.axis(below, range=[low, high], showgrid=False)
    second = {"side": "top", "overlaying": "x", "tickmode": "sync", "tickformat": ".2f"}
    made["xaxis2"] = ui.axis(
        above, range=[low + constant, high + constant], showgrid=False, **second
    )
    made["shapes"] = [
        *(ui.line(0, 1, r, r, ui.LINE, xref="paper", width=1, layer="below") for r in rows),
        ui.line(0, 0, 0, 1, INK, yref="paper", width=2, dash="dot"),
        ui.line(right.logs, 0, at, at, role, width=4),
    ]
    alt = "The best pairs on one line with two scales, the score and the sum of the two logarithms"
    narrow = {"margin.l": 118, "yaxis.ticktext": names(16), "yaxis.tickfont": {"size": 12}}
    narrow["xaxis.title.text"] = "log P(start) + log P(end)"
    return ui.figure("figure", [points, other], made, f"{alt}; {loss}", narrow=narrow)


def falling(steps: Sequence[int], losses: Sequence[float], now: int, size: int) -> Block:
    """The loss of a text of `size` positions over training steps, on a log axis from step 1; the
    moment `now` is the overlay's.
    """
    loss, flat, tens = losses[now], float(np.log(size)), [10**t for t in range(6)]
    at = [m for m in range(len(steps)) if steps[m] >= 1]
    x, y = [steps[m] for m in at], [losses[m] for m in at]
    curve = ui.scatter("lines", x, y, line=STROKE)
    points = ui.scatter("markers", x, y, marker={"size": 12, "opacity": 0}, customdata=at)
    points |= {"hoverinfo": "text", "sets": {"own.loss.moment": "customdata"}}
    points["text"] = [f"step {steps[m]:,}: L = {number(losses[m])}" for m in at]
    here, side = float(np.log10(max(1, steps[now]))), ("left", 12)
    if steps[now] > 1500:
        side = ("right", -12)
    said = f"<b>L = {number(loss, digits_of(loss))}</b>"
    up = 24 if loss < 0.8 * flat else -24
    name = ui.note(said, here, loss, INK, 16, xanchor=side[0], xshift=side[1], yshift=up)
    same = f"if all {size} positions had the same P: L = log {size} = {number(flat)}"
    even = ui.note(same, 0.99, flat, GREY, xref="paper", xanchor="right", yanchor="bottom")
    made = ui.layout(336, 60, 14, 10, 52, annotations=[even])
    across = {"range": [-0.08, float(np.log10(max(10, steps[-1]))) + 0.1], "showgrid": False}
    across |= {"tickvals": tens, "ticktext": [f"{t:,}" for t in tens]}
    title = "training step (each mark is ten times the one before)"
    made["xaxis"] = ui.axis(title, type="log", **across)
    made["yaxis"] = ui.axis("loss L of this text", range=[-0.15, max(*y, flat) * 1.13])
    made["shapes"] = [ui.line(0, 1, flat, flat, GREY, xref="paper", width=2, dash="dot")]
    narrow = {"height": 300, "annotations.0.text": f"all P equal: {number(flat)}"}
    narrow["xaxis.title.text"] = "training step"
    alt = f"The loss of this text at {len(at)} recorded training steps"
    over = {"annotations": [ui.note("●", here, loss, INK, 24), name]}
    return ui.figure("figure", [curve, points], made, alt, 12, over, narrow)


def window_text(
    key: str,
    shown: Shown,
    w: Window,
    values: Two,
    least: float,
    right: Span | None,
    name: str,
    height: int,
) -> Block:
    """The window as text: values [n] of starts and of ends, at least `least` in size, on its words,
    as arrows where some are negative; the mark `name` on the span `right`, else on [CLS]. Question
    and [SEP] stand there if something of theirs is drawn; of a long paragraph only what lies near a
    value or a mark.
    """
    e, arrows, held = shown.encoding, bool((values[0] < 0).any()), bool(right and w.holds(right))
    special, asked = {"marks": ["special"]}, texts.question_items(e)
    null = texts.item("[CLS] no answer", "  ", marks=["special", *[name] * (not held)])
    inside = texts.paragraph_items(e, w.doc_start, w.doc_stop)
    if right and held:
        texts.mark(inside, right, name)
    asked, last = [null, *asked, texts.item("[SEP]", **special)], texts.item("[SEP]", **special)
    places = [*range(len(asked) - 1), *range(w.context_at - 1, len(w))]
    for one, pos in zip([*asked, *inside, last], places, strict=True):
        for lane, v in zip(("up", "down"), values, strict=True):
            if abs(v[pos]) >= least:
                label = signed(v[pos], 3) if arrows else probability(float(v[pos]))
                one[lane] = [round(float(v[pos]), 4), label, 0]
    drawn = texts.shortened(inside, least) if len(inside) > LONG else inside
    drawn = [*drawn, *[last] * bool({"up", "down"} & {*last})]
    segments = [texts.segment([null, *drawn], "paragraph")]
    if any({"up", "down"} & {*one} for one in asked[1:]):
        segments = [texts.segment(asked, "question"), texts.segment(drawn, "paragraph")]
    for lane in ("up", "down"):
        raise_labels(e, [*asked, *drawn], lane, height)
    return texts.text(key, *segments, up=START, down=END, height=height, arrows=arrows)


def raise_labels(e: Encoding, items: Sequence[Block], lane: str, height: int) -> None:
    """Raise each label by as many rows as keep it clear of those before it."""
    placed = list[tuple[float, float]]()
    for n, one in enumerate(items):
        if lane in one:
            x = float(e.offset_mapping[one["at"]].mean()) if "at" in one else 9.0 * n - 9999
            y = max(9.0, abs(one[lane][0]) * height)
            while any(abs(x - a) < 6 and abs(y - b) < 17 for a, b in placed) and one[lane][2] < 4:
                y, one[lane][2] = y + 17, one[lane][2] + 1
            placed.append((x, y))
