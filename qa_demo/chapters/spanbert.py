"""Chapter 8, SpanBERT: hidden spans, what two layers say of them, and what it is worth to a reader.

For the hidden token x_i of a span s..e: L(x_i) = -log P(x_i | h_i) - log P(x_i | h_(s-1), h_(e+1),
p_(i-s+1)); h is the encoder's output [d], p a position vector. Indices count the text's tokens.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from qa_demo import blocks as ui
from qa_demo import examples as known
from qa_demo import printed
from qa_demo.core import infill as core
from qa_demo.core.masking import MASK_RATIO, blanks_of, length_law
from qa_demo.core.text import spelled
from qa_demo.printed import Part, adds, escape, fine, number, plural, probability, say, signed
from qa_demo.shown import Shown
from qa_demo.state import Int, Name, Record, Text
from qa_demo.texts import paragraph_items, segment, text

NAME = "SpanBERT"
STEPS = (
    ("Boundary", "What do the words around a hidden span know?"),
    ("Spans or tokens", "Which are harder to guess: tokens or spans?"),
    ("To a reader", "How does a model that fills blanks become a reader?"),
    ("Worth", "What is each change worth?"),
)
IDEAS = (
    "Before it sees a question SpanBERT learns to fill blanks: spans are hidden, each word is "
    "guessed twice. Masked language modelling (MLM) reads the encoder's output at the blank; the "
    "*span boundary objective (SBO)* reads those beside the span, and the word's place in it.",
    "In pre-training BERT hides *single tokens*, SpanBERT *whole spans* of 1 to 10 words; both "
    "hide 15 % of the tokens. Inside a longer span the nearest words are hidden too.",
    "After pre-training (guessing hidden words) both output layers are thrown away. *The encoder "
    "stays*, gets a start and end layer, and is fine-tuned: it learns from questions as BERT does.",
    "From the top down each bar adds one change to BERT's pre-training; *the bar is how far F1 "
    "rises with it* (F1: overlap with people's answers to SQuAD's questions on Wikipedia, at best "
    "100).",
)
FIRST = {1: "curie", 2: "apollo"}
"""The passages that the steps open on; one that is chosen is shown by both."""
ODD = {"curie": "Marie Curie", "kilimanjaro": "a span at the edge"}
ODD |= {"fleming": "a word of several tokens", "fire": "a long span", "apollo": "over 20 tokens"}
SEED = 15  # what is hidden in the second step follows from it
WIRES = {"left": "the word before", "right": "the word after", "position": "the position"}
POSITION_NUMBERS = 200  # of a position vector, as in the paper
ENCODER = "all-MiniLM-L6-v2"
WORDS = {"size": 16, "family": '"Spanlight Serif", serif'}
MLM, SBO = ["MLM", "sub"], ["SBO", "sub"]


class Own(Record):
    """What this chapter alone keeps: the text, the chosen blank, the cut input."""

    passage: Name | None = None
    text: Annotated[Text, Field(max_length=500)] | None = None
    blank: Int | None = None
    cut: Literal["left", "right", "position"] | None = None


def picture(shown: Shown, own: Own) -> list[ui.Block | None]:
    step = shown.state.step
    return [ui.idea(IDEAS[step - 1]), *(boundary, schemes, to_reader, worth)[step - 1](shown, own)]


def quoted(token: str) -> Part:
    return [f"“{spelled(token)}”", printed.QUOTE]


def model_says() -> str:
    """Which model fills the blanks, and how long it was trained."""
    (phase,) = known.shipped("spanbert/spanbert.json")["phases"]
    steps, shape = phase["steps_taken"], known.shipped("spanbert/config.json")
    read = steps * phase["batch_tokens"]
    return (
        f"The model is our small SpanBERT: {ENCODER} ({shape['num_hidden_layers']} layers, "
        f"{shape['hidden_size']} numbers a token), pre-trained for {steps:,} more training steps, "
        f"{read / 1e6:,.0f} million tokens, with both losses. It is neither the paper's nor the "
        "reader that answers above. The page's own passages are not in its training text, nor are "
        "those whose blanks are counted."
    )


def boundary(shown: Shown, own: Own) -> list[ui.Block | None]:
    """Step 1: the sentence with its blanks, both layers' guesses, their losses."""
    mine = own.text and own.text.strip() and blanks_of(own.text)
    given = mine or known.hidden_in(own.passage or FIRST[1])
    found = shown.need(("fill", given), partial(core.fill, given), of="spanbert")
    label = "own sentence; [MASK] hides a place"
    box = ui.entry("own", "own.spanbert.text", label, own.text or "", 500)
    now = None if own.text else own.passage or FIRST[1]
    texts = [(title, {"own.spanbert": {"passage": k}}, k == now) for k, title in ODD.items()]
    others = ui.choice("texts", "Text:", texts, span=8), box
    if isinstance(found, str):
        fault = ui.finding("This sentence cannot be shown: {}.", found)
        return [fault, *others, *ui.folds(None, [model_says()], "spanbert")]
    b = core.Blank(found, own.blank, own.cut)
    under = "number: its position in the span; under it: "
    under += "the word that it hides" if b.true else "?, as nobody knows its word"
    wires: list[tuple[str | None, str]] = [(None, "all three inputs")]
    wires += [(w, f"without {WIRES[w]}, {x}") for w, x in zip(WIRES, b.inputs, strict=True)]
    options = [(said, {"own.spanbert.cut": wire}, b.cut == wire) for wire, said in wires]
    every = known.shipped("spanbert/metrics.json")["by_fate"]["mask"]
    sbo, mlm = (number(every[name], 1) for name in ("sbo_top1", "mlm_top1_where_sbo"))
    last = f"One blank proves little: of {every['sbo_pieces']:,} blanks in unseen texts SBO "
    last += f"guesses {sbo} % right, MLM {mlm} %."
    whose = ("text", ui.INK, [["guesses: by a small SpanBERT of our own", ui.GREY]])
    return [
        blank_finding(b),
        *others,
        ui.legend("key", ("fill", ui.INK, "the chosen blank"), ("text", ui.INK, under), whose),
        blanks(b),
        ui.choice("cut", "SBO reads", options) if b.now.sbo else None,
        *guesses(b),
        losses(b),
        ui.closing(last),
        *ui.folds(blanks_table(found), boundary_exactly(), "spanbert"),
    ]


