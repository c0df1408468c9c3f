"""Chapter 2, Scores: one start vector S and one end vector E read every token of every text.

start logit = S . h + b_S, end logit = E . h + b_E; S, E [d] are the rows of one linear layer, h [d]
is a token's hidden state after the encoder's last layer. Logits changed by hand do not count here.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from qa_demo.blocks import (
    END,
    GREY,
    INK,
    MID,
    PAPER,
    QUOTE,
    START,
    STRONG,
    Block,
    Part,
    adds,
    axis,
    choice,
    code,
    entry,
    escape,
    figure,
    fold,
    formula,
    group,
    legend,
    note,
    number,
    packed,
    plural,
    quote,
    row,
    sentence,
    signed,
    small_number,
    table,
)
from qa_demo.core.errors import BadInput
from qa_demo.core.options import WindowOptions
from qa_demo.core.reading.heads import HeadWeights, Lane, anatomy
from qa_demo.core.reading.lens import Lens, lens, owned_points
from qa_demo.core.reading.predicted import Candidate
from qa_demo.core.rules import predict_by
from qa_demo.core.types import Encoding, Reading, Span
from qa_demo.shown import Shown
from qa_demo.state import Int, Record, Text
from qa_demo.texts import bold, dotted, position_name, said, said_at, span_words, word

NAME = "Scores"
HEADINGS = (
    "How can one start vector fit every question and text?",
    "What does S · h look like, number by number?",
    "What would the same S and E say after each layer?",
)
STEPS = ("Two questions", "One logit", "Layers")
OPENS: dict[int, dict[str, Any]] = {}
SNIPPET = """\
import numpy as np

S, b_S = np.array([0.5, -1.0, 2.0]), -0.14  # one vector for every question and text
h = np.array([1.0, -0.5, 2.5])  # "Georg", read with "Who designed the towers?"
h2 = np.array([-1.0, 0.5, -2.5])  # "Georg", read with "When did trains begin?"
for hidden in (h, h2):
    print("products", S * hidden, "start logit", S @ hidden + b_S)
"""
LANES: dict[Lane, tuple[int, str, str]] = {"start": (0, "S", START), "end": (1, "E", END)}
"""Of each lane: its column of the plane, its vector, its role."""
Points = NDArray[np.float64]
Words = list[tuple[int, str]]
"""Pieces of the paragraph with a role each."""
Name = tuple[Points, str, str]
"""A point of the plane, its name as a figure reads it, a role."""


class Own(Record):
    """Which second question is read, whose words are followed, and which logit is taken apart."""

    other: Int = 0
    typed: Text = ""
    follow: Literal["first", "second"] = "first"
    lane: Lane = "start"


@dataclass(frozen=True)
class Asked:
    """One question on the paragraph: its reading, the best span, whether "no answer" wins."""

    reading: Reading
    best: Candidate
    silent: bool

    def place(self, d: int) -> tuple[int, int]:
        """Window and position of piece d: the best span's window, else the one that owns d."""
        w = self.reading.windows[self.best.window]
        home = w if w.holds(Span(d, d)) else self.reading.windows[int(self.reading.owners[d])]
        return home.index, home.to_pos(d)

    def at(self, d: int) -> Points:
        """(start logit, end logit) of piece d."""
        window, pos = self.place(d)
        return np.array([row[pos] for row in self.reading.logits(window)], dtype=np.float64)

    def answer(self) -> list[Part]:
        """The best span in words, and whether it is the answer."""
        return [span_words(self.best, 30), *([" (“no answer” wins)"] if self.silent else [])]


class Two:
    """The text with its own question and, where there is one, with a second; `fault` says why a
    second question was not read.
    """

    def __init__(self, shown: Shown, own: Own) -> None:
        before, context = shown.before.best, shown.encoding.context
        assert before is not None
        self.first = Asked(shown.true, before.candidate, shown.before.answer is None)
        self.second: Asked | None = None
        self.fault = ""
        near = [shown.example] if shown.example else shown.examples.values()
        ready = [q for e in near if e.context == context for q in (e.question, *e.others)]
        asked = shown.encoding.question
        self.choices = [q for q in dict.fromkeys(ready) if q != asked][:2]
        offered = self.choices[own.other % len(self.choices)] if self.choices else ""
        self.question = own.typed.strip() or offered
        self.same = self.question == asked
        if self.question and shown.state.step != 3:
            self._read(shown, self.question, context, shown.true.options)

    def _read(self, shown: Shown, question: str, context: str, windows: WindowOptions) -> None:
        try:
            reading: Reading = shown.need(
                ("reading", question),
                lambda reader, *watch: reader.read(question, context, windows, *watch),
                slow=len(context) > 6 * windows.max_seq_length,
            )
        except BadInput as fault:
            self.fault = str(fault)
            return
        found = predict_by(reading, shown.state.rule, shown.decode)
        if found.best is None:
            self.fault = "with it no span of the paragraph is allowed"
        else:
            self.second = Asked(reading, found.best.candidate, found.answer is None)


