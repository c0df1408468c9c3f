"""The report on one reader's lines, or on two readers': one HTML file that opens without a network,
made of blocks and drawn by the page's own renderer. Here its first sections: verdict and threshold.
"""

from pathlib import Path
from typing import Any

import numpy as np
import orjson

from qa_demo import blocks as ui
from qa_demo.blocks import GREY, INK, MID, Block
from qa_demo.bundle import one_file, plotly_file, script, style
from qa_demo.evaluation.compare import LEAST, Lines, more_articles
from qa_demo.evaluation.drawn import (
    METRICS,
    MODES,
    Blocks,
    Shown,
    Side,
    bars,
    head,
    joined,
    limit_of,
    offsets,
    plain,
    points,
    readers,
    short,
    shown_of,
    switch,
    varied,
    words,
)
from qa_demo.evaluation.errors import failures, kinds, leads
from qa_demo.evaluation.groups import by_group, reliability
from qa_demo.evaluation.run import Evaluation
from qa_demo.files import write_file
from qa_demo.printed import STRONG, Part, number, plural

PAGE = "http://127.0.0.1:7860/"
MODULES = ("dom", "controls", "table", "text", "figure", "render", "report")


def write_report(path: Path, first: Lines, second: Lines | None, page: str | None) -> None:
    """Write the page of one or two readers' lines. Errors: BadInput where two files share no
    question, or where it cannot be written.
    """
    write_file(path, page_of(shown_of(first, second, page or PAGE)))


def report(
    found: Evaluation,
    path: str | Path = "report.html",
    against: Evaluation | None = None,
    *,
    page: str = PAGE,
) -> None:
    """Write the page of one or two evaluations (`qa_demo.evaluate`). Errors: BadInput."""
    other = None if against is None else (against.rows, against.run)
    write_report(Path(path), (found.rows, found.run), other, page)


def page_of(s: Shown) -> str:
    """The file's text."""
    names = " against ".join(side.name for side in s.sides)
    made = [ui.sentence("title", "heading", names), ui.sentence("asked", "closing", asked(s))]
    for section in (verdict, threshold, kinds, by_group, reliability, failures):
        made += [block for block in section(s) if block is not None]
    limits = {side.key: side.thresholds for side in s.sides}
    data = {"blocks": made, "start": s.start, "thresholds": limits, "tables": leads(s)}
    packed = orjson.dumps(data, option=orjson.OPT_SERIALIZE_NUMPY).decode()
    scripts = [plotly_file().decode(), script(saved=True, modules=MODULES)]
    return one_file(f"Report: {names}", "report", packed, scripts, style(saved=True))


def asked(s: Shown) -> str:
    """What was asked, by which rules and when."""
    run, rows = s.sides[0].run, s.sides[0].rows
    parts = [f"{plural(int(mask.sum()), 'question')} {name}" for name, mask in s.parts.items()]
    said = ", ".join(parts[1:]) or plural(len(rows), "question")
    said += f" from {plural(s.draws.count, s.drawn[:-1])} of {run.get('file', 'rows')}"
    return f"{said}, scored by the rules of SQuAD {run['rules']}."


# ---- the verdict


def verdict(s: Shown) -> Blocks:
    """In words, then both readers as dots with intervals, and their difference."""
    few = f"The file holds {plural(s.draws.count, s.drawn[:-1])}"
    intervals = f"Bars: 95 % intervals from drawing whole {s.drawn}. {few}."
    if s.draws.count < LEAST:
        intervals = f"{few}: fewer than {LEAST} say nothing of others, so there is no interval."
    set_by = ("mode", "metric")

    def said(mode: str, metric: str) -> Block:
        return ui.sentence("verdict", "idea", *verdict_words(s, mode, metric))

    at = {m: {side.key: side.at(m) for side in s.sides} for m in s.values["mode"]}
    modes = {m: (MODES[m], {"mode": m, **at[m]}) for m in at}
    metrics = {m: (name, {"metric": m}) for m, name in METRICS.items()}
    dots = len(s.sides) > 1 or len(s.parts) > 1
    return [
        varied(s, said, set_by),
        switch(s, "metric", "Score", metrics, 6),
        switch(s, "mode", "Threshold", modes, 6),
        *(ui.sentence(f"differs-{k}", "note", f"{x}.") for k, x in enumerate(s.differs)),
        readers(s, "verdict"),
        varied(s, lambda **at: score_figure(s, **at), set_by) if dots else None,
        ui.sentence("intervals", "closing", intervals),
    ]


def how(s: Shown, mode: str) -> str:
    """How answers are withheld in a mode."""
    if mode == "fitted":
        return "each half of the articles by the threshold that is best on the other half"
    limits = [side.best if mode == "best" else side.own for side in s.sides]
    if None in limits:
        return "no answer is ever withheld"
    said = [number(limit or 0.0) for limit in limits]
    if mode == "run":
        said = [
            f"{x} ({side.run['threshold_from']})" for x, side in zip(said, s.sides, strict=True)
        ]
    thresholds = f"threshold{'s' * (len(said) > 1)}"
    if mode == "run":
        return f"{thresholds} as run: {' and '.join(said)}"
    return f"{thresholds} {' and '.join(said)}, best on these very questions: an upper bound"


