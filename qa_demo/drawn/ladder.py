"""Figures of rows under one axis of tokens: a ladder, of which each row is a rung.

Long runs of tokens with nothing to show share one column, so that a paragraph fits a screen.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qa_demo import blocks as ui
from qa_demo.blocks import Block
from qa_demo.core.types import Encoding, Span
from qa_demo.printed import escape, number, probability, quote
from qa_demo.texts import bold, dotted, word

PIXELS, MOST = 1150, 16
"""Width of a picture, and how many columns it has room for."""
SERIF = '"Spanlight Serif", serif'
Array = NDArray[Any]
Kind = tuple[str, str, str]
"""What a token can be: its name, the colour of its bars, that of the words on them."""


def cells_of(words: Array, quiet: Array, keep: Sequence[int]) -> list[tuple[int, int]]:
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
        cells = folded(np.isin(words, list(apart | beside)))
        if len(cells) <= MOST:
            return cells
    return folded(abs(np.arange(len(words)) - min(keep) - MOST / 2 + 4) <= MOST / 2 - 2)


def folded(apart: Array) -> list[tuple[int, int]]:
    """One column for each token that stands apart, and for each run of three or more others."""
    cells: list[tuple[int, int]] = []
    for run in np.split(np.arange(len(apart)), np.flatnonzero(np.diff(apart)) + 1):
        a, z = int(run[0]), int(run[-1])
        cells += [(k, k) for k in range(a, z + 1)] if apart[a] or z - a < 2 else [(a, z)]
    return cells


class Columns:
    """Tokens as columns, see `cells_of`; `at` and `width` on an axis of length `total`; `room`: the
    pixels of a width of 1.
    """

    def __init__(self, e: Encoding, quiet: Array, keep: Sequence[int]) -> None:
        self.e, self.cells = e, cells_of(e.word_ids, quiet, keep)
        wide = max(1.9, len(self.cells) / 8)
        self.width = np.array([1.0 if a == z else wide for a, z in self.cells])
        self.at, self.total = self.width.cumsum() - self.width / 2, float(self.width.sum())
        self.room, single = PIXELS / self.total, [a for a, z in self.cells if a == z]
        self.whole = all(7.4 * (len(word(e, a)) + 2) < self.room for a in single)
        self.flat = all(7.4 * (len(dotted(e, a)) + 1) < self.room for a in single)

    def of(self, d: int) -> int:
        """The column of a token."""
        return next(n for n, (a, z) in enumerate(self.cells) if a <= d <= z)

    def reach(self, first: int, last: int, gap: float) -> tuple[float, float]:
        """From the left edge of one token's column to the right edge of another's, less the gap."""
        a, z = self.of(first), self.of(last)
        left, right = self.at[a] - self.width[a] / 2, self.at[z] + self.width[z] / 2
        return float(left + gap), float(right - gap)

    def sums(self, values: Array) -> Array:
        """The sum over each column's tokens."""
        return np.array([values[a : z + 1].sum() for a, z in self.cells])

    def name(self, n: int) -> str:
        """“Rot·<b>ne</b>”, ·ne where that does not fit, a run by its first and last word."""
        (a, z), e = self.cells[n], self.e
        if a == z and self.whole:
            return f"“{bold(e, a) if '·' in word(e, a) else escape(word(e, a))}”"
        if a == z:
            return escape(dotted(e, a))
        last = max((d for d in range(a, z + 1) if word(e, d, "").isalnum()), default=z)
        ends = f"“{word(e, a, '')} … {word(e, last, '')}”"
        return escape(ends) if len(ends) * 8 < self.room * self.width[n] else "…"

    def label(self, n: int, labels: Sequence[str]) -> str:
        """The labels of a column's tokens, for the line below its name."""
        a, z = self.cells[n]
        some = ", ".join(sorted(set(labels[a : z + 1])))
        return f"<br>{'all ' if a < z else ''}<b>{some}</b>" if some else ""

    def around(self, d: int) -> list[float]:
        """What a narrow screen has room for: six columns from the one before `d` on."""
        last = min(len(self.cells) - 1, max(0, self.of(d) - 1) + 5)
        ends, first = self.at + self.width / 2, max(0, last - 5)
        return [float(ends[first] - self.width[first]), float(ends[last])]


