"""Chapter 2, Scores: one start vector S and one end vector E read every token of every text.

start logit = S . h + b_S, end logit = E . h + b_E; S, E [d] are the rows of one linear layer, h [d]
is a token's hidden state after the encoder's last layer. Logits changed by hand do not count here.
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qa_demo import blocks as ui
from qa_demo import by_hand, printed, texts
from qa_demo.blocks import END, GREY, INK, OTHER, PAPER, START, Block
from qa_demo.core import heads
from qa_demo.core.base import BadInput
from qa_demo.core.heads import Lane, Products, owned_points
from qa_demo.core.predict import predict
from qa_demo.core.spans import Candidate
from qa_demo.core.types import Reading, Span
from qa_demo.drawn import plane as fig
from qa_demo.drawn.panels import Panel, pair
from qa_demo.drawn.plane import Points
from qa_demo.printed import QUOTE, adds, escape, number, plural, plus, quote, say, signed, subs
from qa_demo.shown import Shown, takes_long
from qa_demo.state import Int, Record, Text

NAME = "Scores"
STEPS = (
    ("Two questions", "How can one start vector fit every question and text?"),
    ("One logit", "What does S · h look like, number by number?"),
    ("Layers", "What would the same S and E say after each layer?"),
)
LENS = (
    "The input is the sum of the embeddings, before the first layer. A place counts how many "
    "positions of the best span's window have a larger logit, plus one. The best pair need not "
    "hold the highest start and the highest end, so a place may stay above 1."
)
"""What is said exactly of a reading of earlier layers, the field's logit lens."""
SNIPPET = ui.snippet("scores")
LETTERS: dict[Lane, str] = {"start": "S", "end": "E"}
"""The vector of each lane; the lane's own name is the role of its colour."""
ASKED = {"first": "First question: {}", "second": "Second question, with other numbers h′: {}"}


class Own(Record):
    """Which second question is read, whose words are followed, and which logit is taken apart."""

    other: Int = 0
    typed: Text = ""
    follow: Literal["first", "second"] = "first"
    lane: Lane = "start"


class BestOf(NamedTuple):
    """A reading with its best span; `silent`: whether "no answer" wins over it."""

    reading: Reading
    best: Candidate
    silent: bool

    def place(self, d: int) -> tuple[int, int]:
        """Window and position of piece d (`doc`), in the best span's window or in d's owner."""
        w = self.reading.windows[self.best.window]
        home = w if w.holds(Span(d, d)) else self.reading.windows[int(self.reading.owners[d])]
        return home.index, home.to_pos(d)

    def at(self, d: int) -> NDArray[np.float64]:
        """(start logit, end logit) of piece d, [2]."""
        window, pos = self.place(d)
        return np.array([row[pos] for row in self.reading.logits(window)])


class TwoQuestions:
    """The text with its own question and a second; `fault`: why a second one was not read."""

    def __init__(self, shown: Shown, own: Own) -> None:
        self.shown, self.own, self.e = shown, own, shown.encoding
        self.heads: heads.HeadWeights = shown.need("heads", lambda reader, *_: reader.heads())
        self.first = BestOf(shown.true, shown.true_best, shown.true_prediction.answer is None)
        self.window, windows = shown.true.windows[shown.true_best.window], shown.true.options
        near = [shown.example] if shown.example else shown.examples.values()
        ready = [q for x in near if x.context == self.e.context for q in (x.question, *x.others)]
        self.choices = [q for q in dict.fromkeys(ready) if q != self.e.question][:2]
        offered = self.choices[own.other % len(self.choices)] if self.choices else ""
        self.question = own.typed.strip() or offered
        self.fault, self.second = "", None
        if self.question in ("", self.e.question) or shown.state.step == 3:
            return

        long = takes_long(self.e.context, windows)
        key, asked = ("reading", self.question), (self.question, self.e.context, windows)
        try:
            found = shown.need(key, lambda reader, *watch: reader.read(*asked, *watch), slow=long)
            p = predict(found, shown.decode)
            if p.best is not None:
                self.second = BestOf(found, p.best.candidate, p.answer is None)
        except BadInput as fault:
            self.fault = str(fault)

    @property
    def asked(self) -> list[BestOf]:
        """The first question, and the second where it was read."""
        return [self.first, self.second] if self.second else [self.first]


