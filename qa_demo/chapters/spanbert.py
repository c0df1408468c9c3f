"""Chapter 8, SpanBERT: hidden spans, what two layers say of them, and what it is worth to a reader.

For the hidden token x_i of a span s..e: L(x_i) = -log P(x_i | h_i) - log P(x_i | h_(s-1), h_(e+1),
p_(i-s+1)); h is the encoder's output [d], p a position vector. Indices count the text's tokens.
"""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from qa_demo import blocks as ui
from qa_demo import examples as known
from qa_demo.blocks import Block
from qa_demo.core import infill as core
from qa_demo.core.infill import Said
from qa_demo.core.masking import MASK_RATIO
from qa_demo.core.text import FILLER, Asked, spelled, typed
from qa_demo.drawn.panels import Panel, gains, lengths, pair, ranked, ticks
from qa_demo.printed import (
    QUOTE,
    Part,
    adds,
    equals,
    escape,
    fine,
    number,
    plural,
    probability,
    say,
    signed,
    value,
)
from qa_demo.shown import Shown
from qa_demo.state import Int, Name, Record, Text
from qa_demo.texts import paragraph_items, segment, text

NAME = "SpanBERT"
STEPS = ("Boundary", "Spans or tokens", "To a reader", "Worth")
HEADINGS = (
    "What do the words around a hidden span know?",
    "Why hide whole spans, and not single tokens?",
    "How does a model that fills blanks become a reader?",
    "What is each change worth?",
)
IDEAS = (
    "SpanBERT hides whole spans. Its *span boundary objective (SBO)* predicts each hidden word "
    "from three things: the encoder’s outputs just before and just after the span, and the "
    "position within it. Its loss is added to the masked-language loss (MLM).",
    "Both hide 15 % of the tokens: BERT *single tokens*, SpanBERT *whole spans* of 1 to 10 "
    "words. Inside a span the nearest words are hidden too.",
    "After pre-training both output layers are thrown away. *The encoder stays*, gets a start and "
    "end layer, and learns from questions as any BERT.",
    "Each row makes one change more; *its bar runs from the F1 before it to the F1 after it* (F1: "
    "overlap with people’s answers, at best 100).",
)
OPENS: dict[int, dict[str, Any]] = {}
FIRST = {1: "curie", 2: "apollo"}
"""The passages that the steps open on."""
ODD = {"curie": "Marie Curie", "kilimanjaro": "a span at the edge"}
ODD |= {"fleming": "a word in pieces", "fire": "a long span", "apollo": "over 20 tokens"}
LONG = ("apollo", "superbowl", "brooklyn", "monalisa")
WIRES = {"left": "the word before", "right": "the word after", "position": "the position"}
POSITION_NUMBERS = 200
"""Numbers of a position vector, as in the paper."""
ENCODER = "all-MiniLM-L6-v2"
MLM, SBO = ["MLM", "sub"], ["SBO", "sub"]
SNIPPET = ui.snippet("spanbert")


class Own(Record):
    """What this chapter alone keeps: the text, the chosen blank, the cut input, the draw."""

    passage: Name | None = None
    text: Annotated[Text, Field(max_length=500)] | None = None
    blank: Int | None = None
    cut: Literal["left", "right", "position"] | None = None
    seed: Int = Field(15, ge=1, le=9999)


def picture(shown: Shown, own: Own) -> list[Block | None]:
    """The blocks of the step; of a text that cannot be read the reason, and the way to another."""
    step = shown.state.step
    made = (boundary, schemes, to_reader, worth)[step - 1](shown, own)
    if isinstance(made, str):
        fault, code = (
            ui.finding("This sentence cannot be shown: {}.", made),
            ui.folds(None, [], SNIPPET),
        )
        made = [fault, *texts_row(own, step), code[-1]]
    return [ui.idea(IDEAS[step - 1]), *made]


# ---- what the steps share


