"""Chapter 7, Tags: B begins an answer, I continues one, O is outside.

p_i = softmax(W h_i + b), W [3, d], b [3], h_i [d]; L = -sum_i sum_j t_ij log p_ij with t the mean
of the annotators' tags. A tagging is possible where no I stands first or follows an O.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from qa_demo import blocks as ui
from qa_demo.blocks import Block, axis, formula, number, probability, quote
from qa_demo.core.learning import bio as core
from qa_demo.core.learning.losses import TagGold
from qa_demo.core.learning.tagging import annotator_tags, illegal_at, owned_rows, soft_terms
from qa_demo.core.reading.words import touching
from qa_demo.core.types import TAGS, Span
from qa_demo.shown import Shown
from qa_demo.state import Int, Record
from qa_demo.texts import bold, dotted, said, word

NAME = "Tags"
HEADINGS = (
    "What if every token is tagged: begins an answer, inside one, outside?",
    "What is the right tag when annotators disagree?",
    "What does training lower when a token has one label?",
    "How do tags become answers?",
)
STEPS = ("Every token", "Several annotators", "One label", "Tags to spans")
OPENS: dict[int, dict[str, Any]] = {2: {"example": "nobel-1903"}, 4: {"example": "south-pole"}}
TEXTS = {
    2: {
        "nobel-1903": "the prize of 1903 (“Henri”: B, B, O)",
        "oresund": "the bridge (“Georg”: B, I, B)",
        "reef": "the reef (no answer)",
    },
    4: {
        "south-pole": "the South Pole (two answers)",
        "oresund": "the bridge (one answer)",
        "reef": "the reef (no answer)",
    },
}
"""The texts that a step offers."""
ROLES, ON = (ui.B, ui.I, ui.O), (ui.PAPER, ui.INK, ui.INK)
"""A tag's colour, and that of the letters on it."""
WIDTH = 384
"""Numbers in a hidden state of the bundled reader (a test compares them)."""
REFITTED = "aa78362681d1"
"""The bundled reader whose W and b were fitted on whole taggings."""
PIXELS, MOST = 1150, 16
"""Width of a picture, and how many columns it has room for."""
SERIF = '"Spanlight Serif", serif'
IDEAS = (
    "A second head on the same encoder gives every token three probabilities that add up to 1: "
    "{B} begins an answer, {I} continues one, {O} is outside.",
    "Where annotators disagree, a token's label is {t}, the mean of their tags (a {soft}). "
    "In the loss every tag counts by its share.",
    "With one label a token, {t} is 1 for the right tag and 0 for the two others, so one term of "
    "the sum is left: {term}.",
    "{B} opens an answer, every {I} right after it continues it, {O} ends it. {never}: "
    "nothing has begun.",
)
SNIPPET = """\
from itertools import product

import numpy as np

W = np.array([[2.0, 1.0], [-1.0, 3.0], [0.5, -1.0]])  # 3 x 384 in the reader
h, b = np.array([1.2, 0.8]), np.array([0.1, 0.0, 0.3])  # 384 and 3 numbers
p = np.exp(W @ h + b) / np.exp(W @ h + b).sum()
t = np.array([2 / 3, 0, 1 / 3])  # three annotators say B, B, O
print("p", p.round(3), "loss", -(t * np.log(p)).sum().round(3))

# Danish architect Georg Rot·ne . : how likely is it that Georg is B, of the possible taggings?
P = [(0.010, 0.114, 0.875), (0.002, 0.200, 0.798), (0.562, 0.358, 0.080)]
P += [(0.001, 0.965, 0.034), (0.001, 0.994, 0.005), (0.000, 0.060, 0.940)]
weight = dict.fromkeys("BIO", 0.0)
for tags in product("BIO", repeat=6):
    if all(tag != "I" or (k and tags[k - 1] != "O") for k, tag in enumerate(tags)):
        weight[tags[2]] += np.prod([P[k]["BIO".index(tag)] for k, tag in enumerate(tags)])
print("alone", P[2][0], "possible", weight["B"] / sum(weight.values()))
"""
Array = NDArray[Any]
Parts = list[Any]
Named = dict[str, Parts]


class Own(Record):
    """What this chapter alone keeps: which label step 3 shows, by its number."""

    label: Annotated[Int, Field(ge=0)] = 0


class Tags:
    """What the tag head says: `p` and `logits` [D, 3] of every token of the paragraph, from the
    window that sees most around it, and the most likely tag of each by itself, `single` [D].
    """

    def __init__(self, shown: Shown) -> None:
        self.shown, self.reading, self.e = shown, shown.true, shown.encoding
        log_rows, _ = owned_rows(self.reading)
        self.p, self.single = np.exp(log_rows), core.argmax_tags(log_rows)
        self.size, self.logits = len(log_rows), np.zeros_like(log_rows)
        assert self.reading.tag_logits is not None
        for w in self.reading.windows:
            self.logits[w.owned] = self.reading.tag_logits[w.index, : len(w)][w.is_max_context]

    def about(self, own: int) -> int:
        """The token of frame and formula: the selection's first, or the step's own."""
        return own if self.shown.state.selection is None else self.shown.selection.start


