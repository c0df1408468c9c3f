"""How hypothesis runs, and commands."""

import pytest
from hypothesis import settings

# how long an example takes says something about the machine, not about the code
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture
def terminal(folder, capsys):
    """Runs commands with the reader or model in a module's folder."""
    from tests.cli.terminal import Terminal

    return Terminal(folder, capsys)
