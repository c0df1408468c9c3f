"""A tiny reader of every family, and what it reads."""

from pathlib import Path

import pytest

from qa_demo.core.options import WindowOptions
from qa_demo.core.types import Reading
from qa_demo.model.loading import load_reader
from qa_demo.model.reader import BertReader
from tests.model import kit


@pytest.fixture(scope="module", params=kit.FAMILIES)
def family(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def folder(family: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """RoBERTa's with a head for tags."""
    return kit.save(tmp_path_factory.mktemp(family), family, bio=family == "roberta")


@pytest.fixture(scope="module")
def reader(folder: Path) -> BertReader:
    return load_reader(str(folder))


@pytest.fixture(scope="module")
def reading(reader: BertReader) -> Reading:
    return reader.read(kit.QUESTION, kit.CONTEXT[:120], WindowOptions(64, 9))