def chance(said: core.Said) -> str:
    """P of the hidden word, with as many digits as its printed loss needs."""
    return fine(-said.loss, 2)


def blank_finding(b: core.Blank) -> ui.Block:
    """What the chosen blank hides, and the first guess of each layer."""
    hides = say("hides {}", quoted(b.true)) if b.true else ["is a typed [MASK]"]
    both: list[Any] = [quoted(x.guesses[0].piece) for x in (b.now.mlm, b.now.sbo) if x]
    last = ", SBO {}." if b.now.sbo else f". SBO has no guess: {b.now.no_sbo}."
    if b.now.sbo and b.cut is None:
        last, both = ", SBO {} from the outputs at {} and {} and position {}.", [*both, *b.inputs]
    return ui.finding(f"{b.found.name(b.now)} {{}}: MLM guesses {{}}{last}", hides, *both)


def blanks(b: core.Blank) -> ui.Block:
    """The sentence: numbered blanks that can be pressed, the two boundary words marked."""
    e, items = b.found.encoding, paragraph_items(b.found.encoding)
    for p in b.found.plain.pieces:
        looks = ["blank", "boxed"] if p.at == b.at else ["blank"]
        under = spelled(p.token) if b.true else "?"
        items[p.at] |= {"t": str(p.at - p.run.start + 1), "under": under, "looks": looks}
        items[p.at] |= {"joined": False, "sets": {"own.spanbert.blank": p.at}}
    for wire, at in zip(("left", "right"), b.boundary or (), strict=False):
        side = WIRES[wire].removeprefix("the ")
        side = side if np.sum(e.word_ids == e.word_ids[at]) == 1 else side.replace("word", "token")
        under = "averaged out" if b.cut == wire else side
        items[at] |= {"looks": ["edge"], "under": under}
    return text("sentence", segment(items), select=False, dots=True)