def asked(own: Own, step: int) -> Asked:
    """The visitor's own sentence, else a passage. Errors: BadInput for an unknown passage."""
    if own.text is not None and own.text.strip():
        return typed(own.text)
    return known.hidden_in(own.passage or FIRST[step])


def texts_row(own: Own, step: int) -> list[Block]:
    """A text where ..., and a box for an own sentence."""
    now, key = None if own.text else own.passage or FIRST[step], "own.spanbert"
    some = ODD if step == 1 else {k: known.passages()[k].title for k in LONG}
    sets = {k: {key: {"passage": k, "seed": own.seed}} for k in some}
    options = [(title, sets[k], k == now) for k, title in some.items()]
    label = "own sentence; [MASK] hides a place"
    box = ui.entry("own", f"{key}.text", label, own.text or "", span=4, most=500)
    return [ui.choice("texts", "Text:", options, span=8), box]


def key(fill: str, words: str, model: str, span: int = 12) -> Block:
    """What the marks of a text mean, and whose guesses these are."""
    whose = ("text", ui.INK, [[model, ui.GREY]])
    return ui.legend("key", ("fill", ui.INK, fill), ("text", ui.INK, words), whose, span=span)


def quoted(token: str) -> Part:
    """A token in quotation marks."""
    return [f"“{spelled(token)}”", QUOTE]


def model_says() -> str:
    """Which model fills the blanks, and how long it was trained."""
    (steps, read), shape = known.pretrained(), known.shipped("spanbert/config.json")
    return (
        f"The model is our small SpanBERT: {ENCODER} ({shape['num_hidden_layers']} layers, "
        f"{shape['hidden_size']} numbers a token), pre-trained for {steps:,} more steps, "
        f"{read / 1e6:,.0f} million tokens, with both losses. It is neither the paper’s nor the "
        "reader that answers above. The page’s own passages are not in its training text."
    )


# ---- step 1: the boundary objective


def boundary(shown: Shown, own: Own) -> list[Block | None] | str:
    """The sentence with its blanks, both layers' guesses, their losses."""
    given = asked(own, 1)
    found = shown.need(("fill", given), partial(core.fill, given), of="spanbert")
    if isinstance(found, str):
        return found
    b = core.chosen(found, own.blank, own.cut)
    under = "a small word under a blank: what it hides" if b.true else "[MASK]: its word is unknown"
    chosen_one = "the chosen blank; its number is its position in the span"
    options: list[Any] = [("keep all three", {"own.spanbert.cut": None}, b.cut is None)]
    for wire, name in zip(WIRES, b.inputs, strict=True):
        options.append((f"{WIRES[wire]}, {name}", {"own.spanbert.cut": wire}, b.cut == wire))
    cuts = ui.choice("cut", "Replace one input of SBO by its average:", options)
    every = known.shipped("spanbert/metrics.json")["by_fate"]["mask"]
    right = f"{number(every['sbo_top1'], 1)} %, MLM's in {number(every['mlm_top1_where_sbo'], 1)} %"
    overall = f"Over {every['sbo_pieces']:,} held-out blanks SBO's first guess is right in {right}."
    return [
        blank_finding(b),
        *texts_row(own, 1),
        key(chosen_one, under, "guesses: our small SpanBERT’s, not the paper’s"),
        blanks(b),
        cuts if b.now.sbo else None,
        guesses(b),
        losses(b),
        ui.closing(f"{overall} Both only train the encoder (step 3)."),
        *ui.folds(blanks_table(found), boundary_exactly(b), SNIPPET),
    ]


def chance(said: Said) -> str:
    """P of the hidden word, with as many digits as its printed loss needs."""
    return fine(-said.loss, 2)


