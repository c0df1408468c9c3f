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

from qa_demo.core import attribution
from qa_demo.core.attribution import MAX_STEPS, METHODS, STEPS, Attribution, Method, Target
from qa_demo.core.base import BadInput, IsCancelled, OnProgress, one_of
from qa_demo.core.text import special_positions
from qa_demo.core.types import Baseline, Reading, Window
from qa_demo.model.forward import TOKENS_AT_ONCE, adds_no_position, path_logits, word_embeddings

if TYPE_CHECKING:
    from qa_demo.model.reader import BertReader

Pass = Callable[[torch.Tensor], torch.Tensor]
"""Alphas [k, n] of points x' + alpha (x - x') -> the target F, [k]; or dF / d alpha, [k, n]."""


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
    attribution.check_made_by(reading, reader)
    if method == "leave_one_out":
        masked = partial(reader.masked, on_progress=on_progress, cancelled=cancelled)
        return attribution.leave_one_out(reading, target, masked)
    window = attribution.window_of(reading, target)
    ends = path_of(reader, reading, window, baseline if method == METHODS[0] else None)
    run, at_x = make_pass(reader.model, window, target, ends), torch.ones(1, len(window))
    f_x = float(attribution.value_of(target, window, *reading.logits(window.index)))
    done = total = 0

    def gradients(points: torch.Tensor) -> torch.Tensor:
        nonlocal done
        at = points.detach().requires_grad_()
        taken = torch.enable_grad()(lambda: torch.autograd.grad(run(at).sum(), at)[0])
        found = reader.passes.run(taken, cancelled)
        done += len(points)
        if on_progress is not None and total:
            on_progress(done, total)
        return found

    if method == "gradient_x_input":
        felt = not adds_no_position(reader.model.config)  # else what is left is rounding
        values = felt * gradients(at_x)[0].double().numpy()
        return Attribution(target, method, window.index, values, f_x)
    forward = torch.inference_mode()(lambda: float(run(0 * at_x)))
    f_baseline = reader.passes.run(forward, cancelled)
    change, tried = f_x - f_baseline, list[tuple[int, float]]()
    for steps in STEPS if n_steps is None else (n_steps,):
        total = done + steps
        values = integrate(gradients, at_x, steps)
        tried.append((steps, float(values.double().sum()) - change))
        if attribution.gap_share(tried[-1][1], change) < attribution.GAP_LIMIT:
            break
    how = f_x, f_baseline, baseline, steps, tuple(tried)
    return Attribution(target, method, window.index, values.double().numpy(), *how)


def make_pass(model: Any, window: Window, target: Target, ends: torch.Tensor) -> Pass:
    """F = a.s + b.e at the target's fixed positions, of points between x' and x, [2, n, m]."""
    weights = torch.tensor(np.stack(attribution.weights_of(target, window)), dtype=torch.float32)
    at = weights.any(0).nonzero()[:, 0].tolist()
    a, b = weights[:, at]
    logits = path_logits(model, window, ends)

    def run(alpha: torch.Tensor) -> torch.Tensor:
        start, end = logits(alpha, at)
        return (start @ a).double() + (end @ b).double()

    return run


def own_baseline(reader: "BertReader") -> Baseline:
    """The padding token, or the mask token where padding is the zero vector and nothing is added
    to it before the first layer norm (DeBERTa, ModernBERT): such a reader feels only the direction
    of a word's vector, which on the path to zero stays the word's own, so no steps close the gap.
    """
    felt = word_embeddings(reader.model, [reader.tokenizer.pad_token_id]).any()
    return "pad" if felt or not adds_no_position(reader.model.config) else "mask"


def path_of(
    reader: "BertReader", reading: Reading, window: Window, baseline: Baseline | None
) -> torch.Tensor:
    """x' and x, [2, n, m]. In x' are [CLS] and the separators as they are, every other position is
    the pad or mask token's vector, or zero; without a baseline all of it is zero. Positions and
    types are the input's. Kept tokens get exactly 0.
    """
    kept = special_positions(reading.encoding, window) & (baseline is not None)
    x = word_embeddings(reader.model, window.input_ids)
    other = torch.zeros_like(x)
    if baseline not in (None, "zero"):
        other += word_embeddings(reader.model, [getattr(reader.tokenizer, f"{baseline}_token_id")])
    return torch.stack([torch.where(torch.from_numpy(kept)[:, None], x, other), x])


def integrate(gradients: Pass, at_x: torch.Tensor, steps: int) -> torch.Tensor:
    """Integrated gradients of the target, [n]: means over the midpoints alpha = (k + 1/2) / steps.

        attr_i = mean of (x_i - x'_i) . dF(x' + alpha (x - x')) / dx_i = mean of dF / d alpha_i

    captum takes the path from 0 to alpha = 1 at every position, [1, n].
    """
    from captum.attr import IntegratedGradients

    def gradient_func(inputs: tuple[torch.Tensor, ...], **_: Any) -> tuple[torch.Tensor]:
        return (gradients(inputs[0]),)

    method = IntegratedGradients(lambda points: points.sum(1))  # never asked: see below
    method.gradient_func = gradient_func
    size = max(1, min(10, TOKENS_AT_ONCE // at_x.shape[1], steps))
    found = method.attribute(at_x, n_steps=steps, method="riemann_middle", internal_batch_size=size)
    return found.detach()[0]