def guesses(b: core.Blank) -> list[ui.Block]:
    """Both layers' guesses as bars on one scale, whatever is cut, and what each layer reads."""
    most, (left, right, k) = b.surest, b.inputs
    named = zip(WIRES, (f"outputs at {left}", f"at {right}", f"position {k}"), strict=True)
    reads = ", ".join(f"average of {WIRES[w]}" if b.cut == w else name for w, name in named)
    what = f"reads {reads}" if b.now.sbo else "has nothing to read here"
    what += " · outline: before" if b.cut else ""

    def panel(layer: str, span: int, about: ui.Block, said: core.Said | None) -> ui.Block:
        rows, before = core.best(said, b.true), b.before if layer == "SBO" else {}
        down = ui.named_rows([f"“{escape(r.word)}”" for r in rows], tickfont=WORDS)
        down["range"] = [4.6, -0.6]  # there may be fewer than five
        across = {"range": [0, 1.85 * most], "tickvals": ticks(most), "visible": bool(rows)}
        axes = {"xaxis": ui.axis("probability", **across), "yaxis": down}
        layout = ui.layout(186, 128, 8, 4, 40, barmode="overlay", **axes)
        narrow = {"below": 420, "xaxis.range": [0, 3.6 * most], "xaxis.showticklabels": False}
        narrow["data.scatter.textfont.size"] = 12
        best = ", ".join(f"“{r.word}” {told(r)}" for r in rows)
        alt = f"The best guesses of {layer} for {b.found.name(b.now).lower()}: {best or 'none'}."
        drawn = ui.figure(f"guesses-{layer}", ranked(rows, before), layout, alt, narrow=narrow)
        return ui.group(f"layer-{layer}", span, about, drawn)

    at_blank = "*MLM layer*: reads the encoder's output at the blank itself"
    mlm = panel("MLM", 6, ui.remark("reads-mlm", at_blank), b.now.mlm)
    around = ui.remark("reads-sbo", "*SBO layer*: {}", what)
    return [mlm, panel("SBO", 6, around, b.now.sbo)]


def ticks(most: float) -> list[float]:
    """At most five round probabilities from 0 on."""
    step = next(t for t in (0.001, 0.01, 0.05, 0.1, 0.2, 0.5) if most / t <= 4)
    return [round(k * step, 3) for k in range(int(most / step + 1e-9) + 1)]


def told(r: core.Guessed) -> str:
    """P of a guess; of the hidden word as in its loss, which a long one has no room for."""
    p = probability(r.p)
    return fine(np.log(r.p), 2) if r.true and p[0] != "<" else p


def ranked(rows: Sequence[core.Guessed], before: Mapping[str, float]) -> list[ui.Block]:
    """Bars of guesses, the best first; `before`: the words' P with nothing cut, as outlines."""
    y, old, label = range(len(rows)), [before.get(r.word, 0.0) for r in rows], list[str]()
    for k, r in enumerate(rows, 1):
        place = " word" if r.place == k else f", guess {r.place:,}"
        label.append(f" {told(r)}" + f"  ✓ true{place}" * r.true)
    outline = {"color": ui.PAPER, "line": {"color": ui.GREY, "width": 1.5}}
    filled = {"color": [ui.INK if r.true else ui.OTHER for r in rows]}
    ends = ui.packed([max(r.p, o) for r, o in zip(rows, old, strict=True)])
    outlines = [ui.lying(ui.packed(old), y, 0.9, outline)] if before else []
    bars = ui.lying(ui.packed([r.p for r in rows]), y, 0.66, filled)
    return [*outlines, bars, ui.labels(ends, list(y), label, "middle right", size=14)]


