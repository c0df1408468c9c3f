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
from qa_demo.blocks import Block
from qa_demo.core import infill as core
from qa_demo.core.infill import Said
from qa_demo.core.masking import DEFAULTS, length_law
from qa_demo.core.text import FILLER, Asked, typed
from qa_demo.drawn.panels import Panel, gains, lengths, pair, ranked, ticks
from qa_demo.examples import (
    ONE_SEGMENT,
    SPANBERT,
    SPANS,
    TOKENS,
    WITH_SBO,
    Change,
    Gain,
    Worth,
    hidden_in,
    passages,
    pretrained,
    scheme_counts,
    shipped,
    worth_of,
)
from qa_demo.printed import (
    QUOTE,
    STRONG,
    Part,
    adds,
    escape,
    minus_log,
    number,
    percent,
    plural,
    probability,
    say,
    signed,
)
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
SNIPPET = ui.snippet("spanbert")
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


class Own(Record):
    """What this chapter alone keeps: the text, the chosen blank, the cut input, the draw."""

    passage: Name | None = None
    text: Annotated[Text, Field(max_length=500)] | None = None
    blank: Int | None = None
    cut: Literal["left", "right", "position"] | None = None
    seed: Int = Field(15, ge=1, le=9999)


def picture(shown: Shown, own: Own) -> list[Block | None]:
    """The blocks of the step."""
    return (boundary, schemes, to_reader, worth)[shown.state.step - 1](shown, own)


# ---- blocks that every step has


def folds(tables: Sequence[Block], *exactly: Block | str) -> list[Block]:
    """The picture's numbers, the conditions, the code."""
    title = "As a table, and more texts" if len(tables) > 1 else "As a table"
    conditions, code = ui.folds(None, exactly, SNIPPET)
    return [conditions, ui.fold("table", title, *tables, span=4), code]


def asked(own: Own, step: int) -> Asked:
    """The visitor's own sentence, else a passage. Errors: BadInput for an unknown passage."""
    if own.text is not None and own.text.strip():
        return typed(own.text)
    return hidden_in(own.passage or FIRST[step])


def texts_row(own: Own, step: int) -> list[Block]:
    """A text where ..., and a box for an own sentence."""
    now, key = None if own.text else own.passage or FIRST[step], "own.spanbert"
    some = ODD if step == 1 else {k: passages()[k].title for k in LONG}
    options = [
        (said, {key: {"passage": k, "seed": own.seed}}, k == now) for k, said in some.items()
    ]
    label = "own sentence; [MASK] hides a place"
    box = ui.entry("own", f"{key}.text", label, own.text or "", span=4, most=500)
    return [ui.choice("texts", "Text:", options, span=8), box]


def refused(fault: str, own: Own, step: int, idea: Block) -> list[Block | None]:
    """A text that cannot be read: the reason, and the way to another."""
    finding = ui.finding("This sentence cannot be shown: {}.", fault)
    code = ui.folds(None, [], SNIPPET)[-1]
    return [idea, finding, *texts_row(own, step), code]


def key(fill: str, words: str, model: str, span: int = 12) -> Block:
    """What the marks of a text mean, and whose guesses these are."""
    whose = ("text", ui.INK, [[model, ui.GREY]])
    return ui.legend("key", ("fill", ui.INK, fill), ("text", ui.INK, words), whose, span=span)


def quoted(token: str) -> Part:
    """A token in quotation marks."""
    return [f"“{core.spelled(token)}”", QUOTE]


def model_says() -> str:
    """Which model fills the blanks, and how long it was trained."""
    (steps, read), shape = pretrained(), shipped("spanbert/config.json")
    return (
        f"The model is our small SpanBERT: {ENCODER} ({shape['num_hidden_layers']} layers, "
        f"{shape['hidden_size']} numbers a token), pre-trained for {steps:,} more steps, "
        f"{read / 1e6:,.0f} million tokens, with both losses. It is neither the paper’s nor the "
        "reader that answers above. The page’s own passages are not in its training text."
    )


# ---- step 1: the boundary objective


