"""Chapter 1, Answer: the best span, whether "no answer" wins over it, and how sure the reader is.

score(i, j) = start logit of i + end logit of j; lead = score of the best span - score of "no
answer"; "no answer" is returned where lead < -threshold. All are logits, without a unit.
"""

from collections import Counter
from functools import cache
from typing import Any

import numpy as np

from qa_demo import blocks as ui
from qa_demo import texts
from qa_demo.blocks import GOLD, GREY, INK, MID, OTHER, PAPER, Block
from qa_demo.core.calibration import Known, Lead, Sure, counted_with, lead_of, load_known, sure_of
from qa_demo.core.metrics import CalibrationBin, exact_match, f1, normalize
from qa_demo.core.predict import null_logits
from qa_demo.core.spans import Candidate, count_spans
from qa_demo.core.store import READERS
from qa_demo.core.text import excerpts
from qa_demo.core.types import Encoding, Span
from qa_demo.printed import (
    QUOTE,
    STRONG,
    Part,
    adds,
    bracket,
    escape,
    number,
    percent,
    plural,
    probability,
    quote,
    say,
)
from qa_demo.shown import Shown
from qa_demo.state import Record

NAME = "Answer"
HEADINGS = (
    "Which words answer the question?",
    "When does the reader say “no answer”?",
    "How sure is the reader?",
)
STEPS = ("The best span", "Or no answer?", "How sure?")
OPENS: dict[int, dict[str, Any]] = {}
SILENT, ODD = "reef", "bronze"
"""A text on which "no answer" wins, and one whose sure answer nobody marked."""
LONG, AROUND = 700, 220
"""Characters: a longer paragraph is shown in parts, with this much before and after a span."""
DRAWN = 5
SNIPPET = ui.snippet("answer")
Rows = list[list[Candidate]]
"""The best spans, each with its variants: `texts.families`."""
figures_of = cache(load_known)


class Own(Record):
    """This chapter keeps nothing of its own."""


def picture(shown: Shown, own: Own) -> list[Block | None]:
    """The blocks of the step."""
    return (best_span, or_none, how_sure)[shown.state.step - 1](shown)


# ---- what the steps share


def fit(*sums: tuple[tuple[float, float], float]) -> int:
    """The fewest digits, two to four, with which the printed parts of sums give their totals."""
    return max(next((d for d in (2, 3, 4) if adds(*one, d) == "="), 2) for one in sums)


def named(e: Encoding, span: Span, most: int = 44) -> str:
    """A span in quotes; a dot where it begins or ends inside a word, e.g. “·ne Sax”."""
    before = "·" if texts.siblings(e, span.start)[0] < span.start else ""
    after = "·" if texts.siblings(e, span.end)[-1] > span.end else ""
    return f"“{before}{quote(e.text(span), most)[1:-1]}{after}”"


def silent(shown: Shown) -> bool:
    """Whether the text is an example of which its author says that it holds no answer."""
    return shown.example is not None and shown.state.gold is None and not shown.golds


def measured(shown: Shown) -> Known | None:
    """What was counted with this reader as it is."""
    name = shown.state.reader
    return counted_with(shown.true, figures_of(READERS[name]) if name in READERS else None)


def listed(shown: Shown, rows: Rows) -> Block:
    """The best spans with their lead over "no answer"; their variants unfold."""
    null, found = float(null_logits(shown.reading).min()), []

    def cells(c: Candidate) -> list[str]:
        numbers = c.start_logit, c.end_logit, c.score, c.score - null
        return [named(shown.encoding, c.span, 60), *map(number, numbers)]

    for first, *others in rows:
        sets, more = {"selection": [first.span.start, first.span.end]}, map(cells, others)
        found.append(ui.row(*cells(first), sets=sets, more=texts.variants([*more])))
    head = ["span", "start logit", "end logit", "score", "lead over “no answer”"]
    return ui.table("listed", head, found, "The best spans")


# ---- step 1: the best span


