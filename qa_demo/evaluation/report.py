"""The report on one reader's lines, or on two readers': one HTML file that opens without a network,
made of blocks and drawn by the page's own renderer. Here its first sections: verdict, threshold,
kinds of error.
"""

import base64
import gzip
import re
from functools import lru_cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from qa_demo import blocks as ui
from qa_demo.blocks import GREY, INK, MID, Block
from qa_demo.bundle import one_file, script
from qa_demo.core.base import BadInput
from qa_demo.evaluation import reported
from qa_demo.evaluation.compare import LEAST, Interval, more_units
from qa_demo.evaluation.lines import MEANING, Evaluation
from qa_demo.evaluation.reported import METRICS, PERCENTS, Reported, Side
from qa_demo.evaluation.sections import by_group, failures, opened, reliability
from qa_demo.files import write_file
from qa_demo.printed import STRONG, Part, adds, number, plural

PAGE = "http://127.0.0.1:7860/"
ADDRESS = r"https?://([\w.-]+|\[[\da-f:]+\])(:\d+)?(/[^\s#]*)?"
FINEST = 500
"""So many thresholds at most are asked whether they can be told from the best one."""
MODULES = ("dom", "controls", "table", "text", "figure", "render", "report")


def report(
    found: Evaluation,
    path: str | Path = "report.html",
    against: Evaluation | None = None,
    *,
    page: str = PAGE,
) -> None:
    """Write the page of the lines of one reader or two; `page` is where its links lead. Errors:
    BadInput where two share no question, where `page` is no address, or it cannot be written.
    """
    if not re.fullmatch(ADDRESS, page, re.IGNORECASE):
        raise BadInput(f"page must be an address such as {PAGE}, got {page[:80]!r}")
    write_file(Path(path), page_of(Reported(found, against, page)))


def page_of(s: Reported) -> str:
    """The file's text: each section's blocks in each state of what it shows; the browser picks and
    computes no number. Equal blocks are held once, and called by their place; so is what stands
    under an overlay, which alone differs from threshold to threshold.
    """
    held, values = dict[bytes, int](), s.values

    def kept(block: Block) -> int:
        if "overlay" in block:
            under = kept({name: x for name, x in block.items() if name != "overlay"})
            block = {"under": under, "overlay": block["overlay"]}
        inner = {"blocks": [*map(kept, block["blocks"])]} if "blocks" in block else {}
        text = orjson.dumps(block | inner, option=orjson.OPT_SERIALIZE_NUMPY)
        return held.setdefault(text, len(held))

    sections = []
    for make, *by in SECTIONS:
        states = product(*(values[name] for name in by))
        of = {"/".join(state): [*map(kept, make(s, *state))] for state in states}
        sections.append({"by": by, "of": of})
    start = {name: each[0] for name, each in values.items()}
    data = {"sections": sections, "start": start, "blocks": [*map(orjson.Fragment, held)]}
    packed = base64.b64encode(gzip.compress(orjson.dumps(data), mtime=0)).decode()
    return one_file(f"Report: {s.name}", "report", packed, script(saved=True, modules=MODULES))


def title(s: Reported) -> list[Block]:
    """Who was asked what."""
    run, whole = s.sides[0].run, plural(len(s.sides[0].rows), "question")
    parts = [f"{plural(int(mask.sum()), 'question')} {name}" for name, mask in s.parts.items()]
    asked = f"{', '.join(parts[1:]) or whole} from {s.units} of {run.get('file', 'rows')}, "
    asked += f"scored by the rules of SQuAD {run['rules']}."
    if not all("scores" in side.run for side in s.sides):
        asked += " A run was stopped before its end: only what it had asked is here."
    return [ui.sentence("title", "heading", s.name), ui.sentence("asked", "closing", asked)]


# ---- the verdict


