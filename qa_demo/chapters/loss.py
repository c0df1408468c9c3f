"""Chapter 5, Loss: what training lowers, and how it fits the search for the best span.

L = -1/2 (log P(right start) + log P(right end)), natural logarithm, P a softmax over all positions
of the unpadded window. dL / d logit = (P - y) / 2, y the share of marks at the position.
"""

import re
from collections.abc import Sequence
from math import ceil
from typing import Any, Literal

import numpy as np

from qa_demo import blocks as ui
from qa_demo import by_hand, printed, texts
from qa_demo.blocks import END, GOLD, GREY, INK, MID, PAPER, START, Block
from qa_demo.core import losses
from qa_demo.core.base import logsumexp
from qa_demo.core.losses import Recorded, ReplayRows, StartEnd, load_replay
from qa_demo.core.spans import Pair, best_pairs, reason, scored_pair, span_scores
from qa_demo.core.store import ASSETS, bundled
from qa_demo.core.types import Span, Window
from qa_demo.printed import STRONG, Part, adds, fine, number, probability, say, signed, value
from qa_demo.shown import Shown
from qa_demo.state import Place, Record

NAME = "Loss"
STEPS = (
    ("The loss", "What does training lower?"),
    ("Loss and best span", "What does the loss have to do with the best span?"),
    ("The pull", "Which way does the loss pull each logit?"),
    ("The training", "How did the loss of one text fall?"),
)
IDEAS = (
    "*Training lowers the loss L*, the mean of −log P(right start) and −log P(right end): so it "
    "raises the log-likelihood, the sum of both log P (natural logarithm).",
    "The products P(start) · P(end) of all pairs {}add up to 1; the larger a pair's product, the "
    "higher its score. The right pair's is exp(−2 L): *the lower L, the fewer pairs can score "
    "above the right one.*",
    "The pull on a logit, −slope (gradient) of L there, is ½ (y − P): *up at the right "
    "position* (y = 1), *down at every other one* (y = 0).",
    "*Training lowers L, averaged over many texts*; the curve is the L of this one text. S and "
    "E begin at random, the encoder is trained already, on other texts; all now learn together.",
)
CLOSINGS = (
    "The loss reads P at the right positions only; every position's logit is in that P.",
    "Training reads P(right start) and P(right end) only and never searches. Prediction searches "
    "and does not know the right pair.",
    "The loss reads one P of each softmax, yet pulls every logit: all stand in that softmax's sum.",
    "Before training positions are about equally likely, so L ≈ log {} = {}.{}",
)
EARLY = 91
"""The training step that this chapter opens on: the loss is large, and its cause is seen."""
LEAST = (0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2)
"""Sizes under which a pull gets no arrow: the first that leaves six a side is taken."""
Made = tuple[list[Block | None], Block | None]
"""What a step shows between its idea and its closing line, and its numbers as a table."""
STROKE = {"color": INK, "width": 2.5}


class Own(Record):
    """The label taken as right (0: the one with most marks), and the recorded moment."""

    label: Place | Literal["mean"] = 0
    moment: Place | None = None


def rows_of(shown: Shown, window: Window) -> tuple[ReplayRows | None, str]:
    """The recorded logits of this text and window; else why there are none."""
    (weights, recorded), example, true = load_replay(ASSETS / "replay"), shown.example, shown.true
    if example is None or (rows := recorded.get(example.id)) is None:
        return None, "This text was not recorded while the reader was trained."
    if (true.checksum, weights) != bundled():
        return None, "The record is of the bundled reader, not of this one."
    if true.options != example.options:
        return None, "The record is of this text in its own windows, not in these."
    if rows.window == window.index:
        return rows, ""
    return None, f"The record is of window {rows.window + 1}, not of window {window.index + 1}."