def best_span(shown: Shown) -> list[Block | None]:
    """The paragraph with the best span, and the five best by their score."""
    rows, whole = texts.families(shown), None
    if len(shown.encoding.context) > LONG:
        whole = ui.fold("whole", "The whole paragraph", paragraph(shown, "all"))
    return [
        ui.idea(
            "A span is a run of words in the paragraph. *The reader scores the spans and returns "
            "the best one*, unless “no answer” wins (step 2)."
        ),
        ui.finding("{}", highest(shown)),
        key(shown),
        paragraph(shown, "words"),
        texts.undo(shown),
        best_five(shown, rows),
        score_of_selection(shown),
        ui.closing(
            "A start logit says how well the answer starts at a word; an end logit, how well it "
            "ends there."
        ),
        *ui.folds(listed(shown, rows), [conditions(shown)], SNIPPET, whole),
    ]


def highest(shown: Shown) -> list[Part]:
    """The finding: which span scores highest, and what speaks against it."""
    best, score = texts.span_words(shown.best, 60), [number(shown.best.score), STRONG]
    many = count_spans(shown.reading.windows, shown.decode)
    spans = f"{many:,} spans of up to {shown.decode.max_answer_length} tokens"
    said = say(f"Of {spans}, {{}} has the highest score, {{}}.", best, score)
    if shown.state.rule != "logits":
        rule = "By another rule (Long text, step 4) the best span is {}, with the score {}."
        said = say(rule, best, score)
    if shown.prediction.answer is None:
        said.append(" It is not returned: “no answer” wins (step 2).")
    elif silent(shown):
        said.append(" It is returned, though the author says that this text holds no answer.")
    elif shown.golds and not any(exact_match(g.text, shown.best.text) for g in shown.golds):
        who = "You did not mark" if shown.state.gold else "Nobody marked"
        said.append(f" {who} exactly these words as right.")
    return [*said, " Changed by hand." if shown.changed else ""]


def key(shown: Shown) -> Block | None:
    """What the marks of the text mean, and whose they are; the veil covers that too."""
    if shown.state.veil:
        return None
    many = "people" if len(shown.golds) > 1 else "the author"
    known = "under", GOLD, f"marked as right by {'you' if shown.state.gold else many}"
    if not shown.golds:
        none = "nobody has marked an answer in this text"
        if silent(shown):
            none = "the author says that this text holds no answer"
        known = "text", GREY, none
    cut = [("text", GREY, "… the paragraph goes on")] * (len(shown.encoding.context) > LONG)
    return ui.legend("key", ("fill", MID, "the reader's best span"), known, *cut)


def paragraph(shown: Shown, name: str) -> Block:
    """The paragraph with the best span and a line for each answer that people marked. Of a long one
    "words" has the parts that matter, "all" the whole, word by word; under the veil there are no
    parts, since their choice would tell the answer.
    """
    e, best = shown.encoding, shown.best.span
    lines = texts.gold_lines(e, shown.golds, own=bool(shown.state.gold))
    spans = {(best.start, best.end)} | {
        (g["from"], min(g["to"], g["from"] + 99)) for g in lines[:4]
    }
    marked = [Span(*pair) for pair in sorted(spans)]
    if len(e.context) <= LONG:
        items = texts.paragraph_items(e)
    elif name == "all" or shown.state.veil:
        ends = {k for span in marked for k in (span.start, span.end + 1)}
        items = texts.word_items(e, ends if name == "all" else ())
    else:
        items = texts.excerpt_items(e, excerpts(e, marked, AROUND))
    texts.mark(items, best, "predicted")
    return texts.text(name, texts.segment(items), lines=lines)


