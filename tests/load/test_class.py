"""A small class at the bundled reader's page: nothing lost or wrong; hostile texts."""

import math
from collections.abc import Iterator

import pytest

from tests.coroutines import finished
from tests.load.__main__ import Served, lesson, page
from tests.load.hostile import knocked
from tests.load.twin import Twin, difference

SESSIONS, ACTS, THINK = 12, 4, (0.2, 0.8)
COMPARED = {"integrated_gradients": 3, "gradient_x_input": 6, "attention": 6}

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with page() as one:
        yield one


def test_a_class_loses_nothing_and_sees_only_its_own_numbers(served: Served) -> None:
    record = finished(lesson(served.address, SESSIONS, 0, THINK, ACTS))
    assert record.lost == [] and record.leaked == []
    assert all("this server is busy" in said for _, said, _ in record.refused), record.refused
    assert len(record.checks) >= SESSIONS and set(record.seconds) >= {"answer", "slider"}
    wrong, compared = record.wrong(Twin(), COMPARED)
    assert wrong == [] and compared >= SESSIONS


def test_hostile_texts_are_answered_or_refused_with_a_sentence(served: Served) -> None:
    found = finished(knocked(served.address, 24, 6, seconds=math.inf, seed=3, slow=math.inf))
    assert found.faults == [] and found.requests == 3 * 30
    assert not [line for line in served.log if "Traceback" in line]


def test_the_comparison_with_the_twin_can_fail() -> None:
    own = {"a": [1.0, {"b": "x"}], "stamp": 1}
    assert difference({"a": [1.0 + 1e-6, {"b": "x"}], "stamp": 2}, own) is None
    for shown in ({"a": [1.1, {"b": "x"}]}, {"a": [1.0]}, {"a": [1.0, {"b": "y"}]}, {}):
        assert difference(shown, own) is not None