def losses(b: core.Blank) -> ui.Block:
    """L = L_MLM + L_SBO of the chosen blank; under a cut what it does to L_SBO."""
    if b.true is None:
        nobody = "Nobody has said which word a typed [MASK] hides, so there is no loss to lower"
        return ui.remark("formula", f"{nobody} here.")

    def equal(*some: core.Said) -> str:
        """ "=" where the printed P give the printed losses, else "≈"."""
        given = ((chance(x), number(x.loss)) for x in some)
        same = (printed.gives([p], -np.log(printed.value(p)), loss) for p, loss in given)
        return "=" if all(same) else "≈"

    word, mlm, sbo, whole = quoted(b.true), b.now.mlm, b.now.sbo, b.whole
    if sbo is None or whole is None:
        line = f"L({{}}) = L{{}} = −log {chance(mlm)} {equal(mlm)} *{number(mlm.loss)}*"
        label, given = "no SBO term", [word, MLM]
    elif b.cut is not None:
        line = f"L{{}}({{}}) = −log {chance(whole)} {equal(whole)} {number(whole.loss)}, now "
        line += f"−log {chance(sbo)} {equal(sbo)} *{number(sbo.loss)}*"
        label, given = "what the cut changes", [SBO, word]
    else:
        both, total = (mlm.loss, sbo.loss), mlm.loss + sbo.loss
        line = f"L({{}}) = L{{}} + L{{}} = −log {chance(mlm)} − log {chance(sbo)} "
        line += f"{equal(mlm, sbo)} {' + '.join(map(number, both))} {adds(both, total)} "
        line += f"*{number(total)}*"
        label, given = "the two losses are added", [word, MLM, SBO]
    return ui.formula("formula", say(line, *given), label=f"{label} (log: natural)")


def blanks_table(found: core.Filled) -> ui.Block:
    rows, true = [], found.given.known
    for p in found.plain.pieces:
        cells = [found.name(p), spelled(p.token) if true else "?"]
        for said in (p.mlm, p.sbo):
            cells.append(spelled(said.guesses[0].piece) if said else "–")
            cells += [chance(said), f"{said.rank:,}"] if said and true else ["–", "–"]
        rows.append(ui.row(*cells, sets={"own.spanbert.blank": p.at}))
    said_of = ["P(hidden word)", "its place"]
    heads = ["blank", "hidden word", "MLM guesses", *said_of, "SBO guesses", *said_of]
    return ui.table("rows", heads, rows, "Every blank, nothing cut")


def boundary_exactly() -> list[ui.Block | str]:
    """The boundary layer's arithmetic, what a cut is, the model, what texts get wrong."""
    shape = known.shipped("spanbert/config.json")
    d, inputs = shape["hidden_size"], "h{} = [h(word before); h(word after); p(position)]"
    layers = inputs + " → Linear, GeLU, LayerNorm → h{} → Linear, GeLU, LayerNorm → y"
    return [
        ui.formula("shape", say(layers, ["0", "sub"], ["1", "sub"])),
        f"h is the encoder's output at a token, {d} numbers; p the vector of a position, "
        f"{POSITION_NUMBERS}; h₁ and y have {d}. LayerNorm runs over the numbers of one vector, "
        "not over a batch. The logit of a word is its vector · y + its bias; the softmax runs over "
        f"{shape['vocab_size']:,} tokens.",
        "A cut input is replaced by its mean over the training text, the same for every blank. "
        "That shows what the layer uses; the encoder has still read the word. Each hidden word is "
        "predicted by itself. [CLS] and [SEP] never stand in for a missing neighbour. In training "
        "the losses are means: over the hidden tokens, and over those with an SBO term plus one.",
        model_says(),
    ]


