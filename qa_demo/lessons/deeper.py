"""What lessons 5 to 10 rest on: vectors, loss, windows, tags, SpanBERT, shares of words."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from qa_demo.chapters.bio import labels
from qa_demo.chapters.scores import Own, TwoQuestions, taken_apart
from qa_demo.chapters.spanbert import FIRST
from qa_demo.chapters.why import Shares, rows_of
from qa_demo.chapters.windows import Windows
from qa_demo.core.attention import TokenAttention
from qa_demo.core.base import logsumexp
from qa_demo.core.bio import SoftTerms, decode_reading, owned_rows
from qa_demo.core.heads import Products
from qa_demo.core.infill import Blank, fill
from qa_demo.core.losses import count_labels, entropy
from qa_demo.core.masking import length_law
from qa_demo.examples import Worth, hidden_in
from qa_demo.lessons.checks import CHOICES, Facts, Seen, require
from qa_demo.printed import fine, number, plural, probability, quote, signed, small_number


def _start(t: Seen) -> Products:
    """The start logit S · h + b_S of the best span, number by number. Raises Pending."""
    return taken_apart(TwoQuestions(t.shown, Own()), t.best.span.start)


def one_vector(t: Seen) -> Facts:
    """The start logit is S · h + b_S with the one S of the reader, and b_S is small."""
    made, word = _start(t), t.named(t.best.span.start)
    require(abs(made.total - t.best.start_logit) < 0.01, "the logit is no product with one vector")
    sizes = {"width": len(made.vector), "n": int(t.window.is_context.sum())}
    return {**sizes, "word": word, "b": made.bias}


def other_question(t: Seen) -> Facts:
    """Another question lowers the answer's start logit below 0, lifts another to where it was."""
    two = TwoQuestions(t.shown, Own())
    second = require(two.second, "this text has no second question")
    old, new = t.best.span.start, second.best.span.start
    starts = [[asked.logit(d, "start") for d in (old, new)] for asked in (two.first, second)]
    (before, low), (after, high) = starts
    require(after < 0, "the answer's start stays high")
    require(low < 0 and abs(high - before) < 0.5, "the new answer's start comes elsewhere")
    words = {"question": quote(two.question, 90), "word": t.named(old), "new": t.named(new)}
    return {**words, "before": before, "after": after}


def many_products(t: Seen) -> Facts:
    """S · h is a sum of many small products: it takes a dozen of the largest or more."""
    made = _start(t)
    products, b, top = made.values, made.bias, float(made.values.max())
    share = (t.best.start_logit - b) / top
    require(share > 12 and top >= -products.min(), "a few products decide here")
    signs = {"up": int((products > 0).sum()), "down": int((products < 0).sum())}
    sizes: Facts = {"width": len(products), "b": b, "top": number(top, 3), "share": share}
    return {"word": t.named(t.best.span.start), "least": int(np.ceil(share)), **signs, **sizes}


def label(t: Seen) -> Facts:
    """The loss reads P where people marked, and here P is highest at another word."""
    marked = [x.span for x in count_labels(t.e, t.shown.golds) if x.span is not None]
    span, w = require(marked, "nobody marked an answer")[0], t.window
    require(w.holds(span), "the answer stands in another window")
    at, top = w.to_pos(span.start), int(t.p.argmax())
    require(w.is_context[top] and top != at, "here the reader's likeliest start is the label")
    own, cost = (-float(np.log(t.p[k])) for k in (top, at))
    facts: Facts = {"label": t.named(span.start), "p": fine(-cost), "cost": cost}
    facts |= {"top": t.named(w.to_doc(top)), "q": fine(-own), "own": own}
    return {**facts, "pull": signed((1 - float(t.p[at])) / 2, 3)}


def rival_gone(t: Seen) -> Facts:
    """As `label`, and P of the label where the likeliest start has P = 0: all others share it."""
    facts = label(t)
    p, q = (float(np.exp(-facts[cost])) for cost in ("cost", "own"))
    lowered = {"edits": {"start": {f"{t.window.index}:{t.p.argmax()}": -100}}}
    return {**facts, "freed": p / (1 - q), "then": lowered}


