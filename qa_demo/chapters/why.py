"""Chapter 9, Why: which words speak for the best span, a test of them, and where a head looked.

lead over "no answer" = (start logit + end logit of the span) - (both logits of [CLS]), in a window.
share of a piece = (x - x') . mean gradient of the lead with respect to its vector, on the way from
x' to x (integrated gradients); x is its own vector, x' the blank's. A word's share sums its pieces.
All of it is the true reading's: no words stand behind logits that were changed by hand.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qa_demo import blocks as ui
from qa_demo import by_hand, printed, texts
from qa_demo.blocks import GREY, INK, MID, Block
from qa_demo.core import attribution
from qa_demo.core.attention import SPREAD, TokenAttention
from qa_demo.core.attribution import DRAWS, Attribution, Deletion, Target
from qa_demo.core.text import is_mark, words
from qa_demo.printed import QUOTE, adds, bracket, escape, number, probability, quote, say, signed
from qa_demo.shown import Shown
from qa_demo.state import Count, Place, Record

NAME = "Why"
STEPS = (
    ("What it rests on", "Which words speak for the best span?"),
    ("The test", "Do the words with the largest shares matter more?"),
    ("An attention head", "Where did one attention head look?"),
)
IDEAS = (
    "Start from a blank text, {} in the place of every word, and fade in all words at the same "
    "time, in small steps (integrated gradients). *A bar is the word's share: how far it moved the "
    "best span's lead over “no answer”.*",
    "A test: hide words behind the token [MASK] and read the text again. *If the best span rests "
    "on them, hiding them lowers its lead over “no answer” more than hiding as many random words.*",
    "In an attention head each token reads all tokens, by weights that sum to 1. *What is read "
    "much need not have a large share* (step 1).",
)
SMALL, LOOKED, NAMED = 0.3, 0.02, 5
"""A share or a weight under this has no bar; so many bars carry their number."""
BLANKS = {"pad": "[PAD]", "mask": "[MASK]", "zero": "the zero vector"}
HIDDEN = (
    "No punctuation is hidden. A question has few words, and hiding any of them costs much: a draw "
    "has as many of its words as the chosen ones have. It holds neither the chosen words nor a "
    "word of the span, which would lower its own score; one may come twice where few words are "
    "left: then nothing is clear. The lead is always that of the same span.",
    "By chance alone the lead would be lowest without the chosen words in one text of "
    f"{DRAWS + 1}; one text says nothing about others. Readers learn to answer from texts without "
    "[MASK]. Where two words tell the same, hiding one shows little: the other is still there.",
)
WEIGHTS = (
    "The page opens on the attention head that reads the question most among those without a "
    f"weight of {SPREAD} or more, if there is one. Two words are compared where one with a share "
    f"within ±{SMALL} is read at least 0.8 times as much as the one with the largest share, which "
    "is 1 or more, the reading word aside; a word's weight sums its tokens. They show that weight "
    "and share can differ here, and nothing about attention heads in general.",
    "A weight is a softmax over all tokens of the window. From the second layer on, what stands at "
    "a word's place is a mixture of other words already, and what a head mixes is mapped and added "
    "to what was there: a weight tells what was mixed, not which word of the text it came from.",
)
"""What is said exactly of the test, and of an attention head's weights."""


class Own(Record):
    """This chapter's own: layer and head of step 3, counted from 1, and the position that looks."""

    layer: Count | None = None
    head: Count | None = None
    token: Place | None = None


def picture(shown: Shown, own: Own) -> list[Block | None]:
    k, shares = shown.state.step - 1, Shares(shown)
    idea = ui.idea(IDEAS[k], *[BLANKS[shares.found.baseline or "pad"]][k:])
    return [idea, *(rests_on, the_test, a_head)[k](shares, own)]


