"""The head on every layer, ranks, principal components; tokens slide with the question."""

import numpy as np
import pytest

from qa_demo.core.errors import BadInput
from qa_demo.core.reading.heads import HeadWeights
from qa_demo.core.reading.lens import components, lens, owned_points, rank_of, slide
from tests.core.toys import make_reading, t1


def test_the_last_layer_is_the_readers_own_plane() -> None:
    rng = np.random.default_rng(0)
    heads = HeadWeights(rng.normal(size=6), rng.normal(size=6), 0.5, -0.5)
    hidden = rng.normal(size=(4, 5, 6))
    found = lens(heads, hidden)
    assert found.start.shape == found.end.shape == (4, 5) and found.path.shape == (4, 5, 2)
    for layer in range(4):
        for i in range(5):
            assert found.start[layer, i] == pytest.approx(
                float(np.dot(hidden[layer, i], heads.S.astype(float))) + 0.5
            )
            assert found.path[layer, i, 1] == pytest.approx(
                float(np.dot(hidden[layer, i], heads.E.astype(float))) - 0.5
            )
    with pytest.raises(BadInput, match=r"\[N \+ 1, n, 6\], got \(5, 6\)"):
        lens(heads, hidden[0])


def test_ranks_count_what_is_larger() -> None:
    logits = np.array([[3.0, 1.0, 2.0, 2.0], [0.0, 5.0, 5.0, -1.0]])
    assert rank_of(logits, 2).tolist() == [2, 1]
    assert rank_of(logits, 1).tolist() == [4, 1] and rank_of(logits, 3).tolist() == [2, 4]
    with pytest.raises(BadInput, match="no position 4; positions are 0 to 3"):
        rank_of(logits, 4)


def test_components_of_points_on_a_line() -> None:
    direction = np.array([3.0, 0.0, 4.0]) / 5
    along = np.array([-1.0, 0.0, 2.0, 5.0])
    found = components(along[:, None] * direction + 10.0)
    np.testing.assert_allclose(found.points[:, 0], along - along.mean(), atol=1e-12)
    np.testing.assert_allclose(found.points[:, 1], 0, atol=1e-9)
    assert found.shares == pytest.approx((1.0, 0.0))


def test_components_are_the_eigenvectors_of_the_covariance() -> None:
    t = np.random.default_rng(1).normal(size=(30, 8)) * np.linspace(3, 0.5, 8)
    values, vectors = np.linalg.eigh(np.cov(t.T))
    found = components(t)
    assert found.shares == pytest.approx((values[-1] / values.sum(), values[-2] / values.sum()))
    for k in range(2):
        expected = (t - t.mean(axis=0)) @ vectors[:, -1 - k]
        assert abs(np.corrcoef(expected, found.points[:, k])[0, 1]) == pytest.approx(1.0)
        assert found.points[np.abs(found.points[:, k]).argmax(), k] > 0
    assert components(np.ones((3, 4))).shares == (0.0, 0.0)
    with pytest.raises(BadInput, match="at least two tokens"):
        components(np.ones((1, 4)))


def test_owned_points_take_each_token_from_its_owner() -> None:
    points = owned_points(t1())  # tokens 0-2 belong to window 0, 3-5 to window 1
    np.testing.assert_allclose(points, [[2, 0], [3, 4], [-1, 1], [4, 3], [1, 3.5], [0, 0]])


def test_tokens_slide_between_two_readings_of_one_paragraph() -> None:
    words = ["Ada", "wrote"]
    before = make_reading(words, [(0, 2)], [[1, 0, 0, 2, 3, 0]], [[1.5, 0, 0, 4, 5, 0]])
    after = make_reading(
        words, [(0, 2)], [[7, 0, 0, 0, 6, 1, 0]], [[1, 0, 0, 0, 2, 9, 0]], question=("who", "else")
    )
    found = slide(before, after)
    assert found.before.tolist() == [[2, 4], [3, 5]] and found.after.tolist() == [[6, 2], [1, 9]]
    assert found.cls_before == (1, 1.5) and found.cls_after == (7, 1)
    with pytest.raises(BadInput, match="one paragraph by one reader"):
        slide(
            before,
            make_reading(["Ada", "slept"], [(0, 2)], [[1, 0, 0, 2, 3, 0]], [[1.5, 0, 0, 4, 5, 0]]),
        )
