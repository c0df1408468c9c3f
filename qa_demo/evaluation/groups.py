"""Where a reader is good: groups of questions by what is asked, and how often it was right by how
sure it was.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from qa_demo import blocks as ui
from qa_demo.blocks import GREY, INK, Block
from qa_demo.core.base import Floats
from qa_demo.core.metrics import CalibrationBin, calibration, calibration_error, normalize
from qa_demo.evaluation.compare import Bools, Interval
from qa_demo.evaluation.drawn import (
    METRICS,
    Blocks,
    Portion,
    Shown,
    Side,
    dots,
    head,
    joined,
    offsets,
    patched,
    plain,
    readers,
    short,
    spread,
)
from qa_demo.evaluation.failures import LOOKS, looks_like
from qa_demo.printed import STRONG, Part, plural

Row = Mapping[str, Any]
FEWEST = 20
"""A group of fewer questions says nothing."""
CLAIMS = {
    "claim": "the claim",
    "right_if_answerable": "the chance of being right where there is an answer",
    "in_window": "P(start) · P(end), which is not calibrated",
}
MOST = 12
"""Groups of one slice that are drawn: those of most questions."""
QUESTION_WORDS = ("who", "whom", "whose", "what", "which", "when", "where", "why", "how")
GOLD_WORDS, PIECES, WINDOWS = (1, 2, 3, 5, 9), (0, 100, 150, 200, 300, 500), (1, 2, 3, 5)


def question_word(question: str) -> str:
    """The first question word of a question, "how many" and "how much" as one; "other" without."""
    words = [word.strip(".,;:!?\"'()").lower() for word in question.split()]
    for k, word in enumerate(words):
        if word in QUESTION_WORDS:
            counted = word == "how" and words[k + 1 : k + 2] in (["many"], ["much"])
            return "how many" if counted else {"whom": "who"}.get(word, word)
    return "other"


def in_bins(value: int, edges: Sequence[int], unit: str) -> str:
    """The bin of a count; edges (1, 2, 4) give "1 word", "2 to 3 words" and "4 words or more"."""
    at = int(np.digitize(value, edges)) - 1
    low, high = edges[at], edges[at + 1] - 1 if at + 1 < len(edges) else None
    if high is None:
        return f"{low} {unit}s or more"
    return f"{low} {unit}{'s' * (low != 1)}" if low == high else f"{low} to {high} {unit}s"


def _looks(row: Row) -> str | None:
    gold = next((a for a in row["gold"] if a["char_start"] >= 0), None)
    return gold and looks_like(gold["text"], gold["char_start"], row["context"])


def _gold_words(row: Row) -> str | None:
    counts = [len(normalize(a["text"]).split()) for a in row["gold"]]
    return in_bins(max(1, min(counts)), GOLD_WORDS, "word") if counts else None


def _bins(field: str, edges: Sequence[int], unit: str) -> Callable[[Row], str | None]:
    return lambda row: in_bins(row[field], edges, unit) if row[field] else None


SLICES: dict[str, tuple[Callable[[Row], str | None], Sequence[str]]] = {
    "question word": (lambda row: question_word(row["question"]), ()),
    "right answer looks like": (_looks, LOOKS),
    "right answer": (_gold_words, [in_bins(k, GOLD_WORDS, "word") for k in GOLD_WORDS]),
    "paragraph": (_bins("tokens", PIECES, "piece"), [in_bins(k, PIECES, "piece") for k in PIECES]),
    "read in": (
        _bins("windows", WINDOWS, "window"),
        [in_bins(k, WINDOWS, "window") for k in WINDOWS],
    ),
}
"""A rule, and the order of its names where they have one."""


def groups(rows: Sequence[Row]) -> list[tuple[str, list[tuple[str, list[int]]]]]:
    """Each slice of at least two groups of FEWEST questions: its title, and its groups with their
    questions. A file's own columns are slices too.
    """
    columns = dict.fromkeys(name for row in rows for name in row["columns"])
    each = {title: (rule, order) for title, (rule, order) in SLICES.items()}
    each |= {name: (lambda row, name=name: row["columns"].get(name), ()) for name in columns}
    found = []
    for title, (rule, order) in each.items():
        names = [rule(row) for row in rows]
        counts = Counter(name for name in names if name is not None)
        kept = [name for name, n in counts.most_common(MOST) if n >= FEWEST]
        kept.sort(key=lambda name: order.index(name) if order else 0)
        if len(kept) > 1:
            at = {name: [k for k, n in enumerate(names) if n == name] for name in kept}
            found.append((title, list(at.items())))
    return found


# ---- the forest


class GroupRow(NamedTuple):
    """A line of the forest: a slice's title, or a group with its questions."""

    name: str
    y: float
    mask: Bools | None


