"""Chapter 2, Scores: one start vector S and one end vector E read every token of every text.

start logit = S . h + b_S, end logit = E . h + b_E; S, E [d] are the rows of one linear layer, h [d]
is a token's hidden state after the encoder's last layer. Logits changed by hand do not count here.
"""

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from qa_demo import blocks as ui
from qa_demo import texts
from qa_demo.blocks import END, GREY, INK, OTHER, PAPER, START, Block
from qa_demo.core.base import BadInput
from qa_demo.core.heads import (
    Asked,
    HeadWeights,
    Lane,
    Products,
    asked_by,
    holds,
    owned_points,
    products_of,
    rank_of,
)
from qa_demo.core.heads import plane as logits_of
from qa_demo.core.predict import wide
from qa_demo.core.types import Reading
from qa_demo.drawn import plane as fig
from qa_demo.drawn.plane import Points
from qa_demo.printed import (
    QUOTE,
    STRONG,
    Part,
    adds,
    escape,
    number,
    plural,
    plus,
    quote,
    say,
    signed,
    small_number,
    subs,
)
from qa_demo.shown import Shown
from qa_demo.state import Int, Record, Text

NAME = "Scores"
HEADINGS = (
    "How can one start vector fit every question and text?",
    "What does S · h look like, number by number?",
    "What would the same S and E say after each layer?",
)
STEPS = ("Two questions", "One logit", "Layers")
OPENS: dict[int, dict[str, Any]] = {}
SNIPPET = ui.snippet("scores")
LANES: dict[Lane, tuple[int, str, str]] = {"start": (0, "S", START), "end": (1, "E", END)}
"""Of each lane: its column of the plane, its vector, its role."""
Which = Literal["first", "second"]
Words = list[tuple[int, str]]


class Own(Record):
    """Which second question is read, whose words are followed, and which logit is taken apart."""

    other: Int = 0
    typed: Text = ""
    follow: Which = "first"
    lane: Lane = "start"


class Two:
    """What all steps show: the text with its own question and, where there is one, with a second;
    `fault` says why a second question was not read.
    """

    def __init__(self, shown: Shown, own: Own) -> None:
        self.shown, self.own, self.e = shown, own, shown.encoding
        self.heads: HeadWeights = shown.need("heads", lambda reader, *_: reader.heads())
        before, context, asked = shown.before.best, shown.encoding.context, shown.encoding.question
        assert before is not None
        self.first = Asked(shown.true, before.candidate, shown.before.answer is None)
        self.window = shown.true.windows[before.candidate.window]
        near = [shown.example] if shown.example else shown.examples.values()
        ready = [q for e in near if e.context == context for q in (e.question, *e.others)]
        self.choices = [q for q in dict.fromkeys(ready) if q != asked][:2]
        offered = self.choices[own.other % len(self.choices)] if self.choices else ""
        self.question = own.typed.strip() or offered
        self.same, self.fault = self.question == asked, ""
        self.second = self.read() if self.question and shown.state.step != 3 else None

    def read(self) -> Asked | None:
        """The second question on this paragraph."""
        context, windows = self.e.context, self.shown.true.options

        def made(reader: Any, *watch: Any) -> Reading:
            reading: Reading = reader.read(self.question, context, windows, *watch)
            return reading

        name, slow = ("reading", self.question), len(context) > 6 * windows.max_seq_length
        try:
            found = asked_by(self.shown.need(name, made, slow=slow), self.shown.decode)
        except BadInput as fault:
            self.fault = str(fault)
            return None
        self.fault = "" if found else "with it no span of the paragraph is allowed"
        return found


def picture(shown: Shown, own: Own) -> list[Block]:
    """The blocks of the step."""
    return (two_questions, one_logit, layers)[shown.state.step - 1](Two(shown, own))


# ---- what the steps share


def subbed(key: str, text: str) -> Block:
    """A remark in which b_S and b_E stand so."""
    return ui.sentence(key, "note", *subs(text))


def asking(two: Two) -> list[Block]:
    """Which second question, and a box for one of the visitor's own."""
    box = "own.scores.typed"
    if not two.choices:
        return [ui.entry("typed", box, "type a second question, then Enter", two.own.typed, span=5)]
    pressed = enumerate(two.choices)
    options = [(q, {"own.scores.other": k, box: None}, q == two.question) for k, q in pressed]
    ready = ui.choice("second", "second question", options, span=8)
    return [ready, ui.entry("typed", box, "or type one, then Enter", two.own.typed, span=4)]