def picture(shown: Shown, own: Own) -> list[Block | None]:
    """The blocks of the step."""
    heads: HeadWeights = shown.need("heads", lambda reader, *_: reader.heads())
    made = (two_questions, one_logit, layers)[shown.state.step - 1]
    return [
        *made(shown, own, Two(shown, own), heads),
        fold("code", "The code", code("py", SNIPPET), span=4),
    ]


# ---- what the steps share


def subs(text: str, role: str = "") -> list[Part]:
    """Words in which b_S and b_E stand as a letter with an index."""
    found = re.split(r"(?<=b)_([SE])", text)
    return [[part, "sub" if k % 2 else role] for k, part in enumerate(found) if part]


def says(role: str, *said: Part) -> Block:
    """The sentence of that role."""
    return sentence(role, role, *said)


def plus(x: float) -> str:
    """A further addend; e.g. -0.14 gives " − 0.14"."""
    found = signed(x)
    return f" {found[0]} {found[1:]}"


def asking(own: Own, two: Two) -> list[Block]:
    """Which second question, and a box for one of the visitor's own."""
    options = [
        (q, {"own.scores.other": k, "own.scores.typed": None}, q == two.question)
        for k, q in enumerate(two.choices)
    ]
    said = "or type one, then Enter" if options else "type one, then Enter"
    ready = [choice("second", "second question", options, span=8)] if options else []
    return [*ready, entry("typed", "own.scores.typed", said, own.typed, span=4 if options else 5)]


def told(shown: Shown, two: Two) -> list[Block]:
    """What is not as usual: no second question, a refused one, the same one, changed logits."""
    found: list[str] = []
    own = "Logits were changed by hand; here stand the reader's own, S · h + b."
    by_hand = [sentence("by-hand", "note", own)] if shown.changed else []
    if two.fault:
        found = [f"The second question, {quote(two.question)}, was not read: {two.fault}."]
    elif not two.question:
        said = "This text came without a second question; type one to see what moves."
        return [sentence("told-0", "note", said, span=7), *by_hand]
    elif two.same:
        found = ["The second question is the first one again, so nothing moves; type another."]
    return [*(sentence("told-0", "note", said) for said in found), *by_hand]


def bold_name(e: Encoding, d: int) -> str:
    """The word of a piece for a figure, its piece in bold; of a very long word the piece alone."""
    return f"“{bold(e, d)}”" if len(word(e, d)) <= 20 else f"“<b>{escape(dotted(e, d)[:20])}</b>”"


# ---- step 1: two questions


def two_questions(shown: Shown, own: Own, two: Two, heads: HeadWeights) -> list[Block]:
    """The plane of all tokens; arrows lead two words from the first to the second question."""
    followed = two.second if own.follow == "second" and two.second else two.first
    i, j = followed.best.span.start, followed.best.span.end
    words = [(i, START), (j, END)] if i != j else [(i, INK)]
    follow = [
        (f"{name} question", {"own.scores.follow": name}, own.follow == name)
        for name in ("first", "second")
    ]
    choices = [choice("follow", "follow the best span of the", follow)] if two.second else []
    idea: list[Part] = [["S and E are two vectors", STRONG], f" of {len(heads.S)} numbers, one "]
    idea += ["linear layer: random at first, learned together with the encoder, then "]
    idea += [["the same for every question and text", STRONG], ". A token's "]
    idea += [*subs("start logit is S · h + b_S", START), ", its "]
    idea += [*subs("end logit E · h + b_E", END), "; h, its hidden state after the last layer (T "]
    idea += ["in BERT's paper), depends on question and paragraph."]
    closing = "The plane shows all that S and E see. S is not the embedding of a “start token”."
    return [
        says("idea", *idea),
        says("finding", *moved(two, i)),
        *asking(own, two),
        *told(shown, two),
        key(two, words),
        plane(shown, two, words),
        group("side", 5, *choices, *sums(two, heads, (i, j))),
        says("closing", closing),
        exactly_two(shown, heads),
        points_table(shown, two),
    ]


def moved(two: Two, d: int) -> list[Part]:
    """The finding: one word's start logit with both questions, and what the best span becomes."""
    first, second, name = two.first, two.second, said(two.first.reading.encoding, d)
    before = [number(first.at(d)[0]), STRONG]
    if second is None:
        return [*name, " has the start logit ", before, "; the best span is ", *first.answer(), "."]
    found: list[Part] = ["With the second question the start logit of ", *name, " goes from "]
    found += [before, " to ", [number(second.at(d)[0]), STRONG], "; the best span "]
    if (first.best.span, first.silent) == (second.best.span, second.silent):
        return [*found, "stays ", *first.answer(), "."]
    return [*found, "is now ", *second.answer(), " instead of ", *first.answer(), "."]