class Shares:
    """How far each word raises the best span's lead over "no answer", in logits."""

    def __init__(self, shown: Shown) -> None:
        self.shown, self.best, self.span = shown, shown.true_best, shown.true_best.span
        self.window = w = shown.true.windows[self.best.window]
        self.target = target = Target("span_minus_null", self.span, None, w.index)

        def attribute(reader: Any, progress: Any, cancelled: Any) -> Any:
            return reader.attribute(shown.true, target, on_progress=progress, cancelled=cancelled)

        self.found: Attribution = shown.need(("attribution", target), attribute, slow=True)
        self.words = words(shown.encoding, w, marks_apart=True)
        self.values = self.words.sums(self.found.values)  # [U], of `found` by piece
        self.ranked: list[int] = np.argsort(-np.abs(self.values), kind="stable").tolist()
        self.real = [k for k, one in enumerate(self.words.items) if not is_mark(one.text)]
        # under minus it "no answer" wins, where one window decides
        self.limit = shown.prediction.limit if len(shown.true.windows) == 1 else None
        self.lead, self.blank = self.found.f_x, self.found.f_baseline or 0.0  # of both texts
        first, last = w.positions(self.span)
        self.own = set(self.words.of[first : last + 1].tolist())  # the words of the span
        share, most = 100 * (self.found.gap_share or 0.0), 100 * attribution.GAP_LIMIT
        d = printed.apart(share, most) if number(share, 1) == number(most, 1) else 1
        self.missing = f"{number(share, d) if share >= 0.05 else 'under 0.1'} % of the change"

    def quoted(self, k: int, most: int = 30) -> str:
        return quote(self.words.items[k].text, most)

    def test(self) -> Deletion | None:
        """The window read again without the words of the largest shares, and without random
        others; never punctuation nor the span's own words. None where none of them speaks for the
        span, or too few others are left.
        """
        free = tuple(k for k in self.real if k not in self.own)
        seed = attribution.seed_of(self.shown.true, self.window)
        sets = attribution.sets_to_hide(self.values, self.words, free, seed)

        def make(reader: Any, progress: Any, cancelled: Any) -> Deletion:
            read = partial(reader.masked, on_progress=progress, cancelled=cancelled)
            return attribution.deletion_test(read, self.target, self.window, self.words, sets)

        return self.shown.need(("hidden", self.target), make, slow=True) if sets[1:] else None

    def named(self, chosen: Sequence[int], *says: str) -> list[Any]:
        """Some words as quoted parts, each with its side where both sides hold it, and with what
        is said of it: “Who” (+3.2), “it” (paragraph, +2.7) and “built” (+2.5).
        """
        said = list[Any]()
        joins = ["", *[", "] * (len(chosen) - 2), " and "][: len(chosen)]
        for n, (k, join) in enumerate(zip(chosen, joins, strict=True)):
            about = ", ".join(filter(None, [self.side(k), *says[n : n + 1]]))
            said += [join, [self.quoted(k), QUOTE], f" ({about})" if about else ""]
        return said

    def side(self, k: int) -> str:
        """Where a word stands, if it stands in the question and in the paragraph."""
        held = {one.where for one in self.words.items if one.text == self.words.items[k].text}
        return self.words.items[k].where if len(held) > 1 else ""

    def token(self, pos: int) -> list[list[str]]:
        """A position as quoted parts, with its side as in `named`."""
        name, k = texts.parts_at(self.shown, self.window, pos), int(self.words.of[pos])
        side = self.side(k) if k >= 0 else ""
        return [*name, [f" ({side})", ""]] if side else name

    def finding(self, template: str, *given: Any) -> Block:
        """A finding; before it stands what is explained, and behind it a gap of 2 % or more."""
        window = texts.which_window(self.shown, self.window, "{} alone. ").capitalize()
        if not self.found.complete:
            template += f" The shares miss {self.missing} even at {self.found.n_steps} points: "
            template += "*read single ones with that much doubt.*"
        return ui.finding(window + template + by_hand.own_logits(self.shown), *given)


