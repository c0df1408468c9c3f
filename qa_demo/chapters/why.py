"""Chapter 9, Why: what the lead over "no answer" rests on, a test of it, and where a head looked.

lead = (start logit of the span + end logit of the span) - (both logits of [CLS]), in one window.
share of a piece = (x - x') . mean gradient of the lead with respect to its vector, on the way from
x' to x (integrated gradients); x is its own vector, x' the blank's. A word's share sums its pieces.
All of it is the true reading's: no words stand behind logits that were changed by hand.
"""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from qa_demo.blocks import (
    GREY,
    INK,
    LINE,
    MID,
    PAPER,
    QUOTE,
    STRONG,
    Block,
    Part,
    adds,
    axis,
    closing,
    escape,
    figure,
    finding,
    fold,
    folds,
    formula,
    idea,
    legend,
    line,
    note,
    number,
    packed,
    percent,
    probability,
    quote,
    row,
    say,
    sentence,
    signed,
    slider,
    small_number,
    table,
)
from qa_demo.core.explaining.attribution import Attribution, Target, parts
from qa_demo.core.explaining.chance import seed_of
from qa_demo.core.explaining.word_sets import masks_of, order_of
from qa_demo.core.reading.spans import top_spans
from qa_demo.core.reading.words import Word, Words, question_at, question_positions, words
from qa_demo.core.types import Encoding, Span, Window
from qa_demo.shown import Shown
from qa_demo.state import Int, Record
from qa_demo.texts import (
    item,
    paragraph_items,
    position_name,
    question_items,
    said_at,
    segment,
    span_words,
    text,
)

NAME = "Why"
HEADINGS = (
    "What does the lead over “no answer” rest on?",
    "Does the lead fall without those words?",
    "Where did one attention head look?",
)
STEPS = ("What it rests on", "The test", "An attention head")
OPENS: dict[int, dict[str, Any]] = {}
IDEAS = (
    "Integrated gradients fade all words in from blanks, in small steps: *a bar is a word's share "
    "of how the lead over “no answer” changes.*",
    "A test: hide words behind the token [MASK] and read the text again. *If the lead rests on "
    "them, it falls more than without random others.*",
    "An attention head mixes the tokens that it reads by weights that sum to 1. *What it read need "
    "not be what the lead rests on.*",
)
SMALL, LOOKED = 0.3, 0.02
"""A share or a weight under this has no bar."""
NAMED = 5
"""So many bars carry their number."""
HIDDEN, DRAWS = 3, 20
"""Words that the test hides, and how often it hides as many others, drawn at random."""
LONG = 150
"""From so many pieces in a window on, a text is shown without its quiet middle parts."""
SPREAD = 0.3
"""The head that step 3 opens on has no weight of this size."""
BEST = "the best span"
BLANKS = {"pad": "[PAD]", "mask": "[MASK]", "zero": "the zero vector"}
SNIPPET = """\
import numpy as np

blank, x = np.zeros((3, 2)), np.array([[1.0, 0.5], [0.2, -1.0], [0.6, 0.3]])  # three words
w = np.array([2.0, 1.0])


def lead(x):
    return (x @ w).sum() ** 2 - 4


def gradient(x):  # of the lead with respect to every word's vector
    return np.tile(2 * (x @ w).sum() * w, (len(x), 1))


steps = 20
on_the_way = [blank + (k + 0.5) / steps * (x - blank) for k in range(steps)]
shares = ((x - blank) * np.mean([gradient(y) for y in on_the_way], axis=0)).sum(axis=1)
print(shares, lead(blank) + shares.sum(), lead(x))
"""


class Own(Record):
    """What this chapter alone keeps: layer and head of step 3, counted from 1, and the position of
    the token that looks.
    """

    layer: Annotated[Int, Field(ge=1, le=1000)] | None = None
    head: Annotated[Int, Field(ge=1, le=1000)] | None = None
    token: Annotated[Int, Field(ge=0, le=8192)] | None = None


def picture(shown: Shown, own: Own) -> list[Block | None]:
    """The blocks of the step."""
    step = shown.state.step
    made = (rests_on, the_test, a_head)[step - 1](Shares(shown), own)
    return [idea(IDEAS[step - 1]), *made]


# ---- words and their shares


def is_mark(text: str) -> bool:
    """Whether a text is punctuation alone; e.g. "," and "?)" but not "%", which is read aloud."""
    return text != "" and all(unicodedata.category(c)[0] == "P" and c not in "%‰&@#§" for c in text)