def key(two: Two, words: Words) -> Block:
    """What the marks of the plane mean."""
    moves: list[Any] = [("ring", INK, "with the second"), ("arrow", INK, "from one to the other")]
    known = {START: "the span's first word", END: "its last word", INK: "start and end in one word"}
    others = len(two.first.reading.encoding.context_ids) - len(words)
    return legend(
        "key",
        ("dot", INK, "with the first question"),
        *(moves if two.second and not two.same else []),
        *(("bar", role, known[role]) for _, role in words),
        ("dot", MID, f"the paragraph's other {others} tokens, first question"),
    )


def sums(two: Two, heads: HeadWeights, span: tuple[int, int]) -> list[Block]:
    """S · h + b_S = 6.04 − 0.14 = 5.90 with each question, for the words that are followed."""
    found: list[Block] = []
    for asked, dash, name in ((two.first, "", "first"), (two.second, "′", "second")):
        if asked is None:
            continue
        lines = []
        for d, (lane, (column, letter, role)) in zip(span, LANES.items(), strict=True):
            total, bias = float(asked.at(d)[column]), heads.vector(lane)[1]
            product = total - bias
            left = [
                *said(asked.reading.encoding, d, role),
                *subs(f"  {letter} · h{dash} + b_{letter} = "),
            ]
            sign = f"{plus(bias)} {adds((product, bias), total)} "
            lines.append([*left, [number(product), role], sign, [number(total), role]])
        question = [quote(asked.reading.encoding.question, 90), QUOTE]
        found.append(sentence(f"asked-{name}", "note", f"{name.capitalize()} question: ", question))
        found.append(formula(f"formula-{name}", *lines))
    why = "S, E, b_S and b_E are the same in all four lines. The encoder reads question and "
    why += "paragraph together, so the same word gets another h."
    return [*found, *([sentence("same", "note", *subs(why))] if two.second else [])]


def plane(shown: Shown, two: Two, words: Words) -> Block:
    """Every token at (start logit, end logit), and a bowed arrow for each word that is followed."""
    first, e = two.first, two.first.reading.encoding
    second = None if two.same else two.second
    points, (docs, roles) = owned_points(first.reading), zip(*words, strict=True)
    rest = np.setdiff1d(np.arange(len(points)), docs)
    none = np.array([[x[0] for x in first.reading.logits(first.best.window)]], dtype=np.float64)
    before = np.array([first.at(d) for d in docs])
    after = np.array([second.at(d) for d in docs]) if second else before[:0]
    seen = np.concatenate([points[rest], before, after, none])
    low, high = seen.min(axis=0), seen.max(axis=0)
    low, high = low - 0.13 * (high - low + 1), high + 0.13 * (high - low + 1)
    arcs = [bow(a, b, high - low) for a, b in zip(before, after, strict=False)]
    names = [bold_name(e, d) for d in docs]
    labels = [*zip(before, names, roles, strict=True), *zip(after, names, roles, strict=False)]
    labels += [(none[0], f"<b>{escape(e.cls_token)}</b> “no answer”", GREY)]
    own, crowd = len(labels), np.concatenate([seen, *arcs])
    labels += selected(shown, two, docs)  # last, so that they move no other name
    wide, small = (named(labels, crowd, low, high, size) for size in ((600, 330), (280, 300)))
    full, hollow = {"color": [*roles], "size": 12}, {"color": [*roles], "width": 2.5}
    drawn = [
        *(arrow(arc, role) for arc, role in zip(arcs, roles, strict=False) if far(arc, high - low)),
        dots(e, points[rest], rest.tolist(), "first", {"color": MID, "size": 6}),
        dots(e, none, [], "first", {"color": GREY, "size": 9, "symbol": "square"}),
        dots(e, before, docs, "first", full),
    ]
    if second:
        ring = {"color": PAPER, "size": 11, "line": hollow}
        drawn.append(dots(e, after, docs, "second", ring))
    ends, lines = np.stack([low, high]).T.tolist(), {"zeroline": True, "zerolinecolor": GREY}
    x, y = "start logit = S · h + b<sub>S</sub>  →", "end logit = E · h + b<sub>E</sub>  →"
    layout = {"height": 376, "margin": {"l": 62, "r": 8, "t": 4, "b": 50}}
    layout |= {"xaxis": axis(x, START, range=ends[0], **lines)}
    layout |= {"yaxis": axis(y, END, range=ends[1], **lines), "annotations": wide[:own]}
    narrow: Block = {"height": 360, "margin.l": 50}
    for k, one in enumerate(small[:own]):
        narrow |= {f"annotations.{k}.ax": one["ax"], f"annotations.{k}.ay": one["ay"]}
    alt = "Every token of the text by its start logit and its end logit"
    alt += "; arrows lead two words from their first to their second place." if second else "."
    over = {"annotations": wide[own:]}
    return figure("plane", drawn, layout, alt, span=7, overlay=over, narrow=narrow)


