"""Figures whose rows are windows: the staircase under the text, points and bars."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from qa_demo import blocks as ui
from qa_demo.blocks import INK, OTHER, PALE, PAPER, Block
from qa_demo.core.predict import Proposal, Proposals
from qa_demo.core.spans import Candidate
from qa_demo.core.types import Encoding
from qa_demo.printed import adds, escape, number, plural, room
from qa_demo.texts import siblings, span_name, word

MOST_ROWS = 7
LEFT = {"xref": "paper", "xanchor": "left"}
"""A text that begins at the left edge of a figure, or at the right one for x = 1."""
Rows = Sequence[Proposal]
"""The windows that a picture draws, the k-th at y = k."""


def few(every: Rows, must: Rows) -> Rows:
    """The windows to draw: `must` and then those of the highest score, in their order."""
    ranked = [*must, *sorted(every, key=lambda r: r.score, reverse=True)]
    kept = list(dict.fromkeys(r.k for r in ranked))[:MOST_ROWS]
    return [r for r in every if r.k in kept]


def label(text: str, x: float, y: float, strong: bool = False, **more: Any) -> Block:
    """A text of a figure, escaped already; with a name it stands on such pages only (`drawn`)."""
    return ui.note(f"<b>{text}</b>" if strong else text, x, y, **{"size": 14, **more})


def drawn(
    key: str, data: list[Block], layout: Block, texts: list[Block], alt: str, narrow: Block
) -> Block:
    """A figure whose texts differ by page, a tablet's also beside a lesson or a pin."""
    pages = ("wide", "tablet", "phone")
    wide, tablet, phone = ([t for t in texts if x in t.get("name", x)] for x in pages)
    small = [{"below": 1000, **narrow, "annotations": tablet}, {"below": 600, "annotations": phone}]
    return ui.figure(key, data, {**layout, "annotations": wide}, alt, narrow=small)


def strip_words(e: Encoding, best: Candidate, pixels: float, page: str) -> list[Block]:
    """The answer's words in bold and long words of the paragraph, as many as fit side by side."""
    span, n, size = best.span, len(e.context_ids), 15 if page == "wide" else 13

    def half(text: str) -> float:
        letters = room(text) + 0.35 * sum(map(str.isupper, text))
        return (letters * size * 0.54 + 22) / 2 * n / pixels

    answer = best.text if room(best.text) < pixels / 16 else word(e, span.start, "")[:18]
    middle = max(half(answer), min(n - half(answer), (span.start + span.end + 1) / 2)) - 0.5
    chosen, firsts = [(middle, answer)], np.flatnonzero(np.diff(e.word_ids, prepend=-1)).tolist()
    named = [(d, text) for d in firsts if 4 < len(text := word(e, d, "")) < 18 and text.isalnum()]
    # long words first, names before others; some hundred are enough
    for d, text in sorted(named, key=lambda x: -min(9, len(x[1])) - x[1][0].isupper())[:400]:
        middle = d + (len(siblings(e, d)) - 1) / 2
        free = all(abs(middle - m) > half(text) + half(other) for m, other in chosen)
        if free and half(text) < middle + 0.5 < n - half(text):
            chosen.append((middle, text))
    return [label(escape(t), x, 0, k == 0, size=size, name=page) for k, (x, t) in enumerate(chosen)]


