"""Chapter 2, Scores: one start vector S and one end vector E read every token of every text.

start logit = S . h + b_S, end logit = E . h + b_E; S, E [d] are the rows of one linear layer, h [d]
is a token's hidden state after the encoder's last layer. Logits changed by hand do not count here.
"""

from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qa_demo import blocks as ui
from qa_demo import by_hand, printed, texts
from qa_demo.blocks import END, GREY, INK, OTHER, START, Block
from qa_demo.core.base import BadInput
from qa_demo.core.heads import HeadWeights, Lane, Products, owned_points, plane, rank_of
from qa_demo.core.predict import predict
from qa_demo.core.spans import Candidate
from qa_demo.core.types import Reading, Span
from qa_demo.printed import adds, escape, number, plus, quote, say, signed, subs
from qa_demo.shown import Shown, takes_long
from qa_demo.state import Int, Record, Text

NAME = "Scores"
STEPS = (
    ("Two questions", "How can one start vector serve every question?"),
    ("One logit", "What does S · h look like, number by number?"),
    ("Layers", "What would the same S and E say after each layer?"),
)
LENS = (
    "The input is the sum of the embeddings, after its LayerNorm. A place counts how many "
    "positions of the best span's window have a larger logit, plus one. The best pair need not "
    "hold the highest start and the highest end, so a place may stay above 1."
)
"""What is said exactly of a reading of earlier layers, the field's logit lens."""
LETTERS: dict[Lane, str] = {"start": "S", "end": "E"}
"""The vector of each lane; the lane's own name is the role of its colour."""
Points = NDArray[np.float64]


class Own(Record):
    """Which second question is read, and which of a token's two logits is shown."""

    other: Int = 0
    typed: Text = ""
    lane: Lane = "start"


class BestOf(NamedTuple):
    """A reading with its best span."""

    reading: Reading
    best: Candidate

    def place(self, d: int) -> tuple[int, int]:
        """Window and position of piece d (`doc`), in the best span's window or in d's owner."""
        w = self.reading.windows[self.best.window]
        home = w if w.holds(Span(d, d)) else self.reading.windows[int(self.reading.owners[d])]
        return home.index, home.to_pos(d)

    def logit(self, d: int, lane: Lane) -> float:
        """The start logit or end logit of piece d."""
        window, pos = self.place(d)
        return float(self.reading.logits(window)[lane == "end"][pos])

    def word(self, lane: Lane) -> int:
        """The best span's first piece, or its last for the end (`doc`)."""
        return self.best.span.start if lane == "start" else self.best.span.end


class TwoQuestions:
    """The text with its own question and a second; `fault`: why a second one was not read."""

    def __init__(self, shown: Shown, own: Own) -> None:
        self.shown, self.own, self.e = shown, own, shown.encoding
        self.heads: HeadWeights = shown.need("heads", lambda reader, *_: reader.heads())
        self.first = BestOf(shown.true, shown.true_best)
        self.window, windows = shown.true.windows[shown.true_best.window], shown.true.options
        near = [shown.example] if shown.example else shown.examples.values()
        ready = [q for x in near if x.context == self.e.context for q in (x.question, *x.others)]
        self.choices = [q for q in dict.fromkeys(ready) if q != self.e.question][:2]
        offered = self.choices[own.other % len(self.choices)] if self.choices else ""
        self.question = own.typed.strip() or offered
        self.fault, self.second = "", None
        if self.question in ("", self.e.question) or shown.state.step > 1:
            return

        long = takes_long(self.e.context, windows)
        key, asked = ("reading", self.question), (self.question, self.e.context, windows)
        try:
            found = shown.need(key, lambda reader, *watch: reader.read(*asked, *watch), slow=long)
            if best := predict(found, shown.decode).best:
                self.second = BestOf(found, best.candidate)
        except BadInput as fault:
            self.fault = str(fault)

    @property
    def asked(self) -> list[BestOf]:
        """The first question, and the second where it was read."""
        return [self.first, self.second] if self.second else [self.first]


def picture(shown: Shown, own: Own) -> list[Block | None]:
    return (two_questions, one_logit, layers)[shown.state.step - 1](TwoQuestions(shown, own))