def picture(shown: Shown, own: Own) -> list[Block | None]:
    return (two_questions, one_logit, layers)[shown.state.step - 1](TwoQuestions(shown, own))


def two_questions(two: TwoQuestions) -> list[Block | None]:
    """Step 1: the plane of all tokens; arrows lead two words from one question to the other."""
    first, second, e, many = two.first, two.second, two.e, len(two.heads.S)
    followed = second if two.own.follow == "second" and second else first
    i, j = followed.best.span.start, followed.best.span.end
    words = [(i, START), (j, END)] if i != j else [(i, INK)]

    def answer(asked: BestOf) -> list[Any]:
        return [texts.span_words(asked.best, 30), " (“no answer” wins)" * asked.silent]

    before, box = f"*{number(first.at(i)[0])}*", "own.scores.typed"
    said, given = f"{{}} has the start logit {before}; the best span is {{}}.", [answer(first)]
    if second:
        said = f"With the second question the start logit of {{}} goes from {before} to "
        said += f"*{number(second.at(i)[0])}* and the best span from {{}} to {{}}."
        given = [answer(first), answer(second)]
    fault = f"The second question, {quote(two.question)}, was not read: {two.fault}."
    ready = enumerate(two.choices)
    options = [(q, {"own.scores.other": k, box: None}, q == two.question) for k, q in ready]
    known = {START: ("over", "a best span's first token"), END: ("below", "its last")}
    known[INK] = "bar", "start and end at once"
    left = len(e.context_ids) - len(words)
    key: list[tuple[str, str, Any]] = [("dot", INK, "first question")]
    if second:
        key += [("ring", INK, "second question"), ("arrow", INK, "from one to the other")]
    key += [(known[role][0], role, known[role][1]) for _, role in words]
    others = f"the {plural(left, 'other token')}" + " (first question)" * bool(second)
    key += [("dot", OTHER, others)] * bool(left)
    which = [(f"{k} question", {"own.scores.follow": k}, two.own.follow == k) for k in ASKED]
    follow = ui.choice("follow", "follow the best span of the", which) if second else None
    return [
        ui.idea(
            f"*S and E are two vectors of {many} numbers, the same for every question and "
            f"text.* A token's {{}}, its {{}}. Only h, the {many} numbers that the "
            "network (encoder) gives the token, changes with question and paragraph.",
            subs("start logit is S · h + b_S", START),
            subs("end logit E · h + b_E", END),
        ),
        ui.finding(said + by_hand.own_logits(two.shown), texts.said(e, i), *given),
        ui.choice("second", "second question", options, span=8) if options else None,
        ui.entry("typed", box, "type a second question, then Enter", two.own.typed),
        ui.sentence("told", "note", fault) if two.fault else None,
        ui.legend("key", *key, *texts.split_word(e, [d for d, _ in words])),
        plane(two, words),
        ui.group("side", 5, follow, *sums(two, (i, j))),
        ui.closing("S and E begin as random numbers; training learns them with the encoder."),
        *ui.folds(points_table(two), [exactly_two(two)], SNIPPET),
    ]


def sums(two: TwoQuestions, span: tuple[int, int]) -> list[Block]:
    """S · h + b_S = 6.04 − 0.14 = 5.90 with each question, for the words that are followed."""
    found: list[Block] = []
    for asked, h, name in zip(two.asked, ("h", "h′"), ASKED, strict=False):
        lines, question = [], quote(asked.reading.encoding.question, 90)
        for column, (d, lane) in enumerate(zip(span, LETTERS, strict=True)):
            letter, (_, bias), total = LETTERS[lane], two.heads.vector(lane), asked.at(d)[column]
            product, word = total - bias, texts.said(two.e, d, lane)
            said = f"{{}}  {letter} · {h} + b_{letter} = {{}}{plus(bias)} "
            said += f"{adds((product, bias), total)} {{}}"
            lines.append(say(said, word, [number(product), lane], [number(total), lane]))
        found.append(ui.remark(f"asked-{name}", ASKED[name], [question, QUOTE]))
        found.append(ui.formula(f"formula-{name}", *lines))
    return found


