"""Numbers as printed: sums that add up, probabilities that are never 0."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal

MINUS = "\u2212"
MIN_DECIMALS, MAX_DECIMALS = 2, 4


@dataclass(frozen=True)
class PrintedSum:
    """Addends and total with equally many decimals; `sign` is "=" when the printed numbers add up,
    else "≈".
    """

    addends: tuple[str, ...]
    total: str
    sign: str
    decimals: int


def _rounded(x: float, decimals: int) -> Decimal:
    return Decimal(repr(float(x))).quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_EVEN)


def number(x: float, decimals: int = MIN_DECIMALS) -> str:
    """A number with a real minus sign; -0.00 is printed 0.00."""
    value = _rounded(x, decimals)
    return f"{MINUS}{-value}" if value < 0 else f"{abs(value)}"


def exponential(log_x: float, decimals: int = 3) -> str:
    """exp(log_x) of any size: "< 0.001" where it would print 0, a power of ten from a million on.

    Example: log_x = 4787 gives "9.28 · 10^2078", which no float holds.
    """
    if log_x < math.log(0.5 * 10.0**-decimals):
        return f"< {10.0**-decimals:.{decimals}f}"
    if log_x < math.log(1e6):
        return number(math.exp(log_x), decimals)
    power = math.floor(log_x / math.log(10))
    mantissa = _rounded(math.exp(log_x - power * math.log(10)), 2)
    return f"{mantissa} · 10^{power}" if mantissa < 10 else f"1.00 · 10^{power + 1}"


def signed(x: float, decimals: int = MIN_DECIMALS) -> str:
    """A number that always carries its sign, for differences."""
    return number(x, decimals) if _rounded(x, decimals) < 0 else f"+{number(x, decimals)}"


def total(
    addends: Sequence[float], value: float | None = None, at_least: int = MIN_DECIMALS
) -> PrintedSum:
    """Print a sum with as few decimals (2 to 4) as its rounded addends need to add up to its
    rounded total, and the total to show.

    Example: 5.654 + 5.942 is printed with three decimals, since 5.65 + 5.94 does not give 11.60;
    1.374 - 1.372 too, whose total would be 0.00.
    `at_least` gives two sums that stand together the same decimals.
    """
    value = sum(addends) if value is None else value
    nothing = not _rounded(value, MAX_DECIMALS)
    for decimals in range(at_least, MAX_DECIMALS + 1):
        shown = _rounded(value, decimals)
        if sum(_rounded(a, decimals) for a in addends) == shown and (shown or nothing):
            return PrintedSum(
                tuple(number(a, decimals) for a in addends), number(value, decimals), "=", decimals
            )
    return PrintedSum(
        tuple(number(a, MAX_DECIMALS) for a in addends),
        number(value, MAX_DECIMALS),
        "\u2248",
        MAX_DECIMALS,
    )


def totals(
    sums: Sequence[tuple[Sequence[float], float | None]], at_least: int = MIN_DECIMALS
) -> list[PrintedSum]:
    """Sums that stand in one column: all with as few decimals (2 to 4) as the one that needs most.

    Example: 1.00 + 2.00 beside 5.654 + 5.942 is printed 1.000 + 2.000.
    """
    while True:
        found = [total(addends, value, at_least) for addends, value in sums]
        most = max((s.decimals for s in found), default=at_least)
        if all(s.decimals == most for s in found):
            return found
        at_least = most


def rest(shown: Sequence[float], value: float, decimals: int = MIN_DECIMALS) -> str:
    """The rest term of a long sum: the printed total minus the printed addends, so that the column
    adds up.
    """
    return str(
        number(
            float(_rounded(value, decimals) - sum(_rounded(s, decimals) for s in shown)), decimals
        )
    )


def decimals_for(values: Iterable[float], least: int = MIN_DECIMALS, most: int = 7) -> int:
    """The decimals of a column in which the value of the largest size keeps two digits: 0.2 needs
    `least`, 0.0031 needs four.
    """
    peak = max((abs(v) for v in values), default=0.0)
    return next((d for d in range(least, most) if peak >= 9.5 * 10.0**-d or peak == 0.0), most)


def effect(x: float, decimals: int = MIN_DECIMALS) -> str:
    """A signed number that is never 0.00: 0 when it is exactly that, else "< 0.01" for a size
    below what is printed.
    """
    if x == 0.0:
        return "0"
    return signed(x, decimals) if _rounded(x, decimals) else f"< {10.0**-decimals:.{decimals}f}"


def percent(p: float) -> str:
    """A probability in percent, never 0 % and never a 100 % that is not one."""
    if p < 0.01:
        return "< 1 %"
    if 0.99 < p < 1.0:
        return "> 99 %"
    return f"{round(100 * p)} %"


def probability(p: float, decimals: int = 3) -> str:
    """A probability with fixed decimals, never 0.000 and never a 1.000 that is not one."""
    floor = 10.0**-decimals
    if p < floor:
        return f"< {floor:.{decimals}f}"
    if 1.0 - floor < p < 1.0:
        return f"> {1.0 - floor:.{decimals}f}"
    return f"{p:.{decimals}f}"
