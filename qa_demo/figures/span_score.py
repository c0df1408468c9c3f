"""What the score of one span means, in four numbers, each with the set it ranges over."""

from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.reading.predicted import Candidate, Prediction
from qa_demo.core.reading.scales import null_logits
from qa_demo.core.reading.spans import make_candidate, top_spans, window_prob
from qa_demo.core.types import Reading, Span
from qa_demo.figures.numbers import (
    MIN_DECIMALS,
    MINUS,
    PrintedSum,
    number,
    percent,
    probability,
    sign_of,
    signed,
    totals,
)
from qa_demo.figures.prose import plural

RULE = MergeOptions()
"""BERT's own rule, unless another was chosen in chapter 6."""


def null_score(reading: Reading, prediction: Prediction, merge: MergeOptions = RULE) -> float:
    """ "No answer" on the axis of logit sums: the rule's null, or min_w null_w."""
    return (
        float(null_logits(reading).min()) if merge.null == "min_product" else prediction.null_score
    )


def best_in(
    reading: Reading, window: int, decode: DecodeOptions, copies: str = "max_context"
) -> Candidate | None:
    """The best legal span of one window; None where it has none."""
    cells = top_spans(*reading.logits(window), reading.windows[window], decode, copies, 1).tolist()
    return make_candidate(reading, window, *cells[0]) if cells else None


def span_prob(reading: Reading, window: int, span: Span, temperature: float = 1.0) -> float:
    """P_start(i) P_end(j) of a doc span: two softmaxes over its unpadded window's positions."""
    at = reading.windows[window]
    return window_prob(reading, window, at.to_pos(span.start), at.to_pos(span.end), temperature)


def score_sums(
    reading: Reading, null: float, window: int, span: Span
) -> tuple[PrintedSum, PrintedSum]:
    """start + end = score, and score - null, printed with the same decimals."""
    start, end = reading.logits(window)
    at = reading.windows[window]
    logits = [float(start[at.to_pos(span.start)]), float(end[at.to_pos(span.end)])]
    first, second = totals([(logits, None), ([sum(logits), -null], None)])
    return first, second


def four_numbers(
    reading: Reading,
    prediction: Prediction,
    window: int,
    span: Span,
    temperature: float = 1.0,
    merge: MergeOptions = RULE,
) -> list[dict[str, str]]:
    """What a span's score means, as four numbers: name, number as printed, what it ranges over."""
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
            "over": f"softmax over {plural(len(prediction.n_best), 'listed span')}{on}",
        },
    ]


def beside(lead: float, decimals: int = MIN_DECIMALS) -> str:
    """Where a score or the limit of an answer stands beside the score of no answer: "8.57 below",
    "3.00 above". The page has no other sign for it; a threshold t is a limit of -t.
    """
    return f"{number(abs(lead), decimals)} {'above' if lead >= 0 else 'below'}"


def against(score: float, null: float) -> str:
    """A score's lead over no answer in a list of two decimals, "≈" where both as printed miss it:
    12.09 - 3.00 is ≈ +9.10.
    """
    sign = sign_of((score, -null), score - null, MIN_DECIMALS)
    return f"{'' if sign == '=' else f'{sign} '}{signed(score - null)}"


def plus(printed: str) -> str:
    """A printed difference with its sign."""
    return printed if printed.startswith(MINUS) else f"+{printed}"


def signed_addend(printed: str) -> str:
    """An addend after the first: "− 2.31" or "+ 2.31"."""
    return f"{printed[0]} {printed[1:]}" if printed.startswith(MINUS) else f"+ {printed}"