def units(e: Encoding, window: Window) -> Words:
    """The words of a window, the marks before and behind a word as units of their own: a full stop
    is no part of an answer's word. Question first.
    """
    whole, first, items = words(e, window), question_at(e), list[Word]()
    of = np.full(len(window), -1, dtype=np.int64)
    for k, one in enumerate(whole.items):
        at, asked = np.flatnonzero(whole.of == k), one.side == "question"
        source, offsets, shift = (
            (e.question, e.question_offset_mapping, first)
            if asked
            else (e.context, e.offset_mapping, window.context_at - window.doc_start)
        )
        chars = offsets[at - shift]
        solid = [n for n, (a, z) in enumerate(chars) if not is_mark(source[a:z])] or [
            0,
            len(at) - 1,
        ]
        for n, m in ((0, solid[0]), (solid[0], solid[-1] + 1), (solid[-1] + 1, len(at))):
            if n < m:
                of[at[n:m]] = len(items)
                begins, ends = int(chars[n, 0]), int(chars[n:m, 1].max())
                items.append(Word(source[begins:ends], one.side, begins, ends))
    return Words(tuple(items), of)


class Shares:
    """The best span's lead in its window and what each unit adds to it: `values` [U], in logits."""

    def __init__(self, shown: Shown) -> None:
        best = shown.before.best
        assert best is not None
        self.shown, self.best, self.span = shown, best.candidate, best.candidate.span
        self.window = w = shown.true.windows[self.best.window]
        self.target = target = Target("span_minus_null", self.span, None, w.index)
        self.found: Attribution = shown.need(
            ("attribution", w.index, self.span.start, self.span.end),
            lambda reader, progress, cancelled: reader.attribute(
                shown.true, target, on_progress=progress, cancelled=cancelled
            ),
            slow=True,
        )
        self.words = units(shown.encoding, w)
        self.values = self.words.sums(self.found.total)
        self.lead, self.blank = self.found.f_x, self.found.f_baseline or 0.0
        inside = Span(w.to_pos(self.span.start), w.to_pos(self.span.end))
        self.own = set(self.words.holding(inside))
        self.spans_name = BEST if shown.before.answer is None else "the answer"

    def side(self, name: str) -> list[int]:
        """The units of the question or of the context."""
        return [k for k, one in enumerate(self.words.items) if one.side == name]

    def where(self, k: int) -> str:
        """Nothing, or the place of a word that the window holds twice: "question, word 2"."""
        items, one = self.words.items, self.words.items[k]
        same = [other.side for other in items if other.text == one.text]
        at = [o for o in self.side(one.side) if not is_mark(items[o].text)]
        which = f", word {at.index(k) + 1}" if same.count(one.side) > 1 and k in at else ""
        return one.where + which if len(same) > 1 else ""

    def named(self, chosen: Sequence[int], says: Callable[[int], str] = lambda _: "") -> list[Part]:
        """Some words as quoted parts, each with its place if it needs one and what is said of it:
        “Who” (+3.2), “it” (paragraph, word 2, +2.7) and “built” (+2.5).
        """
        said: list[Part] = []
        for left, k in zip(range(len(chosen) - 1, -1, -1), chosen, strict=True):
            about = ", ".join(filter(None, (self.where(k), says(k))))
            said += [[quote(self.words.items[k].text, 30), QUOTE], f" ({about})" if about else ""]
            said += [", " if left > 1 else " and " * left]
        return said

    def finding(self, template: str, *given: Any) -> Block:
        """A finding; which reading and which window is explained stands before it."""
        many = len(self.shown.true.windows)
        by_hand = "The reader's own logits are explained, not those changed by hand. "
        window = f"Window {self.window.index + 1} of {many} alone. " if many > 1 else ""
        return finding((by_hand if self.shown.changed else "") + window + template, *given)


def shortened(shares: Shares, items: list[Block], least: float) -> list[Block]:
    """A long text without the middle of its quiet runs, words far from every bar and mark, so that
    the sum stays on the screen; a text of up to 150 pieces, and one under the veil, stays whole.
    """
    if len(shares.window) < LONG or shares.shown.state.veil:
        return items
    whole, found = list[list[Block]](), list[Block]()
    for one in items:
        if whole and not whole[-1][-1]["gap"]:
            whole[-1].append(one)
        else:
            whole.append([one])
    signs = ("up", "down", "marks")
    loud = [k for k, w in enumerate(whole) if any(one.get(x) for one in w for x in signs)]
    near = {k for c in (0, *loud, len(whole) - 1) for k in range(c - 5, c + 6)}
    for seen, run in groupby(enumerate(whole), lambda at: at[0] in near):
        quiet = [one for _, word in run for one in word]
        count = sum(not (one.get("joined") or is_mark(one["t"])) for one in quiet)
        if not seen and count >= 10:
            found[-1] = {**found[-1], "gap": " "}
            quiet = [item(f"… {count} words under {least} …", " ", marks=["special"])]
        found += quiet
    return found


