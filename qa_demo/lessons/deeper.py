"""Checks of lessons 5 to 10: vectors, loss, windows, tags, SpanBERT, what a lead rests on."""

from collections.abc import Sequence

import numpy as np

from qa_demo.chapters.bio import Tags
from qa_demo.chapters.why import Shares, rows_of
from qa_demo.core.attention import Looks
from qa_demo.core.base import log_softmax, logsumexp, softmax
from qa_demo.core.losses import count_labels
from qa_demo.core.masking import length_law
from qa_demo.core.predict import Proposals, predict
from qa_demo.core.spans import Candidate
from qa_demo.core.tagging import decode_reading, soft_terms
from qa_demo.core.text import span_at
from qa_demo.core.windows import capacity
from qa_demo.lessons.checks import CHECKS as FIRST
from qa_demo.lessons.checks import CHOICES, chosen, likeliest, need, sides, window_of
from qa_demo.lessons.found import Check, Found
from qa_demo.printed import number, percent, plural, probability, quote, signed, small_number
from qa_demo.shown import Shown
from qa_demo.texts import word


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
    total = float(S @ h) + b
    need(abs(total - shown.best.start_logit) < 0.01, "the logit is no product with one vector")
    return Found("one", facts={"width": str(len(S)), "logit": number(total)})


def other_question(shown: Shown) -> Found:
    """Another question on the paragraph moves start logits; S stays."""
    example, context = shown.example, shown.encoding.context
    need(example is not None and example.others, "this text has no second question")
    assert example is not None
    question, options = example.others[0], shown.true.options
    after = shown.need(
        ("reading", question),
        lambda reader, *watch: reader.read(question, context, options, *watch),
    )
    best = predict(after, shown.decode).best
    need(best is not None, "the second question finds no span")
    assert best is not None
    now, was = best.candidate, shown.best
    d = now.span.start
    before = float(
        shown.reading.start_logits[now.window, shown.reading.windows[now.window].to_pos(d)]
    )
    need(now.span != was.span and now.start_logit > before, "both questions find the same span")
    facts = {"question": quote(question, 90), "word": quote(word(shown.encoding, d, ""))}
    facts |= {"before": number(before), "after": number(now.start_logit), "best": quote(now.text)}
    return Found("tokens", facts=facts)


def many_products(shown: Shown) -> Found:
    """S · h is a sum of many small products."""
    S, h, _ = start_of(shown)
    products = S * h
    top, total = float(np.abs(products).max()), float(products.sum())
    share = top / abs(total)
    need(total > 0 and share < 0.2, "a single product decides here")
    facts = {"width": str(len(S)), "word": quote(word(shown.encoding, shown.best.span.start, ""))}
    facts |= {"sum": number(total), "top": number(top), "share": percent(share)}
    facts |= {"up": str(int((products > 0).sum())), "down": str(int((products < 0).sum()))}
    return Found("small", facts=facts)


def bias(shown: Shown) -> Found:
    """b_S moves every start logit and no probability."""
    _, _, b = start_of(shown)
    s, _ = shown.reading.logits(shown.best.window)
    p, without = softmax(s.astype(float)), softmax(s.astype(float) - b)
    need(np.allclose(p, without), "the probabilities change")
    pos, name = likeliest(shown, p, 1)[0]
    facts = {"b": number(b, 3), "word": quote(name), "p": probability(float(p[pos]))}
    return Found("nothing", facts=facts)


def label(shown: Shown) -> Found:
    """The loss reads P where people marked, which need not be where P is highest."""
    e, (p, _) = shown.encoding, sides(shown)
    labels, _ = count_labels(e, shown.golds)
    need(labels and labels[0].span is not None, "nobody marked an answer")
    span, w = labels[0].span, window_of(shown)
    assert span is not None
    need(w.holds(span), "the answer stands in another window")
    right, top = w.to_pos(span.start), int(p.argmax())
    named = word(e, w.to_doc(top), "") if w.is_context[top] else e.cls_token
    facts = {"label": quote(word(e, span.start, "")), "p": probability(float(p[right]))}
    facts |= {"top": quote(named), "q": probability(float(p[top]))}
    facts |= {"agrees": "too" if top == right else "instead", "n": str(len(p))}
    facts |= {"pull": signed((1 - float(p[right])) / 2, 3)}
    return Found("label", facts=facts)


