"""Fixtures every layer may use: the toy whose numbers are worked out by hand."""

import pytest

from qa_demo.core.types import Reading
from tests.core.toys import t1


@pytest.fixture
def two_windows() -> Reading:
    """Six words in two overlapping windows; the best span is "Delta Epsilon" with 7.5, no answer
    scores 1.5.
    """
    return t1()