def verdict_words(s: Shown, mode: str, metric: str) -> list[Part]:
    """Which reader is better, whether that can be told, and what would tell it."""
    values = [side.scores[metric][side.at(mode)] for side in s.sides]
    each = [
        f"{side.name} {words(s.draws.mean(v))}" for side, v in zip(s.sides, values, strict=True)
    ]
    count, units = len(values[0]), s.drawn
    asked = f" {METRICS[metric]} on {plural(count, 'question')}; {how(s, mode)}."
    if len(s.sides) == 1:
        return [[each[0], STRONG], asked]
    gap = s.draws.mean(values[0] - values[1])
    value, low, high = (float(x[0]) for x in gap)
    better = s.sides[0] if value >= 0 else s.sides[1]
    numbers = f"{', '.join(each)}{asked} "
    differ = f"Difference {words(gap, sign=True)}. "
    if s.draws.count < LEAST:
        few = plural(s.draws.count, units[:-1])
        end = f"Here {better.name} scores {number(abs(value), 1)} points more; whether it would "
        end += f"on other {units} cannot be told from fewer than {LEAST}."
        return [[f"No verdict from {few}. ", STRONG], numbers, end]
    if s.draws.told(values[0] - values[1]):
        return [[f"{better.name} is better. ", STRONG], numbers, differ]
    more = more_articles(value, low, high, s.draws.count)
    end = "So small a difference would need more questions than anybody asks."
    if more:
        asks = number(more * count / s.draws.count, 0)
        end = f"Were it to stay as large, some {asks} more questions from "
        end += f"{plural(more, f'other {units[:-1]}')} would tell them apart."
    return [["The two cannot be told apart. ", STRONG], numbers, differ, end]


def score_figure(s: Shown, mode: str, metric: str) -> Block:
    """A row for all questions, those with and those without an answer; left the scores, right the
    differences.
    """
    values = [side.scores[metric][side.at(mode)] for side in s.sides]
    at = [float(len(s.parts) - k) for k in range(len(s.parts))]
    two, title = len(s.sides) == 2, f"{METRICS[metric]}, %"
    data, said = [], []

    def dots(name: str, role: str, up: float, scores: Any, **more: Any) -> None:
        """Dots with their numbers above them, the whole interval under the pointer."""
        found = [s.draws.mean(scores, mask) for mask in s.parts.values()]
        each = [words(x, sign=bool(more)) for x in found]
        text = {"text": [x.partition(" ")[0] for x in each], "textfont": {"color": role}}
        text |= {"textposition": "top center", "hovertext": each, "cliponaxis": False}
        every = joined(found)
        made = points(role, plain(every.value), [y + up for y in at], **text, **more)
        data.append({**made, "mode": "markers+text", "error_x": bars(role, every)})
        said.append(f"{name} {each[0]}")

    for side, scores, up in zip(s.sides, values, offsets(s, 0.16), strict=True):
        dots(side.name, side.role, up, scores)
    layout: Block = {"height": 64 + 72 * len(at), "margin": {"l": 118, "r": 16, "t": 10, "b": 48}}
    layout["xaxis"] = ui.axis(title, domain=[0, 0.58 if two else 1])
    ticks = {"tickvals": at, "ticktext": [*s.parts], "showgrid": False}
    layout["yaxis"] = ui.axis(range=[0.5, len(at) + 0.6], **ticks)
    narrow = {"margin.l": 106, "xaxis.nticks": 3}
    if two:
        dots("difference", INK, 0.0, values[0] - values[1], xaxis="x2")
        minus = f"{short(s.sides[0].name, 16)} minus {short(s.sides[1].name, 16)}, points"
        layout["xaxis2"] = ui.axis(minus, domain=[0.66, 1], anchor="y")
        layout["shapes"] = [ui.line(0, 0, 0, 1, GREY, xref="x2", yref="paper", dash="dot")]
        narrow |= {"xaxis2.nticks": 3, "xaxis2.title.text": "difference"}
    return ui.figure("scores", data, layout, f"{METRICS[metric]}: {'; '.join(said)}", narrow=narrow)


# ---- the threshold


def threshold(s: Shown) -> Blocks:
    """Scores over the threshold, the equally good ones, and the sliders that drive all below."""
    if not all(side.steers for side in s.sides):
        return []
    idea = "An answer is withheld where “no answer” leads it by more than the threshold. "
    idea += "The sliders set what all sections below show."
    styles = [("line", GREY, "all questions"), ("dash", GREY, "with an answer")]
    marks = [("line", MID, "without one (thin)"), ("ring", INK, "as run"), ("diamond", INK, "best")]
    good = [("fill", MID, "equally good")] if s.draws.count >= LEAST else []

    def said(metric: str) -> Block:
        each = [part for side in s.sides for part in band_words(s, side, metric)]
        return ui.sentence("band", "finding", *each)

    curves = {metric: curve_figure(s, metric) for metric in METRICS}

    def curve(metric: str, **frames: int) -> Block:
        at = [(side.role, limit_of(side, frames[side.key])) for side in s.sides]
        style = {"yref": "paper", "dash": "dot", "width": 2}
        lines = [ui.line(x, x, 0, 1, role, **style) for role, x in at]
        return curves[metric] | {"overlay": {"shapes": lines, "annotations": []}}

    def slider(side: Side) -> Block:
        return varied(s, lambda metric, **at: slide(s, side, metric, **at), ["metric"], [side.key])

    return [
        *head("threshold", "Threshold", idea),
        varied(s, said, ["metric"]),
        readers(s, "threshold"),
        ui.legend("curves", *styles, *marks, *good),
        varied(s, curve, ["metric"], s.values["who"]),
        *map(slider, s.sides),
    ]


