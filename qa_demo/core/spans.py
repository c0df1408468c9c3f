"""Every pair of a start and an end in one window: its score, its probability, and the best ones
among the legal.

A pair (i, j) is written in `pos`; its score is start_logits[i] + end_logits[j], so the n x n matrix
holds no more than its two margins and the mask. Ties, of nine decimals, are broken by the lower
start, then the lower end.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike, NDArray

from qa_demo.core.base import BadInput, Floats, log_softmax, logsumexp, softmax, tied
from qa_demo.core.text import words_inside
from qa_demo.core.types import DecodeOptions, Encoding, Reading, Span, Window

Bools = NDArray[np.bool_]
REASONS = ("legal", "outside the paragraph", "end before start", "too long", "not owned")
"""What a cell's code in `reason_codes` means; the first reason that holds is the one named."""


def check_decode(options: DecodeOptions) -> None:
    """Refuse limits under which nothing could be listed."""
    for name in ("max_answer_length", "n_best_size"):
        if getattr(options, name) < 1:
            raise BadInput(f"{name} must be at least 1, got {getattr(options, name)}")
    if not np.isfinite(options.null_score_diff_threshold):
        raise BadInput(
            f"null_score_diff_threshold must be a finite number, got "
            f"{options.null_score_diff_threshold}"
        )


def allowed_starts(window: Window, copies: str = "max_context") -> Bools:
    """Positions [n] that may start an answer: owned context tokens, or with copies = "all" any."""
    return window.is_max_context if copies == "max_context" else window.is_context


def reason_codes(
    window: Window, i: ArrayLike, j: ArrayLike, options: DecodeOptions, copies: str = "max_context"
) -> NDArray[np.int8]:
    """Index into `REASONS` for every pair of the broadcast positions i and j.

    Only the start must be owned (run_squad.py, `write_predictions`): a window may finish a span
    that runs into tokens its neighbour owns.
    """
    i, j = np.asarray(i), np.asarray(j)
    inside, start_ok = window.is_context, allowed_starts(window, copies)
    return np.select(
        [
            ~(inside[i] & inside[j]),
            j < i,
            j - i + 1 > options.max_answer_length,
            np.broadcast_to(~start_ok[i], np.broadcast(i, j).shape),
        ],
        [1, 2, 3, 4],
        0,
    ).astype(np.int8)


def reason_matrix(
    window: Window, options: DecodeOptions, copies: str = "max_context"
) -> NDArray[np.int8]:
    """`reason_codes` of all n x n cells, rows = starts."""
    at = np.arange(len(window))
    return reason_codes(window, at[:, None], at[None, :], options, copies)


def count_spans(windows: Iterable[Window], options: DecodeOptions) -> int:
    """How many cells of all windows are legal: each owned start with the ends left to it."""
    most = options.max_answer_length
    return sum(int(np.minimum(most, w.doc_stop - w.owned).sum()) for w in windows)


def reason(
    window: Window, i: int, j: int, options: DecodeOptions, copies: str = "max_context"
) -> str | None:
    """Why the cell (i, j) is no legal answer, or None."""
    n = len(window)
    if not (0 <= i < n and 0 <= j < n):
        raise BadInput(
            f"cell ({i}, {j}) is outside window {window.index}; positions are 0 to {n - 1}"
        )
    code = int(reason_codes(window, i, j, options, copies))
    return REASONS[code] if code else None


@dataclass(frozen=True)
class Candidate:
    """One span of one window: the row that a table prints."""

    window: int
    span: Span  # doc
    char_start: int
    char_end: int
    text: str
    start_logit: float
    end_logit: float

    @property
    def score(self) -> float:
        """start_logit + end_logit, to nine decimals."""
        return round(self.start_logit + self.end_logit, 9)


Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Cell:
    """One cell of a window's score matrix in `pos`, legal or not; `reason` is None if legal."""

    window: int
    start_pos: int
    end_pos: int
    start_logit: float
    end_logit: float
    reason: str | None = None

    @property
    def score(self) -> float:
        """start_logit + end_logit, to nine decimals."""
        return round(self.start_logit + self.end_logit, 9)


