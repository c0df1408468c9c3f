"""Chapter 4: the square is brute force over all pairs, and its highest cell is the prediction."""

import numpy as np
import pytest

from qa_demo.core.predict import predict
from qa_demo.examples import load_menu
from qa_demo.printed import number
from tests.chapters.given import blocks, example, faked, shown_of, stored, words
from tests.printed import unpacked, value

EXAMPLES = ("oresund", "natural-selection", "danube", "reef", "emoji")


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_square_is_the_sum_of_two_logits_hatched_where_no_pair_is_allowed(name):
    found, shown = blocks(stored(), example=name, chapter="spans"), shown_of(stored(), example=name)
    *sides, strip, heat = found["square"]["data"]
    z, first = unpacked(heat["z"]), heat["y0"]
    window, (row, column) = shown.window, np.indices(z.shape)
    at = window.to_pos(first) + np.arange(len(z))
    start, end = (x[at] for x in shown.reading.logits(window.index))
    allowed = (row <= column) & (column < row + 30) & window.is_max_context[at][:, None]
    np.testing.assert_allclose(z, np.where(allowed, start[:, None] + end, np.nan), atol=6e-4)
    i, j = np.unravel_index(np.nanargmax(z), z.shape)
    assert (int(i) + first, int(j) + first) == (shown.best.span.start, shown.best.span.end)
    edge = first - 0.5
    assert max(strip["y"]) == edge and min(strip["x"]) == sides[0]["x"][0] < edge - 1
    for row in np.flatnonzero(allowed.any(axis=1)).tolist():
        columns = np.flatnonzero(allowed[row])
        for side, to in zip(sides, (columns[0], columns[-1] + 1), strict=True):
            assert side["x"][1 + 2 * row : 3 + 2 * row] == [edge + to] * 2
            assert side["y"][1 + 2 * row : 3 + 2 * row] == [edge + row, edge + row + 1]
    rows = found["listed"]["rows"]  # the prediction, variants in one row
    best = predict(load_menu()[name].stored()).n_best[0].candidate
    assert rows[0]["sets"] == {"selection": [best.span.start, best.span.end]}
    assert rows[0]["cells"][1:3] == [number(best.start_logit), number(best.end_logit)]
    scores = [value(r["cells"][3]) for r in rows]
    assert scores == sorted(scores, reverse=True)


def test_a_pair_of_another_window_shows_its_highest_and_two_that_form_no_pair_are_told():
    edits = {"start": {"0:19": 6.0}, "end": {"0:21": 5.226}}
    found = blocks(stored(), **example("brooklyn"), chapter="spans", selection=[5, 8], edits=edits)
    heat = next(t for t in found["square"]["data"] if t["type"] == "heatmap")
    highest = number(float(np.nanmax(unpacked(heat["z"]))))
    _, said = words(found["finding"]).split(" in window 1 of 5: ")
    assert said == "11.226 (the best span, “Emily Warren Roebling” with 11.228, is in window 3)."
    assert found["square"]["alt"].endswith(f"The highest is John Roebling, {highest}.")
    state = {"question": "Who lives in Oslo?", "context": "Ada Kok lives in Oslo. " * 120}
    state |= {"chapter": "spans", "selection": [500, 500], "edits": {"start": {"2:334": -50.0}}}
    shown = shown_of(faked(), **state)
    assert shown.window.doc_start > 0
    found = blocks(faked(), **state)
    assert words(found["finding"]).count("“Kok” (token ") == 2, "equal words, here and in another"
    logit = float(shown.reading.logits(shown.window.index)[0][shown.window.to_pos(500)])
    assert found["square"]["overlay"]["annotations"][0]["text"].endswith(f"<br>{number(logit)}")
    said = words(found["together"])
    assert said.startswith("In this window the paragraph's highest start logit is on ")
    for logits in shown.reading.logits(shown.window.index):
        assert f"({number(float(logits[shown.window.is_context].max()))})" in said


@pytest.mark.parametrize(
    ("pair", "said"),
    [([30, 110], "so it has no score."), ([25, 50], "in another window: not compared)")]
    + [([0, 118], "so it has no score."), ([0, 30], "(over 30 tokens: not compared)")],
)
def test_a_selection_that_is_not_compared_says_why(pair, said):
    found = blocks(stored(), **example("brooklyn"), chapter="spans", selection=pair)
    assert words(found["sum"]).endswith(said)
    assert bool(found["square"]["overlay"]["shapes"]) == ("compared" in said)


@pytest.mark.parametrize("pair", [[10, 10], [41, 42]])
def test_the_selected_pair_has_a_frame_two_lines_that_end_at_it_and_room_for_its_name(pair):
    square = blocks(stored(), **example("oresund"), chapter="spans", selection=pair)["square"]
    half, (row, column), (i, j) = square["frame"]["half"], square["overlay"]["shapes"], pair
    assert (row["y0"], row["x1"]) == (i, j - half) and (column["x0"], column["y0"]) == (j, i + half)
    name, *_ = square["overlay"]["annotations"]
    letters = len(name["text"].split("<br>")[0].replace("<b>", "").replace("</b>", ""))
    assert square["narrow"]["margin.l"] >= 9 * letters and square["layout"]["margin"]["l"] >= 128
    assert square["narrow"]["shapes.0.x1"] < -0.5, "the cell of no answer stands before the pairs"
