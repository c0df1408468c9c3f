"""How many digits a printed loss and a printed P need, so that one can be had from the other."""

from collections.abc import Callable

import numpy as np

from qa_demo.blocks import number, probability


def digits_of(value: float) -> int:
    """Three digits; four where three would leave less than two."""
    return 3 if abs(value) >= 0.0095 else 4


def enough(p: float, printed: Callable[[float], str]) -> str:
    """P with as many digits, three at least, as give the same printed result as P itself."""
    for d in range(3, 7):
        if round(p, d) > 0 and printed(round(p, d)) == printed(p):
            return probability(p, d)
    return probability(p, 6)


def fine(log_p: float, digits: int = 3) -> str:
    """P with as many digits as its printed -log P needs."""
    return enough(float(np.exp(log_p)), lambda p: number(-np.log(max(p, 1e-300)), digits))
