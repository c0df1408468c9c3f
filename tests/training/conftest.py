"""What runs of a module begin with."""

from pathlib import Path

import pytest

from qa_demo.training import heads
from tests.cli.terminal import squad
from tests.training import toy

heads.timeit = lambda *_, **__: 1.0  # runs that are compared have one number format


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    """A folder with an encoder, questions and a text; what runs make lies beside them."""
    folder = tmp_path_factory.mktemp("training")
    toy.encoder(folder / "encoder")
    squad(folder / "squad.json", unanswerable=True)
    toy.text(folder / "text.txt")
    return folder
