"""Chapter 8, SpanBERT: hidden spans, what two layers say of them, and what it is worth to a reader.

For the hidden token x_i of a span s..e: L(x_i) = -log P(x_i | h_i) - log P(x_i | h_(s-1), h_(e+1),
p_(i-s+1)); h is the encoder's output [d], p a position vector. Indices count the text's tokens.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from qa_demo.blocks import (
    GREY,
    INK,
    MID,
    PAPER,
    QUOTE,
    SHADE,
    STRONG,
    Block,
    Part,
    adds,
    axis,
    button,
    choice,
    code,
    entry,
    escape,
    figure,
    flow,
    fold,
    formula,
    group,
    legend,
    note,
    number,
    packed,
    percent,
    plural,
    probability,
    row,
    sentence,
    signed,
    table,
)
from qa_demo.core.errors import BadInput, ModelUnavailable
from qa_demo.core.files.assets import ASSETS
from qa_demo.core.files.examples import Passage, load_passages
from qa_demo.core.masking.asked import FILLER, Asked, Filled, Hidden, fill, hidden, right, typed
from qa_demo.core.masking.infill import HiddenPiece, Said
from qa_demo.core.masking.masked import Draw
from qa_demo.core.masking.span_masking import DEFAULTS, length_law
from qa_demo.core.measuring.published import SPANBERT, SPANBERT_MASKING, SPANBERT_OBJECTIVES
from qa_demo.shown import Shown
from qa_demo.state import Int, Name, Record, Text
from qa_demo.texts import paragraph_items, segment, text

NAME = "SpanBERT"
HEADINGS = (
    "What do the words around a hidden span know?",
    "Why hide whole spans, and not single tokens?",
    "How does a model that fills blanks become a reader?",
    "What is each change worth?",
)
STEPS = ("Boundary", "Spans or tokens", "To a reader", "Worth")
OPENS: dict[int, dict[str, Any]] = {}
SNIPPET = """\
import numpy as np

rng, d = np.random.default_rng(0), 4  # 384 in the model


def layer(x, W):  # Linear, GeLU (its tanh form), LayerNorm over this one vector
    x = W @ x
    x = 0.5 * x * (1 + np.tanh(0.79788 * (x + 0.044715 * x**3)))
    return (x - x.mean()) / x.std()


before, after, position = rng.normal(size=d), rng.normal(size=d), rng.normal(size=2)
h0 = np.concatenate([before, after, position])
y = layer(layer(h0, rng.normal(size=(d, 2 * d + 2))), rng.normal(size=(d, d)))
words = rng.normal(size=(3, d))  # one vector for each word of the vocabulary
P = np.exp(words @ y) / np.exp(words @ y).sum()
print("guesses:", P.round(3), " L_SBO of word 0:", -np.log(P[0]).round(2))
"""
FIRST = {1: "curie", 2: "apollo"}
"""The passages that the steps open on."""
ODD: tuple[tuple[str, str], ...] = (("curie", "Marie Curie"), ("kilimanjaro", "a span at the edge"))
ODD += (("fleming", "a word in pieces"), ("fire", "a long span"), ("apollo", "over 20 tokens"))
LONG = ("apollo", "superbowl", "brooklyn", "monalisa")
WIRES = {"left": "the word before", "right": "the word after", "position": "the position"}
GUESSES = 5
POSITION_NUMBERS = 200
"""Numbers of a position vector, as in the paper."""
ENCODER = "all-MiniLM-L6-v2"
LEFT = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom", "align": "left"}


class Own(Record):
    """What this chapter alone keeps: the text, the chosen blank, the cut input, the draw."""

    passage: Name | None = None
    text: Annotated[Text, Field(max_length=500)] | None = None
    blank: Int | None = None
    cut: Literal["left", "right", "position"] | None = None
    seed: Int = Field(15, ge=1, le=9999)


def picture(shown: Shown, own: Own) -> list[Block | None]:
    """The blocks of the step."""
    made = (boundary, schemes, to_reader, worth)[shown.state.step - 1](shown, own)
    return [*made, fold("code", "The code", code("py", SNIPPET), span=4)]


# ---- blocks that every step has


def said_as(role: str, *said: Part | None) -> Block:
    """The idea, the finding or the closing line."""
    return sentence(role, role, *said)


def exactly(*blocks: Block | str) -> Block:
    """The fold of conditions; a text is a note of its own."""
    made = [
        sentence(f"note-{k}", "note", b) if isinstance(b, str) else b for k, b in enumerate(blocks)
    ]
    return fold("exactly", "Exactly", *made, span=4)


def listed(heads: Sequence[str], rows: Sequence[Block], caption: str, *more: Block) -> Block:
    """The fold of the picture's numbers."""
    made = table("rows", [(h, "") for h in heads], rows, caption=caption)
    return fold(
        "table", "As a table, and more texts" if more else "As a table", made, *more, span=4
    )


# ---- texts and figures at hand


@cache
def passages() -> dict[str, Passage]:
    """The passages that came with the page, by their id."""
    return {p.id: p for p in load_passages(ASSETS / "passages.json")}


@cache
def stored(name: str) -> Any:
    """A file of figures. Errors: ModelUnavailable where the checkout lacks it."""
    path = ASSETS / name
    if not path.is_file():
        raise ModelUnavailable(f"assets/{name} is not in this checkout")
    return json.loads(path.read_text(encoding="utf-8"))


def asked(own: Own, step: int) -> Asked:
    """The visitor's own sentence, else a passage. Errors: BadInput for an unknown passage."""
    if own.text is not None and own.text.strip():
        return typed(own.text)
    name = own.passage or FIRST[step]
    if name not in passages():
        raise BadInput(f"there is no passage {name[:60]!r}")
    passage = passages()[name]
    return Asked(passage.text, tuple((h.char_start, h.char_end) for h in passage.hidden))


