"""Abbreviations in full at their first use."""

import pytest

from qa_demo.figures.spanbert.spelled import spelled


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("so SBO loses", "so the span boundary objective (SBO) loses"),
        ("no SBO term; SBO is out", "no span boundary objective (SBO) term; SBO is out"),
        ("the SBO adds most", "the span boundary objective (SBO) adds most"),
        ("MLM's guess is right.", "The masked language model's (MLM's) guess is right."),
        ("Here: MLM wins. MLM", "Here: the masked language model (MLM) wins. MLM"),
        ("It is. SBO is.", "It is. The span boundary objective (SBO) is."),
        ("Nothing is hidden.", "Nothing is hidden."),
    ],
)
def test_the_first_use_has_its_full_name(short: str, full: str) -> None:
    assert spelled(short) == full
