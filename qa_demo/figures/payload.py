"""The plain data that a chapter's frame draws: formula parts, tables, the envelope."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar

Role = Literal["ink", "quiet", "start", "end", "sub", "sup", "strong"]
Place = tuple[int, int, int] | None
"""What a row selects: window, first and last token (doc); None for nothing."""
Row = TypeVar("Row")


def part(text: str, role: Role = "ink") -> dict[str, str]:
    """A piece of a formula in the colour of its role; "sub" is a subscript, "sup" an exponent."""
    return {"text": text, "role": role}


def formula(text: str) -> list[dict[str, str]]:
    """Pieces in ink with subscripts and exponents: "p_{i} = x^{2}"."""
    roles: dict[str, Role] = {"": "ink", "_": "sub", "^": "sup"}
    found = re.findall(r"([_^])\{(.*?)\}|(.+?)(?=[_^]\{|$)", text)
    return [part(inner or plain, roles[mark]) for mark, inner, plain in found]


def table(
    caption: str,
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    select: Sequence[Place] | None = None,
) -> dict[str, Any]:
    """A table twin; `select` gives the (window, start, end) that each row selects, doc."""
    if any(len(row) != len(head) for row in rows) or (
        select is not None and len(select) != len(rows)
    ):
        raise ValueError(f"table '{caption}': rows need {len(head)} cells and one selection each")
    return {
        "caption": caption,
        "head": list(head),
        "rows": [list(row) for row in rows],
        "select": [None if s is None else list(s) for s in select] if select is not None else None,
    }


def columns(
    caption: str,
    rows: Iterable[Row],
    cells: Mapping[str, Callable[[Row], str]],
    select: Callable[[Row], Place] | None = None,
) -> dict[str, Any]:
    """A table twin by its columns: each head with what a row has under it."""
    rows = list(rows)
    printed = [[cell(row) for cell in cells.values()] for row in rows]
    return table(caption, list(cells), printed, None if select is None else [*map(select, rows)])


def page_data(
    question: str,
    picture: dict[str, Any],
    notice: str,
    simplified: Sequence[str],
    tables: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """What a chapter sends: question, picture's data, notice, simplifications, table twins."""
    return {
        "question": question,
        "picture": picture,
        "notice": notice,
        "simplified": list(simplified),
        "tables": list(tables),
    }


def plain(value: Any, where: str = "payload") -> Any:
    """The value itself, once every part of it is known to be what JSON and a browser hold alike.

    Allowed are str (without half surrogates), int, bool, None, finite float, and list and dict of
    these by their exact types: a numpy float64 is a float to Python and reaches the browser as
    text. Errors: TypeError or ValueError with the place, such as payload.picture.dots[3].
    """
    kind = type(value)
    if kind is str:
        if not value.isascii():
            value.encode("utf-8")  # UnicodeEncodeError is a ValueError
    elif kind is float:
        if not math.isfinite(value):
            raise ValueError(f"{where} is {value}; only finite numbers travel")
    elif kind is list:
        for k, item in enumerate(value):
            plain(item, f"{where}[{k}]")
    elif kind is dict:
        for key, item in value.items():
            if type(key) is not str:
                raise TypeError(f"{where} has a key of type {type(key).__name__}; keys are str")
            plain(item, f"{where}.{key}")
    elif kind not in (int, bool, type(None)):
        raise TypeError(
            f"{where} is of type {kind.__module__}.{kind.__qualname__}; str, int, float, bool, "
            f"None, list and dict travel"
        )
    return value
