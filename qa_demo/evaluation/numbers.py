"""Numbers as printed: the nearest decimal of the exact binary value, sums that add up,
probabilities that are never 0.

Exact ties go away from zero, as `toFixed` does in the browser (assets/report/shared/numbers.js
has the same functions): 0.125 is printed 0.13, -0.125 −0.13; 1.005 is 1.00, since its binary value
lies below.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal

MINUS = "\u2212"
MIN_DECIMALS, MAX_DECIMALS = 2, 4
FINEST = 6
"""The most decimals of values that a sentence compares."""


@dataclass(frozen=True)
class PrintedSum:
    """Addends and total with equally many decimals; `sign` is "=" when they add up, else "≈"."""

    addends: tuple[str, ...]
    total: str
    sign: str
    decimals: int

    @property
    def told(self) -> str:
        """The total of a table's row, with "≈" before it where its addends miss it."""
        return self.total if self.sign == "=" else f"{self.sign} {self.total}"


EXACT = Context(prec=400, rounding=ROUND_HALF_UP)
"""Enough digits for every float: the largest has 309 before the point."""


def units(x: float, decimals: int) -> int:
    """How many of its last printed places a number is: 0.125 with two decimals is 13 of 0.01.

    Errors: ValueError for a number that is not finite.
    """
    if not math.isfinite(x):
        raise ValueError(f"a number on the page must be finite, got {x}")
    scaled = EXACT.scaleb(Decimal(float(x)), decimals)
    return int(scaled.to_integral_value(ROUND_HALF_UP))


def rounded(x: float, decimals: int = MIN_DECIMALS) -> float:
    """The number that `number` prints, to compute with."""
    return _of_units(units(x, decimals), decimals)


def _of_units(count: int, decimals: int) -> float:
    return float(EXACT.scaleb(Decimal(count), -decimals))


def number(x: float, decimals: int = MIN_DECIMALS) -> str:
    """A number with a real minus sign; -0.00 is printed 0.00."""
    value = units(x, decimals)
    digits = str(abs(value)).zfill(decimals + 1)
    text = f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits
    return f"{MINUS}{text}" if value < 0 else text


def grouped(x: float, decimals: int = 0) -> str:
    """A number with its thousands apart: 12,345.6."""
    whole, point, tail = number(x, decimals).partition(".")
    return f"{whole[: whole.startswith(MINUS)]}{int(whole.removeprefix(MINUS)):,}{point}{tail}"


def adds_up(addends: Iterable[float], value: float, decimals: int) -> bool:
    """Whether numbers give their sum as printed with so many decimals: 5.65 + 5.94 is not 11.60."""
    return sum(units(a, decimals) for a in addends) == units(value, decimals)


def moved(before: float, after: float, decimals: int = MIN_DECIMALS) -> float:
    """after - before as printed: 0.014 to 0.016 is 0.01 to 0.02, a difference of 0.01."""
    return _of_units(units(after, decimals) - units(before, decimals), decimals)


def exponential(log_x: float, decimals: int = 3) -> str:
    """exp(log_x) of any size: "< 0.001" where it would print 0, a power of ten from a million on.

    Example: log_x = 4787 gives "9.28 · 10^2078", which no float holds.
    """
    if log_x < math.log(0.5 * 10.0**-decimals):
        return f"< {number(10.0**-decimals, decimals)}"
    if log_x < math.log(1e6):
        return number(math.exp(log_x), decimals)
    power = math.floor(log_x / math.log(10))
    mantissa = math.exp(log_x - power * math.log(10))
    if units(mantissa, 2) >= 1000:
        return f"1.00 · 10^{power + 1}"
    return f"{number(mantissa, 2)} · 10^{power}"


def signed(x: float, decimals: int = MIN_DECIMALS) -> str:
    """A number that always carries its sign, for differences."""
    return number(x, decimals) if units(x, decimals) < 0 else f"+{number(x, decimals)}"


def bracketed(text: str) -> str:
    """A printed number that is added or subtracted: in brackets if it is negative."""
    return f"({text})" if text.startswith(MINUS) else text


def total(
    addends: Sequence[float],
    value: float | None = None,
    at_least: int = MIN_DECIMALS,
    most: int = MAX_DECIMALS,
) -> PrintedSum:
    """Print a sum with as few decimals (2 to 4) as its rounded addends need to add up to its
    rounded total, and the total to show.

    Example: 5.654 + 5.942 is printed with three decimals, since 5.65 + 5.94 does not give 11.60;
    1.374 - 1.372 too, whose total would be 0.00.
    `at_least` gives two sums that stand together the same decimals; above 4 it is also the most.
    `most` is 2 for the rows of a long list: alike to the eye, and about equal where need be.
    """
    value = sum(addends) if value is None else value
    most = max(at_least, most)
    nothing = not units(value, most)
    for decimals in range(at_least, most + 1):
        if adds_up(addends, value, decimals) and (units(value, decimals) or nothing):
            return _printed(addends, value, "=", decimals)
    return _printed(addends, value, "\u2248", most)


