"""Checks of lessons 5 to 10: vectors, loss, windows, tags, SpanBERT, what a lead rests on."""

from collections.abc import Sequence

import numpy as np

from qa_demo.chapters.bio import Tags
from qa_demo.chapters.why import Shares, rows_of
from qa_demo.core.attention import Looks
from qa_demo.core.base import log_softmax, logsumexp, softmax
from qa_demo.core.bio import decode_reading, soft_terms
from qa_demo.core.losses import count_labels
from qa_demo.core.masking import length_law
from qa_demo.core.predict import Proposals, predict
from qa_demo.core.spans import Candidate
from qa_demo.core.text import span_at
from qa_demo.core.windows import capacity
from qa_demo.lessons import checks
from qa_demo.lessons.checks import (
    CHOICES,
    chosen,
    highest,
    likeliest,
    named,
    need,
    sides,
    window_of,
)
from qa_demo.lessons.found import Check, Fact, Found
from qa_demo.printed import number, percent, plural, probability, quote, signed, small_number
from qa_demo.shown import Shown


def start_of(shown: Shown) -> tuple[np.ndarray, np.ndarray, float]:
    """S, the hidden state h of the best span's first token, and b_S. Raises Pending."""
    w = window_of(shown)
    heads = shown.need("heads", lambda reader, *_: reader.heads())
    pos = w.to_pos(shown.best.span.start)
    h = shown.need(
        ("last hidden", w.index, pos), lambda reader, *_: reader.hidden(w)[-1][pos].astype(float)
    )
    return heads.S.astype(float), h, float(heads.b_S)


def one_vector(shown: Shown) -> Found:
    """The start logit is S · h + b_S with the one S of the reader."""
    S, h, b = start_of(shown)
    same = abs(float(S @ h) + b - shown.best.start_logit) < 0.01
    need(same, "the logit is no product with one vector")
    return Found("one", facts={"width": len(S)})


def other_question(shown: Shown) -> Found:
    """Another question on the paragraph moves start logits; S stays."""
    others = shown.example.others if shown.example is not None else ()
    question = need(others, "this text has no second question")[0]
    context, options = shown.encoding.context, shown.true.options
    after = shown.need(
        ("reading", question),
        lambda reader, *watch: reader.read(question, context, options, *watch),
    )
    now = need(predict(after, shown.decode).best, "the second question finds no span").candidate
    d, was = now.span.start, shown.best.span
    pos = shown.reading.windows[now.window].to_pos(d)
    before = float(shown.reading.start_logits[now.window, pos])
    need(now.span != was and now.start_logit > before, "both questions find the same span")
    facts: dict[str, Fact] = {"question": quote(question, 90), "word": named(shown, d)}
    return Found("tokens", facts={**facts, "before": before, "after": now.start_logit})


def many_products(shown: Shown) -> Found:
    """S · h is a sum of many small products."""
    S, h, _ = start_of(shown)
    products = S * h
    top, total = float(np.abs(products).max()), float(products.sum())
    share = top / abs(total)
    need(total > 0 and share < 0.2, "a single product decides here")
    facts: dict[str, Fact] = {"width": len(S), "word": named(shown, shown.best.span.start)}
    facts |= {"sum": total, "top": top, "share": percent(share)}
    facts |= {"up": int((products > 0).sum()), "down": int((products < 0).sum())}
    return Found("small", facts=facts)


def bias(shown: Shown) -> Found:
    """b_S moves every start logit and no probability."""
    _, _, b = start_of(shown)
    s, _ = shown.reading.logits(shown.best.window)
    p, without = softmax(s.astype(float)), softmax(s.astype(float) - b)
    need(np.allclose(p, without), "the probabilities change")
    [(_, name, top)] = likeliest(shown, p, 1)
    return Found("nothing", facts={"b": number(b, 3), "word": name, "p": probability(top)})


def label(shown: Shown) -> Found:
    """The loss reads P where people marked, which need not be where P is highest."""
    w, (p, _) = window_of(shown), sides(shown)
    span = next((one.span for one in count_labels(shown.encoding, shown.golds)[0]), None)
    span = need(span, "nobody marked an answer")
    need(w.holds(span), "the answer stands in another window")
    right, top = w.to_pos(span.start), int(p.argmax())
    likely = named(shown, w.to_doc(top)) if w.is_context[top] else quote(shown.encoding.cls_token)
    facts: dict[str, Fact] = {"label": named(shown, span.start), "p": probability(float(p[right]))}
    facts |= {"top": likely, "q": probability(float(p[top])), "n": len(p)}
    facts |= {"pull": signed((1 - float(p[right])) / 2, 3)}
    return Found("label", facts=facts)