def told(two: Two) -> list[Block]:
    """What is not as usual: no second question, a refused one, the same one, changed logits."""
    said, found = "", list[Block]()
    if two.fault:
        said = f"The second question, {quote(two.question)}, was not read: {two.fault}."
    elif not two.question:
        said = "This text came without a second question; type one to see what moves."
    elif two.same:
        said = "The second question is the first one again, so nothing moves; type another."
    if said:
        found.append(ui.sentence("told-0", "note", said, span=12 if two.question else 7))
    own = "Logits were changed by hand; here stand the reader's own, S · h + b."
    return [*found, *([ui.remark("by-hand", own)] if two.shown.changed else [])]


# ---- step 1: two questions


def two_questions(two: Two) -> list[Block]:
    """The plane of all tokens; arrows lead two words from the first to the second question."""
    followed = two.second if two.own.follow == "second" and two.second else two.first
    i, j, many = followed.best.span.start, followed.best.span.end, len(two.heads.S)
    words = [(i, START), (j, END)] if i != j else [(i, INK)]
    which = [
        (f"{k} question", {"own.scores.follow": k}, two.own.follow == k) for k in get_args(Which)
    ]
    choices = [ui.choice("follow", "follow the best span of the", which)] if two.second else []
    return [
        ui.idea(
            f"*S and E are two vectors of {many} numbers, the same for every question and "
            f"text.* A token's {{}}, its {{}}. Only h, the {many} numbers that the encoder "
            "gives the token, changes with question and paragraph.",
            subs("start logit is S · h + b_S", START),
            subs("end logit E · h + b_E", END),
        ),
        ui.finding("{}", moved(two, i)),
        *asking(two),
        *told(two),
        key(two, words),
        plane(two, words, two.first if followed is two.second else two.second),
        ui.group("side", 5, *choices, *sums(two, (i, j))),
        ui.closing("S and E begin as random numbers; training learns them with the encoder."),
        *ui.folds(points_table(two), [exactly_two(two)], SNIPPET),
    ]


def moved(two: Two, d: int) -> list[Part]:
    """The finding: one word's start logit with both questions, and what the best span becomes."""

    def answer(asked: Asked) -> list[Part]:
        return [texts.span_words(asked.best, 30), *[" (“no answer” wins)"] * asked.silent]

    first, second, name = two.first, two.second, texts.said(two.e, d)
    before = [number(first.at(d)[0]), STRONG]
    if second is None:
        said = "{} has the start logit {}; the best span is {}."
        return say(said, name, before, answer(first))
    said = "With the second question the start logit of {} goes from {} to {}; the best span "
    same = (first.best.span, first.silent) == (second.best.span, second.silent)
    said += "stays {}." if same else "is now {} instead of {}."
    spans = [answer(first)] if same else [answer(second), answer(first)]
    return say(said, name, before, [number(second.at(d)[0]), STRONG], *spans)


def key(two: Two, words: Words) -> Block:
    """What the marks of the plane mean."""
    known = {START: "a best span's first token", END: "its last", INK: "start and end at once"}
    marks: list[tuple[str, str, Any]] = [("dot", INK, "first question")]
    if two.second and not two.same:
        marks += [("ring", INK, "second question"), ("arrow", INK, "from one to the other")]
    marks += [("bar", role, known[role]) for _, role in words]
    e = two.e
    of_first = " (first question)" if two.second and not two.same else ""
    others = f"the other {len(e.context_ids) - len(words)} tokens and {e.cls_token}{of_first}"
    marks.append(("dot", OTHER, others))
    split = next((w for w in (texts.word(e, d) for d, _ in words) if "·" in w), "")
    tokens = [[f"“{split}”", QUOTE], f" is one word of {split.count('·') + 1} tokens"]
    return ui.legend("key", *marks, *([("text", GREY, tokens)] if split else []))


