"""Two answers and the glued span: the identity, gradients against torch, losses' ends."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_demo.core.errors import BadInput
from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.glued_spans import (
    LOSSES,
    descend,
    glue,
    gradient,
    legal_cells,
    two_answers,
)
from qa_demo.core.types import Span
from tests.core.toys import make_reading, random_reading

DECODE = DecodeOptions()


def glued(lead=0.0):
    """The numbers of the design: s = 4.0, 3.9; e = 3.9, 4.0; glued 8.0, each true answer 7.9.

    `lead` is added to both logits of the first answer.
    """
    start, end = np.full(8, -3.0), np.full(8, -3.0)
    start[[4, 6]], end[[4, 6]] = [4.0 + lead, 3.9], [3.9 + lead, 4.0]
    return make_reading(list("abcd"), [(0, 4)], [start], [end])


def test_the_four_pairs():
    found = glue(glued(), Span(1, 1), Span(3, 3), DECODE)
    assert found.scores == pytest.approx(
        {"first": 7.9, "second": 7.9, "glued": 8.0, "backwards": 7.8}, abs=1e-5
    )
    assert found.margin == pytest.approx(0.1, abs=1e-5) and found.whole == Span(1, 3)
    s, e = found.scores, found
    assert s["glued"] + s["backwards"] == pytest.approx(s["first"] + s["second"])
    logits = [x.astype(float)[3:7] for x in glued().logits(0)]
    legal = [logits[0][i] + logits[1][j] for i in range(4) for j in range(i, 4)]
    assert e.log_legal == pytest.approx(np.log(np.exp(legal).sum()), abs=1e-5)


def test_two_answers_are_the_first_that_do_not_touch():
    assert two_answers([Span(5, 6), Span(1, 3), Span(2, 4)]) == (Span(1, 3), Span(5, 6))
    assert two_answers([Span(1, 3), Span(2, 4)]) is None
    assert two_answers([Span(1, 3), Span(1, 3)]) is None


def test_answers_that_no_window_holds_together_are_no_glue():
    reading = random_reading(np.random.default_rng(0), 12, 5, 4)
    assert glue(reading, Span(0, 0), Span(11, 11), DECODE) is None
    with pytest.raises(BadInput, match="must end before"):
        glue(reading, Span(0, 2), Span(2, 3), DECODE)


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.sampled_from(LOSSES))
def test_gradients_are_torch_s(seed, loss):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(seed)
    reading = random_reading(rng, 6, 6, 6)
    found = glue(reading, Span(0, 1), Span(3, 4), DecodeOptions(max_answer_length=4))
    window, options = reading.windows[0], DecodeOptions(max_answer_length=4)
    gold = tuple(np.array([window.to_pos(k) for k in tokens]) for tokens in ((0, 3), (1, 4)))
    legal = legal_cells(reading, 0, options)
    s, e = (torch.tensor(x.astype(np.float64), requires_grad=True) for x in reading.logits(0))
    pairs = s[:, None] + e[None, :]
    if loss == "soft":
        means = [torch.log_softmax(x, 0)[at].mean() for x, at in zip((s, e), gold, strict=True)]
        value = -sum(means) / 2
    else:
        inside = pairs[legal] if loss.startswith("legal pairs") else pairs.ravel()
        each = loss == "legal pairs, each"
        right = pairs[gold].mean() if each else torch.logsumexp(pairs[gold], 0)
        value = torch.logsumexp(inside, 0) - right
    value.backward()
    ds, de = gradient(*reading.logits(0), gold, legal, loss)
    np.testing.assert_allclose(ds, s.grad.numpy(), atol=1e-9)
    np.testing.assert_allclose(de, e.grad.numpy(), atol=1e-9)
    if loss == "legal pairs":
        gold_mass = np.logaddexp(found.scores["first"], found.scores["second"])
        assert float(value.detach()) == pytest.approx(found.log_legal - gold_mass, abs=1e-6)


def test_only_legal_pairs_in_the_normaliser_push_the_glue_below_the_answers():
    reading = glued()
    found = glue(reading, Span(1, 1), Span(3, 3), DECODE)
    after = {loss: descend(reading, found, DECODE, loss) for loss in LOSSES}
    # four equal pairs: nothing tells the glue from the answers
    assert after["soft"].margin == pytest.approx(0, abs=0.05)
    assert after["all pairs"].margin == pytest.approx(0, abs=0.1)
    legal = after["legal pairs"]
    assert legal.margin < -1
    # the pair that runs backwards pays for it
    assert legal.scores["backwards"] > legal.scores["first"] + 1
    with pytest.raises(BadInput, match="soft, all pairs, legal pairs"):
        descend(reading, found, DECODE, "hard")


@pytest.mark.parametrize("lead", [0.0, 2.5])
def test_asked_for_each_both_answers_beat_the_glue_and_summed_one_may_be_given_up(lead):
    reading = glued(lead)
    found = glue(reading, Span(1, 1), Span(3, 3), DECODE)
    each = descend(reading, found, DECODE, "legal pairs, each").scores
    assert min(each["first"], each["second"]) > each["glued"] + 1
    summed = descend(reading, found, DECODE, "legal pairs").scores
    assert (min(summed["first"], summed["second"]) > summed["glued"]) == (lead == 0.0)
