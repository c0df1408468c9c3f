"""Pictures of a loss: -log P over P, what pairs score, a loss over training steps."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from qa_demo import blocks as ui
from qa_demo.blocks import END, GREY, INK, PAPER, START, Block
from qa_demo.core.spans import Pair
from qa_demo.printed import adds, digits_of, ends, escape, fine, number, probability, room

STROKE = {"color": INK, "width": 2.5}


class Right(NamedTuple):
    """A right start or a right end on the curve: its log P, and its escaped words."""

    side: str
    log_p: float
    words: str


def cost_curve(rights: Sequence[Right]) -> Block:
    """-log P over P with a triangle at each right position; the six most probable have a name."""
    x = np.concatenate([np.geomspace(0.0005, 0.05, 50), np.linspace(0.06, 1, 95)])
    rights = sorted(rights, key=lambda one: one.log_p)
    few, unit = len(rights) <= 2, max(1.0, -rights[0].log_p * 1.12 / 4.6)
    probs = [float(np.exp(one.log_p)) for one in rights]
    above = {START: 0.1 * unit, END: -0.1 * unit}  # the curve touches a triangle's point
    heights = [-one.log_p + above[one.side] for one in rights]
    marker: Block = {"size": 16, "symbol": [ui.SYMBOLS[one.side] for one in rights]}
    marker["color"] = [one.side for one in rights]
    dots = ui.scatter("markers", probs, heights, marker=marker)
    curve = ui.scatter("lines", x.round(5).tolist(), (-np.log(x)).round(4).tolist(), line=STROKE)
    beside: Block = {"axref": "x", "ayref": "y", "bgcolor": PAPER, **ui.LEADER}

    def names(pixels: int, brief: bool) -> list[Block]:
        """Above the curve and each other: first left of the points where the right end is full, the
        lowest P lowest; then right of them, the highest P lowest. So of two none covers the other's
        line.
        """
        placed = list[tuple[bool, float, float, Block]]()  # in this order; where each begins
        for one, p, height in [*zip(rights, probs, heights, strict=True)][-6:]:
            d, said = digits_of(one.log_p), one.words if brief else f"right {one.side}: {one.words}"
            rows = [said, f"P = {fine(one.log_p, d)}"] if few else [f"{said}, P = {probability(p)}"]
            rows += [f"−log P = {number(-one.log_p, d)}"] if few and not brief else []
            wide = 7.7 * max(len(re.sub("</?b>", "", r)) for r in rows) / pixels
            left = probs[-1] > 0.7 and p - wide > 0.1
            x = p - 0.03 if left else min(p + 0.03, 0.98 - wide)
            note = ui.note("<br>".join(rows), p, height, one.side, 14, ax=round(x, 3), **beside)
            note["xanchor"] = note["align"] = "right" if left else "left"
            placed.append((not left, p if left else -p, x - wide * left, note))
        top, notes = 0.0, list[Block]()
        for *_, begins, note in sorted(placed, key=lambda one: one[:2]):
            half = 0.2 * unit * (note["text"].count("<br>") + 1)
            curve_at = -float(np.log(begins)) if begins > 0 else 0.0  # wider than the plot
            notes.append({**note, "ay": round(half + max(top, curve_at), 3)})
            top = notes[-1]["ay"] + half
        return notes

    made = ui.layout(330, 62, 14, 8, 50, annotations=names(1124, False))
    high = max(4.6 * unit, *(n["ay"] + 0.7 * unit for n in made["annotations"]))
    made["xaxis"] = ui.axis("P of the right position", range=[-0.02, 1.03])
    made["yaxis"] = ui.axis("−log P, what it costs", range=[-0.3 * unit, high])
    narrow = {"below": 1000, "height": 320, "margin.l": 44, "annotations": names(290, True)}
    alt = "The curve of minus log P with this text's right start and right end"
    return ui.figure("figure", [curve, dots], made, alt, narrow=narrow)


def on_one_scale(
    pairs: Sequence[Pair], words: Sequence[str], right: Pair, constant: float, role: str
) -> Block:
    """A row a pair: a dot at its score, beside it its log P in sum and the constant."""
    at, d, rows = pairs.index(right), digits_of(right.log_p), list(range(len(pairs)))
    both = list(zip(pairs, words, strict=True))
    words = [f"{w}, position {p.i}" if words.count(w) > 1 else w for p, w in both]

    def names(most: int) -> list[str]:
        cut = [escape(w if room(w) <= most else ends(w, most - 2)[0] + "…”") for w in words]
        return [f"<b>{w}</b>" if r == at else w for r, w in enumerate(cut)]

    scores, said, brief = [p.score for p in pairs], list[str](), list[str]()
    plus = f"{'+' if constant >= 0 else '−'} {number(abs(constant), d)}"
    for p in pairs:
        brief.append(f"  <b>{number(p.score, d)}</b>")
        equal = adds((p.log_p, constant), p.score, d)
        said.append(f"{brief[-1]} {equal} {number(p.log_p, d)} {plus}")
    dots = ui.words(scores, rows, said, "middle right", size=14) | {"mode": "markers+text"}
    dots["marker"] = {"size": 14, "color": [role if r == at else GREY for r in rows]}
    edge = 0.06 * (scores[0] - scores[-1]) + 0.05
    left = int(min(364, 26 + max(7.3 * room(w) for w in words)))
    made = ui.layout(300, left, 216, 8, 50)
    made["yaxis"] = ui.named_rows(names(50), automargin=True)
    span = [scores[-1] - edge, scores[0] + edge]
    made["xaxis"] = ui.axis("score = start logit + end logit", range=span)
    what = {"xanchor": "left", "yanchor": "bottom", "yshift": 12}
    above = "<b>score</b> = log P(start) + log P(end) " + plus[0] + " constant"
    made["annotations"] = [ui.note(above, scores[0], 0, **what)]
    alt = "The best pairs by score, each with the sum of its two logarithms and the constant"
    narrow = {"below": 800, "margin.l": 118, "margin.r": 60, "data.scatter.text": brief}
    narrow |= {"yaxis.ticktext": names(13), "yaxis.tickfont.size": 12, "annotations.0.text": ""}
    return ui.figure("figure", [dots], made, alt, narrow=narrow)


def loss_over_steps(steps: Sequence[int], losses: Sequence[float], now: int) -> Block:
    """The loss of a text over training steps; `now` is the overlay's."""
    loss, tens = losses[now], [10**t for t in range(6)]
    at = [m for m in range(len(steps)) if steps[m] >= 1]
    x, y = [steps[m] for m in at], [losses[m] for m in at]
    curve = ui.scatter("lines+markers", x, y, line=STROKE, customdata=at)
    curve |= {"marker": {"size": 12, "opacity": 0}, "hoverinfo": "none"}
    curve["sets"] = {"own.loss.moment": "customdata"}
    here, late, low = float(np.log10(max(1, steps[now]))), steps[now] > 1500, loss < 0.8 * max(y)
    beside = {"xanchor": "right" if late else "left", "xshift": -12 if late else 12}
    name = f"<b>L = {number(loss, digits_of(loss))}</b>"
    over = [ui.note("●", here, loss, INK, 24)]
    over.append(ui.note(name, here, loss, INK, 16, yshift=24 if low else -24, **beside))
    made = ui.layout(336, 60, 14, 10, 52)
    across = {"range": [-0.08, float(np.log10(max(10, steps[-1]))) + 0.1], "showgrid": False}
    across |= {"tickvals": tens, "ticktext": [f"{t:,}" for t in tens]}
    made["xaxis"] = ui.axis("training step (on a log axis)", type="log", **across)
    made["yaxis"] = ui.axis("loss L of this text", range=[-0.15, max(y) * 1.13])
    alt = f"The loss of this text at {len(at)} recorded training steps"
    return ui.figure("figure", [curve], made, alt, overlay={"annotations": over})