def schemes(shown: Shown, own: Own) -> list[ui.Block | None]:
    """Step 2: the text twice, the budget, the law of lengths."""
    given = known.hidden_in(own.passage or FIRST[2]).text
    found = shown.need(("schemes", given), partial(core.Schemes, given, SEED), of="spanbert")
    n, m, count = core.right(found.tokens), core.right(found.spans), len(found.spans.pieces)
    size, spans = len(found.encoding.context_ids), plural(len(found.spans.masked.runs), "span")
    weights = known.shipped("spanbert/checksums.json")["model.safetensors"]
    every = known.shipped("schemes.json")[weights]
    shares = [100 * every[of] / every["blanks"] for of in ("tokens", "spans")]
    both = [number(x, 1) for x in shares]
    told = f"One model, the MLM layer of our small SpanBERT, fills both in {every['texts']} other "
    told += f"texts: *{' %* of single tokens right, *'.join(both)} %* of those in spans."
    rounded = "" if abs(MASK_RATIO * size - count) < 1e-9 else "rounded up: "
    budget = f"15 % of {size} = {number(MASK_RATIO * size)}, {rounded}*{count} hidden*"
    law = "P(3 words) = 0.2 × 0.8{} / (1 − 0.8{}) = 0.128 / 0.893 = *0.143*"
    every_p = ", ".join(number(p, 3) for p in length_law())
    twice, rows = list[ui.Block](), list[ui.Block]()
    for name, said in (("single tokens", found.tokens), (spans, found.spans)):
        items = paragraph_items(found.encoding)
        for p in said.pieces:
            items[p.at]["looks"] = ["masked", "hit"] if p.mlm.rank == 1 else ["masked"]
            first, place = spelled(p.mlm.guesses[0].piece), f"{p.mlm.rank:,}"
            rows.append(ui.row(name, spelled(p.token), first, probability(p.mlm.p), place))
        holds = say(f"*{core.right(said)} of {len(said.pieces)} right*")
        twice.append(segment(items, name, False, *holds))
    here = f"Here {n} and {m} of {count} are right."
    right = "text", ui.INK, "✓ the first guess is right; no tick: wrong"
    names = ["single tokens hidden", "whole spans hidden"]
    sets = {"yaxis": ui.named_rows(names, tickfont={"size": 15})}
    over = f"guessed right over {every['texts']} texts, in %"
    sets["xaxis"] = ui.axis(over, range=[0, 1.2 * max(shares)])
    bars = ui.lying(shares, [0, 1], 0.6, {"color": ui.INK}, text=[f"{x} %" for x in both])
    bars |= {"textposition": "outside", "textfont": {"size": 15}, "cliponaxis": False}
    narrow = {
        "below": 420,
        "xaxis.range": [0, 1.6 * max(shares)],
        "xaxis.title.text": "right, in %",
    }
    alt = f"Over {every['texts']} texts: {both[0]} % of single tokens right, {both[1]} % in spans"
    heads = ["hidden", "token", "first guess", "P(token)", "its place"]
    exactly = (
        ui.formula("law", say(law, ["2", "sup"], ["10", "sup"]), label="length of a span"),
        "Lengths are counted in words, a comma or full stop as one: geometric with p = 0.2, none "
        f"longer than 10, on average 3.8. P of 1 to 10 words: {every_p}. The last span stops where "
        f"the {plural(count, 'token')} are used up, even inside a word. Spans that touch become "
        "one.",
        f"The averages are over the example texts that fit one sequence, {every['draws']} draws "
        f"each, {every['blanks']:,} tokens (python -m qa_demo.training.infill schemes).",
        "The guesses are those of the masked-language layer (MLM). Here every hidden token becomes "
        "[MASK]; in training 80 % of the spans do, 10 % get random words and 10 % stay readable. "
        "Hiding spans and SBO are two changes, and MLM is trained in both.",
        model_says(),
    )
    return [
        ui.finding(told),
        ui.legend("key", ("fill", ui.INK, "hidden; the true word is shown"), right),
        text("twice", *twice, select=False, dots=True),
        ui.figure("over-many", [bars], ui.layout(132, 168, 8, 4, 46, **sets), alt, narrow=narrow),
        ui.formula("formula", say(budget), label="tokens, both times"),
        ui.closing(
            f"{here} Over many texts spans are harder; the step “Worth” asks whether that pays."
        ),
        *ui.folds(ui.table("rows", heads, rows, "Every hidden token"), exactly, "spanbert"),
    ]


def to_reader(shown: Shown, own: Own) -> list[ui.Block | None]:
    """Step 3: what stays and what is thrown away, as boxes alone."""
    gone = [(f"{name} layer", "thrown away later", "gone") for name in ("MLM", "SBO")]
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
        "The new layer has two vectors, at first random, and two biases, at first 0; in a model "
        f"like our small one 2 × {d} + 2 = {2 * d + 2:,} numbers. SpanBERT was pre-trained from "
        "scratch with MLM and SBO together, never with SBO alone, on one segment of text, without "
        "BERT's next sentence prediction; ours went on from a trained encoder."
    )
    both, lowered = say("L = L{} + L{}", MLM, SBO), "L = −½ (log P(right start) + log P(right end))"
    return [
        ui.finding("SpanBERT changes what the encoder has learnt, not how an answer is found."),
        path,
        ui.formula("formula", both, label="pre-training lowers", span=4),
        ui.formula("second", [lowered], label="fine-tuning lowers", span=8),
        ui.closing("Fine-tuning lowers only the loss of chapter Loss; nothing is hidden any more."),
        *ui.folds(None, [exactly, model_says()], "spanbert"),
    ]


