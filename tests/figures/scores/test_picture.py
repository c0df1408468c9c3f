"""Chapter 2 as data: plane, slide, products, layers and bench against arithmetic done apart."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from qa_demo.core.options import DecodeOptions, MergeOptions, WindowOptions
from qa_demo.core.reading.heads import HeadWeights
from qa_demo.core.reading.lens import Lens, lens, slide
from qa_demo.core.reading.predict import predict
from qa_demo.core.types import Span
from qa_demo.figures.scores.bench import bench_data, bench_says, bench_table, changed, decoded
from qa_demo.figures.scores.dimensions import anatomy_data, vectors_data
from qa_demo.figures.scores.layers import layers_data, layers_notice, rank_table, settled
from qa_demo.figures.scores.picture import (
    axis_range,
    leaders,
    plane_data,
    score_formula,
    token_table,
    window_best,
)
from qa_demo.figures.scores.slide import largest_moves, move_table, slide_data, slide_notice
from tests.core.toys import make_reading, one_window, t1
from tests.fakes import FakeReader
from tests.printed import exact, text_of, unpacked, value
from tests.requests import readings

DECODE = DecodeOptions()
one = partial(one_window, rest=-9.0)


def some_heads() -> tuple[HeadWeights, np.ndarray]:
    rng = np.random.default_rng(3)
    heads = HeadWeights(rng.normal(size=20), rng.normal(size=20), 0.125, -0.5)
    return heads, rng.normal(size=(3, 6, 20)).astype(np.float32)


def test_named_dots_are_no_answer_the_best_pair_and_the_leaders_of_each_axis() -> None:
    reading = one([5, 1, 0, -1], [0, 1, 6, 2])
    best = window_best(reading, 0, DECODE)
    assert best == Span(3, 5)
    named = leaders(reading, 0, best)
    assert named[:3] == [0, 3, 5] and set(named) == {0, 3, 4, 5, 6}
    assert leaders(reading, 0, None)[0] == 0 and len(named) == len(set(named))


def test_the_axes_hold_every_point_before_and_after() -> None:
    before, after = one([5, 1, 0, -1], [0, 1, 6, 2]), one([-40, 1, 0, -1], [0, 1, 33, 2])
    alone = plane_data(before, 0, DECODE, "max_context", None)["range"]
    both = plane_data(before, 0, DECODE, "max_context", slide(before, after))["range"]
    assert both[0] < -40 < alone[0] and both[3] > 33 > alone[3]
    assert both[1] > 5 and both[2] < -9
    not_owned = np.array([[1.0, 1.0], [np.nan, 5.0]])
    assert axis_range(not_owned) == [0.5, 1.5, 0.5, 1.5], "it does not move the axes"


@pytest.mark.parametrize("scale", [0.001, 1.0, 100.0])
def test_the_axes_follow_the_size_of_the_logits(scale: float) -> None:
    low_s, high_s, low_e, high_e = axis_range(scale * np.array([[0.0, 0.0], [1.0, 0.5]]))
    assert low_s < 0 < high_s and high_s - low_s < 1.2 * scale and high_e - low_e < 0.8 * scale
    assert axis_range(np.array([[2.0, -1.0]])) == [1.5, 2.5, -1.5, -0.5], "it is in the middle"


def test_a_slide_sends_what_the_window_owns_and_nothing_else() -> None:
    reading = t1()
    data = slide_data(reading, reading, slide(reading, reading), 1)
    docs = unpacked(data["docs"], "<i4")
    assert docs.tolist() == reading.windows[1].owned.tolist() == [3, 4, 5]
    points = unpacked(data["after"]).reshape(-1, 2)
    np.testing.assert_array_equal(points, [[4, 3], [1, 3.5], [0, 0]])


def test_a_slide_shows_the_window_of_the_other_answer_too() -> None:
    reading = FakeReader().read("Who?", "so it went on. " * 40 + "Ada", WindowOptions(40, 12))
    last, path = len(reading.encoding.context_ids) - 1, slide(reading, reading)
    home, winner = reading.home(Span(last, last)), Span(last, last)
    assert home.index != 0
    docs = unpacked(slide_data(reading, reading, path, 0, winner)["docs"], "<i4")
    assert set(docs) == {*reading.windows[0].owned, *home.owned}
    low, high, *_ = plane_data(reading, 0, DECODE, "max_context", path, winner)["range"]
    assert low < path.after[last, 0] < high
    rows = move_table(reading, path, 0, winner)["select"][:-1]
    assert all(doc in reading.windows[w].owned for w, doc, _ in rows)


def test_the_largest_moves_come_first_and_differ_as_printed() -> None:
    before = one([5, 1, 0, -1], [0, 1, 6, 2])
    after = one([5, 4.996, 0.5, -1], [0, -2.004, 6, 2], null=(1, 1))
    moved = slide(before, after)
    assert largest_moves(moved, before.windows[0].owned).tolist()[:2] == [1, 2]
    twin = move_table(before, moved, 0)
    assert twin["rows"][0] == ["Beta", "1.00", "5.00", "+4.00", "1.00", "−2.00", "−3.00"]
    assert twin["select"][0] == [0, 1, 1]
    assert twin["rows"][-1][0] == "no answer"
    assert twin["select"][-1] is None
    for row in twin["rows"]:
        assert value(row[2]) - value(row[1]) == pytest.approx(value(row[3].replace("+", "")))
    said = slide_notice(before, after, moved, 0, ("Alpha", None))
    assert "the answer goes from “\u2068Alpha\u2069” to no answer" in said
    assert "from (1.00, 1.00) to (5.00, −2.00)" in said
    assert "the answer stays no answer" in slide_notice(before, after, moved, 0, (None, None))


def test_the_formula_adds_up_as_printed() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        logits, biases = rng.normal(0, 5, 2), rng.normal(0, 1, 2)
        said = text_of(
            score_formula(
                (float(logits[0]), float(logits[1])), (float(biases[0]), float(biases[1]))
            )
        )
        for tail, logit in zip(said.split("     ")[1:], logits, strict=True):
            left, right = tail.replace("− ", "+ −").split(" = " if " = " in tail else " ≈ ")
            assert value(right) == pytest.approx(logit, abs=6e-4)
            if " = " in tail:
                added = sum(value(x) for x in left.split(" + "))
                assert added == pytest.approx(value(right), abs=1e-9)
    assert text_of(score_formula(None, None)) == "si = S · Ti + bS    ej = E · Tj + bE"


def test_the_table_of_the_plane_has_every_position_and_its_diagonal() -> None:
    twin = token_table(t1(), 0)
    assert len(twin["rows"]) == 8 and twin["rows"][0][1:] == ["[CLS]", "1.000", "0.500", "1.500"]
    assert twin["select"][0] is None and twin["select"][3] == [0, 0, 0]
    for reading in readings().values():
        for *_, s, e, printed in token_table(reading, 0)["rows"]:
            adds = exact(s) + exact(e) == exact(printed.removeprefix("≈ "))
            assert adds == (printed[0] != "≈")


@pytest.mark.parametrize("lane", ["start", "end"])
def test_products_rest_and_bias_add_up_to_the_logit_as_printed(lane: str) -> None:
    heads, hidden = some_heads()
    vector, bias = (heads.S, 0.125) if lane == "start" else (heads.E, -0.5)
    for token in hidden[-1]:
        exact = float(vector.astype(float) @ token.astype(float)) + bias
        data = anatomy_data(heads, token, lane, exact, "word")
        column = [*data["rows"], data["rest"], data["bias"]]
        printed = sum(value(r["product"]) for r in column)
        assert printed == pytest.approx(value(data["logit"]), abs=1e-9)
        assert sum(r["x"] for r in column) == pytest.approx(exact, abs=1e-4)
        sizes = np.sort(np.abs(vector.astype(float) * token))[::-1]
        assert [abs(r["x"]) for r in data["rows"]] == pytest.approx(sizes[:8].tolist())
        assert data["rest"]["name"] == "12 others together"
    short = HeadWeights(np.ones(2), np.ones(2), 0, 0)
    assert anatomy_data(short, np.ones(2), lane, 2.0, "x")["rest"]["name"] == "rounding"


def test_small_numbers_of_chapter_2_keep_their_digits() -> None:
    """0.0003 beside 2 is printed with four decimals."""
    heads = HeadWeights(np.array([2.0, 0.0003]), np.ones(2), 0.0, 0.0)
    data = anatomy_data(heads, np.ones(2), "start", 2.0003, "word")
    assert [row["product"] for row in data["rows"]] == ["2.0000", "0.0003"]
    assert data["logit"] == "2.0003" and data["rest"]["product"] == "0.0000"


def test_vectors_travel_once_with_angle_and_lengths() -> None:
    data = vectors_data(HeadWeights(np.array([3.0, 0, 4]), np.array([0, 2.0, 0]), 0.1, -0.2))
    assert (data["d"], data["angle"], data["size"]) == (3, "90.0", 4.0)
    assert data["lengths"] == ["5.00", "2.00"]


def test_layers_travel_with_ranks_and_the_notice_names_the_first_layer_that_leads() -> None:
    reading = one([0, 3, 0, 0], [0, 0, 4, 0])
    start = [[9, 0, 0, 0, 1, 2, 3, 0], [0, 0, 0, 0, 3, 2, 1, 0], [0, -9, -9, 0, 3, 0, 0, -9]]
    end = [[0, 0, 0, 0, 0, 5, 0, 0], [9, 0, 0, 0, 0, 1, 0, 0], [0, -9, -9, 0, 0, 4, 0, -9]]
    found, best = Lens(np.array(start, dtype=float), np.array(end, dtype=float)), Span(4, 5)
    assert window_best(reading, 0, DECODE) == best
    rows = rank_table(reading, 0, found, best)["rows"]
    assert [r[0] for r in rows] == ["embeddings", "layer 1", "layer 2"]
    assert [r[1] for r in rows] == ["4", "1", "1"] and [r[5] for r in rows] == ["1", "2", "1"]
    assert rows[0][4] == "[CLS]" and rows[2][2] == "3.00"
    said = layers_notice(reading, 0, found, best)
    assert "the start “\u2068Beta\u2069” leads from layer 1 on" in said
    assert "the end “\u2068Gamma\u2069” leads again in layer 2 (rank 2 one layer before)" in said
    later = Lens(found.start[1:], found.end[1:])
    assert "leads in layer 1 only (rank 2 one" in layers_notice(reading, 0, later, best)
    assert "trained on layer 2 only" in said
    assert [settled(np.array(r)) for r in ([3, 1, 1], [1, 1], [1, 2], [1, 2, 1])] == [1, 0, None, 2]


def test_the_last_layer_of_the_lens_is_the_reading_and_all_of_it_travels() -> None:
    heads, hidden = some_heads()
    found = lens(heads, hidden)
    data = layers_data(found)
    packed = unpacked(data["end"]).reshape(data["rows"], data["n"])
    np.testing.assert_allclose(
        packed[-1], hidden[-1].astype(float) @ heads.E.astype(float) + heads.b_E, rtol=1e-5
    )
    assert len(data["start"]) == 4 * math.ceil(3 * 6 * 4 / 3)


def test_two_readings_side_by_side() -> None:
    first, other = one([5, 1, 0, -1], [0, 1, 6, 2]), one([-5, 1, 0, -1], [0, 7, -6, 2], null=(1, 1))
    pair = (predict(first, DECODE), decoded(other, first, DECODE, MergeOptions()))
    data = bench_data(first, other, pair)
    assert [s["span"] for s in data["sides"]] == ["Alpha Beta Gamma", "Beta"]
    assert data["sides"][1]["numbers"][0]["value"] == "8.00"
    assert len(data["sides"][0]["numbers"]) == 4
    p = np.exp([5.0, 1, 0, -1, 0, -9, -9, -9])
    top = data["sides"][0]["lanes"][0]["top"][0][1]
    assert value(top) == pytest.approx(p[0] / p.sum(), abs=1e-3)
    assert "from +11.00 to +6.00" in data["says"]
    assert "from “\u2068Alpha Beta Gamma\u2069” to “\u2068Beta\u2069”" in data["says"]
    rows = {r[0]: r[1:] for r in bench_table((first, other), pair)["rows"]}
    assert rows["start logit"] == ["5.00", "1.00"] and rows["null score"] == ["0.00", "2.00"]


def test_what_differs_is_named_and_the_threshold_belongs_to_its_reader() -> None:
    first = one([5, 1, 0, -1], [0, 1, 6, 2])
    row = [[0, 0, 0, 1, 0, 0]]
    asked = make_reading(["Alpha", "Zeta"], [(0, 2)], row, row, threshold=-5.0, question=("when",))
    strict = replace(asked, model_name="other")
    assert changed(first, strict) == ["the question", "the paragraph", "the reader"]
    assert changed(first, first) == []
    there = decoded(strict, first, DECODE, MergeOptions())
    assert there.limit == -5.0 and there.answer is None
    said = bench_says(first, strict, (predict(first, DECODE), there))
    both = "Changed: the question and the paragraph and the reader. With that, the answer goes"
    assert said.startswith(both)
