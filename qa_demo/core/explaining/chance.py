"""Is a drop larger than chance? Its rank among the drops of random word sets of equal size.

    p = (1 + number of random sets whose drop is at least as large) / (N + 1)

If the explanation's words were no better than words drawn blindly, every rank would be equally
likely, and p <= 1/20 would happen at most once in twenty. A rank asks nothing of the shape of the
drops: a mean and a spread mislead, because a few sets hold the word that everything hangs on.
Source: Monte Carlo tests (Davison and Hinkley 1997, section 4.2; Phipson and Smyth 2010).
"""

import hashlib
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.arrays import Floats, freeze_arrays
from qa_demo.core.errors import BadInput
from qa_demo.core.explaining.attribution import Target, window_of
from qa_demo.core.explaining.word_sets import Scorer, WordSet, look, order_of, other_words
from qa_demo.core.reading.words import Words, words
from qa_demo.core.types import Reading, Window

N_SETS = 100
ONE_IN = 20
"""A rank beyond chance is one that chance reaches at most once in so many."""
LEAST_SETS = ONE_IN - 1
"""With fewer random sets no rank can be that rare."""
TOP = 3
Standing = Literal["larger", "chance", "smaller"]


def cut(n_sets: int) -> int:
    """c = floor((N + 1) / 20): beyond chance is what exceeds the c-th largest of N random drops.
    Example: 100 sets give 5, so that a drop larger than 96 of them counts.
    """
    if n_sets < LEAST_SETS:
        raise BadInput(
            f"a rank is beyond chance only among at least {LEAST_SETS} random sets, got {n_sets}"
        )
    return (n_sets + 1) // ONE_IN


def band(drops: Floats) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The c-th smallest and c-th largest of random drops [N, ...]; outside is beyond chance."""
    ordered, c = np.sort(np.asarray(drops, dtype=np.float64), axis=0), cut(len(drops))
    return ordered[c - 1], ordered[-c]


@dataclass(frozen=True)
class Rank:
    """Where a drop stands among N random ones: how many of them are smaller, equal and larger."""

    drop: float
    below: int
    equal: int
    above: int

    @property
    def n_sets(self) -> int:
        """N."""
        return self.below + self.equal + self.above

    @property
    def standing(self) -> Standing:
        """larger when p_larger = (1 + equal + above) / (N + 1) <= 1/20, smaller when p_smaller = (1
        + equal + below) / (N + 1) <= 1/20, else chance.
        """
        c = cut(self.n_sets)
        if 1 + self.equal + self.above <= c:
            return "larger"
        return "smaller" if 1 + self.equal + self.below <= c else "chance"


def rank(drop: float, drops: Floats) -> Rank:
    """The rank of one drop among random ones [N]: p_larger = (1 + equal + above) / (N + 1).

    Errors: BadInput for fewer than 19, or for a drop that is not a number.
    """
    others = np.asarray(drops, dtype=np.float64)
    cut(len(others))
    if not (np.isfinite(drop) and np.isfinite(others).all()):
        raise BadInput("a drop that is not finite has no rank")
    return Rank(
        float(drop), *(int(found.sum()) for found in (others < drop, others == drop, others > drop))
    )


def seed_of(reading: Reading, window: Window) -> int:
    """The seed of the draws: it follows from question, paragraph and window, so that everyone draws
    the same sets, whatever the reader, target or method.
    """
    text = "\0".join(
        (
            reading.encoding.question,
            reading.encoding.context,
            f"{window.doc_start} {window.doc_stop}",
        )
    )
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big")


@dataclass(frozen=True, eq=False)
class RandomSets:
    """What N random word sets do to the target: each is the first `size` words of an order.

    `orders` [N, n]: the n words that may be masked, in N random orders (never the span's own);
    `f` and `m` [N]: target and span probability with the set masked; `f_x`, `m_x` with nothing
    masked.
    """

    window: int
    words: Words
    candidates: tuple[int, ...]
    orders: NDArray[np.int64]
    size: int
    f_x: float
    m_x: float
    f: NDArray[np.float64]
    m: NDArray[np.float64]

    def __post_init__(self) -> None:
        freeze_arrays(self)

    @property
    def drops(self) -> NDArray[np.float64]:
        """F(x) - F(x without the set), [N]."""
        return self.f_x - self.f

    def sets(self) -> list[WordSet]:
        """The N sets."""
        return [frozenset(order) for order in self.orders[:, : self.size].tolist()]

    def looks(self) -> dict[WordSet, tuple[float, float]]:
        """(F, m) of every set that was run, nothing masked included."""
        found = {frozenset[int](): (self.f_x, self.m_x)}
        for chosen, f, m in zip(self.sets(), self.f.tolist(), self.m.tolist(), strict=True):
            found[chosen] = (f, m)
        return found


def draw(
    reading: Reading, target: Target, scorer: Scorer, n_sets: int = N_SETS, top: int = TOP
) -> RandomSets:
    """Mask `n_sets` random sets of `top` words (fewer where the window has fewer), the same for
    every method.

    Errors: BadInput for fewer than 19 sets or fewer than two words that may be masked.
    """
    cut(n_sets)
    window = window_of(reading, target)
    units = words(reading.encoding, window)
    candidates = other_words(units, target, window)
    rng, size = np.random.default_rng(seed_of(reading, window)), min(top, len(candidates))
    orders = np.stack([rng.permutation(candidates) for _ in range(n_sets)])
    sets = [frozenset(order) for order in orders[:, :size].tolist()]
    seen = look(target, window, units, [frozenset(), *sets], scorer)
    f, m = (np.array([seen[each][k] for each in sets]) for k in (0, 1))
    f_x, m_x = seen[frozenset()]
    return RandomSets(window.index, units, candidates, orders, size, f_x, m_x, f, m)


@dataclass(frozen=True)
class Placed:
    """The top words of one explanation, and where their drop stands among the random sets."""

    order: tuple[int, ...]
    top: tuple[str, ...]
    f: float
    m: float
    rank: Rank


def place(
    reading: Reading, target: Target, values: Floats, scorer: Scorer, sets: RandomSets
) -> Placed:
    """Mask the top words of a ranking (values [U] per word, large first) and rank the drop."""
    order = order_of(values, sets.candidates)
    first = frozenset(order[: sets.size])
    window = reading.windows[sets.window]
    f, m = look(target, window, sets.words, [first], scorer, sets.looks())[first]
    named = tuple(sets.words.items[k].text for k in order[: sets.size])
    return Placed(order, named, f, m, rank(sets.f_x - f, sets.drops))