def boundary(shown: Shown, own: Own) -> list[Block | None]:
    """The sentence with its blanks, both layers' guesses, their losses."""
    idea = ui.idea(
        "SpanBERT hides whole spans. Its *span boundary objective (SBO)* predicts each hidden word "
        "from three things: the encoder’s outputs just before and just after the span, and the "
        "position within it. Its loss is added to the masked-language loss (MLM)."
    )
    given = asked(own, 1)
    found = shown.need(("fill", given), partial(core.fill, given), of="spanbert")
    if isinstance(found, str):
        return refused(found, own, 1, idea)
    b = core.chosen(found, own.blank, own.cut)
    chosen_one = "the chosen blank; its number is its position in the span"
    unknown, known = "[MASK]: its word is unknown", "a small word under it: what is hidden"
    under = known if given.known else unknown
    return [
        idea,
        blank_finding(b),
        *texts_row(own, 1),
        key(chosen_one, under, "guesses: our small SpanBERT’s, not the paper’s"),
        blanks(b),
        cuts(b),
        guesses(b),
        losses(b),
        overall(),
        *folds([blanks_table(found), passages_table()], *boundary_exactly(b)),
    ]


def says(said: Said, true: str | None) -> list[Part]:
    """The first guess of a layer, and the place of the true word among its guesses."""
    p = f"({probability(said.guesses[0].p)})"
    if true is not None and said.rank == 1:
        return [f"guesses it {p}"]
    found = say(f"guesses {{}} {p}", quoted(said.guesses[0].piece))
    place = f"; {{}} is its guess {said.rank:,}"
    return found if true is None else found + say(place, quoted(true))


def blank_finding(b: core.Blank) -> Block:
    """What both layers guess at the chosen blank, or what the cut has changed."""
    true, mlm, sbo, whole = b.true, b.now.mlm, b.now.sbo, b.whole
    name = b.found.name(b.now)
    hides: list[Part] = [f"{name} is a typed [MASK]. "]
    if true:
        hides = say(f"{name} hides {{}}. ", quoted(true))
    average = f"With an average in place of {WIRES[b.cut]} SBO " if b.cut else ""
    if sbo is None or whole is None:
        rest = say("{} MLM {}.", b.silence, says(mlm, true))
    elif b.cut and true:
        rest = [f"{average}gives it {probability(sbo.p)} (guess {sbo.rank:,}) instead of "]
        rest += [f"{probability(whole.p)} (guess {whole.rank:,})."]
    elif b.cut:
        rest = say(average + "{}.", says(sbo, None))
    elif true and sbo.rank == mlm.rank == 1:
        rest = say(f"SBO {{}}, MLM too ({probability(mlm.p)}).", says(sbo, true))
    else:
        rest = say("SBO {}. MLM {}.", says(sbo, true), says(mlm, true))
    return ui.sentence("finding", "finding", *hides, *rest)


def blanks(b: core.Blank) -> Block:
    """The sentence: numbered blanks that can be pressed, the two boundary words marked."""
    e, items = b.found.encoding, paragraph_items(b.found.encoding)
    for p in b.found.plain.pieces:
        marks = ["blank", "boxed"] if p.at == b.at else ["blank"]
        under = core.spelled(p.token) if b.found.given.known else "?"
        items[p.at] |= {"t": str(p.at - p.run.start + 1), "under": under, "marks": marks}
        items[p.at] |= {"joined": False, "sets": {"own.spanbert.blank": p.at}}
    pair = b.boundary or ()
    for wire, side, at in zip(("left", "right"), ("before", "after"), pair, strict=False):
        what = "word" if np.sum(e.word_ids == e.word_ids[at]) == 1 else "token"
        under = "averaged out" if b.cut == wire else f"{what} {side}"
        items[at] |= {"marks": ["edge"], "under": under}
    return text("sentence", segment(items), select=False, dots=True)


def cuts(b: core.Blank) -> Block | None:
    """Replace one of the three inputs by its average."""
    if b.now.sbo is None:
        return None
    options: list[Any] = [("keep all three", {"own.spanbert.cut": None}, b.cut is None)]
    for wire, name in zip(WIRES, b.inputs, strict=True):
        options.append((f"{WIRES[wire]}, {name}", {"own.spanbert.cut": wire}, b.cut == wire))
    return ui.choice("cut", "Replace one input of SBO by its average:", options)


