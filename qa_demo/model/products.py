"""The products of a reader's frozen layers, on AMD's processors. torch gives them to MKL, which is
slow there: oneDNN's, with each matrix laid out once, take a fifth to a third less time. Elsewhere
torch's stay, and every digit is the one that transformers gives.
"""

import platform
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn


def pack(encoder: nn.Module) -> None:
    """Put a `Packed` in the place of every linear layer where the processor is AMD's."""
    if is_amd() and torch.backends.mkldnn.is_available():
        for module in list(encoder.modules()):
            for name, child in list(module.named_children()):
                if type(child) is nn.Linear:
                    setattr(module, name, Packed(child.weight.detach(), child.bias))


def is_amd() -> bool:
    """Whether Linux or Windows says that AMD made this processor."""
    info = Path("/proc/cpuinfo")
    return "AuthenticAMD" in (info.read_text() if info.is_file() else platform.processor())


class Packed(nn.Module):
    """y = x W^T + b of a linear layer that is trained no more, x [..., in] -> y [..., out]; dF/dx =
    dF/dy W.
    """

    packed: Tensor

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        # the two operators by which torch.compile freezes a linear layer
        packed = torch.ops.mkldnn._reorder_linear_weight(weight.contiguous())
        self.register_buffer("packed", packed, persistent=False)
        self.bias = bias

    @property
    def weight(self) -> Tensor:
        """W [out, in] as it came."""
        return self.packed.to_dense()

    @cached_property
    def turned(self) -> "Packed":
        """x -> x W; made when a gradient is first asked for."""
        return Packed(self.weight.t(), None)

    def forward(self, x: Tensor) -> Tensor:
        """The product; recorded for a gradient only where one is asked for."""
        return _Recorded.apply(x, self) if torch.is_grad_enabled() else self.times(x)

    def times(self, x: Tensor) -> Tensor:
        """The product of a plain tensor."""
        return torch.ops.mkldnn._linear_pointwise(x, self.packed, self.bias, "none", [], "")


class _Recorded(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, layer: Packed) -> Tensor:
        ctx.layer = layer
        return layer.times(x.detach())

    @staticmethod
    def backward(ctx: Any, *upstream: Tensor) -> tuple[Tensor, None]:
        return ctx.layer.turned.times(upstream[0]), None