def texts_row(own: Own, step: int) -> list[Block]:
    """A text where ..., and a box for an own sentence."""
    now, key = None if own.text else own.passage or FIRST[step], "own.spanbert"
    some = ODD if step == 1 else tuple((k, passages()[k].title) for k in LONG)
    options = [(said, {key: {"passage": k, "seed": own.seed}}, k == now) for k, said in some]
    label = "own sentence; [MASK] hides a place"
    box = entry("own", "own.spanbert.text", label, own.text or "", span=4, most=500)
    return [choice("texts", "Text:", options, span=8), box]


def refused(fault: str, own: Own, step: int, idea: Block) -> list[Block | None]:
    """A text that cannot be read: the reason, and the way to another."""
    return [
        idea,
        said_as("finding", f"This sentence cannot be shown: {fault}."),
        *texts_row(own, step),
    ]


def spelled(token: str) -> str:
    """A token as the page spells it: ##ne gives ·ne."""
    return "·" + token[2:] if token.startswith("##") else token


def model_says() -> str:
    """Which model fills the blanks, and how long it was trained."""
    phases = [p for p in stored("spanbert/spanbert.json")["phases"] if not p.get("tried")]
    shape = stored("spanbert/config.json")
    steps = sum(p["steps_taken"] for p in phases)
    read = sum(p["steps_taken"] * p["batch_tokens"] for p in phases)
    return (
        f"The model is our small SpanBERT: {ENCODER} ({shape['num_hidden_layers']} layers, "
        f"{shape['hidden_size']} numbers a token), pre-trained for {steps:,} more steps, "
        f"{read / 1e6:,.0f} million tokens, with both losses. It is neither the paper’s nor the "
        "reader that answers above. The page’s own passages are not in its training text."
    )


# ---- step 1: the boundary objective


def boundary(shown: Shown, own: Own) -> list[Block | None]:
    """The sentence with its blanks, both layers' guesses, their losses."""
    idea = said_as(
        "idea",
        "SpanBERT hides whole spans. Its ",
        ["span boundary objective (SBO)", STRONG],
        " predicts each hidden word from three things: the encoder’s outputs just before and just "
        "after the span, and the position within it. Its loss is added to the masked-language loss "
        "(MLM).",
    )
    given = asked(own, 1)
    found = shown.need(("fill", given), partial(fill, given), of="spanbert")
    if isinstance(found, str):
        return refused(found, own, 1, idea)
    at = own.blank if own.blank in found.plain.masked.hidden.tolist() else found.first()
    whole = found.piece(at)
    cut = own.cut if whole.sbo is not None else None
    now = found.piece(at, cut)
    return [
        idea,
        blank_finding(given, found, now, whole, cut),
        *texts_row(own, 1),
        key(given),
        blanks(given, found, now, cut),
        cuts(found, now, cut),
        guesses(given, found, now, cut),
        losses(given, now, whole, cut),
        overall(),
        blanks_table(given, found),
        boundary_exactly(found, now),
    ]


def key(given: Asked) -> Block:
    """What the marks of the sentence mean, and whose guesses these are."""
    under = (
        "a small word under it: what is hidden" if given.known else "[MASK]: its word is unknown"
    )
    model = "our small SpanBERT: not the paper’s, and not the reader that answers above"
    chosen = "the chosen blank; its number is its position in the span"
    return legend(
        "key", ("fill", INK, chosen), ("text", INK, under), ("text", INK, [[model, GREY]])
    )


def called(found: Filled, piece: HiddenPiece) -> str:
    """Blank 3, with its span where there are several."""
    runs = found.plain.masked.runs
    which = f" of span {runs.index(piece.run) + 1}" if len(runs) > 1 else ""
    return f"Blank {piece.at - piece.run.start + 1}{which}"


def says(said: Said, true: str | None) -> list[Part]:
    """The first guess of a layer, and the place of the true word among its guesses."""
    p = f"({probability(said.guesses[0].p)})"
    if true is not None and said.rank == 1:
        return [f"guesses it {p}"]
    found: list[Part] = ["guesses ", [f"“{spelled(said.guesses[0].piece)}”", QUOTE], f" {p}"]
    place: list[Part] = ["; ", [f"“{true}”", QUOTE], f" is its guess {said.rank:,}"]
    return found if true is None else found + place


def blank_finding(
    given: Asked, found: Filled, now: HiddenPiece, whole: HiddenPiece, cut: str | None
) -> Block:
    """What both layers guess at the chosen blank, or what the cut has changed."""
    true = spelled(now.token) if given.known else None
    said: list[Part] = [called(found, now)]
    said += [" hides ", [f"“{true}”", QUOTE], ". "] if true else [" is a typed [MASK]. "]
    if now.sbo is None or whole.sbo is None:
        said += [no_term(found, now), " MLM ", *says(now.mlm, true), "."]
    elif cut is None and true and now.sbo.rank == now.mlm.rank == 1:
        said += [*("SBO ", *says(now.sbo, true)), f", MLM too ({probability(now.mlm.p)})."]
    elif cut is None:
        said += ["SBO ", *says(now.sbo, true), ". MLM ", *says(now.mlm, true), "."]
    elif true:
        said += [f"With an average in place of {WIRES[cut]} SBO gives it "]
        said += [f"{probability(now.sbo.p)} (guess {now.sbo.rank:,}) instead of "]
        said += [f"{probability(whole.sbo.p)} (guess {whole.sbo.rank:,})."]
    else:
        said += [f"With an average in place of {WIRES[cut]} SBO ", *says(now.sbo, None), "."]
    return said_as("finding", *said)


