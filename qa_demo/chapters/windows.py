"""Chapter 6, Long text: overlapping windows, the one in which a start counts, and three rules.

A window holds [CLS], the question, [SEP], R paragraph pieces and [SEP]; the next one begins a
stride of at most R pieces later. A start counts in the window with the most pieces on its poorer
side.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np

from qa_demo import blocks as ui
from qa_demo import by_hand, printed
from qa_demo.blocks import END, GREY, INK, OTHER, PALE, PAPER, START, Block
from qa_demo.core.base import tied
from qa_demo.core.metrics import exact_match
from qa_demo.core.predict import Proposal, predict
from qa_demo.core.spans import reason
from qa_demo.core.text import special_positions
from qa_demo.core.types import Rule
from qa_demo.core.windows import capacity_of, safe_length
from qa_demo.printed import Part, adds, bracket, escape, number, plural, probability, quote, say
from qa_demo.shown import Shown
from qa_demo.state import Record
from qa_demo.texts import parts_at, siblings, span_name, word, word_parts


def text_at(example: str | None, size: int, stride: int) -> dict[str, Any]:
    """An example with its windows, as a patch of the state."""
    return {"example": example, "max_seq_length": size, "doc_stride": stride}


NAME = "Long text"
STEPS = (
    ("How it is split", "How is a long text split, and which answer wins?"),
    ("One start, one window", "Why does a start count in one window only?"),
    ("No answer", "Which window's “no answer” counts?"),
    ("Other rules", "Why not take the surest window?"),
)
IDEAS = (
    "A model reads a limited number of tokens at once: a long paragraph is cut into windows that "
    "should overlap, with the question in each. *Each window proposes the best "
    "span whose start counts there (step 2); the highest score wins.*",
    "Overlapping windows score the same words, and what stands around a word tells what it means. "
    "*So a start counts only in the window where its shorter side is longest.*",
    "“No answer” wins if it leads the best span by more than the threshold. "
    "A window that holds the answer should score “no answer” low, and one such window is enough: "
    "*so the smallest “no answer” counts.*",
    "Each window proposes a span; a rule picks the one that is returned. *P sums to 1 inside each "
    "window, also in one without the answer: the surest may be sure of “no answer”.*",
)
OPENS = {**dict.fromkeys((1, 2, 3), text_at("brooklyn", 80, 24)), 4: text_at("danube", 384, 128)}
ODD = {  # the odd case of a step, a press away
    3: ("A text without an answer", text_at("reef", 64, 24)),
    4: ("A text where the two largest P form no allowed span", text_at("telegraph", 128, 48)),
}
RULES = {
    "logits": ("score", "sum of logits", "start logit + end logit of its best span"),
    "mean_of_maxima": (
        "mean",
        "mean of the two largest P",
        "(largest P(start) + largest P(end)) / 2",
    ),
    "product": ("product", "product of P", "P(start) × P(end) of its best span"),
}
"""A window's number that each rule compares, the rule's name, and that number in words."""
OWN_TEXT: dict[str, Any] = dict.fromkeys([*OPENS[1], "question", "context"])
"""The patch after which each step opens on its own text again."""
MOST_ROWS = 7
LEFT = {"xref": "paper", "xanchor": "left"}
"""A text that begins at the left edge of a figure, or at the right one for x = 1."""
Rows = Sequence[Proposal]
"""The windows that a picture draws, the k-th at y = k."""


class Windows:
    """The windows of the text on screen, by BERT's rule whatever rule the page follows."""

    def __init__(self, shown: Shown) -> None:
        reading, bert = shown.reading, replace(shown.decode, rule="logits")
        found = shown.prediction if shown.decode == bert else predict(reading, bert)
        self.shown, self.reading, self.encoding = shown, reading, reading.encoding
        self.prediction, self.best = found, found.n_best[0].candidate
        self.silent, self.threshold = found.answer is None, shown.decode.null_score_diff_threshold
        self.rows = [Proposal(reading, w, self.best.span, shown.decode) for w in reading.windows]
        self.win, self.least = self.rows[self.best.window], self.rows[found.null_window]
        # those that hold the best span's start, where it counts first, then by their nearer edge
        held = [r for r in self.rows if r.edge >= 0]
        self.holding = sorted(held, key=lambda r: (r is not self.win, -r.edge))
        # where the same words score most, if that is more than where they count
        above = [r for r in self.rows if r.answer_score > self.best.score + 1e-9]
        self.higher = max(above, key=lambda r: r.answer_score, default=None)
        self.size, self.stride = reading.options.max_seq_length, reading.options.doc_stride
        # tokens of the question, special ones, those of the paragraph in a window and in all
        self.asked, self.special = len(self.encoding.question_ids), self.encoding.n_special
        self.capacity = capacity_of(self.encoding, reading.options)
        self.pieces, self.cls = len(reading.owners), self.encoding.cls_token
        self.here = text_at(shown.example and shown.example.id, self.size, self.stride)
        self.first_word = quote(word(self.encoding, self.best.span.start, ""), 24)

    def highest(self, field: str) -> Proposal:
        """The one with the highest "mean" or "product"; of equals the first."""
        values = tied(np.array([getattr(r, field) for r in self.rows]))
        return self.rows[int(values.argmax())]


