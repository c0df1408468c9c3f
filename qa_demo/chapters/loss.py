"""Chapter 5, Loss: what training lowers, and how it fits the search for the best span.

L = -1/2 (log P(right start) + log P(right end)), natural logarithm, P a softmax over all positions
of the unpadded window. dL / d logit = (P - y) / 2, y the share of people who marked the position.
"""

from functools import cache
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from qa_demo import blocks as ui
from qa_demo.blocks import END, GOLD, GREY, INK, MID, OTHER, START, Block
from qa_demo.core import losses
from qa_demo.core.base import logsumexp, softmax
from qa_demo.core.spans import Pair, best_pairs, reason, scored_pair
from qa_demo.core.store import ASSETS, ReplayRows, load_replay
from qa_demo.core.types import Span, Window
from qa_demo.drawn.loss_plots import Mark, cost_curve, falling, two_scales, window_text
from qa_demo.printed import (
    STRONG,
    Part,
    adds,
    bracket,
    digits_of,
    enough,
    fine,
    number,
    probability,
    quote,
    say,
    signed,
    small_number,
)
from qa_demo.shown import Shown
from qa_demo.state import Int, Record
from qa_demo.texts import figure_name, position_name, said_at, undo

NAME = "Loss"
HEADINGS = (
    "What does training lower?",
    "How does the loss fit the best span?",
    "Which way does the loss pull each logit?",
    "How did this reader learn it?",
)
STEPS = ("The loss", "How the two fit", "The pull", "The training")
OPENS: dict[int, dict[str, Any]] = {}
EARLY = 91
"""The training step that this chapter opens on: the loss is large, and its cause is seen."""
LEAST = (0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2)
"""Sizes under which a pull gets no arrow: the first that leaves six a side is taken."""
SNIPPET = ui.snippet("loss")
stored_replay = cache(load_replay)


class Own(Record):
    """What this chapter alone keeps: which label is taken as right (0: the one most people marked),
    the recorded moment by its place in the record, the window from 1.
    """

    label: Annotated[Int, Field(ge=0)] | Literal["mean"] = 0
    moment: Annotated[Int, Field(ge=0)] | None = None
    window: Annotated[Int, Field(ge=1)] | None = None


def labels_of(shown: Shown) -> tuple[list[losses.Label], str, int]:
    """The labels, the one most people marked first; by whom (people, the author, you, nobody); and
    how many marks were left out. Where nobody marked anything the reader's own answer stands in.
    """
    labels, lost = losses.count_labels(shown.encoding, shown.golds)
    by = "people" if len(shown.golds) > 1 else "the author"
    by = by if shown.state.gold is None else "you"
    if labels or ((by == "you" or shown.example is not None) and not lost):
        return labels or [losses.Label(None, 1)], by, lost
    best = shown.before.best if shown.before.answer is not None else None
    return [losses.Label(best.candidate.span if best is not None else None, 1)], "nobody", lost


def rows_of(shown: Shown, window: Window) -> tuple[ReplayRows | None, str]:
    """The recorded logits of this text and window; else why there are none."""
    record, example, true = stored_replay(ASSETS / "replay"), shown.example, shown.true
    rows = record.rows(example.id) if record is not None and example is not None else None
    if record is None or example is None or rows is None:
        return None, "This text was not recorded while the reader was trained."
    same = true.checksum == record.checksum and true.options == example.options
    if same and rows.window == window.index:
        return rows, ""
    why = "The record is of the bundled reader, with this text's own windows, and of window"
    return None, f"{why} {rows.window + 1} alone."


