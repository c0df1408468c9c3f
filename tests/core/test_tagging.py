"""A whole reading's tags: owners, spans, soft labels, and why an answer begins where it does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_demo.core import bio
from qa_demo.core.base import BadInput, softmax
from qa_demo.core.types import B, Span
from tests.core.test_bio import legal_taggings, log_prob
from tests.core.toys import make_reading, random_reading, with_offsets


def toy(seed, tokens, size, step):
    return random_reading(np.random.default_rng(seed), tokens, size, step, tags=True)


def test_rows_tags_and_spans_come_from_the_owner():
    reading = toy(4, 23, 9, 4)
    rows = bio.owned_rows(reading)
    for doc, w in enumerate(reading.owners):
        window = reading.windows[w]
        at = window.to_pos(doc)
        assert window.is_max_context[at]
        np.testing.assert_allclose(np.exp(rows[doc]), softmax(reading.tag_logits[w, at]), rtol=1e-6)
        tags = bio.viterbi(bio.tag_log_probs(reading, w))[0]
        assert bio.owned_tags(reading)[doc] == tags[doc - window.doc_start]


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


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), limit=st.integers(1, 5))
def test_the_best_span_of_a_reading_is_the_highest_owned_marginal(seed, limit):
    reading = toy(seed, 9, 5, 3)
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
    got = bio.best_span(reading, limit)
    assert (got.marginal, got.span.start, got.span.end) == pytest.approx(max(every))
    assert reading.owners[got.span.start] == got.window
    assert reading.encoding.context[got.char_start : got.char_end] == got.text
    every = range(len(reading.windows))
    silent = [bio.chain(bio.tag_log_probs(reading, w)).none for w in every]
    assert bio.null_log_prob(reading) == min(silent)


def test_a_span_without_characters_is_no_answer():
    tags = np.zeros((6, 3))
    tags[3, B] = 9
    reading = make_reading(["a", "b"], [(0, 2)], [[0] * 6], [[0] * 6], [tags])
    assert bio.best_span(with_offsets(reading, np.array([(0, 0), (0, 1)])), 1).text == "a"
    assert bio.best_span(with_offsets(reading, np.zeros((2, 2), dtype=int))) is None


@pytest.mark.parametrize("seed", range(4))
def test_the_terms_of_soft_labels_and_their_slopes_are_torch_s(seed):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(seed)
    reading = random_reading(rng, 9, 9, 9, tags=True)
    a, b = sorted(rng.integers(0, 9, 2).tolist())
    terms = bio.soft_terms(reading, (Span(a, b), Span(min(a + 1, b), b), None))
    np.testing.assert_allclose(terms.loss, terms.floor + terms.divergence)
    assert (terms.divergence >= -1e-9).all() and terms.labelled.all()
    inside = reading.tag_logits[0][reading.windows[0].is_context]
    logits = torch.tensor(inside, dtype=torch.float64, requires_grad=True)
    target = torch.tensor(terms.targets)
    loss = torch.nn.functional.cross_entropy(logits, target, reduction="sum")
    loss.backward()
    assert float(loss.detach()) == pytest.approx(terms.total, abs=1e-5)
    floor = torch.special.entr(target).sum()
    assert float(floor) == pytest.approx(terms.floor.sum(), abs=1e-9)
    expected = np.exp(bio.owned_rows(reading)) - terms.targets
    np.testing.assert_allclose(logits.grad.numpy(), expected, atol=1e-6)


def test_a_window_that_cuts_an_answer_carries_no_loss_on_its_leading_i():
    tags = [np.zeros((8, 3))] * 2
    reading = make_reading(list("abcdef"), [(0, 4), (2, 6)], [[0] * 8] * 2, [[0] * 8] * 2, tags)
    terms = bio.soft_terms(reading, (Span(1, 4),))
    assert terms.labelled.all(), "the owner of token 2 is the first window, which sees its B"
    np.testing.assert_allclose(terms.targets[:, B], [0, 1, 0, 0, 0, 0])
    touching = [(0, 2), (2, 6)], [[0] * 6, [0] * 8], [[0] * 6, [0] * 8]
    tags = [np.zeros((6, 3)), np.zeros((8, 3))]
    terms = bio.soft_terms(make_reading(list("abcdef"), *touching, tags), (Span(1, 4),))
    assert terms.labelled.tolist() == [True, True, False, True, True, True]
    assert terms.loss[2] == 0 and (terms.loss[[0, 1, 3]] > 1).all()


@pytest.mark.parametrize("seed", range(12))
def test_the_chances_of_an_answer_are_those_of_brute_force(seed):
    reading = toy(seed, 6, 9, 4)
    lp = bio.tag_log_probs(reading, 0)
    mass = {tags: np.exp(log_prob(lp, tags)) for tags in legal_taggings(6)}
    for answer in bio.decode_reading(reading):
        (begins, goes_on, ends), s = bio.chances(reading, answer), answer.span.start
        wanted = sum(v for tags, v in mass.items() if tags[s] == B) / sum(mass.values())
        assert begins == pytest.approx(wanted)
        factors = [begins, *goes_on, *([] if ends is None else [ends])]
        assert np.prod(factors) == pytest.approx(answer.marginal)


def test_a_reader_without_a_tag_head_is_refused():
    reading = random_reading(np.random.default_rng(0), 4, 4, 4)
    for ask in (bio.best_span, lambda r: bio.soft_terms(r, [None])):
        with pytest.raises(BadInput, match="the reader toy has no BIO head"):
            ask(reading)
