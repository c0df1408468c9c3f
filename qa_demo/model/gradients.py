"""Attribution of a target over word embeddings, by three methods.

The model is shared by every session, so nothing here installs a hook, writes a parameter's gradient
or changes a mode: captum's `IntegratedGradients` works on a plain function. (Its `Layer...` classes
replace the output of a module while they run, and corrupt what other threads answer.)
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import torch

from qa_demo.core.attribution import (
    GAP_LIMIT,
    MAX_STEPS,
    METHODS,
    STEPS,
    Attribution,
    Method,
    Target,
    check_made_by,
    gap_share,
    leave_one_out,
    value_of,
    weights_of,
    window_of,
)
from qa_demo.core.base import BadInput, IsCancelled, OnProgress, one_of
from qa_demo.core.text import special_positions
from qa_demo.core.types import Baseline, Reading, Window
from qa_demo.model.forward import TOKENS_AT_ONCE, adds_no_position, logits, word_embeddings

if TYPE_CHECKING:
    from qa_demo.model.reader import BertReader

ROUNDING = 1e-4
"""Gradient x input below this share of its products is rounding (real: 1e-1, not: 1e-6)."""
Pass = Callable[[torch.Tensor], torch.Tensor]
"""Word embeddings [k, n, h] -> the target F, [k]; or its gradients, [k, n, h]."""


def attribute(
    reader: "BertReader",
    reading: Reading,
    target: Target,
    method: Method = "integrated_gradients",
    baseline: Baseline | None = None,
    n_steps: int | None = None,
    on_progress: OnProgress | None = None,
    cancelled: IsCancelled | None = None,
) -> Attribution:
    """Explain the target in its window. Without a baseline it is the reading's own. With n_steps
    None they double from 20 until the gap is under 2 % or 640 are reached. The reading holds the
    model's own logits, so F(x) needs no pass.

    Errors: BadInput for an unknown method or baseline, other steps, a reading of another reader or
    a span no window holds; Cancelled.
    """
    baseline = baseline or reading.baseline
    one_of("the method", method, METHODS)
    one_of("the baseline", baseline, get_args(Baseline))
    if n_steps is not None and not 2 <= n_steps <= MAX_STEPS:
        raise BadInput(f"n_steps must be 2 to {MAX_STEPS}, or None, got {n_steps}")
    check_made_by(reading, reader)
    if method == "leave_one_out":
        masked = partial(reader.masked, on_progress=on_progress, cancelled=cancelled)
        return leave_one_out(reading, target, masked)
    window = window_of(reading, target)
    run = make_pass(reader.model, window, target)
    embeds = word_embeddings(reader.model, window.input_ids)[None]
    f_x = float(value_of(target, window, *reading.logits(window.index)))
    done = total = 0

    def gradients(points: torch.Tensor) -> torch.Tensor:
        nonlocal done
        found = reader.passes.run(lambda: gradient(run, points), cancelled)
        done += len(points)
        if on_progress is not None and total:
            on_progress(done, total)
        return found

    if method == "gradient_x_input":
        values = summed(gradients(embeds) * embeds)
        return Attribution(target, method, window.index, values.double().numpy(), f_x)
    path = baseline_embeddings(reader, reading, window, baseline)
    forward = torch.inference_mode()(lambda: float(run(path)))
    f_baseline = reader.passes.run(forward, cancelled)
    change, tried = f_x - f_baseline, list[tuple[int, float]]()
    for steps in STEPS if n_steps is None else (n_steps,):
        total = done + steps
        values = integrate(gradients, embeds, path, steps)
        tried.append((steps, float(values.double().sum()) - change))
        if gap_share(tried[-1][1], change) < GAP_LIMIT:
            break
    how = f_x, f_baseline, baseline, steps, tuple(tried)
    return Attribution(target, method, window.index, values.double().numpy(), *how)


def make_pass(model: Any, window: Window, target: Target) -> Pass:
    """Embeddings [k, n, h] -> F = a.s + b.e at the target's fixed positions, [k]."""
    weights = torch.tensor(np.stack(weights_of(target, window)), dtype=torch.float32)
    at = weights.any(0).nonzero()[:, 0].tolist()
    a, b = weights[:, at]

    def run(embeds: torch.Tensor) -> torch.Tensor:
        start, end = logits(model, embeds, window, at)
        return (start @ a).double() + (end @ b).double()

    return run


def own_baseline(reader: "BertReader") -> Baseline:
    """The padding token, or the mask token where padding is the zero vector and nothing is added
    to it before the first layer norm (DeBERTa, ModernBERT): such a reader feels only the direction
    of a word's vector, which on the path to zero stays the word's own, so no steps close the gap.
    """
    felt = word_embeddings(reader.model, [reader.tokenizer.pad_token_id]).any()
    return "pad" if felt or not adds_no_position(reader.model.config) else "mask"


def baseline_embeddings(
    reader: "BertReader", reading: Reading, window: Window, baseline: Baseline
) -> torch.Tensor:
    """x' [1, n, h]: [CLS] and the separators as they are, every other position the pad or mask
    token's vector, or zero. Positions and types are the input's. Kept tokens get exactly 0.
    """
    kept = special_positions(reading.encoding, window)
    if baseline == "zero":
        embeds = word_embeddings(reader.model, window.input_ids)
        return (embeds * torch.from_numpy(kept)[:, None])[None]
    word = getattr(reader.tokenizer, f"{baseline}_token_id")
    ids = np.where(kept, window.input_ids, word)
    return word_embeddings(reader.model, ids)[None]


def gradient(run: Pass, embeds: torch.Tensor) -> torch.Tensor:
    """dF / d embeds, [k, n, h]."""
    with torch.enable_grad():
        at = embeds.detach().requires_grad_()
        return torch.autograd.grad(run(at).sum(), at)[0]


def summed(products: torch.Tensor) -> torch.Tensor:
    """Gradient x input of each position, [n], from its products [1, n, h]; exactly 0 where they
    only leave rounding: a reader that normalises each word's vector first (DeBERTa) ignores its
    length, so that the products of a position cancel.
    """
    values, size = products[0].sum(-1), products[0].abs().sum(-1)
    return torch.where(values.abs().max() < ROUNDING * size.max(), torch.zeros_like(values), values)


def integrate(
    gradients: Pass, embeds: torch.Tensor, path: torch.Tensor, steps: int
) -> torch.Tensor:
    """Integrated gradients of the target, [n], from x and x' [1, n, h].

        attr_i = (x_i - x'_i) . mean over the midpoints alpha = (k + 1/2) / steps of dF(x' + alpha
        (x - x')) / dx_i

    captum does the path and the sum.
    """
    from captum.attr import IntegratedGradients

    def gradient_func(inputs: tuple[torch.Tensor, ...], **_: Any) -> tuple[torch.Tensor]:
        return (gradients(inputs[0].detach()),)

    method = IntegratedGradients(lambda points: points.sum((1, 2)))  # never asked: see below
    method.gradient_func = gradient_func
    size = max(1, min(10, TOKENS_AT_ONCE // embeds.shape[1], steps))
    how: dict[str, Any] = {"n_steps": steps, "internal_batch_size": size}
    return method.attribute(embeds, path, method="riemann_middle", **how).detach()[0].sum(-1)
