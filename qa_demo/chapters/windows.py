"""Chapter 6, Long text: overlapping windows, the one in which a start counts, and three rules.

A window holds [CLS], the question, [SEP], R paragraph pieces and [SEP]; the next one begins a step
of at most R pieces later. A start counts in the window with the most pieces on its poorer side.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qa_demo import blocks as b
from qa_demo.blocks import GREY, INK, MID, PAPER, SHADE, STRONG, Block, Part, escape, number, quote
from qa_demo.core.arrays import softmax
from qa_demo.core.reading.legal import reason
from qa_demo.core.reading.predicted import Candidate
from qa_demo.core.reading.spans import make_candidate, top_spans
from qa_demo.core.rules import largest, predict_by
from qa_demo.core.types import Reading, Window
from qa_demo.shown import Shown
from qa_demo.state import Record
from qa_demo.texts import bold, dotted, position_name, said, said_at, siblings, span_words, word

NAME = "Long text"
HEADINGS = (
    "How is a long text split, and which answer wins?",
    "Why does a start count in one window only?",
    "When does “no answer” win?",
    "Which window's answer is taken? Three rules",
)
STEPS = ("How it is split", "One start, one window", "No answer", "Three rules")


def text_at(example: str, size: int, step: int) -> dict[str, Any]:
    """An example with its windows, as a patch of the state."""
    return {"example": example, "max_seq_length": size, "doc_stride": step}


OPENS: dict[int, dict[str, Any]] = {
    1: text_at("brooklyn", 80, 40),
    2: text_at("brooklyn", 80, 34),
    3: text_at("brooklyn", 80, 40),
    4: text_at("danube", 384, 128),
}
HIGHER = text_at("brooklyn", 80, 24)
"""The answer's words score higher in a window in which their start does not count."""
SILENT = text_at("reef", 64, 24)
"""A text without an answer."""
PARTED = text_at("telegraph", 128, 48)
"""The window with the highest mean has its maxima on words whose start counts elsewhere."""
OWN_TEXT: dict[str, Any] = dict.fromkeys(OPENS[1] | {"question": None, "context": None})
"""The patch after which each step opens on its own text again."""
RULES = {
    "logits": ("sum of logits", "○ best span: start logit + end logit; × “no answer”"),
    "mean_of_maxima": (
        "mean of the two largest softmaxes",
        "(largest P(start) + largest P(end)) / 2 of a window",
    ),
    "product": ("product within a window", "P × P; among paragraph pieces only, so P is larger"),
}
"""Each with its name and what it compares."""
IDEAS = (
    (
        "The paragraph is cut into windows that overlap; the question stands in each. ",
        "Each window proposes its best span; the highest score wins.",
    ),
    (
        "Where windows overlap, each of them scores the same words. ",
        "A start counts only in the window that sees most around it.",
    ),
    (
        "“No answer” wins if it leads the best span by more than the threshold. ",
        "It must hold in every window: so the smallest of its scores counts.",
    ),
    (
        "Each rule takes one window's best span. ",
        "BERT compares sums of logits; two others probabilities, each of its own softmax.",
    ),
)
MOST_ROWS = 7
"""Rows of a picture; further windows stand together in one row."""
SHORT_ANSWER = 8
"""Where a window may cut answers of so few pieces, a warning stands on the screen."""
NOWHERE = "rgba(0,0,0,0)"
SNIPPET = """\
import numpy as np

pieces, room, step, start = 123, 66, 34, 73  # a window holds 66 of the 123 pieces
begins = [0]
while begins[-1] + room < pieces:
    begins.append(begins[-1] + step)
for k, first in enumerate(begins, 1):
    last = min(first + room, pieces) - 1
    if first <= start <= last:
        print("window", k, "nearer edge:", min(start - first, last - start))

softmax = lambda x: np.exp(x) / np.exp(x).sum()
windows = [  # logits of [CLS] and three words: starts, ends
    (np.array([3.0, 5.0, 0.0, -1.0]), np.array([3.0, 0.0, 5.0, 0.0])),
    (np.array([4.0, -4.0, -5.0, -5.0]), np.array([4.0, -5.0, -4.0, -5.0])),
]
for s, e in windows:  # the first holds the answer, the second says most surely: not here
    print("sum", s[1:].max() + e[1:].max(), "mean", (softmax(s).max() + softmax(e).max()) / 2)
"""


class Own(Record):
    """This chapter keeps nothing of its own."""


@dataclass(frozen=True)
class Row:
    """What one window says. `own`: its best span among the starts that count in it; `tops`: where
    P(start) and P(end) are largest, and how large; `factors`: P of `own` over the paragraph's
    pieces alone; `near`: pieces (left, right) from the answer's start to the window's edges;
    `same`: the answer's score in this window; both None where it does not hold them.
    """

    window: Window
    own: Candidate | None
    null: float
    tops: tuple[int, int, float, float]
    factors: tuple[float, float]
    near: tuple[int, int] | None
    same: float | None

    @property
    def k(self) -> int:
        """The window's number as printed, from 1."""
        return self.window.index + 1

    @property
    def mean(self) -> float:
        """(largest P(start) + largest P(end)) / 2, P over all positions of the window."""
        return (self.tops[2] + self.tops[3]) / 2

    @property
    def product(self) -> float:
        """P(start) P(end) of its best span, P over the window's paragraph pieces alone."""
        return self.factors[0] * self.factors[1]

    @property
    def edge(self) -> int:
        """Pieces from the answer's start to the nearer edge: min(left, right); -1 without it."""
        return min(self.near) if self.near is not None else -1

    @property
    def score(self) -> float:
        """Its best span's; a window without a span has none to win with."""
        return -np.inf if self.own is None else self.own.score

    def proposes(self, most: int) -> str:
        """Its best span with the score, for a figure."""
        if self.own is None:
            return "no span"
        return f"{escape(quote(self.own.text, most))} {number(self.own.score)}"