def titles(b: core.Blank) -> tuple[str, str]:
    """The names of both layers, and what each reads."""
    left, right, k = b.inputs
    named = zip(WIRES, (f"outputs at {left}", f"at {right}", f"position {k}"), strict=True)
    reads = ", ".join(f"average of {WIRES[w]}" if b.cut == w else name for w, name in named)
    what = f"reads {escape(reads)}" if b.now.sbo else "has nothing to read here"
    mlm = "<b>Masked-language layer (MLM)</b><br>reads the encoder’s output at the blank itself"
    return mlm, f"<b>Boundary layer (SBO)</b><br>{what}" + (" · outline: before" if b.cut else "")


def guesses(b: core.Blank) -> Block:
    """Both layers' guesses as bars on one scale, whatever is cut."""
    mlm, sbo = core.best(b.now.mlm, b.true), core.best(b.now.sbo, b.true)
    most = b.surest
    font = {"size": 16, "family": '"Spanlight Serif", serif'}
    across = partial(ui.axis, "probability", range=[0, 1.85 * most], tickvals=ticks(most))

    def down(rows: Sequence[core.Guessed]) -> Block:
        names = [f"“{escape(r.word)}”" for r in rows]
        named: Block = {"tickvals": list(range(len(rows))), "ticktext": names, "tickfont": font}
        return ui.axis(showgrid=False, range=[4.6, -0.6], **named)

    first, second = titles(b)
    left = Panel(first, ranked(mlm, {}), across(), down(mlm))
    right = Panel(second, ranked(sbo, b.before), across(visible=bool(sbo)), down(sbo))
    alt = f"The best guesses of both layers for {b.found.name(b.now).lower()}."
    layout = {"height": 222, "margin": {"l": 128, "r": 8, "t": 40, "b": 40}}
    narrow = {"height": 470, "xaxis.range": [0, 3 * most], "xaxis2.range": [0, 3 * most]}
    place = {"y": 1.02, "xshift": -124}
    return pair("guesses", alt, (left, right), (0.4, 0.6), 0.4, place, layout, narrow)


def losses(b: core.Blank) -> Block:
    """L = L_MLM + L_SBO of the chosen blank; under a cut what it does to L_SBO."""
    if b.true is None:
        nobody = "Nobody has said which word a typed [MASK] hides, so there is no loss to lower"
        return ui.remark("formula", f"{nobody} here.")
    word, mlm, sbo, whole = quoted(b.true), b.now.mlm, b.now.sbo, b.whole
    first, first_sign = minus_log(mlm.p, mlm.loss)
    if sbo is None or whole is None:
        line = f"L({{}}) = L{{}} = −{first} {first_sign} *{number(mlm.loss)}*"
        return ui.formula("formula", say(line, word, MLM), label="no SBO term (log: natural)")
    second, second_sign = minus_log(sbo.p, sbo.loss)
    if b.cut is not None:
        old, sign = minus_log(whole.p, whole.loss)
        line = f"L{{}}({{}}) = −{old} {sign} {number(whole.loss)}, now −{second} {second_sign} "
        said = say(f"{line}*{number(sbo.loss)}*", SBO, word)
        return ui.formula("formula", said, label="what the cut costs (log: natural)")
    x, y = mlm.loss, sbo.loss
    sign = "=" if first_sign == second_sign == "=" else "≈"
    line = f"L({{}}) = L{{}} + L{{}} = −{first} − {second} {sign} {number(x)} + {number(y)} "
    said = say(f"{line}{adds((x, y), x + y)} *{number(x + y)}*", word, MLM, SBO)
    return ui.formula("formula", said, label="the two losses are added (log: natural)")


def overall() -> Block:
    """Both layers on all held-out blanks that were masked: one blank proves little."""
    o = shipped("spanbert/metrics.json")["by_fate"]["mask"]
    sbo, mlm = percent(o["sbo_top1"] / 100), percent(o["mlm_top1_where_sbo"] / 100)
    said = f"Over {o['sbo_pieces']:,} held-out blanks SBO's first guess is right in {sbo}, "
    return ui.closing(f"{said}MLM's in {mlm}. Both only train the encoder.")


