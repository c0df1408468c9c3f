"""The report on one reader's lines, or on two readers': one HTML file that opens without a network,
made of blocks and drawn by the page's own renderer. Here its first sections: verdict and threshold.
"""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from qa_demo import blocks as ui
from qa_demo.blocks import GREY, INK, MID, Block
from qa_demo.bundle import one_file, plotly_file, script, style
from qa_demo.evaluation import drawn
from qa_demo.evaluation.compare import LEAST, Lines, more_articles
from qa_demo.evaluation.drawn import METRICS, MODES, Blocks, Shown, Side
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
    write_file(path, page_of(drawn.shown_of(first, second, page or PAGE)))


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
    run, whole = s.sides[0].run, plural(len(s.sides[0].rows), "question")
    parts = [f"{plural(int(mask.sum()), 'question')} {name}" for name, mask in s.parts.items()]
    asked = f"{', '.join(parts[1:]) or whole} from {plural(s.draws.count, s.drawn[:-1])} of "
    asked += f"{run.get('file', 'rows')}, scored by the rules of SQuAD {run['rules']}."
    made = [ui.sentence("title", "heading", names), ui.sentence("asked", "closing", asked)]
    for section in (verdict, threshold, kinds, by_group, reliability, failures):
        made += [block for block in section(s) if block is not None]
    limits = {side.key: side.thresholds for side in s.sides}
    data = {"blocks": made, "start": s.start, "thresholds": limits, "tables": leads(s)}
    packed = orjson.dumps(data, option=orjson.OPT_SERIALIZE_NUMPY).decode()
    scripts = [plotly_file().decode(), script(saved=True, modules=MODULES)]
    return one_file(f"Report: {names}", "report", packed, scripts, style(saved=True))


# ---- the verdict


def verdict(s: Shown) -> Blocks:
    """In words, then both readers as dots with intervals, and their difference."""
    few = f"The file holds {plural(s.draws.count, s.drawn[:-1])}"
    intervals = f"Bars: 95 % intervals from drawing whole {s.drawn}. {few}."
    if s.draws.count < LEAST:
        intervals = f"{few}: fewer than {LEAST} say nothing of others, so there is no interval."

    def said(mode: str, metric: str) -> Block:
        return ui.sentence("verdict", "idea", *verdict_words(s, mode, metric))

    def scores(mode: str, metric: str) -> Block:
        return score_figure(s, mode, metric)

    at = {m: {side.key: side.at[m] for side in s.sides} for m in s.values["mode"]}
    modes = {m: (MODES[m], {"mode": m, **at[m]}) for m in at}
    metrics = {m: (name, {"metric": m}) for m, name in METRICS.items()}
    return [
        drawn.varied(s, said, "mode", "metric"),
        drawn.switch(s, "metric", "Score", metrics, 6),
        drawn.switch(s, "mode", "Threshold", modes, 6),
        *(ui.sentence(f"differs-{k}", "note", f"{x}.") for k, x in enumerate(s.differs)),
        drawn.readers(s, "verdict"),
        drawn.varied(s, scores, "mode", "metric") if len(s.sides) + len(s.parts) > 2 else None,
        ui.sentence("intervals", "closing", intervals),
    ]


def how(s: Shown, mode: str) -> str:
    """How answers are withheld in a mode."""
    if mode == "fitted":
        return "each half of the articles by the threshold that is best on the other half"
    if any(side.own is None for side in s.sides):
        return "no answer is ever withheld"
    thresholds = f"threshold{'s' * (len(s.sides) > 1)}"
    if mode == "run":
        each = [f"{number(side.own or 0)} ({side.run['threshold_from']})" for side in s.sides]
        return f"{thresholds} as run: {' and '.join(each)}"
    best = " and ".join(number(side.limit(side.at["best"])) for side in s.sides)
    return f"{thresholds} {best}, best on these very questions: an upper bound"


