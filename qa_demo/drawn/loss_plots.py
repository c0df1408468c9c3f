"""Three figures of a loss: -log P over P, pairs on two scales, a loss over training steps."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from qa_demo.blocks import END, GREY, INK, LINE, OTHER, START, Block, axis, figure, line, note
from qa_demo.core.spans import Pair
from qa_demo.printed import digits_of, escape, fine, number, probability

SIDES = (("start", START), ("end", END))


def scatter(mode: str, x: Sequence[Any], y: Sequence[Any], **more: Any) -> Block:
    """A trace in ink that says nothing under the pointer."""
    stroke = {"line": {"color": INK, "width": 2.5}} if mode == "lines" else {}
    trace = {"type": "scatter", "mode": mode, "x": list(x), "y": list(y), "hoverinfo": "skip"}
    return {**trace, **stroke, **more}


# ---- -log P over P


class Mark(NamedTuple):
    """A right position on the curve: of starts (0) or of ends (1), its log P, its escaped words."""

    side: int
    log_p: float
    words: str


def cost_curve(marks: Sequence[Mark]) -> Block:
    """-log P over P with a mark for each right position, named with P and cost."""
    x = np.concatenate([np.geomspace(0.0005, 0.05, 50), np.linspace(0.06, 1, 95)])
    drawn = scatter("lines", x.round(5).tolist(), (-np.log(x)).round(4).tolist())
    marks = sorted(marks, key=lambda m: m.log_p)
    top = max(4.6, -marks[0].log_p * 1.12)
    unit = top / 4.6
    heights = [-m.log_p + (0.1 - 0.2 * m.side) * unit for m in marks]
    dots = scatter("markers", np.exp([m.log_p for m in marks]).tolist(), heights)
    symbols = [("triangle-down", "triangle-up")[m.side] for m in marks]
    colours = [SIDES[m.side][1] for m in marks]
    dots["marker"] = {"size": 16, "symbol": symbols, "color": colours, "opacity": 1}
    notes, small = mark_names(marks, heights, top)
    layout = {
        "height": 330,
        "margin": {"l": 62, "r": 14, "t": 8, "b": 50},
        "xaxis": axis("P that the reader gives to the right position", range=[-0.02, 1.03]),
        "yaxis": axis("−log P, what it costs", range=[-0.3 * unit, top]),
        "annotations": notes,
    }
    small |= {"height": 320, "margin.l": 44, "xaxis.title.text": "P of the right position"}
    alt = "The curve of minus log P with this text's right start and right end"
    return figure("figure", [drawn, dots], layout, alt, narrow=small)


def mark_names(
    marks: Sequence[Mark], heights: Sequence[float], top: float, most: int = 6
) -> tuple[list[Block], Block]:
    """Names of the last marks, sorted by P: right of those on the steep part of the curve, above
    those near 1; and what a narrow screen shows in their place.
    """
    notes, small, unit, few = list[Block](), dict[str, Any](), top / 4.6, len(marks) <= 2
    late = sum(m.log_p >= np.log(0.5) for m in marks)
    gap, before, n = (0.85 if few else 0.45) * unit, top + unit, 0
    for m, height in list(zip(marks, heights, strict=True))[-most:]:
        (name, role), p, d = SIDES[m.side], float(np.exp(m.log_p)), digits_of(m.log_p)
        said = f"right {name}: {m.words}, P = {probability(p)}"
        brief = f"{m.words} {probability(p)}"
        if few:
            brief = f"{m.words}<br>P = {fine(m.log_p, d)}"
            said = f"right {name}: {brief}, −log P = {number(-m.log_p, d)}"
        small[f"annotations.{len(notes)}.text"] = brief
        if p >= 0.5 and few:
            y, x, anchor = 1.45 * unit, 0.58 if late > n + 1 else 0.88, ("center", "bottom")
            small[f"annotations.{len(notes)}.ax"] = 0.34 + 0.46 * (n % 2) if late > 1 else 0.7
        elif p >= 0.5:  # one above the other: the lines meet the edges of the names
            y = 1.45 * unit + gap * n
            x, anchor = (0.99, ("right", "middle")) if p > 0.75 else (p + 0.07, ("left", "middle"))
        elif p >= 0.3:  # under the curve there is room
            y, x, anchor = max(0.3 * unit, -m.log_p - 0.5 * unit), p - 0.04, ("right", "middle")
        else:
            room = min(0.4 * unit - m.log_p, top - 0.4 * unit, before - gap)
            y = before = max(0.3 * unit, room)
            x, anchor = p + 0.07, ("left", "middle")
        n += p >= 0.5
        place = {"ax": x, "ay": y, "axref": "x", "ayref": "y", "align": "left", "showarrow": True}
        place |= {"xanchor": anchor[0], "yanchor": anchor[1], "arrowcolor": role}
        notes.append(note(said, p, height, role, arrowhead=0, arrowwidth=1, **place))
        notes[-1]["font"]["size"] = 15
    return notes, small


# ---- pairs on two scales


def two_scales(
    pairs: Sequence[Pair], words: Sequence[str], right: Pair, constant: float, role: str
) -> Block:
    """The pairs: score on one axis, log P(start) + log P(end) on the other, 0 if both P are 1."""
    at, d, rows = pairs.index(right), digits_of(right.logs), list(range(len(pairs)))
    room = max(0.01, -min(p.logs for p in pairs))
    low, high = -room * 1.1, room * 0.1
    words = [
        f"{w}, position {p.i}" if words.count(w) > 1 else w
        for p, w in zip(pairs, words, strict=True)
    ]

    def names(most: int) -> list[str]:
        cut = [escape(w if len(w) <= most else w[: most - 2] + "…”") for w in words]
        return [f"<b>{w}</b>" if r == at else w for r, w in enumerate(cut)]

    def side(r: int, p: Pair) -> str:
        return "middle left" if p.logs > -room / 2 else f"{'top' if r == at else 'middle'} right"

    points = scatter("markers+text", [p.logs for p in pairs], rows, cliponaxis=False)
    scores = [number(p.score, d if r == at else 2) for r, p in enumerate(pairs)]
    points["text"] = [f"   score {score}   " for score in scores]
    points["textposition"] = [side(r, p) for r, p in enumerate(pairs)]
    points["textfont"] = {"size": 14, "color": INK}
    colours = [role if r == at else OTHER for r in rows]
    points["marker"] = {"size": 16, "color": colours, "opacity": 1, "line": {"width": 0}}
    # plotly draws a second axis only where a trace stands on it
    other = scatter("markers", [constant], [0], xaxis="x2", marker={"opacity": 0})
    loss = f"2 L = {number(-right.logs, d)}"
    named = note(f"<b>{loss}</b>", 0, at, role, yshift=-17, xanchor="right", xshift=-4)
    named["font"]["size"] = 15
    left = int(min(364, 26 + max(7.3 * len(w) for w in words)))
    above = {"side": "top", "overlaying": "x", "tickmode": "sync", "tickformat": ".2f"}
    layout = {
        "height": 316,
        "margin": {"l": left, "r": 16, "t": 54, "b": 50},
        "yaxis": axis(
            tickvals=rows, ticktext=names(50), range=[len(rows) - 0.4, -0.6], showgrid=False
        ),
        "xaxis": axis(
            "log P(start) + log P(end): 0 if both P are 1", range=[low, high], showgrid=False
        ),
        "xaxis2": axis(
            "score = start logit + end logit",
            range=[low + constant, high + constant],
            showgrid=False,
            **above,
        ),
        "shapes": [
            *(line(0, 1, r, r, LINE, xref="paper", width=1, layer="below") for r in rows),
            line(0, 0, 0, 1, INK, yref="paper", width=2, dash="dot"),
            line(right.logs, 0, at, at, role, width=4),
        ],
        "annotations": [named],
    }
    alt = "The best pairs on one line with two scales, the score and the sum of the two logarithms"
    small = {"margin.l": 118, "yaxis.ticktext": names(16), "yaxis.tickfont": {"size": 12}}
    small["xaxis.title.text"] = "log P(start) + log P(end)"
    return figure("figure", [points, other], layout, f"{alt}; {loss}", narrow=small)


# ---- a loss over training steps


def falling(steps: Sequence[int], losses: Sequence[float], now: int, size: int) -> Block:
    """The loss of a text of `size` positions over training steps, on a log axis from step 1; the
    moment `now` is the overlay's.
    """
    loss, flat = losses[now], float(np.log(size))
    at = [m for m in range(len(steps)) if steps[m] >= 1]
    x, y = [steps[m] for m in at], [losses[m] for m in at]
    points = scatter("markers", x, y, marker={"size": 12, "opacity": 0}, customdata=at)
    points |= {"hoverinfo": "text", "sets": {"own.loss.moment": "customdata"}}
    points["text"] = [f"step {steps[m]:,}: L = {number(losses[m])}" for m in at]
    here, far = float(np.log10(max(1, steps[now]))), steps[now] > 1500
    said = f"<b>L = {number(loss, digits_of(loss))}</b>"
    name = note(said, here, loss, xanchor="right" if far else "left", xshift=-12 if far else 12)
    name |= {"yshift": 24 if loss < 0.8 * flat else -24, "font": {"size": 16, "color": INK}}
    dot = note("●", here, loss) | {"font": {"size": 24, "color": INK}}
    same = f"if all {size} positions had the same P: L = log {size} = {number(flat)}"
    even = note(same, 0.99, flat, GREY, xref="paper", xanchor="right", yanchor="bottom")
    tens = [10**t for t in range(6)]
    layout = {
        "height": 336,
        "margin": {"l": 60, "r": 14, "t": 10, "b": 52},
        "xaxis": axis(
            "training step (each mark is ten times the one before)",
            type="log",
            range=[-0.08, float(np.log10(max(10, steps[-1]))) + 0.1],
            showgrid=False,
            tickvals=tens,
            ticktext=[f"{t:,}" for t in tens],
        ),
        "yaxis": axis("loss L of this text", range=[-0.15, max(*y, flat) * 1.13]),
        "shapes": [line(0, 1, flat, flat, GREY, xref="paper", width=2, dash="dot")],
        "annotations": [even],
    }
    small = {"height": 300, "annotations.0.text": f"all P equal: {number(flat)}"}
    small["xaxis.title.text"] = "training step"
    alt = f"The loss of this text at {len(at)} recorded training steps"
    over = {"annotations": [dot, name]}
    return figure("figure", [scatter("lines", x, y), points], layout, alt, 12, over, small)