def bracketed(x: float) -> str:
    """x, in brackets where it is negative: for the place after a sign."""
    said = number(x)
    return f"({said})" if said.startswith("−") else said


def listed(heads: str, rows: Sequence[Block], caption: str) -> Block:
    """A table of columns without roles, their names parted by commas."""
    return table("rows", [(name, "") for name in heads.split(", ")], rows, caption=caption)


# ---- step 1: what the lead rests on


def rests_on(shares: Shares, own: Own) -> list[Block | None]:
    """Bars by word: what raised and what lowered the lead."""
    v = shares.values
    rows = [
        row(quote(one.text, 30), one.where, signed(v[k]))
        for k in np.argsort(-np.abs(v), kind="stable")[:30].tolist()
        for one in [shares.words.items[k]]
    ]
    heads, caption = "word, in the, share", "The largest shares of the lead's change by word"
    return [
        most(shares),
        legend(
            "key",
            ("bar", INK, "above a word: raises the lead"),
            ("hatch", GREY, "below a word: lowers it"),
            ("fill", MID, f"{shares.spans_name}'s own words"),
            ("text", GREY, f"no bar: under {SMALL} either way"),
        ),
        bars(shares),
        summed(shares),
        gap(shares),
        closing("A share says what moved the lead, not whether the answer is right."),
        *folds(listed(heads, rows, caption), shares_exactly(shares), SNIPPET),
    ]


def most(shares: Shares) -> Block:
    """The finding: the lead, and the three units that moved it most."""
    rises = shares.lead >= shares.blank
    verb, way = ("raised", shares.values) if rises else ("lowered", -shares.values)
    top = [k for k in np.argsort(-way, kind="stable")[:3].tolist() if way[k] >= 0.05]
    moved = say(f"Nothing {verb} it by 0.05 or more.")
    if top:
        named = shares.named(top, lambda k: signed(shares.values[k], 1))
        moved = say("{} {} it most.", named, verb)
    stands = "leads “no answer” by" if shares.lead >= 0 else "stands behind “no answer” by"
    best, lead = span_words(shares.best), [number(abs(shares.lead)), STRONG]
    which = ", the best span," if shares.spans_name == BEST else ""
    return shares.finding("{}{} {} {}. {}", best, which, stands, lead, moved)


def bars(shares: Shares) -> Block:
    """Question and paragraph with a bar by unit, upward or downward."""
    v, items, e = shares.values, shares.words.items, shares.shown.encoding
    full = max(float(np.abs(v).max(initial=0)), SMALL)
    drawn = [k for k in np.argsort(-np.abs(v), kind="stable").tolist() if abs(v[k]) >= SMALL]

    def word(k: int, gap: str) -> Block:
        made = item(items[k].text, gap, marks=["predicted"] * (k in shares.own))
        if k in drawn:
            named = signed(v[k], 1) if k in drawn[:NAMED] else ""
            made["up" if v[k] > 0 else "down"] = [round(abs(float(v[k])) / full, 4), named]
            made["marks"] = [*made.get("marks", []), *(["strong"] if named else [])]
        return made

    def part(side: str, source: str, name: str) -> Block:
        inside = shares.side(side)
        ends = [items[k].char_start for k in inside[1:]] + [items[inside[-1]].char_end]
        found = [
            word(k, source[items[k].char_end : end]) for k, end in zip(inside, ends, strict=True)
        ]
        found = shortened(shares, found, SMALL)
        return segment(found, name, False, f"in sum {signed(v[inside].sum())}")

    sides = part("question", e.question, "question"), part("context", e.context, "paragraph")
    height = 60 if len(shares.window) < LONG else 44
    return text("words", *sides, up=INK, down="minus", height=height, select=False)


def summed(shares: Shares) -> Block:
    """lead of the blank text + all shares = lead of this text, and what is missing."""
    a = shares.found
    sign = adds((shares.blank, a.sum), a.f_x) if abs(a.gap or 0) < 0.005 else "≈"
    printed = number(shares.blank), bracketed(a.sum), number(a.f_x)
    blank, total, lead = ([said, STRONG] for said in printed)
    template = "lead of the blank text {} + all shares {} {} lead of this text {}"
    missed = [[f"gap {missing(a)}", "note"]] if a.complete else []
    return formula("sum", say(template, blank, total, sign, lead), missed)


