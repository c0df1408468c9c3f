"""Blocks: what a chapter returns and the browser draws. Every block is a plain dictionary.

A chapter calls the functions of this module; the renderer in assets/page knows the kinds and no
rule and no number of the subject. A figure is plotly's `{data, layout}` as a plain dictionary whose
colours are roles.
"""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import orjson
from numpy.typing import ArrayLike

from qa_demo.core.store import ASSETS
from qa_demo.printed import STRONG, Part, adds, bracket, number, parts, say

Block = dict[str, Any]
Patch = Mapping[str, Any]
"""What a press sets in the state."""
START, END, GOLD, INK, GREY = "start", "end", "gold", "ink", "grey"
LINE, MID, PAPER = "line", "mid", "paper"
OTHER, PALE, CLEAR = "other", "pale", "rgba(0,0,0,0)"
SYMBOLS = {START: "triangle-down", END: "triangle-up", INK: "circle"}
"""A side's points, told apart without colours; INK is both sides at once."""
LEADER: Block = {"showarrow": True, "arrowhead": 0, "arrowwidth": 1}
LEADER |= {"arrowcolor": GREY, "standoff": 7}
"""A note's thin line to its point."""

SIDE = re.compile(rf"\b({START}|{END})\b")
"""The side that a column's name speaks of."""
TAG_ROLES = "tag-b", "tag-i", "tag-o"  # of B, I and O


# ---- kinds of blocks


def block(kind: str, key: str, span: int = 12, **more: Any) -> Block:
    """A block of `span` twelfths."""
    return {"kind": kind, "key": key, "span": span, **more}


def sentence(key: str, role: str, *said: Part, span: int = 12) -> Block:
    """A sentence; role: heading, answer, idea, finding, closing or note."""
    return block("sentence", key, span, role=role, parts=parts(said))


def remark(key: str, template: str, *given: Any, role: str = "note", span: int = 12) -> Block:
    """A sentence from a template, see `say`."""
    return sentence(key, role, *say(template, *given), span=span)


idea = partial(remark, "idea", role="idea")
finding = partial(remark, "finding", role="finding")
closing = partial(remark, "closing", role="closing")
"""The fixed definition of a step, what this text shows, and a last line of at most twenty words."""


def folds(
    table: Block | None, exactly: Sequence[Block | str], chapter: str, more: Block | None = None
) -> list[Block]:
    """What a press opens below a step: conditions, a table, the chapter's code, and `more`."""
    remarks = [remark(f"exact-{k}", x) if isinstance(x, str) else x for k, x in enumerate(exactly)]
    found = [fold("exactly", "Exactly", *remarks), table and fold("table", "As a table", table)]
    code = (ASSETS / "code" / f"{chapter}.py").read_text(encoding="utf-8")
    found += [fold("code", "The code", block("code", "snippet", text=code)), more]
    return [one | {"span": 3 if more else 4} for one in found if one]


def summed(start: float, end: float, digits: int = 2) -> list[Part]:
    """5.90 + 6.19 = 12.09, in the colours of start and end."""
    both, total = (start, end), start + end
    sides = [number(start, digits), START], [bracket(end, digits), END]
    said = f"{{}} + {{}} {adds(both, total, digits)} {{}}"
    return say(said, *sides, [number(total, digits), STRONG])


def formula(key: str, *lines: Sequence[Part], label: str = "", span: int = 12) -> Block:
    """Lines of parts; the role "sub" and "sup" set a part lower and higher."""
    return block("formula", key, span, label=label, lines=[parts(line) for line in lines])


def legend(key: str, *items: tuple[str, str, Any]) -> Block:
    """Swatches with words: (shape, role, text or parts); shapes: bar, under, track, fill, tint,
    box, hollow, boxed, hatch, over, below (triangles), rise, fall (arrows), dot, ring, diamond,
    line, dash, arrow, text (no swatch).
    """
    made = [[shape, role, parts([t] if isinstance(t, str) else t)] for shape, role, t in items]
    return block("legend", key, items=made)


