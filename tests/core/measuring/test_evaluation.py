"""Groups and bins by hand."""

import pytest

from qa_demo.core.base import BadInput
from qa_demo.core.measuring.bootstrap import Draws
from qa_demo.core.measuring.evaluation import Group, bin_names, grouped, in_bins, question_word


def row(k: int, exact: float, f1: float, kind: str = "right") -> dict:
    return {"id": str(k), "exact": exact, "f1": f1, "kind": kind}


def test_groups_by_hand() -> None:
    rows = [row(1, 1, 1, "b"), row(2, 0, 0.5, "b"), row(3, 0, 0, "a"), row(4, 1, 1, "c")]
    draws = Draws(["1", "1", "2", "2"])
    found = grouped(rows, [r["kind"] for r in rows], draws, ["a"], rows[:3] + [row(4, 0, 0.25)])
    assert [(g.name, g.count) for g in found] == [("a", 1), ("b", 2), ("c", 1)]
    scores = [(g.exact.value, g.f1.value) for g in found]
    assert scores == [(0.0, 0.0), (50.0, 75.0), (100.0, 100.0)]
    assert [g.difference.value for g in found] == [0.0, 0.0, 75.0]
    assert grouped(rows, [None] * 4, draws) == () and isinstance(found[0], Group)


QUESTION_WORDS = {
    "who": ["Who came?", "To whom was it given?"],
    "which": ["In which year?"],
    "how many": ["How many came?"],
    "how": ["How did it end?"],
    "when": ['"When"?'],
    "other": ["Name the king.", ""],
}


@pytest.mark.parametrize("word", QUESTION_WORDS)
def test_question_words(word: str) -> None:
    assert {question_word(question) for question in QUESTION_WORDS[word]} == {word}


def test_bins_by_hand() -> None:
    assert [in_bins(k, (1, 2, 4)) for k in (1, 2, 3, 4, 99)] == [
        "1", "2 to 3", "2 to 3", "4 or more", "4 or more",
    ]  # fmt: skip
    assert bin_names((1, 2, 4)) == ["1", "2 to 3", "4 or more"]
    assert in_bins(None, (1, 2)) is None
    with pytest.raises(BadInput, match="begin with 1, got 0"):
        in_bins(0, (1, 2))