def picture(shown: Shown, own: Own) -> list[Block | None]:
    """The blocks of the step; logits changed by hand do not change the tags."""
    step, made = shown.state.step, list[Block | None]()
    terms = {"soft": "soft label", "term": "−log p(right tag)"}
    terms["never"] = "An I at the front or right after an O is impossible"
    idea = say(IDEAS[step - 1], **{k: [[words, ui.STRONG]] for k, words in terms.items()})
    if shown.true.tag_logits is None:
        lacks = "This reader has start and end only, so it gives no tags; the bundled one does."
        made = [finding(lacks), ui.button("other", "Read with it", {"reader": "bundled"})]
    else:
        made = (every_token, labelled, labelled, to_spans)[step - 1](Tags(shown), own)
    snippet = ui.fold("code", "The code", ui.code("py", SNIPPET), span=4)
    return [ui.sentence("idea", "idea", *idea), *made, snippet]


# ---- words


def say(template: str, **named: Sequence[Any]) -> Parts:
    """The template's words as parts, with other parts in the place of each {name}."""
    given = {k: [[k, r]] for k, r in zip(TAGS, ROLES, strict=True)} | {"t": [["t", ui.TERM]]}
    pieces = re.split(r"\{(\w+)\}", template)
    return [x for k, one in enumerate(pieces) for x in ((given | named)[one] if k % 2 else [one])]


def finding(*some: Any) -> Block:
    """What this text shows."""
    return ui.sentence("finding", "finding", *some)


def coloured(values: Sequence[str], between: str = ", ", roles: Sequence[str] = ROLES) -> Parts:
    """Values with a sign between them, each in the colour of its tag."""
    made: Parts = []
    for value, role in zip(values, roles, strict=True):
        made += [between, [value, role]] if made else [[value, role]]
    return made


def strong(text: str) -> Parts:
    """One part that stands out."""
    return [[text, ui.STRONG]]


def share(t: float) -> str:
    """A share of annotators: 2/3, 1, 0."""
    return str(Fraction(float(t)).limit_denominator(20))


def rounded(x: float) -> str:
    """A positive number with three digits or one decimal: 77.0, 9.81, 0.0850, 0.00269."""
    return number(x, 1 if x >= 10 else 2 - int(np.floor(np.log10(max(x, 1e-9)))))


def value(printed: str) -> float:
    """What a printed number says."""
    return float(printed.replace(",", "").strip("<>"))


def equals(used: Sequence[str], again: float, result: str) -> str:
    """The result behind "=" where the printed numbers give it, else behind "≈"."""
    if result[0] in "<>":
        return f" {result}"
    exact = f"{again:.{len(result.partition('.')[2])}f}" == result
    return f" = {result}" if exact and not any(x[0] in "<>" for x in used) else f" ≈ {result}"


def at_least(p: Array) -> str:
    """The smallest of some probabilities, rounded down: 0.9968 gives 0.996."""
    digits = 3 if p.min() > 0.99 else 2
    return f"{np.floor(p.min() * 10**digits) / 10**digits:.{digits}f}"


# ---- columns and ladders


class Columns:
    """Tokens as columns: (first, last) piece of each in `cells`; a run of quiet tokens, always of
    whole words, shares one. `at` and `width` on an axis of length `total`.
    """

    def __init__(self, tags: Tags, keep: Sequence[int]) -> None:
        self.tags, ids, n = tags, tags.e.word_ids, tags.size
        pieces = Counter(ids.tolist())
        for quiet, near in ((0.98, 1), (0.95, 1), (0.9, 0), (0.7, 0), (0.5, 0), (0, 0)):
            loud = tags.p[:, 2] <= quiet
            loud[list(keep)] = True
            words = set(ids[loud].tolist())
            beside = {w + j for w in words for j in (-near, near) if pieces[w + j] < 3}
            self.cells = folded(np.isin(ids, list(words | beside)))
            if len(self.cells) <= MOST:
                break
        else:
            self.cells = folded(abs(np.arange(n) - min(keep) - MOST / 2 + 4) <= MOST / 2 - 2)
        wide = max(1.9, len(self.cells) / 8)
        self.width = np.array([1.0 if a == z else wide for a, z in self.cells])
        self.at, self.total = self.width.cumsum() - self.width / 2, float(self.width.sum())
        self.room, single = PIXELS / self.total, [a for a, z in self.cells if a == z]
        self.whole = all(7.4 * (len(word(tags.e, a)) + 2) < self.room for a in single)
        self.flat = all(7.4 * (len(dotted(tags.e, a)) + 1) < self.room for a in single)

    def of(self, d: int) -> int:
        """The column of a piece."""
        return next(n for n, (a, z) in enumerate(self.cells) if a <= d <= z)

    def sums(self, values: Array) -> Array:
        """The sum over each column's tokens."""
        return np.array([values[a : z + 1].sum() for a, z in self.cells])

    def name(self, n: int, tagged: bool) -> str:
        """“Rot·<b>ne</b>”, ·ne where that does not fit, a run by its first and last word."""
        (a, z), e = self.cells[n], self.tags.e
        kinds = sorted({TAGS[k] for k in self.tags.single[a : z + 1]})
        below = f"<br>{'all ' if a < z else ''}<b>{', '.join(kinds)}</b>" if tagged else ""
        if a == z:
            own = bold(e, a) if "·" in word(e, a) else ui.escape(word(e, a))
            return (f"“{own}”" if self.whole else ui.escape(dotted(e, a))) + below
        last = max((d for d in range(a, z + 1) if word(e, d, "").isalnum()), default=z)
        ends = f"“{word(e, a, '')} … {word(e, last, '')}”"
        return (ui.escape(ends) if len(ends) * 8 < self.room * self.width[n] else "…") + below

    def around(self, d: int) -> list[float]:
        """What a narrow screen has room for: six columns from the one before `d` on."""
        last = min(len(self.cells) - 1, max(0, self.of(d) - 1) + 5)
        ends, first = self.at + self.width / 2, max(0, last - 5)
        return [float(ends[first] - self.width[first]), float(ends[last])]


