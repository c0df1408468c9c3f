"""The whole decode: BERT's toy, brute force on random logits, and what must not change."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_demo.core import predict as scales
from qa_demo.core.base import BadInput
from qa_demo.core.predict import predict
from qa_demo.core.types import DecodeOptions, MergeOptions, Reading
from tests.core.toys import make_encoding, make_reading, random_reading, t1, with_offsets

ALL_RULES = [
    MergeOptions(copies, scale, null)
    for copies in scales.COPIES
    for scale, nulls in scales.COMBINES.items()
    for null in nulls
]


def rows(prediction):
    return [(r.candidate.text, r.value, r.share) for r in prediction.n_best]


def test_two_window_toy_equals_bert():
    texts, values, shares = zip(*rows(predict(t1())), strict=True)
    assert len(texts) == 15
    assert texts[:4] == ("Delta Epsilon", "Beta", "Delta", "Alpha Beta")
    assert texts[4:6] == ("Beta Gamma Delta", "Alpha Beta Gamma Delta")
    assert values[:6] == (7.5, 7.0, 7.0, 6.0, 5.5, 4.5)
    listed = [0.36340, 0.22041, 0.22041, 0.08109, 0.04918, 0.01809]
    assert shares[:6] == pytest.approx(listed, abs=5e-6)
    assert sum(shares) == pytest.approx(1)


def test_the_readers_own_threshold_holds_unless_another_is_given():
    free = predict(t1())
    assert free.limit == 0.0 and free.score_diff is not None
    held = dataclasses.replace(t1(), threshold=free.score_diff - 0.5)
    assert predict(held).limit == held.threshold and predict(held).answer is None
    let = dataclasses.replace(t1(), threshold=free.score_diff + 0.5)
    assert predict(let).answer == free.best.candidate.text
    assert predict(let, threshold=held.threshold).answer is None
    five = DecodeOptions(n_best_size=5, null_score_diff_threshold=1.5)
    assert predict(held, five).limit == 1.5
    given = predict(held, five, threshold=-2.5)
    assert (given.limit, len(given.n_best)) == (-2.5, 5)
    with pytest.raises(BadInput, match="must be a finite number, got inf"):
        predict(held, threshold=np.inf)


def test_spans_without_any_mass_share_equally():
    """Both windows put all mass on a token the other owns: each legal mean is 0: no softmax."""
    lone = [[0, 0, 0, 0, 0, 0, 3000, 0], [0, 0, 0, 3000, 0, 0, 0, 0]]
    reading = make_reading(list("abcdef"), [(0, 4), (2, 6)], lone, lone)
    mean = MergeOptions(scale="context_mean", null="none")
    got = predict(reading, DecodeOptions(max_answer_length=1), mean)
    assert [(r.value, r.share) for r in got.n_best] == [(0.0, pytest.approx(1 / 6))] * 6


def test_toy_with_no_answer():
    prediction = predict(t1())
    assert (prediction.null_score, prediction.null_window, prediction.score_diff) == (1.5, 0, -6.0)
    # BERT lists the null too: 16 entries
    listed = np.exp([r.value for r in prediction.n_best] + [prediction.null_score])
    assert listed[0] / listed.sum() == pytest.approx(0.36307, abs=5e-6)
    assert len(listed) == 16
    assert prediction.answer == "Delta Epsilon"


@pytest.mark.parametrize(
    ("threshold", "answer"), [(-6.0, "Delta Epsilon"), (-6.001, None), (0.0, "Delta Epsilon")]
)
def test_no_answer_only_above_the_threshold(threshold, answer):
    prediction = predict(t1(), DecodeOptions(null_score_diff_threshold=threshold))
    assert prediction.answer == answer
    assert prediction.best.candidate.text == "Delta Epsilon"


def test_toy_null_products():
    prediction = predict(t1(), merge=MergeOptions("max_context", "window_product", "min_product"))
    assert np.exp(prediction.null_score) == pytest.approx(0.001929, abs=5e-7)
    assert prediction.null_window == 0
    assert prediction.score_diff == pytest.approx(np.log(0.001929 / 0.4719), abs=1e-3)
    logs = scales.null_logits(t1()) - [scales._log_z(t1(), w, True) for w in (0, 1)]
    assert np.exp(logs) == pytest.approx([0.001929, 0.359865], abs=5e-7)


def brute_n_best(reading: Reading, decode: DecodeOptions, merge: MergeOptions):
    """Every window's cells by formula, best copy of each range; independent of core's search."""
    found = []
    for w, window in enumerate(reading.windows):
        n = len(window)
        s, e = reading.start_logits[w, :n].astype(float), reading.end_logits[w, :n].astype(float)
        context = list(range(window.context_at, n - 1))
        ps, pe = np.exp(s), np.exp(e)
        for i in context:
            for j in range(i, min(i + decode.max_answer_length, n - 1)):
                if merge.copies == "max_context" and not window.is_max_context[i]:
                    continue
                with_cls = [0, *context]
                score = s[i] + e[j]
                value = {
                    "logit": score,
                    "log_odds": score - s[0] - e[0],
                    "window_product": ps[i] / ps[with_cls].sum() * pe[j] / pe[with_cls].sum(),
                    "context_product": ps[i] / ps[context].sum() * pe[j] / pe[context].sum(),
                    "context_mean": (ps[i] / ps[context].sum() + pe[j] / pe[context].sum()) / 2,
                    "global_softmax": np.exp(score),
                }[merge.scale]
                shift = window.doc_start - window.context_at
                found.append((value, (i + shift, j + shift)))
    if merge.scale == "global_softmax":
        total = sum(value for value, _ in found)
        found = [(value / total, doc) for value, doc in found]
    best = {}
    for value, doc in found:
        best[doc] = max(value, best.get(doc, value))
    ordered = sorted(((value, doc) for doc, value in best.items()), key=lambda item: -item[0])
    return ordered[: decode.n_best_size]


@settings(max_examples=80)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 18),
    capacity=st.integers(2, 8),
    overlap=st.integers(0, 5),
    max_length=st.integers(1, 9),
    top=st.integers(1, 12),
    rule=st.sampled_from(ALL_RULES),
)
def test_decode_equals_brute_force_under_every_rule(
    seed, n, capacity, overlap, max_length, top, rule
):
    reading = random_reading(np.random.default_rng(seed), n, capacity, max(1, capacity - overlap))
    decode = DecodeOptions(max_answer_length=max_length, n_best_size=top)
    prediction = predict(reading, decode, rule)
    want = brute_n_best(reading, decode, rule)
    listed = prediction.n_best
    assert [r.value for r in listed] == pytest.approx([v for v, _ in want], rel=1e-9, abs=1e-9)
    for c, (value, _) in zip((r.candidate for r in listed), want, strict=True):
        # spans may swap only where values tie
        tied = {d for v, d in want if v == pytest.approx(value, rel=1e-9, abs=1e-9)}
        last = value == pytest.approx(want[-1][0], rel=1e-9, abs=1e-9)
        assert (c.span.start, c.span.end) in tied or last
        assert 1 <= len(c.span) <= max_length
        assert reading.encoding.context[c.char_start : c.char_end] == c.text
    assert len({(r.candidate.char_start, r.candidate.char_end) for r in listed}) == len(listed)
    assert [r.rank for r in listed] == list(range(1, len(listed) + 1))
    assert sum(r.share for r in listed) == pytest.approx(1)


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), rule=st.sampled_from(ALL_RULES))
def test_window_order_does_not_matter(seed, rule):
    reading = random_reading(np.random.default_rng(seed), 12, 6, 3)
    count = len(reading.windows)
    turned = tuple(
        dataclasses.replace(reading.windows[count - 1 - k], index=k) for k in range(count)
    )
    mirrored = dataclasses.replace(
        reading,
        windows=turned,
        start_logits=reading.start_logits[::-1],
        end_logits=reading.end_logits[::-1],
    )
    a, b = predict(reading, merge=rule), predict(mirrored, merge=rule)
    assert [r.value for r in a.n_best] == pytest.approx([r.value for r in b.n_best], rel=1e-9)
    assert a.score_diff == pytest.approx(b.score_diff, rel=1e-9)


def test_a_reading_without_a_legal_span_has_no_best():
    words = ["a", "b"]
    reading = make_reading(words, [(0, 2)], [[1, 0, 0, 5, 5, 0]], [[1, 0, 0, -1, -1, 0]])
    gone = dataclasses.replace(reading.windows[0], is_max_context=np.zeros(6, dtype=bool))
    reading = dataclasses.replace(reading, windows=(gone,))
    for rule in ALL_RULES:
        if rule.copies == "max_context":
            prediction = predict(reading, merge=rule)
            assert prediction.best is prediction.answer is prediction.score_diff is None
            assert prediction.n_best == () and np.isfinite(prediction.null_score)


def test_the_grid_may_find_nothing():
    prediction = predict(t1(), DecodeOptions(n_best_size=1, top_n_grid=True))
    assert (prediction.best, prediction.null_score) == (None, 1.5)


def test_a_reading_without_windows_is_refused():
    reading = dataclasses.replace(t1(), windows=())
    with pytest.raises(BadInput, match="has no window: the paragraph holds no token"):
        predict(reading)


@pytest.mark.parametrize("copies", ["max_context", "all"])
def test_pieces_without_characters_make_no_answer_and_no_copy(copies):
    rows = [[0, 0, 0, 3, 2, 1, 0]], [[0, 0, 0, 1, 2, 3, 0]]
    offsets = np.array([(0, 0), (0, 3), (4, 7)])  # the first piece holds no character
    reading = with_offsets(make_reading(["one", "two", "three"], [(0, 3)], *rows), offsets)
    prediction = predict(reading, DecodeOptions(n_best_size=3), MergeOptions(copies=copies))
    assert [r.candidate.text for r in prediction.n_best] == ["one two", "one", "two"]


@pytest.mark.parametrize(
    ("merge", "message"),
    [
        ({"copies": "best"}, "copies must be one of max_context, all, got 'best'"),
        ({"scale": "sigmoid"}, f"scale must be one of {', '.join(scales.SCALES)}, got 'sigmoid'"),
        ({"null": "max"}, "must be one of min_logit, min_product, own_window, none, got 'max'"),
        (
            {"scale": "window_product"},
            "the scale window_product cannot be compared with the null min_logit; "
            "it combines with min_product, own_window, none",
        ),
    ],
)
def test_choices_that_do_not_exist_or_combine_are_refused(merge, message):
    with pytest.raises(BadInput, match=f"{message}$"):
        predict(t1(), merge=MergeOptions(**merge))


def test_question_and_separators_of_any_number():
    logits = [[0, 9, 9, 9, 9, 1, 2, 9]]
    asked = {"question": ("who", "is"), "separators": 2}
    reading = make_reading(["a", "b"], [(0, 2)], logits, logits, **asked)
    assert predict(reading).best.candidate.text == "b"
    assert make_encoding(["a"], separators=2).n_special == 4


@pytest.mark.parametrize(
    ("scale", "null"), [(rule.scale, rule.null) for rule in ALL_RULES if rule.copies == "all"]
)
@pytest.mark.parametrize("own", [None, 1.5])
def test_the_limit_is_the_threshold_in_logits_zero_in_probabilities_and_none_without_a_null(
    scale, null, own
):
    merge = MergeOptions(scale=scale, null=null)
    expected = None if null == "none" else 1.5 if "log" in scale else 0.0
    assert scales.no_answer_limit(merge, 1.5) == expected
    assert scales.threshold_decides(merge) == (expected == 1.5)
    prediction = predict(t1(threshold=own), DecodeOptions(null_score_diff_threshold=1.5), merge)
    assert (prediction.limit, prediction.has_threshold) == (expected, expected == 1.5)
    ends = (DecodeOptions(null_score_diff_threshold=x) for x in (-1e6, 1e6))
    moved = {predict(t1(threshold=own), end, merge).answer is None for end in ends}
    assert (len(moved) == 2) == prediction.has_threshold, (
        "another threshold changes the answer exactly where it decides"
    )
