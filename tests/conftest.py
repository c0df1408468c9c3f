"""What every layer may use: the toy worked out by hand."""

import pytest
from hypothesis import settings

from qa_demo.core.types import Reading
from tests.core.toys import t1

# how long an example takes says something about the machine, not about the code
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture
def two_windows() -> Reading:
    """Six words in two overlapping windows; best: "Delta Epsilon", 7.5; no answer 1.5."""
    return t1()