def folded(apart: Array) -> list[tuple[int, int]]:
    """One column for each token that stands apart, and for each run of three or more others."""
    cells: list[tuple[int, int]] = []
    for run in np.split(np.arange(len(apart)), np.flatnonzero(np.diff(apart)) + 1):
        a, z = int(run[0]), int(run[-1])
        cells += [(k, k) for k in range(a, z + 1)] if apart[a] or z - a < 2 else [(a, z)]
    return cells


class Rung(NamedTuple):
    """One row of a ladder: a title, of which a narrow screen shows what stands before the colon;
    pixels; the top of its axis; its traces, to which the ladder adds the axis.
    """

    title: str
    pixels: int
    top: float
    traces: list[Block]


def ladder(cols: Columns, rungs: Sequence[Rung], alt: str, near: int, about: int | None) -> Block:
    """Rows under one axis; `near`: where a narrow screen looks; `about`: the token in a frame."""
    one = len(rungs) == 1
    heads, bottom = [4 if one else 24] * len(rungs), (36 if cols.flat else 78) + 40 * one
    inner = sum(heads) + sum(r.pixels for r in rungs)
    layout: Block = {"height": inner + bottom, "barmode": "stack", "bargap": 0, "annotations": []}
    layout["margin"] = {"l": 58 if one else 4, "r": 8, "t": 0, "b": bottom}
    narrow: Block = {"xaxis.range": cols.around(near), "xaxis.tickangle": -40, "margin.b": 88}
    narrow |= {"data.bar.insidetextfont.size": 10.5, "xaxis.title.text": "", "height": inner + 88}
    data, top = list[Block](), 1.0
    ticks = {"tickvals": [0, 0.5, 1]} if one else {"showticklabels": False, "showgrid": False}
    place = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    for n, (r, head) in enumerate(zip(rungs, heads, strict=True), 1):
        high, top = top - head / inner, top - (head + r.pixels) / inner
        name = str(n) if n > 1 else ""
        scale: Block = {"range": [0, r.top], "domain": [max(0, top), high]}
        layout["yaxis" + name] = axis("probability" if one else None, **scale, **ticks)
        layout["annotations"].append(ui.note(r.title, 0, high, bgcolor=ui.PAPER, **place))
        narrow[f"annotations.{n - 1}.text"] = r.title.split(":")[0]
        data += [{**trace, "yaxis": "y" + name} for trace in r.traces]
    title = "the paragraph's tokens (a dot joins pieces of a word), each with its likeliest tag"
    named, size = axis(title if one else None, ui.GREY, showgrid=False), [0, cols.total]
    layout["xaxis"] = named | {
        "range": size,
        "tickvals": cols.at.tolist(),
        "ticktext": [cols.name(n, one) for n in range(len(cols.cells))],
        "tickfont": {"family": SERIF, "size": 15 if cols.flat else 13, "color": ui.INK},
        "tickangle": 0 if cols.flat else -35,
        "anchor": "y" if one else f"y{len(rungs)}",
    }
    shapes = []
    if about is not None:
        x, half = float(cols.at[cols.of(about)]), float(cols.width[cols.of(about)]) / 2 - 0.02
        edge = {"yref": "paper", "y0": 0, "y1": 1, "line": {"color": ui.INK, "width": 2}}
        shapes = [{"type": "rect", "x0": x - half, "x1": x + half, **edge}]
    short = [ui.escape(dotted(cols.tags.e, a)) if a == z else "…" for a, z in cols.cells]
    own = [f" <b>{TAGS[cols.tags.single[a]]}</b>" if one and a == z else "" for a, z in cols.cells]
    narrow["xaxis.ticktext"] = [x + y for x, y in zip(short, own, strict=True)]
    overlay = {"shapes": shapes, "annotations": []}
    return ui.figure("tags", data, layout, alt, overlay=overlay, narrow=narrow)


def bars(cols: Columns, y: Any, colour: Any, words: Sequence[str] = (), **more: Any) -> Block:
    """One bar a column with words inside; a press selects its token."""
    made: Block = {"type": "bar", "x": cols.at.tolist(), "width": (cols.width - 0.1).tolist()}
    made |= {"y": np.round(y, 5).tolist(), "marker": {"color": colour}, "text": list(words)}
    made |= {"customdata": [a for a, _ in cols.cells], "hoverinfo": "skip", "textangle": 0}
    made |= {"textposition": "inside", "insidetextanchor": "middle", "constraintext": "none"}
    made |= {"insidetextfont": {"color": more.pop("ink", ui.INK), "size": 14}}
    if more.pop("hatch", False):
        lines = {"shape": "/", "fgcolor": ui.GREY, "bgcolor": ui.PAPER, "size": 6, "solidity": 0.2}
        made["marker"]["pattern"] = lines
    return {**made, "sets": {"selection": ["customdata", "customdata"]}, **more}


def stacked(
    cols: Columns, shares: Array, text: Callable[[int, int, float], str], right: Array | None = None
) -> list[Block]:
    """B, I, O stacked, of a run the mean; `text(column, tag, share)`; pale where not `right`."""
    made, counts = [], [z - a + 1 for a, z in cols.cells]
    for k in range(3):
        means = cols.sums(shares[:, k]) / counts
        clear = [right is None or k in right[a : z + 1] for a, z in cols.cells]
        words = [text(n, k, v) if clear[n] else "" for n, v in enumerate(means.tolist())]
        bar = bars(cols, means, ROLES[k], words, ink=ON[k])
        bar["marker"]["opacity"] = [1.0 if c else 0.2 for c in clear]
        hover = [f"{TAGS[k]} {probability(v, 4)}" for v in means.tolist()]
        made.append({**bar, "hovertext": hover, "hoverinfo": "text"})
    return made