def blank_finding(b: core.Blank) -> Block:
    """What both layers guess at the chosen blank, or what the cut has changed."""
    true, mlm, sbo, whole, name = b.true, b.now.mlm, b.now.sbo, b.whole, b.found.name(b.now)

    def first(said: Said) -> list[Part]:
        """The first guess of a layer, and the place of the true word among its guesses."""
        if true is not None and said.rank == 1:
            return [f"guesses it ({chance(said)})"]
        place = f"; {{}} is its guess {said.rank:,}" if true else ""
        p, guess = probability(said.guesses[0].p), quoted(said.guesses[0].piece)
        return say(f"guesses {{}} ({p}){place}", guess, quoted(true or ""))

    hides, words = f"{name} is a typed [MASK]. ", list[Any]()
    if true:
        hides, words = f"{name} hides {{}}. ", [quoted(true)]
    average = f"With an average in place of {WIRES[b.cut]} SBO " if b.cut else ""
    if sbo is None or whole is None:
        return ui.finding(f"{hides}{b.silence} MLM {{}}.", *words, first(mlm))
    if b.cut and true:
        after, before = (
            f"{chance(sbo)} (guess {sbo.rank:,})",
            f"{chance(whole)} (guess {whole.rank:,})",
        )
        return ui.finding(f"{hides}{average}gives it {after} instead of {before}.", *words)
    if b.cut:
        return ui.finding(f"{hides}{average}{{}}.", first(sbo))
    if true and sbo.rank == mlm.rank == 1:
        return ui.finding(f"{hides}SBO {{}}, MLM too ({chance(mlm)}).", *words, first(sbo))
    return ui.finding(hides + "SBO {}. MLM {}.", *words, first(sbo), first(mlm))


def blanks(b: core.Blank) -> Block:
    """The sentence: numbered blanks that can be pressed, the two boundary words marked."""
    e, items = b.found.encoding, paragraph_items(b.found.encoding)
    for p in b.found.plain.pieces:
        marks = ["blank", "boxed"] if p.at == b.at else ["blank"]
        under = spelled(p.token) if b.true else "?"
        items[p.at] |= {"t": str(p.at - p.run.start + 1), "under": under, "marks": marks}
        items[p.at] |= {"joined": False, "sets": {"own.spanbert.blank": p.at}}
    for (wire, side), at in zip(
        (("left", "before"), ("right", "after")), b.boundary or (), strict=False
    ):
        what = "word" if np.sum(e.word_ids == e.word_ids[at]) == 1 else "token"
        under = "averaged out" if b.cut == wire else f"{what} {side}"
        items[at] |= {"marks": ["edge"], "under": under}
    return text("sentence", segment(items), select=False, dots=True)


def guesses(b: core.Blank) -> Block:
    """Both layers' guesses as bars on one scale, whatever is cut."""
    most, (left, right, k) = b.surest, b.inputs
    font = {"size": 16, "family": '"Spanlight Serif", serif'}
    named = zip(WIRES, (f"outputs at {left}", f"at {right}", f"position {k}"), strict=True)
    reads = ", ".join(f"average of {WIRES[w]}" if b.cut == w else name for w, name in named)
    what = f"reads {escape(reads)}" if b.now.sbo else "has nothing to read here"
    what += " · outline: before" if b.cut else ""

    def panel(name: str, said: Said | None, before: dict[str, float]) -> Panel:
        rows = core.best(said, b.true)
        ticked: Block = {"tickvals": list(range(len(rows))), "tickfont": font}
        ticked |= {"ticktext": [f"“{escape(r.word)}”" for r in rows]}
        down = ui.axis(showgrid=False, range=[4.6, -0.6], **ticked)
        across = {"range": [0, 1.85 * most], "tickvals": ticks(most)}
        across |= {} if rows else {"visible": False}
        return Panel(name, ranked(rows, before), ui.axis("probability", **across), down)

    mlm = "<b>Masked-language layer (MLM)</b><br>reads the encoder’s output at the blank itself"
    sbo = f"<b>Boundary layer (SBO)</b><br>{what}"
    both = panel(mlm, b.now.mlm, {}), panel(sbo, b.now.sbo, b.before)
    alt = f"The best guesses of both layers for {b.found.name(b.now).lower()}."
    narrow = {"height": 470, "xaxis.range": [0, 3 * most], "xaxis2.range": [0, 3 * most]}
    layout, place = ui.layout(222, 128, 8, 40, 40), {"y": 1.02, "xshift": -124}
    return pair("guesses", alt, both, (0.4, 0.6), 0.4, place, layout, narrow)