def plane(two: TwoQuestions, words: list[tuple[int, str]]) -> Block:
    """Every token's two logits, and arrows that lead the words from the first question's."""
    first, second, e = two.first, two.second, two.e
    points, (docs, roles) = owned_points(first.reading), zip(*words, strict=True)
    rest = np.setdiff1d(np.arange(len(points)), docs)
    none = np.array([[x[0] for x in first.reading.logits(two.window.index)]])
    before = np.array([first.at(d) for d in docs])
    after = np.array([second.at(d) for d in docs] if second else []).reshape(-1, 2)
    seen = np.concatenate([points[rest], before, after, none])
    low, high = seen.min(axis=0), seen.max(axis=0)
    low, high = low - 0.13 * (high - low + 1), high + 0.13 * (high - low + 1)
    way = np.linspace(0.03, 0.965, 24)[:, None]  # from near a point to near another
    paths = [a + (b - a) * way for a, b in zip(before, after, strict=False)]

    marked = zip([*before, *after], words * 2, strict=False)
    labels: list[fig.Name] = [(at, texts.bold_name(e, d), role) for at, (d, role) in marked]
    labels += [(none[0], f"<b>{escape(e.cls_token)}</b> “no answer”", GREY)]
    fixed, crowd = len(labels), np.concatenate([seen, *paths])
    if two.shown.state.selection:  # its names come last, so that they move no other name
        picked = {two.shown.selection.end: END, two.shown.selection.start: START}
        new = [(d, picked[d]) for d in sorted(picked) if d not in docs]
        labels += [(first.at(d), texts.bold_name(e, d), role) for d, role in new]
    large, small = (fig.names_apart(labels, crowd, low, high, x) for x in ((600, 330), (280, 300)))

    def tokens(at: Points, docs: Sequence[int], which: str, marker: Block) -> Block:
        pressed = {"customdata": [*docs], "sets": {"selection": ["customdata", "customdata"]}}
        names = [f"{escape(texts.dotted(e, d))}, {which} question" for d in docs]
        return fig.dots(at, marker, names) | pressed

    square = {"color": GREY, "size": 9, "symbol": "square"}
    drawn = [tokens(points[rest], rest.tolist(), "first", {"color": OTHER, "size": 6})]
    drawn.append(fig.dots(none, square, [escape(e.cls_token)]))
    for path, role in zip(paths, roles, strict=False):
        drawn += fig.arrow(path, role, high - low)
    for which, at, fill in (("first", before, [*roles]), ("second", after, PAPER)):
        marker = {"color": fill, "size": 12, "line": {"color": [*roles], "width": 2.5}}
        marker["symbol"] = [ui.SYMBOLS[role] for role in roles]
        drawn += [tokens(at, docs, which, marker)] * bool(len(at))
    limits, lines = np.stack([low, high]).T.tolist(), {"zeroline": True, "zerolinecolor": GREY}
    x, y = "start logit = S · h + b<sub>S</sub>  →", "end logit = E · h + b<sub>E</sub>  →"
    layout = ui.layout(376, 62, 8, 4, 50, annotations=large[:fixed])
    layout["xaxis"] = ui.axis(x, START, range=limits[0], **lines)
    layout["yaxis"] = ui.axis(y, END, range=limits[1], **lines)
    narrow: Block = {"height": 360, "margin.l": 50, "annotations": small[:fixed]}
    alt = "Every token of the text by its start logit and its end logit"
    alt += "; arrows lead two words from their first to their second place." if second else "."
    over = {"annotations": large[fixed:]}
    return ui.figure("plane", drawn, layout, alt, span=7, overlay=over, narrow=narrow)


def exactly_two(two: TwoQuestions) -> str:
    own = "This reader's began as normal random numbers of standard deviation 0.02, both b at 0. "
    own = own if two.shown.state.reader == "bundled" else ""
    return (
        f"S and E are the two rows of one linear layer, 2 x {len(two.heads.S)} numbers, with b_S = "
        f"{number(two.heads.b_S, 3)} and b_E = {number(two.heads.b_E, 3)}. {own}After training all "
        "are fixed. h is the token's hidden state after the last layer (T in BERT's paper); in the "
        "encoder it attends to the question's tokens. The plane shows all that the prediction uses "
        "of a token: its two logits. A logit is read against the others of its window: a constant "
        "added to all start logits changes no probability. Of several windows a dot is taken from "
        "the one that sees most around its token, and the arrows' words and “no answer” from their "
        "best span's."
    )


