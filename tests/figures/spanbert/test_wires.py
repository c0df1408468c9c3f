"""The table of single cuts: as cutting for real, differences add up, sentence follows."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest

from qa_demo.core.masking.infill import WIRES, OneCut, single_cuts
from qa_demo.core.types import Span
from qa_demo.figures.payload import plain
from qa_demo.figures.spanbert import wires as figure
from tests.fake_infiller import FakeInfiller
from tests.figures.spanbert.test_predict import guessed, value

NAMES = ("the", "an", "old", "sea")


def cuts(*p: tuple[float, float, float, float], true: int = 1) -> tuple[OneCut, ...]:
    """Distributions over four pieces with no wire cut, then left, right, position."""
    return single_cuts(np.log(np.array(p)), true, NAMES, 4)


def test_single_cuts_keep_the_chance_of_the_whole_heads_first_guess() -> None:
    found = cuts(
        (0.5, 0.3, 0.1, 0.1), (0.2, 0.6, 0.1, 0.1), (0.4, 0.3, 0.2, 0.1), (0.5, 0.2, 0.2, 0.1)
    )
    assert [one.wire for one in found] == [None, *WIRES]
    assert [one.p_first for one in found] == pytest.approx([0.5, 0.2, 0.4, 0.5])
    assert [one.said.rank for one in found] == [2, 1, 2, 2]
    assert found[1].said.guesses[0].piece == "an"


@pytest.mark.parametrize("now", ["", "left", "left position"])
def test_the_table_is_what_cutting_for_real_gives(now: str) -> None:
    model = FakeInfiller()
    shown = guessed([Span(4, 6)], at=5, cut=now, model=model)
    data = plain(figure.wires_data(shown))
    assert data["now"] == {"": 0, "left": 1}.get(now)
    for row, wire, bar in zip(data["table"]["rows"], (None, *WIRES), data["bars"], strict=True):
        said = model.infill(shown.now.masked, frozenset({wire} - {None})).pieces[1].sbo
        assert row[0] == (wire or "none")
        assert row[3] == f"{said.rank:,}"
        assert row[4] == f"{said.loss:.2f}"
        assert 0 < bar <= 1
        if wire:
            whole = data["table"]["rows"][0][4]
            assert value(whole) + Decimal(row[5].replace("−", "-").replace("+", "")) == value(
                row[4]
            )


def test_the_sentence_names_the_wire_that_carries_the_guess() -> None:
    found = cuts(
        (0.5, 0.3, 0.1, 0.1), (0.2, 0.6, 0.1, 0.1), (0.4, 0.3, 0.2, 0.1), (0.45, 0.2, 0.2, 0.15)
    )
    rests = figure.rests_on(found)
    assert rests.startswith(
        "SBO's first guess “\u2068the\u2069” (50 %) rests most on the left wire: without it 20 %, "
    )
    assert rests.endswith(
        "without it 20 %, without the right one 40 %, without the position one 45 %."
    )
    said = figure.true_piece(found, "an")
    assert "loses most without the position wire (−log p +0.41)" in said
    assert said.endswith(", and gets likelier without the left wire (−log p −0.69).")
    tie = cuts(
        (0.5, 0.3, 0.1, 0.1), (0.2, 0.6, 0.1, 0.1), (0.2, 0.6, 0.1, 0.1), (0.45, 0.2, 0.2, 0.15)
    )
    assert (
        "rests most on the left and the right wire: without any one of them 20 %, without the "
        "position one 45 %." in figure.rests_on(tie)
    )
    none = cuts(*[(0.5, 0.3, 0.1, 0.1)] * 4)
    assert "rests on no single wire" in figure.rests_on(none)
    assert figure.true_piece(none, "an").endswith("loses nothing by a single cut.")


def test_a_blank_without_a_term_has_no_table() -> None:
    assert figure.wires_data(guessed([Span(0, 1)])) is None
    shown = guessed([Span(4, 6)])
    assert figure.wires_data(replace(shown, trace=replace(shown.trace, cuts=()))) is None
