"""Checks of lessons 1 to 4: a span, its start and end, its score, and "no answer"."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from qa_demo.core.base import softmax
from qa_demo.core.losses import count_labels
from qa_demo.core.metrics import normalize
from qa_demo.core.spans import Candidate, reason_codes, separate_argmaxes, span_scores
from qa_demo.core.types import Span, Window
from qa_demo.lessons.found import Fact, Found, Lacking
from qa_demo.printed import adds, equals, number, probability, quote, value
from qa_demo.shown import Shown
from qa_demo.texts import siblings, word

T = TypeVar("T")
CHOICES = 4
"""Spans or words to choose from."""


def need(holds: T | None, why: str) -> T:
    """What is there. Errors: Lacking where a text does not show the point."""
    if not holds:
        raise Lacking(why)
    return holds


def answer(shown: Shown) -> Candidate:
    """The reader's answer. Errors: Lacking where it gives none."""
    need(shown.prediction.answer is not None, "the reader gives no answer to this question")
    return shown.best


def bracketed(x: float) -> str:
    """A number behind a sign: one below 0 in brackets."""
    return f"({number(x)})" if number(x).startswith("−") else number(x)


def sum_of(c: Candidate) -> str:
    """A span's score as a sum."""
    sign = adds([c.start_logit, c.end_logit], c.score)
    return f"{number(c.start_logit)} + {bracketed(c.end_logit)} {sign} {number(c.score)}"


def of_best(shown: Shown) -> dict[str, Fact]:
    """Facts that every step may name: those of the best span."""
    c = shown.best
    logits: dict[str, Fact] = {"start": c.start_logit, "end": c.end_logit, "score": c.score}
    return {**logits, "best": quote(c.text), "sum": sum_of(c)}


def named(shown: Shown, d: int) -> str:
    """The word of a piece of the paragraph, quoted."""
    return quote(word(shown.encoding, d, ""))


def answer_span(shown: Shown) -> Found:
    """The words that answer: the reader's, or those of an annotator."""
    labels, _ = count_labels(shown.encoding, shown.golds)
    marked = [label.span for label in labels if label.span is not None]
    return Found(spans=tuple(dict.fromkeys([answer(shown).span, *marked])))


def reader_span(shown: Shown) -> Found:
    """The words that the reader answers with."""
    best = answer(shown)
    people = sorted({a.text for a in shown.golds} - {best.text}, key=len)
    need(people, "all annotators marked the reader's words")
    return Found(spans=(best.span,), facts={"other": quote(people[-1])})


def copied(shown: Shown) -> Found:
    """The answer is a slice of the paragraph."""
    best = answer(shown)
    need(best.text == shown.encoding.context[best.char_start : best.char_end], "it is no slice")
    return Found("copies", facts={"from": best.char_start, "to": best.char_end})


def chosen(listed: Sequence[tuple[Any, str, str]], facts: Mapping[str, Fact], **more: Any) -> Found:
    """Which of some, (place, words, why it is wrong), is the first; they are listed in the order
    of the text.
    """
    order = sorted(range(len(listed)), key=lambda k: listed[k][0])
    keys = {k: "abcdef"[at] for at, k in enumerate(order)}  # a key must not tell the rank
    options = tuple((keys[k], listed[k][1]) for k in order)
    whys = {keys[k]: listed[k][2] for k in order if k}
    return Found(keys[0], options=options, whys=whys, facts=facts, **more)


def among(shown: Shown, first: int) -> Found:
    """Which of the spans from a rank on has the highest score; those that differ from a better one
    in an article or a mark alone are left out.
    """
    spans: dict[str, Candidate] = {}
    for one in shown.prediction.n_best:
        spans.setdefault(normalize(one.candidate.text), one.candidate)
    need(len(spans) > CHOICES, "there are too few different spans to choose from")
    listed = list(enumerate(spans.values(), 1))[first : first + CHOICES]
    second = listed[0][1]
    rows = [
        ((c.char_start, c.char_end), name := quote(c.text), f"{name} has {sum_of(c)}, number {k}.")
        for k, c in listed
    ]
    behind = shown.best.score - second.score
    return chosen(rows, {"second": quote(second.text), "behind": behind})


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
    traps = {"mean": best.score / 2, "product": s * e, "start": s, "end": e}
    return Found(value=best.score, within=0.02, traps=traps)


