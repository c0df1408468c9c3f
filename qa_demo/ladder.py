"""Figures of rows under one axis of tokens: a ladder, of which each row is a rung.

Long runs of tokens with nothing to show share one column, so that a paragraph fits a screen.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qa_demo import blocks as ui
from qa_demo.core.types import TAGS, Encoding, O, Span
from qa_demo.printed import escape, number, probability, room
from qa_demo.texts import bold, dotted, span_name, word

PIXELS, MOST, SHORT = 1150, 16, 12
"""Width of a picture, how many columns it has room for, and letters of a piece's name."""
SERIF = '"Spanlight Serif", serif'
INKS = ui.PAPER, ui.INK, ui.INK
"""The colours of the words on bars of B, I and O."""
Array = NDArray[Any]


def runs_of(words: Array, quiet: Array, keep: Sequence[int]) -> list[tuple[int, int]]:
    """First and last token of each column, about MOST of them. `words` [D]: the word of each token;
    `quiet` [D]: how surely there is nothing to show. The tokens of `keep` and those less quiet
    than a bar stand apart, always whole words; the bar sinks until the columns fit.
    """
    pieces = Counter(words.tolist())
    for bar, near in ((0.98, 1), (0.95, 1), (0.9, 0), (0.7, 0), (0.5, 0), (0, 0)):
        loud = quiet <= bar
        loud[list(keep)] = True
        apart = set(words[loud].tolist())
        beside = {w + j for w in apart for j in (-near, near) if pieces[w + j] < 3}
        runs = folded(np.isin(words, list(apart | beside)))
        if len(runs) <= MOST:
            return runs
    first, d = min(keep) - 2, np.arange(len(words))  # whole words are too many
    return folded((first <= d) & (d <= first + MOST - 4))


def folded(apart: Array) -> list[tuple[int, int]]:
    """One column for each token that stands apart, and for each run of three or more others."""
    runs: list[tuple[int, int]] = []
    for run in np.split(np.arange(len(apart)), np.flatnonzero(np.diff(apart)) + 1):
        a, z = int(run[0]), int(run[-1])
        runs += [(k, k) for k in range(a, z + 1)] if apart[a] or z - a < 2 else [(a, z)]
    return runs


class Columns:
    """Tokens as columns on one axis: `runs` of first and last token, their places and names."""

    def __init__(self, e: Encoding, quiet: Array, keep: Sequence[int]) -> None:
        self.e, self.runs = e, runs_of(e.word_ids, quiet, keep)
        wide = max(1.9, len(self.runs) / 8)
        self.width = np.array([1.0 if a == z else wide for a, z in self.runs])
        self.ends = self.width.cumsum()  # the right edges; `at`: the middles
        self.at, self.total = self.ends - self.width / 2, float(self.ends[-1])
        # pixels of a width of 1
        self.room, single = PIXELS / self.total, [a for a, z in self.runs if a == z]
        whole = all(7.4 * (room(word(e, a)) + 2) < self.room for a in single)
        # whether the short names have room side by side
        self.flat = all(7.4 * (room(dotted(e, a, SHORT)) + 1) < self.room for a in single)
        self.short = ["…" if a < z else escape(dotted(e, a, SHORT)) for a, z in self.runs]
        self.names = [*self.short]  # ·ne, or “Rot·<b>ne</b>” where that fits
        for n, (a, z) in enumerate(self.runs):
            if whole and a == z:
                self.names[n] = f"“{bold(e, a) if '·' in word(e, a) else escape(word(e, a))}”"

    def column_of(self, d: int) -> int:
        """The column in which token d stands."""
        return next(n for n, (_, z) in enumerate(self.runs) if d <= z)

    def reach(self, first: int, last: int, gap: float) -> tuple[float, float]:
        """From the left edge of one token's column to the right edge of another's, less the gap."""
        a, z = self.column_of(first), self.column_of(last)
        return float(self.ends[a] - self.width[a] + gap), float(self.ends[z] - gap)

    def sums(self, values: Array) -> Array:
        """The sum over each column's tokens."""
        return np.array([values[a : z + 1].sum() for a, z in self.runs])


