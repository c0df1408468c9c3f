"""One window through a model, what families differ in, and the twin that shows a model's inside."""

import copy
from typing import Any

import numpy as np
import torch

from qa_demo.core.types import Window

TOKENS_AT_ONCE = 1280
"""Positions in one pass: half a second of a small model, then others have their turn."""
SHIFTED = ("roberta", "xlm-roberta", "camembert", "mpnet")
"""Families whose first position is padding id + 1 (in MPNet always 2); no row before it is used."""
STACKED = ("bert", "roberta", "xlm-roberta", "camembert", "electra")
"""Families whose encoder is a plain list of layers of one form."""


def longest_input(config: Any) -> int:
    """A model's longest input, special tokens included: rows that positions can have."""
    padding = 1 if config.model_type == "mpnet" else config.pad_token_id or 0
    unused = int(padding) + 1 if config.model_type in SHIFTED else 0
    return int(config.max_position_embeddings) - unused


def knows_token_types(config: Any) -> bool:
    """Whether token types tell question from paragraph: not in DistilBERT, MPNet, DeBERTa."""
    return (getattr(config, "type_vocab_size", 0) or 0) > 1


def adds_no_position(config: Any) -> bool:
    """Whether a word's vector reaches the first layer norm alone (positions in attention)."""
    relative = getattr(config, "position_biased_input", True) is False
    return relative or config.model_type == "modernbert"


def output_layer(model: Any) -> Any:
    """The linear layer d -> 2 whose two rows are S and E."""
    return model.classifier if model.config.model_type == "modernbert" else model.qa_outputs


def head_states(model: Any, last: Any) -> Any:
    """T [..., n, d], which the output layer reads, from the encoder's last hidden states: the same,
    but in ModernBERT, where a linear layer, its activation and a layer norm stand between.
    """
    return model.head(last) if model.config.model_type == "modernbert" else last


def inputs_of(model: Any, window: Window) -> dict[str, torch.Tensor]:
    """What a model reads of a window: ids [1, n], and token types where it has them."""
    names = ["input_ids", "token_type_ids"] if knows_token_types(model.config) else ["input_ids"]
    return {name: torch.tensor(getattr(window, name))[None] for name in names}


def word_embeddings(model: Any, ids: Any) -> torch.Tensor:
    """Rows of the word embedding table, [..., h], without positions and types."""
    with torch.no_grad():
        return model.get_input_embeddings()(torch.as_tensor(np.array(ids)))


def logits(model: Any, embeds: torch.Tensor, window: Window) -> tuple[torch.Tensor, torch.Tensor]:
    """Start and end logits [b, n], [b, n] of word embeddings [b, n, h] in the place of a window's;
    positions and types stay its own.
    """
    inputs = {k: x.expand(len(embeds), -1) for k, x in inputs_of(model, window).items()}
    inputs["inputs_embeds"] = embeds
    del inputs["input_ids"]
    return output_layer(model)(head_states(model, model.base_model(**inputs)[0])).unbind(-1)


def logits_at(
    model: Any, embeds: torch.Tensor, window: Window, at: list[int]
) -> tuple[torch.Tensor, torch.Tensor]:
    """The `logits` of these positions alone, [b, len(at)] each. Where the layers are a plain list
    the last one computes these only, without keys and values: q (W_k x + b_k) is (q W_k) x and what
    softmax drops, and a mean of W_v x + b_v is W_v times the mean of x, plus b_v.
    """
    if model.config.model_type not in STACKED:
        start, end = logits(model, embeds, window)
        return start[:, at], end[:, at]
    base, inputs = model.base_model, inputs_of(model, window)
    states = base.embeddings(inputs_embeds=embeds, token_type_ids=inputs.get("token_type_ids"))
    if hasattr(base, "embeddings_project"):  # ELECTRA's, where its tables are narrower
        states = base.embeddings_project(states)
    *layers, last = base.encoder.layer
    for layer in layers:
        states = layer(states)
    here, own, heads = last.attention, states[:, at], model.config.num_attention_heads
    w_k, w_v = (x.weight.unflatten(0, (heads, -1)) for x in (here.self.key, here.self.value))
    q = here.self.query(own).unflatten(-1, (heads, -1)) / w_k.shape[1] ** 0.5
    weights = torch.einsum("brhe,hed,bnd->bhrn", q, w_k, states).softmax(-1)
    mixed = torch.einsum("bhrn,bnd,hed->brhe", weights, states, w_v).flatten(2)
    out = here.output(mixed + here.self.value.bias, own)
    return output_layer(model)(last.feed_forward_chunk(out)).unbind(-1)


def eager_twin(model: Any) -> Any:
    """A second module over the same parameter tensors that gives its attention and hidden states.

    With sdpa transformers returns no attentions and no error. Switching the implementation at run
    time would change the model under everybody who is reading with it; and capturing outputs
    installs hooks, which must not stand on the model that answers.
    """
    shared = {id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())}
    twin = copy.deepcopy(model, shared)
    twin.config._attn_implementation = "eager"
    return twin