def probabilities(cols: Columns, pixels: int, right: Array | None = None) -> list[Block]:
    """The reader's p; a run says how many tokens it holds, and how surely they are O."""
    p, single = cols.tags.p, cols.tags.single

    def text(n: int, k: int, v: float) -> str:
        (a, z), roomy = cols.cells[n], cols.room > 52 and v < 0.995
        if a == z:
            return "" if v * pixels < 16 else f"{TAGS[k]} {v:.2f}" if roomy else TAGS[k]
        inside, count = single[a : z + 1], f"{z - a + 1} more,<br>"
        if (inside == 2).all():
            return f"{count}each O ≥ {at_least(p[a : z + 1, 2])}" if k == 2 else ""
        most = k == int(np.bincount(inside).argmax())
        return f"{count}{int((inside == k).sum())} of them {TAGS[k]}" if most else ""

    return stacked(cols, p, text, right)


def tagging(
    cols: Columns, tags: Array, base: float = 0, text: Any = None, wrong: Sequence[int] = ()
) -> list[Block]:
    """One tagging: a cell with its letter for each column; `wrong` tokens are hatched."""
    made = []
    for bad in (False, True) if wrong else (False,):
        tops = [int(np.bincount(tags[a : z + 1]).argmax()) for a, z in cols.cells]
        here = [bad == (a == z and a in wrong) for a, z in cols.cells]
        whole = zip(tops, cols.cells, here, strict=True)
        rest = [" …" * (len(set(tags[a : z + 1].tolist())) > 1) for a, z in cols.cells]
        words = [(text(a) if text and a == z else TAGS[k]) * own for k, (a, z), own in whole]
        words = [x + y for x, y in zip(words, rest, strict=True)]
        colour = ui.PAPER if bad else [ROLES[k] for k in tops]
        more = {"hatch": bad, "base": base, "ink": [ui.INK if bad else ON[k] for k in tops]}
        made.append(bars(cols, np.where(here, 0.88, 0), colour, words, **more))
    return made


def key(*more: tuple[str, str, Any]) -> Block:
    """The three tags, and what else a step draws."""
    words = ("{B} begins an answer", "{I} continues one", "{O} is outside")
    return ui.legend("key", *(("box", r, say(t)) for r, t in zip(ROLES, words, strict=True)), *more)


# ---- step 1


def every_token(tags: Tags, own: Own) -> list[Block | None]:
    """Three probabilities a token."""
    runs, lone = core.spans_of_tags(tags.single.tolist()), illegal_at(tags.single.tolist())
    home = max((r.start for r in runs), key=lambda d: tags.p[d, 0], default=None)
    home = home if home is not None else [*lone, tags.shown.best.span.start][0]
    about, cols = tags.about(home), Columns(tags, [home])
    alt = "For each token near the answer the probabilities of B, I and O, stacked to 1"
    last = "Each token has its own softmax; its h has read question and paragraph. "
    return [
        finding_of_tags(tags, [r for r in runs if r.start == home], home, len(runs) > 1 or lone),
        key(),
        ladder(cols, [Rung("", 264, 1.004, probabilities(cols, 264))], alt, home, about),
        softmax_formula(tags, about),
        ui.sentence("closing", "closing", last + "Step 4 reads answers off the tags."),
        exactly(
            tags,
            "h is T in BERT's paper: the token's hidden state after the last layer, the one that "
            "start and end read too. [CLS], the question and the separators get no tag. Tokens "
            "that are surely O share a column. In a text of several windows each token's "
            "probabilities are from the window that sees most around it.",
        ),
        as_table(cols),
    ]


def finding_of_tags(tags: Tags, run: Sequence[Any], home: int, more: Any) -> Block:
    """Which tokens are most likely B or I, and how many are O."""
    e, p, read = tags.e, tags.p, list[Any]()
    found, words = "No token is most likely {B} or {I}: the tags say “no answer”. ", ""
    if run:
        n, words = len(run[0]) - 1, e.text(run[0])
        found = f"{{home}} is most likely {{B}} ({probability(p[home, 0])})"
        if n:
            least = f"each ≥ {at_least(p[home + 1 : home + n + 1, 1])}"
            least = least if n > 1 else probability(p[home + 1, 1])
            found += f", the next {f'{n} are' if n > 1 else 'one is'} {{I}} ({least})"
        found += ": {words}. "
    elif more:
        found = f"No token is most likely {{B}}; {{home}} is {{I}} ({probability(p[home, 1])}). "
    if more:
        for one in core.decode_reading(tags.reading)[:3]:
            read += [", "] * bool(read) + [[quote(one.text, 34), ui.QUOTE]]
        found += "Read together (step 4) the tags give {read}. "
    found += f"{int((tags.single == 2).sum()):,} of {tags.size:,} tokens are most likely {{O}}."
    named = {"home": said(e, home), "words": [[quote(words), ui.QUOTE]]}
    return finding(*say(found, read=read or ["no answer"], **named))


