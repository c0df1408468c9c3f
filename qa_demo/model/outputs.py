"""Where a family keeps its last layer, and what that layer reads."""

from typing import Any

OUTPUTS = {"modernbert": "classifier"}
"""The name of the linear layer d -> 2, where it is not `qa_outputs`."""
BETWEEN = {"modernbert": "head"}
"""The name of what stands between the encoder and that layer, where anything does: in ModernBERT a
linear layer d -> d, its activation and a layer norm.
"""


def output_name(model: Any) -> str:
    """The name of the layer whose two rows are S and E."""
    return OUTPUTS.get(model.config.model_type, "qa_outputs")


def output_layer(model: Any) -> Any:
    """The layer whose two rows are S and E."""
    return getattr(model, output_name(model))


def head_states(model: Any, last: Any) -> Any:
    """T [..., n, d], which the output layer reads, from the encoder's last hidden states."""
    name = BETWEEN.get(model.config.model_type)
    return last if name is None else getattr(model, name)(last)


def span_logits(model: Any, last: Any) -> Any:
    """Start and end logits [..., n, 2] from the encoder's last hidden states."""
    return output_layer(model)(head_states(model, last))
