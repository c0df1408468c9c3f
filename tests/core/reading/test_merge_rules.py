"""The rules side by side: toys, what separates two spans, the constant that turns the winner."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_demo.core.errors import BadInput
from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.reading import merge_rules
from qa_demo.core.reading.predict import predict
from qa_demo.core.reading.what_if import apply_what_if
from tests.core.toys import make_reading, random_reading, t1

ODDS = "log-odds against [CLS]"


def t2():
    """Two windows, the first irrelevant: its one odd word takes nearly all of a softmax."""
    rows = [[9, 0, 0, 2, -5, -5, 0], [1, 0, 0, 8, 7.5, 7, 0]]
    return make_reading(list("abcdef"), [(0, 3), (3, 6)], rows, rows)


def by_name(reading):
    return {result.name: result for result in merge_rules.run_all(reading)}


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("logit sum, max context (BERT)", "Delta Epsilon", 7.5),
        ("log-odds against [CLS]", "Beta", 5.5),
        ("product with [CLS]", "Beta", 0.4719),
        ("context-only product", "Delta Epsilon", 0.5702),
        ("context-only mean", "Delta Epsilon", 0.7722),
        ("softmax over all legal spans", "Delta Epsilon", 0.36340),
    ],
)
def test_winners_of_the_first_toy(name, text, value):
    result = by_name(t1())[name]
    assert result.prediction.best.candidate.text == text
    assert result.value == pytest.approx(value, abs=5e-5)
    assert result.winner.reason is None
    assert result.winner.score == result.prediction.best.candidate.score


def test_second_toy():
    results = by_name(t2())

    def listed(name):
        return [(r.candidate.text, r.value) for r in results[name].prediction.n_best]

    for name, first, second in (
        ("context-only mean", ("a", 0.9982), ("d", 0.5065)),
        ("context-only product", ("a", 0.9964), ("d", 0.2565)),
    ):
        (a, of_a), (b, of_b), *_ = listed(name)
        assert (a, b) == (first[0], second[0])
        assert (of_a, of_b) == pytest.approx((first[1], second[1]), abs=5e-5)
    with_cls = dict(listed("product with [CLS]"))
    assert with_cls["a"] == pytest.approx(8.3e-7, abs=5e-9)
    assert with_cls["d"] == pytest.approx(0.2563, abs=5e-5)
    logit, odds = dict(listed("logit sum, max context (BERT)")), dict(listed(ODDS))
    assert (logit["a"], logit["d"]) == (4, 16)
    assert (odds["a"], odds["d"]) == (-14, 14)
    assert [round(1 / (1 + np.exp(-0.1 * x)), 4) for x in (4, 16)] == [0.5987, 0.8320]
    textbook = results[merge_rules.SEPARATE_MAXIMA]
    assert (textbook.winner.window, textbook.value) == (0, pytest.approx(0.9982, abs=5e-5))
    assert not textbook.agrees_with(results["logit sum, max context (BERT)"])
    assert textbook.agrees_with(results["context-only mean"])


def test_the_separate_maxima_may_form_no_span():
    start, end = [0, 0, 0, 1, 2, 6, 0], [0, 0, 0, 5, 2, 1, 0]
    result = merge_rules.run_all(make_reading(["a", "b", "c"], [(0, 3)], [start], [end]))[-1]
    assert result.name == merge_rules.SEPARATE_MAXIMA
    assert (result.winner.reason, result.winner_doc) == ("end before start", (2, 0))
    assert (result.prediction, result.merge) == (None, None)
    want = (np.exp(6) / np.exp([1, 2, 6]).sum() + np.exp(5) / np.exp([5, 2, 1]).sum()) / 2
    assert result.value == pytest.approx(want)


def test_every_scale_has_one_rule():
    assert sorted(r.merge.scale for r in merge_rules.RULES) == sorted(merge_rules.SCALES)


@settings(max_examples=50)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 14))
def test_the_margin_adds_up_to_the_difference_of_ranks(seed, n):
    reading = random_reading(np.random.default_rng(seed), n, 6, 4)
    for result in merge_rules.run_all(reading)[:-1]:
        listed = result.prediction.n_best
        if len(listed) < 2:
            continue
        pair = listed[0].candidate, listed[1].candidate
        m = merge_rules.margin(reading, DecodeOptions(), result.merge, *pair)
        log = result.merge.scale in ("window_product", "context_product", "global_softmax")
        first, second = listed[0].value, listed[1].value
        want = np.log(first / second) if log else first - second
        assert m.total == pytest.approx(want, abs=1e-9)
        if result.merge.scale != "context_mean":
            assert m.start == pytest.approx(pair[0].start_logit - pair[1].start_logit)
            assert m.end == pytest.approx(pair[0].end_logit - pair[1].end_logit)


def test_only_the_window_constants_differ_between_two_rules():
    results = by_name(t1())
    names = (ODDS, "logit sum, max context (BERT)")
    beta, delta = (results[name].prediction.best.candidate for name in names)
    logit = merge_rules.margin(t1(), DecodeOptions(), MergeOptions(), delta, beta)
    odds = merge_rules.margin(t1(), DecodeOptions(), merge_rules.RULES[1].merge, delta, beta)
    assert (logit.start, logit.end) == (odds.start, odds.end) == (1.0, -0.5)
    assert (logit.shift, logit.total) == (0, 0.5)
    assert (odds.winner_shift, odds.rival_shift, odds.total) == (-9.0, -1.5, -7.0)


def test_flip_constants_of_the_first_toy():
    up, down = (merge_rules.flip_constant(t1(), w) for w in (0, 1))
    assert (up.c, up.winner.text, up.challenger.text) == (0.25, "Delta Epsilon", "Beta")
    assert (down.c, down.winner.text, down.challenger.text) == (-0.25, "Delta Epsilon", "Beta")


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    window=st.integers(0, 2),
    copies=st.sampled_from(["max_context", "all"]),
    top=st.integers(1, 20),
    grid=st.booleans(),
)
def test_the_winner_flips_at_the_constant_and_not_before(seed, window, copies, top, grid):
    reading = random_reading(np.random.default_rng(seed), 12, 6, 3)
    decode, rule = DecodeOptions(n_best_size=top, top_n_grid=grid), MergeOptions(copies=copies)

    def winner(c):
        best = predict(apply_what_if(reading, {}, (window, c)), decode, rule).best
        return best and best.candidate.text

    flip = merge_rules.flip_constant(reading, window, decode, copies)
    if flip is None:
        assert {winner(c) for c in (-100, -3, -0.5, 0, 0.5, 3, 100)} == {winner(0)}
        return
    sign = -1 if flip.winner.window == window else 1
    assert flip.c * sign >= 0
    assert winner(flip.c - sign * 1e-3) == winner(0) == flip.winner.text or abs(flip.c) < 1e-3
    assert winner(flip.c + sign * 1e-3) == flip.challenger.text or tied(reading, flip)
    assert winner(flip.c * 0.5) == flip.winner.text or abs(flip.c) < 1e-3


def test_no_constant_flips_a_winner_whose_copy_moves_with_its_rivals():
    low = [-9, -9, -9]
    start, end = [[*low, 5, 0, 0], [*low, 3, 1, 0]], [[*low, 5, -5, 0], [*low, 3, -5, 0]]
    reading = make_reading(["a", "b"], [(0, 2), (0, 2)], start, end)
    assert predict(reading, merge=MergeOptions(copies="all")).best.candidate.text == "a"
    # window 1 lifts its own copy of "a" above the rest, and that copy stays when window 0 sinks
    assert merge_rules.flip_constant(reading, 1, copies="all") is None
    assert merge_rules.flip_constant(reading, 0, copies="all") is None


def tied(reading, flip):
    """Logits of two decimals may tie: another span of that score may be listed for it."""
    every = predict(reading, DecodeOptions(n_best_size=500), MergeOptions(copies="all")).n_best
    return sum(abs(r.candidate.score - flip.challenger.score) < 1e-5 for r in every) > 1


def test_no_constant_flips_a_single_window():
    reading = make_reading(["a", "b"], [(0, 2)], [range(6)], [range(6)])
    assert merge_rules.flip_constant(reading, 0) is None


def test_flip_of_a_window_that_does_not_exist():
    with pytest.raises(BadInput, match="window must be between 0 and 1, got 2"):
        merge_rules.flip_constant(t1(), 2)


def test_a_rule_without_a_legal_span_has_no_winner():
    for result in merge_rules.run_all(t1(), DecodeOptions(n_best_size=1, top_n_grid=True))[:-1]:
        assert result.winner is result.value is result.winner_doc is None
