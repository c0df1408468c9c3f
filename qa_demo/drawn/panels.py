"""Lying bars of chapter SpanBERT: guesses of a layer, and what each change is worth."""

from collections.abc import Mapping, Sequence

import numpy as np

from qa_demo import blocks as ui
from qa_demo.core.infill import Guessed
from qa_demo.examples import Worth
from qa_demo.printed import fine, probability, signed


def ticks(most: float) -> list[float]:
    """At most five round probabilities from 0 on."""
    step = next(t for t in (0.001, 0.01, 0.05, 0.1, 0.2, 0.5) if most / t <= 4)
    return [round(k * step, 3) for k in range(int(most / step + 1e-9) + 1)]


def told(r: Guessed) -> str:
    """P of a guess; of the hidden word as in its loss, which a long one has no room for."""
    p = probability(r.p)
    return fine(np.log(r.p), 2) if r.true and p[0] != "<" else p


def ranked(rows: Sequence[Guessed], before: Mapping[str, float]) -> list[ui.Block]:
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


def gains(w: Worth) -> ui.Block:
    """What each change adds to F1 in the paper, in points."""
    rows = [k for k in w.names if k in w.paper and w.paper[k].each]
    bars = [w.paper[k].change for k in rows]
    label, y = [f" <b>{signed(x, 1)}</b>" for x in bars], range(len(rows))
    data = [ui.lying(bars, y, 0.5, {"color": ui.INK})]
    data.append(ui.words(bars, list(y), label, "middle right", size=14))
    names, font = [w.names[k] for k in rows], {"size": 14, "color": ui.INK}
    layout = ui.layout(280, 264, 24, 8, 44, yaxis=ui.named_rows(names, tickfont=font))
    across = {"range": [0, max(bars) + 0.3], "nticks": 5}  # room for a number
    layout["xaxis"] = ui.axis("change of F1, points", **across)
    alt = "How far each change of the pre-training moves F1 in the paper"
    narrow = {"margin.l": 96, "margin.r": 8, "yaxis.ticktext": rows}
    return ui.figure("gains", data, layout, alt, narrow=narrow)