class Case:
    """What all steps show: the label taken as right (gold is what people marked), one window, its
    targets [n], its record, the moments that this step offers, and what holds at the one shown.
    """

    def __init__(self, shown: Shown, own: Own) -> None:
        self.shown, windows, step = shown, shown.reading.windows, shown.state.step
        self.labels, self.by, self.lost = labels_of(shown)
        self.total = sum(label.people for label in self.labels)
        self.mean = own.label == "mean" and len(self.labels) > 1
        at = 0 if own.label == "mean" else min(own.label, len(self.labels) - 1)
        self.at = None if self.mean else at
        self.span = span = self.labels[at].span
        every = [label.span for label in self.labels for _ in range(label.people)]
        self.chosen = every if self.mean else [span]
        home = None if span is None else shown.reading.home(span)
        wanted = windows[min(own.window, len(windows)) - 1] if own.window else home
        self.window = wanted or windows[0]
        self.pair = losses.right_pair(self.window, span)
        self.who = f"{'no answer, ' if span is None else ''}marked by " + (
            f"{self.labels[at].people} of {self.total} people" if self.by == "people" else self.by
        )
        self.role = GOLD
        if self.by == "nobody":
            self.who, self.role = "the reader's own answer", INK

        rows, self.unrecorded = rows_of(shown, self.window)
        self.targets = losses.start_end_targets(self.window, self.chosen)
        on_screen = shown.reading.logits(self.window.index)
        self.record = r = losses.recorded(rows, on_screen, self.targets)
        early = r.nearest(EARLY)
        offered = {1: [early, r.last], 2: [early, r.last], 3: [0, early, r.last]}
        self.moments = sorted(set(offered.get(step, range(len(r.steps)))))
        moment = early if own.moment is None else own.moment
        self.now = now = min(self.moments, key=lambda k: abs(k - moment))
        self.start, self.end = r.start[now], r.end[now]
        self.log_p, self.cost, self.pull = r.log_p(now), r.costs[now], r.pull(now)
        # the start that step 3 tells of
        self.told = int(np.abs(self.pull[0]).argmax()) if self.mean else self.pair[0]

    def loss_by(self, label: losses.Label) -> float:
        """L of one label alone."""
        i, j = losses.right_pair(self.window, label.span)
        return -float(self.log_p[0][i] + self.log_p[1][j]) / 2

    def when(self, k: int) -> str:
        """A moment in words; empty without a record."""
        step = self.record.steps[k]
        if self.unrecorded:
            return ""
        if k == self.record.last:
            return f"at the end, after {step:,} steps"
        return f"after {step:,} training steps" if step else "before training"

    def at_moment(self) -> str:
        """The beginning of a finding: "After 128 training steps: the"."""
        found = self.when(self.now)
        return f"{found[:1].upper()}{found[1:]}: the" if found else "The"

    def named(self, pos: int, role: str) -> list[list[str]]:
        """A position as parts, quoted."""
        return said_at(self.shown, self.window, pos, role)

    def words(self, span: Span | None, most: int = 44) -> str:
        """A label, quoted."""
        return "no answer" if span is None else quote(self.shown.encoding.text(span), most)

    def text(
        self, key: str, values: losses.Two, least: float, height: int, arrows: bool = False
    ) -> Block:
        """The window as text with values on its words, and the right answer marked."""
        e, name = self.shown.encoding, "predicted" if self.by == "nobody" else "right"
        given = e, self.window, values, least, self.chosen, name, arrows, height
        return window_text(key, *given)


def picture(shown: Shown, own: Own) -> list[Block | None]:
    """The blocks of the step."""
    case, step = Case(shown, own), shown.state.step
    made = (the_loss, the_fit, the_pull, the_training)[step - 1](case)
    table_of = (labels_table, pairs_table, pulls_table, moments_table)[step - 1]
    more = every_p(case) if step == 4 and not case.unrecorded else None
    return [*made, undo(shown), *ui.folds(table_of(case), exactly(case, step), SNIPPET, more)]


def half_sum(start: float, end: float, mean: float) -> list[Part]:
    """1/2 (0.057 + 0.045) = 0.051, in the colours of start and end."""
    d = digits_of(mean)
    same = number((round(start, d) + round(end, d)) / 2, d) == number(mean, d)
    said = f"½ ({{}} + {{}}) {'=' if same else '≈'} {{}}"
    return say(said, [number(start, d), START], [number(end, d), END], [number(mean, d), STRONG])


