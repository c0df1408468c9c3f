"""Targets, words, completeness, leave one out, rank correlation, and deletion curves against
values worked out apart.
"""

import itertools
from collections import defaultdict

import numpy as np
import pytest

from qa_demo.core.arrays import softmax
from qa_demo.core.attribution import (
    KINDS,
    Attribution,
    Target,
    gap_share,
    lanes,
    parts,
    rank_correlation,
    ranks,
    window_of,
)
from qa_demo.core.errors import BadInput
from qa_demo.core.faithfulness import (
    answer_words,
    bin_sizes,
    measure,
    order_of,
    span_probability,
    verdict,
)
from qa_demo.core.occlusion import leave_one_out, question_effects
from qa_demo.core.types import Reading, Span, Window
from qa_demo.core.words import question_at, special_positions, words
from tests.core.toys import make_reading, random_reading, t1
from tests.fakes import FakeReader


def linear(reading: Reading, seed: int = 0) -> tuple[dict, object]:
    """A reader whose logits fall by a fixed amount for every masked position: then every effect is
    known beforehand.
    """
    rng = np.random.default_rng(seed)
    effect = {w.index: rng.normal(size=(2, len(w), len(w))) for w in reading.windows}

    def masked(window: Window, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        s, e = reading.logits(window.index)
        return s - masks @ effect[window.index][0], e - masks @ effect[window.index][1]

    return effect, masked


# Targets


def test_each_target_is_the_sum_it_is_named_after() -> None:
    reading = t1()
    window = reading.windows[0]  # tokens 0-3 at positions 3-6
    s, e = (row.astype(float) for row in reading.logits(0))
    span, other = Span(0, 1), Span(1, 3)
    expected = {
        "start_logit": s[3],
        "end_logit": e[4],
        "span_score": s[3] + e[4],
        "span_minus_null": s[3] + e[4] - s[0] - e[0],
        "span_minus_other": s[3] + e[4] - s[4] - e[6],
    }
    assert set(expected) == set(KINDS)
    for kind, value in expected.items():
        target = Target(kind, span, other if kind == "span_minus_other" else None)
        assert sum(parts(target, window, s, e)) == pytest.approx(value)
        a, b = lanes(target, window)
        assert a @ s + b @ e == pytest.approx(value)
    shared = lanes(Target("span_minus_other", Span(0, 1), Span(0, 2)), window)
    assert not shared[0].any() and shared[1].any()


def test_the_window_of_a_target() -> None:
    reading = t1()  # windows hold tokens 0-3 and 2-5; tokens 0-2 are owned by window 0
    assert window_of(reading, Target("span_score", Span(2, 3))).index == 0
    assert window_of(reading, Target("span_score", Span(3, 4))).index == 1
    assert (
        window_of(reading, Target("span_score", Span(2, 4))).index == 1
    )  # its owner does not hold the end
    assert window_of(reading, Target("span_score", Span(2, 3), window=1)).index == 1
    assert window_of(reading, Target("span_minus_other", Span(2, 2), Span(5, 5))).index == 1
    for target, message in [
        (Target("span_score", Span(1, 4)), "no window holds the span whole"),
        (Target("span_minus_other", Span(0, 0), Span(5, 5)), "no window holds both spans whole"),
        (Target("span_score", Span(0, 1), window=1), "window 1 does not hold the span whole"),
        (Target("span_score", Span(0, 1), window=7), "no window 7; windows are 0 to 1"),
        (Target("span_score", Span(0, 6)), "ends at token 6, the paragraph has 6 tokens"),
    ]:
        with pytest.raises(BadInput, match=message):
            window_of(reading, target)


def test_a_target_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(BadInput, match="span_minus_other needs a second span"):
        Target("span_minus_other", Span(0, 1))
    with pytest.raises(BadInput, match="got kind span_score with one"):
        Target("span_score", Span(0, 1), Span(1, 2))
    with pytest.raises(BadInput, match="one of start_logit, end_logit"):
        Target("best", Span(0, 1))


# The record


def test_gap_and_its_share() -> None:
    made = Attribution(
        Target("span_score", Span(0, 1)),
        "integrated_gradients",
        0,
        np.array([1.0, -0.5]),
        np.array([0.25, 2.2]),
        f_x=5.0,
        f_baseline=2.0,
        baseline="pad",
        n_steps=20,
    )
    assert made.sum == pytest.approx(2.95) and made.gap == pytest.approx(-0.05)
    assert made.gap_share == pytest.approx(0.05 / 3) and made.complete is True
    np.testing.assert_allclose(made.total, [1.25, 1.7])
    assert not Attribution(
        made.target, made.method, 0, made.start, made.end, f_x=5.0, f_baseline=2.2
    ).complete
    without = Attribution(made.target, "gradient_x_input", 0, made.start, made.end, f_x=5.0)
    assert without.gap is without.gap_share is without.complete is None
    assert (
        gap_share(0.0, 0.0) == 0.0
        and gap_share(0.1, 0.0) == float("inf")
        and gap_share(-1.0, 4.0) == 0.25
    )
    with pytest.raises(BadInput, match="end lane of this attribution is not finite"):
        Attribution(made.target, made.method, 0, made.start, np.array([np.nan, 0]), f_x=0.0)


# Words


def test_words_of_a_window_keep_their_pieces_together() -> None:
    reading = FakeReader().read("Who met Ingeborgsen?", "In 1998 Ingeborgsen-Hansen met  Ada.")
    window = reading.windows[0]
    found = words(reading.encoding, window)
    assert [w.text for w in found.items] == [
        "Who",
        "met",
        "Ingeborgsen?",
        "In",
        "1998",
        "Ingeborgsen-Hansen",
        "met",
        "Ada.",
    ]
    assert [w.side for w in found.items] == ["question"] * 3 + ["context"] * 5
    tokens = reading.tokens(0)
    joined = defaultdict(str)
    for token, word in zip(tokens, found.of, strict=True):
        joined[int(word)] += token.lstrip("#")
    assert joined.pop(-1) == "[CLS][SEP][SEP]" and [joined[k] for k in range(len(found))] == [
        w.text for w in found.items
    ]
    for word in found.items:
        source = reading.encoding.question if word.side == "question" else reading.encoding.context
        assert source[word.char_start : word.char_end] == word.text
    assert special_positions(reading.encoding, window).nonzero()[0].tolist() == [
        k for k, w in enumerate(found.of) if w < 0
    ]
    assert question_at(reading.encoding) == 1


def test_word_sums_lose_nothing_but_special_tokens() -> None:
    reading = FakeReader().read("Who met Ingeborgsen?", "In 1998 Ingeborgsen-Hansen met Ada.")
    found = words(reading.encoding, reading.windows[0])
    values = np.arange(len(found.of), dtype=float)
    assert found.sums(values).sum() == pytest.approx(values[found.of >= 0].sum())
    assert found.sums(values)[2] == values[found.of == 2].sum()
    assert found.positions([2]).nonzero()[0].tolist() == (found.of == 2).nonzero()[0].tolist()


def test_a_question_without_offsets_has_one_word_for_each_piece() -> None:
    reading = t1()
    found = words(reading.encoding, reading.windows[1])
    assert [(w.text, w.side) for w in found.items] == [
        ("who", "question"),
        ("Gamma", "context"),
        ("Delta", "context"),
        ("Epsilon", "context"),
        ("Zeta", "context"),
    ]


# Leave one out


@pytest.mark.parametrize("kind", ["start_logit", "end_logit", "span_score", "span_minus_null"])
def test_leave_one_out_measures_each_word_at_the_same_positions(kind: str) -> None:
    reading = FakeReader().read("Who met Ingeborgsen?", "In 1998 Ingeborgsen-Hansen met Ada.")
    window = reading.windows[0]
    effect, masked = linear(reading)
    target = Target(kind, Span(2, 4))
    a, b = lanes(target, window)
    found = leave_one_out(reading, target, masked)
    units = words(reading.encoding, window)
    for k, value in enumerate(units.sums(found.start)):
        assert value == pytest.approx(float((units.positions([k]) @ effect[0][0]) @ a), abs=1e-5)
    for k, value in enumerate(units.sums(found.end)):
        assert value == pytest.approx(float((units.positions([k]) @ effect[0][1]) @ b), abs=1e-5)
    assert not found.total[units.of < 0].any() and found.gap is None
    assert found.f_x == pytest.approx(sum(parts(target, window, *reading.logits(0))))


def test_question_words_are_masked_in_every_window_and_the_answer_is_decoded_again() -> None:
    reading = t1()

    def masked(window: Window, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        s, e = (
            np.repeat(row[None], len(masks), axis=0).copy() for row in reading.logits(window.index)
        )
        s[masks[:, 1], 4] -= 100.0  # Beta in window 0, Delta in window 1
        return s, e

    (effect,) = question_effects(reading, Target("span_score", Span(1, 1)), masked)
    assert (
        effect.word.text == "who"
        and effect.start == pytest.approx(100)
        and effect.end == 0
        and effect.total == pytest.approx(100)
    )
    assert effect.changed and not effect.elsewhere and effect.answer != "Beta"
    (same,) = question_effects(
        reading,
        Target("span_score", Span(1, 1)),
        lambda w, m: tuple(np.repeat(r[None], len(m), 0) for r in reading.logits(w.index)),
    )
    assert not same.changed and same.total == 0


def test_the_same_words_elsewhere_are_another_place() -> None:
    rows = [[0, 0, 0, 5, 1, 4, 0]]
    reading = make_reading(["Beta", "met", "Beta"], [(0, 3)], rows, rows)

    def masked(window: Window, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        s, e = (np.repeat(row[None], len(masks), axis=0).copy() for row in reading.logits(0))
        s[:, 3], e[:, 3] = 0.0, 0.0
        return s, e

    (effect,) = question_effects(reading, Target("span_score", Span(0, 0)), masked)
    assert effect.changed and effect.elsewhere and effect.answer == "Beta"


# Rank correlation


def test_ranks_share_the_mean_of_ties() -> None:
    assert ranks(np.array([5.0, 1.0, 5.0, 3.0])).tolist() == [3.5, 1.0, 3.5, 2.0]


def test_rank_correlation_against_the_textbook_formula() -> None:
    rng = np.random.default_rng(0)
    for n in (2, 3, 9, 40):
        x, y = rng.permutation(n), rng.permutation(n)
        expected = 1 - 6 * float(((x - y) ** 2).sum()) / (n * (n**2 - 1))
        assert rank_correlation(x * 0.1, np.exp(y / 10)) == pytest.approx(expected)
    assert rank_correlation(np.arange(5), -np.arange(5)) == pytest.approx(-1)
    # With ties: Pearson of the mean ranks (1, 2.5, 2.5, 4) and (1, 2, 3, 4), by hand 4.5 / sqrt(4.5
    # * 5).
    assert rank_correlation(np.array([0, 1, 1, 2]), np.array([0, 1, 2, 3])) == pytest.approx(
        4.5 / np.sqrt(4.5 * 5)
    )
    assert (
        rank_correlation(np.ones(4), np.arange(4)) is None
        and rank_correlation(np.ones(1), np.ones(1)) is None
    )
    with pytest.raises(BadInput, match="got 2 and 3"):
        rank_correlation(np.ones(2), np.ones(3))


# Faithfulness


def test_bins_are_erasers_shares_rounded_up() -> None:
    assert bin_sizes(40) == (0, 1, 2, 4, 8, 20, 40) and bin_sizes(100) == (0, 1, 5, 10, 20, 50, 100)
    assert bin_sizes(3) == (0, 1, 1, 1, 1, 2, 3)


def test_orders_break_ties_by_the_text() -> None:
    assert order_of(np.array([1.0, 3.0, 3.0, 2.0]), (0, 1, 2, 3)) == (1, 2, 3, 0)
    assert order_of(np.array([1.0, 3.0, 3.0, 2.0]), (0, 2, 3)) == (2, 3, 0)


def test_curves_against_a_loop() -> None:
    rng = np.random.default_rng(3)
    reading = random_reading(rng, 12, 12, 4)
    window = reading.windows[0]
    effect, masked = linear(reading, 5)
    target = Target("span_score", Span(4, 6))
    units = words(reading.encoding, window)
    values = rng.normal(size=len(units))
    calls = []

    def scorer(masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        calls.append(masks)
        return masked(window, masks)

    found = measure(reading, target, {"mine": values}, scorer, np.random.default_rng(1), n_random=3)
    assert len(calls) == 1 and len({m.tobytes() for m in calls[0]}) == len(calls[0])
    order = sorted(range(len(units)), key=lambda k: -values[k])
    i, j = window.to_pos(4), window.to_pos(6)
    s0, e0 = (row.astype(float) for row in reading.logits(0))

    def look(chosen: list[int]) -> tuple[float, float]:
        mask = np.isin(units.of, chosen)
        s, e = s0 - mask @ effect[0][0], e0 - mask @ effect[0][1]
        return s[i] + e[j], softmax(s)[i] * softmax(e)[j]

    curve = found.curves["mine"]
    assert curve.order == tuple(order)
    for at, size in enumerate(bin_sizes(len(units))):
        assert (curve.deletion_f[at], curve.deletion_m[at]) == pytest.approx(look(order[:size]))
        assert (curve.insertion_f[at], curve.insertion_m[at]) == pytest.approx(look(order[size:]))
    m = [look(order[:k])[1] for k in bin_sizes(len(units))]
    only = [look(order[k:])[1] for k in bin_sizes(len(units))]
    assert curve.comprehensiveness == pytest.approx(np.mean([m[0] - x for x in m[1:6]]))
    assert curve.sufficiency == pytest.approx(np.mean([m[0] - x for x in only[1:6]]))
    assert curve.deletion_f[0] == pytest.approx(curve.insertion_f[-1]) and curve.deletion_m[
        -1
    ] == pytest.approx(curve.insertion_m[0])
    mean, spread = found.spread("comprehensiveness")
    each = [c.comprehensiveness for c in found.random]
    assert (
        len(each) == 3
        and mean == pytest.approx(sum(each) / 3)
        and spread == pytest.approx(np.std(each, ddof=1))
    )
    assert found.band("deletion_f")[0].shape == (7,)


def test_the_right_order_beats_chance_and_the_wrong_one_does_not() -> None:
    reading = random_reading(np.random.default_rng(3), 30, 30, 4)
    window = reading.windows[0]
    units = words(reading.encoding, window)
    worth = np.random.default_rng(9).exponential(size=len(units))

    def scorer(masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        s, e = (np.repeat(row[None].astype(float), len(masks), axis=0) for row in reading.logits(0))
        s[:, window.to_pos(4)] -= np.array(
            [worth[np.unique(units.of[m & (units.of >= 0)])].sum() for m in masks]
        )
        return s, e

    target = Target("start_logit", Span(4, 4))
    found = measure(
        reading,
        target,
        {"right": worth, "wrong": -worth},
        scorer,
        np.random.default_rng(0),
        spare_answer=True,
    )
    mean, spread = found.spread("comprehensiveness")
    assert found.curves["right"].comprehensiveness > mean > found.curves["wrong"].comprehensiveness
    for order in [*(c.order for c in found.curves.values()), *(c.order for c in found.random)]:
        assert set(order) == set(found.candidates) and not set(order) & set(
            answer_words(units, target, window)
        )
    said = verdict(
        reading,
        target,
        {"right": worth, "wrong": -worth},
        "right",
        scorer,
        np.random.default_rng(0),
        shuffled=-worth,
    )
    best = [k for k in np.argsort(-worth) if k in found.candidates][:3]
    assert said.top == tuple(units.items[k].text for k in best) and said.drop == pytest.approx(
        worth[best].sum()
    )
    assert said.beyond_chance and said.random < said.drop
    assert said.agreement == {"wrong": pytest.approx(1.0)} and said.shuffled == pytest.approx(1.0)
    low = verdict(reading, target, {"wrong": -worth}, "wrong", scorer, np.random.default_rng(0))
    assert not low.beyond_chance and low.shuffled is None and spread > 0


def test_probability_of_a_span_at_fixed_positions() -> None:
    reading = t1()
    window = reading.windows[0]
    s, e = reading.logits(0)
    ps, pe = softmax(s), softmax(e)
    assert span_probability(Target("span_score", Span(0, 1)), window, s, e) == pytest.approx(
        ps[3] * pe[4]
    )
    assert span_probability(Target("start_logit", Span(0, 1)), window, s, e) == pytest.approx(ps[3])
    assert span_probability(Target("end_logit", Span(0, 1)), window, s, e) == pytest.approx(pe[4])


def test_too_little_to_compare_is_said() -> None:
    reading = t1()
    _, masked = linear(reading)
    target = Target("span_score", Span(0, 3))

    def scorer(masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return masked(reading.windows[0], masks)

    with pytest.raises(BadInput, match="at least 2 random orders, got 1"):
        measure(reading, target, {}, scorer, np.random.default_rng(0), n_random=1)
    with pytest.raises(BadInput, match="at least 2 words that may be masked, this window has 1"):
        measure(reading, target, {}, scorer, np.random.default_rng(0), spare_answer=True)
    with pytest.raises(BadInput, match="no explanation 'x'; given are y"):
        verdict(reading, target, {"y": np.ones(5)}, "x", scorer, np.random.default_rng(0))


def test_every_pair_of_kinds_differs() -> None:
    window = t1().windows[0]
    other = {"span_minus_other": Span(1, 2)}
    made = {
        kind: np.concatenate(lanes(Target(kind, Span(0, 1), other.get(kind)), window))
        for kind in KINDS
    }
    assert all((made[a] != made[b]).any() for a, b in itertools.combinations(KINDS, 2))
