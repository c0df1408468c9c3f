"""From windows to an answer: spans of different windows made comparable, three named rules, and
what "no answer" is measured by.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from qa_demo.core.base import BadInput, Floats, logsumexp, one_of, softmax, tied
from qa_demo.core.spans import (
    Candidate,
    Ints,
    cell_scores,
    check_decode,
    legal_logsumexp,
    make_candidate,
    shares,
    top_grid,
    top_spans,
)
from qa_demo.core.types import DecodeOptions, MergeOptions, Reading, Window


@dataclass(frozen=True)
class Ranked:
    """A candidate after merging; `value` is on the chosen scale, `share`: softmax of the n best."""

    candidate: Candidate
    rank: int
    value: float
    share: float


@dataclass(frozen=True)
class Prediction:
    """The fast half: the decoded n-best list and what it was measured against."""

    n_best: tuple[Ranked, ...]
    null_score: float
    null_window: int
    score_diff: float | None
    limit: float | None
    """The score_diff above which there is no answer; None if unknown: the best span answers."""
    has_threshold: bool = True
    """Whether the limit is the no-answer threshold; rules that compare probabilities have 0."""

    @property
    def best(self) -> Ranked | None:
        """The best span that is not the null; None when no span is legal."""
        return self.n_best[0] if self.n_best else None

    @property
    def answered(self) -> Candidate | None:
        """The best span where it is the answer; None means no answer."""
        if self.best is None or (
            self.limit is not None and self.score_diff is not None and self.score_diff > self.limit
        ):
            return None
        return self.best.candidate

    @property
    def answer(self) -> str | None:
        """The answer's text; None means no answer."""
        return None if self.answered is None else self.answered.text


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


def merging(merge: MergeOptions, null: str | None, threshold: float | None) -> MergeOptions:
    """The choices with the null that is given, else the first that fits the scale. Errors: BadInput
    where they do not combine, and for a given threshold that decides nothing under them.
    """
    merge = replace(merge, null=COMBINES[merge.scale][0] if null is None else null)
    check_merge(merge)
    if threshold is not None and not threshold_decides(merge):
        raise BadInput(
            f"null_score_diff_threshold changes nothing under the scale {merge.scale} and the null "
            f"{merge.null}; it decides under {' and '.join(THRESHOLD_SCALES)}, with a null that is "
            f"compared"
        )
    return merge


Placed = tuple[float, int, int, int]
"""Rank, window, start pos, end pos."""

Ranks = list[tuple[float, Candidate]]


def predict(
    reading: Reading,
    decode: DecodeOptions | None = None,
    merge: MergeOptions | None = None,
    threshold: float | None = None,
) -> Prediction:
    """Search every window, merge, drop duplicates, compare with no answer.

        rank(w, i, j) = start_w[i] + end_w[j] + shift_w  over the legal pairs;  score_diff = null -
        best

    Ties: higher rank, then lower start, lower end, earlier window. `share` is proportional to the
    value (to its exponential on the logit scales) among the listed spans. Without a legal span
    `best` is None. Duplicates are spans with the same characters; BERT compares texts instead, so
    equal words at two places are two spans here and one there. The no-answer threshold is
    `threshold` where it is given, else that of the options, and without options the reader's own
    (0 for a reader without one). Errors: BadInput for options out of range or choices that do not
    combine.
    """
    decode, merge = _limits(reading, decode, threshold), merge or MergeOptions()
    check_merge(merge)
    if not reading.windows:
        raise BadInput("this reading has no window: the paragraph holds no token")
    terms = SCALES[merge.scale].terms(reading, decode, merge.copies)
    listed = _distinct(reading, pool(reading, terms, decode, merge.copies), decode.n_best_size)
    best = (listed[0][1].window, listed[0][1].score, listed[0][0]) if listed else None
    null = NULLS[merge.null](reading, best)
    return Prediction(
        n_best=_ranked(listed, SCALES[merge.scale]),
        null_score=null.score,
        null_window=null.window,
        score_diff=null.diff,
        limit=no_answer_limit(merge, decode.null_score_diff_threshold),
        has_threshold=threshold_decides(merge),
    )


def _limits(
    reading: Reading, decode: DecodeOptions | None, threshold: float | None
) -> DecodeOptions:
    """The options with the threshold in use, checked. Errors: BadInput."""
    if decode is None:
        decode = DecodeOptions(null_score_diff_threshold=reading.threshold or 0.0)
    if threshold is not None:
        decode = replace(decode, null_score_diff_threshold=threshold)
    check_decode(decode)
    return decode


