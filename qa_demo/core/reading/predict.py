"""Reading + options -> Prediction: the whole decode on one page."""

from dataclasses import replace

import numpy as np

from qa_demo.core.errors import BadInput
from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.reading.legal import check_decode
from qa_demo.core.reading.predicted import Candidate, Prediction, Ranked
from qa_demo.core.reading.scales import (
    NULLS,
    SCALES,
    Scale,
    Terms,
    check_merge,
    no_answer_limit,
    threshold_decides,
)
from qa_demo.core.reading.spans import (
    Ints,
    cell_scores,
    make_candidate,
    shares,
    top_grid,
    top_spans,
)
from qa_demo.core.types import Reading, Window

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
