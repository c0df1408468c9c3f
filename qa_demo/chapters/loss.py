"""Chapter 5, Loss: what training lowers, and how it fits the search for the best span.

L = -1/2 (log P(right start) + log P(right end)), natural logarithm, P a softmax over all positions
of the unpadded window. dL / d logit = (P - y) / 2, y the share of people who marked the position.
"""

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from qa_demo.blocks import (
    END,
    GOLD,
    GREY,
    INK,
    LINE,
    MID,
    START,
    STRONG,
    Block,
    Part,
    adds,
    axis,
    button,
    choice,
    code,
    escape,
    figure,
    fold,
    formula,
    legend,
    line,
    note,
    number,
    probability,
    quote,
    row,
    sentence,
    signed,
    slider,
    small_number,
    table,
)
from qa_demo.core.arrays import Floats, log_softmax, logsumexp, softmax
from qa_demo.core.files.assets import ASSETS
from qa_demo.core.learning.losses import (
    cross_entropy,
    cross_entropy_gradient,
    entropy,
    start_end_loss,
    start_end_targets,
)
from qa_demo.core.learning.replay import Replay, load_replay
from qa_demo.core.reading.legal import reason
from qa_demo.core.reading.spans import top_spans
from qa_demo.core.reading.words import touching
from qa_demo.core.types import Span
from qa_demo.shown import Shown
from qa_demo.state import Int, Record
from qa_demo.texts import (
    bold,
    dotted,
    item,
    mark,
    paragraph_items,
    piece,
    position_name,
    question_items,
    said_at,
    segment,
    text,
    word,
)

NAME = "Loss"
HEADINGS = (
    "What does training lower?",
    "How does the loss fit the best span?",
    "Which way does the loss pull each logit?",
    "How did this reader learn it?",
)
STEPS = ("The loss", "How the two fit", "The pull", "The training")
OPENS: dict[int, dict[str, Any]] = {}
EARLY = 128
"""The training step that steps 2 to 4 open on."""
SIDES = (("start", START), ("end", END))
LEAST = (0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2)
"""Sizes under which a pull gets no arrow: the first that leaves six a side is taken."""
SNIPPET = """\
import numpy as np

start = np.array([0.5, 2.0, 1.0, -1.0])  # start logits of [CLS] and three words
end = np.array([0.0, -1.0, 1.5, 2.5])
i, j = 1, 2  # where people marked the right start and the right end


def log_p(logits):  # log of the softmax: every position is in the sum
    return logits - np.log(np.exp(logits).sum())


L = -(log_p(start)[i] + log_p(end)[j]) / 2
score = start[i] + end[j]
constant = np.log(np.exp(start).sum()) + np.log(np.exp(end).sum())
print("L", L, " 2 L", 2 * L, " constant - score", constant - score)

y = np.eye(4)[i]
pull = (y - np.exp(log_p(start))) / 2  # minus the gradient of L
print("pull on the start logits", pull.round(3), "in sum", pull.sum().round(12))
"""
Two = tuple[Floats, Floats]
"""One array [n] for the starts of a window and one for its ends."""


class Own(Record):
    """What this chapter alone keeps: which label is taken as right (0: the one most people marked),
    the recorded moment by its place in the record, the window from 1.
    """

    label: Annotated[Int, Field(ge=0)] | Literal["mean"] = 0
    moment: Annotated[Int, Field(ge=0)] | None = None
    window: Annotated[Int, Field(ge=1)] | None = None


class Label(NamedTuple):
    """An answer that `people` marked, as a `doc` span; None where they found no answer."""

    span: Span | None
    people: int


def labels_of(shown: Shown) -> tuple[list[Label], str, int]:
    """The labels, the one most people marked first; by whom (people, the author, you, nobody); and
    how many marks were left out, since other words stand at their place: they are neither drawn nor
    trained on. Where nobody marked anything the reader's own answer stands in.
    """
    e, counts = shown.encoding, dict[Span, int]()
    for a in shown.golds:
        stands = a.text.strip() and e.context[a.char_start : a.char_end] == a.text
        span = touching(e, a.char_start, a.char_end) if stands else None
        if span is not None:
            counts[span] = counts.get(span, 0) + 1
    lost = len(shown.golds) - sum(counts.values())
    order = sorted(counts.items(), key=lambda c: (-c[1], c[0].start, c[0].end))
    by = "people" if len(shown.golds) > 1 else "the author"
    by = by if shown.state.gold is None else "you"
    if order or ((by == "you" or shown.example is not None) and not lost):
        return [Label(*found) for found in order] or [Label(None, 1)], by, lost
    best = shown.before.best if shown.before.answer is not None else None
    return [Label(best.candidate.span if best is not None else None, 1)], "nobody", lost


@cache
def replay() -> Replay | None:
    """The record of the bundled reader's fine-tuning."""
    return load_replay(ASSETS / "replay")