def bars(cols: Columns, y: Any, colour: Any, words: Sequence[str] = (), **more: Any) -> Block:
    """One bar a column with words inside; a press selects its token. `ink`: the colour of the
    words; `hatch`: whether the bars are hatched.
    """
    made: Block = {"type": "bar", "x": cols.at.tolist(), "width": (cols.width - 0.1).tolist()}
    made |= {"y": np.round(y, 5).tolist(), "marker": {"color": colour}, "text": list(words)}
    made |= {"customdata": [a for a, _ in cols.cells], "hoverinfo": "skip", "textangle": 0}
    made |= {"textposition": "inside", "insidetextanchor": "middle", "constraintext": "none"}
    made |= {"insidetextfont": {"color": more.pop("ink", ui.INK), "size": 14}}
    if more.pop("hatch", False):
        lines = {"shape": "/", "fgcolor": ui.OTHER, "bgcolor": ui.PAPER, "size": 7, "solidity": 0.2}
        made["marker"]["pattern"] = lines
    return {**made, "sets": {"selection": ["customdata", "customdata"]}, **more}


def stacked(
    cols: Columns,
    shares: Array,
    kinds: Sequence[Kind],
    text: Callable[[int, int, float], str],
    right: Array | None = None,
) -> list[Block]:
    """Shares [D, kinds] stacked, of a run the mean; `text(column, kind, share)`: the words inside;
    pale where a kind is not that of `right` [D].
    """
    made, counts = [], [z - a + 1 for a, z in cols.cells]
    for k, (name, role, ink) in enumerate(kinds):
        means = cols.sums(shares[:, k]) / counts
        clear = [right is None or k in right[a : z + 1] for a, z in cols.cells]
        words = [text(n, k, v) if clear[n] else "" for n, v in enumerate(means.tolist())]
        bar = bars(cols, means, role, words, ink=ink)
        bar["marker"]["opacity"] = [1.0 if c else 0.2 for c in clear]
        hover = [f"{name} {probability(v, 4)}" for v in means.tolist()]
        made.append({**bar, "hovertext": hover, "hoverinfo": "text"})
    return made


def cells(
    cols: Columns,
    values: Array,
    kinds: Sequence[Kind],
    base: float = 0,
    text: Callable[[int], str] | None = None,
    wrong: Sequence[int] = (),
) -> list[Block]:
    """A cell for each column with the kind of its token, of a run the most frequent one, from
    `values` [D]; `text(token)` in the place of the kind's name; the tokens of `wrong` are hatched.
    """
    runs = [values[a : z + 1].tolist() for a, z in cols.cells]
    tops = [max(sorted(set(run)), key=run.count) for run in runs]
    more = [" …" * (len(set(run)) > 1) for run in runs]
    own = [text(a) if text and a == z else "" for a, z in cols.cells]
    names = [name or kinds[top][0] for name, top in zip(own, tops, strict=True)]
    made = []
    for bad in (False, True) if wrong else (False,):
        here = [bad == (a == z and a in wrong) for a, z in cols.cells]
        words = [name * h + rest for name, h, rest in zip(names, here, more, strict=True)]
        colour = ui.PAPER if bad else [kinds[k][1] for k in tops]
        ink = [ui.INK if bad else kinds[k][2] for k in tops]
        heights = np.where(here, 0.88, 0)
        made.append(bars(cols, heights, colour, words, hatch=bad, base=base, ink=ink))
    return made


class Rung(NamedTuple):
    """One row: a title above it, of which a narrow screen shows what stands before the colon;
    pixels; the top of its axis; its traces, to which the ladder adds the axis; the axis' name,
    without which it has no ticks.
    """

    title: str
    pixels: int
    top: float
    traces: list[Block]
    scale: str = ""


def sums(cols: Columns, title: str, pixels: int, digits: int, *pieces: Any) -> Rung:
    """What each column holds in sum, with `pieces` (values, hatched) on each other."""
    whole = sum((cols.sums(values) for values, _ in pieces), np.zeros(len(cols.cells)))
    least = 10.0**-digits
    words = [f"<{least:.{digits}f}" if 0 < v < least / 2 else number(v, digits) for v in whole.flat]
    font = {"textfont": {"size": 13, "color": ui.INK}, "textposition": "top center"}
    text = list(map(escape, words))
    over = ui.scatter("text", cols.at.tolist(), whole.tolist(), text=text, cliponaxis=False, **font)
    drawn = [bars(cols, cols.sums(v), ui.PAPER if h else ui.INK, hatch=h) for v, h in pieces]
    top = max(float(whole.max()), 10 * least) * pixels / (pixels - 20)
    return Rung(title, pixels, top, [*drawn, over])


