"""Chapter 1 as data: candidates on one logit line, the four numbers of a span, the notice."""

from typing import Any

from qa_demo.core.options import MergeOptions
from qa_demo.core.reading.predicted import Candidate, Prediction
from qa_demo.core.reading.scales import SCALES
from qa_demo.core.types import Reading
from qa_demo.figures.numbers import PrintedSum, decimals_for, number, percent, probability, total
from qa_demo.figures.pack import printable
from qa_demo.figures.payload import columns
from qa_demo.figures.prose import quoted
from qa_demo.figures.span_score import RULE, against, beside, null_score, span_prob
from qa_demo.figures.verdict import withheld


def answer_picture(
    reading: Reading, prediction: Prediction, merge: MergeOptions = RULE
) -> dict[str, Any]:
    """Dots (one a listed span), null score and threshold on the score axis; no idle rule."""
    return {
        "dots": [
            {
                "window": r.candidate.window,
                "start": r.candidate.span.start,
                "end": r.candidate.span.end,
                "rank": r.rank,
                "text": printable(r.candidate.text),
                "score": r.candidate.score,
            }
            for r in prediction.n_best
        ],
        "null": null_score(reading, prediction, merge),
        "threshold": prediction.limit,
        "abstains": prediction.has_threshold,
    }


def answer_table(
    reading: Reading, prediction: Prediction, temperature: float = 1.0, merge: MergeOptions = RULE
) -> dict[str, Any]:
    """The table twin of the logit line: one row per listed span."""
    null = null_score(reading, prediction, merge)

    def in_window(c: Candidate) -> float:
        return span_prob(reading, c.window, c.span, temperature)

    return columns(
        "Listed spans, best first",
        prediction.n_best,
        {
            "span": lambda r: printable(r.candidate.text),
            "start logit": lambda r: _sum(r.candidate).addends[0],
            "end logit": lambda r: _sum(r.candidate).addends[1],
            "score": lambda r: _sum(r.candidate).told,
            "against no answer": lambda r: against(r.candidate.score, null),
            "in its window": lambda r: probability(in_window(r.candidate)),
            "share": lambda r: percent(r.share),
            "window": lambda r: str(r.candidate.window + 1),
        },
        lambda r: (r.candidate.window, r.candidate.span.start, r.candidate.span.end),
    )


def _sum(c: Candidate) -> PrintedSum:
    return total([c.start_logit, c.end_logit])


LONGEST = 40
"""Letters of a span in the finding, which has room for thirty words."""


def answer_notice(reading: Reading, prediction: Prediction, merge: MergeOptions = RULE) -> str:
    """One sentence from the numbers: who leads by how much, and what threshold would turn it."""
    best = prediction.best
    if best is None:
        return "No span of this paragraph is legal under these limits, so nothing can be answered."
    lead = best.candidate.score - null_score(reading, prediction, merge)
    runner_up = _runner_up(prediction, merge)
    name = quoted(best.candidate.text, LONGEST)
    if prediction.limit is None:
        return (
            f"{name} is the best span. The merge rule of chapter 6 compares the spans with no null "
            f"score, so it answers every question. {runner_up}"
        )
    if not prediction.has_threshold:
        said = (
            f"No answer: {name} is the best span"
            if prediction.answer is None
            else f"{name} is the answer"
        )
        return (
            f"{said}. {runner_up} The merge scale {merge.scale} of chapter 6 compares "
            f"probabilities of a span and of no answer as they are, "
            f"so there is no threshold to drag."
        )
    stored, digits = _stored(reading, prediction.limit), decimals_for([lead])
    if prediction.answer is None:
        return (
            f"No answer: the best guess, {name}, {withheld(prediction, merge)}. "
            f"{runner_up} {stored}".rstrip()
        )
    return (
        f"{name} scores {beside(lead, digits)} “no answer”. {runner_up} "
        f"Drag the threshold right past its dot, to {'more' if lead >= 0 else 'less'} than "
        f"{beside(lead, digits)}, and the reader falls silent. {stored}".rstrip()
    )


def _stored(reading: Reading, used: float) -> str:
    """What is said of a reader that comes without a threshold."""
    if reading.threshold is not None:
        return ""
    at = f"{beside(-used)} “no answer”" if used else "“no answer” itself"
    return f"No threshold is stored with this reader; the threshold is {at}. "


def _runner_up(prediction: Prediction, merge: MergeOptions) -> str:
    if len(prediction.n_best) < 2:
        return "No other span is listed."
    first, second = prediction.n_best[0].candidate, prediction.n_best[1].candidate
    same = (
        "the same start"
        if first.span.start == second.span.start
        else "the same end"
        if first.span.end == second.span.end
        else None
    )
    shares = f", which shares {same}," if same else ""
    said = f"The runner-up {quoted(second.text, LONGEST)}{shares} is"
    apart = first.score - second.score
    digits = decimals_for([apart])
    if merge.scale == "logit":
        return f"{said} {number(apart, digits)} behind."
    return (
        f"{said} {number(abs(apart), digits)} {'behind' if apart >= 0 else 'ahead'} by its "
        f"score; the list is ordered by the merge scale of "
        f"chapter 6, {merge.scale} ({SCALES[merge.scale].unit})."
    )
