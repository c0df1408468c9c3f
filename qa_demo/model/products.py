"""Matrix products of frozen linear layers by oneDNN instead of MKL: the same sums in another order,
twice as fast on AMD processors.

torch gives a float32 product to MKL, which uses half of the vector width on a processor that is not
Intel's. oneDNN, in the same torch, uses all of it. Measured on one core of an AMD EPYC with
AVX-512, 1280 x 384 by 384 x 1536: 106 and 237 billion operations a second. On one core of an Intel
Xeon (model 207, 2.1 GHz) both are equally fast, 158 and 154. There attribution is cheaper than the
usual recipe only by the work that it leaves out: 6.0 times with start and end apart, 9.1 times for
the span score, at 128 tokens (tests/benchmarks/attribution_cost.py; 7.0 and 10.6 times on the AMD
processor).
"""

from typing import Any

import torch
from torch.overrides import TorchFunctionMode

# torch compiles to it; a build without oneDNN has none
_onednn = getattr(torch.ops.mkldnn, "_linear_pointwise", None)


class _Frozen(torch.autograd.Function):
    """y = x W^T + b with dL/dx = dL/dy W; the weights take no gradient."""

    @staticmethod
    def forward(
        ctx: Any, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None
    ) -> torch.Tensor:
        ctx.weight = weight
        return _product(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor, None, None]:  # type: ignore[override]
        return _product(grad, ctx.weight.t(), None), None, None


def _product(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    assert _onednn is not None
    found: torch.Tensor = _onednn(x, weight, bias, "none", [], "")
    return found


class FrozenProducts(TorchFunctionMode):
    """Within it this thread's `torch.nn.functional.linear` goes to oneDNN where it can: float32 on
    a CPU, weights without a gradient.

    Other threads and the model itself are not touched. Rounding differs, by about 1e-6 of the
    largest term. Everything else, and every product that oneDNN does not take, runs as without it.
    """

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        linear = func is torch.nn.functional.linear and not kwargs
        if linear and _onednn is not None and _taken(*args):
            x, weight, bias = (*args, None)[:3]
            return _Frozen.apply(x, weight, bias)
        return func(*args, **(kwargs or {}))


def _taken(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None) -> bool:
    frozen = not weight.requires_grad and (bias is None or not bias.requires_grad)
    plain = all(t.dtype == torch.float32 and t.device.type == "cpu" for t in (x, weight))
    return frozen and plain and x.numel() > 0 and not torch.is_autocast_enabled("cpu")
