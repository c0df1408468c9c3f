"""Chapter 1, Answer: the best span, whether "no answer" wins over it, and how sure the reader is.

score(i, j) = start logit of i + end logit of j; "no answer" is returned where its score
minus that of the best span is more than the threshold. All are logits, without a unit.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from qa_demo import blocks as ui
from qa_demo import by_hand, printed, texts
from qa_demo.blocks import GOLD, GREY, INK, LINE, MID, OTHER, PALE, PAPER, Block
from qa_demo.core.calibration import Sureness, counted_with, shifted, sure_of
from qa_demo.core.losses import count_labels
from qa_demo.core.metrics import CalibrationBin, bin_of, exact_match, f1, overlap
from qa_demo.printed import adds, bracket, escape, number, percent, plural, probability, quote, say
from qa_demo.shown import Shown
from qa_demo.state import Record

NAME = "Answer"
STEPS = (
    ("The best span", "Which words answer the question?"),
    ("Or no answer?", "When does the reader say “no answer”?"),
    ("How sure?", "How sure is the reader?"),
)
IDEAS = (
    "A span is a run of words in the paragraph. *The reader scores the spans and returns the best "
    "one*, unless “no answer” wins (see “Or no answer?”).",
    "“No answer” has a score too, that of {}, the token in front, as start and end. *It wins only "
    "if it leads the best span by more than the threshold.*",
    "The further its best span stands above “no answer” and above rival spans, the surer the "
    "reader is. *Questions with known answers show how often it is right when it is this sure.*",
)
SILENT, ODD = "reef", "bronze"
"""A text on which "no answer" wins, and one whose sure answer nobody marked."""
COLUMNS = "start logit", "end logit", "score", "lead of “no answer”"
CONDITIONS = (
    "A token is a word, a part of one, or punctuation. A logit is a number without a unit that the "
    "reader gives each token (chapter Scores). A span does not end before it starts. Of windows "
    "that overlap a start counts in one (chapter Long text). A score has no zero of its own: only "
    "differences count. People's answers are compared as SQuAD does: capital letters, articles and "
    "the keyboard's punctuation (not “ ”) make no difference."
)
"""What is said exactly of a best span."""


def picture(shown: Shown, own: Record) -> list[Block | None]:
    step = shown.state.step
    changes, cls = (
        by_hand.changes(shown) if step < 3 else [],
        [shown.encoding.cls_token][step != 2 :],
    )
    return [
        *changes,
        ui.idea(IDEAS[step - 1], *cls),
        *(the_best, or_none, how_sure)[step - 1](shown),
    ]


def the_best(shown: Shown) -> list[Block | None]:
    """Step 1: the paragraph with the best span, and the five best by their score."""
    best, longest = shown.best, plural(shown.decode.max_answer_length, "token")
    said = f"Of all spans of up to {longest} (words or their parts), {{}} has the highest score, "
    if shown.state.rule != "logits":
        said = "By another rule (Long text, “Other rules”) the best span is {}, with the score "
    said += f"*{number(best.score)}*."
    if shown.prediction.answer is None:
        said += " It is not returned: “no answer” wins (see “Or no answer?”)."
    elif shown.golds and not any(exact_match(g.text, best.text) for g in shown.golds):
        who = "You did not mark" if shown.marked_by == "you" else "Nobody marked"
        said += f" {who} exactly these words as right."
    e = shown.encoding
    before, behind = e.prefix_tokens[len(e.question_ids) + 1 :], e.suffix_tokens
    inside = f"{e.cls_token} question {' '.join(before)} paragraph {' '.join(behind)} → network "
    inside += "(encoder) → h, a vector for each token → its start logit and end logit"
    around = f"inside the reader, a model like BERT; {e.cls_token} begins its input, "
    around += f"{behind[0]} ends a part"
    known = "text", GREY, "nobody has marked an answer in this text"
    if shown.golds:
        by = "" if shown.marked_by == "several" else f" by {shown.marked_by}"
        known = "under", GOLD, f"marked as right{by}"
    elif shown.marked_by != "nobody":
        says = "you say" if shown.marked_by == "you" else "the author says"
        known = "text", GREY, f"{says} that this text holds no answer"
    legend = ui.legend("key", ("fill", MID, "the reader's best span"), known)
    return [
        ui.finding(said, texts.span_name(e, best.span, 60)),
        None if shown.state.veil else legend,  # whose marks they are is covered too
        paragraph(shown),
        best_five(shown),
        texts.score_of_selection(shown, "score of {} = start logit + end logit = {}"),
        ui.formula("inside", [inside], label=around),
        ui.closing(
            "A start logit says how well a token fits as the answer's first; an end logit, as its "
            "last."
        ),
        *ui.folds(texts.listed(shown, COLUMNS, 60), [CONDITIONS], "answer"),
    ]


def paragraph(shown: Shown) -> Block:
    """The paragraph, a long one in parts, with the best span and a line for each marked answer."""
    e, best = shown.encoding, shown.best.span
    marks = {x.span: x.marks for x in count_labels(e, shown.golds) if x.span is not None}
    lines = [
        {"from": at.start, "to": at.end, "role": GOLD, "text": shown.whose(n)}
        for at, n in marks.items()
    ]
    items = texts.shortened(shown, texts.paragraph_items(e), spans=[best, *marks], near=25)
    texts.look(items, best, "predicted")
    return texts.text("words", texts.segment(items), lines=lines)


def best_five(shown: Shown) -> Block:
    """The best spans as dots on the axis of scores; a ring follows the selection."""
    e, top = shown.encoding, [row[0] for row in texts.families(shown, 5)]
    scores, at = [c.score for c in top], [*range(len(top))]

    def named(most: int) -> list[str]:
        names = texts.span_names(e, [c.span for c in top], most)
        first, *rest = (escape(name) for name, _ in names)
        return [f"<b>{first}</b>", *rest]

    best, *others = map(number, scores)
    low, room = min(scores), (max(scores) - min(scores)) or 1.0
    totals = [f"  <b>{best}</b>", *("  " + other for other in others)]
    drawn = ui.labels(scores, at, totals, "middle right", size=15)
    drawn |= {"mode": "markers+text", "sets": {"selection": "customdata"}, "hoverinfo": "none"}
    drawn["marker"] = {"size": 15, "color": [INK] + [GREY] * len(others)}
    drawn["customdata"] = [[c.span.start, c.span.end] for c in top]
    lines = [ui.line(0, 1, k, k, LINE, width=1, xref="paper", layer="below") for k in at]
    layout = ui.layout(54 + 28 * len(top), 10, 10, 4, 46, shapes=lines)
    across: Block = {"range": [low - 0.08 * room, low + 1.16 * room], "nticks": 6}
    drawn_are = "best span" if len(top) == 1 else f"{printed.small_number(len(top))} best spans"
    rule = " by the page's rule" * (shown.state.rule != "logits")
    title = f"score of the {drawn_are}{rule} (near copies of a better one left out)"
    layout["xaxis"] = ui.axis(title, showgrid=False, **across)
    layout["yaxis"] = ui.named_rows(named(48), tickfont={"size": 15, "color": INK}, automargin=True)
    letters = 18 if any(c.text.isupper() for c in top) else 22  # capitals are wide
    narrow: Block = {"below": 800, "yaxis.ticktext": named(letters), "yaxis.tickfont.size": 13}
    narrow |= {"xaxis.title.text": "score of the span", "xaxis.nticks": 3}
    narrow |= {"xaxis.range": [low - 0.1 * room, low + 2 * room]}
    ring = {"type": "circle", "xsizemode": "pixel", "ysizemode": "pixel", "x0": -12, "x1": 12}
    ring |= {"y0": -12, "y1": 12, "line": {"color": INK, "width": 2}}
    chosen = [k for k in at[1:] if top[k].span == shown.selection]
    over = {"shapes": [{**ring, "xanchor": scores[k], "yanchor": k} for k in chosen]}
    alt = f"The {drawn_are} by score; the best has {best}."
    return ui.figure("spans", [drawn], layout, alt, overlay=over, narrow=narrow)


def or_none(shown: Shown) -> list[Block | None]:
    """Step 2: by how much "no answer" leads the best span, and the threshold."""
    p, lead = shown.prediction, shown.lead
    limit, returned = p.limit, p.answer is not None
    d = max(printed.apart(lead, other) for other in (0.0, limit or 0.0))
    why = ""
    if limit is None:
        why = "; by this rule no threshold applies"
    elif lead > 0:
        why = f", {'not over' if returned else 'over'} the threshold, {number(limit, d)}"
    elif not returned:
        why = f", within the {number(-limit, d)} that the threshold, {number(limit, d)}, allows"
    what = "the span is" if returned else "“no answer” is"
    more = f"*{number(abs(lead), d)}* {'more' if lead > 0 else 'less'} than"
    said = f"“No answer” scores {more if lead else 'just as much as'} {{}}{why}: {what} returned."
    chosen = counted_with(shown.true, shown.state.reader) is not None
    controls = [ui.button("rule", "Back to the rule with a threshold", {"rule": None}, 4)]
    last = "By this rule the best span is always returned."
    if limit is not None:
        last = "A higher threshold returns more answers, right and wrong"
        last += "; the reader's own was chosen on questions with known answers" * chosen + "."
        most, now = max(12.0, float(np.ceil(abs(limit)))), round(limit, 2)
        whose = "The default" if shown.true.threshold is None else "The reader's own"
        label = f"{whose}, {number(shown.true.threshold or 0.0)}"
        controls = [
            ui.slider("threshold", "threshold", "threshold", (-most, most, 0.01), now),
            ui.button("own", label, {"threshold": None}, 2, off=shown.state.threshold is None),
        ]
    return [
        ui.finding(said, texts.span_name(shown.encoding, shown.best.span, 50)),
        *controls,
        texts.other_text(shown, SILENT, "A text where “no answer” wins", 4),
        leads(shown),
        sums(shown, d),
        ui.closing(last),
        *ui.folds(texts.listed(shown, COLUMNS, 60), [exact_none(shown)], "answer"),
    ]


def leads(shown: Shown) -> Block:
    """The lead of "no answer" from 0, which is the best span, and the threshold as a line."""
    at, limit = shown.lead, shown.prediction.limit
    reach = max(12.0, 1.25 * abs(at), min(1.25 * abs(limit or 0), 40.0))
    # the threshold's line, at the figure's edge where it lies beyond
    edge = float(np.clip(reach if limit is None else limit, -reach, reach))
    dot = ui.scatter("markers", [0], [0], marker={"size": 22, "color": INK})
    cross = ui.scatter("markers", [at], [0], marker={"size": 16, "color": INK, "symbol": "x"})
    area = ui.rect(edge, reach, 0, 1, PALE, yref="paper", layer="below")
    base = ui.line(-reach, reach, 0, 0, GREY, width=1, layer="below")
    drawn = [area, base, ui.line(0, at, 0, 0, OTHER, width=8, layer="below")]
    layout = ui.layout(290, 10, 10, 32, 58, shapes=drawn)
    notes = layout.setdefault("annotations", [])

    def name(text: str, x: float, y: float, size: int, **more: Any) -> None:
        inside = "left" if x < -0.6 * reach else "right" if x > 0.6 * reach else "center"
        notes.append(ui.note(text, x, y, size=size, **{"xanchor": inside, **more}))

    best = f"<b>{escape(quote(shown.best.text, 22))}</b>"
    name(best, 0, 0, 17, yshift=30, bgcolor=PALE if edge < 0 else PAPER)
    none = f"“no answer”: lead <b>{number(at)}</b>"
    name(none, at, 0, 17, yshift=-32, bgcolor=PALE if at > edge else PAPER)
    foot = {"yref": "paper", "yanchor": "bottom"}
    if limit is not None:
        drawn.append(ui.line(edge, edge, -1, 1, INK, width=2, dash="dot"))
        name(f"threshold <b>{number(limit)}</b>", edge, 1, 14, **foot)
        for a, b, what in ((-reach, edge, "the best span"), (edge, reach, "“no answer”")):
            if b - a > 0.5 * reach:
                name(f"{what}<br>wins", (a + b) / 2, 0, 14, xanchor="center", **foot)
    title = "lead of “no answer” (0: equal scores)"
    layout["xaxis"] = ui.axis(title, range=[-reach, reach], nticks=8, showgrid=False)
    layout["xaxis"] |= {"ticks": "outside", "tickcolor": GREY}
    layout["yaxis"] = ui.axis(range=[-1, 1], visible=False)
    alt = f"No answer's lead over the best span is {number(at)}."
    return ui.figure("leads", [dot, cross], layout, alt, narrow={"height": 270, "xaxis.nticks": 5})


def sums(shown: Shown, d: int) -> Block:
    """Both scores as sums, and the lead of "no answer" as their difference, in `d` digits."""
    p, score, cls = shown.prediction, shown.best.score, shown.encoding.cls_token
    start, end = shown.reading.logits(p.null_window)
    null, parts = (float(start[0]), float(end[0])), (p.null_score, -score)
    said = f"lead of “no answer” = {number(p.null_score, d)} − {bracket(score, d)} "
    said += f"{adds(parts, shown.lead, d)} *{number(shown.lead, d)}*"
    if p.limit is not None:
        sign, what = (">", "“no answer”") if p.answer is None else ("≤", "the best span")
        said += f" {sign} {number(p.limit, d)}: {what}"
    first = say("best span: {}", ui.summed(shown.best.start_logit, shown.best.end_logit, d))
    second = say(f"“no answer”, {cls} as start and end: {{}}", ui.summed(*null, d))
    return ui.formula("lead", first, second, say(said))


def exact_none(shown: Shown) -> str:
    """Where the score of "no answer" is from, and what the threshold was chosen on."""
    own, cls = number(shown.true.threshold or 0.0), shown.encoding.cls_token
    said = f"The score of “no answer” is start logit + end logit at {cls}, the token in front of "
    said += "the question, which is no word of the paragraph. Of several windows the smallest "
    said += "counts, since “no answer” must hold in all. In BERT's paper the threshold is −τ. "
    if shown.true.threshold is None:
        return f"{said}This reader came without a threshold, so 0 is used."
    if (found := counted_with(shown.true, shown.state.reader)) is None:
        return f"{said}This reader's threshold is {own}; how it was chosen is not stored."
    known = found["threshold"]
    return said + (
        f"The reader's own, {own}, was chosen on {known['total']:,} "
        f"questions, {known['NoAns_total']:,} of them without an answer, and counted on the same "
        f"ones: it withholds {known['withheld_right']:.0f} in 100 right answers and returns a span "
        f"for {known['wrongly_answered']:.0f} in 100 questions without an answer."
    )


def how_sure(shown: Shown) -> list[Block | None]:
    """Step 3: one number in per cent, how often it came true, and what is marked here."""
    known = counted_with(shown.true, shown.state.reader)
    s = sure_of(shown.true, shown.true_best, known is not None, shown.state.rule)
    b, bins = None, known["bins"] if known else ()
    why = s if isinstance(s, str) else "No question that was counted was as sure as this"
    said = f"How sure the reader is of {{}} cannot be said. {why}."
    if isinstance(s, Sureness) and (b := bin_of(bins, s.claim)):
        said = f"The reader says *{percent(s.claim)}* for {{}} ({probability(s.claim)}: the bar of "
        said += f"{tens(b)}). Of the {b.count:,} questions counted there "
        said += f"*{100 * b.accuracy:.0f} in 100* were exactly right."
    said += by_hand.own_logits(shown)
    key = [("bar", INK, "as sure as here"), ("bar", OTHER, "surer or less sure")]
    key.append(("dash", GREY, "right just as often as it says; below: too sure"))
    table = bin_table(bins, b) if b else texts.listed(shown, COLUMNS, 60)
    last = "Being sure is not being right."
    if isinstance(s, Sureness) and b:
        first, second = probability(s.answerable), probability(s.right_if_answerable)
        last = f"By fitted curves the lead of “no answer” gives {first}, the scores of rival spans "
        last += f"give {second}."
    return [
        ui.finding(said, texts.span_name(shown.encoding, shown.true_best.span)),
        *([ui.legend("key", *key), bars(bins, b), counted(s, b)] if b else []),
        ui.closing(last),
        texts.other_text(shown, ODD, "A sure answer that nobody marked"),
        *ui.folds(table, exact_sure(shown, s, known), "answer", against(shown)),
    ]


def tens(b: CalibrationBin) -> str:
    """The bounds of a bin; e.g. "80 to 90 %"."""
    return f"{100 * b.low:.0f} to {100 * b.high:.0f} %"


def bars(bins: Sequence[CalibrationBin], like: CalibrationBin) -> Block:
    """Of the questions by how sure the reader was: how many in 100 best spans were right."""
    right, here = [100 * b.accuracy for b in bins], [b == like for b in bins]
    both = [*zip(right, here, strict=True)]
    drawn: Block = {"type": "bar", "x": [50 * (b.low + b.high) for b in bins], "y": right}
    drawn |= {"text": [f"<b>{y:.0f}</b>" if own else f"{y:.0f}" for y, own in both]}
    drawn |= {"marker": {"color": [INK if own else OTHER for own in here]}}
    drawn |= {"width": [84 * (b.high - b.low) for b in bins]}
    drawn |= {"textposition": ["inside" if y >= 9 else "outside" for y in right]}  # fits there
    ink = [PAPER if own and y >= 9 else INK for y, own in both]
    drawn |= {"textfont": {"size": 15, "color": ink}, "textangle": 0, "cliponaxis": False}
    drawn |= {"insidetextanchor": "middle", "constraintext": "none", "hoverinfo": "skip"}
    layout = ui.layout(320, 58, 14, 8, 52)
    said = "how sure the reader said it was, in %"
    layout["xaxis"] = ui.axis(said, range=[0, 100], dtick=10, showgrid=False)
    layout["yaxis"] = ui.axis("exactly right, in 100", range=[0, 108], dtick=20)
    narrow = {"height": 260, "xaxis.dtick": 20, "margin.l": 46}
    alt = "By how sure the reader said it was: how many in 100 best spans were exactly right."
    even = ui.scatter("lines", [0, 100], [0, 100], line={"color": GREY, "width": 2, "dash": "dot"})
    return ui.figure("bins", [drawn, even], layout, alt, narrow=narrow)


def against(shown: Shown) -> Block | None:
    """The best span against each answer that is marked, and how the lowest F1 is made."""
    if not shown.golds:
        return None
    rows, best = [], shown.true_best.text
    for gold, n in Counter(g.text for g in shown.golds).most_common():
        exact = "yes" if exact_match(gold, best) else "no"
        rows.append(ui.row(quote(gold, 60), shown.whose(n), exact, number(f1(gold, best))))
    columns = [("marked as right", GOLD), "whose", "exact match", "F1"]
    gold = min({g.text for g in shown.golds}, key=lambda one: (f1(one, best), one))
    shared, a, b = overlap(best, gold)
    both = f"2 · {shared} shared / ({a} + {b} words, articles left out) = "
    said = f"F1 with {{}} = {both if a and b else ''}*{number(f1(gold, best))}*"
    return ui.fold(
        "against",
        "Exact match and F1",
        ui.table("marks", columns, rows, "The best span against the marked answers"),
        ui.formula("f1", say(said, [quote(gold, 40), GOLD])),
        ui.remark(
            "compared",
            "Exact match: the same words in the same order. F1: the part of both that is shared. "
            "SQuAD takes the best of several answers. "
            "Capital letters, articles and the keyboard's punctuation (not “ ”) are ignored.",
        ),
    )


def counted(s: Sureness, like: CalibrationBin) -> Block:
    """What the reader says, as a product, and what was counted: 147 right / 184 questions."""
    used = [probability(p) for p in (s.answerable, s.right_if_answerable)]
    said = f"P(the text answers) · P(exactly right, if so) = {' · '.join(used)}"
    said += printed.product(used, probability(s.claim))
    right, count = round(like.accuracy * like.count), f"{like.count:,} questions"
    found = f"counted: {right:,} right / {count} = *{probability(like.accuracy, 2)}*"
    return ui.formula("count", say(said), say(found))


def exact_sure(shown: Shown, s: Sureness | str, k: dict[str, Any] | None) -> list[str]:
    """What the number is made of, on what it was counted, and what it is not."""
    fits = shown.true.calibrations
    if isinstance(s, str) or k is None or fits is None or not (fits.span and fits.answerable):
        return [f"{s}, so no number is printed."]
    right, line = s.right_if_answerable, fits.answerable
    share = float(shifted(np.array(right), -fits.span.bias))
    made = (
        f"The number, {percent(s.claim)}, is a product. P(the text answers) is the sigmoid of "
        f"{number(line.intercept, 3)} − {bracket(line.slope, 3)} · lead of “no answer”. The other "
        "is the share, among all spans of up to 30 tokens, of those that begin and end where the "
        "best span's text does, at any of its places (softmax of scores divided by "
        f"{number(fits.span.temperature)}), {probability(share)}, with {number(fits.span.bias)} "
        "added to its log-odds. All four constants were fitted on "
        "questions of the articles below and of two more: that is calibration. P(start) · P(end) "
        "of chapter Start & end is another, uncalibrated number."
    )
    below = (
        f"Counted: {k['measured_on']:,} questions on four SQuAD articles, {k['unanswerable']:,} "
        "without an answer in their text, none trained on; each was judged by constants fitted "
        "without its article, in windows of 384 tokens. Right is an exact match; on a question "
        "without an answer every span is wrong. On average the number misses what was counted by "
        f"{100 * k['error']:.1f} in 100. It speaks of the best span, returned or not, and holds "
        "for texts like those: not for one that the reader was trained on (the reader's card "
        "lists them)."
    )
    return [made, below]


def bin_table(bins: Sequence[CalibrationBin], like: CalibrationBin) -> Block:
    rows = []
    for b in bins:
        shares = f"{100 * b.mean_prob:.0f}", f"{100 * b.accuracy:.0f}"
        rows.append(ui.row(tens(b), f"{b.count:,}", *shares, strong=b == like))
    names = "said to be sure", "questions", "mean of what was said, in %", "exactly right, in 100"
    return ui.table("bins-table", names, rows, "How often the number came true")