def strong(x: float) -> list[str]:
    """A loss or a pull, as a part."""
    return [number(x, digits_of(x)), STRONG]


# ---- what can be chosen, and what is said beside a finding


def label_choice(case: Case) -> Block | None:
    """Which label is taken as right, where people marked more than one answer."""
    if len(case.labels) < 2 or case.shown.state.veil:
        return None
    options: list[tuple[str, dict[str, Any], bool]] = []
    for k, label in enumerate(case.labels[:5]):
        said = f"{case.words(label.span, 30)}, {label.people} of {case.total}"
        options.append((said, {"own.loss.label": k or None}, k == case.at))
    options.append((f"all {case.total}, the mean", {"own.loss.label": "mean"}, case.mean))
    return ui.choice("label", "taken as right", options)


def window_choice(case: Case) -> Block | None:
    """Which window is shown: each is a text of its own for training."""
    many, now = len(case.shown.reading.windows), case.window.index + 1
    if many < 2:
        return None
    held = case.span is not None and case.window.holds(case.span)
    says = "it holds the answer" if held else "without the answer: right start and end are [CLS]"
    names = [f"{k + 1} of {many}" for k in range(many)]
    return ui.slider("window", "own.loss.window", "window", 1, many, 1, now, 12, says, names=names)


def marking(case: Case) -> Block | None:
    """Mark the selected words as right, or that no answer is."""
    shown, fresh = case.shown, {"own.loss.label": None}
    if shown.state.veil:
        return None
    begins, ends = shown.encoding.chars(shown.selection)
    options: list[tuple[str, dict[str, Any], bool]] = []
    if begins < ends:
        words = quote(shown.encoding.text(shown.selection), 34)
        options.append((f"mark {words} as right", {"gold": [[begins, ends]], **fresh}, False))
    options.append(("no answer is right", {"gold": [], **fresh}, shown.state.gold == ()))
    if shown.state.gold is not None:
        options.append(("take my marks away", {"gold": None, **fresh}, False))
    return ui.choice("marking", "select words of the text, then", options)


def moment_choice(case: Case) -> Block | None:
    """Before training, after 91 steps, at the end: where the text was recorded."""
    if case.unrecorded:
        return None
    at = [(case.when(k), {"own.loss.moment": k}, k == case.now) for k in case.moments]
    return ui.choice("moment", "the reader", at)


def asides(case: Case) -> str:
    """What a finding adds where something is not as usual."""
    many, lost, said = len(case.shown.reading.windows), case.lost, ""
    if not case.mean and case.span is None:
        why = {"nobody": "The reader gives no answer", "you": "You say that no answer is right"}
        said += f" {why.get(case.by, 'This text has no answer')}, so both are [CLS]."
    elif not case.mean and case.span is not None and not case.window.holds(case.span):
        said += " This window does not hold the answer whole, so both are [CLS]."
    if case.by == "nobody":
        said += " Nobody marked what is right: the reader's own answer stands in."
    if many > 1:
        said += f" Shown is window {case.window.index + 1} of {many}."
    if lost:
        marks = "one mark does" if lost == 1 else f"{small_number(lost)} marks do"
        said += f" Left out: {marks} not stand where the text has these words."
    return said + (" Logits changed by hand." if case.shown.changed else "")


# ---- step 1: the loss


def the_loss(case: Case) -> list[Block | None]:
    """The curve -log P with this text's right start and right end."""
    own_marks = case.by == "nobody" or case.shown.state.gold is not None
    finding, whole = loss_of_mean(case) if case.mean else loss_of_pair(case)
    right = f"right: {'each by its share of people' if case.mean else case.who}"
    sides = [("over", START, "right start"), ("below", END, "right end")]
    e, w, marks = case.shown.encoding, case.window, list[Mark]()
    for side, (y, log_p) in enumerate(zip(case.targets, case.log_p, strict=True)):
        at = np.flatnonzero(y).tolist()
        marks += [Mark(side, float(log_p[k]), figure_name(e, w, k)) for k in at]
    return [
        ui.idea(
            "*Training raises the log-likelihood of the right start and the right end*: it lowers "
            "the loss L, the mean of their two −log P (natural logarithm)."
        ),
        finding,
        moment_choice(case),
        label_choice(case),
        window_choice(case),
        marking(case) if own_marks else None,
        ui.legend("legend", *sides, ("text", INK, right)),
        cost_curve(marks),
        ui.formula("formula", whole),
        ui.closing(
            "The loss reads P at the right positions only; every position's logit is in that P."
        ),
    ]


