"""Is a drop larger than chance: ranks by hand, against plain loops, and on random numbers."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_demo.core.errors import BadInput
from qa_demo.core.explaining.attribution import Target, parts
from qa_demo.core.explaining.chance import LEAST_SETS, N_SETS, band, cut, draw, place, rank, seed_of
from qa_demo.core.explaining.word_sets import Scorer, answer_words, look, order_of, other_words
from qa_demo.core.reading.words import words
from qa_demo.core.types import Reading, Span
from tests.core.toys import random_reading, t1

SPAN = Target("span_score", Span(4, 6))
few = st.integers(-3, 3).map(float)
numbers = st.one_of(few, st.floats(-1e6, 1e6))
drops = st.lists(numbers, min_size=LEAST_SETS, max_size=120)


def scorer_of(reading: Reading, window: int, worth: np.ndarray) -> Scorer:
    """Masking word u lowers the start logit of every position by worth[u]; counts its calls."""
    units = words(reading.encoding, reading.windows[window])

    def scorer(masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        scorer.calls.append(masks)  # type: ignore[attr-defined]
        s, e = (np.repeat(row[None], len(masks), axis=0) for row in reading.logits(window))
        lost = [worth[np.unique(units.of[mask & (units.of >= 0)])].sum() for mask in masks]
        return s - np.array(lost)[:, None], e

    scorer.calls = []  # type: ignore[attr-defined]
    return scorer


# The rule


def test_of_a_hundred_sets_ninety_six_must_be_smaller() -> None:
    hundred = np.arange(100.0)
    assert cut(N_SETS) == 5
    assert [rank(at + 0.5, hundred).standing for at in (94, 95)] == ["chance", "larger"]
    assert rank(95.5, hundred).below == 96 and rank(95.5, hundred).above == 4
    assert [rank(at + 0.5, hundred).standing for at in (3, 4)] == ["smaller", "chance"]
    assert rank(3.5, hundred).below == 4
    low, high = band(hundred)
    assert (low, high) == (4, 95)


@given(numbers, drops)
def test_a_rank_against_a_loop(drop: float, others: list[float]) -> None:
    found, n = rank(drop, np.array(others)), len(others)
    above = sum(1 for other in others if other >= drop)
    below = sum(1 for other in others if other <= drop)
    assert found.above + found.equal == above and found.below + found.equal == below
    assert found.n_sets == n
    larger, smaller = (Fraction(1 + k, n + 1) <= Fraction(1, 20) for k in (above, below))
    assert not (larger and smaller)
    assert found.standing == ("larger" if larger else "smaller" if smaller else "chance")


@given(numbers, drops)
def test_beyond_chance_is_exactly_outside_the_band(drop: float, others: list[float]) -> None:
    low, high = band(np.array(others))
    standing = rank(drop, np.array(others)).standing
    assert (standing == "larger") == (drop > high)
    assert (standing == "smaller") == (drop < low)


@given(st.lists(numbers, min_size=LEAST_SETS + 1, max_size=120))
def test_chance_itself_is_beyond_chance_once_in_twenty(values: list[float]) -> None:
    """Each of N + 1 equally good sets in turn as the explanation: at most one in twenty passes."""
    others = [np.array(values[:k] + values[k + 1 :]) for k in range(len(values))]
    found = [rank(*one).standing for one in zip(values, others, strict=True)]
    for standing in ("larger", "smaller"):
        count = found.count(standing)
        assert 20 * count <= len(values)
        if len(set(values)) == len(values):
            assert count == len(values) // 20


def test_too_few_sets_and_what_is_no_number_are_refused() -> None:
    with pytest.raises(BadInput, match="at least 19 random sets, got 18"):
        rank(1.0, np.arange(18.0))
    with pytest.raises(BadInput, match="not finite"):
        rank(float("nan"), np.arange(19.0))
    with pytest.raises(BadInput, match="not finite"):
        rank(1.0, np.array([np.inf] * 19))


# The draws


def test_the_sets_are_the_same_for_everyone_and_another_text_has_others() -> None:
    reading = random_reading(np.random.default_rng(3), 30, 30, 4)
    worth = np.ones(40)
    one, two = (draw(reading, SPAN, scorer_of(reading, 0, worth)) for _ in range(2))
    assert (one.orders == two.orders).all() and len(one.orders) == N_SETS and one.size == 3
    contrast = Target("span_minus_null", SPAN.span)
    again = draw(reading, contrast, scorer_of(reading, 0, worth))
    assert (again.orders == one.orders).all()
    other = random_reading(np.random.default_rng(3), 31, 31, 4)
    assert seed_of(other, other.windows[0]) != seed_of(reading, reading.windows[0])


def test_random_sets_against_a_loop() -> None:
    reading = random_reading(np.random.default_rng(5), 12, 12, 4)
    window, worth = reading.windows[0], np.random.default_rng(7).exponential(size=20)
    units = words(reading.encoding, window)
    scorer = scorer_of(reading, 0, worth)
    sets = draw(reading, SPAN, scorer)
    spared = set(answer_words(units, SPAN, window))
    assert spared and set(sets.candidates) == set(range(len(units))) - spared
    (masks,) = scorer.calls  # type: ignore[attr-defined]
    assert len({mask.tobytes() for mask in masks}) == len(masks), "each distinct set runs once"
    for order, f in zip(sets.orders, sets.f, strict=True):
        assert sorted(order) == list(sets.candidates)
        assert sets.f_x - f == pytest.approx(worth[list(order[:3])].sum(), abs=1e-4)
    assert sets.f_x == pytest.approx(float(sum(parts(SPAN, window, *reading.logits(0)))))


def test_every_set_is_drawn_as_often_as_every_other() -> None:
    """5 words that may be masked: 10 sets of 3, each with probability 1/10 in every draw."""
    reading = random_reading(np.random.default_rng(5), 7, 7, 4)
    target = Target("span_score", Span(1, 3))
    sets = draw(reading, target, scorer_of(reading, 0, np.ones(20)), n_sets=5000)
    assert len(sets.candidates) == 5
    counts = {frozenset(each): 0 for each in itertools.combinations(sets.candidates, 3)}
    for order in sets.orders:
        counts[frozenset(order[:3])] += 1
    assert all(400 < count < 600 for count in counts.values())  # 500 +- 21


def test_the_right_words_stand_out_and_the_wrong_ones_do_not() -> None:
    reading = random_reading(np.random.default_rng(3), 30, 30, 4)
    worth = np.random.default_rng(9).exponential(size=40)
    scorer = scorer_of(reading, 0, worth)
    sets = draw(reading, SPAN, scorer)
    right = place(reading, SPAN, worth, scorer, sets)
    best = sorted(sets.candidates, key=lambda k: -worth[k])[:3]
    assert right.top == tuple(sets.words.items[k].text for k in best)
    assert right.rank.drop == pytest.approx(worth[best].sum(), abs=1e-4)
    assert right.rank.standing == "larger"
    wrong = place(reading, SPAN, -worth, scorer, sets)
    assert wrong.rank.standing == "smaller" and wrong.rank.drop < right.rank.drop


def test_a_top_set_that_was_drawn_is_not_run_again() -> None:
    reading = random_reading(np.random.default_rng(3), 30, 30, 4)
    scorer = scorer_of(reading, 0, np.ones(40))
    sets = draw(reading, SPAN, scorer)
    values = np.zeros(len(sets.words))
    values[list(sets.orders[7][:3])] = 1.0
    calls = len(scorer.calls)  # type: ignore[attr-defined]
    placed = place(reading, SPAN, values, scorer, sets)
    assert len(scorer.calls) == calls and placed.f == sets.f[7]  # type: ignore[attr-defined]
    assert placed.rank.equal >= 1


def test_two_words_are_enough_and_one_is_not() -> None:
    reading = t1()
    two = Target("span_score", Span(0, 2))
    sets = draw(reading, two, scorer_of(reading, 0, np.ones(9)))
    assert sets.size == 2 and len(sets.candidates) == 2
    placed = place(reading, two, np.arange(5.0), scorer_of(reading, 0, np.ones(9)), sets)
    assert placed.rank.equal == N_SETS and placed.rank.standing == "chance"
    with pytest.raises(BadInput, match="at least 2 words beside the span's own, this window has 1"):
        draw(reading, Target("span_score", Span(0, 3)), scorer_of(reading, 0, np.ones(9)))


def test_orders_break_ties_by_the_text() -> None:
    assert order_of(np.array([1.0, 3.0, 3.0, 2.0]), (0, 1, 2, 3)) == (1, 2, 3, 0)
    assert order_of(np.array([1.0, 3.0, 3.0, 2.0]), (0, 2, 3)) == (2, 3, 0)


def test_what_is_known_is_not_looked_at_again() -> None:
    reading = random_reading(np.random.default_rng(3), 12, 12, 4)
    window = reading.windows[0]
    units = words(reading.encoding, window)
    scorer = scorer_of(reading, 0, np.ones(20))
    sets = [frozenset({0}), frozenset({1, 2}), frozenset({0})]
    seen = look(SPAN, window, units, sets, scorer, {frozenset({1, 2}): (7.0, 0.5)})
    assert seen[frozenset({1, 2})] == (7.0, 0.5)
    (masks,) = scorer.calls  # type: ignore[attr-defined]
    assert len(masks) == 1 and (masks[0] == (units.of == 0)).all()
    assert other_words(units, SPAN, window) == tuple(
        k for k in range(len(units)) if k not in answer_words(units, SPAN, window)
    )
