"""A model whose last layer is computed only where a target reads it.

Every target is a few logits, and a logit needs one row of the last layer. All other rows of its
attention output and feed-forward part, three quarters of the layer, change nothing; so they are
left out of an explanation's many passes.
"""

import copy
from typing import Any

import numpy as np
import torch

ALIKE = ("bert", "electra", "roberta", "xlm-roberta", "camembert")
"""Model types built of BERT's layer: self-attention, then parts that treat every position alone."""
_OUTPUT = "attention.output"


class _Rows(torch.nn.Module):
    """A part that treats every position alone, applied to some positions."""

    def __init__(self, part: torch.nn.Module, rows: torch.Tensor) -> None:
        super().__init__()
        self.part, self.rows = part, rows

    def forward(self, *given: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.part(*(states[:, self.rows] for states in given))
        return found


def narrowed(model: Any, rows: np.ndarray) -> Any | None:
    """A module of the same parameters that gives only these rows of the last layer, or None."""
    if model.config.model_type not in ALIKE:
        return None
    last = len(model.base_model.encoder.layer) - 1
    path = f"{model.base_model_prefix}.encoder.layer.{last}.{_OUTPUT}"
    return _with(model, path, _Rows(model.get_submodule(path), torch.as_tensor(rows)))


def _with(module: Any, path: str, part: torch.nn.Module) -> Any:
    """A shallow copy of the module with one part exchanged: the shared one stays as it is."""
    name, _, rest = path.partition(".")
    twin = copy.copy(module)
    twin._modules = {
        **module._modules,
        name: _with(module._modules[name], rest, part) if rest else part,
    }
    return twin