def points_table(two: TwoQuestions) -> Block:
    """The tokens of the plane: those that move most, or those with the highest logits."""
    both = [owned_points(asked.reading) for asked in two.asked]
    size = np.linalg.norm(both[1] - both[0], axis=1) if two.second else both[0].max(axis=1)
    rows = []
    for d in np.argsort(-size, kind="stable")[:20].tolist():
        logits = [number(x) for points in both for x in points[d]]
        rows.append(ui.row(texts.dotted(two.e, d), *logits, sets={"selection": [d, d]}))
    columns = "token", "start logit", "end logit", "start, second question", "end, second question"
    caption = "The tokens that move most" if two.second else "The highest tokens"
    return ui.table("points", columns[: 1 + 2 * len(both)], rows, caption)


def taken_apart(two: TwoQuestions, d: int) -> Products:
    """The products of piece d with each question's hidden state after the last layer, [d]."""

    def last_state(asked: BestOf) -> Points:
        index, pos = asked.place(d)

        def make(reader: Any, *_: Any) -> Any:
            return reader.hidden(asked.reading.windows[index])[-1][pos].copy()  # a view keeps all

        question = asked.reading.encoding.question
        return two.shown.need(("h", question, index, pos), make).astype(np.float64)

    return Products(two.heads, [*map(last_state, two.asked)], two.own.lane)


def one_logit(two: TwoQuestions) -> list[Block | None]:
    """Step 2: S · h as a running sum, and the same products with the second question's h."""
    lane, span = two.own.lane, two.first.best.span
    d, letter = span.start if lane == "start" else span.end, LETTERS[lane]
    p, word = taken_apart(two, d), texts.said(two.e, d)
    lanes = [(f"{name} logit", {"own.scores.lane": name}, name == lane) for name in LETTERS]
    up, down, most = p.values[p.values > 0], p.values[p.values < 0], float(p.values[p.order[0]])
    said = "No single dimension decides: " if abs(most) < 0.25 * max(up.sum(), -down.sum()) else ""
    raised, lowered = float(up.sum()), float(down.sum())
    said += f"{len(up)} products raise {{}} by {number(raised)}, {len(down)} lower it by "
    said += f"{number(-lowered)}: {letter} · h {adds((raised, lowered), raised + lowered)} "
    said += f"{number(raised + lowered)}. The largest in size is *{number(most)}*."
    some = printed.small_number(len(p.first))
    right = "*The same numbers with the second question's h′*" if two.second else "*As numbers*"
    left = f"*The {some} products largest in size, the other {len(p.others)}, and *{{}}"
    closing = f"{letter} and b_{letter} are the same for every token: only h tells tokens apart."
    addends = first, rest, bias = p.sum_of(p.first), p.sum_of(p.others), p.bias
    sum_ = f"{{}}  {letter} · h + b_{letter} = {{}}{plus(rest)}{plus(bias)} "
    sum_ += f"{adds(addends, p.total)} {{}}"
    whole = say(sum_, word, [number(first), lane], [number(p.total), lane])
    whole += subs(f"   (the {some} largest, the others, b_{letter})", "grey")
    return [
        ui.idea(
            f"{letter} · h multiplies {letter} and h dimension by dimension and adds up all "
            f"*{len(p.values)} products*; b_{letter} is one more number, the same for every token."
        ),
        ui.finding(said + by_hand.own_logits(two.shown), word),
        ui.choice("lane", "take apart", lanes),
        ui.group("left", 7, ui.remark("bars", left, subs(f"b_{letter}", "strong")), waterfall(p)),
        ui.group("right", 5, ui.remark("numbers", right), products("products", p, p.first)),
        ui.formula("formula", whole, label=f"{p.lane} logit of"),
        ui.closing(closing),
        *ui.folds(products("largest", p, p.order[:25]), [exactly_logit(two, p)], SNIPPET),
    ]


