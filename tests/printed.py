"""What the page prints and packs, read back."""

import base64
import re
from decimal import Decimal

import numpy as np


def exact(printed: str) -> Decimal:
    """With its decimals, so that sums are those of the digits on screen."""
    return Decimal(printed.replace("\u2212", "-").replace("+", "").replace(",", ""))


def unpacked(array: dict) -> np.ndarray:
    """An array of a figure as it travels: base64 of little-endian numbers, and its shape."""
    found = np.frombuffer(base64.b64decode(array["bdata"]), np.dtype(array["dtype"]))
    return found.reshape([int(n) for n in str(array.get("shape", -1)).split(",")])


def inert(html: str, name: str) -> str:
    """What a file of one page holds in its element of this name, beside its scripts."""
    (found,) = re.findall(rf'<script type="application/json" id="{name}">(.*?)</script>', html)
    return found


def value(printed: str) -> float:
    return float(exact(printed.replace(" ", "").strip("≈")))