def picture(shown: Shown, own: Record) -> list[Block | None]:
    w, step = Windows(shown), shown.state.step
    made = (split, one_window, no_answer, other_rules)[step - 1](w)
    many = len(w.rows) > MOST_ROWS and step != 2
    few = f"Only the {MOST_ROWS} of {len(w.rows)} windows that matter most are drawn; the table "
    left = ui.remark("few", f"{few}has all.") if many else None
    changes, folds = by_hand.changes(shown), ui.folds(as_table(w), [exactly(w)], "windows")
    return [*changes, ui.idea(IDEAS[step - 1]), *made, left, presses(w, step), *folds]


def presses(w: Windows, step: int) -> Block | None:
    """To the odd case of the step or back to its own; what the head says."""
    rule, (name, patch) = w.shown.state.rule, ODD.get(step, ("", OWN_TEXT))
    if w.here != OPENS[step] and (step > 1 or len(w.rows) == 1):
        name, patch = "The example of this step", OWN_TEXT
    known = (patch["example"] or OPENS[step]["example"]) in w.shown.examples
    other = ui.button("other", name, patch, span=4) if name and known else None
    follows = f"BERT's rule is shown; the answer of the page follows the {RULES[rule][1]}."
    told = ui.remark("rule", follows, span=8) if rule != "logits" and step < 4 else None
    return ui.group("presses", 12, other, told) if other or told else None


def listing(names: Sequence[Any]) -> str:
    """1, 2 and 3; of more than five the first four."""
    *head, last = names if len(names) < 6 else [*names[:4], f"{len(names) - 4} more"]
    return f"{', '.join(map(str, head))} and {last}" if head else str(last)


def split(w: Windows) -> list[Block | None]:
    """Step 1: how the paragraph is cut, and which window's span wins."""
    several, capacity = len(w.rows) > 1, w.capacity
    found = f"{len(w.rows)} windows" if several else "One window holds the whole paragraph"
    found += f": window {w.win.k} proposes {{}} with *{number(w.best.score)}*, the highest of all"
    rule = w.shown.state.rule == "logits"
    taken = ", so this is the answer." if rule else ", so BERT's rule takes it."
    by = "" if rule else "by BERT's rule "
    found += f"; yet {by}“no answer” wins." if w.silent else taken
    key = [("box", PALE, "words that the window reads")]
    key += [("box", OTHER, "also read by another window")] * (several and w.stride < capacity)
    key += [("hollow", INK, "the span that it proposes, with its score")] * several
    key += [("box", INK, "the highest" + ": the answer" * (rule and not w.silent))]
    names = np.array(w.reading.tokens(0))[special_positions(w.encoding, w.reading.windows[0])]
    length = f"window *{w.size} = {w.asked} question + {w.special} special tokens* {{}} *+ "
    length += f"{capacity} paragraph tokens*"
    length += f", of which this text fills {w.pieces}" if w.pieces < capacity else ""
    how = f"they overlap by {capacity - w.stride}" if w.stride < capacity else "they touch"
    last = f"Each window begins {plural(w.stride, 'token')} after the one before: {how}"
    last += " and no word is dropped."
    one = "The text fits into one window: nothing is cut, and there is nothing to choose."
    return [
        ui.finding(found, span_name(w.encoding, w.best.span)),
        *sliders(w),
        ui.legend("key", *key),
        staircase(w),
        ui.formula("length", say(length, [f"({', '.join(names)})", "note"])),
        ui.closing(last if several else one),
    ]