def verdict_words(s: Shown, mode: str, metric: str) -> list[Part]:
    """Which reader is better, whether that can be told, and what would tell it."""
    values, units = [side.scores[metric][side.at[mode]] for side in s.sides], s.drawn
    means = [drawn.words(s.draws.mean(v)) for v in values]
    each = [f"{side.name} {mean}" for side, mean in zip(s.sides, means, strict=True)]
    asked = f" {METRICS[metric]} on {plural(len(values[0]), 'question')}; {how(s, mode)}."
    if len(s.sides) == 1:
        return [[f"{s.sides[0].name}: {means[0]}", STRONG], asked]
    gap = s.draws.mean(values[0] - values[1])
    value, low, high = (float(x[0]) for x in gap)
    better = s.sides[0] if value >= 0 else s.sides[1]
    numbers = f"{', '.join(each)}{asked} "
    differ = f"Difference {drawn.words(gap, sign=True)}. "
    if s.draws.count < LEAST:
        few = plural(s.draws.count, units[:-1])
        end = f"Here {better.name} scores {number(abs(value), 1)} points more; whether it would "
        end += f"on other {units} cannot be told from fewer than {LEAST}."
        return [[f"No verdict from {few}. ", STRONG], numbers, end]
    if s.draws.told(values[0] - values[1]):
        return [[f"{better.name} is better. ", STRONG], numbers, differ]
    if low > 0 or high < 0:
        differ += (
            f"The interval leaves out 0, but where the sign of each {units[:-1]}'s difference is "
        )
        differ += "drawn by chance, one as large comes in more than one case of 20. "
    more = more_articles(value, low, high, s.draws.count)
    end = "So small a difference would need more questions than anybody asks."
    if more:
        asks = number(more * len(values[0]) / s.draws.count, 0)
        end = f"Were it to stay as large, some {asks} more questions from "
        end += f"{plural(more, f'other {units[:-1]}')} would tell them apart."
    return [["The two cannot be told apart. ", STRONG], numbers, differ, end]


def score_figure(s: Shown, mode: str, metric: str) -> Block:
    """A row for all questions, those with and those without an answer; left the scores, right the
    differences.
    """
    values = [side.scores[metric][side.at[mode]] for side in s.sides]
    at = [float(len(s.parts) - k) for k in range(len(s.parts))]
    two, data, said = len(s.sides) == 2, [], []

    def dots(name: str, role: str, up: float, scores: Any, **more: Any) -> None:
        """Dots with their numbers above them, the whole interval under the pointer."""
        found = [s.draws.mean(scores, mask) for mask in s.parts.values()]
        each = [drawn.words(x, sign=bool(more)) for x in found]
        text = {"text": [x.partition(" ")[0] for x in each], "textfont": {"color": role}}
        text |= {"mode": "markers+text", "textposition": "top center", "cliponaxis": False}
        ys = [y + up for y in at]
        data.append(drawn.dots(role, drawn.joined(found), ys, hovertext=each, **text, **more))
        said.append(f"{name} {each[0]}")

    for side, scores in zip(s.sides, values, strict=True):
        dots(side.name, side.role, 0.16 * side.up, scores)
    ticks = {"tickvals": at, "ticktext": [*s.parts], "showgrid": False}
    axes: Block = {"yaxis": ui.axis(range=[0.5, len(at) + 0.6], **ticks)}
    axes["xaxis"] = ui.axis(f"{METRICS[metric]}, %", domain=[0, 0.58 if two else 1])
    narrow: Block = {"margin.l": 106, "xaxis.nticks": 3}
    if two:
        dots("difference", INK, 0.0, values[0] - values[1], xaxis="x2")
        minus = " minus ".join(drawn.short(side.name, 16) for side in s.sides)
        axes["xaxis2"] = ui.axis(f"{minus}, points", domain=[0.66, 1], anchor="y")
        axes["shapes"] = [ui.line(0, 0, 0, 1, GREY, xref="x2", yref="paper", dash="dot")]
        narrow |= {"xaxis2.nticks": 3, "xaxis2.title.text": "difference"}
    alt = f"{METRICS[metric]}: {'; '.join(said)}"
    layout = ui.layout(64 + 72 * len(at), 118, 16, 10, 48, **axes)
    return ui.figure("scores", data, layout, alt, narrow=narrow)


# ---- the threshold


