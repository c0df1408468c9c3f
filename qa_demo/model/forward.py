"""One window through a model, what families differ in, and the twin that shows a model's inside."""

import copy
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from qa_demo.core.types import Window
from qa_demo.model.work import take_share

TOKENS_AT_ONCE = 1280
"""Positions in one pass: half a second of a small model, then others have their turn."""
SHIFTED = ("roberta", "xlm-roberta", "camembert", "mpnet")
"""Families whose first position is padding id + 1 (in MPNet always 2); no row before it is used."""
Rows = slice | list[int]
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


def inputs_of(model: Any, window: Window) -> dict[str, Tensor]:
    """What a model reads of a window: ids [1, n], and token types where it has them."""
    names = ["input_ids", "token_type_ids"] if knows_token_types(model.config) else ["input_ids"]
    return {name: torch.tensor(getattr(window, name))[None] for name in names}


def word_embeddings(model: Any, ids: Any) -> Tensor:
    """Rows of the word embedding table, [..., h], without positions and types."""
    with torch.no_grad():
        return model.get_input_embeddings()(torch.as_tensor(np.array(ids)))


def encoded(model: Any, inputs: dict[str, Tensor], at: Rows = slice(None)) -> Tensor:
    """T [b, r, d], the last hidden states as the heads read them, at these positions."""
    base = model.base_model
    if not model.bare:
        return head_states(model, base(**inputs)[0])[:, at]
    states = base.embeddings(**inputs)
    if hasattr(base, "embeddings_project"):  # ELECTRA's, where its tables are narrower
        states = base.embeddings_project(states)
    *layers, last = model.bare
    for layer in layers:
        take_share()
        states = layer(states)
    return last(states) if at == slice(None) else last.rows(states, at)


def logits(model: Any, embeds: Tensor, window: Window, at: Rows = slice(None)) -> Any:
    """Start and end logits [b, r] each, at these positions, of word embeddings [b, n, h] in the
    place of a window's; positions and types stay its own.
    """
    inputs = {k: x.expand(len(embeds), -1) for k, x in inputs_of(model, window).items()}
    inputs["inputs_embeds"] = embeds
    del inputs["input_ids"]
    return output_layer(model)(encoded(model, inputs, at)).unbind(-1)


class BareLayer:
    """A layer of BERT by its operations alone, [b, n, d] -> [b, n, d]: to the last digit what
    transformers' own gives, which takes a tenth longer for what it asks and looks up in between.
    """

    def __init__(self, layer: Any, heads: int) -> None:
        own, after, self.heads = layer.attention.self, layer.attention.output, heads
        self.own, self.activation = own, layer.intermediate.intermediate_act_fn
        self.reads = [product(x) for x in (own.query, own.key, own.value)]
        writes = after.dense, layer.intermediate.dense, layer.output.dense
        self.writes = [product(x) for x in writes]
        self.norms = after.LayerNorm, layer.output.LayerNorm

    def __call__(self, x: Tensor) -> Tensor:
        q, k, v = (read(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for read in self.reads)
        return self.behind(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2), x)

    def rows(self, x: Tensor, at: Rows) -> Tensor:
        """Rows of it, without keys and values: q (W_k x + b_k) is (q W_k) x and what softmax drops,
        and a mean of W_v x + b_v is W_v times the mean of x, plus b_v.
        """
        own, here = x[:, at], self.own
        w_k, w_v = (part.weight.unflatten(0, (self.heads, -1)) for part in (here.key, here.value))
        q = here.query(own).unflatten(-1, (self.heads, -1)) / w_k.shape[1] ** 0.5
        weights = torch.einsum("brhe,hed,bnd->bhrn", q, w_k, x).softmax(-1)
        mixed = torch.einsum("bhrn,bnd,hed->brhe", weights, x, w_v).flatten(2)
        return self.behind(mixed + here.value.bias, own)

    def behind(self, mixed: Tensor, x: Tensor) -> Tensor:
        """What follows the attention heads, of any rows."""
        (out, widen, narrow), (first, last) = self.writes, self.norms
        x = first(out(mixed).add_(x))
        return last(narrow(self.activation(widen(x))).add_(x))


def product(part: nn.Module) -> Callable[[Tensor], Tensor]:
    """A linear layer that holds its tensors: a module looks them up at each call."""
    plain = type(part) is nn.Linear
    return partial(F.linear, weight=part.weight, bias=part.bias) if plain else part


def bare_layers(model: Any) -> list[BareLayer]:
    """A model's layers where they are a plain list of BERT's; else none."""
    layers = model.base_model.encoder.layer if model.config.model_type in STACKED else ()
    return [BareLayer(layer, model.config.num_attention_heads) for layer in layers]


def eager_twin(model: Any) -> Any:
    """A second module over the same parameter tensors that gives its attention and hidden states.
    With sdpa transformers returns no attentions; to switch it, or to install the hooks that capture
    outputs, would change the model under everybody who is reading with it.
    """
    shared = {id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())}
    twin = copy.deepcopy(model, shared)
    twin.config._attn_implementation = "eager"
    return twin