def missing(a: Attribution) -> str:
    """The gap as a share of the change; e.g. "0.3 % of the change"."""
    share = a.gap_share
    if share is None or not np.isfinite(share):
        return number(abs(a.gap or 0))
    return ("under 0.1" if share < 0.0005 else number(100 * share, 1)) + " % of the change"


def gap(shares: Shares) -> Block | None:
    """A gap of 2 % or more is said where the bars are seen (a finding: the veil covers it)."""
    a = shares.found
    if a.complete:
        return None
    change = signed(a.f_x - shares.blank)
    template = "The shares miss the change, {}, by {} ({}) even in {} steps: "
    template += "*read single bars with that much doubt.*"
    missed = number(abs(a.gap or 0)), missing(a), str(a.n_steps)
    return sentence("gap", "finding", *say(template, change, *missed))


def shares_exactly(shares: Shares) -> list[str]:
    """Conditions of step 1."""
    a, w, n = shares.found, shares.window, shares.found.n_steps
    start, end = (x.astype(float) for x in shares.shown.true.logits(w.index))
    score = start[w.to_pos(shares.span.start)] + end[w.to_pos(shares.span.end)]
    null = start[w.cls_at] + end[w.cls_at]
    blank, k = BLANKS[a.baseline or "pad"], min(7, n)
    way = (k - 0.5) / n
    special = number(a.sum - float(shares.values.sum()))
    return [
        f"Lead: score of the span − score of “no answer”, {number(score)} − {bracketed(null)} "
        f"{adds((score, -null), a.f_x)} {number(a.f_x)}, this span and this window at every step.",
        f"The blank text has {blank} in the place of every piece of question and paragraph; [CLS] "
        f"and [SEP] stay, and their shares, {special} in sum, are among all shares. Step {k} of "
        f"{n} reads vectors that are {number(1 - way, 3)} times that of {blank} and "
        f"{number(way, 3)} times the piece's own. A word's share is its vectors' way from blank, "
        "times the mean gradient of the lead over all steps.",
        f"The gap, {number(abs(a.gap or 0), 3)} or {missing(a)}, comes of finite steps: 20, 50, "
        "then 100 are tried until it is under 2 %. A small gap checks the sum, not the shares: "
        "another blank gives other shares, and the reader was trained on no text that is half "
        "faded in. A punctuation mark is no part of a word and has a share of its own.",
    ]


# ---- step 2: the test


@dataclass(frozen=True, eq=False)
class Hidden:
    """What the lead is without `first`, the words that raise it most, and without each random set:
    `draws` (lead, words), the lowest lead first; `start`, `end` [n] are the logits without `first`.
    """

    first: tuple[int, ...]
    lead: float
    draws: tuple[tuple[float, tuple[int, ...]], ...]
    start: NDArray[np.float32]
    end: NDArray[np.float32]


def chosen_sets(shares: Shares) -> list[tuple[int, ...]]:
    """The words that raise the lead most, outside the span, then twenty random sets of as many that
    hold none of them; marks and the span's own words are never hidden. The draws follow from
    question, paragraph and window alone. Without such a word the first is (); there are no draws
    where too few others are left.
    """
    items, own = shares.words.items, shares.own
    free = tuple(k for k in range(len(items)) if k not in own and not is_mark(items[k].text))
    first = tuple(k for k in order_of(shares.values, free)[:HIDDEN] if shares.values[k] > 0)
    others, size = [k for k in free if k not in first], len(first)
    rng = np.random.default_rng(seed_of(shares.shown.true, shares.window))
    draws = range(DRAWS if len(others) >= size > 0 else 0)
    return [first, *(tuple(sorted(rng.permutation(others)[:size].tolist())) for _ in draws)]


def hidden(shares: Shares, sets: Sequence[tuple[int, ...]]) -> Hidden:
    """The window read again with each set in [MASK]."""
    w = shares.window
    masks = masks_of(shares.words, [frozenset(each) for each in sets])

    def make(reader: Any, progress: Any, cancelled: Any) -> Hidden:
        start, end = reader.masked(w, masks, progress, cancelled)
        leads = np.add(*parts(shares.target, w, start, end)).tolist()
        draws = tuple(sorted(zip(leads[1:], sets[1:], strict=True)))
        return Hidden(sets[0], leads[0], draws, start[0].copy(), end[0].copy())

    key = ("hidden", w.index, shares.span.start, shares.span.end)
    found: Hidden = shares.shown.need(key, make, slow=True)
    return found


