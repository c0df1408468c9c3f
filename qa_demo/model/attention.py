"""Attention of one window, from an eager twin of the model that shares its weights.

With sdpa transformers returns no attentions and no error. Switching the implementation at run time
would change the model under everybody who is reading with it; so a second module is built around
the very same tensors.
"""

import copy
import threading
from collections.abc import Sequence
from itertools import chain
from typing import Any
from weakref import WeakKeyDictionary

import torch

from qa_demo.core.attention import Attention
from qa_demo.core.base import BadCheckpoint
from qa_demo.core.types import Window
from qa_demo.model.forward import Loaded, encode, token_types, word_embeddings

_twins: WeakKeyDictionary = WeakKeyDictionary()
_building = threading.Lock()


def eager_twin(model: Any) -> Any:
    """A second module over the same parameter tensors whose attention code returns its weights;
    made once for each model.

    Its output capturing installs hooks on the twin only: the model that answers is never touched.
    """
    with _building:
        twin = _twins.get(model)
        if twin is None:
            tensors = chain(model.named_parameters(), model.named_buffers())
            shared = {id(tensor): tensor for _, tensor in tensors}
            twin = _twins[model] = copy.deepcopy(model, shared)
            # on the twin's own configuration, before anyone else has a reference to it
            twin.config._attn_implementation = "eager"
        return twin


def read_by_twin(twin: Any, window: Window, grad: bool = False, **wanted: bool) -> Any:
    """One window through a twin, with what is `wanted` of its inside; `grad`: to be gone back."""
    embeds = word_embeddings(twin, window.input_ids)[None].requires_grad_(grad)
    return encode(twin, embeds, token_types(twin, window), **wanted)


def _layers(model: Any) -> int:
    return int(model.config.num_hidden_layers)


def check_layers(model: Any, attentions: Sequence[Any] | None, n: int) -> None:
    """Refuse a model without attention, or with other layers or positions than it has."""
    found = [None if layer is None else tuple(layer.shape[-2:]) for layer in attentions or ()]
    if found != [(n, n)] * _layers(model):
        raise BadCheckpoint(
            f"this reader gives no attention that could be shown: {_layers(model)} layers of {n} x "
            f"{n} were expected, got {len(found)}{': ' + str(found[0]) if found else ''}"
        )


def attention(loaded: Loaded, window: Window) -> Attention:
    """Every layer and head of a window, [N, A, n, n]; rows sum to 1 or are refused."""
    twin = eager_twin(loaded.model)
    with loaded.workers.slot(), torch.inference_mode():
        out = read_by_twin(twin, window, output_attentions=True)
        check_layers(twin, out.attentions, len(window))
        weights = torch.cat(tuple(out.attentions)).float().numpy()
    return Attention(weights)