class Case:
    """What all steps show: the label taken as right, one window, its targets [n], its record."""

    def __init__(self, shown: Shown, own: Own) -> None:
        self.shown, windows = shown, shown.reading.windows
        self.labels, self.by, self.lost = labels_of(shown)
        self.total = sum(label.people for label in self.labels)
        self.mean = own.label == "mean" and len(self.labels) > 1
        at = 0 if own.label == "mean" else min(own.label, len(self.labels) - 1)
        self.span = span = self.labels[at].span
        self.at = None if self.mean else at
        every = [label.span for label in self.labels for _ in range(label.people)]
        self.chosen = every if self.mean else [span]
        home = None if span is None else shown.reading.home(span)
        wanted = windows[min(own.window, len(windows)) - 1] if own.window else home
        self.window = w = wanted or windows[0]
        self.pair = self.place(span)
        self.targets: Two = start_end_targets(w, self.chosen)
        several = f"{self.labels[at].people} of {self.total} people"
        self.who = {"nobody": "the reader's own answer", "people": f"marked by {several}"}.get(
            self.by, f"{'no answer, ' if span is None else ''}marked by {self.by}"
        )
        self.role = INK if self.by == "nobody" else GOLD  # gold is what people marked
        self._record(shown, own)

    def place(self, span: Span | None) -> tuple[int, int]:
        """Right start and right end (positions) of a label: [CLS] twice where it is not held."""
        w = self.window
        if span is None or not w.holds(span):
            return w.cls_at, w.cls_at
        return w.to_pos(span.start), w.to_pos(span.end)

    def _record(self, shown: Shown, own: Own) -> None:
        """The recorded moments that this step offers, and the one shown; `last`: as on screen."""
        record, example, true = replay(), shown.example, shown.true
        rows = record.rows(example.id) if record is not None and example is not None else None
        self.unrecorded = "This text was not recorded while the reader was trained."
        if rows is not None and example is not None and record is not None:
            same = true.checksum == record.checksum and true.options == example.options
            if not same or rows.window != self.window.index:
                self.unrecorded = "The record is of the bundled reader, with this text's own "
                self.unrecorded += f"windows, and of window {rows.window + 1} alone."
                rows = None
        self.rows, self.steps = rows, rows.steps if rows is not None else (0,)
        self.last = len(self.steps) - 1
        places = range(len(self.steps))
        early = min(places, key=lambda k: abs(self.steps[k] - EARLY))
        offered = {1: [self.last], 2: [early, self.last], 3: [0, early, self.last]}
        self.moments = sorted(set(offered.get(shown.state.step, places)))
        wanted = early if own.moment is None else own.moment
        self.now = min(self.moments, key=lambda k: abs(k - wanted))
        self.start, self.end = self.logits(self.now)
        self.log_p: Two = log_softmax(self.start), log_softmax(self.end)

    def logits(self, k: int) -> Two:
        """Start and end logits at a recorded moment; the last is the reader on screen."""
        if self.rows is None or k == self.last:
            start, end = self.shown.reading.logits(self.window.index)
        else:
            start, end = self.rows.start[k], self.rows.end[k]
        return start.astype(np.float64), end.astype(np.float64)

    def costs(self, k: int) -> tuple[float, float, float]:
        """-sum y log P of start and of end at a moment, and L, their mean."""
        both = zip(self.logits(k), self.targets, strict=True)
        start, end = (float(cross_entropy(x, y)) for x, y in both)
        return start, end, (start + end) / 2

    @cached_property
    def history(self) -> list[tuple[float, float, float]]:
        """`costs` of every moment."""
        if self.rows is None:
            return [self.costs(self.last)]
        both = zip((self.rows.start, self.rows.end), self.targets, strict=True)
        start, end = (cross_entropy(x.astype(np.float64), y).tolist() for x, y in both)
        found = [(a, b, (a + b) / 2) for a, b in zip(start, end, strict=True)]
        return [*found[:-1], self.costs(self.last)]

    def when(self, k: int) -> str:
        """A moment in words; empty without a record."""
        if self.rows is None:
            return ""
        if k == self.last:
            return f"at the end, after {self.steps[k]:,} steps"
        return f"after {self.steps[k]:,} training steps" if self.steps[k] else "before training"

    def at_moment(self) -> str:
        """The beginning of a finding: "After 128 training steps: "."""
        found = self.when(self.now)
        return f"{found[:1].upper()}{found[1:]}: the" if found else "The"

    def named(self, pos: int, role: str) -> list[list[str]]:
        """A position as parts, quoted."""
        return said_at(self.shown, self.window, pos, role)


def picture(shown: Shown, own: Own) -> list[Block | None]:
    """The blocks of the step."""
    case, step = Case(shown, own), shown.state.step
    made = (the_loss, the_fit, the_pull, the_training)[step - 1](case)
    undo = button("undo", "Put the reader's own logits back", {"edits": None})
    table_of = (labels_table, pairs_table, pulls_table, moments_table)[step - 1]
    recorded = step == 4 and case.rows is not None
    span = 3 if recorded else 4
    return [
        *made,
        undo if shown.changed else None,
        fold("exactly", "Exactly", *exactly(case, step), span=span),
        fold("table", "As a table", table_of(case), span=span),
        every_p(case) if recorded else None,
        fold("code", "The code", code("py", SNIPPET), span=span),
    ]


def tell(role: str, *said: Part | None) -> Block:
    """The idea, the finding or the closing line."""
    return sentence(role, role, *said)


# ---- numbers as printed


def digits_of(value: float) -> int:
    """Three digits; four where three would leave less than two."""
    return 3 if abs(value) >= 0.0095 else 4


def enough(p: float, printed: Callable[[float], str]) -> str:
    """P with as many digits, three at least, as give the same printed result as P itself."""
    for d in range(3, 7):
        if round(p, d) > 0 and printed(round(p, d)) == printed(p):
            return probability(p, d)
    return probability(p, 6)


def fine(log_p: float, digits: int = 3) -> str:
    """P with as many digits as its printed -log P needs."""
    return enough(float(np.exp(log_p)), lambda p: number(-np.log(max(p, 1e-300)), digits))


def half_sum(start: float, end: float, mean: float) -> list[Part]:
    """1/2 (0.057 + 0.045) = 0.051, in the colours of start and end."""
    d = digits_of(mean)
    same = number((round(start, d) + round(end, d)) / 2, d) == number(mean, d)
    said: list[Part] = ["½ (", [number(start, d), START], " + ", [number(end, d), END], ") "]
    return [*said, "= " if same else "≈ ", [number(mean, d), STRONG]]


# ---- what can be chosen, and what is said beside a finding


