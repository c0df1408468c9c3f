"""What the processor at hand is fast at: number format and attention kernel of a training run."""

import time
from functools import cache
from typing import Any

import torch


def seconds_of_products(dtype: torch.dtype, repeats: int = 20) -> float:
    """The fastest of `repeats` products [1024, 384] x [384, 1536], after two that do not count."""
    a, b = torch.ones(1024, 384, dtype=dtype), torch.ones(384, 1536, dtype=dtype)
    taken = []
    for _ in range(repeats + 2):
        began = time.perf_counter()
        a @ b
        taken.append(time.perf_counter() - began)
    return min(taken[2:])


@cache
def processor_has_bf16() -> bool:
    """True where bf16 matrix products pay: on a GPU, and on a CPU where a short measurement finds
    them a fifth faster than fp32.

    The processor's own word is not enough: one that lists AVX512-BF16 but hides AMX took 1.8 times
    as long in bf16. Measured once in a process and with a margin: other work on the same cores must
    not change the format of a run that goes on.
    """
    return torch.cuda.is_available() or seconds_of_products(
        torch.bfloat16
    ) < 0.8 * seconds_of_products(torch.float32)


def attention_kernel() -> str | None:
    """The attention implementation that trains fastest; all give the same numbers up to rounding.

    On a CPU the backward pass of torch 2.13's fused kernel takes a quarter of a step at 128 tokens:
    512 ms a step of 2,048 tokens against 391 ms with plain matrix products (two cores with
    AVX512-BF16, bf16). On a GPU None leaves the choice to the model: the fused one where it has
    one, which MPNet has not.
    """
    return None if torch.cuda.is_available() else "eager"


def training_form(dropout: float) -> dict[str, Any]:
    """How `from_pretrained` loads an encoder that is to be trained: fp32, safetensors only, dropout
    on hidden states only, the kernel above.
    """
    return {
        "dtype": torch.float32,
        "use_safetensors": True,
        "hidden_dropout_prob": dropout,
        "attention_probs_dropout_prob": 0.0,
        "attn_implementation": attention_kernel(),
    }
