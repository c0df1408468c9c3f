"""The code that a chapter shows runs as it stands, alone."""

import subprocess
import sys

import pytest

from qa_demo.pictures import CHAPTERS


@pytest.mark.slow
@pytest.mark.parametrize("name", CHAPTERS)
def test_a_snippet_runs_and_prints(name):
    code = CHAPTERS[name].SNIPPET
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.strip(), done.stderr
    assert len(code.splitlines()) <= 24