def label_choice(case: Case) -> Block | None:
    """Which label is taken as right, where people marked more than one answer."""
    if len(case.labels) < 2 or case.shown.state.veil:
        return None
    e, options = case.shown.encoding, []
    for k, (span, people) in enumerate(case.labels[:5]):
        words = quote(e.text(span), 30) if span is not None else "no answer"
        sets: dict[str, Any] = {"own.loss.label": k or None}
        options.append((f"{words}, {people} of {case.total}", sets, k == case.at))
    options.append((f"all {case.total}, the mean", {"own.loss.label": "mean"}, case.mean))
    return choice("label", "taken as right", options)


def window_choice(case: Case) -> Block | None:
    """Which window is shown: each is a text of its own for training."""
    many, w, span = len(case.shown.reading.windows), case.window, case.span
    if many < 2:
        return None
    held = span is not None and w.holds(span)
    says = "it holds the answer" if held else "without the answer: right start and end are [CLS]"
    names = [f"{k + 1} of {many}" for k in range(many)]
    now = w.index + 1
    return slider("window", "own.loss.window", "window", 1, many, 1, now, 12, says, names=names)


def marking(case: Case) -> Block | None:
    """Mark the selected words as right, or that no answer is."""
    shown, fresh = case.shown, {"own.loss.label": None}
    if shown.state.veil:
        return None
    begins, ends = shown.encoding.chars(shown.selection)
    words = quote(shown.encoding.text(shown.selection), 34)
    options: list[tuple[str, dict[str, Any], bool]] = []
    if begins < ends:
        options.append((f"mark {words} as right", {"gold": [[begins, ends]], **fresh}, False))
    options.append(("no answer is right", {"gold": [], **fresh}, shown.state.gold == ()))
    if shown.state.gold is not None:
        options.append(("take my marks away", {"gold": None, **fresh}, False))
    return choice("marking", "select words of the text, then", options)


def moment_choice(case: Case) -> Block | None:
    """Before training, after 128 steps, at the end: where the text was recorded."""
    if case.rows is None:
        return None
    at = [(case.when(k), {"own.loss.moment": k}, k == case.now) for k in case.moments]
    return choice("moment", "the reader", at)


def asides(case: Case) -> list[Part | None]:
    """What a finding adds where something is not as usual."""
    many, lost, span = len(case.shown.reading.windows), case.lost, case.span
    why = None
    if not case.mean and (span is None or not case.window.holds(span)):
        none = {"nobody": "The reader gives no answer", "you": "You say that no answer is right"}
        why = none.get(case.by, "This text has no answer")
        why = why if span is None else "This window does not hold the answer whole"
        why = f" {why}, so both are [CLS]."
    marks = "one mark does not stand" if lost == 1 else f"{small_number(lost)} marks do not stand"
    return [
        why,
        " Nobody marked what is right: the reader's own answer stands in."
        if case.by == "nobody"
        else None,
        f" Shown is window {case.window.index + 1} of {many}." if many > 1 else None,
        f" Left out: {marks} where the text has these words." if lost else None,
        " Logits changed by hand." if case.shown.changed else None,
    ]


# ---- step 1: the loss


def the_loss(case: Case) -> list[Block | None]:
    """The curve -log P with this text's right start and right end."""
    start, end, mean = case.costs(case.now)
    d, (i, j) = digits_of(mean), case.pair
    loss: list[Part] = ["the loss is ", [number(mean, d), STRONG]]
    said: list[Part | None] = ["The right start ", *case.named(i, START), " has probability "]
    said += [[fine(case.log_p[0][i], d), START], ", the right end ", *case.named(j, END), " "]
    said += [[fine(case.log_p[1][j], d), END], ": ", *loss, "."]
    of_two: list[Part] = ["L = −½ (log P(right start) + log P(right end)) = "]
    of_two += half_sum(start, end, mean)
    if case.mean:
        floor = float(np.mean([entropy(y) for y in case.targets]))
        said = [
            f"People marked {small_number(len(case.labels))} different answers, and each counts"
        ]
        said += [" by its share: ", *loss, f"; it cannot fall below {number(floor, 3)}."]
        of_two = ["L, the mean over people, = ", *mean_of_labels(case, mean)]
    return [
        tell(
            "idea",
            ["Training raises the probability of the right start and the right end: ", STRONG],
            "it lowers the loss L, the mean of the two −log P (natural logarithm).",
        ),
        tell("finding", *said, *asides(case)),
        label_choice(case),
        window_choice(case),
        marking(case) if case.by == "nobody" or case.shown.state.gold is not None else None,
        legend(
            "legend",
            ("over", START, "right start"),
            ("below", END, "right end"),
            ("text", INK, f"right: {'each by its share of people' if case.mean else case.who}"),
        ),
        curve(case),
        formula("formula", of_two),
        tell(
            "closing",
            "Each P is a softmax over all positions, yet the loss reads only the right ones.",
        ),
    ]


def loss_by(case: Case, label: Label) -> float:
    """L of one label alone."""
    i, j = case.place(label.span)
    return -float(case.log_p[0][i] + case.log_p[1][j]) / 2


def mean_of_labels(case: Case, mean: float) -> list[Part]:
    """(2 · 0.051 + 1 · 2.143) / 3 = 0.748: the loss of each label, as often as it was marked."""
    found = [(label.people, loss_by(case, label)) for label in case.labels]
    printed = " + ".join(f"{n} · {number(x, 3)}" for n, x in found[:6])
    total = sum(n * round(x, 3) for n, x in found) / case.total
    same = len(found) <= 6 and number(total, 3) == number(mean, 3)
    more = " + …" if len(found) > 6 else ""
    return [f"({printed}{more}) / {case.total} {'=' if same else '≈'} ", [number(mean, 3), STRONG]]


