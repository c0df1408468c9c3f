"""Traces that know nothing of the subject."""

import numpy as np

from qa_demo.drawn.traces import names_apart, one_of_many
from tests.printed import unpacked

LOW, HIGH, AT = np.zeros(2), np.array([10.0, 10.0]), np.array([5.0, 5.0])


def test_names_stand_off_each_other() -> None:
    names = [(AT, "one", "ink"), (AT, "two", "ink")]
    made = names_apart(names, AT[None], LOW, HIGH, (600, 300))
    boxes = [(m["ax"], m["ay"]) for m in made]
    assert abs(boxes[0][0] - boxes[1][0]) > 30 or abs(boxes[0][1] - boxes[1][1]) >= 22


def test_one_column_is_drawn_and_the_others_are_one_broken_line() -> None:
    values = np.arange(6.0).reshape(2, 3)
    others, own = one_of_many(values, 1, "start", "%{y}")
    assert unpacked(own["y"]).tolist() == [1, 4]
    xs, ys = unpacked(others["x"]), unpacked(others["y"])
    assert np.isnan(xs).tolist() == np.isnan(ys).tolist() == [False, False, True] * 2
    assert ys[~np.isnan(ys)].tolist() == [0, 3, 2, 5]
