"""The code that a chapter shows runs alone and prints the chapter's own numbers."""

import re
import runpy

import pytest

from qa_demo.core.store import ASSETS
from qa_demo.pictures import CHAPTERS

PRINTS = {
    "answer": r"\(2, 3\) 12.1 9.1 answer",
    "scores": r"start logit 5.86\n.* start logit -6.14",
    "start_end": r"0.986 .*\] (1.0|0.99999)",
    "spans": r"\(np.int64\(2\), np.int64\(2\)\) 7.0",
    "loss": r"2 L (1.8873)\d+  constant - score \1",
    "windows": "window 2 nearer edge: 26\nwindow 3 nearer edge: 5",
    "bio": "alone 0.562 possible 0.996",
    "spanbert": "L_SBO of word 0: 0.04",
    "why": r"\] (7.5)\d* \1",
}


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_snippet_runs_and_prints(name, capsys):
    runpy.run_path(str(ASSETS / "code" / f"{name}.py"))
    said = capsys.readouterr().out.strip()
    assert re.search(PRINTS[name], said), said
    assert len(CHAPTERS[name].SNIPPET.splitlines()) <= 24