def loss_of_pair(case: Case) -> tuple[Block, list[Part]]:
    """P of the right start and of the right end, and the loss; its formula."""
    d, words = digits_of(case.cost[2]), list[Any]()
    for k, log_p, role in zip(case.pair, case.log_p, (START, END), strict=True):
        words += [case.named(k, role), [fine(log_p[k], d), role]]
    said = (
        f"{case.at_moment()} right start {{}} has probability {{}}, the right end {{}} {{}}: the "
    )
    said += "loss is {}.{}"
    whole = "L = −½ (log P(right start) + log P(right end)) = {}"
    finding = ui.finding(said, *words, strong(case.cost[2]), asides(case))
    return finding, say(whole, half_sum(*case.cost))


def loss_of_mean(case: Case, most: int = 6) -> tuple[Block, list[Part]]:
    """The loss where every label counts, and its floor; (2 · 0.051 + 1 · 2.143) / 3 = 0.748."""
    floor = number(float(np.mean([losses.entropy(y) for y in case.targets])), 3)
    said = f"{case.at_moment()} loss is {{}}; it cannot fall below {{}}, as people marked "
    said += f"{small_number(len(case.labels))} different answers and each counts by its share.{{}}"
    found = [(label.people, case.loss_by(label)) for label in case.labels]
    terms = " + ".join(f"{n} · {number(x, 3)}" for n, x in found[:most])
    terms += " + …" if len(found) > most else ""
    total, mean = sum(n * round(x, 3) for n, x in found) / case.total, number(case.cost[2], 3)
    sign = "=" if len(found) <= most and number(total, 3) == mean else "≈"
    whole = f"L, the mean over people, = ({terms}) / {case.total} {sign} {{}}"
    finding = ui.finding(said, strong(case.cost[2]), floor, asides(case))
    return finding, say(whole, [mean, STRONG])


# ---- step 2: how the two fit


def pairs_of(case: Case) -> tuple[list[Pair], Pair]:
    """The five pairs of the picture, and the right one among them."""
    right = scored_pair(case.start, case.end, *case.pair)
    e, options = case.shown.encoding, case.shown.decode
    return best_pairs(case.start, case.end, case.window, e, options, right), right


def pair_words(case: Case, p: Pair) -> str:
    """The words of a pair, quoted."""
    w = case.window
    return case.words(Span(w.to_doc(p.i), w.to_doc(p.j)) if w.is_context[p.i] else None)


def the_fit(case: Case) -> list[Block | None]:
    """Five pairs as dots on one line with two scales."""
    found, right = pairs_of(case)
    constant = float(logsumexp(case.start) + logsumexp(case.end))
    said = f"{case.at_moment()} score of every pair is log P(start) + log P(end) + "
    said += f"{{}}, the same constant for all. {who_wins(case, found[0], right)}"
    said += " The label that most people marked is the right pair." if case.mean else ""
    words = [pair_words(case, p) for p in found]
    return [
        ui.idea(
            "Prediction takes the pair with the highest score. Training raises "
            "log P(start) + log P(end) of the right pair. *It is one quantity, on two scales.*"
        ),
        ui.finding(said + asides(case), [number(constant), STRONG]),
        moment_choice(case),
        ui.legend(
            "legend",
            ("dot", case.role, f"the right pair ({case.who})"),
            ("line", case.role, "what training shortens: 2 L, as L is the mean of the two"),
            ("dot", OTHER, "other pairs"),
        ),
        two_scales(found, words, right, constant, case.role),
        ui.formula("formula", score_and_loss(case, right, constant), label="the right pair"),
        ui.closing(
            "Training reads P(right start) and P(right end) only and never searches. "
            "Prediction searches and does not know the right pair."
        ),
    ]