def other_start(shown: Shown) -> Found:
    """As `label`, on a text where the reader's likeliest start is another."""
    found = label(shown)
    need(found.facts["agrees"] == "instead", "here the reader's likeliest start is the label")
    return found


def same_gap(shown: Shown) -> Found:
    """Scores of two pairs differ as log P(start) + log P(end) does."""
    first, *others = (r.candidate for r in shown.prediction.n_best)
    other = next(
        (c for c in others if c.window == first.window and c.span.start != first.span.start), None
    )
    need(other is not None, "there is no second pair in this window")
    assert other is not None
    s, e = (x.astype(float) for x in shown.reading.logits(first.window))
    constant = float(logsumexp(s) + logsumexp(e))

    def log_p(c: Candidate) -> float:
        w = window_of(shown)
        at = w.to_pos(c.span.start), w.to_pos(c.span.end)
        return float(log_softmax(s)[at[0]] + log_softmax(e)[at[1]])

    gap = first.score - other.score
    need(abs(gap - (log_p(first) - log_p(other))) < 1e-6, "the two scales differ")
    facts = {"first": quote(first.text), "other": quote(other.text), "gap": number(gap)}
    return Found(
        value=gap, within=0.02, traps={"0": 0.0}, facts={**facts, "constant": number(constant)}
    )


