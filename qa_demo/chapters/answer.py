"""Chapter 1, Answer: the best span, whether "no answer" wins over it, and how sure the reader is.

score(i, j) = start logit of i + end logit of j; lead = score of the best span - score of "no
answer"; "no answer" is returned where lead < -threshold. All are logits, without a unit.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from qa_demo.blocks import (
    END,
    GOLD,
    GREY,
    INK,
    LINE,
    MID,
    PAPER,
    QUOTE,
    SHADE,
    START,
    STRONG,
    Block,
    Part,
    adds,
    axis,
    button,
    code,
    escape,
    figure,
    fold,
    formula,
    group,
    legend,
    line,
    note,
    number,
    percent,
    plural,
    probability,
    quote,
    row,
    sentence,
    slider,
    small_number,
    table,
)
from qa_demo.core.files.assets import READERS
from qa_demo.core.measuring.claims import margin, sureness
from qa_demo.core.measuring.measured import ClaimReliability, Measured, load_measured
from qa_demo.core.measuring.metrics import CalibrationBin, exact_match, f1, normalize
from qa_demo.core.reading.predicted import Candidate
from qa_demo.core.reading.scales import null_logits
from qa_demo.core.types import Encoding, Span
from qa_demo.shown import Shown
from qa_demo.state import Record
from qa_demo.texts import (
    families,
    gold_lines,
    item,
    mark,
    paragraph_items,
    segment,
    siblings,
    span_words,
    text,
    word_items,
)

NAME = "Answer"
HEADINGS = (
    "Which words answer the question?",
    "When does the reader say “no answer”?",
    "How sure is the reader?",
)
STEPS = ("The best span", "Or no answer?", "How sure?")
OPENS: dict[int, dict[str, Any]] = {}
SILENT, ODD, PLAIN = "reef", "bronze", "oresund"
"""A text on which "no answer" wins, one whose sure answer nobody marked, and the plain one."""
LONG, AROUND = 700, 220
"""Characters: a longer paragraph is shown in parts, with this much before and after a span."""
DRAWN = 5
SNIPPET = """\
import numpy as np

start, end = np.array([1.5, -6.0, 5.9, -0.2]), np.array([1.5, -4.0, -1.0, 6.2])  # [CLS], words
threshold, longest = 4.06, 30
spans = [(i, j) for i in range(1, 4) for j in range(i, min(4, i + longest))]
best = max(spans, key=lambda span: start[span[0]] + end[span[1]])
score, no_answer = start[best[0]] + end[best[1]], start[0] + end[0]
lead = score - no_answer
print(best, score.round(2), lead.round(2), "no answer" if lead < -threshold else "answer")
"""
Rows = list[list[Candidate]]
"""The best spans, each with its variants: `texts.families`."""
figures_of = cache(load_measured)


class Own(Record):
    """This chapter keeps nothing of its own."""


def picture(shown: Shown, own: Own) -> list[Block | None]:
    """The blocks of the step."""
    return (best_span, or_none, how_sure)[shown.state.step - 1](shown)


# ---- what the steps share


def framed(plain: str, strong: str, rest: str, last: str) -> tuple[Block, Block]:
    """The fixed definition, its part that matters strong, and the closing line."""
    idea = sentence("idea", "idea", plain, [strong, STRONG], rest)
    return idea, sentence("closing", "closing", last)


def folds(shown: Shown, rows: Rows, *exactly: str, made: Block | None = None) -> list[Block]:
    """Exactly, as a table, the code."""
    said = [sentence(f"exactly-{k}", "note", one) for k, one in enumerate(exactly)]
    rest = [whole(shown)] if shown.state.step == 1 and len(shown.encoding.context) > LONG else []
    span = 3 if rest else 4
    return [
        fold("exactly", "Exactly", *said, span=span),
        fold("table", "As a table", made or listed(shown, rows), span=span),
        fold("code", "The code", code("py", SNIPPET), span=span),
        *rest,
    ]


def fit(parts: tuple[float, ...], total: float) -> int:
    """The fewest digits, two to four, with which the printed parts give the printed total."""
    return next((d for d in (2, 3, 4) if adds(parts, total, d) == "="), 2)


def bracket(x: float, digits: int) -> str:
    """A number as a later addend: in brackets where it has a sign."""
    return f"({number(x, digits)})" if x < 0 else number(x, digits)


def summed(s: float, e: float, digits: int) -> list[Part]:
    """5.90 + 6.19 = 12.09, in the colours of start and end."""
    parts: list[Part] = [[number(s, digits), START], " + ", [bracket(e, digits), END]]
    return [*parts, f" {adds((s, e), s + e, digits)} ", [number(s + e, digits), STRONG]]


def named(e: Encoding, span: Span, most: int = 44) -> str:
    """A span in quotes; a dot where it begins or ends inside a word, e.g. “·ne Sax”."""
    before = "·" if siblings(e, span.start)[0] < span.start else ""
    after = "·" if siblings(e, span.end)[-1] > span.end else ""
    return f"“{before}{quote(e.text(span), most)[1:-1]}{after}”"


def silent(shown: Shown) -> bool:
    """Whether the text is an example of which its author says that it holds no answer."""
    return shown.example is not None and shown.state.gold is None and not shown.golds


def other_text(shown: Shown, name: str, label: str, span: int = 12) -> Block | None:
    """One press to an odd case, and back."""
    if name not in shown.examples:
        return None
    if shown.example is not None and shown.example.id == name:
        return button("other", "Back to the bridge", {"example": PLAIN}, span)
    return button("other", label, {"example": name}, span)


def undo(shown: Shown) -> Block | None:
    """What puts the reader's own logits back."""
    label = "Put the reader's own logits back"
    return button("undo", label, {"edits": None}) if shown.changed else None


