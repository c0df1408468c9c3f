"""Tags, Viterbi and span marginals against counting every tagging."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_demo.core import bio
from qa_demo.core.base import BadInput, log_softmax, logsumexp
from qa_demo.core.types import B, I, O, Span
from tests.core.toys import make_reading, random_reading, with_offsets

# The vector is written O, B, I; arrays hold B, I, O.
OBI = np.array([[0.5, 0.1, 0.4], [0.30, 0.25, 0.45], [0.2, 0.05, 0.75], [0.8, 0.1, 0.1]])
LOG = np.log(OBI[:, [1, 2, 0]])


def letters(text):
    return ["BIO".index(c) for c in text]


def legal_taggings(n):
    for tags in itertools.product((B, I, O), repeat=n):
        if all(t != I or (k > 0 and tags[k - 1] != O) for k, t in enumerate(tags)):
            yield tags


def log_prob(lp, tags):
    return sum(lp[t, k] for t, k in enumerate(tags))


def random_lp(seed, n, coarse=False):
    logits = np.random.default_rng(seed).normal(0, 2, (n, 3))
    return log_softmax(np.round(logits) if coarse else logits)


def test_three_readings_of_one_vector():
    assert bio.argmax_tags(LOG).tolist() == letters("OIIO")
    assert bio.decode_tags(LOG, "strict")[0] == ()
    assert bio.decode_tags(LOG, "lenient")[0] == (Span(1, 2),)
    tags, total = bio.viterbi(LOG)
    assert (tags.tolist(), round(total, 4)) == (letters("OBIO"), -2.5903)
    assert bio.decode_tags(LOG, "viterbi")[0] == (Span(1, 2),)


@pytest.mark.parametrize(
    ("tags", "strict", "lenient"),
    [
        ("OIIO", [], [(1, 2)]),
        ("BIBI", [(0, 1), (2, 3)], [(0, 1), (2, 3)]),
        ("IOBB", [(2, 2), (3, 3)], [(0, 0), (2, 2), (3, 3)]),
        ("OOO", [], []),
        ("", [], []),
        ("BII", [(0, 2)], [(0, 2)]),
        ("BOI", [(0, 0)], [(0, 0), (2, 2)]),
    ],
)
def test_spans_of_tags(tags, strict, lenient):
    assert bio.spans_of_tags(letters(tags)) == tuple(Span(*x) for x in strict)
    assert bio.spans_of_tags(letters(tags), lenient=True) == tuple(Span(*x) for x in lenient)


def test_tags_and_spans_are_inverse_on_every_legal_tagging():
    for n in range(7):
        for tags in legal_taggings(n):
            assert bio.tags_of_spans(n, bio.spans_of_tags(tags)).tolist() == list(tags)


@pytest.mark.parametrize("spans", [[Span(0, 2), Span(2, 3)], [Span(2, 4)]])
def test_spans_that_overlap_or_leave_are_refused(spans):
    with pytest.raises(BadInput, match="overlaps another or leaves the 4 tokens"):
        bio.tags_of_spans(4, spans)


@pytest.mark.parametrize("n", range(1, 9))
def test_viterbi_equals_brute_force_with_its_tie_rule(n):
    for seed in range(8 if n < 8 else 2):
        for coarse in (False, True):
            lp = random_lp(seed, n, coarse)
            ranked = sorted(legal_taggings(n), key=lambda x: -log_prob(lp, x))
            tags, total = bio.viterbi(lp)
            assert total == pytest.approx(log_prob(lp, ranked[0]))
            assert log_prob(lp, tags) == pytest.approx(total)
            assert tuple(tags.tolist()) in set(legal_taggings(n))


@pytest.mark.parametrize("n", [1, 2, 5])
def test_ties_go_to_o_then_b_then_i(n):
    assert bio.viterbi(np.zeros((n, 3)))[0].tolist() == [O] * n
    assert bio.argmax_tags(np.zeros((n, 3))).tolist() == [O] * n
    no_o = np.tile([0.0, 0.0, -9.0], (n, 1))
    assert bio.viterbi(no_o)[0].tolist() == [B] * n
    assert bio.argmax_tags(no_o).tolist() == [B] * n


def test_no_token_no_tag():
    assert bio.viterbi(np.zeros((0, 3)))[0].tolist() == []
    assert bio.span_marginals(np.zeros((0, 3)), 5).shape == (0, 0)


LARGE = 400, 1e4, 1e16, 1e38


@pytest.mark.parametrize(("n", "scale"), [*((n, 2) for n in range(1, 9)), *((5, x) for x in LARGE)])
def test_marginals_equal_brute_force_for_logits_of_any_size(n, scale):
    for seed in range(20 if n < 7 else 1):
        lp = log_softmax(np.random.default_rng(seed).normal(0, scale, (n, 3)).astype(np.float32))
        ranked = [(tags, log_prob(lp, tags)) for tags in legal_taggings(n)]
        log_z = logsumexp(np.array([x for _, x in ranked]))
        spans = np.zeros((n, n))
        for tags, x in ranked:
            for span in bio.spans_of_tags(tags):
                spans[span.start, span.end - span.start] += np.exp(x - log_z)
        for limit in (1, 3, n, n + 5):
            got = bio.span_marginals(lp, limit)
            assert got.shape == (n, min(limit, n))
            np.testing.assert_allclose(got, spans[:, :limit], atol=1e-12)
        silent = np.exp(lp[:, O].sum() - log_z)
        assert np.exp(bio.chain(lp).none) == pytest.approx(silent, abs=1e-12)


@pytest.mark.parametrize("n", [1, 4])
@pytest.mark.parametrize("scale", [1.0, 8.0])
def test_the_three_chances_of_a_piece_equal_brute_force(n, scale):
    lp = log_softmax(np.random.default_rng(n).normal(0, scale, (n, 3)))
    ranked = [(tags, np.exp(log_prob(lp, tags))) for tags in legal_taggings(n)]
    whole = sum(p for _, p in ranked)
    got = np.exp(bio.tag_marginals(lp))
    for t in range(n):
        for tag in range(3):
            wanted = sum(p for tags, p in ranked if tags[t] == tag) / whole
            assert got[t, tag] == pytest.approx(wanted, abs=1e-11)
    assert bio.tag_marginals(np.zeros((0, 3))).shape == (0, 3)


def test_an_i_that_no_tagging_has_has_no_chance():
    lp = np.log([[0.01, 0.01, 0.98], [0.53, 0.46, 0.01], [0.01, 0.5, 0.49]])
    first, second, third = np.exp(bio.tag_marginals(lp))
    assert second[0] > 0.95 and second[1] < 0.02 and first[1] < 1e-9
    assert third[1] == pytest.approx(0.5, abs=0.05)


def test_long_windows_neither_underflow_nor_drift():
    lp = random_lp(0, 500) * 20
    got = bio.span_marginals(lp, 500)
    assert np.isfinite(got).all()
    covering = np.zeros(500)
    for s, d in zip(*np.nonzero(got), strict=True):
        covering[s : s + d + 1] += got[s, d]
    assert covering.max() <= 1 + 1e-9
    assert covering.max() > 0.5


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), limit=st.integers(1, 5))
def test_best_span_of_a_reading_is_the_highest_owned_marginal(seed, limit):
    reading = random_reading(np.random.default_rng(seed), 9, 5, 3, tags=True)
    every = []
    for w, window in enumerate(reading.windows):
        lp = bio.tag_log_probs(reading, w)
        taggings = [(tags, np.exp(log_prob(lp, tags))) for tags in legal_taggings(len(lp))]
        total = sum(p for _, p in taggings)
        for s in range(len(lp)):
            for e in range(s, min(len(lp), s + limit)):
                if window.is_max_context[window.context_at + s]:
                    held = [p for tags, p in taggings if Span(s, e) in bio.spans_of_tags(tags)]
                    every.append((sum(held) / total, window.doc_start + s, window.doc_start + e))
    every.sort(reverse=True)
    got = bio.best_spans(reading, limit, 4)
    assert [x.marginal for x in got] == pytest.approx([p for p, _, _ in every[:4]])
    assert [(x.span.start, x.span.end) for x in got] == [(s, e) for _, s, e in every[:4]]
    assert bio.best_span(reading, limit) == got[0]
    assert reading.encoding.context[got[0].char_start : got[0].char_end] == got[0].text
    silent = [bio.chain(bio.tag_log_probs(reading, w)).none for w in range(len(reading.windows))]
    assert bio.null_log_prob(reading) == min(silent)


def test_a_reading_is_decoded_by_ownership():
    high = {"B": [5, 0, 0], "I": [0, 5, 0], "O": [0, 0, 5]}

    def rows(text):
        return np.array([high[c] for c in "OOO" + text + "O"], dtype=float)

    # Windows [0, 4) and [2, 6): token 2 belongs to window 0, token 3 to window 1; both tag it.
    reading = make_reading(
        list("abcdef"), [(0, 4), (2, 6)], [[0] * 8] * 2, [[0] * 8] * 2, [rows("OBIB"), rows("IBIO")]
    )
    found = bio.decode_reading(reading)
    assert [(x.text, x.window) for x in found] == [("b c", 0), ("d e", 1)]
    assert all(0.8 < x.marginal <= 1 for x in found)


def test_a_span_without_characters_is_no_answer():
    tags = np.zeros((6, 3))
    tags[3, B] = 9
    reading = make_reading(["a", "b"], [(0, 2)], [[0] * 6], [[0] * 6], [tags])
    assert bio.best_span(with_offsets(reading, np.array([(0, 0), (0, 1)])), 1).text == "a"
    assert bio.best_span(with_offsets(reading, np.zeros((2, 2), dtype=int))) is None


def test_equal_characters_are_listed_once():
    """Three pieces of a syllable share its characters, as Hangul's do; one span stands for all."""
    reading = random_reading(np.random.default_rng(3), 6, 4, 2, tags=True)
    shared = reading.encoding.offset_mapping.copy()
    shared[1:4] = shared[1, 0], shared[3, 1]  # the windows [0, 4) and [2, 6) own some of them each
    same = with_offsets(reading, shared)
    every, got = bio.best_spans(reading, 4, 99), bio.best_spans(same, 4, 99)
    assert len(got) == len({(x.char_start, x.char_end) for x in got}) < len(every)
    best: dict = {}
    for x in every:
        start = min(x.span.start, 1) if x.span.start < 4 else x.span.start
        key = start, max(x.span.end, 3) if x.span.end > 0 else 0
        best[key] = max(best.get(key, 0), x.marginal)
    assert sorted(best.values(), reverse=True) == [x.marginal for x in got]
    assert bio.best_spans(same, 4, 3) == got[:3]


def test_what_cannot_be_decoded_is_refused():
    reading = random_reading(np.random.default_rng(0), 4, 4, 4)
    with pytest.raises(BadInput, match="the reader toy has no BIO head"):
        bio.best_span(reading)
    said = "decoding must be one of strict, lenient, viterbi, got 'greedy'"
    with pytest.raises(BadInput, match=said):
        bio.decode_tags(LOG, "greedy")
    with pytest.raises(BadInput, match="max_answer_length must be at least 1, got 0"):
        bio.span_marginals(LOG, 0)