def no_term(found: Filled, piece: HiddenPiece) -> str:
    """Why SBO says nothing of a blank, in a sentence."""
    if not found.positions:
        return "This model has no boundary layer."
    if found.plain.masked.boundary(piece.run) is None:
        return "Its span stands at the text’s edge, one neighbour is missing, so SBO has no guess."
    return f"SBO knows {found.positions} positions, and this one is further on: it has no guess."


def blanks(given: Asked, found: Filled, now: HiddenPiece, cut: str | None) -> Block:
    """The sentence: numbered blanks that can be pressed, the two boundary words marked."""
    e, items = found.encoding, paragraph_items(found.encoding)
    for p in found.plain.pieces:
        marks = ["blank", "boxed"] if p.at == now.at else ["blank"]
        under = spelled(p.token) if given.known else "?"
        items[p.at] |= {"t": str(p.at - p.run.start + 1), "under": under, "marks": marks}
        items[p.at] |= {"joined": False, "sets": {"own.spanbert.blank": p.at}}
    pair = found.plain.masked.boundary(now.run) or ()
    for wire, side, at in zip(("left", "right"), ("before", "after"), pair, strict=False):
        what = "word" if np.sum(e.word_ids == e.word_ids[at]) == 1 else "token"
        under = "averaged out" if cut == wire else f"{what} {side}"
        items[at] |= {"marks": ["edge"], "under": under}
    return text("sentence", segment(items), select=False, dots=True)


def inputs(found: Filled, piece: HiddenPiece) -> tuple[str, str, str]:
    """The three inputs of SBO at a blank by name."""
    pair = found.plain.masked.boundary(piece.run) or (0, 0)
    left, right = (f"“{spelled(found.plain.tokens[at])}”" for at in pair)
    return left, right, str(piece.k)


def cuts(found: Filled, now: HiddenPiece, cut: str | None) -> Block | None:
    """Replace one of the three inputs by its average."""
    if now.sbo is None:
        return None
    names = zip(WIRES, inputs(found, now), strict=True)
    options = [("nothing", {"own.spanbert.cut": None}, cut is None)]
    options += [(f"{WIRES[w]}, {name}", {"own.spanbert.cut": w}, cut == w) for w, name in names]
    return choice("cut", "Replace one input of SBO by its average:", options)


Row = tuple[str, float, int, bool]


def best(said: Said | None, true: str | None) -> list[Row]:
    """The best guesses, the true word among them: (word, P, place, whether it is true)."""
    if said is None:
        return []
    first = enumerate(said.guesses[:GUESSES], 1)
    rows = [(spelled(g.piece), g.p, n, g.piece == true) for n, g in first]
    if true is not None and not any(r[3] for r in rows):
        rows = [*rows[: GUESSES - 1], (spelled(true), said.p, said.rank, True)]
    return rows


def panel(rows: Sequence[Row], before: Mapping[str, float], axes: str) -> list[Block]:
    """Bars of guesses, the best first; `before`: the words' P with nothing cut, as outlines."""
    on = {
        "xaxis": "x" + axes,
        "yaxis": "y" + axes,
        "hoverinfo": "skip",
        "y": list(range(len(rows))),
    }
    bar = {"type": "bar", "orientation": "h", **on}
    old = [before.get(r[0], 0.0) for r in rows]
    outline = {"color": PAPER, "line": {"color": GREY, "width": 1.5}}
    filled = {"color": [INK if r[3] else MID for r in rows]}
    true = [f"  ✓ true word, guess {r[2]:,}" if r[3] else "" for r in rows]
    label = [f" {probability(r[1])}{t}" for r, t in zip(rows, true, strict=True)]
    ends = packed([max(r[1], o) for r, o in zip(rows, old, strict=True)])
    return [
        *([{**bar, "x": packed(old), "width": 0.9, "marker": outline}] if before else []),
        {**bar, "x": packed([r[1] for r in rows]), "width": 0.66, "marker": filled},
        {"type": "scatter", "mode": "text", **on, "x": ends, "text": label, "cliponaxis": False}
        | {"textposition": "middle right", "textfont": {"size": 14, "color": INK}},
    ]


def titles(found: Filled, now: HiddenPiece, cut: str | None) -> tuple[str, str]:
    """The names of both layers, and what each reads."""
    a, b, k = inputs(found, now)
    named = zip(WIRES, (f"outputs at {a}", f"at {b}", f"position {k}"), strict=True)
    reads = ", ".join(f"average of {WIRES[w]}" if cut == w else name for w, name in named)
    what = f"reads {escape(reads)}" if now.sbo else "has nothing to read here"
    mlm = "<b>Masked-language layer (MLM)</b><br>reads the encoder’s output at the blank itself"
    return mlm, f"<b>Boundary layer (SBO)</b><br>{what}" + (" · outline: before" if cut else "")


