"""The verdict of the report in words and dots, and the thresholds on which it stands."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from qa_demo import blocks as ui
from qa_demo.blocks import GREY, INK, MID, Block
from qa_demo.evaluation.compare import LEAST, Interval, more_articles
from qa_demo.evaluation.drawn import (
    METRICS,
    MODES,
    Blocks,
    Shown,
    Side,
    dots,
    head,
    joined,
    offsets,
    one,
    patched,
    plain,
    readers,
    short,
    spread,
    words,
)
from qa_demo.printed import STRONG, Part, number, parts, plural

# ---- the verdict


def verdict(s: Shown) -> Blocks:
    """In words, then both readers as dots with intervals, and their difference."""
    both = [(mode, metric) for mode in s.modes for metric in METRICS]
    said = {f"{a}/{m}": {"parts": parts(verdict_words(s, a, m))} for a, m in both}
    figures = {f"{a}/{m}": score_figure(s, a, m) for a, m in both}
    drawn = {k: {name: f[name] for name in ("data", "layout", "alt")} for k, f in figures.items()}
    few = f"The file holds {plural(s.draws.count, s.drawn[:-1])}"
    intervals = f"Bars: 95 % intervals from drawing whole {s.drawn}. {few}."
    if s.draws.count < LEAST:
        intervals = f"{few}: fewer than {LEAST} say nothing of others, so there is no interval."
    figure = patched(figures["run/f1"], ["mode", "metric"], drawn)
    return [
        patched(ui.sentence("verdict", "idea"), ["mode", "metric"], said),
        *switches(s),
        *(ui.sentence(f"differs-{k}", "note", f"{x}.") for k, x in enumerate(s.differs)),
        readers(s, "verdict"),
        figure if len(s.sides) > 1 or len(s.parts) > 1 else None,
        ui.sentence("intervals", "closing", intervals),
    ]


def switches(s: Shown) -> Blocks:
    """Exact or F1; and the thresholds as run, fitted or best."""
    metrics = [(name, {"metric": key}, False) for key, name in METRICS.items()]
    at = {mode: {side.key: side.at(mode) for side in s.sides} for mode in s.modes}
    modes = [(MODES[mode], {"mode": mode, **at[mode]}, False) for mode in s.modes]
    made = []
    for name, label, options, keys in (
        ("metric", "Score", metrics, list(METRICS)),
        ("mode", "Threshold", modes, s.modes),
    ):
        on = {key: {f"options.{k}.pressed": True} for k, key in enumerate(keys)}
        if len(keys) > 1:
            made.append(patched(ui.choice(name, label, options, span=6), [name], on))
    return [*made]


def how(s: Shown, mode: str) -> str:
    """How answers are withheld in a mode."""
    limits = [side.best if mode == "best" else side.own for side in s.sides]
    if mode == "fitted":
        return "each half of the articles by the threshold that is best on the other half"
    if None in limits:
        return "no answer is ever withheld"
    numbers = [number(limit or 0.0) for limit in limits]
    plural_s = "s" * (len(limits) > 1)
    if mode == "best":
        best = f"threshold{plural_s} {' and '.join(numbers)}"
        return f"{best}, best on these very questions: an upper bound"
    where = [f"{n} ({x.run['threshold_from']})" for n, x in zip(numbers, s.sides, strict=True)]
    return f"threshold{plural_s} as run: {' and '.join(where)}"


def verdict_words(s: Shown, mode: str, metric: str) -> list[Part]:
    """Which reader is better, whether that can be told, and what would tell it."""
    values = [side.scores(metric)[side.at(mode)] for side in s.sides]
    each = [words(*one(s.draws.mean(v))) for v in values]
    count, units = len(values[0]), s.drawn
    asked = f" {METRICS[metric]} on {plural(count, 'question')}; {how(s, mode)}."
    if len(s.sides) == 1:
        return [[f"{s.sides[0].name}: {each[0]}", STRONG], asked]
    value, low, high = one(s.draws.mean(values[0] - values[1]))
    better = s.sides[0] if value >= 0 else s.sides[1]
    numbers = f"{s.sides[0].name} {each[0]}, {s.sides[1].name} {each[1]}{asked} "
    differ = f"Difference {words(value, low, high, sign=True)}. "
    if s.draws.count < LEAST:
        few = plural(s.draws.count, units[:-1])
        return [
            [f"No verdict from {few}. ", STRONG],
            numbers,
            f"Here {better.name} scores {number(abs(value), 1)} points more; whether it would "
            f"on other {units} cannot be told from fewer than {LEAST}.",
        ]
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
    data: list[Block] = []
    said, at = [], [float(len(s.parts) - k) for k in range(len(s.parts))]
    values = [side.scores(metric)[side.at(mode)] for side in s.sides]
    for side, v, up in zip(s.sides, values, offsets(s, 0.16), strict=True):
        found = [s.draws.mean(v, part.mask) for part in s.parts]
        data.append(named(side.role, [y + up for y in at], found))
        said.append(f"{side.name} {words(*one(found[0]))}")
    two = len(s.sides) == 2
    layout: Block = {"height": 64 + 72 * len(at), "margin": {"l": 118, "r": 16, "t": 10, "b": 48}}
    layout["xaxis"] = ui.axis(f"{METRICS[metric]}, %", domain=[0, 0.58 if two else 1])
    ticks = [part.name for part in s.parts]
    layout["yaxis"] = ui.axis(range=[0.5, len(at) + 0.6], tickvals=at, ticktext=ticks)
    layout["yaxis"] |= {"showgrid": False}
    if two:
        found = [s.draws.mean(values[0] - values[1], part.mask) for part in s.parts]
        data.append({**named(INK, at, found, sign=True), "xaxis": "x2"})
        title = f"{short(s.sides[0].name, 16)} minus {short(s.sides[1].name, 16)}, points"
        layout["xaxis2"] = ui.axis(title, domain=[0.66, 1], anchor="y")
        layout["shapes"] = [ui.line(0, 0, 0, 1, GREY, xref="x2", yref="paper", dash="dot")]
        said.append(f"difference {words(*one(found[0]), sign=True)}")
    narrow = {"margin.l": 106, "xaxis.nticks": 3, "xaxis2.nticks": 3}
    narrow |= {"xaxis2.title.text": "difference"} if two else {}
    return ui.figure("scores", data, layout, f"{METRICS[metric]}: {'; '.join(said)}", narrow=narrow)


def named(role: str, y: Sequence[float], found: Sequence[Interval], sign: bool = False) -> Block:
    """Dots with their numbers above them, the whole interval under the pointer."""
    each = [words(*one(x), sign=sign) for x in found]
    text = {"text": [w.partition(" ")[0] for w in each], "textposition": "top center"}
    text |= {"textfont": {"color": role}, "hovertext": each, "hoverinfo": "text"}
    text |= {"cliponaxis": False}
    return dots(role, y, spread(joined(found)), **text) | {"mode": "markers+text"}


# ---- the threshold


def threshold(s: Shown) -> Blocks:
    """Scores over the threshold, the equally good ones, and the sliders that drive all below."""
    if not all(side.steers for side in s.sides):
        return []
    curves = {metric: curve_figure(s, metric) for metric in METRICS}
    shapes = [line_at(side, side.own) for side in s.sides]
    figure = curves["f1"] | {"overlay": {"shapes": shapes, "annotations": []}}
    chosen = {m: {name: f[name] for name in ("data", "layout")} for m, f in curves.items()}
    figure = patched(figure, ["metric"], chosen)
    for j, side in enumerate(s.sides):
        each = {
            str(k): {f"overlay.shapes.{j}": line_at(side, t)} for k, t in enumerate(side.frames)
        }
        figure = patched(figure, [side.key], each)
    said = {m: {"parts": parts(band_words(s, m))} for m in METRICS}
    idea = "An answer is withheld where “no answer” leads it by more than the threshold. "
    idea += "The sliders set what all sections below show."
    styles = [("line", GREY, "all questions"), ("dash", GREY, "with an answer")]
    marks = [("line", MID, "without one (thin)"), ("ring", INK, "as run"), ("diamond", INK, "best")]
    good = [("fill", MID, "equally good")] if s.draws.count >= LEAST else []
    return [
        *head("threshold", "Threshold", idea),
        patched(ui.sentence("band", "finding"), ["metric"], said),
        readers(s, "threshold"),
        ui.legend("curves", *styles, *marks, *good),
        figure,
        *(slide(s, side) for side in s.sides),
    ]


def band(s: Shown, side: Side, metric: str) -> tuple[float, float] | None:
    """The thresholds whose loss against the best one holds 0 in its interval."""
    if s.draws.count < LEAST:
        return None
    scores = side.scores(metric)[: len(side.thresholds)]
    best = int(scores.mean(axis=1).argmax())
    fine = np.flatnonzero(s.draws.mean(scores - scores[best]).high >= -1e-9)
    return float(side.thresholds[fine[0]] or 0.0), float(side.thresholds[fine[-1]] or 0.0)


def band_words(s: Shown, metric: str) -> list[Part]:
    """Where each reader's best threshold is, and which are as good."""
    said: list[Part] = []
    for side in s.sides:
        scores = side.scores(metric).mean(axis=1)
        at, best = side.at("run"), int(scores[: len(side.thresholds)].argmax())
        found = band(s, side, metric)
        said += [
            [side.name, STRONG],
            f": best at {number(side.thresholds[best] or 0.0)} ({METRICS[metric]} "
            f"{number(scores[best], 1)}; as run, at {number(side.own or 0.0)}, "
            f"{number(scores[at], 1)})",
            f"; {number(found[0])} to {number(found[1])} cannot be told from it. "
            if found
            else ". ",
        ]
    return said


