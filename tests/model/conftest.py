"""A tiny reader of every family, and what it reads."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from qa_demo.core.types import Reading, WindowOptions
from qa_demo.model.loading import load_reader
from qa_demo.model.reader import BertReader
from tests.model import kit


@pytest.fixture(scope="session")
def saved(tmp_path_factory) -> Callable[[str], Path]:
    """The folder of a family, which no test changes."""

    def save(family: str) -> Path:
        return kit.save(tmp_path_factory.mktemp(family), family, bio=family in kit.TAGGED)

    return cache(save)


@pytest.fixture(scope="session")
def loaded(saved) -> Callable[[str], BertReader]:
    """The reader of a family, which no test changes."""
    return cache(lambda family: load_reader(str(saved(family))))


@pytest.fixture(scope="session")
def bert(loaded) -> BertReader:
    return loaded("bert")


@pytest.fixture(scope="module", params=kit.FAMILIES)
def family(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def folder(family, saved) -> Path:
    return saved(family)


@pytest.fixture(scope="module")
def reader(family, loaded) -> BertReader:
    return loaded(family)


@pytest.fixture(scope="module")
def reading(reader) -> Reading:
    return reader.read(kit.QUESTION, kit.CONTEXT[:120], WindowOptions(64, 9))