class Case:
    """What all steps show: the labels, which is taken as right, and one recorded moment."""

    def __init__(self, shown: Shown, own: Own) -> None:
        self.shown, step, self.cls = shown, shown.state.step, shown.encoding.cls_token
        self.labels, self.by = losses.count_labels(shown.encoding, shown.golds), shown.marked_by
        if not self.labels:  # the text has no answer, or nobody marked one: then the reader's own
            read = shown.true_prediction.answer_span if self.by == "nobody" else None
            self.labels = [losses.Label(read and read.span, 1)]
        self.total = sum(label.marks for label in self.labels)
        self.mean = own.label == "mean" and step == 1 < len(self.labels)  # else the one at `at`
        self.at = 0 if own.label == "mean" else min(own.label, len(self.labels) - 1)
        self.span, marks = self.labels[self.at]
        home = None if self.span is None else shown.reading.home(self.span)
        self.window = home or shown.reading.windows[0]
        self.pair = losses.right_pair(self.window, self.span)  # its positions
        self.who, self.role = "the reader's own answer", INK
        if self.by != "nobody":
            self.who, self.role = "no answer, " * (not self.span) + shown.whose(marks), GOLD

        every = [label.span for label in self.labels for _ in range(label.marks)]
        self.targets = losses.start_end_targets(self.window, every if self.mean else [self.span])
        rows, self.unrecorded = rows_of(shown, self.window)  # why there is no record
        self.record = r = Recorded(rows, shown.reading.logits(self.window.index), self.targets)
        early = min(range(len(r.steps)), key=lambda k: abs(r.steps[k] - EARLY))
        few = sorted({0 if step == 3 else early, early, r.last})
        self.moments = range(len(r.steps)) if step == 4 else few
        moment = early if own.moment is None else own.moment
        self.now = now = min(self.moments, key=lambda k: abs(k - moment))
        self.logits, self.log_p, self.cost = (r.start[now], r.end[now]), r.log_p(now), r.costs[now]
        self.loss, when = self.cost[2], self.when(now)  # the mean of the costs of start and end
        self.begins = f"{when[:1].upper()}{when[1:]}: the" if when else "The"

    def loss_by(self, label: losses.Label) -> float:
        right = losses.right_pair(self.window, label.span)
        return -scored_pair(*self.logits, *right).log_p / 2

    def when(self, k: int) -> str:
        """A moment in words; empty without a record."""
        step = self.record.steps[k]
        if self.unrecorded:
            return ""
        if k == self.record.last:
            return f"at the end, after {step:,} steps"
        return f"after {step:,} training steps" if step else "before training"

    def named(self, pos: int, role: str) -> list[list[str]]:
        return texts.parts_at(self.shown, self.window, pos, role)

    def names(self, spans: Sequence[Span | None], most: int = 44) -> list[str]:
        names = iter(texts.span_names(self.shown.encoding, [*filter(None, spans)], most))
        return [next(names)[0] if span else "no answer" for span in spans]

    def text(self, key: str, values: StartEnd, least: float, height: int) -> Block:
        """The window as text, the right answer marked, with values `least` in size on its words, as
        arrows where some are negative; question and separator stand there if a value does.
        """
        w, name = self.window, "predicted" if self.by == "nobody" else "right"
        items, arrows = texts.window_items(self.shown, w), bool((values[0] < 0).any())
        items[0] |= {"t": f"{self.cls} no answer", "gap": "  "}
        if self.span and w.holds(self.span):
            texts.look(items, self.span, name)
        else:
            items[0]["looks"].append(name)
        for lane, v in zip(("up", "down"), values, strict=True):
            for pos in np.flatnonzero(np.abs(v) >= least).tolist():
                label = signed(v[pos], 3) if arrows else probability(float(v[pos]))
                items[pos][lane] = [round(float(v[pos]), 4), label]
        loud = [bool({"up", "down"} & {*one}) for one in items]
        first, asked, read = items[:1], items[1 : w.context_at], items[w.context_at :]
        read = texts.shortened(self.shown, read if loud[-1] else read[:-1], least)
        named = [([*first, *read], "paragraph")]
        if any(loud[1 : w.context_at]):
            named = [([*first, *asked], "question"), (read, "paragraph")]
        style: Block = {"up": START, "down": END, "height": height, "arrows": arrows}
        style["select"] = False  # nothing here follows a selection
        return texts.text(key, *(texts.segment(*one) for one in named), **style)


def picture(shown: Shown, own: Own) -> list[Block | None]:
    case, step = Case(shown, own), shown.state.step
    made, table = (the_loss, the_fit, the_pull, the_training)[step - 1](case)
    more = every_p(case) if step == 4 and not case.unrecorded else None
    changes = by_hand.changes(shown, ", in the reader as training left it")
    count = len(case.window)
    unseen = "" if case.unrecorded else " Training never read this text."
    last = ui.closing(CLOSINGS[step - 1].format(count, number(np.log(count)), unseen))
    where = ["of the window " * (len(shown.reading.windows) > 1)] * (step == 2)
    made = [*changes, ui.idea(IDEAS[step - 1], *where), *made, last]
    return [*made, *ui.folds(table, [exactly(case)], "loss", more)]


