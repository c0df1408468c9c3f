"""A tiny reader for the commands; a module that needs another one says so."""

from pathlib import Path

import pytest

from tests.model import kit


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two heads and a threshold that every answer passes."""
    return kit.save(tmp_path_factory.mktemp("cli") / "tiny", "bert", bio=True, threshold=100.0)