def sums(two: Two, span: tuple[int, int]) -> list[Block]:
    """S · h + b_S = 6.04 − 0.14 = 5.90 with each question, for the words that are followed."""
    found: list[Block] = []
    both = (
        (two.first, "h", "first", "First question: {}"),
        (two.second, "h′", "second", "Second question, with other numbers h′: {}"),
    )
    for asked, h, name, said in both:
        if asked is None:
            continue
        lines, e = [], asked.reading.encoding
        for d, (lane, (column, letter, role)) in zip(span, LANES.items(), strict=True):
            total, bias = float(asked.at(d)[column]), two.heads.vector(lane)[1]
            product, word = total - bias, texts.said(e, d, role)
            sign = f"{plus(bias)} {adds((product, bias), total)} "
            sides = [number(product), role], sign, [number(total), role]
            lines.append([*word, *subs(f"  {letter} · {h} + b_{letter} = "), *sides])
        found.append(ui.remark(f"asked-{name}", said, [quote(e.question, 90), QUOTE]))
        found.append(ui.formula(f"formula-{name}", *lines))
    why = "S, E and the numbers b_S and b_E are the same in all four lines. The encoder reads "
    why += "question and paragraph together: h becomes h′."
    return [*found, *([subbed("same", why)] if two.second else [])]


def plane(two: Two, words: Words, rival: Asked | None) -> Block:
    """Every token's two logits, arrows for the followed words, the ends of `rival`'s best span."""
    first, e = two.first, two.e
    second = None if two.same else two.second
    points, (docs, roles) = owned_points(first.reading), zip(*words, strict=True)
    rest = np.setdiff1d(np.arange(len(points)), docs)
    none = np.array([[x[0] for x in wide(first.reading, two.window.index)]])
    firsts, seconds = [*words], [*words] * bool(second)
    if rival and second:
        ends = (rival.best.span.start, START), (rival.best.span.end, END)
        (seconds if rival is second else firsts).extend(w for w in ends if w[0] not in docs)
    before = np.array([first.at(d) for d, _ in firsts])
    after = np.array([second.at(d) for d, _ in seconds] if second else []).reshape(-1, 2)
    seen = np.concatenate([points[rest], before, after, none])
    low, high = seen.min(axis=0), seen.max(axis=0)
    low, high = low - 0.13 * (high - low + 1), high + 0.13 * (high - low + 1)
    arcs = [fig.bowed(a, b, high - low) for a, b in zip(before, after, strict=False)]

    marked = [*zip(before, firsts, strict=True), *zip(after, seconds, strict=True)]
    labels: list[fig.Name] = [(at, texts.bold_name(e, d), role) for at, (d, role) in marked]
    labels += [(none[0], f"<b>{escape(e.cls_token)}</b> “no answer”", GREY)]
    own, crowd = len(labels), np.concatenate([seen, *arcs])
    if two.shown.state.selection:  # its names come last, so that they move no other name
        picked = {two.shown.selection.end: END, two.shown.selection.start: START}
        new = [(d, picked[d]) for d in sorted(picked) if d not in docs]
        labels += [(first.at(d), texts.bold_name(e, d), role) for d, role in new]
    large, small = (fig.names_apart(labels, crowd, low, high, x) for x in ((600, 330), (280, 300)))

    def tokens(at: Points, docs: Sequence[int], which: str, marker: Block) -> Block:
        pressed = {"customdata": [*docs], "sets": {"selection": ["customdata", "customdata"]}}
        names = [f"{escape(texts.dotted(e, d))}, {which} question" for d in docs]
        return fig.dots(at, marker, names) | pressed

    arrows, square = zip(arcs, roles, strict=False), {"color": GREY, "size": 9, "symbol": "square"}
    drawn = [fig.arrow(arc, role) for arc, role in arrows if fig.long_enough(arc, high - low)]
    drawn.append(tokens(points[rest], rest.tolist(), "first", {"color": OTHER, "size": 6}))
    drawn.append(fig.dots(none, square, [escape(e.cls_token)]))
    for which, at, some in (("first", before, firsts), ("second", after, seconds)):
        colours = [role for _, role in some]
        fill = PAPER if at is after else colours
        marker = {"color": fill, "size": 11, "line": {"color": colours, "width": 2.5}}
        drawn.append(tokens(at, [d for d, _ in some], which, marker))
    limits, lines = np.stack([low, high]).T.tolist(), {"zeroline": True, "zerolinecolor": GREY}
    x, y = "start logit = S · h + b<sub>S</sub>  →", "end logit = E · h + b<sub>E</sub>  →"
    layout = ui.layout(376, 62, 8, 4, 50, annotations=large[:own])
    layout["xaxis"] = ui.axis(x, START, range=limits[0], **lines)
    layout["yaxis"] = ui.axis(y, END, range=limits[1], **lines)
    narrow: Block = {"height": 360, "margin.l": 50, **fig.moved(small[:own])}
    alt = "Every token of the text by its start logit and its end logit"
    alt += "; arrows lead two words from their first to their second place." if second else "."
    return ui.figure("plane", drawn, layout, alt, 7, {"annotations": large[own:]}, narrow)