def losses(b: core.Blank) -> Block:
    """L = L_MLM + L_SBO of the chosen blank; under a cut what it does to L_SBO."""
    if b.true is None:
        nobody = "Nobody has said which word a typed [MASK] hides, so there is no loss to lower"
        return ui.remark("formula", f"{nobody} here.")

    def logs(*some: Said) -> tuple[list[str], str]:
        """log P of each, and "=" where the printed P give the printed losses, else "≈"."""
        printed = [(chance(x), number(x.loss)) for x in some]
        same = all(" = " in equals([p], -np.log(value(p)), result) for p, result in printed)
        return [f"log {p}" for p, _ in printed], "=" if same else "≈"

    word, mlm, sbo, whole = quoted(b.true), b.now.mlm, b.now.sbo, b.whole
    if sbo is None or whole is None:
        (log,), sign = logs(mlm)
        line = say(f"L({{}}) = L{{}} = −{log} {sign} *{number(mlm.loss)}*", word, MLM)
        return ui.formula("formula", line, label="no SBO term (log: natural)")
    if b.cut is not None:
        ((old,), before), ((new,), sign) = logs(whole), logs(sbo)
        cut = f"L{{}}({{}}) = −{old} {before} {number(whole.loss)}, now −{new} {sign} "
        line = say(f"{cut}*{number(sbo.loss)}*", SBO, word)
        return ui.formula("formula", line, label="what the cut costs (log: natural)")
    (one, two), sign = logs(mlm, sbo)
    x, y = mlm.loss, sbo.loss
    added = f"L({{}}) = L{{}} + L{{}} = −{one} − {two} {sign} {number(x)} + {number(y)} "
    line = say(f"{added}{adds((x, y), x + y)} *{number(x + y)}*", word, MLM, SBO)
    return ui.formula("formula", line, label="the two losses are added (log: natural)")


def blanks_table(found: core.Filled) -> Block:
    """Every blank with both layers' first guesses."""

    def cells(said: Said | None) -> list[str]:
        if said is None:
            return ["–", "–", "–"]
        right = [chance(said), f"{said.rank:,}"] if found.given.known else ["–", "–"]
        return [spelled(said.guesses[0].piece), *right]

    rows = []
    for p in found.plain.pieces:
        first = found.name(p), spelled(p.token) if found.given.known else "?"
        sets = {"own.spanbert.blank": p.at}
        rows.append(ui.row(*first, *cells(p.mlm), *cells(p.sbo), sets=sets))
    said = ["P(hidden word)", "its place"]
    heads = ["blank", "hidden word", "MLM guesses", *said, "SBO guesses", *said]
    return ui.table("rows", heads, rows, "Every blank, nothing cut")


def boundary_exactly(b: core.Blank) -> list[Block | str]:
    """The boundary layer's arithmetic, what a cut is, the model, what texts get wrong."""
    shape = known.shipped("spanbert/config.json")
    d, names = shape["hidden_size"], ("word before", "word after", "k")
    left, right, k = b.inputs if b.now.sbo is not None else names
    layers = "] → Linear, GeLU, LayerNorm → h{} → Linear, GeLU, LayerNorm → y"
    h0 = say("h{} = [h({}); h({}); p({})" + layers, ["0", "sub"], left, right, k, ["1", "sub"])
    return [
        ui.formula("shape", h0),
        f"h is the encoder’s output at a token, {d} numbers; p the vector of a position, "
        f"{POSITION_NUMBERS}; h₁ and y have {d}. LayerNorm runs over the numbers of one vector, "
        "not over a batch. The logit of a word is its vector · y + its bias; the softmax runs over "
        f"{shape['vocab_size']:,} tokens.",
        "A cut input is replaced by its mean over the training text, the same for every blank. "
        "That shows what the layer uses; the encoder has still read the word. The boundary words "
        "stand outside the span and are seen. Each hidden word is predicted by itself. [CLS] and "
        "[SEP] never stand in for a missing neighbour. In training the losses are means: over the "
        "hidden tokens, and over those with an SBO term plus one.",
        model_says(),
    ]