def bars(
    cols: Columns, y: Array, colour: Any, words: Sequence[str] = (), ink: Any = ui.INK
) -> ui.Block:
    """A bar a column with words in `ink` inside, O alone with an edge; a press selects a token."""
    colours = colour if isinstance(colour, list) else [colour] * len(cols.runs)
    drawn = zip(colours, y > 0, strict=True)
    edge = {"color": ui.GREY, "width": [int(c == ui.TAG_ROLES[O] and some) for c, some in drawn]}
    made: ui.Block = {"type": "bar", "x": cols.at.tolist(), "width": (cols.width - 0.1).tolist()}
    made |= {"y": np.round(y, 5).tolist(), "marker": {"color": colour, "line": edge}}
    made |= {"customdata": [a for a, _ in cols.runs], "hoverinfo": "none", "textangle": 0}
    made |= {"textposition": "inside", "insidetextanchor": "middle", "constraintext": "none"}
    made |= {"text": list(words), "insidetextfont": {"color": ink, "size": 14}}
    return made | {"sets": {"selection": ["customdata", "customdata"]}}


def stacked(
    cols: Columns, shares: Array, text: Callable[[int, int, float], str], right: Array | None = None
) -> list[ui.Block]:
    """Shares [D, 3] of B, I and O stacked, of a run the mean; `text(column, tag, share)`: the
    words inside; pale where a tag is not that of `right` [D].
    """
    made, counts = [], [z - a + 1 for a, z in cols.runs]
    for k in range(len(TAGS)):
        means = cols.sums(shares[:, k]) / counts
        clear = [right is None or k in right[a : z + 1] for a, z in cols.runs]
        words = [text(n, k, v) if clear[n] else "" for n, v in enumerate(means.tolist())]
        bar = bars(cols, means, ui.TAG_ROLES[k], words, INKS[k])
        bar["marker"]["opacity"] = [1.0 if c else 0.2 for c in clear]
        made.append(bar)
    return made


def after(p: float) -> str:
    """P after a tag's letter, in little room: " 0.94" or ">0.99"."""
    told = probability(p, 2)
    return told if told[0] in "<>" else f" {told}"


def cells(cols: Columns, values: Array, base: float = 0) -> ui.Block:
    """The tag of each column, of a run the most frequent, of `values` [D]."""
    tops, told = list[int](), list[str]()
    for a, z in cols.runs:
        held = Counter(values[a : z + 1].tolist())
        tops.append(max(sorted(held), key=held.__getitem__))
        told.append(", ".join(f"{n:,} " * (len(held) > 1) + TAGS[k] for k, n in held.items()))
    colours, inks = ([one[k] for k in tops] for one in (ui.TAG_ROLES, INKS))
    return {**bars(cols, 0.88 + 0 * cols.at, colours, told, inks), "base": base}


class Rung(NamedTuple):
    """One row: a title above it, of which a narrow screen shows what stands before the colon;
    pixels; the top of its axis; its traces, to which the ladder adds the axis.
    """

    title: str
    pixels: int
    top: float
    traces: list[ui.Block]


def sums(cols: Columns, title: str, pixels: int, digits: int, values: Array) -> Rung:
    """What each column holds of `values` [D] in sum."""
    whole, least = cols.sums(values), 10.0**-digits
    words = [f"<{least:.{digits}f}" if 0 < v < least / 2 else number(v, digits) for v in whole.flat]
    above = [*map(escape, words)]
    numbers = ui.labels(cols.at.tolist(), whole.tolist(), above, "top center", size=13)
    top = max(float(whole.max()), 10 * least) * pixels / (pixels - 20)
    return Rung(title, pixels, top, [bars(cols, whole, ui.INK), numbers])


def brackets(cols: Columns, spans: Sequence[Span]) -> list[ui.Block]:
    """A bracket and its words under each span."""
    made, free, stroke = list[ui.Block](), 0.0, {"color": ui.INK, "width": 1.5}
    for span in spans:
        x0, x1 = cols.reach(span.start, span.end, 0.08)
        if x0 < free:  # of those that share a column the first alone has room for its name
            continue
        free = x1
        words = escape(span_name(cols.e, span, max(12, int((x1 - x0) * cols.room / 7)))[0])
        made.append(ui.scatter("lines", [x0, x0, x1, x1], [1.05, 0.9, 0.9, 1.05], line=stroke))
        middle, font = [(x0 + x1) / 2], {"size": 15, "family": SERIF}
        made.append(ui.labels(middle, [0.82], [words], "bottom center", **font))
    return made