def blanks_table(found: core.Filled) -> Block:
    """Every blank with both layers' first guesses."""

    def cells(said: Said | None) -> list[str]:
        if said is None:
            return ["–", "–", "–"]
        known = [probability(said.p), f"{said.rank:,}"] if found.given.known else ["–", "–"]
        return [core.spelled(said.guesses[0].piece), *known]

    rows = []
    for p in found.plain.pieces:
        first = found.name(p), core.spelled(p.token) if found.given.known else "?"
        sets = {"own.spanbert.blank": p.at}
        rows.append(ui.row(*first, *cells(p.mlm), *cells(p.sbo), sets=sets))
    said = ["P(hidden word)", "its place"]
    heads = ["blank", "hidden word", "MLM guesses", *said, "SBO guesses", *said]
    return ui.table("rows", heads, rows, "Every blank, nothing cut")


def passages_table() -> Block:
    """Every passage, to press."""
    rows = []
    for name, p in passages().items():
        gone = " / ".join(h.text for h in p.hidden)
        rows.append(ui.row(p.title, gone, sets={"own.spanbert": {"passage": name}}))
    return ui.table("passages", ["passage", "hidden"], rows, "All passages")


def boundary_exactly(b: core.Blank) -> list[Block | str]:
    """The boundary layer's arithmetic, what a cut is, the model, what texts get wrong."""
    shape = shipped("spanbert/config.json")
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


def schemes(shown: Shown, own: Own) -> list[Block | None]:
    """The text twice, the budget, the law of lengths."""
    idea = ui.idea(
        "Both hide 15 % of the tokens: BERT *single tokens*, SpanBERT *whole spans* of 1 to 10 "
        "words. Inside a span the nearest words are hidden too."
    )
    given = asked(own, 2)
    name = ("schemes", given.text, own.seed)
    found = shown.need(name, partial(core.hidden, given.text, own.seed), of="spanbert")
    if isinstance(found, str):
        return refused(found, own, 2, idea)
    n, m, count = core.right(found.tokens), core.right(found.spans), len(found.spans.pieces)
    total = plural(len(found.encoding.context_ids), "token")
    hit = "✓ the first guess of its masked-language layer is right"
    harder = "Spans are harder for this model. " if m < n or scheme_counts() else ""
    return [
        idea,
        ui.finding(
            f"{count} of {total} hidden each time: our small SpanBERT guesses {n} of the single "
            f"ones and {m} of those in spans.{average()}"
            + ("" if given.known else f" Here “{FILLER}” stands where [MASK] was typed.")
        ),
        *texts_row(own, 2),
        ui.button("again", "Draw again", {"own.spanbert.seed": own.seed % 9999 + 1}, span=2),
        key("hidden from the model", hit, "our small SpanBERT", span=10),
        twice(found, n, m),
        ui.group("laws", 6, *laws(found, count)),
        lengths([d.length for d in found.draws]),
        ui.closing(harder + "Whether they teach it more is step 4."),
        *folds([hidden_table(found)], *schemes_exactly(found, count)),
    ]


def average() -> str:
    """The same over all example texts, a sentence."""
    if (m := scheme_counts()) is None:
        return ""
    tokens, spans = (percent(m[name] / m["blanks"]) for name in ("tokens", "spans"))
    return f" Over {m['texts']} texts it is {tokens} and {spans}."


def twice(found: core.Hidden, n: int, m: int) -> Block:
    """The text under both laws."""
    spans, made = plural(len(found.spans.masked.runs), "span"), []
    for name, said, hits in (("single tokens", found.tokens, n), (spans, found.spans, m)):
        items = paragraph_items(found.encoding)
        for p in said.pieces:
            items[p.at]["marks"] = ["masked", "hit"] if p.mlm.rank == 1 else ["masked"]
        made.append(segment(items, name, False, [f"{hits} of {len(said.pieces)} right", STRONG]))
    return text("twice", *made, select=False, dots=True)