def exactly_two(two: Two) -> Block:
    """Conditions that the first screen does without."""
    began = "normal random numbers of standard deviation 0.02, both b at 0"
    own = f"This reader's began as {began}. " * (two.shown.state.reader == "bundled")
    several = " This text has several windows. A dot stands for a token in the window that sees "
    several += "most around it; the arrows' words and “no answer” stand in their best span's."
    said = (
        f"S and E are the two rows of one linear layer, 2 x {len(two.heads.S)} numbers, with b_S = "
        f"{number(two.heads.b_S, 3)} and b_E = {number(two.heads.b_E, 3)}. {own}After training all "
        "are fixed. h is the token's hidden state after the last layer (T in BERT's paper); in the "
        "encoder it attends to the question's tokens. The plane shows all that the prediction uses "
        "of a token: its two logits. A logit is read against the others of its window: a constant "
        "added to all start logits changes no probability."
    )
    return subbed("conditions", said + several * (len(two.shown.true.windows) > 1))


def points_table(two: Two) -> Block:
    """The tokens of the plane: those that move most, or those with the highest logits."""
    before, e = owned_points(two.first.reading), two.e
    both = [before, owned_points(two.second.reading)] if two.second else [before]
    size = np.linalg.norm(both[1] - before, axis=1) if two.second else before.max(axis=1)
    rows = []
    for d in np.argsort(-size, kind="stable")[:20].tolist():
        logits = [number(x) for points in both for x in points[d]]
        rows.append(ui.row(texts.dotted(e, d), *logits, sets={"selection": [d, d]}))
    heads = ["token", "start logit", "end logit"]
    heads += ["start, second question", "end, second question"] if two.second else []
    caption = "The twenty tokens that move most" if two.second else "The twenty highest tokens"
    return ui.table("points", heads, rows, caption)


# ---- step 2: one logit


def taken_apart(two: Two, d: int) -> Products:
    """The products of piece d with each question's hidden state after the last layer, [d]."""
    states = []
    for asked, question in ((two.first, ""), (two.second, two.question)):
        if asked is not None:
            index, pos = asked.place(d)
            window, name = asked.reading.windows[index], ("h", question, index, pos)

            def last(reader: Any, *_: Any, window: Any = window, pos: int = pos) -> Points:
                found: Points = reader.hidden(window)[-1][pos].copy()  # a view would keep all
                return found

            states.append(two.shown.need(name, last).astype(np.float64))
    return products_of(two.heads, states, two.own.lane)


def one_logit(two: Two) -> list[Block]:
    """S · h as a running sum, and the same products with the second question's h."""
    d, (_, letter, _) = getattr(two.first.best.span, two.own.lane), LANES[two.own.lane]
    p, word = taken_apart(two, d), texts.said(two.e, d)
    lanes = [(f"{lane} logit", {"own.scores.lane": lane}, two.own.lane == lane) for lane in LANES]
    rest = f", the other {len(p.others)}" if p.others else ""
    left = f"*The {small_number(len(p.first))} products largest in size{rest}, and b*"
    right = "*The same numbers with the second question's h′*" if two.second else "*As numbers*"
    numbers = ui.remark("numbers", right), products("products", p, p.first)
    closing = f"b_{letter} raises every {p.lane} logit alike and changes no probability: the loss "
    closing += "gives it nothing to learn."
    return [
        ui.idea(
            f"{letter} · h multiplies {letter} and h number by number and adds up all "
            f"*{len(p.all)} products*{{}}",
            subs(f"; b_{letter} is one more number, the same for every token."),
        ),
        spread(word, p),
        ui.choice("lane", "take apart", lanes, span=4),
        *(block | {"span": 8} for block in asking(two)[: 1 if two.choices else None]),
        *told(two),
        ui.group("left", 7, ui.remark("bars", left), waterfall(p)),
        ui.group("right", 5, *numbers),
        whole_sum(word, p),
        ui.closing("{}", subs(closing)),
        *ui.folds(products("largest", p, p.order[:25]), [exactly_logit(two, p)], SNIPPET),
    ]


