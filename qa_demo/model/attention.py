"""Attention and hidden states of one window, from an eager twin of the model that shares its
weights.

With sdpa transformers returns no attentions and no error. Switching the implementation at run time
would change the model under everybody who is reading with it; so a second module is built around
the very same tensors.
"""

import copy
import threading
from itertools import chain
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import torch

from qa_demo.core.attention import Attention
from qa_demo.core.types import Window
from qa_demo.model.forward import head_states, inputs_of

if TYPE_CHECKING:
    from qa_demo.model.reader import BertReader

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


def read_by_twin(reader: "BertReader", window: Window, **wanted: bool) -> Any:
    """One window through the reader's twin, with what is `wanted` of its inside."""
    twin = eager_twin(reader.model)

    def run() -> Any:
        with torch.inference_mode():
            return twin.base_model(**inputs_of(twin, window), **wanted)

    return reader.passes.run(run)


def hidden(reader: "BertReader", window: Window) -> np.ndarray:
    """Hidden states [N + 1, n, d] of one window: the embedding output, then every layer's output;
    the last is T, which the heads read; in ModernBERT that is one more layer on the encoder's last
    state.
    """
    out = read_by_twin(reader, window, output_hidden_states=True)
    with torch.inference_mode():
        last = head_states(reader.model, out[0])
    return torch.cat((*out.hidden_states[:-1], last)).numpy()


def attention(reader: "BertReader", window: Window) -> Attention:
    """Every layer and head of one window, [N, A, n, n]. Errors: BadInput where a row does not sum
    to 1.
    """
    out = read_by_twin(reader, window, output_attentions=True)
    return Attention(torch.cat(tuple(out.attentions)).numpy())