def half_sum(start: float, end: float, mean: float) -> list[Part]:
    """1/2 (0.057 + 0.045) = 0.051, in the colours of start and end."""
    d = printed.digits_of(mean)
    both = number(start, d), number(end, d)
    whole = [printed.mean(*both, number(mean, d)), STRONG]
    return say("½ ({} + {}){}", [both[0], START], [both[1], END], whole)


def strong(x: float) -> list[str]:
    """A loss or a pull, as a part."""
    return [number(x, printed.digits_of(x)), STRONG]


def label_choice(case: Case) -> Block | None:
    """Which label is taken as right, where more than one answer is marked."""
    if len(case.labels) < 2 or case.shown.state.veil:
        return None
    options: list[tuple[str, dict[str, Any], bool]] = []
    spans, marks = zip(*case.labels, strict=True)
    for k, words in enumerate(case.names(spans, 30)):
        said = f"{words}, {marks[k]} of {case.total}"
        options.append((said, {"own.loss.label": k or None}, not case.mean and k == case.at))
    options.append((f"all {case.total}, the mean", {"own.loss.label": "mean"}, case.mean))
    return ui.choice("label", "taken as right", options)


def moment_choice(case: Case) -> Block | None:
    """Before training, after 91 steps, at the end: where the text was recorded."""
    if case.unrecorded:
        return None
    at = [(case.when(k), {"own.loss.moment": k}, k == case.now) for k in case.moments]
    return ui.choice("moment", "the reader", at)


def asides(case: Case) -> str:
    """What a finding adds where something is not as usual."""
    said = ""
    if case.by == "nobody":
        said += " Nobody marked what is right: the reader's own answer stands in."
    elif not case.mean and case.pair == (0, 0):
        why = "No window holds the answer whole" if case.span else "This text has no answer"
        said += f" {why}, so the right start and end are {case.cls}."
    return said + texts.which_window(case.shown, case.window, " You see {}.")


def the_loss(case: Case) -> Made:
    """Step 1: the curve -log P with this text's right start and right end."""
    finding, whole = loss_of_mean(case) if case.mean else loss_of_pair(case)
    right = f"right: {'each by its share of marks' if case.mean else case.who}"
    sides = [("over", START, "right start"), ("below", END, "right end")]
    w, rights, rows = case.window, list[tuple[str, float, str]](), list[Block]()
    for side, y, log_p in zip((START, END), case.targets, case.log_p, strict=True):
        at = np.flatnonzero(y).tolist()
        rights += [(side, float(log_p[k]), texts.figure_name(case.shown, w, k)) for k in at]
    names = case.names([label.span for label in case.labels])
    for n, (label, words) in enumerate(zip(case.labels, names, strict=True)):
        pair = losses.right_pair(w, label.span)
        costs = [fine(log_p[k]) for log_p, k in zip(case.log_p, pair, strict=True)]
        words += f" ({case.cls} here)" * (bool(label.span) and pair[0] == 0)
        who = "nobody" if case.by == "nobody" else f"{label.marks} of {case.total}"
        cells = words, who, *costs, number(case.loss_by(label), 3)
        rows.append(ui.row(*cells, sets={"own.loss.label": n or None}))
    ends, last = list[tuple[str, float]](), case.record.last
    if not case.mean and case.now != last:
        both = zip((START, END), case.record.log_p(last), case.pair, strict=True)
        ends = [(side, float(log_p[k])) for side, log_p, k in both]
        sides.append(("text", INK, "empty: at the end of training"))
    made = [
        finding,
        moment_choice(case),
        label_choice(case),
        ui.legend("key", *sides, ("text", INK, right)),
        cost_curve(rights, ends),
        ui.formula("formula", whole),
    ]
    columns = ["taken as right", "marks", "P(right start)", "P(right end)", "L"]
    return made, ui.table("rows", columns, rows, "The loss by each label")


