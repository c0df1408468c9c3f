"""Tags, Viterbi and span marginals against counting every tagging; soft labels against torch."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_demo.core import bio
from qa_demo.core.base import BadInput, log_softmax, logsumexp
from qa_demo.core.bio import B, I, O
from qa_demo.core.losses import marked, tags_of
from qa_demo.core.types import Span
from tests.core.toys import SEEDS, TWO, make_reading, random_reading, with_offsets


def letters(text):
    return ["BIO".index(c) for c in text]


def legal_taggings(n):
    for tags in itertools.product((B, I, O), repeat=n):
        if all(t != I or (k > 0 and tags[k - 1] != O) for k, t in enumerate(tags)):
            yield tags


def log_prob(lp, tags):
    return sum(lp[t, k] for t, k in enumerate(tags))


def shares(lp):
    """Of every legal tagging its share of all."""
    logs = {tags: log_prob(lp, tags) for tags in legal_taggings(len(lp))}
    whole = logsumexp(np.array([*logs.values()]))
    return {tags: np.exp(x - whole) for tags, x in logs.items()}


@pytest.mark.parametrize(
    ("tags", "strict", "lenient", "illegal"),
    [
        ("OIIO", [], [(1, 2)], [1]),
        ("IOBB", [(2, 2), (3, 3)], [(0, 0), (2, 2), (3, 3)], [0]),
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
            assert tags_of(n, bio.spans_of_tags(tags)).tolist() == list(tags)
            assert bio.spans_of_tags(tags, lenient=True) == bio.spans_of_tags(tags)
            assert bio.illegal_at(tags) == []
    assert tags_of(2, marked(None)).tolist() == [O, O]
    with pytest.raises(AssertionError):
        marked((Span(0, 2), Span(2, 3)))


@pytest.mark.parametrize("n", range(1, 9))
def test_taggings_and_their_spans_equal_brute_force_with_the_tie_rule(n):
    for seed in range(8 if n < 8 else 2):
        for coarse in (False, True):
            logits = np.random.default_rng(seed).normal(0, 0.5 if coarse else 2, (n, 3))
            lp = np.round(logits) if coarse else log_softmax(logits)  # whole numbers tie
            ranked = [(log_prob(lp, tags), tags) for tags in legal_taggings(n)]
            best = max(x for x, _ in ranked)
            tied = (tags for x, tags in ranked if x == pytest.approx(best, abs=1e-12))
            tags, total = bio.viterbi(lp)
            assert total == pytest.approx(best)
            # from the last token backwards: O, then B, then I
            assert tuple(tags) == min(tied, key=lambda t: [(O, B, I).index(k) for k in t[::-1]])
            single = [max((O, B, I), key=row.__getitem__) for row in lp]
            assert bio.argmax_tags(lp).tolist() == single
            for decoding, read in (("strict", single), ("lenient", single), ("viterbi", tags)):
                spans = bio.spans_of_tags(read, lenient=decoding == "lenient")
                assert bio.decode_tags(lp, decoding) == spans


LARGE = 400, 1e4, 1e16, 1e38


@pytest.mark.parametrize(("n", "scale"), [*((n, 2) for n in range(1, 9)), *((5, x) for x in LARGE)])
def test_marginals_equal_brute_force_for_logits_of_any_size(n, scale):
    for seed in range(20 if n < 7 else 1):
        lp = log_softmax(np.random.default_rng(seed).normal(0, scale, (n, 3)).astype(np.float32))
        every, spans = shares(lp), np.zeros((n, n))
        for tags, share in every.items():
            for span in bio.spans_of_tags(tags):
                spans[span.start, span.end - span.start] += share
        for limit in (1, 3, n + 5):
            got = bio.span_marginals(lp, limit)
            assert got.shape == (n, min(limit, n))
            np.testing.assert_allclose(got, spans[:, :limit], atol=1e-12)
        assert np.exp(bio.Chain(lp).none) == pytest.approx(every[(O,) * n], abs=1e-12)


@settings(max_examples=30)
@given(seed=SEEDS)
def test_the_tags_of_a_readings_spans_are_possible_where_two_windows_meet(seed):
    spans = [x.span for x in bio.decode_reading(random_reading(seed, 9, 5, 3, tags=True))]
    tags = tags_of(9, spans).tolist()
    assert not bio.illegal_at(tags)
    assert [x.start for x in bio.spans_of_tags(tags)] == [x.start for x in spans]


def test_a_reading_is_decoded_by_ownership():
    high = {"B": [5, 0, 0], "I": [0, 5, 0], "O": [0, 0, 5]}

    def rows(text):
        return np.array([high[c] for c in "OOO" + text + "O"], dtype=float)

    # Windows [0, 4) and [2, 6): token 2 belongs to window 0, token 3 to window 1; both tag it.
    tags = [rows("OBIB"), rows("IBIO")]
    reading = make_reading(list("abcdef"), [[0] * 8] * 2, [[0] * 8] * 2, tags, TWO)
    found = bio.decode_reading(reading)
    assert [(x.text, x.window) for x in found] == [("b c", 0), ("d e", 1)]
    assert all(0.8 < x.marginal <= 1 for x in found)


@settings(max_examples=30)
@given(seed=SEEDS, limit=st.integers(1, 5))
def test_the_best_span_of_a_reading_is_the_highest_owned_marginal(seed, limit):
    reading = random_reading(seed, 9, 5, 3, tags=True)
    every = []
    for w, window in enumerate(reading.windows):
        lp = bio.tag_log_probs(reading, w)
        taggings = shares(lp).items()
        for s in range(len(lp)):
            for e in range(s, min(len(lp), s + limit)):
                if window.is_max_context[window.context_at + s]:
                    held = sum(p for tags, p in taggings if Span(s, e) in bio.spans_of_tags(tags))
                    every.append((held, window.doc_start + s, window.doc_start + e))
    got = bio.best_tagged(reading, limit)
    assert (got.marginal, got.span.start, got.span.end) == pytest.approx(max(every))
    assert reading.owners[got.span.start] == got.window
    assert reading.encoding.context[got.char_start : got.char_end] == got.text
    silent = [bio.Chain(bio.tag_log_probs(reading, w)).none for w in range(len(reading.windows))]
    assert bio.null_log_prob(reading) == min(silent)


@pytest.mark.parametrize("seed", range(4))
def test_the_terms_of_soft_labels_and_their_slopes_are_torch_s(seed):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(seed)
    reading = random_reading(rng, 23, 9, 4, tags=True)
    a, b = sorted(rng.integers(0, 9, 2).tolist())
    terms = bio.SoftTerms(reading, (Span(a, b), Span(min(a + 1, b), b), None))
    assert (terms.loss - terms.floor >= -1e-9).all() and terms.labelled.all()
    owners = [reading.windows[w] for w in reading.owners]
    owned = [reading.tag_logits[w.index, w.to_pos(k)] for k, w in enumerate(owners)]
    logits = torch.tensor(np.array(owned), dtype=torch.float64, requires_grad=True)
    target = torch.tensor(terms.targets)
    loss = torch.nn.functional.cross_entropy(logits, target, reduction="sum")
    loss.backward()
    assert float(loss.detach()) == pytest.approx(terms.total, abs=1e-5)
    assert float(torch.special.entr(target).sum()) == pytest.approx(terms.floor.sum(), abs=1e-9)
    expected = np.exp(bio.owned_rows(reading)) - terms.targets
    np.testing.assert_allclose(logits.grad.numpy(), expected, atol=1e-6)


def test_a_window_that_cuts_an_answer_carries_no_loss_on_its_leading_i():
    seen = bio.SoftTerms(random_reading(0, 6, 4, 2, tags=True), (Span(1, 4),))
    assert seen.labelled.all(), "the owner of token 2 is the first window, which sees its B"
    np.testing.assert_allclose(seen.targets[:, B], [0, 1, 0, 0, 0, 0])
    cut = bio.SoftTerms(random_reading(0, 6, 3, 3, tags=True), (Span(1, 4),))
    assert cut.labelled.tolist() == [True, True, True, False, True, True]
    assert cut.loss[3] == 0 and (cut.loss[[0, 1, 2, 4]] > 0).all()


@pytest.mark.parametrize("seed", range(12))
def test_the_chances_of_an_answer_are_those_of_brute_force(seed):
    reading = random_reading(seed, 6, 9, 4, tags=True)
    taggings = shares(bio.tag_log_probs(reading, 0)).items()
    for answer in bio.decode_reading(reading):
        (begins, goes_on, ends), s = bio.chances(reading, answer), answer.span.start
        assert begins == pytest.approx(sum(p for tags, p in taggings if tags[s] == B))
        factors = [begins, *goes_on, *([] if ends is None else [ends])]
        assert np.prod(factors) == pytest.approx(answer.marginal)


def test_a_span_without_characters_is_none_and_a_reader_without_a_tag_head_is_refused():
    reading = random_reading(0, 4, 4, 4)
    for ask in (bio.best_tagged, lambda r: bio.SoftTerms(r, [None])):
        with pytest.raises(BadInput, match="the reader toy has no BIO head"):
            ask(reading)
    with pytest.raises(BadInput, match="decoding must be one of strict, lenient, viterbi, got 'no"):
        bio.decode_reading(random_reading(0, 4, 4, 4, tags=True), "no")
    tags = np.zeros((6, 3))
    tags[3, B] = 9
    reading = make_reading(["a", "b"], [[0] * 6], [[0] * 6], [tags])
    assert bio.best_tagged(with_offsets(reading, np.array([(0, 0), (0, 1)])), 1).text == "a"
    assert bio.best_tagged(with_offsets(reading, np.zeros((2, 2), dtype=int))) is None
