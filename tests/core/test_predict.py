"""The whole decode: BERT's toy, brute force on random logits, and what must not change."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_demo.core.base import BadInput
from qa_demo.core.predict import predict
from qa_demo.core.types import RULES, DecodeOptions, Reading, Span, WindowOptions
from tests.core.toys import SEEDS, make_reading, random_reading, t1, unowned, with_offsets

SIZES = st.tuples(st.integers(1, 18), st.integers(2, 8), st.integers(0, 5))
"""Words, capacity and overlap of windows."""


def test_two_window_toy_equals_bert():
    prediction = predict(t1())
    listed = prediction.n_best
    texts, values = [r.candidate.text for r in listed], [r.value for r in listed]
    assert len(texts) == 15 and sum(r.share for r in listed) == pytest.approx(1)
    assert texts[:4] == ["Delta Epsilon", "Beta", "Delta", "Alpha Beta"]
    assert texts[4:6] == ["Beta Gamma Delta", "Alpha Beta Gamma Delta"]
    assert values[:6] == [7.5, 7.0, 7.0, 6.0, 5.5, 4.5]
    shares = [0.36340, 0.22041, 0.22041, 0.08109, 0.04918, 0.01809]
    assert [r.share for r in listed[:6]] == pytest.approx(shares, abs=5e-6)
    assert (prediction.null_score, prediction.null_window, prediction.score_diff) == (1.5, 0, -6.0)


@pytest.mark.parametrize(
    ("own", "given", "limit"),
    [(None, None, 0.0), (-6.5, None, -6.5), (-6.0, None, -6.0), (-6.5, 1.5, 1.5), (1.5, -7, -7)],
)
def test_the_readers_own_threshold_holds_unless_another_is_given(own, given, limit):
    decode = given and DecodeOptions(n_best_size=5, null_score_diff_threshold=given)
    found = predict(t1(threshold=own), decode)
    assert found.limit == limit and len(found.n_best) == (5 if given else 15)
    assert found.best.candidate.text == "Delta Epsilon"
    assert found.answer == (None if limit < -6.0 else "Delta Epsilon"), "only above the threshold"


def brute_n_best(reading: Reading, decode: DecodeOptions) -> list[tuple[float, Span]]:
    """Every window's legal cells by formula, in the stated order; independent of core's search."""
    found, means = [], []
    for window in reading.windows:
        s, e = reading.logits(window.index)
        inside = range(window.context_at, len(window) - 1)
        ps, pe = np.exp(s), np.exp(e)
        means.append(round((max(ps) / sum(ps) + max(pe) / sum(pe)) / 2, 9))
        for i in filter(window.is_max_context.item, inside):
            for j in range(i, min(i + decode.max_answer_length, inside.stop)):
                value = rank = s[i] + e[j]
                if decode.rule == "product":
                    value = ps[i] / ps[inside].sum() * pe[j] / pe[inside].sum()
                    rank = np.log(value)
                span = Span(window.to_doc(i), window.to_doc(j))
                found.append((-round(rank, 9), span, window.index, value))
    won = means.index(max(means))
    kept = [x for x in sorted(found) if decode.rule != "mean_of_maxima" or x[2] == won]
    return [(value, span) for _, span, _, value in kept[: decode.n_best_size]]


@settings(max_examples=80)
@given(SEEDS, SIZES, st.integers(1, 9), st.integers(1, 12), st.sampled_from(RULES))
def test_decode_equals_brute_force_under_every_rule(seed, sizes, most, top, rule):
    n, capacity, overlap = sizes
    reading = random_reading(seed, n, capacity, max(1, capacity - overlap))
    decode = DecodeOptions(most, top, seed % 25 - 12, rule)
    made, want = predict(reading, decode), brute_n_best(reading, decode)
    listed = made.n_best
    assert [r.candidate.span for r in listed] == [span for _, span in want]
    assert [r.value for r in listed] == pytest.approx([v for v, _ in want], rel=1e-9, abs=1e-9)
    assert [r.rank for r in listed] == list(range(1, len(listed) + 1))
    assert sum(r.share for r in listed) == pytest.approx(1 if listed else 0)
    for c in (r.candidate for r in listed):
        assert reading.encoding.context[c.char_start : c.char_end] == c.text
    nulls = [start[0] + end[0] for start, end in (reading.logits(w.index) for w in reading.windows)]
    assert made.null_score == pytest.approx(min(nulls))
    if listed:
        assert made.score_diff == pytest.approx(min(nulls) - listed[0].candidate.score, abs=1e-9)
        silent = made.score_diff > decode.null_score_diff_threshold
        assert (made.answer is None) == (rule == "logits" and silent), "no threshold decides else"


@pytest.mark.parametrize("rule", RULES)
def test_windows_that_are_equal_on_paper_tie(rule):
    for seed in range(20):  # the same logits from behind: their sums differ in the last digit
        x = np.random.default_rng(seed).normal(size=4)
        rows = [[0, 0, 0, *each, 0] for each in (x, x[::-1])]
        reading = make_reading(list("abcdefgh"), rows, rows, options=WindowOptions(8, 4))
        assert predict(reading, DecodeOptions(rule=rule)).best.candidate.window == 0


def test_without_a_legal_span_there_is_no_best_and_none_without_characters():
    for rule in RULES:
        prediction = predict(unowned(t1()), DecodeOptions(rule=rule))
        assert prediction.best is prediction.answer is prediction.score_diff is None
        assert prediction.n_best == () and np.isfinite(prediction.null_score)
    rows = [[0, 0, 0, 3, 2, 1, 0]], [[0, 0, 0, 1, 2, 3, 0]]
    offsets = np.array([(0, 0), (0, 3), (4, 7)])  # the first piece holds no character
    reading = with_offsets(make_reading(["one", "two", "three"], *rows), offsets)
    prediction = predict(reading, DecodeOptions(n_best_size=3))
    assert [r.candidate.text for r in prediction.n_best] == ["one two", "one", "two"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"rule": "sigmoid"}, "rule must be one of logits, mean_of_maxima, product, got"),
        ({"max_answer_length": 0}, "max_answer_length must be at least 1, got 0"),
        ({"n_best_size": 0}, "n_best_size must be at least 1, got 0"),
        ({"null_score_diff_threshold": np.nan}, "threshold must be a finite number, got nan"),
    ],
)
def test_options_out_of_range_are_refused(options, said):
    with pytest.raises(BadInput, match=said):
        predict(t1(), DecodeOptions(**options))
