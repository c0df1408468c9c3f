"""The door for values from a browser, a link or an API call: each becomes a checked value, or a
sentence.

A sentence names what was wanted, what is allowed and what came. In Python True is the number 1 and
3.0 equals 3: a truth value is never taken as a number here, and a whole number may come as 3.0, as
JSON writes it.
"""

import math
from collections.abc import Collection, Mapping
from typing import Any

from qa_demo.core.errors import BadInput
from qa_demo.core.types import Reading, Span


def got(value: Any, most: int = 40) -> str:
    """What came, short enough for a sentence."""
    return str(value)[:most]


def came(value: Any) -> str:
    """What came where no text is wanted: the text '3' is not the number 3."""
    return f"the text {got(value)!r}" if isinstance(value, str) else got(value)


def is_number(value: Any) -> bool:
    """A finite number that is no truth value."""
    return (
        not isinstance(value, bool)
        and isinstance(value, int | float)
        and (isinstance(value, int) or math.isfinite(value))
    )


def whole(value: Any, name: str, low: int | None = None, high: int | None = None) -> int:
    """A whole number, also as 3.0; with limits, ends included."""
    fits = (
        is_number(value)
        and value == int(value)
        and (low is None or value >= low)
        and (high is None or value <= high)
    )
    if not fits:
        raise BadInput(
            f"{name} must be a whole number{_limits(low, high, 'from')}, got {came(value)}"
        )
    return int(value)


def number(value: Any, name: str, low: float | None = None, high: float | None = None) -> float:
    """A finite number; with limits, ends included."""
    if (
        not is_number(value)
        or (low is not None and value < low)
        or (high is not None and value > high)
    ):
        raise BadInput(
            f"{name} must be a "
            f"{'' if low is not None else 'finite '}number{_limits(low, high, 'between')}, "
            f"got {came(value)}"
        )
    return float(value)


def choice(value: Any, name: str, allowed: Collection[str]) -> str:
    """One of several words."""
    if not isinstance(value, str) or value not in allowed:
        raise BadInput(f"{name} must be one of {', '.join(allowed)}, got {value!r:.42}")
    return value


def flag(value: Any, name: str) -> bool:
    """True or false, and nothing that only counts as one."""
    if not isinstance(value, bool):
        raise BadInput(f"{name} is either true or false, got {came(value)}")
    return value


def record(value: Any, name: str, *fields: str) -> Mapping[str, Any]:
    """A record with named values; missing ones are None to `get`."""
    if not isinstance(value, dict):
        raise BadInput(f"{name} needs {', '.join(fields) or 'named values'}, got {came(value)}")
    return value


def text(value: Any, name: str, most: int | None = None) -> str:
    """A text with at least one visible character, of at most `most` characters."""
    if value is not None and not isinstance(value, str):
        raise BadInput(f"{name} must be a text, got {got(value)}")
    if value is None or not value.strip():
        raise BadInput(f"{name} is empty; type at least one word")
    if most is not None and len(value) > most:
        raise BadInput(
            f"{name} has {len(value):,} characters, {most:,} are allowed; take a part of it"
        )
    return value


def sendable(*texts: str) -> None:
    """Refuse a lone surrogate: it is no UTF-8, and in a reply it ends every stream."""
    for one in texts:
        try:
            one.encode("utf-8")
        except UnicodeEncodeError as error:
            raise BadInput(
                f"the text holds half of a surrogate pair at character {error.start}, which JSON "
                f"cannot carry"
            ) from error


def many(value: Any, name: str, most: int) -> list[Any]:
    """A list of at most `most` entries."""
    if not isinstance(value, list) or len(value) > most:
        raise BadInput(f"{name} must be a list of at most {most}, got {came(value)}")
    return value


def entries(value: Any, name: str, count: int) -> list[Any]:
    """A list of exactly so many entries."""
    if not isinstance(value, list) or len(value) != count:
        raise BadInput(f"{name} has {count} entries, got {came(value)}")
    return value


def pair(value: Any, name: str) -> tuple[int, int]:
    """Two whole numbers."""
    two = isinstance(value, list | tuple) and len(value) == 2
    if not two or not all(is_number(one) and one == int(one) for one in value):
        raise BadInput(f"{name} is a pair of whole numbers, got {came(value)}")
    return int(value[0]), int(value[1])


def pairs(value: Any, name: str, most: int) -> list[tuple[int, int] | None]:
    """A list of pairs of whole numbers, each of which may be null; no list is an empty one."""
    if value is None:
        return []
    if not isinstance(value, list) or len(value) > most:
        raise BadInput(
            f"{name} must be a list of at most {most} pairs [start, end], got {came(value)}"
        )
    return [None if one is None else pair(one, f"each entry of {name}") for one in value]


def pieces(reading: Reading, value: Any, name: str) -> Span:
    """[start, end] in word pieces of the paragraph, both included."""
    n = len(reading.encoding.context_ids)
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise BadInput(f"{name} needs its first and last word piece, got {came(value)}")
    first, last = whole(value[0], "start"), whole(value[1], "end")
    if not 0 <= first <= last < n:
        raise BadInput(
            f"{name} must lie within the {n} word pieces of the paragraph, start first; got "
            f"{got(first)} to {got(last)}"
        )
    return Span(first, last)


def window(reading: Reading, value: Any) -> int:
    """The number of a window of this reading, from 0."""
    found, count = whole(value, "the window"), len(reading.windows)
    if not 0 <= found < count:
        raise BadInput(f"this reading has {count} windows, got window {got(found)}")
    return found


def _limits(low: float | None, high: float | None, way: str) -> str:
    if low is None:
        return ""
    if high is None:
        return f" of at least {low:g}"
    return f" from {low:,} to {high:,}" if way == "from" else f" between {low:g} and {high:g}"
