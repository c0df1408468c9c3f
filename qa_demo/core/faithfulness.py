"""Does an explanation name what the reader rests on? Mask its top words, keep only its top words,
and compare with chance.

    comprehensiveness = m(x) - m(x without the top words)     high when they mattered
    sufficiency       = m(x) - m(x with only the top words)   low when they are enough

m is the probability of the target's span in its window, at fixed positions. Masked texts are unlike
anything the reader was trained on, so a number means little without the same number for random
words. Source: ERASER (DeYoung et al. 2020).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.arrays import Floats, log_softmax
from qa_demo.core.attribution import Target, parts, rank_correlation, window_of
from qa_demo.core.errors import BadInput
from qa_demo.core.types import Reading, Span, Window
from qa_demo.core.words import Words, words

BINS = (0.01, 0.05, 0.10, 0.20, 0.50)
"""ERASER's shares of words masked; the area over the curve (AOPC) is the mean over these five."""
N_RANDOM = 8
TOP = 3

Scorer = Callable[[NDArray[np.bool_]], tuple[Floats, Floats]]
"""Start and end logits [b, n] of the window with the positions of each mask [b, n] replaced by
[MASK].
"""


@dataclass(frozen=True, eq=False)
class Curve:
    """One order of the words: what is left of the target after masking its first k (deletion) or
    all but its first k (insertion).

    `sizes` [K]: 0, the five bins, all. `*_f` is the target F in logits, `*_m` the probability m;
    all [K].
    """

    order: tuple[int, ...]
    sizes: tuple[int, ...]
    deletion_f: NDArray[np.float64]
    deletion_m: NDArray[np.float64]
    insertion_f: NDArray[np.float64]
    insertion_m: NDArray[np.float64]

    @property
    def comprehensiveness(self) -> float:
        """Mean over the five bins of m(x) - m(x without the top words)."""
        return float((self.deletion_m[0] - self.deletion_m[1:-1]).mean())

    @property
    def sufficiency(self) -> float:
        """Mean over the five bins of m(x) - m(x with only the top words); may be negative."""
        return float((self.deletion_m[0] - self.insertion_m[1:-1]).mean())


