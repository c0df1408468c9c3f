"""The eager twin: the same tensors, and the attention of transformers."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch

from qa_demo.core.types import Reading
from qa_demo.model.attention import eager_twin
from qa_demo.model.loading import load_reader
from qa_demo.model.reader import BertReader
from tests.model import kit


def test_the_twin_shares_every_tensor_and_leaves_the_model_alone(
    reader: BertReader, reading: Reading
) -> None:
    model = reader.model
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


def test_many_threads_make_one_twin(saved: Callable[[str], Path]) -> None:
    model = load_reader(str(saved("bert"))).model
    with ThreadPoolExecutor(8) as pool:
        twins = list(pool.map(eager_twin, [model] * 8))
    assert len({id(twin) for twin in twins}) == 1