def sliders(w: Windows) -> list[Block]:
    """Window size and stride, within what the question leaves room for."""
    least, high = w.asked + w.special + w.stride, max(384, w.size)
    low = max(1, ceil((w.pieces - w.capacity) / 60))  # 1 would make hundreds of windows
    scale = min(low, w.stride), w.capacity, 1
    says, far, to = "max_seq_length, 384 by default", "doc_stride", "stride to the next"
    return [
        ui.slider("size", "max_seq_length", "window size", (least, high, 1), w.size, says=says),
        ui.slider("stride", "doc_stride", to, scale, w.stride, says=far),
    ]


def staircase(w: Windows) -> Block:
    """The staircase with each window's best span and what it shares with its neighbours."""
    rows = few(w.rows, [w.win])
    stairs = Stairs(w, rows, 350)
    for y, r in enumerate(rows, 1):
        first, stop, wins = r.window.doc_start, r.window.doc_stop, r is w.win
        for other in (x.window for x in w.rows if abs(x.k - r.k) == 1):
            a, z = max(first, other.doc_start), min(stop, other.doc_stop)
            stairs.shapes += [stairs.box(a, z - 1, y, OTHER)] if a < z else []
        if r.own is not None:
            a, z = r.own.span.start, r.own.span.end
            stairs.shapes.append(stairs.box(a, z, y, INK if wins else ui.CLEAR, INK, 2))
            wide, narrow = (proposes(w, r, most) for most in (40, 28))
            stairs.over(a, z, y, wide, narrow, wins)
    many = plural(len(w.rows), "window")
    return stairs.figure("lanes", f"{many} over the text; the best span is from window {w.win.k}")


def one_window(w: Windows) -> list[Block | None]:
    """Step 2: in which window the best span's start counts, and why there."""
    rows = sorted(w.holding[:5], key=lambda r: r.k)
    several, ahead = len(rows) > 1, w.win.edge - max((r.edge for r in w.holding[1:]), default=-1)
    key = [("box", PALE, "words that the window reads")]
    key += [("box", INK, f"{quote(w.best.text, 30)} where its start counts, with its score")]
    key += [("hollow", GREY, "where it does not")] * several
    nearer: list[Part] = ["min(tokens left, tokens right):"]
    for r in rows:
        least = f"   window {r.k}: min({r.near[0]}, {r.near[1]}) = {r.edge}"
        nearer += say(f"*{least}*, the most" if r is w.win and several and ahead > 0 else least)
    most = f"In window {w.win.k} its shorter side is longest"
    if ahead <= 0:
        nearly = "longest of nearly equal ones" if ahead else "first of equals"
        most = f"Window {w.win.k} is the {nearly}"
    d = printed.apart(w.higher.answer_score, w.best.score) if w.higher else 2
    held = listing([r.k for r in w.rows if r in w.holding])
    told = f"This {{}} stands in windows {held}. {most}, so it counts there: "
    told += f"*{number(w.best.score, d)}*."
    if not several:
        told = "One window alone reads this {}: nothing to choose."
    elif w.higher:
        same = number(w.higher.answer_score, d)
        told += f" In window {w.higher.k} these words score more, *{same}*, but do not count."
    return [
        ui.finding(told, word_parts(w.encoding, w.best.span.start)),
        ui.legend("key", *key, ("arrow", INK, f"the shorter side of {w.first_word}")),
        owner(w, rows),
        ui.formula("nearer", nearer),
        ui.closing("The rule asks where a word stands, not how high it scores."),
    ]


def owner(w: Windows, rows: Rows) -> Block:
    """Stairs of windows that read the start: the distance to each nearer edge, the words' score."""
    stairs, span = Stairs(w, rows, 340), w.best.span
    for y, r in enumerate(rows, 1):
        wins, last = r is w.win, min(span.end, r.window.doc_stop - 1)
        fill, edge = (INK, INK) if wins else (ui.CLEAR, GREY)
        stairs.shapes.append(stairs.box(span.start, last, y, fill, edge, 2))
        stairs.to_edge(r, span.start, y, wins)
        score = "its end lies outside"
        if r.window.holds(span):
            score = number(r.answer_score) + (", counts" if wins else ", does not count")
        stairs.over(span.start, last, y, score, score, wins)
    return stairs.figure("owner", f"The start {w.first_word} counts in window {w.win.k}")


