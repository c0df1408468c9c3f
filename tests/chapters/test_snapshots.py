"""What each step says of eight examples, as it was when somebody last looked; `pytest
--snapshot-update` takes what it says now. Every number in it is tested elsewhere too.
"""

import pytest

from tests.chapters.given import STEPS, blocks, full, words

EXAMPLES = ("oresund", "nobel-1903", "south-pole", "reef", "emoji", "khwarizmi", "brooklyn")
EXAMPLES += ("danube",)


@pytest.mark.parametrize(("chapter", "step"), STEPS)
def test_what_a_step_says_is_what_it_said(chapter, step, snapshot):
    said = {}
    for name in EXAMPLES:
        found = blocks(full(), chapter=chapter, step=step, example=name)
        kept = [b for b in found.values() if b.get("role") == "finding" or b["kind"] == "formula"]
        said[name] = [words(b) for b in kept]
    assert said == snapshot