def curve(case: Case) -> Block:
    """-log P over P with a mark for each right position, named with P and cost."""
    x = np.concatenate([np.geomspace(0.0005, 0.05, 50), np.linspace(0.06, 1, 95)])
    found = [
        (side, int(pos), float(case.log_p[side][pos]))
        for side in (0, 1)
        for pos in np.flatnonzero(case.targets[side])
    ]
    found.sort(key=lambda f: f[2])
    top = max(4.6, -found[0][2] * 1.12)
    unit = top / 4.6
    heights = [-log_p + (0.1 - 0.2 * side) * unit for side, _, log_p in found]
    symbols = [("triangle-down", "triangle-up")[side] for side, *_ in found]
    colours = [SIDES[side][1] for side, *_ in found]
    marks = scatter("markers", np.exp([f[2] for f in found]).tolist(), heights)
    marks["marker"] = {"size": 16, "symbol": symbols, "color": colours, "opacity": 1}
    drawn = scatter("lines", x.round(5).tolist(), (-np.log(x)).round(4).tolist())
    notes, small = curve_names(case, found, heights, top)
    layout = {
        "height": 330,
        "margin": {"l": 62, "r": 14, "t": 8, "b": 50},
        "xaxis": axis("P that the reader gives to the right position", range=[-0.02, 1.03]),
        "yaxis": axis("−log P, what it costs", range=[-0.3 * unit, top]),
        "annotations": notes,
    }
    small |= {"height": 320, "margin.l": 44, "xaxis.title.text": "P of the right position"}
    alt = "The curve of minus log P with this text's right start and right end"
    return figure("figure", [drawn, marks], layout, alt, narrow=small)


def scatter(mode: str, x: Sequence[Any], y: Sequence[Any], **more: Any) -> Block:
    """A trace in ink that says nothing under the pointer."""
    stroke = {"line": {"color": INK, "width": 2.5}} if mode == "lines" else {}
    trace = {"type": "scatter", "mode": mode, "x": list(x), "y": list(y), "hoverinfo": "skip"}
    return {**trace, **stroke, **more}


def figure_name(case: Case, pos: int) -> str:
    """A right position in a figure: its word, of a very long one the piece alone."""
    w, e = case.window, case.shown.encoding
    if not w.is_context[pos]:
        return "<b>[CLS]</b>"
    d = w.to_doc(pos)
    return f"“{bold(e, d)}”" if len(word(e, d)) <= 24 else f"“<b>{escape(dotted(e, d))}</b>”"


def curve_names(
    case: Case, found: list[tuple[int, int, float]], heights: list[float], top: float
) -> tuple[list[Block], Block]:
    """Names of the first six marks, sorted by P: right of those on the steep part of the curve,
    above those near 1; and what a narrow screen shows in their place.
    """
    notes, small, unit, few = list[Block](), dict[str, Any](), top / 4.6, len(found) <= 2
    late = sum(log_p >= np.log(0.5) for *_, log_p in found)
    gap, before, n = (0.85 if few else 0.45) * unit, top + unit, 0
    for k, (side, pos, log_p) in enumerate(found[-6:], max(0, len(found) - 6)):
        (name, role), p, d = SIDES[side], float(np.exp(log_p)), digits_of(log_p)
        words = figure_name(case, pos)
        said = f"right {name}: {words}, P = {probability(p)}"
        if few:
            said = f"right {name}: {words}<br>P = {fine(log_p, d)}, −log P = {number(-log_p, d)}"
        if p >= 0.5 and few:
            y, x, anchor = 1.45 * unit, 0.58 if late > n + 1 else 0.88, ("center", "bottom")
            small[f"annotations.{len(notes)}.ax"] = 0.34 + 0.46 * (n % 2) if late > 1 else 0.7
        elif p >= 0.5:  # one above the other: the lines meet the edges of the names
            y = 1.45 * unit + gap * n
            x, anchor = (0.99, ("right", "middle")) if p > 0.75 else (p + 0.07, ("left", "middle"))
        elif p >= 0.3:  # under the curve there is room
            y, x, anchor = max(0.3 * unit, -log_p - 0.5 * unit), p - 0.04, ("right", "middle")
        else:
            y = before = max(0.3 * unit, min(0.4 * unit - log_p, top - 0.4 * unit, before - gap))
            x, anchor = p + 0.07, ("left", "middle")
        n += p >= 0.5
        brief = f"{words}<br>P = {fine(log_p, d)}" if few else f"{words} {probability(p)}"
        small[f"annotations.{len(notes)}.text"] = brief
        place = {"ax": x, "ay": y, "axref": "x", "ayref": "y", "align": "left", "showarrow": True}
        place |= {"xanchor": anchor[0], "yanchor": anchor[1], "arrowcolor": role}
        notes.append(note(said, p, heights[k], role, arrowhead=0, arrowwidth=1, **place))
        notes[-1]["font"]["size"] = 15
    return notes, small


# ---- step 2: how the two fit


class Pair(NamedTuple):
    """A pair of positions, its score, log P(start) + log P(end), and its words."""

    i: int
    j: int
    score: float
    logs: float
    words: str


