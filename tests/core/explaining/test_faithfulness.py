"""Deletion and insertion curves against plain loops and the verdict they must agree with."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_demo.core.arrays import softmax
from qa_demo.core.explaining.attribution import Target
from qa_demo.core.explaining.chance import LEAST_SETS, N_SETS, Placed, RandomSets, cut, draw, place
from qa_demo.core.explaining.faithfulness import (
    alike,
    bin_sizes,
    chance_band,
    curve,
    passes_of,
    random_curves,
    ranks_along,
    sizes_of,
)
from qa_demo.core.explaining.word_sets import Scorer, span_probability
from qa_demo.core.reading.words import words
from qa_demo.core.types import Reading, Span
from tests.core.explaining.test_attribution import linear
from tests.core.toys import random_reading, t1

SPAN = Target("span_score", Span(4, 6))


def measured(
    n_words: int, seed: int, scale: float = 1.0
) -> tuple[Reading, RandomSets, Placed, Scorer]:
    """A reading with a random ranking on the test, by a reader that is linear in its words."""
    reading = random_reading(np.random.default_rng(seed), n_words, n_words, 4)
    effect, masked = linear(reading, seed)
    values = scale * np.random.default_rng(seed + 1).normal(size=n_words + 1)
    calls = []

    def scorer(masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        calls.append(masks)
        return masked(reading.windows[0], masks)

    scorer.calls, scorer.effect = calls, effect[0]  # type: ignore[attr-defined]
    sets = draw(reading, SPAN, scorer)
    return reading, sets, place(reading, SPAN, values, scorer, sets), scorer


def test_bins_are_erasers_shares_rounded_up() -> None:
    assert bin_sizes(40) == (0, 1, 2, 4, 8, 20, 40) and bin_sizes(100) == (0, 1, 5, 10, 20, 50, 100)
    assert bin_sizes(3) == (0, 1, 1, 1, 1, 2, 3)


def test_the_size_of_the_verdict_is_one_of_the_curve() -> None:
    _, sets, _, _ = measured(43, 1)
    assert len(sets.candidates) == 41
    assert sizes_of(sets) == (0, 1, 3, 5, 9, 21, 41)
    _, small, _, _ = measured(7, 1)
    assert len(small.candidates) == 5 and sizes_of(small) == (0, 1, 3, 5)


def test_curves_against_a_loop() -> None:
    reading, sets, placed, scorer = measured(12, 3)
    window = reading.windows[0]
    units = words(reading.encoding, window)
    random = random_curves(reading, SPAN, scorer, sets)
    own = curve(reading, SPAN, placed, scorer, sets)
    i, j = window.to_pos(4), window.to_pos(6)
    s0, e0 = (row.astype(float) for row in reading.logits(0))

    def look(chosen: tuple[int, ...]) -> tuple[float, float]:
        mask = np.isin(units.of, chosen)
        s, e = s0 - mask @ scorer.effect[0], e0 - mask @ scorer.effect[1]
        return s[i] + e[j], softmax(s)[i] * softmax(e)[j]

    rows = [(own, 0, placed.order), *((random, r, sets.orders[r]) for r in (0, 7, 18))]
    for found, r, order in rows:
        assert tuple(found.orders[r]) == tuple(order)
        for at, size in enumerate(found.sizes):
            out, only = look(order[:size]), look(order[size:])
            assert (found.deletion_f[r, at], found.deletion_m[r, at]) == pytest.approx(out)
            assert (found.insertion_f[r, at], found.insertion_m[r, at]) == pytest.approx(only)
        whole = look(())[1]
        lost = [whole - look(order[:k])[1] for k in bin_sizes(len(order))[1:-1]]
        left = [whole - look(order[k:])[1] for k in bin_sizes(len(order))[1:-1]]
        assert found.comprehensiveness[r] == pytest.approx(np.mean(lost))
        assert found.sufficiency[r] == pytest.approx(np.mean(left))
    assert random.deletion_f.shape == (N_SETS, len(random.sizes))
    assert random.insertion_f.shape == (LEAST_SETS, len(random.sizes))


def test_what_the_verdict_measured_is_not_run_again() -> None:
    reading, sets, placed, scorer = measured(43, 3)
    before = [len(masks) for masks in scorer.calls]
    assert before[0] <= N_SETS + 1 and before[1:] == [1]
    random_curves(reading, SPAN, scorer, sets)
    ran = {mask.tobytes() for mask in scorer.calls[-1]}
    assert not ran & {mask.tobytes() for mask in scorer.calls[0]}
    assert len(ran) <= passes_of(len(sets.candidates), sets.size, N_SETS)
    curve(reading, SPAN, placed, scorer, sets)
    top = np.isin(sets.words.of, placed.order[:3]).tobytes()
    assert top not in {mask.tobytes() for mask in scorer.calls[-1]}


@settings(max_examples=25)
@given(st.integers(7, 45), st.integers(0, 10_000), st.sampled_from([1.0, 0.0]))
def test_verdict_and_curve_never_contradict_each_other(
    n_words: int, seed: int, scale: float
) -> None:
    reading, sets, placed, scorer = measured(n_words, seed, scale)
    random = random_curves(reading, SPAN, scorer, sets)
    own = curve(reading, SPAN, placed, scorer, sets)
    ranks = ranks_along(own, random)
    assert ranks[own.sizes.index(sets.size)] == placed.rank
    low, high = chance_band(random)
    for at, rank in enumerate(ranks):
        f, others = own.deletion_f[0, at], random.deletion_f[:, at]
        if rank.standing == "larger":
            assert f < low[at] and (others <= f).sum() < cut(N_SETS)
        elif rank.standing == "smaller":
            assert f > high[at] and (others >= f).sum() < cut(N_SETS)
        else:
            assert low[at] - 1e-9 <= f <= high[at] + 1e-9
    assert ranks[0].standing == ranks[-1].standing == "chance", "nothing and all are one set each"


def test_probability_of_a_span_at_fixed_positions() -> None:
    reading = t1()
    window = reading.windows[0]
    s, e = reading.logits(0)
    start, end = softmax(s)[3], softmax(e)[4]
    wanted = {"span_score": start * end, "start_logit": start, "end_logit": end}
    for kind, probability in wanted.items():
        found = span_probability(Target(kind, Span(0, 1)), window, s, e)
        assert found == pytest.approx(probability)


def test_two_rankings_are_alike_by_size_of_effect() -> None:
    worth = np.array([3.0, -2.0, 1.0, 0.5])
    assert alike(worth, -worth) == pytest.approx(1.0)
    assert alike(worth, worth[::-1]) == pytest.approx(-1.0)
    assert alike(worth, np.zeros(4)) is None
