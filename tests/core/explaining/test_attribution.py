"""Targets, words, completeness, leave one out, rank correlation against values worked out apart."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from qa_demo.core.errors import BadInput
from qa_demo.core.explaining.attribution import (
    KINDS,
    Attribution,
    Cost,
    Target,
    cost,
    gap_share,
    lanes,
    parts,
    rank_correlation,
    ranks,
    window_of,
)
from qa_demo.core.explaining.occlusion import leave_one_out, question_effects
from qa_demo.core.reading.words import question_at, special_positions, words
from qa_demo.core.types import Reading, Span, Window
from tests.core.toys import make_reading, t1
from tests.fakes import FakeReader


def linear(reading: Reading, seed: int = 0) -> tuple[dict, object]:
    """A reader whose logits fall by a fixed amount a masked position: all effects are known."""
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
    target = Target("span_score", Span(0, 1))
    start, end = np.array([1.0, -0.5]), np.array([0.25, 2.2])
    made = Attribution(target, "integrated_gradients", 0, start, end, f_x=5.0, f_baseline=2.0)
    assert made.sum == pytest.approx(2.95) and made.gap == pytest.approx(-0.05)
    assert made.gap_share == pytest.approx(0.05 / 3) and made.complete is True
    np.testing.assert_allclose(made.total, [1.25, 1.7])
    assert not replace(made, f_baseline=2.2).complete
    without = Attribution(target, "gradient_x_input", 0, start, end, f_x=5.0)
    assert without.gap is without.gap_share is without.complete is None
    assert gap_share(0.0, 0.0) == 0.0
    assert gap_share(0.1, 0.0) == float("inf")
    assert gap_share(-1.0, 4.0) == 0.25
    with pytest.raises(BadInput, match="end lane of this attribution is not finite"):
        Attribution(target, made.method, 0, start, np.array([np.nan, 0]), f_x=0.0)


# Words


def test_words_of_a_window_keep_their_pieces_together() -> None:
    question, context = "Who met Ingeborgsen?", "In 1998 Ingeborgsen-Hansen met  Ada."
    reading = FakeReader().read(question, context)
    window = reading.windows[0]
    found = words(reading.encoding, window)
    assert [w.text for w in found.items] == [*question.split(), *context.split()]
    assert [w.side for w in found.items] == ["question"] * 3 + ["context"] * 5
    tokens = reading.tokens(0)
    joined = defaultdict(str)
    for token, word in zip(tokens, found.of, strict=True):
        joined[int(word)] += token.lstrip("#")
    assert joined.pop(-1) == "[CLS][SEP][SEP]"
    assert [joined[k] for k in range(len(found))] == [w.text for w in found.items]
    for word in found.items:
        source = question if word.side == "question" else context
        assert source[word.char_start : word.char_end] == word.text
    special = special_positions(reading.encoding, window)
    assert special.tolist() == [w < 0 for w in found.of]
    assert question_at(reading.encoding) == 1


def test_word_sums_lose_nothing_but_special_tokens() -> None:
    reading = FakeReader().read("Who met Ingeborgsen?", "In 1998 Ingeborgsen-Hansen met Ada.")
    found = words(reading.encoding, reading.windows[0])
    values = np.arange(len(found.of), dtype=float)
    assert found.sums(values).sum() == pytest.approx(values[found.of >= 0].sum())
    assert found.sums(values)[2] == values[found.of == 2].sum()


def test_a_question_without_offsets_has_one_word_for_each_piece() -> None:
    reading = t1()
    found = words(reading.encoding, reading.windows[1]).items
    assert [w.text for w in found] == ["who", "Gamma", "Delta", "Epsilon", "Zeta"]
    assert [w.side for w in found] == ["question"] + ["context"] * 4


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
    for side, (found_lane, weights) in enumerate(((found.start, a), (found.end, b))):
        for k, value in enumerate(units.sums(found_lane)):
            wanted = float(((units.of == k) @ effect[0][side]) @ weights)
            assert value == pytest.approx(wanted, abs=1e-5)
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
    assert effect.word.text == "who" and effect.end == 0
    assert effect.start == effect.total == pytest.approx(100)
    assert effect.changed and not effect.elsewhere and effect.answer != "Beta"

    def unmoved(window: Window, masks: np.ndarray) -> tuple[np.ndarray, ...]:
        return tuple(np.repeat(row[None], len(masks), 0) for row in reading.logits(window.index))

    (same,) = question_effects(reading, Target("span_score", Span(1, 1)), unmoved)
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
    # With ties: Pearson of the mean ranks (1, 2.5, 2.5, 4) and (1, 2, 3, 4)
    tied = rank_correlation(np.array([0, 1, 1, 2]), np.array([0, 1, 2, 3]))
    assert tied == pytest.approx(4.5 / np.sqrt(4.5 * 5))
    assert rank_correlation(np.ones(4), np.arange(4)) is None
    assert rank_correlation(np.ones(1), np.ones(1)) is None
    with pytest.raises(BadInput, match="got 2 and 3"):
        rank_correlation(np.ones(2), np.ones(3))


def test_the_passes_of_each_method_are_counted() -> None:
    def found(method: str, tried: tuple[tuple[int, float], ...] = ()) -> Attribution:
        zero, target = np.zeros(3), Target("span_score", Span(0, 0))
        return Attribution(target, method, 0, zero, zero, 1.0, tried=tried)

    assert cost(found("gradient_x_input"), 40) == Cost(1, 2)
    assert cost(found("leave_one_out"), 40) == Cost(40, 0)
    path = found("integrated_gradients", ((20, 0.5), (50, 0.01)))
    assert cost(path, 40) == Cost(1 + 20 + 50, 2 * 70)
