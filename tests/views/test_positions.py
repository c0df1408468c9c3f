"""One count of positions on the page, a token's place in its window; but for chapter 6."""

import re
from pathlib import Path

import pytest

from qa_demo.core.types import Reading
from qa_demo.figures.prose import place
from qa_demo.views.selection import record
from tests.requests import MODULES, opened

SHOWN = ("oresund", "danube-small")
PAGE = Path(__file__).parents[2] / "assets" / "page"
READ_OUT = re.compile(r"word pieces? (?:\$\{|\{\w|\d)")


def token_at(reading: Reading, said: str, window: int) -> str:
    """The token at a printed position: "58", or "58 in window 6"."""
    found = re.fullmatch(r"(\d+)(?: in window (\d+))?", said)
    assert found is not None, said
    return reading.tokens(int(found[2]) - 1 if found[2] else window)[int(found[1])]


@pytest.mark.parametrize("example", SHOWN)
@pytest.mark.parametrize("chapter", MODULES)
def test_a_table_counts_positions_in_a_window(example: str, chapter: str) -> None:
    screen = opened(example, chapter)
    for table in MODULES[chapter].present(screen)["tables"]:
        assert not {"pos", "doc"} & set(table["head"]), table["caption"]
        if "position" not in table["head"] or table["select"] is None:
            continue
        at = table["head"].index("position")
        chosen = [(r, s) for r, s in zip(table["rows"], table["select"], strict=True) if s]
        for row, (window, start, _) in chosen:
            w = screen.reading.windows[window]
            token = screen.reading.tokens(window)[w.to_pos(start)]
            assert token_at(screen.reading, row[at], window) == token


@pytest.mark.parametrize("example", SHOWN)
def test_the_selection_is_placed_in_its_window(example: str) -> None:
    screen = opened(example, "answer")
    chosen, said = screen.selection, record(screen)
    tokens = screen.reading.tokens(chosen.window)
    inside = screen.reading.encoding.context_tokens
    assert tokens[said["i"]] == inside[chosen.span.start]
    assert tokens[said["j"]] == inside[chosen.span.end]


def test_a_place_names_its_window_where_there_are_several() -> None:
    one, many = (opened(key, "bio").reading for key in SHOWN)
    assert place(one, 0) == str(one.windows[0].to_pos(0))
    last = len(many.encoding.context_ids) - 1
    w = many.windows[-1]
    assert place(many, last) == f"{w.to_pos(last)} in window {len(many.windows)}"


def test_no_read_out_counts_the_paragraph_outside_chapter_6() -> None:
    texts = {p: p.read_text(encoding="utf-8") for p in PAGE.rglob("*.js")}
    found = {str(p.relative_to(PAGE)) for p, text in texts.items() if READ_OUT.search(text)}
    assert {name for name in found if not name.startswith("windows/")} == set()