def same_gap(t: Seen) -> Facts:
    """Scores of two pairs differ as log P(start) + log P(end) does: by one constant for all."""
    first, *others = (r.candidate for r in t.shown.prediction.n_best)
    beside = (c for c in others if c.window == first.window and c.span.start != first.span.start)
    other = require(next(beside, None), "there is no second pair in this window")
    gap, constant = first.score - other.score, sum(map(logsumexp, t.logits))
    names = {"first": quote(first.text), "other": quote(other.text)}
    return {**names, "gap": gap, "times": round(np.exp(gap)), "constant": float(constant)}


def _several(t: Seen) -> Windows:
    """The windows of a long text, and what each proposes."""
    require(len(t.shown.reading.windows) > 1, "this text fits into one window")
    return Windows(t.shown)


def windows(t: Seen) -> Facts:
    """How many windows a text needs."""
    s = _several(t)
    sizes = {"pieces": s.pieces, "room": s.capacity, "step": s.stride}
    return {**sizes, "windows": len(s.rows), "more": len(s.rows) - 1}


def owner(t: Seen) -> Facts:
    """Of several copies of a start the one counts whose window sees most around it."""
    s = _several(t)
    held = s.holding
    require(held[0].edge == max(r.edge for r in held), "the window in use does not see most")
    other = require(s.higher, "no other copy scores higher")
    (left, right), (left_m, right_m) = held[0].near, other.near
    require(left + right == left_m + right_m, "the two windows hold different lengths")
    edges = ", ".join(f"{r.edge} in window {r.k}" for r in held)
    sides = {"left": left, "right": right, "left_m": left_m, "right_m": right_m}
    return {**sides, "edges": edges, "k": held[0].k, "m": other.k}


def smallest_null(t: Seen) -> Facts:
    """Of the windows' scores of "no answer" the smallest counts."""
    s = _several(t)
    least, most = s.least, max(s.rows, key=lambda r: r.null)
    facts = {"least": least.null, "most": most.null, "k": least.k, "m": most.k}
    return {**facts, "windows": len(s.rows)}


def maxima_mislead(t: Seen) -> Facts:
    """The window with the highest mean of its two largest P need not hold the answer."""
    s = _several(t)
    top, win = s.highest("mean"), s.win
    require(top.k != win.k and not top.window.holds(t.best.span), "here the rule finds the window")
    require(top.maxima[:2] == (0, 0), "its two maxima do not both stand on [CLS]")
    own = quote(require(top.own, "it proposes no span").text)
    return {"mean": probability(top.mean), "own": own, "k": top.k}


def likely_begin(t: Seen) -> Facts:
    """Where P(B) is highest, above one half."""
    p = np.exp(owned_rows(t.shown.true))
    found = t.highest(p[:, 0], CHOICES, 0)
    d, name, top = found[0]
    require(top > 0.5, "no B is above one half")
    picks = [(d, name, f"at {name} P(B) is only {probability(b)}.") for d, name, b in found]
    tags = dict(zip("BIO", (probability(float(x), 2) for x in p[d]), strict=True))
    width = len(t.shown.need("heads", lambda reader, *_: reader.heads()).S)
    return {"picks": picks, "word": name, "width": width, **tags}


def several_spans(t: Seen) -> Facts:
    """Tags return several spans, start and end one."""
    found = [quote(one.text) for one in decode_reading(t.shown.true)]
    require(len(found) > 1, "here the tags return one span")
    return {"many": small_number(len(found)), "spans": " and ".join(found)}


def floor(t: Seen) -> Facts:
    """Where annotators disagree the loss of the tags has a floor above 0."""
    terms = SoftTerms(t.shown.true, labels(t.shown))
    apart = terms.floor[terms.floor > 0]
    two_to_one = len(apart) and np.allclose(apart, entropy(np.array([2 / 3, 1 / 3])))
    require(two_to_one, "the annotators agree, or differ in another way than 2 : 1")
    return {"floor": float(apart.sum()), "loss": terms.total, "tokens": plural(len(apart), "token")}


def mean_length(_: Seen) -> Facts:
    """The mean length of a hidden span."""
    law = length_law()
    return {"mean": float(law @ np.arange(1, len(law) + 1)), "most": len(law)}