def window_of(shown: Shown) -> Window:
    """The window of the best span."""
    return shown.reading.windows[shown.best.window]


def sides(shown: Shown) -> tuple[np.ndarray, np.ndarray]:
    """P(start) and P(end) over all positions of the best span's window, at its temperature."""
    s, e = shown.reading.logits(shown.best.window)
    t = shown.state.temperature
    return softmax(s.astype(float) / t), softmax(e.astype(float) / t)


def highest(shown: Shown, of: Mapping[int, float], count: int) -> list[tuple[int, str, float]]:
    """The `count` words of the paragraph whose best pieces have the highest values, (piece, word,
    value).
    """
    found: dict[str, tuple[int, str, float]] = {}
    for d in sorted(of, key=lambda d: -of[d]):
        name = named(shown, d)
        if any(c.isalnum() for c in name):
            found.setdefault(name, (d, name, of[d]))
    need(len(found) >= count, "the paragraph is too short to choose from")
    return list(found.values())[:count]


def likeliest(shown: Shown, p: np.ndarray, count: int) -> list[tuple[int, str, float]]:
    """The words with the highest p of a position in the best span's window."""
    w = window_of(shown)
    of = {w.to_doc(int(pos)): float(p[pos]) for pos in np.flatnonzero(w.is_context)}
    return highest(shown, of, count)


def top_start(shown: Shown) -> Found:
    """The word at which the answer most probably starts."""
    (d, name, p), (_, other, q) = likeliest(shown, sides(shown)[0], 2)
    same = siblings(shown.encoding, d)
    facts = {"word": name, "p": probability(p, 2), "other": other, "q": probability(q)}
    return Found(spans=(Span(same[0], same[-1]),), facts=facts)


def second_start(shown: Shown) -> Found:
    """Which word has the second highest P(start)."""
    (_, first, p), *rest = likeliest(shown, sides(shown)[0], CHOICES + 1)
    _, second, q = rest[0]
    return chosen(
        [(d, name, f"at {name} P(start) is {probability(x)} only.") for d, name, x in rest],
        {"first": first, "p": probability(p), "second": second, "q": probability(q)},
    )


def all_positions(shown: Shown) -> Found:
    """The start probabilities of all positions sum to 1, those of the answer's words do not."""
    best, w, (p, _) = shown.best, window_of(shown), sides(shown)
    inside = float(p[w.to_pos(best.span.start) : w.to_pos(best.span.end) + 1].sum())
    part = float(p[w.is_context].sum())
    need(inside < 0.995 and part < 1, "the answer's words hold everything")
    facts: dict[str, Fact] = {
        "inside": probability(inside),
        "paragraph": probability(part),
        "n": len(p),
    }
    return Found("all", facts=facts)


def temperature_keeps_order(shown: Shown) -> Found:
    """Another temperature changes every probability and no order."""
    t, (warm, _) = shown.state.temperature, sides(shown)
    need(t != 1, "the temperature is 1, so there is nothing to compare")
    cold = softmax(shown.reading.logits(shown.best.window)[0].astype(float))
    before, after = (np.argsort(p, kind="stable") for p in (cold, warm))
    need((before == after).all(), "order changed")
    [(d, name, p)] = likeliest(shown, cold, 1)
    q = float(warm[window_of(shown).to_pos(d)])
    facts = {"word": name, "cold": probability(p), "warm": probability(q)}
    return Found("same", facts={**facts, "temperature": f"{t:g}"})


HAND = (1.0, 2.0, 6.0), (5.0, 2.0, 1.0)
"""Start and end logits of three tokens: the two highest make a pair that is not allowed."""


