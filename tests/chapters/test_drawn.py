"""One curve stands out, dots keep apart; columns of tokens lose none, and words stay whole."""

import numpy as np
import pytest

from qa_demo.chapters.scores import one_of_many
from qa_demo.chapters.why import piled
from qa_demo.ladder import MOST, folded, runs_of
from tests.printed import unpacked


def test_one_column_is_drawn_and_the_others_are_one_broken_line():
    values = np.arange(6.0).reshape(2, 3)
    others, own = one_of_many(values, 1, "start")
    assert unpacked(own["y"]).tolist() == [1, 4]
    xs, ys = unpacked(others["x"]), unpacked(others["y"])
    assert np.isnan(xs).tolist() == np.isnan(ys).tolist() == [False, False, True] * 2
    assert ys[~np.isnan(ys)].tolist() == [0, 3, 2, 5]


def test_dots_in_one_row_do_not_touch():
    xs = sorted(np.random.default_rng(3).normal(0, 0.2, 20).tolist())
    rows = np.array(piled(xs, 0.1))
    assert all((np.diff(np.array(xs)[rows == level]) >= 0.1).all() for level in set(rows))
    assert piled([1.0, 1.0, 1.0], 0.1) == [0, 1, 2]


@pytest.mark.parametrize("seed", range(8))
def test_columns_hold_every_token_once_and_whole_words_and_three_share_one(seed):
    apart = np.array([0, 0, 0, 1, 0, 0, 1], bool)
    assert folded(apart) == [(0, 2), (3, 3), (4, 4), (5, 5), (6, 6)]
    rng = np.random.default_rng(seed)
    words = np.cumsum(rng.integers(0, 2, 60))
    keep = [int(rng.integers(60))]
    cells = runs_of(words, rng.beta(20, 1, 60), keep)
    assert [d for a, z in cells for d in range(a, z + 1)] == list(range(60))
    assert (keep[0], keep[0]) in cells and len(cells) <= MOST + 2
    assert all(a == 0 or words[a - 1] != words[a] for a, z in cells if a < z)