def who_wins(case: Case, best: Pair, right: Pair) -> str:
    """Whether the search returns the right pair."""
    w, options = case.window, case.shown.decode
    barred = reason(w, right.i, right.j, options) if w.is_context[right.i] else None
    if barred:
        why = f"longer than {options.max_answer_length} tokens" if barred == "too long" else barred
        return f"The right pair is not allowed ({why}): no search returns it."
    yet = "" if case.now == case.record.last else " yet"
    return f"The highest is {'' if best == right else f'not{yet} '}the right one."


def score_and_loss(case: Case, right: Pair, constant: float) -> list[Part]:
    """The right pair's score by its logarithms, and its loss by the score."""
    d, both = digits_of(right.logs), (case.log_p[0][right.i], case.log_p[1][right.j])
    a, b, z, score, twice = (number(x, d) for x in (*both, constant, right.score, -right.logs))
    first = adds((*both, constant), right.score, d)
    second = adds((constant, -right.score), -right.logs, d)
    said = f"score = {{}} + {{}} + {z} {first} {{}},  so 2 L = −log P(start) − log P(end) = "
    said += f"{z} − {bracket(right.score, d)} {second} {{}}"
    return say(said, [f"({a})", START], [f"({b})", END], [score, STRONG], [twice, STRONG])


# ---- step 3: the pull


def the_pull(case: Case) -> list[Block | None]:
    """An arrow on every logit that is pulled; where people disagree, toward their shares."""
    few = (x for x in LEAST if all((np.abs(v) >= x).sum() <= 6 for v in case.pull))
    least, name = next(few, LEAST[-1]), case.named(case.told, START)
    size, when, end = strong(abs(float(case.pull[0][case.told]))), case.at_moment(), asides(case)
    if case.mean:
        way = "up" if case.pull[0][case.told] > 0 else "down"
        idea = "y is the share of people who marked the position: *up where P is too small, down "
        idea = f"{idea}where it is too large.*"
        said = f"{when} start logit of {{}} is pulled {way} by {{}}, the most of all starts.{{}}"
        finding, labels = ui.finding(said, name, size, end), "what people marked"
        closing = "Where people disagree no P should reach 1: the pull ends when P is their share."
    else:
        idea = "*up at the right position* (y = 1), *down at every other one* (y = 0)."
        said = f"{when} right start {{}} is pulled up by {{}}; the {len(case.window) - 1} other "
        said += "starts are pulled down, by {} together.{}"
        finding = ui.finding(said, name, size, size, end)
        labels = f"the right answer ({case.who})"
        closing = "The loss reads one P of each softmax, yet pulls every logit: raising one P "
        closing += "lowers the others."
    return [
        ui.idea("The loss pulls every logit by ½ (y − P): " + idea),
        finding,
        moment_choice(case),
        ui.legend(
            "legend",
            ("rise", START, "start logit pulled up"),
            ("fall", START, "pulled down"),
            ("rise", END, "end logit, under the words"),
            ("fill", MID, labels) if case.by == "nobody" else ("tint", GOLD, labels),
            ("text", GREY, f"no arrow: under {least:g}"),
        ),
        case.text("pulls", case.pull, least, 132, arrows=True),
        ui.formula("formula", pull_formula(case)),
        ui.closing(closing),
    ]


def pull_formula(case: Case) -> list[Part]:
    """1/2 (y - P) of one start logit."""
    values = np.exp(case.log_p[0]), case.targets[0], case.pull[0]
    p, y, pull = (float(x[case.told]) for x in values)
    d = digits_of(pull)
    target = f"{round(y * case.total)}/{case.total}" if case.mean else f"{y:.0f}"
    printed = enough(p, lambda q: signed((y - q) / 2, d))
    said = f"{{}}{{}}   ½ (y − P) = ½ ({target} − {{}}) {'≈' if printed[0] in '<>' else '='} {{}}"
    size, name = [signed(pull, d), STRONG], case.named(case.told, START)
    return say(said, ["start logit of ", "dim"], name, [printed, START], size)


