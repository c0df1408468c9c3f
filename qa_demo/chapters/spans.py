"""Chapter 4, Spans: every pair of a start and an end, its score, and the highest allowed one.

score(i, j) = start logit of i + end logit of j; allowed: i <= j, at most M pieces, the start owned
by the window.
"""

import numpy as np
from numpy.typing import NDArray

from qa_demo import blocks as ui
from qa_demo import by_hand, texts
from qa_demo.blocks import END, GREY, INK, LINE, PAPER, START, Block
from qa_demo.core.spans import best_span, reason_codes, separate_argmaxes, span_scores
from qa_demo.core.types import Span
from qa_demo.printed import apart, escape, number, plural
from qa_demo.shown import Shown
from qa_demo.state import Record

NAME = "Spans"
STEPS = (("Spans", "Which pair of positions scores highest?"),)
NO_PAIR = "natural-selection"
"""A text on which the highest start and the highest end form no allowed pair."""
COLUMNS = "start", "end", "score"
LONGEST = 13
"""Letters of a row's name in the square; of a longer word the piece alone is named."""


class Square:
    """The part of one window in which pairs are allowed: `scores` [size, size], NaN where not;
    token `first` + k of the paragraph is row and column k, `owned` [size] where a start counts.
    `start`, `end`: the logits of all the window's paragraph; `null`: its “no answer”; `count` pairs
    of at most `longest` tokens are allowed, `best` is the highest, with the score `top`;
    `several`: whether there are other windows.
    """

    def __init__(self, shown: Shown) -> None:
        self.shown, self.window, self.longest = shown, shown.window, shown.decode.max_answer_length
        w, self.several = self.window, len(shown.reading.windows) > 1
        at, (start, end) = np.flatnonzero(w.is_context), shown.reading.logits(w.index)
        self.start, self.end, self.null = start[at], end[at], float(start[0] + end[0])
        allowed = reason_codes(w, at[:, None], at[None, :], shown.decode) == 0
        self.count = int(allowed.sum())
        starts, ends = np.flatnonzero(allowed.any(axis=1)), np.flatnonzero(allowed.any(axis=0))
        near = 0 if len(starts) == len(at) else 16  # some of what another window sees better
        low, high = max(0, int(starts[0]) - near), min(len(at), int(ends[-1]) + 1 + near)
        self.first, self.size = w.doc_start + low, high - low
        self.owned: NDArray[np.bool_] = w.is_max_context[at][low:high]
        scores = np.where(allowed, span_scores(self.start, self.end), np.nan)
        self.scores = scores[low:high, low:high]
        found = best_span(shown.reading, w, shown.decode)
        i, j = divmod(int(np.nanargmax(scores)), len(at))
        self.best = found.span if found else Span(w.doc_start + i, w.doc_start + j)
        self.top = found.score if found else float(np.nanmax(scores))


def picture(shown: Shown, own: Record) -> list[Block | None]:
    """The square, the ten best spans beside it, and the sum of the selected pair."""
    sq, best, e = Square(shown), shown.best, shown.encoding
    count = f"highest of {sq.count:,} allowed sums" if sq.count > 1 else "only allowed sum"
    d, where = apart(sq.top, best.score), texts.which_window(shown, sq.window, " in {}")
    found = f"{{}} has the {count}{where}: *{number(sq.top, d)}*"
    another = shown.state.rule != "logits"
    if sq.window.index != best.window:
        by = " by the page's rule" if another else ""
        found += f" (the best span{by}, {{}} with {number(best.score, d)}, is in window "
        found += f"{best.window + 1})"
    every, rule = " of all windows" if sq.several else "", " by BERT's rule" if another else ""
    return [
        *by_hand.changes(shown),
        ui.idea(
            "Each cell is a pair of a start and an end. Score = start logit + end logit. "
            f"*The highest allowed cell{every} is the best span{rule}: the maximum-scoring span.*"
        ),
        ui.finding(found + ".", *texts.span_names(e, [sq.best, best.span], 44)),
        square(sq),
        ui.group(
            "side",
            5,
            texts.listed(shown, COLUMNS, 26),
            texts.score_of_selection(shown, "score of {} = {}"),
            together(sq),
            texts.other_text(shown, NO_PAIR, "A text where they form no pair"),
        ),
        ui.closing("Finding the highest allowed cell is a plain search: nothing in it is learned."),
        *ui.folds(None, exactly(sq), "spans"),
    ]