def span_scores(start_logits: Floats, end_logits: Floats) -> Floats:
    """scores[i, j] = start_logits[i] + end_logits[j], [n, n]; e.g. [1, 2] and [0, 5] give [[1, 6],
    [2, 7]].
    """
    return tied(
        np.add.outer(
            np.asarray(start_logits, dtype=np.float64), np.asarray(end_logits, dtype=np.float64)
        )
    )


def cell_scores(start: Floats, end: Floats, cells: Ints) -> Floats:
    """start[i] + end[j] of cells (i, j) [k, 2], double precision, [k]."""
    s, e = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    return tied(s[cells[:, 0]] + e[cells[:, 1]])


def _highest(values: Floats, at: Ints, n: int) -> Ints:
    """The n of the places `at` with the highest values, best first; ties keep their order."""
    if len(at) > n:
        at = at[values[at] >= np.partition(values[at], len(at) - n)[len(at) - n]]
    return at[np.argsort(-values[at], kind="stable")][:n]


def top_spans(
    start: Floats,
    end: Floats,
    window: Window,
    options: DecodeOptions,
    copies: str = "max_context",
    n: int | None = None,
) -> Ints:
    """The exact n best legal cells of one window as rows (i, j), best first; [k, 2] with k <= n.

    Only a band of max_answer_length cells right of the diagonal is formed: O(n M) and not O(n^2). A
    cell whose sum is -inf has no mass and is never returned. n defaults to options.n_best_size.
    """
    n = options.n_best_size if n is None else n
    first, stop = window.context_at, window.context_at + window.doc_stop - window.doc_start
    starts = np.flatnonzero(allowed_starts(window, copies))
    width = min(options.max_answer_length, stop - first)
    if not len(starts) or n < 1:
        return np.empty((0, 2), dtype=np.int64)
    ends = np.concatenate(
        [np.asarray(end, dtype=np.float64)[first:stop], np.full(width - 1, -np.inf)]
    )
    band = (
        np.asarray(start, dtype=np.float64)[starts, None]
        + sliding_window_view(ends, width)[starts - first]
    )
    flat = tied(band.ravel())
    # Row-major order is lower start, then lower end, which is kept among equal scores.
    best = _highest(flat, np.flatnonzero(flat > -np.inf), n)
    return np.stack([starts[best // width], starts[best // width] + best % width], axis=1)


def legal_logsumexp(
    start: Floats, end: Floats, window: Window, options: DecodeOptions, copies: str = "max_context"
) -> float:
    """log of the sum of exp(start[i] + end[j]) over a window's legal cells; -inf without any."""
    cells = top_spans(start, end, window, options, copies, n=len(window) ** 2)
    return float(logsumexp(cell_scores(start, end, cells))) if len(cells) else -np.inf


def top_positions(logits: Floats, n: int) -> Ints:
    """The n highest positions of a window, context or not; ties keep the lower index."""
    order: Ints = np.argsort(-np.asarray(logits, dtype=np.float64), kind="stable")
    return order[:n]


def top_grid(
    start: Floats, end: Floats, window: Window, options: DecodeOptions, copies: str = "max_context"
) -> Ints:
    """BERT's search: legal cells among the n_best_size top starts x top ends, best first, [k, 2].

    The n are taken over all positions before anything is filtered, so that question tokens and
    [CLS] use up places (run_squad.py, `write_predictions`).
    """
    i, j = (np.sort(top_positions(x, options.n_best_size)) for x in (start, end))
    ok = reason_codes(window, i[:, None], j[None, :], options, copies) == 0
    cells = np.stack([np.repeat(i, len(j)), np.tile(j, len(i))], axis=1)[ok.ravel()]
    values = cell_scores(start, end, cells)
    cells, values = cells[values > -np.inf], values[values > -np.inf]
    ranked: Ints = cells[np.argsort(-values, kind="stable")]
    return ranked


def make_cell(
    reading: Reading,
    window: int,
    i: int,
    j: int,
    options: DecodeOptions,
    copies: str = "max_context",
) -> Cell:
    """The cell (i, j) of a window with its two logits and its reason."""
    s, e = reading.logits(window)
    why = reason(reading.windows[window], i, j, options, copies)
    return Cell(window, int(i), int(j), float(s[i]), float(e[j]), why)


def make_candidate(reading: Reading, window: int, i: int, j: int) -> Candidate:
    """A cell with start <= end in the context as a candidate: `doc` span, characters, text."""
    w, (s, e) = reading.windows[window], reading.logits(window)
    span = Span(w.to_doc(int(i)), w.to_doc(int(j)))
    char_start, char_end = reading.encoding.chars(span)
    return Candidate(
        window, span, char_start, char_end, reading.encoding.text(span), float(s[i]), float(e[j])
    )


def best_span(reading: Reading, window: Window, decode: DecodeOptions) -> Candidate | None:
    """The window's best allowed span; one without a character is none."""
    for i, j in top_spans(*reading.logits(window.index), window, decode).tolist():
        found = make_candidate(reading, window.index, i, j)
        if found.char_start < found.char_end:
            return found
    return None


def separate_argmaxes(
    reading: Reading, window: int, options: DecodeOptions, copies: str = "max_context"
) -> Cell:
    """The highest start and end of a window's context, each for itself; `reason` if illegal. Of
    equal ones the first that form a legal pair.
    """
    w = reading.windows[window]
    at = np.flatnonzero(w.is_context)
    i, j = (at[x[at] == x[at].max()] for x in reading.logits(window))
    fits = reason_codes(w, i[:, None], j[None, :], options, copies) == 0
    row, column = np.unravel_index(int(np.argmax(fits)), fits.shape)
    return make_cell(reading, window, int(i[row]), int(j[column]), options, copies)


def window_prob(reading: Reading, window: int, i: int, j: int, temperature: float = 1.0) -> float:
    """P_s(i) P_e(j) of one cell: two softmaxes over all positions of the window, logits / T."""
    s, e = (x.astype(np.float64) / temperature for x in reading.logits(window))
    return float(softmax(s)[i] * softmax(e)[j])


def shares(values: Floats) -> Floats:
    """Softmax among the listed values; it changes with the list's length; equal without mass."""
    if not len(values):
        return np.empty(0)
    return softmax(values if np.max(values) > -np.inf else np.zeros(len(values)))


class Pair(NamedTuple):
    """A pair of positions, its score, and log P(start) + log P(end)."""

    i: int
    j: int
    score: float
    logs: float


def scored_pair(start: Floats, end: Floats, i: int, j: int) -> Pair:
    """The pair (i, j) under the logits [n] of one window."""
    logs = float(log_softmax(start)[i] + log_softmax(end)[j])
    return Pair(i, j, float(start[i] + end[j]), logs)


def best_pairs(
    start: Floats,
    end: Floats,
    window: Window,
    encoding: Encoding,
    options: DecodeOptions,
    right: Pair,
    most: int = 5,
) -> list[Pair]:
    """The pairs with the highest scores, "no answer" and the right pair among them. Of variants
    that differ by a mark or by part of a word the best stands alone.
    """
    best = dict[tuple[int, int], Pair]()
    for i, j in top_spans(start, end, window, options, n=200).tolist():
        inside = words_inside(encoding, Span(window.to_doc(i), window.to_doc(j)))
        best.setdefault(inside, scored_pair(start, end, i, j))
        if len(best) == most:
            break
    null = scored_pair(start, end, window.cls_at, window.cls_at)
    found = sorted([null, *best.values()], key=lambda p: -p.score)[:most]
    if right not in found:
        found = sorted([*found[: most - 1], right], key=lambda p: -p.score)
    return found