# ---- step 4: the training


def the_training(case: Case) -> list[Block | None]:
    """The loss of this text at every recorded moment."""
    idea = ui.idea(
        "*Step by step, training lowers L, averaged over many texts. *"
        "S and E begin as random numbers and are learned together with the encoder."
    )
    closing = ui.closing("The loss of one text may rise: each step follows other texts.")
    if case.unrecorded:
        other = ui.button("recorded", "A text that was recorded", {"example": "oresund"})
        return [idea, ui.finding(f"{case.unrecorded} So there is no curve."), other, closing]
    steps, now, tops = case.record.steps, case.now, list[Any]()
    for log_p, role in zip(case.log_p, (START, END), strict=True):
        k = int(log_p.argmax())
        tops += [case.named(k, role), [probability(np.exp(log_p[k])), role]]
    said = (
        f"{case.at_moment()} loss L of this text is {{}}; the most probable start is {{}} ({{}}), "
    )
    said += "the most probable end {} ({}).{}"
    says = f"of {steps[-1]:,}, in {len(steps)} recorded moments of this reader's own training"
    field, title, names = "own.loss.moment", "training step", [f"{at:,}" for at in steps]
    whole = say("{}L = {}", [f"{case.when(now)}:   ", "dim"], half_sum(*case.cost))
    return [
        idea,
        ui.finding(said, strong(case.cost[2]), *tops, asides(case)),
        ui.slider("moment", field, title, 0, case.record.last, 1, now, 12, says, names=names),
        falling(steps, [mean for *_, mean in case.record.costs], now, len(case.window)),
        ui.formula("formula", whole),
        closing,
    ]


# ---- folds


def every_p(case: Case) -> Block:
    """The text with a bar of P(start) and P(end) on its words, at the moment."""
    sides = ("bar", START, "above a word: P(start)"), ("bar", END, "below: P(end)")
    key = ui.legend("bars-key", *sides, ("text", GREY, "no bar: under 0.05"))
    both = softmax(case.start), softmax(case.end)
    title = "Every P at this moment, in the text"
    return ui.fold("every-p", title, key, case.text("bars", both, 0.05, 60))


def exactly(case: Case, step: int) -> list[Block]:
    """Conditions that the screens do without, and what else may be taken as right."""
    z = [number(float(logsumexp(x)), 3) for x in (case.start, case.end)]
    longest, windows = case.shown.decode.max_answer_length, case.shown.reading.windows
    also = "the loss of chapter Tags and, later, the logits of a larger reader as targets"
    said = {
        1: f"Each softmax runs over all {len(case.window)} positions of the window: [CLS], "
        "question, separators, paragraph; the end's has a sum of its own. The loss is taken at the "
        "right positions, wherever the prediction lies. A text without an answer, and a window "
        "that does not hold it whole, has [CLS] as right start and right end. Where people "
        "disagree, training took the mean over them. Some codes take the sum of start and end, not "
        "the mean: the gradient is twice as large, which the optimiser Adam hardly notices, as it "
        f"divides by its size. This reader's training also held {also}.",
        2: f"log P(start i) = start logit i − {z[0]}, the log of Σ exp over all start logits; for "
        f"the ends it is {z[1]}: together the same for every pair of this window at this moment. "
        "Training and another window change it. “No answer” is the pair of [CLS] with itself. "
        "P(start) P(end) is the probability of a pair if start and end are independent. Prediction "
        f"compares allowed pairs only (the end not before the start, at most {longest} tokens, the "
        "start owned by the window), while both sums of exp contain every position.",
        3: "The pull is minus the gradient: ∂L / ∂logit = ½ (P − y). All pulls on start logits add "
        "up to 0, and those on end logits. A step moves weights, not logits, so the logits follow "
        "only on average over many texts. Before training: a pre-trained encoder with a new output "
        "layer, whose S and E are random.",
        4: f"Each step follows the gradient of one batch; what it lowers also held {also}. "
        "The curve begins at step 1, as a log axis has no 0. The last recorded moment is a mean of "
        "the weights of several moments, and no step. Logits are recorded in half precision.",
    }[step]
    if len(windows) > 1:
        mean = losses.total(losses.start_end_loss(case.shown.reading, case.chosen))
        said += f" Each of the {len(windows)} windows is a text of its own for training; the mean "
        said += f"of their losses at the end is {number(mean, 3)}."
    if case.unrecorded and step < 4:
        said = f"{case.unrecorded} {said}"
    more = [label_choice(case), window_choice(case)] if step > 1 else []
    more += [marking(case)] if step > 1 or case.by not in ("nobody", "you") else []
    return [ui.remark("conditions", said), *(one for one in more if one is not None)]