def square(sq: Square) -> Block:
    """The heat map; what follows the selection is its overlay."""
    e, d0, m = sq.shown.encoding, sq.first, sq.size
    low, high = float(np.nanpercentile(sq.scores, 2)), float(np.nanmax(sq.scores))
    gap = max(2.0, m / 16)  # the cell of "no answer" stands apart
    edge, far, cells = d0 - gap * 2.2, d0 + m - 0.5, (m + gap * 2.7) / 440  # cells a pixel
    bar: Block = {"title": {"text": "score", "side": "top", "font": {"size": 13}}, "thickness": 10}
    bar |= {"len": 0.5, "y": 0.42, "x": 1.02, "outlinewidth": 0, "tickfont": {"size": 12}}
    heat: Block = {"type": "heatmap", "z": ui.packed(np.round(sq.scores, 3)), "colorbar": bar}
    heat |= {"x0": d0, "y0": d0, "dx": 1, "dy": 1, "zmin": low, "zmax": high}
    heat |= {"colorscale": "score", "hovertemplate": "score %{z:.2f}<extra></extra>"}
    heat |= {"hoverongaps": False, "sets": {"selection": ["y", "x"]}}
    shade = f"score:{np.clip((sq.null - low) / (high - low or 1), 0, 1):.3f}"
    sides = (edge + 0.5, edge + gap) * 2
    cell = ui.rect(*sides, shade, line={"color": GREY, "width": 1})
    grey = {"showgrid": False, "ticks": "", "tickfont": {"color": GREY, "size": 12}}
    across = ticks(sq, sq.best.end, 92 * cells)  # the selected column has its name below them
    # room for the name of every row, beside the axis' title
    name = int(8.6 * min(LONGEST, max(9, *map(len, e.context.split()))))
    left = 52 + name
    place: Block = {"xref": "paper", "yref": "paper"}
    null = f"no answer{' here' * sq.several} {number(sq.null)}"
    apart: Block = {"xanchor": "left", "align": "left", "bgcolor": PAPER}
    beside = ", judged apart;<br>pairs with the question: not allowed"
    names = [
        ui.note(f"{null}{beside}", edge + gap, edge + gap / 2, xshift=5, **apart),
        ui.note("it ends at … →", 0.5, 0, END, 16, yanchor="top", yshift=-36, **place),
        ui.note("← it starts at …", 0, 0.5, START, 16, textangle=-90, xshift=16 - left, **place),
    ]
    barred = not_allowed(sq)
    small = 12 + name
    at, bars = f"annotations.{len(names) - 1}", range(len(names), len(names) + len(barred))
    narrow: Block = {"height": 400, "margin.l": small, "margin.r": 8, f"{at}.text": "starts at ↓"}
    narrow |= {f"{at}.textangle": 0, f"{at}.y": 1, f"{at}.xshift": 2 - small}
    narrow |= {"xaxis.showticklabels": False, "data.heatmap.showscale": False}
    narrow["annotations.0.text"] = null
    narrow["shapes.0.x1"] = narrow["annotations.0.x"] = edge + 1.8 * gap  # else a cell of 8 pixels
    narrow |= {f"annotations.{k}.text": "<b>not<br>allowed</b>" for k in bars}
    layout = ui.layout(500, left, 70, 6, 58, shapes=[cell], annotations=[*names, *barred])
    layout["xaxis"] = ui.axis("", END, range=[edge, far], tickangle=0, **grey, **across)
    layout["yaxis"] = ui.axis("", START, range=[far, edge], showticklabels=False, **grey)
    alt = "Scores of the allowed pairs of a start and an end in this window. The highest is "
    alt += f"{e.text(sq.best)}, {number(sq.top)}."
    half = max(0.5, m / 45)
    moves: Block = {"overlay": crossing(sq, edge, far, half), "narrow": narrow}
    moves["frame"] = {"field": "selection", "half": half}
    return ui.figure("square", [*hatched(sq, edge, far), heat], layout, alt, span=7, **moves)