def laws(found: core.Hidden, count: int) -> list[Block]:
    """The budget of this text, and how probable a length is."""
    n, p, upper, length = len(found.encoding.context_ids), DEFAULTS.geometric_p, 10, 3
    share, q, law = DEFAULTS.mask_ratio * n, 1 - p, length_law()
    top, total, result = p * q ** (length - 1), 1 - q**upper, float(law[length - 1])
    sign = "=" if number(round(top, 3) / round(total, 3), 3) == number(result, 3) else "≈"
    rounded = "" if abs(share - count) < 1e-9 else "rounded up: "
    budget = say(f"15 % of {n} = {number(share)}, {rounded}*{count} hidden*")
    one = f"P({length} words) = {p:g} × {q:g}{{}} / (1 − {q:g}{{}}) = {number(top, 3)} / "
    one += f"{number(total, 3)} {sign} *{number(result, 3)}*"
    lengths = say(one, [str(length - 1), "sup"], [str(upper), "sup"])
    mean = number(float(law @ np.arange(1, upper + 1)), 1)
    return [
        ui.formula("formula", budget, label="tokens, both times"),
        ui.formula("law", lengths, label="length of a span"),
        ui.remark("mean", f"A span has {mean} words on average; squares: drawn here."),
    ]


def hidden_table(found: core.Hidden) -> Block:
    """Every hidden token under both laws."""
    rows = []
    for name, said in (("single", found.tokens), ("in a span", found.spans)):
        for p in said.pieces:
            first, place = core.spelled(p.mlm.guesses[0].piece), f"{p.mlm.rank:,}"
            rows.append(ui.row(name, core.spelled(p.token), first, probability(p.mlm.p), place))
    heads = ["hidden", "token", "first guess", "P(token)", "its place"]
    return ui.table("rows", heads, rows, "Every hidden token")


def stopped(found: core.Hidden, count: int) -> str:
    """Whether the budget cut the last span short."""
    last = found.draws[-1]
    if not last.cut and last.words == last.length:
        return ""
    where = f"inside its word {last.words}" if last.cut else f"after {plural(last.words, 'word')}"
    drawn = f" The last span here was drawn with {plural(last.length, 'word')} and stops {where}: "
    return drawn + f"the {plural(count, 'token')} are used up."


