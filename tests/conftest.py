"""How hypothesis runs, and commands."""

import importlib
import os

import pytest
from hypothesis import settings

# in a new environment both workers would compile the same libraries, gradio first and torch last
if os.environ.get("PYTEST_XDIST_WORKER") == "gw1":
    for library in ("pandas", "torch", "transformers"):
        importlib.import_module(library)

# how long an example takes says something about the machine; 40 found what 100 did of the mutants
settings.register_profile("untimed", deadline=None, max_examples=40)
settings.load_profile("untimed")


@pytest.fixture
def terminal(folder, capsys):
    """Runs commands with the reader or model in a module's folder."""
    from tests.cli.terminal import Terminal

    return Terminal(folder, capsys)