def two_questions(two: TwoQuestions) -> list[Block | None]:
    """Step 1: the same vector under two questions, and where their best spans' words stand."""
    first, second, e, lane = two.first, two.second, two.e, two.own.lane
    letter, d = LETTERS[lane], first.word(lane)
    logits = [asked.logit(d, lane) for asked in two.asked]
    same = len({asked.best.span for asked in two.asked}) < len(two.asked)
    said = f"{{}} has the {lane} logit *{number(logits[0])}*; the best span is {{}}."
    if second:
        said = f"With the second question the {lane} logit of {{}} goes from "
        said += f"*{number(logits[0])}* to *{number(logits[1])}*; "
        now = "stays" if same else "was {} and is now"
        said += f"the best span {now} {{}}."
    answers = texts.span_names(e, [asked.best.span for asked in two.asked[same:]], 30)
    said += by_hand.own_logits(two.shown)
    box, (_, bias) = "own.scores.typed", two.heads.vector(lane)
    ready = enumerate(two.choices)
    options = [(q, {"own.scores.other": k, box: None}, q == two.question) for k, q in ready]
    fault = f"The second question, {quote(two.question)}, was not read: {two.fault}."
    sums = list[Block]()
    for total, which in zip(logits, ("first", "second"), strict=False):
        sum_ = f"{{}}{f', {which} question' * bool(second)}:  {letter} · h + b_{letter} = "
        sum_ += f"{{}}{plus(bias)} {adds((total - bias, bias), total)} {{}}"
        product = [number(total - bias), lane]
        line = say(sum_, texts.word_parts(e, d, lane), product, [number(total), lane])
        sums.append(ui.formula(f"formula-{which}", line, span=6))
    return [
        ui.idea(
            f"*{letter} is a vector of {len(two.heads.S)} numbers, the same for every question and "
            f"text.* A token's {{}}, b_{letter} one more number. Only h, the {len(two.heads.S)} "
            "numbers of the token from the network (encoder), changes with question and paragraph.",
            subs(f"{lane} logit is {letter} · h + b_{letter}", lane),
        ),
        ui.finding(said, texts.word_parts(e, d), *answers),
        ui.choice("second", "second question", options, span=8) if options else None,
        ui.entry("typed", box, "type a second question, then Enter", two.own.typed),
        ui.sentence("told", "note", fault) if two.fault else None,
        lanes(two, "show each token's"),
        rows_of_tokens(two),
        *sums,
        ui.closing(
            "A line follows one token. " * bool(second)
            + "S and the end vector E begin at random, and are learned."
        ),
        *ui.folds(points_table(two), [exactly_two(two)], "scores"),
    ]


def lanes(two: TwoQuestions, label: str) -> Block:
    """Start logits or end logits."""
    which = [(f"{x} logit", {"own.scores.lane": x}, x == two.own.lane) for x in LETTERS]
    return ui.choice("lane", label, which)


def rows_of_tokens(two: TwoQuestions) -> Block:
    """A row a question, a dot a token; a line joins a best span's word in both rows."""
    lane, e, many = two.own.lane, two.e, len(two.asked)
    letter, followed = LETTERS[lane], list(dict.fromkeys(x.word(lane) for x in two.asked))
    rows, drawn, ticks = list[Points](), list[Block](), list[str]()
    names = [escape(texts.dotted(e, d)) for d in range(len(e.context_ids))]
    dot: Block = {"says": "%{text}: %{x:.2f}", "marker": {"color": OTHER, "size": 8}, "text": names}
    for y, asked in enumerate(two.asked):
        row = owned_points(asked.reading)[:, int(lane == "end")]
        row[followed] = [asked.logit(d, lane) for d in followed]
        rows.append(row)
        drawn.append(ui.scatter("markers", ui.packed(row), ui.packed(np.full(len(row), y)), **dot))
        lines = wrap(quote(asked.reading.encoding.question, 90), 28, max_lines=3, placeholder=" …”")
        ticks.append("<br>".join(map(escape, lines)))
    low, high = float(np.min(rows)), float(np.max(rows))
    for d in followed:
        xs, line = [float(row[d]) for row in rows], {"color": lane, "width": 2.5}
        marker = {"size": 14, "color": lane, "opacity": 1}
        drawn.append(ui.scatter("lines+markers", xs, [*range(many)], marker=marker, line=line))
    room = (high - low + 1) * 0.04
    layout = ui.layout(130 * many + 30, 220, 14, 4, 50)
    layout["annotations"] = row_names(two, followed, rows, 20)
    title = f"{lane} logit of each paragraph token = {letter} · h + b<sub>{letter}</sub>  →"
    layout["xaxis"] = ui.axis(title, lane, range=[low - room, high + room])
    named: Block = {"tickvals": [*range(many)], "ticktext": ticks, "ticks": ""}
    layout["yaxis"] = ui.axis(range=[many - 0.5, -0.5], automargin=True, **named)
    short = ["first<br>question", "second<br>question"] if many > 1 else ["question"]
    narrow = {"margin.l": 66, "yaxis.ticktext": short, "xaxis.title.text": f"{lane} logit  →"}
    narrow["annotations"] = row_names(two, followed, rows, 10)
    alt = f"Every token by its {lane} logit, a row for each reading."
    return ui.figure("tokens", drawn, layout, alt, narrow=narrow)


