"""Softmax and its relatives at the edges."""

import numpy as np
import pytest

from qa_demo.core import base as arrays


def test_softmax_neither_overflows_nor_underflows():
    assert arrays.softmax(np.array([1000.0, 1000.0])) == pytest.approx([0.5, 0.5])
    assert arrays.log_softmax(np.array([0.0, -5000.0])).tolist() == [0.0, -5000.0]
    assert arrays.softmax(np.array([3.0, -np.inf])).tolist() == [1.0, 0.0]
    assert arrays.logsumexp(np.array([-np.inf, -np.inf])) == -np.inf


@pytest.mark.parametrize("size", [1e8, 1e15, 3e38])
def test_equal_logits_share_equally_at_any_size(size):
    """-1e15 - log 2 is no double, so the logarithm must be taken after the shift."""
    assert arrays.softmax(np.full(2, size)).tolist() == [0.5, 0.5]
    assert arrays.softmax(np.full(3, -size)) == pytest.approx([1 / 3] * 3)