def waterfall(p: Products) -> Block:
    """Bars that add up from 0 to the logit: products, the rest, b, the sum."""
    letter = LETTERS[p.lane]
    rows = [(f"dimension {k + 1}", p.values[k], p.lane) for k in p.first]
    rows.append((f"the other {len(p.others)}", p.sum_of(p.others), OTHER))
    rows.append((f"b<sub>{letter}</sub>", p.bias, INK))
    sign = adds([size for _, size, _ in rows], p.total)
    rows.append((f"<b>{p.lane} logit {sign} {number(p.total)}</b>", p.total, p.lane))
    names, sizes, colours = zip(*rows, strict=True)
    stops = np.cumsum([0.0, *sizes[:-1]])
    low, room = float(stops.min()), float(np.ptp(stops)) or 1.0
    style: Block = {"text": [*map(signed, sizes[:-1]), ""], "textposition": "outside"}
    style |= {"base": ui.packed([*stops[:-1], 0.0]), "cliponaxis": False, "textfont": {"size": 13}}
    bars = ui.lying(ui.packed(sizes), range(len(names)), 0.66, {"color": [*colours]}, **style)
    layout = ui.layout(340, 138, 12, 4, 46)
    sides: Block = {"range": [low - 0.14 * room, low + 1.14 * room], "zerolinecolor": GREY}
    title = f"running sum of {letter} · h + b<sub>{letter}</sub>"
    layout["xaxis"] = ui.axis(title, zeroline=True, **sides)
    layout["yaxis"] = ui.named_rows(names)
    alt = f"Bars that add up to the {p.lane} logit, {number(p.total)}."
    narrow = {"margin.l": 128, "margin.r": 4, "xaxis.range": [low - 0.42 * room, low + 1.4 * room]}
    return ui.figure("waterfall", [bars], layout, alt, narrow=narrow)


def products(name: str, p: Products, dimensions: list[int]) -> Block:
    """S, h and h′ for the same dimensions: S is equal, h is not."""
    letter, dashes, vector = LETTERS[p.lane], ["", "′"][: len(p.states)], p.vector
    left, sums = np.setdiff1d(np.arange(len(vector)), dimensions), list[list[str]]()
    of_vector, *of_states = ([number(x, 3) for x in v[dimensions]] for v in (vector, *p.states))
    for h, of_state in zip(p.states, of_states, strict=True):
        sizes = (vector * h)[dimensions].tolist()
        cells = [
            printed.cell((x, y), printed.value(x) * printed.value(y), number(size))
            for x, y, size in zip(of_vector, of_state, sizes, strict=True)
        ]
        sizes += [float(vector[left] @ h[left]), p.bias]
        sums.append([*cells, *map(number, sizes[-2:]), printed.total(sizes, sum(sizes))])
    names = [*(str(k + 1) for k in dimensions), f"other {len(left)}", "bias", f"{p.lane} logit"]
    factors = [[*one, "", "", ""] for one in (of_vector, *of_states)]
    rows = [ui.row(*cells) for cells in zip(names, *factors, *sums, strict=True)]
    rows[-1] |= {"strong": True}
    made = [(f"{letter} × h{x}", p.lane) for x in dashes]
    columns = ["dimension", (letter, p.lane), *(f"h{x}" for x in dashes), *made]
    return ui.table(name, columns, rows, f"{letter}, h and their products, number by number")


def exactly_logit(two: TwoQuestions, p: Products) -> str:
    """Why b learns nothing, and where ours comes from."""
    letter = LETTERS[p.lane]
    said = f"The loss of one window pulls each {p.lane} logit along y − p: p is its probability, y "
    said += f"is 1 at the right position, else 0. b_{letter} is added to every logit: it "
    said += "changes no p, and its own pull is the sum Σ (y − p) = 1 − 1 = 0, for every text. "
    if two.shown.state.reader == "bundled":
        said += f"Ours, {number(p.bias, 3)}, began at 0. That is likely rounding: sums that "
        said += "miss 0 by about 0.00000003, which the optimiser Adam scales up to large changes. "
    said += "The numbers of h have no names of their own: put in another order in S, E and all of "
    return said + "the encoder, they give the same logits."


