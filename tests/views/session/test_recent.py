"""Values kept for whoever asks again: the oldest makes room, by number or by weight."""

from dataclasses import dataclass

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from qa_demo.views.session.recent import RecentValues, held_bytes


def test_what_was_untouched_for_longest_makes_room() -> None:
    few: RecentValues[str] = RecentValues(2)
    for k in range(2):
        few.find(k, lambda k=k: f"value {k}")
    assert few.get(0) == "value 0"
    few.put(2, "value 2")
    assert (few.get(0), few.get(1), few.get(2)) == ("value 0", None, "value 2")
    assert few.find(2, lambda: "made anew") == "value 2"


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 60))), st.integers(1, 100))
def test_the_weight_never_exceeds_the_room_unless_one_value_does(
    acts: list[tuple[int, int]], most: int
) -> None:
    few: RecentValues[int] = RecentValues(most, lambda v: v)
    held: dict[int, int] = {}
    for key, weight in acts:
        few.put(key, weight)
        held.pop(key, None)
        held[key] = weight
        while sum(held.values()) > most and len(held) > 1:
            del held[next(iter(held))]
        assert {k: few.get(k) for k in list(held)} == held and len(few) == len(held)


@dataclass(frozen=True)
class Record:
    """Two arrays, of which one may be a part of the other."""

    whole: np.ndarray
    part: np.ndarray


def test_a_record_weighs_its_arrays_and_each_buffer_once() -> None:
    whole, other = np.zeros(100_000), np.zeros(50_000)
    for record, expected in (
        (Record(whole, other), 1_200_000),
        (Record(whole, whole[10:20]), 800_000),
        ({"a": (whole,), "b": [other, whole]}, 1_200_000),
    ):
        assert expected <= held_bytes(record) < expected + 2_000
    assert held_bytes("x" * 5000) >= 5000