def spread(word: list[list[str]], p: Products) -> Block:
    """The finding: how many products raise the logit, how many lower it, and the largest."""
    up, down, most = p.all[p.all > 0], p.all[p.all < 0], float(p.all[p.order[0]])
    said = "No single number decides: " * bool(abs(most) < 0.25 * max(up.sum(), -down.sum()))
    said += f"{plural(len(up), 'product')} raise{'s' * (len(up) == 1)} the {p.lane} logit of "
    said += f"{{}} by {number(up.sum())} in all, {len(down) or 'none'} "
    said += f"lower{'s' * (len(down) < 2)} it by {number(-down.sum())}; the largest in size is "
    said += f"*{number(most)}*."
    return ui.finding(said, word)


def waterfall(p: Products) -> Block:
    """Bars that add up from 0 to the logit: products, the rest, b, the sum."""
    _, letter, role = LANES[p.lane]
    rows = [(f"number {k + 1}", p.all[k], product(p, k), role) for k in p.first]
    if p.others:
        left = p.sum_of(p.others)
        rows.append((f"the other {len(p.others)}", left, signed(left), OTHER))
    rows.append((f"b<sub>{letter}</sub>", p.bias, signed(p.bias), INK))
    names, sizes, said, colours = zip(*rows, strict=True)
    labels = [*names, f"<b>{p.lane} logit = {number(p.total)}</b>"]
    stops = np.cumsum([0.0, *sizes])
    low, high = float(stops.min()), float(stops.max())
    room, notes, edge = (high - low) or 1.0, [], 0.05
    narrow: Block = {"margin.l": 122, "margin.r": 4}
    for k, one in enumerate(said):
        left, right = sorted((float(stops[k]), float(stops[k + 1])))
        after = right < low + room * 0.6
        edge = edge if after or left > low + room * 0.12 else 0.14  # room for the number
        narrow[f"annotations.{k}.text"] = signed(sizes[k])
        side: Block = {"xanchor": "left" if after else "right", "xshift": 6 if after else -6}
        notes.append(ui.note(one, right if after else left, k, **side))
    marker, base = {"color": [*colours, role]}, ui.packed([*stops[:-1], 0.0])
    sums = ui.packed([*sizes, p.total])
    bars = ui.lying(sums, range(len(labels)), 0.66, marker, base=base)
    across: Block = {"range": [low - edge * room, high + 0.05 * room], "zerolinecolor": GREY}
    down: Block = {"tickvals": list(range(len(labels))), "ticktext": labels, "showgrid": False}
    layout = ui.layout(340, 138, 12, 4, 46, annotations=notes)
    title = f"running sum of {letter} · h + b<sub>{letter}</sub>"
    layout["xaxis"] = ui.axis(title, zeroline=True, **across)
    layout["yaxis"] = ui.axis(range=[len(labels) - 0.4, -0.6], **down)
    alt = f"Bars that add up to the {p.lane} logit, {number(p.total)}."
    return ui.figure("waterfall", [bars], layout, alt, narrow=narrow)


def product(p: Products, k: int) -> str:
    """One product as it is printed: −0.31 × (−2.04) = +0.63."""
    x, y = p.vector[k], p.states[0][k]
    first, second = (number(*pair) for pair in zip((x, y), p.digits, strict=True))
    equals = "=" if holds(x, y, p.digits) else "≈"
    return f"{first} × {f'({second})' if y < 0 else second} {equals} {signed(p.all[k])}"


def products(name: str, p: Products, numbers: list[int]) -> Block:
    """S, h and h′ for the same numbers: S is equal, h is not."""
    (first, second), (_, letter, role) = p.digits, LANES[p.lane]
    rows = []
    for k in numbers:
        factors = [number(p.vector[k], first), *(number(h[k], second) for h in p.states)]
        made = [number(p.vector[k] * h[k]) for h in p.states]
        rows.append(ui.row(str(k + 1), *factors, *made))
    left, empty = np.setdiff1d(np.arange(len(p.vector)), numbers), [""] * (1 + len(p.states))
    if len(left):
        others = [number(float(p.vector[left] @ h[left])) for h in p.states]
        rows.append(ui.row(f"other {len(left)}", *empty, *others))
    rows.append(ui.row("b", *empty, *[number(p.bias)] * len(p.states)))
    totals = [number(float(p.vector @ h) + p.bias) for h in p.states]
    rows.append(ui.row(f"{p.lane} logit", *empty, *totals, strong=True))
    dashes = ["", "′"][: len(p.states)]
    heads = ["number", (letter, role), *(f"h{x}" for x in dashes)]
    heads += [(f"{letter} × h{x}", role) for x in dashes]
    return ui.table(name, heads, rows, f"{letter}, h and their products, number by number")


