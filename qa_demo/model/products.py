"""The products of a reader's frozen layers by oneDNN, each matrix laid out once for this processor:
torch's own addmm lays it out at every call, and takes a fifth to a third longer.
"""

import platform
from functools import cached_property
from typing import Any

import torch
from torch import Tensor, nn


def pack(encoder: nn.Module) -> None:
    """Put a `Packed` in the place of every linear layer, whose own matrix is then gone, where this
    machine is one that gains by it.
    """
    x86 = platform.machine().lower() in ("x86_64", "amd64")
    if not x86 or not torch.backends.mkldnn.is_available():
        return
    for module in list(encoder.modules()):
        for name, child in list(module.named_children()):
            if type(child) is nn.Linear:
                setattr(module, name, Packed(child))


class Packed(nn.Module):
    """y = x W^T + b of a linear layer that is trained no more, x [..., in] -> y [..., out]; dF/dx =
    dF/dy W.
    """

    packed: Tensor

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.register_buffer("packed", _laid_out(layer.weight), persistent=False)
        self.bias = layer.bias

    @property
    def weight(self) -> Tensor:
        """W [out, in] as it came."""
        return self.packed.to_dense()

    @cached_property
    def turned(self) -> Tensor:
        """W^T laid out; made when a gradient is first asked for."""
        return _laid_out(self.weight.t())

    def forward(self, x: Tensor) -> Tensor:
        """The product; recorded for a gradient only where one is asked for."""
        recorded = torch.is_grad_enabled()
        return _Recorded.apply(x, self) if recorded else _times(x, self.packed, self.bias)


class _Recorded(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, layer: Packed) -> Tensor:
        ctx.layer = layer
        return _times(x, layer.packed, layer.bias)

    @staticmethod
    def backward(ctx: Any, *upstream: Tensor) -> tuple[Tensor, None]:
        return _times(upstream[0], ctx.layer.turned, None), None


# the two operators by which torch.compile freezes a linear layer; they take and give plain tensors


def _laid_out(weight: Tensor) -> Tensor:
    with torch.no_grad():
        return torch.ops.mkldnn._reorder_linear_weight(weight.contiguous())


def _times(x: Tensor, packed: Tensor, bias: Tensor | None) -> Tensor:
    return torch.ops.mkldnn._linear_pointwise(x, packed, bias, "none", [], "")
