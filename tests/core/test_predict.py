"""The whole decode: BERT's toy, brute force on random logits, and what must not change."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_demo.core.base import BadInput
from qa_demo.core.predict import check_threshold, predict
from qa_demo.core.types import RULES, DecodeOptions, Reading
from tests.core.toys import make_encoding, make_reading, random_reading, t1, with_offsets


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


def test_winners_of_two_toys_under_every_rule():
    def listed(reading, rule):
        return [
            (r.candidate.text, r.value) for r in predict(reading, DecodeOptions(rule=rule)).n_best
        ]

    assert listed(t1(), "logits")[0] == ("Delta Epsilon", 7.5)
    assert listed(t1(), "product")[0] == ("Delta Epsilon", pytest.approx(0.5702, abs=5e-5))
    # window 0's maxima stand on the question's word: it wins, and its best pair is Beta
    assert listed(t1(), "mean_of_maxima")[0] == ("Beta", 7.0)
    # the first window is irrelevant: its one odd word takes nearly all of a softmax over its words
    rows = [[9, 0, 0, 2, -5, -5, 0], [1, 0, 0, 8, 7.5, 7, 0]]
    odd = make_reading(list("abcdef"), [(0, 3), (3, 6)], rows, rows)
    assert dict(listed(odd, "logits"))["d"] == 16 and dict(listed(odd, "logits"))["a"] == 4
    (a, of_a), (d, of_d), *_ = listed(odd, "product")
    assert (a, d) == ("a", "d")
    assert (of_a, of_d) == (pytest.approx(0.9964, abs=5e-5), pytest.approx(0.2565, abs=5e-5))
    # there [CLS] has 0.999 of all positions: the mean takes the window that most says no
    assert listed(odd, "mean_of_maxima")[0] == ("a", 4.0)


def brute_n_best(reading: Reading, decode: DecodeOptions):
    """Every window's cells by formula, best copy of each range; independent of core's search."""
    found, means = [], []
    for w, window in enumerate(reading.windows):
        n = len(window)
        s, e = reading.start_logits[w, :n].astype(float), reading.end_logits[w, :n].astype(float)
        context = list(range(window.context_at, n - 1))
        ps, pe = np.exp(s), np.exp(e)
        means.append((max(ps) / sum(ps) + max(pe) / sum(pe)) / 2)
        for i in context:
            for j in range(i, min(i + decode.max_answer_length, n - 1)):
                value = s[i] + e[j]
                if decode.rule == "product":
                    value = ps[i] / ps[context].sum() * pe[j] / pe[context].sum()
                shift = window.doc_start - window.context_at
                if window.is_max_context[i]:
                    found.append((value, (i + shift, j + shift), w))
    won = np.round(means, 9).tolist().index(max(np.round(means, 9)))
    kept = [x for x in found if decode.rule != "mean_of_maxima" or x[2] == won]
    return sorted([(v, doc) for v, doc, _ in kept], key=lambda x: -x[0])[: decode.n_best_size]


@settings(max_examples=80)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 18),
    capacity=st.integers(2, 8),
    overlap=st.integers(0, 5),
    max_length=st.integers(1, 9),
    top=st.integers(1, 12),
    rule=st.sampled_from(RULES),
)
def test_decode_equals_brute_force_under_every_rule(
    seed, n, capacity, overlap, max_length, top, rule
):
    reading = random_reading(np.random.default_rng(seed), n, capacity, max(1, capacity - overlap))
    decode = DecodeOptions(max_answer_length=max_length, n_best_size=top, rule=rule)
    prediction = predict(reading, decode)
    want = brute_n_best(reading, decode)
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
    assert sum(r.share for r in listed) == pytest.approx(1 if listed else 0)


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), rule=st.sampled_from(RULES))
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
    a, b = (predict(x, DecodeOptions(rule=rule)) for x in (reading, mirrored))
    assert [r.value for r in a.n_best] == pytest.approx([r.value for r in b.n_best], rel=1e-9)
    assert a.score_diff == pytest.approx(b.score_diff, rel=1e-9)


def test_a_reading_without_a_legal_span_has_no_best():
    words = ["a", "b"]
    reading = make_reading(words, [(0, 2)], [[1, 0, 0, 5, 5, 0]], [[1, 0, 0, -1, -1, 0]])
    gone = dataclasses.replace(reading.windows[0], is_max_context=np.zeros(6, dtype=bool))
    reading = dataclasses.replace(reading, windows=(gone,))
    for rule in RULES:
        prediction = predict(reading, DecodeOptions(rule=rule))
        assert prediction.best is prediction.answer is prediction.score_diff is None
        assert prediction.n_best == () and np.isfinite(prediction.null_score)


def test_a_reading_without_windows_is_refused():
    reading = dataclasses.replace(t1(), windows=())
    with pytest.raises(BadInput, match="has no window: the paragraph holds no token"):
        predict(reading)


def test_pieces_without_characters_make_no_answer_and_no_copy():
    rows = [[0, 0, 0, 3, 2, 1, 0]], [[0, 0, 0, 1, 2, 3, 0]]
    offsets = np.array([(0, 0), (0, 3), (4, 7)])  # the first piece holds no character
    reading = with_offsets(make_reading(["one", "two", "three"], [(0, 3)], *rows), offsets)
    prediction = predict(reading, DecodeOptions(n_best_size=3))
    assert [r.candidate.text for r in prediction.n_best] == ["one two", "one", "two"]


def test_a_rule_that_does_not_exist_and_a_threshold_that_decides_nothing_are_refused():
    with pytest.raises(BadInput, match="rule must be one of logits, mean_of_maxima, product, got"):
        predict(t1(), DecodeOptions(rule="sigmoid"))
    check_threshold("logits", 1.0)
    check_threshold("product", None)
    with pytest.raises(BadInput, match="changes nothing under the rule product; it decides under"):
        check_threshold("product", 1.0)


def test_question_and_separators_of_any_number():
    logits = [[0, 9, 9, 9, 9, 1, 2, 9]]
    asked = {"question": ("who", "is"), "separators": 2}
    reading = make_reading(["a", "b"], [(0, 2)], logits, logits, **asked)
    assert predict(reading).best.candidate.text == "b"
    assert make_encoding(["a"], separators=2).n_special == 4


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("own", [None, 1.5])
def test_a_threshold_changes_the_answer_under_the_sums_of_logits_alone(rule, own):
    by = [DecodeOptions(null_score_diff_threshold=x, rule=rule) for x in (-1e6, 1.5, 1e6)]
    found = [predict(t1(threshold=own), decode) for decode in by]
    assert [p.limit for p in found] == ([-1e6, 1.5, 1e6] if rule == "logits" else [None] * 3)
    assert len({p.answer is None for p in found}) == (2 if rule == "logits" else 1)
