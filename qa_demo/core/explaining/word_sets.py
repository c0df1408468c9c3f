"""What is left of the target when a set of words is masked: each distinct set runs once."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.arrays import Floats, log_softmax
from qa_demo.core.errors import BadInput
from qa_demo.core.explaining.attribution import Target, parts
from qa_demo.core.reading.words import Words
from qa_demo.core.types import Span, Window

Scorer = Callable[[NDArray[np.bool_]], tuple[Floats, Floats]]
"""Start and end logits [b, n] of the window with each mask's places [b, n] replaced by [MASK]."""
WordSet = frozenset[int]
Looks = Mapping[WordSet, tuple[float, float]]
"""By the words that were masked: the target F in logits, and the span's probability m."""


def span_probability(
    target: Target, window: Window, start: Floats, end: Floats
) -> NDArray[np.float64]:
    """m for logits [..., n]: P_s[i] P_e[j] over the window; for a start or end its own factor."""
    i, j = window.to_pos(target.span.start), window.to_pos(target.span.end)
    log_start = log_softmax(start)[..., i] if target.kind != "end_logit" else 0.0
    log_end = log_softmax(end)[..., j] if target.kind != "start_logit" else 0.0
    m: NDArray[np.float64] = np.exp(log_start + log_end)
    return m


def order_of(values: Floats, candidates: tuple[int, ...]) -> tuple[int, ...]:
    """The candidate words from the largest value to the smallest; ties in the order of the text."""
    chosen = np.array(candidates, dtype=np.int64)
    return tuple(
        chosen[np.argsort(-np.asarray(values, dtype=np.float64)[chosen], kind="stable")].tolist()
    )


def answer_words(units: Words, target: Target, window: Window) -> tuple[int, ...]:
    """The words that hold the target's own span."""
    return units.holding(Span(window.to_pos(target.span.start), window.to_pos(target.span.end)))


def other_words(units: Words, target: Target, window: Window) -> tuple[int, ...]:
    """The words that may be masked: all but the span's own, whose loss always lowers its score.

    Errors: BadInput for a window with fewer than two of them.
    """
    kept = set(answer_words(units, target, window))
    chosen = tuple(k for k in range(len(units)) if k not in kept)
    if len(chosen) < 2:
        raise BadInput(
            f"masking words needs at least 2 words beside the span's own, this window has "
            f"{len(chosen)}"
        )
    return chosen


def masks_of(units: Words, sets: Sequence[WordSet]) -> NDArray[np.bool_]:
    """The positions of every set of words, [b, n]; special tokens belong to no word."""
    chosen = np.zeros((len(sets), len(units) + 1), dtype=bool)
    for row, each in zip(chosen, sets, strict=True):
        row[list(each)] = True
    return chosen[:, units.of]  # the word -1 of special tokens takes the last column, never chosen


def look(
    target: Target,
    window: Window,
    units: Words,
    sets: Iterable[WordSet],
    scorer: Scorer,
    known: Looks | None = None,
) -> dict[WordSet, tuple[float, float]]:
    """(F, m) of every set; those in `known` are not run again, others in one call of `scorer`."""
    found = {} if known is None else dict(known)
    missing = [each for each in dict.fromkeys(sets) if each not in found]
    if missing:
        s, e = scorer(masks_of(units, missing))
        f, m = np.add(*parts(target, window, s, e)), span_probability(target, window, s, e)
        found.update(zip(missing, zip(f.tolist(), m.tolist(), strict=True), strict=True))
    return found
