"""The menu of examples: kinds, each chapter's two, and what the bundled reader gets wrong."""

import re
from dataclasses import replace

import pytest

from qa_demo.core.files.assets import ASSETS
from qa_demo.core.options import DecodeOptions
from qa_demo.figures.payload import plain
from qa_demo.training.promises import load_pool
from qa_demo.views.examples import BEST, is_right, load_examples, load_failures, load_menu, menu
from qa_demo.views.page import CHAPTERS
from qa_demo.views.state import Screen

FAILURES = load_failures()
CHAPTER_KEYS = {module.CHAPTER.key for module in CHAPTERS}
FIRST = next(iter(load_examples().values()))


def test_every_chapter_that_shows_the_reading_offers_two_examples() -> None:
    offered = plain(menu(load_menu()))["best"]
    assert set(BEST) == CHAPTER_KEYS - {"spanbert"}
    assert all(len(pairs) == 2 for pairs in offered.values())
    assert menu({})["best"] == {key: [] for key in BEST}


def test_failures_promise_to_fail_and_name_their_chapter() -> None:
    assert len(FAILURES) >= 17 and not FAILURES.keys() & load_examples().keys()
    assert len({e.kind for e in FAILURES.values()}) >= 7
    for example in load_pool(ASSETS / "failures.json"):
        assert "fails" in example.promise and example.view in CHAPTER_KEYS
        assert len(example.reason.split()) <= 25 and len(example.context.split()) <= 60
        text = f"{example.context} {example.question}".lower()
        quotes = re.findall("“(.+?)”", example.reason)
        assert all(quote.lower() in text for quote in quotes), example.id
    assert [key for key in load_menu() if key in FAILURES] == list(FAILURES)


def test_right_is_an_annotators_text_or_silence() -> None:
    screen = Screen(FIRST.stored(), DecodeOptions())
    assert is_right(FIRST, screen) == any(
        a.text.lower() == screen.prediction.answer.lower() for a in FIRST.answers
    )
    assert not is_right(replace(FIRST, answers=()), screen)
    silent = screen.change(decode=DecodeOptions(null_score_diff_threshold=-99.0))
    assert is_right(replace(FIRST, answers=()), silent) and not is_right(FIRST, silent)


@pytest.mark.model
def test_the_bundled_reader_fails_where_the_gallery_says_so() -> None:
    from qa_demo.model.loading import load_reader
    from qa_demo.training.examples import rows

    found = list(rows(load_reader("bundled"), load_pool(ASSETS / "failures.json")))
    assert [(name, instead) for name, _, _, kept, instead in found if not kept] == []