class Windows:
    """The numbers of all windows; `best` is the best span by BERT's rule, `win` its window."""

    def __init__(self, shown: Shown) -> None:
        reading = self.reading = shown.reading
        self.shown, self.encoding = shown, reading.encoding
        self.size, self.step = reading.options.max_seq_length, reading.options.doc_stride
        self.asked, self.special = len(self.encoding.question_ids), self.encoding.n_special
        self.room = self.size - self.asked - self.special
        self.pieces = len(self.encoding.context_ids)
        by_bert = shown.state.rule == "logits"
        found = shown.prediction if by_bert else predict_by(reading, "logits", shown.decode)
        assert found.best is not None
        self.prediction, self.best = found, found.best.candidate
        self.rows = [self.row(w) for w in reading.windows]
        self.win, self.least = self.rows[self.best.window], self.rows[found.null_window]
        # the windows that hold the answer's start: where it counts, then by their nearer edge
        holding = [r for r in self.rows if r.near is not None]
        self.holding = sorted(holding, key=lambda r: (r is not self.win, -r.edge))
        higher = [r for r in holding if r.same is not None and r.same > self.best.score + 1e-9]
        self.higher = max(higher, key=lambda r: r.same or 0.0, default=None)
        self.safe = longest_safe(reading)

    def row(self, w: Window) -> Row:
        """What the window w says."""
        s, e = (x.astype(np.float64) for x in self.reading.logits(w.index))
        own, span, factors = proposal(self.shown, w), self.best.span, (0.0, 0.0)
        if own is not None:
            inside, first = w.is_context, w.doc_start
            i, j = own.span.start - first, own.span.end - first
            factors = float(softmax(s[inside])[i]), float(softmax(e[inside])[j])
        held = w.doc_start <= span.start < w.doc_stop
        same = s[w.to_pos(span.start)] + e[w.to_pos(span.end)] if w.holds(span) else None
        return Row(
            window=w,
            own=own,
            null=float(s[w.cls_at] + e[w.cls_at]),
            tops=largest(self.reading, w.index),
            factors=factors,
            near=(span.start - w.doc_start, w.doc_stop - 1 - span.start) if held else None,
            same=None if same is None else float(same),
        )


def proposal(shown: Shown, w: Window) -> Candidate | None:
    """The window's best allowed span; one without a character is none."""
    for i, j in top_spans(*shown.reading.logits(w.index), w, shown.decode).tolist():
        found = make_candidate(shown.reading, w.index, i, j)
        if found.char_start < found.char_end:
            return found
    return None


def longest_safe(reading: Reading) -> int | None:
    """The longest span, in pieces, that stands whole in the window where its start counts, wherever
    it starts; None where no window's end can cut one.
    """
    at, stops = np.arange(len(reading.owners)), np.array([w.doc_stop for w in reading.windows])
    room = stops[reading.owners] - at
    bounded = room[at + room < len(at)]
    return int(bounded.min()) if len(bounded) else None


def picture(shown: Shown, own: Own) -> list[Block | None]:
    """The blocks of the step."""
    w, step = Windows(shown), shown.state.step
    finding, made, closing = (split, one_window, no_answer, three_rules)[step - 1](w)
    plain, strong = IDEAS[step - 1]
    return [
        b.sentence("idea", "idea", plain, [strong, STRONG]),
        b.sentence("finding", "finding", changed(w), *finding),
        *made,
        b.sentence("closing", "closing", closing),
        presses(w),
        exactly(w),
        as_table(w),
        b.fold("code", "The code", b.code("py", SNIPPET), span=4),
    ]


# ---- what the steps share


def at(w: Windows, fields: dict[str, Any]) -> bool:
    """Whether this text in these windows is on screen."""
    example = w.shown.example
    return example is not None and text_at(example.id, w.size, w.step) == fields


def changed(w: Windows) -> str | None:
    """What differs from the screen before: that of the step before, or that before a press."""
    step, after = w.shown.state.step, any(at(w, x) for x in (HIGHER, SILENT, PARTED))
    before = OPENS[step] if after else OPENS.get(step - 1) if at(w, OPENS[step]) else None
    if before is None or w.shown.example is None or at(w, before):
        return None
    if w.shown.example.id != before["example"]:
        return f"Another text, in windows of {w.size}, step {w.step}. "
    return f"Here a window begins every {w.step} pieces, not every {before['doc_stride']}. "