def rests_on(shares: Shares, own: Own) -> list[Block | None]:
    """Step 1: bars by word, what speaks for the best span and what for "no answer"."""
    v, items, gains = shares.values, shares.words.items, shares.lead >= shares.blank
    side, way = ("for", v) if gains else ("against", -v)
    top = [k for k in shares.ranked if way[k] >= 0.05][:3]
    moved = shares.named(top, *(signed(v[k]) for k in top))
    both = (shares.blank, shares.lead)
    blank, here = (f"{number(abs(x))} {'ahead' if x >= 0 else 'behind'}" for x in both)
    of = " of" * (shares.blank >= 0)
    found = f"In the blank text the place of {{}} is {blank}{of} “no answer”; with its words it is "
    speak = f"{{}} {'speaks' if len(top) == 1 else 'speak'} most {side} it."
    found += f"*{here}*. " + (speak if top else f"No word speaks{{}} {side} it by 0.05 or more.")
    key = [("bar", INK, "above a word: speaks for the best span")] * bool(v.max() >= SMALL)
    key += [("hatch", GREY, "below: for “no answer”")] * bool(v.min() <= -SMALL)
    key.append(("fill", MID, "the best span's own words"))
    columns, caption = ["word", "in the", "share"], "The largest shares by word"
    rows = [ui.row(shares.quoted(k), items[k].where, signed(v[k])) for k in shares.ranked[:30]]
    return [
        shares.finding(found, texts.span_name(shares.shown.encoding, shares.span), moved),
        ui.legend("key", *key, ("text", GREY, f"no bar: under {SMALL} either way")),
        bars(shares),
        sum_of_shares(shares),
        ui.closing(
            "A share is not a person's reason: another blank gives others, and none says that the "
            "answer is right."
        ),
        *ui.folds(ui.table("rows", columns, rows, caption), shares_exactly(shares), "why"),
    ]


def bars(shares: Shares) -> Block:
    """Question and paragraph with a bar by unit, upward or downward."""
    v, items, e = shares.values, shares.words.items, shares.shown.encoding
    full = max(float(np.abs(v).max(initial=0)), SMALL)

    def word(k: int, gap: str) -> Block:
        named = signed(v[k]) if k in shares.ranked[:NAMED] and abs(v[k]) >= SMALL else ""
        looks = ["predicted"] * (k in shares.own) + ["strong"] * bool(named)
        made = texts.item(items[k].text, gap, looks=looks)
        if abs(v[k]) >= SMALL:
            made["up" if v[k] > 0 else "down"] = [round(abs(float(v[k])) / full, 4), named]
        return made

    def part(side: str, source: str, name: str) -> Block:
        inside = [k for k, one in enumerate(items) if one.side == side]
        ends = [items[k].char_start for k in inside[1:]] + [items[inside[-1]].char_end]
        gaps = [source[items[k].char_end : end] for k, end in zip(inside, ends, strict=True)]
        found = [word(k, gap) for k, gap in zip(inside, gaps, strict=True)]
        found = texts.shortened(shares.shown, found, SMALL)
        return texts.segment(found, name, False, f"in sum {signed(v[inside].sum())}")

    sides = part("question", e.question, "question"), part("context", e.context, "paragraph")
    height = 60 if len(items) < texts.LONG else 44
    return texts.text("words", *sides, up=INK, down="minus", height=height, select=False)


def sum_of_shares(shares: Shares) -> Block:
    """How far the span is ahead in the blank text + all shares = how far in this one, but a gap;
    and how the largest share comes about.
    """
    a, k = shares.found, shares.ranked[0]
    tokens = int((shares.words.of == k).sum())
    its = "(its vector" if tokens == 1 else f"sum over its {tokens} tokens of (vector"
    one = f"share of {{}} = {its} − blank) · mean slope of the lead over the {a.n_steps} steps = "
    one += f"*{signed(shares.values[k])}*"
    sign = adds((shares.blank, a.sum), shares.lead) if abs(a.gap or 0.0) < 0.005 else "≈"
    total = f"ahead of “no answer”: in the blank text *{number(shares.blank)}* + all shares "
    total += f"*{bracket(a.sum)}* {sign} in this text *{number(shares.lead)}*"
    missed = [f"   gap {shares.missing}: only {a.n_steps} steps were taken", "note"]
    return ui.formula("sum", say(one, shares.quoted(k)), [*say(total), missed])