def labels_table(case: Case) -> Block:
    """One row for each label: its P, what they cost, and its loss."""
    rows = []
    for k, label in enumerate(case.labels):
        i, j = losses.right_pair(case.window, label.span)
        costs = [
            x
            for log_p in (case.log_p[0][i], case.log_p[1][j])
            for x in (fine(log_p), number(-log_p, 3))
        ]
        words = case.words(label.span)
        words += " ([CLS] in this window)" if label.span and i == 0 else ""
        cells = words, f"{label.people} of {case.total}", *costs, number(case.loss_by(label), 3)
        rows.append(ui.row(*cells, sets={"own.loss.label": k or None}))
    names = ["taken as right", "people", "P(start)", "−log P(start)", "P(end)", "−log P(end)", "L"]
    return ui.table("rows", names, rows, "The loss by each label")


def pairs_table(case: Case) -> Block:
    """The pairs of the picture: logits, logarithms, score."""
    (found, right), w, rows = pairs_of(case), case.window, []
    for p in found:
        inside = bool(w.is_context[p.i])
        sets = {"selection": [w.to_doc(p.i), w.to_doc(p.j)]} if inside else None
        cells = [number(x) for x in (case.start[p.i], case.end[p.j], p.score)]
        cells += [number(x, 3) for x in (case.log_p[0][p.i], case.log_p[1][p.j], p.logs)]
        name = pair_words(case, p) + (" (the right one)" if p == right else "")
        rows.append(ui.row(name, *cells, sets=sets, strong=p == right))
    names = ["pair", "start logit", "end logit", "score", "log P(start)", "log P(end)", "sum"]
    return ui.table("rows", names, rows, "Five pairs on both scales")


def pulls_table(case: Case) -> Block:
    """The twelve positions that are pulled most."""
    w, rows = case.window, []
    most = np.argsort(-np.maximum(*map(np.abs, case.pull)), kind="stable")[:12]
    for pos in most.tolist():
        sets = {"selection": [w.to_doc(pos)] * 2} if w.is_context[pos] else None
        cells = list[str]()
        for y, log_p, pull in zip(case.targets, case.log_p, case.pull, strict=True):
            p = probability(float(np.exp(log_p[pos])))
            cells += [f"{y[pos]:.2g}", p, signed(pull[pos], 3)]
        rows.append(ui.row(position_name(case.shown, w, pos), *cells, sets=sets))
    names = ["token", "y, start", "P(start)", "pull, start", "y, end", "P(end)", "pull, end"]
    return ui.table("rows", names, rows, "The twelve positions that are pulled most")


def moments_table(case: Case) -> Block:
    """Every recorded moment with its loss."""
    rows = []
    for k in [] if case.unrecorded else case.moments:
        cells = [number(x, 3) for x in case.record.costs[k]]
        sets = {"own.loss.moment": k}
        rows.append(ui.row(f"{case.record.steps[k]:,}", *cells, sets=sets, strong=k == case.now))
    names = ["training step", "−log P(start)", "−log P(end)", "L"]
    return ui.table("rows", names, rows, "The loss at every recorded moment")