def no_answer(w: Windows) -> list[Block | None]:
    """Step 3: each window's best span and its "no answer" on one axis of scores."""
    null, score, many = w.prediction.null_score, w.best.score, len(w.rows) > 1
    lead = null - score
    d = max(printed.apart(null, score), printed.apart(lead, w.threshold))
    least, by = f"“No answer”, *{number(null, d)}*", ""
    too = w.least is not w.win and w.least.window.holds(w.best.span)
    if many:
        least = f"The smallest “no answer”, *{number(null, d)}*, is that of window {w.least.k}"
        least += ", which reads the best span too" * too + ". It"
    where = "leads" if lead > 0 else "is behind" if lead else "equals"
    if lead > 0:
        by = ", by more than the threshold" if w.silent else ", by not more than the threshold"
    elif w.silent:
        by = ", by less than the threshold allows"
    rule = "" if w.shown.state.rule == "logits" else "by BERT's rule "
    wins = "it wins" if w.silent else "{} is returned"
    found = (
        f"{least}{',' * (not many)} {where} the best span, *{number(score, d)}*{by}: {rule}{wins}."
    )
    cross = f"× a window's “no answer”, the score of its {w.cls}; bold: the smallest"
    key = [("ring", INK, "the span that a window proposes")] * many
    total = f"{'smallest ' * many}“no answer” − best span = *{number(null, d)} − "
    total += f"{bracket(score, d)} {adds((null, -score), lead, d)} {number(lead, d)}* "
    total += f"{'>' if w.silent else '≤'} {number(w.threshold, d)}, the threshold: "
    total += f"“no answer” {'wins' if w.silent else 'does not win'}"
    last = "A window may prefer “no answer” to its own span: only the smallest “no answer”"
    return [
        ui.finding(found, span_name(w.encoding, w.best.span, 40)),
        ui.legend("key", *key, ("dot", INK, "the best of all"), ("text", INK, cross)),
        scores(w),
        ui.formula("lead", say(total)),
        ui.closing(f"{last} and the best span of all windows are compared."),
    ]


def other_rules(w: Windows) -> list[Block | None]:
    """Step 4: BERT's rule beside another, with every window's number and the choice filled."""
    follows = w.shown.state.rule
    other = "mean_of_maxima" if follows == "logits" else follows
    taken = w.win, w.highest(RULES[other][0])
    rows = few(w.rows, taken)
    options = [
        (n, {"rule": None if x == "logits" else x}, x == follows) for x, (_, n, _) in RULES.items()
    ]
    return [
        ui.finding("{}", why(w, other, taken[1])),
        ui.choice("rules", "the page follows the", options),
        *(panel(w, rule, rows, r) for rule, r in zip(("logits", other), taken, strict=True)),
        ui.closing("BERT compares the raw scores of windows: a convention, not a guarantee."),
    ]


def why(w: Windows, rule: Rule, top: Proposal) -> list[Part]:
    """Which window a rule takes beside BERT's, and why the mean fails where it fails."""
    if len(w.rows) == 1:
        told = "all rules take its best span; they differ between windows only"
        if w.silent:
            told = "the other two rules always return its best span"
        return [f"One window: {told}."]
    told = f"The {RULES[rule][1]} takes window {top.k}{' too' * (top is w.win)}"
    maxima = top.maxima[:2]
    if rule == "product":
        return [f"{told}."]
    if maxima == (0, 0):
        said = f"Window {top.k} is the surest, *{probability(top.mean)}*, but of “no answer”: both "
        said += f"P are on {w.cls}. The {RULES[rule][1]} still returns window {top.k}'s best span."
        return say(said)
    if cause := reason(top.window, *maxima, w.shown.decode):
        words = [parts_at(w.shown, top.window, pos) for pos in dict.fromkeys(maxima)]
        on = " and ".join(["{}"] * len(words))
        return say(f"{told} for its P on {on}: no allowed span ({cause}).", *words)
    return [f"{told}, which is surest among its own words."]


