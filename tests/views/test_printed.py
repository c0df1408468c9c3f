"""What chapters print of every example: no bound after =, no idle digits, equal decimals."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from types import ModuleType
from typing import Any

import pytest

from qa_demo.views.examples import load_examples
from qa_demo.views.page import CHAPTERS
from qa_demo.views.state import Screen
from tests.browser.pictures import screen_of
from tests.printed import value

UNSAID = re.compile(r"[=≈] [<>]|[+−]0\.0{3,}(?!\d)|−0\.0+(?!\d)|\b(?:None|nan|inf)\b(?! of the)")
NUMBER = re.compile(r"[+−]?\d[\d,]*\.(\d+)")
SUMS = ("Listed spans, best first", "n best spans", "the highest cells of window")
"""Tables of whose rows each adds up as printed, with the decimals that it needs."""


@cache
def screens() -> tuple[Screen, ...]:
    found = [(example, example.stored()) for example in load_examples().values()]
    return tuple(screen_of(reading, example) for example, reading in found if reading is not None)


def printed(module: ModuleType, screen: Screen) -> list[Any]:
    """Everything that a chapter sends of a screen."""
    shown = replace(screen, chapter=module.CHAPTER.key)
    formula = (
        "".join(p["text"] for p in module.formula(shown)) if hasattr(module, "formula") else ""
    )
    details = module.details(shown) if hasattr(module, "details") else None
    return [module.present(shown), formula, details]


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from strings(inner)


def tables(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if {"caption", "head", "rows"} <= value.keys():
            yield value
        for inner in value.values():
            yield from tables(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from tables(inner)


def check_columns(screen: Screen, found: dict[str, Any]) -> None:
    """Numbers of a column have equal decimals, or each row adds up as printed."""
    head, rows = found["head"], found["rows"]
    if found["caption"].startswith(SUMS):
        at = head.index("score")
        for row in rows:
            a, b, total = (value(cell) for cell in row[at - 2 : at + 1])
            assert a + b == pytest.approx(total, abs=1.5e-4), (found["caption"], row)
        return
    for k, name in enumerate(head):
        fits = [NUMBER.fullmatch(str(row[k])) for row in rows]
        decimals = {len(m.group(1)) for m in fits if m}
        assert len(decimals) < 2, (screen.example, found["caption"], name, decimals)


@pytest.mark.parametrize("module", CHAPTERS, ids=lambda m: m.CHAPTER.key)
def test_every_number_says_something_and_columns_have_equal_decimals(module: ModuleType) -> None:
    for screen in screens():
        sent = printed(module, screen)
        for said in strings(sent):
            assert len(said) > 4000 or not UNSAID.search(said), (screen.example, said[:300])
        for found in tables(sent):
            check_columns(screen, found)
