"""Targets, words, completeness and leave one out against values worked out apart."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from qa_demo.core.attribution import (
    DRAWS,
    KINDS,
    Attribution,
    Target,
    gap_share,
    leave_one_out,
    masks_of,
    seed_of,
    sets_to_hide,
    value_of,
    weights_of,
    window_of,
)
from qa_demo.core.base import BadInput
from qa_demo.core.text import special_positions, words
from qa_demo.core.types import Reading, Span, Window
from tests.core.toys import random_reading, t1
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
        assert value_of(target, window, s, e) == pytest.approx(value)
    shared = weights_of(Target("span_minus_other", Span(0, 1), Span(0, 2)), window)
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
    values = np.array([1.25, 1.7])
    made = Attribution(target, "integrated_gradients", 0, values, f_x=5.0, f_baseline=2.0)
    assert made.sum == pytest.approx(2.95) and made.gap == pytest.approx(-0.05)
    assert made.gap_share == pytest.approx(0.05 / 3) and made.complete is True
    assert not replace(made, f_baseline=2.2).complete
    without = Attribution(target, "gradient_x_input", 0, values, f_x=5.0)
    assert without.gap is without.gap_share is without.complete is None
    assert gap_share(0.0, 0.0) == 0.0
    assert gap_share(0.1, 0.0) == float("inf")
    assert gap_share(-1.0, 4.0) == 0.25


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


def test_word_sums_lose_nothing_but_special_tokens() -> None:
    reading = FakeReader().read("Who met Ingeborgsen?", "In 1998 Ingeborgsen-Hansen met Ada.")
    found = words(reading.encoding, reading.windows[0])
    values = np.arange(len(found.of), dtype=float)
    assert found.sums(values).sum() == pytest.approx(values[found.of >= 0].sum())
    assert found.sums(values)[2] == values[found.of == 2].sum()


# Leave one out


@pytest.mark.parametrize("kind", ["start_logit", "end_logit", "span_score", "span_minus_null"])
def test_leave_one_out_measures_each_word_at_the_same_positions(kind: str) -> None:
    reading = FakeReader().read("Who met Ingeborgsen?", "In 1998 Ingeborgsen-Hansen met Ada.")
    window = reading.windows[0]
    effect, masked = linear(reading)
    target = Target(kind, Span(2, 4))
    lanes = weights_of(target, window)
    found = leave_one_out(reading, target, masked)
    units = words(reading.encoding, window)
    for k, value in enumerate(units.sums(found.values)):
        wanted = sum((units.of == k) @ effect[0][side] @ lanes[side] for side in (0, 1))
        assert value == pytest.approx(wanted, abs=1e-5)
    assert not found.values[units.of < 0].any() and found.gap is None
    assert found.f_x == pytest.approx(value_of(target, window, *reading.logits(0)))


def test_random_sets_follow_from_the_text_and_never_hold_what_is_tested() -> None:
    reading = random_reading(np.random.default_rng(3), 30, 30, 4)
    other = random_reading(np.random.default_rng(3), 31, 31, 4)
    assert seed_of(other, other.windows[0]) != seed_of(reading, reading.windows[0])
    free, values = tuple(range(2, 20)), np.linspace(1, 0.1, 30)
    sets = [sets_to_hide(values, free, seed_of(reading, reading.windows[0])) for _ in range(2)]
    assert sets[0] == sets[1] and sets[0][0] == (2, 3, 4) and len(sets[0]) == 1 + DRAWS
    for each in sets[0][1:]:
        assert len(set(each)) == 3 and set(each) <= set(free) - {2, 3, 4}
    assert sets_to_hide(np.array([1.0, 3, 3, 2, 3]), (0, 1, 2, 3, 4), 0)[0] == (1, 2, 4)


def test_each_set_is_masked_whole_and_special_tokens_never() -> None:
    reading = FakeReader().read("Who met Ingeborgsen?", "In 1998 Ingeborgsen-Hansen met Ada.")
    units = words(reading.encoding, reading.windows[0])
    sets = [(0,), (1, 2), ()]
    for mask, each in zip(masks_of(units, sets), sets, strict=True):
        assert mask.tolist() == [int(k) in each for k in units.of]