def the_test(shares: Shares, own: Own) -> list[Block | None]:
    """The lead without the words that raise it most, beside the lead without random others."""
    sets = chosen_sets(shares)
    if not sets[0]:
        said = f"Outside {shares.spans_name} no word raises the lead, so there is none to hide."
        return [shares.finding(said), *folds(None, hidden_exactly(shares), SNIPPET)]
    test, many = hidden(shares, sets), small_number(len(sets[0]))
    those = f"the {many} word{'s' * (many != 'one')}"
    plain = ("diamond", INK, f"without {those} outside {shares.spans_name} with the largest shares")
    other = f"without {many} random others, one dot a draw (stacked where they would touch)"
    rows: list[Block] = []
    for lead, chosen in [(test.lead, test.first), *test.draws]:
        said = ", ".join(quote(shares.words.items[k].text, 20) for k in chosen)
        rows.append(row(said, number(lead), number(shares.lead - lead), strong=not rows))
    caption = "The lead without the chosen words and without each random draw"
    return [
        fell(shares, test, many),
        legend("key", plain, *([("dot", GREY, other)] if test.draws else [])),
        dots(shares, test, many),
        falls(shares, test, many),
        closing("{} {}", beside_chance(test, shares.lead), then(shares, test)),
        *folds(listed("hidden words, lead, fall", rows, caption), hidden_exactly(shares), SNIPPET),
    ]


def fell(shares: Shares, test: Hidden, many: str) -> Block:
    """The finding: from where to where the lead falls, and where random draws end."""
    verb = "falls" if test.lead <= shares.lead else "rises"
    rest = ""
    if test.draws:
        low, high = number(test.draws[0][0]), number(test.draws[-1][0])
        rest = f"; without {many} random others it ends between {low} and {high}"
    named, now = shares.named(test.first), [number(test.lead), STRONG]
    template = "Without {} the lead {} from {} to {}{}."
    return shares.finding(template, named, verb, number(shares.lead), now, rest)


def beside_chance(test: Hidden, lead: float) -> str:
    """Whether random draws cost as much as the chosen words."""
    if not test.draws:
        return "Too few other words are left for random draws."
    if test.lead >= lead:
        return "The lead does not fall: here it does not need these words."
    as_low = sum(other <= test.lead for other, _ in test.draws)
    if as_low == 0:
        return f"None of {DRAWS} random draws costs as much."
    return f"{as_low} of {DRAWS} random draws cost{'s' * (as_low == 1)} as much or more."


def limit(shares: Shares) -> float | None:
    """The lead below which "no answer" wins: minus the threshold, where one window is all there is
    and the rule asks a threshold; else None.
    """
    s = shares.shown
    alone = len(s.true.windows) == 1 and s.state.rule == "logits"
    return -s.decode.null_score_diff_threshold if alone else None


def then(shares: Shares, test: Hidden) -> str:
    """What the reader answers once the first words are hidden."""
    s, w, at = shares.shown, shares.window, limit(shares)
    i, j = top_spans(test.start, test.end, w, s.decode, "max_context", 1)[0].tolist()
    span, silent = Span(w.to_doc(i), w.to_doc(j)), s.before.answer is None
    lead = sum(float(x[k] - x[w.cls_at]) for x, k in ((test.start, i), (test.end, j)))
    if at is not None and lead < at:
        return "“No answer” wins as before." if silent else "“No answer” then wins."
    best, place = quote(s.encoding.text(span), 30), "" if at is not None else " of this window"
    if at is not None and silent:
        return f"{best} then is the answer."
    if span != shares.span:
        return f"The best span{place} then is {best}."
    if at is not None and lead < 0:
        return f"{best} stays: “no answer” leads by less than the threshold."
    return f"{best} stays the best span{place}."


def falls(shares: Shares, test: Hidden, many: str) -> Block:
    """9.10 - (-2.55) = 11.65, and the mean of the random draws."""
    x, fall = shares.lead, shares.lead - test.lead
    said = f"{number(x)} − {bracketed(test.lead)} {adds((x, -test.lead), fall)} {number(fall)}"
    lines: list[list[Part]] = [[f"fall without these {many}: ", [said, STRONG]]]
    if test.draws:
        mean = x - sum(lead for lead, _ in test.draws) / len(test.draws)
        lines.append([f"without {many} others: ", [number(mean), STRONG], " on average"])
    return formula("fall", *lines)