def dots(e: Encoding, at: Points, docs: Sequence[int], which: str, marker: Block) -> Block:
    """Tokens as points, no docs for [CLS]; a press selects one."""
    names = [dotted(e, d) for d in docs] or [e.cls_token][: len(at)]  # a text of one token: none
    texts = [
        f"{escape(name)}, {which} question: start logit {number(x)}, end logit {number(y)}"
        for name, (x, y) in zip(names, at, strict=True)
    ]
    drawn = {"type": "scatter", "mode": "markers", "x": packed(at[:, 0]), "y": packed(at[:, 1])}
    drawn |= {"marker": marker, "hoverinfo": "text", "hovertext": texts}
    if docs:
        drawn |= {"customdata": [*docs], "sets": {"selection": ["customdata", "customdata"]}}
    return drawn


def bow(a: Points, b: Points, size: Points) -> Points:
    """A bowed line from a to b, [24, 2]: two that run against each other fall apart."""
    t = np.linspace(0.03, 0.965, 24)[:, None]
    across = ((b - a) / size)[::-1] * [1, -1] * size
    found: Points = a + (b - a) * t + across * 0.8 * t * (1 - t)
    return found


def far(path: Points, size: Points) -> bool:
    """Whether there is room for an arrow between its ends."""
    return bool(np.linalg.norm((path[-1] - path[0]) / size) > 0.05)


def arrow(path: Points, role: str) -> Block:
    """The line with a head at its end."""
    head = {"symbol": "arrow", "angleref": "previous", "size": [0] * (len(path) - 1) + [15]}
    head |= {"color": role, "opacity": 1, "line": {"width": 0}}
    drawn = {"type": "scatter", "mode": "lines+markers", "hoverinfo": "skip", "marker": head}
    at = {"x": packed(path[:, 0]), "y": packed(path[:, 1])}
    return drawn | at | {"line": {"color": role, "width": 2.5}}


def named(names: list[Name], crowd: Points, low: Points, high: Points, size: Any) -> list[Block]:
    """Names beside their points, off each other, off dots and arrows; `size`: the plot in pixels.
    Of 48 places around the point the one that covers least is taken.
    """
    pixels, taken, notes = np.array(size) / (high - low), list[tuple[Points, Points]](), []
    turns = np.linspace(0, 2 * np.pi, 16, endpoint=False) + np.pi / 2
    ring, spots = np.stack([np.cos(turns), np.sin(turns)], axis=1), (crowd - low) * pixels
    line = {"showarrow": True, "arrowhead": 0, "arrowwidth": 1, "arrowcolor": GREY, "standoff": 7}
    for at, text, role in names:
        half = np.array([len(re.sub("</?b>", "", text)) * 4.2 + 6, 11.0])
        shifts = np.concatenate([ring * (half + far) for far in (10, 30, 54)])
        centres = (at - low) * pixels + shifts
        covered = (np.abs(spots - centres[:, None]) < half + 2).all(axis=2).sum(axis=1)
        clash = sum((np.abs(c - centres) < h + half).all(axis=1) for c, h in taken)
        outside = ((centres < half) | (centres + half > size)).any(axis=1)
        cost = np.repeat([2.5, 7.5, 13.5], 16) + 3 * covered + 200 * clash + 400 * outside
        best = int(cost.argmin())
        taken.append((centres[best], half))
        tail = {"ax": round(float(shifts[best, 0])), "ay": -round(float(shifts[best, 1]))}
        made = note(text, float(at[0]), float(at[1]), role, **line, **tail)
        notes.append(made | {"font": {"color": role, "size": 14}})
    return notes


def selected(shown: Shown, two: Two, known: Sequence[int]) -> list[Name]:
    """The names of the selected span's first and last token, where the picture lacks them."""
    i, j = shown.selection.start, shown.selection.end
    ends = [(i, START), *([(j, END)] if j != i else [])] if shown.state.selection else []
    return [
        (two.first.at(d), bold_name(shown.encoding, d), role) for d, role in ends if d not in known
    ]