def guesses(given: Asked, found: Filled, now: HiddenPiece, cut: str | None) -> Block:
    """Both layers' guesses as bars on one scale, whatever is cut."""
    true, whole = now.token if given.known else None, found.piece(now.at).sbo
    mlm, sbo, before = best(now.mlm, true), best(now.sbo, true), dict[str, float]()
    if cut and whole:
        before = {spelled(g.piece): g.p for g in whole.guesses} | {spelled(now.token): whole.p}
    ever = [p.sbo.guesses[0].p for c in found.by_cut if (p := found.piece(now.at, c)).sbo]
    most = max([now.mlm.guesses[0].p, *ever])
    step = next(t for t in (0.001, 0.01, 0.05, 0.1, 0.2, 0.5) if t == 0.5 or most / t <= 4)
    marks = [round(k * step, 3) for k in range(int(most / step + 1e-9) + 1)]

    def ticks(rows: Sequence[Row], **more: Any) -> Block:
        names = [f"“{escape(r[0])}”" for r in rows]
        more |= {"tickfont": {"size": 16, "family": '"Spanlight Serif", serif'}}
        at = list(range(len(rows)))
        return axis(tickvals=at, ticktext=names, range=[4.6, -0.6], showgrid=False, **more)

    def across(low: float, high: float, **more: Any) -> Block:
        return axis(
            "probability", domain=[low, high], range=[0, 1.85 * most], tickvals=marks, **more
        )

    heads = zip(titles(found, now, cut), (0, 0.6), strict=True)
    return figure(
        "guesses",
        panel(mlm, {}, "") + panel(sbo, before, "2"),
        {
            "height": 222,
            "barmode": "overlay",
            "margin": {"l": 128, "r": 8, "t": 40, "b": 40},
            "xaxis": across(0, 0.4),
            "xaxis2": across(0.6, 1, anchor="y2", visible=bool(sbo)),
            "yaxis": ticks(mlm),
            "yaxis2": ticks(sbo, anchor="x2"),
            "annotations": [note(t, x, 1.02, **LEFT, xshift=-124) for t, x in heads],
        },
        f"The best guesses of both layers for {called(found, now).lower()}.",
        narrow={"height": 470, "xaxis.domain": [0, 1], "xaxis2.domain": [0, 1]}
        | {"xaxis.title.text": "", "yaxis.domain": [0.6, 1], "yaxis2.domain": [0, 0.4]}
        | {"annotations.1.x": 0, "annotations.1.y": 0.41}
        | {"xaxis.range": [0, 3 * most], "xaxis2.range": [0, 3 * most]},
    )


def minus_log(p: float, loss: float) -> tuple[str, str]:
    """-log P with as many digits of P as give the loss as printed, and "=" or "≈"."""
    for digits in range(3, 9):
        r = round(p, digits)
        if 0 < r < 1 and number(-np.log(r)) == number(loss):
            return f"log {r:.{digits}f}", "="
    return f"log {probability(p)}", "≈"


def losses(given: Asked, now: HiddenPiece, whole: HiddenPiece, cut: str | None) -> Block:
    """L = L_MLM + L_SBO of the chosen blank; under a cut what it does to L_SBO."""
    if not given.known:
        said = "Nobody has said which word a typed [MASK] hides, so there is no loss to lower here."
        return sentence("formula", "note", said)
    mlm, sbo, word = ["MLM", "sub"], ["SBO", "sub"], [f"“{spelled(now.token)}”", QUOTE]
    a, a_sign = minus_log(now.mlm.p, now.mlm.loss)
    lead: list[Part] = ["L(", word, ") = L", mlm]
    if now.sbo is None or whole.sbo is None:
        end: list[Part] = [f" = −{a} {a_sign} ", [number(now.mlm.loss), STRONG]]
        return formula("formula", [*lead, *end], label="no SBO term (log: natural)")
    b, b_sign = minus_log(now.sbo.p, now.sbo.loss)
    if cut is not None:
        old, sign = minus_log(whole.sbo.p, whole.sbo.loss)
        was = f") = −{old} {sign} {number(whole.sbo.loss)}, now −{b} {b_sign} "
        line: list[Part] = ["L", sbo, "(", word, was, [number(now.sbo.loss), STRONG]]
        return formula("formula", line, label="what the cut costs (log: natural)")
    x, y = now.mlm.loss, now.sbo.loss
    sign = "=" if a_sign == b_sign == "=" else "≈"
    end = [f" = −{a} − {b} {sign} {number(x)} + {number(y)} {adds((x, y), x + y)} "]
    line = [*lead, " + L", sbo, *end, [number(x + y), STRONG]]
    return formula("formula", line, label="the two losses are added (log: natural)")


def overall() -> Block:
    """Both layers on all held-out blanks that were masked: one blank proves little."""
    o = stored("spanbert/metrics.json")["by_fate"]["mask"]
    sbo, mlm = percent(o["sbo_top1"] / 100), percent(o["mlm_top1_where_sbo"] / 100)
    said = f"Over {o['sbo_pieces']:,} held-out blanks SBO is right in {sbo}, MLM in {mlm}: "
    return said_as("closing", said + "SBO is there to train the encoder.")


def blanks_table(given: Asked, found: Filled) -> Block:
    """Every blank with both layers' first guesses, and every passage to press."""

    def cells(said: Said | None) -> list[str]:
        if said is None:
            return ["–", "–", "–"]
        known = [probability(said.p), f"{said.rank:,}"] if given.known else ["–", "–"]
        return [spelled(said.guesses[0].piece), *known]

    rows = []
    for p in found.plain.pieces:
        first = called(found, p), spelled(p.token) if given.known else "?"
        sets = {"own.spanbert.blank": p.at}
        rows.append(row(*first, *cells(p.mlm), *cells(p.sbo), sets=sets))
    heads = ["blank", "hidden word", "MLM guesses", "P(hidden word)", "its place"]
    others = [
        row(p.title, " / ".join(h.text for h in p.hidden), sets={"own.spanbert": {"passage": name}})
        for name, p in passages().items()
    ]
    more = table("passages", [("passage", ""), ("hidden", "")], others, caption="All passages")
    return listed([*heads, "SBO guesses", *heads[3:]], rows, "Every blank, nothing cut", more)