class Stairs:
    """The paragraph at y = 0, the k-th row at y = k; a step adds its own `shapes` and `texts`."""

    def __init__(self, e: Encoding, best: Candidate, rows: Rows, high: int) -> None:
        self.n, self.names = len(e.context_ids), ["paragraph", *(f"window {r.k}" for r in rows)]
        self.pitch, self.half = min(94.0, high / (len(rows) + 0.98)), 0.18
        self.size, tall = 16 if self.pitch > 60 else 13, max(self.half, 14 / self.pitch)
        self.shapes = [self.box(0, self.n - 1, 0, ui.CLEAR, OTHER, 1) | {"y0": -tall, "y1": tall}]
        self.texts = strip_words(e, best, 1024, "wide")
        self.texts += strip_words(e, best, 528, "tablet") + strip_words(e, best, 224, "phone")
        margin, before = {**LEFT, "xshift": -166}, {"xanchor": "right", "xshift": -4}
        for y, name in enumerate(self.names):
            self.texts.append(label(name, 0, y, True, **margin, name="wide"))
        for y, r in enumerate(rows, 1):
            first = r.window.doc_start
            self.shapes.append(self.box(first, r.window.doc_stop - 1, y, PALE))
            self.texts.append(label("question +", first - 0.5, y, **before, name="wide"))

    def box(self, a: int, z: int, y: float, fill: str, edge: str = INK, width: float = 0) -> Block:
        """Pieces a to z of a row."""
        sides = a - 0.5, z + 0.5, y - self.half, y + self.half
        return ui.rect(*sides, fill, line={"color": edge, "width": width})

    def over(self, a: int, z: int, y: int, text: str, short: str, strong: bool) -> None:
        """A text over the pieces a to z of a row; on a narrow page `short`, from its left edge."""
        up = {"yanchor": "bottom", "borderpad": 1, "strong": strong}
        x, to = (a - 0.5, "left") if a + z < self.n else (z + 0.5, "right")  # away from its edges
        wide = {"xanchor": to, "size": self.size, "name": "wide"}
        narrow = {**LEFT, "size": 13, "name": "tablet phone"}
        self.texts.append(label(text, x, y - self.half, **up, **wide))
        self.texts.append(label(short, 0, y - self.half, **up, **narrow))

    def to_edge(self, r: Proposal, start: int, y: int, strong: bool) -> None:
        """An arrow under a row from a piece to the nearer edge of its window, with its length."""
        edge = (r.window.doc_start if r.near[0] <= r.near[1] else r.window.doc_stop) - 0.5
        left = start < self.n / 2  # the length stands on the side with more room
        below = y + self.half + 12 / self.pitch
        arrow = {"x": edge, "y": below, "ax": start, "ay": below, "axref": "x", "ayref": "y"}
        arrow |= {"arrowhead": 2, "startarrowhead": 2, "arrowside": "end+start", "arrowsize": 0.8}
        arrow |= {"text": "", "showarrow": True, "arrowwidth": 1.6, "arrowcolor": INK}
        side: Block = {"xanchor": "left" if left else "right", "xshift": 6 if left else -6}
        at = (max if left else min)(start, edge)
        self.texts += [arrow, label(plural(r.edge, "token"), at, below, strong, **side)]

    def figure(self, key: str, alt: str) -> Block:
        n, plain = len(self.names) - 1, {"tickvals": [], "showgrid": False, "showline": False}
        layout = ui.layout(int(self.pitch * (n + 0.98)) + 4, 166, 10, 4, 0)
        layout["xaxis"] = ui.axis(range=[-0.5, self.n - 0.5], **plain)
        layout["yaxis"] = ui.axis(range=[n + 0.6, -0.38], ticks="", **plain)
        layout["shapes"] = self.shapes
        ticks = {"tickvals": list(range(n + 1)), "ticktext": self.names, "tickfont": {"size": 11}}
        narrow = {"margin.l": 66, "margin.r": 6} | {f"yaxis.{k}": v for k, v in ticks.items()}
        return drawn(key, [], layout, self.texts, alt, narrow)


def proposes(e: Encoding, r: Proposal, most: int, value: str = "") -> str:
    """A window's best span with its score, or with another number of it, for a figure."""
    if r.own is None:
        return "no span"
    return f"{escape(span_name(e, r.own.span, most)[0])} {value or number(r.own.score)}"


