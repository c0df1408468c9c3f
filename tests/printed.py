"""What the page prints and packs, read back."""

import base64
from collections.abc import Iterable
from decimal import Decimal

import numpy as np


def exact(printed: str) -> Decimal:
    """With its decimals, so that sums are those of the digits on screen."""
    return Decimal(printed.replace("\u2212", "-").replace("+", "").replace(",", ""))


def added(printed: str) -> Decimal:
    """What it gives to a sum: a bound such as "< 0.001" gives nothing."""
    return Decimal(0) if printed.startswith("<") else exact(printed)


def value(printed: str) -> float:
    """As a number to compare within a bound."""
    return float(exact(printed))


def text_of(parts: Iterable[dict[str, str]]) -> str:
    """The coloured parts of a formula as one line."""
    return "".join(part["text"] for part in parts)


def unpacked(packed: str, kind: str = "<f4") -> np.ndarray:
    """An array as it travels: base64 of little-endian numbers."""
    return np.frombuffer(base64.b64decode(packed), dtype=kind)
