"""What lessons 1 to 4 rest on: a span, its start and end, its score, and "no answer".

Each public function here and in `deeper` that gives facts is a check: it finds them in a text, and
refuses a text that does not show the point.
"""

from collections.abc import Mapping
from typing import TypeVar

import numpy as np

from qa_demo.core.base import BadInput, softmax
from qa_demo.core.losses import count_labels
from qa_demo.core.metrics import normalize
from qa_demo.core.spans import Candidate, reason_codes, separate_argmaxes
from qa_demo.core.types import Span, Window
from qa_demo.lessons.judge import Facts
from qa_demo.printed import adds, equals, number, probability, quote, value
from qa_demo.shown import Shown
from qa_demo.texts import siblings, word

T = TypeVar("T")
CHOICES = 4
"""Spans or words to choose from."""


def need(holds: T | None, why: str) -> T:
    """What is there. Errors: BadInput where a text does not show the point."""
    if not holds:
        raise BadInput(f"this text does not show it: {why}")
    return holds


def answer(shown: Shown) -> Candidate:
    """The reader's answer. Errors: BadInput where it gives none."""
    need(shown.prediction.answer is not None, "the reader gives no answer to this question")
    return shown.best


def sum_of(c: Candidate) -> str:
    """A span's score as a sum, a second number below 0 in brackets."""
    end = number(c.end_logit)
    sign = adds([c.start_logit, c.end_logit], c.score)
    shown = f"({end})" if c.end_logit < 0 else end
    return f"{number(c.start_logit)} + {shown} {sign} {number(c.score)}"


def named(shown: Shown, d: int) -> str:
    """The word of a piece of the paragraph, quoted."""
    return quote(word(shown.encoding, d, ""))


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
    of = {w.to_doc(int(k)): float(p[k]) for k in np.flatnonzero(w.is_context)}
    return highest(shown, of, count)


def answer_span(shown: Shown) -> Facts:
    """The words that answer: the reader's, or those of an annotator."""
    labels, _ = count_labels(shown.encoding, shown.golds)
    return {"marks": [answer(shown).span, *(one.span for one in labels if one.span is not None)]}


def reader_span(shown: Shown) -> Facts:
    """The words that the reader answers with, where an annotator marked others."""
    best = answer(shown)
    people = sorted({a.text for a in shown.golds} - {best.text}, key=len)
    need(people, "all annotators marked the reader's words")
    return {"marks": [best.span], "other": quote(people[-1])}


def copied(shown: Shown) -> Facts:
    """The answer is a slice of the paragraph."""
    best = answer(shown)
    need(best.text == shown.encoding.context[best.char_start : best.char_end], "it is no slice")
    return {"from": best.char_start, "to": best.char_end}


def _among(shown: Shown, first: int) -> Facts:
    """Which of the spans from a rank on has the highest score; those that differ from a better one
    in an article or a mark alone are left out.
    """
    spans = dict[str, Candidate]()
    for one in shown.prediction.n_best:
        spans.setdefault(normalize(one.candidate.text), one.candidate)
    need(len(spans) > CHOICES, "there are too few different spans to choose from")
    ranked = list(enumerate(spans.values(), 1))[first : first + CHOICES]
    second = ranked[0][1]
    picks = [
        ((c.char_start, c.char_end), name := quote(c.text), f"{name} has {sum_of(c)}, number {k}.")
        for k, c in ranked
    ]
    behind = shown.best.score - second.score
    return {"picks": picks, "second": quote(second.text), "behind": behind}


def best_pair(shown: Shown) -> Facts:
    """Which allowed pair has the highest score."""
    return _among(shown, 0)


def runner_up(shown: Shown) -> Facts:
    """Which span comes second."""
    answer(shown)
    return _among(shown, 1)


def top_start(shown: Shown) -> Facts:
    """The word at which the answer most probably starts."""
    (d, name, p), (_, other, q) = likeliest(shown, sides(shown)[0], 2)
    same = siblings(shown.encoding, d)
    facts = {"word": name, "p": probability(p), "other": other, "q": probability(q)}
    return {**facts, "marks": [Span(same[0], same[-1])]}


def second_start(shown: Shown) -> Facts:
    """Which word has the second highest P(start)."""
    (_, first, p), *rest = likeliest(shown, sides(shown)[0], CHOICES + 1)
    _, second, q = rest[0]
    picks = [(d, name, f"at {name} P(start) is {probability(x)} only.") for d, name, x in rest]
    tops = {"first": first, "p": probability(p), "second": second, "q": probability(q)}
    return {"picks": picks, **tops}