def whole_sum(word: list[list[str]], p: Products) -> Block:
    """S · h + b_S = 1.66 + 4.38 − 0.14 = 5.90."""
    (_, letter, role), rest = LANES[p.lane], [p.sum_of(p.others)] if p.others else []
    largest, *more = addends = [p.sum_of(p.first), *rest, p.bias]
    names = f"the {small_number(len(p.first))} largest, {'the others, ' * len(rest)}b"
    sides = [number(largest), role], *(plus(x) for x in more)
    total = f" {adds(addends, p.total)} ", [number(p.total), role], [f"   ({names})", "grey"]
    line = [*word, *subs(f"  {letter} · h + b_{letter} = "), *sides, *total]
    return ui.formula("formula", line, label=f"{p.lane} logit of")


def exactly_logit(two: Two, p: Products) -> Block:
    """Why b learns nothing, and where ours comes from."""
    letter = LANES[p.lane][1]
    said = f"The loss of one window pulls each {p.lane} logit by p − y: p is its probability, y is "
    said += f"1 at the right position, else 0. b_{letter} is added to every logit, so its gradient "
    said += "is the sum of them all: Σ (p − y) = 1 − 1 = 0, for every text. "
    if two.shown.state.reader == "bundled":
        said += f"Ours, {number(p.bias, 3)}, began at 0. That is likely rounding: sums that "
        said += "miss 0 by about 0.00000003, which the optimiser Adam scales up to large steps. "
    said += "The numbers of h have no names of their own: the encoder may turn them as it likes if "
    said += "S and E turn with them."
    return subbed("bias", said)


# ---- step 3: layer by layer


def layers(two: Two) -> list[Block]:
    """The same S and E on the hidden states after every layer."""
    span, window = two.first.best.span, two.window
    at, n = (window.to_pos(span.start), window.to_pos(span.end)), len(window)
    made = ("lens", window.index), lambda reader, *_: logits_of(two.heads, reader.hidden(window))
    points: Points = two.shown.need(*made)
    ranks, depth = [rank_of(points[..., k], at[k]) for k in (0, 1)], len(points) - 1
    lines, found = [], list[Any]()
    for pos, (lane, (_, _, role)), rank in zip(at, LANES.items(), ranks, strict=True):
        found += [texts.said_at(two.shown, window, pos), [since(rank), STRONG]]
        place, name = (
            [", ".join(map(str, rank.tolist())), role],
            texts.said_at(two.shown, window, pos, role),
        )
        said = f"{{}} as {lane}: place {{}} of {n}, from the input to layer {depth}"
        lines.append(say(said, name, place))
    none = "“No answer” wins." * two.first.silent
    start, end = "the best span's first token as start", "its last as end"
    marks = ("line", START, start), ("line", END, end)
    others = ("line", OTHER, f"each other of the {n} tokens (question, [CLS] and [SEP] too)")
    said = f"Among all {n} tokens of the window {{}} as start {{}}; {{}} as end {{}}. {none}"
    return [
        ui.idea(
            "A token has a hidden state h after every layer. Here the same S and E read each of "
            "them; *only the last layer's logits decide the answer.*"
        ),
        ui.finding(said, *found),
        *(told(two) if two.shown.changed else []),
        ui.legend("key", *marks, others),
        curves(two, points, at),
        ui.formula("formula", *lines),
        ui.closing(
            "S and E were trained on the last layer: another may hold the answer in a form they "
            "cannot read."
        ),
        *ui.folds(layer_table(points, ranks, at), [exactly_layers(two, depth)], SNIPPET),
    ]


def since(rank: NDArray[np.int64]) -> str:
    """From which layer on a token is first."""
    if rank[-1] != 1:
        return f"is number {rank[-1]} in the end"
    first = int(np.flatnonzero(rank != 1)[-1]) + 1 if (rank != 1).any() else 0
    if first == len(rank) - 1:
        return "is first after the last layer only"
    return f"is first from layer {first} on" if first else "is first from the input on"