def by_group(s: Shown) -> Blocks:
    """Groups as a forest plot, answerable and unanswerable apart."""
    found = groups(s.sides[0].rows)
    each = [(part, panel(found, part)) for part in s.parts[1:] or s.parts]
    panels = [(part, rows) for part, rows in each if rows]
    if not panels:
        return []
    figure = forest(panels)
    for j, side in enumerate(s.sides):
        of: dict[str, Block] = {f"{m}/{k}": {} for m in METRICS for k in range(len(side.frames))}
        for p, (_, rows) in enumerate(panels):
            masks = [row.mask for row in rows if row.mask is not None]
            up, trace = offsets(s, -0.17)[j], len(figure["data"])
            for metric in METRICS:
                scores = side.scores(metric)
                means = [s.draws.mean(scores, mask) for mask in masks]
                whole = Interval(*(np.stack(x) for x in zip(*means, strict=True)))
                for k in range(len(side.frames)):
                    at = of[f"{metric}/{k}"]
                    at |= {f"data.{trace}.{name}": v for name, v in spread(whole, k).items()}
                if metric == "f1":
                    first = spread(whole, side.at("run"))
            y = [row.y + up for row in rows if row.mask is not None]
            axes = {"xaxis": f"x{p + 1}", "yaxis": f"y{p + 1}"} if p else {}
            figure["data"].append(dots(side.role, y, first, **axes))
        figure = patched(figure, ["metric", side.key], of)
    idea = f"Groups of at least {FEWEST} questions. "
    if len(s.parts) > 1:
        idea += "Questions with and without an answer stand apart, since groups hold unlike shares."
    return [*head("groups", "Groups", idea), readers(s, "groups"), figure]


def forest(panels: Sequence[tuple[Portion, list[GroupRow]]]) -> Block:
    """The forest's axes without dots: panels side by side, on a phone one below the other."""
    sizes = [rows[-1].y + 1.6 for _, rows in panels]
    most, whole = max(sizes), sum(sizes)
    layout: Block = {"height": int(80 + 23 * most), "margin": {"l": 8, "r": 12, "t": 28, "b": 46}}
    layout["annotations"] = []
    narrow: Block = {"height": int(140 + 23 * whole)}
    top = 1.0
    for p, (part, rows) in enumerate(panels):
        n = str(p + 1) if p else ""
        left, right = (p + 0.36) / len(panels), (p + 1) / len(panels) - 0.02
        across: Block = {"domain": [left, right], "anchor": f"y{n}", "range": [-3, 103]}
        layout[f"xaxis{n}"] = ui.axis("percent", dtick=20, **across)
        ticks = {"tickvals": [r.y for r in rows], "ticktext": [r.name for r in rows]}
        down: Block = {"range": [most - 0.6, -0.6], "anchor": f"x{n}", "showgrid": False}
        layout[f"yaxis{n}"] = ui.axis(**down, **ticks)
        title = ui.note(f"<b>{part.name}</b>", left, 1, xref="paper", yref="paper", yshift=18)
        layout["annotations"].append(title | {"xanchor": "left"})
        bottom = top - 0.84 * sizes[p] / whole
        narrow |= {f"xaxis{n}.domain": [0.44, 0.98], f"yaxis{n}.domain": [bottom, top]}
        narrow |= {f"yaxis{n}.range": [sizes[p] - 0.6, -0.6], f"xaxis{n}.dtick": 50}
        narrow |= {f"annotations.{p}.x": 0.44, f"annotations.{p}.y": top}
        top = bottom - 0.16
    alt = "Scores of groups of questions, with and without an answer apart."
    return ui.figure("groups-figure", [], layout, alt, narrow=narrow)