def measured(shown: Shown) -> Measured | None:
    """The figures of the reader, if they hold the very calibration that its reading came with."""
    known, name = shown.true.calibrations, shown.state.reader
    found = figures_of(READERS[name]) if name in READERS else None
    if known is None or known.answerable is None or found is None or found.claim is None:
        return None
    own = known.answerable.slope, known.answerable.intercept
    return found if np.allclose(own, (found.claim.slope, found.claim.intercept)) else None


# ---- step 1: the best span


def best_span(shown: Shown) -> list[Block | None]:
    """The paragraph with the best span, and the five best by their score."""
    idea, closing = framed(
        "A span is a run of words in the paragraph. ",
        "The reader scores the spans and returns the best one",
        ", unless “no answer” wins (step 2).",
        "A start logit says how well the answer starts at a word; an end logit, how well it ends "
        "there.",
    )
    rows = families(shown)
    paragraph = text("words", segment(seen(shown)), lines=lines(shown))
    made = [idea, highest(shown), key(shown), paragraph, undo(shown), dots(shown, rows)]
    return [*made, score_of_selection(shown), closing, *folds(shown, rows, conditions(shown))]


def count_spans(shown: Shown) -> int:
    """How many spans are compared: each owned start with the ends that are left to it."""
    most = shown.decode.max_answer_length
    return sum(int(np.minimum(most, w.doc_stop - w.owned).sum()) for w in shown.reading.windows)


def highest(shown: Shown) -> Block:
    """The finding: which span scores highest, and what speaks against it."""
    best, score = span_words(shown.best, 60), [number(shown.best.score), STRONG]
    said: list[Part] = [f"Of {count_spans(shown):,} spans, ", best, " has the highest score, "]
    if shown.state.rule != "logits":
        said = ["By another rule (Long text, step 4) the best span is ", best, ", with the score "]
    said += [score, "."]
    if shown.prediction.answer is None:
        said.append(" It is not returned: “no answer” wins (step 2).")
    elif silent(shown):
        said.append(" It is returned, though the author says that this text holds no answer.")
    elif shown.golds and not any(exact_match(g.text, shown.best.text) for g in shown.golds):
        who = "You did not mark" if shown.state.gold else "Nobody marked"
        said.append(f" {who} exactly these words as right.")
    return sentence("finding", "finding", *said, " Changed by hand." if shown.changed else None)


def key(shown: Shown) -> Block | None:
    """What the marks of the text mean, and whose they are; the veil covers that too."""
    if shown.state.veil:
        return None
    whose = "by people" if len(shown.golds) > 1 else "by the author"
    whose = "by you" if shown.state.gold else whose
    none = "nobody has marked an answer in this text"
    if silent(shown):
        none = "the author says that this text holds no answer"
    cut = len(shown.encoding.context) > LONG
    return legend(
        "key",
        ("fill", MID, "the reader's best span"),
        ("under", GOLD, f"marked as right {whose}") if shown.golds else ("text", GREY, none),
        *([("text", GREY, "… the paragraph goes on")] if cut else []),
    )


def lines(shown: Shown) -> list[Block]:
    """One line for each answer that people marked."""
    return gold_lines(shown.encoding, shown.golds, own=bool(shown.state.gold))


