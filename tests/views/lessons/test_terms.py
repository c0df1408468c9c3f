"""The file of terms is whole; no heading, formula or table head uses a term that is not in it."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest

from qa_demo.views.examples import load_examples
from qa_demo.views.lessons.course import load, load_terms
from qa_demo.views.new_reading import new_screen
from qa_demo.views.page import CHAPTERS

TERMS = load_terms()
EVERYDAY = set(
    re.findall(
        r"\S+",
        """
about against all and annotators answered answers are around begins bert between can cells
choice column combines comes comparable context-only corrected costs could counted counts
diagonal did difference does each eight end ends every exact exactly exp file first formulas
from gives head highest holds how inside its know last left lies likeliest list listed lists
longer look lower mass may mean min none not number numbers often one out outside over
overlap pair pairs paragraph percent part plane product question questions rank reach reader
region rest right row rows rule rules said scale serve since sometimes special split start
step sum sums sure term text textbook than the their these they this trained training true
two value weight what where which whole with withheld without words written
""",
    )
)
"""Words that need no explanation; a heading's new word belongs here or in assets/terms.json."""
WORD = re.compile(r"[a-z\[][a-z\]_-]{2,}")
SHOWN = ("oresund", "danube-small", "south-pole", "machu-picchu")
QUOTED = re.compile("\u201c.*?\u201d")
NUMBERS = {
    "logits",
    "score",
    "span",
    "pieces",
    "windows",
    "null",
    "threshold",
    "temperature",
    "probability",
}
"""Those that assets/page/lessons/terms.js reads off the screen."""


def test_every_term_says_one_sentence_and_names_a_lesson() -> None:
    lessons = {lesson.id for lesson in load()}
    names = [name.lower() for term in TERMS for name in term["names"]]
    assert len(set(names)) == len(names) and len({t["id"] for t in TERMS}) == len(TERMS) >= 30
    for term in TERMS:
        assert set(term) == {"id", "names", "text", "lesson", "number"}
        assert term["text"].endswith(".") and len(term["text"].split()) <= 25
        assert term["lesson"] in lessons and term["number"] in {None, *NUMBERS}


@cache
def headings(chapter: str) -> tuple[str, ...]:
    """Questions, captions, heads and formulas of a chapter on four readings, without quotations."""
    found: list[str] = []
    for key in SHOWN:
        example = load_examples()[key]
        reading = example.stored()
        assert reading is not None
        screen = new_screen(None, reading, example.answers, example.id).open(chapter)
        module: Any = next(m for m in CHAPTERS if m.CHAPTER.key == chapter)
        page = module.present(screen)
        found += [page["question"]]
        for table in page["tables"]:
            found += [table["caption"], *table["head"]]
        if hasattr(module, "formula"):
            found += [part["text"] for part in module.formula(screen)]
    return tuple(QUOTED.sub(" ", text) for text in found)


def unknown(texts: Iterable[str]) -> list[str]:
    """Words that are neither everyday ones nor in the file of terms."""
    known = EVERYDAY | {w for t in TERMS for n in t["names"] for w in WORD.findall(n.lower())}
    return sorted({word for text in texts for word in WORD.findall(text.lower())} - known)


@pytest.mark.parametrize("chapter", [module.CHAPTER.key for module in CHAPTERS])
def test_headings_use_everyday_words_or_terms_of_the_file(chapter: str) -> None:
    assert unknown(headings(chapter)) == []
