"""What each chapter opens with: whole sentences of at most thirty words, on any text."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_demo.views.examples import load_examples
from qa_demo.views.new_reading import new_screen
from qa_demo.views.page import CHAPTERS
from qa_demo.views.state import Screen
from tests.fakes import FakeReader
from tests.requests import opened

MOST_WORDS = 30
WORDS = st.lists(st.sampled_from(("Ada", "met.", "in", "3", "rain", "No", "the")), min_size=1)


def finding(text: str) -> str:
    """The first sentence of a notice; what it quotes, between U+2068 and U+2069, ends none."""
    masked = re.sub("\u2068[^\u2069]*\u2069", lambda quote: "q" * len(quote[0]), text)
    end = re.search(r"[.!?](?=\s+[^\Wa-z_]|\s+“|$)", masked)
    assert end is not None, f"no sentence ends here: {text}"
    return text[: end.end()]


def too_long(screen: Screen) -> dict[str, Any]:
    """The openings of all chapters and of their steps that are over thirty words."""
    found = {}
    for module in CHAPTERS:
        data = module.present(screen)
        notices = {"": data["notice"], **data["picture"].get("notices", {})}
        for step, text in notices.items():
            if text and len(finding(text).split()) > MOST_WORDS:
                found[f"{module.CHAPTER.key} {step}"] = finding(text)
    return found


@pytest.mark.parametrize("key", load_examples())
def test_every_chapter_opens_with_thirty_words_at_most(key: str) -> None:
    assert too_long(opened(key)) == {}


@given(WORDS, WORDS)
def test_so_it_does_with_random_texts(question: list[str], text: list[str]) -> None:
    reading = FakeReader(bio=True).read(" ".join(question), " ".join(text))
    assert too_long(new_screen(None, reading, ())) == {}


def test_a_full_stop_of_the_text_ends_no_sentence() -> None:
    assert finding("The \u2068U.S. Open. It\u2069 leads. More follows.").endswith("leads.")
    assert finding("On SQuAD 2.0 it adds 1.5. Then 3.") == "On SQuAD 2.0 it adds 1.5."