def marked(shown: Shown) -> list[Span]:
    """The best span and the answers that people marked, in the text's order; long ones cut."""
    found = {(shown.best.span.start, shown.best.span.end)}
    found |= {(g["from"], min(g["to"], g["from"] + 99)) for g in lines(shown)[:4]}
    return [Span(*pair) for pair in sorted(found)]


def runs(shown: Shown) -> list[tuple[int, int]]:
    """The pieces [from, to) around the best span and the marked answers: runs of whole words."""
    e, spans = shown.encoding, marked(shown)
    n, begins, blank = len(e.context_ids), e.offset_mapping[:, 0], e.whitespace_ids
    room = AROUND // (2 if e.chars(spans[-1])[1] - e.chars(spans[0])[0] > 2 * AROUND else 1)
    found: list[tuple[int, int]] = []
    for span in spans:
        at, end = e.chars(span)
        first, last = (int(k) for k in np.searchsorted(begins, (at - room, end + room)))
        most = at - room + 40, end + room - 40  # a language without blanks has no words to keep
        while (
            0 < first < span.start and blank[first] == blank[first - 1] and begins[first] < most[0]
        ):
            first += 1
        while span.end + 1 < last < n and blank[last] == blank[last - 1] and begins[last] > most[1]:
            last -= 1
        if found and first <= found[-1][1] + 12:
            first, last = found[-1][0], max(last, found.pop()[1])
        found.append((first, last))
    return found


def seen(shown: Shown) -> list[Block]:
    """The words of the first screen: the whole paragraph, or of a long one the parts that matter.
    Under the veil it is always whole, since the choice of the parts would tell the answer.
    """
    e, found = shown.encoding, list[Block]()
    n = len(e.context_ids)
    if len(e.context) > LONG and shown.state.veil:
        return word_items(e)
    for first, last in runs(shown) if len(e.context) > LONG else [(0, n)]:
        found += [item("…", " ", marks=["special"])] if first else []
        found += paragraph_items(e, first, last)
        found[-1] = {**found[-1], "gap": " " if last < n else ""}
    if last < n:
        found.append(item("…", marks=["special"]))
    mark(found, shown.best.span, "predicted")
    return found


def whole(shown: Shown) -> Block:
    """A long paragraph whole, word by word, in a fold."""
    ends = {k for span in marked(shown) for k in (span.start, span.end + 1)}
    words = word_items(shown.encoding, ends)
    mark(words, shown.best.span, "predicted")
    made = text("all", segment(words), lines=lines(shown))
    return fold("whole", "The whole paragraph", made, span=3)


def names(shown: Shown, top: list[Candidate], most: int) -> list[str]:
    """The spans' names for a figure, the best bold; of equal words it is said which they are."""
    said = [escape(named(shown.encoding, c.span, most)) for c in top]
    for k, c in enumerate(top):
        if c.text and sum(c.text == other.text for other in top) > 1:
            said[k] += f" (no. {shown.encoding.context.count(c.text, 0, c.char_start) + 1})"
    return [f"<b>{said[0]}</b>", *said[1:]]


def dots(shown: Shown, rows: Rows) -> Block:
    """The best spans as dots on the axis of scores; a ring follows the selection."""
    top = [first for first, *_ in rows][:DRAWN]
    scores, at, printed = [c.score for c in top], range(len(top)), [number(c.score) for c in top]
    low, room = min(scores), (max(scores) - min(scores)) or 1.0
    trace: Block = {"type": "scatter", "mode": "markers+text", "x": scores, "y": [*at]}
    trace |= {"text": [f"  <b>{printed[0]}</b>", *("  " + s for s in printed[1:])]}
    trace |= {"textposition": "middle right", "textfont": {"size": 15, "color": INK}}
    trace |= {"cliponaxis": False, "hoverinfo": "none", "sets": {"selection": "customdata"}}
    trace |= {"marker": {"size": 15, "color": [INK] + [MID] * (len(top) - 1), "opacity": 1}}
    trace |= {"customdata": [[c.span.start, c.span.end] for c in top]}
    span = [low - 0.08 * room, low + 1.16 * room]
    down: Block = {"tickvals": [*at], "ticktext": names(shown, top, 48), "automargin": True}
    down |= {"range": [len(top) - 0.4, -0.6]}
    down |= {"showgrid": False, "tickfont": {"size": 15, "color": INK}}
    layout = {"height": 54 + 28 * len(top), "margin": {"l": 10, "r": 10, "t": 4, "b": 46}}
    layout |= {"xaxis": axis("score of the span", range=span, nticks=6, showgrid=False)}
    layout |= {"yaxis": axis(None, **down)}
    layout["shapes"] = [line(0, 1, k, k, LINE, width=1, xref="paper", layer="below") for k in at]
    ring = {"type": "circle", "xsizemode": "pixel", "ysizemode": "pixel", "x0": -12, "x1": 12}
    ring |= {"y0": -12, "y1": 12, "line": {"color": INK, "width": 2}}
    chosen = [k for k in at[1:] if top[k].span == shown.selection]
    narrow = {"yaxis.ticktext": names(shown, top, 22), "yaxis.tickfont.size": 13}
    narrow |= {"xaxis.range": [low - 0.1 * room, low + 1.8 * room], "xaxis.nticks": 3}
    return figure(
        "spans",
        [trace],
        layout,
        f"The best spans as dots by their score; the best has {printed[0]}.",
        overlay={"shapes": [{**ring, "xanchor": scores[k], "yanchor": k} for k in chosen]},
        narrow=narrow,
    )


