"""How a class comes to the page: the address to type, and the same as a QR code."""

import sys
from dataclasses import dataclass

import segno


@dataclass(frozen=True)
class Join:
    """An address, and its QR code as rows of 0 and 1 with the quiet zone around it."""

    address: str
    rows: tuple[str, ...]


def join(address: str) -> Join:
    """The QR code of an address, with the second of four levels of error correction."""
    code = segno.make(address, error="m", micro=False)
    return Join(address, tuple("".join(map(str, row)) for row in code.matrix_iter(border=4)))


def show(address: str) -> None:
    """Draw the QR code on a terminal; nothing where stdout is none."""
    if sys.stdout.isatty() and (sys.stdout.encoding or "").lower().startswith("utf"):
        segno.make(address, error="m", micro=False).terminal(out=sys.stdout, compact=True)