def loss_of_pair(case: Case) -> tuple[Block, list[Part]]:
    """P of the right start and of the right end, and the loss; its formula."""
    d, words = printed.digits_of(case.loss), list[Any]()
    for k, log_p, role in zip(case.pair, case.log_p, (START, END), strict=True):
        words += [case.named(k, role), [fine(log_p[k], d), role]]
    said = f"{case.begins} right start {{}} has probability {{}}, the right end {{}} {{}}: "
    said += "the loss is {}.{}"
    whole = "L = −½ (log P(right start) + log P(right end)) = {}"
    changed = ", with the changed logits," * case.shown.changed
    end = f" At the end of training{changed} it is {number(case.record.costs[-1][2], 3)}."
    end = asides(case) if case.now == case.record.last else end + asides(case)
    return ui.finding(said, *words, strong(case.loss), end), say(whole, half_sum(*case.cost))


def loss_of_mean(case: Case) -> tuple[Block, list[Part]]:
    """The loss where every label counts; (2 · 0.051 + 1 · 2.143) / 3 = 0.748."""
    said = f"{case.begins} loss is {{}}, the mean over the marks.{{}}"
    found = [(label.marks, case.loss_by(label)) for label in case.labels]
    terms = " + ".join(f"{n} · {number(x, 3)}" for n, x in found)
    sign = adds([sum(n * round(x, 3) for n, x in found) / case.total], case.loss, 3)
    whole = f"L, the mean over the marks, = ({terms}) / {case.total} {sign} {{}}"
    loss = strong(case.loss)
    return ui.finding(said, loss, asides(case)), say(whole, loss)


def cost_curve(rights: Sequence[tuple[str, float, str]], ends: Sequence[Any]) -> Block:
    """-log P over P with a triangle at each right position, (side, log P, its name, escaped), of
    which the six most probable are named, and an empty one where training ends.
    """
    x = np.concatenate([np.geomspace(0.0005, 0.05, 50), np.linspace(0.06, 1, 95)])
    rights = sorted(rights, key=lambda right: right[1])
    sides, log_ps, _ = zip(*rights, strict=True)
    few, unit = len(rights) <= 2, max(1.0, -log_ps[0] * 1.12 / 4.6)
    probs = [float(np.exp(log_p)) for log_p in log_ps]
    above = {START: 0.1 * unit, END: -0.1 * unit}  # the curve touches a triangle's point
    heights = [-log_p + above[side] for side, log_p, _ in rights]
    marker: Block = {"size": 16, "symbol": [ui.SYMBOLS[side] for side in sides]}
    marker["color"] = [*sides]
    dots = [ui.scatter("markers", probs, heights, marker=marker)]
    if ends:
        empty: Block = {
            "size": 15,
            "line": {"width": 2},
            "symbol": [f"{ui.SYMBOLS[side]}-open" for side, _ in ends],
        }
        empty["color"] = [side for side, _ in ends]
        there = [[float(np.exp(x)) for _, x in ends], [above[side] - x for side, x in ends]]
        dots.append(ui.scatter("markers", *there, marker=empty))
    curve = ui.scatter("lines", x.round(5).tolist(), (-np.log(x)).round(4).tolist(), line=STROKE)
    beside: Block = {"axref": "x", "ayref": "y", "bgcolor": PAPER, **ui.LEADER}

    def names(pixels: int, brief: bool) -> list[Block]:
        """Above the curve and each other: first left of the points where the right end is full, the
        lowest P lowest; then right of them, the highest P lowest. So of two none covers the other's
        line.
        """
        placed = list[tuple[bool, float, float, Block]]()  # in this order; where each begins
        for (side, log_p, name), p, height in [*zip(rights, probs, heights, strict=True)][-6:]:
            d, said = printed.digits_of(log_p), name if brief else f"right {side}: {name}"
            rows = [said, f"P = {fine(log_p, d)}"] if few else [f"{said}, P = {probability(p)}"]
            rows += [f"−log P = {number(-log_p, d)}"] if few and not brief else []
            wide = 7.7 * max(len(re.sub("</?b>", "", r)) for r in rows) / pixels
            left = probs[-1] > 0.7 and p - wide > 0.1
            x = p - 0.03 if left else min(p + 0.03, 0.98 - wide)
            note = ui.note("<br>".join(rows), p, height, side, 14, ax=round(x, 3), **beside)
            note["xanchor"] = note["align"] = "right" if left else "left"
            placed.append((not left, p if left else -p, x - wide * left, note))
        top, notes = 0.0, list[Block]()
        for *_, begins, note in sorted(placed, key=lambda one: one[:2]):
            half = 0.2 * unit * (note["text"].count("<br>") + 1)
            curve_at = -float(np.log(begins)) if begins > 0 else 0.0  # wider than the plot
            notes.append({**note, "ay": round(half + max(top, curve_at), 3)})
            top = notes[-1]["ay"] + half
        return notes

    made = ui.layout(330, 62, 14, 8, 50, annotations=names(1124, False))
    high = max(4.6 * unit, *(n["ay"] + 0.7 * unit for n in made["annotations"]))
    made["xaxis"] = ui.axis("P of the right position", range=[-0.02, 1.03])
    made["yaxis"] = ui.axis("−log P, what it costs", range=[-0.3 * unit, high])
    narrow = {"below": 1000, "height": 320, "margin.l": 44, "annotations": names(290, True)}
    alt = "The curve of minus log P with this text's right start and right end"
    return ui.figure("figure", [curve, *dots], made, alt, narrow=narrow)