def presses(w: Windows) -> Block | None:
    """To the odd case, back from it, or to several windows; and what the header follows."""
    step, rule, found = w.shown.state.step, w.shown.state.rule, list[Block]()
    odd = {
        2: ("A case where the higher score does not count", HIGHER),
        3: ("A text without an answer", SILENT),
        4: ("A text where the two maxima form no allowed span", PARTED),
    }
    label, patch = odd.get(step, ("", {}))
    if not at(w, OPENS[step]) and (step > 1 or len(w.rows) == 1):
        label = "Back to the first case" if at(w, patch) else "The example of this step"
        patch = OWN_TEXT
    if label and (patch["example"] or OPENS[step]["example"]) in w.shown.examples:
        found.append(b.button("other", label, patch, span=4))
    half = -(-w.pieces // 4)  # three windows that overlap by half
    if step == 1 and len(w.rows) == 1 and half > 1 and w.pieces > 2 * half:
        cut = {"max_seq_length": w.asked + w.special + 2 * half, "doc_stride": half}
        label = f"Cut this text: windows of {cut['max_seq_length']}"
        found.append(b.button("cut", label, cut, span=4))
    if w.shown.changed:
        label = "Logits are changed by hand: undo"
        found.append(b.button("undo", label, {"edits": None}, span=4))
    if rule != "logits" and step < 4:
        told = f"BERT's rule is shown; the answer of the page follows the {RULES[rule][0]}."
        found.append(b.sentence("rule", "note", told, span=8))
    return b.group("presses", 12, *found) if found else None


def in_rows(w: Windows, must: Sequence[Row], rank: Callable[[Row], float]) -> list[list[Row]]:
    """Windows as rows of a picture: `must` and the highest by `rank` alone, the others in runs."""

    def groups(alone: set[int]) -> list[list[Row]]:
        found: list[list[Row]] = []
        for r in w.rows:
            if found and not {r.k, found[-1][-1].k} & alone:
                found[-1].append(r)
            else:
                found.append([r])
        return found

    alone = {r.k for r in must}
    for r in sorted(w.rows, key=rank, reverse=True):
        if len(groups(alone | {r.k})) <= MOST_ROWS:
            alone.add(r.k)
    return groups(alone)


def name(run: list[Row]) -> str:
    """Window 3, or windows 4–9."""
    first, last = run[0].k, run[-1].k
    return f"window {first}" if first == last else f"windows {first}–{last}"


def listing(names: Sequence[Any]) -> str:
    """1, 2 and 3."""
    head, last = ", ".join(map(str, names[:-1])), str(names[-1])
    return f"{head} and {last}" if head else last


def label(
    text: str, x: float, y: float, strong: bool = False, size: int = 14, **more: Any
) -> Block:
    """A text of a figure, escaped already; with the name "wide" or "narrow" on such a page only."""
    font = {"color": more.pop("role", INK), "size": size}
    return b.note(f"<b>{text}</b>" if strong else text, x, y, **more) | {"font": font}


def drawn(
    key: str, data: list[Block], layout: Block, texts: list[Block], alt: str, narrow: Block
) -> Block:
    """A figure whose texts differ on a narrow page."""
    wide, small = ([t for t in texts if t.get("name") != x] for x in ("narrow", "wide"))
    narrow = {**narrow, "annotations": small}
    return b.figure(key, data, {**layout, "annotations": wide}, alt, narrow=narrow)


def piece_name(w: Windows, r: Row, pos: int) -> str:
    """A position for a figure: a piece bold in its word, Tr·<b>ajan</b>; alone in a long word."""
    if not r.window.is_context[pos]:
        return escape(position_name(w.shown, r.window, pos)[:18])
    e, d = w.encoding, r.window.to_doc(pos)
    if len(word(e, d)) > 16:
        return escape(dotted(e, d)[:18])
    return bold(e, d) if len(siblings(e, d)) > 1 else escape(word(e, d))


# ---- the staircase of steps 1 and 2

Drawn = tuple[list[Block], list[Block]]
"""Shapes and texts."""


def strip_words(w: Windows, pixels: float, page: str) -> list[Block]:
    """The answer's words in bold and long words of the paragraph, as many as fit side by side."""
    e, span, n, size = w.encoding, w.best.span, w.pieces, 15 if page == "wide" else 13

    def half(text: str) -> float:
        return (len(text) * size * 0.54 + 22) / 2 * n / pixels

    answer = w.best.text if len(w.best.text) < pixels / 16 else word(e, span.start, "")[:18]
    middle = max(half(answer), min(n - half(answer), (span.start + span.end + 1) / 2)) - 0.5
    chosen = [(middle, answer)]
    named = [(d, word(e, d, "")) for d in range(n) if d == 0 or e.word_ids[d] != e.word_ids[d - 1]]
    named = [(d, text) for d, text in named if 4 < len(text) < 18 and text[0].isalnum()]
    # long words first, names before others; some hundred are enough
    for d, text in sorted(named, key=lambda x: -min(9, len(x[1])) - x[1][0].isupper())[:400]:
        middle = d + (len(siblings(e, d)) - 1) / 2
        free = all(abs(middle - m) > half(text) + half(other) for m, other in chosen)
        if free and half(text) < middle + 0.5 < n - half(text):
            chosen.append((middle, text))
    where = {"size": size, "name": page}
    return [label(escape(text), x, 0, k == 0, **where) for k, (x, text) in enumerate(chosen)]


class Stairs:
    """The windows under the paragraph: y = 0 is the paragraph, y = k the k-th row. A step adds its
    own `shapes` and `texts`.
    """

    def __init__(self, w: Windows, rows: list[list[Row]], height: float, right: float) -> None:
        self.w, self.rows, self.right = w, rows, right
        self.pitch = min(94.0, height / (len(rows) + 0.98))
        self.half, self.size = 0.18, 16 if self.pitch > 60 else 13
        tall = max(self.half, 14 / self.pitch)
        strip = self.box(0, w.pieces - 1, 0, NOWHERE, MID, 1)
        self.shapes = [strip | {"y0": -tall, "y1": tall}]
        self.texts = strip_words(w, 1034 - right, "wide") + strip_words(w, 279, "narrow")
        margin = {"xref": "paper", "xanchor": "left", "xshift": -166, "name": "wide"}
        names = ["paragraph", *map(name, rows)]
        self.texts += [label(x, 0, y, True, **margin) for y, x in enumerate(names)]
        for y, run in enumerate(rows, 1):
            first, last = run[0].window.doc_start, run[-1].window.doc_stop - 1
            if len(run) > 1:
                self.shapes.append(self.box(first, last, y, NOWHERE, MID, 1, "dot"))
                continue
            self.shapes.append(self.box(first, last, y, SHADE))
            before = {"xanchor": "right", "xshift": -4, "name": "wide"}
            self.texts.append(label("question +", first - 0.5, y, **before))

    def box(
        self, a: int, z: int, y: float, fill: str, edge: str = INK, width: float = 0, dash: str = ""
    ) -> Block:
        """Pieces a to z of a row."""
        sides = {"x0": a - 0.5, "x1": z + 0.5, "y0": y - self.half, "y1": y + self.half}
        stroke = {"color": edge, "width": width, "dash": dash or "solid"}
        return {"type": "rect", **sides, "fillcolor": fill, "line": stroke}

    def over(self, a: int, z: int, y: int, text: str, short: str = "", **more: Any) -> None:
        """A text over the pieces a to z of a row; `short` on a narrow page, from its left edge."""
        n, up = self.w.pieces, {"yanchor": "bottom", "borderpad": 1}
        half = len(text) * self.size * 0.25 * n / (1034 - self.right)
        x, to = (a + z) / 2, "center"
        if x < half or x + half > n:
            x, to = (max(0, x - half), "left") if x < half else (min(n, x + half), "right")
        up |= more
        if text:
            self.texts.append(label(text, x, y - self.half, xanchor=to, name="wide", **up))
        up |= {"size": 13, "xref": "paper", "xanchor": "left", "name": "narrow"}
        self.texts.append(label(short or text, 0, y - self.half, **up))

    def figure(self, key: str, alt: str) -> Block:
        """The figure."""
        n, plain = len(self.rows), {"tickvals": [], "showgrid": False, "showline": False}
        layout = {
            "height": int(self.pitch * (n + 0.98)) + 4,
            "margin": {"l": 166, "r": self.right, "t": 4, "b": 0},
            "xaxis": b.axis(None, range=[-0.5, self.w.pieces - 0.5], **plain),
            "yaxis": b.axis(None, range=[n + 0.6, -0.38], ticks="", **plain),
            "shapes": self.shapes,
        }
        names = ["paragraph", *map(name, self.rows)]
        ticks = {"tickvals": list(range(n + 1)), "ticktext": names, "tickfont": {"size": 11}}
        narrow = {"margin.l": 66, "margin.r": 6} | {f"yaxis.{k}": v for k, v in ticks.items()}
        return drawn(key, [], layout, self.texts, alt, narrow)


# ---- step 1

Made = tuple[list[Part], list[Block | None], str]
"""The finding, the blocks between it and the closing line, and that line."""


def split(w: Windows) -> Made:
    """How the paragraph is cut, and which window's span wins."""
    n, wins = len(w.rows), w.prediction.answer is not None
    told: list[Part] = [f"{n} windows: " if n > 1 else "One window holds the whole paragraph: "]
    told += [f"window {w.win.k} proposes ", span_words(w.best), " with "]
    told += [[number(w.best.score), STRONG], ", the highest score"]
    told += [", so this is the answer." if wins else "; yet “no answer” wins (step 3)."]
    if w.higher is not None:
        score = number(w.higher.same or 0)
        told += [f" In window {w.higher.k} these words score {score} and do not count (step 2)."]
    parts = f"{w.size} = {w.asked} question + {w.special} special tokens + {w.room}"
    filled = f", of which this text fills {w.pieces}" if w.pieces < w.room else ""
    key: list[tuple[str, str, Any]] = [("box", SHADE, "words that the window reads")]
    key += [("box", MID, "also read by another window")] if n > 1 else []
    key += [("hollow", INK, "its best span, with its score")]
    key += [("box", INK, "the highest: the answer" if wins else "the highest")]
    size = b.formula("length", ["window ", [f"{parts} paragraph pieces", STRONG], filled])
    closing = f"Each window begins {w.step} pieces after the one before: "
    if n == 1:
        closing = "The text fits into one window: nothing is cut, and there is nothing to choose."
    elif w.step < w.room:
        closing += f"fewer than {w.room}, so they overlap and no word is dropped."
    else:
        closing += "as many as it holds, so they touch and no word is dropped."
    return told, [*sliders(w), b.legend("key", *key), lanes(w), size], closing


def sliders(w: Windows) -> list[Block]:
    """Window size and step, within what the question leaves room for."""
    least = w.asked + w.special + w.step
    fewest = max(1, -(-(w.pieces - w.room) // 60))  # a step of 1 would make hundreds of windows
    sum_ = f"{w.asked} question + {w.special} special tokens + step {w.step}"
    says = f"max_seq_length: at least {least} = {sum_}; the default is 384"
    far = f"doc_stride: at most {w.room}, what a window holds"
    if w.safe is not None and w.safe < min(SHORT_ANSWER, w.shown.decode.max_answer_length):
        far += f"; small: an answer of over {b.plural(w.safe, 'piece')} may be cut and never found"
    elif w.safe is not None:
        far += f"; answers of up to {w.safe} pieces are never cut"
    wide, step = "window size", "step to the next"
    low, high = min(fewest, w.step), max(384, w.size)
    return [
        b.slider("size", "max_seq_length", wide, least, high, 1, w.size, 6, says),
        b.slider("step", "doc_stride", step, low, w.room, 1, w.step, 6, far),
    ]


def lanes(w: Windows) -> Block:
    """The staircase with each window's best span and what it shares with its neighbours."""
    stairs = Stairs(w, in_rows(w, [w.win], lambda r: r.score), 350, 10)
    for y, run in enumerate(stairs.rows, 1):
        r, wins = run[0], run[0] is w.win
        first, last = r.window.doc_start, run[-1].window.doc_stop - 1
        if len(run) > 1:
            most = number(max(x.score for x in run))
            says = f"best spans of {len(run)} windows: none above {most}"
            stairs.over(first, last, y, says, size=12, role=GREY)
            continue
        for other in w.rows[max(0, r.k - 2) : r.k - 1] + w.rows[r.k : r.k + 1]:
            a, z = max(first, other.window.doc_start), min(last + 1, other.window.doc_stop)
            stairs.shapes += [stairs.box(a, z - 1, y, MID)] if a < z else []
        if r.own is not None:
            a, z = r.own.span.start, r.own.span.end
            stairs.shapes.append(stairs.box(a, z, y, INK if wins else NOWHERE, INK, 2))
            more = {"strong": wins, "size": stairs.size}
            stairs.over(a, z, y, r.proposes(40), r.proposes(28), **more)
    alt = f"{b.plural(len(w.rows), 'window')} over the text; the best span is from window {w.win.k}"
    return stairs.figure("lanes", alt)


# ---- step 2


def one_window(w: Windows) -> Made:
    """In which window the best span's start counts, and why there."""
    plain = quote(word(w.encoding, w.best.span.start, ""), 24)
    stairs = Stairs(w, in_rows(w, w.holding[:5], lambda r: r.edge), 340, 176)
    side = {"xref": "paper", "xanchor": "left", "xshift": 12, "align": "left", "name": "wide"}
    head = "score of these words<br>in this window"
    stairs.texts.append(label(head, 1, 0, size=13, role=GREY, **side))
    for y, run in enumerate(stairs.rows, 1):
        held = sum(r.near is not None for r in run)
        if len(run) == 1 and held:
            stairs.texts.append(
                label(distance(w, stairs, run[0], y), 1, y, run[0] is w.win, **side)
            )
        else:
            says = f"{held} hold it, nearer an edge" if held else f"without {escape(plain)}"
            stairs.texts.append(label(says, 1, y, size=13, role=GREY, **side))
    key: list[tuple[str, str, Any]] = [("box", SHADE, "words that the window reads")]
    key += [("box", INK, f"{quote(w.best.text, 30)} where its start counts")]
    key += [("hollow", GREY, "where it does not")] if len(w.holding) > 1 else []
    key += [("arrow", INK, f"from {plain} to the window's nearer edge")]
    told: list[Part] = ["min(left, right):"]
    for r in sorted(w.holding[:3], key=lambda r: r.k):
        left, right = r.near or (0, 0)
        wins = r is w.win and len(w.holding) > 1
        told += [[f"   window {r.k}: min({left}, {right}) = {r.edge}", STRONG if wins else ""]]
        told += [", the most" if wins else ""]
    figure = stairs.figure("owner", f"The start {plain} counts in window {w.win.k}")
    closing = (
        "The rule asks where a word stands, not how high it scores: more around it, more to read."
    )
    return (counts(w), [b.legend("key", *key), figure, b.formula("nearer", told)], closing)


def counts(w: Windows) -> list[Part]:
    """The finding of step 2."""
    start = said(w.encoding, w.best.span.start)
    if len(w.holding) == 1:
        only = f"Only window {w.win.k} reads " if len(w.rows) > 1 else "One window alone reads "
        return [only, *start, ": nothing to choose."]
    held = sorted(w.holding, key=lambda r: r.k)
    where = f"{len(held)} windows, at most {w.win.edge} pieces from the nearer edge"
    if len(held) <= 4:
        edges = [f"{r.k} ({r.edge})" for r in held[1:]]
        first = f"{held[0].k} ({held[0].edge} pieces from the nearer edge)"
        where = f"windows {listing([first, *edges])}"
    told: list[Part] = [*start, f" stands in {where}. So window {w.win.k} counts: "]
    told += [[number(w.best.score), STRONG], "."]
    if w.higher is not None:
        told += [f" In window {w.higher.k} these words score "]
        told += [[number(w.higher.same or 0), STRONG], ", more, and do not count."]
    return told


def distance(w: Windows, stairs: Stairs, r: Row, y: int) -> str:
    """The answer's words in one window with the arrow to its nearer edge; whether they count."""
    span, wins, (left, right) = w.best.span, r is w.win, r.near or (0, 0)
    last, fill, dash = min(span.end, r.window.doc_stop - 1), INK if wins else NOWHERE, "dot"
    stairs.shapes.append(stairs.box(span.start, last, y, fill, INK, 2, "solid" if wins else dash))
    edge, below = r.window.doc_start - 0.5, y + stairs.half + 12 / stairs.pitch
    away, back, shift = "right", "left", -6
    if right < left:
        edge, away, back, shift = r.window.doc_stop - 0.5, "left", "right", 6
    arrow = {"x": edge, "y": below, "ax": span.start, "ay": below, "axref": "x", "ayref": "y"}
    arrow |= {"arrowhead": 2, "startarrowhead": 2, "arrowside": "end+start", "arrowsize": 0.8}
    arrow |= {"text": "", "showarrow": True, "arrowwidth": 1.6, "arrowcolor": INK}
    text = b.plural(r.edge, "piece") + (": the most" if wins and len(w.holding) > 1 else "")
    score = "its end lies outside" if r.same is None else number(r.same)
    says = "" if r.same is None else ", counts" if wins else ", does not count"
    outer = {"xanchor": away, "xshift": shift, "name": "wide"}
    inner = {"xanchor": back, "xshift": -shift, "size": 12, "name": "narrow"}
    stairs.texts += [arrow, label(text, edge, below, wins, **outer)]
    stairs.texts.append(label(text, span.start, below, wins, **inner))
    stairs.over(0, 0, y, "", score + says, strong=wins)
    return score + says


# ---- steps 3 and 4: windows down, what is compared across


def dots(w: Windows, rows: list[list[Row]]) -> list[Block]:
    """Rings for the best spans, crosses for “no answer”; windows in a run share a row."""
    all_ = [(y, r) for y, run in enumerate(rows, 1) for r in run]
    held = [(y, r) for y, r in all_ if r.own is not None]
    ring = {"size": 17, "color": [INK if r is w.win else PAPER for _, r in held]}
    ring |= {"line": {"color": INK, "width": 2}}
    cross = {"size": [18 if r is w.least else 13 for _, r in all_], "symbol": "x-thin"}
    cross |= {"line": {"color": INK, "width": [4 if r is w.least else 2 for _, r in all_]}}
    names = [f"window {r.k}: {r.proposes(60)}" for _, r in held]
    nulls = [f"window {r.k}: “no answer” {number(r.null)}" for _, r in all_]
    points = (
        ([(y, r.score) for y, r in held], ring, names),
        ([(y, r.null) for y, r in all_], cross, nulls),
    )
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "x": [x for _, x in found],
            "y": [y for y, _ in found],
            "marker": {**marker, "opacity": 1},
            "text": told,
            "hovertemplate": "%{text}<extra></extra>",
        }
        for found, marker, told in points
    ]


def ends(w: Windows, *more: float) -> tuple[float, float]:
    """The axis of scores: all best spans and “no answer”, with a little room."""
    values = [v for r in w.rows for v in (r.null, r.score) if v > -np.inf] + list(more)
    room = (max(values) - min(values)) or 1.0
    return min(values) - room * 0.07, max(values) + room * 0.1


def down(rows: list[list[Row]], top: float, short: bool) -> Block:
    """The axis of windows."""
    n = len(rows)
    names = [name(run).replace("windows ", "" if short else "windows ") for run in rows]
    ticks = {"tickvals": list(range(1, n + 1)), "ticktext": names, "ticks": ""}
    return b.axis(None, range=[n + 0.5, top], showgrid=False, **ticks)


def no_answer(w: Windows) -> Made:
    """Each window's best span and its "no answer" on one axis of scores."""
    rows = in_rows(w, [w.win, w.least], lambda r: r.score)
    threshold = w.shown.decode.null_score_diff_threshold
    goal, pitch = w.best.score + threshold, min(92.0, 290 / len(rows))
    low, high = ends(w, goal)
    sign = b.adds((w.best.score, threshold), goal)
    sum_ = f"{number(w.best.score)} + threshold {number(threshold)} {sign} {number(goal)}"
    side = {"yref": "paper", "yanchor": "bottom"}
    to = {"xanchor": "right" if goal > (low + high) / 2 else "left", "name": "wide"}
    small = {"size": 12, "xref": "paper", "xanchor": "right", "name": "narrow"}
    wins = "the smallest “no answer” wins beyond "
    texts = [
        label(wins + sum_, goal, 1, **side, **to),
        label(wins + number(goal), 1, 1, **side, **small),
    ]
    for y, run in enumerate(rows, 1):
        if len(run) == 1:
            texts += dot_names(w, run[0], y, pitch, (low, high))
    region = {"type": "rect", "x0": goal, "x1": high, "y0": 0, "y1": 1, "yref": "paper"}
    region |= {"fillcolor": SHADE, "line": {"width": 0}, "layer": "below"}
    layout = {
        "height": int(pitch * len(rows)) + 70,
        "margin": {"l": 100, "r": 10, "t": 24, "b": 44},
        "xaxis": b.axis("score = start logit + end logit", range=[low, high], nticks=8),
        "yaxis": down(rows, 0.45, False),
        "shapes": [region, b.line(goal, goal, 0, 1, width=2) | {"yref": "paper"}],
    }
    alt = f"Best span and “no answer” of {b.plural(len(w.rows), 'window')}, by score"
    narrow = {"margin.l": 84, "xaxis.nticks": 4}
    figure = drawn("dots", dots(w, rows), layout, texts, alt, narrow)
    key = b.legend(
        "key",
        ("ring", INK, "a window's best span"),
        ("dot", INK, "the best of all"),
        ("text", INK, "× a window's “no answer”, the score of its [CLS]; bold: the smallest"),
    )
    closing = (
        "Windows without the answer should say “no answer”; one that finds it must be able to win."
    )
    return led(w), [key, figure, lead_formula(w)], closing


def dot_names(w: Windows, r: Row, y: int, pitch: float, span: tuple[float, float]) -> list[Block]:
    """What the two dots of a window are, moved so that neither side is cut; where rows stand close,
    those two alone that decide.
    """
    (low, high), lift, found = span, 11 / pitch, list[Block]()
    null = f"“no answer” {number(r.null)}"
    null += ": the smallest counts" if r is w.least and len(w.rows) > 1 else ""
    own = (r.score, r.proposes(26), y - lift, "bottom", r is w.win)
    for value, text, up, anchor, strong in (own, (r.null, null, y + lift, "top", r is w.least)):
        if value > -np.inf and (strong or pitch > 50):
            half = len(text) * 3.8 * (high - low) / 1080
            x = min(max(value, low + half), high - half)
            found.append(label(text, x, up, strong, yanchor=anchor, name="wide"))
            small = {"size": 12, "yanchor": anchor, "name": "narrow"}
            found.append(label(number(value), value, up, strong, **small))
    return found


def led(w: Windows) -> list[Part]:
    """The finding of step 3."""
    p, lead = w.prediction, w.prediction.null_score - w.best.score
    wins, many = p.answer is None, len(w.rows) > 1
    told: list[Part] = ["The smallest “no answer”, " if many else "“No answer”, "]
    told += [[number(p.null_score), STRONG], f" in window {w.least.k}, " if many else ", "]
    told += ["leads" if lead > 0 else "does not lead", " the best span, "]
    told += [[number(w.best.score), STRONG]]
    if wins:
        low = ", and wins all the same under a threshold below 0."
        return [*told, low if lead <= 0 else ", by more than the threshold: it wins."]
    told += [", by no more than the threshold: " if lead > 0 else ": "]
    return [*told, span_words(w.best, 40), " is returned."]


def lead_formula(w: Windows) -> Block:
    """smallest "no answer" - best span = 5.66 - 9.99 = -4.33, against the threshold."""
    p, threshold = w.prediction, w.shown.decode.null_score_diff_threshold
    lead, wins = p.null_score - w.best.score, p.answer is None
    # where two digits cannot tell which of the two is larger, three or four do
    digits = next((d for d in (2, 3, 4) if number(lead, d) != number(threshold, d)), 4)
    best = number(w.best.score, digits)
    best = f"({best})" if w.best.score < 0 else best
    sign = b.adds((p.null_score, -w.best.score), lead, digits)
    total = f"{number(p.null_score, digits)} − {best} {sign} {number(lead, digits)}"
    against = f" {'>' if wins else '≤'} {number(threshold, digits)}, the threshold: “no answer” "
    smallest = "smallest “no answer”" if len(w.rows) > 1 else "“no answer”"
    against += "wins" if wins else "does not win"
    return b.formula("lead", [f"{smallest} − best span = ", [total, STRONG], against])


# ---- step 4


def three_rules(w: Windows) -> Made:
    """One panel a rule: every window's number, the choice filled."""
    values = {"mean_of_maxima": [r.mean for r in w.rows], "product": [r.product for r in w.rows]}
    found = {rule: int(np.argmax(np.round(x, 9))) for rule, x in values.items()}
    chosen = {"logits": w.win, **{rule: w.rows[k] for rule, k in found.items()}}
    rows = in_rows(w, list(chosen.values()), lambda r: r.score)
    panels = [panel(w, rule, rows, taken) for rule, taken in chosen.items()]
    closing = "A high P says: highest within this window. It says nothing about another window."
    return why_mean(w, chosen["mean_of_maxima"]), [*panels, not_theirs(w)], closing


def why_mean(w: Windows, top: Row) -> list[Part]:
    """The finding: which window the mean takes, and why that fails where it fails."""
    if len(w.rows) == 1:
        return ["One window: all three rules take its best span; they differ between windows only."]
    i, j = (said_at(w.shown, top.window, pos) for pos in top.tops[:2])
    why, same = reason(top.window, *top.tops[:2], w.shown.decode), top is w.win
    told: list[Part] = [f"The mean takes window {top.k}" + (" too" if same else "")]
    returned = span_words(top.own, 30) if top.own is not None else "none"
    if top.tops[:2] == (top.window.cls_at, top.window.cls_at):
        told += [": both its maxima stand on [CLS], so it says most surely “not here”. "]
        told += ["Its best span is returned all the same: ", returned, "."]
    elif why is not None:
        why = "that start counts in another window" if why == "not owned" else why
        told += [" for its maxima on ", *i, " and ", *j, f": no allowed span ({why}). "]
        told += ["So its best span is returned: ", returned, "."]
    elif same:
        told += [". It need not: the mean tells how far a window's best stands above the rest of "]
        return [*told, "that window, not how high it is."]
    else:
        told += [", which is surest among its own words: ", returned, "."]
    if not same:
        silent = ", and “no answer” leads it by more than the threshold."
        told += [f" The sums take window {w.win.k}, ", span_words(w.best, 30)]
        told += ["." if w.prediction.answer is not None else silent]
    return told


def not_theirs(w: Windows) -> Block | None:
    """Windows that are sure of the right words and may not return them."""
    span, k = w.best.span, w.win.k
    held = [(r, r.window) for r in w.holding[1:] if r.same is not None]
    pairs = [(r.k, r.tops[:2], (v.to_pos(span.start), v.to_pos(span.end))) for r, v in held]
    names = sorted(n for n, tops, pair in pairs if tops == pair)
    if not names:
        return None
    which, last = f"Window {names[0]} has its", "it proposes another span."
    if len(names) > 1:
        each = listing(names) if len(names) < 5 else f"{names[0]} to {names[-1]} but {k}"
        which, last = f"Windows {each} have their", "they propose other spans."
    start = f" too, yet cannot return it: its start counts in window {k} only (step 2), so "
    return b.sentence(
        "copies", "note", f"{which} largest P on ", span_words(w.best, 30), start + last
    )


def panel(w: Windows, rule: str, rows: list[list[Row]], taken: Row) -> Block:
    """A rule's name, which a press sets, what it compares, its figure, and what it takes."""
    (title, how), pitch = RULES[rule], min(66.0, 264 / len(rows))
    says: Callable[[Windows, Row], str]
    value: Callable[[Row], float]
    if rule == "logits":
        says, value, data = sum_of, (lambda r: r.score), dots(w, rows)
        across = {"range": ends(w), "nticks": 6}
    else:
        mean = rule == "mean_of_maxima"
        says, value = (mean_of, lambda r: r.mean) if mean else (product_of, lambda r: r.product)
        across = {"range": [0, 1.03], "tickvals": [0, 0.5, 1], "ticktext": ["0", "0.5", "1"]}
        tops = [max(run, key=value) for run in rows]
        fill = [INK if r is taken else NOWHERE for r in tops]
        bar = {"type": "bar", "orientation": "h", "y": list(range(1, len(rows) + 1))}
        bar |= {"x": [round(value(r), 4) for r in tops], "width": (18 if pitch > 44 else 8) / pitch}
        bar |= {"marker": {"color": fill, "line": {"color": INK, "width": 1.5}}}
        data = [bar | {"hoverinfo": "skip"}]
    patch = {"rule": None if rule == "logits" else rule}
    over = {"xref": "paper", "xanchor": "left", "yanchor": "bottom", "borderpad": 1}
    texts = []
    for y, run in enumerate(rows, 1):
        top = max(value(r) for r in run)
        most = number(top) if rule == "logits" else escape(b.probability(top))
        text = says(w, run[0]) if len(run) == 1 else f"none above {most}"
        size = 13 if pitch > 44 else 12
        texts.append(label(text, 0, y - 9 / pitch, run[0] is taken, size, **over))
    layout = {
        "height": int(pitch * len(rows)) + 34,
        "margin": {"l": 74, "r": 8, "t": 4, "b": 26},
        "bargap": 0,
        "xaxis": b.axis(None, showgrid=False, **across),
        "yaxis": down(rows, 0.3, True),
    }
    alt = f"What the rule compares, window by window; it takes window {taken.k}"
    told: list[Part] = [f"takes window {taken.k}: "]
    told += [span_words(taken.own, 20) if taken.own is not None else "no span"]
    if rule == "logits" and w.prediction.answer is None:
        told = [f"“no answer” wins over window {taken.k}"]
    return b.group(
        f"panel-{rule}",
        4,
        b.choice(f"rule-{rule}", "", [(title.capitalize(), patch, w.shown.state.rule == rule)]),
        b.sentence(f"how-{rule}", "note", how),
        drawn(rule, [{**trace, "sets": patch} for trace in data], layout, texts, alt, {}),
        b.formula(f"takes-{rule}", told),
    )


def sum_of(w: Windows, r: Row) -> str:
    """“Trajan” 11.51 and “no answer” 1.88."""
    return f"{r.proposes(15)}   “no answer” {number(r.null)}"


def mean_of(w: Windows, r: Row) -> str:
    """(0.936 [CLS] + 0.923 [CLS]) / 2 ≈ 0.930."""
    i, j, start, end = r.tops
    sign = "=" if abs((round(start, 3) + round(end, 3)) / 2 - round(r.mean, 3)) < 1e-9 else "≈"
    one, two, mean = (escape(b.probability(p)) for p in (start, end, r.mean))
    return f"({one} {piece_name(w, r, i)} + {two} {piece_name(w, r, j)}) / 2 {sign} {mean}"


def product_of(w: Windows, r: Row) -> str:
    """“Trajan” 0.637 × 0.993 = 0.632."""
    words = "no span" if r.own is None else escape(quote(r.own.text, 18))
    if r.product < 0.0005:
        return f"{words} under 0.001"
    start, end = (round(p, 3) for p in r.factors)
    sign = "=" if abs(start * end - round(r.product, 3)) < 0.0005 else "≈"
    one, two, total = (escape(b.probability(p)) for p in (*r.factors, r.product))
    return f"{words} {one} × {two} {sign} {total}"


# ---- folds


def exactly(w: Windows) -> Block:
    """Conditions, variants and provenance of the step."""
    step, limit = w.shown.state.step, number(w.shown.decode.null_score_diff_threshold, 3)
    chosen = "the reader's own" if w.shown.state.threshold is None else "set by hand"
    if w.shown.state.threshold is None and w.shown.state.reader == "bundled":
        chosen += ", chosen with windows of 384 (step 128)"
        chosen += "" if w.size == 384 else "; at another size it is untested"
    scale = (
        "Nothing in training ties the levels of two windows together: each softmax is trained "
        "within one window, and comparing raw scores is BERT's convention, not a guarantee."
    )
    cut = (
        f"Windows overlap by {b.plural(w.room - w.step, 'piece')}. An answer of up to "
        f"{b.plural(w.safe or 0, 'piece')} stands whole in the window where its start counts, "
        "wherever it starts; a longer one may reach beyond it and is then never found whole."
    )
    told = (
        "A piece is a word or a part of one. A window's best span is taken among the starts that "
        "count in it (step 2). The size is BERT's max_seq_length, the step its doc_stride: 384 and "
        "128 unless others are chosen. The last window ends with the paragraph and may be shorter. "
        "A step larger than what a window holds would skip words and is refused.",
        "The rule is min(left, right) + 0.01 · pieces of the window; of equals the first window "
        "(BERT's “max context”). Only the start is asked: the end may lie where another window "
        "sees more.",
        "“No answer” of a window is start logit + end logit of its [CLS]. Since the smallest "
        "counts, “no answer” wins only if in each window it leads the best span of all by more "
        f"than the threshold. The threshold, {limit}, is {chosen}.",
        "A softmax divides by the sum over its own window, “no answer” included, so a window "
        "without the answer can be the surest of all. The largest P(start) and P(end) run over "
        "all positions and may form no allowed span; the window's best span by score is returned. "
        "The product's softmax leaves [CLS] and the question out. Within one window sum and "
        "product order spans alike. All three take only starts that count in the window. The "
        f"threshold, {limit}, {chosen}, holds for the sums; the two other rules always answer.",
    )
    more = scale if step > 2 else cut if w.safe is not None else None
    notes = [
        b.sentence(f"exactly-{k}", "note", x) for k, x in enumerate((told[step - 1], more)) if x
    ]
    return b.fold("exactly", "Exactly", *notes, span=4)


def as_table(w: Windows) -> Block:
    """Every window with all that the four steps show of it."""
    start = quote(word(w.encoding, w.best.span.start, ""), 18)
    names = ["window", "pieces", "its best span", "score", "“no answer”", f"{start} to nearer edge"]
    names += [f"{quote(w.best.text, 24)} here", "mean", "product"]
    rows = []
    for r in w.rows:
        cells = [str(r.k), f"{r.window.doc_start + 1} to {r.window.doc_stop}"]
        cells += ["none", "–"] if r.own is None else [quote(r.own.text, 50), number(r.score)]
        cells += [number(r.null), "–" if r.near is None else str(r.edge)]
        cells += ["–" if r.same is None else number(r.same)]
        cells += [b.probability(r.mean), b.probability(r.product)]
        span = None if r.own is None else {"selection": [r.own.span.start, r.own.span.end]}
        rows.append(b.row(*cells, sets=span))
    made = b.table("rows", [(n, "") for n in names], rows, caption="All windows")
    return b.fold("table", "As a table", made, span=4)