def exactly_two(shown: Shown, heads: HeadWeights) -> Block:
    """Conditions that the first screen does without."""
    said = f"S and E are the two rows of one layer, 2 x {len(heads.S)} numbers, with b_S = "
    said += f"{number(heads.b_S, 3)} and b_E = {number(heads.b_E, 3)}: nothing else stands between "
    said += "h and a logit. "
    if shown.state.reader == "bundled":
        said += "This reader's began as normal random numbers of standard deviation 0.02, both b "
        said += "at 0. "
    said += "Fine-tuning changed them and the encoder's weights in the same steps; afterwards all "
    said += "are fixed. What differs between questions is h: in the encoder each token of the "
    said += "paragraph attends to the question's tokens. Two tokens on one dot get the same two "
    said += "logits, however different their h. A logit is read against the others of its window: "
    said += "a constant added to all start logits changes no probability."
    if len(shown.true.windows) > 1:
        said += " This text has several windows. A dot stands for a token in the window that sees "
        said += "most around it; the arrows' words and “no answer” stand in their best span's."
    return fold("exactly", "Exactly", sentence("conditions", "note", *subs(said)), span=4)


def points_table(shown: Shown, two: Two) -> Block:
    """The tokens of the plane: those that move most, or those with the highest logits."""
    before, e = owned_points(two.first.reading), shown.encoding
    both = [before, owned_points(two.second.reading)] if two.second else [before]
    size = np.linalg.norm(both[1] - before, axis=1) if two.second else before.max(axis=1)
    rows = [
        row(dotted(e, d), *(number(x) for p in both for x in p[d]), sets={"selection": [d, d]})
        for d in np.argsort(-size, kind="stable")[:20].tolist()
    ]
    heads = [("token", ""), ("start logit", START), ("end logit", END)]
    if two.second:
        heads += [("start, second question", START), ("end, second question", END)]
    caption = "The twenty tokens that move most" if two.second else "The twenty highest tokens"
    return fold("table", "As a table", table("points", heads, rows, caption=caption), span=4)


# ---- step 2: one logit


class Products:
    """S · h of one word, number by number: `all` [d], `found` the largest in size, the rest, b."""

    def __init__(self, shown: Shown, own: Own, two: Two, heads: HeadWeights) -> None:
        self.d: int = getattr(two.first.best.span, own.lane)
        self.lane, (_, self.letter, self.role) = own.lane, LANES[own.lane]
        self.vector, self.bias = heads.vector(own.lane)
        self.states = [
            state_of(shown, asked, self.d, k and two.question)
            for k, asked in enumerate((two.first, two.second))
            if asked
        ]
        self.found = anatomy(heads, self.states[0], own.lane)
        self.all = self.vector * self.states[0]
        self.order = np.argsort(-np.abs(self.all), kind="stable").tolist()
        self.total = float(self.all.sum() + self.bias)
        pairs = [(self.vector[k], h[k]) for k in self.found.dimensions for h in self.states]
        tried = ((3, 2), (3, 3), (4, 3), (4, 4))
        good = {d: sum(sign(x, y, d) == "=" for x, y in pairs) for d in tried}
        self.digits = max(tried, key=lambda d: (good[d], -sum(d)))


def sign(x: float, y: float, digits: tuple[int, int]) -> str:
    """ "=" where the printed factors give the printed product on a calculator, else "≈"."""
    return "=" if number(round(x, digits[0]) * round(y, digits[1])) == number(x * y) else "≈"


def state_of(shown: Shown, asked: Asked, d: int, question: str | int) -> Points:
    """h [d] of piece d after the last layer, in double precision; `question`: 0 for the first."""
    index, pos = asked.place(d)
    window = asked.reading.windows[index]
    found: Points = shown.need(
        ("h", question, index, pos),
        lambda reader, *_: reader.hidden(window)[-1][pos].astype(np.float64),
    )
    return found


def one_logit(shown: Shown, own: Own, two: Two, heads: HeadWeights) -> list[Block]:
    """S · h as a running sum, and the same products with the second question's h."""
    p = Products(shown, own, two, heads)
    lanes = [(f"{lane} logit", {"own.scores.lane": lane}, own.lane == lane) for lane in LANES]
    rest = f", the other {p.found.n_rest}" if p.found.n_rest else ""
    left = f"The {small_number(len(p.found.products))} products largest in size{rest}, and b"
    right = "The same numbers with the second question's h′" if two.second else "As numbers"
    idea: list[Part] = [f"{p.letter} · h multiplies {p.letter} and h number by number and adds up "]
    idea += ["all ", [f"{len(p.all)} products", STRONG]]
    idea += subs(f"; b_{p.letter} is one more number, the same for every token.")
    eight = products("products", p, p.order[: len(p.found.products)])
    closing = f"b_{p.letter} raises every {p.lane} logit alike and changes no probability: "
    closing += "the loss gives it nothing to learn."
    return [
        says("idea", *idea),
        says("finding", *spread(shown, p)),
        choice("lane", "take apart", lanes, span=4),
        *(block | {"span": 8} for block in asking(own, two)[: 1 if two.choices else None]),
        *told(shown, two),
        group("left", 7, sentence("bars", "note", [left, STRONG]), waterfall(p)),
        group("right", 5, sentence("numbers", "note", [right, STRONG]), eight),
        whole_sum(shown, p),
        says("closing", *subs(closing)),
        exactly_logit(shown, p),
        fold("table", "As a table", products("largest", p, p.order[:25]), span=4),
    ]