@dataclass(frozen=True, eq=False)
class Faithfulness:
    """Curves by explanation and of random orders, in one window. `spared`: the answer's own words
    were never masked.
    """

    window: int
    words: Words
    candidates: tuple[int, ...]
    spared: bool
    curves: dict[str, Curve]
    random: tuple[Curve, ...]

    def spread(self, what: str) -> tuple[float, float]:
        """Mean and standard deviation over the random orders of `comprehensiveness` or
        `sufficiency`.
        """
        return mean_and_spread(np.array([getattr(curve, what) for curve in self.random]))

    def band(self, what: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean and standard deviation over the random orders of one of the four curves, [K]
        each.
        """
        rows = np.stack([getattr(curve, what) for curve in self.random])
        return rows.mean(axis=0), rows.std(axis=0, ddof=1)


def mean_and_spread(values: Floats) -> tuple[float, float]:
    """Mean and standard deviation (n - 1)."""
    return float(np.mean(values)), float(np.std(values, ddof=1))


def span_probability(
    target: Target, window: Window, start: Floats, end: Floats
) -> NDArray[np.float64]:
    """m for logits [..., n]: P_s[i] P_e[j] over all positions of the window; for a start or end
    target only its own factor.
    """
    i, j = window.to_pos(target.span.start), window.to_pos(target.span.end)
    log_start = log_softmax(start)[..., i] if target.kind != "end_logit" else 0.0
    log_end = log_softmax(end)[..., j] if target.kind != "start_logit" else 0.0
    m: NDArray[np.float64] = np.exp(log_start + log_end)
    return m


def bin_sizes(n_words: int) -> tuple[int, ...]:
    """0, ceil of each bin's share of n words, n. Example: 40 words give 0, 1, 2, 4, 8, 20, 40."""
    # The subtraction keeps 0.05 * 40 = 2.0000000000000004 from becoming 3.
    return (0, *(int(np.ceil(share * n_words - 1e-9)) for share in BINS), n_words)


def order_of(values: Floats, candidates: tuple[int, ...]) -> tuple[int, ...]:
    """The candidate words from the largest value to the smallest; ties in the order of the text."""
    chosen = np.array(candidates, dtype=np.int64)
    return tuple(
        chosen[np.argsort(-np.asarray(values, dtype=np.float64)[chosen], kind="stable")].tolist()
    )


def answer_words(units: Words, target: Target, window: Window) -> tuple[int, ...]:
    """The words that hold the target's own span."""
    return units.holding(Span(window.to_pos(target.span.start), window.to_pos(target.span.end)))


def _candidates(
    units: Words, target: Target, window: Window, spare_answer: bool
) -> tuple[int, ...]:
    kept = set(answer_words(units, target, window)) if spare_answer else set()
    chosen = tuple(k for k in range(len(units)) if k not in kept)
    if len(chosen) < 2:
        raise BadInput(
            f"a deletion curve needs at least 2 words that may be masked, this window has "
            f"{len(chosen)}"
        )
    return chosen


def measure(
    reading: Reading,
    target: Target,
    rankings: Mapping[str, Floats],
    scorer: Scorer,
    rng: np.random.Generator,
    spare_answer: bool = False,
    n_random: int = N_RANDOM,
) -> Faithfulness:
    """Deletion and insertion curves of every ranking (values [U] per word, large first) and of
    `n_random` random orders.

    All masks go to `scorer` in one call, each distinct one once. With `spare_answer` the answer's
    words are neither masked nor counted. Errors: BadInput for fewer than two random orders (no
    spread) or fewer than two words.
    """
    if n_random < 2:
        raise BadInput(f"a spread needs at least 2 random orders, got {n_random}")
    window = window_of(reading, target)
    units = words(reading.encoding, window)
    candidates = _candidates(units, target, window, spare_answer)
    orders = [order_of(values, candidates) for values in rankings.values()]
    orders += [tuple(rng.permutation(candidates).tolist()) for _ in range(n_random)]
    sizes = bin_sizes(len(candidates))
    masked = [[frozenset(order[:k]) for k in sizes] for order in orders]
    kept = [[frozenset(order[k:]) for k in sizes] for order in orders]
    wanted = {chosen: None for rows in (*masked, *kept) for chosen in rows}
    s, e = scorer(np.stack([units.positions(chosen) for chosen in wanted]))
    f = np.add(*parts(target, window, s, e))
    m = span_probability(target, window, s, e)
    place = {chosen: at for at, chosen in enumerate(wanted)}
    curves = []
    for order, out, only in zip(orders, masked, kept, strict=True):
        a, b = [place[chosen] for chosen in out], [place[chosen] for chosen in only]
        curves.append(Curve(order, sizes, f[a], m[a], f[b], m[b]))
    named = dict(zip(rankings, curves[: len(rankings)], strict=True))
    return Faithfulness(
        window.index, units, candidates, spare_answer, named, tuple(curves[len(rankings) :])
    )


@dataclass(frozen=True)
class Verdict:
    """The numbers of the one sentence: masking the k top words lowers F by `drop`, k random words
    by `random` +/- `spread`.

    `agreement` holds rank correlations (over words, of the size of the effect) between methods;
    `shuffled` the one between the reader's own explanation and that of a copy with shuffled
    weights. None where one side is constant.
    """

    top: tuple[str, ...]
    drop: float
    random: float
    spread: float
    n_random: int
    agreement: dict[str, float | None]
    shuffled: float | None

    @property
    def beyond_chance(self) -> bool:
        """Whether the drop is more than two standard deviations above that of random words."""
        return self.drop > self.random + 2 * self.spread


def verdict(
    reading: Reading,
    target: Target,
    rankings: Mapping[str, Floats],
    chosen: str,
    scorer: Scorer,
    rng: np.random.Generator,
    shuffled: Floats | None = None,
    spare_answer: bool = True,
    top: int = TOP,
    n_random: int = N_RANDOM,
) -> Verdict:
    """Mask the `top` words of the chosen ranking, and as many random ones `n_random` times; compare
    all rankings with the chosen one.

    By default the answer's own words are spared: masking them always lowers its score.
    """
    if chosen not in rankings:
        raise BadInput(f"there is no explanation {chosen[:40]!r}; given are {', '.join(rankings)}")
    if n_random < 2:
        raise BadInput(f"a spread needs at least 2 random draws, got {n_random}")
    window = window_of(reading, target)
    units = words(reading.encoding, window)
    candidates = _candidates(units, target, window, spare_answer)
    first = order_of(rankings[chosen], candidates)[:top]
    size = len(first)
    draws = [
        tuple(rng.choice(candidates, size=size, replace=False).tolist()) for _ in range(n_random)
    ]
    s, e = scorer(np.stack([units.positions(each) for each in ((), first, *draws)]))
    f = np.add(*parts(target, window, s, e))
    others = {name: values for name, values in rankings.items() if name != chosen}
    return Verdict(
        tuple(units.items[k].text for k in first),
        float(f[0] - f[1]),
        *mean_and_spread(f[0] - f[2:]),
        n_random,
        {name: _alike(rankings[chosen], values) for name, values in others.items()},
        None if shuffled is None else _alike(rankings[chosen], shuffled),
    )


def _alike(first: Floats, other: Floats) -> float | None:
    """Rank correlation by size of effect."""
    a, b = (np.abs(np.asarray(values, dtype=np.float64)) for values in (first, other))
    return rank_correlation(a, b)
