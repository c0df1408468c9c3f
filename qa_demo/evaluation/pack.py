"""Arrays as the browser unpacks them (`assets/report/shared/pack.js`): base64, little-endian."""

import base64

import numpy as np
from numpy.typing import NDArray


def floats(array: NDArray[np.floating]) -> str:
    """Base64 of float32; refuses NaN and infinities, which a browser would draw as nothing."""
    if not np.isfinite(array).all():
        raise ValueError(
            f"only finite numbers travel, got {int((~np.isfinite(array)).sum())} that are not"
        )
    return base64.b64encode(np.ascontiguousarray(array, dtype="<f4").tobytes()).decode("ascii")


def ints(array: NDArray[np.integer]) -> str:
    """Base64 of int32."""
    return base64.b64encode(np.ascontiguousarray(array, dtype="<i4").tobytes()).decode("ascii")


def printable(text: str) -> str:
    """The text with a visible substitute for each character that JSON or a screen cannot carry, one
    for one.

    Control characters other than tab and newlines become control pictures, lone surrogates U+FFFD,
    so that offsets stay valid.
    """
    return text.translate(_SUBSTITUTES)


_SUBSTITUTES = {
    **{code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n\r"},
    0x7F: 0x2421,
    **dict.fromkeys([*range(0x80, 0xA0), *range(0xD800, 0xE000)], 0xFFFD),
}


def utf16_offsets(text: str) -> NDArray[np.int64]:
    """For each index of a Python string 0..len the index in UTF-16 units, which JavaScript counts
    in, [len + 1].

    Example: "a\U0001f600b" gives [0, 1, 3, 4].
    """
    widths = np.fromiter(
        (2 if ord(c) > 0xFFFF else 1 for c in text), dtype=np.int64, count=len(text)
    )
    return np.concatenate([[0], np.cumsum(widths)])
