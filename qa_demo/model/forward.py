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
STACKED = ("bert", "roberta", "xlm-roberta", "camembert", "electra")
"""Families whose encoder is a plain list of layers of one form."""


def longest_input(config: Any) -> int:
    """A model's longest input, special tokens included: rows that positions can have."""
    padding = 1 if config.model_type == "mpnet" else config.pad_token_id or 0
    unused = int(padding) + 1 if config.model_type in SHIFTED else 0
    return int(config.max_position_embeddings) - unused


def knows_token_types(config: Any) -> bool:
    """Whether token types tell question from paragraph, as in BERT, ELECTRA and ALBERT."""
    return (getattr(config, "type_vocab_size", 0) or 0) > 1


def adds_no_position(config: Any) -> bool:
    """Whether a word's vector reaches the first layer norm alone (positions in attention)."""
    return config.model_type == "modernbert" or not getattr(config, "position_biased_input", True)


def output_layer(model: Any) -> Any:
    """The linear layer d -> 2 whose two rows are S and E."""
    return model.classifier if model.config.model_type == "modernbert" else model.qa_outputs


def head_states(model: Any, last: Any) -> Any:
    """h [..., n, d], which the output layer reads: the last states, through ModernBERT's head."""
    return model.head(last) if model.config.model_type == "modernbert" else last


def inputs_of(model: Any, window: Window) -> dict[str, Tensor]:
    """What a model reads of a window: ids [1, n], and token types where it has them."""
    names = ["input_ids", "token_type_ids"] if knows_token_types(model.config) else ["input_ids"]
    return {name: torch.tensor(getattr(window, name))[None] for name in names}


def word_embeddings(model: Any, ids: Any) -> Tensor:
    """Rows of the word embedding table, [..., m], without positions and types."""
    with torch.no_grad():
        return model.get_input_embeddings()(torch.as_tensor(np.array(ids)))


def encoded(model: Any, inputs: dict[str, Any]) -> Tensor:
    """h [b, n, d], the last hidden states as the heads read them."""
    base = model.base_model
    if not model.bare:
        return head_states(model, base(**inputs)[0])
    return run_layers(model.bare, projected(base, base.embeddings(**inputs)))


def projected(base: Any, x: Tensor) -> Tensor:
    """What the first layer reads: of embeddings that are narrower, as ELECTRA's, a product."""
    return base.embeddings_project(x) if hasattr(base, "embeddings_project") else x


def run_layers(layers: "list[BareLayer]", states: Tensor) -> Tensor:
    """What the layers make of states [b, n, d]."""
    for layer in layers:
        take_share()
        states = layer(states)
    return states


def inputs_with_vectors(model: Any, window: Window, vectors: Tensor) -> dict[str, Any]:
    """What a model reads of a window with word vectors [b, n, m] in the place of its own."""
    inputs = {k: x.expand(len(vectors), -1) for k, x in inputs_of(model, window).items()}
    return {**inputs, "input_ids": None, "inputs_embeds": vectors}


class BareLayer:
    """A layer of BERT by its operations alone, [b, n, d] -> [b, n, d]: to the last digit what
    transformers' own gives, which takes a tenth longer for what it asks and looks up in between.
    """

    def __init__(self, layer: Any, heads: int) -> None:
        own, after, self.heads = layer.attention.self, layer.attention.output, heads
        self.activation = layer.intermediate.intermediate_act_fn
        self.qkv = own.query, own.key, own.value
        self.fused_qkv = fused(*self.qkv)
        dense = after.dense, layer.intermediate.dense, layer.output.dense
        self.dense = [fused(x) for x in dense]
        self.norms = after.LayerNorm, layer.output.LayerNorm

    def __call__(self, x: Tensor) -> Tensor:
        if torch.is_grad_enabled():  # back through parts of one product takes longer
            return self.attend(x, *(part(x) for part in self.qkv))
        return self.attend(x, *self.fused_qkv(x).chunk(3, -1))

    def attend(self, x: Tensor, *qkv: Tensor) -> Tensor:
        """What follows queries, keys and values [b, n, d]."""
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in qkv)
        mixed = F.scaled_dot_product_attention(q, k, v)
        return self.after_attention(mixed.transpose(1, 2).flatten(2), x)

    def rows(self, x: Tensor, at: list[int]) -> Tensor:
        """Its rows `at` alone, made without keys and values:

        q . (W_k x + b_k) = (q W_k) . x + a constant that softmax drops
        sum_n a_n (W_v x_n + b_v) = W_v (sum_n a_n x_n) + b_v,    for weights a whose sum is 1
        """
        own, (query, *others) = x[:, at], self.qkv
        w_k, w_v = (part.weight.unflatten(0, (self.heads, -1)) for part in others)
        q = query(own).unflatten(-1, (self.heads, -1)) / w_k.shape[1] ** 0.5
        weights = torch.einsum("brhe,hed,bnd->bhrn", q, w_k, x).softmax(-1)
        mixed = torch.einsum("bhrn,bnd,hed->brhe", weights, x, w_v).flatten(2)
        return self.after_attention(mixed + others[1].bias, own)

    def after_attention(self, mixed: Tensor, x: Tensor) -> Tensor:
        """The rest of a layer, of any rows x and what the attention heads mixed for them."""
        (out, widen, narrow), (first, last), shape = self.dense, self.norms, x.shape
        mixed, x = mixed.flatten(0, 1), x.flatten(0, 1)  # plain matrices: a gradient copies no view
        x = first(out(mixed).add_(x))
        return last(narrow(self.activation(widen(x))).add_(x)).view(shape)