def row_names(two: TwoQuestions, followed: list[int], rows: list[Points], most: int) -> list[Block]:
    """The followed words, of so many letters, above the first row and below the second."""
    notes, middle = list[Block](), float(np.min(rows) + np.max(rows)) / 2
    for y, row in enumerate(rows):
        for d, lift in zip(followed, (10, 32), strict=False):
            name, x, right = texts.bold_name(two.e, d, most), float(row[d]), row[d] > middle
            place = {"xanchor": "right" if right else "left", "xshift": 9 if right else -9}
            place |= {"yanchor": "top" if y else "bottom", "yshift": -lift if y else lift}
            notes.append(ui.note(f"{name} {number(x)}", x, y, two.own.lane, 15, **place))
    return notes


def exactly_two(two: TwoQuestions) -> str:
    return (
        f"S and E are the two rows of one linear layer, 2 x {len(two.heads.S)} numbers, with b_S = "
        f"{number(two.heads.b_S, 3)} and b_E = {number(two.heads.b_E, 3)}. After training all "
        "are fixed. h is the token's hidden state after the last layer (T in BERT's paper, which "
        "writes no b). A logit is read against the others of its window: a constant added to all "
        "start logits changes no probability. Of several windows a dot is taken from the one that "
        "sees most around its token, and the named words from their best span's, if it holds "
        "them."
    )


def points_table(two: TwoQuestions) -> Block:
    """The tokens with the highest logits under either question."""
    both = [owned_points(asked.reading) for asked in two.asked]
    rows = []
    for d in np.argsort(-np.max(both, axis=(0, 2)), kind="stable")[:20].tolist():
        logits = [number(x) for points in both for x in points[d]]
        rows.append(ui.row(texts.dotted(two.e, d), *logits, sets={"selection": [d, d]}))
    columns = "token", "start logit", "end logit", "start, second question", "end, second question"
    return ui.table("points", columns[: 1 + 2 * len(both)], rows, "The highest tokens")


def taken_apart(two: TwoQuestions, d: int) -> Products:
    """The products of piece d with its last hidden state [d]: a copy, a view keeps all layers."""
    (index, at), windows = two.first.place(d), two.first.reading.windows
    made = ("h", index, at), lambda reader, *_: reader.hidden_states(windows[index])[-1][at].copy()
    return Products(two.heads, two.shown.need(*made).astype(np.float64), two.own.lane)


def one_logit(two: TwoQuestions) -> list[Block | None]:
    """Step 2: S · h as a running sum, and its numbers."""
    lane = two.own.lane
    d, letter = two.first.word(lane), LETTERS[lane]
    p, word = taken_apart(two, d), texts.word_parts(two.e, d)
    largest = float(p.values[p.order[0]])
    many = 4 * abs(largest) < abs(float(p.values.sum()))
    some = printed.small_number(len(p.first))
    said = "No single dimension decides: at" if many else "At"
    said += f" {{}} the product largest in size is *{signed(largest)}*; the {some} largest add "
    said += f"{signed(p.sum_of(p.first))}, the other {len(p.others)} {signed(p.sum_of(p.others))}."
    left = f"*The {some} products {letter} × h largest in size, the other "
    left += f"{len(p.others)}, and *{{}}"
    closing = f"{letter} and b_{letter} are the same for every token: only h tells tokens apart."
    addends = first, rest, bias = p.sum_of(p.first), p.sum_of(p.others), p.bias
    sum_ = f"{{}}  {letter} · h + b_{letter} = {{}}{plus(rest)}{plus(bias)} "
    sum_ += f"{adds(addends, p.total)} {{}}"
    whole = say(sum_, word, [number(first), lane], [number(p.total), lane])
    whole += subs(f"   (the {some} largest, the others, b_{letter})", "grey")
    return [
        ui.idea(
            f"{letter} is learned, h is the token's own vector: {letter} · h multiplies them "
            f"dimension by dimension and adds up all *{len(p.values)} products*; the bias "
            f"b_{letter} is one more number."
        ),
        ui.finding(said + by_hand.own_logits(two.shown), word),
        lanes(two, "add up the"),
        ui.remark("bars", left, subs(f"b_{letter}", "strong")),
        waterfall(p),
        ui.formula("formula", whole, label=f"{p.lane} logit of"),
        ui.closing(closing),
        *ui.folds(products(p), [exactly_logit(two, p)], "scores"),
    ]