def table(
    key: str, columns: Sequence[str | tuple[str, str]], rows: Sequence[Block], caption: str = ""
) -> Block:
    """Rows made by `row` under columns: (name, role), or a name that tells its own colour."""
    named = [(c, next(iter(SIDE.findall(c)), "")) if isinstance(c, str) else c for c in columns]
    return block("table", key, caption=caption, columns=named, rows=list(rows))


def row(
    *cells: str, sets: Patch | None = None, more: Block | None = None, strong: bool = False
) -> Block:
    """A row; `sets`: the patch of a press; `more`: what a press unfolds, {label, rows of cells}."""
    made = {"strong": strong or None, "sets": sets, "more": more}
    return {"cells": list(cells)} | {k: v for k, v in made.items() if v is not None}


def slider(
    key: str, field: str, label: str, scale: tuple[float, float, float], value: float, **more: Any
) -> Block:
    """A slider with its box; `field` is the path of the state that it sets, "edits.start.0:32".
    `scale`: lowest, highest, step. `says`: words behind it. `flip`: it grows to the left, as what
    it moves in a figure does. `names`: what the whole numbers from the lowest on are called; they
    stand in the box's place.
    """
    low, high, step = scale
    made: Block = {"span": 6, "says": "", "min": low, "max": high, "step": step, "value": value}
    return block("slider", key, field=field, label=label, **made | more)


def choice(
    key: str, label: str, options: Sequence[tuple[str, Patch, bool]], span: int = 12
) -> Block:
    """Buttons of which one is pressed: (words, the patch it sets, pressed)."""
    made = [{"label": w, "sets": dict(s), "pressed": on} for w, s, on in options]
    return block("choice", key, span, label=label, options=made)


def button(key: str, label: str, sets: Patch, span: int = 12, off: bool = False) -> Block:
    """A button that sets a patch."""
    return block("button", key, span, label=label, sets=dict(sets), off=off)


def entry(key: str, field: str, label: str, value: str, most: int = 300) -> Block:
    """A box for words, a third of a line wide; Enter sets the field."""
    return block("entry", key, 4, field=field, label=label, value=value, most=most)


def flow(key: str, *lanes: tuple[str, str, Sequence[Sequence[Sequence[str]]]]) -> Block:
    """Paths of boxes: a lane is (name, small words, cells), a cell holds boxes side by side, a box
    is (title, small words, role); roles: "", kept, gone (dashed), stays (an arrow leads on below).
    """
    return block("flow", key, lanes=list(lanes))


def steps(names: Sequence[str], now: int) -> Block:
    """The names of a chapter's steps; a press sets `step`."""
    return block("steps", "steps", 5, names=list(names), now=now)


def group(key: str, span: int, *blocks: Block | None) -> Block:
    """Blocks under each other in one column of `span` twelfths."""
    return block("group", key, span, blocks=[b for b in blocks if b is not None])


def fold(key: str, title: str, *blocks: Block) -> Block:
    """What a press opens: "exactly", "table" or "code"."""
    return block("fold", key, title=title, blocks=list(blocks))


# ---- figures


def figure(key: str, data: Sequence[Block], layout: Block, alt: str, **more: Any) -> Block:
    """A plotly figure; `more`: its `span`, and what else the browser does with it. `overlay`:
    {shapes, annotations} that follow the selection. `narrow`: paths of the layout, or of traces of
    a type ("data.bar.width"), that differ under 480 px of its own width, or under `below`; or a
    list of such, the widest first. `frame`: {field, half}: a frame at [y, x] of a field that moves
    at once. On a trace `sets`: {field: [names of the point's values]}.
    """
    return block("figure", key, data=list(data), layout=layout, alt=alt, **more)


