"""What two scores rested on: words aligned by hand, sums, sentence, a reader that refuses."""

from typing import Any

import numpy as np
import pytest

from qa_demo.core.explaining.attribution import Attribution, Target
from qa_demo.core.options import WindowOptions
from qa_demo.core.reading.words import Words, words
from qa_demo.core.types import Reading, Span
from qa_demo.figures.payload import plain
from qa_demo.figures.scores.rests import SHOWN, aligned, rests_data
from tests.fakes import FakeReader

READER = FakeReader(null=-3.0)
FIRST = READER.read("Who drew the bridge?", "George Rotne drew the bridge in July.")
OTHER = READER.read("Who first crossed the bridge?", "Anna Rotne drew the old bridge in July.")


def units(reading: Reading) -> Words:
    return words(reading.encoding, reading.windows[0])


def explained(reading: Reading, effect: dict[str, float]) -> Attribution:
    """Of each word's effect three quarters are start's, one quarter end's, on its first piece."""
    found, lane = units(reading), np.zeros(len(reading.windows[0]))
    for k, word in enumerate(found.items):
        lane[np.flatnonzero(found.of == k)[0]] = effect.get(word.text, 0.0)
    return Attribution(
        Target("span_score", Span(0, 1)), "leave_one_out", 0, 0.75 * lane, 0.25 * lane, f_x=1.0
    )


def rests(
    left: dict[str, float], right: dict[str, float], other: Reading = OTHER
) -> dict[str, Any]:
    """Both sides explained by these effects."""
    both = explained(FIRST, left), explained(other, right)
    return plain(rests_data((FIRST, other), both, "leave_one_out"))


def test_words_are_aligned_as_by_hand() -> None:
    a, b = units(FIRST), units(OTHER)
    left, right = (
        " ".join("-" if k is None else u.items[k].text for k in side)
        for u, side in zip((a, b), zip(*aligned(a, b), strict=True), strict=True)
    )
    assert left == "Who drew - the bridge? George Rotne drew the - bridge in July."
    assert right == "Who first crossed the bridge? Anna Rotne drew the old bridge in July."
    assert aligned(a, a) == [(k, k) for k in range(len(a))]


def test_each_word_of_both_texts_stands_in_one_row_with_its_own_numbers() -> None:
    left = {"George": 2.0, "Rotne": 1.0, "July.": -0.5}
    right = {"Rotne": 0.25, "old": -1.0, "July.": 0.5}
    data = rests(left, right)
    rows = {row[0]: row[1:] for row in data["table"]["rows"]}
    assert rows["George → Anna"] == ["paragraph", "+1.500", "+0.500", "0", "0"]
    assert rows["old"] == ["paragraph", "–", "–", "−0.750", "−0.250"]
    assert rows["Who"][0] == "question"
    assert len(data["table"]["rows"]) == len(aligned(units(FIRST), units(OTHER)))
    shown = {row["name"]: row["sums"] for row in data["rows"]}
    assert shown["Rotne"] == ["+1.00", "+0.25"]
    assert shown["old"] == [None, "−1.00"]
    assert shown["July."] == ["−0.50", "+0.50"]
    order = [row[0] for row in data["table"]["rows"]]
    assert [order.index(row["name"]) for row in data["rows"]] == sorted(
        order.index(row["name"]) for row in data["rows"]
    )
    assert SHOWN <= len(data["rows"]) <= 2 * SHOWN
    assert "over the 9 words that both texts hold" in data["says"]
    assert "“\u2068July.\u2069” in the paragraph: −0.50 on screen, +0.50 to compare" in data["says"]


@pytest.mark.parametrize(
    ("right", "said"),
    [
        ({"Rotne": -2.0, "July.": 1.0}, "rank alike by size of effect (rank correlation 1.00)"),
        ({}, "one of the two rankings is constant"),
    ],
)
def test_the_sentence_follows_the_numbers(right: dict[str, float], said: str) -> None:
    assert said in rests({"Rotne": 4.0, "July.": 3.0}, right)["says"]


def test_a_refusal_stands_in_its_place_and_texts_without_a_shared_word_are_named() -> None:
    data = rests_data(
        (FIRST, OTHER), ("it gives no gradient", explained(OTHER, {})), "gradient_x_input"
    )
    assert data["refused"] == ["it gives no gradient", None]
    assert data["rows"] == [] and data["table"] is None
    alone = READER.read("Why?", "Nothing else")
    data = rests({"Rotne": 1.0}, {}, alone)
    said = (
        "To compare: By this method no token has any effect on F(x). The two texts share no word."
    )
    assert data["says"] == said and data["rows"]


def test_two_readers_without_anything_to_say_are_not_compared() -> None:
    data = rests({}, {})
    assert data["says"] == "On both sides: By this method no token has any effect on F(x)."
    assert data["rows"] == []


def test_a_word_of_another_window_is_not_called_absent_from_the_text() -> None:
    context = " ".join([FIRST.encoding.context] * 4)
    cut = READER.read(FIRST.encoding.question, context, WindowOptions(24, 8))
    data = rests({"Rotne": 1.0}, {"Rotne": 1.0}, cut)
    assert data["absent"] == ["not in this text", "not in window 1"]
    assert "words that both windows hold" in data["says"]
