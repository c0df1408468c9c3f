"""Groups, bins and two readers on the same questions: by hand, and against a second computation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_demo.core.errors import BadInput
from qa_demo.core.measuring.evaluation import (
    DRAWS,
    Group,
    bin_names,
    grouped,
    in_bins,
    paired,
    question_word,
)


def row(k: int, exact: float, f1: float, kind: str = "right") -> dict:
    return {"id": str(k), "exact": exact, "f1": f1, "kind": kind}


def test_groups_by_hand() -> None:
    rows = [row(1, 1, 1, "b"), row(2, 0, 0.5, "b"), row(3, 0, 0, "a"), row(4, 1, 1, "c")]
    assert grouped(rows, lambda r: r["kind"], ["a"]) == (
        Group("a", 1, 0.0, 0.0),
        Group("b", 2, 50.0, 75.0),
        Group("c", 1, 100.0, 100.0),
    )
    assert grouped(rows, lambda r: None) == ()


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


def test_a_pair_by_hand() -> None:
    a = [row(1, 1, 1), row(2, 1, 1), row(3, 0, 0.5), row(4, 0, 0)]
    b = [row(1, 1, 1), row(2, 0, 0), row(3, 1, 1), row(4, 0, 0.2)]
    found = paired(a, b)
    assert (found.both, found.only_a, found.only_b, found.neither) == (1, 1, 1, 1)
    assert found.f1.value == pytest.approx(7.5) and found.exact.value == 0.0
    assert found.f1.low < found.f1.value < found.f1.high
    same = paired(a, a)
    assert (same.f1.low, same.f1.value, same.f1.high) == (0.0, 0.0, 0.0)
    with pytest.raises(BadInput, match="the files hold 4 and 3"):
        paired(a, b[:3])


def test_the_interval_is_that_of_a_mean() -> None:
    """For many questions the bootstrap's interval is the normal one: mean and 1.96 standard
    errors.
    """
    rng = np.random.default_rng(7)
    a, b = rng.random(900), rng.random(900)
    found = paired([row(k, 0, x) for k, x in enumerate(a)], [row(k, 0, x) for k, x in enumerate(b)])
    error = 100 * (a - b).std() / np.sqrt(900)
    assert found.f1.high - found.f1.value == pytest.approx(1.96 * error, rel=0.12)
    assert found.f1.value - found.f1.low == pytest.approx(1.96 * error, rel=0.12)
    assert DRAWS >= 1000


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_the_four_counts_are_all_questions(outcomes: list[tuple[bool, bool]]) -> None:
    a = [row(k, float(x), float(x)) for k, (x, _) in enumerate(outcomes)]
    b = [row(k, float(y), float(y)) for k, (_, y) in enumerate(outcomes)]
    found = paired(a, b)
    assert found.both + found.only_a + found.only_b + found.neither == len(outcomes)
    assert found.exact.value == pytest.approx(100 * (found.only_a - found.only_b) / len(outcomes))