def other_start(shown: Shown) -> Found:
    """As `label`, on a text where the reader's likeliest start is another."""
    found = label(shown)
    differ = found.facts["top"] != found.facts["label"]
    need(differ, "here the reader's likeliest start is the label")
    return found


def same_gap(shown: Shown) -> Found:
    """Scores of two pairs differ as log P(start) + log P(end) does."""
    first, *others = (r.candidate for r in shown.prediction.n_best)
    beside = (c for c in others if c.window == first.window and c.span.start != first.span.start)
    other = need(next(beside, None), "there is no second pair in this window")
    s, e = (x.astype(float) for x in shown.reading.logits(first.window))

    def log_p(c: Candidate) -> float:
        w = window_of(shown)
        at = w.to_pos(c.span.start), w.to_pos(c.span.end)
        return float(log_softmax(s)[at[0]] + log_softmax(e)[at[1]])

    gap = first.score - other.score
    need(abs(gap - (log_p(first) - log_p(other))) < 1e-6, "the two scales differ")
    facts: dict[str, Fact] = {"first": quote(first.text), "other": quote(other.text), "gap": gap}
    facts |= {"constant": float(logsumexp(s) + logsumexp(e))}
    return Found(value=gap, within=0.02, traps={"0": 0.0}, facts=facts)


