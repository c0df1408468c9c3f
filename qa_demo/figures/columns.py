"""Columns of losses and parts, never negative: they add up as printed; only 0 prints as 0."""

from collections.abc import Iterable, Sequence

from qa_demo.figures.numbers import MAX_DECIMALS, MINUS, nats, number, rest

LEAST = 3
ZERO = 1e-9


def telling(values: Iterable[float]) -> int:
    """The decimals (3, else 4) of a column of which no value but 0 should be printed as 0.

    Example: 0.386 and 0.0003 need four.
    """
    known = [abs(float(v)) for v in values if abs(v) > ZERO]
    told = (d for d in range(LEAST, MAX_DECIMALS) if all(v > 0.5 * 10.0**-d for v in known))
    return next(told, MAX_DECIMALS)


def cell(x: float, decimals: int) -> str:
    """ "0" for what is that to a billionth, "< 0.001" for what the decimals do not show."""
    return nats(float(x), decimals) if abs(x) > ZERO else "0"


def column(shown: Sequence[float], value: float, decimals: int = LEAST) -> dict[str, str]:
    """A column's last two cells: what the rows that are not shown hold together, and the total; the
    printed cells add up, a bound counted as 0.

    Where rounding alone would make the rest negative it is printed as the bound it is. The sign is
    about equal then, and where a row is a bound.
    """
    printed, left = rest(list(shown), value, decimals), value - sum(shown)
    # 0.063 three times, of 0.0625, is more than the printed total 0.188 leaves for a rest
    fits = not printed.startswith(MINUS) and printed != number(0.0, decimals)
    held = fits and left >= 0.5 * 10.0**-decimals
    adds = held or (abs(left) <= ZERO and printed == number(0.0, decimals))
    return {
        "rest": printed if held else cell(max(left, 0.0), decimals),
        "sign": "=" if adds and not _bounds(cell(x, decimals) for x in shown) else "≈",
        "total": cell(value, decimals),
    }


def above(floor: float, loss: float, decimals: int) -> str:
    """What a loss has above its floor: the difference as printed, unless that hides it."""
    printed = rest([floor], loss, decimals)
    hidden = printed == number(0.0, decimals)
    return cell(max(loss - floor, 0.0), decimals) if hidden else printed


def sign(addends: Sequence[float], value: float, decimals: int) -> str:
    """= where the printed addends give the printed value, else ≈; none before a bound."""
    if _bounds([cell(value, decimals)]):
        return ""
    adds = rest([float(x) for x in addends], value, decimals) == number(0.0, decimals)
    return "=" if adds and not _bounds(cell(x, decimals) for x in addends) else "≈"


def _bounds(cells: Iterable[str]) -> bool:
    return any(text.startswith("<") for text in cells)