def pairs_of(case: Case, most: int = 5) -> tuple[list[Pair], Pair]:
    """The pairs with the highest scores, "no answer" and the right pair among them, and the right
    one. Of variants that differ by a mark or by part of a word the best stands alone.
    """
    w, e = case.window, case.shown.encoding

    def pair(i: int, j: int) -> Pair:
        words = "no answer"
        if w.is_context[i]:
            words = quote(e.text(Span(w.to_doc(i), w.to_doc(j))), 44)
        logs = float(case.log_p[0][i] + case.log_p[1][j])
        return Pair(i, j, float(case.start[i] + case.end[j]), logs, words)

    seen = set[tuple[int, int]]()
    found = [pair(w.cls_at, w.cls_at)]
    for i, j in top_spans(case.start, case.end, w, case.shown.decode, n=200).tolist():
        span = range(w.to_doc(i), w.to_doc(j) + 1)
        inside = [d for d in span if any(c.isalnum() for c in piece(e, d))]
        key = (int(e.word_ids[inside[0]]), int(e.word_ids[inside[-1]])) if inside else (-1, i)
        if key not in seen:
            seen.add(key)
            found.append(pair(i, j))
        if len(seen) == most:
            break
    right = pair(*case.pair)
    found = sorted(found, key=lambda p: -p.score)[:most]
    if right not in found:
        found = sorted([*found[: most - 1], right], key=lambda p: -p.score)
    return found, right


def the_fit(case: Case) -> list[Block | None]:
    """Five pairs as dots on one line with two scales."""
    found, right = pairs_of(case)
    constant = float(logsumexp(case.start) + logsumexp(case.end))
    d, w, decode = digits_of(right.logs), case.window, case.shown.decode
    barred = reason(w, right.i, right.j, decode) if w.is_context[right.i] else None
    if barred:
        why = {"too long": f"longer than {decode.max_answer_length} pieces"}.get(barred, barred)
        ends = f"The right pair is not allowed ({why}): no search returns it."
    else:
        yet = "" if case.now == case.last else " yet"
        ends = f"The highest is {'' if found[0] == right else f'not{yet} '}the right one."
    which = " The label that most people marked is the right pair." if case.mean else None
    a, b = float(case.log_p[0][right.i]), float(case.log_p[1][right.j])
    score: list[Part] = [
        "score = ",
        [f"({number(a, d)})", START],
        " + ",
        [f"({number(b, d)})", END],
    ]
    score += [f" + {number(constant, d)} {adds((a, b, constant), right.score, d)} "]
    score += [[number(right.score, d), STRONG]]
    minus = f"({number(right.score, d)})" if right.score < 0 else number(right.score, d)
    twice: list[Part] = [",  so 2 L = −log P(start) − log P(end) = ", f"{number(constant, d)} − "]
    twice += [f"{minus} {adds((constant, -right.score), -right.logs, d)} "]
    twice += [[number(-right.logs, d), STRONG]]
    return [
        tell(
            "idea",
            "Prediction takes the pair with the highest score. Training raises "
            "log P(start) + log P(end) of the right pair. ",
            ["It is one quantity, on two scales.", STRONG],
        ),
        tell(
            "finding",
            f"{case.at_moment()} score of every pair is log P(start) + log P(end) + ",
            [number(constant), STRONG],
            f", the same constant for all. {ends}",
            which,
            *asides(case),
        ),
        moment_choice(case),
        legend(
            "legend",
            ("dot", case.role, f"the right pair ({case.who})"),
            ("line", case.role, "what training shortens: 2 L, as L is the mean of the two"),
            ("dot", MID, "other pairs"),
        ),
        dots(case, found, right, constant),
        formula("formula", [*score, *twice], label="the right pair"),
        tell(
            "closing",
            "Training reads the right pair's P only and never searches. "
            "Prediction searches and does not know the right pair.",
        ),
    ]


def dots(case: Case, found: list[Pair], right: Pair, constant: float) -> Block:
    """The pairs: score on one axis, log P(start) + log P(end) on the other, 0 if both P are 1."""
    at, role, d = found.index(right), case.role, digits_of(right.logs)
    room = max(0.01, -min(p.logs for p in found))
    low, high, rows = -room * 1.1, room * 0.1, list(range(len(found)))
    same = [p.words for p in found]
    words = [p.words + f", position {p.i}" * (same.count(p.words) > 1) for p in found]

    def names(most: int) -> list[str]:
        cut = [escape(w if len(w) <= most else w[: most - 2] + "…”") for w in words]
        return [f"<b>{w}</b>" if r == at else w for r, w in enumerate(cut)]

    def side(r: int, p: Pair) -> str:
        return "middle left" if p.logs > -room / 2 else f"{'top' if r == at else 'middle'} right"

    points = scatter("markers+text", [p.logs for p in found], rows, cliponaxis=False)
    points["text"] = [
        f"   score {number(p.score, d if r == at else 2)}   " for r, p in enumerate(found)
    ]
    points["textposition"] = [side(r, p) for r, p in enumerate(found)]
    points["textfont"] = {"size": 14, "color": INK}
    colours = [role if r == at else MID for r in rows]
    points["marker"] = {"size": 16, "color": colours, "opacity": 1, "line": {"width": 0}}
    # plotly draws a second axis only where a trace stands on it
    other = scatter("markers", [constant], [0], xaxis="x2", marker={"opacity": 0})
    loss = f"<b>2 L = {number(-right.logs, d)}</b>"
    named = note(loss, 0, at, role, yshift=-17, xanchor="right", xshift=-4)
    named["font"]["size"] = 15
    layout = {
        "height": 316,
        "margin": {
            "l": int(min(364, 26 + max(7.3 * len(w) for w in words))),
            "r": 16,
            "t": 54,
            "b": 50,
        },
        "yaxis": axis(
            tickvals=rows, ticktext=names(50), range=[len(rows) - 0.4, -0.6], showgrid=False
        ),
        "xaxis": axis(
            "log P(start) + log P(end): 0 if both P are 1", range=[low, high], showgrid=False
        ),
        "xaxis2": axis(
            "score = start logit + end logit",
            range=[low + constant, high + constant],
            showgrid=False,
            side="top",
            overlaying="x",
            tickmode="sync",
            tickformat=".2f",
        ),
        "shapes": [
            *(line(0, 1, r, r, LINE, xref="paper", width=1, layer="below") for r in rows),
            line(0, 0, 0, 1, INK, yref="paper", width=2, dash="dot"),
            line(right.logs, 0, at, at, role, width=4),
        ],
        "annotations": [named],
    }
    alt = (
        "The best pairs on one line with two scales, the score and the sum of the two logarithms; "
    )
    small = {"margin.l": 118, "yaxis.ticktext": names(16), "yaxis.tickfont": {"size": 12}}
    small["xaxis.title.text"] = "log P(start) + log P(end)"
    return figure("figure", [points, other], layout, alt + loss[3:-4], narrow=small)