def waterfall(p: Products) -> Block:
    """Bars that add up from 0 to the logit: products, the rest, b, the sum."""
    letter = LETTERS[p.lane]
    rows = [
        (f"dimension {k + 1}: {number(p.vector[k], 3)} × {number(p.state[k], 3)}", x, p.lane)
        for k, x in zip(p.first, p.values[p.first], strict=True)
    ]
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
    layout = ui.layout(340, 238, 12, 4, 46)
    sides: Block = {"range": [low - 0.14 * room, low + 1.14 * room], "zerolinecolor": GREY}
    title = f"running sum of {letter} · h + b<sub>{letter}</sub>"
    layout["xaxis"] = ui.axis(title, zeroline=True, **sides)
    layout["yaxis"] = ui.named_rows(names)
    alt = f"Bars that add up to the {p.lane} logit, {number(p.total)}."
    narrow = {"margin.l": 128, "margin.r": 4, "xaxis.range": [low - 0.42 * room, low + 1.4 * room]}
    narrow["yaxis.ticktext"] = [name.partition(":")[0] for name in names]
    return ui.figure("waterfall", [bars], layout, alt, narrow=narrow)


def products(p: Products) -> Block:
    """S, h and their products for the same dimensions."""
    letter, sizes = LETTERS[p.lane], p.values[p.first].tolist()
    factors = [[number(x, 3) for x in v[p.first]] for v in (p.vector, p.state)]
    made = [
        printed.cell((x, y), printed.value(x) * printed.value(y), number(size))
        for x, y, size in zip(*factors, sizes, strict=True)
    ]
    last = p.sum_of(p.others), p.bias
    made += [*map(number, last), printed.total_cell([*sizes, *last], p.total)]
    names = [*(str(k + 1) for k in p.first), f"other {len(p.others)}", "bias", f"{p.lane} logit"]
    columns = [names, *([*one, "", "", ""] for one in factors), made]
    rows = [ui.row(*cells) for cells in zip(*columns, strict=True)]
    rows[-1] |= {"strong": True}
    heads = ["dimension", (letter, p.lane), "h", (f"{letter} × h", p.lane)]
    return ui.table("products", heads, rows, f"{letter}, h and their products, number by number")


def exactly_logit(two: TwoQuestions, p: Products) -> str:
    """How many products raise the logit, why b learns nothing, and where ours comes from."""
    letter, up, down = LETTERS[p.lane], p.values[p.values > 0], p.values[p.values < 0]
    said = f"{len(up)} products raise the logit, by {number(up.sum())}, {len(down)} lower it, by "
    said += f"{number(-down.sum())}. The loss of one window pulls each {p.lane} "
    said += "logit along y − P: P is its probability, y is 1 at the right position, else 0. "
    said += f"b_{letter} is added to every logit: it changes no P, and its own pull is the sum "
    said += "Σ (y − P) = 1 − 1 = 0, for every text. "
    if two.shown.state.reader == "bundled":
        said += f"Ours, {number(p.bias, 3)}, began at 0. That is likely rounding: sums that "
        said += "miss 0 by less than a millionth, which the optimiser Adam scales up to full steps."
    return said