def panel(w: Windows, rule: Rule, rows: Rows, taken: Proposal) -> Block:
    """What a rule takes, what it compares (dots of sums, bars of P), and how it is computed."""
    (compared, name, words), bars = RULES[rule], rule != "logits"
    pitch, across = min(50.0, 264 / len(rows)), dict[str, Any](nticks=6)
    if bars:
        across = {"range": [0, 1.03], "tickvals": [0, 0.5, 1], "ticktext": ["0", "0.5", "1"]}
    values = [getattr(r, compared) for r in rows]
    drawn = marks(rows, values, taken, 14 / pitch if bars else None)
    over = {**LEFT, "yanchor": "bottom", "borderpad": 1, "size": 13}
    cls = escape(w.cls) if taken.maxima[:2] == (0, 0) else ""
    texts = [
        label(measured(w, rule, r, cls * (r is taken)), 0, y - 8 / pitch, r is taken, **over)
        for y, r in enumerate(rows, 1)
    ]
    layout = ui.layout(int(pitch * len(rows)) + 60, 80, 16, 4, 50, bargap=0)
    layout["xaxis"] = ui.axis(words, showgrid=False, **across)
    layout |= {"yaxis": window_axis(rows, 0.3), "annotations": texts}
    alt = f"Windows by their {name}; window {taken.k} is taken"
    golds, own, which = w.shown.golds, taken.own, f"*{name}*{' (BERT)' * (not bars)}"
    near = own and any(g.char_start < own.char_end and own.char_start < g.char_end for g in golds)
    right = own and any(exact_match(gold.text, own.text) for gold in golds)
    judged = "right" if right else "partly right" if near else "wrong"
    told = f"The {which} takes *window {taken.k}*, {{}}" + f": {judged}" * bool(golds)
    if w.silent and not bars:
        told = f"By the {which} “no answer” wins over *window {taken.k}*, {{}}"
    return ui.group(
        f"panel-{rule}",
        6,
        ui.remark(f"takes-{rule}", told, span_name(w.encoding, own.span, 20) if own else "no span"),
        ui.figure(rule, [drawn], layout, alt),
        ui.formula(f"sum-{rule}", worked(rule, taken), label=f"window {taken.k}"),
    )


def measured(w: Windows, rule: Rule, r: Proposal, cls: str) -> str:
    """What a rule compares of a window, and whether both P of a mean are on `cls`."""
    if rule != "mean_of_maxima":
        return proposes(w, r, 26, probability(r.product) * (rule == "product"))
    return probability(r.mean) + f": both P on {cls}" * bool(cls)


def worked(rule: Rule, r: Proposal) -> list[Part]:
    """6.39 + 7.13 = 13.52, or (0.968 + 0.952) / 2 = 0.960, or 0.866 × 0.996 ≈ 0.862."""
    if rule == "mean_of_maxima":
        one, two = map(probability, r.maxima[2:4])
        mean = printed.mean(one, two, probability(r.mean))
        return say(f"({{}} + {{}}) / 2{mean}", [one, START], [two, END])
    if r.own is None:
        return []
    if rule == "logits":
        return ui.summed(r.own.start_logit, r.own.end_logit)
    one, two = map(probability, r.factors)
    product = printed.product([one, two], probability(r.product))
    return say(f"{{}} × {{}}{product}", [one, START], [two, END])


def exactly(w: Windows) -> str:
    step, limit = w.shown.state.step, number(w.threshold)
    own = "the reader's own (the bundled one's: for windows of 384, untested at other sizes)"
    own = own if w.shown.true.threshold is not None else "the default for a reader without one"
    chosen = own if w.shown.state.threshold is None else "set by hand"
    safe, cut = safe_length(w.reading), ""
    if len(w.rows) > 1 and safe < w.shown.decode.max_answer_length:
        cut = f" Answers over {plural(safe, 'token')} may be cut by an edge."
    told = (
        "A token is a word, a part of one, or punctuation. A window proposes spans whose start "
        "counts in it (“One start, one window”). The last one ends with the paragraph and may be "
        "shorter. A stride larger than what a window holds would skip words and is refused. Here "
        "doc_stride is the step, as in BERT's code; in transformers' pipeline, the overlap." + cut,
        "The rule is min(left, right) + 0.01 · tokens of the window, so a longer window counts "
        "where both are nearly equal; of equals the first (BERT's “max context”). Where the span "
        "ends does not matter.",
        f"“No answer” of a window is start logit + end logit of its {w.cls}. The threshold, "
        f"{limit}, is {chosen}. Nothing in training ties the levels of two windows together.",
        "The largest P(start) and P(end) run over all positions, “no answer” included, "
        "and may form no allowed span; the window's best span by score is returned. The product's "
        f"softmax leaves {w.cls} and the question out, so its P are larger. All three return only "
        f"spans whose start counts in the window. The threshold, {limit}, {chosen}, holds for the "
        "sums; the two other rules always answer.",
    )
    return told[step - 1]


