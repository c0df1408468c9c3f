"""How the target falls as more and more words are masked, in the order of an explanation and in
random orders.

    comprehensiveness = m(x) - m(x without the top words)     high when they mattered
    sufficiency       = m(x) - m(x with only the top words)   low when they are enough

m is the probability of the target's span in its window, at fixed positions. Masked texts are unlike
anything the reader was trained on, so a number means little without the same number for random
words. The random orders are those whose first words are the random sets of
`core.explaining.chance`, so that the curve passes through the very drops that give the verdict.
Source: ERASER (DeYoung et al. 2020).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.arrays import Floats
from qa_demo.core.explaining.attribution import Target, rank_correlation
from qa_demo.core.explaining.chance import LEAST_SETS, Placed, RandomSets, Rank, band, rank
from qa_demo.core.explaining.word_sets import Looks, Scorer, look
from qa_demo.core.types import Reading

BINS = (0.01, 0.05, 0.10, 0.20, 0.50)
"""ERASER's shares of words masked; the area over the curve (AOPC) is the mean over these five."""
N_KEPT = LEAST_SETS
"""Random orders of the insertion curve, of which no verdict is given: the first of all."""


def bin_sizes(n_words: int) -> tuple[int, ...]:
    """0, ceil of each bin's share of n words, n. Example: 40 words give 0, 1, 2, 4, 8, 20, 40."""
    # The subtraction keeps 0.05 * 40 = 2.0000000000000004 from becoming 3.
    return (0, *(int(np.ceil(share * n_words - 1e-9)) for share in BINS), n_words)


def sizes_of(sets: RandomSets) -> tuple[int, ...]:
    """The sizes of the curves: those of the bins and that of the random sets, each once."""
    return tuple(sorted({*bin_sizes(len(sets.candidates)), sets.size}))


def passes_of(n_words: int, size: int, n_sets: int) -> int:
    """At most how many passes the random curves take beyond the random sets of `size` words."""
    inner = {*bin_sizes(n_words), size} - {0, n_words}
    return n_sets * len(inner - {size}) + N_KEPT * len(inner) + 1


@dataclass(frozen=True, eq=False)
class Curves:
    """R orders of the words: what is left of the target after masking the first k of them
    (deletion) or all but these (insertion).

    `orders` [R, n], `sizes` [K]; `deletion_f` and `deletion_m` [R, K]: target and span
    probability; `insertion_*` [R', K] for the first R' orders.
    """

    orders: NDArray[np.int64]
    sizes: tuple[int, ...]
    deletion_f: NDArray[np.float64]
    deletion_m: NDArray[np.float64]
    insertion_f: NDArray[np.float64]
    insertion_m: NDArray[np.float64]

    @property
    def drops(self) -> NDArray[np.float64]:
        """F(x) - F(x without the first k words), [R, K]."""
        return self.deletion_f[:, :1] - self.deletion_f

    @property
    def comprehensiveness(self) -> NDArray[np.float64]:
        """Mean over the five bins of m(x) - m(x without the top words), [R]."""
        return self._over_bins(self.deletion_m[:, :1] - self.deletion_m)

    @property
    def sufficiency(self) -> NDArray[np.float64]:
        """Mean over the five bins of m(x) - m(x with only the top words), [R']; may be negative."""
        return self._over_bins(self.insertion_m[:, -1:] - self.insertion_m)

    def _over_bins(self, lost: NDArray[np.float64]) -> NDArray[np.float64]:
        columns = [self.sizes.index(size) for size in bin_sizes(self.sizes[-1])[1:-1]]
        return np.asarray(lost[:, columns].mean(axis=1), dtype=np.float64)


def trace(
    reading: Reading,
    target: Target,
    orders: NDArray[np.int64],
    scorer: Scorer,
    sets: RandomSets,
    n_kept: int,
    known: Looks | None = None,
) -> Curves:
    """Deletion curves of all orders and insertion curves of the first `n_kept`; what the random
    sets have measured, and what is `known`, is not run again.
    """
    sizes, window = sizes_of(sets), reading.windows[sets.window]
    rows: list[list[int]] = orders.tolist()
    masked = [[frozenset(order[:k]) for k in sizes] for order in rows]
    kept = [[frozenset(order[k:]) for k in sizes] for order in rows[:n_kept]]
    wanted = [each for row in (*masked, *kept) for each in row]
    seen = look(target, window, sets.words, wanted, scorer, {**sets.looks(), **(known or {})})
    f, m = _tables(seen, masked)
    only_f, only_m = _tables(seen, kept)
    return Curves(orders, sizes, f, m, only_f, only_m)


def _tables(
    seen: Looks, rows: list[list[frozenset[int]]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    both = np.array([[seen[each] for each in row] for row in rows], dtype=np.float64)
    return both[..., 0], both[..., 1]


def random_curves(reading: Reading, target: Target, scorer: Scorer, sets: RandomSets) -> Curves:
    """The curves of the random orders: deletion of all, insertion of the first 19."""
    return trace(reading, target, sets.orders, scorer, sets, N_KEPT)


def curve(
    reading: Reading, target: Target, placed: Placed, scorer: Scorer, sets: RandomSets
) -> Curves:
    """Both curves of one explanation, a single row; the drop of its top words is the ranked one."""
    known = {frozenset(placed.order[: sets.size]): (placed.f, placed.m)}
    return trace(reading, target, np.array([placed.order]), scorer, sets, 1, known)


def ranks_along(one: Curves, random: Curves) -> tuple[Rank, ...]:
    """The rank of the drop at every size of a deletion curve; at the sets' size the verdict's."""
    return tuple(
        rank(float(drop), drops) for drop, drops in zip(one.drops[0], random.drops.T, strict=True)
    )


def chance_band(random: Curves) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """F at both edges of chance, [K] each: strictly below the lower one is more than chance."""
    least, most = band(random.drops)
    return random.deletion_f[0, 0] - most, random.deletion_f[0, 0] - least


def alike(first: Floats, other: Floats) -> float | None:
    """Rank correlation of two rankings by size of effect; None where one of them is constant."""
    a, b = (np.abs(np.asarray(values, dtype=np.float64)) for values in (first, other))
    return rank_correlation(a, b)
