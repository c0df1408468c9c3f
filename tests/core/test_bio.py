"""Tags, Viterbi and span marginals of one window against counting every tagging."""

import itertools

import numpy as np
import pytest

from qa_demo.core import bio
from qa_demo.core.base import BadInput, log_softmax, logsumexp
from qa_demo.core.bio import B, I, O
from qa_demo.core.types import Span

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


@pytest.mark.parametrize(
    ("decoding", "tags", "spans"),
    [("strict", "OIIO", []), ("lenient", "OIIO", [(1, 2)]), ("viterbi", "OBIO", [(1, 2)])],
)
def test_three_readings_of_one_vector(decoding, tags, spans):
    found, row = bio.decode_tags(LOG, decoding)
    assert row.tolist() == letters(tags) and found == tuple(Span(*x) for x in spans)
    assert round(bio.viterbi(LOG)[1], 4) == -2.5903


@pytest.mark.parametrize(
    ("tags", "strict", "lenient", "illegal"),
    [
        ("OIIO", [], [(1, 2)], [1]),
        ("BIBI", [(0, 1), (2, 3)], [(0, 1), (2, 3)], []),
        ("IOBB", [(2, 2), (3, 3)], [(0, 0), (2, 2), (3, 3)], [0]),
        ("OOO", [], [], []),
        ("", [], [], []),
        ("BII", [(0, 2)], [(0, 2)], []),
        ("BOI", [(0, 0)], [(0, 0), (2, 2)], [2]),
        ("IIOIBI", [(4, 5)], [(0, 1), (3, 3), (4, 5)], [0, 3]),
    ],
)
def test_spans_of_tags(tags, strict, lenient, illegal):
    assert bio.spans_of_tags(letters(tags)) == tuple(Span(*x) for x in strict)
    assert bio.spans_of_tags(letters(tags), lenient=True) == tuple(Span(*x) for x in lenient)
    assert bio.illegal_at(letters(tags)) == illegal


def test_tags_and_spans_are_inverse_on_every_legal_tagging():
    for n in range(7):
        for tags in legal_taggings(n):
            assert bio.annotator_tags(n, bio.spans_of_tags(tags)).tolist() == list(tags)
    assert bio.annotator_tags(2, None).tolist() == [O, O]
    with pytest.raises(BadInput, match="may not overlap, got 0 to 2 and 2 to 3"):
        bio.annotator_tags(4, (Span(0, 2), Span(2, 3)))


@pytest.mark.parametrize("n", range(9))
def test_viterbi_equals_brute_force_with_its_tie_rule(n):
    for seed in range(8 if n < 8 else 2):
        for coarse in (False, True):
            logits = np.random.default_rng(seed).normal(0, 1 if coarse else 2, (n, 3))
            lp = np.round(logits) if coarse else log_softmax(logits)  # whole numbers tie
            ranked = [(log_prob(lp, tags), tags) for tags in legal_taggings(n)]
            best = max(x for x, _ in ranked)
            tied = (tags for x, tags in ranked if x == pytest.approx(best, abs=1e-12))
            tags, total = bio.viterbi(lp)
            assert total == pytest.approx(best)
            # from the last token backwards: O, then B, then I
            assert tuple(tags) == min(tied, key=lambda t: [(O, B, I).index(k) for k in t[::-1]])


def test_ties_of_single_tags_go_to_o_then_b_then_i():
    rows = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -9.0], [-9.0, 0.0, -9.0]])
    assert bio.argmax_tags(rows).tolist() == [O, B, I]


def test_of_two_equal_taggings_a_new_span_is_taken():
    open_or_new = np.array([[0.0, -9, -9], [0, 0, -9], [-9, 0, -9]])  # B B I and B I I tie
    assert bio.viterbi(open_or_new)[0].tolist() == [B, B, I]


LARGE = 400, 1e4, 1e16, 1e38


@pytest.mark.parametrize(("n", "scale"), [*((n, 2) for n in range(9)), *((5, x) for x in LARGE)])
def test_marginals_equal_brute_force_for_logits_of_any_size(n, scale):
    for seed in range(20 if n < 7 else 1):
        lp = log_softmax(np.random.default_rng(seed).normal(0, scale, (n, 3)).astype(np.float32))
        ranked = [(tags, log_prob(lp, tags)) for tags in legal_taggings(n)]
        log_z = logsumexp(np.array([x for _, x in ranked]))
        spans = np.zeros((n, n))
        for tags, x in ranked:
            for span in bio.spans_of_tags(tags):
                spans[span.start, span.end - span.start] += np.exp(x - log_z)
        for limit in (1, 3, n + 5):
            got = bio.span_marginals(lp, limit)
            assert got.shape == (n, min(limit, n))
            np.testing.assert_allclose(got, spans[:, :limit], atol=1e-12)
        silent = np.exp(lp[:, O].sum() - log_z)
        assert np.exp(bio.chain(lp).none) == pytest.approx(silent, abs=1e-12)


def test_long_windows_neither_underflow_nor_drift():
    got = bio.span_marginals(log_softmax(np.random.default_rng(0).normal(0, 2, (500, 3))) * 20, 500)
    assert np.isfinite(got).all()
    covering = np.zeros(500)
    for s, d in zip(*np.nonzero(got), strict=True):
        covering[s : s + d + 1] += got[s, d]
    assert 0.5 < covering.max() <= 1 + 1e-9
