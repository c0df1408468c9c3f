"""What each step says of eight examples, as it was when somebody last looked; `pytest
--snapshot-update` takes what it says now. Every number in it is tested elsewhere too.
"""

import pytest

from qa_demo.pictures import CHAPTERS
from qa_demo.state import CHAPTERS as NAMES
from tests.chapters.given import blocks, full, words

EXAMPLES = (
    "oresund",
    "nobel-1903",
    "south-pole",
    "reef",
    "emoji",
    "khwarizmi",
    "brooklyn",
    "danube",
)
STEPS = [(name, k + 1) for name in NAMES for k in range(len(CHAPTERS[name].STEPS))]


@pytest.mark.parametrize(("chapter", "step"), STEPS)
def test_what_a_step_says_is_what_it_said(chapter, step, snapshot):
    said = {}
    for name in EXAMPLES:
        found = blocks(full(), chapter=chapter, step=step, example=name)
        kept = [b for b in found.values() if b.get("role") == "finding" or b["kind"] == "formula"]
        said[name] = [words(b) for b in kept]
    assert said == snapshot
