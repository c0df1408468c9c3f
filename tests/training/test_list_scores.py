"""Lists of answers: a hand example, MultiSpanQA's sums written out, what no list may do."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_demo.core.metrics import normalize
from qa_demo.training.score import list_scores, overlap, shared_piece

TEXTS = st.sets(
    st.sampled_from(["Ada", "Ada Byron", "the river", "river Thames", "1843", "18", ""]), max_size=4
)


def test_a_list_of_two_where_one_is_said_and_one_is_half_said() -> None:
    got = list_scores([{"Edith", "Anna Holm"}], [{"Edith", "Holm"}])
    # one of two texts is equal; "holm" lies whole in "anna holm", which is said to 4 of its 9
    # characters
    assert (got["exact"]["precision"], got["exact"]["recall"], got["exact"]["f1"]) == (50, 50, 50)
    assert got["overlap"]["precision"] == 100
    assert got["overlap"]["recall"] == pytest.approx(100 * (1 + 4 / 9) / 2)
    assert (got["total"], got["whole_lists"]) == (1, 0)


def piece(a: str, b: str) -> int:
    """The longest common run by trying every slice."""
    slices = {a[i:j] for i, j in itertools.combinations(range(len(a) + 1), 2)}
    return max((len(s) for s in slices if s in b), default=0)


@given(st.text("abc ", max_size=8), st.text("abc ", max_size=8))
def test_the_shared_piece_is_the_longest_of_all_slices(a: str, b: str) -> None:
    assert shared_piece(a, b) == piece(a, b)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4))
def test_the_sums_of_the_published_script(pairs: list[tuple[set[str], set[str]]]) -> None:
    wanted, said = ([{normalize(x) for x in pair[k]} for pair in pairs] for k in (0, 1))
    golds, preds = (sum(max(1, len(x)) for x in side) for side in (wanted, said))
    right = sum(len(w & s) for w, s in zip(wanted, said, strict=True))
    p_sum = r_sum = 0.0
    for w, s in zip(wanted, said, strict=True):
        if not w and s in (set(), {""}):
            p_sum, r_sum = p_sum + 1, r_sum + 1
        elif w and s not in (set(), {""}):
            p_sum += sum(max(piece(x, y) / len(y) if piece(x, y) else 0 for x in w) for y in s)
            r_sum += sum(max(piece(x, y) / len(x) if piece(x, y) else 0 for y in s) for x in w)
    got = list_scores([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    assert got["exact"]["precision"] == pytest.approx(100 * right / preds)
    assert got["exact"]["recall"] == pytest.approx(100 * right / golds)
    assert got["overlap"]["precision"] == pytest.approx(100 * p_sum / preds)
    assert got["overlap"]["recall"] == pytest.approx(100 * r_sum / golds)
    assert got["whole_lists"] == 100 * sum(map(set.__eq__, wanted, said)) / len(pairs)
    for rates in (got["exact"], got["overlap"]):
        p, r = rates["precision"], rates["recall"]
        assert rates["f1"] == pytest.approx(2 * p * r / (p + r) if p + r else 0)
        assert 0 <= rates["f1"] <= 100 + 1e-9
    assert got["overlap"]["f1"] >= got["exact"]["f1"] - 1e-9 or any("" in s for s in said)


def test_empty_sets_match_each_other_and_nothing_else() -> None:
    assert overlap(set(), {""}) == overlap(set(), set()) == (1, 1)
    assert overlap({"x"}, set()) == overlap(set(), {"x"}) == (0, 0)