def the_fit(case: Case) -> Made:
    """Step 2: the right pair's part of the 1 that all pairs share, and who can score above it."""
    w, e, limits = case.window, case.shown.encoding, case.shown.decode
    right, scores = scored_pair(*case.logits, *case.pair), span_scores(*case.logits)
    five = best_pairs(*case.logits, w, e, limits)
    found = five if right in five else sorted([*five[:4], right], key=lambda p: -p.score)
    share, most = room_above(case.loss, w)
    above = scores > scores[right.i, right.j]
    said = f"{case.begins} right pair "
    if w.is_context[right.i] and (barred := reason(w, right.i, right.j, limits)):
        said += f"is not allowed ({barred}): no search returns it."
    else:
        equal, count = "" if share[0] in "<>" else "= ", int(above.sum())
        many = printed.small_number(count) if count else "none"
        fact = f"; {many} {'does' if count == 1 else 'do'}" if most != "none" else ""
        said += f"has exp(−2 L) {equal}*{share}* of that 1. Each pair above has more, so *{most}* "
        said += f"can fit into the rest{fact}."
        if case.now != case.record.last:
            then, fewer = room_above(case.record.costs[-1][2], w)
            said += f" At the end of training it has {then}, so {fewer} can."
    strips, key = parts_of_one(case), [("fill", case.role, f"the right pair ({case.who})")]
    _, upto, mine = (bars["x"] for bars in strips["data"])
    key += [("fill", GREY, "pairs that score above it, allowed or not")] * (upto != mine)
    spans = [Span(w.to_doc(p.i), w.to_doc(p.j)) if w.is_context[p.i] else None for p in found]
    words, rows = case.names(spans), list[Block]()
    for p, span, word in zip(found, spans, words, strict=True):
        logits, log_p = ([one[p.i], two[p.j]] for one, two in (case.logits, case.log_p))
        cells = [*map(number, logits), printed.total_cell(logits, p.score)]
        cells += [*(number(x, 3) for x in log_p), printed.total_cell(log_p, p.log_p, 3)]
        sets = {"selection": [span.start, span.end]} if span else None
        name = word + " (the right one)" * (p == right)
        rows.append(ui.row(name, *cells, sets=sets, strong=p == right))
    made = [
        ui.finding(said + asides(case)),
        moment_choice(case),
        ui.legend("key", *key, ("fill", ui.LINE, "all others")),
        strips,
        ui.formula("formula", *reckoned(case, right, share, most)),
    ]
    columns = ["pair", "start logit", "end logit", "score", "log P(start)", "log P(end)", "sum"]
    caption = "The best pairs, without variants by punctuation or part of a word"
    return made, ui.table("rows", columns, rows, caption)


def room_above(loss: float, window: Window) -> tuple[str, str]:
    """exp(-2 L) of the right pair, and how many pairs can score above it: all of them sum to 1."""

    def words(p: float) -> str:
        others, most = len(window) ** 2 - 1, max(0, ceil(1 / max(p, 1e-300)) - 2)
        if most >= others:
            return "every other pair"
        return f"at most {printed.small_number(most)}" if most else "none"

    d, p = printed.digits_of(2 * loss), float(np.exp(-2 * loss))
    share = printed.enough(p, lambda x: number(np.log(max(x, 1e-300)), d) + words(x))
    return share, words(value(share))