def curve_figure(s: Shown, metric: str) -> Block:
    """Total, answerable and unanswerable score of each reader over the threshold."""
    data: list[Block] = []
    shapes = []
    for k, side in enumerate(s.sides):
        scores, x = side.scores(metric)[: len(side.thresholds)], plain(np.array(side.thresholds))
        found = band(s, side, metric)
        if found:
            low = 0.03 * k
            box = {"type": "rect", "x0": found[0], "x1": found[1], "yref": "paper", "y0": low}
            box |= {"y1": low + 0.025, "fillcolor": side.role, "opacity": 0.35}
            shapes.append(box | {"line": {"width": 0}})
        for part, dash, width in zip(s.parts, ("solid", "dash", "solid"), (3, 1.5, 1), strict=True):
            y = plain(scores[:, part.mask].mean(axis=1))
            line = {"color": side.role, "dash": dash, "width": width}
            said = [
                f"{short(side.name)}, {part.name}: {v:.1f} at {t:.2f}"
                for t, v in zip(x, y, strict=True)
            ]
            made = {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": line}
            data.append(made | {"hoverinfo": "text", "hovertext": said})
        total = scores.mean(axis=1)
        for at, symbol in ((side.at("run"), "circle-open"), (int(total.argmax()), "diamond")):
            mark = {"color": side.role, "size": 12, "symbol": symbol, "line": {"width": 2}}
            made = {"type": "scatter", "mode": "markers", "x": [x[at]], "y": plain(total[[at]])}
            data.append(made | {"marker": mark, "hoverinfo": "skip"})
    finite = np.concatenate([side.trade.cuts for side in s.sides])
    low, high = (float(x) for x in np.percentile(finite, [2, 98]))
    layout: Block = {"height": 360, "margin": {"l": 52, "r": 14, "t": 8, "b": 48}, "shapes": shapes}
    title = "threshold, logits: more is withheld on the left"
    layout["xaxis"] = ui.axis(title, range=[low, high], showgrid=False)
    layout["yaxis"] = ui.axis(f"{METRICS[metric]}, %", range=[0, 101])
    narrow = {"height": 300, "xaxis.title.text": "threshold, logits"}
    alt = f"{METRICS[metric]} over the threshold; the findings above name the best ones."
    return ui.figure("curves-figure", data, layout, alt, narrow=narrow)


def line_at(side: Side, limit: Any) -> Block:
    """Where a reader's slider stands; off the picture where each half has its own threshold."""
    x = float(limit) if np.ndim(limit) == 0 and limit is not None else -1e6
    return ui.line(x, x, 0, 1, side.role, yref="paper", dash="dot", width=2)


def slide(s: Shown, side: Side) -> Block:
    """The slider of one reader; it stops at the thresholds of `Side.frames`."""
    limits, of = side.thresholds, {}
    for metric in METRICS:
        means = [side.scores(metric)[:, part.mask].mean(axis=1) for part in s.parts]
        for k, limit in enumerate(side.frames):
            each = [f"{number(m[k], 1)} {p.name}" for m, p in zip(means, s.parts, strict=True)]
            fitted = "each half by the other's threshold: " if np.ndim(limit) else ""
            says = f"{fitted}{METRICS[metric]} {', '.join(each)}"
            at = limits[min(k, len(limits) - 1)] or 0.0
            of[f"{metric}/{k}"] = {"says": says, "value": round(at, 2)}
    low, high = (round(x or 0.0, 2) for x in (limits[0], limits[-1]))
    label = f"Threshold of {side.name[:24]}"
    made = ui.slider(f"slide-{side.key}", f"at.{side.key}", label, low, high, 0.01, 0.0, span=12)
    return patched(made, ["metric", side.key], of)