# ---- step 3: the pull


def pulls_of(case: Case) -> Two:
    """-dL / d logit = 1/2 (y - P) of every start and end logit; each side sums to 0."""
    both = zip((case.start, case.end), case.targets, strict=True)
    start, end = (-cross_entropy_gradient(x, y) / 2 for x, y in both)
    return start, end


def the_pull(case: Case) -> list[Block | None]:
    """An arrow on every logit that is pulled."""
    pull = pulls_of(case)
    least = next((x for x in LEAST if all((np.abs(v) >= x).sum() <= 6 for v in pull)), LEAST[-1])
    i = int(np.abs(pull[0]).argmax()) if case.mean else case.pair[0]
    p, y, mine = float(np.exp(case.log_p[0][i])), float(case.targets[0][i]), float(pull[0][i])
    d, others = digits_of(mine), len(pull[0]) - 1
    size: Part = [number(abs(mine), d), STRONG]
    idea: list[Part] = [["up at the right position", STRONG], " (y = 1), "]
    idea += [["down at every other one", STRONG], " (y = 0)."]
    said: list[Part | None] = [f"{case.at_moment()} right start ", *case.named(i, START)]
    said += [" is pulled up by ", size, f"; the {others} other starts are pulled down, by ", size]
    said += [" together."]
    closing = "The loss reads one P of each softmax, yet pulls every logit: raising one P lowers "
    closing += "the others."
    target, labels = f"{y:.0f}", f"the right answer ({case.who})"
    if case.mean:
        idea = ["y is the share of people who marked the position: "]
        idea += [["up where P is too small, down where it is too large.", STRONG]]
        said = [f"{case.at_moment()} start logit of ", *case.named(i, START), " is pulled "]
        said += ["up by " if mine > 0 else "down by ", size, ", the most of all starts."]
        closing = "Where people disagree no P should reach 1: the pull ends when P is their share."
        target, labels = f"{round(y * case.total)}/{case.total}", "what people marked"
    printed = enough(p, lambda q: signed((y - q) / 2, d))
    whole: list[Part] = [["start logit of ", "dim"], *case.named(i, START), "   ½ (y − P) = ½ ("]
    whole += [f"{target} − ", [printed, START], ") ", "≈ " if printed[0] in "<>" else "= "]
    return [
        tell("idea", "The loss pulls every logit by ½ (y − P): ", *idea),
        tell("finding", *said, *asides(case)),
        moment_choice(case),
        legend(
            "legend",
            ("rise", START, "start logit pulled up"),
            ("fall", START, "pulled down"),
            ("rise", END, "end logit, under the words"),
            ("fill" if case.role == INK else "tint", MID if case.role == INK else GOLD, labels),
            ("text", GREY, f"no arrow: under {least:g}"),
        ),
        passage(case, "pulls", pull, least, True, 132),
        formula("formula", [*whole, [signed(mine, d), STRONG]]),
        tell("closing", closing),
    ]


def lifts(case: Case, values: Floats, least: float, height: int) -> dict[int, int]:
    """The positions drawn, and by how many rows each label is raised so that none touch."""
    w, e, placed, found = case.window, case.shown.encoding, list[tuple[float, float]](), {}
    for pos in np.flatnonzero(np.abs(values) >= least).tolist():
        x = float(e.offset_mapping[w.to_doc(pos)].mean()) if w.is_context[pos] else 9.0 * pos - 9999
        y, lift = max(9.0, abs(float(values[pos])) * height), 0
        while any(abs(x - a) < 6 and abs(y + 17 * lift - b) < 17 for a, b in placed) and lift < 4:
            lift += 1
        placed.append((x, y + 17 * lift))
        found[pos] = lift
    return found


def passage(case: Case, key: str, values: Two, least: float, arrows: bool, height: int) -> Block:
    """The window as text with what is at least `least` on its words. Question and [SEP] stand there
    if something of theirs is drawn; of a long paragraph only what lies near a value or a mark.
    """
    w, e = case.window, case.shown.encoding
    drawn = [lifts(case, v, least, height) for v in values]
    digits = 3 if least < 0.01 else 2

    def valued(one: Block, pos: int) -> Block:
        for lane, v, at in zip(("up", "down"), values, drawn, strict=True):
            if pos in at:
                said = signed(v[pos], digits) if arrows else probability(float(v[pos]))
                one[lane] = [round(float(v[pos]), 4), said, at[pos]]
        return one

    mine = "predicted" if case.by == "nobody" else "right"
    special: dict[str, Any] = {"marks": ["special"]}
    inside = paragraph_items(e, w.doc_start, w.doc_stop)
    for span in set(case.chosen):
        if span is not None and w.holds(span):
            mark(inside, span, mine)
    paragraph = [valued(one, w.context_at + k) for k, one in enumerate(inside)]
    asked = [*question_items(e), item("[SEP]", **special)]
    asked = [valued(one, w.context_at - len(asked) + k) for k, one in enumerate(asked)]
    ends = valued(item("[SEP]", **special), len(w) - 1)
    marks = ["special", mine] if case.targets[0][w.cls_at] else ["special"]
    null = valued(item("[CLS] no answer", "  ", marks=marks), w.cls_at)
    has = [any("up" in one or "down" in one for one in some) for some in (asked, [ends])]
    shown = [*shortened(paragraph, mine), *([ends] if has[1] else [])]
    return text(
        key,
        *([segment([null, *asked], "question")] if has[0] else []),
        segment(shown if has[0] else [null, *shown], "paragraph"),
        up=START,
        down=END,
        height=height,
        arrows=arrows,
    )