def brackets(cols: Columns, spans: Sequence[tuple[Span, str]]) -> list[Block]:
    """A bracket and its words under each span."""
    made, stroke = list[Block](), {"color": ui.INK, "width": 1.5}
    font = {"size": 15, "color": ui.INK, "family": SERIF}
    for span, said in spans:
        x0, x1 = cols.reach(span.start, span.end, 0.08)
        words = escape(quote(said, max(12, int((x1 - x0) * cols.room / 7))))
        corners = [x0, x0, x1, x1], [1.05, 0.9, 0.9, 1.05]
        below = {"text": [words], "textfont": font, "textposition": "bottom center"}
        made.append(ui.scatter("lines", *corners, line=stroke))
        made.append(ui.scatter("text", [(x0 + x1) / 2], [0.86], **below))
    return made


def ladder(
    key: str,
    cols: Columns,
    rungs: Sequence[Rung],
    alt: str,
    near: int,
    about: int | None,
    title: str = "",
    labels: Sequence[str] = (),
) -> Block:
    """Rows under one axis. `near`: where a narrow screen looks; `about`: the token underlined;
    `title`: of the axis; `labels` [D]: a word for the line below each token.
    """
    heads = [24 if r.title else 4 for r in rungs]
    bottom = (36 if cols.flat else 78) + (40 if title else 0)
    height = sum(r.pixels for r in rungs) + sum(heads)
    left = 58 if any(r.scale for r in rungs) else 4
    layout = ui.layout(height + bottom, left, 8, 0, bottom, barmode="stack", bargap=0)
    names = [cols.name(n) + cols.label(n, labels) for n in range(len(cols.cells))]
    font = {"family": SERIF, "size": 15 if cols.flat else 13, "color": ui.INK}
    ticks: Block = {"tickvals": cols.at.tolist(), "ticktext": names, "tickfont": font}
    ticks |= {"tickangle": 0 if cols.flat else -35, "range": [0, cols.total]}
    ticks["anchor"] = f"y{len(rungs)}" if len(rungs) > 1 else "y"
    layout["xaxis"] = ui.axis(title, ui.GREY, showgrid=False, **ticks)
    short = [escape(dotted(cols.e, a)) if a == z else "…" for a, z in cols.cells]
    own = [f" <b>{labels[a]}</b>" if labels and a == z else "" for a, z in cols.cells]
    narrow: Block = {
        "below": 700,
        "xaxis.range": cols.around(near),
        "xaxis.tickangle": -40,
        "margin.b": 88,
    }
    narrow |= {"data.bar.insidetextfont.size": 10.5, "xaxis.title.text": "", "height": height + 88}
    narrow["xaxis.ticktext"] = [x + y for x, y in zip(short, own, strict=True)]
    place = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    data, notes, top = list[Block](), list[Block](), 1.0
    for n, (r, head) in enumerate(zip(rungs, heads, strict=True)):
        high, top = top - head / height, top - (head + r.pixels) / height
        name = f"y{n + 1}" if n else "y"
        bare = {"showticklabels": False, "showgrid": False}
        marks = {"tickvals": [0, 0.5, 1]} if r.scale else bare
        scale: Block = {"range": [0, r.top], "domain": [max(0, top), high], **marks}
        layout[name.replace("y", "yaxis")] = ui.axis(r.scale, **scale)
        notes.append(ui.note(r.title, 0, high, bgcolor=ui.PAPER, **place))
        narrow[f"annotations.{n}.text"] = r.title.split(":")[0]
        data += [{**trace, "yaxis": name} for trace in r.traces]
    overlay: Block = {"shapes": [], "annotations": []}
    if about is not None:
        x0, x1 = cols.reach(about, about, 0.04)  # between the bars and the token's name
        thick = {"type": "rect", "x0": x0, "x1": x1, "fillcolor": ui.INK, "line": {"width": 0}}
        thick |= {"yref": "paper", "ysizemode": "pixel", "yanchor": 0, "y0": -1, "y1": -5}
        overlay["shapes"].append(thick)
    layout["annotations"] = notes
    return ui.figure(key, data, layout, alt, overlay=overlay, narrow=narrow)