def as_table(w: Windows) -> Block:
    """Every window with all that the four steps show of it."""
    start, rows = quote(word(w.encoding, w.best.span.start, ""), 18), list[Block]()
    columns = ["window", "tokens", "proposes", "score", "“no answer”"]
    rules = ["mean of largest P", "product of P"]
    named = [(f"{start} to nearer edge", ""), (f"{quote(w.best.text, 24)} here", "")]
    for r in w.rows:
        cells = [str(r.k), f"{r.window.doc_start + 1} to {r.window.doc_stop}"]
        own = r.own and [span_name(w.encoding, r.own.span, 50)[0], number(r.score)]
        cells += own or ["none", "–"]
        cells += [number(r.null), "–" if r.edge < 0 else str(r.edge)]
        cells += [number(r.answer_score) if r.window.holds(w.best.span) else "–"]
        cells += [probability(r.mean), probability(r.product)]
        span = None if r.own is None else {"selection": [r.own.span.start, r.own.span.end]}
        rows.append(ui.row(*cells, sets=span))
    return ui.table("rows", [*columns, *named, *rules], rows, "All windows")


# ---- figures whose rows are windows: the staircase under the text, points and bars


def few(every: Rows, must: Rows) -> Rows:
    """The windows to draw: `must` and then those of the highest score, in their order."""
    ranked = [*must, *sorted(every, key=lambda r: r.score, reverse=True)]
    kept = list(dict.fromkeys(r.k for r in ranked))[:MOST_ROWS]
    return [r for r in every if r.k in kept]


def label(text: str, x: float, y: float, strong: bool = False, **more: Any) -> Block:
    """A text of a figure, escaped already; with a name it stands on such pages only (`by_page`)."""
    return ui.note(f"<b>{text}</b>" if strong else text, x, y, **{"size": 14, **more})


def by_page(
    key: str, data: list[Block], layout: Block, texts: list[Block], alt: str, narrow: Block
) -> Block:
    """A figure whose texts differ by page, a tablet's also beside a lesson or a pin."""
    pages = ("wide", "tablet", "phone")
    wide, tablet, phone = ([t for t in texts if x in t.get("name", x)] for x in pages)
    small = [{"below": 1000, **narrow, "annotations": tablet}, {"below": 600, "annotations": phone}]
    return ui.figure(key, data, {**layout, "annotations": wide}, alt, narrow=small)


def strip_words(w: Windows, pixels: float, page: str) -> list[Block]:
    """The answer's words in bold and long words of the paragraph, as many as fit side by side."""
    e, span, n, size = w.encoding, w.best.span, w.pieces, 15 if page == "wide" else 13

    def half(text: str) -> float:
        letters = printed.room(text) + 0.35 * sum(map(str.isupper, text))
        return (letters * size * 0.54 + 22) / 2 * n / pixels

    short = printed.room(w.best.text) < pixels / 16
    answer = w.best.text if short else word(e, span.start, "")[:18]
    middle = max(half(answer), min(n - half(answer), (span.start + span.end + 1) / 2)) - 0.5
    chosen, firsts = [(middle, answer)], np.flatnonzero(np.diff(e.word_ids, prepend=-1)).tolist()
    named = [(d, text) for d in firsts if 4 < len(text := word(e, d, "")) < 18 and text.isalnum()]
    # long words first, names before others; some hundred are enough
    for d, text in sorted(named, key=lambda x: -min(9, len(x[1])) - x[1][0].isupper())[:400]:
        middle = d + (len(siblings(e, d)) - 1) / 2
        free = all(abs(middle - m) > half(text) + half(other) for m, other in chosen)
        if free and half(text) < middle + 0.5 < n - half(text):
            chosen.append((middle, text))
    return [label(escape(t), x, 0, k == 0, size=size, name=page) for k, (x, t) in enumerate(chosen)]


