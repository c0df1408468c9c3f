"""The file of terms is whole; no heading, formula or table head uses a term that is not in it (the
legends are read in `tests/browser/test_present.py`), and abbreviations are written out first.
"""

import json
import re
from collections.abc import Iterable
from functools import cache

import pytest

from qa_demo.core.course.lessons import Lesson
from qa_demo.core.files.assets import ASSETS
from qa_demo.core.files.examples import Passage, load_passages
from qa_demo.figures.spanbert.spelled import spelled
from qa_demo.views.examples import load_examples
from qa_demo.views.lessons.course import load, load_terms
from tests.requests import MODULES, opened

TERMS = load_terms()
EVERYDAY = """
about above after against all alone and annotator annotators another answered answers are around
bar beats before begins below bert beside between can cells choice column combines comes comparable
compared context-only corrected costs could counted counts cross cut dashed diagonal did difference
does draws each eight end ends every exact exactly exp far file first form formulas from gets gives
grey head height highest holds hollow how ignored ink inside its know last law left lenient lies
likeliest line list listed lists literally longer look lower marks mass may mean min more none not
number numbers off often one opens out outside over overlap page pair pairs paper paragraph part
percent plane poorer predicted product question questions rank reach read reader region rest right
row rows rule rules said scale selected serve side since solid sometimes special split start step
strict striped stronger sum sums supports sure term text textbook than that the their theirs there
these they this though ticks trained training tried true two value weight what where which whole
with withheld without words written yet
"""
"""Words that need no explanation; a heading's new word belongs here or in assets/terms.json."""
WORD = re.compile(r"[a-z\[][a-z\]_-]{2,}")
SHOWN = ("oresund", "danube-small", "south-pole", "machu-picchu")
QUOTED = re.compile("\u201c.*?\u201d")
NUMBERS = {"logits", "score", "span", "pieces", "windows", "null", "threshold"}
NUMBERS |= {"temperature", "probability"}
"""Those that assets/page/lessons/terms.js reads off the screen."""


def test_every_term_says_one_sentence_and_names_a_lesson() -> None:
    lessons = {lesson.id: said(lesson) for lesson in load()}
    names = [name.lower() for term in TERMS for name in term["names"]]
    assert len(set(names)) == len(names) and len({t["id"] for t in TERMS}) == len(TERMS) >= 30
    for term in TERMS:
        assert set(term) == {"id", "names", "text", "lesson", "number"}
        assert term["text"].endswith(".") and len(term["text"].split()) <= 25
        assert term["number"] in {None, *NUMBERS}
        if term["lesson"] is not None:
            names = "|".join(map(re.escape, (term["id"], *term["names"])))
            assert re.search(rf"(?<![\w-])({names})(?![\w-])", lessons[term["lesson"]], re.I), term


def said(lesson: Lesson) -> str:
    """The words of a lesson, a sentence each."""
    found = [lesson.title]
    for step in lesson.steps:
        found += [step.title, step.text, *(o.text for o in step.options), step.reveal]
    return ". ".join(found)


@cache
def headings(chapter: str) -> tuple[str, ...]:
    """Questions, captions, heads and formulas of a chapter on four readings, without quotations."""
    found: list[str] = []
    for key in SHOWN:
        screen = opened(key, chapter)
        module = MODULES[chapter]
        page = module.present(screen)
        found += [page["question"]]
        for table in page["tables"]:
            found += [table["caption"], *table["head"]]
        if hasattr(module, "formula"):
            found += [part["text"] for part in module.formula(screen)]
    return tuple(QUOTED.sub(" ", text) for text in found)


FULL = {
    "MLM": "masked language model",
    "SBO": "span boundary objective",
    "IG": "integrated gradients",
}


def short_before_long(text: str) -> list[str]:
    """Abbreviations of FULL whose first use in the text has no full name in its sentence."""
    found = []
    for short, name in FULL.items():
        first = re.search(rf"\b{short}\b", text)
        if first is None:
            continue
        before = re.split(r"[.!?]\s", text[: first.start()])[-1]
        sentence = before + re.split(r"[.!?](?:\s|$)", text[first.start() :])[0]
        if name not in re.sub(r"[\s*-]+", " ", sentence).lower():
            found.append(short)
    return found


def unknown(texts: Iterable[str]) -> list[str]:
    """Words that are neither everyday ones nor in the file of terms."""
    known = {*EVERYDAY.split()} | {
        w for t in TERMS for n in t["names"] for w in WORD.findall(n.lower())
    }
    return sorted({word for text in texts for word in WORD.findall(text.lower())} - known)


@pytest.mark.parametrize("chapter", MODULES)
def test_headings_use_everyday_words_or_terms_of_the_file(chapter: str) -> None:
    assert unknown(headings(chapter)) == []


@pytest.mark.parametrize("lesson", load(), ids=lambda lesson: lesson.id)
def test_a_lesson_writes_an_abbreviation_in_full_first(lesson: Lesson) -> None:
    assert short_before_long(said(lesson)) == []


@pytest.mark.parametrize("chapter", MODULES)
def test_a_chapter_writes_an_abbreviation_in_full_first(chapter: str) -> None:
    page = MODULES[chapter].present(opened(next(iter(load_examples())), chapter))
    assert short_before_long(json.dumps(page)) == []


@pytest.mark.parametrize("passage", load_passages(ASSETS / "passages.json"), ids=lambda p: p.id)
def test_a_passage_of_chapter_8_writes_an_abbreviation_in_full_first(passage: Passage) -> None:
    assert short_before_long(passage.title) == short_before_long(spelled(passage.reason)) == []


def test_full_names_are_looked_for_in_the_sentence_of_the_first_use() -> None:
    assert short_before_long("A guess. The masked language model (MLM) is right. MLM wins.") == []
    assert short_before_long("A masked language model guesses. MLM is right.") == ["MLM"]
    assert short_before_long("SBO has none; by IG, integrated gradients, it does.") == ["SBO"]