def softmax_formula(tags: Tags, d: int) -> Block:
    """p = softmax(W h + b) with its sizes, then one token's three logits and their softmax."""
    z, k, width = tags.logits[d], int(tags.single[d]), f"{hidden_size(tags.shown):,}"
    logits = [f"exp({number(v, 3)})" for v in z]
    weights, again = ([rounded(float(np.exp(v))) for v in some] for some in (z, np.round(z, 3)))
    ratio = value(weights[k]) / sum(map(value, weights))
    sizes = f"   h: the token's {width} numbers;  W: 3 × {width};  b: 3 numbers;  "
    line = "P({token} is {tag}) = {top} / ({logits}) {sign} {weight} / ({weights}){result}"
    named: Named = {"token": said(tags.e, d), "sign": ["=" if again == weights else "≈"]}
    ones = {"tag": TAGS[k], "top": logits[k], "weight": weights[k]}
    named |= {name: [[text, ROLES[k]]] for name, text in ones.items()}
    named |= {"logits": coloured(logits, " + "), "weights": coloured(weights, " + ")}
    named |= {"result": strong(equals(weights, ratio, probability(tags.p[d, k])))}
    first = ["p = softmax(W h + b)", [sizes + "W and b are the same for every token", "note"]]
    return formula("p", first, say(line, **named))


def hidden_size(shown: Shown) -> int:
    """How many numbers a hidden state has; the bundled reader's are known before it is loaded."""
    if shown.true.model_name == "bundled":
        return WIDTH
    return len(shown.need("heads", lambda reader, *_: reader.heads()).S)


def exactly(tags: Tags, *some: str) -> Block:
    """Conditions that the screen does without, and where the tag head comes from."""
    last = "The answer in the page's head is that of start and end. Logits changed by hand do not "
    last += "change the tags, which have a layer of their own."
    if tags.reading.checksum.startswith(REFITTED):
        last += " This reader's W and b, 1,155 numbers, were fitted once more at the end, on the "
        last += "probability of whole taggings and three tenths of the loss of steps 2 and 3."
    said_ = [ui.sentence(f"exact-{n}", "note", one) for n, one in enumerate((*some, last))]
    return ui.fold("exactly", "Exactly", *said_, span=4)


def as_table(cols: Columns, *more: tuple[str, Callable[[int], str]]) -> Block:
    """The tokens that are drawn; a run is one row."""
    tags, rows = cols.tags, []
    for a, z in cols.cells:
        cells = [ui.plural(z - a + 1, "token"), "", "", f"≥ {at_least(tags.p[a : z + 1, 2])}", ""]
        if a == z:
            cells = [dotted(tags.e, a), *map(probability, tags.p[a]), TAGS[tags.single[a]]]
        cells += [f(a) if a == z else "" for _, f in more]
        sets = {"selection": [a, a]} if a == z else None
        rows.append(ui.row(str(a) if a == z else f"{a} to {z}", *cells, sets=sets))
    names = ["piece", "token", "P(B)", "P(I)", "P(O)", "likeliest", *(h for h, _ in more)]
    heads = [(h, ROLES[n - 2] if 2 <= n < 5 else "") for n, h in enumerate(names)]
    made = ui.table("rows", heads, rows, caption="The tokens that are drawn")
    return ui.fold("table", "As a table", made, span=4)


# ---- steps 2 and 3


def labels(shown: Shown) -> list[TagGold]:
    """Each annotator's span, None for "no answer"; empty where nobody marked anything."""
    if shown.golds:
        return [touching(shown.encoding, g.char_start, g.char_end) for g in shown.golds]
    return [None] if shown.example is not None and shown.state.gold is None else []


def texts(shown: Shown) -> Block | None:
    """The texts of a step, and another one where it is chosen."""
    now, options = shown.example.id if shown.example else None, []
    for name, label in TEXTS.get(shown.state.step, {}).items():
        if name in shown.examples:
            words = shown.examples[name].title if shown.state.veil else label
            options.append((words, {"example": name}, name == now))
    if options and not any(on for *_, on in options):
        options.append((shown.example.title if shown.example else "this text", {}, True))
    return ui.choice("text", "the text:", options) if options else None


class Labels:
    """The labels of a step: all annotators' of step 2, the chosen one of step 3; `rows` [D] each,
    their mean t and losses in `terms`; `home`: the token that the step begins with.
    """

    def __init__(self, tags: Tags, golds: Sequence[TagGold], own: Own) -> None:
        self.kinds, self.soft = Counter(golds).most_common(), tags.shown.state.step == 2
        self.chosen, self.people = min(own.label, len(self.kinds) - 1), len(golds)
        used = golds if self.soft else [self.kinds[self.chosen][0]]
        self.rows = [annotator_tags(tags.size, g) for g in used]
        self.terms = soft_terms(tags.reading, used)
        self.t, self.tagged = self.terms.targets, np.flatnonzero(self.terms.targets[:, 2] < 1)
        rank = [(self.terms.floor[d] > 1e-9, self.t[d, 0], -d) for d in self.tagged]
        self.home = -int(max(rank)[2]) if rank else tags.shown.best.span.start

    def rungs(self, cols: Columns) -> list[Rung]:
        """Labels, for step 2 their mean, the reader's p, the loss of each token."""
        terms = self.terms
        few = self.rows if len(self.rows) < 5 else list(np.unique(self.rows, axis=0)[:5])
        cells = [x for n, r in enumerate(few) for x in tagging(cols, r, len(few) - 1 - n)]
        who = "the right tag of each token"
        if len(self.rows) > 1:
            each = "each" if few is self.rows else "for each different answer"
            who = f"{len(self.rows)} annotators: one row {each}"
        who += "" if len(self.tagged) else ": the paragraph does not answer, so O"
        first = Rung(who, 25 * len(few), float(len(few)), cells)
        if not self.soft:
            pale = "the reader's p: pale is times 0, it drops out"
            p = Rung(pale, 108, 1, probabilities(cols, 108, few[0]))
            title = "loss of each token: −log p(right tag) (of several tokens their sum)"
            return [first, p, losses(cols, title, 88, 3, (terms.loss, False))]

        def mean(n: int, k: int, v: float) -> str:
            part = v < 1 and cols.room > 52 and cols.cells[n][0] == cols.cells[n][1]
            return "" if v < 0.2 else f"{TAGS[k]} {share(v)}" if part else TAGS[k]

        title = "loss of each token: −Σ t log p (of several tokens their sum)"
        soft = "their mean t: the soft label of each token"
        parts = (terms.floor, True), (terms.divergence, False)
        return [
            first,
            Rung(soft, 50, 1, stacked(cols, self.t, mean)),
            Rung("the reader's p", 50, 1, probabilities(cols, 50)),
            losses(cols, title, 60, 2, *parts),
        ]


