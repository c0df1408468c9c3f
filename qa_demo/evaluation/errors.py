"""What went wrong: kinds of error, and the surest failures, each with its page."""

import base64
from functools import partial
from typing import Any

import numpy as np
import orjson

from qa_demo import blocks as ui
from qa_demo.blocks import GOLD, GREY, INK, Block
from qa_demo.evaluation import drawn
from qa_demo.evaluation.compare import Row
from qa_demo.evaluation.drawn import Blocks, Shown, Side
from qa_demo.evaluation.failures import MEANING
from qa_demo.printed import STRONG, number, quote

FAILURES = 10
SPANS = 5
CHAPTERS = {"lost in the merge": "windows", "border": "start_end", "other sentence": "why"}
"""The chapter that shows a kind of error; "answer" shows the rest."""
ORDER = [*MEANING]


# ---- kinds of error


def kinds(s: Shown) -> Blocks:
    """Errors by kind, light where another threshold would cure it."""
    counts = {
        side.key: np.stack([kind_counts(side, k) for k in range(len(side.frames))])
        for side in s.sides
    }
    seen = np.flatnonzero(sum(c.sum(axis=(0, 1)) for c in counts.values()))
    seen = seen[np.argsort(counts["a"][s.start["a"]].sum(axis=0)[seen], kind="stable")]
    y, names = np.arange(len(seen), dtype=np.float64), [ORDER[k] for k in seen]
    if not names:
        return []

    def figure(**frames: int) -> Block:
        data = []
        for side in s.sides:
            both = counts[side.key][frames[side.key]][:, seen]
            for x, opacity in zip(both.tolist(), (1.0, 0.35), strict=True):
                bar: Block = {"type": "bar", "orientation": "h", "x": x, "hoverinfo": "x"}
                bar |= {"y": drawn.plain(y + 0.2 * side.up), "width": 0.36 if side.up else 0.62}
                data.append(bar | {"marker": {"color": side.role, "opacity": opacity}})
            text = {"text": [str(n) if n else "" for n in both.sum(axis=0)], "cliponaxis": False}
            data[-1] |= text | {"textposition": "outside", "textfont": {"color": INK}}
        cut = [name.replace(" although", "<br>although") for name in names]
        narrow = {"margin.l": 156, "yaxis.ticktext": cut, "xaxis.nticks": 4}
        ticks = {"tickvals": drawn.plain(y), "ticktext": names, "showgrid": False}
        axes = {"yaxis": ui.axis(range=[-0.6, len(y) - 0.4], **ticks), "barmode": "stack"}
        axes["xaxis"] = ui.axis("questions", rangemode="tozero")
        alt = "Questions of each kind of error."
        layout = ui.layout(70 + 44 * len(y), 236, 40, 8, 46, **axes)
        return ui.figure("kinds-figure", data, layout, alt, narrow=narrow)

    idea = "Each wrong answer has one kind. Light: the best span is right, or none is wanted, so "
    idea += "another threshold would cure it; it would cost others."
    if s.sides[0].own is None:
        idea = "Each wrong answer has one kind. No threshold would cure any."
    meaning = [ui.row(name, MEANING[name]) for name in reversed(names)]
    table = ui.table("kinds-table", [("kind", ""), ("what it means", "")], meaning)
    return [
        *drawn.head(s, "kinds", "Kinds of error", idea),
        drawn.varied(s, figure, *s.values["who"]),
        ui.fold("kinds-fold", "What each kind means", table),
    ]


def kind_counts(side: Side, frame: int) -> Any:
    """[dark, light] wrong answers of each kind in a frame, [2, kinds]."""
    kind = np.array([ORDER.index(row["best"]["kind"]) for row in side.rows])
    gold, right = side.table.answerable, side.table.exact == 1
    read = kind != ORDER.index("not read")
    out = side.table.withheld(side.frames[frame]) & read
    kind = np.where(out, np.where(gold, ORDER.index("withheld"), ORDER.index("right")), kind)
    curable = (side.own is not None) & read & np.where(out, right, ~gold)
    found = [np.bincount(kind[part], minlength=len(ORDER)) for part in (~curable, curable)]
    return np.array(found) * (np.arange(len(ORDER)) != ORDER.index("right"))


# ---- the surest failures


def failures(s: Shown) -> Blocks:
    """The wrong answers furthest from the threshold; a press opens one."""
    made = [block for side in s.sides for block in _failures(s, side)]
    idea = "Wrong answers, those furthest from the threshold first. Margin: how far (logits) the "
    idea += "lead over “no answer” is from where the reader would have decided otherwise."
    who = {x.key: (f"of {x.name}", {"who": x.key, "selection": None}) for x in s.sides}
    choice = drawn.switch(s, "who", "Failures", who)
    if not made:
        return []
    return [*drawn.head(s, "failures", "The ten surest failures", idea), choice, *made]


