"""Chapter 3, Start & end: two softmaxes over all positions of a window.

P(start = k) = exp(s_k / T) / sum over all positions m of exp(s_m / T), and the same for the end.
"""

from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qa_demo import blocks as ui
from qa_demo import by_hand, printed, texts
from qa_demo.blocks import END, GREY, INK, LINE, MID, START, SYMBOLS, Block
from qa_demo.core.base import softmax
from qa_demo.printed import QUOTE, Part, escape, number, plural, probability, say, short
from qa_demo.shown import Shown
from qa_demo.state import Place, Record

NAME = "Start & end"
STEPS = (
    ("Start and end", "Where could the answer start, and where could it end?"),
    ("Every position", "How much probability does each position get?"),
    ("Change a logit", "What happens if one logit is changed?"),
)
IDEAS = (
    "A softmax turns the logits of all positions into probabilities that sum to 1: "
    "*one says where the answer starts, a second where it ends.*",
    "*A softmax gives every position a share of 1, however small.* "
    "Here a temperature T can divide every logit first; the reader itself has T = 1.",
    "Raise one logit and its position gains probability; *all other probabilities of that "
    "softmax shrink by one common factor.*",
)
HIGH, LEAST = 80, 0.005
"""Pixels of a bar of 1; under LEAST a position has none."""
NEXT_TO_0, NEXT_TO_1 = 1e-300, float(np.nextafter(1, 0))
"""A softmax is never 0 or 1, though at a low temperature its floating-point number may be."""
DOT = "text", GREY, "“·” joins the tokens of a word"
Array = NDArray[Any]


class Own(Record):
    """What this chapter alone keeps: the position whose logits step 3 changes."""

    position: Place | None = None


def spread(logits: Array) -> Array:
    """A softmax, never 0 or 1."""
    return np.clip(softmax(logits), NEXT_TO_0, NEXT_TO_1)


class Softmax:
    """The starts or the ends of a window: `logits` and `probs` [n], and where both are highest;
    `true`, `before`: the reader's own (`changed` or not); `name`: which, and its colour's role.
    """

    def __init__(self, name: str, true: Array, logits: Array, temperature: float) -> None:
        self.name, self.true, self.logits = name, true.astype(float), logits.astype(float)
        self.probs, self.before = (spread(x / temperature) for x in (self.logits, self.true))
        self.changed = bool((true != logits).any())
        self.top = int(self.logits.argmax())


class Softmaxes:
    """Both softmaxes of the window shown; `chosen`: the position that step 3 changes, `to`: to what
    its button raises the start logit there, `raised`: P(start) then.
    """

    def __init__(self, shown: Shown, own: Own) -> None:
        self.shown, self.window, self.temperature = shown, shown.window, shown.state.temperature
        true, now = (r.logits(self.window.index) for r in (shown.true, shown.reading))
        both = zip((START, END), true, now, strict=True)
        self.sides = self.start, self.end = [Softmax(*x, self.temperature) for x in both]
        # a word that can gain much; a changed logit does not move it under a finger
        lower = self.start.true < self.start.true.max()
        rest = [any(map(str.isalnum, token)) for token in shown.true.tokens(self.window.index)]
        rest &= lower & self.window.is_max_context
        first = int(np.where(rest if rest.any() else lower, self.start.true, -np.inf).argmax())
        self.chosen = first if own.position is None else min(own.position, len(self.window) - 1)
        self.to = round(float(self.start.true.max()) + 1, 2)
        raised = np.where(np.arange(len(self.window)) == self.chosen, self.to, self.start.logits)
        self.raised = spread(raised / self.temperature)

    def named(self, pos: int, role: str = QUOTE) -> list[list[str]]:
        return texts.parts_at(self.shown, self.window, pos, role)


def picture(shown: Shown, own: Own) -> list[Block | None]:
    p, step = Softmaxes(shown, own), shown.state.step
    made = (first_step, every_position, change)[step - 1](p)
    changes = by_hand.changes(shown) if step < 3 else []
    folds = ui.folds(as_table(p), [exactly(p)], "start_end")
    return [*changes, ui.idea(IDEAS[step - 1]), *made, *folds]


def first_step(p: Softmaxes) -> list[Block | None]:
    """Step 1: start and end: bars in the text."""
    return [
        surest(p),
        key(p),
        in_the_text(p),
        *(softmax_formula(p, side, side.top) for side in p.sides),
        ui.closing(
            f"Σ runs over all {len(p.window)} positions, not over an answer's words. "
            "Start and end are computed apart; the chapter Spans pairs them."
        ),
    ]