def losses(cols: Columns, title: str, pixels: int, digits: int, *pieces: Any) -> Rung:
    """The loss of each token with its number; `pieces` (values, hatched) stand on each other."""
    sums = sum((cols.sums(values) for values, _ in pieces), np.zeros(len(cols.cells)))
    least = 10.0**-digits
    words = [f"<{least:.{digits}f}" if 0 < v < least / 2 else number(v, digits) for v in sums]
    over = {"type": "scatter", "mode": "text", "x": cols.at.tolist(), "y": sums.tolist()}
    over |= {"text": list(map(ui.escape, words)), "textposition": "top center", "hoverinfo": "skip"}
    over |= {"textfont": {"size": 13, "color": ui.INK}, "cliponaxis": False}
    drawn = [bars(cols, cols.sums(v), ui.PAPER if h else ui.INK, hatch=h) for v, h in pieces]
    top = max(float(sums.max()), 1e-3) * pixels / (pixels - 20)
    return Rung(title, pixels, top, [*drawn, over])


def labelled(tags: Tags, own: Own) -> list[Block | None]:
    """Step 2, all annotators and their mean; step 3, one label."""
    shown, golds = tags.shown, labels(tags.shown)
    if not golds:
        nobody = "Nobody marked an answer in this text: no token has a label, so there is no loss."
        return [finding(nobody), texts(shown)]
    ls = Labels(tags, golds, own)
    about, cols, terms = tags.about(ls.home), Columns(tags, [*ls.tagged, ls.home]), ls.terms
    sums = float(terms.floor.sum()), float(terms.divergence.sum())
    last = "Here all labels agree, so with p = t every loss would be 0."
    if sums[0] > 1e-9:
        last = "No reader can bring this loss to 0: hatched is the annotators' disagreement."
    if not ls.soft:
        last = "Lowering L raises the right tags' probabilities. "
        last += "Without the minus sign it is the log-likelihood, to be raised."
    hatch = ("hatch", ui.GREY, "least possible loss, reached at p = t")
    total = f"{number(sums[0], 3)} + {number(sums[1], 3)} {ui.adds(sums, terms.total, 3)}"
    alt = "For each token its labels, the reader's probabilities and its loss"
    return [
        finding_of_labels(tags, ls, about),
        texts(shown) if ls.soft else kinds_choice(shown, ls),
        key(hatch, ("bar", ui.INK, "what training can still lower")) if ls.soft else key(),
        ladder(cols, ls.rungs(cols), alt, ls.home, about),
        loss_formula(tags, ls, about),
        ui.sentence("closing", "closing", last),
        exactly(
            tags,
            "log is the natural logarithm. L = −Σ over the tokens Σ over B, I, O of t log p. The "
            "least possible part is the entropy of t, −Σ t log t, the rest is KL(t ‖ p); of all "
            f"tokens {total} {number(terms.total, 3)}. Training divides by the number of tokens; "
            "each step follows a batch of texts, so one text's loss may rise.",
            "B is the first piece of an answer, I every later one. Where a window cuts an answer, "
            "its part keeps its tags; if that part begins with I, this token carries no loss.",
        ),
        as_table(
            cols,
            ("t of B, I, O", lambda d: ", ".join(map(share, ls.t[d]))),
            ("loss", lambda d: number(terms.loss[d], 3)),
        ),
    ]


def finding_of_labels(tags: Tags, ls: Labels, d: int) -> Block:
    """What the annotators say of one token, what the reader says, and what it costs."""
    k, p = int(ls.rows[0][d]), tags.p[d]
    named: Named = {"token": said(tags.e, d), "tag": [[TAGS[k], ROLES[k]]]}
    named |= {"p": coloured([probability(v) for v in p]), "mean": coloured([*map(share, ls.t[d])])}
    if not ls.soft:
        cost = f"{{token}} should be {{tag}} and has p = {probability(p[k])}: it costs "
        cost += f"{number(ls.terms.loss[d], 3)}. All {tags.size:,} tokens together cost "
        return finding(*say(f"{cost}{number(ls.terms.total, 3)}.", **named))
    counts = sorted(Counter(int(r[d]) for r in ls.rows).items())
    who = coloured([TAGS[r[d]] for r in ls.rows], roles=[ROLES[r[d]] for r in ls.rows])
    if len(ls.rows) > 5:
        who = coloured([f"{n} × {TAGS[j]}" for j, n in counts], roles=[ROLES[j] for j, _ in counts])
    whose = "the annotators' tags are" if len(ls.rows) > 1 else "the one annotator's tag is"
    tagged = f"At {{token}} {whose} {{who}}, so {{t}} = ({{mean}}); "
    if not len(ls.tagged):
        tagged = "The paragraph does not answer: every label is {O}, {t} = (0, 0, 1). At {token} "
    return finding(*say(tagged + "the reader says p = ({p}) for B, I, O.", who=who, **named))


