"""Attention and hidden states by the twin, heads, and readings with words masked."""

import numpy as np
import pytest
import torch

from qa_demo.core.base import Cancelled
from qa_demo.core.heads import plane
from qa_demo.model.forward import output_layer
from tests.model import kit


def test_the_heads_on_the_last_hidden_states_give_the_logits(family, reader, reading):
    heads = reader.heads()
    assert not np.shares_memory(heads.S, output_layer(reader.model).weight.detach().numpy())
    assert (reader.bio is not None) == (family in kit.TAGGED)
    for window in reading.windows:
        hidden, (start, end) = reader.hidden_states(window), reading.logits(window.index)
        assert hidden.shape == (3, len(window), 16) and hidden.dtype == np.float32
        points = plane(heads, hidden)
        np.testing.assert_allclose(points[-1], np.stack([start, end], axis=1), atol=1e-5)
        assert np.abs(points[0, :, 0] - start).max() > 0.01, "the embedding is not the last layer"
        if reader.bio is not None:
            tags, (w, b) = reading.tag_logits[window.index, : len(window)], reader.bio.parameters()
            np.testing.assert_allclose(hidden[-1] @ w.numpy().T + b.numpy(), tags, atol=1e-5)


def test_the_twin_shares_every_tensor_and_only_classes_without_it_do_without_sdpa(family, reader):
    model, twin = reader.model, reader.twin
    usual = "eager" if family in ("mpnet", "deberta", "deberta-v2") else "sdpa"
    assert model.config._attn_implementation == usual
    assert twin is not model and twin.config._attn_implementation == "eager"
    for kind in ("named_parameters", "named_buffers"):
        ours, theirs = (dict(getattr(one, kind)()) for one in (model, twin))
        assert ours.keys() == theirs.keys() and all(ours[name] is theirs[name] for name in ours)


def test_attention_and_hidden_states_are_those_of_transformers(family, folder, reader, reading):
    for window in reading.windows:
        model, inputs = kit.plain(folder, window)
        with torch.no_grad():
            out = model(**inputs, output_attentions=True, output_hidden_states=True)
            states = list(out.hidden_states)
            if family == "modernbert":
                states[-1] = model.head(states[-1])
        weights = reader.attention(window)
        assert weights.shape == (2, 2, len(window), len(window))
        np.testing.assert_allclose(weights, torch.cat(out.attentions).numpy(), atol=1e-5)
        np.testing.assert_allclose(reader.hidden_states(window), torch.cat(states), atol=1e-5)


def test_masked_positions_hold_the_mask_token_alone(family, folder, reader, reading, monkeypatch):
    window = reading.windows[0]
    model, inputs = kit.plain(folder, window)
    masks = np.random.default_rng(0).random((5, len(window))) < 0.3
    masks[0] = False
    seen: list[tuple[int, int]] = []
    start, end = reader.masked(window, masks, on_progress=lambda *at: seen.append(at))
    np.testing.assert_allclose([start[0], end[0]], reading.logits(0), atol=1e-5)
    ids = np.where(masks[3], kit.tokenizer(family).mask_token_id, window.input_ids)
    inputs["input_ids"] = torch.tensor(ids)[None]
    with torch.no_grad():
        expected = model(**inputs)
    both = torch.cat([expected.start_logits, expected.end_logits])
    np.testing.assert_allclose([start[3], end[3]], both, atol=1e-5)
    assert seen[-1] == (5, 5)
    monkeypatch.setattr("qa_demo.model.forward.TOKENS_AT_ONCE", 2 * len(window))
    parts = reader.masked(window, masks, on_progress=lambda *at: seen.append(at))
    np.testing.assert_allclose(parts, [start, end], atol=1e-5)
    assert seen[-3:] == [(2, 5), (4, 5), (5, 5)]
    with pytest.raises(Cancelled):
        reader.masked(window, masks, cancelled=lambda: True)