def shares_exactly(shares: Shares) -> list[str]:
    a, n = shares.found, shares.found.n_steps
    blank, whose = BLANKS[a.baseline or "pad"], " (its sum: chapter Answer)"
    if len(shares.shown.true.windows) > 1:
        whose = ", against this window's own “no answer”, not the smallest of all"
    return [
        "What changes is this span's score minus that of “no answer” in this window, at every "
        f"point{whose}. "
        f"The blank text has {blank} in the place of every token of question and paragraph; "
        f"special tokens stay, so their shares are 0. Point k of {n} reads vectors that have gone "
        f"(k − ½) / {n} of their way from blank. A word's share is its vectors' whole way, "
        "times the mean gradient of that difference over all points.",
        "The gap comes of a finite number of points: 20, then twice as many, up to 640, until it "
        "is under 2 %. A small gap checks the sum, not the shares: another blank gives other "
        "shares, and the reader was trained on no text halfway. Punctuation is no "
        "part of a word and has a share of its own.",
    ]


def the_test(shares: Shares, own: Own) -> list[Block | None]:
    """Step 2: the lead without the words of the largest shares, and without random others."""
    test, x, v = shares.test(), shares.lead, shares.values
    if test is None:
        said = "Outside the best span too few words speak for it, or too few others are left, for "
        said += "the test."
        return [shares.finding(said), *ui.folds(None, HIDDEN, "why")]
    many, fall = printed.small_number(len(test.first)), x - test.lead
    leads, more = [lead for lead, _ in test.draws], len(test.first) > 1
    others = f"without {many} random other{'s' * more}"
    as_low = sum(lead <= test.lead for lead, _ in test.draws)
    few = len({hidden for _, hidden in test.draws}) < DRAWS - 1  # one of 20 would be chance
    clearly = "Not clearly" if few or as_low or fall <= 0 else "Clearly"
    moves, low = "falls" if fall >= 0 else "rises", f"{as_low or 'none'} of {DRAWS} random draws"
    found = f"*{clearly} more.* Without {{}} the lead {moves} from {number(x)} to "
    found += f"*{number(test.lead)}*; in {low} it ends as low"
    found += "; we say “clearly” if none does" * bool(as_low)
    found += "; too few of them differ." if few else "."
    words = f"the {many} word{'s' * more} outside the best span"
    largest = f"without {words} with the largest share{'s' * more} (no punctuation)"
    asked = sum(shares.words.items[k].side == "question" for k in test.first)
    drawn = (
        f"a draw: {others}, {printed.small_number(asked) if asked else 'none'} from the question"
    )
    sign, mean = adds((x, -test.lead), fall), number(x - sum(leads) / len(leads))
    fall_of = f"fall: *{number(x)} − {bracket(test.lead)} {sign} {number(fall)}*"
    low_dot = [("dot", INK, "one that ends as low")] * bool(as_low)
    rows = list[Block]()
    for lead, chosen in [(test.lead, test.first), *test.draws]:
        hidden = ", ".join(shares.quoted(k, 20) for k in chosen)
        rows.append(ui.row(hidden, number(lead), number(x - lead), strong=not rows))
    columns, caption = ["hidden words", "lead", "fall"], "With these words hidden"
    return [
        shares.finding(found, shares.named(test.first, *(signed(v[k]) for k in test.first))),
        ui.legend("key", ("diamond", INK, largest), ("dot", GREY, drawn), *low_dot),
        dots(shares, test),
        ui.formula("fall", say(fall_of), say(f"average fall of the random draws: *{mean}*")),
        ui.closing("Where random words lower it as much, the test does not confirm the shares."),
        *ui.folds(ui.table("rows", columns, rows, caption), HIDDEN, "why"),
    ]