# ---- step 2: spans against single tokens


def schemes(shown: Shown, own: Own) -> list[Block | None] | str:
    """The text twice, the budget, the law of lengths."""
    given = asked(own, 2)
    name = ("schemes", given.text, own.seed)
    found = shown.need(name, partial(core.hidden, given.text, own.seed), of="spanbert")
    if isinstance(found, str):
        return found
    n, m, count = core.right(found.tokens), core.right(found.spans), len(found.spans.pieces)
    told = f"{count} of {plural(len(found.encoding.context_ids), 'token')} hidden each time: our "
    told += f"small SpanBERT guesses {n} of the single ones and {m} of those in spans."
    if every := known.scheme_counts():
        both = (number(100 * every[of] / every["blanks"], 1) for of in ("tokens", "spans"))
        told += f" Over {every['texts']} example texts it is {' % and '.join(both)} %."
    told += "" if given.known else f" Here “{FILLER}” stands where [MASK] was typed."
    harder = "Spans are harder for this model. " if m < n or every else ""
    hit = "✓ the first guess of its masked-language layer is right"
    return [
        ui.finding(told),
        *texts_row(own, 2),
        ui.button("again", "Draw again", {"own.spanbert.seed": own.seed % 9999 + 1}, span=2),
        key("hidden from the model", hit, "our small SpanBERT", span=10),
        twice(found),
        ui.group("laws", 6, *laws(found, count)),
        lengths([d.length for d in found.draws]),
        ui.closing(harder + "Whether they teach it more is step 4."),
        *ui.folds(hidden_table(found), schemes_exactly(found, count), SNIPPET),
    ]


def twice(found: core.Hidden) -> Block:
    """The text under both laws."""
    spans, made = plural(len(found.spans.masked.runs), "span"), []
    for name, said in (("single tokens", found.tokens), (spans, found.spans)):
        items = paragraph_items(found.encoding)
        for p in said.pieces:
            items[p.at]["marks"] = ["masked", "hit"] if p.mlm.rank == 1 else ["masked"]
        holds = say(f"*{core.right(said)} of {len(said.pieces)} right*")
        made.append(segment(items, name, False, *holds))
    return text("twice", *made, select=False, dots=True)


def laws(found: core.Hidden, count: int) -> list[Block]:
    """The budget of this text, and how probable a length is (a test computes the law's numbers)."""
    n = len(found.encoding.context_ids)
    share = MASK_RATIO * n
    rounded = "" if abs(share - count) < 1e-9 else "rounded up: "
    budget = say(f"15 % of {n} = {number(share)}, {rounded}*{count} hidden*")
    law = "P(3 words) = 0.2 × 0.8{} / (1 − 0.8{}) = 0.128 / 0.893 = *0.143*"
    return [
        ui.formula("formula", budget, label="tokens, both times"),
        ui.formula("law", say(law, ["2", "sup"], ["10", "sup"]), label="length of a span"),
        ui.remark("mean", "A span has 3.8 words on average; squares: drawn here."),
    ]


def hidden_table(found: core.Hidden) -> Block:
    """Every hidden token under both laws."""
    rows = []
    for name, said in (("single", found.tokens), ("in a span", found.spans)):
        for p in said.pieces:
            first, place = spelled(p.mlm.guesses[0].piece), f"{p.mlm.rank:,}"
            rows.append(ui.row(name, spelled(p.token), first, probability(p.mlm.p), place))
    heads = ["hidden", "token", "first guess", "P(token)", "its place"]
    return ui.table("rows", heads, rows, "Every hidden token")