def three_tokens(shown: Shown) -> Found:
    """The best allowed pair of three tokens, by hand."""
    scores = span_scores(np.array(HAND[0]), np.array(HAND[1]))
    i, j = np.triu_indices(3)
    sums = {f"{a + 1}-{b + 1}": scores[a, b] for a, b in zip(i, j, strict=True)}
    right = max(sums, key=lambda key: sums[key])
    facts: dict[str, Fact] = {f"s{key.replace('-', '')}": f"{x:g}" for key, x in sums.items()}
    return Found(right, facts={**facts, "s31": f"{scores[2, 0]:g}"})


def argmaxes_apart(shown: Shown) -> Found:
    """The highest start and the highest end, each for itself, form no allowed pair."""
    w = window_of(shown)
    i, j, _ = separate_argmaxes(shown.reading, w.index, shown.decode)
    a, b = w.to_doc(i), w.to_doc(j)
    need(a > b, "here the highest start and the highest end do form an allowed pair")
    return Found("no", facts={"start": named(shown, a), "end": named(shown, b)})


def allowed_pairs(shown: Shown) -> Found:
    """How many cells of the square are allowed."""
    w = window_of(shown)
    at = np.flatnonzero(w.is_context)
    count = int((reason_codes(w, at[:, None], at[None, :], shown.decode) == 0).sum())
    n = len(at)
    m = min(n, shown.decode.max_answer_length)
    less = m * (m - 1) // 2
    need(count == n * m - less, "this window does not own all of its starts")
    traps = {"all": n * n, "band": n * m, "half": n * n / 2} if n > m else {"all": n * n}
    facts = {"n": n, "m": m, "band": n * m, "less": less, "count": count}
    return Found(value=count, within=0.5, digits=0, traps=traps, facts=facts)


def mean_of_maxima(shown: Shown) -> Found:
    """(max P(start) + max P(end)) / 2 is the score of no span."""
    w, (p, q), best = window_of(shown), sides(shown), shown.best.span
    inside = np.flatnonzero(w.is_context)
    i, j = (int(inside[x[inside].argmax()]) for x in (p, q))
    need(i > j, "here the two maxima do form a span")
    a, b = w.to_doc(i), w.to_doc(j)
    side, outside = ("start", a) if best.start <= b <= best.end else ("end", b)
    need(not best.start <= outside <= best.end, "the best span holds both maxima")
    printed = [probability(float(p[i])), probability(float(q[j]))]
    mean = equals(printed, sum(map(value, printed)) / 2, probability(float(p[i] + q[j]) / 2))
    facts = {"start": named(shown, a), "end": named(shown, b), "outside": named(shown, outside)}
    facts |= {"p": printed[0], "q": printed[1], "mean": mean.strip(), "side": side}
    return Found("none", facts=facts)


def no_answer(shown: Shown) -> Found:
    """Whether the reader answers, and the lead over "no answer" that decides."""
    p, score = shown.prediction, shown.best.score
    if p.score_diff is None or p.limit is None:
        raise Lacking("this reader has no threshold")
    lead = -p.score_diff
    facts: dict[str, Fact] = {"lead": lead, "behind": abs(lead), "threshold": p.limit}
    return Found(
        "none" if p.answer is None else "span",
        value=lead,
        within=0.02,
        traps={"turned": -lead, "sum": score + p.null_score},
        facts={**facts, "null": bracketed(p.null_score)},
    )


def turning(shown: Shown) -> Found:
    """The threshold from which on the best span is returned: minus its lead, on a text where "no
    answer" wins.
    """
    need(shown.prediction.answer is None, "the reader answers this question")
    found = no_answer(shown)
    return replace(found, value=found.traps["turned"], traps={"lead": -found.traps["turned"]})


def unsure(shown: Shown) -> Found:
    """A best span of low probability, returned all the same."""
    best, w, (p, q) = answer(shown), window_of(shown), sides(shown)
    chance = float(p[w.to_pos(best.span.start)] * q[w.to_pos(best.span.end)])
    none = float(p[0] * q[0])
    need(none < chance < 0.5, "here the best span is not a doubtful one")
    made = {"p": probability(chance, 2), "none": probability(none)}
    return Found("yes", facts={**no_answer(shown).facts, **made})