def best_five(shown: Shown, rows: Rows) -> Block:
    """The best spans as dots on the axis of scores; a ring follows the selection."""
    top, with_kin = [row[0] for row in rows[:DRAWN]], [row for row in rows[:DRAWN] if row[1:]]
    scores, at = [c.score for c in top], [*range(len(top))]

    def names(most: int) -> list[str]:  # of equal words it is said which they are
        said = [escape(named(shown.encoding, c.span, most)) for c in top]
        for k, c in enumerate(top):
            if c.text and sum(c.text == other.text for other in top) > 1:
                said[k] += f" (no. {shown.encoding.context.count(c.text, 0, c.char_start) + 1})"
        return [f"<b>{said[0]}</b>", *said[1:]]

    best, *others = map(number, scores)
    low, room = min(scores), (max(scores) - min(scores)) or 1.0
    font = {"size": 15, "color": INK}
    drawn = ui.scatter(
        "markers+text",
        scores,
        at,
        marker={"size": 15, "color": [INK] + [GREY] * len(others), "opacity": 1},
        text=[f"  <b>{best}</b>", *("  " + other for other in others)],
        textposition="middle right",
        textfont=font,
        cliponaxis=False,
        hoverinfo="none",
        customdata=[[c.span.start, c.span.end] for c in top],
        sets={"selection": "customdata"},
    )
    across: Block = {"range": [low - 0.08 * room, low + 1.16 * room], "nticks": 6}
    down: Block = {"range": [len(top) - 0.4, -0.6], "tickvals": at, "ticktext": names(48)}
    layout = ui.layout(54 + 28 * len(top), 10, 10, 4, 46)
    kin = next((named(shown.encoding, one.span, 30) for _, one, *_ in with_kin), "")
    title = f"score of the span (of variants, such as {escape(kin)}, only the best is drawn)"
    layout["xaxis"] = ui.axis(title if kin else "score of the span", showgrid=False, **across)
    layout["yaxis"] = ui.axis(showgrid=False, automargin=True, tickfont=font, **down)
    rule = {"width": 1, "xref": "paper", "layer": "below"}
    layout["shapes"] = [ui.line(0, 1, k, k, ui.LINE, **rule) for k in at]
    narrow: Block = {"below": 700, "yaxis.ticktext": names(22), "yaxis.tickfont.size": 13}
    narrow |= {"xaxis.nticks": 3, "xaxis.title.text": "score of the span"}
    narrow |= {"xaxis.range": [low - 0.1 * room, low + 1.8 * room]}
    alt = f"The best spans as dots by their score; the best has {best}."
    ring = {"type": "circle", "xsizemode": "pixel", "ysizemode": "pixel", "x0": -12, "x1": 12}
    ring |= {"y0": -12, "y1": 12, "line": {"color": INK, "width": 2}}
    chosen = [k for k in at[1:] if top[k].span == shown.selection]
    over = {"shapes": [{**ring, "xanchor": scores[k], "yanchor": k} for k in chosen]}
    return ui.figure("spans", [drawn], layout, alt, overlay=over, narrow=narrow)


def score_of_selection(shown: Shown) -> Block:
    """score of “Georg Rotne” = start logit + end logit = 5.90 + 6.19 = 12.09."""
    span, best, reading = shown.selection, shown.best, shown.reading
    window = reading.windows[best.window] if span == best.span else reading.home(span)
    name = [named(shown.encoding, span, 32), QUOTE]
    if window is None:
        return ui.formula("sum", [name, " fits in no window, so it has no score."])
    start, end = reading.logits(window.index)
    i, j = window.to_pos(span.start), window.to_pos(span.end)
    s, e, most = float(start[i]), float(end[j]), shown.decode.max_answer_length
    sides = ui.summed(s, e, fit(((s, e), s + e)))
    said = say("score of {} = start logit + end logit = {}", name, sides)
    return ui.formula("sum", said + [f" (over {most} tokens: not compared)"] * (j - i >= most))


def conditions(shown: Shown) -> str:
    """What the first screen does without."""
    most, many = shown.decode.max_answer_length, len(shown.reading.windows)
    split = f"The paragraph was read in {many} windows that overlap (chapter Long text); a start "
    split += "counts in the window that sees most around it. "
    pairs = count_spans(shown.reading.windows, shown.decode)
    return (
        "A token is a word, a part of one, or a mark. A logit is a number without a unit that the "
        f"reader gives each token (chapter Scores). A span has at most {plural(most, 'token')} "
        f"and does not end before it starts: these are the {pairs:,} that are "
        f"compared. {split if many > 1 else ''}Spans that differ by a mark or by part of a word "
        "are variants; of each, the best is drawn. A score has no zero of its own: only "
        "differences count. People's answers are compared as SQuAD does: capital letters, marks "
        "and articles make no difference."
    )


