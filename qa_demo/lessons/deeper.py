"""What lessons 5 to 10 rest on: vectors, loss, windows, tags, SpanBERT, shares of a lead."""

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
from qa_demo.core.windows import check_options
from qa_demo.lessons.checks import CHOICES, highest, likeliest, named, need, sides, window_of
from qa_demo.lessons.judge import Facts
from qa_demo.printed import number, percent, plural, probability, quote, signed, small_number
from qa_demo.shown import Shown


def _start_of(shown: Shown) -> tuple[np.ndarray, np.ndarray, float]:
    """S, the hidden state h of the best span's first token, and b_S. Raises Pending."""
    w = window_of(shown)
    heads = shown.need("heads", lambda reader, *_: reader.heads())
    pos = w.to_pos(shown.best.span.start)
    h = shown.need(
        ("last hidden", w.index, pos), lambda reader, *_: reader.hidden(w)[-1][pos].astype(float)
    )
    return heads.S.astype(float), h, float(heads.b_S)


def one_vector(shown: Shown) -> Facts:
    """The start logit is S · h + b_S with the one S of the reader."""
    S, h, b = _start_of(shown)
    same = abs(float(S @ h) + b - shown.best.start_logit) < 0.01
    need(same, "the logit is no product with one vector")
    return {"width": len(S)}


def other_question(shown: Shown) -> Facts:
    """Another question on the paragraph moves start logits; S stays."""
    others = shown.example.others if shown.example is not None else ()
    question = need(others, "this text has no second question")[0]
    context, options = shown.encoding.context, shown.true.options
    after = shown.need(
        ("reading", question),
        lambda reader, *watch: reader.read(question, context, options, *watch),
    )
    now = need(predict(after, shown.decode).best, "the second question finds no span").candidate
    d = now.span.start
    pos = shown.reading.windows[now.window].to_pos(d)
    before = float(shown.reading.start_logits[now.window, pos])
    moved = now.span != shown.best.span and now.start_logit > before
    need(moved, "both questions find the same span")
    at = {"question": quote(question, 90), "word": named(shown, d)}
    return {**at, "before": before, "after": now.start_logit}


def many_products(shown: Shown) -> Facts:
    """S · h is a sum of many small products."""
    S, h, _ = _start_of(shown)
    products = S * h
    top, total = float(np.abs(products).max()), float(products.sum())
    share = top / abs(total)
    need(total > 0 and share < 0.2, "a single product decides here")
    facts = {"word": named(shown, shown.best.span.start), "share": percent(share)}
    signs = {"up": int((products > 0).sum()), "down": int((products < 0).sum())}
    return {**facts, **signs, "width": len(S), "sum": total, "top": top}


def bias(shown: Shown) -> Facts:
    """b_S moves every start logit and no probability."""
    _, _, b = _start_of(shown)
    s, _ = shown.reading.logits(shown.best.window)
    p = softmax(s.astype(float))
    need(np.allclose(p, softmax(s.astype(float) - b)), "the probabilities change")
    [(_, name, top)] = likeliest(shown, p, 1)
    return {"b": number(b, 3), "word": name, "p": probability(top)}


def label(shown: Shown) -> Facts:
    """The loss reads P where people marked, which need not be where P is highest."""
    w, (p, _) = window_of(shown), sides(shown)
    span = next((one.span for one in count_labels(shown.encoding, shown.golds)[0]), None)
    span = need(span, "nobody marked an answer")
    need(w.holds(span), "the answer stands in another window")
    right, top = w.to_pos(span.start), int(p.argmax())
    likely = named(shown, w.to_doc(top)) if w.is_context[top] else quote(shown.encoding.cls_token)
    facts = {"label": named(shown, span.start), "p": probability(float(p[right])), "n": len(p)}
    facts |= {"top": likely, "q": probability(float(p[top]))}
    return {**facts, "pull": signed((1 - float(p[right])) / 2, 3)}


def other_start(shown: Shown) -> Facts:
    """As `label`, on a text where the reader's likeliest start is another."""
    facts = label(shown)
    need(facts["top"] != facts["label"], "here the reader's likeliest start is the label")
    return facts


def same_gap(shown: Shown) -> Facts:
    """Scores of two pairs differ as log P(start) + log P(end) does."""
    first, *others = (r.candidate for r in shown.prediction.n_best)
    beside = (c for c in others if c.window == first.window and c.span.start != first.span.start)
    other = need(next(beside, None), "there is no second pair in this window")
    w, (s, e) = window_of(shown), (x.astype(float) for x in shown.reading.logits(first.window))

    def log_p(c: Candidate) -> float:
        start, end = w.to_pos(c.span.start), w.to_pos(c.span.end)
        return float(log_softmax(s)[start] + log_softmax(e)[end])

    gap = first.score - other.score
    need(abs(gap - (log_p(first) - log_p(other))) < 1e-6, "the two scales differ")
    names = {"first": quote(first.text), "other": quote(other.text)}
    return {**names, "gap": gap, "constant": float(logsumexp(s) + logsumexp(e))}


def windows(shown: Shown) -> Facts:
    """How many windows a text needs, and that all of it is read."""
    e, count, options = shown.encoding, len(shown.reading.windows), shown.reading.options
    need(count > 1, "this text fits into one window")
    read = {d for w in shown.reading.windows for d in range(w.doc_start, w.doc_stop)}
    need(len(read) == len(e.context_ids), "some words are in no window")
    sizes = {"pieces": len(read), "room": check_options(e, options), "step": options.doc_stride}
    return {**sizes, "windows": count, "more": count - 1, "k": shown.best.window + 1}


def _proposals(shown: Shown) -> Proposals:
    """What each window proposes."""
    need(len(shown.reading.windows) > 1, "this text fits into one window")
    return Proposals(shown.reading, shown.prediction, shown.decode)