def all_positions(shown: Shown) -> Facts:
    """The start probabilities of all positions sum to 1, those of the answer's words do not."""
    best, w, (p, _) = shown.best, window_of(shown), sides(shown)
    inside = float(p[w.to_pos(best.span.start) : w.to_pos(best.span.end) + 1].sum())
    part = float(p[w.is_context].sum())
    need(inside < 0.995 and part < 1, "the answer's words hold everything")
    return {"inside": probability(inside), "paragraph": probability(part), "n": len(p)}


def temperature_keeps_order(shown: Shown) -> Facts:
    """Another temperature changes every probability and no order."""
    t, (warm, _) = shown.state.temperature, sides(shown)
    need(t != 1, "the temperature is 1, so there is nothing to compare")
    cold = softmax(shown.reading.logits(shown.best.window)[0].astype(float))
    before, after = (np.argsort(p, kind="stable") for p in (cold, warm))
    need((before == after).all(), "order changed")
    [(d, name, p)] = likeliest(shown, cold, 1)
    q = float(warm[window_of(shown).to_pos(d)])
    return {"word": name, "cold": probability(p), "warm": probability(q), "temperature": f"{t:g}"}


def argmaxes_apart(shown: Shown) -> Facts:
    """The highest start and the highest end, each for itself, form no allowed pair."""
    w = window_of(shown)
    i, j, _ = separate_argmaxes(shown.reading, w.index, shown.decode)
    a, b = w.to_doc(i), w.to_doc(j)
    need(a > b, "here the highest start and the highest end do form an allowed pair")
    return {"start": named(shown, a), "end": named(shown, b)}


def allowed_pairs(shown: Shown) -> Facts:
    """How many cells of the square are allowed: n m - m (m - 1) / 2."""
    w = window_of(shown)
    at = np.flatnonzero(w.is_context)
    count = int((reason_codes(w, at[:, None], at[None, :], shown.decode) == 0).sum())
    n, m = len(at), min(len(at), shown.decode.max_answer_length)
    less = m * (m - 1) // 2
    need(count == n * m - less, "this window does not own all of its starts")
    return {"n": n, "m": m, "band": n * m, "last": m - 1, "less": less, "count": count}


def mean_of_maxima(shown: Shown) -> Facts:
    """(max P(start) + max P(end)) / 2 is the score of no span."""
    w, (p, q), best = window_of(shown), sides(shown), shown.best.span
    inside = np.flatnonzero(w.is_context)
    i, j = (int(inside[x[inside].argmax()]) for x in (p, q))
    need(i > j, "here the two maxima do form a span")
    a, b = w.to_doc(i), w.to_doc(j)
    side, outside = ("start", a) if best.start <= b <= best.end else ("end", b)
    need(not best.start <= outside <= best.end, "the best span holds both maxima")
    both = [probability(float(p[i])), probability(float(q[j]))]
    mean = equals(both, sum(map(value, both)) / 2, probability(float(p[i] + q[j]) / 2))
    facts = {"start": named(shown, a), "end": named(shown, b), "outside": named(shown, outside)}
    return {**facts, "p": both[0], "q": both[1], "mean": mean.strip(), "side": side}


def _lead(shown: Shown) -> Facts:
    """The lead over "no answer", and the threshold that it is held against."""
    null, limit = shown.prediction.null_score, shown.prediction.limit
    need(limit is not None, "this rule has no threshold")
    lead = shown.best.score - null
    return {"lead": lead, "behind": abs(lead), "threshold": limit, "null": null}


def no_answer(shown: Shown) -> Facts:
    """The reader gives no answer: the best span lies too far behind."""
    need(shown.prediction.answer is None, "the reader answers this question")
    return _lead(shown)


def unsure(shown: Shown) -> Facts:
    """A best span of low probability, returned all the same."""
    best, w, (p, q) = answer(shown), window_of(shown), sides(shown)
    chance = float(p[w.to_pos(best.span.start)] * q[w.to_pos(best.span.end)])
    none = float(p[0] * q[0])
    need(none < chance < 0.5, "here the best span is not a doubtful one")
    return {**_lead(shown), "p": probability(chance, 2), "none": probability(none)}