def stacked(xs: Sequence[float], width: float) -> list[int]:
    """How high each dot stands, xs ascending: the lowest row whose last dot is `width` away."""
    last, found = list[float](), list[int]()
    for x in xs:
        level = next((n for n, other in enumerate(last) if x - other >= width), len(last))
        last[level : level + 1] = [x]
        found.append(level)
    return found


def dots(shares: Shares, test: Hidden, many: str) -> Block:
    """Leads on one axis: the diamond without the first words, a dot for each random draw."""
    x, at, leads = shares.lead, limit(shares), [lead for lead, _ in test.draws]
    every = [x, test.lead, *leads, *([] if at is None else [at])]
    low, wide = min(every), max(max(every) - min(every), 0.1)
    levels = stacked(leads, wide / 56)
    top = max(14, 6 + max(levels, default=0))

    def marker(xs: list[float], ys: list[int], said: list[str], **style: Any) -> Block:
        named = {"customdata": said, "hovertemplate": "%{customdata}<extra></extra>"}
        made = {"type": "scatter", "mode": "markers", "x": xs, "y": ys, **named}
        return {**made, "marker": {"opacity": 1, **style}}

    def without(lead: float, words: Sequence[int]) -> str:
        named = ", ".join(shares.words.items[k].text for k in words)
        return f"without {escape(named)}: {number(lead)}"

    def upright(x: float, said: str, up: float, dash: str) -> tuple[Block, Block]:
        side = "right" if x - low > wide * 0.55 else "left"
        named = note(said, x, 1, yref="paper", yanchor="bottom", xanchor=side, yshift=up)
        return line(x, x, 0, 1 + up / 180, GREY, yref="paper", dash=dash), named

    marks = [upright(x, f"no word hidden: {number(x)}", 18, "solid")]
    if at is not None:
        marks.append(upright(at, f"“no answer” wins under {number(at)}", 0, "dot"))
    edge = {"color": PAPER, "width": 1}
    drawn = [
        marker(
            leads, levels, [without(*one) for one in test.draws], color=GREY, size=13, line=edge
        ),
        marker([test.lead], [top - 3], [without(test.lead, test.first)], color=INK, size=20),
    ]
    drawn[1]["marker"]["symbol"] = "diamond"
    title = f"lead over “no answer” with {many} word{'s' * (many != 'one')} hidden"
    sides = {"range": [low - wide * 0.06, low + wide * 1.06], "showgrid": False}
    label = note(f"<b>{number(test.lead)}</b>", test.lead, top - 3, yshift=22)
    layout = {
        "height": 340,
        "margin": {"l": 8, "r": 8, "t": 46, "b": 56},
        "xaxis": axis(title, nticks=9, showline=True, ticks="outside", tickcolor=LINE, **sides),
        "yaxis": axis(None, showticklabels=False, showgrid=False, range=[-1.2, top]),
        "shapes": [shape for shape, _ in marks],
        "annotations": [*(named for _, named in marks), label],
    }
    narrow = {"xaxis.nticks": 5, "xaxis.title.text": "lead with words hidden"}
    alt = "The lead without the chosen words, a diamond, and without random others, a dot each"
    return figure("dots", drawn, layout, alt, narrow=narrow)


def hidden_exactly(shares: Shares) -> list[str]:
    """Conditions of step 2."""
    at = limit(shares)
    wins = "" if at is None else f" “No answer” wins where it leads by more than {number(-at)}."
    return [
        "Hidden are the words with the largest positive shares outside the span. The random draws "
        "hold neither them nor a word of the span, whose loss lowers its own score; a draw may "
        "come twice where few words are left. The draws follow from question, paragraph and "
        "window, so everyone sees the same. The lead is that of the same span throughout." + wins,
        f"By chance alone the chosen words would be the lowest of all in one text of {DRAWS + 1}; "
        "one text says nothing about others. Readers learn to answer from texts without [MASK]. "
        "Where two words tell the same, hiding one of them shows little: the other holds the lead.",
    ]


# ---- step 3: where a head looked