def loss_formula(tags: Tags, ls: Labels, d: int) -> Block:
    """The loss of one token with as many digits of p as give it; its least, or the whole text's."""
    t, p, terms, token = ls.t[d], tags.p[d], ls.terms, said(tags.e, d)
    if not terms.labelled[d]:
        return formula("loss", [*token, " carries no loss here: its window cuts the answer."])
    use = np.flatnonzero(t).tolist()
    for digits in range(3, 7):
        printed = [probability(p[k], digits if k in use else 3) for k in range(3)]
        again = -sum(t[k] * np.log(value(printed[k])) for k in use)
        result = number(terms.loss[d], 2 if ls.soft else 3)
        end = equals([printed[k] for k in use], again, result)
        if "=" in end:
            break
    inner = coloured([f"{share(t[k])} log {printed[k]}" for k in range(3)], " + ")
    alone = [] if ls.soft else [f" = −log {printed[use[0]]}"]
    first = ["L of ", *token, " = −(", *inner, ")", *alone, [end, ui.STRONG]]
    if not ls.soft:
        total = f"all {tags.size:,} tokens: L = −Σ log p(right tag) = "
        return formula("loss", first, [total, *strong(number(terms.total, 3))])
    shares = [f"{share(t[k])} log {share(t[k])}" for k in use]
    inside = ["−(", *coloured(shares, " + ", [ROLES[k] for k in use]), ") = "]
    least = [*(inside if len(use) > 1 else []), *strong(number(terms.floor[d]))]
    return formula("loss", first, ["at best, with p = t: ", *least])


def kinds_choice(shown: Shown, ls: Labels) -> Block | None:
    """A button for each different answer that people marked."""
    options = []
    for n, (gold, people) in enumerate(ls.kinds):
        words = quote(shown.encoding.text(gold), 40) if isinstance(gold, Span) else "no answer"
        name = f"label {n + 1}" if shown.state.veil else f"{words} ({people} of {ls.people})"
        options.append((name, {"own.bio.label": n}, n == ls.chosen))
    return ui.choice("label", "the label:", options) if len(options) > 1 else None


# ---- step 4


class Answer(NamedTuple):
    """One answer read off the tags, and why its first token is B: the most probable possible
    tagging and the most probable one in which that token is no B, [D] each; the tokens where they
    differ; p [D, 3] in the answer's window; the chances whose product is the answer's, each with
    its role and what it is of.
    """

    at: core.TaggedSpan
    with_b: Array
    without: Array
    differ: list[int]
    p: Array
    factors: list[tuple[float, str, str]]


def answer_of(tags: Tags, best: Array, f: core.TaggedSpan) -> Answer:
    """See Answer; within the window of the answer."""
    w, e, first = tags.reading.windows[f.window], tags.e, f.span.start
    log_rows = core.tag_log_probs(tags.reading, f.window).astype(np.float64)
    walk, s, z = core.chain(log_rows), first - w.doc_start, f.span.end - w.doc_start
    a, b, p, inside = best.copy(), best.copy(), tags.p.copy(), slice(w.doc_start, w.doc_stop)
    p[inside] = np.exp(log_rows)
    a[inside] = core.viterbi(log_rows)[0]
    log_rows[s, 0] = -1e9
    b[inside] = core.viterbi(log_rows)[0]
    factors = [(float(np.exp(walk.begins[s])), ui.B, f"“{dotted(e, first)}” is B")]
    on = np.exp(walk.goes_on[s + 1 : z + 1]).tolist()
    if len(on) > 2:
        factors.append((float(np.prod(on)), ui.I, f"the next {len(on)} are I"))
    else:
        factors += [(v, ui.I, f"“{dotted(e, first + 1 + n)}” is I") for n, v in enumerate(on)]
    if f.span.end + 1 < w.doc_stop:
        ends = float(np.exp(walk.ends[z]))
        factors.append((ends, ui.O, f"“{dotted(e, f.span.end + 1)}” is no I"))
    return Answer(f, a, b, np.flatnonzero(a != b).tolist(), p, factors)


def to_spans(tags: Tags, own: Own) -> list[Block | None]:
    """From tags to spans: the most probable possible tagging, and why a B gains."""
    best, found = np.full(tags.size, 2), core.decode_reading(tags.reading)
    for w in tags.reading.windows:
        log_rows = core.tag_log_probs(tags.reading, w.index)
        best[w.owned] = core.viterbi(log_rows)[0][w.owned - w.doc_start]
    x = answer_of(tags, best, found[0]) if found else None
    home, differ = (x.at.span.start, x.differ) if x else (int(tags.p[:, 2].argmin()), [])
    cols = Columns(tags, [home, *np.flatnonzero(best != 2).tolist(), *differ])
    none = strong(probability(float(np.exp(core.null_log_prob(tags.reading)))))
    every = say("P(every token is {O}), among the possible taggings: {none}", none=none)
    alt = "The reader's probabilities, and possible taggings with the answers read off them"
    last = "Tags can mark several answers at once; a start and an end mark at most one."
    return [
        finding_of_spans(tags, found, x),
        texts(tags.shown),
        key(),
        ladder(cols, rungs_of(tags, cols, best, x, brackets(cols, found)), alt, home, None),
        *([why_formula(tags, x), chance_formula(x)] if x else [formula("chance", every)]),
        ui.sentence("closing", "closing", last),
        exactly(
            tags,
            "A chance takes the tags as independent, leaves out the impossible taggings and shares "
            "their probability among the others, within each window. A product is over the "
            "tokens in which the two possible taggings differ; all other factors are equal. The "
            "most probable tagging is found by Viterbi's algorithm, the sums over all of them by "
            "the forward-backward algorithm.",
        ),
        as_table(cols, ("tag of the possible tagging", lambda d: TAGS[best[d]])),
    ]