class Stairs:
    """The paragraph at y = 0, the k-th row at y = k; a step adds its own `shapes` and `texts`."""

    def __init__(self, w: Windows, rows: Rows, high: int) -> None:
        self.n, self.names = w.pieces, ["paragraph", *(f"window {r.k}" for r in rows)]
        self.pitch, self.half = min(94.0, high / (len(rows) + 0.98)), 0.18
        self.size, tall = 16 if self.pitch > 60 else 13, max(self.half, 14 / self.pitch)
        self.shapes = [self.box(0, self.n - 1, 0, ui.CLEAR, OTHER, 1) | {"y0": -tall, "y1": tall}]
        self.texts = strip_words(w, 1024, "wide")
        self.texts += strip_words(w, 528, "tablet") + strip_words(w, 224, "phone")
        margin, before = {**LEFT, "xshift": -166}, {"xanchor": "right", "xshift": -4}
        for y, name in enumerate(self.names):
            self.texts.append(label(name, 0, y, True, **margin, name="wide"))
        for y, r in enumerate(rows, 1):
            first = r.window.doc_start
            self.shapes.append(self.box(first, r.window.doc_stop - 1, y, PALE))
            self.texts.append(label("question +", first - 0.5, y, **before, name="wide"))

    def box(self, a: int, z: int, y: float, fill: str, edge: str = INK, width: float = 0) -> Block:
        """Pieces a to z of a row."""
        sides = a - 0.5, z + 0.5, y - self.half, y + self.half
        return ui.rect(*sides, fill, line={"color": edge, "width": width})

    def over(self, a: int, z: int, y: int, text: str, short: str, strong: bool) -> None:
        """A text over the pieces a to z of a row; on a narrow page `short`, from its left edge."""
        up = {"yanchor": "bottom", "borderpad": 1, "strong": strong}
        x, to = (a - 0.5, "left") if a + z < self.n else (z + 0.5, "right")  # away from its edges
        wide = {"xanchor": to, "size": self.size, "name": "wide"}
        narrow = {**LEFT, "size": 13, "name": "tablet phone"}
        self.texts.append(label(text, x, y - self.half, **up, **wide))
        self.texts.append(label(short, 0, y - self.half, **up, **narrow))

    def to_edge(self, r: Proposal, start: int, y: int, strong: bool) -> None:
        """An arrow under a row from a piece to the nearer edge of its window, with its length."""
        edge = (r.window.doc_start if r.near[0] <= r.near[1] else r.window.doc_stop) - 0.5
        left = start < self.n / 2  # the length stands on the side with more room
        below = y + self.half + 12 / self.pitch
        arrow = {"x": edge, "y": below, "ax": start, "ay": below, "axref": "x", "ayref": "y"}
        arrow |= {"arrowhead": 2, "startarrowhead": 2, "arrowside": "end+start", "arrowsize": 0.8}
        arrow |= {"text": "", "showarrow": True, "arrowwidth": 1.6, "arrowcolor": INK}
        side: Block = {"xanchor": "left" if left else "right", "xshift": 6 if left else -6}
        at = (max if left else min)(start, edge)
        self.texts += [arrow, label(plural(r.edge, "token"), at, below, strong, **side)]

    def figure(self, key: str, alt: str) -> Block:
        n, plain = len(self.names) - 1, {"tickvals": [], "showgrid": False, "showline": False}
        layout = ui.layout(int(self.pitch * (n + 0.98)) + 4, 166, 10, 4, 0)
        layout["xaxis"] = ui.axis(range=[-0.5, self.n - 0.5], **plain)
        layout["yaxis"] = ui.axis(range=[n + 0.6, -0.38], ticks="", **plain)
        layout["shapes"] = self.shapes
        ticks = {"tickvals": list(range(n + 1)), "ticktext": self.names, "tickfont": {"size": 11}}
        narrow = {"margin.l": 66, "margin.r": 6} | {f"yaxis.{k}": v for k, v in ticks.items()}
        return by_page(key, [], layout, self.texts, alt, narrow)


def proposes(w: Windows, r: Proposal, most: int, value: str = "") -> str:
    """A window's best span with its score, or with another number of it, for a figure."""
    if r.own is None:
        return "no span"
    return f"{escape(span_name(w.encoding, r.own.span, most)[0])} {value or number(r.own.score)}"