def layers(two: TwoQuestions) -> list[Block | None]:
    """Step 3: the same S and E on the hidden states after every layer."""
    span, window = two.first.best.span, two.window
    at, n = window.ends(span), len(window)
    made = ("lens", window.index), lambda reader, *_: heads.plane(two.heads, reader.hidden(window))
    points: Points = two.shown.need(*made)
    ranks, depth = [heads.rank_of(points[..., k], at[k]) for k in (0, 1)], len(points) - 1
    lines, found = [], list[Any]()
    for pos, lane, rank in zip(at, LETTERS, ranks, strict=True):
        found += [texts.said_at(two.shown, window, pos), since(rank)]
        said = f"{{}} as {lane}: place {{}} of {n}, from the input to layer {depth}"
        name = texts.said_at(two.shown, window, pos, lane)
        lines.append(say(said, name, [", ".join(map(str, rank.tolist())), lane]))
    rows = []
    for k, places in enumerate(zip(*ranks, strict=True)):
        start, end = number(points[k, at[0], 0]), number(points[k, at[1], 1])
        rows.append(ui.row(str(k or "input"), start, str(places[0]), end, str(places[1])))
    columns = ["after layer", "start logit", ("place", START), "end logit", ("place", END)]
    table = ui.table("by-layer", columns, rows, "The best span's first token as start, last as end")
    said = f"Among all {n} tokens of the window {{}} as start {{}}; {{}} as end {{}}."
    key = [
        ("line", START, "the best span's first token as start"),
        ("line", END, "its last as end"),
    ]
    key.append(("line", OTHER, f"each other of the {n} tokens (question and special ones too)"))
    return [
        ui.idea(
            "A token has a hidden state h after every layer. Here the same S and E read each of "
            "them; *only the last layer's logits decide the answer.*"
        ),
        ui.finding(said + by_hand.own_logits(two.shown), *found),
        ui.legend("key", *key),
        curves(two, points, at),
        ui.formula("formula", *lines),
        ui.closing("S and E learned from the last layer: what an earlier one holds they may miss."),
        *ui.folds(table, [LENS], SNIPPET),
    ]


def since(rank: NDArray[np.int64]) -> str:
    """From which layer on a token is first."""
    if rank[-1] != 1:
        return f"is number {rank[-1]} in the end"
    first = int(np.flatnonzero(rank != 1)[-1]) + 1 if (rank != 1).any() else 0
    return f"is first from {f'layer {first}' if first else 'the input'} on"


def curves(two: TwoQuestions, points: Points, at: tuple[int, int]) -> Block:
    """Start logits and end logits by layer, one line for each token."""
    depth, low, high = len(points) - 1, float(points.min()), float(points.max())
    room, panels, notes = (high - low) * 0.09, list[Panel](), list[Block]()
    ticked = [k for k in range(depth + 1) if k % (1 + depth // 9) == 0 or k == depth]
    ticks: Block = {"tickvals": ticked, "ticktext": ["input", *map(str, ticked[1:])]}
    ticks |= {"showgrid": False, "range": [-0.04 * depth, depth * 1.36]}
    heights: Block = {"range": [low - room / 3, high + room], "zeroline": True, "nticks": 9}
    for k, (lane, letter) in enumerate(LETTERS.items()):
        logits, side = points[..., k], {"xref": "x" + "2" * k, "yref": "y" + "2" * k}
        for text, height, colour in last_two(two, logits[-1], at[k], room):
            note = ui.note(text, depth, height, colour or lane, xanchor="left", xshift=10, **side)
            notes.append(note | {"align": "left"})
        title = f"<b>{lane} logit</b> {letter} · h + b<sub>{letter}</sub>"
        lines = fig.one_of_many(logits, at[k], lane, "layer %{x}: %{y:.2f}")
        down = ui.axis("" if k else "logit", zerolinecolor=GREY, showticklabels=not k, **heights)
        panels.append((title, lines, ui.axis("h after layer …", lane, **ticks), down))
    layout, far = ui.layout(374, 60, 8, 24, 48, annotations=notes), [-0.04 * depth, depth * 1.55]
    narrow = {"height": 600, "margin.l": 46, "yaxis2.showticklabels": True}
    narrow |= {"xaxis.range": far, "xaxis2.range": far}  # room for names
    alt = "Start logits and end logits after each layer, one line for each token of the window."
    return pair("layers", alt, panels, (0.485, 0.515), layout, narrow)


def last_two(
    two: TwoQuestions, last: Points, pos: int, room: float
) -> list[tuple[str, float, str]]:
    """The names of the token and of the highest other one, with their height and colour."""
    rival = int(np.where(np.arange(len(last)) == pos, -np.inf, last).argmax())
    mine, other = float(last[pos]), float(last[rival])
    way = 1 if mine >= other else -1
    gap = max(0.0, room * 2.1 - abs(mine - other)) / 2 * way
    own = f"{texts.bold_name(two.e, two.window.to_doc(pos), 12)}<br>{number(mine)}"
    name = escape(texts.position_name(two.shown, two.window, rival)[:20])
    next_one = f"{'next' if way > 0 else 'first'}: “{name}”<br>{number(other)}"
    return [(own, mine + gap, ""), (next_one, other - gap, GREY)]
