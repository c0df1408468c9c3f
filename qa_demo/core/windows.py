"""Cut a paragraph into overlapping windows and say which window owns each token.

Source: google-research/bert `run_squad.py`, `convert_examples_to_features` and
`_check_is_max_context`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.base import BadInput, Ints
from qa_demo.core.types import TAGS, Encoding, Reading, Window, WindowOptions


def plan(n_tokens: int, capacity: int, step: int) -> tuple[list[int], list[int]]:
    """Lay windows of `capacity` context tokens, each `step` after the last: where they start and
    where they stop (`doc`, half-open).

        o_0 = 0;  l_w = min(N - o_w, capacity);  stop when o_w + l_w = N
        o_{w+1} = o_w + min(l_w, step)

    The inner min keeps every token covered when step > capacity. Example: N = 10, capacity 4, step
    3 gives [0, 4), [3, 7), [6, 10). No tokens give no window.
    """
    starts, stops = list[int](), list[int]()
    start = 0
    while n_tokens > (stops[-1] if stops else 0):
        starts.append(start)
        stops.append(min(n_tokens, start + capacity))
        start += min(stops[-1] - start, step)
    return starts, stops


def max_context_owner(n_tokens: int, starts: list[int], stops: list[int]) -> Ints:
    """For every token the first window that sees it with the most context on its poorer side.

        score(w, p) = min(p - o_w, e_w - p) + 0.01 l_w;   owner(p) = first w with the largest score

    o_w and l_w as in `plan`, e_w = o_w + l_w - 1. Example: windows [0, 4) and [3, 7). Token 3 is
    the last of window 0 (0 to its right) and the first of window 1 (0 to its left): a tie, and ties
    go to the earlier window.
    """
    best = np.full(n_tokens, -np.inf)
    owner = np.full(n_tokens, -1, dtype=np.int64)
    for w, (start, stop) in enumerate(zip(starts, stops, strict=True)):
        p = np.arange(start, stop)
        score = np.minimum(p - start, stop - 1 - p) + 0.01 * (stop - start)
        better = score > best[start:stop]
        owner[start:stop][better] = w
        best[start:stop][better] = score[better]
    return owner


def fitting(options: WindowOptions, positions: int) -> WindowOptions:
    """The options for a reader of so many positions; the default ones are shortened where it has
    fewer. Errors: BadInput for others of more positions, and for a step as long as a window.

    E.g. 128 positions give windows of 128 with a step of 32, a quarter: three quarters are left for
    the question.
    """
    if options == WindowOptions() and positions < options.max_seq_length:
        options = WindowOptions(max_seq_length=positions, doc_stride=max(1, positions // 4))
    if options.max_seq_length > positions:
        raise BadInput(
            f"max_seq_length must be at most {positions}, the positions of this reader, got "
            f"{options.max_seq_length}"
        )
    if not 1 <= options.doc_stride < options.max_seq_length:
        raise BadInput(
            f"doc_stride must be at least 1 and less than max_seq_length "
            f"({options.max_seq_length}), got {options.doc_stride}"
        )
    return options


def capacity_of(encoding: Encoding, options: WindowOptions) -> int:
    """How many paragraph tokens a window holds: max_seq_length - question - special tokens. Errors:
    BadInput for a question that is too long, and options that would skip or repeat text.
    """
    q = len(encoding.question_ids)
    capacity = options.max_seq_length - q - encoding.n_special
    if q > options.max_query_length:
        raise BadInput(
            f"the question has {q:,} tokens, max_query_length allows {options.max_query_length}"
        )
    if capacity < 1:
        raise BadInput(
            f"max_seq_length {options.max_seq_length} leaves no room for the paragraph: the "
            f"question takes {q} and the special tokens {encoding.n_special}, so it must be at "
            f"least {q + encoding.n_special + 1}"
        )
    if not 1 <= options.doc_stride <= capacity:
        raise BadInput(
            f"doc_stride must be between 1 and the window's capacity ({capacity} tokens), got "
            f"{options.doc_stride}"
        )
    return capacity


def make_windows(encoding: Encoding, options: WindowOptions) -> tuple[Window, ...]:
    """Build an encoding's unpadded windows: prefix (with question), part of the context, suffix.
    Errors: BadInput for options that do not fit the question.
    """
    e, capacity, size = encoding, capacity_of(encoding, options), len(encoding.context_ids)
    starts, stops = plan(size, capacity, options.doc_stride)
    owner = max_context_owner(size, starts, stops)
    before, after = (np.zeros(len(ids), dtype=bool) for ids in (e.prefix_ids, e.suffix_ids))
    windows = []
    for w, (start, stop) in enumerate(zip(starts, stops, strict=True)):
        part = np.ones(stop - start, dtype=np.int64)
        ids = np.concatenate([e.prefix_ids, e.context_ids[start:stop], e.suffix_ids])
        types = np.concatenate([e.prefix_types, part * e.context_type, e.suffix_types])
        inside = np.concatenate([before, part == 1, after])
        owned = np.concatenate([before, owner[start:stop] == w, after])
        windows.append(Window(w, start, stop, len(before), ids, types, inside, owned))
    return tuple(windows)


WindowLogits = tuple[NDArray[np.float32], NDArray[np.float32] | None]
"""Start and end logits [n, 2] of a window and its tag logits [n, 3], None without a BIO head."""


def assemble(
    encoding: Encoding,
    windows: tuple[Window, ...],
    rows: Sequence[WindowLogits],
    options: WindowOptions,
    **about: Any,
) -> Reading:
    """A reading of the logits of each window, as arrays [W, L], NaN beyond a window's length;
    `about` holds the other fields.
    """
    longest = max((len(w) for w in windows), default=0)
    span = np.full((len(windows), longest, 2), np.nan, np.float32)
    tagged = all(t is not None for _, t in rows)
    tags = np.full((len(windows), longest, len(TAGS)), np.nan, np.float32) if tagged else None
    for w, (s, t) in zip(windows, rows, strict=True):
        span[w.index, : len(w)] = s
        if tags is not None and t is not None:
            tags[w.index, : len(w)] = t
    return Reading(encoding, windows, span[..., 0], span[..., 1], tags, options=options, **about)


def safe_length(reading: Reading) -> int:
    """The longest length, in tokens, at which the windows lose no span: half the overlap and 1.

    A start in the first half of an overlap counts in the earlier window, which must hold its end.
    Example: windows [0, 4) and [3, 7) give 1: token 3 counts in the first, so (3, 4) is lost. It
    may be less where the last window is 100 tokens or more shorter: others keep later starts then.
    """
    stops = np.array([window.doc_stop for window in reading.windows])[reading.owners]
    held = stops - np.arange(len(stops))  # from each start on, by the window in which it counts
    return int(held[stops < len(stops)].min(initial=len(stops)))
