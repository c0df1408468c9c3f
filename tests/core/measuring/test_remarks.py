"""What is odd about a file is counted, named, and never said of a file in order."""

from dataclasses import replace

import pytest

from qa_demo.core.base import BadInput
from qa_demo.core.measuring.metrics import Outcome, evaluate
from qa_demo.core.measuring.remarks import RULES, remarks
from qa_demo.core.types import Answer, Example

CONTEXT = "Ada wrote notes, then Bob wrote notes."
TWO = (Answer("Bob", 22), Answer("Ada", 0))
FINE = Example("fine", "Who?", CONTEXT, (Answer("Ada", 0), Answer("Ada wrote", 0)))
SILENT = Example("silent", "Why?", CONTEXT, (), True)
ODD = {
    "the question or the paragraph is empty": Example("a", " ", CONTEXT, ()),
    "is_impossible is true though": Example("f", "Who?", CONTEXT, (Answer("Ada", 0),), True),
    "a gold answer is empty": Example("b", "Who?", CONTEXT, (Answer("Ada", 0), Answer("", -1))),
    "no gold answer stands in the paragraph": Example("c", "Who?", CONTEXT, (Answer("Eve", 0),)),
    "answer_start is wrong": Example("d", "What?", CONTEXT, (Answer("notes", -1),)),
    "gold answers at separate places": replace(FINE, id="e", answers=TWO),
}


def test_a_file_in_order_is_not_spoken_of() -> None:
    assert remarks([FINE, SILENT]) == ()


@pytest.mark.parametrize("words", ODD)
def test_each_oddity_is_counted_and_its_first_question_named(words: str) -> None:
    odd = ODD[words]
    twin = replace(odd, id="twin")
    assert list(remarks([FINE, odd, SILENT])) == list(remarks([odd]))
    (said,) = remarks([FINE, odd, twin])
    assert said.startswith(f"2 questions (first: {odd.id!r}): ") and words in said


def test_every_rule_has_an_example() -> None:
    assert len(ODD) == len(RULES)


def test_scores_refuse_ids_that_two_questions_share() -> None:
    with pytest.raises(BadInput, match="share an id"):
        evaluate([FINE, FINE], {"fine": Outcome("Ada")})
