"""Checks of lessons 1 to 4: a span, its start and end, its score, and "no answer"."""

import numpy as np

from qa_demo.core.base import softmax
from qa_demo.core.metrics import normalize
from qa_demo.core.spans import Candidate, reason_codes, separate_argmaxes, span_scores
from qa_demo.core.types import Span, Window
from qa_demo.lessons.found import Check, Found, Lacking
from qa_demo.printed import adds, equals, number, probability, quote, value
from qa_demo.shown import Shown
from qa_demo.texts import siblings, word

CHOICES = 4
"""Spans or words to choose from."""


def need(holds: object, why: str) -> None:
    """Errors: Lacking where a text does not show the point."""
    if not holds:
        raise Lacking(why)


def answer(shown: Shown) -> Candidate:
    """The reader's answer. Errors: Lacking where it gives none."""
    need(shown.prediction.answer is not None, "the reader gives no answer to this question")
    return shown.best


def answer_span(shown: Shown) -> Found:
    """The words that answer: the reader's, or those of an annotator."""
    e, best = shown.encoding, answer(shown)
    from qa_demo.core.losses import count_labels

    labels = [label.span for label in count_labels(e, shown.golds)[0] if label.span is not None]
    return Found(
        spans=tuple(dict.fromkeys([best.span, *labels])), facts={"answer": quote(best.text)}
    )


def reader_span(shown: Shown) -> Found:
    """The words that the reader answers with."""
    best = answer(shown)
    people = sorted({a.text for a in shown.golds} - {best.text}, key=len)
    need(people, "all annotators marked the reader's words")
    return Found(spans=(best.span,), facts={"answer": quote(best.text), "other": quote(people[-1])})


def copied(shown: Shown) -> Found:
    """The answer is a slice of the paragraph."""
    best = answer(shown)
    need(best.text == shown.encoding.context[best.char_start : best.char_end], "it is no slice")
    facts = {"answer": quote(best.text), "from": str(best.char_start), "to": str(best.char_end)}
    return Found("copies", facts=facts)


def ranked(shown: Shown) -> list[Candidate]:
    """The best spans without those that differ in an article or a mark alone."""
    found: dict[str, Candidate] = {}
    for one in shown.prediction.n_best:
        found.setdefault(normalize(one.candidate.text), one.candidate)
    need(len(found) > CHOICES, "there are too few different spans to choose from")
    return list(found.values())


def chosen(places: list[tuple[int, int]], words: list[str], whys: list[str]) -> Found:
    """Which of some is the first; they are listed in the order of the text."""
    order = sorted(range(len(words)), key=lambda k: places[k])
    keys = {k: "abcdef"[at] for at, k in enumerate(order)}  # a key must not tell the rank
    return Found(
        keys[0],
        options=tuple((keys[k], words[k]) for k in order),
        whys={keys[k]: why for k, why in enumerate(whys) if k},
    )


def sum_of(c: Candidate) -> str:
    """A span's score as a sum."""
    sign = adds([c.start_logit, c.end_logit], c.score)
    second = number(c.end_logit)
    second = f"({second})" if second.startswith("−") else second
    return f"{number(c.start_logit)} + {second} {sign} {number(c.score)}"


def among(shown: Shown, first: int) -> Found:
    """Which of the spans from a rank on has the highest score."""
    spans = ranked(shown)
    listed = spans[first : first + CHOICES]
    best = spans[0]
    found = chosen(
        [(c.char_start, c.char_end) for c in listed],
        [quote(c.text) for c in listed],
        [f"{quote(c.text)} has {sum_of(c)}, number {first + k + 1}." for k, c in enumerate(listed)],
    )
    facts = {"best": quote(best.text), "score": number(best.score), "sum": sum_of(listed[0])}
    facts |= {"second": quote(listed[0].text), "behind": number(best.score - listed[0].score)}
    return Found(found.right, options=found.options, whys=found.whys, facts=facts)


def runner_up(shown: Shown) -> Found:
    """Which span comes second."""
    answer(shown)
    return among(shown, 1)


def best_pair(shown: Shown) -> Found:
    """Which allowed pair has the highest score."""
    return among(shown, 0)


def score_sum(shown: Shown) -> Found:
    """The score of the answer is the sum of two logits."""
    best = answer(shown)
    s, e = best.start_logit, best.end_logit
    facts = {"answer": quote(best.text), "start": number(s), "end": number(e), "sum": sum_of(best)}
    return Found(
        value=best.score,
        within=0.02,
        traps={"mean": best.score / 2, "product": s * e, "start": s, "end": e},
        facts=facts,
    )