def owner(shown: Shown) -> Facts:
    """Of several copies of a start the one counts whose window sees most around it."""
    held = _proposals(shown).holding
    need(len(held) > 1, "only one window holds the best span")
    need(held[0].edge == max(r.edge for r in held), "the window in use does not see most")
    edges = ", ".join(f"{r.edge} in window {r.k}" for r in held)
    scores = ", ".join(f"{number(r.same)} in window {r.k}" for r in held if r.same is not None)
    return {"edges": edges, "scores": scores, "k": held[0].k}


def smallest_null(shown: Shown) -> Facts:
    """Of the windows' scores of "no answer" the smallest counts."""
    rows = _proposals(shown).rows
    least, most = min(rows, key=lambda r: r.null), max(rows, key=lambda r: r.null)
    need(abs(least.null - shown.prediction.null_score) < 1e-6, "another score counts")
    facts = {"least": least.null, "most": most.null, "k": least.k, "m": most.k}
    return {**facts, "windows": len(rows)}


def maxima_mislead(shown: Shown) -> Facts:
    """The window with the highest mean of its two largest P need not hold the answer."""
    rows = _proposals(shown)
    top, win = rows.highest("mean"), rows.win
    need(top.k != win.k and not top.window.holds(shown.best.span), "here the rule finds the window")
    need(top.tops[:2] == (0, 0), "its two maxima do not both stand on [CLS]")
    return {"mean": probability(top.mean), "k": top.k, "win": win.k}


def _tagged(shown: Shown) -> None:
    need(shown.true.tag_logits is not None, "this reader gives no tags")


def likely_begin(shown: Shown) -> Facts:
    """Where P(B) is highest, above one half."""
    _tagged(shown)
    p = Tags(shown).p
    found = highest(shown, dict(enumerate(p[:, 0].tolist())), CHOICES)
    d, name, top = found[0]
    need(top > 0.5, "no B is above one half")
    picks = [(d, name, f"at {name} P(B) is {probability(b)} only.") for d, name, b in found]
    tags = dict(zip("BIO", (probability(float(x), 2) for x in p[d]), strict=True))
    width = len(shown.need("heads", lambda reader, *_: reader.heads()).S)
    return {"picks": picks, "word": name, "width": width, **tags}


def several_spans(shown: Shown) -> Facts:
    """Tags return several spans, start and end one."""
    _tagged(shown)
    found = [quote(t.text) for t in decode_reading(shown.true)]
    need(len(found) > 1, "here the tags return one span")
    return {"many": small_number(len(found)), "spans": " and ".join(found)}


def floor(shown: Shown) -> Facts:
    """Where annotators disagree the loss of the tags has a floor above 0."""
    _tagged(shown)
    golds = [span_at(shown.encoding, a.char_start, a.char_end) for a in shown.golds]
    need(len(set(golds)) > 1, "the annotators agree")
    terms = soft_terms(shown.true, golds)
    tokens = plural(int((terms.floor > 0).sum()), "token")
    return {"floor": float(terms.floor.sum()), "loss": terms.total, "tokens": tokens}


def mean_length(shown: Shown) -> Facts:
    """The mean length of a hidden span."""
    law = length_law()
    return {"mean": float(law @ np.arange(1, len(law) + 1)), "most": len(law)}


def _listed(shares: Shares, some: Sequence[int]) -> str:
    """Words quoted, with "and" before the last."""
    *names, last = (quote(shares.words.items[k].text) for k in some)
    return f"{', '.join(names)} and {last}" if names else last


def shares(shown: Shown) -> Facts:
    """The word outside the best span with the largest share of the lead, and their sum."""
    s = Shares(shown)
    v, total = s.values, s.found
    names = dict[str, int]()
    for k in sorted((k for k in s.real if k not in s.own), key=lambda k: -v[k]):
        names.setdefault(quote(s.words.items[k].text), k)
    every = list(names.items())
    need(len(every) >= CHOICES and v[every[0][1]] > 0.3, "no word has a share above 0.3")
    found = [every[0], *(every[len(every) * n // 3 - 1] for n in (1, 2, 3))]
    word, at = found[0]
    picks = [(k, name, f"the share of {name} is {signed(v[k])}.") for name, k in found]
    sums = {"blank": s.blank, "all": total.sum, "lead": s.lead}
    gap = max(0.03, abs(total.gap or 0) + 0.01)
    return {**sums, "picks": picks, "word": word, "share": signed(v[at]), "gap": gap}


def hidden_words(shown: Shown) -> Facts:
    """Without the words with the largest shares the lead falls below that of every random draw."""
    s = Shares(shown)
    sets = s.sets_to_hide()
    need(sets[0], "no word raises the lead")
    test = s.without(sets)
    leads = [lead for lead, _ in test.draws]
    need(leads and test.lead < min(leads), "random draws cost as much here")
    facts = {"lead": s.lead, "now": test.lead, "low": min(leads), "high": max(leads)}
    return {**facts, "words": _listed(s, test.first), "draws": len(leads)}


def attention_elsewhere(shown: Shown) -> Facts:
    """The three words that a head reads most are not those with the largest shares."""
    s = Shares(shown)
    w = s.window
    look = Looks(rows_of(s, w.to_pos(s.span.start)), shown.encoding, w)
    read = s.words.sums(look.row)
    free = [k for k in s.real if k not in s.own]
    most = sorted(free, key=lambda k: -read[k])[:3]
    held = sorted(free, key=lambda k: -s.values[k])[:3]
    need(set(most) != set(held), "here they are the same three")
    facts = {"read": _listed(s, most), "held": _listed(s, held)}
    return {**facts, "layer": look.layer, "head": look.head}
