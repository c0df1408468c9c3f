"""What lessons 1 to 4 rest on: a span, its start and end, its score, and "no answer".

Each public function here and in `deeper` that gives facts is a check: it finds them in a text, and
refuses a text that does not show the point.
"""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.base import BadInput, softmax
from qa_demo.core.losses import count_labels
from qa_demo.core.metrics import normalize
from qa_demo.core.spans import Candidate, count_spans, separate_argmaxes
from qa_demo.core.types import Span
from qa_demo.printed import adds, bracket, mean, number, probability, quote
from qa_demo.shown import Shown
from qa_demo.texts import siblings, word

T = TypeVar("T")
CHOICES = 4
"""Spans or words to choose from."""
Facts = dict[str, Any]
"""What a check finds: words and numbers by name. `marks`: the spans that are right; `picks`: what
can be chosen, (place in the text, words, why it is wrong), the right one first; `then`: see Step.
"""


def require(holds: T | None, why: str) -> T:
    """What is there. Errors: BadInput where a text does not show the point."""
    if not holds:
        raise BadInput(f"this text does not show it: {why}")
    return holds


class Seen:
    """A text as a check sees it: the window of its best span, the logits of starts and ends there,
    P(start) and P(end) at its temperature, [n] each, and the positions of the span's two ends.
    """

    def __init__(self, shown: Shown) -> None:
        self.shown, self.e, self.best = shown, shown.encoding, shown.best
        self.window = w = shown.reading.windows[self.best.window]
        self.logits = shown.reading.logits(w.index)
        self.p, self.q = (softmax(x / shown.state.temperature) for x in self.logits)
        self.i, self.j = w.positions(self.best.span)

    def answer(self) -> Candidate:
        """The reader's answer. Errors: BadInput where it gives none."""
        require(self.shown.prediction.answer is not None, "the reader gives no answer")
        return self.best

    def named(self, d: int) -> str:
        """The word of a piece of the paragraph, quoted."""
        return quote(word(self.e, d, ""))

    def highest(self, values: NDArray[Any], count: int, at: int) -> list[tuple[int, str, float]]:
        """The words whose best pieces have the highest values, (piece, word, value); the first
        value is that of piece `at`.
        """
        found = dict[str, tuple[int, str, float]]()
        for k in np.argsort(-values, kind="stable").tolist():
            name = self.named(at + k)
            if any(c.isalnum() for c in name):
                found.setdefault(name, (at + k, name, float(values[k])))
        require(len(found) >= count, "the paragraph is too short to choose from")
        return list(found.values())[:count]

    def starts(self, count: int) -> list[tuple[int, str, float]]:
        """The words of the window with the highest P(start)."""
        return self.highest(self.p[self.window.is_context], count, self.window.doc_start)


def sum_of(c: Candidate) -> str:
    """A span's score as a sum."""
    sign = adds([c.start_logit, c.end_logit], c.score)
    return f"{number(c.start_logit)} + {bracket(c.end_logit)} {sign} {number(c.score)}"


def answer_span(t: Seen) -> Facts:
    """The words that answer: the reader's, or those of an annotator."""
    return {"marks": [t.answer().span, *(x.span for x in count_labels(t.e, t.shown.golds))]}


def reader_span(t: Seen) -> Facts:
    """The words that the reader answers with, where an annotator marked others."""
    people = sorted(sorted({a.text for a in t.shown.golds} - {t.answer().text}), key=len)
    require(people, "all annotators marked the reader's words")
    return {"marks": [t.best.span], "other": quote(people[-1])}


def runner_up(t: Seen) -> Facts:
    """Which span comes second to the answer; an article or a mark alone makes no other span."""
    c, spans, picks = t.answer(), dict[str, Candidate](), list[Any]()
    for one in t.shown.prediction.n_best:
        spans.setdefault(normalize(one.candidate.text), one.candidate)
    require(len(spans) > CHOICES, "there are too few different spans to choose from")
    second, *_ = others = list(spans.values())[1 : CHOICES + 1]
    require(second.span.start == c.span.start, "the second best span starts elsewhere")
    for k, other in enumerate(others, 2):
        name = quote(other.text)
        told = f"{name} has {number(other.score)}, number {k}."
        picks.append(((other.char_start, other.char_end), name, told))
    words = {"first": t.named(c.span.start), "second": quote(second.text)}
    scores = {"second_score": second.score, "second_end": second.end_logit}
    facts = {"second_sum": sum_of(second), "behind": c.score - second.score, "picks": picks}
    return {**words, **scores, **facts, "then": {"selection": [second.span.start, second.span.end]}}