def windows(shown: Shown) -> Found:
    """How many windows a text needs, and that all of it is read."""
    reading, e = shown.reading, shown.encoding
    count, pieces = len(reading.windows), len(e.context_ids)
    room, step = capacity(e, reading.options), reading.options.doc_stride
    need(count > 1, "this text fits into one window")
    read = {d for w in reading.windows for d in range(w.doc_start, w.doc_stop)}
    need(len(read) == pieces, "some words are in no window")
    apart = -(-pieces // room)
    traps = {"one": 1, "steps": -(-pieces // step)} | ({"apart": apart} if apart != count else {})
    facts = {"pieces": pieces, "room": room, "step": step, "windows": count, "more": count - 1}
    facts |= {"k": shown.best.window + 1}
    return Found("all", value=count, within=0.1, digits=0, traps=traps, facts=facts)


def owner(shown: Shown) -> Found:
    """Of several copies of a start the one counts whose window sees most around it."""
    held = Proposals(shown.reading, shown.prediction, shown.decode).holding
    need(len(held) > 1, "only one window holds the best span")
    need(held[0].edge == max(r.edge for r in held), "the window in use does not see most")
    edges = ", ".join(f"{r.edge} in window {r.k}" for r in held)
    scores = ", ".join(f"{number(r.same)} in window {r.k}" for r in held if r.same is not None)
    return Found("context", facts={"edges": edges, "scores": scores, "k": held[0].k})


def smallest_null(shown: Shown) -> Found:
    """Of the windows' scores of "no answer" the smallest counts."""
    rows = Proposals(shown.reading, shown.prediction, shown.decode).rows
    need(len(rows) > 1, "this text fits into one window")
    least, most = min(rows, key=lambda r: r.null), max(rows, key=lambda r: r.null)
    need(abs(least.null - shown.prediction.null_score) < 1e-6, "another score counts")
    facts = {"least": least.null, "most": most.null, "k": least.k, "m": most.k}
    return Found("smallest", facts={**facts, "windows": len(rows)})


def maxima_mislead(shown: Shown) -> Found:
    """The window with the highest mean of its two largest P need not hold the answer."""
    rows = Proposals(shown.reading, shown.prediction, shown.decode)
    top, win = rows.highest("mean"), rows.win
    need(top.k != win.k and not top.window.holds(shown.best.span), "here the rule finds the window")
    need(top.tops[:2] == (0, 0), "its two maxima do not both stand on [CLS]")
    return Found("no", facts={"mean": probability(top.mean), "k": top.k, "win": win.k})


def likely_begin(shown: Shown) -> Found:
    """Where P(B) is highest, above one half."""
    need(shown.true.tag_logits is not None, "this reader gives no tags")
    p = Tags(shown).p
    picked = highest(shown, dict(enumerate(p[:, 0].tolist())), CHOICES)
    d, name, top = picked[0]
    need(top > 0.5, "no B is above one half")
    facts = dict(zip("BIO", (probability(float(x), 2) for x in p[d]), strict=True))
    return chosen(
        [(d, name, f"at {name} P(B) is {probability(b)} only.") for d, name, b in picked],
        {"word": name, **facts},
    )


def several_spans(shown: Shown) -> Found:
    """Tags return several spans, start and end one."""
    need(shown.true.tag_logits is not None, "this reader gives no tags")
    found = [quote(t.text) for t in decode_reading(shown.true)]
    need(len(found) > 1, "here the tags return one span")
    return Found("tags", facts={"many": small_number(len(found)), "spans": " and ".join(found)})


def floor(shown: Shown) -> Found:
    """Where annotators disagree the loss of the tags has a floor above 0."""
    need(shown.true.tag_logits is not None, "this reader gives no tags")
    golds = [span_at(shown.encoding, a.char_start, a.char_end) for a in shown.golds]
    need(len(set(golds)) > 1, "the annotators agree")
    terms = soft_terms(shown.true, golds)
    least = float(terms.floor.sum())
    tokens = plural(int((terms.floor > 0).sum()), "token")
    return Found("no", facts={"floor": least, "loss": terms.total, "tokens": tokens})


def mean_length(shown: Shown) -> Found:
    """The mean length of a hidden span."""
    law = length_law()
    mean = float(law @ np.arange(1, len(law) + 1))
    facts: dict[str, Fact] = {"mean": mean, "most": len(law)}
    return Found(value=mean, within=0.3, traps={"5": 5.0, "5.5": 5.5}, facts=facts)


def listed(shares: Shares, some: Sequence[int]) -> str:
    """Words quoted, with "and" before the last."""
    names = [quote(shares.words.items[k].text) for k in some]
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def shares(shown: Shown) -> Found:
    """The word outside the best span with the largest share of the lead, and their sum."""
    s = Shares(shown)
    v, found = s.values, s.found
    names = dict[str, int]()
    for k in sorted((k for k in s.real if k not in s.own), key=lambda k: -v[k]):
        names.setdefault(s.words.items[k].text, k)
    every = list(names.items())
    need(len(every) >= CHOICES and v[every[0][1]] > 0.3, "no word has a share above 0.3")
    picked = [every[0], *(every[len(every) * n // 3 - 1] for n in (1, 2, 3))]
    rows = [(k, quote(n), f"the share of {quote(n)} is {signed(v[k])}.") for n, k in picked]
    word, at = picked[0]
    facts = {"word": quote(word), "share": signed(v[at]), "blank": s.blank, "all": found.sum}
    return chosen(
        rows,
        {**facts, "lead": s.lead},
        value=s.lead,
        within=max(0.03, abs(found.gap or 0) + 0.01),
        traps={"change": found.sum, "away": s.blank - found.sum},
    )


def hidden_words(shown: Shown) -> Found:
    """Without the words with the largest shares the lead falls below that of every random draw."""
    s = Shares(shown)
    sets = s.sets_to_hide()
    need(sets[0], "no word raises the lead")
    test = s.without(sets)
    leads = [lead for lead, _ in test.draws]
    need(leads and test.lead < min(leads), "random draws cost as much here")
    facts = {"lead": s.lead, "now": test.lead, "low": min(leads), "high": max(leads)}
    return Found("more", facts={**facts, "words": listed(s, test.first), "draws": len(leads)})


def attention_elsewhere(shown: Shown) -> Found:
    """The three words that a head reads most are not those with the largest shares."""
    s = Shares(shown)
    w = s.window
    look = Looks(rows_of(s, w.to_pos(s.span.start)), shown.encoding, w)
    free = [k for k in s.real if k not in s.own]
    read = s.words.sums(look.row)
    most = sorted(free, key=lambda k: -read[k])[:3]
    held = sorted(free, key=lambda k: -s.values[k])[:3]
    need(set(most) != set(held), "here they are the same three")
    facts: dict[str, Fact] = {"read": listed(s, most), "held": listed(s, held)}
    return Found("no", facts={**facts, "layer": look.layer, "head": look.head})


CHECKS: dict[str, Check] = {
    name: found
    for name, found in {**vars(checks), **globals()}.items()
    if getattr(found, "__annotations__", None) == {"shown": Shown, "return": Found}
}
