"""Gradients of a target with respect to word embeddings, and their mean along a path.

The model is shared by every session. So nothing here installs a hook, writes a parameter's gradient
or changes a mode: captum's `IntegratedGradients` works on a plain function, and gradients come from
`torch.autograd.grad`. (captum's `Layer...` classes replace the output of a shared module while they
run, and corrupt what other threads answer.)
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from qa_demo.core.attribution import Target, lanes
from qa_demo.core.text import special_positions
from qa_demo.core.types import Baseline, Reading, Window
from qa_demo.model.config import adds_no_position
from qa_demo.model.forward import (
    TOKENS_AT_ONCE,
    Loaded,
    logits,
    special_id,
    token_types,
    word_embeddings,
)

ROUNDING = 1e-4
"""Gradient x input below this share of its products is rounding (real: 1e-1, not: 1e-6)."""
Pass = Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]
"""Word embeddings [k, n, h] -> the start part and the end part of the target, [k] and [k]."""


def make_pass(model: Any, window: Window, target: Target) -> Pass:
    """Embeddings [k, n, h] -> (a.s, b.e) at the target's fixed positions alone."""
    a, b = lanes(target, window)
    start_weights, end_weights = (
        torch.as_tensor(weights, dtype=torch.float32) for weights in (a, b)
    )
    types = token_types(model, window)

    def run(embeds: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        start, end = logits(model, embeds, types)
        return start @ start_weights.to(start.dtype), end @ end_weights.to(end.dtype)

    return run


def own_baseline(loaded: Loaded) -> Baseline:
    """The padding token, or the mask token where padding is the zero vector and nothing is added
    to it before the first layer norm (DeBERTa, ModernBERT).

    Such a reader feels the direction of a word's vector only. On the straight path to zero the
    direction stays the word's own until the last point, so the gradients on it are 0 and no number
    of steps closes the gap.
    """
    alone = adds_no_position(loaded.model.config)
    pad, mask = (getattr(loaded.tokenizer, f"{name}_token_id") for name in ("pad", "mask"))
    if not alone or pad is None or mask is None:
        return "pad"
    return "pad" if word_embeddings(loaded.model, [pad]).any() else "mask"


def baseline_embeddings(
    loaded: Loaded, reading: Reading, window: Window, baseline: Baseline
) -> torch.Tensor:
    """x' [1, n, h]: [CLS] and the separators as they are, every other position the pad or mask
    token's vector, or zero.

    Positions and token types are the input's: only the words are taken away. Kept tokens therefore
    get exactly 0.
    """
    kept = special_positions(reading.encoding, window)
    if baseline == "zero":
        embeds = word_embeddings(loaded.model, window.input_ids)
        return torch.where(torch.from_numpy(kept)[:, None], embeds, torch.zeros_like(embeds))[None]
    ids = np.where(kept, window.input_ids, special_id(loaded.tokenizer, baseline))
    return word_embeddings(loaded.model, ids)[None]


def both_gradients(run: Pass, embeds: torch.Tensor) -> torch.Tensor:
    """Gradients of the start and end part, [2, k, n, h], by one pass forward and two back."""
    with torch.enable_grad():
        at = embeds.detach().requires_grad_()
        start, end = run(at)
        (first,) = torch.autograd.grad(start.sum(), at, retain_graph=True)
        (second,) = torch.autograd.grad(end.sum(), at)
    return torch.stack([first, second])


def summed(products: torch.Tensor) -> torch.Tensor:
    """Gradient x input of each position, [2, n], from its products [2, 1, n, h]; exactly 0 where
    they only leave rounding.

    A reader that normalises each word's vector before anything else (DeBERTa) ignores its length:
    the products of a position cancel, and neither the size nor the order of what is left means
    anything.
    """
    values, size = products.sum(-1)[:, 0], products.abs().sum(-1)[:, 0]
    return torch.where(values.abs().max() < ROUNDING * size.max(), torch.zeros_like(values), values)


def integrate(
    run: Pass,
    embeds: torch.Tensor,
    path: torch.Tensor,
    steps: int,
    between: Callable[[Callable[[], torch.Tensor], int], torch.Tensor] = lambda work, _: work(),
) -> torch.Tensor:
    """Integrated gradients of the two parts of the target, [2, n].

        attr_i = (x_i - x'_i) . mean over the midpoints alpha = (k + 1/2) / steps of dF(x' + alpha
        (x - x')) / dx_i

    captum does the path and the sum. It sees the two parts as two examples with the same input;
    the gradient function that it is given runs the model once for both.
    """
    from captum.attr import IntegratedGradients

    def gradient_func(inputs: tuple[torch.Tensor, ...], **_: Any) -> tuple[torch.Tensor]:
        points = inputs[0].detach()[::2]
        found = between(lambda: both_gradients(run, points), len(points))
        return (found.transpose(0, 1).reshape(inputs[0].shape),)

    method = IntegratedGradients(lambda points: sum(run(points)))
    method.gradient_func = gradient_func
    size = max(1, min(10, TOKENS_AT_ONCE // embeds.shape[1], steps))
    found = method.attribute(
        embeds.expand(2, -1, -1),
        path.expand(2, -1, -1),
        n_steps=steps,
        method="riemann_middle",
        internal_batch_size=2 * size,
    )
    return found.detach().sum(-1)