def hatched(sq: Square, edge: float, far: float) -> list[Block]:
    """All that is not allowed, and the strips of [CLS] and question; drawn above a heat map."""
    allowed, m, d0 = ~np.isnan(sq.scores), sq.size, sq.first - 0.5
    some = allowed.any(axis=1)
    left = np.where(some, allowed.argmax(axis=1), m)
    right = np.where(some, m - allowed[:, ::-1].argmax(axis=1), m)
    y = (d0 + np.repeat(np.arange(m + 1), 2)).tolist()
    sides = (edge, left), (far, right)
    areas = [([at, *np.repeat(d0 + side, 2).tolist(), at], y) for at, side in sides]
    areas.append(([edge, far, far, edge], [edge, edge, d0, d0]))
    pattern = {"shape": "/", "size": 8, "solidity": 0.15, "fgcolor": LINE, "bgcolor": PAPER}
    return [ui.scatter("none", *area, fill="toself", fillpattern=pattern) for area in areas]


def not_allowed(sq: Square) -> list[Block]:
    """The names of the hatched regions; of a short text one, above the pairs."""
    m, longest = sq.size, sq.longest
    if m < 12:
        return [ui.note("<b>not allowed</b>", sq.first, sq.first - 1.5, bgcolor=PAPER)]
    low = sq.best.start - sq.first < m / 2  # beside the sum of the best pair, under its row
    found = [("the end would stand<br>before the start", m * 0.17, m * (0.78 if low else 0.42))]
    if m > longest + 4:
        at = longest + (m - longest) * 0.66, (m - longest) * 0.3
        found.append((f"longer than<br>{plural(longest, 'token')}", *at))
    away = np.flatnonzero(~sq.owned)
    if len(away):
        runs = np.split(away, np.flatnonzero(np.diff(away) > 1) + 1)
        y = float(max(runs, key=len).mean())
        said = "these starts count<br>in another window"
        middle = min(0.84 * m, (y + min(m, y + longest)) / 2)
        # in the last rows the sum of a pair above them would stand over it
        found.append((said, m * 0.15 if y > 0.9 * m else middle, y))
    style: Block = {"bgcolor": PAPER, "borderpad": 3}
    return [
        ui.note(f"<b>not allowed</b><br>{why}", sq.first + x, sq.first + y, **style)
        for why, x, y in found
    ]


def ticks(sq: Square, keep: int, room: float) -> Block:
    """Some long words as names of an axis, `room` cells apart and clear of the piece `keep`."""
    e, chosen = sq.shown.encoding, [keep]
    tokens = range(sq.first, sq.first + sq.size)
    begins = [d for d in tokens if d == 0 or e.word_ids[d] != e.word_ids[d - 1]]
    names = {d: texts.word(e, d, "") for d in begins}
    plain = [d for d in begins if 3 < len(names[d]) < 13 and names[d].isalpha()]
    for d in sorted(plain, key=lambda d: -min(8, len(names[d]))):
        if all(abs(d - k) > room for k in chosen):
            chosen.append(d)
    chosen = sorted(chosen[1:])
    return {"tickvals": chosen, "ticktext": [escape(names[d]) for d in chosen]}