def score_of_selection(shown: Shown) -> Block:
    """score of “Georg Rotne” = start logit + end logit = 5.90 + 6.19 = 12.09."""
    span, best, reading = shown.selection, shown.best, shown.reading
    window = reading.windows[best.window] if span == best.span else reading.home(span)
    name = [named(shown.encoding, span, 32), QUOTE]
    if window is None:
        return formula("sum", [name, " fits in no window, so it has no score."])
    start, end = reading.logits(window.index)
    i, j = window.to_pos(span.start), window.to_pos(span.end)
    s, e, most = float(start[i]), float(end[j]), shown.decode.max_answer_length
    said: list[Part] = ["score of ", name, " = start logit + end logit = "]
    said += summed(s, e, fit((s, e), s + e))
    return formula("sum", said + [f" (over {most} pieces: not compared)"] * (j - i >= most))


def conditions(shown: Shown) -> str:
    """What the first screen does without."""
    most, many = shown.decode.max_answer_length, len(shown.reading.windows)
    split = f"The paragraph was read in {many} windows that overlap (chapter Long text); a start "
    split += "counts in the window that sees most around it. "
    return (
        "A logit is a number without a unit that the reader gives each piece of a word (chapter "
        f"Scores). A span has at most {plural(most, 'piece')} and does not end before it starts: "
        f"these are the {count_spans(shown):,} that are compared. {split if many > 1 else ''}Spans "
        "that differ by a mark or by part of a word are variants; of each, the best is drawn. A "
        "score has no zero of its own: only differences count. People's answers are compared as "
        "SQuAD does: capital letters, marks and articles make no difference."
    )


def listed(shown: Shown, rows: Rows) -> Block:
    """The best spans with their lead over "no answer"; their variants unfold."""
    null = float(null_logits(shown.reading).min())

    def cells(c: Candidate) -> list[str]:
        numbers = c.start_logit, c.end_logit, c.score, c.score - null
        return [named(shown.encoding, c.span, 60), *map(number, numbers)]

    found = []
    for first, *others in rows:
        label = f"and {small_number(len(others))} variant{'s' * (len(others) > 1)}"
        more = (label, [cells(c) for c in others[:8]]) if others else None
        sets = {"selection": [first.span.start, first.span.end]}
        found.append(row(*cells(first), sets=sets, more=more))
    head = [("span", ""), ("start logit", START), ("end logit", END), ("score", "")]
    return table("listed", [*head, ("lead over “no answer”", "")], found, caption="The best spans")


# ---- step 2: or no answer?


class Lead:
    """The best span against "no answer": lead = score - null; it is returned if lead >= -limit.
    `limit` is the threshold, None under a rule that knows none.
    """

    def __init__(self, shown: Shown) -> None:
        self.best, self.lead = shown.best, margin(shown.reading, shown.best)
        self.null = self.best.score - self.lead
        self.window = int(null_logits(shown.reading).argmin())
        self.start, self.end = (float(x[0]) for x in shown.reading.logits(self.window))
        limit = shown.decode.null_score_diff_threshold
        self.limit = limit if shown.state.rule == "logits" else None
        self.returned = shown.prediction.answer is not None
        self.reach = max(12.0, 1.25 * abs(self.lead), min(1.25 * abs(self.limit or 0), 40.0))
        # the threshold's line, at the figure's edge where it lies beyond
        line_at = -self.reach if self.limit is None else -self.limit
        self.edge = float(np.clip(line_at, -self.reach, self.reach))