def verdict(s: Reported, metric: str, mode: str) -> list[Block]:
    """In words, then both readers as dots with intervals, and their difference."""
    modes = [(s.modes[m], {"mode": m, "at": m}, m == mode) for m in s.values["mode"]]
    metrics = [(name, {"metric": m}, m == metric) for m, name in METRICS.items()]
    intervals = f"95 % intervals over {s.units.called}s; none where fewer than {LEAST} hold such "
    said, legend = list[str](), list[tuple[str, str, str]]()
    if len(s.sides) == 2:
        legend = [("dot", INK, "difference: {} − {}".format(*(side.name for side in s.sides)))]
        gaps = {s.modes[m]: difference(s, metric, m) for m in s.values["mode"] if m != mode}
        said = [f"{name} {reported.in_words(gap, sign=True)[0]}" for name, gap in gaps.items()]
    others = f"The difference by other thresholds: {'; '.join(said)}."
    return [
        ui.sentence("verdict", "idea", *verdict_words(s, metric, mode)),
        *([ui.sentence("others", "note", others)] if said else []),
        ui.choice("metric", "Score", metrics, 4),
        *([ui.choice("mode", "Threshold", modes, 8)] if len(modes) > 1 else []),
        *(ui.sentence(f"differs-{k}", "note", f"{x}.") for k, x in enumerate(s.differs)),
        *reported.readers(s, "verdict", *legend),
        *score_figures(s, metric, mode),
        ui.sentence("bars", "closing", f"In brackets and as bars: {intervals}questions."),
    ]


def verdict_words(s: Reported, metric: str, mode: str) -> list[Part]:
    """Which reader is better, whether that can be told, and what would tell it."""
    mean, names = s.units.mean, [side.name for side in s.sides]
    means = mean([x.scores(metric, mode) for x in s.sides], 0.0)
    each = [" ".join(both) for both in zip(names, reported.in_words(means), strict=True)]
    at = " and ".join(number(x) for side in s.sides for x in side.place(mode))
    how = f"{'threshold' if len(each) == 1 else 'thresholds'} {s.modes[mode]}"
    how += f": {at}" if at else ""
    if never := [side.name for side in s.sides if side.limits["run"] is None]:
        one = f"{how}; {never[0]} withholds no answer"
        how = one if len(never) < len(each) else "no answer is ever withheld"
    asked = f" {METRICS[metric]} on {plural(len(s.sides[0].rows), 'question')}; {how}. "
    if len(each) == 1:
        return [[each[0], STRONG], asked]
    gap = difference(s, metric, mode)
    value, low, high = (float(x[0]) for x in gap)
    about = adds(means.value * [1, -1], value, 1).strip("=")
    numbers = f"{', '.join(each)}{asked}Difference {about}{reported.in_words(gap, sign=True)[0]}. "
    if s.units.count < LEAST:
        return [[f"No verdict from {s.units}. ", STRONG], numbers]
    if gap.clear:
        return [[f"{names[0] if value > 0 else names[1]} is better. ", STRONG], numbers]
    end = "It is too small to be told apart by more questions."
    if more := more_units(value, low, high, s.units.count):
        asks = number(float(f"{more * len(s.sides[0].rows) / s.units.count:.2g}"), 0)
        end = f"Were it to stay as large, some {asks} more questions from "
        end += f"{plural(more, f'other {s.units.called}')} would tell them apart."
    return [["The two cannot be told apart. ", STRONG], numbers, end]


def difference(s: Reported, metric: str, mode: str) -> Interval:
    """The first reader's mean less the second's."""
    return s.units.mean(np.subtract(*(x.scores(metric, mode) for x in s.sides)))


