"""Attribution over word embeddings: integrated gradients, gradient times input, leave one word out.

The model is shared by every session. So nothing here installs a hook, writes a parameter's gradient
or changes a mode: captum's `IntegratedGradients` works on a plain function, and gradients come from
`torch.autograd.grad`. (captum's `Layer...` classes replace the output of a shared module while they
run, and corrupt what other threads answer.)
"""

import copy
from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import torch

from qa_demo.core.attribution import (
    BASELINES,
    GAP_LIMIT,
    METHODS,
    STEPS,
    Attribution,
    Baseline,
    Method,
    Target,
    gap_share,
    lanes,
    parts,
    window_of,
)
from qa_demo.core.errors import BadCheckpoint, BadInput, Cancelled
from qa_demo.core.occlusion import leave_one_out
from qa_demo.core.progress import IsCancelled, OnProgress
from qa_demo.core.reader import check_made_by
from qa_demo.core.types import Reading, Window
from qa_demo.core.words import special_positions
from qa_demo.model.forward import (
    TOKENS_AT_ONCE,
    Loaded,
    logits,
    masked_logits,
    special_id,
    token_types,
    word_embeddings,
)
from qa_demo.model.narrow import narrowed
from qa_demo.model.workers import Workers

MAX_STEPS = 500
ROUNDING = 1e-4
"""Gradient x input below this share of its own products is rounding: real ones have a tenth,
cancelled ones a millionth.
"""
Pass = Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]
"""Word embeddings [k, n, h] -> the start part and the end part of the target, [k] and [k]."""
_shuffling = Workers(1)
"""The gate of the random-weights check: one copy of the weights at a time."""


def attribute(
    loaded: Loaded,
    reading: Reading,
    target: Target,
    method: Method = "integrated_gradients",
    baseline: Baseline = "pad",
    n_steps: int | None = None,
    on_progress: OnProgress | None = None,
    cancelled: IsCancelled | None = None,
    shuffle: int | None = None,
) -> Attribution:
    """Explain the target in its window. With n_steps None the steps grow (20, 50, 100) until the
    gap is under 2 %.

    `shuffle` is the seed of the random-weights check: the same explanation of a private copy with
    shuffled weights. Errors: BadInput for unknown choices, a reading of another reader or a span no
    window holds; Cancelled; BadCheckpoint for numbers that are not finite.
    """
    _check(loaded, reading, method, baseline, n_steps)
    if shuffle is not None:
        with _shuffling.slot(cancelled):
            copied = Loaded(
                shuffled(loaded.model, shuffle),
                loaded.tokenizer,
                loaded.workers,
                loaded.name,
                loaded.checksum,
            )
            as_read = _read_by(copied, reading, target, cancelled)
            return _attribute(
                copied, as_read, target, method, baseline, n_steps, on_progress, cancelled
            )
    return _attribute(loaded, reading, target, method, baseline, n_steps, on_progress, cancelled)


def _check(
    loaded: Loaded, reading: Reading, method: str, baseline: str, n_steps: int | None
) -> None:
    for name, value, allowed in (("method", method, METHODS), ("baseline", baseline, BASELINES)):
        if value not in allowed:
            raise BadInput(
                f"the {name} must be one of {', '.join(allowed)}, got {str(value)[:40]!r}"
            )
    if n_steps is not None and not 1 <= n_steps <= MAX_STEPS:
        raise BadInput(f"n_steps must be between 1 and {MAX_STEPS}, got {n_steps}")
    check_made_by(reading, loaded)


def _attribute(
    loaded: Loaded,
    reading: Reading,
    target: Target,
    method: Method,
    baseline: Baseline,
    n_steps: int | None,
    on_progress: OnProgress | None,
    cancelled: IsCancelled | None,
) -> Attribution:
    """The reading holds the model's own logits, so F(x) needs no pass."""
    if method == "leave_one_out":
        return leave_one_out(
            reading,
            target,
            lambda window, masks: masked_logits(loaded, window, masks, on_progress, cancelled),
        )
    window = window_of(reading, target)
    run = make_pass(loaded.model, window, target)
    embeds = word_embeddings(loaded.model, window.input_ids)[None]
    f_x = float(sum(parts(target, window, *reading.logits(window.index))))
    if method == "gradient_x_input":
        with loaded.workers.slot(cancelled):
            grads = both_gradients(run, embeds)
        return _record(target, method, window, summed(grads * embeds[None]), f_x=f_x)
    path = baseline_embeddings(loaded, reading, window, baseline)
    f_baseline = _value(loaded, run, path, cancelled)
    tried: list[tuple[int, float]] = []
    budget = STEPS if n_steps is None else (n_steps,)
    for steps in budget:
        offset, total = sum(n for n, _ in tried), sum(n for n, _ in tried) + steps
        counter = _Counter(loaded, on_progress, cancelled, offset, total)
        values = integrate(run, embeds, path, steps, counter)
        tried.append((steps, float(values.double().sum()) - (f_x - f_baseline)))
        if gap_share(tried[-1][1], f_x - f_baseline) < GAP_LIMIT:
            break
    return _record(
        target,
        method,
        window,
        values,
        f_x=f_x,
        f_baseline=f_baseline,
        baseline=baseline,
        n_steps=tried[-1][0],
        tried=tuple(tried),
    )