# ---- step 2: or no answer?


def or_none(shown: Shown) -> list[Block | None]:
    """The lead of the best span over "no answer", and the threshold."""
    limit = shown.decode.null_score_diff_threshold if shown.state.rule == "logits" else None
    n = lead_of(shown.reading, shown.best, limit, shown.prediction.answer is not None)
    rows = texts.families(shown)
    next_best = ("ring", GREY, "the next best spans, which are never returned")
    return [
        ui.idea(
            "“No answer” has a score too. The lead is how far the best span stands above it. *The "
            "best span is returned unless it lies further behind than the threshold.*"
        ),
        ui.finding("{}", decided(n)),
        *steered(shown, n),
        ui.legend("key", ("dot", INK, "the best span"), next_best),
        leads(n, rows),
        lead_sum(shown, n),
        ui.closing("A higher threshold returns more answers, right ones and wrong ones."),
        *ui.folds(listed(shown, rows), [exact_none(shown, n)], SNIPPET),
    ]


def decided(n: Lead) -> list[Part]:
    """The finding: what is returned, and why."""
    if n.limit is None:
        end = ". By this rule no threshold applies: it is returned."
    elif n.lead < 0:
        end = "it is returned all the same." if n.returned else "“no answer” is returned."
        end = f"; the threshold is {number(n.limit)}: {end}"
    elif n.returned:
        end = ": it is returned."
    else:
        asks = f"a threshold of {number(n.limit)} asks for a lead of {number(-n.limit)}"
        end = f", but {asks}: “no answer” is returned although it is behind."
    stands = "{} lies {} behind “no answer”" if n.lead < 0 else "{} leads “no answer” by {}"
    return say(stands + end, texts.span_words(n.best, 50), [number(abs(n.lead)), STRONG])


def steered(shown: Shown, n: Lead) -> list[Block | None]:
    """The threshold's slider, what puts it back, and the way to an odd case."""
    other = texts.other_text(shown, SILENT, "A text where “no answer” wins", 4)
    if n.limit is None:
        return [ui.button("rule", "Back to the rule with a threshold", {"rule": None}, 4), other]
    most, value = float(max(12, int(np.ceil(abs(n.limit))))), round(n.limit, 2)
    label = f"The reader's own, {number(shown.true.threshold or 0.0)}"
    return [
        ui.slider("threshold", "threshold", "threshold", -most, most, 0.01, value, flip=True),
        ui.button("own", label, {"threshold": None}, 2, off=shown.state.threshold is None),
        other,
        texts.undo(shown),
    ]