def score_figures(s: Reported, metric: str, mode: str) -> list[Block]:
    """A row for all questions, those with and those without an answer; left the scores, right the
    differences.
    """
    values = [side.scores(metric, mode) for side in s.sides]
    if len(values) + len(s.parts) == 2:
        return []

    def dots(role: str, up: int, scores: Any, **sign: bool) -> Block:
        """Dots with their numbers, the whole interval under the pointer."""
        found = s.means(scores, [*s.parts.values()], -100.0 if sign else 0.0)
        each, ys = reported.in_words(found, **sign), [k - 0.2 * up for k in range(len(s.parts))]
        text = {"text": [x.partition(" ")[0] for x in each], "textfont": {"color": role}}
        text |= {"mode": "markers+text", "cliponaxis": False, "hovertext": each}
        text["textposition"] = "bottom center" if up < 0 else "top center"
        return reported.dots(role, found, ys, **text)

    each = [dots(x.role, x.up, v) for x, v in zip(s.sides, values, strict=True)]
    panels = {"scores": (ui.axis(f"{METRICS[metric]}, %"), each)}
    if len(s.sides) == 2:
        axis = ui.axis("difference, points", zeroline=True, zerolinecolor=GREY)
        panels["differences"] = axis, [dots(INK, 0, values[0] - values[1], sign=True)]
    alt = f"{METRICS[metric]} of each reader and their difference, as the sentence above says."
    rows, span = partial(reported.rows, [*s.parts], 66), 12 // len(panels)
    return [ui.figure(k, data, rows(x), alt, span=span) for k, (x, data) in panels.items()]


# ---- the threshold


def threshold(s: Reported, metric: str, at: str) -> list[Block]:
    """The curves, and the slider that drives all below with what each reader scores there."""
    if "best" not in s.values["mode"]:
        return []
    said, given = [], s.sides[0].table.answered(s.sides[0].limits[at])
    for side in s.sides:
        scores = side.scores(metric, at)
        each = [f"{number(scores[mask].mean(), 1)} {name}" for name, mask in s.parts.items()]
        where = "".join(f" at {number(x)}" for x in side.place(at)) or ", each half by the other's"
        said.append(f"{side.name}{where}: {METRICS[metric]} {', '.join(each)}")
    now = PERCENTS[round((~given).mean() * (len(PERCENTS) - 1))]  # the nearest stop
    label, scale = "Questions left without an answer, %", (0, 100, PERCENTS.step)
    says, lines = "; ".join(said), {"shapes": reported.thresholds(s, at), "annotations": []}
    slider = ui.slider("slide", "at", label, scale, now, span=12, says=says, flip=True)
    *above, figure = curves(s, metric)
    return [*above, figure | {"overlay": lines}, slider]


@lru_cache(maxsize=8)
def curves(s: Reported, metric: str) -> list[Block]:
    """Total, answerable and unanswerable score of each reader over the threshold, and the band of
    thresholds whose loss against the best one holds 0 in its interval.
    """
    data, shapes, said = [], list[Block](), list[Part]()
    styles = (("solid", 3), ("dash", 1.5), ("solid", 1))
    for k, side in enumerate(s.sides):
        names, best = [str(p) for p in PERCENTS][::-1], side.table.best(metric)
        limits, run = np.array([side.limits[name] for name in names]), side.scores(metric, "run")
        scores = np.stack([side.scores(metric, name) for name in names])
        most = side.table.scores(best, metric)
        for (part, mask), (dash, width) in zip(s.parts.items(), styles, strict=True):
            x, y = reported.short(limits), reported.short(scores[:, mask].mean(axis=1))
            line = {"color": side.role, "dash": dash, "width": width}
            data.append(ui.scatter("lines", x, y, line=line, name=part, hoverinfo="x+y+name"))
        found = f": best at {number(best)} ({METRICS[metric]} {number(most.mean(), 1)}; "
        found += f"{side.own}, at {number(side.limits['run'])}, {number(run.mean(), 1)})"
        cuts = side.table.cuts[np.linspace(0, len(side.table.cuts) - 1, FINEST, dtype=int)]
        lost = s.units.mean([side.table.scores(x, metric) - most for x in cuts])
        good = cuts[lost.high >= -1e-9].tolist()
        if good:
            low, high = min(best, *good), max(best, *good)
            found += f"; {number(low)} to {number(high)} cannot be told from it"
            sides = low, high, 0.03 * k, 0.03 * k + 0.025
            shapes.append(ui.rect(*sides, side.role, yref="paper", opacity=0.35))
        said += [[side.name, STRONG], f"{found}. "]
    middle = np.percentile(np.concatenate([x.table.cuts for x in s.sides]), [2, 98])
    ends = (middle + [-0.1, 0.1]).tolist()  # of equal leads too
    axes = {"yaxis": ui.axis(f"{METRICS[metric]}, %", range=[0, 101]), "shapes": shapes}
    axes["xaxis"] = ui.axis("threshold, logits: left, more withheld", range=ends, showgrid=False)
    alt = f"{METRICS[metric]} over the threshold; the finding above names the best ones."
    idea = "An answer is withheld where “no answer” leads it by more than the threshold. "
    idea += "The slider sets what all sections below show."
    key = [("line", GREY, "all questions"), ("dash", GREY, "with an answer")]
    key += [("line", MID, "without one (thin)"), ("fill", MID, "equally good")]
    return [
        *reported.head(s, "threshold", "Threshold", idea),
        ui.sentence("band", "finding", *said),
        ui.legend("curves", *(key if shapes else key[:3])),
        ui.figure("curves-figure", data, ui.layout(340, 52, 14, 8, 48, **axes), alt),
    ]