def parts_of_one(case: Case) -> Block:
    """A strip a moment, 1 in all: what the right pair has of it by its P(start) P(end), what all
    pairs that score above it have in sum, and what all others have.
    """
    w, rows, mine, upto = case.window, [*range(len(case.moments))], list[float](), list[float]()
    told = list[tuple[float, str, str]]()
    for y, k in enumerate(case.moments):
        logits = case.record.start[k], case.record.end[k]
        scores, products = span_scores(*logits), np.exp(np.add.outer(*case.record.log_p(k)))
        above = scores > scores[case.pair]
        n, share = int(above.sum()), room_above(case.record.costs[k][2], w)[0]
        mine.append(float(products[case.pair]))
        upto.append(mine[-1] + float(products[above].sum()))
        best = best_pairs(*logits, w, case.shown.encoding, case.shown.decode)[0]
        (name,) = case.names([span_of(w, best)], 18)
        moment = case.when(k).partition(",")[0] + ": " * bool(case.when(k))
        over = f"{moment}best allowed pair is <b>{printed.escape(name)}</b>"
        parts = [f"<b>right pair {share}</b>"]
        parts += [f"{n:,} above {probability(upto[-1] - mine[-1])}"] if n else []
        parts.append(f"{scores.size - 1 - n:,} others {probability(max(0.0, 1 - upto[-1]))}")
        told += [(y - 0.24, "bottom", over), (y + 0.24, "top", " + ".join(parts))]

    def notes(size: int, joint: str = " ") -> list[Block]:
        how: Block = {"xanchor": "left", "xshift": -3, "align": "left"}
        made = list[Block]()
        for y, anchor, said in told:
            said = said.replace(": ", f":{joint}", 1).replace(" +", f"{joint}+", 1)
            made.append(ui.note(said, 0, y, INK, size, yanchor=anchor, **how))
        return made

    ends = (([1] * len(rows), ui.LINE), (upto, GREY), (mine, case.role))
    data = [ui.lying(x, rows, 0.4, {"color": role}) for x, role in ends]
    made = ui.layout(60 + 100 * len(rows), 8, 8, 4, 50, barmode="overlay", annotations=notes(15))
    made["yaxis"] = ui.axis(range=[len(rows) - 0.4, -0.6], visible=False)
    title = f"P(start) · P(end), added up over all {len(w)} × {len(w)} pairs"
    made["xaxis"] = ui.axis(title, range=[0, 1])
    alt = "What the right pair, the pairs above it and all others have of the sum 1"
    narrow = {"below": 800, "height": 60 + 150 * len(rows), "annotations": notes(12, "<br>")}
    narrow["xaxis.title.text"] = "P(start) · P(end) of all pairs"
    return ui.figure("figure", data, made, alt, narrow=narrow)


def span_of(window: Window, pair: Pair) -> Span | None:
    """The span of a pair of positions; None for "no answer"."""
    at = window.is_context[pair.i]
    return Span(window.to_doc(pair.i), window.to_doc(pair.j)) if at else None


def reckoned(case: Case, right: Pair, share: str, most: str) -> list[list[Part]]:
    """What the right pair has of the 1, how many pairs that leaves room for, and its score."""
    d = printed.digits_of(case.loss)
    both = [fine(log_p[k], d) for log_p, k in zip(case.log_p, case.pair, strict=True)]
    whole = printed.product(both, share)
    product = "exp(−2 L) = P(right start) · P(right end) = {} · {}{}"
    lines = [say(product, [both[0], START], [both[1], END], [whole, STRONG])]
    if share[0] not in "<>":
        room = f"each pair above has more than {share}: (1 − {share}) / {share} leaves room for "
        lines.append(say(f"{room}*{most}*"))
    d = printed.digits_of(right.log_p)
    log, constant = right.log_p, right.score - right.log_p
    sign, plus = adds((log, constant), right.score, d), "−" if constant < 0 else "+"
    score = f"score of any pair = log(its product) {plus} {number(abs(constant), d)}; right pair: "
    score += f"{number(log, d)} {plus} {number(abs(constant), d)} {sign} *{number(right.score, d)}*"
    return [*lines, say(score)]


