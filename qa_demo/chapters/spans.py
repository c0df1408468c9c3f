"""Chapter 4, Spans: every pair of a start and an end, its score, and the highest allowed one.

score(i, j) = start logit of i + end logit of j; allowed: i <= j, at most M pieces, the start owned
by the window.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from qa_demo.blocks import (
    END,
    GREY,
    INK,
    LINE,
    PAPER,
    START,
    Block,
    axis,
    button,
    closing,
    figure,
    finding,
    folds,
    formula,
    group,
    idea,
    line,
    note,
    packed,
    row,
    sentence,
    snippet,
    table,
)
from qa_demo.core.spans import reason_codes, separate_argmaxes, span_scores
from qa_demo.printed import QUOTE, STRONG, Part, adds, escape, number, plural, quote, small_number
from qa_demo.shown import Shown
from qa_demo.state import Record
from qa_demo.texts import bold, families, span_words, word

NAME = "Spans"
HEADINGS = ("Which pair of positions scores highest?",)
STEPS = ("Spans",)
OPENS: dict[int, dict[str, Any]] = {}
NO_PAIR = "natural-selection"
"""A text on which the highest start and the highest end form no allowed pair."""
SNIPPET = snippet("spans")


class Own(Record):
    """This chapter keeps nothing of its own."""


class Square:
    """The part of one window in which pairs are allowed: `scores` [m, m], NaN where not; token
    `first` + k of the paragraph is row and column k. `start`, `end`: the whole window's logits.
    """

    def __init__(self, shown: Shown) -> None:
        self.window = w = shown.window
        inside = slice(w.context_at, w.context_at + w.doc_stop - w.doc_start)
        start, end = shown.reading.logits(w.index)
        self.start, self.end = start[inside].astype(float), end[inside].astype(float)
        self.null = float(start[0]) + float(end[0])
        at = np.arange(len(w))[inside]
        codes = reason_codes(w, at[:, None], at[None, :], shown.decode)
        self.count = int((codes == 0).sum())
        rows, columns = (np.flatnonzero((codes == 0).any(axis)) for axis in (1, 0))
        near = 0 if len(rows) == len(at) else 16  # some of what another window sees better
        low, high = max(0, int(rows[0]) - near), min(len(at), int(columns[-1]) + 1 + near)
        seen, self.begin = slice(low, high), w.doc_start
        self.first, self.size = w.doc_start + low, high - low
        self.owned: NDArray[np.bool_] = w.is_max_context[inside][seen]
        scores = np.where(codes == 0, span_scores(self.start, self.end), np.nan)
        self.scores = scores[seen, seen]

    def logits(self, i: int, j: int) -> tuple[float, float]:
        """Start logit of token i and end logit of token j of the paragraph."""
        return float(self.start[i - self.begin]), float(self.end[j - self.begin])


def picture(shown: Shown, own: Own) -> list[Block | None]:
    """The square, the ten best spans beside it, and the sum of the selected pair."""
    sq = Square(shown)
    best, p, many = shown.best, shown.prediction, len(shown.reading.windows) > 1
    return [
        idea(
            "Each cell is a pair of a start and an end. Score = start logit + end logit. "
            "*The highest allowed cell is the best span: the maximum-scoring span.*"
        ),
        finding(
            "{} has the highest of {} allowed sums{}: {}; “no answer” has {}{}.",
            span_words(best),
            f"{sq.count:,}",
            f" in window {sq.window.index + 1} of {len(shown.reading.windows)}" if many else "",
            [number(best.score), STRONG],
            number(p.null_score) + (f" (window {p.null_window + 1})" if many else ""),
            " and wins" if p.answer is None else "",
        ),
        square(shown, sq),
        group(
            "side",
            5,
            listed(shown),
            selected_sum(shown, sq),
            together(shown, sq),
            other_text(shown),
        ),
        closing(
            "Prediction is this search within these limits; all that is learned is in the logits."
        ),
        *folds(as_table(shown, sq), exactly(shown, sq), SNIPPET),
    ]


def stairs(first: int, shift: int, size: int) -> tuple[list[float], list[float]]:
    """The edge of the cells (k, k + shift) of a square that begins at `first`, as x and y."""
    corners = [(k + shift, k + h) for k in range(size) for h in (0, 1) if 0 <= k + shift <= size]
    return [first + x - 0.5 for x, _ in corners], [first + y - 0.5 for _, y in corners]


def region(x: list[float], y: list[float]) -> Block:
    """A hatched area: pairs that are not allowed."""
    pattern = {"shape": "/", "size": 8, "solidity": 0.15, "fgcolor": LINE, "bgcolor": PAPER}
    return {
        "type": "scatter",
        "mode": "none",
        "fill": "toself",
        "x": x,
        "y": y,
        "fillpattern": pattern,
        "hoverinfo": "skip",
    }


def regions(shown: Shown, sq: Square) -> tuple[list[Block], list[Block]]:
    """The hatched areas and their names."""
    d0, m, longest = sq.first, sq.size, shown.decode.max_answer_length
    low, high = d0 - 0.5, d0 + m - 0.5
    x, y = stairs(d0, 0, m)
    drawn = [region([low, *x, high, low], [low, *y, high, high])]
    named = [_region_name("the end would stand<br>before the start", d0 + m * 0.2, d0 + m * 0.75)]
    if m > longest + 4:
        x, y = stairs(d0, longest, m)
        drawn.append(region([*x, high, high], [*y, high - longest, low]))
        at = d0 + longest + (m - longest) * 0.66, d0 + (m - longest) * 0.3
        named.append(_region_name(f"longer than<br>{longest} tokens", *at))
    away = np.flatnonzero(~sq.owned)
    if len(away):
        runs = np.split(away, np.flatnonzero(np.diff(away) > 1) + 1)
        for rows in runs:
            drawn.append(region(*band(d0, rows, min(longest, m), high)))
        y_mid = float(max(runs, key=len).mean())
        at = d0 + (y_mid + min(m, y_mid + longest)) / 2, d0 + y_mid
        named.append(_region_name("another window sees<br>more around these starts", *at))
    return drawn, named


def band(
    first: int, rows: NDArray[np.int64], longest: int, high: float
) -> tuple[list[float], list[float]]:
    """The edge of the cells (k, k) to (k, k + longest - 1) of these rows, as x and y."""
    left = [(k, k + h) for k in rows.tolist() for h in (0, 1)]
    right = [(k + longest, y) for k, y in left]
    corners = left + right[::-1]
    return ([min(first + x - 0.5, high) for x, _ in corners], [first + y - 0.5 for _, y in corners])


def _region_name(said: str, x: float, y: float) -> Block:
    return note(f"<b>not allowed</b><br>{said}", x, y, bgcolor=PAPER, borderpad=3)


def ticks(shown: Shown, sq: Square, keep: int, room: float) -> Block:
    """Some long words as names of an axis, `room` cells apart and clear of the piece `keep`."""
    e, chosen = shown.encoding, list[int]()
    begins = [
        d
        for d in range(sq.first, sq.first + sq.size)
        if d == 0 or e.word_ids[d] != e.word_ids[d - 1]
    ]
    plain = [d for d in begins if 3 < len(word(e, d, "")) < 13 and word(e, d, "").isalpha()]
    for d in sorted(plain, key=lambda d: -min(8, len(word(e, d, "")))):
        if all(abs(d - k) > room for k in (*chosen, keep)):
            chosen.append(d)
    chosen.sort()
    return {"tickvals": chosen, "ticktext": [escape(word(e, d, "")) for d in chosen]}


def square(shown: Shown, sq: Square) -> Block:
    """The heat map; what follows the selection is its overlay."""
    d0, m = sq.first, sq.size
    low, high = float(np.nanpercentile(sq.scores, 2)), float(np.nanmax(sq.scores))
    gap = max(2.0, m / 16)  # the cell of "no answer" stands apart
    edge, far = d0 - gap * 2.2, d0 + m - 0.5
    drawn, named = regions(shown, sq)
    heat = {
        "type": "heatmap",
        "z": packed(np.round(sq.scores, 3)),
        "x0": d0,
        "y0": d0,
        "dx": 1,
        "dy": 1,
        "zmin": low,
        "zmax": high,
        "colorscale": "score",
        "hoverongaps": False,
        "hovertemplate": "score %{z:.2f}<extra></extra>",
        "sets": {"selection": ["y", "x"]},
        "colorbar": {
            "title": {"text": "score", "side": "top", "font": {"size": 13}},
            "thickness": 10,
            "len": 0.5,
            "y": 0.42,
            "x": 1.02,
            "outlinewidth": 0,
            "tickfont": {"size": 12},
        },
    }
    null_cell = {
        "type": "rect",
        "x0": edge + 0.5,
        "x1": edge + gap,
        "y0": edge + 0.5,
        "y1": edge + gap,
        "line": {"color": GREY, "width": 1},
        "fillcolor": f"score:{min(1.0, max(0.0, (sq.null - low) / (high - low or 1))):.3f}",
    }
    cells = (m + gap * 2.7) / 440  # cells a pixel
    at = (shown.best.span.end, shown.best.span.start)  # not the selection: it is the overlay's
    grey_ticks = {"showgrid": False, "ticks": "", "tickfont": {"color": GREY, "size": 12}}
    layout = {
        "height": 500,
        "margin": {"l": 128, "r": 70, "t": 6, "b": 58},
        "xaxis": axis(None, END, range=[edge, far], tickangle=0, **grey_ticks)
        | ticks(shown, sq, at[0], 92 * cells),
        "yaxis": axis(None, START, range=[far, edge], **grey_ticks)
        | ticks(shown, sq, at[1], 26 * cells),
        "shapes": [null_cell],
        "annotations": [
            note(f"no answer {number(sq.null)}", edge + gap + 0.8, edge + gap / 2, xanchor="left"),
            note(
                "the answer ends at … →",
                0.5,
                0,
                END,
                xref="paper",
                yref="paper",
                yanchor="top",
                yshift=-30,
            )
            | {"font": {"size": 16, "color": END}},
            note(
                "← it starts at …",
                0,
                0.5,
                START,
                xref="paper",
                yref="paper",
                textangle=-90,
                xshift=-112,
            )
            | {"font": {"size": 16, "color": START}},
            *named,
        ],
    }
    best = shown.best
    return figure(
        "square",
        [*drawn, heat],
        layout,
        f"Scores of all pairs of a start and an end in this window. The highest is {best.text}, "
        f"{number(best.score)}.",
        span=7,
        overlay=crossing(shown, sq, edge, far),
        narrow={
            "height": 400,
            "margin.l": 92,
            "margin.r": 8,
            "annotations.2.textangle": 0,
            "annotations.2.text": "starts at ↓",
            "annotations.2.y": 1,
            "annotations.2.xshift": -90,
            "xaxis.showticklabels": False,
            "data.heatmap.showscale": False,
            **{f"annotations.{3 + k}.text": "<b>not<br>allowed</b>" for k in range(len(named))},
        },
        mark={"field": "selection", "half": max(0.5, m / 90)},
    )


def crossing(shown: Shown, sq: Square, edge: float, far: float) -> Block:
    """Row and column of the selected pair, drawn through and named, with their logits and sum."""
    i, j = shown.selection.start, shown.selection.end
    e, (start, end) = shown.encoding, sq.logits(i, j)
    right = j < sq.first + sq.size * 0.7
    return {
        "shapes": [line(edge, far, i, i, START), line(j, j, edge, far, END)],
        "annotations": [
            note(
                f"{bold(e, i)}  {number(start)}",
                0,
                i,
                START,
                xref="paper",
                xanchor="right",
                xshift=-4,
            )
            | {"font": {"size": 14, "color": START}, "bgcolor": PAPER},
            note(f"{bold(e, j)}  {number(end)}", j, 0, END, yref="paper", yanchor="top", yshift=-2)
            | {"font": {"size": 14, "color": END}, "bgcolor": PAPER},
            note(
                f"<b>{number(start + end)}</b>",
                j,
                i,
                INK,
                bgcolor=PAPER,
                borderpad=2,
                yanchor="bottom",
                yshift=10,
            )
            | {"xanchor": "left" if right else "right", "xshift": 10 if right else -10},
        ],
    }


def listed(shown: Shown) -> Block:
    """The ten best spans; variants of one unfold."""
    rows = []
    for first, *others in families(shown):
        more = None
        if others:
            kin = [[quote(c.text, 36), *_logits(c)] for c in others]
            more = (f"and {small_number(len(others))} variant{'s' * (len(others) > 1)}", kin)
        span = [first.span.start, first.span.end]
        rows.append(
            row(quote(first.text, 26), *_logits(first), sets={"selection": span}, more=more)
        )
    head = [f"{len(rows)} best, variants merged", "start", "end", "score"]
    return table("listed", head, rows, "The best spans with start logit, end logit and score")


def _logits(c: Any) -> list[str]:
    sign = adds((c.start_logit, c.end_logit), c.score)
    return [number(c.start_logit), number(c.end_logit), sign.strip("=") + number(c.score)]


def selected_sum(shown: Shown, sq: Square) -> Block:
    """score = 5.90 + 6.19 = 12.09 of the selected pair."""
    i, j = shown.selection.start, shown.selection.end
    start, end = sq.logits(i, j)
    said: list[Part] = ["score = ", [number(start), START], " + ", [number(end), END]]
    said += [f" {adds((start, end), start + end)} ", [number(start + end), STRONG]]
    return formula("sum", [*said, [f"  {quote(shown.encoding.text(shown.selection), 34)}", QUOTE]])


def together(shown: Shown, sq: Square) -> Block:
    """Whether the highest start and the highest end form the best pair."""
    *highest, reason = separate_argmaxes(shown.reading, sq.window.index, shown.decode)
    i, j = (sq.window.to_doc(at) for at in highest)
    best = shown.best
    if (i, j) == (best.span.start, best.span.end):
        said: list[Part] = [
            "The highest start logit and the highest end logit form this pair. In some other "
            "texts they form none."
        ]
    else:
        e = shown.encoding
        why = {
            "end before start": "that end stands before that start",
            "too long": f"that pair is longer than {shown.decode.max_answer_length} tokens",
            "not owned": "that start counts in another window",
            None: "but in this window the highest sum is theirs",
        }[reason]
        said = [
            "The highest start logit is on ",
            [f"“{word(e, i)}”", START],
            " (",
            number(sq.start[i - sq.first]),
        ]
        said += [
            "), the highest end logit on ",
            [f"“{word(e, j)}”", END],
            f" ({number(sq.end[j - sq.first])}): ",
        ]
        said += [f"{why}, so the best allowed pair is another."]
    return sentence("together", "note", *said)


def other_text(shown: Shown) -> Block | None:
    """One press to a text where they form no pair, and back."""
    if NO_PAIR not in shown.examples:
        return None
    if shown.example is not None and shown.example.id == NO_PAIR:
        return button("other", "Back to the bridge", {"example": "oresund"})
    return button("other", "A text where they form no pair", {"example": NO_PAIR})


def exactly(shown: Shown, sq: Square) -> list[Block | str]:
    """Conditions, and how many pairs are allowed."""
    m, longest, many = sq.size, shown.decode.max_answer_length, len(shown.reading.windows) > 1
    if bool(sq.owned.all()) and m >= longest:
        count = f"{m} starts · {longest} ends − {longest} · {longest - 1} / 2 that would run over "
        count += f"the paragraph's end = {sq.count:,}."
    else:
        starts = plural(int(sq.owned.sum()), "start")
        count = f"{starts} of this window, each with the ends that are left: {sq.count:,}."
    threshold = shown.decode.null_score_diff_threshold
    p = shown.prediction
    lead = p.null_score - shown.best.score
    stands = f"leads by {number(lead)}" if lead > 0 else f"stands {number(-lead)} behind"
    where = f" (the smallest, in window {p.null_window + 1})" if many else ""
    null = (
        "“No answer” is returned when it leads the best span by more than the threshold, "
        f"{number(threshold)}. Its score, {number(p.null_score)}{where}, {stands}."
    )
    starts = f"A start may end on itself or on one of the {longest - 1} tokens after it: {count}"
    return [
        starts,
        null,
        "Training fixes only differences within a window: a constant added to all start logits "
        "changes no probability. BERT compares scores across windows all the same. Variants of a "
        "span differ by a mark or by part of a word; they stand in one row. The blank strips hold "
        "[CLS] and the question, where no answer starts. Equal scores, to nine decimals: the "
        "earlier start, then the earlier end.",
        curves(shown, sq),
    ]


def curves(shown: Shown, sq: Square) -> Block:
    """All start and all end logits of the paragraph, which the square adds up."""
    at = list(range(sq.begin, sq.begin + len(sq.start)))
    drawn = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": at,
            "y": packed(y),
            "line": {"shape": "hvh", "color": role, "width": 1.5},
        }
        | {"hovertemplate": f"{name} logit %{{y:.2f}}<extra></extra>"}
        for name, role, y in (("start", START, sq.start), ("end", END, sq.end))
    ]
    layout = {
        "height": 200,
        "xaxis": axis("tokens of the paragraph", GREY),
        "yaxis": axis("start and end logit", GREY),
        "margin": {"l": 60, "r": 8, "t": 8, "b": 44},
    }
    return figure(
        "curves", drawn, layout, "Start logits and end logits of all tokens of this window"
    )


def as_table(shown: Shown, sq: Square) -> Block:
    """The 25 highest allowed cells, variants apart."""
    flat = np.nan_to_num(sq.scores, nan=-np.inf).ravel()
    rows = []
    for cell in np.argsort(-flat, kind="stable")[: min(25, sq.count)].tolist():
        i, j = divmod(cell, sq.size)
        words = shown.encoding.context[
            int(shown.encoding.offset_mapping[sq.first + i, 0]) : int(
                shown.encoding.offset_mapping[sq.first + j, 1]
            )
        ]
        sets = {"selection": [sq.first + i, sq.first + j]}
        numbers = *map(number, sq.logits(sq.first + i, sq.first + j)), number(flat[cell])
        rows.append(
            row(str(sq.first + i), str(sq.first + j), quote(words, 30), *numbers, sets=sets)
        )
    head = [("start token", ""), ("end token", ""), "span", "start", "end", "score"]
    return table("cells", head, rows, "The highest cells")