def every_position(p: Softmaxes) -> list[Block | None]:
    """Step 2: every position in a row, and the temperature that flattens both."""
    says = "above 1 both softmaxes flatten, below 1 they sharpen"
    field, label = "temperature", "temperature T"
    return [
        surest(p),
        ui.slider("temperature", field, label, (0.2, 5, 0.05), p.temperature, span=12, says=says),
        ui.legend("key", ("over", START, "P(start)"), ("below", END, "P(end)"), DOT),
        shares(p),
        softmax_formula(p, p.start, p.start.top, 12),
        ui.closing("A softmax never gives exactly 0: every position has a place on this axis."),
    ]


def change(p: Softmaxes) -> list[Block | None]:
    """Step 3: change a logit by hand: both distributions and the best pair follow."""
    shown, pos = p.shown, p.chosen

    def logit(side: Softmax) -> Block:
        name, now = side.name, round(float(side.logits[pos]), 2)
        says = f"the reader's own: {number(side.true[pos])}"
        field, label = f"edits.{name}.{p.window.index}:{pos}", f"{name} logit"
        far = float(np.ceil(max(12, abs(now), p.to)))
        return ui.slider(f"{name}-logit", field, label, (-far, far, 0.01), now, says=says)

    sliders, now, other = [*map(logit, p.sides)], p.start.probs, int(pos == 0)
    label = f"Raise the start logit to {number(p.to)}"
    above = ", 1 above the highest," * bool(p.start.true[pos] < p.start.true.max())
    goes = f"{number(p.start.logits[pos])} to {number(p.to)}{above or ','} its P(start)"
    said = f"At T = {p.temperature:g}, if" if p.temperature != 1 else "If"
    said += f" the start logit of {{}}{{}} rises from {goes} goes from {probability(now[pos])} to "
    said += f"*{probability(p.raised[pos])}*; all others shrink, *× "
    said += f"{printed.significant(p.raised[other] / now[other])}*"
    found = say(said, p.named(pos), texts.which_window(shown, p.window, " in {}"))
    if shown.changed:
        best, was, e = shown.best, shown.true_best, shown.encoding
        score = ui.summed(best.start_logit, best.end_logit)
        name, before = texts.span_names(e, [best.span, was.span], 44)
        found = say("Best pair now: {} with {}", name, score)
        if was.span != best.span:
            found += say(f"; it was {{}} with {number(was.score)}", before)
        found += say(texts.which_window(shown, p.window, ". You see {}"))
    return [
        ui.finding("{}.", found),
        *(by_hand.changes(shown) or [ui.button("undo", label, {sliders[0]["field"]: p.to})]),
        *sliders,
        key(p),
        in_the_text(p),
        *(softmax_formula(p, side, pos) for side in p.sides),
        ui.closing(
            "Answer, Spans, Loss and Long text use the changed logits; "
            "“How sure?”, Scores, Tags and Why keep the reader's own."
        ),
    ]


def surest(p: Softmaxes) -> Block:
    """The finding: where both distributions are highest."""
    return ui.finding(
        "{} most likely start is {} with {}, the most likely end {} with {}; all other positions "
        "share the rest.{}",
        f"At T = {p.temperature:g} the" if p.temperature != 1 or p.shown.state.step == 2 else "The",
        *(x for side in p.sides for x in (p.named(side.top), probability(side.probs[side.top]))),
        texts.which_window(p.shown, p.window, " You see {}."),
    )


