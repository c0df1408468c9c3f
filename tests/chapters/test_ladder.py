"""Columns of tokens: none is lost, words stay whole, what must be seen stands apart."""

import numpy as np
import pytest

from qa_demo.drawn.ladder import MOST, cells_of, folded


def test_a_run_of_three_shares_a_column():
    apart = np.array([0, 0, 0, 1, 0, 0, 1], bool)
    assert folded(apart) == [(0, 2), (3, 3), (4, 4), (5, 5), (6, 6)]


@pytest.mark.parametrize("seed", range(8))
def test_columns_hold_every_token_once_and_whole_words(seed):
    rng = np.random.default_rng(seed)
    words = np.cumsum(rng.integers(0, 2, 60))
    keep = [int(rng.integers(60))]
    cells = cells_of(words, rng.beta(20, 1, 60), keep)
    assert [d for a, z in cells for d in range(a, z + 1)] == list(range(60))
    assert (keep[0], keep[0]) in cells and len(cells) <= MOST + 2
    assert all(a == 0 or words[a - 1] != words[a] for a, z in cells if a < z)