def boundary(t: Seen) -> Facts:
    """What SBO reads at the blank that its chapter opens on. Raises Pending."""
    given = hidden_in(FIRST[1])
    b = Blank(t.shown.need(("fill", given), partial(fill, given), of="spanbert"), None, None)
    (left, right, k), run = b.inputs, b.now.run
    return {"left": left, "right": right, "k": k, "at": b.at + 1, "many": run.end - run.start + 1}


def worth(_: Seen) -> Facts:
    """Of the paper's changes SBO adds least to F1 on SQuAD 2.0; in our small run it adds most."""
    w = Worth()
    changes = {name: g.change for name, g in w.paper.items() if not g.first}
    require(min(changes, key=changes.__getitem__) == "SBO", "another change adds less")
    facts = {"spans": changes["spans"], "segment": changes["one segment"], "sbo": changes["SBO"]}
    facts |= {"ours_spans": w.ours["spans"].change, "ours_sbo": w.ours["SBO"].change}
    return {name: signed(change, 1) for name, change in facts.items()}


def _listed(shares: Shares, some: Sequence[int]) -> str:
    """Words quoted, with their sides as in the picture, and "and" before the last."""
    return "".join(one if isinstance(one, str) else one[0] for one in shares.named(some))


def _added_up(t: Seen) -> Shares:
    """The shares of the words. Errors: BadInput where they miss the change by 2 % or more."""
    s = Shares(t.shown)
    require(s.found.complete, f"the shares miss {s.missing}")
    return s


def shares(t: Seen) -> Facts:
    """The word or mark outside the best span with the largest share, and the sum of all."""
    s = _added_up(t)
    v, names = s.values, dict[str, int]()
    for k in np.argsort(-v, kind="stable").tolist():
        if k not in s.own:
            names.setdefault(quote(s.words.items[k].text), k)
    found = list(names.items())[:CHOICES]
    require(len(found) == CHOICES and v[found[0][1]] > 0.3, "no word has a share above 0.3")
    picks = [(k, name, f"the share of {name} is {signed(v[k])}.") for name, k in found]
    word, at = found[0]
    sums = {"blank": s.blank, "all": s.found.sum, "lead": s.lead}
    return {**sums, "picks": picks, "word": word, "share": signed(v[at])}


def _hidden(t: Seen) -> Facts:
    """The lead without the words with the largest shares, and without random others."""
    s = _added_up(t)
    test = require(s.test(), "no word speaks for the best span")
    leads, sum_ = [lead for lead, _ in test.draws], float(s.values[list(test.first)].sum())
    facts = {"lead": s.lead, "now": test.lead, "low": min(leads), "high": max(leads)}
    facts |= {"sum": sum_, "left": s.lead - sum_, "fall": s.lead - test.lead}
    as_low = sum(lead <= test.lead for lead in leads)
    return {**facts, "words": _listed(s, test.first), "draws": len(leads), "as_low": as_low}


def hidden_words(t: Seen) -> Facts:
    """Without the words with the largest shares the lead falls under 0 and that of every draw."""
    facts = _hidden(t)
    require(not facts["as_low"] and facts["now"] < 0 < facts["left"], "the lead falls less here")
    return facts


def hidden_in_vain(t: Seen) -> Facts:
    """Most random draws end as low as without the words with the largest shares."""
    facts = _hidden(t)
    require(2 * facts["as_low"] > facts["draws"], "the lead falls more than without others here")
    return facts


def attention_elsewhere(t: Seen) -> Facts:
    """None of the three words that a head reads most is among those with the largest shares."""
    s = _added_up(t)
    att = TokenAttention(rows_of(s, s.window.to_pos(s.span.start)), t.e, s.window)
    weights, free = s.words.sums(att.weights), [k for k in s.real if k not in s.own]
    read, held = (sorted(free, key=lambda k: -of[k])[:3] for of in (weights, s.values))
    require(not set(read) & set(held), "here it reads a word with one of the largest shares")
    facts: Facts = {"read": _listed(s, read), "layer": att.layer, "head": att.head}
    for name, k in (("first", read[0]), ("held", held[0])):
        facts |= {name: _listed(s, [k]), f"{name}_share": signed(s.values[k])}
        facts |= {f"{name}_weight": probability(weights[k], 2)}
    return facts