def _failures(s: Shown, side: Side) -> Blocks:
    """A table whose rows are picked from all that it can show: [index, what follows its cells]."""
    every: dict[tuple[int, bool], int] = {}
    other = next((x for x in s.sides if x is not side), None)
    names = ["question", "marked right", side.name]
    names += [f"best span of {other.name}"] if other else []
    columns = [(name, "") for name in [*names, "margin"]]

    def table(**frames: int) -> Block:
        limit = side.frames[frames[side.key]]
        out, wrong = side.table.withheld(limit), side.table.scores(limit, "exact") == 0
        margins = np.abs((0.0 if limit is None else limit) - side.table.diffs)
        found = np.flatnonzero(wrong & np.isfinite(margins))
        found = found[np.argsort(-margins[found], kind="stable")][:FAILURES]
        rows = [
            [every.setdefault((k, bool(out[k])), len(every)), number(margins[k], 1)]
            for k in found.tolist()
        ]
        return ui.table(f"failures-{side.key}", columns, rows, caption="The ten surest failures")

    made = drawn.varied(s, table, side.key)
    made |= {"all": [failure_row(side, other, *key) for key in every], "when": {"who": side.key}}
    opened = [opened_failure(s, side, k) for k in dict.fromkeys(k for k, _ in every)]
    return [made, *opened] if every else []


def failure_row(side: Side, other: Side | None, k: int, withheld: bool) -> Block:
    """Question, gold, both answers; the margin comes with the threshold."""
    row = side.rows[k]
    golds = list(dict.fromkeys(g["text"] for g in row["gold"]))
    gold = quote(golds[0], 50) if golds else "no answer"
    more = f" and {len(golds) - 1} more" if len(golds) > 1 else ""
    best = quote(row["n_best"][0]["text"], 50)
    cells = [row["question"], gold + more, f"none (best {best})" if withheld else best]
    if other is not None:
        theirs = other.rows[k]
        text = quote(theirs["n_best"][0]["text"], 50) if theirs["n_best"] else "none"
        cells.append(f"{text}, right" if row["gold"] and theirs["best"]["exact"] == 1 else text)
    return ui.row(*cells, sets={"selection": f"{side.key}{k}"})


def opened_failure(s: Shown, side: Side, k: int) -> Block:
    """Paragraph, spans and no answer on one axis, and the page in that state."""
    row, key = side.rows[k], f"{side.key}{k}"
    golds = {g["char_start"]: g for g in row["gold"] if g["char_start"] >= 0}.values()
    spans = [(GOLD, g["char_start"], g["char_start"] + len(g["text"])) for g in golds]
    marks = [("line", GOLD, "marked right")]
    for x in s.sides:
        for best in x.rows[k]["n_best"][:1]:
            spans.append((x.role, best["char_start"], best["char_end"]))
            marks.append(("line", x.role, f"best span of {x.name}"))
    lines = [{"from": a, "to": b - 1, "role": role, "text": ""} for role, a, b in spans]
    because = f": {row['best']['because']}" if row["best"]["because"] else ""
    figure = spans_figure(s, k)
    figure["patches"] = [{"by": [x.key], "of": f"leads-{x.key}"} for x in s.sides]
    link: Block = {"kind": "link", "key": "link", "span": 12, "label": "Open on the page"}
    inner = [
        ui.sentence("asked", "finding", [row["question"], STRONG]),
        {"kind": "paragraph", "key": "text", "span": 12, "text": row["context"], "lines": lines},
        ui.legend("marks", *marks),
        ui.sentence("why", "note", f"Best span of {side.name}: {row['best']['kind']}{because}."),
        figure,
        {**link, "href": s.page + address(side, row)},
    ]
    return ui.group(f"open-{key}", 12, *inner) | {"when": {"selection": key}}


def spans_figure(s: Shown, k: int, **frames: int) -> Block:
    """The best spans' lead over no answer, with no answer at 0 and the threshold."""
    data, lines, names = [], list[Block](), list[tuple[float, str]]()
    y = 0.0
    for side in s.sides:
        row = side.rows[k]
        spans = row["n_best"][:SPANS]
        ys = [y + n for n in range(len(spans))]
        if spans:
            lead = [n["score"] - spans[0]["score"] - row["score_diff"] for n in spans]
            symbols = ["circle", *["circle-open"] * (len(spans) - 1)]
            marker = {"size": 11, "symbol": symbols, "line": {"width": 2}}
            data.append(drawn.points(side.role, drawn.plain(np.array(lead)), ys, marker=marker))
            names += [(at, n["text"]) for at, n in zip(ys, spans, strict=True)]
        high = y + max(0, len(spans) - 1) + 0.45
        at = -side.limit(frames.get(side.key, s.start[side.key]))
        lines.append(ui.line(at, at, y - 0.45, high, side.role, dash="dot", width=2))
        y = high + 0.95
    title = "lead over “no answer”, logits"
    long, cut = ([drawn.short(name, most) for _, name in names] for most in (30, 15))
    narrow = {"margin.l": 120, "xaxis.title.text": title, "yaxis.ticktext": cut}
    ticks = {"tickvals": [at for at, _ in names], "ticktext": long, "showgrid": False}
    axes: Block = {"yaxis": ui.axis(range=[y - 0.5, -0.8], **ticks)}
    axes["xaxis"] = ui.axis(title.replace(",", " (at 0),") + "; dotted: the threshold")
    axes["shapes"] = [ui.line(0, 0, 0, 1, GREY, yref="paper")]
    overlay = {"shapes": lines, "annotations": []}
    alt = "The best spans' lead over no answer, and the threshold."
    layout = ui.layout(int(70 + 24 * y), 210, 14, 8, 46, **axes)
    return ui.figure("spans", data, layout, alt, overlay=overlay, narrow=narrow)


def leads(s: Shown) -> dict[str, Block]:
    """The patches that all opened failures share: where the thresholds stand."""
    made = drawn.varied(s, partial(spans_figure, s, 0), *s.values["who"])
    return {f"leads-{table['by'][0]}": table["of"] for table in made["patches"]}


def address(side: Side, row: Row) -> str:
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
