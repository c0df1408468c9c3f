"""Attention and hidden states of one window, from an eager twin of the model that shares its
weights.

With sdpa transformers returns no attentions and no error. Switching the implementation at run time
would change the model under everybody who is reading with it; so a second module is built around
the very same tensors.
"""

import copy
import threading
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import torch

from qa_demo.core.attention import Attention
from qa_demo.core.base import BadCheckpoint
from qa_demo.core.types import Window
from qa_demo.model.forward import encoded, head_states, token_types, word_embeddings

if TYPE_CHECKING:
    from qa_demo.model.reader import BertReader

SAME = 1e-4
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


def read_by_twin(twin: Any, window: Window, **wanted: bool) -> Any:
    """One window through a twin, with what is `wanted` of its inside."""
    embeds = word_embeddings(twin, window.input_ids)[None]
    return encoded(twin, embeds, token_types(twin, window), **wanted)


def hidden(reader: "BertReader", window: Window) -> np.ndarray:
    """Hidden states [N + 1, n, d]: the embedding output, then every layer's output; the last is T,
    which the heads read; in ModernBERT that is one more layer on the encoder's last state.

    Errors: BadCheckpoint when the reader gives another number of layers, or a last layer that its
    head does not read.
    """
    twin = eager_twin(reader.model)

    def run() -> np.ndarray:
        with torch.inference_mode():
            out = read_by_twin(twin, window, output_hidden_states=True)
            layers, last = out.hidden_states or (), out[0]
            expected = int(twin.config.num_hidden_layers) + 1
            if len(layers) != expected or not torch.allclose(layers[-1], last, atol=SAME):
                raise BadCheckpoint(
                    f"this reader gives {len(layers)} hidden states of which the last is what its "
                    f"head reads; {expected} were expected"
                )
            return torch.cat((*layers[:-1], head_states(twin, last))).numpy()

    return reader.passes.run(run)


def check_layers(model: Any, attentions: Sequence[Any] | None, n: int) -> None:
    """Refuse a model without attention, or with other layers or positions than it has."""
    layers = int(model.config.num_hidden_layers)
    found = [None if layer is None else tuple(layer.shape[-2:]) for layer in attentions or ()]
    if found != [(n, n)] * layers:
        raise BadCheckpoint(
            f"this reader gives no attention that could be shown: {layers} layers of {n} x {n} "
            f"were expected, got {len(found)}{': ' + str(found[0]) if found else ''}"
        )


def attention(reader: "BertReader", window: Window) -> Attention:
    """Every layer and head of a window, [N, A, n, n]; rows sum to 1 or are refused."""
    twin = eager_twin(reader.model)

    def run() -> np.ndarray:
        with torch.inference_mode():
            out = read_by_twin(twin, window, output_attentions=True)
            check_layers(twin, out.attentions, len(window))
            return torch.cat(tuple(out.attentions)).numpy()

    return Attention(reader.passes.run(run))