def boundary_exactly(found: Filled, now: HiddenPiece) -> Block:
    """The boundary layer's arithmetic, what a cut is, the model, what texts get wrong."""
    shape = stored("spanbert/config.json")
    d, names = shape["hidden_size"], ("word before", "word after", "k")
    a, b, k = inputs(found, now) if now.sbo is not None else names
    steps: list[Part] = ["] → Linear, GeLU, LayerNorm → h", ["1", "sub"]]
    steps += [" → Linear, GeLU, LayerNorm → y"]
    return exactly(
        formula("shape", ["h", ["0", "sub"], f" = [h({a}); h({b}); p({k})", *steps]),
        f"h is the encoder’s output at a token, {d} numbers; p the vector of a position, "
        f"{POSITION_NUMBERS}; h₁ and y have {d}. LayerNorm runs over the numbers of one vector, "
        "not over a batch. The logit of a word is its vector · y + its bias; the softmax runs over "
        f"{shape['vocab_size']:,} word pieces.",
        "A cut input is replaced by its mean over the training text, the same for every blank. "
        "That shows what the layer uses; the encoder has still read the word. The boundary words "
        "stand outside the span and are seen. Each hidden word is predicted by itself. [CLS] and "
        "[SEP] never stand in for a missing neighbour. In training the losses are means: over the "
        "hidden tokens, and over those with an SBO term plus one.",
        model_says(),
    )


# ---- step 2: spans against single tokens


def schemes(shown: Shown, own: Own) -> list[Block | None]:
    """The text twice, the budget, the law of lengths."""
    idea = said_as(
        "idea",
        "Both hide 15 % of the tokens: BERT ",
        ["single tokens", STRONG],
        ", SpanBERT ",
        ["whole spans", STRONG],
        " of 1 to 10 words. Inside a span the nearest words are hidden too.",
    )
    given = asked(own, 2)
    name = ("schemes", given.text, own.seed)
    found = shown.need(name, partial(hidden, given.text, own.seed), of="spanbert")
    if isinstance(found, str):
        return refused(found, own, 2, idea)
    n, m, count = right(found.tokens), right(found.spans), len(found.spans.pieces)
    total = plural(len(found.encoding.context_ids), "token")
    return [
        idea,
        said_as(
            "finding",
            f"{count} of {total} hidden each time: our small SpanBERT guesses {n} of the single "
            f"ones and {m} of those in spans.",
            average(),
            None if given.known else f" Here “{FILLER}” stands where [MASK] was typed.",
        ),
        *texts_row(own, 2),
        button("again", "Draw again", {"own.spanbert.seed": own.seed % 9999 + 1}, span=2),
        legend(
            "key",
            ("fill", INK, "hidden from the model"),
            ("text", INK, "✓ the first guess of its masked-language layer is right"),
            ("text", INK, [["not the reader that answers above", GREY]]),
            span=10,
        ),
        twice(found, n, m),
        group("laws", 6, *laws(found, count)),
        law_chart(found),
        said_as(
            "closing",
            ("Spans are harder for this model. " if m < n or average() else "")
            + "Whether they teach it more is step 4.",
        ),
        hidden_table(found),
        schemes_exactly(found, count),
    ]


def measured() -> Mapping[str, int] | None:
    """The guesses over all example texts by the weights in use; None where nobody measured them."""
    weights = stored("spanbert/checksums.json").get("model.safetensors")
    found: Mapping[str, int] | None = stored("schemes.json").get(weights)
    return found


def average() -> str | None:
    """The same over all example texts."""
    if (m := measured()) is None:
        return None
    tokens, spans = percent(m["tokens"] / m["blanks"]), percent(m["spans"] / m["blanks"])
    return f" Over {m['texts']} texts it is {tokens} and {spans}."


def twice(found: Hidden, n: int, m: int) -> Block:
    """The text under both laws."""
    spans, made = plural(len(found.spans.masked.runs), "span"), []
    for name, said, hits in (("single tokens", found.tokens, n), (spans, found.spans, m)):
        items = paragraph_items(found.encoding)
        for p in said.pieces:
            items[p.at]["marks"] = ["masked", "hit"] if p.mlm.rank == 1 else ["masked"]
        made.append(segment(items, name, False, [f"{hits} of {len(said.pieces)} right", STRONG]))
    return text("twice", *made, select=False, dots=True)


def laws(found: Hidden, count: int) -> list[Block]:
    """The budget of this text, and how probable a length is."""
    n, p, upper, length = len(found.encoding.context_ids), DEFAULTS.geometric_p, 10, 3
    share, q, law = DEFAULTS.mask_ratio * n, 1 - DEFAULTS.geometric_p, length_law()
    top, total, result = p * q ** (length - 1), 1 - q**upper, float(law[length - 1])
    sign = "=" if number(round(top, 3) / round(total, 3), 3) == number(result, 3) else "≈"
    rounded = "" if abs(share - count) < 1e-9 else "rounded up: "
    budget: list[Part] = [f"15 % of {n} = {number(share)}, {rounded}", [f"{count} hidden", STRONG]]
    one: list[Part] = [f"P({length} words) = {p:g} × {q:g}", [str(length - 1), "sup"]]
    one += [f" / (1 − {q:g}", [str(upper), "sup"], f") = {number(top, 3)} / {number(total, 3)} "]
    mean = number(float(law @ np.arange(1, upper + 1)), 1)
    return [
        formula("formula", budget, label="tokens, both times"),
        formula("law", [*one, f"{sign} ", [number(result, 3), STRONG]], label="length of a span"),
        sentence("mean", "note", f"A span has {mean} words on average; squares: drawn here."),
    ]