def changed(gain: known.Gain) -> str:
    return "–" if gain.first else signed(gain.change, 1)


def worth(shown: Shown, own: Own) -> list[ui.Block | None]:
    """Step 4: the paper's changes beside those of our small run; whether every change helps."""
    w = known.Worth()
    every, most = ", ".join(changed(gain) for gain in w.paper.values() if not gain.first), 1_200_000
    told = f"In the paper F1 changes by *{every}*: hiding whole spans brings most, SBO least. Our "
    told += f"own runs (see the table), {most // w.budget['pretrain_steps']:,} times shorter, "
    told += "cannot test that."
    paper = f"the SpanBERT paper: large model, {most:,} training steps, SQuAD 2.0"
    rows = list[ui.Block]()
    for short, name in w.names.items():
        cells, ours = [name], w.ours.get(short)
        for gain in (w.paper.get(short), ours):
            cells += [number(gain.f1, 1), changed(gain)] if gain else ["–", "–"]
        rows.append(ui.row(*cells, ", ".join(map(number, ours.runs)) if ours else "–"))
    heads = ["row", "paper, SQuAD 2.0", "change", "ours, SQuAD 1.1", "change", "each run"]
    table = ui.table("rows", heads, rows, "F1 after each change")
    return [
        ui.finding(told),
        ui.legend("key", ("fill", ui.INK, paper)),
        gains(w),
        ui.closing(
            "One segment: BERT reads two texts at once and guesses whether the second follows; "
            "SpanBERT reads one."
        ),
        *ui.folds(table, worth_exactly(w), "spanbert"),
    ]


def gains(w: known.Worth) -> ui.Block:
    """What each change adds to F1 in the paper, in points."""
    rows = [k for k in w.names if k in w.paper and not w.paper[k].first]
    bars = [w.paper[k].change for k in rows]
    label, y = [f" <b>{signed(x, 1)}</b>" for x in bars], range(len(rows))
    data = [ui.lying(bars, y, 0.5, {"color": ui.INK})]
    data.append(ui.labels(bars, list(y), label, "middle right", size=14))
    names, font = [w.names[k] for k in rows], {"size": 14, "color": ui.INK}
    layout = ui.layout(280, 264, 24, 8, 44, yaxis=ui.named_rows(names, tickfont=font))
    across = {"range": [0, max(bars) + 0.3], "nticks": 5}  # room for a number
    layout["xaxis"] = ui.axis("change of F1, points", **across)
    alt = "How far each change of the pre-training moves F1 in the paper"
    narrow = {"margin.l": 96, "margin.r": 8, "yaxis.ticktext": rows}
    return ui.figure("gains", data, layout, alt, narrow=narrow)


def worth_exactly(w: known.Worth) -> list[str]:
    """Sources, conditions, the exception."""
    paper, given = known.shipped("spanbert_paper.json"), w.budget
    one, sbo = paper["rows"][-2:]
    news, more = (number(sbo[task] - one[task], 1) for task in ("newsqa", "coreference"))
    runs = plural(max(len(g.runs) for g in w.ours.values()), "run")
    return [
        f"The paper: {paper['source']}, trained from scratch. SBO adds more elsewhere: {news} on "
        f"NewsQA, {more} on coreference (whom “she” means). SQuAD 2.0 also asks what its texts do "
        "not answer; SQuAD 1.1 does not.",
        f"Ours: the first row is {ENCODER} as it came; the others add {given['pretrain_steps']:,} "
        f"training steps of {given['batch_tokens']:,} tokens, in one segment. Then each learns "
        f"from questions for {given['finetune_steps']:,} training steps. {runs} each, which differ "
        "by the seed. These starts were trained apart from the model of the first two steps "
        "(assets/spanbert/ablation.json).",
    ]
