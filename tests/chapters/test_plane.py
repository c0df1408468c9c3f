"""Names and arrows of a plane keep clear of each other."""

import numpy as np

from qa_demo.drawn.plane import arrow, bowed, names_apart, one_of_many, stacked
from tests.printed import unpacked

LOW, HIGH = np.zeros(2), np.array([10.0, 10.0])


def test_a_name_stays_in_the_plot_and_off_the_names_before_it():
    at = np.array([[5.0, 5.0]] * 4 + [[0.03, 0.03]])
    made = names_apart([(x, "A name", "ink") for x in at], at, LOW, HIGH, (600, 300))
    middles = at * [60, 30] + [(m["ax"], -m["ay"]) for m in made]
    half = np.array([6 * 4.2 + 6, 11.0])
    assert (middles >= half - 1).all() and (middles + half <= [601, 301]).all()
    for k in range(5):
        for other in middles[:k]:
            assert (np.abs(middles[k] - other) >= 2 * half - 1).any()


def test_a_line_and_the_one_back_fall_apart():
    a, b = LOW, np.array([10.0, 0.0])
    there, back = bowed(a, b, HIGH), bowed(b, a, HIGH)
    assert there[0, 0] < there[-1, 0] < 10
    assert np.abs(there[12, 1] - back[12, 1]) > 1


def test_a_very_short_line_has_no_room_for_a_head():
    lines = [np.array([[0.0, 0.0], [to, 0.0]]) for to in (0.4, 0.6)]
    assert [len(arrow(path, "start", HIGH)) for path in lines] == [0, 1]


def test_one_column_is_drawn_and_the_others_are_one_broken_line():
    values = np.arange(6.0).reshape(2, 3)
    others, own = one_of_many(values, 1, "start", "%{y}")
    assert unpacked(own["y"]).tolist() == [1, 4]
    xs, ys = unpacked(others["x"]), unpacked(others["y"])
    assert np.isnan(xs).tolist() == np.isnan(ys).tolist() == [False, False, True] * 2
    assert ys[~np.isnan(ys)].tolist() == [0, 3, 2, 5]


def test_dots_in_one_row_do_not_touch():
    xs = sorted(np.random.default_rng(3).normal(0, 0.2, 20).tolist())
    rows = np.array(stacked(xs, 0.1))
    assert all((np.diff(np.array(xs)[rows == level]) >= 0.1).all() for level in set(rows))
    assert stacked([1.0, 1.0, 1.0], 0.1) == [0, 1, 2]
