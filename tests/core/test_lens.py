"""The head on every layer, ranks, and tokens in the plane."""

import numpy as np
import pytest

from qa_demo.core.base import BadInput
from qa_demo.core.heads import HeadWeights, lens, owned_points, rank_of
from tests.core.toys import t1


def test_the_last_layer_is_the_readers_own_plane() -> None:
    rng = np.random.default_rng(0)
    heads = HeadWeights(rng.normal(size=6), rng.normal(size=6), 0.5, -0.5)
    hidden = rng.normal(size=(4, 5, 6))
    found = lens(heads, hidden)
    assert found.start.shape == found.end.shape == (4, 5)
    np.testing.assert_allclose(found.start, hidden @ heads.S.astype(float) + 0.5)
    np.testing.assert_allclose(found.end, hidden @ heads.E.astype(float) - 0.5)
    with pytest.raises(BadInput, match=r"\[N \+ 1, n, 6\], got \(5, 6\)"):
        lens(heads, hidden[0])


def test_ranks_count_what_is_larger() -> None:
    logits = np.array([[3.0, 1.0, 2.0, 2.0], [0.0, 5.0, 5.0, -1.0]])
    assert rank_of(logits, 2).tolist() == [2, 1]
    assert rank_of(logits, 1).tolist() == [4, 1] and rank_of(logits, 3).tolist() == [2, 4]
    with pytest.raises(BadInput, match="no position 4; positions are 0 to 3"):
        rank_of(logits, 4)


def test_owned_points_take_each_token_from_its_owner() -> None:
    points = owned_points(t1())  # tokens 0-2 belong to window 0, 3-5 to window 1
    np.testing.assert_allclose(points, [[2, 0], [3, 4], [-1, 1], [4, 3], [1, 3.5], [0, 0]])
