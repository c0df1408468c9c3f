"""What chapters print of every example: no bound after =, no idle digits, equal decimals; and all
of it travels.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from qa_demo.core.options import WindowOptions
from qa_demo.figures.payload import plain
from qa_demo.views.examples import load_examples
from qa_demo.views.page import CHAPTERS
from qa_demo.views.state import Screen
from tests.fakes import FakeReader
from tests.printed import text_of, value
from tests.requests import opened, selected

UNSAID = re.compile(r"[=≈] [<>]|[+−]0\.0{3,}(?!\d)|−0\.0+(?!\d)|\b(?:None|nan|inf)\b(?! of the)")
NUMBER = re.compile(r"[+−]?\d[\d,]*\.(\d+)")
SUMS = ("Listed spans, best first", "n best spans", "the highest cells of window", "The plane")
"""Tables of whose rows each adds up as printed, with the decimals that it needs."""


def printed(module: ModuleType, screen: Screen) -> list[Any]:
    """Everything that a chapter sends of a screen."""
    shown = replace(screen, chapter=module.CHAPTER.key)
    formula = text_of(module.formula(shown)) if hasattr(module, "formula") else ""
    details = module.details(shown) if hasattr(module, "details") else None
    return plain([module.present(shown), formula, details])


def everything(value: Any) -> Iterator[Any]:
    """A value, and all that it holds."""
    yield value
    if isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from everything(inner)


def check_columns(screen: Screen, found: dict[str, Any]) -> None:
    """Numbers of a column have equal decimals, or each row adds up as printed."""
    head, rows = found["head"], found["rows"]
    if found["caption"].startswith(SUMS):
        at = head.index("sum" if "sum" in head else "score")
        for row in rows:
            a, b, total = (value(cell.removeprefix("≈ ")) for cell in row[at - 2 : at + 1])
            assert a + b == pytest.approx(total, abs=1.5e-4), (found["caption"], row)
        return
    for k, name in enumerate(head):
        fits = [NUMBER.fullmatch(str(row[k])) for row in rows]
        decimals = {len(m.group(1)) for m in fits if m}
        assert len(decimals) < 2, (screen.example, found["caption"], name, decimals)


@pytest.mark.parametrize("module", CHAPTERS, ids=lambda m: m.CHAPTER.key)
def test_every_number_says_something_and_columns_have_equal_decimals(module: ModuleType) -> None:
    for screen in map(opened, load_examples()):
        sent = printed(module, screen)
        for found in everything(sent):
            if isinstance(found, str):
                assert len(found) > 4000 or not UNSAID.search(found), (screen.example, found[:300])
            elif isinstance(found, dict) and {"caption", "head", "rows"} <= found.keys():
                check_columns(screen, found)


@pytest.mark.parametrize("module", CHAPTERS, ids=lambda m: m.CHAPTER.key)
def test_of_one_word_no_chapter_says_1_things(module: ModuleType) -> None:
    screen = selected(FakeReader(bio=True).read("Who came?", "Anna", WindowOptions()))
    said = "\n".join(x for x in everything(printed(module, screen)) if isinstance(x, str))
    assert not re.search(r"(?<![\d.,])1 (tokens|word pieces|legal pairs|best spans)|the 1 ", said)
