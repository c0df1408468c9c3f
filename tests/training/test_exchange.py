"""Questions with one word exchanged, by hand."""

import random

import pytest

from qa_demo.training.exchange import OTHER, exchanged

CONTEXT = "In 1869 Ferdinand de Lesseps opened the canal; in 1914 Panama followed."


@pytest.mark.parametrize(
    ("question", "made"),
    [
        (
            "When did Panama open?",
            {"When did Ferdinand de Lesseps open?", "When did not Panama open?"},
        ),
        ("what broke in 1869", {"what broke in 1914"}),
        ("which came first", {"which came last"}),
        ("why so", {None}),
    ],
)
def test_each_way_by_hand(question, made):
    found = {exchanged(question, CONTEXT, random.Random(k)) for k in range(40)}
    assert made <= found and (None not in found or found == {None})


def test_an_opposite_of_an_opposite_is_the_word():
    assert all(OTHER[OTHER[word]] == word for word in OTHER if OTHER[word] in OTHER)
    assert exchanged("who came first", "", random.Random(1)) == "who came last"