def spread(shown: Shown, p: Products) -> list[Part]:
    """The finding: how many products raise the logit, how many lower it, and the largest."""
    up, down, most = p.all[p.all > 0], p.all[p.all < 0], float(p.all[p.order[0]])
    many = bool(abs(most) < 0.25 * max(up.sum(), -down.sum()))
    raised = f"{plural(len(up), 'product')} raise{'s' * (len(up) == 1)} the {p.lane} logit of "
    lowers = f"{len(down) or 'none'} lower{'s' * (len(down) < 2)} it"
    found: list[Part] = ["No single number decides: " * many, raised, *said(shown.encoding, p.d)]
    found += [f" by {number(up.sum())} in all, {lowers} by {number(-down.sum())}; "]
    return [*found, "the largest in size is ", [number(most), STRONG], "."]


def waterfall(p: Products) -> Block:
    """Bars that add up from 0 to the logit: products, the rest, b, the sum."""
    a, h, letter, rest = p.found, p.states[0], p.letter, bool(p.found.n_rest)
    sizes = [*a.products, *([a.rest] if rest else []), a.bias]
    labels = [f"number {k + 1}" for k in a.dimensions] + [f"the other {a.n_rest}"] * rest
    labels += [f"b<sub>{letter}</sub>", f"<b>{p.lane} logit = {number(p.total)}</b>"]
    texts = []
    for k in a.dimensions:
        x, y = number(p.vector[k], p.digits[0]), number(h[k], p.digits[1])
        equals = sign(p.vector[k], h[k], p.digits)
        texts.append(f"{x} × {f'({y})' if h[k] < 0 else y} {equals} {signed(p.all[k])}")
    texts += [signed(x) for x in sizes[len(texts) :]]
    stops = np.cumsum([0.0, *sizes])
    low, high = float(stops.min()), float(stops.max())
    room, notes = (high - low) or 1.0, []
    for k, text in enumerate(texts):
        left, right = sorted((float(stops[k]), float(stops[k + 1])))
        after = right < low + room * 0.6
        side = {"xanchor": "left", "xshift": 6} if after else {"xanchor": "right", "xshift": -6}
        notes.append(note(text, right if after else left, k, **side))
    colours = [*[p.role] * len(a.products), *[MID] * rest, INK, p.role]
    bars = {"type": "bar", "orientation": "h", "width": 0.66, "hoverinfo": "skip"}
    bars |= {"x": packed([*sizes, p.total]), "base": packed([*stops[:-1], 0.0])}
    bars |= {"y": list(range(len(labels))), "marker": {"color": colours}}
    ends = [low - 0.05 * room, high + 0.05 * room]
    title = f"running sum of {letter} · h + b<sub>{letter}</sub>"
    ticks = {"tickvals": list(range(len(labels))), "ticktext": labels}
    layout = {"height": 340, "margin": {"l": 138, "r": 12, "t": 4, "b": 46}, "annotations": notes}
    layout |= {"xaxis": axis(title, range=ends, zeroline=True, zerolinecolor=GREY)}
    layout |= {"yaxis": axis(**ticks, range=[len(labels) - 0.4, -0.6], showgrid=False)}
    alt = f"Bars that add up to the {p.lane} logit, {number(p.total)}."
    return figure("waterfall", [bars], layout, alt, narrow={"margin.l": 122, "margin.r": 4})


def products(name: str, p: Products, numbers: list[int]) -> Block:
    """S, h and h′ for the same numbers: S is equal, h is not."""
    rows = []
    for k in numbers:
        factors = [number(p.vector[k], p.digits[0]), *(number(h[k], p.digits[1]) for h in p.states)]
        rows.append(row(str(k + 1), *factors, *(number(p.vector[k] * h[k]) for h in p.states)))
    empty = [""] * (1 + len(p.states))
    left = np.setdiff1d(np.arange(len(p.vector)), numbers)
    if len(left):
        sums = [number(p.vector[left] @ h[left]) for h in p.states]
        rows.append(row(f"other {len(left)}", *empty, *sums))
    rows.append(row("b", *empty, *[number(p.bias)] * len(p.states)))
    totals = [number(p.vector @ h + p.bias) for h in p.states]
    rows.append(row(f"{p.lane} logit", *empty, *totals, strong=True))
    dashes = ["", "′"][: len(p.states)]
    heads = [("number", ""), (p.letter, p.role), *((f"h{x}", "") for x in dashes)]
    heads += [(f"{p.letter} × h{x}", p.role) for x in dashes]
    caption = f"{p.letter}, h and their products, number by number"
    return table(name, heads, rows, caption=caption)