def dots(w: Windows, rows: Rows, apart: float) -> list[Block]:
    """Rings for the best spans, the best full, so far above a row's middle, and as far below
    it crosses for “no answer”, the smallest bold.
    """
    held = [(y, r) for y, r in enumerate(rows, 1) if r.own is not None]
    ring: Block = {"opacity": 1, "size": 17, "line": {"color": INK, "width": 2}}
    ring["color"] = [INK if r is w.win else PAPER for _, r in held]
    cross: Block = {"size": [18 if r is w.least else 13 for r in rows], "opacity": 1}
    cross["symbol"] = "x-thin"
    cross["line"] = {"color": INK, "width": [4 if r is w.least else 2 for r in rows]}
    above, below = [y - apart for y, _ in held], [y + apart for y in range(1, len(rows) + 1)]
    return [
        ui.scatter("markers", [r.score for _, r in held], above, "%{x:.2f}", marker=ring),
        ui.scatter("markers", [r.null for r in rows], below, "%{x:.2f}", marker=cross),
    ]


def marks(rows: Rows, values: Sequence[float], taken: Proposal, width: float | None) -> Block:
    """A dot a row, or a bar so wide; that of the window taken is filled."""
    marker: Block = {"color": [INK if r is taken else ui.CLEAR for r in rows], "opacity": 1}
    marker["line"] = {"color": INK, "width": 1.5}
    y, x = list(range(1, len(rows) + 1)), [round(v, 4) for v in values]
    if width is None:
        return ui.scatter("markers", x, y, marker={**marker, "size": 15})
    return ui.lying(x, y, width, marker)


def window_axis(rows: Rows, top: float) -> Block:
    """The axis of windows."""
    ticks = {"tickvals": list(range(1, len(rows) + 1)), "ticks": ""}
    ticks |= {"ticktext": [f"window {r.k}" for r in rows]}
    return ui.axis(range=[len(rows) + 0.5, top], showgrid=False, **ticks)


def scores(w: Windows) -> Block:
    """Windows down, scores across, shaded where "no answer" would win; what decides has a name."""
    rows = few(w.rows, [w.win, w.least])
    goal, pitch, many = w.best.score + w.threshold, min(92.0, 316 / len(rows)), len(rows) > 1
    every = [goal, *(r.null for r in rows), *(r.score for r in rows if r.own is not None)]
    apart, wide = 9 / pitch, (max(every) - min(every)) or 1.0
    low, high = min(every) - wide * 0.07, max(every) + wide * 0.1
    sign = adds((w.best.score, w.threshold), goal)
    wins = "“no answer” wins beyond"
    said = f"{wins} {number(w.best.score)} + threshold {number(w.threshold)} {sign} {number(goal)}"
    above = {"xref": "paper", "xanchor": "right", "yref": "paper", "yanchor": "bottom", "size": 13}
    texts = [label(said, 1, 1, **above, name="wide")]
    texts.append(label(f"{wins} {number(goal)}", 1, 1, **above, name="tablet phone"))

    def name(x: float, text: str, y: float) -> None:
        """The name of a dot, beside it."""
        to, by = ("right", -15) if x > (low + high) / 2 else ("left", 15)
        near: Block = {"strong": True, "xanchor": to, "xshift": by}
        texts.append(label(text, x, y, name="wide", **near))
        texts.append(label(number(x), x, y, size=12, name="tablet phone", **near))

    at = {r.k: y for y, r in enumerate(rows, 1)}
    name(w.win.score, proposes(w, w.win, 26), at[w.win.k] - apart)
    null = f"“no answer” {number(w.least.null)}" + ": the smallest counts" * many
    name(w.least.null, null, at[w.least.k] + apart)
    region = ui.rect(goal, high, 0, 1, PALE, yref="paper", layer="below")
    layout = ui.layout(int(pitch * len(rows)) + 70, 100, 10, 24, 44)
    layout["yaxis"] = window_axis(rows, 0.5)
    layout["xaxis"] = ui.axis("score = start logit + end logit", range=[low, high], nticks=8)
    layout["shapes"] = [region, ui.line(goal, goal, 0, 1, width=2, yref="paper")]
    row: Block = {"width": 1, "xref": "paper", "layer": "below"}
    layout["shapes"] += [ui.line(0, 1, y, y, ui.LINE, **row) for y in at.values()]
    alt = f"Best span and “no answer” of {plural(len(w.rows), 'window')}, by score"
    small = {"margin.l": 84, "xaxis.nticks": 4}
    return by_page("dots", dots(w, rows, apart), layout, texts, alt, small)