def crossing(sq: Square, edge: float, far: float, half: float) -> Block:
    """Names of rows; row and column of the selected pair, named, up to its frame, with their logits
    and sum, but not of a pair that no window holds.
    """
    span, e = sq.shown.selection, sq.shown.encoding
    held = sq.window.holds(span)
    row: Block = {"xref": "paper", "xanchor": "right", "xshift": -4, "align": "right"}
    down = ticks(sq, span.start if held else sq.best.start, 32 * (far - edge) / 440)
    others = zip(down["tickvals"], down["ticktext"], strict=True)
    rows = [ui.note(said, 0, d, GREY, 12, **row) for d, said in others]
    if not held:
        return {"shapes": [], "annotations": rows}
    i, j, across = span.start, span.end, (span.end - edge) / (far - edge)
    start, end = sq.start[i - sq.window.doc_start], sq.end[j - sq.window.doc_start]
    column: Block = {"yref": "paper", "yanchor": "top", "yshift": -16}
    column["xanchor"] = "right" if across > 0.8 else "left" if across < 0.2 else "center"
    total = "highest<br>" * (span == sq.best) + f"<b>{number(start + end)}</b>"
    # below the row, left of the column and its frame: no pair is allowed there
    tag: Block = {"bgcolor": INK, "borderpad": 4, "yanchor": "top", "yshift": -16}
    before = -8 - int(half * 470 / (far - edge))
    at, side, way = (j, "right", before) if across > 0.45 else (edge, "left", 8)
    tag |= {"xanchor": side, "xshift": way}
    if (far - i) / (far - edge) < 0.2:  # not over the column's name
        tag |= {"yref": "paper", "yanchor": "bottom", "yshift": 0}
    first, last = (texts.bold_name(e, d, LONGEST)[1:-1] for d in (i, j))
    names = [
        ui.note(f"{first}<br>{number(start)}", 0, i, START, 14, **row),
        ui.note(f"{last}  {number(end)}", j, 0, END, 14, **column),
        ui.note(total, at, 0 if "yref" in tag else i, PAPER, 16, **tag),
    ]
    lines = [ui.line(edge, j - half, i, i, START, width=3)]
    lines.append(ui.line(j, j, i + half, far, END, width=3))
    return {"shapes": lines, "annotations": [*names, *rows]}


def together(sq: Square) -> Block:
    """Whether the highest start and the highest end form the best pair."""
    reading, w = sq.shown.reading, sq.window
    *highest, reason = separate_argmaxes(reading, w.index, sq.shown.decode)
    whose = f"{'In this window the' if sq.several else 'The'} paragraph's"
    if reason is None:
        said = f"{whose} highest start logit and highest end logit form the best pair."
        return ui.remark("together", said)
    why = {
        "end before start": "that end stands before that start",
        "too long": f"that pair is longer than {plural(sq.longest, 'token')}",
    }.get(reason, reason)
    said = f"{whose} highest start logit is on {{}} ({{}}), its highest end logit on {{}} ({{}}): "
    said += "{}, so the best allowed pair is another."
    start, end = (texts.parts_at(sq.shown, w, *x) for x in zip(highest, (START, END), strict=True))
    first, last = (number(x[k]) for x, k in zip(reading.logits(w.index), highest, strict=True))
    return ui.remark("together", said, start, first, end, last, why)


def exactly(sq: Square) -> list[str]:
    """Conditions, and how many pairs are allowed."""
    m, longest = sq.size, sq.longest
    count = f"{plural(int(sq.owned.sum()), 'start')} of this window with the ends that are left: "
    count += f"{sq.count:,}."
    if bool(sq.owned.all()) and m >= longest > 1:
        count = f"{plural(m, 'start')} · {plural(longest, 'end')} − {longest} · {longest - 1} / 2 "
        count += f"that would run over the paragraph's end = {sq.count:,}."
    return [
        f"A span has at most {plural(longest, 'token')}: {count}",
        f"The strips at the edges hold {sq.shown.encoding.cls_token} and the question: no span "
        "reaches them. Equal scores, to nine decimals: the earlier start, then the earlier end.",
    ]
