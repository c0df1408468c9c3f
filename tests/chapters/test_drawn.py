"""Names and arrows of a plane keep apart; columns of tokens lose none, and words stay whole."""

import numpy as np
import pytest

from qa_demo.drawn.ladder import MOST, folded, runs_of
from qa_demo.drawn.plane import arrow, names_apart, one_of_many, piled
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
    rows = np.array(piled(xs, 0.1))
    assert all((np.diff(np.array(xs)[rows == level]) >= 0.1).all() for level in set(rows))
    assert piled([1.0, 1.0, 1.0], 0.1) == [0, 1, 2]


@pytest.mark.parametrize("seed", range(8))
def test_columns_hold_every_token_once_and_whole_words_and_three_share_one(seed):
    apart = np.array([0, 0, 0, 1, 0, 0, 1], bool)
    assert folded(apart) == [(0, 2), (3, 3), (4, 4), (5, 5), (6, 6)]
    rng = np.random.default_rng(seed)
    words = np.cumsum(rng.integers(0, 2, 60))
    keep = [int(rng.integers(60))]
    cells = runs_of(words, rng.beta(20, 1, 60), keep)
    assert [d for a, z in cells for d in range(a, z + 1)] == list(range(60))
    assert (keep[0], keep[0]) in cells and len(cells) <= MOST + 2
    assert all(a == 0 or words[a - 1] != words[a] for a, z in cells if a < z)