def piled(xs: Sequence[float], width: float) -> list[int]:
    """How high each dot stands, xs ascending: the lowest row whose last dot is `width` away."""
    last, found = list[float](), list[int]()
    for x in xs:
        level = next((n for n, other in enumerate(last) if x - other >= width), len(last))
        last[level : level + 1] = [x]
        found.append(level)
    return found


def dots(shares: Shares, test: Deletion) -> Block:
    """Leads on one axis: the diamond without the first words, a dot for each random draw."""
    whole, leads = shares.lead, [lead for lead, _ in test.draws]
    every = [whole, test.lead, *leads]
    every += [] if shares.limit is None else [-shares.limit]
    low, wide = min(every), max(max(every) - min(every), 0.1)
    levels = piled(leads, wide / 56)
    top = max(10, 6 + max(levels))

    shapes, notes = list[Block](), list[Block]()

    def upright(x: float, said: str, up: int, dash: str) -> None:
        """A line at a lead, named so many pixels above the figure."""
        side = "right" if x - low > wide * 0.55 else "left"
        shapes.append(ui.line(x, x, 0, 1 + up / 168, GREY, yref="paper", dash=dash))
        over: Block = {"yref": "paper", "yanchor": "bottom", "xanchor": side, "yshift": up}
        over["bgcolor"] = ui.PAPER  # on a narrow screen another line stands behind it
        notes.append(ui.note(said, x, 1, **over))

    upright(whole, f"no word hidden: {number(whole)}", 18, "solid")
    if (limit := shares.limit) is not None:
        upright(-limit, f"“no answer” wins below {number(-limit)}", 0, "dot")
    shapes.append(ui.line(test.lead, test.lead, -1.2, top - 3, INK))  # dots left of it end as low
    notes.append(ui.note(f"<b>{number(test.lead)}</b>", test.lead, top - 3, yshift=22))
    shades = [INK if lead <= test.lead else GREY for lead in leads]
    dot = {"color": shades, "size": 13, "line": {"color": ui.PAPER, "width": 1}}
    diamond = {"color": INK, "size": 20, "symbol": "diamond"}
    drawn = [
        ui.scatter("markers", leads, levels, marker=dot),
        ui.scatter("markers", [test.lead], [top - 3], marker=diamond),
    ]
    sides: Block = {"range": [low - wide * 0.06, low + wide * 1.06], "showgrid": False}
    sides |= {"ticks": "outside", "tickcolor": ui.LINE, "showline": True}
    layout = ui.layout(270, 8, 8, 46, 56, shapes=shapes, annotations=notes)
    title = "lead with words hidden: score of the best span − score of “no answer”"
    layout["xaxis"] = ui.axis(title, nticks=9, **sides)
    layout["yaxis"] = ui.axis(showticklabels=False, showgrid=False, range=[-1.2, top])
    alt = "The lead without the chosen words, a diamond, and without random others, a dot each"
    narrow = {"below": 800, "xaxis.nticks": 5, "xaxis.title.text": "lead with words hidden"}
    return ui.figure("dots", drawn, layout, alt, narrow=narrow)


def rows_of(shares: Shares, at: int) -> NDArray[np.float32]:
    """The weights of one token, [N, A, n]: those of all tokens would fill the cache."""
    w = shares.window
    made = ("attention", w.index, at), lambda reader, *_: reader.attention(w)[:, :, at].copy()
    return shares.shown.need(*made)


