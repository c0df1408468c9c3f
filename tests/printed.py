"""Numbers as they are printed, read back."""

from decimal import Decimal


def exact(printed: str) -> Decimal:
    """With its decimals, so that sums are those of the digits on screen."""
    return Decimal(printed.replace("\u2212", "-").replace("+", "").replace(",", ""))


def value(printed: str) -> float:
    """As a number to compare within a bound."""
    return float(exact(printed))