def or_none(shown: Shown) -> list[Block | None]:
    """The lead of the best span over "no answer", and the threshold."""
    n, rows = Lead(shown), families(shown)
    idea, closing = framed(
        "“No answer” has a score too. The lead is how far the best span stands above it. ",
        "The best span is returned unless it lies further behind than the threshold.",
        "",
        "A higher threshold returns more answers, right ones and wrong ones.",
    )
    found = sentence("finding", "finding", *decided(n))
    next_best = ("ring", GREY, "the next best spans, which are never returned")
    legend_ = legend("key", ("dot", INK, "the best span"), next_best)
    made = [idea, found, *steered(shown, n), legend_, leads(n, rows), lead_sum(shown, n), closing]
    return [*made, *folds(shown, rows, exact_none(shown, n))]


def decided(n: Lead) -> list[Part]:
    """The finding: what is returned, and why."""
    best, lead = span_words(n.best, 50), [number(abs(n.lead)), STRONG]
    stands: list[Part] = [best, " leads “no answer” by ", lead]
    if n.lead < 0:
        stands = [best, " lies ", lead, " behind “no answer”"]
    if n.limit is None:
        return [*stands, ". By this rule no threshold applies: it is returned."]
    if n.lead >= 0:
        asks = f", but a threshold of {number(n.limit)} asks for a lead of {number(-n.limit)}: "
        more = asks + "“no answer” is returned although it is behind."
        return [*stands, ": it is returned." if n.returned else more]
    end = "it is returned all the same." if n.returned else "“no answer” is returned."
    return [*stands, f"; the threshold is {number(n.limit)}: {end}"]


def steered(shown: Shown, n: Lead) -> list[Block | None]:
    """The threshold's slider, what puts it back, and the way to an odd case."""
    other = other_text(shown, SILENT, "A text where “no answer” wins", 4)
    if n.limit is None:
        return [button("rule", "Back to the rule with a threshold", {"rule": None}, 4), other]
    most, value = float(max(12, int(np.ceil(abs(n.limit))))), round(n.limit, 2)
    label = f"The reader's own, {number(shown.true.threshold or 0.0)}"
    return [
        slider("threshold", "threshold", "threshold", -most, most, 0.01, value, flip=True),
        button("own", label, {"threshold": None}, 2, off=shown.state.threshold is None),
        other,
        undo(shown),
    ]