def window_of(shown: Shown) -> Window:
    """The window of the best span."""
    return shown.reading.windows[shown.best.window]


def sides(shown: Shown) -> tuple[np.ndarray, np.ndarray]:
    """P(start) and P(end) over all positions of the best span's window, at its temperature."""
    s, e = shown.reading.logits(shown.best.window)
    t = shown.state.temperature
    return softmax(s.astype(float) / t), softmax(e.astype(float) / t)


def likeliest(shown: Shown, p: np.ndarray, count: int) -> list[tuple[int, str]]:
    """The `count` words of the paragraph whose best pieces have the highest p, (position, word)."""
    w, e = window_of(shown), shown.encoding
    inside = np.flatnonzero(w.is_context)
    found: dict[str, int] = {}
    for pos in inside[np.argsort(-p[inside], kind="stable")]:
        name = word(e, w.to_doc(int(pos)), "")
        if any(c.isalnum() for c in name):
            found.setdefault(name, int(pos))
    need(len(found) >= count, "the paragraph is too short to choose from")
    return [(pos, name) for name, pos in list(found.items())[:count]]


def top_start(shown: Shown) -> Found:
    """The word at which the answer most probably starts."""
    w, e, (p, _) = window_of(shown), shown.encoding, sides(shown)
    (pos, name), (at, other) = likeliest(shown, p, 2)
    d = siblings(e, w.to_doc(pos))
    facts = {"word": quote(name), "p": probability(float(p[pos]), 2), "other": quote(other)}
    facts |= {"q": probability(float(p[at]))}
    return Found(spans=(Span(d[0], d[-1]),), facts=facts)


def second_start(shown: Shown) -> Found:
    """Which word has the second highest P(start)."""
    p, _ = sides(shown)
    first, *rest = likeliest(shown, p, CHOICES + 1)
    names = [quote(name) for _, name in rest]
    shares = [probability(float(p[pos])) for pos, _ in rest]
    made = chosen(
        [(pos, 0) for pos, _ in rest],
        names,
        [f"at {n} P(start) is {x} only." for n, x in zip(names, shares, strict=True)],
    )
    facts = {"first": quote(first[1]), "p": probability(float(p[first[0]])), "second": names[0]}
    facts |= {"q": shares[0]}
    return Found(made.right, options=made.options, whys=made.whys, facts=facts)


def all_positions(shown: Shown) -> Found:
    """The start probabilities of all positions sum to 1, those of the answer's words do not."""
    best, w, (p, _) = shown.best, window_of(shown), sides(shown)
    inside = float(p[w.to_pos(best.span.start) : w.to_pos(best.span.end) + 1].sum())
    part = float(p[w.is_context].sum())
    need(inside < 0.995 and part < 1, "the answer's words hold everything")
    facts = {"answer": quote(best.text), "inside": probability(inside)}
    facts |= {"paragraph": probability(part), "n": f"{len(p):,}"}
    return Found("all", facts=facts)


def temperature_keeps_order(shown: Shown) -> Found:
    """Another temperature changes every probability and no order."""
    t = shown.state.temperature
    need(t != 1, "the temperature is 1, so there is nothing to compare")
    s, _ = shown.reading.logits(shown.best.window)
    cold, warm = softmax(s.astype(float)), softmax(s.astype(float) / t)
    need(
        (np.argsort(cold, kind="stable") == np.argsort(warm, kind="stable")).all(), "order changed"
    )
    pos, name = likeliest(shown, cold, 1)[0]
    facts = {"temperature": f"{t:g}", "word": quote(name), "cold": probability(float(cold[pos]))}
    facts |= {"warm": probability(float(warm[pos]))}
    return Found("same", facts=facts)


HAND = (1.0, 2.0, 6.0), (5.0, 2.0, 1.0)
"""Start and end logits of three tokens: the two highest make a pair that is not allowed."""


def three_tokens(shown: Shown) -> Found:
    """The best allowed pair of three tokens, by hand."""
    scores = span_scores(np.array(HAND[0]), np.array(HAND[1]))
    i, j = np.triu_indices(3)
    sums = {f"{a + 1}-{b + 1}": scores[a, b] for a, b in zip(i, j, strict=True)}
    right = max(sums, key=lambda key: sums[key])
    facts = {f"s{key.replace('-', '')}": f"{x:g}" for key, x in sums.items()}
    return Found(right, facts={**facts, "s31": f"{scores[2, 0]:g}"})


