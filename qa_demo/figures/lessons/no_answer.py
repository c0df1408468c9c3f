"""Checks about no answer: its score, the threshold, and what a low probability means."""

from qa_demo.core.reading.scales import wide
from qa_demo.core.reading.spans import window_prob
from qa_demo.figures.lessons.finding import LONGEST, Case, Check, Finding, Lacking
from qa_demo.figures.numbers import bracketed, difference, number, percent, total
from qa_demo.figures.prose import quoted


@Check
def withholds(case: Case) -> Finding:
    """Whether the reader answers, and the gap that decides."""
    best, prediction = case.best, case.prediction
    if best is None or prediction.score_diff is None or prediction.limit is None:
        raise Lacking("This reader knows no threshold, so it always answers.")
    does = "gives its answer" if case.answered else "gives no answer"
    null, other, gap = difference(prediction.null_score, best.score, prediction.limit)
    limit = number(prediction.limit)
    return Finding(
        f"The reader {does}: no answer scores {null}, its best span "
        f"{quoted(best.text, LONGEST)} {other}; the difference, {gap}, is "
        f"{'not ' if case.answered else ''}above the threshold {limit}.",
        right="answer" if case.answered else "none",
        facts={"null": null, "best": other},
        given=f"No answer scores {null}, the best span {other}; the threshold is {limit}.",
    )


@Check
def withheld(case: Case) -> Finding:
    """As `withholds`, on a text that the reader's own threshold leaves without an answer."""
    found = withholds.point(case)
    if (case.prediction.score_diff or 0.0) <= (case.reading.threshold or 0.0):
        raise Lacking("This reader does answer this question.")
    return found


@Check
def null_sum(case: Case) -> Finding:
    """The score of no answer is the sum of two logits too, both at [CLS]."""
    window = case.reading.windows[case.prediction.null_window]
    s, e = wide(case.reading, window.index)
    printed = total([float(s[window.cls_at]), float(e[window.cls_at])])
    name = case.reading.tokens(window.index)[window.cls_at]
    return Finding(
        f"At {name} the start logit is {printed.addends[0]} and the end logit "
        f"{printed.addends[1]}: the null score is {printed.total}."
    )


@Check
def where_it_turns(case: Case) -> Finding:
    """The threshold at which the reader changes its mind about this text."""
    withheld.point(case)
    best, diff = case.best, case.prediction.score_diff
    assert best is not None and diff is not None
    null, other, gap = difference(case.prediction.null_score, best.score)
    return Finding(
        f"Null score minus best score is {null} − {bracketed(other)} = {gap}: from that threshold "
        f"on the reader would answer, and it stands at {number(case.prediction.limit or 0.0)}.",
        value=diff,
        facts={"null": null, "best": other},
        within=0.1,
        traps=((-diff, "The size is right, but it is null score minus best score."),),
    )


@Check
def unsure_and_answered(case: Case) -> Finding:
    """A low probability, and an answer all the same."""
    best = case.answer
    at = case.reading.windows[best.window]
    chance = window_prob(
        case.reading, best.window, at.to_pos(best.span.start), at.to_pos(best.span.end)
    )
    none = window_prob(case.reading, best.window, at.cls_at, at.cls_at)
    said = f"The best span has a probability of {percent(chance)}, no answer {percent(none)}"
    if chance >= 0.5 or none >= chance:
        raise Lacking(f"{said}: here the best span is not a doubtful one.")
    return Finding(
        f"{said}: the doubt is between spans, and the reader answers {quoted(best.text, LONGEST)}.",
        right="answer",
    )
