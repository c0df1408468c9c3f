"""Two folders that `keep` wrote: which values and which pixels differ."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image, ImageChops

MOST = 5
"""Values named of one file."""
PACKED = "/edition/data/"
"""What stands unpacked beside it."""


def paths(value: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """Every leaf of a JSON value with its place."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for name, part in inner:
        where = f"{at}/{name}"
        if isinstance(part, dict | list) and part:
            yield from paths(part, where)
        else:
            yield where, part


def values(before: Path, after: Path) -> list[str]:
    """The places of two JSON files whose values differ, with both."""
    old, new = (dict(paths(json.loads(p.read_text(encoding="utf-8")))) for p in (before, after))
    found = [key for key in {**old, **new} if old.get(key, ...) != new.get(key, ...)]
    told = [
        f"  {key}: {str(old.get(key, 'nothing'))[:80]!r} -> {str(new.get(key, 'nothing'))[:80]!r}"
        for key in found[:MOST]
    ]
    more = [f"  and {len(found) - MOST} more"] if len(found) > MOST else []
    return told + more


def pixels(before: Path, after: Path) -> list[str]:
    """How many pixels of two screens differ, and the box that holds them."""
    with Image.open(before) as a, Image.open(after) as b:
        if a.size != b.size:
            return [f"  size {a.size} -> {b.size}"]
        apart = ImageChops.difference(a.convert("RGB"), b.convert("RGB")).convert("L")
    box = apart.getbbox()
    return [] if box is None else [f"  {sum(apart.histogram()[1:])} pixels within {box}"]


def lines(before: Path, after: Path) -> list[str]:
    """Whether two other files differ."""
    return [] if before.read_bytes() == after.read_bytes() else ["  differs"]


def differences(before: Path, after: Path) -> list[str]:
    """Each file that differs or stands on one side alone, and what differs in it."""
    kinds = {".json": values, ".png": pixels}
    files = [(side, path) for side in (before, after) for path in side.rglob("*") if path.is_file()]
    names = {path.relative_to(side) for side, path in files}
    said = []
    for name in sorted(names):
        old, new = before / name, after / name
        if PACKED in name.as_posix():
            continue
        if not (old.is_file() and new.is_file()):
            said.append(f"{name}: only {'before' if old.is_file() else 'after'}")
        elif old.read_bytes() != new.read_bytes():
            found = kinds.get(name.suffix, lines)(old, new)
            said += [f"{name}:", *found] if found else []
    return said
