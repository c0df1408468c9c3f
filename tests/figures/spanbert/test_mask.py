"""Chapter 8's mask step as data: every number from the records."""

import re

import numpy as np

from qa_demo.core.masking import span_masking as masking
from qa_demo.core.masking.masked import hide
from qa_demo.core.masking.span_masking import MaskOptions
from qa_demo.core.types import Span
from qa_demo.figures.payload import plain
from qa_demo.figures.spanbert import mask as figure
from qa_demo.figures.spanbert.lengths import lengths_data
from tests.fakes import fake_encode
from tests.printed import text_of

TEXT = (
    "The championship was decided by penalties, and the goalkeepers were extraordinarily quick. "
    * 3
)


def test_pieces_are_the_text_again() -> None:
    encoding = fake_encode("", "  An extraordinary\tword\x00, then 1967.")
    parts = figure.pieces_data(encoding)
    assert "".join(gap + text for gap, text, _ in parts) == figure.printable(encoding.context)
    assert [word for _, _, word in parts[:3]] == [0, 1, 1]
    overlapping = fake_encode("", "ab")
    object.__setattr__(overlapping, "offset_mapping", np.array([[0, 2], [0, 2]]))
    object.__setattr__(overlapping, "word_ids", np.array([0, 0]))
    assert figure.pieces_data(overlapping) == [["", "ab", 0], ["", "", 0]], (
        "two pieces inside one character show it once"
    )


def test_seeing_counts_pieces_between_two_observed_ones() -> None:
    masked = hide(np.arange(9), [Span(0, 0), Span(2, 2), Span(4, 5), Span(8, 8)], -1)
    assert figure.seeing(masked) == [2], "edges and longer runs do not count"
    single = hide(np.arange(9), [Span(1, 1), Span(3, 3), Span(5, 5), Span(7, 7), Span(0, 0)], -1)
    said = figure.mask_notice(masked, single, by_hand=True)
    assert said.startswith(
        "Your spans hide 5 pieces in 4 runs: 1 of 5 has both neighbours in sight."
    )
    assert "5 pieces fall into 4 runs: 3 of 5 have both neighbours in sight." in said
    assert "from next door" in said
    assert "leave a larger share" in figure.mask_notice(single, masked, by_hand=False)
    assert "do not differ" in figure.mask_notice(single, single, by_hand=False)


def test_lengths_stand_beside_both_laws() -> None:
    data = plain(lengths_data(MaskOptions()))
    assert data["means"] == {"law": "3.797", "clipped": "4.463"}
    assert data["table"]["rows"][0] == ["1", "22.41 %", "20.00 %"]
    assert data["table"]["rows"][-1] == ["mean", "3.797", "4.463"]
    assert "length 10 comes with 3.01 %" in data["says"]
    assert data["says"].endswith("would pile up there: 13.42 %.")
    for low, high in ((1, 1), (1, 10), (8, 10)):
        rows = lengths_data(MaskOptions(1, 0.9, low, high))["table"]["rows"][:-1]
        cells = [x for row in rows for x in row[1:]]
        assert "0.00 %" not in cells and ("100.00 %" in cells) == (low == high)
    one = plain(lengths_data(MaskOptions(span_lower=3, span_upper=3)))
    assert one["lengths"] == [3] and one["law"] == [1.0]


def test_the_formula_carries_the_budget_and_the_mean() -> None:
    text = text_of(figure.mask_formula(510, MaskOptions()))
    assert "0.2 · 0.8" in text and "mean 3.797 words" in text
    assert text.endswith("⌈0.15 · 510⌉ = 77 pieces")
    assert "budget" not in text_of(figure.mask_formula(None, MaskOptions()))
    assert "by hand: 4 of 40 pieces" in text_of(figure.mask_formula(40, MaskOptions(), 4))


def test_tables_name_every_run_and_its_targets() -> None:
    encoding = fake_encode("", TEXT)
    ids, rng = (encoding.context_ids, encoding.word_ids), np.random.default_rng(4)
    masked = masking.mask_spans(*ids, -1, rng, lambda rng: 7, masking.DEFAULTS)
    given_pieces = tuple(
        "[MASK]" if i in masked.hidden else t for i, t in enumerate(encoding.context_tokens)
    )
    rows = figure.runs_table(encoding, masked, given_pieces, "runs")["rows"]
    assert len(rows) == len(masked.runs) and sum(int(r[2]) for r in rows) == len(masked.hidden)
    turns = figure.draws_table(encoding, masked)["rows"]
    assert [int(row[1]) for row in turns] == [draw.length for draw in masked.draws]
    assert [int(row[5]) for row in turns] == [draw.budget_left for draw in masked.draws]
    said = figure.fates_says(masked)
    assert sum(int(n) for n in re.findall(r"(\d+) runs?", said)) == len(masked.runs)
    assert figure.fates_says(hide(encoding.context_ids, [Span(0, 1)], -1)) == ""
    edge = hide(encoding.context_ids, [Span(0, 1)], -1)
    (row,) = figure.runs_table(encoding, edge, given_pieces, "runs")["rows"]
    assert row[-1] == "0: at an edge of the text"