def windows(shown: Shown) -> Found:
    """How many windows a text needs, and that all of it is read."""
    reading, e = shown.reading, shown.encoding
    count, pieces = len(reading.windows), len(e.context_ids)
    room, step = capacity(e, reading.options), reading.options.doc_stride
    need(count > 1, "this text fits into one window")
    read = {d for w in reading.windows for d in range(w.doc_start, w.doc_stop)}
    need(len(read) == pieces, "some words are in no window")
    best = shown.best
    apart = -(-pieces // room)
    facts = {"pieces": f"{pieces:,}", "room": f"{room:,}", "step": f"{step:,}"}
    facts |= {"windows": str(count), "more": str(count - 1), "best": quote(best.text)}
    facts |= {"k": str(best.window + 1)}
    return Found(
        "all",
        value=count,
        within=0.1,
        digits=0,
        traps={
            "one": 1,
            **({"apart": apart} if apart != count else {}),
            "steps": -(-pieces // step),
        },
        facts=facts,
    )


def owner(shown: Shown) -> Found:
    """Of several copies of a start the one counts whose window sees most around it."""
    held = Proposals(shown.reading, shown.prediction, shown.decode).holding
    need(len(held) > 1, "only one window holds the best span")
    need(held[0].edge == max(r.edge for r in held), "the window in use does not see most")
    edges = ", ".join(f"{r.edge} in window {r.k}" for r in held)
    scores = ", ".join(f"{number(r.same)} in window {r.k}" for r in held if r.same is not None)
    facts = {"best": quote(shown.best.text), "edges": edges, "scores": scores, "k": str(held[0].k)}
    return Found("context", facts=facts)


def smallest_null(shown: Shown) -> Found:
    """Of the windows' scores of "no answer" the smallest counts."""
    rows = Proposals(shown.reading, shown.prediction, shown.decode).rows
    need(len(rows) > 1, "this text fits into one window")
    least, most = min(rows, key=lambda r: r.null), max(rows, key=lambda r: r.null)
    need(abs(least.null - shown.prediction.null_score) < 1e-6, "another score counts")
    facts = {"least": number(least.null), "k": str(least.k), "most": number(most.null)}
    return Found("smallest", facts={**facts, "m": str(most.k), "windows": str(len(rows))})


def maxima_mislead(shown: Shown) -> Found:
    """The window with the highest mean of its two largest P need not hold the answer."""
    rows = Proposals(shown.reading, shown.prediction, shown.decode)
    top, win = rows.highest("mean"), rows.win
    need(top.k != win.k and not top.window.holds(shown.best.span), "here the rule finds the window")
    need(top.tops[:2] == (0, 0), "its two maxima do not both stand on [CLS]")
    facts = {"mean": probability(top.mean), "k": str(top.k), "best": quote(shown.best.text)}
    facts |= {"win": str(win.k), "other": probability(win.mean)}
    return Found("no", facts=facts)


def likely_begin(shown: Shown) -> Found:
    """Where P(B) is highest, above one half."""
    need(shown.true.tag_logits is not None, "this reader gives no tags")
    tags, e = Tags(shown), shown.encoding
    order, names = np.argsort(-tags.p[:, 0], kind="stable").tolist(), dict[str, int]()
    for d in order:
        name = word(e, d, "")
        if any(c.isalnum() for c in name):
            names.setdefault(name, d)
    picked = list(names.items())[:CHOICES]
    need(len(picked) == CHOICES and tags.p[picked[0][1], 0] > 0.5, "no B is above one half")
    b = [probability(float(tags.p[d, 0])) for _, d in picked]
    made = chosen(
        [(d, 0) for _, d in picked],
        [quote(name) for name, _ in picked],
        [f"at {quote(n)} P(B) is {x} only." for (n, _), x in zip(picked, b, strict=True)],
    )
    name, d = picked[0]
    p = [probability(float(x), 2) for x in tags.p[d]]
    facts = {"word": quote(name), "B": p[0], "I": p[1], "O": p[2]}
    return Found(made.right, options=made.options, whys=made.whys, facts=facts)


def several_spans(shown: Shown) -> Found:
    """Tags return several spans, start and end one."""
    need(shown.true.tag_logits is not None, "this reader gives no tags")
    found = [quote(t.text) for t in decode_reading(shown.true)]
    need(len(found) > 1, "here the tags return one span")
    facts = {"many": small_number(len(found)), "spans": " and ".join(found)}
    return Found("tags", facts={**facts, "best": quote(shown.best.text)})


def floor(shown: Shown) -> Found:
    """Where annotators disagree the loss of the tags has a floor above 0."""
    need(shown.true.tag_logits is not None, "this reader gives no tags")
    golds = [span_at(shown.encoding, a.char_start, a.char_end) for a in shown.golds]
    need(len(set(golds)) > 1, "the annotators agree")
    terms = soft_terms(shown.true, golds)
    least = float(terms.floor.sum())
    facts = {"floor": number(least), "loss": number(terms.total)}
    return Found("no", facts={**facts, "tokens": plural(int((terms.floor > 0).sum()), "token")})


def mean_length(shown: Shown) -> Found:
    """The mean length of a hidden span."""
    law = length_law()
    mean = float(law @ np.arange(1, len(law) + 1))
    facts = {"mean": number(mean), "most": str(len(law))}
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
    made = chosen(
        [(k, 0) for _, k in picked],
        [quote(name) for name, _ in picked],
        [f"the share of {quote(name)} is {signed(v[k])}." for name, k in picked],
    )
    facts = {"word": quote(picked[0][0]), "share": signed(float(v[picked[0][1]]))}
    facts |= {"best": quote(shown.best.text), "blank": number(s.blank), "all": number(found.sum)}
    facts |= {"lead": number(s.lead)}
    return Found(
        made.right,
        value=s.lead,
        within=max(0.03, abs(found.gap or 0) + 0.01),
        options=made.options,
        whys=made.whys,
        traps={"change": found.sum, "away": s.blank - found.sum},
        facts=facts,
    )


def hidden_words(shown: Shown) -> Found:
    """Without the words with the largest shares the lead falls below that of every random draw."""
    s = Shares(shown)
    sets = s.sets_to_hide()
    need(sets[0], "no word raises the lead")
    test = s.without(sets)
    leads = [lead for lead, _ in test.draws]
    need(leads and test.lead < min(leads), "random draws cost as much here")
    facts = {"words": listed(s, test.first), "lead": number(s.lead), "now": number(test.lead)}
    low, high = number(min(leads)), number(max(leads))
    return Found("more", facts={**facts, "low": low, "high": high, "draws": str(len(leads))})


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
    facts = {"read": listed(s, most), "held": listed(s, held)}
    return Found("no", facts={**facts, "layer": str(look.layer), "head": str(look.head)})


CHECKS: dict[str, Check] = FIRST | {
    name: found
    for name, found in list(globals().items())
    if getattr(found, "__annotations__", None) == {"shown": Shown, "return": Found}
}
