"""Groups and bins by hand."""

import pytest

from qa_demo.core.errors import BadInput
from qa_demo.core.measuring.bootstrap import Draws
from qa_demo.core.measuring.evaluation import Group, bin_names, grouped, in_bins, question_word


def row(k: int, exact: float, f1: float, kind: str = "right") -> dict:
    return {"id": str(k), "exact": exact, "f1": f1, "kind": kind}


def test_groups_by_hand() -> None:
    rows = [row(1, 1, 1, "b"), row(2, 0, 0.5, "b"), row(3, 0, 0, "a"), row(4, 1, 1, "c")]
    draws = Draws(["1", "1", "2", "2"])
    found = grouped(rows, [r["kind"] for r in rows], draws, ["a"], rows[:3] + [row(4, 0, 0.25)])
    assert [(g.name, g.count, g.exact.value, g.f1.value) for g in found] == [
        ("a", 1, 0.0, 0.0),
        ("b", 2, 50.0, 75.0),
        ("c", 1, 100.0, 100.0),
    ]
    assert [g.difference.value for g in found] == [0.0, 0.0, 75.0]
    assert grouped(rows, [None] * 4, draws) == () and isinstance(found[0], Group)


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Who came?", "who"),
        ("To whom was it given?", "who"),
        ("In which year?", "which"),
        ("How many came?", "how many"),
        ("How did it end?", "how"),
        ('"When"?', "when"),
        ("Name the king.", "other"),
        ("", "other"),
    ],
)
def test_question_words(question: str, word: str) -> None:
    assert question_word(question) == word


def test_bins_by_hand() -> None:
    assert [in_bins(k, (1, 2, 4)) for k in (1, 2, 3, 4, 99)] == [
        "1", "2 to 3", "2 to 3", "4 or more", "4 or more",
    ]  # fmt: skip
    assert bin_names((1, 2, 4)) == ["1", "2 to 3", "4 or more"]
    assert in_bins(None, (1, 2)) is None
    with pytest.raises(BadInput, match="begin with 1, got 0"):
        in_bins(0, (1, 2))
