"""Checks for engineers: what a file of questions says of one failure, and what stored figures say
of a threshold and of probabilities.
"""

from collections import Counter

from qa_demo.core.course.lessons import Option
from qa_demo.core.learning.golds import Example
from qa_demo.core.measuring.failures import RIGHT, Judged
from qa_demo.core.measuring.failures import judge as judged
from qa_demo.core.measuring.measured import ThresholdCurve
from qa_demo.core.measuring.metrics import exact_match, f1, normalize
from qa_demo.figures.lessons.finding import LONGEST, NO_ANSWER, Case, Check, Finding, Lacking, need
from qa_demo.figures.measured import HEAD, claims, nearest, share
from qa_demo.figures.numbers import bracketed, difference, number, percent
from qa_demo.figures.prose import listed, quoted
from qa_demo.figures.span_score import beside

NO_FIGURES = "No figures are stored beside this reader."
KIND_SAYS = {
    "glued": "Two answers, and the words between them.",
    "border": "The right words with others, or not all of them.",
    "wrong candidate of the right type": "It fits the type that is asked for, but it is another.",
    "other sentence": "It stands in another sentence than the answer.",
    "right sentence": "It stands in the right sentence, and is something else.",
    "lost in the merge": "One window had it right, and another one won.",
    "withheld": "No answer was given, where there is one.",
    "answered although unanswerable": "An answer was given, where there is none.",
    "gold not reachable": "No legal span is the right answer.",
}
"""What the file's kinds mean."""
CHOICES = 4
LOWER = 3.0
"""How far below the reader's threshold the other one is looked at."""
NEAR = 0.5
"""Points of a hundred that count as equal."""


def _curve(case: Case) -> ThresholdCurve:
    return need(need(case.measured, NO_FIGURES).curves.get(HEAD), NO_FIGURES)


@Check
def threshold_cost(case: Case) -> Finding:
    """How many questions without an answer are answered at the reader's own threshold."""
    curve = _curve(case)
    at = curve.chosen
    return Finding(
        f"At its threshold {beside(-at.threshold)} “no answer” this reader answers "
        f"{share(at.wrongly_answered)} of {curve.unanswerable:,} questions without an answer, and "
        f"withholds {share(at.withheld_right)} of its exactly right answers.",
        value=at.wrongly_answered,
        within=10.0,
        decimals=0,
        traps=((at.withheld_right, "That is the other mistake: right answers withheld."),),
        facts={"threshold": beside(-at.threshold)},
    )


@Check
def lower_threshold(case: Case) -> Finding:
    """What a lower threshold changes: fewer wrong answers, more silence where one stands."""
    curve = _curve(case)
    own, low = curve.chosen, nearest(curve, curve.chosen.threshold - LOWER)
    return Finding(
        f"At {beside(-low.threshold)} “no answer”, instead of {beside(-own.threshold)}, it "
        f"withholds {share(low.withheld_right)} of its exactly right answers instead of "
        f"{share(own.withheld_right)}, and answers {share(low.wrongly_answered)} of the questions "
        f"without an answer instead of {share(own.wrongly_answered)}.",
        right="withheld",
        holds=low.withheld_right > own.withheld_right
        and low.wrongly_answered < own.wrongly_answered,
        missing="Here a lower threshold does not trade one mistake for the other.",
    )


@Check
def best_choice(case: Case) -> Finding:
    """Where to answer or not is most often the right choice."""
    curve = _curve(case)
    own, best = curve.chosen, max(curve.points, key=lambda p: p.accuracy)
    apart = best.accuracy - own.accuracy > NEAR
    return Finding(
        f"It is right for {share(best.accuracy)} of the questions at {beside(-best.threshold)} "
        f"“no answer”, and for {share(own.accuracy)} at the reader's own {beside(-own.threshold)}.",
        right="own" if not apart else "lower" if best.threshold < own.threshold else "higher",
    )


@Check
def claimed_and_true(case: Case) -> Finding:
    """Whether probabilities come true as often as they claim."""
    found = need(need(case.measured, NO_FIGURES).reliability.get(HEAD), NO_FIGURES)
    claim, true = claims(found)
    close = abs(true - claim) <= found.error_after
    return Finding(
        f"On {found.measured_on:,} questions that have an answer its best spans have a probability "
        f"of {percent(claim)} on average, and {percent(true)} of them are exactly right. "
        f"Calibrated, a probability misses by {number(found.error_after, 3)} on average instead of "
        f"{number(found.error_before, 3)}.",
        right="same" if close else "more" if true > claim else "less",
    )


