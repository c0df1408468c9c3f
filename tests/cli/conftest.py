"""A tiny reader for the commands; a module that needs another reader says so."""

from functools import cache
from pathlib import Path

import pytest

from qa_demo.model.loading import load_reader
from qa_demo.model.reader import BertReader
from qa_demo.model.work import SHARED
from tests.cli.terminal import squad
from tests.model import kit

once = cache(load_reader)


@pytest.fixture(autouse=True)
def loaded(monkeypatch) -> None:
    """A folder is loaded once for all commands: they say the same as in processes of their own."""
    monkeypatch.setattr("qa_demo.model.loading.load_reader", once)
    monkeypatch.setattr(SHARED, "count", 1)  # cores shared in another way move the last digit


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> Path:
    """Two heads and a threshold that every answer passes."""
    return kit.save(tmp_path_factory.mktemp("cli") / "tiny", "bert", bio=True, threshold=100.0)


@pytest.fixture(scope="module")
def reader(folder) -> BertReader:
    return once(str(folder))


@pytest.fixture
def out(tmp_path) -> Path:
    return tmp_path / "p.jsonl"


@pytest.fixture
def dev(tmp_path) -> Path:
    """Three questions with answers."""
    return squad(tmp_path / "dev.json")


@pytest.fixture
def silent(tmp_path) -> Path:
    """The same, and one without."""
    return squad(tmp_path / "silent.json", unanswerable=True)
