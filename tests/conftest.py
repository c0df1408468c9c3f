"""What every layer may use: an order of the tests, and the toy worked out by hand."""

import random

import pytest
from hypothesis import settings

from qa_demo.core.types import Reading
from tests.core.toys import t1

# how long an example takes says something about the machine, not about the code
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--shuffle", type=int, metavar="SEED", help="take files, and the tests in each, in an order"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The order that a seed gives; files stay together, since their tests share what is dear."""
    seed = config.getoption("shuffle")
    if seed is None:
        return
    pick = random.Random(seed)
    files = sorted({item.path for item in items})
    place = dict(zip(pick.sample(files, len(files)), range(len(files)), strict=True))
    items.sort(key=lambda item: item.nodeid)
    pick.shuffle(items)
    items.sort(key=lambda item: place[item.path])


@pytest.fixture
def two_windows() -> Reading:
    """Six words in two overlapping windows; best: "Delta Epsilon", 7.5; no answer 1.5."""
    return t1()