def curves(two: Two, points: Points, at: tuple[int, int]) -> Block:
    """Start logits and end logits by layer, one line for each token."""
    depth, low, high = len(points) - 1, float(points.min()), float(points.max())
    room, drawn, notes = (high - low) * 0.09, list[Block](), list[Block]()
    for k, role, axes in ((0, START, ""), (1, END, "2")):
        logits, pos = points[..., k], at[k]
        where = {"xaxis": "x" + axes, "yaxis": "y" + axes}
        drawn += [where | one for one in fig.one_of_many(logits, pos, role, "layer %{x}: %{y:.2f}")]
        side = {"xref": "x" + axes, "yref": "y" + axes, "xanchor": "left", "xshift": 10}
        for text, height, colour in last_two(two, logits[-1], pos, room):
            notes.append(ui.note(text, depth, height, colour or role, align="left", **side))
    ticked = [k for k in range(depth + 1) if k % (1 + depth // 9) == 0 or k == depth]
    ticks: Block = {"tickvals": ticked, "ticktext": ["input", *map(str, ticked[1:])]}
    ticks |= {"showgrid": False, "range": [-0.04 * depth, depth * 1.36]}
    heights: Block = {"range": [low - room / 3, high + room], "zeroline": True, "nticks": 9}
    x, y = (
        f"{lane} logit {v} · h + b<sub>{v}</sub>, h after layer …"
        for lane, (_, v, _) in LANES.items()
    )
    layout = ui.layout(356, 60, 8, 6, 48, annotations=notes)
    layout["xaxis"] = ui.axis(x, START, domain=[0, 0.485], **ticks)
    layout["xaxis2"] = ui.axis(y, END, domain=[0.515, 1], anchor="y2", **ticks)
    layout["yaxis"] = ui.axis("logit", zerolinecolor=GREY, **heights)
    bare: Block = {"anchor": "x2", "showticklabels": False, "zerolinecolor": GREY}
    layout["yaxis2"] = ui.axis(**bare, **heights)
    narrow: Block = {"height": 600, "margin.l": 46, "yaxis2.showticklabels": True}
    narrow |= {"xaxis.domain": [0, 1], "xaxis2.domain": [0, 1]}
    narrow |= {"yaxis.domain": [0.58, 1], "yaxis2.domain": [0, 0.42]}
    reach = [-0.04 * depth, depth * 1.55]  # room for names
    narrow |= {"xaxis.range": reach, "xaxis2.range": reach}
    alt = "Start logits and end logits after each layer, one line for each token of the window."
    return ui.figure("layers", drawn, layout, alt, narrow=narrow)


def last_two(two: Two, last: Points, pos: int, room: float) -> list[tuple[str, float, str]]:
    """The names of the token and of the highest other one, with their height and colour."""
    rival = int(np.where(np.arange(len(last)) == pos, -np.inf, last).argmax())
    mine, other = float(last[pos]), float(last[rival])
    way = 1 if mine >= other else -1
    gap = max(0.0, room * 1.7 - abs(mine - other)) / 2 * way
    own = texts.bold_name(two.e, two.window.to_doc(pos))
    name = escape(texts.position_name(two.shown, two.window, rival)[:20])
    next_one = f"{'next' if way > 0 else 'first'}: “{name}”<br>{number(other)}"
    return [(f"{own}<br>{number(mine)}", mine + gap, ""), (next_one, other - gap, GREY)]


def exactly_layers(two: Two, depth: int) -> str:
    """What such a reading of an earlier layer is worth."""
    many = " Shown is the window of the best span." if len(two.shown.true.windows) > 1 else ""
    return (
        f"The input is the sum of the embeddings, before the first of {depth} layers. What S and "
        "E say of an earlier layer is a way of looking (a lens), not a result of training: a low "
        "place there does not mean that the layer lacks the answer. A place counts how many "
        "positions of the window have a larger logit, plus one. The best pair need not hold the "
        f"highest start and the highest end, so a place may stay above 1.{many}"
    )


def layer_table(points: Points, ranks: list[Any], at: tuple[int, int]) -> Block:
    """Logit and place after each layer."""
    rows = []
    for k, places in enumerate(zip(*ranks, strict=True)):
        start, end = number(points[k, at[0], 0]), number(points[k, at[1], 1])
        rows.append(ui.row(str(k or "input"), start, str(places[0]), end, str(places[1])))
    heads = ["after layer", "start logit", ("place", START), "end logit", ("place", END)]
    return ui.table("by-layer", heads, rows, "The best span's first token as start, last as end")