def schemes_exactly(found: core.Hidden, count: int) -> list[str]:
    """The law's conditions, whether the budget cut the last span, where the averages come from,
    what is simplified.
    """
    m, last = known.scheme_counts(), found.draws[-1]
    command = "(python -m qa_demo.training.infill schemes)."
    over, stopped = f"Nobody has measured these weights on all example texts yet {command}", ""
    if m:
        over = f"Over the {m['texts']} example texts that fit one sequence, {m['draws']} draws each"
        over += f", the first guess is right in {m['tokens']:,} of {m['blanks']:,} single tokens "
        over += f"and in {m['spans']:,} of {m['blanks']:,} in spans {command}"
    if last.cut or last.words < last.length:
        where = (
            f"inside its word {last.words}" if last.cut else f"after {plural(last.words, 'word')}"
        )
        stopped = f" The last span here was drawn with {plural(last.length, 'word')} and stops "
        stopped += f"{where}: the {plural(count, 'token')} are used up."
    return [
        "Lengths are counted in words, a comma or full stop as one: geometric with p = 0.2, none "
        f"longer than 10. Spans that touch become one.{stopped}",
        over,
        "Simplified: here every hidden token becomes [MASK]; in training that holds for 80 % of "
        "the spans, 10 % get random words and 10 % stay readable. Hiding spans and SBO are two "
        "changes, and MLM is trained in both.",
        model_says(),
    ]


# ---- step 3: from pre-training to reading


def to_reader(shown: Shown, own: Own) -> list[Block | None]:
    """What stays and what is thrown away, as boxes alone."""
    parts = [("encoder", "learns", "stays, goes on learning")]
    parts += [(f"{name} layer", "learns", "thrown away") for name in ("MLM", "SBO")]
    parts += [("start and end layer", "not there", "new, learns")]
    heads, rows = ["part", "pre-training", "fine-tuning"], [ui.row(*p) for p in parts]
    gone = [(f"{name} layer", "thrown away", "gone") for name in ("MLM", "SBO")]
    before = [[("text with hidden spans", "", "")], [("encoder", "learns", "stays")], gone]
    after = [[("question + paragraph", "nothing is hidden", "")]]
    after += [[("the same encoder", "goes on learning", "kept")]]
    after += [[("new start & end layer", "weights begin at random", "kept")]]
    path = ui.flow(
        "path",
        ("1 Pre-training", "plain text, no questions", [*before, [("the hidden words", "", "")]]),
        ("2 Fine-tuning", "questions with answers", [*after, [("the answer span", "", "")]]),
    )
    d = known.shipped("spanbert/config.json")["hidden_size"]
    exactly = (
        f"The new layer has two vectors and two biases; in a model like our small one 2 × {d} "
        f"+ 2 = {2 * d + 2:,} numbers. Its weights begin at random, its biases at 0. SpanBERT "
        "was pre-trained from scratch with MLM and SBO together, never with SBO alone; ours "
        "went on from a trained encoder. BERT’s other task, whether one text follows another "
        "(next sentence prediction), is left out."
    )
    both, lowered = say("L = L{} + L{}", MLM, SBO), "L = −½ (log P(right start) + log P(right end))"
    alone = "Fine-tuning lowers the loss of chapter Loss alone; nothing is hidden any more."
    return [
        ui.finding("SpanBERT changes what the encoder has learnt, not how an answer is found."),
        path,
        ui.formula("formula", both, label="pre-training lowers", span=4),
        ui.formula("second", [lowered], label="fine-tuning lowers", span=8),
        ui.closing(alone),
        *ui.folds(ui.table("rows", heads, rows, "The parts"), [exactly, model_says()], SNIPPET),
    ]


# ---- step 4: what each change is worth