def packed(values: ArrayLike) -> Block:
    """An array as plotly's typed array, float32 [n] or [rows, columns]."""
    array = np.ascontiguousarray(values, np.float32)
    shape = {"shape": ",".join(map(str, array.shape))} if array.ndim > 1 else {}
    return {"dtype": "f4", "bdata": base64.b64encode(array.tobytes()).decode("ascii"), **shape}


def axis(title: str = "", role: str = INK, **more: Any) -> Block:
    """An axis in the page's style, with its name in words."""
    plain = {"zeroline": False, "gridcolor": LINE, "linecolor": LINE, "ticklabeloverflow": "allow"}
    return {"title": {"text": title, "font": {"color": role}}, **plain, **more}


def named_rows(names: Sequence[str], **more: Any) -> Block:
    """An axis of rows with names, row 0 at the top."""
    ticks: Block = {"tickvals": list(range(len(names))), "ticktext": list(names)}
    return axis(range=[len(names) - 0.4, -0.6], showgrid=False, **ticks, **more)


def layout(height: int, left: int, right: int, top: int, bottom: int, **more: Any) -> Block:
    """A figure's layout: its height and margins in pixels; `more`: axes, shapes, annotations."""
    return {"height": height, "margin": {"l": left, "r": right, "t": top, "b": bottom}, **more}


def scatter(mode: str, x: Any, y: Any, says: str = "", **more: Any) -> Block:
    """A trace of points, lines or words; `says`: what one says under the pointer, "%{x:.2f}"."""
    told = {"hoverinfo": "all", "hovertemplate": f"{says}<extra></extra>"} if says else {}
    return {"type": "scatter", "mode": mode, "x": x, "y": y, "hoverinfo": "skip", **told, **more}


def labels(x: Any, y: Any, text: Sequence[str], place: Any, **font: Any) -> Block:
    """Words beside points, already escaped; `place` as plotly names it, one or one a point."""
    style = {"textposition": place, "textfont": {"color": INK, **font}, "cliponaxis": False}
    return scatter("text", x, y, text=list(text), **style)


def lying(x: Any, y: Sequence[int], width: float, marker: Block, **more: Any) -> Block:
    """Bars that lie, which say nothing under the pointer."""
    bars = {"type": "bar", "orientation": "h", "hoverinfo": "skip", "marker": marker}
    return {**bars, "x": x, "y": list(y), "width": width, **more}


def note(text: str, x: float, y: float, role: str = INK, size: int = 13, **more: Any) -> Block:
    """A text in a figure, already escaped."""
    font = {"color": role, "size": size}
    return {"text": text, "x": x, "y": y, "showarrow": False, "font": font, **more}


def line(x0: float, x1: float, y0: float, y1: float, role: str = INK, **more: Any) -> Block:
    """A line in a figure."""
    stroke = {"color": role, "width": more.pop("width", 1.5), "dash": more.pop("dash", "solid")}
    return {"type": "line", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "line": stroke, **more}


def rect(x0: float, x1: float, y0: float, y1: float, fill: str = CLEAR, **more: Any) -> Block:
    """A rectangle in a figure, without an edge unless `line` gives it one."""
    made: Block = {"type": "rect", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "fillcolor": fill}
    return {**made, "line": {"width": 0}, **more}


# ---- what travels


def walk(blocks: Iterable[Block]) -> Iterator[Block]:
    """Every block, those in groups and folds too."""
    for block in blocks:
        yield block
        yield from walk(block.get("blocks", []))


def travelling(block: Block, held: frozenset[str]) -> Block:
    """The block with its digest, without its content where the browser holds it. An overlay has a
    digest of its own, so a selection never sends a figure's data again.
    """
    if "blocks" in block:
        return {**block, "blocks": [travelling(inner, held) for inner in block["blocks"]]}
    own = {k: v for k, v in block.items() if k != "overlay"}
    digest = hashlib.sha1(orjson.dumps(own), usedforsecurity=False).hexdigest()[:12]
    sent = {"key": block["key"]} if digest in held else own
    over = {"overlay": block["overlay"]} if "overlay" in block else {}
    return {**sent, "digest": digest, **over}