def ladder(
    cols: Columns,
    rungs: Sequence[Rung],
    alt: str,
    near: int,
    about: int | None,
    labels: Sequence[str] = (),
) -> ui.Block:
    """Rows under one axis. `near`: where a narrow screen looks; `about`: the token underlined;
    `labels` [D]: a word for the line below each token.
    """
    head, bottom = 24, (36 if cols.flat else 78) + 20 * bool(labels)
    height = sum(head + r.pixels for r in rungs)
    layout = ui.layout(height + bottom, 4, 8, 0, bottom, barmode="stack", bargap=0)
    names, short = list[str](), list[str]()
    for (a, z), name, brief in zip(cols.runs, cols.names, cols.short, strict=True):
        some = ", ".join(sorted({*labels[a : z + 1]}))
        names.append(name + (f"<br>{'all ' * (a < z)}<b>{some}</b>" if some else ""))
        short.append(f"{brief}<br><b>{labels[a]}</b>" if labels and a == z else brief)
    font = {"family": SERIF, "size": 15 if cols.flat else 13, "color": ui.INK}
    ticks: ui.Block = {"tickvals": cols.at.tolist(), "ticktext": names, "tickfont": font}
    ticks |= {"tickangle": 0 if cols.flat else -35, "range": [0, cols.total]}
    ticks["anchor"] = f"y{len(rungs)}" if len(rungs) > 1 else "y"
    layout["xaxis"] = ui.axis(showgrid=False, **ticks)
    narrow: ui.Block = {"xaxis.ticktext": short, "xaxis.tickfont.size": 12}
    narrow |= {"data.bar.insidetextfont.size": 11, "data.scatter.textfont.size": 12}
    narrow |= {f"annotations.{n}.text": r.title.split(":")[0] for n, r in enumerate(rungs)}

    def view(below: int, most: float, pixels: int) -> ui.Block:
        """What a screen narrower than `below` shows: so much width, from before `near` on."""
        at = cols.ends - cols.width
        first = min(max(0, cols.column_of(near) - 1), int(np.searchsorted(at, cols.total - most)))
        last = int(np.searchsorted(cols.ends, at[first] + most, "right"))
        ends = [float(at[first]), float(cols.ends[last - 1])]
        wide, seen = pixels / (ends[1] - ends[0]), [a for a, z in cols.runs[first:last] if a == z]
        upright = all(6 * room(dotted(cols.e, a, SHORT)) < wide for a in seen)
        angle, low, left = (0, 44, 4) if upright else (-40, 88, 28)  # a slanting name needs room
        made = {"below": below, "xaxis.range": ends, "xaxis.tickangle": angle, "margin.l": left}
        return {**made, "margin.b": low, "height": height + low, **narrow}

    place = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    data, notes, top = list[ui.Block](), list[ui.Block](), 1.0
    for n, r in enumerate(rungs):
        high, top = top - head / height, top - (head + r.pixels) / height
        name, bare = f"{n + 1}" * bool(n), {"showticklabels": False, "showgrid": False}
        side = {"range": [0, r.top * (1 + 1 / r.pixels)], "domain": [max(0, top), high]}
        layout[f"yaxis{name}"] = ui.axis(**bare, **side)
        notes.append(ui.note(r.title, 0, high, bgcolor=ui.PAPER, **place))
        data += [{**trace, "yaxis": f"y{name}"} for trace in r.traces]
    shapes = list[ui.Block]()
    if about is not None:
        x = cols.reach(about, about, 0.04)  # between the bars and the token's name
        shapes = [ui.rect(*x, -3, -5, ui.INK, yref="paper", ysizemode="pixel", yanchor=0)]
    layout["annotations"] = notes
    sizes = {"data.bar.insidetextfont.size": 11, "xaxis.tickfont.size": 12}  # as wide as a column
    views = [{"below": 1040, **sizes}, view(800, 12, 548), view(560, 6, 330)]
    return ui.figure("tags", data, layout, alt, overlay={"shapes": shapes}, narrow=views)