def the_pull(case: Case) -> Made:
    """Step 3: an arrow on every logit that is pulled."""
    pulls, w, at = case.record.pull(case.now), case.window, case.pair[0]
    few = (x for x in LEAST if all((np.abs(v) >= x).sum() <= 6 for v in pulls))
    least, pull = next(few, LEAST[-1]), pulls[0][at]
    name, p = case.named(at, START), float(np.exp(case.log_p[0][at]))
    arrows = [("rise", START, "start logit pulled up"), ("fall", START, "pulled down")]
    arrows += [("rise", END, "end logit, under the words")]
    d, right = printed.digits_of(pull), ("tint", GOLD, f"the right answer ({case.who})")
    right = ("fill", MID, case.who) if case.by == "nobody" else right
    said = f"{case.begins} right start {{}} is pulled up by {{}}; the {len(w) - 1} other starts "
    said += "are pulled down, by {} together.{}"
    told, rows = printed.enough(p, lambda q: signed(round((1 - q) / 2, 9), d)), list[Block]()
    whole = f"{{}}{{}}   ½ (y − P) = ½ (1 − {{}}) {'≈' if told[0] in '<>' else '='} {{}}"
    start, result = ["start logit of ", "dim"], [signed(pull, d), STRONG]
    for k in np.argsort(-np.abs(pulls).max(axis=0), kind="stable")[:12].tolist():
        both = zip(case.log_p, pulls, strict=True)
        cells = [x for a, b in both for x in (probability(np.exp(a[k])), signed(b[k], 3))]
        sets = {"selection": [w.to_doc(k)] * 2} if w.is_context[k] else None
        rows.append(ui.row(texts.position_name(case.shown, w, k), *cells, sets=sets))
    made = [
        ui.finding(said, name, strong(pull), strong(pull), asides(case)),
        moment_choice(case),
        ui.legend("key", *arrows, right, ("text", GREY, f"no arrow: under {least:g}")),
        case.text("pulls", pulls, least, 132),
        ui.formula("formula", say(whole, start, name, [told, START], result)),
    ]
    columns = ["token", "P(start)", "pull, start", "P(end)", "pull, end"]
    return made, ui.table("rows", columns, rows, "The positions that are pulled most")


def the_training(case: Case) -> Made:
    """Step 4: the loss of this text at every recorded moment."""
    if case.unrecorded:
        own = dict.fromkeys(("reader", "max_seq_length", "doc_stride")) | {"example": "oresund"}
        other = ui.button("recorded", "A text that was recorded", own)
        return [ui.finding(f"{case.unrecorded} So there is no curve."), other], None
    steps, now, tops, rows = case.record.steps, case.now, list[Any](), list[Block]()
    for k in case.moments:
        a, b, mean = (number(x, 3) for x in case.record.costs[k])
        cells = a, b, printed.cell((a, b), (value(a) + value(b)) / 2, mean)
        rows.append(ui.row(f"{steps[k]:,}", *cells, sets={"own.loss.moment": k}, strong=k == now))
    columns = ["training step", "−log P(start)", "−log P(end)", "L"]
    for log_p, role in zip(case.log_p, (START, END), strict=True):
        k = int(log_p.argmax())
        tops += [case.named(k, role), [probability(np.exp(log_p[k])), role]]
    said = f"{case.begins} loss L of this text is {{}}; the most probable start is {{}} ({{}}), "
    said += "the most probable end {} ({}).{}"
    says = f"of {steps[-1]:,} of this reader's training; {len(steps)} moments were recorded"
    field, title, names = "own.loss.moment", "training step", [f"{at:,}" for at in steps]
    scale = (0, case.record.last, 1)
    whole = "{}L = −½ (log P(right start) + log P(right end)) = {}"
    made: list[Block | None] = [
        ui.finding(said, strong(case.loss), *tops, asides(case)),
        ui.slider("moment", field, title, scale, now, span=12, says=says, names=names),
        loss_over_steps(steps, [mean for *_, mean in case.record.costs], now),
        ui.formula("formula", say(whole, [f"{case.when(now)}:   ", "dim"], half_sum(*case.cost))),
    ]
    return made, ui.table("rows", columns, rows, "The loss at every recorded moment")