def law_chart(found: Hidden) -> Block:
    """How probable each length is, and the lengths that were drawn for this text."""
    law, at = length_law(), list(range(1, DEFAULTS.span_upper + 1))
    drawn = [d.length for d in found.draws if d.span is not None]
    squares = [(k, 0.014 + 0.032 * j) for k in at for j in range(drawn.count(k))]
    bars = {"type": "bar", "x": at, "y": packed(law), "marker": {"color": MID}, "cliponaxis": False}
    bars |= {"text": [number(v, 3) for v in law], "textposition": "outside", "hoverinfo": "skip"}
    marks = {"type": "scatter", "mode": "markers", "hoverinfo": "skip"}
    marks |= {"x": [x for x, _ in squares], "y": [y for _, y in squares]}
    marks |= {"marker": {"symbol": "square", "size": 9, "color": INK}}
    layout = {"height": 180, "margin": {"l": 60, "r": 8, "t": 14, "b": 42}}
    layout |= {"xaxis": axis("length of a span, in words", dtick=1, showgrid=False)}
    layout |= {"yaxis": axis("probability", range=[0, 0.26], tickvals=[0, 0.1, 0.2])}
    return figure("chart", [bars, marks], layout, "P of each length of a span, 1 to 10.", span=6)


def hidden_table(found: Hidden) -> Block:
    """Every hidden token under both laws."""
    rows = []
    for name, said in (("single", found.tokens), ("in a span", found.spans)):
        for p in said.pieces:
            first, place = spelled(p.mlm.guesses[0].piece), f"{p.mlm.rank:,}"
            rows.append(row(name, spelled(p.token), first, probability(p.mlm.p), place))
    heads = ["hidden", "token", "first guess", "P(token)", "its place"]
    return listed(heads, rows, "Every hidden token")


def stopped(draws: Sequence[Draw], count: int) -> str:
    """Whether the budget cut the last span short."""
    last = draws[-1]
    if last.budget_left or not (last.cut or last.words < last.length):
        return ""
    where = f"inside its word {last.words}" if last.cut else f"after {plural(last.words, 'word')}"
    drawn = f" The last span here was drawn with {plural(last.length, 'word')} and stops {where}: "
    return drawn + f"the {plural(count, 'token')} are used up."


def schemes_exactly(found: Hidden, count: int) -> Block:
    """The law's conditions, where the averages come from, what is simplified."""
    m, command = measured(), "python -m qa_demo.training.schemes"
    return exactly(
        "Lengths are counted in words, a comma or full stop as one: geometric with p = 0.2, none "
        "longer than 10. Spans that touch become one." + stopped(found.draws, count),
        f"Over the {m['texts']} example texts that fit one sequence, {m['draws']} draws each, the "
        f"first guess is right in {m['tokens']:,} of {m['blanks']:,} single tokens and in "
        f"{m['spans']:,} of {m['blanks']:,} in spans ({command})."
        if m
        else f"Nobody has measured these weights on all example texts yet ({command}).",
        "Simplified: here every hidden token becomes [MASK]; in training that holds for 80 % of "
        "the spans, 10 % get random words and 10 % stay readable. Hiding spans and SBO are two "
        "changes, and MLM is trained in both.",
        model_says(),
    )


# ---- step 3: from pre-training to reading


def to_reader(shown: Shown, own: Own) -> list[Block | None]:
    """What stays and what is thrown away, as boxes alone."""
    pre = [[["text with hidden spans", "", ""]], [["encoder", "learns", "stays"]]]
    pre += [[[f"{name} layer", "thrown away", "gone"] for name in ("MLM", "SBO")]]
    fine = [[["question + paragraph", "nothing is hidden", ""]]]
    fine += [[["the same encoder", "goes on learning", "kept"]]]
    fine += [[["new start & end layer", "weights begin at random", "kept"]]]
    parts = [("encoder", "learns", "stays, goes on learning")]
    parts += [(f"{name} layer", "learns", "thrown away") for name in ("MLM", "SBO")]
    parts += [("start and end layer", "not there", "new, learns")]
    d = stored("spanbert/config.json")["hidden_size"]
    return [
        said_as(
            "idea",
            "After pre-training both output layers are thrown away. ",
            ["The encoder stays", STRONG],
            ", gets a start and end layer, and learns from questions as any BERT.",
        ),
        said_as(
            "finding", "SpanBERT changes what the encoder has learnt, not how an answer is found."
        ),
        flow(
            "path",
            ("1 Pre-training", "plain text, no questions", [*pre, [["the hidden words", "", ""]]]),
            ("2 Fine-tuning", "questions with answers", [*fine, [["the answer span", "", ""]]]),
        ),
        formula(
            "formula",
            ["L = L", ["MLM", "sub"], " + L", ["SBO", "sub"]],
            label="pre-training lowers",
            span=4,
        ),
        formula(
            "second",
            ["L = −½ (log P(right start) + log P(right end))"],
            label="fine-tuning lowers",
            span=8,
        ),
        said_as(
            "closing",
            "Fine-tuning lowers the loss of chapter Loss alone; nothing is hidden any more.",
        ),
        listed(["part", "pre-training", "fine-tuning"], [row(*p) for p in parts], "The parts"),
        exactly(
            f"The new layer has two vectors and two biases; in a model like our small one 2 × {d} "
            f"+ 2 = {2 * d + 2:,} numbers. Its weights begin at random, its biases at 0. SpanBERT "
            "was pre-trained from scratch with MLM and SBO together, never with SBO alone; ours "
            "went on from a trained encoder. BERT’s other task, whether one text follows another "
            "(next sentence prediction), is left out.",
            model_says(),
        ),
    ]


