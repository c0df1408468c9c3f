"""How spans of different windows are made comparable: three independent choices as dictionaries of
pure functions.

COPIES says which copies of a span count, SCALES on which number they are ranked, NULLS what "no
answer" is measured by. On every scale the rank of a span is a sum of two terms of one window and
that window's constant,

    rank(w, i, j) = start_w[i] + end_w[j] + shift_w

so one search serves all scales, and what separates two spans can be added up. Notation below: S, E
logits, 0 = [CLS], P = softmax over {[CLS]} and the window's context, P~ = softmax over its context
alone.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from qa_demo.core.arrays import Floats, logsumexp, softmax, tied
from qa_demo.core.errors import BadInput, one_of
from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.reading.spans import legal_logsumexp
from qa_demo.core.types import Reading


@dataclass(frozen=True, eq=False)
class Terms:
    """One window on a scale: rank(i, j) = start[i] + end[j] + shift; arrays [n]."""

    start: Floats
    end: Floats
    shift: float


@dataclass(frozen=True)
class Scale:
    """`terms` gives each window's `Terms`; `value` turns a rank into the number of name `unit`."""

    terms: Callable[[Reading, DecodeOptions, str], tuple[Terms, ...]]
    value: Callable[[float], float]
    log_value: Callable[[float], float]
    unit: str


@dataclass(frozen=True)
class Null:
    """A rule's no-answer number, its window, and null minus best (None without a best)."""

    score: float
    window: int
    diff: float | None


def wide(reading: Reading, window: int) -> tuple[Floats, Floats]:
    """A window's logits in double precision: printed sums equal their printed parts' sums."""
    s, e = reading.logits(window)
    return s.astype(np.float64), e.astype(np.float64)


def null_logits(reading: Reading) -> Floats:
    """S_w[0] + E_w[0] of every window, [W]."""
    found = ((w.cls_at, *wide(reading, w.index)) for w in reading.windows)
    return tied(np.array([s[at] + e[at] for at, s, e in found]))


def _log_z(reading: Reading, window: int, with_cls: bool) -> float:
    """log Z_s + log Z_e of one window over its context, and [CLS] where asked."""
    w = reading.windows[window]
    inside = w.is_context.copy()
    inside[w.cls_at] = with_cls
    s, e = wide(reading, window)
    return float(logsumexp(s[inside]) + logsumexp(e[inside]))


def _shifted(reading: Reading, shifts: list[float]) -> tuple[Terms, ...]:
    return tuple(Terms(*wide(reading, w), shift) for w, shift in enumerate(shifts))


def _logit(reading: Reading, options: DecodeOptions, copies: str) -> tuple[Terms, ...]:
    """S[i] + E[j]: windows are pooled as they are (run_squad.py)."""
    return _shifted(reading, [0.0] * len(reading.windows))


def _log_odds(reading: Reading, options: DecodeOptions, copies: str) -> tuple[Terms, ...]:
    """S[i] + E[j] - S[0] - E[0] = log [P(i) P(j) / (P(0) P(0))]: a window's constant cancels."""
    return _shifted(reading, [-float(x) for x in null_logits(reading)])


def _window_product(reading: Reading, options: DecodeOptions, copies: str) -> tuple[Terms, ...]:
    """P(i) P(j), ranked by its logarithm, so that nothing underflows."""
    return _shifted(reading, [-_log_z(reading, w.index, True) for w in reading.windows])


def _context_product(reading: Reading, options: DecodeOptions, copies: str) -> tuple[Terms, ...]:
    """P~(i) P~(j): every window gives its own words the mass 1, however low their logits are."""
    return _shifted(reading, [-_log_z(reading, w.index, False) for w in reading.windows])


def _context_mean(reading: Reading, options: DecodeOptions, copies: str) -> tuple[Terms, ...]:
    """(P~(i) + P~(j)) / 2 of a legal pair; it is not the probability of anything."""
    terms = []
    for w in reading.windows:
        halves = []
        for x in wide(reading, w.index):
            p = np.zeros_like(x)
            p[w.is_context] = softmax(x[w.is_context]) / 2
            halves.append(p)
        terms.append(Terms(halves[0], halves[1], 0.0))
    return tuple(terms)


