"""The head's vectors and the hidden states of every layer for one window, as plain arrays."""

import numpy as np
import torch

from qa_demo.core.base import BadCheckpoint
from qa_demo.core.heads import HeadWeights
from qa_demo.core.types import Window
from qa_demo.model.attention import eager_twin, read_by_twin
from qa_demo.model.forward import Loaded
from qa_demo.model.outputs import head_states, output_layer

_SAME = 1e-4


def head_weights(loaded: Loaded, bio: torch.nn.Linear | None = None) -> HeadWeights:
    """Copies of S, E and biases (two rows of the output layer), and of a BIO head's W and b."""
    layer = output_layer(loaded.model)
    if not isinstance(layer, torch.nn.Linear):
        raise BadCheckpoint(
            f"this reader's head is a {type(layer).__name__}, not one linear layer, so it has no "
            f"vectors S and E"
        )
    rows = layer.weight.detach().float().numpy().copy()
    bias = [0.0, 0.0] if layer.bias is None else layer.bias.detach().float().tolist()
    tags = (
        (None, None)
        if bio is None
        else tuple(tensor.detach().float().numpy().copy() for tensor in (bio.weight, bio.bias))
    )
    return HeadWeights(rows[0], rows[1], bias[0], bias[1], *tags)


def hidden(loaded: Loaded, window: Window) -> np.ndarray:
    """Hidden states [N + 1, n, d]: the embedding output, then every layer's output; the last is T,
    which the heads read; in ModernBERT that is one more layer on the encoder's last state.

    Errors: BadCheckpoint when the reader gives another number of layers, or a last layer that its
    head does not read.
    """
    twin = eager_twin(loaded.model)
    with loaded.workers.slot(), torch.inference_mode():
        out = read_by_twin(twin, window, output_hidden_states=True)
        layers = out.hidden_states or ()
        expected = int(twin.config.num_hidden_layers) + 1
        if len(layers) != expected or any(layer.shape != out[0].shape for layer in layers):
            raise BadCheckpoint(
                f"this reader gives {len(layers)} hidden states; {expected} of the shape "
                f"{list(out[0].shape)} were expected"
            )
        states = torch.cat(tuple(layers)).float().numpy()
        off = float(np.abs(states[-1] - out[0][0].float().numpy()).max())
        states[-1] = head_states(twin, out[0])[0].float().numpy()
    if not off <= _SAME:
        raise BadCheckpoint(
            f"this reader's last hidden state is not what its head reads: they differ by {off:.3g}"
        )
    return states