def whole_sum(shown: Shown, p: Products) -> Block:
    """S · h + b_S = 1.66 + 4.38 − 0.14 = 5.90."""
    rest = [p.found.rest] if p.found.n_rest else []
    addends = [sum(p.found.products), *rest, p.bias]
    names = [f"the {small_number(len(p.found.products))} largest", *["the others"] * len(rest), "b"]
    line: list[Part] = [*said(shown.encoding, p.d), *subs(f"  {p.letter} · h + b_{p.letter} = ")]
    line += [[number(addends[0]), p.role], *(plus(x) for x in addends[1:])]
    line += [f" {adds(addends, p.total)} ", [number(p.total), p.role]]
    line += [[f"   ({', '.join(names)})", "grey"]]
    return formula("formula", line, label=f"{p.lane} logit of")


def exactly_logit(shown: Shown, p: Products) -> Block:
    """Why b learns nothing, and where ours comes from."""
    said = f"The loss of one window pulls each {p.lane} logit by p − y: p is its probability, y is "
    said += f"1 at the right position, else 0. b_{p.letter} is added to every logit, so its "
    said += "gradient is the sum of them all: Σ (p − y) = 1 − 1 = 0, for every text. "
    if shown.state.reader == "bundled":
        said += f"Ours, {number(p.bias, 3)}, began at 0. That is likely rounding: sums that miss 0 "
        said += "by about 0.00000003, which the optimiser Adam scales up to large steps. Three "
        said += "output layers that we trained for 3,000 steps drifted to a b_S of −0.4 to −0.5. "
    said += "The numbers of h have no names of their own: the encoder may turn them as it likes if "
    said += "S and E turn with them."
    return fold("exactly", "Exactly", sentence("bias", "note", *subs(said)), span=4)


# ---- step 3: layer by layer


def layers(shown: Shown, own: Own, two: Two, heads: HeadWeights) -> list[Block]:
    """The same S and E on the hidden states after every layer."""
    span, window = two.first.best.span, two.first.reading.windows[two.first.best.window]
    at, n = (window.to_pos(span.start), window.to_pos(span.end)), len(window)
    ln: Lens = shown.need(
        ("lens", window.index), lambda reader, *_: lens(heads, reader.hidden(window))
    )
    ranks, depth = ln.ranks(*at), len(ln.start) - 1
    lines, found = [], list[Part]([f"Among all {n} tokens of the window "])
    for pos, (lane, (_, _, role)), rank in zip(at, LANES.items(), ranks, strict=True):
        found += [*said_at(shown, window, pos), f" as {lane} ", [since(rank), STRONG]]
        found += ["; " if lane == "start" else ". "]
        line = [*said_at(shown, window, pos, role), f" as {lane}: place "]
        line += [[", ".join(map(str, rank.tolist())), role]]
        lines.append([*line, f" of {n}, from the input to layer {depth}"])
    idea = "A token has a hidden state h after every layer. Here the same S and E read each of "
    last = "only the last layer's logits decide the answer."
    closing = "S and E were trained on the last layer: "
    closing += "another may hold the answer in a form they cannot read."
    return [
        says("idea", idea, "them; ", [last, STRONG]),
        says("finding", *found, "“No answer” wins." * two.first.silent),
        *(told(shown, two) if shown.changed else []),
        legend(
            "key",
            ("line", START, "the best span's first token as start"),
            ("line", END, "its last token as end"),
            ("line", MID, f"each other of the {n} tokens (question, [CLS] and [SEP] too)"),
        ),
        curves(shown, two, ln, at),
        formula("formula", *lines),
        says("closing", closing),
        exactly_layers(shown, depth),
        layer_table(ln, at, ranks),
    ]


def since(rank: NDArray[np.int64]) -> str:
    """From which layer on a token is first."""
    if rank[-1] != 1:
        return f"is number {rank[-1]} in the end"
    first = int(np.flatnonzero(rank != 1)[-1]) + 1 if (rank != 1).any() else 0
    if first == len(rank) - 1:
        return "is first after the last layer only"
    return f"is first from layer {first} on" if first else "is first from the input on"