def schemes_exactly(found: core.Hidden, count: int) -> list[str]:
    """The law's conditions, where the averages come from, what is simplified."""
    m, command = scheme_counts(), "python -m qa_demo.training.infill schemes"
    over = f"Nobody has measured these weights on all example texts yet ({command})."
    if m:
        over = f"Over the {m['texts']} example texts that fit one sequence, {m['draws']} draws each"
        over += f", the first guess is right in {m['tokens']:,} of {m['blanks']:,} single tokens "
        over += f"and in {m['spans']:,} of {m['blanks']:,} in spans ({command})."
    return [
        "Lengths are counted in words, a comma or full stop as one: geometric with p = 0.2, none "
        "longer than 10. Spans that touch become one." + stopped(found, count),
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
    d = shipped("spanbert/config.json")["hidden_size"]
    alone = "Fine-tuning lowers the loss of chapter Loss alone"
    both = say("L = L{} + L{}", MLM, SBO)
    lowered = "L = −½ (log P(right start) + log P(right end))"
    return [
        ui.idea(
            "After pre-training both output layers are thrown away. *The encoder stays*, gets a "
            "start and end layer, and learns from questions as any BERT."
        ),
        ui.finding("SpanBERT changes what the encoder has learnt, not how an answer is found."),
        path(),
        ui.formula("formula", both, label="pre-training lowers", span=4),
        ui.formula("second", [lowered], label="fine-tuning lowers", span=8),
        ui.closing(f"{alone}; nothing is hidden any more."),
        *folds(
            [ui.table("rows", heads, rows, "The parts")],
            f"The new layer has two vectors and two biases; in a model like our small one 2 × {d} "
            f"+ 2 = {2 * d + 2:,} numbers. Its weights begin at random, its biases at 0. SpanBERT "
            "was pre-trained from scratch with MLM and SBO together, never with SBO alone; ours "
            "went on from a trained encoder. BERT’s other task, whether one text follows another "
            "(next sentence prediction), is left out.",
            model_says(),
        ),
    ]


def path() -> Block:
    """The two trainings as boxes."""
    gone = [(f"{name} layer", "thrown away", "gone") for name in ("MLM", "SBO")]
    before = [[("text with hidden spans", "", "")], [("encoder", "learns", "stays")], gone]
    after = [[("question + paragraph", "nothing is hidden", "")]]
    after += [[("the same encoder", "goes on learning", "kept")]]
    after += [[("new start & end layer", "weights begin at random", "kept")]]
    return ui.flow(
        "path",
        ("1 Pre-training", "plain text, no questions", [*before, [("the hidden words", "", "")]]),
        ("2 Fine-tuning", "questions with answers", [*after, [("the answer span", "", "")]]),
    )


# ---- step 4: what each change is worth


def worth(shown: Shown, own: Own) -> list[Block | None]:
    """The paper's changes beside those of our small run."""
    w = worth_of(shipped("spanbert/ablation.json"))
    marks = [("diamond", "first value"), ("box", "gain"), ("hatch", "loss")]
    marks += [("ring", "each of our runs; bars: their mean")]
    return [
        ui.idea(
            "Each row makes one change more; *its bar runs from the F1 before it to the F1 after "
            "it* (F1: overlap with people’s answers, at best 100)."
        ),
        ui.finding(worth_says(w)),
        ui.legend("key", *((shape, ui.INK, words) for shape, words in marks)),
        gains(w),
        ui.formula("formula", sum_of(w.rows, w.paper), label="paper", span=6),
        ui.formula("second", sum_of(w.rows, w.ours), label="ours", span=6),
        ui.closing(
            f"Our {w.budget['pretrain_steps']:,} steps against the paper’s 1.2 million are too few "
            "to refute it. Compare changes, not levels."
        ),
        *folds([worth_table(w)], *worth_exactly(w)),
    ]


def worth_says(w: Worth) -> str:
    """Whether every change helps, there and here."""
    steps = [g.change for g in w.paper if g.change is not None]
    here = {w.rows[g.row].short: g.change for g in w.ours if g.change is not None}

    def does(name: str, adds: str, costs: str) -> str:
        return f"{name} {adds if here[name] >= 0 else costs} {number(abs(here[name]), 1)}"

    least = f", SBO least ({signed(steps[-1], 1)})" if steps[-1] == min(steps) else ""
    helps = "every change helps" if min(steps) > 0 else "not every change helps"
    own = f"{does('spans', 'add', 'cost')} and {does('SBO', 'adds', 'costs')}"
    return f"In the paper {helps} on SQuAD 2.0{least}. In our small run {own}."


def sum_of(rows: Sequence[Change], found: Sequence[Gain]) -> list[Part]:
    """83.8 + 1.6 spans + ... = 86.8."""
    first, last, said = found[0].f1, found[-1].f1, list[Part]()
    steps = [(rows[g.row].short, g.change) for g in found if g.change is not None]
    for name, d in steps:
        said += say(f" {'−' if d < 0 else '+'} *{number(abs(d), 1)}*{{}}", [f" {name}", ui.GREY])
    sign = adds([first, *(d for _, d in steps)], last, 1)
    return [number(first, 1), *said, f" {sign} {number(last, 1)}"]


def worth_table(w: Worth) -> Block:
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


def worth_exactly(w: Worth) -> list[str]:
    """Sources, conditions, the exception."""
    more = WITH_SBO.coreference - ONE_SEGMENT.coreference
    given, runs = w.budget, plural(max(len(r.ours) for r in w.rows), "run")
    return [
        f"The paper: {SPANBERT}, trained from scratch. One segment: BERT reads two texts at once "
        "and also guesses whether the second follows the first; SpanBERT reads one and has no such "
        f"task. SBO adds more elsewhere: {number(WITH_SBO.newsqa - ONE_SEGMENT.newsqa, 1)} on "
        f"NewsQA, {number(more, 1)} on coreference (whom “she” means), where spans alone cost: "
        f"{TOKENS.coreference} to {SPANS.coreference}.",
        f"Ours: {ENCODER} as it came; else {given['pretrain_steps']:,} steps of "
        f"{given['batch_tokens']:,} tokens of that pre-training, in one segment. Then each learns "
        f"from questions for {given['finetune_steps']:,} steps. {runs} each, which differ by the "
        "seed. These starts were trained apart from the model of the first two steps "
        "(assets/spanbert/ablation.json).",
    ]
