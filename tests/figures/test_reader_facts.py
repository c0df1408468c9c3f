"""The line about a loaded reader, by hand."""

import pytest

from qa_demo.core.reader import ReaderFacts
from qa_demo.figures.reader_facts import facts_sentence


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        (
            ReaderFacts("bundled", 22_565_378, 512, False, True, 1.5),
            "bundled: 22.6 million parameters, up to 512 positions, does not tell capitals apart, "
            "start/end and BIO heads, no-answer threshold 1.50.",
        ),
        (
            ReaderFacts("tiny", 9_000, 64, True, False, None),
            "tiny: 9,000 parameters, up to 64 positions, tells capitals apart, "
            "start/end head, no BIO head, no threshold stored, 0 is used.",
        ),
    ],
)
def test_the_line_about_a_reader(facts: ReaderFacts, said: str) -> None:
    assert facts_sentence(facts) == said
    assert facts_sentence(facts, "0123456789ab") == f"{said[:-1]}, revision 01234567."