def _ranked(listed: list[tuple[float, Candidate]], scale: Scale) -> tuple[Ranked, ...]:
    """Ranks from 1, values and shares of the listed spans."""
    share = shares(np.array([scale.log_value(rank) for rank, _ in listed]))
    return tuple(
        Ranked(c, k + 1, scale.value(rank), float(share[k])) for k, (rank, c) in enumerate(listed)
    )


def pool(
    reading: Reading, terms: tuple[Terms, ...], decode: DecodeOptions, copies: str
) -> list[Placed]:
    """The best cells of every window in one list, best first."""
    pooled: list[tuple[float, int, int, int, int, int]] = []
    for w, window in enumerate(reading.windows):
        t = terms[w]
        if decode.top_n_grid:
            cells = top_grid(*reading.logits(w), window, decode, copies)
            cells = cells[np.argsort(-cell_scores(t.start, t.end, cells), kind="stable")]
        else:
            cells = _enough(reading, window, t, decode, copies)
        shift = window.doc_start - window.context_at
        for i, j in cells.tolist():
            pooled.append(
                (-round(float(t.start[i] + t.end[j]) + t.shift, 9), i + shift, j + shift, w, i, j)
            )
    return [(-rank, w, i, j) for rank, _, _, w, i, j in sorted(pooled)]


def _enough(reading: Reading, window: Window, t: Terms, decode: DecodeOptions, copies: str) -> Ints:
    """The window's best cells, until n of them differ in characters (empty pieces make copies)."""
    starts = reading.encoding.offset_mapping[:, 0]
    ends = reading.encoding.char_ends
    n = decode.n_best_size
    wanted = n
    while True:
        cells = top_spans(t.start, t.end, window, decode, copies, wanted)
        doc = cells + (window.doc_start - window.context_at)
        chars = np.stack([starts[doc[:, 0]], ends[doc[:, 1]]], axis=1)
        if len(cells) < wanted or len(np.unique(chars[chars[:, 0] < chars[:, 1]], axis=0)) >= n:
            return cells
        wanted *= 2


def _distinct(reading: Reading, pooled: list[Placed], n: int) -> Ranks:
    """Walk down the pool: the first span of each range of characters; one without any is none."""
    listed: dict[tuple[int, int], tuple[float, Candidate]] = {}
    for rank, w, i, j in pooled:
        if len(listed) == n:
            break
        candidate = make_candidate(reading, w, i, j)
        if candidate.char_start < candidate.char_end:
            listed.setdefault((candidate.char_start, candidate.char_end), (rank, candidate))
    return list(listed.values())


RULES = ("logits", "mean_of_maxima", "product")


def largest(reading: Reading, window: int) -> tuple[int, int, float, float]:
    """Where P(start) and P(end) of a window are largest (positions), and how large."""
    s, e = (softmax(x.astype(np.float64)) for x in reading.logits(window))
    i, j = int(s.argmax()), int(e.argmax())
    return i, j, float(s[i]), float(e[j])


def mean_of_maxima(reading: Reading) -> list[float]:
    """(max P(start) + max P(end)) / 2 of each window, [W]."""
    tops = (largest(reading, w.index) for w in reading.windows)
    return [(start + end) / 2 for _, _, start, end in tops]


def predict_by(reading: Reading, rule: str, decode: DecodeOptions) -> Prediction:
    """The prediction under one of `RULES`. Under the last two no threshold applies: the best span
    always answers. Ties go to the earlier window.
    """
    if rule == "logits":
        return predict(reading, decode)
    if rule == "product":
        return predict(reading, decode, MergeOptions("max_context", "context_product", "none"))
    chosen = int(np.argmax(np.round(mean_of_maxima(reading), 9)))
    found = predict(reading, replace(decode, n_best_size=decode.n_best_size * len(reading.windows)))
    own = [r for r in found.n_best if r.candidate.window == chosen][: decode.n_best_size]
    if not own:  # its pairs are all below the others' hundreds: ask for every pair
        found = predict(reading, replace(decode, n_best_size=reading.start_logits.size * 30))
        own = [r for r in found.n_best if r.candidate.window == chosen][: decode.n_best_size]
    ranked = tuple(replace(r, rank=k + 1) for k, r in enumerate(own))
    return replace(found, n_best=ranked, limit=None, has_threshold=False)