def curves(shown: Shown, two: Two, ln: Lens, at: tuple[int, int]) -> Block:
    """Start logits and end logits by layer, one line for each token."""
    depth, every = len(ln.start) - 1, np.concatenate([ln.start, ln.end])
    low, high = float(every.min()), float(every.max())
    room, drawn, notes = (high - low) * 0.09, list[Block](), list[Block]()
    for logits, pos, role, axes in ((ln.start, at[0], START, ""), (ln.end, at[1], END, "2")):
        where = {"type": "scatter", "xaxis": "x" + axes, "yaxis": "y" + axes}
        drawn += [where | one for one in rows_of(logits, pos, role)]
        side = {"xref": "x" + axes, "yref": "y" + axes, "xanchor": "left", "xshift": 10}
        for text, y, colour in last_two(shown, two, logits[-1], pos, room):
            notes.append(note(text, depth, y, colour or role, align="left", **side))
    ticked = [k for k in range(depth + 1) if k % (1 + depth // 9) == 0 or k == depth]
    ticks: Block = {"tickvals": ticked, "ticktext": ["input", *map(str, ticked[1:])]}
    ticks |= {"showgrid": False, "range": [-0.04 * depth, depth * 1.36]}
    heights = {"range": [low - room / 3, high + room], "zeroline": True, "zerolinecolor": GREY}
    of_start, of_end = "start logit S · h + b<sub>S</sub>", "end logit E · h + b<sub>E</sub>"
    layout = {
        "height": 356,
        "margin": {"l": 60, "r": 8, "t": 6, "b": 48},
        "xaxis": axis(f"{of_start}, h after layer …", START, domain=[0, 0.485], **ticks),
        "xaxis2": axis(f"{of_end}, h after layer …", END, domain=[0.515, 1], anchor="y2", **ticks),
        "yaxis": axis("logit", nticks=9, **heights),
        "yaxis2": axis(anchor="x2", showticklabels=False, nticks=9, **heights),
        "annotations": notes,
    }
    narrow: Block = {"height": 600, "margin.l": 46, "yaxis2.showticklabels": True}
    narrow |= {"xaxis.domain": [0, 1], "xaxis2.domain": [0, 1]}
    narrow |= {"yaxis.domain": [0.58, 1], "yaxis2.domain": [0, 0.42]}
    alt = "Start logits and end logits after each layer, one line for each token of the window."
    return figure("layers", drawn, layout, alt, narrow=narrow)


def rows_of(logits: Points, pos: int, role: str) -> list[Block]:
    """The logits [N + 1, n] of all other tokens as one broken line, and of the token itself."""
    depth, n = logits.shape[0] - 1, logits.shape[1]
    ys = np.vstack([np.delete(logits, pos, axis=1), np.full(n - 1, np.nan)]).T.ravel()
    others = {"x": packed(np.tile([*range(depth + 1), np.nan], n - 1)), "y": packed(ys)}
    others |= {"mode": "lines", "hoverinfo": "skip", "line": {"color": MID, "width": 1}}
    own = {"x": list(range(depth + 1)), "y": packed(logits[:, pos]), "mode": "lines+markers"}
    own |= {"line": {"color": role, "width": 3.5}, "marker": {"size": 8, "color": role}}
    return [others, own | {"hovertemplate": "layer %{x}: %{y:.2f}<extra></extra>"}]


def last_two(
    shown: Shown, two: Two, last: Points, pos: int, room: float
) -> list[tuple[str, float, str]]:
    """The names of the token and of the highest other one, with their height and colour."""
    window = two.first.reading.windows[two.first.best.window]
    rival = int(np.where(np.arange(len(last)) == pos, -np.inf, last).argmax())
    mine, other = float(last[pos]), float(last[rival])
    way = 1 if mine >= other else -1
    gap = max(0.0, room * 1.7 - abs(mine - other)) / 2 * way
    own, name = bold_name(shown.encoding, window.to_doc(pos)), position_name(shown, window, rival)
    next_one = f"{'next' if way > 0 else 'first'}: “{escape(name[:20])}”<br>{number(other)}"
    return [(f"{own}<br>{number(mine)}", mine + gap, ""), (next_one, other - gap, GREY)]


def exactly_layers(shown: Shown, depth: int) -> Block:
    """What such a reading of an earlier layer is worth."""
    said = f"The input is the sum of the embeddings, before the first of {depth} layers. What S "
    said += "and E say of an earlier layer is a way of looking (a lens), not a result of training: "
    said += "a low place there does not mean that the layer lacks the answer. A place counts how "
    said += "many positions of the window have a larger logit, plus one. The best pair need not "
    said += "hold the highest start and the highest end, so a place may stay above 1."
    said += " Shown is the window of the best span." if len(shown.true.windows) > 1 else ""
    return fold("exactly", "Exactly", sentence("lens", "note", said), span=4)


def layer_table(ln: Lens, at: tuple[int, int], ranks: tuple[Any, Any]) -> Block:
    """Logit and place after each layer."""
    rows = []
    for k in range(len(ln.start)):
        start, end = number(ln.start[k, at[0]]), number(ln.end[k, at[1]])
        name = "input" if k == 0 else str(k)
        rows.append(row(name, start, str(ranks[0][k]), end, str(ranks[1][k])))
    heads = [("after layer", ""), ("start logit", START), ("place", START)]
    heads += [("end logit", END), ("place", END)]
    caption = "The best span's first token as start and its last as end"
    return fold("table", "As a table", table("by-layer", heads, rows, caption=caption), span=4)