class Looks:
    """What one token reads in all heads, `rows` [N, A, n], its share on the question `asked` [N, A]
    and the head that is shown, counted from 1, with its weights `row` [n].
    """

    def __init__(self, shares: Shares, own: Own) -> None:
        self.shown, self.window = shares.shown, shares.window
        w, e = self.window, shares.shown.encoding
        known = own.token is not None and own.token < len(w)
        self.at = at = own.token if known and own.token is not None else w.to_pos(shares.span.start)
        # one token's rows alone are kept: those of all tokens would fill the cache
        self.rows: NDArray[np.float32] = self.shown.need(
            ("attention", w.index, at),
            lambda reader, progress, cancelled: reader.attention(w).weights[:, :, at].copy(),
        )
        self.asked = self.rows[:, :, question_positions(e)].sum(-1)
        layer, head = spread(self.rows, self.asked)
        self.layer = min(own.layer or layer, len(self.rows))
        self.head = min(own.head or head, self.rows.shape[1])
        self.row = self.rows[self.layer - 1, self.head - 1].astype(np.float64)
        cls, asked = float(self.row[w.cls_at]), float(self.row[question_positions(e)].sum())
        read = float(self.row[w.is_context].sum())
        rest = float(self.row.sum()) - cls - asked - read
        self.held = {e.cls_token: cls, "question": asked, "paragraph": read, "separators": rest}

    def name(self, pos: int) -> list[list[str]]:
        """A token as quoted parts."""
        return said_at(self.shown, self.window, pos)


def spread(rows: NDArray[np.float32], asked: NDArray[np.float32]) -> tuple[int, int]:
    """Of the heads without a weight of 0.3 the one that reads the question most, from 1; of all
    heads where each has such a weight.
    """
    wide = np.where(rows.max(-1) < SPREAD, asked, -1)
    best = (wide if wide.max() >= 0 else asked).argmax()
    layer, head = np.unravel_index(best, asked.shape)
    return int(layer) + 1, int(head) + 1


def a_head(shares: Shares, own: Own) -> list[Block | None]:
    """The weights of one token in one attention head, on the text."""
    look = Looks(shares, own)
    layers, heads = look.asked.shape
    said: list[Part] = [f"all {len(look.row)} weights: "]
    for n, (name, x) in enumerate(look.held.items()):
        said += [f"{' + ' if n else ''}{name} ", [number(x), STRONG]]
    return [
        read_most(shares, look),
        slider("layer", "own.why.layer", f"layer (of {layers})", 1, layers, 1, look.layer),
        slider("head", "own.why.head", f"attention head (of {heads})", 1, heads, 1, look.head),
        legend(
            "key",
            ("bar", INK, ["weight that ", *look.name(look.at), " gives this token"]),
            ("boxed", INK, [*look.name(look.at), " looks; press a word to let that one look"]),
            ("text", GREY, f"no bar: under {LOOKED}"),
        ),
        weights(shares, look),
        formula("adds", [*said, f" {adds(look.held.values(), 1)} 1"]),
        closing(
            "A large weight does not say that the lead needs the word: only hiding it would tell."
        ),
        *folds(head_table(shares, look), head_exactly(layers * heads), SNIPPET),
        fold("grid", f"All {layers * heads} attention heads", grid(look), span=4),
    ]


def weight(x: float) -> str:
    """A weight with two digits."""
    return probability(float(x), 2)


def read_most(shares: Shares, look: Looks) -> Block:
    """The finding: what the head read most, and a word much read that has a small share."""
    v, items, top = shares.values, shares.words.items, int(look.row.argmax())
    by_word, looks = shares.words.sums(look.row), int(shares.words.of[look.at])
    inside = [k for k in range(len(items)) if k != looks and not is_mark(items[k].text)]
    read = max((k for k in inside if abs(v[k]) < SMALL), key=lambda k: by_word[k], default=-1)
    held = max(inside, key=lambda k: v[k], default=-1)
    said = f"Layer {look.layer}, attention head {look.head}: {{}} reads {{}} most ({{}}). It gives "
    most = look.name(look.at), look.name(top), weight(look.row[top])
    differ = read >= 0 and v[held] >= SMALL and by_word[read] >= LOOKED
    if not differ or by_word[held] >= by_word[read]:
        asked = percent(float(look.asked[look.layer - 1, look.head - 1]))
        return shares.finding(said + "{} of its attention to the question.", *most, asked)

    def about(k: int) -> str:
        share = "share of the lead's change" if k == read else "share"
        return f"{weight(by_word[k])}, {share} {signed(v[k])}"

    return shares.finding(said + "{}.", *most, shares.named((read, held), about))