def layers(two: TwoQuestions) -> list[Block | None]:
    """Step 3: the same S and E on the hidden states after every layer."""
    span, window = two.first.best.span, two.window
    at, n = window.positions(span), len(window)
    made = ("lens", window.index), lambda reader, *_: plane(two.heads, reader.hidden_states(window))
    points: Points = two.shown.need(*made)
    ranks, depth = [rank_of(points[..., k], at[k]) for k in (0, 1)], len(points) - 1
    lines, found = [], list[Any]()
    for pos, lane, rank in zip(at, LETTERS, ranks, strict=True):
        found += [texts.parts_at(two.shown, window, pos), since(rank)]
        said = f"{{}} as {lane}: place {{}} of {n}, from the input to layer {depth}"
        name = texts.parts_at(two.shown, window, pos, lane)
        lines.append(say(said, name, [", ".join(map(str, rank.tolist())), lane]))
    rows = []
    for k, places in enumerate(zip(*ranks, strict=True)):
        start, end = number(points[k, at[0], 0]), number(points[k, at[1], 1])
        rows.append(ui.row(str(k or "input"), start, str(places[0]), end, str(places[1])))
    columns = ["after layer", "start logit", ("place", START), "end logit", ("place", END)]
    table = ui.table("by-layer", columns, rows, "The best span's first token as start, last as end")
    of = " of the window" * (len(two.first.reading.windows) > 1)
    said = f"Among all {n} tokens{of}, by start logit {{}} {{}}; by end logit {{}} {{}}."
    key = [("line", START, "the best span's first token as start")]
    key.append(("line", END, "its last token as end"))
    key.append(("line", OTHER, f"the other {n - 1} tokens (question and special ones too)"))
    return [
        ui.idea(
            f"Each of the {depth} layers gives every token a new h. *Here the same S and E "
            "multiply each of them*; only the last layer's logits decide the answer."
        ),
        ui.finding(said + by_hand.own_logits(two.shown), *found),
        ui.legend("key", *key, ("text", GREY, "“·” joins a word's tokens; bold: the one meant")),
        *curves(two, points, at),
        ui.formula("formula", *lines),
        ui.closing(
            "S and E were trained on the last layer: they may miss what an earlier one holds."
        ),
        *ui.folds(table, [LENS], "scores"),
    ]


def since(rank: NDArray[np.int64]) -> str:
    """From which layer on a token is first."""
    if rank[-1] != 1:
        return f"is number {rank[-1]} in the end"
    first = int(np.flatnonzero(rank != 1)[-1]) + 1 if (rank != 1).any() else 0
    return f"is first from {f'layer {first}' if first else 'the input'} on"


def curves(two: TwoQuestions, points: Points, at: tuple[int, int]) -> list[Block]:
    """Start logits and end logits by layer, one line for each token."""
    depth, low, high = len(points) - 1, float(points.min()), float(points.max())
    room, figures, beside = (high - low) * 0.09, list[Block](), {"xanchor": "left", "xshift": 10}
    ticked = [k for k in range(depth + 1) if k % (1 + depth // 9) == 0 or k == depth]
    ticks: Block = {"tickvals": ticked, "ticktext": ["input", *map(str, ticked[1:])]}
    ticks |= {"showgrid": False, "range": [-0.04 * depth, depth * 1.36]}
    heights: Block = {"range": [low - room / 3, high + room], "zeroline": True, "nticks": 9}
    for k, (lane, letter) in enumerate(LETTERS.items()):
        logits, name = points[..., k], texts.bold_name(two.e, two.window.to_doc(at[k]), 12)
        own = float(logits[-1, at[k]])
        notes = [ui.note(f"{name}<br>{number(own)}", depth, own, lane, align="left", **beside)]
        layout = ui.layout(354, 60, 8, 4, 48, annotations=notes)
        layout["xaxis"] = ui.axis("h after layer … (input: before the first)", lane, **ticks)
        title = f"{lane} logit {letter} · h + b<sub>{letter}</sub>"
        layout["yaxis"] = ui.axis(title, lane, zerolinecolor=GREY, **heights)
        alt = f"Each token's {lane} logit after each layer, one line for each token of the window."
        narrow = {"margin.l": 46, "xaxis.range": [-0.04 * depth, depth * 1.55]}  # room for names
        drawn = one_of_many(logits, at[k], lane)
        figures.append(ui.figure(f"layers-{lane}", drawn, layout, alt, span=6, narrow=narrow))
    return figures


def one_of_many(values: Points, k: int, role: str) -> list[Block]:
    """All columns of [rows, n] but k as one thin line, and column k."""
    rows, n = values.shape
    ys = np.vstack([np.delete(values, k, axis=1), np.full(n - 1, np.nan)]).T.ravel()
    xs, thin = np.tile([*range(rows), np.nan], n - 1), {"color": OTHER, "width": 1}
    own: Block = {"line": {"color": role, "width": 3.5}, "marker": {"size": 8, "color": role}}
    others = ui.scatter("lines", ui.packed(xs), ui.packed(ys), line=thin)
    return [others, ui.scatter("lines+markers", list(range(rows)), ui.packed(values[:, k]), **own)]
