"""Chapter 1 as data: the listed candidates on one logit line, the four numbers of a span, the
notice.
"""

from typing import Any

import numpy as np

from qa_demo.core.arrays import softmax
from qa_demo.core.scales import SCALES, null_logits
from qa_demo.core.types import MergeOptions, Prediction, Reading, Span
from qa_demo.figures.numbers import MINUS, PrintedSum, number, percent, probability, signed, total
from qa_demo.figures.pack import printable
from qa_demo.figures.payload import table
from qa_demo.figures.prose import quoted

SIMPLIFIED = (
    "The dots are the spans that are listed, not all that exist: a window of n positions holds "
    "n² pairs.",
    "A score is no probability: it is the sum of two logits, and only differences between scores "
    "of one reading mean anything.",
    "The probability in its window treats start and end as independent, as the training does; "
    "pairs that can be no answer hold a part.",
    "The share is a softmax over the listed spans alone: list fewer spans and every share grows.",
    "With several windows the null score is the lowest of all windows, while the span comes from "
    "one of them.",
)


RULE = MergeOptions()
"""BERT's own rule, unless another was chosen in chapter 6."""


def null_score(reading: Reading, prediction: Prediction, merge: MergeOptions = RULE) -> float:
    """What "no answer" scores on the axis of logit sums: the rule's null, or min_w null_w where
    that is a logarithm of probabilities.
    """
    return (
        float(null_logits(reading).min()) if merge.null == "min_product" else prediction.null_score
    )


def answer_picture(
    reading: Reading, prediction: Prediction, merge: MergeOptions = RULE
) -> dict[str, Any]:
    """Dots (one per listed span), the null score and the threshold, all on the score axis; no rule
    to drag where no threshold decides.
    """
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


def span_prob(reading: Reading, window: int, span: Span, temperature: float = 1.0) -> float:
    """P_start(i) P_end(j) of a doc span: two softmaxes over all positions of its unpadded
    window.
    """
    start, end = reading.logits(window)
    i, j = reading.windows[window].to_pos(span.start), reading.windows[window].to_pos(span.end)
    return float(
        softmax(start.astype(np.float64) / temperature)[i]
        * softmax(end.astype(np.float64) / temperature)[j]
    )


def score_sums(
    reading: Reading, null: float, window: int, span: Span
) -> tuple[PrintedSum, PrintedSum]:
    """start logit + end logit = score, and score - null score, printed with the same decimals
    since they share a number.
    """
    start, end = reading.logits(window)
    at = reading.windows[window]
    logits = [float(start[at.to_pos(span.start)]), float(end[at.to_pos(span.end)])]
    score = sum(logits)
    difference = [score, -null]
    decimals = max(total(logits).decimals, total(difference).decimals)
    while True:
        sums = total(logits, at_least=decimals), total(difference, at_least=decimals)
        if sums[0].decimals == sums[1].decimals:
            return sums
        decimals = max(s.decimals for s in sums)


def four_numbers(
    reading: Reading,
    prediction: Prediction,
    window: int,
    span: Span,
    temperature: float = 1.0,
    merge: MergeOptions = RULE,
) -> list[dict[str, str]]:
    """What the score of a span means, as four numbers: name, number as printed, and the set it
    ranges over.
    """
    score, difference = score_sums(reading, null_score(reading, prediction, merge), window, span)
    listed = next(
        (r for r in prediction.n_best if (r.candidate.window, r.candidate.span) == (window, span)),
        None,
    )
    warm = f" at temperature {temperature:g}" if temperature != 1.0 else ""
    on = "" if merge.scale == "logit" else f", on the scale {merge.scale}"
    return [
        {"name": "score", "value": score.total, "over": "start logit + end logit"},
        {
            "name": "score against no answer",
            "value": plus(difference.total),
            "over": f"{difference.addends[0]} {signed_addend(difference.addends[1])}, the null "
            f"score subtracted",
        },
        {
            "name": "probability in its window",
            "value": probability(span_prob(reading, window, span, temperature)),
            "over": f"P(start) · P(end), each over all {len(reading.windows[window])} "
            f"positions{warm}",
        },
        {
            "name": "share among the listed",
            "value": percent(listed.share) if listed else "not listed",
            "over": f"softmax over the {len(prediction.n_best)} listed spans{on}",
        },
    ]


def plus(printed: str) -> str:
    """A printed difference with its sign."""
    return printed if printed.startswith(MINUS) else f"+{printed}"


def signed_addend(printed: str) -> str:
    """An addend after the first: "− 2.31" or "+ 2.31"."""
    return f"{printed[0]} {printed[1:]}" if printed.startswith(MINUS) else f"+ {printed}"


def answer_table(
    reading: Reading, prediction: Prediction, temperature: float = 1.0, merge: MergeOptions = RULE
) -> dict[str, Any]:
    """The table twin of the logit line: one row per listed span."""
    rows, places, null = [], [], null_score(reading, prediction, merge)
    for r in prediction.n_best:
        c = r.candidate
        printed = total([c.start_logit, c.end_logit])
        rows.append(
            [
                printable(c.text),
                printed.addends[0],
                printed.addends[1],
                printed.total,
                signed(c.score - null),
                probability(span_prob(reading, c.window, c.span, temperature)),
                percent(r.share),
                str(c.window + 1),
            ]
        )
        places.append((c.window, c.span.start, c.span.end))
    head = [
        "span",
        "start logit",
        "end logit",
        "score",
        "against no answer",
        "in its window",
        "share",
        "window",
    ]
    return table("Listed spans, best first", head, rows, places)


def answer_notice(reading: Reading, prediction: Prediction, merge: MergeOptions = RULE) -> str:
    """One sentence from the numbers: who leads by how much, and what the threshold would have to
    be.
    """
    best = prediction.best
    if best is None:
        return "No span of this paragraph is legal under these limits, so nothing can be answered."
    lead = best.candidate.score - null_score(reading, prediction, merge)
    side, runner_up = ("above" if lead >= 0 else "below"), _runner_up(prediction, merge)
    name = quoted(best.candidate.text)
    if prediction.limit is None:
        why = (
            "This reader has no no-answer threshold"
            if reading.threshold is None
            else "The merge rule of chapter 6 compares the spans with no null score"
        )
        return f"{name} is the best span. {why}, so it answers every question. {runner_up}"
    if not prediction.has_threshold:
        said = (
            f"The reader gives no answer: {name} is the best span"
            if prediction.answer is None
            else f"{name} is the answer"
        )
        return (
            f"{said}. The merge scale {merge.scale} of chapter 6 compares probabilities of a "
            f"span and of no answer as they are, "
            f"so there is no threshold to drag. {runner_up}"
        )
    if prediction.answer is None:
        return (
            f"The reader gives no answer: its best span {name} scores {number(abs(lead))} {side} "
            f"the null score, "
            f"and the rule asks for {signed(-prediction.limit)} or more. {runner_up}"
        )
    return (
        f"{name} scores {number(abs(lead))} {side} no answer. Drag the rule right past its dot "
        f"and the reader falls silent: "
        f"that is a threshold below {number(-lead)}. {runner_up}"
    )


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
    said = f"The runner-up {quoted(second.text)}{f', which shares {same},' if same else ''} is"
    apart = first.score - second.score
    if merge.scale == "logit":
        return f"{said} {number(apart)} behind."
    return (
        f"{said} {number(abs(apart))} {'behind' if apart >= 0 else 'ahead'} by its score; the "
        f"list is ordered by the merge scale of "
        f"chapter 6, {merge.scale} ({SCALES[merge.scale].unit})."
    )