def weights(shares: Shares, look: Looks) -> Block:
    """The window's text, piece by piece, with a bar of the weight above each."""
    e, w, n = look.shown.encoding, look.window, len(look.row)
    first = question_at(e)
    full = max(float(look.row.max()), 0.05)
    named = {k for k in np.argsort(-look.row)[:NAMED].tolist() if look.row[k] >= LOOKED}
    tokens = look.shown.true.tokens(w.index)

    def barred(one: Block, pos: int) -> Block:
        x = float(look.row[pos])
        if x >= LOOKED:
            one["up"] = [round(x / full, 4), weight(x) if pos in named else ""]
        marks = ["strong"] * (pos in named) + ["boxed"] * (pos == look.at)
        sets = {"own.why.layer": look.layer, "own.why.head": look.head, "own.why.token": pos}
        return {**one, "marks": [*one.get("marks", []), *marks], "sets": sets}

    def special(start: int, stop: int) -> list[Block]:
        return [barred(item(tokens[k], " ", marks=["special"]), k) for k in range(start, stop)]

    asked = [barred(one, first + k) for k, one in enumerate(question_items(e))]
    found = enumerate(paragraph_items(e, w.doc_start, w.doc_stop))
    read = [barred(one, w.context_at + k) for k, one in found]
    asked[-1]["gap"] = read[-1]["gap"] = " "  # before the separator
    asked += special(first + len(asked), w.context_at)
    read += special(w.context_at + len(read), n)
    return text(
        "weights",
        segment(special(0, first), "", True),
        segment(asked, "question", True, f"in sum {number(look.held['question'])}"),
        segment(
            shortened(shares, read, LOOKED),
            "paragraph",
            False,
            f"in sum {number(look.held['paragraph'])}",
        ),
        up=INK,
        height=84,
        dots=True,
        select=False,
    )


def grid(look: Looks) -> Block:
    """Every head's share of attention on the question; a press shows that head."""
    (layers, heads), x, y = look.asked.shape, look.head, look.layer
    who = escape(quote(position_name(look.shown, look.window, look.at), 24))
    title = {"text": f"attention of {who} on the question", "side": "right"}
    bar = {"title": title, "thickness": 10, "tickformat": ".0%", "nticks": 5, "outlinewidth": 0}
    heat = {
        "type": "heatmap",
        "z": packed(np.round(look.asked, 3)),
        **{"x0": 1, "y0": 1, "dx": 1, "dy": 1, "zmin": 0, "zmax": 1, "xgap": 3, "ygap": 3},
        "colorscale": "share",
        "colorbar": bar,
        "hovertemplate": "layer %{y}, attention head %{x}: %{z:.0%}<extra></extra>",
        "sets": {"own.why.layer": "y", "own.why.head": "x"},
    }
    plain = {"dtick": 1, "showgrid": False}
    layout = {
        "height": 90 + 44 * min(layers, 12),
        "margin": {"l": 58, "r": 8, "t": 14, "b": 48},
        "xaxis": axis("attention head", range=[0.5, heads + 0.5], **plain),
        "yaxis": axis("layer (1 reads first)", range=[layers + 0.5, 0.5], **plain),
    }
    box = {"type": "rect", "x0": x - 0.5, "x1": x + 0.5, "y0": y - 0.5, "y1": y + 0.5}
    frame = {"shapes": [{**box, "line": {"color": INK, "width": 2.5}}], "annotations": []}
    alt = "How much of its attention the token spends on what was asked, by layer and head"
    return figure("heads", [heat], layout, alt, overlay=frame)


def head_exactly(many: int) -> list[str]:
    """Conditions of step 3."""
    return [
        f"Of {many} attention heads the page opens on the one that reads the question most among "
        f"those without a weight of {SPREAD}. The two words of the finding are picked: the most "
        f"read word with a share under {SMALL}, and the word with the largest share; a word's "
        "weight sums its pieces. They show that weight and share can differ here, and nothing "
        "about attention heads in general.",
        "A weight is a softmax over all tokens of the window. From the second layer on, what "
        "stands at a word's place is a mixture of other words already, and what a head mixes is "
        "mapped and added to what was there: a weight tells what was mixed, not which word of the "
        "text it came from.",
    ]


def head_table(shares: Shares, look: Looks) -> Block:
    """The twenty tokens that this token reads most, with the share of their word."""
    rows = []
    for pos in np.argsort(-look.row, kind="stable")[:20].tolist():
        k, name = int(shares.words.of[pos]), position_name(look.shown, look.window, pos)
        share = (shares.words.items[k].where, signed(shares.values[k])) if k >= 0 else ("–", "–")
        rows.append(row(quote(name, 30), share[0], probability(float(look.row[pos]), 3), share[1]))
    heads = "token, in the, weight, share of its word"
    return listed(heads, rows, "The tokens with the largest weights")