def a_head(shares: Shares, own: Own) -> list[Block | None]:
    """Step 3: the weights of one token in one attention head, on the text."""
    w, v, at = shares.window, shares.values, own.token
    at = at if at is not None and at < len(w) else w.to_pos(shares.span.start)
    att = TokenAttention(rows_of(shares, at), shares.shown.encoding, w, own.layer, own.head)
    (layers, heads), top = att.on_question.shape, int(att.weights.argmax())
    name, most = texts.parts_at(shares.shown, w, at), probability(att.weights[top], 2)
    three = np.argsort(-att.weights, kind="stable")[:3].tolist()
    equal = (k for k in three if probability(att.weights[k], 2) == most)
    parts = ([["itself", ""]] if k == at else shares.token(k) for k in equal)
    said = f"Layer {att.layer}, attention head {att.head}: {{}} reads {{}} most ({most})."
    read, held = differing(shares, by_word := shares.words.sums(att.weights), at)
    given = list[Any]()
    if read >= 0:
        a, b = (probability(by_word[k], 2) for k in (read, held))
        than = "more than" if by_word[read] > by_word[held] else "nearly as much as"
        than = "as much as" if a == b else than
        said += f" {{}} is read {than} {{}} ({a} and {b}), but their shares are "
        said += f"*{signed(v[read])}* and {signed(v[held])}."
        given = [shares.named((k,)) for k in (read, held)]
    sums = " + ".join(f"{{}} *{probability(x, 2)}*" for x in att.sums.values())
    exact = min(att.sums.values()) >= 0.005  # else one is printed as <0.01
    sums = f"all {len(att.weights)} weights: {sums} "
    sums += f"{adds(att.sums.values(), 1) if exact else '≈'} 1"
    key: list[Any] = [("bar", INK, ["above: weight that ", *name, f" gives it (from {LOOKED})"])]
    key += [("bar", GREY, "below: shares of the two compared words, other scale")] * (read >= 0)
    key.append(("boxed", INK, [*name, " reads; press a word to see what that one reads"]))
    shown = [grid(shares, att, at), grid_table(att)]
    every = ui.fold("grid", f"All {layers * heads} attention heads", *shown)
    return [
        shares.finding(said, name, printed.between(" and ", parts), *given),
        ui.slider("layer", "own.why.layer", f"layer (of {layers})", (1, layers, 1), att.layer),
        ui.slider("head", "own.why.head", f"attention head (of {heads})", (1, heads, 1), att.head),
        ui.legend("key", *key),
        weights(shares, att, at, {read, held} - {-1}),
        ui.formula("adds", say(sums, *att.sums)),
        ui.closing("Neither a weight nor a share proves that the answer needs a word."),
        *ui.folds(head_table(shares, att), WEIGHTS, "why", every),
    ]


def differing(shares: Shares, by_word: NDArray[np.float64], at: int) -> tuple[int, int]:
    """A word with a small share, read nearly as much as that with the largest; -1, -1 for none."""
    v, items = shares.values, shares.words.items
    inside = [k for k in shares.real if k != int(shares.words.of[at])]
    held = max(inside, key=lambda k: v[k], default=-1)
    small = [k for k in inside if abs(v[k]) < SMALL and items[k].text != items[held].text]
    read = max(small, key=lambda k: by_word[k], default=-1)
    clear = read >= 0 and v[held] >= 1 and by_word[read] >= max(LOOKED, by_word[held] * 0.8)
    return (read, held) if clear else (-1, -1)


