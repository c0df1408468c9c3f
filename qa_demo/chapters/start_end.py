"""Chapter 3, Start & end: two softmaxes over all positions of a window.

P(start = k) = exp(s_k / T) / sum over all positions m of exp(s_m / T), and the same for the end.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from qa_demo.blocks import (
    END,
    GREY,
    INK,
    LINE,
    MID,
    START,
    Block,
    axis,
    button,
    closing,
    figure,
    finding,
    fold,
    folds,
    formula,
    idea,
    legend,
    line,
    note,
    packed,
    remark,
    row,
    sentence,
    slider,
    snippet,
    table,
)
from qa_demo.core.base import softmax
from qa_demo.core.text import excerpts
from qa_demo.core.types import Span, Window
from qa_demo.printed import QUOTE, STRONG, Part, adds, escape, number, plural, probability, tiny
from qa_demo.shown import Shown
from qa_demo.state import Int, Record
from qa_demo.texts import (
    excerpt_items,
    item,
    mark,
    position_name,
    question_items,
    said_at,
    segment,
    span_words,
    text,
    word,
)

NAME = "Start & end"
HEADINGS = (
    "Where could the answer start, and where could it end?",
    "How much does each position get?",
    "What happens if one logit is changed?",
)
STEPS = ("Start and end", "Every position", "Change a logit")
OPENS: dict[int, dict[str, Any]] = {}
LONG, AROUND = 150, 160
"""From so many positions in a window on, the text shows these characters around what matters."""
LABELLED = 0.1
"""A bar from this probability on carries its number."""
SNIPPET = snippet("start_end")


class Own(Record):
    """What this chapter alone keeps: the position whose logits step 3 changes."""

    position: Int | None = None


class Softmaxes:
    """Logits and probabilities of the window that is shown, [n] each; T is the temperature."""

    def __init__(self, shown: Shown) -> None:
        self.window: Window = shown.window
        start, end = shown.reading.logits(self.window.index)
        self.logits = start.astype(np.float64), end.astype(np.float64)
        self.temperature = shown.state.temperature
        self.start, self.end = (softmax(x / self.temperature) for x in self.logits)
        self.top = int(self.start.argmax()), int(self.end.argmax())


def picture(shown: Shown, own: Own) -> list[Block | None]:
    """The blocks of the step."""
    p = Softmaxes(shown)
    made = (first_step, every_position, change)[shown.state.step - 1](shown, p, own)
    told = folds(as_table(shown, p), [exactly(shown, p)], SNIPPET)
    return [*made, *with_whole(shown, p, told)]


def surest(shown: Shown, p: Softmaxes) -> Block:
    """The finding: where both distributions are highest."""
    (i, j), w = p.top, p.window
    many = len(shown.reading.windows)
    heat = f" Temperature {p.temperature:g}." if p.temperature != 1 else ""
    place = f" Shown is window {w.index + 1} of {many}." if many > 1 else ""
    return finding(
        "The start is surest on {} with {}, the end on {} with {}; all other positions share the "
        "rest.{}",
        said_at(shown, w, i),
        probability(p.start[i]),
        said_at(shown, w, j),
        probability(p.end[j]),
        heat + place,
    )


def softmax_formula(shown: Shown, p: Softmaxes, side: int, pos: int, span: int = 6) -> Block:
    """P(start = "Georg") = exp(5.902) / sum of exp = ..., with as many digits as it takes."""
    name, role = (("start", START), ("end", END))[side]
    logits, probs = p.logits[side], (p.start, p.end)[side]
    weights = np.exp(logits / p.temperature)
    shown_logit = float(logits[pos])
    over = f" / {p.temperature:g}" if p.temperature != 1 else ""
    tail = 1 if weights.sum() < 1000 else 0  # decimals of the weights: the line is short
    digits = next(
        (
            d
            for d in (2, 3, 4)
            if number(np.exp(round(shown_logit, d) / p.temperature), tail)
            == number(weights[pos], tail)
        ),
        4,
    )
    top, total = number(weights[pos], tail), number(weights.sum(), tail)
    result = probability(probs[pos])
    quotient = round(float(weights[pos]), tail) / max(round(float(weights.sum()), tail), 0.1)
    sign = "=" if result == probability(quotient) else "≈"
    return formula(
        f"p-{name}",
        [
            f"P({name} = ",
            *said_at(shown, p.window, pos, role),
            ") = exp(",
            [number(shown_logit, digits) + over, role],
            ") / Σ exp = ",
            [top, role],
            f" / {total} ",
            [f"{sign} {result}", role],
        ],
        span=span,
    )


def parts_of(shown: Shown, p: Softmaxes, chosen: int | None) -> list[tuple[int, int]]:
    """The parts [from, to) of the paragraph that the first screen shows: of a long window those
    around the best span, the two maxima and the chosen position; under the veil all of it.
    """
    w, best = p.window, shown.best.span
    if len(w) < LONG or shown.state.veil:
        return [(w.doc_start, w.doc_stop)]
    near = [k for k in (*p.top, chosen) if k is not None and w.is_context[k]]
    docs = sorted({best.start, best.end, *map(w.to_doc, near)})
    found = excerpts(shown.encoding, [Span(d, d) for d in docs], AROUND)
    return [(max(a, w.doc_start), min(z, w.doc_stop)) for a, z in found]


def with_whole(shown: Shown, p: Softmaxes, made: list[Block]) -> list[Block]:
    """The folds, and for a long window one more: all of its words."""
    if len(p.window) < LONG or shown.state.step == 2:
        return made
    whole = words(shown, p, shown.state.step, whole=True)
    return [{**one, "span": 3} for one in (*made, fold("whole", "The whole window", whole))]


def words(
    shown: Shown, p: Softmaxes, step: int, chosen: int | None = None, whole: bool = False
) -> Block:
    """The window as text: a bar of P(start) above each token, of P(end) below."""
    e, w, n = shown.encoding, p.window, len(p.start)
    parts = [(w.doc_start, w.doc_stop)] if whole else parts_of(shown, p, chosen)

    def with_bars(one: Block, pos: int) -> Block:
        for lane, probs, top in (("up", p.start, p.top[0]), ("down", p.end, p.top[1])):
            value = float(probs[pos])
            if value >= 0.005 or pos == 0:
                name = {"up": "start ", "down": "end "}[lane] if pos == top else ""
                one[lane] = [
                    round(value, 4),
                    name + probability(value) if value >= LABELLED else "",
                ]
        if step == 3:
            one["sets"] = {"own.start_end.position": pos}
            if pos == chosen:
                one["marks"] = [*one.get("marks", []), "boxed"]
        return one

    asked = question_items(e)
    q0 = w.context_at - 1 - len(asked)
    inside = excerpt_items(e, parts)
    mark(inside, shown.best.span, "predicted")
    special = {"marks": ["special"]}
    cls = with_bars(item("[CLS]", **special), 0)
    question = [with_bars(one, q0 + k) for k, one in enumerate(asked)]
    question[-1]["gap"] = " "
    question += [with_bars(item("[SEP]", **special), w.context_at - 1)]
    paragraph = [with_bars(x, w.to_pos(x["at"])) if "at" in x else x for x in inside]
    paragraph[-1]["gap"] = " "
    paragraph += [with_bars(item("[SEP]", **special), n - 1)]

    def held(at: NDArray[np.int64] | list[int], said: str) -> list[Part]:
        return [
            said + " ",
            ["start " + probability(float(p.start[at].sum())), START],
            " ",
            ["end " + probability(float(p.end[at].sum())), END],
        ]

    rest = [*range(1, w.context_at), n - 1]
    return text(
        "all" if whole else "words",
        segment([cls], "", True, *held([0], "means “no answer”:")),
        segment(question, "", True, *held(rest, "question, [SEP]:")),
        segment(paragraph, "paragraph", False, *held(np.flatnonzero(w.is_context), "in all:")),
        up=START,
        down=END,
        height=100 if step == 1 else 76,
        track=True,
        dots=True,
        select=step != 3,
    )


def key(shown: Shown, p: Softmaxes, step: int) -> Block:
    """What the marks of the text mean."""
    e = shown.encoding
    near = sorted(
        range(p.window.doc_start, p.window.doc_stop), key=lambda d: abs(d - shown.best.span.end)
    )
    split = next((word(e, d) for d in near if "·" in word(e, d)), None)
    answers = shown.prediction.answer is not None
    predicted = "the reader's answer" if answers else "the best span; “no answer” wins"
    return legend(
        "key",
        ("bar", START, "above a word: P(start)"),
        ("bar", END, "below a word: P(end)"),
        ("track", LINE, "frame: probability 1"),
        ("fill", MID, predicted),
        *([("boxed", INK, "the chosen position")] if step == 3 else []),
        *(
            [
                (
                    "text",
                    GREY,
                    [[f"“{split}”", QUOTE], f" is one word of {split.count('·') + 1} tokens"],
                )
            ]
            if split
            else []
        ),
    )


def heat(p: Softmaxes) -> Block:
    """The temperature."""
    says = "divides every logit: above 1 both softmaxes flatten, below 1 they sharpen"
    return slider(
        "temperature", "temperature", "temperature T", 0.2, 5, 0.05, p.temperature, 12, says
    )


def first_step(shown: Shown, p: Softmaxes, own: Own) -> list[Block]:
    """Start and end: bars in the text."""
    return [
        idea(
            "Two softmaxes over all positions of the window: *one says where the answer starts, "
            "the other where it ends.* Each sums to 1."
        ),
        surest(shown, p),
        key(shown, p, 1),
        words(shown, p, 1),
        softmax_formula(shown, p, 0, p.top[0]),
        softmax_formula(shown, p, 1, p.top[1]),
        closing(
            f"Σ runs over all {len(p.start)} positions, not over an answer's words. "
            "The two are computed apart; chapter Spans pairs them."
        ),
    ]


def every_position(shown: Shown, p: Softmaxes, own: Own) -> list[Block]:
    """Every position in a row, and the temperature that flattens both."""
    w, n = p.window, len(p.start)
    names = [position_name(shown, w, k) for k in range(n)]
    every = max(1, n // 90)
    (i, j), a = p.top, w.context_at
    few = sorted({0, a, i, j} | {k for k in range(0, n, max(1, n // 10)) if names[k].isalpha()})
    few = [k for n_, k in enumerate(few) if k in (i, j) or n_ == 0 or k - few[n_ - 1] > n / 16]
    bars = figure(
        "bars",
        [
            _bar(p.start, names, START, "P(start)", 1),
            _bar(p.end, names, END, "P(end)", -1),
            _tip(f"start {probability(p.start[i])}", i, float(p.start[i]), START, n),
            _tip(f"end {probability(p.end[j])}", j, -float(p.end[j]), END, n),
        ],
        {
            "height": 372,
            "barmode": "overlay",
            "bargap": 0.15,
            "margin": {"l": 74, "r": 8, "t": 8, "b": 112},
            "xaxis": axis(
                "[CLS] (“no answer”), question, paragraph, token by token",
                GREY,
                tickvals=list(range(0, n, every)),
                ticktext=[escape(names[k]) for k in range(0, n, every)],
                tickangle=-90,
                tickfont={"size": 12},
                showgrid=False,
                range=[-1, n],
            ),
            "yaxis": axis(
                "P(end) below    P(start) above",
                tickvals=[-1, -0.5, 0, 0.5, 1],
                ticktext=["1", "0.5", "0", "0.5", "1"],
                range=[-1.12, 1.12],
                zeroline=True,
                zerolinecolor=GREY,
            ),
            "shapes": [
                line(x - 0.5, x - 0.5, -1.12, 1.12, GREY, width=1, dash="dot") for x in (1, a)
            ],
            "annotations": [
                *(
                    [note("question", 1, 1.11, GREY, xanchor="left", yanchor="top")]
                    if a > n / 12
                    else []
                ),
                note("paragraph", a, 1.11, GREY, xanchor="left", yanchor="top"),
            ],
        },
        "P(start) above and P(end) below the axis for every position of the window",
        narrow={
            "xaxis.tickvals": few,
            "xaxis.ticktext": [escape(names[k]) for k in few],
            "xaxis.title.text": "",
            "margin.l": 56,
        },
    )
    least = float(p.start.min())
    return [
        idea(
            "A softmax gives every position something, and together they share 1. "
            "*The temperature T divides every logit first.*"
        ),
        surest(shown, p),
        heat(p),
        bars,
        softmax_formula(shown, p, 0, i, 12),
        closing(f"A bar too low to be seen is not 0: the smallest P(start) here is {tiny(least)}."),
    ]


def _bar(probs: NDArray[np.float64], names: list[str], role: str, said: str, way: int) -> Block:
    return {
        "type": "bar",
        "x": list(range(len(probs))),
        "y": packed(way * probs),
        "marker": {"color": role},
        "customdata": [
            f"{escape(n)}: {said} {probability(v, 4)}" for n, v in zip(names, probs, strict=True)
        ],
        "hovertemplate": "%{customdata}<extra></extra>",
        "sets": {"own.start_end.position": "x", "step": 3},
    }


def _tip(said: str, x: int, y: float, role: str, n: int) -> Block:
    """The name of a bar, as a trace: a note would have plotly draw the axes anew."""
    side = "left" if x > n * 0.2 else "right"
    return {
        "type": "scatter",
        "mode": "text",
        "x": [x],
        "y": [y],
        "text": [f"{said} \u00a0" if side == "left" else f"\u00a0 {said}"],
        "textposition": f"middle {side}",
        "textfont": {"color": role},
        "hoverinfo": "skip",
        "cliponaxis": False,
    }


def change(shown: Shown, p: Softmaxes, own: Own) -> list[Block]:
    """Change a logit by hand: both distributions and the best pair follow."""
    w, state = p.window, shown.state
    pos = p.top[0] if own.position is None else min(own.position, len(p.start) - 1)
    true = shown.true.logits(w.index)
    best, was = shown.best, shown.before.best
    assert was is not None
    said: list[Part]
    if state.edits:
        said = ["Changed by hand: "]
        for side, edits in ((0, state.edits.start), (1, state.edits.end)):
            for at, value in edits.items():
                window, k = map(int, at.split(":"))
                if window == w.index:
                    name, role = (("start", START), ("end", END))[side]
                    said += [f"{name} logit of ", *said_at(shown, w, k)]
                    said += [[f" {number(true[side][k])} → {number(value)}", role], "; "]
        said += ["best pair ", span_words(best), f" with {number(best.score)}"]
        moved = best.span != was.candidate.span
        said += (
            [f"; it was {number(was.candidate.score)} with ", span_words(was.candidate), "."]
            if moved
            else ["."]
        )
    else:
        sign = adds((best.start_logit, best.end_logit), best.score)
        said = ["Nothing is changed yet. Best pair: ", span_words(best), " with "]
        said += [[number(best.start_logit), START], " + ", [number(best.end_logit), END]]
        said += [f" {sign} ", [number(best.score), STRONG], "."]

    def logit(side: int, name: str) -> Block:
        value = round(float(p.logits[side][pos]), 2)
        path = f"edits.{name}.{w.index}:{pos}"
        says = f"the reader's own: {number(true[side][pos])}"
        return slider(f"{name}-logit", path, f"{name} logit", -12, 12, 0.01, value, 6, says)

    return [
        idea(
            "Raise one logit and its position gains probability; *all others shrink by one common "
            "factor.* The sums of chapter Spans follow."
        ),
        sentence("finding", "finding", *said),
        remark(
            "chosen",
            "Chosen: {}. A press on another word chooses that one.",
            said_at(shown, w, pos),
            span=8,
        ),
        button("undo", "Put the reader's own logits back", {"edits": None}, 4, not state.edits),
        logit(0, "start"),
        logit(1, "end"),
        key(shown, p, 3),
        words(shown, p, 3, pos),
        softmax_formula(shown, p, 0, pos),
        softmax_formula(shown, p, 1, pos),
        closing(
            "Answer, Spans, Loss and Long text follow these logits; "
            "Tags, SpanBERT and Why have layers of their own and do not."
        ),
    ]


def as_table(shown: Shown, p: Softmaxes) -> Block:
    """The twelve positions with the highest probability."""
    w, e = p.window, shown.encoding
    rows = []
    for k in np.argsort(-np.maximum(p.start, p.end), kind="stable")[:12].tolist():
        inside = bool(w.is_context[k])
        d = w.to_doc(k) if inside else 0
        name = position_name(shown, w, k) + (
            f" of “{word(e, d)}”" if inside and "·" in word(e, d) else ""
        )
        numbers = number(p.logits[0][k], 3), probability(p.start[k])
        ends = number(p.logits[1][k], 3), probability(p.end[k])
        rows.append(
            row(str(k), name, *numbers, *ends, sets={"selection": [d, d]} if inside else None)
        )
    heads = ["position", "token", "start logit", "P(start)", "end logit", "P(end)"]
    return table("rows", heads, rows, "The twelve highest")


def exactly(shown: Shown, p: Softmaxes) -> str:
    """Conditions that the first screen does without."""
    n = len(p.start)
    return (
        f"The sum runs over all {n} positions of the unpadded window: [CLS], the question, the "
        f"separators and {plural(int(p.window.is_context.sum()), 'token')} of the paragraph. "
        "[CLS] stands for “no answer” in both. The reader's start does not depend on its end: "
        "each softmax is computed from the logits of its own kind. Another window has softmaxes "
        "of its own, so a P of one window says nothing about another. The temperature changes "
        "what is shown here, not the answer."
    )