def leads(n: Lead, rows: Rows) -> Block:
    """The lead from 0, which is "no answer", and the threshold as a line."""
    reach, notes = n.reach, notes_on_leads(n)
    tail = [(k, a) for k, a in enumerate(notes) if k]
    others = [c.score - n.null for c, *_ in rows[1:DRAWN]]
    others = [x for x in others if -reach < x < reach]
    step = next(s for s in (5, 10, 20, 50, 100, 200, 500, 1000) if reach / s <= 5)
    ticks = list(range(-int(reach // step) * step, int(reach) + 1, step))
    said = ["<b>0: equal</b>" if v == 0 else number(v, 0) for v in ticks]
    dot = {"type": "scatter", "mode": "markers", "hoverinfo": "skip"}
    ring = {"size": 11, "color": PAPER, "opacity": 1, "line": {"color": GREY, "width": 2}}
    rings = {**dot, "x": others, "y": [0] * len(others), "marker": ring}
    best = {**dot, "x": [n.lead], "y": [0], "marker": {"size": 22, "color": INK, "opacity": 1}}
    area = {"type": "rect", "x0": -reach, "x1": n.edge, "y0": 0, "y1": 1, "yref": "paper"}
    area |= {"fillcolor": SHADE, "line": {"width": 0}, "layer": "below"}
    base = line(-reach, reach, 0, 0, GREY, width=1, layer="below")
    lead = line(0, n.lead, 0, 0, MID, width=8, layer="below")
    drawn = [area, base, lead, line(0, 0, -0.16, 0.16, INK, width=2)]
    if n.limit is not None:
        drawn.append(line(n.edge, n.edge, -1, 1, INK, width=2, dash="dot"))
    across: Block = {"range": [-reach, reach], "tickvals": ticks, "ticktext": said}
    across |= {"showgrid": False, "ticks": "outside", "tickcolor": GREY}
    layout = {"height": 290, "margin": {"l": 10, "r": 10, "t": 32, "b": 58}, "shapes": drawn}
    layout |= {"annotations": notes, "yaxis": axis(None, range=[-1, 1], visible=False)}
    layout |= {"xaxis": axis("lead of a span over “no answer”", **across)}
    name = f"<b>{escape(quote(n.best.text, 20))}</b> {number(n.lead)}"
    narrow: Block = {"height": 240, "annotations.0.text": name}
    short = {"“no answer” is returned": "“no answer”", "the best span is returned": "the best span"}
    narrow |= {f"annotations.{k}.text": short.get(a["text"], a["text"]) for k, a in tail}
    alt = f"The best span's lead over no answer is {number(n.lead)}."
    return figure("leads", [rings, best], layout, alt, narrow=narrow)


def notes_on_leads(n: Lead) -> list[Block]:
    """The names in the figure: the best span, the threshold, the two sides of its line."""
    reach, name = n.reach, escape(quote(n.best.text, 28))

    def at(x: float, size: int) -> Block:
        side = "left" if x < -0.6 * reach else "right" if x > 0.6 * reach else "center"
        return {"xanchor": side, "font": {"size": size, "color": INK}}

    below = SHADE if n.lead < n.edge else PAPER
    best = note(f"<b>{name}</b> {number(n.lead)}", n.lead, 0, yshift=30, bgcolor=below)
    if n.limit is None:
        return [best | at(n.lead, 17)]
    minus = f"minus the threshold: <b>{number(-n.limit)}</b>"
    found = [best | at(n.lead, 17), note(minus, n.edge, 1, yref="paper", yanchor="bottom")]
    found[1] |= at(n.edge, 14)
    areas = [(-reach, n.edge, "“no answer” is returned")]
    areas.append((n.edge, reach, "the best span is returned"))
    wide = [(a, b, what) for a, b, what in areas if b - a > 0.3 * reach]
    return found + [note(what, (a + b) / 2, 0, yshift=-44) | at(0, 14) for a, b, what in wide]


def lead_sum(shown: Shown, n: Lead) -> Block:
    """Both scores as sums, and the lead as their difference."""
    b, difference = n.best, (n.best.score, -n.null)
    sums = ((b.start_logit, b.end_logit), b.score), ((n.start, n.end), n.null)
    d = max(fit(parts, total) for parts, total in (*sums, (difference, n.lead)))
    sign = adds(difference, n.lead, d)
    lead: list[Part] = [f"lead = {number(b.score, d)} − {bracket(n.null, d)} {sign} "]
    lead.append([number(n.lead, d), STRONG])
    if n.limit is not None:
        sign, what = ("≥", "returned") if n.returned else ("<", "“no answer”")
        lead.append(f" {sign} {number(-n.limit, d)}: {what}")
    best: list[Part] = ["best span: ", *summed(b.start_logit, b.end_logit, d)]
    null = f"“no answer”, at {shown.encoding.cls_token}: "
    return formula("lead", best, [null, *summed(n.start, n.end, d)], lead)


def exact_none(shown: Shown, n: Lead) -> str:
    """Where the score of "no answer" is from, and what the threshold was chosen on."""
    many, found, own = len(shown.reading.windows), measured(shown), shown.true.threshold or 0.0
    said = (
        f"The score of “no answer” is start logit + end logit at {shown.encoding.cls_token}, the "
        "token in front of the question, which is no word of the paragraph. "
    )
    if many > 1:
        said += (
            f"Each of the {many} windows has one; the smallest counts, that of window "
            f"{n.window + 1}, since “no answer” must hold in all of them. "
        )
    said += "“No answer” is returned where it leads by more than the threshold, not by as much. "
    if found is None or "span" not in found.curves:
        return said + f"This reader's threshold is {number(own)}; how it was chosen is not stored."
    curve, chosen = found.curves["span"], found.curves["span"].chosen
    return said + (
        f"The reader's own, {number(own)}, was chosen on {curve.answerable + curve.unanswerable:,} "
        f"questions, {curve.unanswerable:,} of them without an answer, and counted on the same "
        f"ones: it withholds {chosen.withheld_right:.0f} in 100 right answers and returns a span "
        f"for {chosen.wrongly_answered:.0f} in 100 questions without an answer."
    )


# ---- step 3: how sure?


@dataclass(frozen=True)
class Sure:
    """The one number of sureness of the reader's own best span, [0, 1], with what was counted; or
    `why` there is none.
    """

    best: Candidate
    why: str = ""
    parts: tuple[float, float] = 0.0, 0.0
    known: ClaimReliability | None = None

    @property
    def claim(self) -> float:
        """P(the text answers) * P(exactly right, if it answers)."""
        return self.parts[0] * self.parts[1]

    @property
    def like(self) -> CalibrationBin | None:
        """The questions on which the reader was as sure."""
        bins = self.known.bins if self.known else ()
        top = max((b.high for b in bins), default=0.0)  # 1.0 belongs to the last bin
        return next(
            (b for b in bins if b.low <= self.claim < b.high or b.high == top == self.claim), None
        )


def sure(shown: Shown) -> Sure:
    """How sure the reader is of its own best span, by the default rule and its own logits."""
    ranked = shown.before.best if shown.changed else shown.prediction.best
    assert ranked is not None
    best, known = ranked.candidate, measured(shown)
    if known is None or known.claim is None:
        return Sure(best, "How often this reader is right was not measured")
    if shown.state.rule != "logits":
        return Sure(best, "It was measured by the default rule for windows, and another is chosen")
    found = sureness(shown.true, best)
    if found is None or found.answerable is None:
        return Sure(best, "It was measured for spans of at most 30 pieces, and this one is longer")
    return Sure(best, "", (found.answerable, found.right_if_answerable), known.claim)


def how_sure(shown: Shown) -> list[Block | None]:
    """One number in per cent, how often it came true, and what people marked here."""
    s = sure(shown)
    idea, closing = framed(
        "A lead over “no answer” and over rival spans makes the reader sure of its best span. ",
        "Whether that holds is counted on questions whose answer is known.",
        "",
        "To be sure is not to be right: the number says how often such spans were right.",
    )
    here, other = ("bar", INK, "as sure as here"), ("bar", MID, "surer or less sure")
    even = ("dash", GREY, "right just as often as it says")
    drawn = s.like is not None
    rows = [] if drawn else families(shown)
    left = group("left", 8, legend("key", here, other, even), bars(s)) if drawn else None
    odd = other_text(shown, ODD, "A sure answer that nobody marked")
    side = group("side", 4 if drawn else 12, *against(shown, s), odd)
    made = [idea, sentence("finding", "finding", *how_often(s)), left, side, counted(shown, s)]
    counts = bin_table(s) if drawn else None
    return [*made, closing, *folds(shown, rows, *exact_sure(shown, s), made=counts)]


def tens(b: CalibrationBin) -> str:
    """The bounds of a bin; e.g. "80 to 90 %"."""
    return f"{100 * b.low:.0f} to {100 * b.high:.0f} %"


def how_often(s: Sure) -> list[Part]:
    """The finding: the number, and how often such spans were right."""
    name, b = span_words(s.best), s.like
    if b is None:
        return ["How sure the reader is of ", name, f" cannot be said. {s.why}."]
    said = f" sure. Of {b.count:,} other questions with {tens(b)}, "
    right = [f"{100 * b.accuracy:.0f} in 100", STRONG]
    start: list[Part] = ["Of ", name, " the reader is ", [percent(s.claim), STRONG]]
    return [*start, said, right, " best spans were exactly right."]


def bars(s: Sure) -> Block:
    """Of the questions by how sure the reader was: how many in 100 best spans were right."""
    assert s.known is not None
    bins, here = s.known.bins, [b == s.like for b in s.known.bins]
    right = [100 * b.accuracy for b in bins]
    inside = ["inside" if v >= 9 else "outside" for v in right]
    text_ = [f"<b>{v:.0f}</b>" if h else f"{v:.0f}" for v, h in zip(right, here, strict=True)]
    ink = [PAPER if h and v >= 9 else INK for v, h in zip(right, here, strict=True)]
    trace: Block = {"type": "bar", "x": [50 * (b.low + b.high) for b in bins], "y": right}
    trace |= {"width": [84 * (b.high - b.low) for b in bins], "hoverinfo": "text"}
    trace |= {"marker": {"color": [INK if h else MID for h in here]}, "text": text_}
    trace |= {"textposition": inside, "textfont": {"size": 15, "color": ink}, "textangle": 0}
    trace |= {"insidetextanchor": "middle", "constraintext": "none", "cliponaxis": False}
    trace |= {"hovertext": [f"{plural(b.count, 'question')}" for b in bins]}
    even: Block = {"type": "scatter", "mode": "lines", "x": [0, 100], "y": [0, 100]}
    even |= {"hoverinfo": "skip", "line": {"color": GREY, "width": 2, "dash": "dot"}}
    layout = {"height": 320, "margin": {"l": 58, "r": 14, "t": 8, "b": 52}}
    across: Block = {"range": [0, 100], "dtick": 10, "showgrid": False}
    layout |= {"xaxis": axis("how sure the reader said it was, in %", **across)}
    layout |= {"yaxis": axis("exactly right, in 100", range=[0, 108], dtick=20)}
    alt = "By how sure the reader said it was: how many in 100 best spans were exactly right."
    narrow = {"height": 260, "xaxis.dtick": 20, "margin.l": 46}
    return figure("bins", [trace, even], layout, alt, narrow=narrow)


def against(shown: Shown, s: Sure) -> list[Block | None]:
    """The best span against each answer that people marked: exact match and F1."""
    if not shown.golds:
        said = "Nobody has marked the answer in this text."
        if silent(shown):
            said = "The author says that this text holds no answer, so every span is wrong here."
            said += " The reader returns “no answer”." * (shown.prediction.answer is None)
        return [sentence("people", "finding", said)]
    rows, total = [], len(shown.golds)
    for gold, n in Counter(g.text for g in shown.golds).most_common():
        who = "you" if shown.state.gold else f"{n} of {total} people" if total > 1 else "the author"
        exact = "yes" if exact_match(gold, s.best.text) else "no"
        who = who.replace(" ", "\u00a0")
        rows.append(row(quote(gold, 60), who, exact, number(f1(gold, s.best.text))))
    head = [("marked as right", GOLD), ("by", ""), ("exact\u00a0match", ""), ("F1", "")]
    said = "Exact match: the same words. F1: how many words are shared. "
    said += "Marks, articles and capital letters are ignored."
    caption = "The best span against the marked answers"
    return [table("people", head, rows, caption=caption), sentence("compared", "finding", said)]


def counted(shown: Shown, s: Sure) -> Block | None:
    """147 right / 184 questions, and F1 against the marked answer that differs most."""
    found: list[list[Part]] = []
    if s.like is not None:
        right, share = round(s.like.accuracy * s.like.count), probability(s.like.accuracy)
        found.append([f"{right:,} right / {plural(s.like.count, 'question')} = ", [share, STRONG]])
    if shown.golds:
        gold = min({g.text for g in shown.golds}, key=lambda one: (f1(one, s.best.text), one))
        a, b = Counter(normalize(s.best.text).split()), Counter(normalize(gold).split())
        both = f"2 · {(a & b).total()} shared / ({a.total()} + {b.total()} words) = "
        said: list[Part] = ["F1 with ", [quote(gold, 40), GOLD], " = ", both if a and b else ""]
        found.append([*said, [number(f1(gold, s.best.text)), STRONG]])
    return formula("count", *found) if found else None


def exact_sure(shown: Shown, s: Sure) -> list[str]:
    """What the number is made of, on what it was counted, and what it is not."""
    fits = shown.true.calibrations
    if s.known is None or fits is None or fits.span is None or fits.answerable is None:
        return [f"{s.why}, so no number is printed."]
    (a, b), k = s.parts, s.known
    sign = "=" if abs(round(a, 3) * round(b, 3) - round(s.claim, 3)) < 0.0005 else "≈"
    own = "Logits are changed by hand; the number is of the reader's own. " if shown.changed else ""
    made = (
        f"{own}{percent(s.claim)}: P(the text answers) · P(exactly right, if it answers) = "
        f"{probability(a)} · {probability(b)} {sign} {probability(s.claim)}. The first is the "
        f"sigmoid of {number(fits.answerable.slope, 3)} · lead + "
        f"{bracket(fits.answerable.intercept, 3)}. The second is the span's share of all spans "
        f"that are compared (softmax of their scores divided by {number(fits.span.temperature)}), "
        f"with {number(fits.span.bias)} added to its log-odds. All four constants were fitted on "
        "the questions below: that is calibration. P(start) · P(end) of chapter Start & end is "
        "another number and not calibrated."
    )
    below = (
        f"Counted: {k.measured_on:,} questions on six SQuAD articles, {k.unanswerable:,} without "
        "an answer in their text, none trained on; each was judged by constants fitted without "
        "its article. Right: the best span matches a marked answer exactly, but for marks, "
        "articles and capital letters; on a question without an answer every span is wrong. On "
        f"average the number misses what was counted by {100 * k.error:.1f} in 100. It speaks of "
        "the best span, returned or not, and holds for texts like those: not for one that the "
        "reader was trained on (the reader's card lists them)."
    )
    return [made, below]


def bin_table(s: Sure) -> Block:
    """All that was counted."""
    rows = []
    for b in s.known.bins if s.known else ():
        shares = f"{100 * b.mean_prob:.1f}", f"{100 * b.accuracy:.1f}"
        rows.append(row(tens(b), f"{b.count:,}", *shares, strong=b == s.like))
    head = [("said to be sure", ""), ("questions", ""), ("mean of what was said, in %", "")]
    head += [("exactly right, in 100", "")]
    return table("bins-table", head, rows, caption="How often the number came true")
