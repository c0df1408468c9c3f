"""A replay that goes on from an earlier one: steps, rows by example, what is left out."""

from pathlib import Path

import numpy as np
import pytest

from qa_demo.core.base import BadInput
from qa_demo.core.examples import PoolExample
from qa_demo.core.store import Replay, load_replay
from qa_demo.training.replay import behind, placed, record, write
from tests.core.toys import make_reading

pytestmark = pytest.mark.model


WINDOW = make_reading(["Alpha"], [(0, 1)], [[0.0] * 5], [[0.0] * 5]).windows[0]
"""Of five positions."""


def example(name: str) -> PoolExample:
    return PoolExample(name, name, "toy", "A toy.", "who", "Alpha Beta", (), {})


def rows(first: float, lengths: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    values = first + np.arange(sum(lengths), dtype=np.float32)
    return values, -values


def earlier() -> Replay:
    """Two examples of 5 and 3 positions at steps 0 and 40."""
    stacked = [
        np.stack(parts).astype(np.float16)
        for parts in zip(rows(0, (5, 3)), rows(100, (5, 3)), strict=True)
    ]
    return Replay((0, 40), "old", {"a": (0, 0, 5), "b": (0, 5, 3)}, *stacked)


def test_steps_count_on_and_rows_keep_their_example() -> None:
    steps, found = behind(
        earlier(), [example("b")], [0, 99, 100, 300], [rows(k, (3,)) for k in (1, 2, 3, 4)]
    )
    assert steps == [0, 40, 140, 340]
    assert [r[0].tolist() for r in found] == [[5, 6, 7], [105, 106, 107], [3, 4, 5], [4, 5, 6]]
    assert all(r[1].tolist() == (-r[0]).tolist() for r in found)
    assert behind(None, [], [0, 1], found[:2]) == ([0, 1], found[:2])


def test_an_example_that_was_read_otherwise_is_left_out() -> None:
    pool = [example("a"), example("b"), example("c")]
    assert placed(pool, [WINDOW] * 3, earlier()) == [0]
    assert placed(pool, [WINDOW] * 3, None) == [0, 1, 2]


def test_a_joined_record_is_read_back(tmp_path: Path) -> None:
    steps, found = behind(
        earlier(), [example("a")], [200, 500], [rows(7.02, (5,)), rows(8.02, (5,))]
    )
    write(tmp_path, steps, found, [example("a")], [WINDOW], "new")
    back = load_replay(tmp_path)
    assert back is not None and (back.steps, back.checksum) == ((0, 40, 240, 540), "new")
    got = back.rows("a")
    assert got is not None
    assert got.start[:, 0].tolist() == [0, 100, 7 + 1 / 32, np.float16(8.02)]  # the last is exact


def test_a_folder_without_a_replay_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="holds no replay"):
        record("encoder", [tmp_path], [], tmp_path, tmp_path, tmp_path)
