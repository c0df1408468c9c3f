"""Chapter 9, step 1 as data: the grid, one head as it travels, and what is not attention."""

import base64
import zlib

import numpy as np
import pytest

from qa_demo.core.explaining.attention import RELEVANCE, Attention
from qa_demo.core.explaining.attribution import Target
from qa_demo.core.options import WindowOptions
from qa_demo.core.reading.words import question_at, words
from qa_demo.core.types import Span
from qa_demo.figures.why import attention as figure
from tests.fakes import FakeReader
from tests.printed import unpacked

TEXT = "The bridge opened in July. George Rotne drew it, and Anna Lindh crossed it first. " * 3


READER = FakeReader()
READING = READER.read("Who drew the 🌉 bridge?", TEXT, WindowOptions(64, 20))


def test_the_grid_holds_each_heads_share_on_the_question() -> None:
    window, span = READING.windows[0], Span(10, 12)
    found = READER.attention(window)
    data = figure.grid_data(found, READING.encoding, window, span)
    at, q = question_at(READING.encoding), len(READING.encoding.question_ids)
    for lane, doc in (("start", 10), ("end", 12)):
        shares = unpacked(data[lane]).reshape(data["layers"], data["heads"])
        for layer in range(data["layers"]):
            for head in range(data["heads"]):
                by_hand = sum(
                    float(found.weights[layer, head, window.to_pos(doc), at + k]) for k in range(q)
                )
                assert shares[layer, head] == pytest.approx(by_hand, abs=1e-6)
    assert data["even"] == pytest.approx(q / len(window))
    layer, head = data["top"]
    assert (
        unpacked(data["start"]).reshape(data["layers"], -1)[layer, head]
        == unpacked(data["start"]).max()
    )


def test_a_head_travels_compactly_and_its_rows_exactly() -> None:
    found = READER.attention(READING.windows[0])
    data = figure.head_data(found, 2, 1)
    codes = np.frombuffer(zlib.decompress(base64.b64decode(data["codes"])), dtype=np.uint8)
    back = (codes.reshape(data["n"], data["n"]) / 255) ** 2
    assert np.abs(back - found.weights[2, 1]).max() <= 1 / 255
    exact = figure.exact_data(found, 2, 1, 5)
    assert (unpacked(exact["row"]) == found.weights[2, 1, 5]).all()
    assert (unpacked(exact["column"]) == found.weights[2, 1, :, 5]).all()


def test_seats_say_where_each_question_piece_stands() -> None:
    window = READING.windows[0]
    seats = figure.seats(READING.encoding, window)
    units = words(READING.encoding, window)
    offsets = unpacked(seats["question"]["offsets"], "<i4").reshape(-1, 2)
    text = seats["question"]["text"].encode("utf-16-le")
    pieces = [text[2 * a : 2 * b].decode("utf-16-le") for a, b in offsets]
    assert pieces == list(READING.encoding.question_tokens)
    assert (unpacked(seats["of"], "<i4") == units.of).all()
    assert seats["special"] == np.flatnonzero(units.of < 0).tolist()


def test_summaries_have_a_table_twin_by_word() -> None:
    window, target = READING.windows[0], Target("span_score", Span(5, 6))
    found = {kind: READER.relevance(window, target, kind) for kind in RELEVANCE}
    units = words(READING.encoding, window)
    table = figure.relevance_table(found, units)
    assert len(table["rows"]) == len(units) and len(table["head"]) == 2 + 2 * len(RELEVANCE)
    cells = [cell for row in table["rows"] for cell in row[2:]]
    assert not any(cell.strip("<0. ") == "" and cell != "0" for cell in cells)
    column = [float(row[2].removeprefix("< ")) for row in table["rows"]]
    total = found["attention"].start[units.of >= 0].sum()
    assert sum(column) == pytest.approx(total, abs=0.001 * len(units))
    assert [one["kind"] for one in figure.relevance_data(found)["kinds"]] == list(RELEVANCE)


def test_the_notice_names_the_head_that_looked_most() -> None:
    window, span = READING.windows[0], Span(5, 6)
    n, q = len(window), question_at(READING.encoding)
    weights = np.full((2, 3, n, n), 1 / n, dtype=np.float32)
    weights[1, 2, window.to_pos(5)] = 0.0
    weights[1, 2, window.to_pos(5), q] = 1.0
    said = figure.attention_notice(Attention(weights), READING.encoding, window, span)
    assert "head 3 of layer 2" in said and "100 %" in said and "0 of 6 heads" in said
    assert "why" not in said.lower()