# ---- step 4: what each change is worth


@dataclass(frozen=True)
class Change:
    """One row: the paper's F1 after a change, and ours of every seed; () where there is none."""

    name: str
    short: str
    paper: float | None
    ours: tuple[float, ...]


def changes() -> list[Change]:
    """The rows in the order in which each makes one change more."""
    starts = stored("spanbert/ablation.json")["starts"]
    ours = {name: tuple(found["f1"]) for name, found in starts.items()}
    tokens, spans = SPANBERT_MASKING[0].squad2, SPANBERT_MASKING[-1].squad2
    _, one, sbo = (r.squad2 for r in SPANBERT_OBJECTIVES)
    return [
        Change("encoder as it came", "start", None, ours["plain encoder"]),
        Change("single tokens hidden (MLM)", "tokens", tokens, ours["token masking"]),
        Change("whole spans hidden", "spans", spans, ours["span masking"]),
        Change("one segment, no next-sentence task", "one segment", one, ()),
        Change("boundary objective (SBO) added", "SBO", sbo, ours["span masking + SBO"]),
    ]


Gain = tuple[int, float, float | None]


def gains(values: Sequence[float | None]) -> list[Gain]:
    """Of the rows with a value: (row, value, its change against the one before; None at first)."""
    have = [(k, v) for k, v in enumerate(values) if v is not None]
    return [(*have[0], None), *((k, v, v - old) for (_, old), (k, v) in pairwise(have))]


def worth(shown: Shown, own: Own) -> list[Block | None]:
    """The paper's changes beside those of our small run."""
    rows, budget = changes(), stored("spanbert/ablation.json")["budget"]
    paper = gains([r.paper for r in rows])
    ours = gains([float(np.mean(r.ours)) if r.ours else None for r in rows])
    return [
        said_as(
            "idea",
            "Each row makes one change more; ",
            ["its bar runs from the F1 before it to the F1 after it", STRONG],
            " (F1: overlap with people’s answers, at best 100).",
        ),
        said_as("finding", worth_says(rows, paper, ours)),
        legend(
            "key",
            ("diamond", INK, "first value"),
            ("box", INK, "gain"),
            ("hatch", INK, "loss"),
            ("ring", INK, "each of our runs; bars: their mean"),
        ),
        worth_chart(rows, paper, ours, budget),
        formula("formula", sum_of(rows, paper), label="paper", span=6),
        formula("second", sum_of(rows, ours), label="ours", span=6),
        said_as(
            "closing",
            f"Our {budget['pretrain_steps']:,} steps against the paper’s 1.2 million are too few "
            "to refute it. Compare changes, not levels.",
        ),
        worth_table(rows, paper, ours),
        worth_exactly(budget, rows),
    ]


def worth_says(rows: Sequence[Change], paper: Sequence[Gain], ours: Sequence[Gain]) -> str:
    """Whether every change helps, there and here."""
    steps = [d for _, _, d in paper if d is not None]
    here = {rows[k].short: d for k, _, d in ours if d is not None}

    def does(name: str) -> str:
        verb = "adds" if here[name] >= 0 else "costs"
        return f"{name} {verb} {number(abs(here[name]), 1)}".replace("spans adds", "spans add")

    least = f", SBO least ({signed(steps[-1], 1)})" if steps[-1] == min(steps) else ""
    helps = "every change helps" if min(steps) > 0 else "not every change helps"
    own = f"{does('spans')} and {does('SBO')}".replace("spans costs", "spans cost")
    return f"In the paper {helps} on SQuAD 2.0{least}. In our small run {own}."


def sum_of(rows: Sequence[Change], found: Sequence[Gain]) -> list[Part]:
    """83.8 + 1.6 spans + ... = 86.8."""
    said: list[Part] = [number(found[0][1], 1)]
    steps = [(rows[k].short, d) for k, _, d in found if d is not None]
    for name, d in steps:
        said += [" − " if d < 0 else " + ", [number(abs(d), 1), STRONG], [f" {name}", GREY]]
    sign = adds([found[0][1], *(d for _, d in steps)], found[-1][1], 1)
    return [*said, f" {sign} {number(found[-1][1], 1)}"]


def waterfall(found: Sequence[Gain], seeds: Sequence[tuple[float, ...]], axes: str) -> list[Block]:
    """Bars from the value before to the value after, hatched where it falls, with the numbers."""
    on = {"xaxis": "x" + axes, "yaxis": "y" + axes, "hoverinfo": "skip"}
    dot = {"type": "scatter", "mode": "markers", **on}
    hatch = {"shape": "/", "size": 7, "solidity": 0.3, "fgcolor": INK, "bgcolor": PAPER}
    drawn: list[Block] = []
    for way, pattern in ((1, {}), (-1, {"pattern": hatch})):
        some = [(k, v - d, d) for k, v, d in found if d is not None and (d >= 0) == (way > 0)]
        bar = {"type": "bar", "orientation": "h", **on, "width": 0.46, "y": [k for k, _, _ in some]}
        bar |= {"base": [low for _, low, _ in some], "x": [d for _, _, d in some]}
        drawn.append(
            bar | {"marker": {"color": INK, "line": {"color": INK, "width": 1.5}, **pattern}}
        )
    ring = {"size": 8, "symbol": "circle-open", "color": INK, "line": {"width": 1.5}}
    dots = [(x, k + 0.38) for k, some in enumerate(seeds) for x in some]
    ends = [max([v, v - (d or 0), *seeds[k]]) for k, v, d in found]
    moved = ["" if d is None else f"  ({signed(d, 1)})" for _, _, d in found]
    label = [f"   <b>{number(v, 1)}</b>{m}" for (_, v, _), m in zip(found, moved, strict=True)]
    return [
        *drawn,
        dot
        | {"x": [found[0][1]], "y": [found[0][0]]}
        | {"marker": {"size": 13, "symbol": "diamond", "color": INK}},
        dot | {"x": [x for x, _ in dots], "y": [y for _, y in dots], "marker": ring},
        dot
        | {"mode": "text", "x": ends, "y": [k for k, _, _ in found], "text": label}
        | {"textposition": "middle right", "cliponaxis": False}
        | {"textfont": {"size": 14, "color": INK}},
    ]


