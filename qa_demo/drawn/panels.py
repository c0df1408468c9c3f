"""Two panels, which a narrow screen puts below each other, and lying bars in them."""

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

import numpy as np

from qa_demo import blocks as ui
from qa_demo.blocks import Block
from qa_demo.core.infill import Guessed
from qa_demo.examples import Gain, Worth
from qa_demo.printed import fine, number, probability, signed

FIRST = {"size": 13, "symbol": "diamond", "color": ui.INK}
RING = {"size": 8, "symbol": "circle-open", "color": ui.INK, "line": {"width": 1.5}}
THIN = {"color": ui.GREY, "width": 1}
HATCH = {"size": 7, "solidity": 0.3, "fgcolor": ui.INK, "bgcolor": ui.PAPER}


Panel = tuple[str, list[Block], Block, Block]
"""The title, the traces and both axes of a plot; `pair` tells them where they stand."""


def pair(
    key: str,
    alt: str,
    panels: Sequence[Panel],
    columns: tuple[float, float],
    layout: Block,
    narrow: Block,
    shift: int = 0,
) -> Block:
    """Two panels. `columns`: where the first ends and the second begins, in shares of the width;
    `layout`, `narrow`: what else the figure has; `shift`: of the titles.
    """
    (end, begin), data, notes = columns, list[Block](), list[Block]()
    made: Block = {"barmode": "overlay", **layout}
    above: Block = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    above |= {"y": 1.01, "xshift": shift, "align": "left"}
    for n, (title, traces, across, down) in enumerate(panels):
        name, domain = "2" * n, [begin, 1] if n else [0, end]
        made[f"xaxis{name}"] = {**across, "domain": domain, "anchor": f"y{name}"}
        made[f"yaxis{name}"] = {**down, "anchor": f"x{name}"}
        notes.append(ui.note(title, domain[0], **above))
        data += [{**trace, "xaxis": f"x{name}", "yaxis": f"y{name}"} for trace in traces]
    made["annotations"] = notes + layout.get("annotations", [])
    stacked: Block = {"xaxis.domain": [0, 1], "xaxis2.domain": [0, 1], "xaxis.title.text": ""}
    stacked |= {"yaxis.domain": [0.6, 1], "yaxis2.domain": [0, 0.4]}
    stacked |= {"annotations.1.x": 0, "annotations.1.y": 0.41}
    return ui.figure(key, data, made, alt, narrow={"below": 800, **stacked, **narrow})


def ticks(most: float) -> list[float]:
    """At most five round probabilities from 0 on."""
    step = next(t for t in (0.001, 0.01, 0.05, 0.1, 0.2, 0.5) if most / t <= 4)
    return [round(k * step, 3) for k in range(int(most / step + 1e-9) + 1)]


def told(r: Guessed) -> str:
    """P of a guess; of the hidden word as in its loss, which a long one has no room for."""
    p = probability(r.p)
    return fine(np.log(r.p), 2) if r.true and p[0] != "<" else p


def ranked(rows: Sequence[Guessed], before: Mapping[str, float]) -> list[Block]:
    """Bars of guesses, the best first; `before`: the words' P with nothing cut, as outlines."""
    y, old, label = range(len(rows)), [before.get(r.word, 0.0) for r in rows], list[str]()
    for k, r in enumerate(rows, 1):
        place = " word" if r.place == k else f", guess {r.place:,}"
        label.append(f" {told(r)}" + f"  ✓ true{place}" * r.true)
    outline = {"color": ui.PAPER, "line": {"color": ui.GREY, "width": 1.5}}
    filled = {"color": [ui.INK if r.true else ui.OTHER for r in rows]}
    ends = ui.packed([max(r.p, o) for r, o in zip(rows, old, strict=True)])
    outlines = [ui.lying(ui.packed(old), y, 0.9, outline)] if before else []
    bars = ui.lying(ui.packed([r.p for r in rows]), y, 0.66, filled)
    return [*outlines, bars, ui.words(ends, list(y), label, "middle right", size=14)]


def waterfall(found: Collection[Gain]) -> list[Block]:
    """Bars from the value before to the value after, lines from each to the next; under each bar
    its runs, beside it its change and its value.
    """
    first, *later = found
    changes = [g.change or 0.0 for g in later]
    before = [g.f1 - change for g, change in zip(later, changes, strict=True)]
    fill: Block = {"color": ui.INK, "line": {"color": ui.INK, "width": 1.5}}
    fill["pattern"] = {**HATCH, "shape": ["/" if change < 0 else "" for change in changes]}
    each = [(f1, g.row + 0.38) for g in found if len(g.runs) > 1 for f1 in g.runs]
    ways = [(a.f1, y) for a, b in pairwise(found) for y in (a.row + 0.23, b.row - 0.23, None)]
    ends, label, sides = list[float](), list[str](), list[str]()
    for g in found:  # a number stands where its bar ends, which is the left of one that falls
        falls = (g.change or 0) < 0
        ends.append((min if falls else max)([g.f1, *g.runs]))
        moved = "" if g.change is None else f"<b>{signed(g.change, 1)}</b>  to "
        label.append(f"   {moved}{number(g.f1, 1)}   ")
        sides.append(f"middle {'left' if falls else 'right'}")
    return [
        ui.scatter("lines", *map(list, zip(*ways, strict=True)), line=THIN),
        ui.lying(changes, [g.row for g in later], 0.46, fill, base=before),
        ui.scatter("markers", [first.f1], [first.row], marker=FIRST),
        ui.scatter("markers", [x for x, _ in each], [y for _, y in each], marker=RING),
        ui.words(ends, [g.row for g in found], label, sides, size=14),
    ]


def gains(w: Worth) -> Block:
    """Both runs beside each other; one point of F1 is as long in both."""
    paper, ours, short = w.paper.values(), w.ours.values(), list(w.names)
    values = [g.f1 for g in paper], [x for g in ours for x in (g.f1, *g.runs)]
    ranges = [[min(v) - 2.6, max(v) + 2.6] for v in values]  # a number fits on either side
    wide, narrower = (b - a for a, b in ranges)
    end = 0.95 * wide / (wide + narrower)
    font = {"size": 14, "color": ui.INK}
    left: Panel = (
        "<b>The paper</b>, from scratch: F1 on SQuAD 2.0<br>"
        "large model, 1.2 million training steps",
        waterfall(paper),
        ui.axis(range=ranges[0], visible=False),
        ui.named_rows(list(w.names.values()), tickfont=font),
    )
    steps = f"6 layers, {w.budget['pretrain_steps']:,} training steps"
    right: Panel = (
        f"<b>Our small run</b>: F1 on SQuAD 1.1, six articles<br>{steps}",
        waterfall(ours),
        ui.axis(range=ranges[1], visible=False),
        ui.named_rows(short, tickfont=font, showticklabels=False),
    )
    shade: Block = {"xref": "paper", "layer": "below", "opacity": 0.45}
    layout = ui.layout(310, 264, 8, 42, 4)
    layout["shapes"] = [ui.rect(0, 1, k - 0.5, k + 0.5, ui.PALE, **shade) for k in (0, 2, 4)]
    narrow = {"height": 490, "margin.l": 96, "margin.r": 44, "shapes": [], "yaxis.ticktext": short}
    narrow |= {"yaxis2.showticklabels": True, "data.scatter.textfont.size": 12}
    narrow["xaxis2.range"] = [min(values[1]) - 11, max(values[1]) + 2.6]
    alt = "F1 of readers after each change of the pre-training: the paper's beside our small run's."
    return pair("gains", alt, (left, right), (end, end + 0.05), layout, narrow)