def _judged(case: Case) -> Judged:
    """The answer as `evaluate` judges it."""
    encoding = case.reading.encoding
    question = Example("", encoding.question, encoding.context, case.gold, not case.gold)
    return judged(case.reading, question, case.prediction, case.decode, case.merge, "2.0")


def _golds(case: Case) -> str:
    return listed([quoted(t, LONGEST) for t in dict.fromkeys(a.text for a in case.gold)])


def _answered(case: Case) -> str:
    """Answer and marked texts, for paper."""
    given = case.prediction.answer
    what = "gives no answer" if given is None else f"answers {quoted(given, LONGEST)}"
    return f"The reader {what}; marked: {_golds(case) or 'nothing'}."


def _answer(case: Case) -> str:
    """The answer to a question that has one. Errors: Lacking where one of the two is missing."""
    return need(case.prediction.answer if case.gold else None, NO_ANSWER)


@Check
def exact_or_not(case: Case) -> Finding:
    """Whether the answer counts as exactly right."""
    answer = quoted(_answer(case), LONGEST)
    right = _judged(case).exact == 1
    is_in = "is among" if right else "is none of"
    return Finding(
        f"Its answer {answer} {is_in} the texts that were marked, {_golds(case)}: "
        f"{'an exact match' if right else 'no exact match'}.",
        right="yes" if right else "no",
        facts={"answer": answer},
        given=_answered(case),
    )


@Check
def answer_f1(case: Case) -> Finding:
    """The F1 of the answer, from words in common."""
    answer = _answer(case)
    gold = max((a.text for a in case.gold), key=lambda text: f1(text, answer))
    a, b = (Counter(normalize(text).split()) for text in (gold, answer))
    common, value = (a & b).total(), f1(gold, answer)
    if not 0 < value < 1:
        raise Lacking("Here F1 is 0 or 1, so there is nothing to compute.")
    traps = [(common / a.total(), "That is recall; the words that are too many cost as well.")]
    traps.append((common / b.total(), "That is precision; the words that were found count too."))
    return Finding(
        f"With {quoted(gold, LONGEST)}: F1 = 2 · {common} / ({a.total()} + {b.total()}) = "
        f"{number(value)}.",
        value=value,
        traps=tuple(trap for trap in traps if abs(trap[0] - value) > 0.01),
        within=0.01,
        facts={"words": f"{b.total()}", "answer": quoted(answer, LONGEST), "gold": _golds(case)},
    )


@Check
def error_kind(case: Case) -> Finding:
    """The kind of a failure, by the rules of `evaluate`."""
    if not case.gold and not case.answered:
        raise Lacking("Here the reader is right: there is no answer.")
    kind = _judged(case).kind
    if kind == RIGHT:
        raise Lacking("Here the reader is right.")
    if kind not in KIND_SAYS:
        raise Lacking(f"Here the file says “{kind}”, which is no fault of the reader.")
    given = case.prediction.answer
    what = "no answer" if given is None else quoted(given, LONGEST)
    marked = f"marked: {_golds(case)}" if case.gold else "nothing is to be marked"
    shown = [kind, *(k for k in KIND_SAYS if k != kind)][:CHOICES]
    return Finding(
        f"The file calls it “{kind}”: the reader gives {what}; {marked}.",
        right=_key(kind),
        facts={"given": _answered(case)},
        options=tuple(Option(_key(k), KIND_SAYS[k]) for k in KIND_SAYS if k in shown),
    )


def _key(kind: str) -> str:
    return kind.replace(" ", "-")


@Check
def gold_rank(case: Case) -> Finding:
    """At which place of the reader's list an exactly right span stands."""
    best = case.best
    texts = [r.candidate.text for r in case.prediction.n_best]
    found = next(
        (k for k, t in enumerate(texts) for a in case.gold if exact_match(a.text, t)), None
    )
    if best is None or not found:
        raise Lacking("No right span stands below the reader's answer in its list.")
    right = case.prediction.n_best[found].candidate
    first, own, gap = difference(best.score, right.score)
    return Finding(
        f"{quoted(right.text, LONGEST)} is number {found + 1} of the list, {first} − "
        f"{bracketed(own)} = {gap} below the first.",
        value=found + 1,
        within=0.1,
        decimals=0,
        given=f"Marked: {_golds(case)}. The list: {_list(case)}.",
    )


def _list(case: Case) -> str:
    """The first spans of the list with their scores, for paper."""
    first = [r.candidate for r in case.prediction.n_best][:LISTED]
    return "; ".join(f"{quoted(c.text, LONGEST)} {number(c.score)}" for c in first)


LISTED = 6
