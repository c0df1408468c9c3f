"""The eager twin: the same tensors, and gradients that a private model confirms."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch

from qa_demo.core.attention import RELEVANCE, gradient_attention, rollout
from qa_demo.core.attribution import Target
from qa_demo.core.base import BadCheckpoint, BadInput
from qa_demo.core.types import Reading, Span
from qa_demo.model.attention import check_layers, eager_twin
from qa_demo.model.loading import load_reader
from qa_demo.model.reader import BertReader
from tests.model import kit

TARGET = Target("span_score", Span(2, 4), window=0)


def test_the_twin_shares_every_tensor_and_leaves_the_model_alone(
    reader: BertReader, reading: Reading
) -> None:
    model = reader.loaded.model
    before = model.config._attn_implementation
    reader.attention(reading.windows[0])
    twin = eager_twin(model)
    assert twin is not model and eager_twin(model) is twin
    for ours, theirs in (
        (model.named_parameters(), twin.named_parameters()),
        (model.named_buffers(), twin.named_buffers()),
    ):
        shared = dict(theirs)
        assert all(tensor is shared.pop(name) for name, tensor in ours) and not shared
    assert model.config._attn_implementation == before
    assert twin.config._attn_implementation == "eager"
    assert not any(
        module._forward_hooks or module._forward_pre_hooks or module._backward_hooks
        for module in model.modules()
    )
    assert all(p.grad is None and not p.requires_grad for p in model.parameters())


def test_attention_is_that_of_transformers(
    folder: Path, reader: BertReader, reading: Reading
) -> None:
    for window in reading.windows:
        found = reader.attention(window)
        model, inputs = kit.plain(folder, window)
        with torch.no_grad():
            expected = torch.cat(model(**inputs, output_attentions=True).attentions).numpy()
        assert found.weights.shape == (2, 2, len(window), len(window))
        np.testing.assert_allclose(found.weights, expected, atol=1e-5)
        np.testing.assert_allclose(found.weights.sum(-1), 1, atol=1e-4)


def test_relevance_from_a_private_model(folder: Path, reader: BertReader, reading: Reading) -> None:
    window = reading.windows[0]
    model, inputs = kit.plain(folder, window)
    out = model(**inputs, output_attentions=True)
    weights = torch.cat(out.attentions).detach().numpy()
    i, j = window.to_pos(2), window.to_pos(4)
    rolled = reader.relevance(window, TARGET, "rollout")
    np.testing.assert_allclose(rolled.start, rollout(weights)[i], atol=1e-5)
    np.testing.assert_allclose(rolled.end, rollout(weights)[j], atol=1e-5)
    found = reader.relevance(window, TARGET, "gradient_x_attention")
    for row, value, at in (
        (found.start, out.start_logits[0, i], i),
        (found.end, out.end_logits[0, j], j),
    ):
        gradients = torch.cat(torch.autograd.grad(value, out.attentions, retain_graph=True)).numpy()
        np.testing.assert_allclose(row, gradient_attention(weights, gradients)[at], atol=1e-5)
        assert row.max() > 0
    assert reader.relevance(window, TARGET, "attention").total.sum() == pytest.approx(2, abs=1e-3)


def test_lanes_a_target_does_not_have_are_zero(reader: BertReader, reading: Reading) -> None:
    window = reading.windows[0]
    for kind in RELEVANCE:
        assert not reader.relevance(window, Target("start_logit", Span(2, 4)), kind).end.any()
        assert not reader.relevance(window, Target("end_logit", Span(2, 4)), kind).start.any()
    # Two spans with one start: that part of the difference is 0 and so is its gradient.
    target = Target("span_minus_other", Span(2, 4), Span(2, 5))
    same_start = reader.relevance(window, target, "gradient_x_attention")
    assert not same_start.start.any() and same_start.end.any()


def test_a_reader_without_attention_says_so(reader: BertReader, reading: Reading) -> None:
    model = reader.loaded.model
    said = "gives no attention that could be shown: 2 layers of 5 x 5 were expected, got 0"
    with pytest.raises(BadCheckpoint, match=said):
        check_layers(model, (), 5)
    with pytest.raises(BadCheckpoint, match=r"got 3: \(5, 5\)"):
        check_layers(model, [torch.zeros(1, 2, 5, 5)] * 3, 5)
    with pytest.raises(BadCheckpoint, match="got 2"):
        check_layers(model, [torch.zeros(1, 2, 5, 5), None], 5)
    window = reading.windows[0]
    with pytest.raises(BadInput, match="relevance must be one of"):
        reader.relevance(window, TARGET, "guess")
    with pytest.raises(BadInput, match="does not hold the target's spans whole"):
        reader.relevance(window, Target("span_score", Span(2, 900)), "rollout")


def test_many_threads_make_one_twin(saved: Callable[[str], Path]) -> None:
    model = load_reader(str(saved("bert"))).loaded.model
    with ThreadPoolExecutor(8) as pool:
        twins = list(pool.map(eager_twin, [model] * 8))
    assert len({id(twin) for twin in twins}) == 1