def band(s: Shown, side: Side, metric: str) -> tuple[float, float] | None:
    """The thresholds whose loss against the best one holds 0 in its interval."""
    if s.draws.count < LEAST:
        return None
    scores = side.scores[metric][: len(side.thresholds)]
    best = int(scores.mean(axis=1).argmax())
    fine = np.flatnonzero(s.draws.mean(scores - scores[best]).high >= -1e-9)
    return float(side.thresholds[fine[0]] or 0.0), float(side.thresholds[fine[-1]] or 0.0)


def band_words(s: Shown, side: Side, metric: str) -> list[Part]:
    """Where a reader's best threshold is, and which are as good."""
    scores = side.scores[metric].mean(axis=1)
    at, best = side.at("run"), int(scores[: len(side.thresholds)].argmax())
    found, name = band(s, side, metric), METRICS[metric]
    said = f": best at {number(side.thresholds[best])} ({name} {number(scores[best], 1)}; as run, "
    said += f"at {number(side.own)}, {number(scores[at], 1)})"
    if found:
        said += f"; {number(found[0])} to {number(found[1])} cannot be told from it"
    return [[side.name, STRONG], f"{said}. "]


def curve_figure(s: Shown, metric: str) -> Block:
    """Total, answerable and unanswerable score of each reader over the threshold."""
    data: list[Block] = []
    shapes = []
    for k, side in enumerate(s.sides):
        scores, x = side.scores[metric][: len(side.thresholds)], plain(np.array(side.thresholds))
        found = band(s, side, metric)
        if found:
            box = {"type": "rect", "x0": found[0], "x1": found[1], "yref": "paper", "opacity": 0.35}
            box |= {"y0": 0.03 * k, "y1": 0.03 * k + 0.025, "line": {"width": 0}}
            shapes.append(box | {"fillcolor": side.role})
        for (name, mask), dash, width in zip(
            s.parts.items(), ("solid", "dash", "solid"), (3, 1.5, 1), strict=True
        ):
            y = plain(scores[:, mask].mean(axis=1))
            said = [
                f"{short(side.name)}, {name}: {v:.1f} at {t:.2f}" for t, v in zip(x, y, strict=True)
            ]
            line = {"color": side.role, "dash": dash, "width": width}
            data.append(points(side.role, x, y, mode="lines", line=line, hovertext=said))
        total = plain(scores.mean(axis=1))
        for at, symbol in ((side.at("run"), "circle-open"), (int(np.argmax(total)), "diamond")):
            marker = {"size": 12, "symbol": symbol, "line": {"width": 2}}
            data.append(
                points(side.role, [x[at]], [total[at]], marker=marker) | {"hoverinfo": "skip"}
            )
    finite = np.concatenate([side.trade.cuts for side in s.sides])
    low, high = (float(x) for x in np.percentile(finite, [2, 98]))
    layout: Block = {"height": 360, "margin": {"l": 52, "r": 14, "t": 8, "b": 48}, "shapes": shapes}
    title = "threshold, logits: more is withheld on the left"
    layout["xaxis"] = ui.axis(title, range=[low, high], showgrid=False)
    layout["yaxis"] = ui.axis(f"{METRICS[metric]}, %", range=[0, 101])
    narrow = {"height": 300, "xaxis.title.text": "threshold, logits"}
    alt = f"{METRICS[metric]} over the threshold; the findings above name the best ones."
    return ui.figure("curves-figure", data, layout, alt, narrow=narrow)


def slide(s: Shown, side: Side, metric: str, **frames: int) -> Block:
    """The slider of one reader, with the scores where it stands; it stops at `Side.frames`."""
    at, limits = frames[side.key], side.thresholds
    means = {name: side.scores[metric][at, mask].mean() for name, mask in s.parts.items()}
    said = ", ".join(f"{number(mean, 1)} {name}" for name, mean in means.items())
    fitted = "each half by the other's threshold: " if at == len(limits) else ""
    low, high, now = (round(limits[k] or 0.0, 2) for k in (0, -1, min(at, len(limits) - 1)))
    label, says = f"Threshold of {side.name[:24]}", f"{fitted}{METRICS[metric]} {said}"
    field, key = f"at.{side.key}", f"slide-{side.key}"
    return ui.slider(key, field, label, low, high, 0.01, now, span=12, says=says)