def worth(shown: Shown, own: Own) -> list[Block | None]:
    """The paper's changes beside those of our small run; whether every change helps."""
    w = known.worth_of(known.shipped("spanbert/ablation.json"))
    marks = [("diamond", "first value"), ("box", "gain"), ("hatch", "loss")]
    marks += [("ring", "each of our runs; bars: their mean")]
    steps = [g.change for g in w.paper if g.change is not None]
    here = {w.rows[g.row].short: g.change for g in w.ours if g.change is not None}

    def does(name: str, adds: str, costs: str) -> str:
        return f"{name} {adds if here[name] >= 0 else costs} {number(abs(here[name]), 1)}"

    told = f"In the paper {'every' if min(steps) > 0 else 'not every'} change helps on SQuAD 2.0"
    told += f", SBO least ({signed(steps[-1], 1)})" if steps[-1] == min(steps) else ""
    told += f". In our small run {does('spans', 'add', 'cost')} and {does('SBO', 'adds', 'costs')}."
    return [
        ui.finding(told),
        ui.legend("key", *((shape, ui.INK, words) for shape, words in marks)),
        gains(w),
        ui.formula("formula", sum_of(w.rows, w.paper), label="paper", span=6),
        ui.formula("second", sum_of(w.rows, w.ours), label="ours", span=6),
        ui.closing(
            f"Our {w.budget['pretrain_steps']:,} steps against the paper’s 1.2 million are too few "
            "to refute it. Compare changes, not levels."
        ),
        *ui.folds(worth_table(w), worth_exactly(w), SNIPPET),
    ]


def sum_of(rows: Sequence[known.Change], found: Sequence[known.Gain]) -> list[Part]:
    """83.8 + 1.6 spans + ... = 86.8."""
    first, last, said = found[0].f1, found[-1].f1, list[Part]()
    steps = [(rows[g.row].short, g.change) for g in found if g.change is not None]
    for name, d in steps:
        said += say(f" {'−' if d < 0 else '+'} *{number(abs(d), 1)}*{{}}", [f" {name}", ui.GREY])
    sign = adds([first, *(d for _, d in steps)], last, 1)
    return [number(first, 1), *said, f" {sign} {number(last, 1)}"]


def worth_table(w: known.Worth) -> Block:
    """Every row, every seed."""
    made = []
    for k, r in enumerate(w.rows):
        cells = [r.name]
        for found in (w.paper, w.ours):
            gain = next((g for g in found if g.row == k), None)
            cells.append(number(gain.f1, 1) if gain else "–")
            cells.append("–" if gain is None or gain.change is None else signed(gain.change, 1))
        made.append(ui.row(*cells, ", ".join(number(x) for x in r.ours) or "–"))
    heads = ["row", "paper", "change", "ours", "change", "each run"]
    return ui.table("rows", heads, made, "F1 after each change")


def worth_exactly(w: known.Worth) -> list[str]:
    """Sources, conditions, the exception."""
    one, sbo, given = known.ONE_SEGMENT, known.WITH_SBO, w.budget
    news, more = (
        number(x, 1) for x in (sbo.newsqa - one.newsqa, sbo.coreference - one.coreference)
    )
    spans = f"{known.TOKENS.coreference} to {known.SPANS.coreference}"
    runs = plural(max(len(r.ours) for r in w.rows), "run")
    return [
        f"The paper: {known.SPANBERT}, trained from scratch. One segment: BERT reads two texts at "
        "once and also guesses whether the second follows the first; SpanBERT reads one and has no "
        f"such task. SBO adds more elsewhere: {news} on NewsQA, {more} on coreference (whom “she” "
        f"means), where spans alone cost: {spans}.",
        f"Ours: {ENCODER} as it came; else {given['pretrain_steps']:,} steps of "
        f"{given['batch_tokens']:,} tokens of that pre-training, in one segment. Then each learns "
        f"from questions for {given['finetune_steps']:,} steps. {runs} each, which differ by the "
        "seed. These starts were trained apart from the model of the first two steps "
        "(assets/spanbert/ablation.json).",
    ]