def _read_by(
    copied: Loaded, reading: Reading, target: Target, cancelled: IsCancelled | None
) -> Reading:
    """The reading with the target's window as the copy reads it; the other windows are not run."""
    window = window_of(reading, target)
    read = masked_logits(
        copied, window, np.zeros((1, len(window)), dtype=bool), cancelled=cancelled
    )
    start, end = reading.start_logits.copy(), reading.end_logits.copy()
    start[window.index, : len(window)], end[window.index, : len(window)] = read[0][0], read[1][0]
    return replace(reading, start_logits=start, end_logits=end)


def _record(
    target: Target, method: Method, window: Window, values: torch.Tensor, **about: Any
) -> Attribution:
    if not bool(torch.isfinite(values).all()):
        raise BadCheckpoint(
            "the gradients of this reader are not finite on this text, so nothing can be attributed"
        )
    start, end = values.double().numpy()
    return Attribution(target, method, window.index, start, end, **about)


def make_pass(model: Any, window: Window, target: Target) -> Pass:
    """Embeddings [k, n, h] -> (a.s, b.e) at the target's fixed positions, the only ones that the
    last layer need compute.
    """
    a, b = lanes(target, window)
    rows = np.flatnonzero((a != 0) | (b != 0))
    narrow = narrowed(model, rows)
    if narrow is not None:
        model, a, b = narrow, a[rows], b[rows]
    start_weights, end_weights = (
        torch.as_tensor(weights, dtype=torch.float32) for weights in (a, b)
    )
    types = token_types(model, window)

    def run(embeds: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        start, end = logits(model, embeds, types)
        return start @ start_weights.to(start.dtype), end @ end_weights.to(end.dtype)

    return run


def _value(loaded: Loaded, run: Pass, embeds: torch.Tensor, cancelled: IsCancelled | None) -> float:
    with loaded.workers.slot(cancelled), torch.inference_mode():
        start, end = run(embeds)
    return float(start.double() + end.double())


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
    """Gradients of the start part and of the end part, [2, k, n, h], from one forward pass and two
    backward passes.
    """
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


def sum_gradient(run: Pass, embeds: torch.Tensor) -> torch.Tensor:
    """Gradient of the whole target, [1, k, n, h], from one forward and one backward pass."""
    with torch.enable_grad():
        at = embeds.detach().requires_grad_()
        start, end = run(at)
        (found,) = torch.autograd.grad((start + end).sum(), at)
    return found[None]


class _Counter:
    """Between chunks of the path: wait for a free slot, stop when cancelled, report progress."""

    def __init__(
        self,
        loaded: Loaded,
        on_progress: OnProgress | None,
        cancelled: IsCancelled | None,
        done: int,
        total: int,
    ) -> None:
        self._loaded, self._on_progress, self._cancelled, self._done, self._total = (
            loaded,
            on_progress,
            cancelled,
            done,
            total,
        )

    def __call__(self, work: Callable[[], torch.Tensor], steps: int) -> torch.Tensor:
        with self._loaded.workers.slot(self._cancelled):
            found = work()
        self._done += steps
        if self._on_progress is not None:
            self._on_progress(self._done, self._total)
        if self._cancelled is not None and self._cancelled():
            raise Cancelled("the attribution was cancelled")
        return found


def _at_once(work: Callable[[], torch.Tensor], _: int) -> torch.Tensor:
    return work()


def integrate(
    run: Pass,
    embeds: torch.Tensor,
    path: torch.Tensor,
    steps: int,
    between: Callable[[Callable[[], torch.Tensor], int], torch.Tensor] = _at_once,
    apart: bool = True,
) -> torch.Tensor:
    """Integrated gradients of the two parts of the target, [2, n]; of the whole target, [1, n],
    when not `apart`.

        attr_i = (x_i - x'_i) . mean over the midpoints alpha = (k + 1/2) / steps of dF(x' + alpha
        (x - x')) / dx_i

    captum does the path and the sum. It sees the two parts as two examples with the same input;
    the gradient function that it is given runs the model once for both.
    """
    from captum.attr import IntegratedGradients

    parts, gradients = (2, both_gradients) if apart else (1, sum_gradient)

    def gradient_func(
        forward_fn: Any,
        inputs: tuple[torch.Tensor, ...],
        target_ind: Any = None,
        additional_forward_args: Any = None,
    ) -> tuple[torch.Tensor]:
        points = inputs[0].detach()[::parts]
        found = between(lambda: gradients(run, points), len(points))
        return (found.transpose(0, 1).reshape(inputs[0].shape),)

    method = IntegratedGradients(lambda points: sum(run(points)))
    method.gradient_func = gradient_func
    size = max(1, min(10, TOKENS_AT_ONCE // embeds.shape[1], steps))
    found = method.attribute(
        embeds.expand(parts, -1, -1),
        path.expand(parts, -1, -1),
        n_steps=steps,
        method="riemann_middle",
        internal_batch_size=parts * size,
    )
    return found.detach().sum(-1)


def shuffled(model: Any, seed: int) -> Any:
    """A private copy in which the entries of every parameter are permuted, except the word
    embeddings, which it shares.

    Same words, same sizes of numbers, nothing learned: an explanation that hardly changes was never
    about the weights.
    """
    words = model.get_input_embeddings().weight
    shared = {id(tensor): tensor for tensor in chain(model.buffers(), [words])}
    twin = copy.deepcopy(model, shared)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in twin.parameters():
            if parameter is not words:
                parameter.copy_(
                    parameter.flatten()[
                        torch.randperm(parameter.numel(), generator=generator)
                    ].view_as(parameter)
                )
    return twin
