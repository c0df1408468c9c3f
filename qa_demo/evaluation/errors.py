"""What went wrong: kinds of error, and the surest failures, each with its page."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import orjson

from qa_demo import blocks as ui
from qa_demo.blocks import GOLD, GREY, INK, Block
from qa_demo.core.base import Floats
from qa_demo.evaluation.drawn import (
    Blocks,
    Shown,
    Side,
    head,
    offsets,
    patched,
    plain,
    readers,
    short,
)
from qa_demo.evaluation.failures import MEANING
from qa_demo.printed import STRONG, number, quote

FAILURES = 10
SPANS = 5
CHAPTERS = {"lost in the merge": "windows", "border": "start_end", "other sentence": "why"}
"""The chapter that shows a kind of error; "answer" shows the rest."""


# ---- kinds of error


def kinds(s: Shown) -> Blocks:
    """Errors by kind, light where another threshold would cure it."""
    order = [kind for kind in MEANING if kind != "right"]
    counts = [
        np.stack([kind_counts(side, k, order) for k in range(len(side.frames))]) for side in s.sides
    ]
    seen = np.flatnonzero(sum(c.sum(axis=(0, 1)) for c in counts))
    seen = seen[np.argsort(counts[0][s.sides[0].at("run")].sum(axis=0)[seen], kind="stable")]
    if not len(seen):
        return []
    y = np.arange(len(seen), dtype=np.float64)
    figure = kinds_figure(s, [order[k] for k in seen], y)
    for j, side in enumerate(s.sides):
        of = {}
        for k in range(len(side.frames)):
            dark, light = counts[j][k][:, seen]
            of[str(k)] = {
                f"data.{2 * j}.x": dark.tolist(),
                f"data.{2 * j + 1}.x": light.tolist(),
                f"data.{2 * j + 1}.text": [str(n) if n else "" for n in (dark + light).tolist()],
            }
        figure = patched(figure, [side.key], of)
    idea = "Each wrong answer has one kind. Light: the best span is right, or none is wanted, so "
    idea += "another threshold would cure it; it would cost others."
    meaning = [ui.row(order[k], MEANING[order[k]]) for k in reversed(seen)]
    table = ui.table("kinds-table", [("kind", ""), ("what it means", "")], meaning)
    if not s.sides[0].steers:
        idea = "Each wrong answer has one kind. No threshold would cure any."
    return [
        *head("kinds", "Kinds of error", idea),
        readers(s, "kinds"),
        figure,
        ui.fold("kinds-fold", "What each kind means", table),
    ]


def kind_counts(side: Side, frame: int, order: Sequence[str]) -> Any:
    """[dark, light] questions of each kind in a frame, [2, kinds]."""
    found = np.zeros((2, len(order)), dtype=int)
    for row, out in zip(side.rows, side.trade.withheld(side.frames[frame]), strict=True):
        kind, right = row["best"]["kind"], row["best"]["exact"] == 1
        if kind == "not read":
            found[0, order.index(kind)] += 1
        elif out and row["gold"]:
            found[int(right), order.index("withheld")] += 1
        elif not out and kind != "right":
            found[int(not row["gold"] and side.steers), order.index(kind)] += 1
    return found


def kinds_figure(s: Shown, names: Sequence[str], y: Floats) -> Block:
    """Horizontal bars, dark and light stacked, one pair for each reader."""
    data: list[Block] = []
    width = 0.36 if len(s.sides) == 2 else 0.62
    for side, up in zip(s.sides, offsets(s, 0.2), strict=True):
        for opacity in (1.0, 0.35):
            bar: Block = {"type": "bar", "orientation": "h", "y": plain(y + up), "x": [0] * len(y)}
            bar |= {"width": width, "marker": {"color": side.role, "opacity": opacity}}
            bar |= {"textposition": "outside", "cliponaxis": False, "hoverinfo": "x"}
            data.append(bar | {"textfont": {"color": INK}})
    layout: Block = {"height": 70 + 44 * len(y), "barmode": "stack"}
    layout["margin"] = {"l": 236, "r": 40, "t": 8, "b": 46}
    layout["xaxis"] = ui.axis("questions", rangemode="tozero")
    layout["yaxis"] = ui.axis(
        tickvals=plain(y), ticktext=list(names), range=[-0.6, len(y) - 0.4], showgrid=False
    )
    cut = [
        name.replace(" although ", "<br>although ").replace(" candidate ", "<br>candidate ")
        for name in names
    ]
    narrow = {"margin.l": 156, "yaxis.ticktext": cut, "xaxis.nticks": 4}
    return ui.figure(
        "kinds-figure", data, layout, "Questions of each kind of error.", narrow=narrow
    )


# ---- the surest failures


def failures(s: Shown) -> Blocks:
    """The wrong answers furthest from the threshold; a press opens one."""
    made: Blocks = []
    for side in s.sides:
        made += _failures(s, side)
    if not made:
        return []
    idea = (
        "Wrong answers, those furthest from the threshold first. Margin: how far (logits) the lead "
    )
    idea += "over “no answer” is from where the reader would have decided otherwise."
    who = [(f"of {side.name}", {"who": side.key, "selection": None}, False) for side in s.sides]
    on = {side.key: {f"options.{k}.pressed": True} for k, side in enumerate(s.sides)}
    choice = patched(ui.choice("who", "Failures", who), ["who"], on)
    return [
        *head("failures", "The ten surest failures", idea),
        choice if len(s.sides) > 1 else None,
        *made,
    ]


def _failures(s: Shown, side: Side) -> Blocks:
    every: dict[tuple[int, bool], int] = {}
    of = {}
    for k, limit in enumerate(side.frames):
        out, wrong = side.trade.withheld(limit), side.trade.scores(limit, "exact") == 0
        margins = np.abs((0.0 if limit is None else limit) - side.trade.diffs)
        found = np.flatnonzero(wrong & np.isfinite(margins))
        found = found[np.argsort(-margins[found], kind="stable")][:FAILURES]
        keys = [(int(i), bool(out[i])) for i in found]
        pick = [[every.setdefault(key, len(every)), number(margins[key[0]], 1)] for key in keys]
        of[str(k)] = {"rows": {"pick": pick}}
    other = next((x for x in s.sides if x is not side), None)
    heads = [
        "question",
        "marked right",
        side.name,
        *([f"best span of {other.name}"] if other else []),
    ]
    columns = [(name, "") for name in [*heads, "margin"]]
    table = ui.table(f"failures-{side.key}", columns, [], caption="The ten surest failures")
    table |= {"all": [failure_row(side, other, *key) for key in every], "when": {"who": side.key}}
    opened = [opened_failure(s, side, i) for i in dict.fromkeys(i for i, _ in every)]
    return [patched(table, [side.key], of), *opened] if every else []


def failure_row(side: Side, other: Side | None, i: int, withheld: bool) -> Block:
    """Question, gold, both answers; the margin comes with the threshold."""
    row = side.rows[i]
    golds = list(dict.fromkeys(g["text"] for g in row["gold"]))
    gold = quote(golds[0], 50) if golds else "no answer"
    more = f" and {len(golds) - 1} more" if len(golds) > 1 else ""
    best = quote(row["n_best"][0]["text"], 50)
    said = f"none (best {best})" if withheld else best
    cells = [row["question"], gold + more, said]
    if other is not None:
        theirs = other.rows[i]
        text = quote(theirs["n_best"][0]["text"], 50) if theirs["n_best"] else "none"
        cells.append(f"{text}, right" if row["gold"] and theirs["best"]["exact"] == 1 else text)
    return ui.row(*cells, sets={"selection": f"{side.key}{i}"})


def opened_failure(s: Shown, side: Side, i: int) -> Block:
    """Paragraph, spans and no answer on one axis, and the page in that state."""
    row, key = side.rows[i], f"{side.key}{i}"
    shown = [x for x in s.sides if x.rows[i]["n_best"]]
    golds = {g["char_start"]: g for g in row["gold"] if g["char_start"] >= 0}.values()
    lines = [under(g["char_start"], g["char_start"] + len(g["text"]), GOLD) for g in golds]
    spans = [(x.role, x.rows[i]["n_best"][0]) for x in shown]
    lines += [under(n["char_start"], n["char_end"], role) for role, n in spans]
    marks = [
        ("line", GOLD, "marked right"),
        *(("line", x.role, f"best span of {x.name}") for x in shown),
    ]
    text = {"kind": "paragraph", "key": "text", "span": 12, "text": row["context"], "lines": lines}
    because = f": {row['best']['because']}" if row["best"]["because"] else ""
    why = f"Best span of {side.name}: {row['best']['kind']}{because}."
    link = {"kind": "link", "key": "link", "span": 12, "label": "Open on the page"}
    link["href"] = s.page + address(side, row)
    inner = [
        ui.sentence("asked", "finding", [row["question"], STRONG]),
        text,
        ui.legend("marks", *marks),
        ui.sentence("why", "note", why),
        spans_figure(s, i),
        link,
    ]
    return ui.group(f"open-{key}", 12, *inner) | {"when": {"selection": key}}


def under(start: int, end: int, role: str) -> Block:
    """A line under characters of the paragraph."""
    return {"from": start, "to": end - 1, "role": role, "text": ""}


def spans_figure(s: Shown, i: int) -> Block:
    """The best spans' lead over no answer, with no answer at 0 and the threshold."""
    data: list[Block] = []
    names, y = list[tuple[float, str]](), 0.0
    lines = []
    for side in s.sides:
        row = side.rows[i]
        spans = row["n_best"][:SPANS]
        ys = [y + k for k in range(len(spans))]
        if spans:
            lead = [n["score"] - spans[0]["score"] - row["score_diff"] for n in spans]
            symbols = ["circle", *["circle-open"] * (len(spans) - 1)]
            marker = {"color": side.role, "size": 11, "symbol": symbols, "line": {"width": 2}}
            made = {"type": "scatter", "mode": "markers", "x": plain(np.array(lead)), "y": ys}
            data.append(made | {"marker": marker, "hoverinfo": "x"})
            names += [(at, short(n["text"], 30)) for at, n in zip(ys, spans, strict=True)]
        low, high = (ys[0] - 0.45, ys[-1] + 0.45) if ys else (y, y)
        at = -(side.own or 0.0)
        lines.append(ui.line(at, at, low, high, side.role, dash="dot", width=2))
        y = high + 0.95
    layout: Block = {"height": int(70 + 24 * y), "margin": {"l": 210, "r": 14, "t": 8, "b": 46}}
    layout["shapes"] = [ui.line(0, 0, 0, 1, GREY, yref="paper")]
    layout["xaxis"] = ui.axis("lead over “no answer” (at 0), logits; dotted: the threshold")
    ticks = {"tickvals": [at for at, _ in names], "ticktext": [name for _, name in names]}
    layout["yaxis"] = ui.axis(range=[y - 0.5, -0.8], showgrid=False, **ticks)
    narrow = {"margin.l": 120, "xaxis.title.text": "lead over “no answer”, logits"}
    narrow["yaxis.ticktext"] = [short(name, 15) for _, name in names]
    overlay = {"shapes": lines, "annotations": []}
    alt = "The best spans' lead over no answer, and the threshold."
    made = ui.figure("spans", data, layout, alt, overlay=overlay, narrow=narrow)
    keys = [side.key for side in s.sides if side.steers]
    return {**made, "patches": [{"by": [key], "of": f"leads-{key}"} for key in keys]}


def leads(s: Shown) -> dict[str, Block]:
    """The patches that all opened failures share: where the thresholds stand."""
    found = {}
    for j, side in enumerate(s.sides):
        each = {}
        for k, limit in enumerate(side.frames):
            at = 1e6 if np.ndim(limit) or limit is None else -limit
            each[str(k)] = {f"overlay.shapes.{j}.{end}": at for end in ("x0", "x1")}
        found[f"leads-{side.key}"] = each
    return found


def address(side: Side, row: Mapping[str, Any]) -> str:
    """A state as the page's address holds it: text, windows, gold, threshold, chapter."""
    options = side.run.get("options", {})
    state: Block = {"question": row["question"], "context": row["context"]}
    names = ("max_seq_length", "doc_stride", "max_answer_length")
    state |= {name: options[name] for name in names if name in options}
    state |= {"gold": row["gold_pieces"]} if row["gold_pieces"] else {}
    state |= {"threshold": side.own} if side.own is not None else {}
    state |= {"reader": side.run["reader"]} if side.run["reader"] in ("bundled", "large") else {}
    state["chapter"] = CHAPTERS.get(row["best"]["kind"], "answer")
    return "#" + base64.urlsafe_b64encode(orjson.dumps(state)).decode().rstrip("=")