def fused(*parts: Any) -> Callable[[Tensor], Tensor]:
    """Linear layers of one input as one product, which is faster; their weights are its parts."""
    if type(parts[0]) is not nn.Linear:  # packed
        return parts[0] if len(parts) == 1 else lambda x: torch.cat([y(x) for y in parts], -1)
    held = ([getattr(x, of).data for x in parts] for of in ("weight", "bias"))
    weight, bias = (torch.cat(own) if len(own) > 1 else own[0] for own in held)
    for part, own in zip(parts, weight.chunk(len(parts)), strict=True):
        part.weight.data = own
    return partial(F.linear, weight=weight, bias=bias)


def bare_layers(model: Any) -> list[BareLayer]:
    """A model's layers where they are a plain list of BERT's; else none."""
    layers = model.base_model.encoder.layer if model.config.model_type in STACKED else ()
    return [BareLayer(layer, model.config.num_attention_heads) for layer in layers]


def path_logits(model: Any, window: Window, ends: Tensor) -> Callable[[Tensor, list[int]], Any]:
    """Between word vectors x' and x [2, n, m]: alphas [k, n] of points x' + alpha (x - x') -> start
    and end logits [k, r] at some positions. In a stack the embeddings' layer norm makes of points

        (c + alpha d) / sigma * gamma + beta,    sigma^2 = mean (c + alpha d)^2 + eps

    with c = x' + position + type and d = x - x', both less their mean: the first layer's states,
    queries, keys and values are sums of vectors made once, and a point needs no product for them.
    """
    base, head = model.base_model, output_layer(model)

    def plainly(alpha: Tensor, at: list[int]) -> Any:
        vectors = torch.lerp(*ends, alpha[..., None])
        return head(encoded(model, inputs_with_vectors(model, window, vectors))[:, at]).unbind(-1)

    if len(model.bare) < 2:
        return plainly
    first, *middle, last = model.bare
    norm, plain = base.embeddings.LayerNorm, copy.copy(base.embeddings)
    plain._modules = plain._modules | {"LayerNorm": nn.Identity()}

    def with_qkv(normed: Tensor) -> Tensor:
        x = projected(base, normed)
        return torch.cat([x, first.fused_qkv(x)], -1)

    with torch.no_grad():
        c, x = plain(**inputs_with_vectors(model, window, ends))
        both = torch.stack([c, x - c], 1)  # [n, 2, m]
        both -= both.mean(-1, keepdim=True)
        products, still = both @ both.mT / both.shape[-1], with_qkv(norm.bias)
        moved = with_qkv(norm.bias + norm.weight * both) - still

    def quickly(alpha: Tensor, at: list[int]) -> Any:
        on = torch.stack([torch.ones_like(alpha), alpha], -1)
        sigma = (torch.einsum("kni,nij,knj->kn", on, products, on) + norm.eps).sqrt()
        there = still + torch.einsum("kni,nid->knd", on / sigma[..., None], moved)
        states = run_layers(middle, first.attend(*there.chunk(4, -1)))
        return head(last.rows(states, at)).unbind(-1)

    return quickly


def eager_twin(model: Any) -> Any:
    """A second module over the same parameter tensors that gives its attention and hidden states.
    With sdpa transformers returns no attentions; to switch it, or to install the hooks that capture
    outputs, would change the model under everybody who is reading with it.
    """
    shared = {id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())}
    twin = copy.deepcopy(model, shared)
    twin.config._attn_implementation = "eager"
    return twin