def far_ends(t: Seen) -> Facts:
    """A span over a full stop outscores its own beginning and the sentence it ends in: only the
    logits of its two ends count.
    """
    c, others = t.answer(), [r.candidate for r in t.shown.prediction.n_best]
    ends = [x for x in others if x.span.end == c.span.end and x.span.start < c.span.start]
    far = require(next((x for x in ends if ". " in x.text), None), "no span crosses a full stop")
    from_start = (x for x in others if x.span.start == far.span.start)
    head = require(next((x for x in from_start if x.span.end < c.span.start), None), "no beginning")
    tail = require(next((x for x in ends if ". " not in x.text), None), "no last sentence")
    require(far.score > max(head.score, tail.score), "a shorter span scores higher")
    named = {"far": far, "head": head, "tail": tail}
    facts = {side: quote(x.text) for side, x in named.items()}
    facts |= {f"{side}_sum": sum_of(x) for side, x in named.items()}
    places = {"place": others.index(far) + 1, "count": count_spans(t.window, t.shown.decode)}
    return {**facts, **places, "then": {"selection": [far.span.start, far.span.end]}}


def top_start(t: Seen) -> Facts:
    """The word at which the answer most probably starts."""
    [(d, name, _)] = t.starts(1)
    require(d == t.answer().span.start, "the answer starts at another word")
    same = siblings(t.e, d)
    return {"word": name, "marks": [Span(same[0], same[-1])]}


def second_start(t: Seen) -> Facts:
    """Which word has the second highest P(start)."""
    (_, first, p), *rest = t.starts(CHOICES + 1)
    picks = [(d, name, f"at {name} P(start) is only {probability(x)}.") for d, name, x in rest]
    _, second, q = rest[0]
    tops = {"first": first, "p": probability(p), "second": second, "q": probability(q)}
    return {"picks": picks, **tops}


def all_positions(t: Seen) -> Facts:
    """The start probabilities of all positions sum to 1, those of the answer's words do not."""
    inside, part = float(t.p[t.i : t.j + 1].sum()), float(t.p[t.window.is_context].sum())
    require(inside < 0.995 and part < 1, "the answer's words hold everything")
    return {"inside": probability(inside), "paragraph": probability(part), "n": len(t.p)}


def temperature_keeps_order(t: Seen) -> Facts:
    """Another temperature changes every probability and no order."""
    temperature, cold = t.shown.state.temperature, softmax(t.logits[0])
    require(temperature != 1, "the temperature is 1, so there is nothing to compare")
    [(d, name, q)] = t.starts(1)
    p = probability(float(cold[t.window.to_pos(d)]))
    return {"word": name, "cold": p, "warm": probability(q), "temperature": f"{temperature:g}"}


def argmaxes_apart(t: Seen) -> Facts:
    """The highest start and the highest end of the paragraph, each for itself, form no allowed
    pair; so (max P(start) + max P(end)) / 2 is the score of no span.
    """
    i, j, _ = separate_argmaxes(t.shown.reading, t.window.index, t.shown.decode)
    require(i > j, "here the highest start and the highest end do form an allowed pair")
    s, e, *both = (float(x) for x in (t.logits[0][i], t.logits[1][j], t.p[i], t.q[j]))
    p, q = map(probability, both)
    found = {"top_start": s, "top_end": e, "total": s + e, "p": p, "q": q}
    found["mean"] = mean(p, q, probability(sum(both) / 2)).strip()
    found |= {side: t.named(t.window.to_doc(at)) for side, at in (("start", i), ("end", j))}
    return {**found, "second": quote(t.shown.prediction.n_best[1].candidate.text)}


def allowed_pairs(t: Seen) -> Facts:
    """How many cells of the square are allowed: n m - m (m - 1) / 2."""
    n, count = int(t.window.is_context.sum()), count_spans(t.window, t.shown.decode)
    m = min(n, t.shown.decode.max_answer_length)
    less = m * (m - 1) // 2
    require(count == n * m - less, "this window does not own all of its starts")
    return {"n": n, "m": m, "band": n * m, "last": m - 1, "less": less, "count": count}


def _apart(t: Seen) -> Facts:
    """How far "no answer" and the best span are apart, and the threshold."""
    found, apart = t.shown.prediction, abs(t.shown.lead)
    return {"apart": apart, "turned": -apart, "threshold": found.limit, "null": found.null_score}


def no_answer(t: Seen) -> Facts:
    """The reader gives no answer: the best span lies too far behind."""
    require(t.shown.prediction.answer is None, "the reader answers this question")
    return _apart(t)


def unsure(t: Seen) -> Facts:
    """A best span of low probability, returned all the same."""
    chance, none = float(t.p[t.i] * t.q[t.j]), float(t.p[0] * t.q[0])
    require(t.answer() and none < chance < 0.5, "here the best span is not a doubtful one")
    return {**_apart(t), "p": probability(chance, 2)}
