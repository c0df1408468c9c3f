"""One logit number by number, with the hidden states of one question or two.

logit = S . h + b_S, or E . h + b_E: the sum of d products and a bias.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.reading.heads import Anatomy, HeadWeights, Lane, anatomy

Vector = NDArray[np.float64]
Digits = tuple[int, int]
TRIED: tuple[Digits, ...] = ((3, 2), (3, 3), (4, 3), (4, 4))
"""Digits that the two factors of a product may be printed with; the product has two."""


@dataclass(frozen=True, eq=False)
class Products:
    """`vector` [d] and `bias` of a lane, hidden states [d] of one word, the first question's first;
    `found`: the largest products with that one, `digits`: how factors are printed.
    """

    lane: Lane
    vector: Vector
    bias: float
    states: tuple[Vector, ...]
    found: Anatomy
    digits: Digits

    @cached_property
    def all(self) -> Vector:
        """Every product with the first state, [d]."""
        return self.vector * self.states[0]

    @cached_property
    def order(self) -> list[int]:
        """The numbers by the size of their product, the largest first."""
        found: list[int] = np.argsort(-np.abs(self.all), kind="stable").tolist()
        return found

    @property
    def total(self) -> float:
        """The logit."""
        return float(self.all.sum() + self.bias)


def products_of(heads: HeadWeights, states: Sequence[Vector], lane: Lane) -> Products:
    """With the fewest digits by which most of the largest products are right on a calculator."""
    vector, bias = heads.vector(lane)
    found = anatomy(heads, states[0], lane)
    pairs = [(vector[k], h[k]) for k in found.dimensions for h in states]
    right = {digits: sum(holds(x, y, digits) for x, y in pairs) for digits in TRIED}
    digits = max(TRIED, key=lambda tried: (right[tried], -sum(tried)))
    return Products(lane, vector, bias, tuple(states), found, digits)


def holds(x: float, y: float, digits: Digits) -> bool:
    """Whether the printed factors give the printed product; e.g. not 0.125 * 8 by (1, 1)."""
    printed = round(x, digits[0]) * round(y, digits[1])
    return round(float(printed), 2) == round(float(x * y), 2)