def rungs_of(
    tags: Tags, cols: Columns, best: Array, x: Answer | None, under: list[Block]
) -> list[Rung]:
    """The reader's p, each token's likeliest tag where that differs, and the possible taggings."""
    wrong = illegal_at(tags.single.tolist())

    def rung(title: str, of: Array, under: Sequence[Block] = (), hatch: Sequence[int] = ()) -> Rung:
        def text(d: int) -> str:
            factor = f" {x.p[d, of[d]]:.3f}" if x and d in x.differ and cols.room > 56 else ""
            return TAGS[of[d]] + factor

        product = f": product {rounded(weight(x, of))}" if x else ""
        product += ", but impossible (hatched: an I without B or I before it)" if hatch else ""
        base, pixels, top = (1.1, 56, 2) if under else (0, 25, 0.9)
        cells = tagging(cols, of, base, text, hatch)
        return Rung(title + product, pixels, top, [*cells, *under])

    rungs = [Rung("the reader's p, each token by itself", 96, 1, probabilities(cols, 96))]
    if (tags.single != best).any():
        rungs.append(rung("each token's likeliest tag", tags.single, (), wrong))
    title = "most probable possible tagging"
    rungs.append(rung(title, x.with_b if x else best, under))
    if x:
        other = f"{title} with “{bold(tags.e, x.at.span.start)}” not B"
        rungs.append(rung(other, x.without))
    return rungs


def weight(x: Answer, of: Array) -> float:
    """The product of p over the tokens in which the two taggings differ."""
    return float(np.prod([x.p[d, of[d]] for d in x.differ]))


def brackets(cols: Columns, found: Sequence[core.TaggedSpan]) -> list[Block]:
    """A bracket and its words under each answer."""
    made: list[Block] = []
    for one in found:
        a, z = cols.of(one.span.start), cols.of(one.span.end)
        x0 = float(cols.at[a] - cols.width[a] / 2 + 0.08)
        x1 = float(cols.at[z] + cols.width[z] / 2 - 0.08)
        words = ui.escape(quote(one.text, max(12, int((x1 - x0) * cols.room / 7))))
        line = {"type": "scatter", "mode": "lines", "x": [x0, x0, x1, x1], "hoverinfo": "skip"}
        made.append({**line, "y": [1.05, 0.9, 0.9, 1.05], "line": {"color": ui.INK, "width": 1.5}})
        text: Block = {"type": "scatter", "mode": "text", "x": [(x0 + x1) / 2], "y": [0.86]}
        font = {"size": 15, "color": ui.INK, "family": SERIF}
        text |= {"text": [words], "textfont": font}
        made.append({**text, "textposition": "bottom center", "hoverinfo": "skip"})
    return made


def finding_of_spans(tags: Tags, found: Sequence[core.TaggedSpan], x: Answer | None) -> Block:
    """The answers with their chances; why the first one's B gains."""
    if x is None:
        return finding("The most probable possible tagging is O throughout: it says “no answer”.")
    names: Parts = []
    for one in found[:4]:
        chance = f" (chance {probability(one.marginal)})"
        names += [", "] * bool(names) + [[quote(one.text, 40), ui.QUOTE], chance]
    text = f"The tags give {ui.small_number(len(found))} answer{'s' * (len(found) > 1)}: {{names}}"
    text += f" and {len(found) - 4} more. " if len(found) > 4 else ". "
    s, first = x.at.span.start, x.factors[0][0]
    if first - tags.p[s, 0] > 0.05:
        text += f"{{token}} is B with {probability(tags.p[s, 0])} by itself, with "
        text += f"{probability(first)} among the possible taggings: "
        as_o = "as O it would make the I after it impossible."
        behind = x.without[s] == 2 and s < x.at.span.end
        text += as_o if behind else "as I it would need a B before it."
    return finding(*say(text, names=names, token=said(tags.e, s)))


def why_formula(tags: Tags, x: Answer) -> Block:
    """The share of the two taggings that differ, then that of all."""
    a, b = weight(x, x.with_b), weight(x, x.without)
    one, two, s = rounded(a), rounded(b), x.at.span.start
    again = value(one) / (value(one) + value(two))
    end, alone = equals([], again, probability(a / (a + b))), probability(tags.p[s, 0])
    line = "Of these two: P({token} is {B}) = {a} / ({a} + {b}){end}{over}{all}{by}{alone}"
    named: Named = {"token": said(tags.e, s), "a": [[one, ui.B]], "b": [two], "end": strong(end)}
    named["over"] = [["    of all possible taggings ", "note"]]
    named["by"] = [["    by itself ", "note"]]
    named |= {"all": strong(probability(x.factors[0][0])), "alone": strong(alone)}
    return formula("why", say(line, **named))


def chance_formula(x: Answer) -> Block:
    """chance = P(first is B) x P(each next is I) x P(the one behind is no I)."""
    printed, made = [probability(v) for v, *_ in x.factors], list[Any]()
    for text, (_, role, of) in zip(printed, x.factors, strict=True):
        made += [" × "] * bool(made) + [[text, role], [f" {of}", "note"]]
    again = float(np.prod([value(text) for text in printed]))
    end = equals(printed, again, probability(x.at.marginal))
    return formula("chance", [f"chance of {quote(x.at.text, 30)} = ", *made, *strong(end)])