def softmax_formula(p: Softmaxes, side: Softmax, pos: int, span: int = 6) -> Block:
    """P(start = "Georg") = exp(5.902) / sum of exp = ..., with as many digits as it takes."""
    logit, weights = float(side.logits[pos]), np.exp(side.logits / p.temperature)
    tail = sum(bool(weights.sum() < most) for most in (100, 1000))  # decimals: the line is short

    def weight(x: float) -> str:
        return number(x, tail) if 10 <= x < 1e6 else printed.significant(x)

    top, total = weight(weights[pos]), weight(weights.sum())
    fits = (d for d in range(2, 9) if weight(np.exp(round(logit, d) / p.temperature)) == top)
    over = f" / {p.temperature:g}" if p.temperature != 1 or p.shown.state.step == 2 else ""
    again, role = printed.value(top) / max(printed.value(total), 0.1), side.name
    result = printed.equals([top, total], again, probability(side.probs[pos]))
    raised = [number(logit, next(fits, 9)) + over, role]
    said = f"P({side.name} = {{}}) = exp({{}}) / Σ exp = {{}} / {total}{{}}"
    lines = [say(said, p.named(pos, role), raised, [top, role], [result, role])]
    if side.changed:
        before = np.exp(side.true / p.temperature).sum()
        was, factor = weight(before), printed.significant(before / weights.sum())
        shrunk = printed.significant(printed.value(was) / printed.value(total))
        said = f"P of every unchanged {side.name} times {was} / {total}"
        lines += [say(f"{said}* {'=' if shrunk == factor else '≈'} {factor}*")]
    elif p.shown.state.step == 3 and side is p.start and not p.shown.changed:
        up, sums = float(np.exp(p.to / p.temperature)), weights.sum()
        more, less = weight(up), printed.significant(sums / (sums - weights[pos] + up))
        now = printed.value(total) - printed.value(top) + printed.value(more)
        used, each = (total, top, more), ((more, probability(p.raised[pos])), (total, less))
        then, less = (printed.equals(used, printed.value(x) / now, result) for x, result in each)
        said = f"raised: exp({number(p.to)}{over}) / ({total} − {top} + {{}}){{}}"
        lines += [say(said, [more, role], [then, role])]
        lines += [say(f"all others × {total} / ({total} − {top} + {{}})*{less}*", [more, role])]
    return ui.formula(f"p-{side.name}", *lines, span=span)


def key(p: Softmaxes) -> Block:
    answers, choosing = p.shown.prediction.answer is not None, p.shown.state.step == 3
    framed = "if raised" * (choosing and not p.shown.changed)
    framed = "before" if any(side.changed for side in p.sides) else framed
    return ui.legend(
        "key",
        ("bar", START, "above a word: P(start)"),
        ("bar", END, "below: P(end)"),
        *([("track", LINE, f"frame: {framed}")] if framed else []),
        ("text", GREY, f"no bar: under {LEAST}"),
        ("fill", MID, "the reader's answer" if answers else "the best span; “no answer” wins"),
        ("boxed", INK, "chosen: press another word") if choosing else DOT,
    )


def in_the_text(p: Softmaxes) -> Block:
    """The window as text: a bar of P(start) above each token, of P(end) below."""
    w, choosing, items = p.window, p.shown.state.step == 3, texts.window_items(p.shown, p.window)
    texts.look(items, p.shown.best.span, "predicted")
    items[p.chosen].setdefault("looks", []).extend(["boxed"] * choosing)
    others = [x.before for x in p.sides] if p.shown.changed else [p.raised, p.end.probs]
    for pos, one in enumerate(items):
        for side, lane, other in zip(p.sides, ("up", "down"), others, strict=True):
            high, framed = (float(v[pos] * (v[pos] >= LEAST)) for v in (side.probs, other))
            frame = framed * (framed != high) * (choosing or p.shown.changed)
            if high or frame:
                said = f"{side.name} " * (pos == side.top) + probability(high)
                told = said if high >= 0.1 else ""
                if frame and pos == p.chosen and not p.shown.changed:
                    told = f"→ {probability(frame)}"
                one[lane] = [round(high, 4), told, round(frame, 4)]
        if choosing:
            one["sets"] = {"own.start_end.position": pos}

    def held(said: str, at: Any) -> list[Part]:
        sums = [(x.name, min(NEXT_TO_1, float(x.probs[at].sum()))) for x in p.sides]
        return say(f"{said} {{}} {{}}", *([f"{side} {probability(v)}", side] for side, v in sums))

    inside = texts.shortened(p.shown, items[w.context_at :], LEAST)
    rest = held(f"question, {items[-1]['t']}:", [*range(1, w.context_at), len(w) - 1])
    return texts.text(
        "words",
        texts.segment(items[:1], "", True, *held("means “no answer”:", [0])),
        texts.segment(items[1 : w.context_at], "", True, *rest),
        texts.segment(inside, "paragraph", False, *held("in all:", w.is_context)),
        **{"up": START, "down": END, "height": HIGH, "dots": True},
        select=not choosing,
    )