def loss_over_steps(steps: Sequence[int], values: Sequence[float], now: int) -> Block:
    """The loss of a text over training steps; `now` is the overlay's."""
    loss, tens = values[now], [10**t for t in range(6)]
    at = [m for m in range(len(steps)) if steps[m] >= 1]
    x, y = [steps[m] for m in at], [values[m] for m in at]
    curve = ui.scatter("lines+markers", x, y, line=STROKE, customdata=at)
    curve |= {"marker": {"size": 12, "opacity": 0}, "hoverinfo": "none"}
    curve["sets"] = {"own.loss.moment": "customdata"}
    here, late, low = float(np.log10(max(1, steps[now]))), steps[now] > 1500, loss < 0.8 * max(y)
    beside = {"xanchor": "right" if late else "left", "xshift": -12 if late else 12}
    name = f"<b>L = {number(loss, printed.digits_of(loss))}</b>"
    over = [ui.note("●", here, loss, INK, 24)]
    over.append(ui.note(name, here, loss, INK, 16, yshift=24 if low else -24, **beside))
    made = ui.layout(336, 60, 14, 10, 52)
    across = {"range": [-0.08, float(np.log10(max(10, steps[-1]))) + 0.1], "showgrid": False}
    across |= {"tickvals": tens, "ticktext": [f"{t:,}" for t in tens]}
    made["xaxis"] = ui.axis("training step (on a log axis)", type="log", **across)
    made["yaxis"] = ui.axis("loss L of this text", range=[-0.15, max(y) * 1.13])
    alt = f"The loss of this text at {len(at)} recorded training steps"
    return ui.figure("figure", [curve], made, alt, overlay={"annotations": over})


def every_p(case: Case) -> Block:
    """The text with a bar of P(start) and P(end) on its words, at the moment."""
    sides = ("bar", START, "above a word: P(start)"), ("bar", END, "below: P(end)")
    key = ui.legend("bars-key", *sides, ("text", GREY, "no bar: under 0.05"))
    start, end = map(np.exp, case.log_p)
    title = "Every P at this moment, in the text"
    return ui.fold("every-p", title, key, case.text("bars", (start, end), 0.05, 60))


def exactly(case: Case) -> str:
    z = [number(float(logsumexp(x)), 3) for x in case.logits]
    longest = printed.plural(case.shown.decode.max_answer_length, "token")
    step = case.shown.state.step
    said = {
        1: f"Each softmax runs over all {len(case.window)} positions of the window, {case.cls}, "
        "question and separators too; the end's has a sum of its own. A text without an "
        f"answer, and a window that does not hold it whole, has {case.cls} as right start and end; "
        "each window is a text of its own. Where people disagree, training took the mean over "
        "them. BERT's paper has the sum of start and end, its code the mean: the sum's gradient is "
        "twice as large, which the optimiser Adam hardly notices, as it divides by its size.",
        2: f"log P(start i) = start logit i − {z[0]}, the log of Σ exp over all start logits; for "
        f"the ends it is {z[1]}: together the same for every pair of this window at this moment. "
        f"Training and another window change it. “No answer” is {case.cls} paired with itself. "
        "P(start) · P(end) is the probability of a pair if start and end are independent: for the "
        "right one exp(−2 L). At most exp(2 L) pairs can have as much; if L < 0.34, it alone has. "
        f"Prediction compares allowed pairs only (the end not before the start, at most {longest}, "
        "the start owned by the window), while both sums of exp contain every position.",
        3: "The pull is minus the gradient: ∂L / ∂logit = ½ (P − y). All pulls on start logits add "
        "up to 0, and those on end logits. A wrong P may rise although its logit is pulled down: "
        "likelier wrong ones fall more. A training step moves weights, not logits, so the logits "
        "follow only on average over many texts. Before training: a pre-trained encoder with a new "
        "output layer, whose S and E are random.",
        4: "Each training step follows the gradient of one batch; what it lowers also held the "
        "loss of chapter Tags and the logits of a larger reader as targets. The curve begins at 1, "
        "as a log axis has no 0. The last recorded moment is a running mean of the weights, in "
        "which late ones count most. The logits of all others are rounded to 1/32.",
    }[step]
    return f"{case.unrecorded} {said}" if case.unrecorded and step < 4 else said