def _global_softmax(reading: Reading, options: DecodeOptions, copies: str) -> tuple[Terms, ...]:
    """exp(S[i] + E[j]) / sum over all windows' legal spans: ranks as the logit sum, sums to 1."""
    sums = np.array(
        [legal_logsumexp(*wide(reading, w.index), w, options, copies) for w in reading.windows]
    )
    total = float(logsumexp(sums))
    return _shifted(reading, [-total if np.isfinite(total) else 0.0] * len(reading.windows))


def _same(rank: float) -> float:
    return rank


def _exp(rank: float) -> float:
    return float(np.exp(rank))


def _log(rank: float) -> float:
    return float(np.log(rank)) if rank > 0 else -np.inf


COPIES = {
    "max_context": "a span counts in the window that owns its first token",
    "all": "a span counts in every window that holds it; its best copy is listed",
}

SCALES = {
    "logit": Scale(_logit, _same, _same, "logits"),
    "log_odds": Scale(_log_odds, _same, _same, "log-odds"),
    "window_product": Scale(
        _window_product, _exp, _same, "probability in its window, [CLS] included"
    ),
    "context_product": Scale(_context_product, _exp, _same, "probability among its window's words"),
    "context_mean": Scale(_context_mean, _same, _log, "mean of two probabilities"),
    "global_softmax": Scale(_global_softmax, _exp, _same, "share of all legal spans"),
}

BestSpan = tuple[int, float, float]
"""Window, score and rank of the best span."""


def _against(scores: Floats, window: int, best: float | None) -> Null:
    score = float(scores[window])
    return Null(score, window, None if best is None else round(score - best, 9))


def _min_logit(reading: Reading, best: BestSpan | None) -> Null:
    """min_w (S_w[0] + E_w[0]): every window must agree that there is no answer."""
    scores = null_logits(reading)
    return _against(scores, int(np.argmin(scores)), None if best is None else best[1])


def _min_product(reading: Reading, best: BestSpan | None) -> Null:
    """min_w P_w(0) P_w(0), kept as its logarithm; null minus best is the log of their ratio."""
    logs = null_logits(reading) - [_log_z(reading, w.index, True) for w in reading.windows]
    return _against(logs, int(np.argmin(logs)), None if best is None else best[2])


def _own_window(reading: Reading, best: BestSpan | None) -> Null:
    """S_w[0] + E_w[0] of the best span's own window, so that the normaliser cancels."""
    if best is None:
        return _min_logit(reading, None)
    return _against(null_logits(reading), best[0], best[1])


NULLS: dict[str, Callable[[Reading, BestSpan | None], Null]] = {
    "min_logit": _min_logit,
    "min_product": _min_product,
    "own_window": _own_window,
    "none": _min_logit,  # shown for comparison; it never removes an answer
}

COMBINES = {
    "logit": ("min_logit", "own_window", "none"),
    "log_odds": ("own_window", "none"),
    "window_product": ("min_product", "own_window", "none"),
    "context_product": ("none",),
    "context_mean": ("none",),
    "global_softmax": ("none",),
}
"""Which nulls fit a scale: a null must be the same kind of number as the spans it meets."""

THRESHOLD_SCALES = ("logit", "log_odds")
"""The scales whose differences are numbers of logits, as a threshold is."""


def no_answer_limit(merge: MergeOptions, threshold: float) -> float | None:
    """The score_diff above which a rule gives no answer; None where it always gives its best span.

    `threshold` is a number of logits. Rules on other scales compare the null with the best span as
    they are, so their limit is 0; the null `none` removes no answer.
    """
    if merge.null == "none":
        return None
    return threshold if merge.scale in THRESHOLD_SCALES else 0.0


def threshold_decides(merge: MergeOptions) -> bool:
    """Whether another threshold could change the answer: the rule's limit is the threshold."""
    return merge.scale in THRESHOLD_SCALES and merge.null != "none"


def check_merge(merge: MergeOptions) -> None:
    """Refuse unknown names and choices that do not combine, listing those that do."""
    for name, known in (("copies", COPIES), ("scale", SCALES), ("null", NULLS)):
        one_of(name, getattr(merge, name), known)
    allowed = COMBINES[merge.scale]
    if merge.null not in allowed:
        raise BadInput(
            f"the scale {merge.scale} cannot be compared with the null {merge.null}; it combines "
            f"with {', '.join(allowed)}"
        )