def shares(p: Softmaxes) -> Block:
    """P(start) and P(end) of every position of the window, on a log axis: none is 0."""
    n, a, w = len(p.window), p.window.context_at, p.window
    names = [escape(short(texts.position_name(p.shown, w, k), 12)) for k in range(n)]
    ticks, plain = list[int](), [k for k in range(0, n, max(1, n // 10)) if names[k].isalpha()]
    for k in (p.start.top, p.end.top, 0, a, *plain):
        ticks += [k] if all(abs(k - other) > n / 16 for other in ticks) else []
    corner: Block = {"yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    asked = "question" if (a - 1) / n > 0.08 else ""  # room for the word
    notes = [ui.note(said, x, 1, GREY, **corner) for said, x in ((asked, 1), ("paragraph", a))]
    drawn = list[Block]()
    lowest = float(np.log10([side.probs.min() for side in p.sides]).min())
    first = p.start.probs[p.start.top] >= p.end.probs[p.end.top]  # its name over the other's
    for side, up in zip(p.sides, (34, 16) if first else (16, 34), strict=True):
        top, probs = side.top, side.probs.tolist()
        marker = {"color": side.name, "symbol": SYMBOLS[side.name], "size": 9, "opacity": 1}
        dots = ui.scatter("markers", list(range(n)), probs, "%{customdata}", marker=marker)
        each = zip(names, probs, strict=True)
        dots["customdata"] = [f"{x}: P({side.name}) {probability(v, 4)}" for x, v in each]
        drawn.append({**dots, "sets": {"own.start_end.position": "x", "step": 3}})
        said = f"{texts.figure_name(p.shown, w, top)} {side.name} {probability(probs[top])}"
        near = "left" if top < n / 3 else "right" if top > 2 * n / 3 else "center"
        inwards: Block = {"yshift": up, "xanchor": near, "bgcolor": ui.PAPER}
        notes.append(ui.note(said, top, float(np.log10(probs[top])), side.name, 14, **inwards))
    across: Block = {"tickvals": ticks, "ticktext": [names[k] for k in ticks], "tickangle": 0}
    across |= {"showgrid": False, "range": [-1.5, n + 0.5]}
    decades = range(0, int(lowest) - 1, -max(1, -int(lowest) // 6))
    down: Block = {"type": "log", "tickvals": [10.0**k for k in decades]}
    powers = (printed.power_of_ten(10.0**k).removeprefix("1 · ") for k in decades[1:])
    down["ticktext"] = ["1", *powers]
    down["range"] = [lowest * 1.05 - 0.2, 1.25 - 0.14 * lowest]
    layout = ui.layout(346, 74, 24, 22, 52, annotations=notes)
    title = f"{names[0]} (“no answer”), question, paragraph, token by token"
    layout["xaxis"] = ui.axis(title, GREY, **across)
    layout["yaxis"] = ui.axis("probability (log axis)", **down)
    edge: Block = {"width": 1, "dash": "dot", "yref": "paper"}
    layout["shapes"] = [ui.line(x - 0.5, x - 0.5, 0, 1, GREY, **edge) for x in (1, a)]
    alt = "P(start) and P(end) of every position of the window, on a log axis"
    narrow: Block = {"below": 1000, "xaxis.title.text": "", "xaxis.tickangle": -90}
    narrow["annotations.0.text"] = ""
    narrow |= {"margin.l": 64, "margin.b": 90, "xaxis.automargin": True}  # capitals need more
    phone = {"below": 400, "xaxis.tickfont.size": 11}
    return ui.figure("shares", drawn, layout, alt, narrow=[narrow, phone])


def as_table(p: Softmaxes) -> Block:
    """The twelve positions with the highest probability."""
    w, rows = p.window, []
    for k in np.argsort(-np.maximum(p.start.probs, p.end.probs), kind="stable")[:12].tolist():
        sets = {"selection": [w.to_doc(k)] * 2} if w.is_context[k] else None
        both = ((number(side.logits[k], 3), probability(side.probs[k])) for side in p.sides)
        rows.append(ui.row(str(k), texts.position_name(p.shown, w, k), *chain(*both), sets=sets))
    heads = ["position", "token", "start logit", "P(start)", "end logit", "P(end)"]
    return ui.table("rows", heads, rows, "The highest probabilities")


def exactly(p: Softmaxes) -> str:
    cls = p.shown.encoding.cls_token
    return (
        f"The sum runs over all {len(p.window)} positions of the unpadded window: {cls}, the "
        f"question, the separators and {plural(int(p.window.is_context.sum()), 'token')} of the "
        f"paragraph. {cls} stands for “no answer” in both. Another window has softmaxes of its "
        "own, so a P of one window says nothing about another. The temperature changes what is "
        "shown here, not the answer."
    )