def threshold(s: Shown) -> Blocks:
    """Scores over the threshold, the equally good ones, and the sliders that drive all below."""
    if not all("best" in side.at for side in s.sides):
        return []
    idea = "An answer is withheld where “no answer” leads it by more than the threshold. "
    idea += "The sliders set what all sections below show."
    styles = [("line", GREY, "all questions"), ("dash", GREY, "with an answer")]
    marks = [("line", MID, "without one (thin)"), ("ring", INK, "as run"), ("diamond", INK, "best")]
    good = [("fill", MID, "equally good")] if s.draws.count >= LEAST else []
    curves = {metric: curve_figure(s, metric) for metric in METRICS}

    def said(metric: str) -> Block:
        each = [part for side in s.sides for part in band_words(s, side, metric)]
        return ui.sentence("band", "finding", *each)

    def curve(metric: str, **frames: int) -> Block:
        style: Block = {"yref": "paper", "dash": "dot", "width": 2}
        at = [(side.limit(frames[side.key]), side.role) for side in s.sides]
        lines = [ui.line(x, x, 0, 1, role, **style) for x, role in at]
        return curves[metric] | {"overlay": {"shapes": lines, "annotations": []}}

    return [
        *drawn.head(s, "threshold", "Threshold", idea, drawn.varied(s, said, "metric")),
        ui.legend("curves", *styles, *marks, *good),
        drawn.varied(s, curve, "metric", *s.values["who"]),
        *(drawn.varied(s, partial(slide, s, side), "metric", side.key) for side in s.sides),
    ]


def best_frame(side: Side, metric: str) -> int:
    """The frame of the best threshold of the slider; of equals the highest, as in `Trade.best`."""
    means = np.round(side.scores[metric][: len(side.thresholds)].mean(axis=1), 9)
    return int(np.flatnonzero(means == means.max())[-1])


def band(s: Shown, side: Side, metric: str) -> tuple[float, float] | None:
    """The thresholds whose loss against the best one holds 0 in its interval."""
    if s.draws.count < LEAST:
        return None
    scores, best = side.scores[metric][: len(side.thresholds)], best_frame(side, metric)
    fine = np.flatnonzero(s.draws.mean(scores - scores[best]).high >= -1e-9)
    return side.limit(fine[0]), side.limit(fine[-1])


def band_words(s: Shown, side: Side, metric: str) -> list[Part]:
    """Where a reader's best threshold is, and which are as good."""
    scores = side.scores[metric].mean(axis=1)
    run, best = side.at["run"], best_frame(side, metric)
    at_best = f"best at {number(side.limit(best))} ({METRICS[metric]} {number(scores[best], 1)}"
    said = f": {at_best}; as run, at {number(side.limit(run))}, {number(scores[run], 1)})"
    found = band(s, side, metric)
    if found:
        said += f"; {number(found[0])} to {number(found[1])} cannot be told from it"
    return [[side.name, STRONG], f"{said}. "]


def curve_figure(s: Shown, metric: str) -> Block:
    """Total, answerable and unanswerable score of each reader over the threshold."""
    data, shapes = [], list[Block]()
    styles = (("solid", 3), ("dash", 1.5), ("solid", 1))
    for k, side in enumerate(s.sides):
        scores, x = side.scores[metric], drawn.plain(np.array(side.thresholds))
        found, name = band(s, side, metric), drawn.short(side.name)
        if found:
            box = {"type": "rect", "x0": found[0], "x1": found[1], "yref": "paper", "opacity": 0.35}
            box |= {"y0": 0.03 * k, "y1": 0.03 * k + 0.025, "line": {"width": 0}}
            shapes.append(box | {"fillcolor": side.role})
        for (part, mask), (dash, width) in zip(s.parts.items(), styles, strict=True):
            y = drawn.plain(scores[: len(x), mask].mean(axis=1))
            said = [f"{name}, {part}: {v:.1f} at {t:.2f}" for t, v in zip(x, y, strict=True)]
            line = {"color": side.role, "dash": dash, "width": width}
            data.append(drawn.points(side.role, x, y, mode="lines", line=line, hovertext=said))
        total = drawn.plain(scores[: len(x)].mean(axis=1))
        for at, symbol in ((side.at["run"], "circle-open"), (best_frame(side, metric), "diamond")):
            marker = {"size": 12, "symbol": symbol, "line": {"width": 2}}
            more: Block = {"marker": marker, "hoverinfo": "skip"}
            data.append(drawn.points(side.role, [x[at]], [total[at]], **more))
    cuts = np.percentile(np.concatenate([side.table.cuts for side in s.sides]), [2, 98]).tolist()
    axes = {"yaxis": ui.axis(f"{METRICS[metric]}, %", range=[0, 101]), "shapes": shapes}
    title = "threshold, logits: more is withheld on the left"
    axes["xaxis"] = ui.axis(title, range=cuts, showgrid=False)
    narrow = {"height": 300, "xaxis.title.text": "threshold, logits"}
    alt = f"{METRICS[metric]} over the threshold; the findings above name the best ones."
    layout = ui.layout(360, 52, 14, 8, 48, **axes)
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