def worth_chart(
    rows: Sequence[Change], paper: Sequence[Gain], ours: Sequence[Gain], budget: Mapping[str, Any]
) -> Block:
    """Both runs beside each other; one point of F1 is as long in both."""
    seeds = [r.ours for r in rows]
    low, high = [v for _, v, _ in paper], [v for _, v, _ in ours] + [x for s in seeds for x in s]
    ranges = [[min(v) - 0.7, max(v) + 3.0] for v in (low, high)]
    wide, gap = [b - a for a, b in ranges], 0.05
    split = (1 - gap) * wide[0] / sum(wide)
    names, short = [r.name for r in rows], [r.short for r in rows]
    named = {"tickvals": list(range(len(rows))), "range": [len(rows) - 0.4, -0.6]}
    named |= {"showgrid": False, "tickfont": {"size": 14, "color": INK}}
    right = {"domain": [split + gap, 1], "anchor": "y2"}
    ours_says = f"<b>Our small run</b>: 6 layers, {budget['pretrain_steps']:,} steps"
    empty = [note("from scratch", 0.5, 0, GREY, xref="x domain")]
    empty += [note("in every row that pre-trains", 0.5, 3, GREY, xref="x2 domain", yref="y2")]
    shade = {"type": "rect", "xref": "paper", "x0": 0, "x1": 1, "fillcolor": SHADE}
    shade |= {"line": {"width": 0}, "layer": "below", "opacity": 0.45}
    return figure(
        "gains",
        waterfall(paper, [()] * len(rows), "") + waterfall(ours, seeds, "2"),
        {
            "height": 340,
            "barmode": "overlay",
            "margin": {"l": 264, "r": 8, "t": 26, "b": 44},
            "xaxis": axis("F1 on SQuAD 2.0", range=ranges[0], dtick=1, domain=[0, split]),
            "xaxis2": axis("F1 on SQuAD 1.1, six articles", range=ranges[1], dtick=1, **right),
            "yaxis": axis(ticktext=names, **named),
            "yaxis2": axis(ticktext=short, anchor="x2", showticklabels=False, **named),
            "shapes": [{**shade, "y0": k - 0.5, "y1": k + 0.5} for k in (0, 2, 4)],
            "annotations": [
                note("<b>The paper</b>: large model, 1.2 million steps", 0, 1.01, **LEFT),
                note(ours_says, split + gap, 1.01, **LEFT),
                *empty,
            ],
        },
        "F1 of readers after each change of the pre-training: the paper’s beside our small run’s.",
        narrow={"height": 600, "margin.l": 96, "margin.r": 44, "shapes": []}
        | {"yaxis.domain": [0.6, 1], "yaxis2.domain": [0, 0.38], "yaxis.ticktext": short}
        | {"yaxis2.showticklabels": True, "xaxis.domain": [0, 1], "xaxis2.domain": [0, 1]}
        | {"xaxis.title.text": "", "xaxis2.dtick": 2, "annotations.1.x": 0}
        | {"annotations.1.y": 0.39},
    )


def worth_table(rows: Sequence[Change], *both: Sequence[Gain]) -> Block:
    """Every row, every seed."""
    made = []
    for k, r in enumerate(rows):
        cells = [r.name]
        for found in ({g[0]: g for g in some} for some in both):
            _, value, change = found.get(k, (k, None, None))
            cells.append("–" if value is None else number(value, 1))
            cells.append("–" if change is None else signed(change, 1))
        made.append(row(*cells, ", ".join(number(x) for x in r.ours) or "–"))
    heads = ["row", "paper", "change", "ours", "change", "each run"]
    return listed(heads, made, "F1 after each change")


def worth_exactly(budget: Mapping[str, Any], rows: Sequence[Change]) -> Block:
    """Sources, conditions, the exception."""
    _, one, sbo = SPANBERT_OBJECTIVES
    tokens, spans = (SPANBERT_MASKING[k].coreference for k in (0, -1))
    more = (sbo.coreference or 0.0) - (one.coreference or 0.0)
    runs = plural(max(len(r.ours) for r in rows), "run")
    return exactly(
        f"The paper: {SPANBERT}, trained from scratch. One segment: BERT reads two texts at once "
        "and also guesses whether the second follows the first; SpanBERT reads one and has no such "
        f"task. SBO adds more elsewhere: {number(sbo.newsqa - one.newsqa, 1)} on NewsQA, "
        f"{number(more, 1)} on coreference (whom “she” means), where spans alone cost: {tokens} to "
        f"{spans}.",
        f"Ours: {ENCODER} as it came; else {budget['pretrain_steps']:,} steps of "
        f"{budget['batch_tokens']:,} tokens of that pre-training, in one segment. Then each learns "
        f"from questions for {budget['finetune_steps']:,} steps. {runs} each, which differ by the "
        "seed. These starts were trained apart from the model of the first two steps "
        "(assets/spanbert/ablation.json).",
    )
