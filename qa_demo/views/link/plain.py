"""Fields of a link written by hand: name=text, each turned into the plain data of ours."""

import math
from collections.abc import Callable, Iterable
from typing import Any

from qa_demo.core.errors import BadInput

LOCKS = ("texts", "settings")
"""What the author of a link may lock: texts and reader; limits, sliders and logits."""


def numbers(text: str) -> list[float]:
    """Numbers joined by "_": 30_20_-1.5; whole ones as whole numbers."""
    try:
        found = [float(part) for part in text.split("_")] if text else []
    except ValueError:
        found = [math.nan]
    if not all(map(math.isfinite, found)):
        raise BadInput(f"it holds '{text[:40]}' where numbers belong")
    return [int(n) if n == int(n) else n for n in found]


def _decode(found: list[float]) -> list[float]:
    """The fourth says whether only BERT's grid is searched: 1 or 0."""
    return [*found[:3], *(one == 1 for one in found[3:])]


def ranges(text: str) -> list[list[int] | None]:
    """Characters of spans: 4-9_none_12-15."""
    found: list[list[int] | None] = []
    for part in text.split("_") if text else ():
        start, dash, end = part.partition("-")
        if part != "none" and not (
            dash and start.isdecimal() and end.isdecimal() and part.isascii() and len(part) < 20
        ):
            raise BadInput(f"it holds '{part[:40]}' where characters such as 4-9 belong")
        found.append(None if part == "none" else [int(start), int(end)])
    return found


def joined(found: Iterable[tuple[int, int] | None]) -> str:
    """The same written: 4-9_none_12-15."""
    return "_".join("none" if r is None else f"{r[0]}-{r[1]}" for r in found)


def _page(name: str, value: Any) -> dict[str, Any]:
    return {f"page.{name}": value}


def _locks(text: str) -> list[str]:
    wanted = [part for part in text.split("_") if part]
    if not set(wanted) <= set(LOCKS):
        raise BadInput(f"lock may name {' and '.join(LOCKS)}, joined by _, got {text[:40]!r}")
    return wanted


def _step(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 4 and int(text)):
        raise BadInput(f"lesson_step is a number from 1, got {text[:20]!r}")
    return int(text) - 1


READ: dict[str, Callable[[str], dict[str, Any]]] = {
    "v": lambda text: {},
    "q": lambda text: {"question": text},
    "p": lambda text: {"paragraph": text},
    "example": lambda text: {"example": [text]},
    "bench": lambda text: {"bench": text},
    "reader": lambda text: {"reader": [text]},
    "windows": lambda text: {"windows": numbers(text)},
    "decode": lambda text: {"decode": _decode(numbers(text))},
    "merge": lambda text: {"merge": text.split("~")},
    "chapter": lambda text: {"chapter": text},
    "span": lambda text: {"span": numbers(text)},
    "gold": lambda text: {"gold": ranges(text), "given": True},
    "marks": lambda text: {"marks": [ranges(row) for row in text.split("~")]},
    "temperature": lambda text: {"temperature": (numbers(text) or [0])[0]},
    "step": lambda text: _page("step", text),
    "veil": lambda text: _page("veil", text == "1"),
    "lesson": lambda text: _page("lesson", text),
    "lesson_step": lambda text: _page("lesson_step", _step(text)),
    "lock": lambda text: _page("lock", _locks(text)),
}
"""Each name that may be written by hand."""
NAMES = frozenset(READ)


def read_field(name: str, text: str) -> dict[str, Any]:
    """The fields of the page's own links that one written by hand stands for. Errors: BadInput."""
    return READ[name](text)