# ---- kinds of error

ERRORS = [name for name in MEANING if name != "right"]


def kinds(s: Reported, at: str) -> list[Block]:
    """Errors by kind, light where another threshold would cure it; the kinds of every threshold."""
    every = [kind_counts(side, name) for side in s.sides for name in s.values["at"]]
    seen = np.flatnonzero(sum(every).any(axis=0))
    if len(seen) * len(s.sides) < 2:  # of one bar nothing is read
        return []
    data = []
    for side in s.sides:
        both = kind_counts(side, at)[:, seen]
        y, width = [k - 0.2 * side.up for k in range(len(seen))], 0.36 if side.up else 0.62
        for x, opacity in zip(both.tolist(), (1.0, 0.35), strict=True):
            marker = {"color": side.role, "opacity": opacity}
            data.append(ui.lying(x, y, width, marker, hoverinfo="x"))
        text = {"text": [str(n) if n else "" for n in both.sum(axis=0)], "cliponaxis": False}
        data[-1] |= text | {"textposition": "outside", "textfont": {"color": INK}}
    names = [ERRORS[k] for k in seen]
    cut = [name.replace(" although", "<br>although") for name in names]
    axis, alt = ui.axis("questions", rangemode="tozero"), "Questions of each kind."
    idea = "Each wrong answer has one kind. Light: the best span is right, or none is wanted, so "
    idea += "another threshold would cure it; it would cost others."
    meaning = [ui.row(name, MEANING[name]) for name in names]
    table = ui.table("kinds-table", [("kind", ""), ("what it means", "")], meaning)
    return [
        *reported.head(s, "kinds", "Kinds of error", idea),
        ui.figure("kinds-figure", data, reported.rows(cut, 44, axis, 40, barmode="stack"), alt),
        ui.fold("kinds-fold", "What each kind means", table),
    ]


@lru_cache(maxsize=256)
def kind_counts(side: Side, at: str) -> Any:
    """[dark, light] wrong answers of each of ERRORS under a threshold, [2, kinds]."""
    kind = np.array([row["best"]["kind"] for row in side.rows], dtype=object)
    gold, right, spans = side.table.answerable, side.table.exact == 1, side.table.answered(None)
    out = spans & ~side.table.answered(side.limits[at])
    kind[out] = np.where(gold[out], "withheld", "right")
    curable = (side.limits["run"] is not None) & spans & np.where(out, right, ~gold)
    return np.array([[(kind[x] == name).sum() for name in ERRORS] for x in (~curable, curable)])


SECTIONS: tuple[tuple[Any, ...], ...] = (
    (title,),
    (verdict, "metric", "mode"),
    (threshold, "metric", "at"),
    (kinds, "at"),
    (by_group, "metric", "at"),
    (reliability,),
    (failures, "at", "who"),
    (opened, "at", "who", "selection"),
)
"""What each section shows of the state."""