def shortened(items: list[Block], mine: str, most: int = 130, near: int = 6) -> list[Block]:
    """Of more than `most` items those near a value or a marked word; dots stand for the rest."""

    def speaks(one: Block) -> bool:
        return "up" in one or "down" in one or mine in one.get("marks", [])

    held = [k for k, one in enumerate(items) if speaks(one)]
    kept = {j for k in held or [0] for j in range(k - near, k + near + 1)}
    found = list[Block]()
    for k, one in enumerate(items):
        if k in kept or len(items) <= most:
            found.append(one)
        elif not found or found[-1]["t"] != "…":
            found.append(item("…", " ", marks=["special"]))
    return found


# ---- step 4: the training


def the_training(case: Case) -> list[Block | None]:
    """The loss of this text at every recorded moment."""
    idea = tell(
        "idea",
        ["Step by step, training lowers L, averaged over many texts. ", STRONG],
        "S and E begin as random numbers and are learned together with the encoder.",
    )
    closing = tell("closing", "The loss of one text may rise: each step follows other texts.")
    if case.rows is None:
        other = button("recorded", "A text that was recorded", {"example": "oresund"})
        return [idea, tell("finding", case.unrecorded, " So there is no curve."), other, closing]
    start, end, mean = case.costs(case.now)
    i, j = (int(x.argmax()) for x in case.log_p)
    said: list[Part | None] = [f"{case.at_moment()} loss L of this text is "]
    said += [[number(mean, digits_of(mean)), STRONG], "; the most probable start is "]
    said += [*case.named(i, START), " (", [probability(np.exp(case.log_p[0][i])), START], "), the "]
    said += ["most probable end ", *case.named(j, END), " ("]
    said += [[probability(np.exp(case.log_p[1][j])), END], ")."]
    names, says = [f"{at:,}" for at in case.steps], f"of {case.steps[-1]:,}, in "
    says += f"{len(case.steps)} recorded moments of this reader's own training"
    field, now = "own.loss.moment", case.now
    return [
        idea,
        tell("finding", *said, *asides(case)),
        slider("moment", field, "training step", 0, case.last, 1, now, 12, says, names=names),
        falling(case, mean),
        formula("formula", [[f"{case.when(now)}:   ", "dim"], "L = ", *half_sum(start, end, mean)]),
        closing,
    ]


def falling(case: Case, loss: float) -> Block:
    """L over training steps on a log axis from step 1; the moment shown is the overlay's."""
    steps, k, flat = case.steps, case.now, float(np.log(len(case.window)))
    at = [m for m in range(len(steps)) if steps[m] >= 1]
    losses = [case.history[m][2] for m in at]
    x = [steps[m] for m in at]
    points = scatter("markers", x, losses, marker={"size": 12, "opacity": 0}, customdata=at)
    points |= {"hoverinfo": "text", "sets": {"own.loss.moment": "customdata"}}
    points["text"] = [f"step {s:,}: L = {number(y)}" for s, y in zip(x, losses, strict=True)]
    here, far = float(np.log10(max(1, steps[k]))), steps[k] > 1500
    said = f"<b>L = {number(loss, digits_of(loss))}</b>"
    name = note(said, here, loss, xanchor="right" if far else "left", xshift=-12 if far else 12)
    name |= {"yshift": 24 if loss < 0.8 * flat else -24, "font": {"size": 16, "color": INK}}
    dot = note("●", here, loss) | {"font": {"size": 24, "color": INK}}
    same = f"if all {len(case.window)} positions had the same P: L = log {len(case.window)} = "
    even = note(same + number(flat), 0.99, flat, GREY, xref="paper", xanchor="right")
    ticks: dict[str, Any] = {
        "tickvals": [10**t for t in range(6)],
        "ticktext": [f"{10**t:,}" for t in range(6)],
    }
    layout = {
        "height": 336,
        "margin": {"l": 60, "r": 14, "t": 10, "b": 52},
        "xaxis": axis(
            "training step (each mark is ten times the one before)",
            type="log",
            range=[-0.08, float(np.log10(max(10, steps[-1]))) + 0.1],
            showgrid=False,
            **ticks,
        ),
        "yaxis": axis("loss L of this text", range=[-0.15, max(*losses, flat) * 1.13]),
        "shapes": [line(0, 1, flat, flat, GREY, xref="paper", width=2, dash="dot")],
        "annotations": [even | {"yanchor": "bottom"}],
    }
    small = {"height": 300, "annotations.0.text": f"all P equal: {number(flat)}"}
    small["xaxis.title.text"] = "training step"
    alt = f"The loss of this text at {len(at)} recorded training steps"
    over = {"annotations": [dot, name]}
    return figure("figure", [scatter("lines", x, losses), points], layout, alt, 12, over, small)


# ---- folds


def every_p(case: Case) -> Block:
    """The text with a bar of P(start) and P(end) on its words, at the moment."""
    up = ("bar", START, "above a word: P(start)")
    key = legend(
        "bars-key", up, ("bar", END, "below: P(end)"), ("text", GREY, "no bar: under 0.05")
    )
    shown = passage(case, "bars", (softmax(case.start), softmax(case.end)), 0.05, False, 60)
    return fold("every-p", "Every P at this moment, in the text", key, shown, span=3)