def dots(rows: Rows, win: Proposal, least: Proposal, apart: float) -> list[Block]:
    """Rings for the best spans, that of `win` full, so far above a row's middle, and as far below
    it crosses for “no answer”, `least` bold.
    """
    held = [(y, r) for y, r in enumerate(rows, 1) if r.own is not None]
    ring: Block = {"opacity": 1, "size": 17, "color": [INK if r is win else PAPER for _, r in held]}
    ring["line"] = {"color": INK, "width": 2}
    cross: Block = {"size": [18 if r is least else 13 for r in rows], "opacity": 1}
    cross["symbol"] = "x-thin"
    cross["line"] = {"color": INK, "width": [4 if r is least else 2 for r in rows]}

    told = {"hoverinfo": "all", "hovertemplate": "%{x:.2f}<extra></extra>"}
    above, below = [y - apart for y, _ in held], [y + apart for y in range(1, len(rows) + 1)]
    return [
        ui.scatter("markers", [r.score for _, r in held], above, marker=ring, **told),
        ui.scatter("markers", [r.null for r in rows], below, marker=cross, **told),
    ]


def compared(rows: Rows, values: Sequence[float], taken: Proposal, width: float | None) -> Block:
    """A dot a row, or a bar so wide; that of the window taken is filled."""
    marker: Block = {"color": [INK if r is taken else ui.CLEAR for r in rows], "opacity": 1}
    marker["line"] = {"color": INK, "width": 1.5}
    y, x = list(range(1, len(rows) + 1)), [round(v, 4) for v in values]
    if width is None:
        return ui.scatter("markers", x, y, marker={**marker, "size": 15})
    return ui.lying(x, y, width, marker)


def window_axis(rows: Rows, top: float) -> Block:
    """The axis of windows."""
    ticks = {"tickvals": list(range(1, len(rows) + 1)), "ticks": ""}
    ticks |= {"ticktext": [f"window {r.k}" for r in rows]}
    return ui.axis(range=[len(rows) + 0.5, top], showgrid=False, **ticks)


def scores(w: Proposals, e: Encoding, threshold: float) -> Block:
    """Windows down, scores across, shaded where "no answer" would win; what decides has a name."""
    rows = few(w.rows, [w.win, w.least])
    goal, pitch, many = w.best.score + threshold, min(92.0, 316 / len(rows)), len(rows) > 1
    every = [goal, *(r.null for r in rows), *(r.score for r in rows if r.own is not None)]
    apart, wide = 9 / pitch, (max(every) - min(every)) or 1.0
    low, high = min(every) - wide * 0.07, max(every) + wide * 0.1
    sign = adds((w.best.score, threshold), goal)
    wins = "“no answer” wins beyond"
    said = f"{wins} {number(w.best.score)} + threshold {number(threshold)} {sign} {number(goal)}"
    above = {"xref": "paper", "xanchor": "right", "yref": "paper", "yanchor": "bottom", "size": 13}
    texts = [label(said, 1, 1, **above, name="wide")]
    texts.append(label(f"{wins} {number(goal)}", 1, 1, **above, name="tablet phone"))

    def name(x: float, text: str, y: float) -> None:
        """The name of a dot, beside it."""
        to, by = ("right", -15) if x > (low + high) / 2 else ("left", 15)
        near: Block = {"strong": True, "xanchor": to, "xshift": by}
        texts.append(label(text, x, y, name="wide", **near))
        texts.append(label(number(x), x, y, size=12, name="tablet phone", **near))

    at = {r.k: y for y, r in enumerate(rows, 1)}
    name(w.win.score, proposes(e, w.win, 26), at[w.win.k] - apart)
    null = f"“no answer” {number(w.least.null)}" + ": the smallest counts" * many
    name(w.least.null, null, at[w.least.k] + apart)
    region = ui.rect(goal, high, 0, 1, PALE, yref="paper", layer="below")
    layout = ui.layout(int(pitch * len(rows)) + 70, 100, 10, 24, 44)
    layout["yaxis"] = window_axis(rows, 0.5)
    layout["xaxis"] = ui.axis("score = start logit + end logit", range=[low, high], nticks=8)
    layout["shapes"] = [region, ui.line(goal, goal, 0, 1, width=2, yref="paper")]
    alt = f"Best span and “no answer” of {plural(len(w.rows), 'window')}, by score"
    small = {"margin.l": 84, "xaxis.nticks": 4}
    return drawn("dots", dots(rows, w.win, w.least, apart), layout, texts, alt, small)