def panel(found: Sequence[Any], part: Portion) -> list[GroupRow]:
    """Lines from the top: of each slice its title, then its groups of enough questions."""
    rows: list[GroupRow] = []
    for title, each in found:
        inside = []
        for name, at in each:
            mask = np.zeros(len(part.mask), dtype=bool)
            mask[at] = True
            if (mask & part.mask).sum() >= FEWEST:
                inside.append((name, mask & part.mask))
        if len(inside) > 1:
            y = rows[-1].y + 1.4 if rows else 0.0
            rows.append(GroupRow(f"<b>{short(title, 26)}</b>", y, None))
            rows += [
                GroupRow(f"{short(name, 22)} · {mask.sum():,}", y + k, mask)
                for k, (name, mask) in enumerate(inside, 1)
            ]
    return rows


# ---- reliability


def reliability(s: Shown) -> Blocks:
    """How often the best span was right by how sure the reader was."""
    every = [row for side in s.sides for row in side.rows]
    name = next(n for n in CLAIMS if n == "in_window" or any(row[n] is not None for row in every))
    data: list[Block] = []
    said: list[Part] = []
    for side in s.sides:
        sure = np.array([np.nan if r[name] is None else r[name] for r in side.rows], dtype=float)
        mask = np.isfinite(sure) & (side.trade.answerable | (name == "claim"))
        if mask.sum() < FEWEST:
            continue
        right = (side.trade.answerable & (side.trade.exact == 1)).astype(float)
        table = calibration(sure[mask].tolist(), right[mask].tolist())
        data.append(dots_by_tenth(s, side, np.where(mask, sure, np.nan), right, table))
        mean, share = 100 * sure[mask].mean(), 100 * right[mask].mean()
        words = f" said {mean:.0f} % on average and was right in {share:.0f} %; by tenths it is "
        said += [
            [side.name, STRONG],
            f"{words}off by {100 * calibration_error(table):.1f} points. ",
        ]
    if not data:
        return []
    even = {"type": "scatter", "mode": "lines", "x": [0, 100], "y": [0, 100], "hoverinfo": "skip"}
    data.append(even | {"line": {"color": GREY, "width": 1.5, "dash": "dot"}})
    layout: Block = {"height": 380, "margin": {"l": 52, "r": 14, "t": 8, "b": 48}}
    layout["xaxis"] = ui.axis("how sure the reader said it was, %", range=[-2, 102], dtick=20)
    layout["yaxis"] = ui.axis("best span exactly right, %", range=[-3, 103], dtick=20)
    of = "all questions" if name == "claim" else "questions with an answer"
    idea = f"By {CLAIMS[name]}, on {of}. It speaks of the best span, given or withheld, so no "
    alt = "Share of right best spans by how sure the reader was; on the dotted line it came true."
    even_key = ("dash", GREY, "right as often as it says")
    return [
        *head("reliability", "How sure, how right", f"{idea}threshold changes it."),
        ui.sentence("reliable", "finding", *said),
        readers(s, "reliability"),
        ui.legend("even", even_key, ("text", INK, "larger dots: more questions")),
        ui.figure("bins", data, layout, alt, narrow={"height": 300}),
    ]


def dots_by_tenth(
    s: Shown, side: Side, sure: Floats, right: Floats, table: Sequence[CalibrationBin]
) -> Block:
    """A dot for each tenth of sureness with its interval, larger for more questions."""
    bins = np.where(np.isfinite(sure), np.minimum(np.nan_to_num(sure) * 10, 9), -1).astype(int)
    found = joined([s.draws.mean(100 * right, bins == round(10 * b.low)) for b in table])
    most, said = max(b.count for b in table), []
    for b in table:
        shares = f"said {100 * b.mean_prob:.0f} %, right {100 * b.accuracy:.0f} %"
        said.append(f"{short(side.name)}: {plural(b.count, 'question')}, {shares}")
    size = [round(7 + 15 * math.sqrt(b.count / most), 1) for b in table]
    made = dots(side.role, plain(found.value), spread(found), hoverinfo="text", hovertext=said)
    made |= {"x": [round(100 * b.mean_prob, 1) for b in table], "error_y": made.pop("error_x")}
    made |= {"mode": "lines+markers", "line": {"color": side.role, "width": 1}}
    return {**made, "marker": {"color": side.role, "size": size}}