def exactly(case: Case, step: int) -> list[Block | None]:
    """Conditions that the screens do without, and what else may be taken as right."""
    z = [number(float(logsumexp(x)), 3) for x in (case.start, case.end)]
    longest, windows = case.shown.decode.max_answer_length, case.shown.reading.windows
    more = "the loss of chapter Tags and, later, the logits of a larger reader as targets"
    said = {
        1: f"Each softmax runs over all {len(case.window)} positions of the window: [CLS], "
        "question, separators, paragraph; the end's has a sum of its own. The loss is taken at the "
        "right positions, wherever the prediction lies. A text without an answer, and a window "
        "that does not hold it whole, has [CLS] as right start and right end. Where people "
        "disagree, training took the mean over them. Some codes take the sum of start and end, not "
        "the mean: the gradient is twice as large, which the optimiser Adam hardly notices, as it "
        f"divides by its size. This reader's training also held {more}.",
        2: f"log P(start i) = start logit i − {z[0]}, the log of Σ exp over all start logits; for "
        f"the ends it is {z[1]}: together the same for every pair of this window at this moment. "
        "Training and another window change it. “No answer” is the pair of [CLS] with itself. "
        "P(start) P(end) is the probability of a pair if start and end are independent. Prediction "
        f"compares allowed pairs only (the end not before the start, at most {longest} pieces, the "
        "start owned by the window), while both sums of exp contain every position.",
        3: "The pull is minus the gradient: ∂L / ∂logit = ½ (P − y). All pulls on start logits add "
        "up to 0, and those on end logits. A step moves weights, not logits, so the logits follow "
        "only on average over many texts. Before training: a pre-trained encoder with a new output "
        "layer, whose S and E are random.",
        4: f"Each step follows the gradient of one batch; what it lowers also held {more}. "
        "The curve begins at step 1, as a log axis has no 0. The last recorded moment is a mean of "
        "the weights of several moments, and no step. Logits are recorded in half precision.",
    }[step]
    if len(windows) > 1:
        mean = sum(t.weight * t.value for t in start_end_loss(case.shown.reading, case.chosen))
        said += f" Each of the {len(windows)} windows is a text of its own for training; the mean "
        said += f"of their losses at the end is {number(mean, 3)}."
    unsaid = f"{case.unrecorded} " if case.rows is None and step in (2, 3) else None
    later = [label_choice(case), window_choice(case)] if step > 1 else []
    marks = [] if step == 1 and (case.by == "nobody" or case.by == "you") else [marking(case)]
    return [sentence("conditions", "note", unsaid, said), *later, *marks]


def heads(*names: str) -> list[tuple[str, str]]:
    """Columns; those that speak of starts or of ends in their colour."""
    roles = {"start": START, "end": END}
    return [(n, next((r for k, r in roles.items() if k in n), "")) for n in names]


def labels_table(case: Case) -> Block:
    """One row for each label: its P, what they cost, and its loss."""
    rows = []
    for k, label in enumerate(case.labels):
        i, j = case.place(label.span)
        a, b = float(case.log_p[0][i]), float(case.log_p[1][j])
        words = (
            "no answer" if label.span is None else quote(case.shown.encoding.text(label.span), 44)
        )
        words += " ([CLS] in this window)" if label.span and i == case.window.cls_at else ""
        cells = [f"{label.people} of {case.total}", fine(a), number(-a, 3), fine(b), number(-b, 3)]
        sets = {"own.loss.label": k or None}
        rows.append(row(words, *cells, number(loss_by(case, label), 3), sets=sets))
    names = heads("taken as right", "people", "P(start)", "−log P(start)", "P(end)", "−log P(end)")
    return table("rows", [*names, ("L", "")], rows, caption="The loss by each label")


def pairs_table(case: Case) -> Block:
    """The pairs of the picture: logits, logarithms, score."""
    (found, right), w, rows = pairs_of(case), case.window, []
    for p in found:
        inside = bool(w.is_context[p.i])
        sets = {"selection": [w.to_doc(p.i), w.to_doc(p.j)]} if inside else None
        cells = [number(case.start[p.i]), number(case.end[p.j]), number(p.score)]
        logs = [number(case.log_p[0][p.i], 3), number(case.log_p[1][p.j], 3), number(p.logs, 3)]
        name = p.words + (" (the right one)" if p == right else "")
        rows.append(row(name, *cells, *logs, sets=sets, strong=p == right))
    names = heads("pair", "start logit", "end logit", "score", "log P(start)", "log P(end)", "sum")
    return table("rows", names, rows, caption="Five pairs on both scales")


def pulls_table(case: Case) -> Block:
    """The twelve positions that are pulled most."""
    w, pull, rows = case.window, pulls_of(case), []
    both = list(zip(case.targets, case.log_p, pull, strict=True))
    for pos in np.argsort(-np.maximum(*map(np.abs, pull)), kind="stable")[:12].tolist():
        sets = {"selection": [w.to_doc(pos)] * 2} if w.is_context[pos] else None
        cells = [
            cell
            for y, log_p, g in both
            for cell in (f"{y[pos]:.2g}", probability(float(np.exp(log_p[pos]))), signed(g[pos], 3))
        ]
        rows.append(row(position_name(case.shown, w, pos), *cells, sets=sets))
    names = heads("token", "y, start", "P(start)", "pull, start", "y, end", "P(end)", "pull, end")
    return table("rows", names, rows, caption="The twelve positions that are pulled most")


def moments_table(case: Case) -> Block:
    """Every recorded moment with its loss."""
    rows = []
    for k in case.moments if case.rows is not None else []:
        cells = [number(x, 3) for x in case.history[k]]
        sets = {"own.loss.moment": k}
        rows.append(row(f"{case.steps[k]:,}", *cells, sets=sets, strong=k == case.now))
    names = heads("training step", "−log P(start)", "−log P(end)", "L")
    return table("rows", names, rows, caption="The loss at every recorded moment")
