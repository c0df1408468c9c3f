"""Rows, taggings, soft labels and the trained head: vectors, torch, and counting by hand."""

import numpy as np
import pytest

from qa_demo.core import bio
from qa_demo.core.base import softmax
from qa_demo.core.bio import annotator_tags, illegal_at, owned_rows, soft_terms, tagging
from qa_demo.core.types import B, I, O, Span
from tests.core.toys import make_reading, random_reading


def letters(tags):
    return "".join("BIO"[t] for t in tags)


def test_rows_come_from_the_owner():
    reading = random_reading(np.random.default_rng(4), 23, 9, 4, tags=True)
    rows, owner = owned_rows(reading)
    np.testing.assert_allclose(np.exp(rows).sum(axis=1), 1)
    for doc, w in enumerate(owner):
        at = reading.windows[w].to_pos(doc)
        assert reading.windows[w].is_max_context[at]
        expected = softmax(reading.tag_logits[w, at])
        np.testing.assert_allclose(np.exp(rows[doc]), expected, rtol=1e-6)


def test_a_long_tagging_is_the_owners_tagging():
    reading = random_reading(np.random.default_rng(5), 23, 9, 4, tags=True)
    _, owner = owned_rows(reading)
    for name in bio.DECODINGS:
        found = tagging(reading, name)
        for doc, w in enumerate(owner):
            window = reading.windows[w]
            tags = bio.decode_tags(bio.tag_log_probs(reading, w), name)[1]
            assert found.tags[doc] == tags[doc - window.doc_start]
            assert (doc in found.illegal) == (doc - window.doc_start in illegal_at(tags.tolist()))
        assert found.spans == bio.decode_reading(reading, name)
    assert not tagging(reading, "viterbi").illegal
    assert illegal_at([I, I, O, I, B, I]) == [0, 3]


@pytest.mark.parametrize("seed", range(4))
def test_terms_add_up_to_the_code_s_mean_and_to_torch(seed):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(seed)
    reading = random_reading(rng, 9, 9, 9, tags=True)
    a, b = sorted(rng.integers(0, 9, 2).tolist())
    golds = (Span(a, b), Span(min(a + 1, b), b), None)
    terms = soft_terms(reading, golds)
    np.testing.assert_allclose(terms.loss, terms.floor + terms.divergence)
    assert (terms.divergence >= -1e-9).all()
    inside = reading.tag_logits[0][reading.windows[0].is_context]
    logits = torch.tensor(inside, dtype=torch.float64, requires_grad=True)
    target = torch.tensor(terms.targets)
    loss = torch.nn.functional.cross_entropy(logits, target, reduction="sum")
    loss.backward()
    assert float(loss.detach()) == pytest.approx(terms.total, abs=1e-5)
    expected = np.exp(owned_rows(reading)[0]) - terms.targets
    np.testing.assert_allclose(logits.grad.numpy(), expected, atol=1e-6)


def test_one_hot_targets_leave_the_log_probability_of_one_tagging():
    reading = random_reading(np.random.default_rng(1), 7, 7, 7, tags=True)
    gold = Span(2, 4)
    terms = soft_terms(reading, (gold, gold, gold))
    tags = annotator_tags(7, gold)
    assert letters(tags) == "OOBIIOO" and bio.spans_of_tags(tags.tolist()) == (gold,)
    assert terms.total == pytest.approx(-owned_rows(reading)[0][np.arange(7), tags].sum())
    assert terms.floor.sum() == 0


def test_a_window_that_cuts_an_answer_carries_no_loss_on_its_leading_i():
    tags = [np.zeros((8, 3))] * 2
    reading = make_reading(list("abcdef"), [(0, 4), (2, 6)], [[0] * 8] * 2, [[0] * 8] * 2, tags)
    terms = soft_terms(reading, (Span(1, 4),))
    assert terms.labelled.all(), "the owner of token 2 is the first window, which sees its B"
    np.testing.assert_allclose(terms.targets[:, B], [0, 1, 0, 0, 0, 0])