def _printed(addends: Iterable[float], value: float, sign: str, decimals: int) -> PrintedSum:
    shown = tuple(number(a, decimals) for a in addends)
    return PrintedSum(shown, number(value, decimals), sign, decimals)


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
    """The rest term of a long sum: the printed total minus the printed addends."""
    left = units(value, decimals) - sum(units(s, decimals) for s in shown)
    return number(_of_units(left, decimals), decimals)


def difference(a: float, b: float, unlike: float = 0.0) -> tuple[str, str, str]:
    """a, b and a - b as printed, with as many decimals (2 to 4) as it takes to come out and to
    differ from `unlike` as printed, unless it is just that.
    """
    for least in range(MIN_DECIMALS, MAX_DECIMALS + 1):
        decimals = total([a, -b], at_least=least).decimals
        gap = rest([b], a, decimals)
        if gap != number(unlike, decimals) or a - b == unlike:
            break
    return number(a, decimals), number(b, decimals), gap


def decimals_for(values: Iterable[float], least: int = MIN_DECIMALS, most: int = 7) -> int:
    """The decimals where the largest value keeps two digits: 0.2 needs `least`, 0.0031 four."""
    peak = max((abs(v) for v in values), default=0.0)
    return next((d for d in range(least, most) if peak >= 9.5 * 10.0**-d or peak == 0.0), most)


def apart(values: Iterable[float]) -> int:
    """The decimals (2 to 6) of values that a sentence compares: the largest keeps two digits, and
    unequal values differ as printed.

    Example: 0.00045 and 0.00041 need five, 1.412 and 1.414 three.
    """
    known = {float(v) for v in values}
    tried = range(min(decimals_for(known), FINEST), FINEST)
    return next((d for d in tried if len({units(v, d) for v in known}) == len(known)), FINEST)


def mean(values: Sequence[float]) -> PrintedSum:
    """Print values that a sentence compares, as addends, and their mean as the total: as few
    decimals (2 to 6) as `apart` asks, and as the mean of the printed values needs to round to the
    printed mean, a tie away from zero as everywhere.

    Example: 1.412 and 0.664 are printed 1.41, 0.66 and 1.04; their mean as printed is 1.035.
    0.817 and 0.389 keep three: (0.82 + 0.39) / 2 = 0.605 is printed 0.61, their mean 0.60.
    """
    value, count = sum(values) / len(values), len(values)
    least = max(apart(values), min(decimals_for([value]), FINEST))
    for decimals in range(least, FINEST + 1):
        shown = [units(v, decimals) for v in values]
        fits = units(sum(shown) / count, 0) == units(value, decimals)
        if (fits and len({*shown}) == len({*values})) or decimals == FINEST:
            break
    return _printed(values, value, "=" if fits else "\u2248", decimals)


def nats(x: float, decimals: int | None = None) -> str:
    """A loss, never 0.00 unless it is 0: two digits (2 to 6 decimals), or the decimals of its
    column with "< 0.001" for what they do not show.
    """
    at = min(decimals_for([x]), FINEST) if decimals is None else decimals
    return number(x, at) if x == 0.0 or units(x, at) else f"< {number(10.0**-at, at)}"


def effect(x: float, decimals: int = MIN_DECIMALS) -> str:
    """A signed number that is never 0.00: 0 if it is exactly that, else "< 0.01" below that."""
    if x == 0.0:
        return "0"
    least = number(10.0**-decimals, decimals)
    return signed(x, decimals) if units(x, decimals) else f"< {least}"


def percent(p: float, decimals: int = 0) -> str:
    """A probability in percent, never 0 % and never a 100 % that is not one."""
    floor = 10.0 ** -(decimals + 2)
    if p < floor:
        return f"< {number(100 * floor, decimals)} %"
    if 1.0 - floor < p < 1.0:
        return f"> {number(100 * (1.0 - floor), decimals)} %"
    return f"{number(100 * p, decimals)} %"


def probability(p: float, decimals: int = 3) -> str:
    """A probability with fixed decimals, never 0.000 and never a 1.000 that is not one."""
    floor = 10.0**-decimals
    if p < floor:
        return f"< {number(floor, decimals)}"
    if 1.0 - floor < p < 1.0:
        return f"> {number(1.0 - floor, decimals)}"
    return number(p, decimals)