def leads(n: Lead, rows: Rows) -> Block:
    """The lead from 0, which is "no answer", and the threshold as a line."""
    reach = max(12.0, 1.25 * abs(n.lead), min(1.25 * abs(n.limit or 0), 40.0))
    # the threshold's line, at the figure's edge where it lies beyond
    edge = float(np.clip(-reach if n.limit is None else -n.limit, -reach, reach))
    others = [x for x in (c.score - n.null for c, *_ in rows[1:DRAWN]) if abs(x) < reach]
    ring = {"size": 11, "color": PAPER, "opacity": 1, "line": {"color": GREY, "width": 2}}
    rings = ui.scatter("markers", others, [0] * len(others), marker=ring)
    dot = ui.scatter("markers", [n.lead], [0], marker={"size": 22, "color": INK, "opacity": 1})
    area = {"type": "rect", "x0": -reach, "x1": edge, "y0": 0, "y1": 1, "yref": "paper"}
    area |= {"fillcolor": ui.PALE, "line": {"width": 0}, "layer": "below"}
    base = ui.line(-reach, reach, 0, 0, GREY, width=1, layer="below")
    lead = ui.line(0, n.lead, 0, 0, OTHER, width=8, layer="below")
    drawn = [area, base, lead, ui.line(0, 0, -0.16, 0.16, INK, width=2)]
    step = next(s for s in (5, 10, 20, 50, 100, 200, 500, 1000) if reach / s <= 5)
    ticks = list(range(-int(reach // step) * step, int(reach) + 1, step))
    across: Block = {"range": [-reach, reach], "tickvals": ticks, "ticks": "outside"}
    across |= {"ticktext": ["<b>0: equal</b>" if v == 0 else number(v, 0) for v in ticks]}
    layout = ui.layout(290, 10, 10, 32, 58, shapes=drawn)
    notes, narrow = layout.setdefault("annotations", []), dict[str, Any](height=240)

    def name(text: str, short: str, x: float, size: int, **more: Any) -> None:
        inside = "left" if x < -0.6 * reach else "right" if x > 0.6 * reach else "center"
        narrow[f"annotations.{len(notes)}.text"] = short
        notes.append(ui.note(text, x, 0, size=size, **{"xanchor": inside, **more}))

    best, short = (f"<b>{escape(quote(n.best.text, k))}</b> {number(n.lead)}" for k in (28, 20))
    name(best, short, n.lead, 17, yshift=30, bgcolor=ui.PALE if n.lead < edge else PAPER)
    if n.limit is not None:
        drawn.append(ui.line(edge, edge, -1, 1, INK, width=2, dash="dot"))
        minus = f"minus the threshold: <b>{number(-n.limit)}</b>"
        name(minus, minus, edge, 14, yref="paper", yanchor="bottom")
        notes[-1]["y"] = 1
        for a, b, what in ((-reach, edge, "“no answer”"), (edge, reach, "the best span")):
            if b - a > 0.3 * reach:
                said = f"{what} is returned"
                name(said, what, (a + b) / 2, 14, yshift=-44, xanchor="center")
    title = "lead of a span over “no answer”"
    layout["xaxis"] = ui.axis(title, showgrid=False, tickcolor=GREY, **across)
    layout["yaxis"] = ui.axis(range=[-1, 1], visible=False)
    alt = f"The best span's lead over no answer is {number(n.lead)}."
    return ui.figure("leads", [rings, dot], layout, alt, narrow=narrow)


def lead_sum(shown: Shown, n: Lead) -> Block:
    """Both scores as sums, and the lead as their difference."""
    b, lead = n.best, ((n.best.score, -n.null), n.lead)
    d = fit(((b.start_logit, b.end_logit), b.score), ((n.start, n.end), n.null), lead)
    said = f"lead = {number(b.score, d)} − {bracket(n.null, d)} {adds(*lead, d)} {{}}"
    if n.limit is not None:
        sign, what = ("≥", "returned") if n.returned else ("<", "“no answer”")
        said += f" {sign} {number(-n.limit, d)}: {what}"
    best: list[Part] = ["best span: ", *ui.summed(b.start_logit, b.end_logit, d)]
    null: list[Part] = [
        f"“no answer”, at {shown.encoding.cls_token}: ",
        *ui.summed(n.start, n.end, d),
    ]
    return ui.formula("lead", best, null, say(said, [number(n.lead, d), STRONG]))


def exact_none(shown: Shown, n: Lead) -> str:
    """Where the score of "no answer" is from, and what the threshold was chosen on."""
    many, found = len(shown.reading.windows), measured(shown)
    own, cls = number(shown.true.threshold or 0.0), shown.encoding.cls_token
    said = f"The score of “no answer” is start logit + end logit at {cls}, the token in front of "
    said += "the question, which is no word of the paragraph. "
    if many > 1:
        said += f"Each of the {many} windows has one; the smallest counts, that of window "
        said += f"{n.window + 1}, since “no answer” must hold in all of them. "
    said += "“No answer” is returned where it leads by more than the threshold, not by as much. "
    known = found and found.threshold
    if not known:
        return f"{said}This reader's threshold is {own}; how it was chosen is not stored."
    return said + (
        f"The reader's own, {own}, was chosen on {known.answerable + known.unanswerable:,} "
        f"questions, {known.unanswerable:,} of them without an answer, and counted on the same "
        f"ones: it withholds {known.withheld_right:.0f} in 100 right answers and returns a span "
        f"for {known.wrongly_answered:.0f} in 100 questions without an answer."
    )


# ---- step 3: how sure?


def how_sure(shown: Shown) -> list[Block | None]:
    """One number in per cent, how often it came true, and what people marked here."""
    own = shown.before.best if shown.changed else shown.prediction.best
    assert own is not None
    s = sure_of(shown.true, own.candidate, measured(shown), shown.state.rule)
    odd = texts.other_text(shown, ODD, "A sure answer that nobody marked")
    numbers = bin_table(s) if s.like else listed(shown, texts.families(shown))
    marks = [("bar", INK, "as sure as here"), ("bar", OTHER, "surer or less sure")]
    legend = ui.legend("key", *marks, ("dash", GREY, "right just as often as it says"))
    return [
        ui.idea(
            "A lead over “no answer” and over rival spans makes the reader sure of its best span. "
            "*Whether that holds is counted on questions whose answer is known.*"
        ),
        ui.finding("{}", how_often(s)),
        ui.group("left", 8, legend, bars(s)) if s.like else None,
        ui.group("side", 4 if s.like else 12, *against(shown, s), odd),
        counted(shown, s),
        ui.closing(
            "To be sure is not to be right: the number says how often such spans were right."
        ),
        *ui.folds(numbers, exact_sure(shown, s), SNIPPET),
    ]


def tens(b: CalibrationBin) -> str:
    """The bounds of a bin; e.g. "80 to 90 %"."""
    return f"{100 * b.low:.0f} to {100 * b.high:.0f} %"


def how_often(s: Sure) -> list[Part]:
    """The finding: the number, and how often such spans were right."""
    name, b = texts.span_words(s.best), s.like
    if b is None:
        return say(f"How sure the reader is of {{}} cannot be said. {s.why}.", name)
    said = "Of {} the reader is {} sure. " + f"Of {b.count:,} other questions with {tens(b)}, "
    said += f"*{100 * b.accuracy:.0f} in 100* best spans were exactly right."
    return say(said, name, [percent(s.claim), STRONG])


def bars(s: Sure) -> Block:
    """Of the questions by how sure the reader was: how many in 100 best spans were right."""
    x, y, colours, said, places, ink = [], [], [], [], [], []
    for b in s.known.bins if s.known else ():
        here, right = b == s.like, 100 * b.accuracy
        inside = right >= 9  # a lower bar has its number above it
        x.append(50 * (b.low + b.high))
        y.append(right)
        colours.append(INK if here else OTHER)
        said.append(f"<b>{right:.0f}</b>" if here else f"{right:.0f}")
        places.append("inside" if inside else "outside")
        ink.append(PAPER if here and inside else INK)
    bins = s.known.bins if s.known else ()
    drawn: Block = {"type": "bar", "x": x, "y": y, "text": said, "marker": {"color": colours}}
    drawn |= {"width": [84 * (b.high - b.low) for b in bins], "textposition": places}
    drawn |= {"textfont": {"size": 15, "color": ink}, "textangle": 0, "cliponaxis": False}
    drawn |= {"insidetextanchor": "middle", "constraintext": "none", "hoverinfo": "text"}
    drawn |= {"hovertext": [plural(b.count, "question") for b in bins]}
    dotted = {"color": GREY, "width": 2, "dash": "dot"}
    even = ui.scatter("lines", [0, 100], [0, 100], line=dotted)
    across: Block = {"range": [0, 100], "dtick": 10, "showgrid": False}
    layout = ui.layout(320, 58, 14, 8, 52)
    layout["xaxis"] = ui.axis("how sure the reader said it was, in %", **across)
    layout["yaxis"] = ui.axis("exactly right, in 100", range=[0, 108], dtick=20)
    narrow = {"height": 260, "xaxis.dtick": 20, "margin.l": 46}
    alt = "By how sure the reader said it was: how many in 100 best spans were exactly right."
    return ui.figure("bins", [drawn, even], layout, alt, narrow=narrow)


def against(shown: Shown, s: Sure) -> list[Block]:
    """The best span against each answer that people marked: exact match and F1."""
    if not shown.golds:
        said = "Nobody has marked the answer in this text."
        if silent(shown):
            said = "The author says that this text holds no answer, so every span is wrong here."
            said += " The reader returns “no answer”." * (shown.prediction.answer is None)
        return [ui.sentence("people", "finding", said)]
    rows, total = [], len(shown.golds)
    for gold, n in Counter(g.text for g in shown.golds).most_common():
        who = "you" if shown.state.gold else f"{n} of {total} people" if total > 1 else "the author"
        exact = "yes" if exact_match(gold, s.best.text) else "no"
        numbers = who.replace(" ", "\u00a0"), exact, number(f1(gold, s.best.text))
        rows.append(ui.row(quote(gold, 60), *numbers))
    head = [("marked as right", GOLD), "by", "exact\u00a0match", "F1"]
    made = ui.table("people", head, rows, "The best span against the marked answers")
    said = "Exact match: the same words. F1: how many words are shared. "
    said += "Marks, articles and capital letters are ignored."
    return [made, ui.sentence("compared", "finding", said)]


def counted(shown: Shown, s: Sure) -> Block | None:
    """147 right / 184 questions, and F1 against the marked answer that differs most."""
    found: list[list[Part]] = []
    if s.like is not None:
        right, count = round(s.like.accuracy * s.like.count), plural(s.like.count, "question")
        found.append(
            say(f"{right:,} right / {count} = {{}}", [probability(s.like.accuracy), STRONG])
        )
    if shown.golds:
        gold = min({g.text for g in shown.golds}, key=lambda one: (f1(one, s.best.text), one))
        a, b = Counter(normalize(s.best.text).split()), Counter(normalize(gold).split())
        both = f"2 · {(a & b).total()} shared / ({a.total()} + {b.total()} words) = "
        score = [number(f1(gold, s.best.text)), STRONG]
        said = f"F1 with {{}} = {both if a and b else ''}{{}}"
        found.append(say(said, [quote(gold, 40), GOLD], score))
    return ui.formula("count", *found) if found else None


def exact_sure(shown: Shown, s: Sure) -> list[str]:
    """What the number is made of, on what it was counted, and what it is not."""
    fits = shown.true.calibrations
    if s.known is None or fits is None or fits.span is None or fits.answerable is None:
        return [f"{s.why}, so no number is printed."]
    (a, b), k, line = s.parts, s.known, fits.answerable
    sign = "=" if abs(round(a, 3) * round(b, 3) - round(s.claim, 3)) < 0.0005 else "≈"
    own = "Logits are changed by hand; the number is of the reader's own. " if shown.changed else ""
    made = (
        f"{own}{percent(s.claim)}: P(the text answers) · P(exactly right, if it answers) = "
        f"{probability(a)} · {probability(b)} {sign} {probability(s.claim)}. The first "
        f"is the sigmoid of {number(line.slope, 3)} · lead + {bracket(line.intercept, 3)}. The "
        "second is the share of the span's text among all spans that are compared (softmax of "
        f"scores divided by {number(fits.span.temperature)}), with {number(fits.span.bias)} added "
        "to its log-odds. All four constants were fitted on the questions below: that is "
        "calibration. P(start) · P(end) of chapter Start & end is another number and not "
        "calibrated."
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
        rows.append(ui.row(tens(b), f"{b.count:,}", *shares, strong=b == s.like))
    names = "said to be sure", "questions", "mean of what was said, in %", "exactly right, in 100"
    return ui.table("bins-table", names, rows, "How often the number came true")