def weights(shares: Shares, att: TokenAttention, at: int, compared: set[int]) -> Block:
    """The window's text, piece by piece, a bar of the weight above each, and below the compared
    words their shares.
    """
    w, full = shares.window, max(float(att.weights.max()), 0.05)
    named = {k for k in np.argsort(-att.weights)[:NAMED].tolist() if att.weights[k] >= LOOKED}
    items = texts.window_items(shares.shown, w)
    for pos, (one, x) in enumerate(zip(items, att.weights.tolist(), strict=True)):
        if x >= LOOKED:
            one["up"] = [round(x / full, 4), probability(x, 2) if pos in named else ""]
        k = int(shares.words.of[pos])
        if k in compared and k != shares.words.of[pos - 1]:  # its first piece
            share = shares.values[k]
            one["down"] = [round(max(0.0, float(share / shares.values.max())), 4), signed(share)]
        looks = ["strong"] * (pos in named) + ["boxed"] * (pos == at)
        one["looks"] = [*one.get("looks", []), *looks]
        one["sets"] = {"own.why.layer": att.layer, "own.why.head": att.head, "own.why.token": pos}
    read = texts.shortened(shares.shown, items[w.context_at :], LOOKED)
    sides = (att.sums[side] for side in ("question", "paragraph"))
    asked, inside = (f"in sum {probability(x, 2)}" for x in sides)
    question = texts.segment(items[1 : w.context_at], "question", True, asked)
    paragraph = texts.segment(read, "paragraph", False, inside)
    segments = texts.segment(items[:1], "", True), question, paragraph
    style: Block = {"up": INK, "down": GREY, "unseen": {"up": "weight", "down": "share"}}
    return texts.text("weights", *segments, **style, height=36, dots=True, select=False)


def grid(shares: Shares, att: TokenAttention, at: int) -> Block:
    """Every head's share of attention on the question; a press shows that head."""
    (layers, heads), x, y = att.on_question.shape, att.head, att.layer
    who = escape(quote(texts.position_name(shares.shown, shares.window, at), 10))
    bar: Block = {"title": {"text": f"attention of {who} on the question", "side": "right"}}
    bar |= {"thickness": 10, "tickformat": ".0%", "nticks": 5, "outlinewidth": 0}
    heat: Block = {"type": "heatmap", "z": ui.packed(np.round(att.on_question, 3)), "colorbar": bar}
    heat |= {"x0": 1, "y0": 1, "dx": 1, "dy": 1, "zmin": 0, "zmax": 1, "xgap": 3, "ygap": 3}
    heat |= {"colorscale": "share", "sets": {"own.why.layer": "y", "own.why.head": "x"}}
    heat |= {"hovertemplate": "layer %{y}, attention head %{x}: %{z:.0%}<extra></extra>"}
    layout = ui.layout(90 + 44 * min(layers, 12), 58, 8, 14, 48)
    plain: Block = {"dtick": 1, "showgrid": False}
    layout["xaxis"] = ui.axis("attention head", range=[0.5, heads + 0.5], **plain)
    layout["yaxis"] = ui.axis("layer (1 reads first)", range=[layers + 0.5, 0.5], **plain)
    box = ui.rect(x - 0.5, x + 0.5, y - 0.5, y + 0.5, line={"color": INK, "width": 2.5})
    alt = "How much of its attention the token spends on what was asked, by layer and head"
    return ui.figure("heads", [heat], layout, alt, overlay={"shapes": [box]})


def grid_table(att: TokenAttention) -> Block:
    columns = ["layer", "head 1", *map(str, range(2, att.on_question.shape[1] + 1))]
    shares = [[probability(x, 2) for x in layer] for layer in att.on_question.tolist()]
    rows = [ui.row(str(k), *cells) for k, cells in enumerate(shares, 1)]
    caption = "Attention on the question by layer and attention head"
    return ui.table("by-head", columns, rows, caption)


def head_table(shares: Shares, att: TokenAttention) -> Block:
    """The twenty tokens that this token reads most, with the share of their word."""
    items, rows = shares.words.items, []
    for pos in np.argsort(-att.weights, kind="stable")[:20].tolist():
        k, name = int(shares.words.of[pos]), texts.position_name(shares.shown, shares.window, pos)
        place, share = (items[k].where, signed(shares.values[k])) if k >= 0 else ("–", "–")
        rows.append(ui.row(quote(name, 30), place, probability(att.weights[pos], 2), share))
    columns = ["token", "in the", "weight", "share of its word"]
    return ui.table("rows", columns, rows, "The tokens with the largest weights")