def argmaxes_apart(shown: Shown) -> Found:
    """The highest start and the highest end, each for itself, form no allowed pair."""
    w, e = window_of(shown), shown.encoding
    i, j, _ = separate_argmaxes(shown.reading, w.index, shown.decode)
    a, b = w.to_doc(i), w.to_doc(j)
    need(a > b, "here the highest start and the highest end do form an allowed pair")
    facts = {"start": quote(word(e, a, "")), "end": quote(word(e, b, ""))}
    facts |= {"best": quote(shown.best.text), "sum": sum_of(shown.best)}
    return Found("no", facts=facts)


def allowed_pairs(shown: Shown) -> Found:
    """How many cells of the square are allowed."""
    w = window_of(shown)
    at = np.flatnonzero(w.is_context)
    count = int((reason_codes(w, at[:, None], at[None, :], shown.decode) == 0).sum())
    n = len(at)
    m = min(n, shown.decode.max_answer_length)
    need(count == n * m - m * (m - 1) // 2, "this window does not own all of its starts")
    facts = {"n": f"{n:,}", "m": f"{m:,}", "all": f"{n * n:,}", "band": f"{n * m:,}"}
    facts |= {"less": f"{m * (m - 1) // 2:,}", "count": f"{count:,}"}
    return Found(
        value=count,
        within=0.5,
        digits=0,
        traps={"all": n * n, "band": n * m, "half": n * n / 2} if n > m else {"all": n * n},
        facts=facts,
    )


def mean_of_maxima(shown: Shown) -> Found:
    """(max P(start) + max P(end)) / 2 is the score of no span."""
    w, e, (p, q) = window_of(shown), shown.encoding, sides(shown)
    inside = np.flatnonzero(w.is_context)
    i, j = (int(inside[x[inside].argmax()]) for x in (p, q))
    need(i > j, "here the two maxima do form a span")
    printed = [probability(float(p[i])), probability(float(q[j]))]
    mean, best = probability(float(p[i] + q[j]) / 2), shown.best.span
    side, pos = ("end", j) if w.to_doc(j) > best.end or w.to_doc(j) < best.start else ("start", i)
    outside = not best.start <= w.to_doc(pos) <= best.end
    need(outside, "the best span holds both maxima")
    facts = {"start": quote(word(e, w.to_doc(i), "")), "end": quote(word(e, w.to_doc(j), ""))}
    facts |= {"p": printed[0], "q": printed[1]}
    facts |= {"mean": equals(printed, sum(map(value, printed)) / 2, mean).strip(), "side": side}
    facts |= {"outside": quote(word(e, w.to_doc(pos), "")), "best": quote(shown.best.text)}
    return Found("none", facts=facts)


def no_answer(shown: Shown) -> Found:
    """Whether the reader answers, and the lead over "no answer" that decides."""
    p, best = shown.prediction, shown.best
    need(p.score_diff is not None and p.limit is not None, "this reader has no threshold")
    assert p.score_diff is not None and p.limit is not None
    lead = -p.score_diff
    null = number(p.null_score)
    facts = {"best": quote(best.text), "score": number(best.score)}
    facts |= {"null": f"({null})" if null.startswith("−") else null, "lead": number(lead)}
    facts |= {"behind": number(abs(lead)), "threshold": number(p.limit)}
    return Found(
        "none" if p.answer is None else "span",
        value=lead,
        within=0.02,
        traps={"turned": -lead, "sum": best.score + p.null_score},
        facts=facts,
    )


def turning(shown: Shown) -> Found:
    """The threshold from which on the best span is returned: minus its lead, on a text where "no
    answer" wins.
    """
    need(shown.prediction.answer is None, "the reader answers this question")
    found = no_answer(shown)
    assert found.value is not None
    return Found(value=-found.value, within=0.02, traps={"lead": found.value}, facts=found.facts)


def unsure(shown: Shown) -> Found:
    """A best span of low probability, returned all the same."""
    best, w, (p, q) = answer(shown), window_of(shown), sides(shown)
    chance = float(p[w.to_pos(best.span.start)] * q[w.to_pos(best.span.end)])
    none = float(p[0] * q[0])
    need(none < chance < 0.5, "here the best span is not a doubtful one")
    made = {"p": probability(chance, 2), "none": probability(none)}
    return Found("yes", facts={**no_answer(shown).facts, **made})


CHECKS: dict[str, Check] = {
    name: found
    for name, found in list(globals().items())
    if getattr(found, "__annotations__", None) == {"shown": Shown, "return": Found}
}
